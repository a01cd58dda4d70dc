//! The messages of `load`, `unload` and `status`, and what they leave behind when they
//! fail. Exit code 2 is the user's mistake, 1 the machine's.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::command::{command, done, output};
use crate::support::law::{Loaded, available, fails, fresh_name, status, tusker};
use crate::support::objects::Objects;
use crate::support::rights::rights;

/// Checks a failed `load`: it gives this message and this remedy, and the law is not
/// loaded.
fn refused(words: &str, code: i32, said: &str, remedy: &str) {
    let name = fresh_name();
    let line = format!("load {}", words.replace("NAME", &name));
    let error = fails(&mut tusker(&line), code);
    let lines: String = error.split_whitespace().collect::<Vec<_>>().join(" ");
    let [said, remedy] = [said, remedy].map(|text| text.replace("NAME", &name));
    assert!(lines.contains(&said), "{line}: {error}");
    assert!(lines.contains(&remedy), "{line}: {error}");
    assert!(!available().contains(&name) && status(&name).is_none(), "{line}");
}

#[test]
fn a_load_that_cannot_be_says_why() {
    if !rights("a load that cannot be says why") {
        return;
    }
    let letters = "1 to 15 letters, digits, `_` and `.`";
    refused("hcc --as a-b", 2, "`a-b` cannot be the name", letters);
    refused("hcc --as 1234567890123456", 2, "cannot be the name", letters);
    refused("hcc --as=", 2, "`` cannot be the name", letters);
    // every Linux has Reno
    refused("hcc --as reno", 2, "already has a congestion control called reno", "--as my_reno");
    refused(
        "hcc --as NAME --gamma 7",
        2,
        "--gamma is 7, not within 0.01 to 1",
        "tusker explain hcc",
    );
    refused("hcc --as NAME --gamma x", 2, "invalid value 'x'", "--help");
    let laws = "laws that can be loaded: fast, ghstcp, hcc, ";
    // the kernel's own, a law of the simulator, none
    refused("reno --as NAME", 2, "reno is the kernel's own, and need not be loaded", laws);
    refused("bbr3 --as NAME", 2, "bbr3 cannot be loaded: Tusker only simulates it", laws);
    refused("nosuch --as NAME", 2, "there is no law called nosuch", laws);
    refused("ghstcp-refined", 2, "ghstcp-refined is a version of ghstcp", "load ghstcp --refined");
    refused("hcc --as NAME -- /no/such", 2, "cannot run /no/such", "in PATH?");
}

#[test]
fn a_name_is_taken_once() {
    if !rights("a name is taken once") {
        return;
    }
    let loaded = Loaded::new("hstcp");
    let name = &loaded.name;
    let error = fails(&mut tusker(&format!("load fast --as {name}")), 2);
    assert!(error.contains(&format!("already has a congestion control called {name}")), "{error}");
    assert!(error.contains("tusker kernel status"), "{error}");
    let error = fails(&mut tusker(&format!("load {name}")), 2);
    assert!(error.contains(&format!("{name} is hstcp, and loaded already")), "{error}");
    let there = status(name).expect("the first is not harmed");
    assert_eq!(there["law"], "hstcp");
    assert_eq!(there["process"], loaded.pid());
}

/// Both check whether the name is free before either has it.
#[test]
fn of_two_loads_at_once_one_has_the_name() {
    if !rights("of two loads at once one has the name") {
        return;
    }
    for _ in 0..5 {
        let name = fresh_name();
        let line = format!("load hcc --as {name} -- sleep 1");
        let both = std::thread::scope(|scope| {
            let both = [(); 2].map(|()| scope.spawn(|| output(&mut tusker(&line))));
            both.map(|load| load.join().expect("it ran"))
        });
        let mut codes = both.each_ref().map(|output| output.status.code());
        codes.sort_unstable();
        assert_eq!(codes, [Some(0), Some(2)], "{both:?}");
        let said = both.each_ref().map(|o| String::from_utf8_lossy(&o.stderr).into_owned());
        let refused = format!("the kernel already has a congestion control called {name}");
        let flat = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.iter().any(|text| flat(text).contains(&refused)), "{said:?}");
        assert!(said.iter().any(String::is_empty), "libbpf has nothing to say: {said:?}");
    }
}

#[test]
fn only_what_is_ours_is_unloaded() {
    if !rights("only what is ours is unloaded") {
        return;
    }
    let loaded = Loaded::new("htcp");
    for name in ["reno", "nothing"] {
        let error = fails(&mut tusker(&format!("unload {name}")), 2);
        let what = format!("Tusker has loaded no congestion control called {name}");
        assert!(error.contains(&what), "{error}");
        assert!(error.contains(&loaded.name), "the loaded laws: {error}");
    }
    assert!(available().contains(&"reno".to_owned()));
}

#[test]
fn without_rights_nothing_is_done() {
    if !rights("without rights nothing is done") {
        return;
    }
    // what loads a law does not find it again: only CAP_SYS_ADMIN may list objects (bpf(2))
    let loads = "--bounding-set=-all,+bpf,+perfmon,+net_admin";
    let none = "--bounding-set=-all";
    for (rights, words, needs) in [
        (none, "load hcc", "loading a law into the kernel needs CAP_BPF, CAP_PERFMON and"),
        (none, "unload hcc", "unloading a law from the kernel needs CAP_SYS_ADMIN"),
        (none, "status --json", "listing the laws in the kernel needs CAP_SYS_ADMIN"),
        (none, "watch hcc", "watching a law in the kernel needs CAP_SYS_ADMIN"),
        (loads, "unload hcc", "unloading a law from the kernel needs CAP_SYS_ADMIN"),
    ] {
        let error = fails(&mut with(rights, words), 1);
        let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(error.contains(needs), "{words}: {error}");
        assert!(error.contains("run it as root"), "{words}: {error}");
    }
    let load = format!("load hcc --as {} -- true", fresh_name());
    done(&mut with(loads, &load));
    done(&mut with("--bounding-set=-all,+sys_admin", "status"));
    // the names of the laws can be read by everybody, and what is missing is said
    let output = with(none, "status").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("CAP_SYS_ADMIN"), "{said}");
}

/// `tusker kernel` with these words and no more than these rights.
fn with(rights: &str, words: &str) -> Command {
    let mut plain = command("setpriv", &[rights, "--"]);
    let program = tusker(words);
    plain.arg(program.get_program()).args(program.get_args());
    plain
}

/// In the kernel's fixed point a number is accurate to the 24th binary place, and most
/// numbers that people write are returned unchanged.
#[test]
fn parameters_arrive() {
    if !rights("parameters arrive") {
        return;
    }
    let loaded = Loaded::with("ghstcp", "--refined --z 3.25");
    let there = status(&loaded.name).expect("it is loaded");
    assert_eq!(there["parameters"]["refined"], 1.0);
    assert_eq!(there["parameters"]["z"], 3.25);
    let table = done(&mut tusker("status"));
    let row = table.lines().find(|row| row.starts_with(&loaded.name)).expect("a row");
    assert!(row.contains("refined=1 ") && row.contains("z=3.25"), "{table}");
    // RFC 3649, section 5: Low_Window and High_Window
    let plain = Loaded::new("hstcp");
    let there = status(&plain.name).expect("it is loaded");
    assert_eq!(there["parameters"]["w_low"], 38.0);
    assert_eq!(there["parameters"]["w_high"], 83000.0);
    assert_eq!(there["registered"], true);
    assert_eq!(there["pin"], serde_json::Value::Null);
}

#[test]
fn a_law_is_there_as_long_as_a_command_runs() {
    if !rights("a law is there as long as a command runs") {
        return;
    }
    let name = fresh_name();
    let list = "cat /proc/sys/net/ipv4/tcp_available_congestion_control; exit 7";
    let mut load = tusker(&format!("load scalable --as {name} -- sh -c"));
    let run = output(load.arg(list));
    assert_eq!(run.status.code(), Some(7), "the command's");
    assert!(run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    let there = String::from_utf8(run.stdout).expect("text");
    assert!(there.split_whitespace().any(|law| law == name), "{there}");
    assert!(!available().contains(&name));
}

/// What starts a load may stop reading its messages as soon as the law is there.
#[test]
fn a_law_stays_if_nobody_reads_its_messages() {
    if !rights("a law stays if nobody reads its messages") {
        return;
    }
    let name = fresh_name();
    let mut load = tusker(&format!("load scalable --as {name}"));
    let mut load = load.stderr(Stdio::piped()).spawn().expect("it was built with the tests");
    drop(load.stderr.take());
    crate::support::until("it is loaded", || available().contains(&name).then_some(()));
    // time enough to say a line
    std::thread::sleep(Duration::from_millis(300));
    assert!(load.try_wait().expect("it is our child").is_none(), "it has ended");
    assert!(available().contains(&name));
    done(&mut command("kill", &[&load.id().to_string()]));
    assert_eq!(load.wait().expect("it is our child").code(), Some(0));
}

/// Ctrl-C also ends the command, and its end counts as an interrupted one.
#[test]
fn an_interrupted_command_leaves_nothing() {
    if !rights("an interrupted command leaves nothing") {
        return;
    }
    let name = fresh_name();
    let mut load = tusker(&format!("load westwood --as {name} -- sleep 60"));
    let mut load = load.spawn().expect("it was built with the tests");
    crate::support::until("it is loaded", || available().contains(&name).then_some(()));
    let objects = Objects::of(load.id());
    done(&mut command("kill", &["-s", "INT", &load.id().to_string()]));
    assert_eq!(load.wait().expect("it is our child").code(), Some(130));
    assert!(!available().contains(&name));
    objects.are_gone();
}

/// [`Loaded::new`] checks that a load prints only one line. That would be meaningless if
/// messages of libbpf and the verifier did not reach stderr.
#[test]
fn what_libbpf_says_is_heard() {
    if !rights("what libbpf says is heard") {
        return;
    }
    let mut load = tusker(&format!("load hcc --as {} -- true", fresh_name()));
    let run = output(load.env("LIBBPF_LOG_LEVEL", "debug"));
    assert!(String::from_utf8_lossy(&run.stderr).contains("libbpf: "), "{run:?}");
}
