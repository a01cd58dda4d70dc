//! Answers to a browser, with the headers that all of them have.

use std::io::{self, Write as _};
use std::net::TcpStream;

use super::http::Request;

const OK: &str = "200 OK";

/// What pages of ours may load: only what comes from here.
const OWN: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; frame-ancestors 'self'; \
    base-uri 'none'; form-action 'none'";

/// What stored pages may do: their scripts run, but as of another site, which reaches nothing
/// here.
const STORED: &str = "sandbox allow-scripts allow-popups allow-top-navigation-by-user-activation";

/// An answer.
pub struct Answer {
    status: &'static str,
    kind: &'static str,
    policy: &'static str,
    body: Vec<u8>,
}

impl Answer {
    /// A file of ours, or a page that we made.
    pub fn own(name: &str, body: Vec<u8>) -> Self {
        Self { status: OK, kind: kind(name), policy: OWN, body }
    }

    /// A file of a folder of results.
    pub fn stored(name: &str, body: Vec<u8>) -> Self {
        Self { status: OK, kind: kind(name), policy: STORED, body }
    }

    /// JSON.
    pub fn json(body: String) -> Self {
        Self::own("answer.json", body.into_bytes())
    }

    /// There is no such thing.
    pub fn missing() -> Self {
        Self { status: "404 Not Found", ..Self::own("missing.txt", b"not found\n".to_vec()) }
    }

    /// It is not for this request.
    pub fn refused(why: &str) -> Self {
        Self {
            status: "403 Forbidden",
            ..Self::own("refused.txt", format!("refused: {why}\n").into_bytes())
        }
    }

    /// Sends it.
    ///
    /// # Errors
    /// If the client has gone.
    pub fn send(self, request: Request) -> io::Result<()> {
        let length = self.body.len().to_string();
        let mut headers = headers(self.kind, self.policy).to_vec();
        headers.push(("Content-Length", &length));
        let is_head = request.method == "HEAD";
        let mut stream = request.answer(self.status, &headers)?;
        if is_head { Ok(()) } else { stream.write_all(&self.body) }
    }
}

fn headers(kind: &'static str, policy: &'static str) -> [(&'static str, &'static str); 6] {
    [
        ("Content-Type", kind),
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]
}

/// JSON texts, one a line, each sent when it is there.
pub struct Lines(TcpStream);

impl Lines {
    /// Answers a request by lines.
    ///
    /// # Errors
    /// If the client has gone, as all that follows.
    pub fn begin(request: Request) -> io::Result<Self> {
        Ok(Self(request.answer(OK, &headers("application/x-ndjson", OWN))?))
    }

    /// Sends one. Line breaks in it are between values.
    ///
    /// # Errors
    /// If the client has gone.
    pub fn send(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all((text.replace('\n', "") + "\n").as_bytes())
    }
}

/// The media type of a file by its name.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "pdf" => "application/pdf",
        _ => "text/plain; charset=utf-8",
    }
}
