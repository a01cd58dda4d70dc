//! What claims compare: a measure of a row.

use std::fmt;

/// Which row: a case and a variant, `7@50`; of a case without variants, it is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowId {
    /// The case.
    pub case: String,
    /// The variant.
    pub variant: String,
}

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.variant.as_str() {
            "" => f.write_str(&self.case),
            variant => write!(f, "{}@{variant}", self.case),
        }
    }
}

/// A measure of one row: `fairness(7@50)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operand {
    /// Which measure.
    pub measure: String,
    /// Of which row.
    pub row: RowId,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.measure, self.row)
    }
}
