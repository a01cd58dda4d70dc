//! `--persist`: a law that outlives its loader. The tests run in a separate mount namespace,
//! where nothing remains even if one fails.

use crate::support::command::{command, done};
use crate::support::law::{available, fails, fresh_name, status, tusker};
use crate::support::rights::rights;
use crate::support::until;

/// Shell lines in a mount namespace; `K` is `tusker kernel`.
fn apart(script: &str) -> std::process::Command {
    let mut unshare = command("unshare", &["-m", "sh", "-ec"]);
    let program = tusker("");
    unshare.arg(format!("K() {{ {:?} \"$@\"; }}\n{script}", program.get_program()));
    unshare
}

#[test]
fn a_law_that_is_pinned_stays_until_it_is_unloaded() {
    if !rights("a law that is pinned stays until it is unloaded") {
        return;
    }
    let name = fresh_name();
    let said = done(&mut apart(&format!(
        "mount -t bpf bpf /sys/fs/bpf
         K load illinois --as {name} --persist 2>&1
         test -e /sys/fs/bpf/tusker/{name}
         K status
         K load illinois --as {name} --persist && exit 1
         K unload {name} 2>&1
         test ! -e /sys/fs/bpf/tusker
         K status 2>&1"
    )));
    assert!(
        said.contains(&format!(
            "until it is unloaded or the machine reboots: tusker kernel unload {name}"
        )),
        "{said}"
    );
    let row = said.lines().find(|line| line.starts_with(&format!("{name}  illinois")));
    assert!(row.expect("a row of status").ends_with("until it is unloaded"), "{said}");
    assert!(said.contains(&format!("{name} is unloaded")), "{said}");
    assert!(!available().contains(&name) && status(&name).is_none());
}

/// With the last mount of bpffs everything pinned in it disappears.
#[test]
fn a_pin_that_goes_takes_the_law_with_it() {
    if !rights("a pin that goes takes the law with it") {
        return;
    }
    let name = fresh_name();
    done(&mut apart(&format!(
        "mount -t bpf bpf /sys/fs/bpf
         K load hcc --as {name} --persist
         grep -qw {name} /proc/sys/net/ipv4/tcp_available_congestion_control"
    )));
    until("the law is gone", || (!available().contains(&name)).then_some(()));
}

#[test]
fn where_nothing_can_be_pinned_it_says_what_to_do() {
    if !rights("where nothing can be pinned it says what to do") {
        return;
    }
    let name = fresh_name();
    let script = format!(
        "while umount /sys/fs/bpf 2>/dev/null; do :; done
         K load hcc --as {name} --persist"
    );
    let error = fails(&mut apart(&script), 1);
    let flat = |error: &str| error.split_whitespace().collect::<Vec<_>>().join(" ");
    let lacks = "--persist needs /sys/fs/bpf, where no BPF file system is mounted";
    assert!(flat(&error).contains(lacks), "{error}");
    assert!(error.contains("mount -t bpf bpf /sys/fs/bpf"), "{error}");
    assert!(!available().contains(&name));
    // without its folder
    let script = format!(
        "mount -t tmpfs none /sys/fs
         K load hcc --as {name} --persist"
    );
    let error = fails(&mut apart(&script), 1);
    assert!(flat(&error).contains("--persist needs /sys/fs/bpf, which does not exist"), "{error}");
    assert!(error.contains("mount -t sysfs sysfs /sys"), "{error}");
    // mounted, but not writable
    let script = format!(
        "mount -t bpf -o ro bpf /sys/fs/bpf
         K load hcc --as {name} --persist"
    );
    let error = fails(&mut apart(&script), 1);
    assert!(error.contains("is it mounted read-only?"), "{error}");
    assert!(!available().contains(&name));
}
