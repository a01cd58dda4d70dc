//! `tusker serve`: the live page and stored results, for a browser on this machine.
//!
//! Only this machine reaches it (127.0.0.1), and only who knows its address, which has a random
//! part: other users, and pages of other sites, do not. A request with another `Host` (a name
//! that leads here) or `Origin` (another site) is refused.

mod answer;
mod calls;
mod files;
mod http;
mod stored;

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tusker_report::live;

use self::answer::Answer;
use self::calls::Runs;
use self::files::Files;
use self::http::Request;
use crate::args::{RunArgs, ServeArgs};
use crate::failure::Failure;
use crate::screen::say_line;
use crate::{output, running, scenarios};

/// The most connections at a time; more are closed.
const MAX_CONNECTIONS: usize = 64;

/// Serves until a signal ends it.
pub fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from("results"));
    if args.dir.is_some() && !dir.is_dir() {
        return Err(Failure::input(
            format!("{}: not a folder", dir.display()),
            "give a folder of results, or none",
        ));
    }
    begin(&dir, files::all(args.page.as_deref())?, args.port, "", args.open)
}

/// `tusker run --open`: runs, then serves the live page with the same scenario.
pub fn after_run(args: RunArgs) -> Result<(), Failure> {
    let files = files::all(None)?;
    if args.scenario == Path::new("-") {
        return Err(Failure::input("--open: stdin is read only once", "give a file"));
    }
    let mut scenario = scenarios::load(&args.scenario, &args.sets)?;
    scenarios::apply(&mut scenario, &args.how);
    let view = live::fragment(&live::text(&scenario));
    running::typed(args, super::run::run)?;
    begin(Path::new("results"), files, 0, &view, true)
}

/// Serves, and says where: the address ends with `view`.
fn begin(dir: &Path, files: Files, port: u16, view: &str, open: bool) -> Result<(), Failure> {
    let listen = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listened = listen.and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = listened.map_err(|error| {
        let message = format!("cannot listen on 127.0.0.1:{port}: {error}");
        Failure::other(message, "choose another --port, or none for any that is free")
    })?;
    let site = Site { address, token: token(), dir, files, runs: Runs::default() };
    let place = format!("http://{address}/{}/{view}", site.token);
    output::print(&format!("{place}\n"))?;
    say_line("serving this machine only; Ctrl-C ends it");
    if open {
        browse(&place);
    }
    let connections = AtomicUsize::new(0);
    thread::scope(|scope| {
        for stream in listener.incoming().filter_map(Result::ok) {
            if connections.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
                continue;
            }
            connections.fetch_add(1, Ordering::Relaxed);
            scope.spawn(|| {
                // the client may have gone, or may be none
                let _ = Request::read(stream).and_then(|request| site.answer(request));
                connections.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
    Ok(())
}

/// Opens an address in the user's browser; says so if there is none.
fn browse(place: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        say_line(&format!("no `{program}` here: open the address in a browser"));
    }
}

/// 128 bits that nobody can guess: keyed hashes, with keys that the operating system has drawn.
fn token() -> String {
    (0_u64..2).fold(String::new(), |mut token, i| {
        let _ = write!(token, "{:016x}", RandomState::new().hash_one(i));
        token
    })
}

/// What is served.
struct Site<'a> {
    address: SocketAddr,
    token: String,
    /// Stored results.
    dir: &'a Path,
    files: Files,
    runs: Runs,
}

impl Site<'_> {
    fn answer(&self, request: Request) -> io::Result<()> {
        let answer = match self.target(&request) {
            Ok(Target::Call(name)) if name == "run" => return self.runs.run(request),
            Ok(Target::Call(name)) => calls::answer(&name, &request.body),
            Ok(Target::File(path)) => match path.strip_prefix("stored/") {
                Some(path) => stored::answer(self.dir, path),
                None => self.files.answer(&path),
            },
            Err(refusal) => refusal,
        };
        answer.send(request)
    }

    /// What a request is for, if it may be answered.
    fn target(&self, request: &Request) -> Result<Target, Answer> {
        let port = self.address.port();
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let mut hosts = request.header("host");
        let host = hosts.next().filter(|host| own.iter().any(|own| own == host));
        if host.is_none() || hosts.next().is_some() {
            return Err(Answer::refused("another host"));
        }
        let is_own = |origin: &str| own.iter().any(|own| origin == format!("http://{own}"));
        if !request.header("origin").all(is_own) {
            return Err(Answer::refused("another origin"));
        }
        let path = request.path.strip_prefix('/').and_then(|path| path.strip_prefix(&*self.token));
        let path = path.and_then(|path| path.strip_prefix('/')).ok_or_else(Answer::missing)?;
        if let Some(name) = path.strip_prefix("call/") {
            // a form of another site cannot send this without being asked about its origin
            let json = request.header("content-type").any(|kind| kind == "application/json");
            return match json && request.method == "POST" {
                true => Ok(Target::Call(name.to_owned())),
                false => Err(Answer::refused("a call is a POST of application/json")),
            };
        }
        match &*request.method {
            "GET" | "HEAD" => Ok(Target::File(path.to_owned())),
            _ => Err(Answer::refused("only GET")),
        }
    }
}

/// What a request is for.
enum Target {
    /// A call of the engine, by its name.
    Call(String),
    /// A file, by its path.
    File(String),
}
