//! The parts of a limit certificate, made from what the solvers found: they propose, the exact check disposes.

use std::cmp::Ordering;

use thiserror::Error;

use super::least_norm::product;
use super::least_norm::{Ball, Exact, LeafValues, LeastNorm, LeastNormFault, Multipliers, StateNode, letters, point};
use super::one_step::{OneStepFault, OneStepPart};
use super::rational::Rational;
use crate::certify::min_norm::{Evidence, Node, Row, State};
use crate::num::Mat;
use crate::num::exact::{Dyadic, solve};
use crate::num::row_basis::RowBasis;

/// Constraints that are solved exactly at most: integers of some thousand bits.
const MOST_ACTIVE: usize = 48;

/// Multipliers below this share of the largest are taken for 0, their constraints for inactive.
const ACTIVE: f64 = 1e-9;

/// Why a part is not written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unwritten {
    /// Several neurons of one sign, or none.
    #[error("it covers one neuron, or two with output weights of opposite sign")]
    Neurons,
    /// The solver has no tree of multipliers.
    #[error("no tree of multipliers was found: the minimum norm is open, or no network has the least loss")]
    NoTree,
    /// Too many constraints for an exact solution.
    #[error("{active} constraints are active; up to {MOST_ACTIVE} are solved exactly")]
    Size {
        /// Active constraints.
        active: usize,
    },
    /// The active constraints as found do not determine the solution.
    #[error("the active constraints found in double precision are not those of the exact solution ({0})")]
    Inexact(LeastNormFault),
    /// The one-step inequality does not hold.
    #[error("{0}")]
    OneStep(OneStepFault),
}

/// Where and how a run starts.
#[derive(Clone, Copy, Debug)]
pub struct Started<'a> {
    /// Preactivations, m x n.
    pub z: &'a Mat,
    /// Step of the half-sum loss.
    pub step: f64,
    /// Scale of the Gram matrix.
    pub tau: f64,
}

/// The one-step inequality with its strongest claims.
///
/// # Shapes
/// `x` n x D with the bias column, `y` n, `c` m.
///
/// # Errors
/// The first condition that does not hold.
pub fn one_step_part((x, y, c): (&Mat, &[f64], &[f64]), start: Started<'_>) -> Result<OneStepPart, Unwritten> {
    if !covered(c) || y.is_empty() {
        return Err(Unwritten::Neurons);
    }
    let fault = |fault| Err(Unwritten::OneStep(fault));
    if !(start.step > 0.0 && start.tau > 0.0 && start.step.is_finite() && start.tau.is_finite()) {
        return fault(OneStepFault::Step);
    }
    let (step, tau) = (start.step, start.tau);
    let start = start.z.to_rows();
    let mut part = OneStepPart { start, step, tau, rho: 0.0, left: 0.0, right: 0.0, contraction: 0.0 };
    let at = part.sizes(x, y, c);
    part.rho = at.interference.ratio_up(&Dyadic::new(tau));
    if !(part.rho < 1.0) {
        return fault(OneStepFault::Rho);
    }
    let (left, room) = part.left_side(&at, c.len());
    if room.sign() != Ordering::Greater {
        return fault(OneStepFault::Step);
    }
    part.left = left.ratio_up(&room);
    part.right = at.smallest;
    part.contraction = Dyadic::new(1.0).sub(&room).up();
    part.verify(x, y, c).map_err(Unwritten::OneStep)?;
    Ok(part)
}

fn covered(c: &[f64]) -> bool {
    (c.len() == 1 && c[0] != 0.0) || (c.len() == 2 && c[0] * c[1].signum() < 0.0 && c[1] != 0.0)
}

/// The minimum norm from the multipliers that a solver found in double precision; its best leaf is solved exactly.
///
/// # Shapes
/// As [`one_step_part`].
///
/// # Errors
/// When there is no tree, too much is active, or rounding hides what is active.
///
/// # Cost
/// O(k^3) products of integers of k times the length of a product of two doubles, k active constraints.
pub fn least_norm_part((x, y, c): (&Mat, &[f64], &[f64]), evidence: &Evidence) -> Result<LeastNorm, Unwritten> {
    if !covered(c) {
        return Err(Unwritten::Neurons);
    }
    let Evidence::Tree { examples, nodes } = evidence else { return Err(Unwritten::NoTree) };
    let at = Exact::new(x, y, c);
    let mut found = vec![];
    let mut open = vec![(0, vec![State::Open; y.len()])];
    while let Some((node, states)) = open.pop() {
        match nodes.get(node).ok_or(Unwritten::NoTree)? {
            Node::Split { example, apart, both } => {
                let row = *examples.get(*example).ok_or(Unwritten::NoTree)?;
                for (child, state) in [(*both, State::Both), (*apart, State::Apart)] {
                    let mut states = states.clone();
                    states[row] = state;
                    open.push((child, states));
                }
                found.push(Found::Split(row));
            }
            Node::Leaf { v } => {
                let v = spread(&at, &states, examples, v);
                found.push(Found::Leaf(states, v));
            }
        }
    }
    assemble(&at, (x, y, c), found)
}

/// A node of the solver's tree about all rows.
enum Found {
    Split(usize),
    Leaf(Vec<State>, Vec<f64>),
}

/// Multipliers of all rows at their best length, clipped to their signs.
fn spread(at: &Exact<'_>, states: &[State], examples: &[usize], v: &[f64]) -> Vec<f64> {
    let rows = at.rows(states);
    let mut full = vec![0.0; rows.len()];
    for (k, value) in v.iter().enumerate() {
        let Some(row) = examples.get(k / 2) else { continue };
        let k = 2 * row + k % 2;
        full[k] = match &rows[k] {
            row if !row.live() || !value.is_finite() => 0.0,
            row if row.free => *value,
            _ => value.max(0.0),
        };
    }
    if let Some(values) = exactly(at, states, &Rational::of_f64(&full)) {
        // v and its value share the denominator, which the length has twice.
        let best =
            if values.length2.is_zero() { 0.0 } else { values.value.mul(&values.denominator).ratio(&values.length2) };
        if best > 0.0 && best.is_finite() {
            for v in &mut full {
                *v *= best;
            }
        }
    }
    full
}

fn exactly(at: &Exact<'_>, states: &[State], v: &Rational) -> Option<LeafValues> {
    let (v, denominator) = v.read(2 * states.len(), "v").ok()?;
    LeafValues::new(at, states, &v, denominator)
}

/// A lower bound on the norm in the leaf, the largest that its multipliers prove; infinite for a leaf without networks.
fn norm_of(values: &LeafValues) -> f64 {
    if values.value.sign() != Ordering::Greater {
        return 0.0;
    }
    if values.length2.is_zero() {
        return f64::INFINITY;
    }
    let mut lower = values.value.mul(&values.value).ratio(&values.length2).sqrt();
    while !values.at_least(lower) {
        lower = lower.next_down();
    }
    while values.at_least(lower.next_up()) {
        lower = lower.next_up();
    }
    lower
}

fn assemble(at: &Exact<'_>, (x, y, c): (&Mat, &[f64], &[f64]), found: Vec<Found>) -> Result<LeastNorm, Unwritten> {
    let mut leaves: Vec<(usize, f64)> = vec![];
    for (k, node) in found.iter().enumerate() {
        if let Found::Leaf(states, v) = node {
            let values = exactly(at, states, &Rational::of_f64(v)).ok_or(Unwritten::NoTree)?;
            leaves.push((k, norm_of(&values)));
        }
    }
    let best = leaves.iter().min_by(|a, b| a.1.total_cmp(&b.1)).ok_or(Unwritten::NoTree)?.0;
    let Found::Leaf(states, v) = &found[best] else { return Err(Unwritten::NoTree) };
    let solved = solve_active(at, states, v)?;
    let inexact = |fault| Unwritten::Inexact(fault);
    let values = exactly(at, states, &solved).ok_or(inexact(LeastNormFault::Multiplier))?;
    let weights: Vec<Vec<f64>> = neurons(at, |side| {
        values.center[side].iter().map(|q| if q.is_zero() { 0.0 } else { q.ratio(&values.denominator) }).collect()
    });
    let (v, denominator) = solved.read(2 * y.len(), "v").map_err(|_| Unwritten::NoTree)?;
    let sides = at.sides_of(&at.rows(states), &v);
    let (coefficients, exponent) = Dyadic::common(&neurons(at, |side| sides[side].clone()).concat());
    let (whole, scale) = Dyadic::common(std::slice::from_ref(&denominator));
    let network = Rational::shifted(&coefficients, &whole[0], exponent - scale);
    let (a, scale) = network.read(c.len() * y.len(), "point").map_err(|_| Unwritten::NoTree)?;
    let (norm2, scale2) = point(at, &a, &scale).map_err(|row| inexact(LeastNormFault::Point { row }))?;
    let mut upper = root_up(&norm2, &scale2);
    let covers = |v: f64| Dyadic::new(v).mul(&Dyadic::new(v)).mul(&scale2).sub(&norm2).sign() != Ordering::Less;
    while upper > 0.0 && covers(upper.next_down()) {
        upper = upper.next_down();
    }
    let mut out = LeastNorm { lower: f64::INFINITY, upper, weights, distance: Some(0.0), point: network, tree: vec![] };
    let mut distance = 0.0f64;
    for (k, node) in found.into_iter().enumerate() {
        let (states, v) = match node {
            Found::Split(row) => {
                out.tree.push(StateNode::Split { row });
                continue;
            }
            Found::Leaf(states, _) if k == best => (states, solved.clone()),
            Found::Leaf(states, v) => (states, Rational::of_f64(&v)),
        };
        let values = exactly(at, &states, &v).ok_or(inexact(LeastNormFault::Multiplier))?;
        out.lower = out.lower.min(norm_of(&values));
        let ball = (!values.longer_than((&norm2, &scale2))).then(|| {
            let ((apart, a), (radius, r)) = (values.apart2(at, &out.weights), values.radius2((&norm2, &scale2)));
            Ball { apart: root_up(&apart, &a), radius: root_up(&radius, &r) }
        });
        if let Some(ball) = ball {
            distance = distance.max(Dyadic::new(ball.apart).add(&Dyadic::new(ball.radius)).up());
        }
        out.tree.push(StateNode::Leaf(Multipliers { states: letters(&states), v, ball }));
    }
    out.distance = Some(distance);
    out.verify(x, y, c).map_err(inexact)?;
    Ok(out)
}

/// One list a neuron, in the order of the output weights.
fn neurons<T>(at: &Exact<'_>, of_side: impl Fn(usize) -> Vec<T>) -> Vec<Vec<T>> {
    let mut sides: Vec<(usize, usize)> =
        at.neuron.iter().enumerate().filter_map(|(side, j)| j.map(|j| (j, side))).collect();
    sides.sort_unstable();
    sides.into_iter().map(|(_, side)| of_side(side)).collect()
}

/// An f64 that is not below the root of `a / b`.
fn root_up(a: &Dyadic, b: &Dyadic) -> f64 {
    if a.sign() == Ordering::Greater { Dyadic::new(a.ratio_up(b)).root_up() } else { 0.0 }
}

/// Multipliers of the active constraints with `Q Q' v = rhs` exactly, 0 on the others.
fn solve_active(at: &Exact<'_>, states: &[State], v: &[f64]) -> Result<Rational, Unwritten> {
    let rows = at.rows(states);
    let dim = at.x.cols();
    let vector = |k: usize| -> Vec<f64> {
        let x = at.x.row(k / 2);
        [rows[k].pos, rows[k].neg].iter().flat_map(|q| x.iter().map(move |x| q * x)).collect()
    };
    let size = |k: usize| v[k].abs() * crate::num::mat::norm2(&vector(k));
    let largest = (0..v.len()).map(size).fold(0.0, f64::max);
    let needed = |row: &Row, k: usize| row.live() && (row.free || size(k) > ACTIVE * largest);
    let mut order: Vec<usize> = (0..v.len()).filter(|&k| needed(&rows[k], k)).collect();
    order.sort_by(|a, b| rows[*b].free.cmp(&rows[*a].free).then(size(*b).total_cmp(&size(*a))));
    let mut basis = RowBasis::new(2 * dim);
    let active: Vec<usize> = order.into_iter().filter(|&k| basis.push(&vector(k))).collect();
    if active.len() > MOST_ACTIVE {
        return Err(Unwritten::Size { active: active.len() });
    }
    let entries: Vec<Dyadic> = active
        .iter()
        .flat_map(|&k| active.iter().map(move |&l| (k, l)))
        .map(|(k, l)| product(at.x, (k / 2, &rows[k]), (l / 2, &rows[l])))
        .collect();
    let (entries, e) = Dyadic::common(&entries);
    let (right, f) = Dyadic::common(&active.iter().map(|&k| Dyadic::new(rows[k].rhs)).collect::<Vec<_>>());
    let matrix = entries.chunks(active.len().max(1)).map(<[_]>::to_vec).collect();
    let singular = Unwritten::Inexact(LeastNormFault::Tree);
    let (numerators, determinant) = solve(matrix, right).ok_or(singular)?;
    let mut full = vec![dashu_int::IBig::ZERO; v.len()];
    for (k, value) in active.into_iter().zip(numerators) {
        full[k] = value;
    }
    Ok(Rational::shifted(&full, &determinant, f - e))
}
