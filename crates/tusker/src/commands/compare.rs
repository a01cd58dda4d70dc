//! `tusker compare`: congestion controls on one path or several, each alone or against
//! another, without a scenario file. Each run still has a scenario, which
//! `--print-scenario` prints.

use std::path::{Path, PathBuf};

use tusker_lab::matches::{Match, Matches, label};
use tusker_lab::{Experiment, Ready, Watch, group_name, notes};
use tusker_measure::summary::{Harm, Summary, phase_note};
use tusker_plan::plane::Plane;
use tusker_report::doubts;
use tusker_report::page::{Page, Step};
use tusker_report::results::{self, Comparison};
use tusker_scenario::paths::{self, Path as On, Paths, Shared};
use tusker_scenario::{Flows, Group, Scenario};
use tusker_sim::Simulator;
use tusker_store::{Build, harm};

use super::folders::open_each;
use super::run::{Ran, existing_of, stored};
use crate::args::{CompareArgs, Format, Request, step};
use crate::done::{self, Done, Means};
use crate::failure::Failure;
use crate::interrupt::Scratch;
use crate::outfile::{self, Kind};
use crate::pages;
use crate::running::speed;
use crate::scenarios::{self, wrong};

/// What is to be compared.
struct Compared {
    /// An experiment for each congestion control on each path, alone or against each
    /// rival; then those that tell what the rivals lose.
    experiments: Vec<Experiment>,
    /// What each of these is.
    matches: Matches,
    /// The scenario files that they stand for.
    printed: Vec<String>,
    /// What the paths differ in, and the values of that for each experiment.
    heads: Vec<&'static str>,
    named: Vec<Vec<String>>,
    /// The path of each.
    paths: Vec<String>,
}

impl Compared {
    /// What tells each of those that were asked for from the others.
    fn varied(&self) -> Vec<Vec<(&'static str, String)>> {
        let asked = &self.matches.all[..self.matches.asked];
        let several = asked.iter().any(|own| own.against != asked[0].against);
        let varied = asked.iter().zip(&self.named).map(|(own, values)| {
            let path = self.heads.iter().copied().zip(values.iter().cloned());
            let against = own.against.clone().filter(|_| several).map(|rival| ("against", rival));
            std::iter::once(("cc", own.cc.clone())).chain(against).chain(path).collect()
        });
        varied.collect()
    }
}

/// An experiment for each congestion control on each path, and what belongs to it.
fn experiments(args: &CompareArgs, build: &Build) -> Result<Compared, Failure> {
    let all = ccs("--cc", &args.cc)?;
    let against = ccs("--against", &args.against)?;
    let paths = Paths::of(&args.rate, &args.rtt, &args.buffer, args.loss.as_deref());
    let paths = paths.map_err(wrong)?;
    let matches = Matches::of(&all, args.parallel, &against, paths.all.len());
    let (mut experiments, mut printed, mut named_paths) = (Vec::new(), Vec::new(), Vec::new());
    for (i, Match { path, cc, against }) in matches.all.iter().enumerate() {
        let (path, values) = &paths.all[*path];
        let label = label(cc, against.as_deref());
        named_paths.push(path.label() + &bottleneck(args));
        let differs = values.iter().map(|value| format!("-{value}"));
        let name = label + &differs.collect::<String>();
        let made = scenario(args, path, cc, against.as_deref(), i >= matches.asked);
        let mut scenario = made.and_then(|made| made.with(&args.sets)).map_err(wrong)?;
        scenarios::apply(&mut scenario, &args.how);
        printed.push(scenario.to_toml());
        let ready = Ready::of(name, &scenario, build)?;
        experiments.push(Experiment { ready, store: None });
    }
    let named: Vec<Vec<String>> =
        matches.all.iter().map(|of| paths.all[of.path].1.clone()).collect();
    Ok(Compared { experiments, matches, printed, heads: paths.heads, named, paths: named_paths })
}

/// The scenario that one congestion control stands for.
fn scenario(
    args: &CompareArgs,
    on: &On,
    cc: &str,
    rival: Option<&str>,
    is_rival: bool,
) -> Result<Scenario, tusker_scenario::Error> {
    let path = format!("{}, {}", on.rate, on.rtt);
    let title = match rival {
        Some(other) => format!("{} x {cc} against {} x {other}, {path}", args.flows, args.flows),
        None => format!("{} x {cc}, {path}", args.flows),
    };
    let CompareArgs { queue, ecn, duration, profile, .. } = args;
    let mut made = on.dumbbell(title, &Shared { queue, ecn: *ecn, duration, profile })?;
    // what is run to tell what a rival loses has its connections
    let first = if is_rival { ("--against", 1) } else { ("--cc", args.parallel) };
    made.flows.push(group(args, first, group_name(cc), cc)?);
    if let Some(other) = rival {
        let name = group_name(other);
        let name = if other == cc { format!("other-{name}") } else { name };
        made.flows.push(group(args, ("--against", 1), name, other)?);
    }
    made.scenario()
}

fn group(
    args: &CompareArgs,
    (option, parallel): (&'static str, u32),
    name: String,
    cc: &str,
) -> Result<Group, tusker_scenario::Error> {
    let (own, text) = paths::connections(option, cc)?;
    let mut flows = Flows::new(name, paths::cc(option, text)?);
    flows.count = Some(args.flows.into());
    flows.parallel = Some(own.unwrap_or(parallel).into()).filter(|&parallel| parallel != 1);
    let recovery = args.recovery.as_deref().map(|own| paths::option("--recovery", own));
    flows.recovery = recovery.transpose()?.map(tusker_scenario::Text);
    Ok(Group { flows, cc: option, parallel: own.map_or("--parallel", |_| option) })
}

/// The scenario files that this would run.
pub fn scenarios(args: &CompareArgs) -> Result<String, Failure> {
    let made = experiments(args, &scenarios::build(Plane::Simulator))?;
    Ok(made.printed[..made.matches.asked].join("\n"))
}

/// Runs each congestion control on each path, and judges them.
pub fn compare(
    request: &Request<CompareArgs>,
    means: &Means<'_>,
    watch: &dyn Watch,
) -> Result<Done<Ran>, Failure> {
    let Request { args, command } = request;
    let conditions = done::conditions(&args.verdict)?;
    let made = experiments(args, means.build)?;
    let varied = made.varied();
    let Compared { mut experiments, matches, heads, named, paths, .. } = made;
    let asked = experiments[..matches.asked].iter().map(|experiment| &*experiment.ready.plan);
    conditions.check_any(asked, |plan| {
        let named = |group: &String| -> Vec<String> {
            Harm::ENTRIES.iter().map(|own| format!("groups.{group}.{}", own.name)).collect()
        };
        // the rival is the last
        let rival = plan.groups.last().filter(|_| !args.against.is_empty());
        rival.into_iter().flat_map(named).collect()
    })?;
    let lab = done::lab(&Simulator, &args.how, command, watch);
    for Experiment { ready, .. } in &experiments {
        lab.check(ready)?;
    }
    // a report is made of stored results
    let passing = match (&args.out, &args.report) {
        (None, Some(_)) => Some(Scratch::new()?),
        _ => None,
    };
    let out = args.out.as_deref().or(passing.as_ref().map(Scratch::path));
    let file = match (&args.report, out) {
        (None, out) => out.map(|out| out.join(tusker_store::REPORT)),
        (file, _) => file.clone(),
    };
    // a folder within --out may not be there yet
    let new = |file: &&PathBuf| !file.exists() && out.is_some_and(|out| file.starts_with(out));
    if let Some(file) = file.as_ref().filter(|file| !new(file)) {
        outfile::check(file, Kind::Page)?;
    }
    if let Some(out) = out {
        open_each(&mut experiments, out, existing_of(args.force, args.resume))?;
    }
    notes::tell(experiments.iter().map(|experiment| &*experiment.ready.plan), watch);
    let mut outcome = done::execute(&lab, &experiments, watch)?;
    matches.note_harm(&mut outcome);
    if let Some(out) = out.filter(|_| outcome.ended.is_none()) {
        harm::write(out, &outcome.summaries[..matches.asked])?;
    }
    let mut written = Ok(());
    let asked = &outcome.summaries[..matches.asked];
    let mut page = Page::default();
    if outcome.has_results() {
        page =
            results::of_comparison(Comparison { summaries: asked, heads: &heads, values: &named });
        page.work(speed(&outcome.summaries));
        let plans = experiments.iter().map(|experiment| &*experiment.ready.plan);
        let told = doubts::of_runs(plans.zip(asked), "--duration ");
        let losses = asked.iter();
        let losses = losses.map(|s| (s.scenario.as_str(), s.total.loss_rate.map(|rate| rate.mean)));
        let told = told.into_iter().chain(notes::lossy(losses)).chain(phase_note(asked));
        told.for_each(|note| page.doubt(note));
        if let Some(file) = file.filter(|_| !watch.stopped()) {
            written = write_report(&file, &experiments, &outcome.summaries, out);
            if written.is_ok() {
                page.work(format!("the report is {}", file.display()));
            }
        }
    }
    if passing.is_some() {
        // where nobody will look for them
        experiments.iter_mut().for_each(|experiment| experiment.store = None);
    }
    page.work.extend(stored(&outcome, &experiments, args.out.as_deref()));
    page.next = next(args, &experiments, !heads.is_empty());
    let has = outcome.has_results();
    // what ended the runs is the trouble to tell
    let ended = outcome.ended.map(Failure::from).or(written.err());
    let mut summaries = outcome.summaries;
    summaries.truncate(matches.asked);
    let ready = experiments.into_iter().take(matches.asked).map(|own| own.ready).collect();
    let judged = ended.is_none().then(|| conditions.summaries(&summaries, &paths));
    let ran = Ran { experiments: ready, varied, summaries, single: false };
    let mut done = Done { value: has.then_some(ran), page, ended };
    if let Some(judged) = judged {
        done.judge(judged);
    }
    Ok(done)
}

/// What one would do with these results.
fn next(args: &CompareArgs, experiments: &[Experiment], several_paths: bool) -> Vec<Step> {
    if let Some(out) = args.out.as_deref() {
        // the first of them, which stands for all
        let one = experiments.first().map_or_else(PathBuf::new, |e| out.join(&e.ready.name));
        let figures = format!("report {} --list", pages::path(&one));
        return vec![Step::new(figures, "lists the figures of one result, to export them")];
    }
    if args.report.is_some() || args.how.format != Format::Table {
        return Vec::new();
    }
    let mut more = CompareArgs { report: Some("compare.html".into()), ..args.clone() };
    let what = match more.how.replicates.replace(args.how.replicates.unwrap_or(4)) {
        Some(_) => "draws windows and queues over time",
        None => "draws windows and queues over time, and gives every column a ±",
    };
    let curves = "says how to draw curves over the buffer, rate, RTT or loss";
    let curves = several_paths.then(|| Step::new("sweep --help", curves));
    step(&more, what).into_iter().chain(curves).collect()
}

/// What the bottleneck does, if that is not what it does by default: `, queue codel, ECN`.
fn bottleneck(args: &CompareArgs) -> String {
    let queue = match args.queue.as_str() {
        "droptail" => String::new(),
        queue => format!(", queue {queue}"),
    };
    queue + if args.ecn { ", ECN" } else { "" }
}

/// All experiments of which something finished, on one page.
pub fn write_report(
    file: &Path,
    experiments: &[Experiment],
    summaries: &[Summary],
    out: Option<&Path>,
) -> Result<(), Failure> {
    let done = experiments.iter().zip(summaries).filter(|(_, s)| !s.seeds.is_empty());
    let stores = done.filter_map(|(experiment, _)| experiment.store.as_ref());
    let dirs: Vec<PathBuf> = stores.map(|store| store.dir().to_owned()).collect();
    let mut page = super::report::page(&dirs, None)?;
    if let Some(out) = out {
        results::add_harm(&mut page, &harm::read(out)?);
    }
    Ok(outfile::write(file, Kind::Page, tusker_report::html::html(&page).as_bytes())?)
}

/// The congestion controls of a flag, each with its parameters behind colons:
/// `ghstcp:z=2,w_low=30,reno` are two.
fn ccs(flag: &str, parts: &[String]) -> Result<Vec<String>, Failure> {
    let mut ccs: Vec<String> = Vec::new();
    for part in parts {
        let name = part.split(':').next().unwrap_or_default();
        match ccs.last_mut() {
            Some(last) if name.contains('=') => *last += &format!(":{part}"),
            _ => ccs.push(part.clone()),
        }
    }
    for (i, cc) in ccs.iter().enumerate() {
        if ccs[..i].contains(cc) {
            return Err(Failure::input(
                format!("{flag}: `{}` is given twice", cc.escape_debug()),
                "give each once; --replicates is for several runs, --flows for more flows",
            ));
        }
    }
    Ok(ccs)
}
