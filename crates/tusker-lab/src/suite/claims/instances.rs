//! The comparisons of a claim: each of its tests for each set of letters and each variant.

use std::sync::OnceLock;

use tusker_measure::condition::Comparison;

use super::operand::Operand;

/// One comparison.
#[derive(Clone, Debug)]
pub struct Instance {
    /// A test of the claim, with letters and variants filled in.
    pub comparison: Comparison<Operand>,
    /// As text: `utilisation(5@50) > utilisation(2@50)`.
    pub text: String,
    /// The measures that it compares.
    pub operands: Vec<Operand>,
}

/// A claim's comparisons, which are made once and used for each set of values. A copy of the claim
/// makes its own: it may be changed before that.
#[derive(Debug, Default)]
pub struct Instances(OnceLock<Result<Vec<Instance>, String>>);

impl Clone for Instances {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Instances {
    /// Those that are there, or what `make` makes.
    pub(super) fn get_or_make(
        &self,
        make: impl FnOnce() -> Result<Vec<Instance>, String>,
    ) -> Result<&[Instance], String> {
        self.0.get_or_init(make).as_deref().map_err(Clone::clone)
    }
}
