//! The command line. Each law's parameters become options of `load LAW`, made from the
//! sheets that `tusker explain` shows.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use tusker_core::Param;
use tusker_core::congestion::Spec;
use tusker_kernel::host::{HostLaw, params_bytes};

use crate::commands::load::Load;
use crate::commands::prove::{self, Form, Prove};
use crate::commands::watch::Watch;
use crate::commands::{status, unload};
use crate::failure::Failure;
use crate::guardian;
use crate::loaded::Loaded;
use crate::machine::available;
use crate::objects::{OBJECTS, Wanted};

/// The command.
pub enum Request {
    /// `load`
    Load(Load),
    /// `load --list`
    List,
    /// `unload`
    Unload(String),
    /// `status`
    Status {
        /// `--json`
        json: bool,
    },
    /// `watch`
    Watch(Watch),
    /// `prove`
    Prove(Prove),
    /// The process that [`guardian`] starts.
    Guard(u32),
}

impl Request {
    /// Runs it.
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::Load(load) => load.run(),
            Self::List => {
                HostLaw::sheets().filter_map(|sheet| sheet.linux.load).for_each(|law| {
                    anstream::println!("{law}");
                });
                Ok(ExitCode::SUCCESS)
            }
            Self::Unload(name) => unload::unload(&name),
            Self::Status { json } => status::status(json),
            Self::Watch(watch) => watch.run(),
            Self::Prove(prove) => prove.run(),
            Self::Guard(ops_id) => Ok(guardian::guard(ops_id)),
        }
    }
}

/// Parses the command line; help and syntax errors end the program.
///
/// # Errors
/// Values that a law does not accept.
pub fn parse() -> Result<Request, Failure> {
    let matches = command().get_matches();
    let (name, of) = matches.subcommand().expect("clap asks for one");
    Ok(match name {
        "load" if of.get_flag("list") => Request::List,
        "load" => Request::Load(load(of)?),
        "unload" => Request::Unload(text(of, "name").expect("clap asks for it")),
        "watch" => Request::Watch(watch(of)?),
        "prove" => Request::Prove(Prove {
            law: text(of, "law"),
            steps: *of.get_one("steps").expect("it has a default"),
            seed: *of.get_one("seed").expect("it has a default"),
            host_only: of.get_flag("host-only"),
            form: match (of.get_flag("json"), of.get_flag("markdown")) {
                (true, _) => Form::Json,
                (_, true) => Form::Markdown,
                _ => Form::Text,
            },
        }),
        guardian::COMMAND => Request::Guard(*of.get_one("map").expect("clap asks for it")),
        _ => Request::Status { json: of.get_flag("json") },
    })
}

fn watch(of: &ArgMatches) -> Result<Watch, Failure> {
    if of.contains_id("out") {
        return Err(Failure::input(
            "--out: tusker-kernel itself stores no results",
            "use `tusker kernel watch --out DIR`; --events FILE writes every event as a line of JSON",
        ));
    }
    Ok(Watch {
        name: text(of, "name"),
        every: *of.get_one("every").expect("it has a default"),
        duration: of.get_one("duration").copied(),
        json: of.get_flag("json"),
        quiet: of.get_flag("quiet"),
        events: of.get_one("events").cloned(),
    })
}

fn text(matches: &ArgMatches, id: &str) -> Option<String> {
    matches.get_one::<String>(id).cloned()
}

fn load(matches: &ArgMatches) -> Result<Load, Failure> {
    let (law, of) = matches.subcommand().expect("clap asks for a law");
    let Some((law, _)) = OBJECTS.iter().find(|(name, _)| *name == law) else {
        return Err(unknown(law));
    };
    let host = HostLaw::named(law).expect("each object's law is compiled for this machine, too");
    let spec = spec(host, of)?;
    let params = params_bytes(host, &spec)
        .map_err(|error| Failure::input(error.0, "leave it out to load the law without it"))?;
    let command = of.get_many::<String>("command").unwrap_or_default().cloned().collect();
    let name = text(of, "as").unwrap_or_else(|| (*law).to_owned());
    let wanted = Wanted { law, name, params };
    Ok(Load { wanted, persist: of.get_flag("persist"), command })
}

/// What `load` says of a law that it does not have.
fn unknown(law: &str) -> Failure {
    let names: Vec<&str> = OBJECTS.iter().map(|(name, _)| *name).collect();
    let names = format!("laws that can be loaded: {}", names.join(", "));
    let refined = law.strip_suffix(REFINED).and_then(|law| law.strip_suffix('-'));
    if let Some(of) = refined.and_then(HostLaw::named) {
        let help = format!("tusker kernel load {} --{REFINED}", of.name());
        return Failure::input(format!("{law} is a version of {}", of.name()), help);
    }
    if available().iter().any(|there| there == law) {
        // without rights nothing is found, and every name counts as the kernel's own
        let loaded = Loaded::all().unwrap_or_default();
        let ours = loaded.iter().find(|loaded| loaded.control.name == law);
        let what = match ours.map(|loaded| &loaded.control.law) {
            Some(of) => format!("{law} is {of}, and loaded already"),
            None => format!("{law} is the kernel's own, and need not be loaded"),
        };
        return Failure::input(what, names);
    }
    let what = match Spec::named(law, []) {
        Ok(_) => format!("{law} cannot be loaded: Tusker only simulates it"),
        Err(_) => format!("there is no law called {law}"),
    };
    Failure::input(what, names)
}

/// The registry's law with the given parameters.
fn spec(law: HostLaw, of: &ArgMatches) -> Result<Spec, Failure> {
    let refined = has_variant(law) && of.get_flag(REFINED);
    let sheet = if refined { format!("{}-{REFINED}", law.name()) } else { law.name().to_owned() };
    let mut given = Vec::new();
    for param in known(law) {
        let Some(value) = of.get_one::<f64>(param.name).copied() else { continue };
        if !(param.min..=param.max).contains(&value) {
            return Err(Failure::input(
                format!(
                    "--{} is {value}, not within {} to {}",
                    option(&param),
                    param.min,
                    param.max
                ),
                format!("`tusker explain {sheet}` says what it does"),
            ));
        }
        given.push((param.name, value));
    }
    Spec::named(&sheet, given.iter().copied()).map_err(|_| {
        Failure::input(
            format!("{sheet} does not have all of these parameters"),
            format!(
                "`tusker explain {sheet}` lists them; those of the refined law need --{REFINED}"
            ),
        )
    })
}

/// The flag that selects the refined gHSTCP; also the name of its parameter in C.
const REFINED: &str = "refined";

fn has_variant(law: HostLaw) -> bool {
    law.params().iter().any(|number| number.name == REFINED)
}

/// The registry's entries for the parameters that the law has in C.
fn known(law: HostLaw) -> Vec<Param> {
    let sheets = [law.name().to_owned(), format!("{}-{REFINED}", law.name())];
    let specs: Vec<Spec> = sheets.iter().filter_map(|name| Spec::named(name, []).ok()).collect();
    let numbers = law.params();
    let of_number = |name: &str| {
        specs.iter().flat_map(Spec::iter).map(|(param, _)| *param).find(|param| param.name == name)
    };
    numbers.iter().filter_map(|number| of_number(number.name)).collect()
}

fn command() -> Command {
    Command::new("tusker-kernel")
        .bin_name("tusker kernel")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Load congestion controls (laws) into the running Linux kernel, without a module and without a restart")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(load_command())
        .subcommand(
            Command::new(guardian::COMMAND)
                .hide(true)
                .arg(Arg::new("map").required(true).value_parser(clap::value_parser!(u32))),
        )
        .subcommand(
            Command::new("unload")
                .about(
                    "Unload a law from the kernel; connections that use the law keep it until they end",
                )
                .arg(
                    Arg::new("name")
                        .value_name("NAME")
                        .required(true)
                        .help("Name of the law in the kernel"),
                ),
        )
        .subcommand(
            Command::new("status")
                .about("List the laws in the kernel that come from Tusker")
                .arg(flag("json", "Print the list as JSON")),
        )
        .subcommand(watch_command())
        .subcommand(prove_command())
}

fn watch_command() -> Command {
    let time = humantime::parse_duration;
    Command::new("watch")
        .about("Show what a law does to the connections that use it, while it happens")
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .help("Name of the law in the kernel; needed only if several laws are loaded"),
        )
        .arg(
            Arg::new("every")
                .long("every")
                .value_name("TIME")
                .default_value("10ms")
                .value_parser(time)
                .help("Report one ACK of each connection per TIME; 0s: report all ACKs"),
        )
        .arg(
            Arg::new("duration")
                .long("duration")
                .value_name("TIME")
                .value_parser(time)
                .help("Stop after this time [default: stop at Ctrl-C]"),
        )
        .arg(flag("json", "Print every event as a line of JSON instead of a table"))
        .arg(flag("quiet", "Print no table").short('q').conflicts_with("json"))
        .arg(file(
            "out",
            "DIR",
            "Store the observations in this folder; `tusker report DIR` draws them",
        ))
        .arg(flag("force", "Replace earlier results in that folder").requires("out"))
        .arg(
            Arg::new("tables")
                .long("tables")
                .value_name("FORMAT")
                .value_parser(["parquet", "csv"])
                .requires("out")
                .help("Format of the stored table [default: parquet]"),
        )
        .arg(
            file("events", "FILE", "Also write every event to this new file, as a line of JSON")
                .conflicts_with("out"),
        )
        .after_help(
            "With --out, at most 500,000 observations are kept, of all connections together; this \
             takes about 130 MB of memory. If there are more, only a part of them is kept, and \
             the times between them are longer.",
        )
}

fn file(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    let parser = clap::value_parser!(PathBuf);
    Arg::new(name).long(name).value_name(value).value_parser(parser).help(help)
}

fn prove_command() -> Command {
    let number = |name, default, help| {
        let arg = Arg::new(name).long(name).value_name("N").default_value(default).help(help);
        arg.value_parser(clap::value_parser!(u64))
    };
    Command::new("prove")
        .about("Show that a law behaves the same in Rust and in the kernel")
        .long_about(
            "Show that a law behaves the same in Rust and in the kernel.\n\n\
             There are three checks.\n\
             scripts: the law in C, compiled for this machine, processes lists of ACKs and \
             losses; the windows that it must have were worked out by hand.\n\
             steps: the law in C, compiled for this machine, and the law in Rust process the \
             same random steps (ACKs, losses, timeouts and so on).\n\
             live: a flow between two network namespaces uses the law in the kernel and has \
             losses, timeouts and an idle time; then the law in Rust processes the same events.",
        )
        .arg(
            Arg::new("law")
                .value_name("LAW")
                .help(format!("One of {} [default: all]", prove::laws().join(", "))),
        )
        .arg(number("steps", "1000000", "Number of random steps for each law"))
        .arg(number("seed", "1", "Seed of the random steps"))
        .arg(flag("host-only", "Leave out the live check; the others need no privileges"))
        .arg(flag("json", "Print one line of JSON for each law").conflicts_with("markdown"))
        .arg(flag("markdown", "Print the tables of docs/conformance.md"))
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn load_command() -> Command {
    let laws = OBJECTS.iter().filter_map(|(law, _)| HostLaw::named(law)).map(law_command);
    Command::new("load")
        .about("Load a law into the kernel, where programs can choose it")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("LAW")
        .subcommand_help_heading("Laws")
        // for others there is a better message than clap's
        .allow_external_subcommands(true)
        .arg(flag("list", "Print what can be loaded, one law on each line").exclusive(true))
        .subcommands(laws)
}

fn law_command(law: HostLaw) -> Command {
    let title = Spec::named(law.name(), []).map_or("", |spec| spec.sheet().title);
    let mut command = Command::new(law.name())
        .about(title)
        .arg(
            Arg::new("as")
                .long("as")
                .value_name("NAME")
                .help("Name that the law gets in the kernel [default: the name of the law]"),
        )
        .arg(
            flag(
                "persist",
                "Keep the law loaded when this program ends (pinned under /sys/fs/bpf/tusker)",
            )
            .conflicts_with("command"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .last(true)
                .num_args(0..)
                .help("Run this command, and unload the law when the command ends"),
        )
        .after_help(
            "Without COMMAND and --persist, the law stays loaded until Ctrl-C. Loading needs root.",
        )
        .next_help_heading("Parameters");
    if has_variant(law) {
        command =
            command.arg(flag(REFINED, "Load the refined version of the law, for real networks"));
    }
    for param in known(law) {
        command = command.arg(
            Arg::new(param.name)
                .long(option(&param))
                .value_name(if param.unit.is_empty() { "NUMBER" } else { param.unit })
                .value_parser(clap::value_parser!(f64))
                .allow_negative_numbers(true)
                .help(format!(
                    "{} [default: {}] [{} to {}]",
                    param.about, param.default, param.min, param.max
                )),
        );
    }
    command
}

/// Its name on the command line.
fn option(param: &Param) -> String {
    param.name.replace('_', "-")
}
