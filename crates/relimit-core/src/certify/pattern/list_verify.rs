//! Reading a list certificate again, in exact arithmetic and without trust.

use std::cmp::Ordering;

use thiserror::Error;

use super::{ListNode, PatternList};
use crate::num::Mat;
use crate::pattern::Covector;

/// Why a list certificate proves nothing; `at` is the path to the node, its signs from the root.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// It is about other data.
    #[error(
        "the certificate is about other data: its matrix is {stored_rows}x{stored_cols}, this one {rows}x{cols}, or an entry differs"
    )]
    OtherData {
        /// Rows of its matrix.
        stored_rows: usize,
        /// Columns of its matrix.
        stored_cols: usize,
        /// Rows of the data.
        rows: usize,
        /// Columns of the data.
        cols: usize,
    },
    /// A subtree is absent.
    #[error("at '{at}': a branch is missing")]
    MissingBranch {
        /// The branch.
        at: String,
    },
    /// A node splits on a row that does not exist, is 0, or was split on above.
    #[error("at '{at}': row {row} (from 0) cannot be split on: no such row, or 0, or split on already")]
    BadSplit {
        /// The node.
        at: String,
        /// The row.
        row: usize,
    },
    /// A leaf leaves rows open that could be on either side.
    #[error("at '{at}': row {row} (from 0) has not been split on above this pattern")]
    OpenRow {
        /// The leaf.
        at: String,
        /// The first such row.
        row: usize,
    },
    /// A witness has other signs than its place in the tree.
    #[error("at '{at}': the witness has other signs")]
    WrongWitness {
        /// The leaf.
        at: String,
    },
    /// Multipliers do not exclude the branch.
    #[error("at '{at}': the multipliers do not exclude this branch")]
    WrongMultipliers {
        /// The leaf.
        at: String,
    },
    /// The tree has another number of patterns than claimed.
    #[error("{claimed} patterns are claimed, {found} are listed")]
    WrongCount {
        /// In the claim.
        claimed: u64,
        /// In the tree.
        found: u64,
    },
}

impl PatternList {
    /// The patterns of the rows of `x`, one sign a row (0 for zero rows), when the certificate proves that they are all.
    ///
    /// # Errors
    /// The first fault met; nothing of the certificate is believed then.
    ///
    /// # Cost
    /// O(n D) exact products a leaf.
    pub fn verify(&self, x: &Mat) -> Result<Vec<Covector>, Refusal> {
        // Equal as numbers, so that -0 is 0.
        if self.x != *x {
            let (stored_rows, stored_cols, rows, cols) = (self.x.rows(), self.x.cols(), x.rows(), x.cols());
            return Err(Refusal::OtherData { stored_rows, stored_cols, rows, cols });
        }
        let mut reader = Reader { x, path: String::new(), signs: Covector::zero(x.rows()), found: vec![] };
        reader.read(self.root.as_deref())?;
        let found = reader.found.len() as u64;
        if found != self.patterns {
            return Err(Refusal::WrongCount { claimed: self.patterns, found });
        }
        Ok(reader.found)
    }
}

struct Reader<'a> {
    x: &'a Mat,
    path: String,
    signs: Covector,
    found: Vec<Covector>,
}

impl Reader<'_> {
    fn read(&mut self, node: Option<&ListNode>) -> Result<(), Refusal> {
        let at = || self.path.clone();
        let is_zero = |i: usize| self.x.row(i).iter().all(|v| *v == 0.0);
        match node {
            None => Err(Refusal::MissingBranch { at: at() }),
            Some(ListNode::Split { row, negative, positive }) => {
                let row = *row;
                if row >= self.x.rows() || is_zero(row) || self.signs.get(row) != Ordering::Equal {
                    return Err(Refusal::BadSplit { at: at(), row });
                }
                for (sign, name, child) in [(Ordering::Less, '-', negative), (Ordering::Greater, '+', positive)] {
                    self.signs.set(row, sign);
                    self.path.push(name);
                    self.read(child.as_deref())?;
                    self.path.pop();
                }
                self.signs.set(row, Ordering::Equal);
                Ok(())
            }
            Some(ListNode::Pattern(witness)) => {
                if let Some(row) = (0..self.x.rows()).find(|&i| self.signs.get(i) == Ordering::Equal && !is_zero(i)) {
                    return Err(Refusal::OpenRow { at: at(), row });
                }
                if !witness.verify(self.x, &self.signs) {
                    return Err(Refusal::WrongWitness { at: at() });
                }
                self.found.push(self.signs.clone());
                Ok(())
            }
            Some(ListNode::Dead(proof)) => {
                // Rows not split on have no wanted sign here, unlike rows whose wanted sign is 0.
                let decided = |i: &usize| *i < self.x.rows() && self.signs.get(*i) != Ordering::Equal;
                if proof.rows.iter().all(decided) && proof.verify(self.x, &self.signs) {
                    Ok(())
                } else {
                    Err(Refusal::WrongMultipliers { at: at() })
                }
            }
        }
    }
}
