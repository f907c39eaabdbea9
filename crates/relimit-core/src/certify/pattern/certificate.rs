//! Certificates of one pattern and of a complete list: the data, the claim and its proof as one versioned object.
//!
//! `x` holds the rows as they were used (scaled, with the bias column), as doubles that read back exactly.

use serde::{Deserialize, Serialize};

use super::{ListNode, Motzkin, PatternList, Witness};
use crate::certify::equality::Malformed;
use crate::certify::fingerprint;
use crate::certify::seal::Seal;
use crate::num::Mat;
use crate::pattern::Covector;

/// `sign(x_i . u)` is this pattern for some u, or for none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternCertificate {
    /// [`PatternCertificate::SCHEMA`], or [`PatternCertificate::FIRST`].
    pub schema: String,
    /// [`PatternCertificate::STATEMENT`]; absent in the first layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// n x D.
    pub x: Vec<Vec<f64>>,
    /// That of x and the signs of the pattern; absent in the first layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
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
    /// [`ListCertificate::SCHEMA`], or [`ListCertificate::FIRST`].
    pub schema: String,
    /// [`ListCertificate::STATEMENT`]; absent in the first layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// n x D.
    pub x: Vec<Vec<f64>>,
    /// That of x; absent in the first layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
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

/// 1, 0 or -1 a row.
fn signs(pattern: &Covector) -> Vec<f64> {
    (0..pattern.n()).map(|i| f64::from(pattern.get(i) as i8)).collect()
}

impl PatternCertificate {
    /// Name and version of the layout.
    pub const SCHEMA: &'static str = "relimit/certificate/pattern/2";
    /// The first layout, without statement and fingerprint: still read.
    pub const FIRST: &'static str = "relimit/certificate/pattern/1";
    /// The claim in words.
    pub const STATEMENT: &'static str = "possible: for some u the sign of x_i . u is that of pattern for every row i; not \
                                         possible: for no u";

    /// The certificate of a pattern with this witness.
    pub fn possible(x: &Mat, wanted: &Covector, witness: Witness) -> Self {
        Self::new(x, wanted, Some(witness), None)
    }

    /// The certificate that there is no such pattern.
    pub fn impossible(x: &Mat, wanted: &Covector, proof: Motzkin) -> Self {
        Self::new(x, wanted, None, Some(proof))
    }

    fn new(x: &Mat, wanted: &Covector, witness: Option<Witness>, proof: Option<Motzkin>) -> Self {
        let (x, possible) = (x.to_rows(), witness.is_some());
        Self {
            schema: Self::SCHEMA.into(),
            statement: Some(Self::STATEMENT.into()),
            fingerprint: Some(fingerprint(&x, &signs(wanted))),
            x,
            pattern: wanted.to_string(),
            possible,
            witness,
            proof,
        }
    }

    /// Whether the claim follows from the proof that belongs to it, in exact arithmetic. O(n D) products.
    ///
    /// # Errors
    /// `Malformed` for another schema, an x that is no finite matrix, or a pattern with other characters or length.
    pub fn check(&self) -> Result<bool, Malformed> {
        let x = matrix(&self.x)?;
        let fault = || Malformed { part: "pattern", what: "is not one of + - 0 for each row of x".into() };
        let wanted = Covector::parse(&self.pattern).ok_or_else(fault)?;
        if wanted.n() != x.rows() {
            return Err(fault());
        }
        let sealed = Seal {
            schema: &self.schema,
            layouts: [Self::FIRST, Self::SCHEMA],
            statement: (&self.statement, Self::STATEMENT),
            fingerprint: (&self.fingerprint, fingerprint(&self.x, &signs(&wanted))),
        }
        .holds()?;
        let follows = match (self.possible, &self.witness, &self.proof) {
            (true, Some(witness), None) => witness.verify(&x, &wanted),
            (false, None, Some(proof)) => proof.verify(&x, &wanted),
            _ => false,
        };
        Ok(sealed && follows)
    }
}

impl ListCertificate {
    /// Name and version of the layout.
    pub const SCHEMA: &'static str = "relimit/certificate/patterns/2";
    /// The first layout, without statement and fingerprint: still read.
    pub const FIRST: &'static str = "relimit/certificate/patterns/1";
    /// The claim in words.
    pub const STATEMENT: &'static str = "patterns: the number of sign vectors of x_i . u, over all u, that are 0 on no row \
                                         but those of zeros";

    /// The certificate of a complete list.
    pub fn new(list: PatternList) -> Self {
        let x = list.x.to_rows();
        Self {
            schema: Self::SCHEMA.into(),
            statement: Some(Self::STATEMENT.into()),
            fingerprint: Some(fingerprint(&x, &[])),
            x,
            patterns: list.patterns,
            root: list.root,
        }
    }

    /// Whether the tree proves the number of patterns, in exact arithmetic; see [`PatternList::verify`] for the cost.
    ///
    /// # Errors
    /// `Malformed` for another schema or an x that is no finite matrix.
    pub fn check(&self) -> Result<bool, Malformed> {
        let x = matrix(&self.x)?;
        let sealed = Seal {
            schema: &self.schema,
            layouts: [Self::FIRST, Self::SCHEMA],
            statement: (&self.statement, Self::STATEMENT),
            fingerprint: (&self.fingerprint, fingerprint(&self.x, &[])),
        }
        .holds()?;
        let list = PatternList { x: x.clone(), patterns: self.patterns, root: self.root.clone() };
        Ok(sealed && list.verify(&x).is_ok())
    }
}
