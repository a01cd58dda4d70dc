//! The ECN field of a packet.

/// The ECN field of an IP header: RFC 3168, section 5; RFC 8311; RFC 9331.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codepoint {
    /// Not ECN-capable: it can only be dropped.
    #[default]
    NotEct,
    /// ECN-capable; a mark is equivalent to a loss.
    Ect0,
    /// ECN-capable; its sender reacts to the number of marks (L4S).
    Ect1,
    /// Marked: congestion experienced.
    Ce,
}

impl Codepoint {
    /// Whether a signal marks the packet instead of dropping it.
    #[inline]
    pub fn is_capable(self) -> bool {
        self != Self::NotEct
    }

    /// RFC 9331, section 5.1: a node treats ECT(1) as L4S, and CE too, because it
    /// cannot know what the codepoint was before the mark.
    #[inline]
    pub fn is_l4s(self) -> bool {
        matches!(self, Self::Ect1 | Self::Ce)
    }

    /// From the two bits in a header (RFC 3168, figure 1); higher bits are ignored.
    pub fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotEct,
            0b10 => Self::Ect0,
            0b01 => Self::Ect1,
            _ => Self::Ce,
        }
    }

    /// The two bits in a header.
    pub fn bits(self) -> u8 {
        match self {
            Self::NotEct => 0b00,
            Self::Ect0 => 0b10,
            Self::Ect1 => 0b01,
            Self::Ce => 0b11,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Codepoint::{Ce, Ect0, Ect1, NotEct};
    use super::*;

    /// RFC 3168, figure 1, and RFC 9332, figure 3: "ECN bits = ECT(1) or CE" go to the
    /// L queue.
    #[test]
    fn the_bits_are_those_of_the_header() {
        for (bits, codepoint, l4s) in
            [(0, NotEct, false), (1, Ect1, true), (2, Ect0, false), (3, Ce, true)]
        {
            assert_eq!((Codepoint::from_bits(bits), codepoint.bits()), (codepoint, bits));
            assert_eq!((codepoint.is_l4s(), codepoint.is_capable()), (l4s, bits != 0));
        }
    }
}
