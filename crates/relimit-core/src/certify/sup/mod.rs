//! Certified supremum of `q(u) = sum_i r_i relu(x_i . u)` over the unit ball, by a sign tree.
//!
//! ```text
//! node: signs s_i of x_i . u decided or not, ranges lo_i <= x_i . u <= hi_i on the part where q >= target
//! q(u) <= |sum_+ r_i x_i + sum_{*,r<0} theta_i r_i x_i + sum_{*,r>0} k_i r_i x_i + sum_decided m_i s_i x_i| + sum_{*,r>0} r_i e_i
//! ```
//!
//! Every number that is claimed is rounded outward: the search proposes multipliers, the inequality is evaluated with a
//! proven bound on its rounding. Work is counted in nodes; a run is the same for any number of threads.
//!
//! Source: math note on certificates, section 4.

mod ascend;
mod bounded;
mod chords;
mod circle;
mod cone;
mod ellipsoid;
mod free_bias;
mod majorant;
mod node;
mod prepare;
mod quadratic;
mod rows;
mod search;
mod secular;
#[cfg(test)]
mod soundness_tests;
mod vector;
mod vector_circle;
mod vector_free;
mod wide;

use serde::{Deserialize, Serialize};

use crate::num::Mat;
use crate::num::outward::{div_down, gamma};
use prepare::Prepared;
use rows::Rows;
use search::{maxima, search};
use wide::{ascend_wide, maxima_wide, sup_wide};

pub use free_bias::sup_free_bias;
pub use vector::{SupVector, sup_vector};
pub use vector_free::sup_vector_free_bias;

/// Calls a function with the smallest storage that holds `dim` coordinates, or the one for more than any.
macro_rules! with_storage {
    ($dim:expr, $f:ident, $wide:ident, $($a:expr),*) => {
        match $dim {
            0..=2 => $f::<2>($($a),*),
            3 => $f::<3>($($a),*),
            4 => $f::<4>($($a),*),
            5 => $f::<5>($($a),*),
            6 => $f::<6>($($a),*),
            7..=8 => $f::<8>($($a),*),
            9..=12 => $f::<12>($($a),*),
            13..=16 => $f::<16>($($a),*),
            17..=32 => $f::<32>($($a),*),
            33..=64 => $f::<64>($($a),*),
            65..=128 => $f::<128>($($a),*),
            129..=256 => $f::<256>($($a),*),
            _ => $wide($($a),*),
        }
    };
}

/// What a search for the supremum aims at, and how long it may work.
#[derive(Clone, Copy)]
pub struct SupOptions<'a> {
    /// Done when `sup q <= target` is proved.
    pub target: f64,
    /// What happens when a direction with q above the target is met: `None` ends the search there; `Some(e)` raises the
    /// target to that value times `1 + e` (and above the rounding of the bounds, about `1e-12 sum_i |r_i| |x_i|`), so that
    /// the search ends with the supremum to relative e.
    pub rise: Option<f64>,
    /// Nodes within which a direction above the target ends the search even where the target may rise.
    pub back: u64,
    /// Nodes that may be bounded.
    pub max_nodes: u64,
    /// Threads; the answer does not depend on them.
    pub threads: usize,
    /// Polled between batches of nodes; true ends the search.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Seed of the random directions that local search starts from.
    pub seed: u64,
    /// How many of them.
    pub random_starts: usize,
    /// Further directions to start from, each with D entries.
    pub starts: &'a [Vec<f64>],
}

impl SupOptions<'_> {
    /// To prove `sup q <= target`, or to end at the first direction above it: no limit of nodes, one thread.
    pub fn below(target: f64) -> Self {
        Self {
            target,
            rise: None,
            back: 0,
            max_nodes: u64::MAX,
            threads: 1,
            stop: &|| false,
            seed: 0,
            random_starts: 40,
            starts: &[],
        }
    }

    /// To find the supremum to a relative accuracy: no limit of nodes, one thread.
    pub fn to_accuracy(relative: f64) -> Self {
        Self { rise: Some(relative), ..Self::below(0.0) }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// `sup q <= max(target, best value found times 1 + rise)` is proved.
    Proved,
    /// A direction with q above the target was found, and the target does not rise, or not yet.
    Exceeded,
    /// The limit of nodes.
    Nodes,
    /// The caller asked to stop.
    Stopped,
    /// More than 256 coordinates: one bound of the whole ball.
    Dimension,
    /// All signs are decided on what is left, and rounding forbids less.
    Stuck,
}

impl End {
    /// The end that says less, of two searches that a claim needs both of.
    pub fn worse(self, other: Self) -> Self {
        let rank = |e: Self| match e {
            Self::Proved => 0,
            Self::Exceeded => 1,
            Self::Stuck => 2,
            Self::Dimension => 3,
            Self::Nodes => 4,
            Self::Stopped => 5,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// What is known of `sup q` over the unit ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sup {
    /// Proved: q <= upper on the unit ball.
    pub upper: f64,
    /// Proved: `q(argmax / |argmax|) >= lower >= 0`.
    pub lower: f64,
    /// Unit direction of the largest value found, to rounding; 0 when no value above 0 was found.
    pub argmax: Vec<f64>,
    /// Local maxima above the target, best first, at most 64.
    pub incumbents: Vec<Vec<f64>>,
    /// Nodes bounded.
    pub nodes: u64,
    /// Why the search ended.
    pub end: End,
}

/// A unit direction where |q| is large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// +1 where q is large, -1 where -q is: the sign of the output weight of a neuron there.
    pub sign: f64,
    /// The direction: weights, then the bias where there is one.
    pub u: Vec<f64>,
}

/// What is known of `sup |q|` over the unit ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BothSigns {
    /// Proved: |q| <= upper on the unit ball.
    pub upper: f64,
    /// Proved: |q| >= lower at `best`.
    pub lower: f64,
    /// The direction of the largest value found; `None` when no value above 0 was found.
    pub best: Option<Touch>,
    /// Local maxima above the target, best first, at most 64.
    pub incumbents: Vec<Touch>,
    /// Nodes bounded.
    pub nodes: u64,
    /// Why the search ended.
    pub end: End,
}

impl BothSigns {
    /// The answer for q alone.
    fn one_sign(self, dim: usize) -> Sup {
        Sup {
            upper: self.upper,
            lower: self.lower,
            argmax: self.best.map_or_else(|| vec![0.0; dim], |t| t.u),
            incumbents: self.incumbents.into_iter().map(|t| t.u).collect(),
            nodes: self.nodes,
            end: self.end,
        }
    }
}

/// Bounds `sup over |u| <= 1 of sum_i r_i relu(x_i . u)` from both sides.
///
/// # Shapes
/// `x` n x D, `r` n; directions have D entries.
///
/// # Panics
/// On shapes that do not match, NaN or infinite entries.
///
/// # Cost
/// O(n D) a node for a few dozen pivots each; see the module for what decides the number of nodes.
///
/// # Source
/// math note on certificates, section 4.
pub fn sup(x: &Mat, r: &[f64], options: &SupOptions<'_>) -> Sup {
    sup_signs(x, r, &[1.0], 0.0, options).one_sign(x.cols())
}

/// Bounds `sup over |u| <= 1 of |q(u)|` from both sides: one search over the trees of q and -q.
///
/// Shapes, panics and cost as [`sup`]; `max_nodes` counts both trees.
pub fn sup_abs(x: &Mat, r: &[f64], options: &SupOptions<'_>) -> BothSigns {
    sup_signs(x, r, &[1.0, -1.0], 0.0, options)
}

/// The largest `sup` over some signs of r, of a function that exceeds q over these rows by at most `slack` on the unit ball.
fn sup_signs(x: &Mat, r: &[f64], signs: &[f64], slack: f64, options: &SupOptions<'_>) -> BothSigns {
    let mut prepared = Prepared::new(x, r);
    prepared.add_slack(slack);
    if prepared.r.is_empty() {
        let upper = prepared.unscale(prepared.slack).next_up();
        return BothSigns { upper, lower: 0.0, best: None, incumbents: vec![], nodes: 0, end: End::Proved };
    }
    if prepared.dim == 2 {
        return on_circle(x, r, signs, prepared, options);
    }
    with_storage!(prepared.dim, sup_in, sup_wide, x, r, signs, &prepared, options)
}

/// Two coordinates: one pass over the circle for each sign, counted as one node.
fn on_circle(x: &Mat, r: &[f64], signs: &[f64], mut p: Prepared, options: &SupOptions<'_>) -> BothSigns {
    let target = p.scale(options.target);
    let plain = p.r.clone();
    let mut upper = 0.0f64;
    let mut peaks: Vec<(f64, Touch)> = Vec::new();
    for &sign in signs {
        p.r = plain.iter().map(|v| sign * v).collect();
        let pass = circle::pass(&p);
        upper = upper.max(p.unscale(pass.upper).next_up());
        peaks.extend(pass.peaks.into_iter().map(|(value, u)| (value, Touch { sign, u: u.to_vec() })));
    }
    peaks.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = peaks.first().map(|t| t.1.clone());
    let lower = best.as_ref().map_or(0.0, |t| value_down(x, r, t));
    // Where the target follows what is found, it stays above the rounding of the pass.
    let size: f64 = plain.iter().zip(p.rows.chunks_exact(2)).map(|(r, x)| r.abs() * x[0].hypot(x[1])).sum();
    let floor = p.unscale(4e-14 * size + 2.0 * p.slack);
    let reached = options.rise.map_or(options.target, |e| options.target.max(lower * (1.0 + e)).max(floor));
    let end = match options.rise {
        None if lower > options.target => End::Exceeded,
        _ if upper <= reached => End::Proved,
        _ => End::Stuck,
    };
    let above = peaks.into_iter().filter(|t| t.0 > target);
    let incumbents = above.take(INCUMBENTS).map(|t| t.1).collect();
    BothSigns { upper, lower, best, incumbents, nodes: signs.len() as u64, end }
}

/// Directions that a pass over the circle hands back.
const INCUMBENTS: usize = 64;

/// The value and direction of a local maximum of q on the unit sphere that an ascent from `start` reaches.
///
/// The value never falls; O(n D) a pivot, a few dozen pivots. Panics on shapes that do not match.
pub fn ascend(x: &Mat, r: &[f64], start: &[f64]) -> (f64, Vec<f64>) {
    assert_eq!(start.len(), x.cols(), "direction of {} entries for {} columns", start.len(), x.cols());
    let prepared = Prepared::new(x, r);
    if prepared.r.is_empty() {
        return (0.0, start.to_vec());
    }
    with_storage!(prepared.dim, ascend_in, ascend_wide, &prepared, start)
}

/// Local maxima of q on the unit sphere above the target, best first, at most 64: what [`sup`] meets before it bounds anything.
///
/// Ascents start from `options.starts` and random directions; nothing is claimed about maxima that they miss.
///
/// # Shapes
/// `x` n x D, `r` n; directions have D entries.
///
/// # Cost
/// O(n D) a pivot, a few dozen pivots for each start.
pub fn local_maxima(x: &Mat, r: &[f64], options: &SupOptions<'_>) -> Vec<Vec<f64>> {
    let prepared = Prepared::new(x, r);
    if prepared.r.is_empty() {
        return vec![];
    }
    with_storage!(prepared.dim, maxima_in, maxima_wide, &prepared, options)
}

fn maxima_in<const D: usize>(p: &Prepared, options: &SupOptions<'_>) -> Vec<Vec<f64>> {
    let found = maxima(&rows_of::<D>(p), p.dim, p.scale(options.target), &starts_in(p, options), options);
    found.iter().map(|t| t.u[..p.dim].to_vec()).collect()
}

/// The caller's directions in the storage of the search.
fn starts_in<const D: usize>(p: &Prepared, options: &SupOptions<'_>) -> Vec<[f64; D]> {
    let check = |u: &Vec<f64>| {
        assert_eq!(u.len(), p.dim, "direction of {} entries for {} columns", u.len(), p.dim);
        fixed(u)
    };
    options.starts.iter().map(check).collect()
}

fn rows_of<const D: usize>(p: &Prepared) -> Rows<D> {
    Rows::new(&p.rows, p.dim, p.r.clone(), p.slack)
}

fn fixed<const D: usize>(u: &[f64]) -> [f64; D] {
    let mut out = [0.0; D];
    out[..u.len()].copy_from_slice(u);
    out
}

fn ascend_in<const D: usize>(p: &Prepared, start: &[f64]) -> (f64, Vec<f64>) {
    let rows = rows_of::<D>(p);
    let (value, u) = ascend::Climber::new(&rows).ascend(&fixed(start));
    (p.unscale(value), u[..p.dim].to_vec())
}

fn sup_in<const D: usize>(x: &Mat, r: &[f64], signs: &[f64], p: &Prepared, options: &SupOptions<'_>) -> BothSigns {
    let rows = rows_of::<D>(p);
    let starts = starts_in(p, options);
    let trees: Vec<Rows<D>> = signs.iter().map(|s| if *s > 0.0 { rows.clone() } else { rows.negated() }).collect();
    let found = search(&trees, p.dim, p.scale(options.target), &starts, options);
    let touch = |d: &search::Direction<D>| Touch { sign: signs[d.tree], u: d.u[..p.dim].to_vec() };
    let best = (found.argmax.value > 0.0).then(|| touch(&found.argmax));
    BothSigns {
        upper: p.unscale(found.upper).next_up(),
        lower: best.as_ref().map_or(0.0, |t| value_down(x, r, t)),
        best,
        incumbents: found.incumbents.iter().map(touch).collect(),
        nodes: found.nodes,
        end: found.end,
    }
}

/// A lower bound of `sign q(u / |u|)`, at least 0 (the value at the origin).
///
/// ```text
/// |computed - exact| <= gamma_(n + D + 8) sum_i |r_i| |x_i| |u|
/// ```
pub fn value_down(x: &Mat, r: &[f64], touch: &Touch) -> f64 {
    let u = &touch.u;
    let length = crate::num::mat::norm2(u);
    if length == 0.0 {
        return 0.0;
    }
    let z = x.mul_vec(u);
    let value: f64 = touch.sign * z.iter().zip(r).map(|(z, r)| r * z.max(0.0)).sum::<f64>();
    let size: f64 = r.iter().enumerate().map(|(i, r)| r.abs() * crate::num::mat::norm2(x.row(i))).sum();
    let g = gamma(x.rows() + 2 * x.cols() + 16);
    let down = value - 2.0 * g * size * length;
    if down > 0.0 { div_down(div_down(down, length), 1.0 + 2.0 * g).max(0.0) } else { 0.0 }
}
