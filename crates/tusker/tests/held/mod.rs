//! What tests share that hold the simulator against recorded measurements: the list of what
//! misses, the table in a document, and the work on all processors.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Where our mean lies although it misses, and why.
pub struct Miss {
    pub cell: String,
    /// The name of the value.
    pub value: String,
    low: f64,
    high: f64,
    pub reason: String,
}

/// The lines of a file `cell,value,low,high,reason`, in their order. Without a reason it is that of
/// the line above.
pub fn misses(path: &str) -> Vec<Miss> {
    let mut last = String::new();
    let miss = |line: &str| {
        let fields: Vec<&str> = line.splitn(5, ',').collect();
        let &[cell, value, low, high, reason] = fields.as_slice() else {
            panic!("{path}: `{line}`: expected cell,value,low,high,reason")
        };
        if !reason.is_empty() {
            last = reason.to_owned();
        }
        assert!(!last.is_empty(), "{path}: no reason in `{line}`");
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{path}: `{text}`"));
        Miss {
            cell: cell.to_owned(),
            value: value.to_owned(),
            low: number(low),
            high: number(high),
            reason: last.clone(),
        }
    };
    read(path).lines().skip(1).map(miss).collect()
}

/// A value that was measured, and ours.
pub struct Held<'a> {
    pub cell: &'a str,
    pub value: &'a str,
    pub measured: f64,
    pub ours: f64,
    /// It is within its tolerance.
    pub holds: bool,
}

/// What is wrong: a miss that is not listed, or lies outside its band, and a listed one that
/// holds or is of nothing.
pub fn faults<'a>(values: impl IntoIterator<Item = Held<'a>>, path: &str) -> Vec<String> {
    let mut known = misses(path);
    let mut wrong = Vec::new();
    for Held { cell, value, measured, ours, holds } in values {
        println!("{cell} {value}: {ours:.3} / {measured:.3}");
        let place = known.iter().position(|miss| miss.cell == cell && miss.value == value);
        let fault = match (holds, place.map(|place| known.remove(place))) {
            (true, None) => continue,
            (true, Some(_)) => "holds now: strike it off the misses".to_owned(),
            (false, None) => "is not listed as a miss".to_owned(),
            (false, Some(miss)) if (miss.low..=miss.high).contains(&ours) => continue,
            (false, Some(miss)) => format!("is known to miss within {}..{}", miss.low, miss.high),
        };
        wrong.push(format!("{cell} {value}: {ours:.3} against {measured:.3} measured {fault}"));
    }
    wrong.extend(
        known.iter().map(|miss| format!("{} {}: a miss of nothing", miss.cell, miss.value)),
    );
    wrong
}

/// Compares the table of a page with this one; with `TUSKER_BLESS=1` writes it instead. It lies
/// between two comments with this name, and `anew` is the command that writes it.
pub fn old_table(page: &str, name: &str, table: &str, anew: &str) -> Option<String> {
    let [begin, end] = ["begin", "end"].map(|place| format!("<!-- {name}: {place} -->"));
    let text = read(page);
    let (head, rest) = text.split_once(&*begin).expect("the page says where the table begins");
    let (written, tail) = rest.split_once(&*end).expect("the page says where the table ends");
    if std::env::var_os("TUSKER_BLESS").is_some() {
        std::fs::write(root().join(page), format!("{head}{begin}\n{table}{end}{tail}")).unwrap();
        return None;
    }
    (written.strip_prefix('\n') != Some(table))
        .then(|| format!("the table of {page} is old: `{anew}` writes it anew"))
}

/// Does something with each, on all processors.
pub fn on_all_processors<T: Send>(all: impl Iterator<Item = T> + Send, act: impl Fn(T) + Sync) {
    let all = Mutex::new(all);
    let work = || {
        loop {
            let next = all.lock().expect("nobody panics with it").next();
            let Some(one) = next else { break };
            act(one);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
}
