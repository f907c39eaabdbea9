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

use serde::{Deserialize, Serialize};

use crate::num::Mat;
use crate::num::outward::{div_down, gamma};
use prepare::Prepared;
use rows::Rows;
use search::search;

pub use free_bias::sup_free_bias;

/// Calls a function with the smallest storage that holds `dim` coordinates.
macro_rules! with_storage {
    ($dim:expr, $f:ident, $($a:expr),*) => {
        match $dim {
            0..=2 => $f::<2>($($a),*),
            3 => $f::<3>($($a),*),
            4 => $f::<4>($($a),*),
            5..=6 => $f::<6>($($a),*),
            7..=8 => $f::<8>($($a),*),
            9..=12 => $f::<12>($($a),*),
            13..=16 => $f::<16>($($a),*),
            17..=32 => $f::<32>($($a),*),
            33..=64 => $f::<64>($($a),*),
            65..=128 => $f::<128>($($a),*),
            _ => $f::<256>($($a),*),
        }
    };
}

/// What a search for the supremum aims at, and how long it may work.
#[derive(Clone, Copy)]
pub struct SupOptions<'a> {
    /// Done when `sup q <= target` is proved.
    pub target: f64,
    /// What happens when a direction with q above the target is met: `None` ends the search there; `Some(e)` raises the
    /// target to that value times `1 + e`, so that the search ends with the supremum to relative e.
    pub rise: Option<f64>,
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
    /// A direction with q above the target was found, and the target does not rise.
    Exceeded,
    /// The limit of nodes.
    Nodes,
    /// The caller asked to stop.
    Stopped,
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
            Self::Nodes => 3,
            Self::Stopped => 4,
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
    sup_with_slack(x, r, 0.0, options)
}

/// [`sup`] of a function that exceeds q over these rows by at most `slack` on the unit ball.
fn sup_with_slack(x: &Mat, r: &[f64], slack: f64, options: &SupOptions<'_>) -> Sup {
    let mut prepared = Prepared::new(x, r);
    prepared.add_slack(slack);
    if prepared.r.is_empty() {
        let upper = prepared.unscale(prepared.slack).next_up();
        return Sup { upper, lower: 0.0, argmax: vec![0.0; x.cols()], incumbents: vec![], nodes: 0, end: End::Proved };
    }
    if prepared.dim == 2 {
        return on_circle(x, r, &prepared, options);
    }
    with_storage!(prepared.dim, sup_in, x, r, &prepared, options)
}

/// Two coordinates: one pass over the circle, counted as one node.
fn on_circle(x: &Mat, r: &[f64], p: &Prepared, options: &SupOptions<'_>) -> Sup {
    let pass = circle::pass(p);
    let upper = p.unscale(pass.upper).next_up();
    let argmax = pass.peaks.first().map_or(vec![0.0; 2], |t| t.1.to_vec());
    let lower = value_down(x, r, &argmax);
    let target = p.scale(options.target);
    let above = pass.peaks.iter().filter(|t| t.0 > target);
    let reached = options.rise.map_or(options.target, |e| options.target.max(lower * (1.0 + e)));
    let end = match options.rise {
        None if lower > options.target => End::Exceeded,
        _ if upper <= reached => End::Proved,
        _ => End::Stuck,
    };
    Sup { upper, lower, argmax, incumbents: above.take(INCUMBENTS).map(|t| t.1.to_vec()).collect(), nodes: 1, end }
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
    with_storage!(prepared.dim, ascend_in, &prepared, start)
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

fn sup_in<const D: usize>(x: &Mat, r: &[f64], p: &Prepared, options: &SupOptions<'_>) -> Sup {
    let rows = rows_of::<D>(p);
    let starts: Vec<[f64; D]> = options
        .starts
        .iter()
        .map(|u| {
            assert_eq!(u.len(), p.dim, "direction of {} entries for {} columns", u.len(), p.dim);
            fixed(u)
        })
        .collect();
    let found = search(&rows, p.dim, p.scale(options.target), &starts, options.max_nodes, options);
    let argmax = found.argmax[..p.dim].to_vec();
    Sup {
        upper: p.unscale(found.upper).next_up(),
        lower: value_down(x, r, &argmax),
        argmax,
        incumbents: found.incumbents.iter().map(|(_, u)| u[..p.dim].to_vec()).collect(),
        nodes: found.nodes,
        end: found.end,
    }
}

/// A lower bound of `q(u / |u|)`, at least 0 (the value at the origin).
///
/// ```text
/// |computed - exact| <= gamma_(n + D + 8) sum_i |r_i| |x_i| |u|
/// ```
pub fn value_down(x: &Mat, r: &[f64], u: &[f64]) -> f64 {
    let length = crate::num::mat::norm2(u);
    if length == 0.0 {
        return 0.0;
    }
    let z = x.mul_vec(u);
    let value: f64 = z.iter().zip(r).map(|(z, r)| r * z.max(0.0)).sum();
    let size: f64 = r.iter().enumerate().map(|(i, r)| r.abs() * crate::num::mat::norm2(x.row(i))).sum();
    let g = gamma(x.rows() + 2 * x.cols() + 16);
    let down = value - 2.0 * g * size * length;
    if down > 0.0 { div_down(div_down(down, length), 1.0 + 2.0 * g).max(0.0) } else { 0.0 }
}
