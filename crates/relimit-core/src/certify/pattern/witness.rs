//! A point that shows a sign pattern: integers, so that every sign is exact.

use std::cmp::Ordering;

use dashu_int::IBig;
use serde::{Deserialize, Serialize};

use crate::num::Mat;
use crate::num::exact::integers;
use crate::pattern::Covector;

/// An integer point u; as only signs of `x_i . u` count, any positive multiple is as good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// D integers.
    #[serde(with = "super::decimal")]
    pub u: Vec<IBig>,
}

impl Witness {
    /// `sign(x_i . u)` for each row of `x` (n x D), in exact arithmetic; `None` unless u has D entries. O(n D).
    pub fn signs(&self, x: &Mat) -> Option<Covector> {
        (self.u.len() == x.cols()).then(|| Covector::from_signs((0..x.rows()).map(|i| self.sign(x.row(i)))))
    }

    /// Whether u has the wanted signs on the rows of `x`, in exact arithmetic. O(n D) products, fewer on a mismatch.
    pub fn verify(&self, x: &Mat, wanted: &Covector) -> bool {
        self.u.len() == x.cols()
            && wanted.n() == x.rows()
            && (0..x.rows()).all(|i| self.sign(x.row(i)) == wanted.get(i))
    }

    fn sign(&self, row: &[f64]) -> Ordering {
        let terms = integers(row.iter().copied());
        let sum = terms.iter().zip(&self.u).filter(|(v, _)| !v.is_zero()).fold(IBig::ZERO, |s, (v, u)| s + v * u);
        sum.cmp(&IBig::ZERO)
    }
}
