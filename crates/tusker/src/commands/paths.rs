//! The paths of `tusker compare`: every combination of what its flags list.

use tusker_scenario::sweep::list;

use crate::args::CompareArgs;
use crate::failure::Failure;

/// The most paths that one comparison has; `tusker sweep` takes more.
const MOST: usize = 1_000;

/// A path, as its flags say it.
#[derive(Clone, Debug, Default)]
pub struct Path {
    pub rate: String,
    pub rtt: String,
    pub buffer: String,
    pub loss: Option<String>,
}

impl Path {
    /// All that it is; a path on which nothing is lost does not say so, whether or not other
    /// paths have loss.
    pub fn told(&self) -> String {
        let mut told = format!("{}, {}, buffer {}", self.rate, self.rtt, self.buffer);
        let none = |loss: &&String| loss.parse::<f64>().is_ok_and(|loss| loss == 0.0);
        if let Some(loss) = self.loss.as_ref().filter(|loss| !none(loss)) {
            told += &format!(", loss {loss}");
        }
        told
    }
}

/// All paths of a comparison, and what they differ in.
pub struct Paths {
    /// What differs: `buffer`.
    pub heads: Vec<&'static str>,
    /// Each with its values of that.
    pub all: Vec<(Path, Vec<String>)>,
}

impl Paths {
    /// The values that tell a path from the others, for the name of a folder.
    pub fn suffix(values: &[String]) -> String {
        values.iter().map(|value| format!("-{value}")).collect()
    }
}

type Put = fn(&mut Path, String);

/// Every combination; the first flag changes slowest.
pub fn paths(args: &CompareArgs) -> Result<Paths, Failure> {
    let flags: [(&'static str, Option<&String>, Put); 4] = [
        ("rate", Some(&args.rate), |path, value| path.rate = value),
        ("rtt", Some(&args.rtt), |path, value| path.rtt = value),
        ("buffer", Some(&args.buffer), |path, value| path.buffer = value),
        ("loss", args.loss.as_ref(), |path, value| path.loss = Some(value)),
    ];
    let mut paths = Paths { heads: Vec::new(), all: vec![(Path::default(), Vec::new())] };
    for (flag, text, put) in flags {
        let Some(text) = text else { continue };
        let values = list(flag, text)
            .map_err(|(message, help)| Failure::input(format!("--{flag}: {message}"), help))?;
        let several = values.len() > 1;
        if several {
            paths.heads.push(flag);
        }
        if paths.all.len() * values.len() > MOST {
            let message = format!("--{flag}: more than {MOST} paths");
            return Err(Failure::input(message, "`tusker sweep` has no limit"));
        }
        let with = |(path, named): &(Path, Vec<String>)| {
            let (path, named) = (path.clone(), named.clone());
            values.clone().into_iter().map(move |value| {
                let (mut path, mut named) = (path.clone(), named.clone());
                named.extend(several.then(|| value.clone()));
                put(&mut path, value);
                (path, named)
            })
        };
        paths.all = paths.all.iter().flat_map(with).collect();
    }
    Ok(paths)
}
