//! `tusker explain`: what an algorithm does, from its own sheet.

use tusker_core::congestion::SlowStart;
use tusker_core::congestion::linux::Counts;
use tusker_core::{Param, Sheet, congestion, queue};
use tusker_measure::table::{Table, fold};
use tusker_scenario::distance;

use super::topics::{PROFILE, RECOVERY, TRAFFIC, Topic};
use super::{measures, words};
use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::output::print;
use crate::screen::{self, bold};
use tusker_report::conditions::is_word;

pub fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let name = args.name.to_lowercase();
    let pages = match (pages(&name), name.split_once(':')) {
        // a law with parameters
        (none, Some((plain, _))) if none.is_empty() => pages(plain),
        (pages, _) => pages,
    };
    let measured = || measures::named(&name).iter().map(measures::Measure::page).collect();
    let pages: Vec<String> = if pages.is_empty() { measured() } else { pages };
    let worded = || words::named(&name).iter().map(words::Entry::page).collect();
    let pages: Vec<String> = if pages.is_empty() { worded() } else { pages };
    if pages.is_empty() { Err(unknown(&args.name)) } else { print(&pages.join("\n")) }
}

/// What has this name; `reno` is a congestion control and a loss recovery.
fn pages(name: &str) -> Vec<String> {
    if is_fail_on(name) {
        return vec![FAIL_ON.to_owned()];
    }
    if is_rfc_9743(name) {
        return vec![RFC_9743.to_owned()];
    }
    let mut pages = Vec::new();
    for (sheets, kind, key, name_key) in SHEETS {
        for sheet in sheets.iter().filter(|sheet| sheet.name == name) {
            pages.push(page(sheet, kind, &format!("{key} = {}", example(sheet, name_key))));
        }
    }
    for (topics, kind) in TOPICS {
        let found = topics.iter().filter(|topic| topic.name == name);
        pages.extend(found.map(|topic| topic_page(topic, kind)));
    }
    pages
}

/// Lists of algorithms, what they are, and how a scenario names one.
const SHEETS: [(&[Sheet], &str, &str, &str); 3] = [
    (congestion::ALL, "congestion control", "cc", "name"),
    (queue::ALL, "queue policy", "queue", "policy"),
    (SlowStart::ALL, "kind of slow start", "slow_start", "name"),
];

const TOPICS: [(&[Topic], &str); 3] =
    [(TRAFFIC, "kind of traffic"), (RECOVERY, "kind of loss recovery"), (PROFILE, "profile")];

/// Whether this is the option, with its dashes or without, or a word of its conditions.
pub fn is_fail_on(name: &str) -> bool {
    name.trim_start_matches('-') == "fail-on" || is_word(name)
}

/// The option that people look for here, because it has more to say than a line of help.
pub const FAIL_ON: &str = "\
fail-on: an option of run, compare, sweep and testbed, for scripts

  --fail-on 'MEASURE < LIMIT' ends the command with exit code 3 if the mean of the measure
  meets the condition in any experiment or at any point. It may be repeated.

  MEASURE  a name that `tusker list measure` shows, such as jain; or its full name, such
           as groups.cubic.rtt_p95_s. A name alone means the whole experiment or, if
           that has no such measure, every group, link or source that has it.
  <        or <=, > or >=
  LIMIT    a number, with a unit if you like: 0.9, 90%, 150ms; another measure of the
           same group, with a factor if you like: 1.1 * harm_goodput_own; or a sum of
           these, with spaces around + and -: harm_goodput_own + 0.1

  With --replicates, both sides have 95 % intervals, which combine in quadrature: sides of
  3 ± 0.3 and 2 ± 0.4 differ by 1 ± 0.5. A word at the end of the condition says what
  happens if they differ by less than this:

                                     by less                by more
  'harm_goodput > 0.5'               the means decide       the means decide
  'harm_goodput > 0.5 surely'        undecided              the means decide
  'harm_goodput > 0.5 possibly'      it counts as met       the means decide

  A number counts as exact. Without an interval, the sides count as differing by less.
  With surely, chance alone seldom makes a condition count as met; with possibly, chance alone
  seldom makes it count as not met.

  result       exit code   JUnit
  met          3           failure, with the values
  not met      0           passed
  undecided    0           skipped: \"undecided\", with the values; a note on stderr
  no value     0           skipped; a note on stderr

  --junit FILE writes these results as JUnit XML, with a suite for each experiment and a
  case for each condition.
";

/// Whether this is the RFC, however it is written.
pub fn is_rfc_9743(name: &str) -> bool {
    ["rfc9743", "rfc-9743", "rfc 9743", "9743"].contains(&name)
}

/// What people with a new congestion control look for.
pub const RFC_9743: &str = "\
RFC 9743: what a specification of a new congestion control has to show

  `tusker evaluate NAME` runs the experiments that the RFC asks for, with this congestion control
  and with Linux's CUBIC, and says where it is better, worse or the same. `tusker evaluate --list
  --suite rfc9743` shows the experiments and the sections of the RFC. Some of them as single
  commands:

  fairness within LAW     tusker compare --rate 100mbit --rtt 40ms --cc LAW --flows 5
  beside CUBIC and Reno   tusker compare --rate 100mbit --rtt 40ms --cc LAW --against cubic,reno
  bufferbloat             tusker compare --rate 100mbit --rtt 40ms --cc LAW --buffer 4bdp
  shallow buffers         tusker compare --rate 100mbit --rtt 40ms --cc LAW --buffer 0.1bdp
  heavy loss              tusker compare --rate 100mbit --rtt 40ms --cc LAW --loss 0.3
  AQM                     tusker compare --rate 100mbit --rtt 40ms --cc LAW --queue codel
  in CI                   --fail-on 'harm_goodput > 90%' (tusker explain fail-on)
";

/// The head of rules that are about `w`.
const RULES_OF_W: &str = "Rules (w: congestion window, in segments)";

/// The head of what is different here.
const DIFFERS: &str =
    "Where this differs from the source (with tests and test scripts that show it)";

/// Whether there is a `w` in these rules.
fn has_window(rules: &str) -> bool {
    rules.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "w")
}

fn page(sheet: &Sheet, kind: &str, example: &str) -> String {
    let mut text = headed(sheet.name, kind, sheet.title) + "\n";
    let mut part = |head: &str, body: &str| {
        if !body.is_empty() {
            text += &format!("{}\n{}\n\n", bold(head), indented(body));
        }
    };
    part("Source", &folded(sheet.source));
    let is_law = kind != "queue policy";
    part(if is_law && has_window(sheet.equations) { RULES_OF_W } else { "Rules" }, sheet.equations);
    part("Parameters", &parameters(sheet.params));
    let needs: Vec<&str> = sheet.needs.iter().map(|need| need.about()).collect();
    part("Needs", &folded(&needs.join("\n")));
    part(DIFFERS, &items(sheet.differs));
    part("In Linux", &folded(&if is_law { in_linux(sheet) } else { String::new() }));
    part("In a scenario", example);
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// What Linux has of a law: the kernel's name, and what the profile `linux` takes from there.
pub fn in_linux(sheet: &Sheet) -> String {
    let linux = sheet.linux;
    let mut said = Vec::new();
    if !linux.today.is_empty() {
        said.push(linux.today.to_owned());
    }
    let loaded = linux.load.is_some();
    if let Some(module) = linux.module {
        if let Some(kernel) = module.patched {
            said.push(format!("As `{}` in {kernel}.", module.name));
        } else if linux.today.is_empty() {
            said.push(format!("The kernel's name is `{}` (tcp_{0}).", module.name));
        }
        let value = |(name, value): &(&str, f64)| {
            let flag = sheet.params.iter().any(|p| p.name == *name && p.unit == "flag");
            let text = if flag { (*value != 0.0).to_string() } else { value.to_string() };
            format!("{name} = {text}")
        };
        let counting = match module.counts {
            Counts::Segments => Some("counting = \"segments\""),
            Counts::AcksInAvoidance => Some("counting = \"segments-then-acks\""),
            Counts::Acks => Some("counting = \"acks\""),
            Counts::Neither => None,
        };
        let params = module.params.iter().map(value);
        let values: Vec<String> = params.chain(counting.map(str::to_owned)).collect();
        if !values.is_empty() {
            said.push(format!("In the profile linux, as there: {}.", values.join(", ")));
        }
        if !module.about.is_empty() {
            said.push(module.about.to_owned());
        }
        if loaded {
            said.push(
                "With other parameters, `tusker testbed` and `tusker plan` use the version \
                 that `tusker kernel load` loads, which counts segments."
                    .to_owned(),
            );
        }
    } else if loaded {
        said.push(
            "Not part of Linux: `tusker kernel load` loads it. It counts segments, as in the \
             profile linux."
                .to_owned(),
        );
    }
    said.join(" ")
}

/// What it is called, and what it is, in lines that fit.
fn headed(name: &str, kind: &str, title: &str) -> String {
    let line = format!("{name}, a {kind}: {title}");
    let lines = fold(&line, screen::paragraph()).join("\n");
    lines.replacen(name, &bold(name), 1) + "\n"
}

/// Text that stands two columns further to the right, in lines that fit.
fn folded(text: &str) -> String {
    let room = screen::paragraph().saturating_sub(2);
    let lines = text.lines().map(|line| match line.chars().count() <= room {
        true => line.to_owned(),
        false => fold(line, room).join("\n"),
    });
    lines.collect::<Vec<String>>().join("\n")
}

fn topic_page(topic: &Topic, kind: &str) -> String {
    format!(
        "{}\n{}\n\n{}\n{}\n",
        headed(topic.name, kind, topic.title),
        indented(&folded(topic.about)),
        bold("In a scenario"),
        indented(topic.example)
    )
}

fn parameters(params: &[Param]) -> String {
    if params.is_empty() {
        return "none".to_owned();
    }
    let mut table = Table::new(["name", "default", "range", "unit", "meaning"]).left();
    for param in params {
        let range = format!("{} .. {}", param.min, param.max);
        let unit = if param.unit.is_empty() { "-" } else { param.unit };
        let default = param.default.to_string();
        table.row([param.name, &default, &range, unit, param.about]);
    }
    // it stands two columns further to the right
    table.fit(screen::room().map(|room| room.saturating_sub(2))).text
}

/// Items, each with a dash and folded where the terminal ends.
fn items(text: &str) -> String {
    let room = screen::room().map(|room| room.saturating_sub(4));
    let lines = text.lines().map(|line| {
        let item = line.strip_prefix("- ").unwrap_or(line);
        format!("- {}", room.map_or(item.to_owned(), |room| fold(item, room).join("\n  ")))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// How a scenario names it, with its first parameter if it has one.
pub fn example(sheet: &Sheet, key: &str) -> String {
    let limit = if key == "policy" { ", limit = \"1bdp\"" } else { "" };
    match sheet.params.first() {
        Some(p) => format!("{{ {key} = \"{}\"{limit}, {} = {} }}", sheet.name, p.name, p.default),
        None if limit.is_empty() => format!("\"{}\"", sheet.name),
        None => format!("{{ {key} = \"{}\"{limit} }}", sheet.name),
    }
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("  {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// The error for a name that nothing has, with the nearest one that exists.
fn unknown(name: &str) -> Failure {
    let sheets = SHEETS.iter().flat_map(|(sheets, ..)| sheets.iter().map(|sheet| sheet.name));
    let topics = TOPICS.iter().flat_map(|(topics, _)| topics.iter().map(|topic| topic.name));
    let mut names: Vec<&str> = sheets.collect();
    for name in topics {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // only some have two forms
    let lower = name.to_lowercase();
    let lower = lower.strip_suffix("-linux").unwrap_or(&lower);
    let distance = |candidate: &str| distance(lower, candidate);
    let (measures, words) = (measures::all(), words::words());
    let candidates: Vec<&str> = names
        .iter()
        .copied()
        .chain(measures.iter().map(|own| own.name))
        .chain(words.iter().map(String::as_str))
        .collect();
    let nearest = candidates.iter().min_by_key(|candidate| distance(candidate));
    let near = nearest.filter(|near| distance(near) <= 1 + near.len() / 3);
    // the beginning of a long name
    let begun: Vec<&str> = match lower.len() {
        4.. => candidates.iter().copied().filter(|own| own.starts_with(lower)).take(5).collect(),
        _ => Vec::new(),
    };
    // a name that is the same but for its dashes is the one that was meant
    let same = near.is_some_and(|near| distance(near) == 0);
    let help = match (if same { &[][..] } else { begun.as_slice() }, near) {
        ([], Some(near)) => format!("did you mean `{near}`? `tusker list` shows all names"),
        ([], None) => format!(
            "these names exist: {}; a claim of a paper is also found by its whole sentence",
            names.join(", ")
        ),
        (begun, _) => format!("did you mean one of these? {}", begun.join(", ")),
    };
    Failure::input(format!("there is no `{}`", name.escape_debug()), help)
}
