//! As much of HTTP/1.1 as browsers on this machine need: one request per connection, and an
//! answer that ends with it.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// The longest request line and headers.
const MAX_HEAD: u64 = 64 << 10;

/// The longest body.
const MAX_BODY: u64 = 1 << 20;

/// How long a client may take to send its request.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request.
pub struct Request {
    /// `GET`, `POST` ..
    pub method: String,
    /// What the request is for, without what follows `?`.
    pub path: String,
    headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
    stream: TcpStream,
}

impl Request {
    /// Reads one.
    ///
    /// # Errors
    /// If it is none, is too long or does not come.
    pub fn read(stream: TcpStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut head = BufReader::new(&stream).take(MAX_HEAD);
        let mut line = || {
            let mut line = String::new();
            head.read_line(&mut line)?;
            line.pop().filter(|end| *end == '\n').ok_or_else(malformed)?;
            Ok::<_, io::Error>(line.trim_end_matches('\r').to_owned())
        };
        let first = line()?;
        let mut words = first.split(' ');
        let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(malformed());
        };
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let mut headers = Vec::new();
        loop {
            let line = line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or_else(malformed)?;
            // a blank in a name is a header that goes on, or two that read it differently
            if name.is_empty() || name.contains([' ', '\t']) {
                return Err(malformed());
            }
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let (method, path) = (method.to_owned(), path.to_owned());
        let mut rest = head.into_inner();
        let mut body = Vec::new();
        let lengths: Vec<&str> = values(&headers, "content-length").collect();
        let length = match *lengths {
            [] => 0,
            [length] => length.parse().map_err(|_| malformed())?,
            _ => return Err(malformed()),
        };
        if length > MAX_BODY || values(&headers, "transfer-encoding").next().is_some() {
            return Err(malformed());
        }
        rest.by_ref().take(length).read_to_end(&mut body)?;
        let body = String::from_utf8(body).map_err(|_| malformed())?;
        drop(rest);
        Ok(Self { method, path, headers, body, stream })
    }

    /// The values of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> impl Iterator<Item = &str> {
        values(&self.headers, name)
    }

    /// Sends status and headers; what is written afterwards is the body.
    ///
    /// # Errors
    /// If the client has gone.
    pub fn answer(mut self, status: &str, headers: &[(&str, &str)]) -> io::Result<TcpStream> {
        let mut head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n");
        for (name, value) in headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        self.stream.write_all((head + "\r\n").as_bytes())?;
        Ok(self.stream)
    }
}

fn values<'a>(headers: &'a [(String, String)], name: &str) -> impl Iterator<Item = &'a str> {
    headers.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no request of a browser")
}
