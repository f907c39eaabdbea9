//! Why no network of this shape attains the targets, in terms of rows.

use relimit_core::certify::min_norm::{Evidence, Node, Sides};
use relimit_core::descent::Problem;
use relimit_core::num::Mat;
use relimit_core::num::mat::{dot, norm2};
use serde::{Deserialize, Serialize};

/// What makes the targets unattainable. Rows count from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstruction {
    /// A row of zeros: every network outputs 0 there.
    ZeroRow {
        /// The example.
        row: usize,
    },
    /// Two equal rows with different targets.
    EqualRows {
        /// The earlier example.
        first: usize,
        /// The later example.
        second: usize,
    },
    /// `x_second = factor x_first` (to rounding), but the targets are not in this ratio, as every network's outputs are.
    ProportionalRows {
        /// The earlier example.
        first: usize,
        /// The later example.
        second: usize,
        /// The ratio of the rows, positive.
        factor: f64,
    },
    /// More constraints than the network can meet: the listed rows are linearly dependent in a way that excludes their
    /// targets, whatever the weights: `sum_k multipliers_k x_rows_k = 0` on each neuron while the right-hand sides add
    /// up to more than 0.
    DependentRows {
        /// The examples.
        rows: Vec<usize>,
        /// For each example its two multipliers, in the order of `certify::min_norm::rows`.
        multipliers: Vec<[f64; 2]>,
        /// The number of weights (neurons of either sign, one each, times inputs).
        weights: usize,
    },
    /// Every way to share the examples between the neurons is excluded, each by a dependence of its own.
    EveryPattern {
        /// The examples that suffice.
        rows: Vec<usize>,
        /// Number of cases.
        cases: usize,
    },
}

/// A zero row or two rows of one direction whose targets disagree; the first such pair.
///
/// O(n^2) from the Gram matrix, else O(n D + n log n).
pub(super) fn conflicting_rows(problem: &Problem, targets: &[f64], norms: &[f64]) -> Option<(Obstruction, Evidence)> {
    let x = problem.x();
    if let Some(row) = (0..x.rows()).find(|&i| norms[i] == 0.0 && targets[i] != 0.0) {
        return Some((Obstruction::ZeroRow { row }, Evidence::ZeroRow { row }));
    }
    let found = near_pairs(problem, norms).into_iter().filter(|p| conflict(x, targets, norms, p.0, p.1)).min();
    let (first, second) = found?;
    let evidence = Evidence::Pair { first, second };
    let obstruction = if x.row(first) == x.row(second) {
        Obstruction::EqualRows { first, second }
    } else {
        Obstruction::ProportionalRows { first, second, factor: norms[second] / norms[first] }
    };
    Some((obstruction, evidence))
}

/// Pairs of rows whose directions may be equal to rounding (a superset).
fn near_pairs(problem: &Problem, norms: &[f64]) -> Vec<(usize, usize)> {
    let (x, n) = (problem.x(), problem.n());
    let mut pairs = Vec::new();
    if let Some(g) = problem.gram() {
        for i in 0..n {
            for k in 0..i {
                // Not `<`: products that overflow make a candidate too.
                let below = g[(i, k)] < norms[i] * norms[k] * (1.0 - 1e-10);
                if norms[i] > 0.0 && norms[k] > 0.0 && !below {
                    pairs.push((k, i));
                }
            }
        }
        return pairs;
    }
    // Rows of one direction have equal projections of x / |x| on a fixed generic vector.
    let generic: Vec<f64> = (0..x.cols()).map(|k| generic_entry(k as u64)).collect();
    let length = norm2(&generic).max(1.0);
    let mut order: Vec<(f64, usize)> = (0..n)
        .filter(|&i| norms[i] > 0.0)
        .map(|i| (x.row(i).iter().zip(&generic).map(|(v, g)| v / norms[i] * g).sum::<f64>(), i))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for s in 0..order.len() {
        for t in s + 1..order.len().min(s + 50) {
            if order[t].0 - order[s].0 > 1e-11 * length {
                break;
            }
            pairs.push((order[s].1.min(order[t].1), order[s].1.max(order[t].1)));
        }
    }
    pairs
}

/// Whether two rows of one direction (to rounding) have targets that no network can give both.
fn conflict(x: &Mat, targets: &[f64], norms: &[f64], i: usize, k: usize) -> bool {
    if x.row(i) == x.row(k) {
        return targets[i] != targets[k];
    }
    let cosine = dot(x.row(i), x.row(k)) / norms[i] / norms[k];
    let (a, b) = (targets[i] / norms[i], targets[k] / norms[k]);
    let apart = x.row(i).iter().zip(x.row(k)).map(|(p, q)| (p / norms[i] - q / norms[k]).abs()).fold(0.0, f64::max);
    cosine > 0.0 && apart < 8.0 * f64::EPSILON && (a - b).abs() > 1e-9 * a.abs().max(b.abs())
}

/// A fixed sequence without structure (splitmix64), in (-1, 1).
fn generic_entry(k: u64) -> f64 {
    let mut z = k.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The dependence behind an infeasible tree.
pub(super) fn from_tree(evidence: &Evidence, sides: Sides, dim: usize) -> Option<Obstruction> {
    let Evidence::Tree { examples, nodes } = evidence else { return None };
    if let [Node::Leaf { v }] = nodes.as_slice() {
        let scale = v.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        let used: Vec<usize> =
            (0..examples.len()).filter(|k| v[2 * k].abs().max(v[2 * k + 1].abs()) > 1e-12 * scale).collect();
        return Some(Obstruction::DependentRows {
            rows: used.iter().map(|&k| examples[k]).collect(),
            multipliers: used.iter().map(|&k| [v[2 * k], v[2 * k + 1]]).collect(),
            weights: dim * (usize::from(sides.pos > 0.0) + usize::from(sides.neg > 0.0)),
        });
    }
    let cases = nodes.iter().filter(|n| matches!(n, Node::Leaf { .. })).count();
    Some(Obstruction::EveryPattern { rows: examples.clone(), cases })
}
