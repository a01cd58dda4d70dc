//! `tusker serve`: the live page and stored results, for a browser on this machine.
//!
//! Only this machine reaches it (127.0.0.1), and only who knows its address, which has a random
//! part: other users, and pages of other sites, do not. A request with another `Host` (a name
//! that leads here) or `Origin` (another site) is refused.

mod answer;
mod calls;
mod files;
mod stored;

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tiny_http::{Method, Request, Server};

use tusker_report::live;

use self::answer::Answer;
use self::calls::Calls;
use self::files::Files;
use crate::args::{RunArgs, ServeArgs};
use crate::failure::Failure;
use crate::screen::say_line;
use crate::{output, running, scenarios};

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
    let server = Server::http((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        let message = format!("cannot listen on 127.0.0.1:{port}: {error}");
        Failure::other(message, "choose another --port, or none for any that is free")
    })?;
    let address = server.server_addr().to_ip().unwrap_or_else(|| ([127, 0, 0, 1], port).into());
    let mut site = Site { address, token: token(), dir, files, calls: Calls::default() };
    let place = format!("http://{address}/{}/{view}", site.token);
    output::print(&format!("{place}\n"))?;
    say_line("serving this machine only; Ctrl-C ends it");
    if open {
        browse(&place);
    }
    for mut request in server.incoming_requests() {
        let answer = site.answer(&mut request);
        // whoever asked may be gone
        let _ = request.respond(answer.into_response());
    }
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
    calls: Calls,
}

impl Site<'_> {
    fn answer(&mut self, request: &mut Request) -> Answer {
        let header = |name: &'static str| {
            let all = request.headers().iter();
            all.filter(move |header| header.field.equiv(name)).map(|header| header.value.as_str())
        };
        let port = self.address.port();
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let mut hosts = header("Host");
        let host = hosts.next().filter(|host| own.iter().any(|own| own == host));
        if host.is_none() || hosts.next().is_some() {
            return Answer::refused("another host");
        }
        let is_own = |origin: &str| own.iter().any(|own| origin == format!("http://{own}"));
        if !header("Origin").all(is_own) {
            return Answer::refused("another origin");
        }
        let path = request.url().split(['?', '#']).next().unwrap_or_default();
        let Some(rest) = path.strip_prefix('/').and_then(|path| path.strip_prefix(&*self.token))
        else {
            return Answer::missing();
        };
        let Some(rest) = rest.strip_prefix('/').map(str::to_owned) else {
            return Answer::missing();
        };
        if let Some(name) = rest.strip_prefix("call/") {
            // a form of another site cannot send this without being asked about its origin
            let json = header("Content-Type").any(|kind| kind == "application/json");
            return match json && *request.method() == Method::Post {
                true => self.calls.answer(name, request.as_reader()),
                false => Answer::refused("a call is a POST of application/json"),
            };
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return Answer::refused("only GET");
        }
        match rest.strip_prefix("stored/") {
            Some(path) => stored::answer(self.dir, path),
            None => self.files.answer(&rest),
        }
    }
}
