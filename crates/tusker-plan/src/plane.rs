//! On which plane a plan was executed: what a result says of where it comes from.

/// What executes plans, by its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plane {
    /// Packets are simulated.
    #[default]
    Simulator,
    /// Real sockets on this machine, across an emulated network.
    Testbed,
}

impl Plane {
    /// As results name it: `simulator` or `testbed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulator => "simulator",
            Self::Testbed => "testbed",
        }
    }
}
