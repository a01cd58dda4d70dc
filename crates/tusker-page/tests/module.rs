//! The WebAssembly module gives the results of the program, to the byte: every law, every queue
//! policy, and every kind of traffic and impairment, run by Node and natively.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tusker_core::{congestion, queue};
use tusker_measure::summary::{Summary, View};
use tusker_page::Engine;
use tusker_scenario::Scenario;

const HEAD: &str = "profile = 'linux'\nduration = '8s'\n";
const LINK: &str = "[dumbbell]\nrate = '20Mbit'\ndelay = '15ms'\n";
const FLOWS: &str = "[[flows]]\nname = 'a'\ncc = 'cubic'\n[[flows]]\nname = 'b'\ncc = 'reno'\n";

/// Texts of scenarios.
fn scenarios() -> Vec<String> {
    let laws = congestion::ALL.iter().map(|sheet| {
        let flows = FLOWS.replace("'cubic'", &format!("'{}'", sheet.name));
        // with the policy of the same name, which such a law needs
        let queue = match queue::ALL.iter().find(|policy| policy.name == sheet.name) {
            Some(policy) => format!("{{ policy = '{}', limit = '40pkt' }}", policy.name),
            None => "'40pkt'".to_owned(),
        };
        format!("{HEAD}{LINK}queue = {queue}\n{flows}")
    });
    let policies = queue::ALL.iter().map(|sheet| {
        let queue = format!("{{ policy = '{}', limit = '200pkt' }}", sheet.name);
        format!("{HEAD}tcp = {{ ecn = true }}\n{LINK}queue = {queue}\n{FLOWS}")
    });
    let dumbbell = |more: &str| format!("{HEAD}{LINK}queue = '0.5bdp'\n{more}");
    let others = [
        dumbbell(&format!("loss = 0.001\n{FLOWS}")),
        dumbbell(&format!("jitter = '2ms'\n{FLOWS}")),
        dumbbell(&format!("reverse = {{ loss = 0.01 }}\n{FLOWS}")),
        dumbbell("[[flows]]\nname = 'many'\ncc = 'hstcp'\ncount = 8\n"),
        dumbbell(
            "[[arrivals]]\nname = 'short'\ncc = 'cubic'\nrate = 20\nsize = '50kB'\n\
             [[flows]]\nname = 'long'\ncc = 'bbr3'\n",
        ),
        dumbbell(&format!("[[background]]\nname = 'udp'\nrate = '5Mbit'\n{FLOWS}")),
        dumbbell("[[flows]]\nname = 'sized'\ncc = 'ghstcp'\nsize = '5MB'\n"),
        format!("{HEAD}seed = 7\n{LINK}queue = '1bdp'\n{FLOWS}"),
        format!("{HEAD}{LINK}queue = '1bdp'\n{FLOWS}").replace("'linux'", "'ns2'"),
        format!(
            "{HEAD}[parking-lot]\nhops = 2\nrate = '10Mbit'\ndelay = '5ms'\nqueue = '30pkt'\n\
             [[flows]]\nname = 'through'\ncc = 'cubic'\nfrom = 'R1'\nto = 'R3'\n"
        ),
    ];
    laws.chain(policies).chain(others).collect()
}

fn inputs() -> Vec<Value> {
    let own = json!({ "grow": "min(1, w * r) + ln(w) ^ 0.3", "shrink": "0.6 * w" });
    let text = format!("{HEAD}{LINK}queue = '40pkt'\n{FLOWS}").replace("'cubic'", "'own'");
    let own = json!({ "scenario": text, "own": own, "rows": 50 });
    let all = scenarios().into_iter().map(|text| json!({ "scenario": text, "rows": 50 }));
    all.chain([own]).collect()
}

/// In pieces, as a page does.
fn natively(input: &Value) -> String {
    let mut engine = Engine::default();
    let opened: Value = serde_json::from_str(&engine.call("open", &input.to_string())).unwrap();
    let id = opened["id"].as_u64().unwrap_or_else(|| panic!("{opened} of {input}")) as u32;
    while !engine.advance(id, 1.7, 1e9, &mut || 0.0).expect("it goes on").done {}
    engine.call("summary", &id.to_string())
}

#[test]
fn a_run_in_pieces_has_the_summary_of_a_run_in_one_go() {
    for text in scenarios() {
        let scenario = Scenario::parse("test", &text, &[]);
        let plan = scenario.and_then(|s| s.plan()).unwrap_or_else(|e| panic!("{e:?} in\n{text}"));
        let seed = if text.contains("seed = 7") { 7 } else { 1 };
        let run = tusker_sim::run(&plan, seed, &mut |_| ControlFlow::Continue(()));
        let view = View::new(&plan);
        let run = view.replicate(1, &run.expect("nothing stops it"));
        let straight = Summary::of("live", &view, 1, &[run]).to_json();
        assert!(natively(&json!({ "scenario": text })) == straight, "{text}");
    }
}

/// A file of `target/page`.
fn built(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/page").join(name)
}

/// The module is built without them.
#[test]
fn a_file_of_the_page_has_the_texts_of_all_sheets() {
    let path = built("texts.json");
    if !path.exists() {
        let missing = "target/page/texts.json is missing: `make page` writes it";
        assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "{missing}");
        return println!("skipped: {missing}");
    }
    let text = std::fs::read_to_string(path).expect("it can be read");
    let texts: Value = serde_json::from_str(&text).expect("it is JSON");
    for (kind, sheets) in [("laws", congestion::ALL), ("queues", queue::ALL)] {
        assert_eq!(texts[kind].as_object().map(|all| all.len()), Some(sheets.len()), "{kind}");
        for sheet in sheets {
            let wanted = json!({
                "source": sheet.source, "equations": sheet.equations, "differs": sheet.differs,
            });
            assert!(!sheet.source.is_empty() && !sheet.equations.is_empty(), "{}", sheet.name);
            assert_eq!(texts[kind][sheet.name], wanted, "{}", sheet.name);
        }
    }
}

#[test]
fn the_module_has_the_summaries_of_the_program() {
    let module = built("engine.wasm");
    let node = Command::new("node").arg("--version").output();
    for (there, missing) in [
        (module.exists(), "target/page/engine.wasm is missing: `make page` builds it"),
        (node.is_ok(), "node is missing: install nodejs"),
    ] {
        if !there {
            assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "{missing}");
            return println!("skipped: {missing}");
        }
    }
    let inputs = inputs();
    let mut run = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run.mjs"))
        .arg(module)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node was there a moment ago");
    let lines: String = inputs.iter().map(|input| format!("{input}\n")).collect();
    let mut stdin = run.stdin.take().expect("it is piped");
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = run.wait_with_output().expect("node ends");
    writing.join().expect("no panic").expect("node reads all");
    assert!(output.status.success(), "{}", output.status);
    let text = String::from_utf8(output.stdout).expect("it is JSON");
    let summaries: Vec<String> =
        text.lines().map(|line| serde_json::from_str(line).expect("a text")).collect();
    assert_eq!(summaries.len(), inputs.len());
    assert!(inputs.len() >= 60, "{}", inputs.len());
    for (input, summary) in inputs.iter().zip(summaries) {
        assert!(summary == natively(input), "another result in the module:\n{input}\n{summary}");
    }
}
