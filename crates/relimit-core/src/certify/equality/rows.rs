//! How far apart two networks are on given rows, and the certificate of it: every output in exact arithmetic.

use serde::{Deserialize, Serialize};

use super::{Malformed, Numbers};
use crate::certify::fingerprint;
use crate::net::Network;
use crate::num::Mat;
use crate::num::exact::{Dyadic, dot};

/// How far apart two networks are on some rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsEquality {
    /// Whether all outputs agree, exactly.
    pub identical: bool,
    /// Largest difference of any output, rounded up; infinite where it leaves double precision.
    pub max_difference: f64,
}

/// `max over rows i and outputs o of |f_o(x_i) - g_o(x_i)|`, exact and then rounded up.
///
/// # Shapes
/// `x` n x d.
///
/// # Panics
/// When shapes differ.
///
/// # Cost
/// O(n (m + m') (d + k)) exact operations.
pub fn equality_on_rows(f: &Network, g: &Network, x: &Mat) -> RowsEquality {
    let shape = |n: &Network| (n.inputs(), n.outputs());
    assert_eq!(shape(f), shape(g), "networks of (inputs, outputs) {:?} and {:?}", shape(f), shape(g));
    let mut largest = Dyadic::zero();
    for i in 0..x.rows() {
        for (a, b) in outputs(f, x.row(i)).iter().zip(outputs(g, x.row(i))) {
            largest = largest.max(a.sub(&b).abs());
        }
    }
    RowsEquality { identical: largest.is_zero(), max_difference: largest.up() }
}

/// Whether every output is the same on all rows, in exact arithmetic.
///
/// # Shapes
/// `x` n x d.
pub fn constant_on_rows(f: &Network, x: &Mat) -> bool {
    let mut all = (0..x.rows()).map(|i| outputs(f, x.row(i)));
    let first = all.next();
    all.all(|row| Some(row) == first)
}

/// The exact outputs at a point.
fn outputs(net: &Network, x: &[f64]) -> Vec<Dyadic> {
    let point: Vec<f64> = x.iter().chain([&1.0]).copied().collect();
    let mut sums: Vec<Dyadic> = net.offset.iter().map(|v| Dyadic::new(*v)).collect();
    for j in 0..net.width() {
        let z = dot(&super::row(net, j), &point);
        if z.sign().is_gt() {
            for (o, sum) in sums.iter_mut().enumerate() {
                *sum = sum.add(&Dyadic::new(net.c[(o, j)]).mul(&z));
            }
        }
    }
    sums
}

/// No output of two networks differs by more than `max_difference` on the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsCertificate {
    /// [`RowsCertificate::SCHEMA`].
    pub schema: String,
    /// [`RowsCertificate::STATEMENT`].
    pub statement: String,
    /// That of the rows, both networks and their output biases.
    pub fingerprint: String,
    /// Number of inputs.
    pub inputs: usize,
    /// The rows, n x d.
    pub x: Vec<Vec<f64>>,
    /// The first network.
    pub given: Numbers,
    /// The second one.
    pub narrow: Numbers,
    /// Whether all outputs are claimed to agree.
    pub identical: bool,
    /// The largest difference claimed.
    pub max_difference: f64,
}

impl RowsCertificate {
    /// Name and version of the layout.
    pub const SCHEMA: &'static str = "relimit/certificate/equality-rows/1";
    /// What every file of this kind says.
    pub const STATEMENT: &'static str =
        "max_difference: on the rows x no output of given and narrow differs by more; identical: by nothing";

    /// The certificate of a comparison of `f` and `g` on the rows.
    pub fn new(f: &Network, g: &Network, x: &Mat, found: &RowsEquality) -> Self {
        let (given, narrow) = (Numbers::of(f), Numbers::of(g));
        let x = x.to_rows();
        Self {
            schema: Self::SCHEMA.into(),
            statement: Self::STATEMENT.into(),
            fingerprint: print(&x, &given, &narrow),
            inputs: f.inputs(),
            x,
            given,
            narrow,
            identical: found.identical,
            max_difference: found.max_difference,
        }
    }

    /// Computes the claim again: whether it holds, and what was found.
    ///
    /// # Errors
    /// `Malformed` when shapes do not fit or a number is not finite.
    pub fn check(&self) -> Result<(bool, RowsEquality), Malformed> {
        let fault = |part: &'static str, what: &str| Err(Malformed { part, what: what.into() });
        if self.schema != Self::SCHEMA {
            return fault("schema", "is of another kind or version");
        }
        let f = self.given.network(self.inputs, "given")?;
        let g = self.narrow.network(self.inputs, "narrow")?;
        if f.outputs() != g.outputs() {
            return fault("narrow", "has another number of outputs than given");
        }
        if self.x.iter().any(|r| r.len() != self.inputs || r.iter().any(|v| !v.is_finite())) {
            return fault("x", "each row must have one finite number for each input");
        }
        let found = equality_on_rows(&f, &g, &Mat::from_vec(self.x.len(), self.inputs, self.x.concat()));
        let sealed = self.statement == Self::STATEMENT && self.fingerprint == print(&self.x, &self.given, &self.narrow);
        let holds = sealed && (found.identical || !self.identical) && found.max_difference <= self.max_difference;
        Ok((holds, found))
    }
}

/// The fingerprint of the rows, then the rows (w, b, c) of all neurons as one list with the output biases.
fn print(x: &[Vec<f64>], given: &Numbers, narrow: &Numbers) -> String {
    fingerprint(x, &[given.flat(), narrow.flat()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// relu(x) + relu(x - 4) and relu(x - 1) + 1 agree at 1 and 3, differ by 1 at 0 (exactly), and nothing is said between.
    #[test]
    fn only_the_rows_count() {
        let line = |rows: &[(f64, f64, f64)], offset: f64| {
            let w = Mat::from_vec(rows.len(), 1, rows.iter().map(|r| r.0).collect());
            Network::scalar(w, rows.iter().map(|r| r.1).collect(), rows.iter().map(|r| r.2).collect(), offset)
        };
        let f = line(&[(1.0, 0.0, 1.0), (1.0, -4.0, 1.0)], 0.0);
        let g = line(&[(1.0, -1.0, 1.0)], 1.0);
        let at = |x: &[f64]| equality_on_rows(&f, &g, &Mat::from_vec(x.len(), 1, x.to_vec()));
        assert_eq!(at(&[1.0, 3.0]), RowsEquality { identical: true, max_difference: 0.0 });
        assert_eq!(at(&[1.0, 0.0]), RowsEquality { identical: false, max_difference: 1.0 });
        // a third of relu(x) and of relu(-x): the same at -1 and 1, and no double at all
        let even = line(&[(1.0, 0.0, 1.0 / 3.0), (1.0, 0.0, 1e-30), (-1.0, 0.0, 1.0 / 3.0), (-1.0, 0.0, 1e-30)], 0.0);
        let rows = |x: &[f64]| Mat::from_vec(x.len(), 1, x.to_vec());
        assert!(constant_on_rows(&even, &rows(&[-1.0, 1.0])) && !constant_on_rows(&even, &rows(&[-1.0, 2.0])));
        let x = Mat::from_vec(2, 1, vec![1.0, 0.0]);
        let certificate = RowsCertificate::new(&f, &g, &x, &at(&[1.0, 0.0]));
        assert!(certificate.check().unwrap().0);
        let holds = |change: &dyn Fn(&mut RowsCertificate)| {
            let mut other = certificate.clone();
            change(&mut other);
            other.check().unwrap().0
        };
        assert!(!holds(&|c| c.max_difference = 1.0f64.next_down()) && holds(&|c| c.max_difference = 2.0));
        assert!(!holds(&|c| c.identical = true) && !holds(&|c| c.x[0][0] = 2.0) && !holds(&|c| c.statement.clear()));
        assert!(!holds(&|c| c.given.offset[0] = 0.5));
        let mut short = certificate.clone();
        short.x[0].clear();
        assert_eq!(short.check().unwrap_err().part, "x");
    }
}
