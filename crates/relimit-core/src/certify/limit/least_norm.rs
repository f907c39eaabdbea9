//! The minimum norm in exact arithmetic: a network of least loss, and multipliers that exclude every shorter one.
//!
//! ```text
//! lower:  v . rhs <= v . (Q W) <= |Q'v| |W|  on a leaf, so that lower |Q'v| <= v . rhs is needed on every leaf
//! ball:   |W - Q'v|^2 <= |W|^2 - 2 v . rhs + |Q'v|^2  for every W of the leaf, P a network of least loss in place of W
//! ```

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::rational::Rational;
use crate::certify::equality::Malformed;
use crate::certify::min_norm::{Row, Sides, State, rows};
use crate::num::Mat;
use crate::num::exact::{Dyadic, dot};

/// Bounds on the least norm, and where the networks of least norm are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeastNorm {
    /// Claim: every network of least loss has at least this norm.
    pub lower: f64,
    /// Claim: one has at most this norm.
    pub upper: f64,
    /// Weights near those of least norm, m x D.
    pub weights: Vec<Vec<f64>>,
    /// Claim: no network of least norm is further from `weights`; `None` claims nothing.
    pub distance: Option<f64>,
    /// A network of least loss: `w_j = X' a_j`, m x n coefficients in the order of the neurons.
    pub point: Rational,
    /// Choices of how rows are met, in preorder: the side `apart` of a split first.
    pub tree: Vec<StateNode>,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StateNode {
    /// Both ways to meet one row.
    Split {
        /// The row.
        row: usize,
    },
    /// Multipliers for the states of the path.
    Leaf(Multipliers),
}

/// Multipliers of the two constraints of each row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multipliers {
    /// The states of the path, one of `*` (open), `a` (apart), `b` (both) a row.
    pub states: String,
    /// `v`, 2n: two for each row.
    pub v: Rational,
    /// Where the networks of the leaf are that are no longer than the point; `None` when there is none.
    pub ball: Option<Ball>,
}

/// `|weights - Q'v| <= apart` and `|W - Q'v| <= radius`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Distance from the weights to the centre.
    pub apart: f64,
    /// Radius.
    pub radius: f64,
}

/// Why the part proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LeastNormFault {
    /// The point is no network of least loss.
    #[error("the point does not have the outputs of least loss at row {row} (from 0)")]
    Point {
        /// The first such row.
        row: usize,
    },
    /// The point is longer.
    #[error("the point is longer than upper")]
    Upper,
    /// Nodes are missing or left over, or split on no open row.
    #[error("the tree is not complete, or splits on no open row")]
    Tree,
    /// A leaf with other states than its path.
    #[error("a leaf's states are not those of its place")]
    States,
    /// A multiplier of an inequality below 0.
    #[error("a multiplier of an inequality is negative")]
    Multiplier,
    /// A leaf that allows a shorter network.
    #[error("a leaf does not prove the lower bound")]
    Lower,
    /// A leaf without the distance.
    #[error("a leaf does not prove the distance")]
    Distance,
}

/// The problem in exact terms.
pub(super) struct Exact<'a> {
    pub(super) x: &'a Mat,
    /// Targets of least loss.
    pub(super) targets: Vec<f64>,
    pub(super) sides: Sides,
    /// Neuron of the positive and of the negative side.
    pub(super) neuron: [Option<usize>; 2],
    columns: Mat,
}

impl<'a> Exact<'a> {
    pub(super) fn new(x: &'a Mat, y: &[f64], c: &[f64]) -> Self {
        let sides = Sides { pos: c.iter().copied().fold(0.0, f64::max), neg: -c.iter().copied().fold(0.0, f64::min) };
        let neuron = [1.0, -1.0].map(|sign: f64| c.iter().position(|c| c * sign > 0.0));
        Self { x, targets: y.iter().map(|y| sides.target(*y)).collect(), sides, neuron, columns: x.transpose() }
    }

    pub(super) fn rows(&self, states: &[State]) -> Vec<Row> {
        let each = |i: usize| rows(self.targets[i], states[i], self.sides);
        (0..states.len()).flat_map(each).collect()
    }

    /// `(X'a)` for exact coefficients, D.
    fn combine(&self, a: &[Dyadic]) -> Vec<Dyadic> {
        let entry = |k: usize| {
            let terms = a.iter().zip(self.columns.row(k)).filter(|(a, _)| !a.is_zero());
            terms.fold(Dyadic::zero(), |s, (a, x)| s.add(&a.mul(&Dyadic::new(*x))))
        };
        (0..self.columns.rows()).map(entry).collect()
    }

    /// Coefficients of Q'v, one list a side.
    pub(super) fn sides_of(&self, rows: &[Row], v: &[Dyadic]) -> [Vec<Dyadic>; 2] {
        [|r: &Row| r.pos, |r: &Row| r.neg].map(|part| {
            let both = |i: usize| {
                let term = |k: usize| v[k].mul(&Dyadic::new(part(&rows[k])));
                term(2 * i).add(&term(2 * i + 1))
            };
            (0..self.targets.len()).map(both).collect()
        })
    }
}

fn square(w: &[Vec<Dyadic>]) -> Dyadic {
    w.iter().flatten().fold(Dyadic::zero(), |s, v| s.add(&v.mul(v)))
}

pub(super) fn letters(states: &[State]) -> String {
    let letter = |s: &State| match s {
        State::Open => '*',
        State::Apart => 'a',
        State::Both => 'b',
    };
    states.iter().map(letter).collect()
}

/// What a leaf proves, all as exact numbers: `value = v . rhs`, `length2 = |Q'v|^2`, and `Q'v` by side, times the
/// denominator (squared for the length).
pub(super) struct LeafValues {
    pub(super) value: Dyadic,
    pub(super) length2: Dyadic,
    pub(super) center: [Vec<Dyadic>; 2],
    pub(super) denominator: Dyadic,
}

impl LeafValues {
    /// The values of multipliers; `None` when one of an inequality is negative, or of no constraint at all not 0.
    pub(super) fn new(at: &Exact<'_>, states: &[State], v: &[Dyadic], denominator: Dyadic) -> Option<Self> {
        let rows = at.rows(states);
        let mut value = Dyadic::zero();
        for (row, v) in rows.iter().zip(v) {
            if (!row.live() && !v.is_zero()) || (!row.free && v.sign() == Ordering::Less) {
                return None;
            }
            value = value.add(&v.mul(&Dyadic::new(row.rhs)));
        }
        let center = at.sides_of(&rows, v).map(|a| at.combine(&a));
        Some(Self { value, length2: square(&center), center, denominator })
    }

    /// Whether every network of the leaf has at least the norm `lower`.
    pub(super) fn at_least(&self, lower: f64) -> bool {
        let squared = Dyadic::new(lower).mul(&Dyadic::new(lower)).mul(&self.length2);
        lower <= 0.0
            || (self.value.sign() != Ordering::Less
                && self.value.mul(&self.value).sub(&squared).sign() != Ordering::Less)
    }

    /// Whether every network of the leaf is longer than the point of this squared length, over a squared denominator.
    pub(super) fn longer_than(&self, (square, denominator2): (&Dyadic, &Dyadic)) -> bool {
        self.value.sign() == Ordering::Greater
            && self.value.mul(&self.value).mul(denominator2).sub(&square.mul(&self.length2)).sign() == Ordering::Greater
    }

    /// `|W - Q'v|^2` at most, for a network of the leaf that is no longer than the point, and its denominator.
    pub(super) fn radius2(&self, (square, denominator2): (&Dyadic, &Dyadic)) -> (Dyadic, Dyadic) {
        let d2 = self.denominator.mul(&self.denominator);
        let double = self.value.mul(&self.denominator).mul(&Dyadic::new(2.0));
        (square.mul(&d2).add(&self.length2.sub(&double).mul(denominator2)), d2.mul(denominator2))
    }

    /// `|weights - Q'v|^2` and its denominator.
    pub(super) fn apart2(&self, at: &Exact<'_>, weights: &[Vec<f64>]) -> (Dyadic, Dyadic) {
        let mut sum = Dyadic::zero();
        for (side, neuron) in at.neuron.iter().enumerate() {
            let Some(j) = neuron else { continue };
            for (q, w) in self.center[side].iter().zip(&weights[*j]) {
                let e = Dyadic::new(*w).mul(&self.denominator).sub(q);
                sum = sum.add(&e.mul(&e));
            }
        }
        (sum, self.denominator.mul(&self.denominator))
    }
}

/// The point as an exact network: its squared norm over a squared denominator; or the first row with another output.
pub(super) fn point(at: &Exact<'_>, a: &[Dyadic], denominator: &Dyadic) -> Result<(Dyadic, Dyadic), usize> {
    let n = at.targets.len();
    let weights: Vec<Vec<Dyadic>> = a.chunks(n).map(|a| at.combine(a)).collect();
    for (i, target) in at.targets.iter().enumerate() {
        let mut f = Dyadic::new(*target).mul(denominator).neg();
        for (neuron, c) in at.neuron.iter().zip([at.sides.pos, -at.sides.neg]) {
            let Some(j) = neuron else { continue };
            let terms = weights[*j].iter().zip(at.x.row(i));
            let z = terms.fold(Dyadic::zero(), |s, (w, x)| s.add(&w.mul(&Dyadic::new(*x))));
            f = if z.sign() == Ordering::Greater { f.add(&z.mul(&Dyadic::new(c))) } else { f };
        }
        if !f.is_zero() {
            return Err(i);
        }
    }
    Ok((square(&weights), denominator.mul(denominator)))
}

impl LeastNorm {
    pub(super) fn shapes(&self, n: usize, dim: usize, m: usize) -> Result<(), Malformed> {
        let fault = |what: &str| Err(Malformed { part: "min_norm", what: what.into() });
        if self.weights.len() != m || self.weights.iter().any(|w| w.len() != dim) {
            return fault("weights need a row of inputs for each neuron");
        }
        let single = [self.lower, self.upper, self.distance.unwrap_or(0.0)];
        if !self.weights.iter().flatten().chain(&single).all(|v| v.is_finite()) {
            return fault("a number is not finite");
        }
        self.point.read(m * n, "point")?;
        for node in &self.tree {
            if let StateNode::Leaf(leaf) = node {
                leaf.v.read(2 * n, "v")?;
                if leaf.ball.is_some_and(|b| !b.apart.is_finite() || !b.radius.is_finite()) {
                    return fault("a ball is not finite");
                }
            }
        }
        Ok(())
    }

    pub(super) fn verify(&self, x: &Mat, y: &[f64], c: &[f64]) -> Result<(), LeastNormFault> {
        let at = Exact::new(x, y, c);
        let (a, denominator) = self.point.read(c.len() * y.len(), "point").map_err(|_| LeastNormFault::Tree)?;
        let (norm2, scale2) = point(&at, &a, &denominator).map_err(|row| LeastNormFault::Point { row })?;
        let upper = Dyadic::new(self.upper);
        if self.upper < 0.0 || upper.mul(&upper).mul(&scale2).sub(&norm2).sign() == Ordering::Less {
            return Err(LeastNormFault::Upper);
        }
        let mut open = vec![vec![State::Open; y.len()]];
        for node in &self.tree {
            let states = open.pop().ok_or(LeastNormFault::Tree)?;
            match node {
                StateNode::Split { row } => {
                    if !at.sides.both() || states.get(*row) != Some(&State::Open) {
                        return Err(LeastNormFault::Tree);
                    }
                    for state in [State::Both, State::Apart] {
                        let mut states = states.clone();
                        states[*row] = state;
                        open.push(states);
                    }
                }
                StateNode::Leaf(leaf) => self.leaf(&at, &states, leaf, (&norm2, &scale2))?,
            }
        }
        if open.is_empty() { Ok(()) } else { Err(LeastNormFault::Tree) }
    }

    fn leaf(
        &self,
        at: &Exact<'_>,
        states: &[State],
        leaf: &Multipliers,
        point: (&Dyadic, &Dyadic),
    ) -> Result<(), LeastNormFault> {
        if leaf.states != letters(states) {
            return Err(LeastNormFault::States);
        }
        let (v, denominator) = leaf.v.read(2 * states.len(), "v").map_err(|_| LeastNormFault::Tree)?;
        let values = LeafValues::new(at, states, &v, denominator).ok_or(LeastNormFault::Multiplier)?;
        if !values.at_least(self.lower) {
            return Err(LeastNormFault::Lower);
        }
        let Some(distance) = self.distance else { return Ok(()) };
        let near = |bound: f64, (square, scale2): (Dyadic, Dyadic)| {
            let bound2 = Dyadic::new(bound).mul(&Dyadic::new(bound)).mul(&scale2);
            bound >= 0.0 && square.sub(&bound2).sign() != Ordering::Greater
        };
        let holds = match leaf.ball {
            None => values.longer_than(point),
            Some(ball) => {
                let sum = Dyadic::new(ball.apart).add(&Dyadic::new(ball.radius));
                near(ball.apart, values.apart2(at, &self.weights))
                    && near(ball.radius, values.radius2(point))
                    && sum.sub(&Dyadic::new(distance)).sign() != Ordering::Greater
            }
        };
        if holds { Ok(()) } else { Err(LeastNormFault::Distance) }
    }
}

/// `x_i . x_l` of two rows of constraints, exactly.
pub(super) fn product(x: &Mat, (i, a): (usize, &Row), (l, b): (usize, &Row)) -> Dyadic {
    let weight = |p: f64, q: f64| Dyadic::new(p).mul(&Dyadic::new(q));
    dot(x.row(i), x.row(l)).mul(&weight(a.pos, b.pos).add(&weight(a.neg, b.neg)))
}
