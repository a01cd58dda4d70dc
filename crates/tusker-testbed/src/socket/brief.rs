//! A connection that comes and goes: both its ends, handled by one thread that serves many
//! connections.

use std::io::{ErrorKind, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, AsRawFd as _};

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollEvent, EpollFlags};
use nix::sys::socket::{MsgFlags, recv};

use super::ends::hold;
use super::open::{self, Options};
use crate::error::Error;
use crate::host::Host;

/// The data to send.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to come.
    UnderWay,
    /// Both ends have closed.
    Over,
}

/// A connection that carries this many bytes and then closes.
#[derive(Debug)]
pub struct Brief {
    names: (String, String),
    sender: TcpStream,
    /// Until a connection has come in.
    listener: Option<TcpListener>,
    receiver: Option<TcpStream>,
    window: Option<u32>,
    left: u64,
    /// The receiver has got everything.
    complete: bool,
    room: Vec<u8>,
}

/// Adds to a system error what was tried.
type Tried<T> = Result<T, (&'static str, Errno)>;

impl Brief {
    /// Opens a connection without waiting.
    ///
    /// # Errors
    /// If a socket option is rejected.
    pub fn begin(from: &Host, to: &Host, options: &Options, bytes: u64) -> Result<Self, Error> {
        let (listener, port) = open::listen(from, to, options)?;
        let (sender, address) = open::sender(from, to, options, port)?;
        let names = (from.name().to_owned(), to.name().to_owned());
        let room = Vec::new();
        let brief = Self {
            names,
            sender,
            listener: Some(listener),
            receiver: None,
            window: options.window,
            left: bytes,
            complete: false,
            room,
        };
        brief.named((|| {
            let listener = brief.listener.as_ref().expect("it is there from the begin");
            listener.set_nonblocking(true).map_err(|error| ("listen", errno(&error)))?;
            open::dial_at_once(&brief.sender, address).map_err(|error| ("connect", error))
        })())?;
        Ok(brief)
    }

    /// Registers the connection with `epoll`, under this number.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn watch(&self, epoll: &Epoll, number: u64) -> Result<(), Error> {
        self.named((|| {
            let wrong = |error| ("wait for it", error);
            if let Some(listener) = &self.listener {
                epoll.add(listener, EpollEvent::new(EpollFlags::EPOLLIN, number)).map_err(wrong)?;
            }
            epoll.add(&self.sender, EpollEvent::new(EpollFlags::EPOLLOUT, number)).map_err(wrong)
        })())
    }

    /// Does everything that can be done without waiting.
    ///
    /// # Errors
    /// If the connection broke.
    pub fn go_on(&mut self, epoll: &Epoll, number: u64) -> Result<Progress, Error> {
        let done = self.accept(epoll, number).and_then(|()| {
            self.send(epoll, number)?;
            self.receive()?;
            self.is_over()
        });
        self.named(done)
    }

    fn accept(&mut self, epoll: &Epoll, number: u64) -> Tried<()> {
        let Some(listener) = &self.listener else { return Ok(()) };
        let wrong = |error: &std::io::Error| ("accept", errno(error));
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(true).map_err(|error| wrong(&error))?;
                let event = EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLRDHUP, number);
                epoll.add(&stream, event).map_err(|error| ("wait for it", error))?;
                self.receiver = Some(stream);
                // frees its port for the next connection
                self.listener = None;
                Ok(())
            }
            Err(error) if later(&error) => Ok(()),
            Err(error) => Err(wrong(&error)),
        }
    }

    fn send(&mut self, epoll: &Epoll, number: u64) -> Tried<()> {
        if self.left == 0 {
            return Ok(());
        }
        while self.left > 0 {
            let now = self.left.min(ZEROS.len() as u64) as usize;
            match (&self.sender).write(&ZEROS[..now]) {
                Ok(taken) => self.left -= taken as u64,
                // not open yet
                Err(error) if later(&error) || error.kind() == ErrorKind::NotConnected => {
                    return Ok(());
                }
                Err(error) => return Err(("send", errno(&error))),
            }
        }
        // from now on it waits only for the other end to close
        let mut event = EpollEvent::new(EpollFlags::EPOLLIN, number);
        epoll.modify(&self.sender, &mut event).map_err(|error| ("wait for it", error))?;
        self.sender.shutdown(Shutdown::Write).map_err(|error| ("end", errno(&error)))
    }

    fn receive(&mut self) -> Tried<()> {
        let Some(stream) = self.receiver.as_ref().filter(|_| !self.complete) else { return Ok(()) };
        // not copied, so a buffer of this size is passed but never touched
        self.room.resize(1 << 20, 0);
        loop {
            match recv(stream.as_raw_fd(), &mut self.room, MsgFlags::MSG_TRUNC) {
                Ok(0) => break,
                Ok(_) => hold(stream, self.window),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return Ok(()),
                Err(error) => return Err(("receive", error)),
            }
        }
        self.complete = true;
        self.room = Vec::new();
        stream.shutdown(Shutdown::Write).map_err(|error| ("end", errno(&error)))
    }

    /// Whether the sender has received the receiver's end; then neither waits any more.
    fn is_over(&self) -> Tried<Progress> {
        if !self.complete {
            return Ok(Progress::UnderWay);
        }
        let mut byte = [0];
        match recv(self.sender.as_raw_fd(), &mut byte, MsgFlags::empty()) {
            Ok(0) | Err(Errno::ECONNRESET) => Ok(Progress::Over),
            Ok(_) | Err(Errno::EAGAIN | Errno::EINTR) => Ok(Progress::UnderWay),
            Err(error) => Err(("receive", error)),
        }
    }

    /// Stops watching it.
    ///
    /// # Errors
    /// The system's error.
    pub fn forget(&self, epoll: &Epoll) -> Result<(), Error> {
        let both = [Some(&self.sender), self.receiver.as_ref()];
        for stream in both.into_iter().flatten() {
            self.named(
                epoll.delete(stream.as_fd()).map_err(|error| ("stop waiting for it", error)),
            )?;
        }
        Ok(())
    }

    fn named<T>(&self, tried: Tried<T>) -> Result<T, Error> {
        tried.map_err(|(what, error)| {
            let remedy = "is the path cut, or does a host lack memory?";
            let Self { names: (from, to), .. } = self;
            Error::Socket {
                from: from.clone(),
                to: to.clone(),
                what: what.to_owned(),
                source: error.into(),
                remedy,
            }
        })
    }
}

/// It would have to wait.
fn later(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn errno(error: &std::io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or(0))
}
