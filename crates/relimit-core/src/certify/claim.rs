//! What a certificate establishes.

use serde::{Deserialize, Serialize};

/// The standing of a claimed value; only this crate's checkers hand out `Certified` and `Infeasible`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// Lower and upper value agree within the stated gap.
    Certified,
    /// An honest interval.
    Bound,
    /// No point meets the constraints (below the stated norm, which is out of any proportion to the data).
    Infeasible,
    /// None of these was reached.
    Undecided,
}
