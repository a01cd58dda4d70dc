//! Answers to a browser, with the headers that all of them have.

use std::io::Cursor;

use tiny_http::{Header, Response};

/// What pages of ours may load: only what comes from here.
const OWN: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; frame-ancestors 'self'; \
    base-uri 'none'; form-action 'none'";

/// What stored pages may do: their scripts run, but as of another site, which reaches nothing
/// here.
const STORED: &str = "sandbox allow-scripts allow-popups allow-top-navigation-by-user-activation";

/// An answer.
pub struct Answer {
    status: u16,
    kind: &'static str,
    policy: &'static str,
    body: Vec<u8>,
}

impl Answer {
    /// A file of ours, or a page that we made.
    pub fn own(name: &str, body: Vec<u8>) -> Self {
        Self { status: 200, kind: kind(name), policy: OWN, body }
    }

    /// A file of a folder of results.
    pub fn stored(name: &str, body: Vec<u8>) -> Self {
        Self { status: 200, kind: kind(name), policy: STORED, body }
    }

    /// JSON.
    pub fn json(body: String) -> Self {
        Self::own("answer.json", body.into_bytes())
    }

    /// There is no such thing.
    pub fn missing() -> Self {
        Self { status: 404, ..Self::own("missing.txt", b"not found\n".to_vec()) }
    }

    /// It is not for this request.
    pub fn refused(why: &str) -> Self {
        Self { status: 403, ..Self::own("refused.txt", format!("refused: {why}\n").into_bytes()) }
    }

    /// As a response.
    pub fn into_response(self) -> Response<Cursor<Vec<u8>>> {
        let headers = [
            ("Content-Type", self.kind),
            ("Content-Security-Policy", self.policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ];
        let mut response = Response::from_data(self.body)
            .with_status_code(self.status)
            .with_chunked_threshold(usize::MAX);
        for (name, value) in headers {
            let header = Header::from_bytes(name, value).expect("headers are plain text");
            response.add_header(header);
        }
        response
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
