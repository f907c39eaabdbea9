//! The sign tree of an optimum certificate, and its check in exact arithmetic.
//!
//! ```text
//! q(u) = sum_i r_i relu(x_i . u) <= sum_i a_i x_i . u + sum_i e_i <= N(sum_i a_i x_i) + sum_i e_i     on a leaf
//! ```
//!
//! `N(v)` is the largest `v . u` over the directions that the objective penalises to 1.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::geometry::Geometry;
use crate::num::exact::Dyadic;

/// A node of the tree; a list of nodes is read in preorder, the negative side of a split first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TreeNode {
    /// Both signs of one row.
    Split {
        /// The row.
        row: usize,
    },
    /// A bound of q.
    Leaf(Leaf),
}

/// Why q is at most the supremum claimed where the rows have the signs of the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// The signs of the path, one of `+`, `-`, `*` (undecided) a row.
    pub pattern: String,
    /// `a`, n.
    pub slopes: Vec<f64>,
    /// Undecided rows of positive weight, ascending.
    pub ranges: Vec<Range>,
}

/// `low <= x_row . u <= high` on the leaf, and the chord `slope z + intercept >= weight relu(z)` there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The row.
    pub row: usize,
    /// `N(-x_row + sum_k m_k s_k x_k) <= -low` with m of `below`.
    pub low: f64,
    /// `N(x_row + sum_k m_k s_k x_k) <= high` with m of `above`.
    pub high: f64,
    /// Decided rows with multipliers m >= 0.
    pub below: Vec<(usize, f64)>,
    /// The same for the upper end.
    pub above: Vec<(usize, f64)>,
    /// `e` of the row.
    pub intercept: f64,
}

/// Signs of a path.
pub(super) fn pattern(signs: &[i8]) -> String {
    signs.iter().map(|s| ['-', '*', '+'][(s + 1) as usize]).collect()
}

/// Why a tree proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeFault {
    /// Nodes are missing.
    #[error("the tree ends before its last branch")]
    Short,
    /// Nodes are left over.
    #[error("the tree has nodes after its last branch")]
    Long,
    /// A split on no row, or on one that was split on above.
    #[error("node {node} cannot split on row {row} (from 0)")]
    Split {
        /// The node.
        node: usize,
        /// The row.
        row: usize,
    },
    /// A leaf that bounds nothing.
    #[error("leaf {node}: {what}")]
    Leaf {
        /// The node.
        node: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Checks that `sum_i r_i relu(x_i . u) <= sup` wherever N is taken, from the tree alone. O(n D) products a range.
pub(super) fn verify(geometry: &Geometry<'_>, r: &[f64], sup: f64, nodes: &[TreeNode]) -> Result<(), TreeFault> {
    // The signs of the nodes that are still to be read, the next one last.
    let mut open = vec![vec![0i8; r.len()]];
    for (at, node) in nodes.iter().enumerate() {
        let Some(signs) = open.pop() else { return Err(TreeFault::Long) };
        match node {
            TreeNode::Split { row } => {
                if signs.get(*row) != Some(&0) {
                    return Err(TreeFault::Split { node: at, row: *row });
                }
                for sign in [1, -1] {
                    let mut signs = signs.clone();
                    signs[*row] = sign;
                    open.push(signs);
                }
            }
            TreeNode::Leaf(leaf) => {
                leaf.verify(geometry, r, sup, &signs).map_err(|what| TreeFault::Leaf { node: at, what })?;
            }
        }
    }
    if open.is_empty() { Ok(()) } else { Err(TreeFault::Short) }
}

fn at_least(a: &Dyadic, b: &Dyadic) -> bool {
    a.sub(b).sign() != Ordering::Less
}

impl Leaf {
    /// Checks the leaf below a path with these signs.
    pub(super) fn verify(
        &self,
        geometry: &Geometry<'_>,
        r: &[f64],
        sup: f64,
        signs: &[i8],
    ) -> Result<(), &'static str> {
        if self.pattern != pattern(signs) {
            return Err("its pattern is not that of its place");
        }
        if self.slopes.len() != r.len() || self.slopes.iter().any(|v| !v.is_finite()) {
            return Err("it has not one finite slope a row");
        }
        let mut ranges = self.ranges.iter();
        let mut excess = Dyadic::zero();
        for (i, (&weight, &slope)) in r.iter().zip(&self.slopes).enumerate() {
            let fits = match signs[i] {
                1 => slope >= weight,
                -1 => slope <= 0.0,
                _ if weight <= 0.0 => weight <= slope && slope <= 0.0,
                _ => {
                    let Some(range) = ranges.next().filter(|range| range.row == i) else {
                        return Err("an undecided row of positive weight has no range");
                    };
                    range.verify(geometry, weight, slope, signs)?;
                    excess = excess.add(&Dyadic::new(range.intercept));
                    true
                }
            };
            if !fits {
                return Err("a slope is on the wrong side of its weight");
            }
        }
        if ranges.next().is_some() {
            return Err("a range belongs to no undecided row of positive weight");
        }
        let room = Dyadic::new(sup).sub(&excess);
        if geometry.within(&self.slopes, &room) { Ok(()) } else { Err("its bound exceeds the supremum claimed") }
    }
}

impl Range {
    fn verify(&self, geometry: &Geometry<'_>, weight: f64, slope: f64, signs: &[i8]) -> Result<(), &'static str> {
        if ![self.low, self.high, self.intercept].iter().all(|v| v.is_finite()) {
            return Err("a range is not finite");
        }
        let end = |sign: f64, by: &[(usize, f64)], bound: f64| {
            let mut share = vec![0.0; signs.len()];
            for (k, m) in by {
                // A row of its own range is undecided, so that no entry is written twice.
                if signs.get(*k).is_none_or(|s| *s == 0) || !(*m >= 0.0) || !m.is_finite() || share[*k] != 0.0 {
                    return false;
                }
                share[*k] = m * f64::from(signs[*k]);
            }
            share[self.row] = sign;
            geometry.within(&share, &Dyadic::new(bound))
        };
        if !end(-1.0, &self.below, -self.low) || !end(1.0, &self.above, self.high) {
            return Err("a range is not proved");
        }
        let on = |z: f64| Dyadic::new(slope).mul(&Dyadic::new(z)).add(&Dyadic::new(self.intercept));
        let most = |z: f64| Dyadic::new(weight).mul(&Dyadic::new(z.max(0.0)));
        if at_least(&on(self.low), &most(self.low)) && at_least(&on(self.high), &most(self.high)) {
            Ok(())
        } else {
            Err("a chord lies below its relu")
        }
    }
}
