//! Certificates of one pattern and of a complete list: the data, the claim and its proof as one versioned object.
//!
//! `x` holds the rows as they were used (scaled, with the bias column), as doubles that read back exactly.

use serde::{Deserialize, Serialize};

use super::{ListNode, Motzkin, PatternList, Witness};
use crate::certify::equality::Malformed;
use crate::num::Mat;
use crate::pattern::Covector;

/// `sign(x_i . u)` is this pattern for some u, or for none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternCertificate {
    /// [`PatternCertificate::SCHEMA`].
    pub schema: String,
    /// n x D.
    pub x: Vec<Vec<f64>>,
    /// One of `+`, `-`, `0` a row.
    pub pattern: String,
    /// The claim.
    pub possible: bool,
    /// A point with the signs, when possible.
    pub witness: Option<Witness>,
    /// Multipliers that exclude them, when not.
    pub proof: Option<Motzkin>,
}

/// The rows of x have exactly `patterns` patterns, those at the leaves of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListCertificate {
    /// [`ListCertificate::SCHEMA`].
    pub schema: String,
    /// n x D.
    pub x: Vec<Vec<f64>>,
    /// The claim.
    pub patterns: u64,
    /// The proof.
    pub root: Option<Box<ListNode>>,
}

fn matrix(rows: &[Vec<f64>]) -> Result<Mat, Malformed> {
    let fault = |what: &str| Err(Malformed { part: "x", what: what.into() });
    let Some(first) = rows.first().filter(|r| !r.is_empty()) else {
        return fault("has no row or no column");
    };
    if rows.iter().any(|r| r.len() != first.len()) {
        return fault("has rows of different lengths");
    }
    if rows.iter().flatten().any(|v| !v.is_finite()) {
        return fault("has a number that is not finite");
    }
    Ok(Mat::from_vec(rows.len(), first.len(), rows.concat()))
}

fn schema(found: &str, wanted: &str) -> Result<(), Malformed> {
    let what = "is of another kind or version".into();
    if found == wanted { Ok(()) } else { Err(Malformed { part: "schema", what }) }
}

impl PatternCertificate {
    /// Name and version of the layout.
    pub const SCHEMA: &'static str = "relimit/certificate/pattern/1";

    /// The certificate of a pattern with this witness.
    pub fn possible(x: &Mat, wanted: &Covector, witness: Witness) -> Self {
        Self::new(x, wanted, Some(witness), None)
    }

    /// The certificate that there is no such pattern.
    pub fn impossible(x: &Mat, wanted: &Covector, proof: Motzkin) -> Self {
        Self::new(x, wanted, None, Some(proof))
    }

    fn new(x: &Mat, wanted: &Covector, witness: Option<Witness>, proof: Option<Motzkin>) -> Self {
        let (schema, possible) = (Self::SCHEMA.into(), witness.is_some());
        Self { schema, x: x.to_rows(), pattern: wanted.to_string(), possible, witness, proof }
    }

    /// Whether the claim follows from the proof that belongs to it, in exact arithmetic. O(n D) products.
    ///
    /// # Errors
    /// `Malformed` for another schema, an x that is no finite matrix, or a pattern with other characters or length.
    pub fn check(&self) -> Result<bool, Malformed> {
        schema(&self.schema, Self::SCHEMA)?;
        let x = matrix(&self.x)?;
        let fault = || Malformed { part: "pattern", what: "is not one of + - 0 for each row of x".into() };
        let wanted = Covector::parse(&self.pattern).ok_or_else(fault)?;
        if wanted.n() != x.rows() {
            return Err(fault());
        }
        Ok(match (self.possible, &self.witness, &self.proof) {
            (true, Some(witness), None) => witness.verify(&x, &wanted),
            (false, None, Some(proof)) => proof.verify(&x, &wanted),
            _ => false,
        })
    }
}

impl ListCertificate {
    /// Name and version of the layout.
    pub const SCHEMA: &'static str = "relimit/certificate/patterns/1";

    /// The certificate of a complete list.
    pub fn new(list: PatternList) -> Self {
        Self { schema: Self::SCHEMA.into(), x: list.x.to_rows(), patterns: list.patterns, root: list.root }
    }

    /// Whether the tree proves the number of patterns, in exact arithmetic; see [`PatternList::verify`] for the cost.
    ///
    /// # Errors
    /// `Malformed` for another schema or an x that is no finite matrix.
    pub fn check(&self) -> Result<bool, Malformed> {
        schema(&self.schema, Self::SCHEMA)?;
        let x = matrix(&self.x)?;
        let list = PatternList { x: x.clone(), patterns: self.patterns, root: self.root.clone() };
        Ok(list.verify(&x).is_ok())
    }
}
