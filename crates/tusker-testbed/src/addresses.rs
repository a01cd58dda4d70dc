//! The addresses of a network's hosts: IPv4 in a block within 10.0.0.0/8, and for each of them
//! an IPv6 address whose last 32 bits are the same.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::net::{Ipv4Addr, Ipv6Addr};

use nix::ifaddrs::getifaddrs;
use tusker_plan::observe;

use crate::error::Error;

/// Bits that all hosts of all networks share, so that each reaches every other through its
/// device without further routes.
pub const PREFIX: u8 = 8;

/// Bits that the hosts of a block share.
pub const BLOCK_PREFIX: u8 = 20;

/// Blocks in 10.0.0.0/8.
const BLOCKS: u32 = 1 << (BLOCK_PREFIX - PREFIX);

/// Addresses of a block.
const SIZE: u32 = 1 << (32 - BLOCK_PREFIX);

/// The first twelve bytes of all IPv6 addresses here: a unique local prefix (RFC 4193).
const SIX: [u8; 12] = [0xfd, 0x74, 0x75, 0x73, 0x6b, 0, 0, 0, 0, 0, 0, 0];

/// Bits of [`SIX`].
pub const SIX_PREFIX: u8 = 96;

/// The addresses of a plan's nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block(u32);

impl Block {
    /// One that overlaps with no network of this namespace: for a network that is behind one
    /// of its hosts. The first block is that of networks that are behind none.
    pub fn free() -> Self {
        let used: Vec<u32> = getifaddrs()
            .into_iter()
            .flatten()
            .filter_map(|interface| interface.address?.as_sockaddr_in().map(|a| a.ip()))
            .map(|address| u32::from(address) % (BLOCKS * SIZE) / SIZE)
            .collect();
        let random = RandomState::new();
        let blocks = (0_u32..).map(|turn| random.hash_one(turn) as u32 % BLOCKS);
        Self(blocks.into_iter().find(|block| *block != 0 && !used.contains(block)).unwrap_or(1))
    }

    /// Whether it has an address for each of so many nodes.
    ///
    /// # Errors
    /// If it has not.
    pub fn fits(self, nodes: usize) -> Result<(), Error> {
        // the last is for broadcasts
        let most = SIZE as usize - 2;
        if self.0 == 0 || nodes <= most { Ok(()) } else { Err(Error::Nodes { nodes, most }) }
    }

    /// The address of a plan's node.
    pub fn address(self, node: usize) -> Ipv4Addr {
        Ipv4Addr::from(u32::from(observe::address(node)) + self.0 * SIZE)
    }

    /// The node with this address.
    pub fn node(self, address: Ipv4Addr) -> Option<usize> {
        observe::node(Ipv4Addr::from(u32::from(address).checked_sub(self.0 * SIZE)?))
    }
}

/// The IPv6 address of the host with this address.
pub fn six(address: Ipv4Addr) -> Ipv6Addr {
    let mut octets = [0; 16];
    octets[..12].copy_from_slice(&SIX);
    octets[12..].copy_from_slice(&address.octets());
    octets.into()
}

/// The host's IPv4 address; `None` if it has none in 10.0.0.0/8, as multicast has not.
pub fn of_six(octets: &[u8; 16]) -> Option<Ipv4Addr> {
    let four = [octets[12], octets[13], octets[14], octets[15]];
    (octets[..12] == SIX).then(|| Ipv4Addr::from(four))
}

/// Whether a host may have it: one in 10.0.0.0/8, not for broadcasts.
pub fn is_hosts(address: Ipv4Addr) -> bool {
    let [first, rest @ ..] = address.octets();
    first == 10 && rest != [0; 3] && rest != [255; 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_apart() {
        assert_eq!(Block(0).address(3), Ipv4Addr::new(10, 0, 0, 4));
        // 2^12 addresses each
        assert_eq!(Block(0x123).address(0), Ipv4Addr::new(10, 0x12, 0x30, 1));
        assert_eq!(Block(0x123).node(Ipv4Addr::new(10, 0x12, 0x30, 5)), Some(4));
        assert_eq!(Block(0x123).node(Ipv4Addr::new(10, 0, 0, 5)), None);
        assert!(Block(1).fits(4094).is_ok() && Block(1).fits(4095).is_err());
        assert_ne!(Block::free(), Block(0));
    }

    #[test]
    fn both_families_have_the_same_bits() {
        let address = six(Ipv4Addr::new(10, 0, 0, 4));
        assert_eq!(address.to_string(), "fd74:7573:6b00::a00:4");
        assert_eq!(of_six(&address.octets()), Some(Ipv4Addr::new(10, 0, 0, 4)));
        let all_routers: Ipv6Addr = "ff02::2".parse().unwrap();
        assert_eq!(of_six(&all_routers.octets()), None);
    }
}
