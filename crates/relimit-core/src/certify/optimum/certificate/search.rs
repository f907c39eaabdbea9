//! A plain sign tree made on request: chords, ranges by projection, splits where the chord is loosest.
//!
//! The fast search of `certify::sup` bounds with more means and keeps no proof; this one keeps every number of its proof.

use super::geometry::{Frame, Geometry};
use super::tree::{Leaf, Range, TreeNode, pattern};
use crate::certify::optimum::Bias;
use crate::num::Mat;
use crate::num::box_least_squares::shares_in_box;
use crate::num::mat::{axpy, norm2};
use crate::num::outward::{add_up, gamma, mul_up, sub_up};

/// Weight of the coordinate of a free bias in least squares, in units of the reach.
const FREE_WEIGHT: f64 = 100.0;

/// Rounds of multipliers that take that coordinate of a bound to 0 where it can be.
const ROUNDS: usize = 6;

/// Why there is no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// The limit of nodes.
    Nodes,
    /// The caller asked to stop.
    Stopped,
    /// Nothing is left to split on and q is above the target.
    Above,
}

/// The search for one sign of the dual.
pub(super) struct Search<'a> {
    /// n x D, centred for a free bias.
    rows: Mat,
    length: Vec<f64>,
    geometry: &'a Geometry<'a>,
    reach: Option<f64>,
    r: &'a [f64],
    target: f64,
    sup: f64,
}

impl<'a> Search<'a> {
    /// Proves `q <= sup` by leaves whose computed bounds are at most `target`, a little below.
    pub(super) fn new(
        (x, bias, frame): (&Mat, Bias, Option<&Frame>),
        geometry: &'a Geometry<'a>,
        r: &'a [f64],
        (target, sup): (f64, f64),
    ) -> Self {
        let d = x.cols();
        let ones = usize::from(bias != Bias::None);
        let entry = |i: usize, k: usize| match frame {
            _ if k == d => 1.0,
            Some(frame) => x[(i, k)] - frame.centre[k],
            None => x[(i, k)],
        };
        let rows = Mat::from_fn(x.rows(), d + ones, entry);
        let length = (0..x.rows()).map(|i| norm2(rows.row(i))).collect();
        Self { rows, length, geometry, reach: frame.map(|f| f.reach), r, target, sup }
    }

    /// The tree in preorder, with at most `limit` nodes.
    pub(super) fn tree(&self, limit: usize, stop: &dyn Fn() -> bool) -> Result<Vec<TreeNode>, Open> {
        let mut nodes = vec![];
        let mut open = vec![vec![0i8; self.r.len()]];
        while let Some(signs) = open.pop() {
            if stop() {
                return Err(Open::Stopped);
            }
            // Every open branch takes a node at least.
            if nodes.len() + open.len() >= limit {
                return Err(Open::Nodes);
            }
            match self.bound(&signs) {
                Ok(leaf) => nodes.push(TreeNode::Leaf(leaf)),
                Err(None) => return Err(Open::Above),
                Err(Some(row)) => {
                    nodes.push(TreeNode::Split { row });
                    for sign in [1, -1] {
                        let mut signs = signs.clone();
                        signs[row] = sign;
                        open.push(signs);
                    }
                }
            }
        }
        Ok(nodes)
    }

    /// A leaf that holds, or the row to split on (none when no chord is loose).
    fn bound(&self, signs: &[i8]) -> Result<Leaf, Option<usize>> {
        let n = signs.len();
        let decided: Vec<usize> = (0..n).filter(|&i| signs[i] != 0).collect();
        let cone: Vec<Vec<f64>> = decided.iter().map(|&i| self.column(i, f64::from(signs[i]))).collect();
        let free = vec![f64::INFINITY; decided.len()];
        let mut ranges = vec![];
        let mut slopes = vec![0.0; n];
        let mut g = vec![0.0; self.rows.cols()];
        let (mut columns, mut upper) = (cone.clone(), free.clone());
        let mut released = vec![];
        for i in 0..n {
            let weight = self.r[i];
            match signs[i] {
                1 => slopes[i] = weight,
                -1 => {}
                _ if weight < 0.0 => {
                    columns.push(self.column(i, weight));
                    upper.push(1.0);
                    released.push(i);
                }
                _ if weight > 0.0 => {
                    let range = self.range(i, weight, &decided, &cone, &free, signs);
                    slopes[i] = range.1;
                    ranges.push(range.0);
                }
                _ => {}
            }
            axpy(1.0, &self.column(i, slopes[i]), &mut g);
        }
        let theta = self.shortest(&g, &columns, &upper);
        for (&i, m) in decided.iter().zip(&theta) {
            slopes[i] += f64::from(signs[i]) * m;
            // Rounding must not take a slope to the wrong side.
            slopes[i] = if signs[i] > 0 { slopes[i].max(self.r[i]) } else { slopes[i].min(0.0) };
        }
        for (&i, share) in released.iter().zip(&theta[decided.len()..]) {
            slopes[i] = (self.r[i] * share).clamp(self.r[i], 0.0);
        }
        let loosest = ranges.iter().filter(|t: &&Range| t.intercept > 0.0);
        let split = loosest.max_by(|a, b| a.intercept.total_cmp(&b.intercept)).map(|t| t.row);
        let excess: f64 = ranges.iter().map(|t| t.intercept).sum();
        let leaf = Leaf { pattern: pattern(signs), slopes, ranges };
        if self.length_of(&leaf.slopes) + excess > self.target {
            return Err(split);
        }
        leaf.verify(self.geometry, self.r, self.sup, signs).map_err(|_| split)?;
        Ok(leaf)
    }

    /// `scale x_i`.
    fn column(&self, i: usize, scale: f64) -> Vec<f64> {
        self.rows.row(i).iter().map(|x| scale * x).collect()
    }

    /// Shares in [0, upper] of columns that make `N(g + sum_k share_k column_k)` least, or small with a free bias.
    ///
    /// There `N = |v_w| + reach |v_b|`, and the best v has `v_b = 0` once every sign is decided: the method of multipliers.
    fn shortest(&self, g: &[f64], columns: &[Vec<f64>], upper: &[f64]) -> Vec<f64> {
        let Some(reach) = self.reach else { return shares_in_box(g, columns, upper) };
        let weight = FREE_WEIGHT * if reach > 0.0 { reach } else { 1.0 };
        let weighted = |v: &[f64]| {
            let mut v = v.to_vec();
            v[self.rows.cols() - 1] *= weight;
            v
        };
        let scaled: Vec<Vec<f64>> = columns.iter().map(|v| weighted(v)).collect();
        let mut shifted = weighted(g);
        let mut best = (f64::INFINITY, vec![0.0; columns.len()]);
        for _ in 0..ROUNDS {
            let theta = shares_in_box(&shifted, &scaled, upper);
            let mut v = g.to_vec();
            for (column, share) in columns.iter().zip(&theta) {
                axpy(*share, column, &mut v);
            }
            let b = v[self.rows.cols() - 1];
            let length = self.norm(&v);
            if length < best.0 {
                best = (length, theta);
            } else {
                break;
            }
            shifted[self.rows.cols() - 1] += weight * b;
        }
        best.1
    }

    /// `N(sum_i share_i x_i)`, as computed.
    fn length_of(&self, share: &[f64]) -> f64 {
        self.norm(&self.rows.tmul_vec(share))
    }

    /// `N(v)`, as computed.
    fn norm(&self, v: &[f64]) -> f64 {
        match (self.reach, v.split_last()) {
            (Some(reach), Some((b, w))) => norm2(w) + reach * b.abs(),
            _ => norm2(v),
        }
    }

    /// Range of row i on the node, and the slope of its chord times the weight.
    fn range(
        &self,
        i: usize,
        weight: f64,
        decided: &[usize],
        cone: &[Vec<f64>],
        free: &[f64],
        signs: &[i8],
    ) -> (Range, f64) {
        let end = |sign: f64| {
            let theta = self.shortest(&self.column(i, sign), cone, free);
            let mut share = vec![0.0; signs.len()];
            share[i] = sign;
            let mut by = vec![];
            for (&k, &m) in decided.iter().zip(&theta).filter(|(_, m)| **m > 0.0) {
                share[k] = m * f64::from(signs[k]);
                by.push((k, m));
            }
            let size: f64 = share.iter().zip(&self.length).map(|(a, l)| a.abs() * l).sum();
            let room = (1.0 + self.reach.unwrap_or(0.0)) * 4.0 * gamma(signs.len() + self.rows.cols() + 8);
            (add_up(self.length_of(&share), room * size + f64::MIN_POSITIVE), by)
        };
        let ((low, below), (high, above)) = (end(-1.0), end(1.0));
        let slope = weight * (high / (low + high)).clamp(0.0, 1.0);
        let intercept = mul_up(slope, low).max(mul_up(sub_up(weight, slope).max(0.0), high));
        (Range { row: i, low: -low, high, below, above, intercept }, slope)
    }
}
