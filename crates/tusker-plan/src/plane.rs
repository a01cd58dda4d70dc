//! The plane on which a plan was executed, recorded in every result.

/// A kind of executor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plane {
    /// Packets are simulated.
    #[default]
    Simulator,
    /// Real sockets on this machine, across an emulated network.
    Testbed,
}

impl Plane {
    /// Its name in results: `simulator` or `testbed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulator => "simulator",
            Self::Testbed => "testbed",
        }
    }
}
