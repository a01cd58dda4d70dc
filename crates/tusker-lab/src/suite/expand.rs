//! From a suite to the scenarios of its points.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use tusker_core::{Bytes, Duration, Rate};
use tusker_measure::doubts::Expected;
use tusker_measure::summary::{View, flat_names};
use tusker_plan::plan::Link;
use tusker_scenario::{Complete, Scenario, sweep::nearest};

use super::claims::{RowId, Rows};
use super::verdict::harm_of;
use super::{Experiment, LeftOut, Request, Subject, Suite, asked, bdp};
use crate::{Trouble, group_name};

/// A suite on a path: its points, and what they are for.
pub struct Expanded<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// What is evaluated.
    pub request: &'a Request,
    /// Experiments that need what the subject, or what it is compared with, cannot do.
    pub left_out: Vec<LeftOut>,
    pub(super) pairs: Vec<Pair<'a>>,
    points: Vec<Point>,
}

/// A point: its scenario, and what is to be expected of it.
struct Point {
    text: String,
    expected: Expected,
}

/// A comparison's points.
pub(super) struct Pair<'a> {
    pub experiment: &'a Experiment,
    /// The value of the path that differs from that of the experiment's other comparisons.
    pub varied: Option<String>,
    pub rival: Option<String>,
    pub mine: Side,
    pub its: Side,
    /// The rival with the path to itself.
    pub alone: Option<Side>,
}

impl Pair<'_> {
    /// What tells it from the experiment's other comparisons, as claims name it: `reno_0.5bdp`.
    pub fn variant(&self) -> String {
        let parts = [&self.rival, &self.varied].into_iter().flatten();
        parts.cloned().collect::<Vec<String>>().join("_")
    }
}

impl Rows for Expanded<'_> {
    fn variants(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for own in self.pairs.iter().map(Pair::variant).chain([String::new()]) {
            if !all.contains(&own) {
                all.push(own);
            }
        }
        all
    }

    fn ids(&self) -> BTreeSet<String> {
        let id = |case: &String, variant| RowId { case: case.clone(), variant }.to_string();
        let run = self.pairs.iter().map(|pair| id(&pair.experiment.name, pair.variant()));
        run.chain(self.left_out.iter().map(|own| id(&own.name, String::new()))).collect()
    }
}

/// A point, and the groups of flows in it that are looked at.
pub(super) struct Side {
    pub point: usize,
    /// The group under test, if the suite makes the flows.
    pub group: Option<String>,
    /// The rival's groups: both, if it shares the path with its own kind.
    pub rivals: Vec<String>,
}

/// A path.
#[derive(Clone, Debug)]
struct On {
    rate: Rate,
    rtt: Duration,
    buffer: String,
    varied: Option<String>,
}

impl<'a> Expanded<'a> {
    /// Makes all points and checks them.
    ///
    /// # Errors
    /// If the subject, what it is compared with, or an experiment is invalid.
    pub fn of(suite: &'a Suite, request: &'a Request) -> Result<Self, Trouble> {
        let (left_out, pairs, points) = Default::default();
        let mut made = Self { suite, request, left_out, pairs, points };
        let mut known = BTreeMap::new();
        made.check_subjects()?;
        for experiment in &suite.experiments {
            if let Some(reason) = made.lacks(experiment)? {
                let (name, title) = (experiment.name.clone(), experiment.title.clone());
                made.left_out.push(LeftOut { name, title, reason });
                continue;
            }
            for on in made.paths(experiment) {
                made.add(experiment, &on, &mut known)?;
            }
        }
        made.check_claims()?;
        Ok(made)
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The scenario of a point.
    ///
    /// # Errors
    /// Never: all were checked.
    pub fn scenario(&self, point: usize) -> Result<Complete, Trouble> {
        Ok(Scenario::parse("suite", &self.points[point].text, &[])?.complete()?)
    }

    /// The scenario files of an experiment with the subject in it.
    ///
    /// # Errors
    /// If there is no such experiment, or it is left out.
    pub fn scenarios(&self, name: &str) -> Result<Vec<&str>, Trouble> {
        let own = self.pairs.iter().filter(|pair| pair.experiment.name == name);
        let found: Vec<&str> = own.map(|pair| self.points[pair.mine.point].text.as_str()).collect();
        if found.is_empty() {
            let mut names: Vec<&str> =
                self.pairs.iter().map(|pair| &*pair.experiment.name).collect();
            names.dedup();
            let message = format!("there is no experiment `{}`", name.escape_debug());
            return Err(asked(message, format!("there are {}", names.join(", "))));
        }
        Ok(found)
    }

    pub(super) fn expected(&self, point: usize) -> &Expected {
        &self.points[point].expected
    }

    /// A mistake in a name or a parameter is one of the option, not of an experiment.
    fn check_subjects(&self) -> Result<(), Trouble> {
        let (suite, request) = (self.suite, self.request);
        let (first, option) = match suite.subject {
            Subject::Cc => {
                (Some(json!([{ "name": "flow", "cc": "$cc" }])), "the congestion control")
            }
            Subject::Queue => (None, "--queue"),
        };
        for (option, subject) in [(option, &request.subject), ("--against", &request.against)] {
            let mut base = suite.base.clone();
            base.extend(first.clone().map(|flows| ("flows".to_owned(), flows)));
            let text = self
                .fill(base, &self.path(), subject)
                .map_err(|(what, help)| asked(format!("{option}: {what}"), help))?;
            let complete = Scenario::parse("suite", &text, &[]).and_then(|own| own.complete());
            complete.map_err(|error| {
                let help = error.remedy().unwrap_or("`tusker list` shows all names").to_owned();
                asked(format!("{option} {}: {error}", subject.escape_debug()), help)
            })?;
        }
        Ok(())
    }

    /// Claims compare experiments on paths that there are.
    fn check_claims(&self) -> Result<(), Trouble> {
        let ids = self.ids();
        for claim in &self.suite.claims {
            let wrong = |what: String| {
                let help = format!("experiments are {}", Vec::from_iter(ids.clone()).join(", "));
                asked(format!("{}: claim `{}`: {what}", self.suite.name, claim.id), help)
            };
            for own in claim.operands(self).map_err(wrong)? {
                let left_out = self.left_out.iter().any(|left| left.name == own.row.case);
                if !left_out && !ids.contains(&own.row.to_string()) {
                    return Err(wrong(format!("there is no `{}`", own.row)));
                }
            }
        }
        Ok(())
    }

    /// Why an experiment is left out.
    fn lacks(&self, experiment: &Experiment) -> Result<Option<String>, Trouble> {
        if experiment.needs.is_empty() {
            return Ok(None);
        }
        let on = self.paths(experiment).remove(0);
        for subject in [&self.request.subject, &self.request.against] {
            let text = self.text(experiment, &on, &[subject])?;
            let complete = Scenario::parse("suite", &text, &[]).and_then(|own| own.complete());
            let reason = match complete.map(Complete::into_plan) {
                Err(error) => error.to_string(),
                Ok(plan) if plan.links.iter().any(cannot_mark) => {
                    "this queue policy cannot mark".to_owned()
                }
                Ok(_) => continue,
            };
            return Ok(Some(format!("{subject}: {reason}")));
        }
        Ok(None)
    }

    fn path(&self) -> On {
        let Request { rate, rtt, .. } = *self.request;
        On { rate, rtt, buffer: self.suite.path.buffer.clone(), varied: None }
    }

    /// Every combination of the values of an experiment's path.
    fn paths(&self, experiment: &Experiment) -> Vec<On> {
        let change = &experiment.path;
        let rates: Vec<_> = change.rate.all().iter().map(|own| Set::Rate(own.0)).collect();
        let rtts: Vec<_> = change.rtt.all().iter().map(|own| Set::Rtt(own.0)).collect();
        let buffers: Vec<_> = change.buffer.all().iter().map(|own| Set::Buffer(own)).collect();
        let mut all = vec![self.path()];
        for values in [rates, rtts, buffers].into_iter().filter(|values| !values.is_empty()) {
            let several = values.len() > 1;
            let with = |on: &On| values.iter().map(|own| own.on(on, several)).collect::<Vec<_>>();
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    fn add(
        &mut self,
        experiment: &'a Experiment,
        on: &On,
        known: &mut BTreeMap<String, usize>,
    ) -> Result<(), Trouble> {
        let Request { subject, against, .. } = self.request;
        let varied = &on.varied;
        if experiment.rivals.is_empty() {
            let group =
                |subject: &String| self.makes_flows(experiment).then(|| group_name(subject));
            let groups = [group(subject), group(against)];
            let mut side = |subject: &String, group| {
                let point = self.point(experiment, on, &[subject], known)?;
                Ok::<_, Trouble>(Side { point, group, rivals: Vec::new() })
            };
            let [mine, its] = groups;
            let (mine, its) = (side(subject, mine)?, side(against, its)?);
            self.pairs.push(Pair {
                experiment,
                varied: varied.clone(),
                rival: None,
                mine,
                its,
                alone: None,
            });
            return Ok(());
        }
        for rival in &experiment.rivals {
            let rival = if rival == "$against" { against } else { rival };
            let mut side = |all: &[&str]| {
                let point = self.point(experiment, on, all, known)?;
                let names = group_names(all);
                let rivals =
                    if all.iter().all(|own| *own == rival) { &names[..] } else { &names[1..] };
                let (group, rivals) = (Some(names[0].clone()), rivals.to_vec());
                Ok::<_, Trouble>(Side { point, group, rivals })
            };
            let mine = side(&[subject, rival])?;
            let its = side(&[against, rival])?;
            let alone = Some(side(&[rival])?);
            let rival = Some(rival.clone());
            self.pairs.push(Pair { experiment, varied: varied.clone(), rival, mine, its, alone });
        }
        Ok(())
    }

    /// A point, which is made and checked if it is a new one.
    fn point(
        &mut self,
        experiment: &Experiment,
        on: &On,
        entrants: &[&str],
        known: &mut BTreeMap<String, usize>,
    ) -> Result<usize, Trouble> {
        let text = self.text(experiment, on, entrants)?;
        if let Some(&point) = known.get(&text) {
            return Ok(point);
        }
        let place = format!("{}/{}", self.suite.name, experiment.name);
        let plan = Scenario::parse(&place, &text, &[])?.complete()?.into_plan();
        let names = flat_names(&View::new(&plan));
        let there = |own: &str| {
            harm_of(own).is_some()
                || names.iter().any(|name| name == own)
                || plan.groups.iter().any(|group| names.contains(&format!("groups.{group}.{own}")))
        };
        if let Some((name, _)) = experiment.measures().find(|(own, _)| !there(own)) {
            let near = nearest(name, &names).unwrap_or("goodput_bps");
            return Err(asked(
                format!("{place}: there is no measure `{name}`"),
                format!("did you mean `{near}`? `tusker list measure` shows all"),
            ));
        }
        let point = self.points.len();
        self.points.push(Point { text: text.clone(), expected: Expected::of(&plan) });
        known.insert(text, point);
        Ok(point)
    }

    fn makes_flows(&self, experiment: &Experiment) -> bool {
        let has = |map: &Map<String, Value>| map.contains_key("flows");
        !has(&self.suite.base) && !has(&experiment.change)
    }

    /// The scenario of an experiment with these congestion controls, or this queue policy.
    fn text(&self, experiment: &Experiment, on: &On, entrants: &[&str]) -> Result<String, Trouble> {
        let mut scenario = self.suite.base.clone();
        merge(&mut scenario, &experiment.change);
        if self.makes_flows(experiment) {
            let start = self.request.duration.nanos() / 10;
            let start = Duration::from_nanos(start.min(1_000_000_000)).to_string();
            let flows = entrants.iter().zip(group_names(entrants)).map(|(cc, name)| {
                let cc = spec("name", cc).map_err(|(what, help)| asked(what, help))?;
                let start = json!({ "uniform": ["0s", start] });
                Ok(json!({ "name": name, "count": experiment.flows, "cc": cc, "start": start }))
            });
            let flows = flows.collect::<Result<Vec<Value>, Trouble>>()?;
            scenario.insert("flows".to_owned(), flows.into());
        }
        self.fill(scenario, on, entrants[0]).map_err(|(what, help)| {
            asked(format!("{}/{}: {what}", self.suite.name, experiment.name), help)
        })
    }

    /// Puts values in place of variables.
    fn fill(&self, scenario: Map<String, Value>, on: &On, subject: &str) -> Result<String, Wrong> {
        let mut scenario = Value::Object(scenario);
        Variables { suite: self.suite, request: self.request, on, subject }.fill(&mut scenario)?;
        scenario["seed"] = self.request.seed.into();
        scenario["replicates"] = self.request.replicates.into();
        toml_edit::ser::to_string_pretty(&scenario)
            .map_err(|error| (error.to_string(), "scenarios are TOML".to_owned()))
    }
}

/// DropTail is to mark packets.
fn cannot_mark(link: &Link) -> bool {
    link.queue.ecn && link.queue.policy.name() == "droptail"
}

/// What is wrong, and the remedy.
type Wrong = (String, String);

/// A value of a path.
enum Set<'a> {
    Rate(Rate),
    Rtt(Duration),
    Buffer(&'a str),
}

impl Set<'_> {
    fn on(&self, on: &On, several: bool) -> On {
        let mut on = on.clone();
        let text = match self {
            Self::Rate(rate) => {
                on.rate = *rate;
                rate.to_string()
            }
            Self::Rtt(rtt) => {
                on.rtt = *rtt;
                rtt.to_string()
            }
            Self::Buffer(buffer) => {
                (*buffer).clone_into(&mut on.buffer);
                (*buffer).to_owned()
            }
        };
        if several {
            on.varied = Some(on.varied.map_or(text.clone(), |before| format!("{before}, {text}")));
        }
        on
    }
}

/// The groups of these congestion controls; a second one of the same name is `other-NAME`.
fn group_names(all: &[&str]) -> Vec<String> {
    let name = |(at, cc): (usize, &&str)| match all[..at].contains(cc) {
        true => format!("other-{}", group_name(cc)),
        false => group_name(cc),
    };
    all.iter().enumerate().map(name).collect()
}

/// Tables within tables are merged, everything else is replaced.
fn merge(base: &mut Map<String, Value>, change: &Map<String, Value>) {
    for (key, value) in change {
        match (base.get_mut(key), value) {
            (Some(Value::Object(base)), Value::Object(change)) => merge(base, change),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

/// The values of variables.
struct Variables<'a> {
    suite: &'a Suite,
    request: &'a Request,
    on: &'a On,
    subject: &'a str,
}

impl Variables<'_> {
    fn fill(&self, value: &mut Value) -> Result<(), Wrong> {
        match value {
            Value::Array(all) => all.iter_mut().try_for_each(|own| self.fill(own)),
            Value::Object(map) => {
                map.values_mut().try_for_each(|own| self.fill(own))?;
                // parameters of `policy = "$queue"` stand beside it
                for key in ["name", "policy"] {
                    if let Some(Value::Object(spec)) = map.get(key).cloned() {
                        map.extend(spec);
                    }
                }
                Ok(())
            }
            Value::String(text) => match text.split_once('$') {
                Some((factor, name)) => {
                    *value = self.value(factor, name)?;
                    Ok(())
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// `0.25$rate`.
    fn value(&self, factor: &str, name: &str) -> Result<Value, Wrong> {
        let Self { on, request, .. } = self;
        let times = match factor {
            "" => 1.0,
            _ => factor.parse::<f64>().ok().filter(|f| f.is_finite()).ok_or_else(|| {
                let what = format!("`{factor}` before `${name}` is not a number");
                (what, "write a number and a variable, such as 0.25$rate".to_owned())
            })?,
        };
        let time = |time: Duration| {
            Duration::from_nanos((times * time.nanos() as f64).round() as u64).to_string().into()
        };
        let subject = |subject: Subject| self.suite.subject == subject && factor.is_empty();
        Ok(match name {
            "rate" => {
                let rate = (times * on.rate.bits_per_sec() as f64).round() as u64;
                Rate::from_bits_per_sec(rate).to_string().into()
            }
            "rtt" => time(on.rtt),
            "duration" => time(request.duration),
            "bdp" => {
                let bytes = times * bdp(on.rate, on.rtt).get() as f64;
                Bytes::new(bytes.round() as u64).to_string().into()
            }
            "buffer" if factor.is_empty() => on.buffer.clone().into(),
            "cc" if subject(Subject::Cc) => spec("name", self.subject)?,
            "against" if subject(Subject::Cc) => spec("name", &request.against)?,
            "queue" if subject(Subject::Queue) => spec("policy", self.subject)?,
            _ => {
                let own = match self.suite.subject {
                    Subject::Cc => "$cc, $against",
                    Subject::Queue => "$queue",
                };
                let help = format!(
                    "there are $rate, $rtt, $duration and $bdp, which may have a factor, and \
                     $buffer, {own}"
                );
                return Err((format!("`{factor}${name}` is no variable"), help));
            }
        })
    }
}

/// `hcc:tau=0.005` as `{ name = "hcc", tau = 0.005 }`.
fn spec(key: &str, text: &str) -> Result<Value, Wrong> {
    let mut parts = text.split([':', ',']);
    let mut map = Map::new();
    map.insert(key.to_owned(), parts.next().unwrap_or_default().into());
    for part in parts {
        let Some((name, value)) = part.split_once('=').filter(|(name, _)| !map.contains_key(*name))
        else {
            let what = format!("`{}` in `{text}` is not a parameter", part.escape_debug());
            let help =
                "write NAME:PARAM=VALUE, each parameter once; `tusker explain NAME` lists them";
            return Err((what, help.to_owned()));
        };
        let value = match (value.parse::<i64>(), value.parse::<f64>(), value.parse::<bool>()) {
            (Ok(whole), ..) => whole.into(),
            (_, Ok(number), _) if number.is_finite() => number.into(),
            (.., Ok(choice)) => choice.into(),
            // `500ms` and `5pkt` are texts
            _ => value.into(),
        };
        map.insert(name.to_owned(), value);
    }
    Ok(map.into())
}
