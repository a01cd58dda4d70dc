//! Captures as Wireshark reads them: pcapng, draft-ietf-opsawg-pcapng ("PCAP Now
//! Generic"), as far as the program needs it. All numbers are little-endian.
//!
//! ```text
//!  block: type u32, length u32, body, options, length u32     padded to 4 bytes
//!  option: code u16, length u16, value                        padded to 4 bytes
//! ```
//!
//! Each packet is one block, so a truncated file can be read up to that point.

use std::io::{self, Write};
use std::net::Ipv4Addr;

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const NAMES: u32 = 4;
const STATISTICS: u32 = 5;
const PACKET: u32 = 6;

const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// LINKTYPE_RAW: packets begin with an IPv4 or IPv6 header.
const RAW: u16 = 101;
/// More than the captured bytes of any packet here.
const SNAP: u32 = 65_535;

/// The start of a file.
pub const MAGIC: [u8; 4] = SECTION.to_le_bytes();

/// Option codes.
mod option {
    pub const END: u16 = 0;
    pub const COMMENT: u16 = 1;
    pub const NAME: u16 = 2;
    pub const FLAGS: u16 = 2;
    pub const DESCRIPTION: u16 = 3;
    pub const APPLICATION: u16 = 4;
    pub const RECEIVED: u16 = 4;
    pub const DROPPED: u16 = 5;
    pub const SPEED: u16 = 8;
    pub const RESOLUTION: u16 = 9;
}

/// A source of packets in a file.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Bits per second.
    pub speed: u64,
}

/// A packet to be written.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Which interface.
    pub interface: usize,
    /// Nanoseconds since 1970.
    pub at: u64,
    /// Whether it is incoming; otherwise it is outgoing.
    pub inward: bool,
    /// Its first bytes.
    pub bytes: &'a [u8],
    /// Bytes on the wire.
    pub size: u32,
    /// A comment.
    pub note: Option<&'a str>,
}

/// A file that is being written.
#[derive(Debug)]
pub struct Pcapng<W> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> Pcapng<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(
        out: W,
        about: &str,
        interfaces: &[Interface],
        names: &[(Ipv4Addr, &str)],
    ) -> io::Result<Self> {
        let mut file = Self { out, block: Vec::new() };
        file.block.extend(BYTE_ORDER.to_le_bytes());
        // version 1.0, length unknown
        file.block.extend([1, 0, 0, 0]);
        file.block.extend((-1_i64).to_le_bytes());
        file.option(option::COMMENT, about.as_bytes());
        let own = concat!("tusker ", env!("CARGO_PKG_VERSION"));
        file.option(option::APPLICATION, own.as_bytes());
        file.end(SECTION, true)?;
        for interface in interfaces {
            file.block.extend(RAW.to_le_bytes());
            file.block.extend([0, 0]);
            file.block.extend(SNAP.to_le_bytes());
            file.option(option::NAME, interface.name.as_bytes());
            file.option(option::DESCRIPTION, interface.description.as_bytes());
            file.option(option::SPEED, &interface.speed.to_le_bytes());
            // 10^-9 s
            file.option(option::RESOLUTION, &[9]);
            file.end(INTERFACE, true)?;
        }
        for (address, name) in names {
            // of the kind "IPv4": the address, then names that end with a zero
            let mut value = address.octets().to_vec();
            value.extend(name.as_bytes());
            value.push(0);
            file.option(1, &value);
        }
        file.option(option::END, &[]);
        file.end(NAMES, false)?;
        Ok(file)
    }

    /// Writes a packet.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn packet(&mut self, packet: &Packet<'_>) -> io::Result<()> {
        self.head(packet.interface, packet.at);
        self.block.extend((packet.bytes.len() as u32).to_le_bytes());
        self.block.extend(packet.size.to_le_bytes());
        self.block.extend(packet.bytes);
        self.pad();
        if let Some(note) = packet.note {
            self.option(option::COMMENT, note.as_bytes());
        }
        let direction: u32 = if packet.inward { 1 } else { 2 };
        self.option(option::FLAGS, &direction.to_le_bytes());
        self.end(PACKET, true)
    }

    /// Ends the file with the number of packets seen and, if known, dropped at each
    /// interface.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self, at: u64, counts: &[(u64, Option<u64>)]) -> io::Result<()> {
        for (interface, (seen, dropped)) in counts.iter().enumerate() {
            self.head(interface, at);
            self.option(option::RECEIVED, &seen.to_le_bytes());
            if let Some(dropped) = dropped {
                self.option(option::DROPPED, &dropped.to_le_bytes());
            }
            self.end(STATISTICS, true)?;
        }
        self.out.flush()
    }

    fn head(&mut self, interface: usize, at: u64) {
        self.block.extend((interface as u32).to_le_bytes());
        self.block.extend(((at >> 32) as u32).to_le_bytes());
        self.block.extend((at as u32).to_le_bytes());
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        // a length has 16 bits
        let value = &value[..value.len().min(0xfff0)];
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// Writes the assembled block.
    fn end(&mut self, kind: u32, options: bool) -> io::Result<()> {
        if options {
            self.option(option::END, &[]);
        }
        let length = self.block.len() as u32 + 12;
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(&self.block)?;
        self.out.write_all(&length.to_le_bytes())?;
        self.block.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assembled by hand from the draft's figures for each block.
    #[test]
    fn a_file_byte_by_byte() {
        let interface =
            Interface { name: "a->b".to_owned(), description: "link".to_owned(), speed: 1_000 };
        let mut out = Vec::new();
        let names = [(Ipv4Addr::new(10, 0, 0, 1), "a")];
        let mut file = Pcapng::new(&mut out, "x", &[interface], &names).unwrap();
        let packet = Packet {
            interface: 0,
            at: 0x1_0000_0002,
            inward: false,
            bytes: &[0x45, 0, 0],
            size: 1_500,
            note: Some("lost"),
        };
        file.packet(&packet).unwrap();
        file.finish(0x1_0000_0003, &[(1, Some(1))]).unwrap();
        let own = format!("tusker {}", env!("CARGO_PKG_VERSION"));
        assert_eq!(own.len(), 12, "the lengths below are of a name of 12 bytes");
        let expected: Vec<&[u8]> = vec![
            // section: length 28 + comment 4+4 + application 4+12 + end 4 = 56
            &[0x0a, 0x0d, 0x0d, 0x0a, 56, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0],
            &[0xff; 8],
            &[1, 0, 1, 0, b'x', 0, 0, 0, 4, 0, 12, 0],
            own.as_bytes(),
            &[0, 0, 0, 0, 56, 0, 0, 0],
            // interface: 20 + name 8 + description 8 + speed 12 + resolution 8 + end 4 = 60
            &[1, 0, 0, 0, 60, 0, 0, 0, 101, 0, 0, 0, 0xff, 0xff, 0, 0],
            &[2, 0, 4, 0],
            b"a->b",
            &[3, 0, 4, 0],
            b"link",
            &[8, 0, 8, 0, 0xe8, 3, 0, 0, 0, 0, 0, 0],
            &[9, 0, 1, 0, 9, 0, 0, 0],
            &[0, 0, 0, 0, 60, 0, 0, 0],
            // names: 12 + record 4+8 + end 4 = 28
            &[4, 0, 0, 0, 28, 0, 0, 0, 1, 0, 6, 0, 10, 0, 0, 1, b'a', 0, 0, 0],
            &[0, 0, 0, 0, 28, 0, 0, 0],
            // packet: 32 + bytes 4 + comment 8 + flags 8 + end 4 = 56
            &[6, 0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0],
            &[3, 0, 0, 0, 0xdc, 5, 0, 0, 0x45, 0, 0, 0],
            &[1, 0, 4, 0],
            b"lost",
            &[2, 0, 4, 0, 2, 0, 0, 0],
            &[0, 0, 0, 0, 56, 0, 0, 0],
            // statistics: 24 + received 12 + dropped 12 + end 4 = 52
            &[5, 0, 0, 0, 52, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0],
            &[4, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0],
            &[5, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, 52, 0, 0, 0],
        ];
        assert_eq!(out, expected.concat());
    }
}
