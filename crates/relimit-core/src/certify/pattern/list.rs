//! A list of patterns with proof that it is complete: a binary tree on the examples.
//!
//! An inner node splits on `sign(x_i . u)`; a leaf is a pattern with its witness, or a branch that no point enters, with
//! its multipliers. Both children of every inner node are present, so no pattern is missing. The tree is made on request
//! for small n; the fast enumeration works otherwise, and agrees.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::{Decision, Motzkin, Witness, decide};
use crate::num::Mat;
use crate::pattern::Covector;

/// The claim "the rows of x have exactly these patterns", with its proof; `PatternList::verify` trusts none of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternList {
    /// The data, n x D: a proof about other data is refused.
    pub x: Mat,
    /// The number of patterns claimed.
    pub patterns: u64,
    /// The tree; none is a certificate without proof, which is refused.
    pub root: Option<Box<ListNode>>,
}

/// A node of the tree; rows are examples, from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ListNode {
    /// `x_row . u` is negative below one child and positive below the other (it is 0 in no pattern).
    Split {
        /// The example.
        row: usize,
        /// The part with `x_row . u < 0`.
        negative: Option<Box<ListNode>>,
        /// The part with `x_row . u > 0`.
        positive: Option<Box<ListNode>>,
    },
    /// All rows that are not 0 have been split on, and this point has the signs.
    Pattern(Witness),
    /// No point has the signs of the splits above.
    Dead(Motzkin),
}

/// How the making of a list ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ListEnd {
    /// The certificate, which verifies.
    Complete(PatternList),
    /// More than the allowed number of nodes would be needed, or `stop` said so.
    Stopped {
        /// Patterns found until then: a lower bound.
        patterns: u64,
    },
}

/// Lists the patterns of the rows of `x` (n x D, finite) with proof of completeness, within `max_nodes` nodes.
///
/// Rows that are 0 have no side, and sign 0 in every pattern. `stop` is polled once a pivot.
///
/// # Cost
/// At most 2 n P nodes for P patterns, one decision for each inner node; n of at most a few dozen is meant.
pub fn list_patterns(x: &Mat, max_nodes: u64, stop: &dyn Fn() -> bool) -> ListEnd {
    let rows: Vec<usize> = (0..x.rows()).filter(|&i| x.row(i).iter().any(|v| *v != 0.0)).collect();
    let mut maker = Maker { x, rows, max_nodes, nodes: 0, patterns: 0, stop };
    let start = Decision::Realisable(Witness { u: vec![dashu_int::IBig::ZERO; x.cols()] });
    match maker.node(&mut vec![], start) {
        Some(root) => {
            ListEnd::Complete(PatternList { x: x.clone(), patterns: maker.patterns, root: Some(Box::new(root)) })
        }
        None => ListEnd::Stopped { patterns: maker.patterns },
    }
}

struct Maker<'a> {
    x: &'a Mat,
    rows: Vec<usize>,
    max_nodes: u64,
    nodes: u64,
    patterns: u64,
    stop: &'a dyn Fn() -> bool,
}

impl Maker<'_> {
    /// The subtree below the signs decided so far (those of the first rows), which `decision` is about.
    fn node(&mut self, signs: &mut Vec<Ordering>, decision: Decision) -> Option<ListNode> {
        self.nodes += 1;
        if self.nodes > self.max_nodes {
            return None;
        }
        let witness = match decision {
            Decision::Stopped => return None,
            Decision::Impossible(mut proof) => {
                proof.rows.iter_mut().for_each(|t| *t = self.rows[*t]);
                return Some(ListNode::Dead(proof));
            }
            Decision::Realisable(witness) => witness,
        };
        let Some(&row) = self.rows.get(signs.len()) else {
            self.patterns += 1;
            return Some(ListNode::Pattern(witness));
        };
        // The side that the witness lies on has this witness already.
        let next = self.x.select_rows(&[row]);
        let side = witness.signs(&next).map_or(Ordering::Equal, |s| s.get(0));
        let mut child = |sign: Ordering| {
            signs.push(sign);
            let decision = if side == sign { Decision::Realisable(witness.clone()) } else { self.decide(signs) };
            let node = self.node(signs, decision);
            signs.pop();
            node.map(|n| Some(Box::new(n)))
        };
        let negative = child(Ordering::Less)?;
        let positive = child(Ordering::Greater)?;
        Some(ListNode::Split { row, negative, positive })
    }

    fn decide(&self, signs: &[Ordering]) -> Decision {
        let part = self.x.select_rows(&self.rows[..signs.len()]);
        decide(&part, &Covector::from_signs(signs.iter().copied()), self.stop)
    }
}
