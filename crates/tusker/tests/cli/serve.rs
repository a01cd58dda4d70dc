//! `tusker serve`: who gets answers, and what they are.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::{SMALL, ok, run, tusker};

/// A server that ends with this.
struct Served {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn new(dir: &Path) -> Self {
        fs::create_dir_all(dir.join("page")).unwrap();
        fs::write(dir.join("page/index.html"), "<p>page</p>").unwrap();
        fs::write(dir.join("secret.txt"), "secret").unwrap();
        fs::create_dir_all(dir.join("results")).unwrap();
        let mut child = tusker(dir)
            .args(["serve", "results", "--page", "page"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it begins");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it prints its address");
        let rest = line.trim().strip_prefix("http://127.0.0.1:").expect("an address");
        let (port, rest) = rest.split_once('/').expect("a path");
        let token = rest.trim_end_matches('/').to_owned();
        assert!(token.len() == 32 && token.chars().all(|c| c.is_ascii_hexdigit()), "{line}");
        Self { child, port: port.parse().expect("a port"), token }
    }

    /// Head and body of an answer; `HOST` and `TOKEN` stand for those of the server.
    fn asked(&self, request: &str) -> (String, String) {
        let host = format!("127.0.0.1:{}", self.port);
        let text = request.replace("HOST", &host).replace("TOKEN", &self.token);
        let mut stream = TcpStream::connect(&host).expect("it listens");
        stream.write_all(text.as_bytes()).expect("it reads");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it answers");
        let answer = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        (head.to_owned(), body.to_owned())
    }

    fn get(&self, path: &str) -> (String, String) {
        self.asked(&format!(
            "GET /TOKEN/{path} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
        ))
    }

    fn call(&self, name: &str, input: &Value) -> Value {
        let input = input.to_string();
        let (_, body) = self.asked(&format!(
            "POST /TOKEN/call/{name} HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{input}",
            input.len()
        ));
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }
}

#[track_caller]
fn status(answer: &(String, String), expected: &str) {
    assert!(answer.0.starts_with(&format!("HTTP/1.1 {expected} ")), "{answer:?}");
}

#[test]
fn only_who_knows_the_address_gets_answers() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    let page = served.get("");
    status(&page, "200");
    assert_eq!(page.1, "<p>page</p>");
    assert!(page.0.contains("default-src 'none'") && page.0.contains("no-referrer"), "{page:?}");
    let end = "Connection: close\r\n\r\n";
    for (request, expected) in [
        // no token, a part of it, another one
        ("GET / HTTP/1.1\r\nHost: HOST\r\n", "404"),
        ("GET /0123456789abcdef0123456789abcdef/ HTTP/1.1\r\nHost: HOST\r\n", "404"),
        ("GET /TOKENx/ HTTP/1.1\r\nHost: HOST\r\n", "404"),
        // a name of another site that leads here; several; none
        ("GET /TOKEN/ HTTP/1.1\r\nHost: example.org\r\n", "403"),
        ("GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nHost: example.org\r\n", "403"),
        ("GET /TOKEN/ HTTP/1.1\r\n", "403"),
        // a page of another site, or of a file
        ("GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nOrigin: http://example.org\r\n", "403"),
        ("GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\n", "403"),
        ("POST /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n", "403"),
        ("GET /TOKEN/call/catalogue HTTP/1.1\r\nHost: HOST\r\n", "403"),
        ("GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\n", "200"),
    ] {
        status(&served.asked(&format!("{request}{end}")), expected);
    }
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    std::os::unix::fs::symlink(dir.path().join("secret.txt"), dir.path().join("results/link"))
        .unwrap();
    for path in [
        "../secret.txt",
        "stored/../secret.txt",
        "stored/%2e%2e/secret.txt",
        "stored/..%2fsecret.txt",
        "stored//etc/passwd",
        "stored/link",
        "stored/%00",
        "stored/%zz",
    ] {
        let answer = served.get(path);
        status(&answer, "404");
        assert!(!answer.1.contains("secret"), "{path}: {answer:?}");
    }
}

#[test]
fn the_engine_answers_natively() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    let id = served.call("open", &json!({ "scenario": SMALL, "name": "one" }))["id"].clone();
    let mut done = false;
    while !done {
        let part = served.call("advance", &json!({ "id": id, "seconds": 1, "wall_ms": 100 }));
        done = part["done"].as_bool().unwrap_or_else(|| panic!("{part}"));
    }
    // what `tusker run` prints, but for how long it took
    fs::write(dir.path().join("one.toml"), SMALL).unwrap();
    let printed = ok(&run(dir.path(), "run one.toml --no-save --format json"));
    let mut both = [served.call("summary", &json!({ "id": id })), super::json(&printed)];
    both.iter_mut().for_each(|summary| summary["execution"] = Value::Null);
    assert_eq!(both[0], both[1]);
    assert!(served.call("advance", &json!({ "id": "x" }))["error"].is_object());
    assert!(served.call("open", &Value::Null)["error"].is_object());
}

#[test]
fn stored_runs_and_points_of_sweeps_open_as_runs() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    fs::write(dir.path().join("one.toml"), SMALL).unwrap();
    ok(&run(dir.path(), "run one.toml --out results/one"));
    ok(&run(dir.path(), "sweep one.toml --over cc=reno,cubic --out results/two"));
    let list = served.get("stored/");
    status(&list, "200");
    for part in ["one/report.html", "../#v1.", "two/points.html"] {
        assert!(list.1.contains(part), "{part}: {}", list.1);
    }
    let report = served.get("stored/one/report.html");
    assert!(report.1.contains("<a href=\"../../#v1."), "the report has a link");
    assert!(report.0.contains("sandbox allow-scripts"), "{}", report.0);
    let points = served.get("stored/two/points.html");
    assert_eq!(points.1.matches("#v1.").count(), 2, "{}", points.1);
    assert!(points.1.contains("<td>cubic</td>"), "{}", points.1);
}
