//! Which host an address belongs to, or is behind.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use crate::addresses::{Block, is_hosts};

/// Addresses that are remembered; what sends from more than this is not answered.
const MOST: usize = 1 << 16;

/// Hosts of a network by their addresses, and the hosts through which others are reached:
/// those of a network behind a host are where packets from them came from.
#[derive(Debug)]
pub struct Directory {
    block: Block,
    /// The node at which each node's device is listed.
    shared: Vec<usize>,
    /// Whether hosts forward packets of others.
    forwards: bool,
    behind: HashMap<Ipv4Addr, usize>,
    /// Through this host all other addresses are reached, and it must know what is behind the
    /// others.
    gateway: Option<Gateway>,
}

/// The host through which all addresses are reached that are not within a network.
pub struct Gateway {
    /// Its node.
    pub node: usize,
    /// Tells it that this address is behind another host of the network.
    pub tell: Box<dyn FnMut(Ipv4Addr) + Send>,
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gateway({})", self.node)
    }
}

impl Directory {
    /// Hosts send packets of their own only. `shared` has, for each node, the one at which its
    /// device is listed.
    pub fn new(shared: Vec<usize>) -> Self {
        let block = Block::default();
        Self { block, shared, forwards: false, behind: HashMap::new(), gateway: None }
    }

    /// From now on hosts have addresses of this block and may forward packets of others.
    pub fn forwards(&mut self, block: Block, gateway: Option<Gateway>) {
        (self.block, self.forwards, self.gateway) = (block, true, gateway);
    }

    /// The node at which this node's device is listed.
    pub fn device(&self, node: usize) -> usize {
        self.shared[node]
    }

    /// The nodes from and to which a packet goes that came from the device of this node.
    pub fn ends(&mut self, device: usize, from: Ipv4Addr, to: Ipv4Addr) -> Option<(usize, usize)> {
        let from = match self.own(from) {
            Some(node) => (self.shared[node] == device).then_some(node)?,
            None => self.learn(device, from)?,
        };
        let to = self.own(to).or_else(|| {
            let behind = self.behind.get(&to).copied();
            behind.or(self.gateway.as_ref().map(|gateway| gateway.node).filter(|_| is_hosts(to)))
        })?;
        Some((from, to))
    }

    fn own(&self, address: Ipv4Addr) -> Option<usize> {
        self.block.node(address).filter(|node| *node < self.shared.len())
    }

    /// It is behind the host whose device its packet came from.
    fn learn(&mut self, device: usize, address: Ipv4Addr) -> Option<usize> {
        if !self.forwards || !is_hosts(address) {
            return None;
        }
        let full = self.behind.len() >= MOST && !self.behind.contains_key(&address);
        if !full
            && self.behind.insert(address, device) != Some(device)
            && let Some(gateway) = self.gateway.as_mut().filter(|gateway| gateway.node != device)
        {
            (gateway.tell)(address);
        }
        Some(device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_where_packets_came_from() {
        let address = |last| Ipv4Addr::new(10, 0, 0, last);
        let inner = Ipv4Addr::new(10, 18, 0, 1);
        // nodes 1 and 2 share a device
        let mut directory = Directory::new(vec![0, 1, 1]);
        assert_eq!(directory.ends(0, address(1), address(3)), Some((0, 2)));
        assert_eq!(directory.ends(1, address(1), address(3)), None, "not from there");
        assert_eq!(directory.ends(0, inner, address(3)), None, "nobody forwards");
        directory.forwards(Block::default(), None);
        assert_eq!(directory.ends(1, address(3), inner), None, "nobody has heard of it");
        assert_eq!(directory.ends(0, inner, address(3)), Some((0, 2)));
        assert_eq!(directory.ends(1, address(3), inner), Some((2, 0)));
        let (told, heard) = std::sync::mpsc::channel();
        let tell = Box::new(move |address| told.send(address).unwrap());
        directory.forwards(Block::default(), Some(Gateway { node: 1, tell }));
        let outer = Ipv4Addr::new(10, 77, 0, 1);
        assert_eq!(directory.ends(0, address(1), outer), Some((0, 1)));
        assert_eq!(directory.ends(1, outer, address(1)), Some((1, 0)));
        let further = Ipv4Addr::new(10, 19, 0, 1);
        for _ in 0..2 {
            assert_eq!(directory.ends(0, further, outer), Some((0, 1)));
        }
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), [further], "once, and not of itself");
        assert_eq!(directory.ends(0, address(1), Ipv4Addr::new(10, 255, 255, 255)), None);
    }
}
