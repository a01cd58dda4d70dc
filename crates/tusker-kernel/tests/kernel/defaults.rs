//! A namespace makes a law its default, and programs in it know nothing of that.

use crate::support::command::{command, done, output};
use crate::support::flow::Flow;
use crate::support::law::{Loaded, available, status, tusker};
use crate::support::net::{Bottleneck, Host, Net};
use crate::support::objects::Objects;
use crate::support::rights::rights;
use crate::support::until;

const BOTTLENECK: Bottleneck = Bottleneck { rate: 100e6, queue: 250_000 };

#[test]
fn a_namespace_can_make_a_law_its_default() {
    if !rights("a namespace can make a law its default") {
        return;
    }
    let loaded = Loaded::new("hcc");
    let objects = Objects::of(loaded.pid());
    let name = loaded.name.clone();
    let net = Net::new(BOTTLENECK);
    net.set(Host::Sender, &format!("net.ipv4.tcp_congestion_control={name}"));
    let mut flow = Flow::by_default(&net);
    assert_eq!(flow.law(), name);
    flow.send(500_000);
    flow.arrived();
    let said = output(&mut tusker(&format!("unload {name}")));
    assert!(said.status.success(), "{said:?}");
    let said = String::from_utf8(said.stderr).expect("text");
    assert!(said.contains("until its connections end; connections now: 1"), "{said}");
    assert!(!available().contains(&name));
    flow.send(500_000);
    flow.arrived();
    drop(flow);
    // the namespace goes on giving it to whoever asks for nothing else
    let keeps = "as long as it is the default of a namespace";
    until("the connection is over", || {
        let there = status(&name).expect("the namespace keeps it");
        (there["connections"] == 0).then(|| assert_eq!(there["registered"], false))
    });
    assert!(done(&mut tusker("status")).contains(keeps));
    let mut next = Flow::by_default(&net);
    assert_eq!(next.law(), name);
    next.send(500_000);
    next.arrived();
    drop((next, net));
    objects.are_gone();
    assert_eq!(status(&name), None);
}

/// Nobody, in a user namespace of its own, is root over its own network only. The law
/// says that it is for everybody (TCP_CONG_NON_RESTRICTED). A kernel that refuses here
/// forgets to give the law back, and keeps it for ever.
#[test]
fn somebody_without_rights_can_make_a_law_its_default() {
    if !rights("somebody without rights can make a law its default") {
        return;
    }
    let mut nobody = command("setpriv", &["--reuid=65534", "--regid=65534", "--clear-groups"]);
    nobody.args(["unshare", "--user", "--map-root-user", "--net", "sh", "-ec"]);
    let loaded = Loaded::new("scalable");
    let objects = Objects::of(loaded.pid());
    let name = &loaded.name;
    let file = "/proc/sys/net/ipv4/tcp_congestion_control";
    nobody.arg(format!("echo {name} > {file}; cat {file}"));
    let run = output(&mut nobody);
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), name, "{said}");
    assert_eq!(loaded.end("TERM").code, Some(0));
    objects.are_gone();
}
