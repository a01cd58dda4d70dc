//! The content of `suite.toml`.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tusker_core::{Bytes, Duration, Rate};
use tusker_scenario::Text;

use super::claims::{self, Claim};
use super::{Better, asked};
use crate::Trouble;

/// The suites that come with the program.
const EMBEDDED: [(&str, &str); 2] = [
    ("rfc9743", include_str!("../../../../suites/rfc9743/suite.toml")),
    ("aqm", include_str!("../../../../suites/aqm/suite.toml")),
];

/// The file of a suite in its folder.
const FILE: &str = "suite.toml";

/// A suite of experiments.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Its name: that of its folder.
    #[serde(skip)]
    pub name: String,
    /// What it is.
    pub title: String,
    /// The document that asks for these experiments.
    pub source: String,
    /// What is evaluated.
    pub subject: Subject,
    /// What it is compared with by default.
    pub against: String,
    /// Runs of each experiment.
    pub replicates: u32,
    /// What it does not cover.
    #[serde(default)]
    pub limits: Vec<String>,
    /// The path of most experiments.
    pub path: SuitePath,
    /// How long runs are.
    pub duration: Rule,
    /// What counts as the same.
    pub same: Same,
    /// The scenario that experiments change.
    pub base: Map<String, Value>,
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// What is said of the subject, as inequalities between measures of experiments.
    #[serde(default)]
    pub claims: Vec<Claim>,
}

/// What is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// A congestion control: `$cc` in scenarios.
    Cc,
    /// A queue policy: `$queue` in scenarios.
    Queue,
}

/// A path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuitePath {
    /// Rate of the bottleneck.
    pub rate: Text<Rate>,
    /// Round-trip time without queueing.
    pub rtt: Text<Duration>,
    /// Limit of the bottleneck's queue.
    pub buffer: String,
}

/// Changes to the path; a list makes a comparison for each of its values.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathChange {
    /// Rate of the bottleneck.
    #[serde(default)]
    pub rate: List<Text<Rate>>,
    /// Round-trip time without queueing.
    #[serde(default)]
    pub rtt: List<Text<Duration>>,
    /// Limit of the bottleneck's queue.
    #[serde(default)]
    pub buffer: List<String>,
}

/// One value, or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum List<T> {
    /// One.
    One(T),
    /// Several, or none.
    Many(Vec<T>),
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl<T> List<T> {
    /// All of them.
    pub fn all(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// How long runs are if nobody says it: so many cycles of Reno, within limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Cycles of Reno with a buffer of 1 BDP.
    pub cycles: f64,
    /// Not shorter.
    pub least: Text<Duration>,
    /// Not longer.
    pub most: Text<Duration>,
    /// Not longer than the path takes to carry so many bytes, unless that is shorter than `least`.
    pub data: Text<Bytes>,
}

/// The segment size by which cycles are estimated.
const PACKET_BITS: f64 = 12_000.0;

impl Rule {
    /// A cycle has as many round trips, of 1.5 times the RTT on average, as the path holds
    /// packets.
    pub fn of(&self, rate: Rate, rtt: Duration) -> Duration {
        let (rate, rtt) = (rate.bits_per_sec() as f64, rtt.secs());
        let wanted = self.cycles * (rate * rtt / PACKET_BITS) * 1.5 * rtt;
        let most = self.most.0.secs().min(8.0 * self.data.0.get() as f64 / rate);
        let seconds = wanted.min(most).max(self.least.0.secs());
        Duration::from_millis(1_000 * seconds.round() as u64)
    }
}

/// What counts as the same: the difference, at any value of its 95 % interval, is at most this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Same {
    /// As a share of the larger mean.
    pub share: f64,
    /// For measures from 0 to 1, such as Jain's index and harm.
    pub absolute: f64,
    /// A certain difference of at most this part of it counts as none.
    pub slight: f64,
}

/// What a congestion control or queue policy must be able to do; otherwise the experiment is
/// left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// Classic ECN (RFC 3168).
    Ecn,
}

/// An experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Short, for files and programs.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The sections of the source that ask for it.
    #[serde(default)]
    pub section: String,
    /// Its path, where that differs.
    #[serde(default)]
    pub path: PathChange,
    /// Flows of each congestion control, unless the scenario has flows of its own.
    #[serde(default = "one")]
    pub flows: u32,
    /// Congestion controls whose flows share the path, each in its turn.
    #[serde(default)]
    pub rivals: Vec<String>,
    /// Changes to the base scenario.
    #[serde(default)]
    pub change: Map<String, Value>,
    /// What it needs.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// Measures of which more is better.
    #[serde(default)]
    more: Vec<String>,
    /// Measures of which less is better.
    #[serde(default)]
    less: Vec<String>,
    /// Measures that are better the nearer they are to 0.
    #[serde(default)]
    zero: Vec<String>,
    /// Values that somebody published.
    #[serde(default)]
    pub published: Vec<PublishedValue>,
}

/// A published value of a measure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedValue {
    /// The congestion control or queue policy that it is of.
    pub of: String,
    /// The measure: one of the experiment.
    pub measure: String,
    /// The value of the path, if the experiment has several: `0.5bdp`.
    pub at: Option<String>,
    /// The value.
    pub value: f64,
    /// How far ours may be from it.
    pub tolerance: f64,
    /// Where it is published.
    pub source: String,
}

fn one() -> u32 {
    1
}

impl Experiment {
    /// Its measures, and which values of them are better.
    pub fn measures(&self) -> impl Iterator<Item = (&str, Better)> {
        let all = [(&self.more, Better::More), (&self.less, Better::Less)];
        let all = all.into_iter().chain([(&self.zero, Better::Zero)]);
        all.flat_map(|(names, better)| names.iter().map(move |name| (name.as_str(), better)))
    }
}

impl Suite {
    /// The names of those that come with the program.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|(name, _)| *name)
    }

    /// A suite by its name, or from a folder.
    ///
    /// # Errors
    /// If there is none, or it is invalid.
    pub fn find(name: &str) -> Result<Self, Trouble> {
        if let Some((name, text)) = EMBEDDED.iter().find(|(own, _)| *own == name) {
            return Self::read(name, &format!("suites/{name}/{FILE}"), text);
        }
        let folder = Path::new(name);
        let file = folder.join(FILE);
        if !folder.is_dir() {
            let names: Vec<&str> = Self::names().collect();
            return Err(asked(
                format!("there is no suite `{}`", name.escape_debug()),
                format!("there are {}; or name a folder with a {FILE}", names.join(" and ")),
            ));
        }
        let text = tusker_store::files::text(&file).map_err(|error| {
            let message = format!("{}: cannot be read: {error}", file.display());
            asked(message, "docs/suites.md describes this file")
        })?;
        let full = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let name = full.file_name().map_or("suite".into(), |name| name.to_string_lossy());
        Self::read(&name, &file.display().to_string(), &text)
    }

    pub(super) fn read(name: &str, place: &str, text: &str) -> Result<Self, Trouble> {
        let wrong = |what: String| {
            asked(format!("{place}: {}", what.trim_end()), "docs/suites.md describes this file")
        };
        let read: Result<Self, _> = toml_edit::de::from_str(text);
        let mut suite = read.map_err(|error| wrong(error.to_string()))?;
        name.clone_into(&mut suite.name);
        suite.check().map_err(wrong)?;
        Ok(suite)
    }

    fn check(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        for one in &self.experiments {
            let name = &one.name;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
            if name.is_empty() || !name.chars().all(plain) {
                return Err(format!("experiment `{name}`: a name has letters, digits and hyphens"));
            }
            if !names.insert(name) {
                return Err(format!("there are two experiments `{name}`"));
            }
            if one.measures().next().is_none() {
                return Err(format!(
                    "experiment `{name}` has no measure: list some in `more`, `less` or `zero`"
                ));
            }
            for own in &one.published {
                let (measure, tolerance) = (&own.measure, own.tolerance);
                if one.measures().all(|(known, _)| known != measure) {
                    return Err(format!(
                        "experiment `{name}`: `published` has `{measure}`, which is not among its \
                         measures: list it in `more`, `less` or `zero`"
                    ));
                }
                if !own.value.is_finite() || !tolerance.is_finite() || tolerance < 0.0 {
                    return Err(format!(
                        "experiment `{name}`: the published `{measure}` needs a finite value, and a \
                         tolerance of 0 or more"
                    ));
                }
            }
            if let Some((harm, _)) = one.measures().find(|(own, _)| own.starts_with("harm_"))
                && one.rivals.is_empty()
            {
                return Err(format!("experiment `{name}`: `{harm}` needs `rivals`"));
            }
            if self.subject == Subject::Queue && !one.rivals.is_empty() {
                return Err(format!("experiment `{name}`: `rivals` are for congestion controls"));
            }
        }
        if self.experiments.is_empty() {
            return Err("a suite has experiments".to_owned());
        }
        let mut ids = BTreeSet::new();
        for claim in &self.claims {
            let wrong = |what: String| format!("claim `{}`: {what}", claim.id);
            if !ids.insert(&claim.id) {
                return Err(wrong("there are two of this name".to_owned()));
            }
            claim.tests.iter().try_for_each(|test| self.check_test(claim, test)).map_err(wrong)?;
        }
        Ok(())
    }

    /// A test of a claim names experiments and their measures.
    fn check_test(&self, claim: &Claim, test: &str) -> Result<(), String> {
        for own in claims::test(test)?.measures() {
            let case = own.case.clone().unwrap_or_default();
            let letter = claim.letters.get(&case);
            let names = letter.map_or(vec![&case], |all| all.iter().map(|own| &own.0).collect());
            for name in names {
                let Some(one) = self.experiments.iter().find(|one| one.name == *name) else {
                    return Err(format!("there is no experiment `{name}`"));
                };
                if one.measures().all(|(measure, _)| measure != own.measure) {
                    let (what, list) = (&own.measure, "list it in `more`, `less` or `zero`");
                    return Err(format!("`{what}` is not among the measures of `{name}`: {list}"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Expanded, Request};
    use super::*;

    /// 16 cycles of 83.3 round trips of 75 ms are 100 s; at 200 Mbit/s and 100 ms, 16 of 1667 of
    /// 150 ms are 4000 s, and 5 GB take 200 s. At 10 Gbit/s these take 4 s.
    #[test]
    fn runs_are_as_long_as_their_path_needs() {
        let rule = Suite::find("rfc9743").unwrap().duration;
        let of = |mbit: u64, ms: u64| {
            rule.of(Rate::from_bits_per_sec(mbit * 1_000_000), Duration::from_millis(ms)).secs()
        };
        assert_eq!([of(20, 50), of(200, 100), of(10_000, 100)], [100.0, 200.0, 20.0]);
        assert_eq!([of(1, 10), of(20, 600)], [20.0, 400.0]);
    }

    /// Every experiment of the suites is a valid scenario, on slow and fast paths.
    #[test]
    fn embedded_suites_can_be_run() {
        for name in Suite::names() {
            let suite = Suite::find(name).unwrap();
            let subject = if suite.subject == Subject::Cc { "reno" } else { "red" };
            for path in [[None; 3], [Some("1Gbit"), Some("200ms"), Some("30s")]] {
                let request = Request::of(&suite, subject.to_owned(), None, path).unwrap();
                let expanded = Expanded::of(&suite, &request).unwrap();
                assert_eq!(expanded.left_out, [], "{name}");
                for own in &suite.experiments {
                    assert!(!expanded.scenarios(&own.name).unwrap().is_empty(), "{name}");
                }
            }
        }
    }

    /// A published value is of a measure of its experiment.
    #[test]
    fn published_values_are_checked() {
        let text = include_str!("../../../../suites/rfc9743/suite.toml");
        let first = text.find("[[experiments]]").unwrap();
        let experiment = |published: &str| {
            format!(
                "{}[[experiments]]\nname = \"one\"\ntitle = \"One\"\nmore = [\"goodput_bps\"]\n\
                 published = [{{ of = \"reno\", {published}, source = \"hand\" }}]\n",
                &text[..first]
            )
        };
        let read = |published: &str| Suite::read("a", "a", &experiment(published));
        let suite = read("measure = \"goodput_bps\", value = 9.7e6, tolerance = 2e5").unwrap();
        assert_eq!(suite.experiments[0].published[0].tolerance, 2e5);
        for (wrong, told) in [
            ("measure = \"jain\", value = 1.0, tolerance = 0.1", "not among its measures"),
            (
                "measure = \"goodput_bps\", value = 1.0, tolerance = -1.0",
                "a tolerance of 0 or more",
            ),
        ] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
