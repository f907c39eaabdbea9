//! The certificate that `limit` writes: the minimum norm of the networks of least loss, and the one-step inequality.
//!
//! Both parts speak about the same data and are checked in exact arithmetic, without a division or a root.
//!
//! Source: math note on the descent limit, sections 3.1, 3.4 and 3.5.

mod least_norm;
mod make;
mod one_step;
mod rational;

pub use least_norm::{Ball, LeastNorm, LeastNormFault, Multipliers, StateNode};
pub use make::{Started, Unwritten, least_norm_part, one_step_part};
pub use one_step::{OneStepFault, OneStepPart};
pub use rational::Rational;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::equality::Malformed;
use super::fingerprint;
use crate::num::Mat;

/// What is proved about descent on these data: at least one of the parts is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitCertificate {
    /// [`LimitCertificate::SCHEMA`].
    pub schema: String,
    /// [`LimitCertificate::STATEMENT`].
    pub statement: String,
    /// n x D, as used (scaled, with the bias column).
    pub x: Vec<Vec<f64>>,
    /// n.
    pub y: Vec<f64>,
    /// [`fingerprint`] of `x` and `y`.
    pub fingerprint: String,
    /// Output weights: one, or two of opposite sign.
    pub c: Vec<f64>,
    /// The minimum norm.
    pub min_norm: Option<LeastNorm>,
    /// The one-step inequality.
    pub one_step: Option<OneStepPart>,
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The data are not those that were certified.
    #[error("the fingerprint is that of other data")]
    Fingerprint,
    /// Another sentence.
    #[error("the statement says something else")]
    Statement,
    /// In the part about the minimum norm.
    #[error("minimum norm: {0}")]
    LeastNorm(LeastNormFault),
    /// In the part about the first step.
    #[error("one step: {0}")]
    OneStep(OneStepFault),
}

impl LimitCertificate {
    /// Name and version of the layout.
    pub const SCHEMA: &'static str = "relimit/certificate/limit/1";

    /// The claim in words.
    pub const STATEMENT: &'static str = "min_norm: no network of least loss has a norm below lower, one has a norm of at most \
                                         upper, and those of least norm are within distance of weights; one_step: from step 1 \
                                         on each neuron is active exactly on the rows whose label has its sign";

    /// The certificate of these parts about rows `x` (with the bias column), labels and output weights.
    pub fn new(x: &Mat, y: &[f64], c: &[f64], min_norm: Option<LeastNorm>, one_step: Option<OneStepPart>) -> Self {
        let rows = x.to_rows();
        Self {
            schema: Self::SCHEMA.into(),
            statement: Self::STATEMENT.into(),
            fingerprint: fingerprint(&rows, y),
            x: rows,
            y: y.to_vec(),
            c: c.to_vec(),
            min_norm,
            one_step,
        }
    }

    /// Whether every claim follows, in exact arithmetic; `Some` names the first that does not.
    ///
    /// # Errors
    /// `Malformed` for another schema, shapes that do not match, numbers that are not finite, output weights other than
    /// one, or two of opposite sign, and a certificate without a part.
    ///
    /// # Cost
    /// O(n D) exact products a leaf, O(n^2 D) for the one-step inequality.
    pub fn check(&self) -> Result<Option<Fault>, Malformed> {
        let fault = |part: &'static str, what: &str| Err(Malformed { part, what: what.into() });
        if self.schema != Self::SCHEMA {
            return fault("schema", "is of another kind or version");
        }
        let (n, dim) = (self.x.len(), self.x.first().map_or(0, Vec::len));
        if n == 0 || dim == 0 || self.x.iter().any(|row| row.len() != dim) {
            return fault("x", "is no matrix with a row and a column");
        }
        if self.y.len() != n {
            return fault("y", "needs one label a row");
        }
        if !self.x.iter().flatten().chain(&self.y).chain(&self.c).all(|v| v.is_finite()) {
            return fault("x", "a number is not finite");
        }
        let opposite = |c: &[f64]| c.len() == 2 && c[0] * c[1].signum() < 0.0;
        if self.c.contains(&0.0) || !(self.c.len() == 1 || opposite(&self.c)) {
            return fault("c", "is neither one output weight nor two of opposite sign");
        }
        if self.min_norm.is_none() && self.one_step.is_none() {
            return fault("min_norm", "is absent, and so is one_step: nothing is claimed");
        }
        let x = Mat::from_vec(n, dim, self.x.concat());
        if let Some(part) = &self.min_norm {
            part.shapes(n, dim, self.c.len())?;
        }
        if let Some(part) = &self.one_step {
            part.shapes(n, self.c.len())?;
        }
        Ok(self.claims(&x).err())
    }

    fn claims(&self, x: &Mat) -> Result<(), Fault> {
        if self.fingerprint != fingerprint(&self.x, &self.y) {
            return Err(Fault::Fingerprint);
        }
        if self.statement != Self::STATEMENT {
            return Err(Fault::Statement);
        }
        if let Some(part) = &self.min_norm {
            part.verify(x, &self.y, &self.c).map_err(Fault::LeastNorm)?;
        }
        if let Some(part) = &self.one_step {
            part.verify(x, &self.y, &self.c).map_err(Fault::OneStep)?;
        }
        Ok(())
    }
}
