//! `tusker serve`: who gets answers, and what they are.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tusker_report::live;
use tusker_scenario::Scenario;
use tusker_store::folder;
use tusker_store::sweep::SweepSummary;

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
        let (_, body) = self.asked(&post(name, input));
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }

    /// The messages of a run.
    fn run(&self, input: &Value) -> Vec<Value> {
        let (head, body) = self.asked(&post("run", input));
        assert!(head.contains("application/x-ndjson"), "{head}");
        body.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
    }
}

fn post(name: &str, input: &Value) -> String {
    let input = input.to_string();
    format!(
        "POST /TOKEN/call/{name} HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{input}",
        input.len()
    )
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

/// As a browser that opens several connections at once, and keeps others for later.
#[test]
fn connections_at_once_are_all_answered() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    let host = format!("127.0.0.1:{}", served.port);
    let connect = || TcpStream::connect(&host).expect("it listens");
    let idle: Vec<TcpStream> = (0..8).map(|_| connect()).collect();
    let asking: Vec<TcpStream> = (0..8).map(|_| connect()).collect();
    let request = format!("GET /{}/ HTTP/1.1\r\nHost: {host}\r\n\r\n", served.token);
    for mut stream in &asking {
        stream.write_all(request.as_bytes()).expect("it reads");
    }
    for mut stream in &asking {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.ends_with("<p>page</p>"), "{answer}");
    }
    drop(idle);
}

/// Whatever is sent, others are answered.
#[test]
fn what_is_no_request_is_not_answered() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(100_000));
    for text in [
        "\r\n\r\n",
        "GET /TOKEN/\r\n\r\n",
        "GET / TOKEN HTTP/1.1\r\n\r\n",
        "GET /TOKEN/ HTTP/1.1\r\nHost : HOST\r\n\r\n",
        "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n x\r\n\r\n",
        "POST /TOKEN/call/run HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999\r\n\r\n",
        "POST /TOKEN/call/run HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n",
        "POST /TOKEN/call/run HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 0\r\n\r\n{}",
        "POST /TOKEN/call/run HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        &long,
    ] {
        let host = format!("127.0.0.1:{}", served.port);
        let text = text.replace("HOST", &host).replace("TOKEN", &served.token);
        let mut stream = TcpStream::connect(&host).expect("it listens");
        // it may have gone before all is sent
        let _ = stream.write_all(text.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(answer, b"", "{text}");
    }
    status(&served.get(""), "200");
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
fn a_run_is_streamed_and_is_that_of_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    let messages = served.run(&json!({ "scenario": SMALL, "name": "one", "rows": 100 }));
    assert_eq!(messages[0]["type"], "opened", "{}", messages[0]);
    let columns = messages[0]["opened"]["columns"].as_array().expect("columns").len();
    let (mut rows, mut parts) = (0, messages[1..].iter().take_while(|m| m["type"] == "series"));
    assert!(parts.all(|part| {
        let values = part["values"].as_array().expect("values");
        rows += values.first().map_or(0, |t| t.as_array().expect("a column").len());
        values.is_empty() || values.len() == columns
    }));
    assert_eq!(rows, 101);
    let last = messages.last().expect("an end");
    assert_eq!(last["type"], "done", "{last}");
    // what `tusker run` prints, but for how long it took
    fs::write(dir.path().join("one.toml"), SMALL).unwrap();
    let printed = ok(&run(dir.path(), "run one.toml --no-save --format json"));
    let mut both = [last["summary"].clone(), super::json(&printed)];
    both.iter_mut().for_each(|summary| summary["execution"] = Value::Null);
    assert_eq!(both[0].to_string(), both[1].to_string());
}

#[test]
fn runs_that_are_wrong_or_too_large_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    let long = SMALL.replace("\"4s\"", "\"4000s\"");
    let all = json!({ "duration_s": 1e9, "segments": 1e18, "bytes": 1e18, "flows": 1e9 });
    for (input, expected) in [
        (json!({ "scenario": "duration = [" }), "scenario:1:13"),
        (json!({ "scenario": SMALL, "rows": -1 }), "rows"),
        (Value::Null, ""),
        (json!([1]), ""),
        // whatever limits it brings along
        (json!({ "scenario": long, "limits": all }), "duration"),
        (json!({ "scenario": SMALL, "limits": 3 }), "limits"),
    ] {
        let messages = served.run(&input);
        assert_eq!(messages.len(), 1, "{input}: {messages:?}");
        assert_eq!(messages[0]["type"], "error", "{input}: {messages:?}");
        assert_eq!(messages[0]["error"]["place"], expected, "{input}: {messages:?}");
    }
    assert!(served.call("convert", &Value::Null)["error"].is_object());
}

/// More runs at a time than there may be, all broken off: the next one finds a place.
#[test]
fn a_run_ends_when_its_reader_goes() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    let long = SMALL.replace("10Mbit", "10Gbit").replace("100Mbit", "100Gbit");
    let long = long.replace("\"4s\"", "\"600s\"");
    let input = json!({ "scenario": long });
    let host = format!("127.0.0.1:{}", served.port);
    let request = post("run", &input).replace("HOST", &host).replace("TOKEN", &served.token);
    let mut open = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(&host).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while !line.contains("opened") {
            line.clear();
            assert!(reader.read_line(&mut line).expect("it answers") > 0, "no run");
        }
        open.push(reader);
    }
    let full = served.run(&json!({ "scenario": SMALL }));
    assert!(full[0]["error"]["message"].as_str().expect("full").contains("8 runs"), "{full:?}");
    // meanwhile it answers
    assert!(served.call("catalogue", &Value::Null)["laws"].is_array());
    drop(open);
    let begun = Instant::now();
    while served.run(&json!({ "scenario": SMALL })).last().expect("an end")["type"] != "done" {
        assert!(begun.elapsed() < Duration::from_secs(60), "runs go on");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn stored_runs_and_points_of_sweeps_open_as_runs() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::new(dir.path());
    fs::write(dir.path().join("one.toml"), SMALL).unwrap();
    ok(&run(dir.path(), "run one.toml --out results/one"));
    let options = "--duration 5s --seed 7 --set title=a --out results/two";
    ok(&run(dir.path(), &format!("sweep one.toml --over cc=reno,cubic {options}")));
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
    let mut sets = ["duration=5s", "title=a", "seed=7", "flows.*.cc=reno"].map(str::to_owned);
    for law in ["reno", "cubic"] {
        sets[3] = format!("flows.*.cc={law}");
        let scenario = Scenario::parse("one.toml", SMALL, &sets).expect("a scenario");
        let link = live::fragment(&live::text(&scenario));
        assert!(points.1.contains(&format!("\"../../{link}\"")), "{law}: {}", points.1);
    }
    // one of a version that did not store what was set
    let two = dir.path().join("results/two");
    let mut sweep = SweepSummary::read(&two).expect("a sweep");
    sweep.set = None;
    let mut change = folder::Change::begin(&two, folder::Kind::Sweep).expect("a folder");
    sweep.put(&mut change, &super::read(two.join("base.toml"))).expect("it can be written");
    change.commit().expect("it can be written");
    let points = served.get("stored/two/points.html");
    assert_eq!(points.1.matches("its settings were not stored").count(), 2, "{}", points.1);
    assert!(points.1.contains("Run the sweep again"), "{}", points.1);
}
