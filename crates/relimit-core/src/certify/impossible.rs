//! The three proofs that no direction is positive on every example.

use super::{CentredRows, Gordan};

/// Why no w has `x_i . w > 0` for all i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// Row i is all zeros: its preactivation is 0 for every w.
    ZeroRow(usize),
    /// Some rows cancel with positive integer multipliers.
    Gordan(Gordan),
    /// The rows are centred, and there is no bias column.
    Centred(CentredRows),
}

impl Impossible {
    /// The reason in words; `name` says how a row is called.
    pub fn words(&self, name: &dyn Fn(usize) -> String) -> String {
        match self {
            Self::ZeroRow(i) => format!("{} is all zeros, so its preactivation is 0 for all weights", name(*i)),
            Self::Gordan(g) => g.words(name),
            Self::Centred(c) => c.words(),
        }
    }
}
