//! Which two measures of a sweep are drawn against each other.

/// The most groups for which delay and goodput are combined.
const GROUPS: usize = 6;

/// Mean RTT and goodput of each group (the first six); utilisation and Jain's index.
pub fn pairs(measures: &[String]) -> Vec<[String; 2]> {
    let there = |name: &String| measures.contains(name);
    let groups = measures.iter().filter_map(|name| {
        let group = name.strip_prefix("groups.")?.strip_suffix(".rtt_mean_s")?;
        let goodput = format!("groups.{group}.goodput_bps");
        there(&goodput).then(|| [name.clone(), goodput])
    });
    let both = ["utilisation", "jain"].map(str::to_owned);
    let both = both.iter().all(there).then_some(both);
    groups.take(GROUPS).chain(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn pairs_are_of_what_is_there() {
        let all = names(&["utilisation", "groups.a.goodput_bps", "groups.a.rtt_mean_s"]);
        let delay = names(&["groups.a.rtt_mean_s", "groups.a.goodput_bps"]);
        assert_eq!(pairs(&all), [[delay[0].clone(), delay[1].clone()]]);
        let all = names(&["utilisation", "jain", "groups.a.b.rtt_mean_s"]);
        assert_eq!(pairs(&all), [["utilisation".to_owned(), "jain".to_owned()]]);
    }
}
