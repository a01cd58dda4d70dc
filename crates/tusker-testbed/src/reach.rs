//! A server on this machine, offered at a host of an emulated network: what arrives at a port
//! of the host is passed on to the server, over TCP and UDP, and the answers come back.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, sleep};
use std::time::Duration;

/// How often threads look whether they are still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// How often newcomers are looked for.
const OFTEN: Duration = Duration::from_millis(1);

/// How long the server may take to accept a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks without a datagram after which a client is forgotten: a minute.
const SILENCE: u32 = 600;

/// The longest datagram.
const LONGEST: usize = 65_535;

/// The most clients that send datagrams.
const MOST: usize = 1_000;

/// A server that is offered until this is dropped.
#[derive(Debug)]
pub struct Reach {
    over: Arc<AtomicBool>,
}

impl Drop for Reach {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// The sockets at the host.
pub struct Sockets {
    tcp: TcpListener,
    udp: UdpSocket,
}

impl Sockets {
    /// In the namespace of this thread.
    pub fn open(address: IpAddr, port: u16) -> io::Result<Self> {
        let tcp = TcpListener::bind((address, port))?;
        tcp.set_nonblocking(true)?;
        let udp = UdpSocket::bind((address, port))?;
        udp.set_read_timeout(Some(LOOK))?;
        Ok(Self { tcp, udp })
    }
}

impl Reach {
    /// Passes on what arrives at these sockets.
    pub fn new(all: Vec<Sockets>, server: SocketAddr) -> io::Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let reach = Self { over: Arc::clone(&over) };
        for Sockets { tcp, udp } in all {
            let (of_tcp, of_udp) = (Arc::clone(&over), Arc::clone(&over));
            Builder::new().spawn(move || connections(&tcp, server, &of_tcp))?;
            Builder::new().spawn(move || datagrams(&Arc::new(udp), server, &of_udp))?;
        }
        Ok(reach)
    }
}

fn connections(listener: &TcpListener, server: SocketAddr, over: &Arc<AtomicBool>) {
    while !over.load(Ordering::Relaxed) {
        let Ok((client, _)) = listener.accept() else {
            sleep(OFTEN);
            continue;
        };
        // who cannot be served sees the connection end
        let _ = Builder::new().spawn(move || connection(&client, server));
    }
}

fn connection(client: &TcpStream, server: SocketAddr) -> io::Result<()> {
    client.set_nonblocking(false)?;
    let server = TcpStream::connect_timeout(&server, PATIENCE)?;
    for stream in [client, &server] {
        stream.set_nodelay(true)?;
    }
    let (from, to) = (client.try_clone()?, server.try_clone()?);
    let there = Builder::new().spawn(move || copy(&from, &to))?;
    copy(&server, client);
    let _ = there.join();
    Ok(())
}

/// Copies until one end closes, and closes the other in the same direction.
fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    let mut bytes = vec![0; 1 << 16];
    loop {
        match from.read(&mut bytes) {
            Ok(length @ 1..) if to.write_all(&bytes[..length]).is_ok() => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) => break drop(to.shutdown(Shutdown::Write)),
            // reset: neither direction is of use any more
            _ => break [from, to].into_iter().for_each(|end| drop(end.shutdown(Shutdown::Both))),
        }
    }
}

/// Each client's datagrams come to the server from a port of their own.
fn datagrams(socket: &Arc<UdpSocket>, server: SocketAddr, over: &Arc<AtomicBool>) {
    let mut clients: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut bytes = vec![0; LONGEST];
    while !over.load(Ordering::Relaxed) {
        let Ok((length, from)) = socket.recv_from(&mut bytes) else { continue };
        // a client's thread has the other reference, until it has forgotten the client
        clients.retain(|_, client| Arc::strong_count(client) > 1);
        if !clients.contains_key(&from) && clients.len() < MOST {
            let begin = || {
                let any: IpAddr = if server.is_ipv4() { [0; 4].into() } else { [0_u16; 8].into() };
                let client = Arc::new(UdpSocket::bind((any, 0))?);
                client.connect(server)?;
                client.set_read_timeout(Some(LOOK))?;
                let (of_client, socket) = (Arc::clone(&client), Arc::clone(socket));
                let over = Arc::clone(over);
                Builder::new().spawn(move || answers(&of_client, &socket, from, &over))?;
                io::Result::Ok(client)
            };
            if let Ok(client) = begin() {
                clients.insert(from, client);
            }
        }
        if let Some(client) = clients.get(&from) {
            // lost, as datagrams may be
            let _ = client.send(&bytes[..length]);
        }
    }
}

fn answers(server: &UdpSocket, socket: &UdpSocket, to: SocketAddr, over: &AtomicBool) {
    let mut bytes = vec![0; LONGEST];
    let mut silent = 0;
    while !over.load(Ordering::Relaxed) && silent < SILENCE {
        match server.recv(&mut bytes) {
            Ok(length) => {
                silent = 0;
                let _ = socket.send_to(&bytes[..length], to);
            }
            Err(_) => silent += 1,
        }
    }
}
