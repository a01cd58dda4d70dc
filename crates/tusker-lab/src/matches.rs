//! Which experiments `tusker compare` runs: each congestion control on each path,
//! alone or against each rival; and then each rival alone and against itself, to show how
//! much the rivals lose.

use crate::{Outcome, group_name as name};

/// One experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Which path.
    pub path: usize,
    /// What is tried.
    pub cc: String,
    /// What shares the path with it.
    pub against: Option<String>,
}

/// All experiments, those that were asked for first.
#[derive(Debug)]
pub struct Matches {
    /// In the order in which they are run.
    pub all: Vec<Match>,
    /// How many were asked for.
    pub asked: usize,
    parallel: u32,
}

/// What one of the experiments is called.
pub fn label(cc: &str, against: Option<&str>) -> String {
    match against {
        Some(other) => format!("{}-against-{}", name(cc), name(other)),
        None => name(cc),
    }
}

/// A rival where it stands first: with as many connections as where it is a rival, one
/// unless it says how many.
fn first(rival: &str, parallel: u32) -> String {
    let digits = rival.trim_start_matches(|c: char| c.is_ascii_digit());
    let says = digits.len() < rival.len() && digits.starts_with('x');
    if parallel == 1 || says { rival.to_owned() } else { format!("1x{rival}") }
}

impl Matches {
    /// Of these congestion controls, each flow with so many connections unless it says
    /// its own, and rivals, on so many paths.
    pub fn of(ccs: &[String], parallel: u32, rivals: &[String], paths: usize) -> Self {
        let mut all = Vec::new();
        for path in 0..paths {
            for cc in ccs {
                let with = |against| Match { path, cc: cc.clone(), against };
                match rivals {
                    [] => all.push(with(None)),
                    rivals => all.extend(rivals.iter().cloned().map(Some).map(with)),
                }
            }
        }
        let asked = all.len();
        for path in 0..paths {
            for rival in rivals {
                for against in [None, Some(rival.clone())] {
                    let more = Match { path, cc: first(rival, parallel), against };
                    if !all.contains(&more) {
                        all.push(more);
                    }
                }
            }
        }
        Self { all, asked, parallel }
    }

    /// Tells in each summary with a rival what that loses. Of an experiment that did not
    /// finish nothing is known.
    pub fn note_harm(&self, outcome: &mut Outcome) {
        for at in 0..self.asked {
            let Match { path, against: Some(rival), .. } = &self.all[at] else { continue };
            let alone = first(rival, self.parallel);
            let find = |against: Option<&String>| {
                let same = |own: &Match| {
                    own.path == *path && own.cc == alone && own.against.as_ref() == against
                };
                self.all.iter().position(same).map(|i| outcome.replicates[i].as_slice())
            };
            if let (Some(alone), Some(own)) = (find(None), find(Some(rival))) {
                outcome.summaries[at].note_harm(&outcome.replicates[at], alone, own);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivals_are_run_alone_and_against_themselves_once() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let told = |ccs: &[&str], parallel, rivals: &[&str]| {
            let matches = Matches::of(&names(ccs), parallel, &names(rivals), 1);
            let text =
                |own: &Match| format!("{} {}", own.cc, own.against.as_deref().unwrap_or("-"));
            (matches.all.iter().map(text).collect::<Vec<_>>(), matches.asked)
        };
        let (all, count) = told(&["hstcp", "reno"], 1, &["reno", "bbr3"]);
        let asked = ["hstcp reno", "hstcp bbr3", "reno reno", "reno bbr3"];
        // reno against reno is there already
        let more = ["reno -", "bbr3 -", "bbr3 bbr3"];
        assert_eq!(
            (all, count),
            ([&asked[..], &more].concat().iter().map(|s| (*s).to_owned()).collect(), 4)
        );
        // eight connections against one are not what the rival would do to itself
        let (all, _) = told(&["reno"], 8, &["reno", "4xreno"]);
        let expected =
            ["reno reno", "reno 4xreno", "1xreno -", "1xreno reno", "4xreno -", "4xreno 4xreno"];
        assert_eq!(all, expected);
        let alone = Matches::of(&names(&["hstcp"]), 1, &[], 2);
        assert_eq!((alone.all.len(), alone.asked), (2, 2));
    }
}
