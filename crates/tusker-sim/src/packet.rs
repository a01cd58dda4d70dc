//! Packets: small, copied, never allocated.

use tusker_core::Time;
use tusker_core::queue::Codepoint;
use tusker_path::room;

/// A packet on its way. Data and ACKs share one shape, so that one ring holds
/// both. All fields are whole words, so that it lives in registers.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// When it arrives at the end of the link it is on.
    pub at: Time,
    /// Data: when it left the sender. ACK: that time, echoed.
    pub sent: Time,
    /// ACK: when the echoed data packet reached the receiver.
    pub reached: Time,
    /// Data: the segment's number. ACK: the next segment that is expected.
    pub seq: u64,
    /// Flow and SACK blocks.
    pub whose: Whose,
    /// Step, size and flags.
    pub state: State,
}

impl Packet {
    /// A packet of a flow (or background source) whose next step is `step`.
    #[inline]
    pub fn new(flow: u32, seq: u64, sent: Time, step: u32, size: u16, flags: u8) -> Self {
        let whose = Whose::new(flow, NO_BLOCKS);
        Self { at: sent, sent, reached: sent, seq, whose, state: State::new(step, size, flags) }
    }

    /// Any of these bits of [`flag`] is set.
    #[inline]
    pub fn is(&self, bits: u8) -> bool {
        self.state.is(bits)
    }

    /// It as numbers, most of which are the same for successive packets of a flow, or change
    /// by the same step.
    pub fn to_row(self) -> [u64; 6] {
        let Self { at, sent, reached, seq, whose, state } = self;
        let (at, sent, reached) = (at.nanos(), sent.nanos(), reached.nanos());
        [at, sent, reached.wrapping_sub(sent), seq, whose.0, state.0]
    }

    /// The inverse of [`Self::to_row`].
    pub fn from_row([at, sent, reached, seq, whose, state]: [u64; 6]) -> Self {
        let [at, sent, reached] = [at, sent, reached.wrapping_add(sent)].map(Time::from_nanos);
        Self { at, sent, reached, seq, whose: Whose(whose), state: State(state) }
    }
}

/// The flow in the upper half; the key of its SACK blocks in the lower.
#[derive(Clone, Copy, Debug)]
pub struct Whose(u64);

impl Whose {
    /// For this flow (or background source, numbered after the flows), with this key of
    /// SACK blocks, or [`NO_BLOCKS`].
    #[inline]
    pub fn new(flow: u32, blocks: u32) -> Self {
        Self(u64::from(flow) << 32 | u64::from(blocks))
    }

    /// Index of the flow, or of the background source after the flows.
    #[inline]
    pub fn flow(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// The key of the SACK blocks, or [`NO_BLOCKS`].
    #[inline]
    pub fn blocks(self) -> u32 {
        self.0 as u32
    }
}

/// The step in the upper half, then the PSH flag and the ACE field (4 of 8 bits), size
/// (16 bits), flags (8 bits).
#[derive(Clone, Copy, Debug)]
pub struct State(u64);

const SIZE_SHIFT: u32 = 8;
const SIZE_MASK: u64 = 0xffff << SIZE_SHIFT;
const ACE_SHIFT: u32 = 24;
const PUSH: u64 = 1 << 27;

impl State {
    #[inline]
    fn new(step: u32, size: u16, flags: u8) -> Self {
        Self(u64::from(step) << 32 | u64::from(size) << SIZE_SHIFT | u64::from(flags))
    }

    /// Index of the next step of its route.
    #[inline]
    pub fn step(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// Sets the next step.
    #[inline]
    pub fn set_step(&mut self, step: usize) {
        self.0 = self.0 << 32 >> 32 | (step as u64) << 32;
    }

    /// Size on the wire in bytes.
    #[inline]
    pub fn size(self) -> u32 {
        ((self.0 & SIZE_MASK) >> SIZE_SHIFT) as u32
    }

    /// Any of these bits of [`flag`] is set.
    #[inline]
    pub fn is(self, bits: u8) -> bool {
        self.0 & u64::from(bits) != 0
    }

    /// Sets bits of [`flag`].
    #[inline]
    pub fn mark(&mut self, bits: u8) {
        self.0 |= u64::from(bits);
    }

    /// Data: the receiver's application should read it without delay (PSH).
    #[inline]
    pub fn is_pushed(self) -> bool {
        self.0 & PUSH != 0
    }

    /// Sets the PSH flag of data.
    #[inline]
    pub fn push(&mut self) {
        self.0 |= PUSH;
    }

    /// ACK: the ACE field of AccECN (RFC 9768), 0 to 7.
    #[inline]
    pub fn ace(self) -> u8 {
        (self.0 >> ACE_SHIFT) as u8 & 7
    }

    /// Sets the ACE field of an ACK without one.
    #[inline]
    pub fn set_ace(&mut self, ace: u8) {
        self.0 |= u64::from(ace & 7) << ACE_SHIFT;
    }

    /// The ECN field of the packet's header.
    #[inline]
    pub fn codepoint(self) -> Codepoint {
        match (self.is(flag::CE), self.is(flag::ECT), self.is(flag::ECT1)) {
            (true, ..) => Codepoint::Ce,
            (_, true, true) => Codepoint::Ect1,
            (_, true, false) => Codepoint::Ect0,
            (_, false, _) => Codepoint::NotEct,
        }
    }

    /// The state of an ACK, caused by a retransmission or not.
    #[inline]
    pub fn ack(again: bool, size: u16) -> Self {
        let flags = if again { flag::RETRANSMISSION | flag::ACK } else { flag::ACK };
        Self(u64::from(flags) | u64::from(size) << SIZE_SHIFT)
    }
}

/// An ACK without SACK blocks.
pub const NO_BLOCKS: u32 = u32::MAX;

/// Bits that a [`Packet`] carries.
pub mod flag {
    /// An acknowledgment.
    pub const ACK: u8 = 1;
    /// A background packet: it is not answered.
    pub const UDP: u8 = 2;
    /// Data: a retransmission. ACK: caused by one.
    pub const RETRANSMISSION: u8 = 4;
    /// ECN-capable (ECT of RFC 3168).
    pub const ECT: u8 = 8;
    /// Congestion experienced.
    pub const CE: u8 = 16;
    /// ACK: ECN echo of RFC 3168.
    pub const ECE: u8 = 32;
    /// Data: the window was reduced.
    pub const CWR: u8 = 64;
    /// Of an ECN-capable packet: it is ECT(1), not ECT(0) (RFC 9331).
    pub const ECT1: u8 = 128;
}

/// Up to four SACK blocks `[low, high)`, the most recent first; the first may
/// be a D-SACK (RFC 2883).
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Blocks {
    list: [(u64, u64); Self::MOST],
    len: u8,
}

impl Blocks {
    /// A TCP header has room for four.
    pub const MOST: usize = 4;

    /// The blocks.
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.list[..usize::from(self.len)]
    }

    /// Sorts them by number.
    pub fn ascending(&mut self) -> &[(u64, u64)] {
        let blocks = &mut self.list[..usize::from(self.len)];
        if blocks.len() > 1 {
            blocks.sort_unstable();
        }
        blocks
    }

    /// Puts a block in front of the others; the last one is left out if there is no room.
    pub fn put_first(&mut self, block: (u64, u64)) {
        self.list.copy_within(..Self::MOST - 1, 1);
        self.list[0] = block;
        self.len = (self.len + 1).min(Self::MOST as u8);
    }

    /// Keeps only such blocks.
    pub fn retain(&mut self, keep: impl Fn(&(u64, u64)) -> bool) {
        let mut kept = 0;
        for i in 0..usize::from(self.len) {
            if keep(&self.list[i]) {
                self.list[kept] = self.list[i];
                kept += 1;
            }
        }
        self.len = kept as u8;
    }

    /// Keeps only the first so many.
    pub fn truncate(&mut self, most: usize) {
        self.len = self.len.min(most as u8);
    }
}

impl PartialEq for Blocks {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl FromIterator<(u64, u64)> for Blocks {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(blocks: I) -> Self {
        let mut all = Self::default();
        for (place, block) in all.list.iter_mut().zip(blocks) {
            *place = block;
            all.len += 1;
        }
        all
    }
}

/// The SACK blocks of all ACKs under way; keys are reused.
#[derive(Debug, Default)]
pub struct BlockStore {
    kept: Vec<Kept>,
    free: Vec<u32>,
}

/// Blocks in half the room: from the number of their ACK to each, and its length, zero behind the
/// last one.
#[derive(Clone, Copy, Debug)]
struct Kept([(i32, u32); Blocks::MOST]);

impl Kept {
    fn new(blocks: &Blocks, ack: u64) -> Self {
        let mut all = [(0, 0); Blocks::MOST];
        for (place, &(low, high)) in all.iter_mut().zip(blocks.as_slice()) {
            let (from, length) = (low.wrapping_sub(ack) as i64, high - low);
            debug_assert!(i32::try_from(from).is_ok() && u32::try_from(length).is_ok());
            *place = (from as i32, length as u32);
        }
        Self(all)
    }

    fn blocks(self, ack: u64) -> Blocks {
        let mut blocks = Blocks::default();
        for (place, (from, length)) in blocks.list.iter_mut().zip(self.0) {
            let low = ack.wrapping_add_signed(from.into());
            *place = (low, low + u64::from(length));
            blocks.len += u8::from(length > 0);
        }
        blocks
    }
}

impl BlockStore {
    /// Stores these blocks of the ACK with this number; returns their key.
    pub fn keep(&mut self, blocks: &Blocks, ack: u64) -> u32 {
        if blocks.len == 0 {
            return NO_BLOCKS;
        }
        let kept = Kept::new(blocks, ack);
        if let Some(key) = self.free.pop() {
            self.kept[key as usize] = kept;
            return key;
        }
        self.kept.push(kept);
        (self.kept.len() - 1) as u32
    }

    /// Bytes in use, and the most with this many more ACKs.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let each = size_of::<Kept>() + size_of::<u32>();
        room(self.kept.len() + more, self.kept.capacity(), each)
    }

    /// The blocks of the ACK with this number, which stay stored.
    pub fn look(&self, key: u32, ack: u64) -> Blocks {
        self.kept.get(key as usize).map_or_else(Blocks::default, |kept| kept.blocks(ack))
    }

    /// Returns the blocks of the ACK with this number and frees their key.
    pub fn take(&mut self, key: u32, ack: u64) -> Blocks {
        if key == NO_BLOCKS {
            return Blocks::default();
        }
        self.free.push(key);
        self.kept[key as usize].blocks(ack)
    }

    /// How many ACKs with blocks are under way.
    #[cfg(test)]
    pub fn in_use(&self) -> usize {
        self.kept.len() - self.free.len()
    }
}
