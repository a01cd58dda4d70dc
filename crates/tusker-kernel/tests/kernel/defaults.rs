//! A namespace makes a law its default, and programs in it do not notice.

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
    // the namespace continues to use it for programs that choose nothing else
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

/// An unprivileged user in a user namespace is root only over its own network. The law is
/// marked as available to everybody (TCP_CONG_NON_RESTRICTED). A kernel that refuses here
/// would forget to release the law, and keep it forever.
#[test]
fn somebody_without_rights_can_make_a_law_its_default() {
    if !rights("an unprivileged user can make a law its default") {
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
