//! temporary
use crate::{Error, Host};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use nix::sys::socket::{setsockopt, sockopt, socket, connect, AddressFamily, SockType, SockFlag, SockaddrIn};
use std::os::fd::OwnedFd;
pub struct Connection { s: TcpStream, stop: Arc<AtomicBool>, done: Arc<AtomicBool> }
#[derive(Default)]
pub struct Options { pub law: Option<String> }
#[derive(Clone, Copy)]
pub struct Info { pub ca_state: u8, pub snd_cwnd: u32, pub snd_ssthresh: u32, pub rtt: u32, pub unacked: u32, pub delivered: u64 }
impl Connection {
    pub fn open(a: &Host, b: &Host, port: u16, o: &Options) -> Result<Self, Error> {
        let l = b.run(|| TcpListener::bind((b.address(), port)).unwrap())?;
        let s = a.run(|| {
            let fd: OwnedFd = socket(AddressFamily::Inet, SockType::Stream, SockFlag::empty(), None).unwrap();
            setsockopt(&fd, sockopt::TcpCongestion, &o.law.clone().unwrap().into()).unwrap();
            let [x,y,z,w] = b.address().octets();
            use std::os::fd::AsRawFd;
            connect(fd.as_raw_fd(), &SockaddrIn::new(x,y,z,w,port)).unwrap();
            TcpStream::from(fd)
        })?;
        let (mut r, _) = l.accept().unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let d = done.clone();
        std::thread::spawn(move || { let mut buf = vec![0; 1<<18]; while r.read(&mut buf).unwrap_or(0) > 0 {} d.store(true, Ordering::Relaxed); });
        Ok(Self { s, stop: Arc::default(), done })
    }
    pub fn send(&self, n: Option<u64>) -> Result<(), Error> {
        let mut s = self.s.try_clone().unwrap(); let stop = self.stop.clone();
        std::thread::spawn(move || { let buf = vec![0; 1<<17]; let mut left = n.unwrap_or(u64::MAX);
            while left > 0 && !stop.load(Ordering::Relaxed) { let k = left.min(buf.len() as u64) as usize; match s.write(&buf[..k]) { Ok(k) => left -= k as u64, Err(_) => break } } let _ = s.shutdown(std::net::Shutdown::Write); });
        Ok(())
    }
    pub fn stop(&self) { self.stop.store(true, Ordering::Relaxed); }
    pub fn info(&self) -> Result<Info, Error> {
        let (b, _) = crate::sys::tcp_info(&self.s).unwrap();
        let g = |at: usize| u32::from_ne_bytes(b[at..at+4].try_into().unwrap());
        Ok(Info { ca_state: b[1], snd_cwnd: g(80), snd_ssthresh: g(76), rtt: g(68), unacked: g(24), delivered: u64::from(g(184)) })
    }
    pub fn finished(&self) -> bool { self.done.load(Ordering::Relaxed) }
}
impl Drop for Connection { fn drop(&mut self) { self.stop(); let _ = self.s.shutdown(std::net::Shutdown::Both); } }
