//! Vector weights where the bias is not penalised: at the kinks for one input, by cones of scalar searches for more.

use super::free_bias::sup_free_bias;
use super::vector::{SCALAR, SupVector, cones};
use super::{End, SupOptions};
use crate::num::Mat;
use crate::num::balance::balance;
use crate::num::eft::dot_minus;
use crate::num::exact::sum_is_zero;
use crate::num::mat::{axpy, dot, norm2};
use crate::num::outward::{add_up, div_down, gamma, mul_up, sub_down};

/// Bounds `sup over |w| <= 1, b of |sum_i relu(x_i . w + b) r_i|` from both sides, as [`sup_vector`](super::sup_vector) does
/// for the ball; infinite unless every column of r sums to exactly 0.
///
/// ```text
/// S(v) = sup over |w| <= 1, b of |sum_i (r_i . v) relu(x_i . w + b)|,   convex and positively homogeneous
/// ```
///
/// # Shapes
/// `x` n x d, `r` n x k, k >= 1; `argmax` (w, b) d + 1 with |w| = 1, `output` k.
///
/// # Cost
/// One input: |Q| is convex between two kinks and constant beyond them, O(n k) for each of n kinks, to rounding. Otherwise
/// each scalar search is one of [`sup_free_bias`].
pub fn sup_vector_free_bias(x: &Mat, r: &Mat, options: &SupOptions<'_>) -> SupVector {
    assert_eq!(x.rows(), r.rows(), "{} rows and {} weights", x.rows(), r.rows());
    let (n, d, k) = (x.rows(), x.cols(), r.cols());
    assert!(k > 0, "vector weights of no entries");
    let mut out = SupVector {
        upper: 0.0,
        lower: 0.0,
        argmax: vec![0.0; d + 1],
        output: vec![0.0; k],
        nodes: 0,
        searches: 0,
        end: End::Proved,
    };
    let columns = r.transpose();
    if (0..k).any(|l| !sum_is_zero(columns.row(l))) {
        return SupVector { upper: f64::INFINITY, end: End::Stuck, ..out };
    }
    let accuracy = options.rise.unwrap_or(1e-6).max(4.0 * SCALAR);
    if d == 1 {
        at_kinks(x.as_slice(), &columns, &mut out);
        let reached = options.target.max(out.lower * (1.0 + accuracy));
        out.end = match options.rise {
            None if out.lower > options.target => End::Exceeded,
            _ if out.upper <= reached => End::Proved,
            _ => End::Stuck,
        };
        return out;
    }
    // From any point, here the mean: the part of a weight that rounding takes off counts with the distance from it.
    let centre: Vec<f64> = (0..d).map(|c| (0..n).map(|i| x[(i, c)]).sum::<f64>() / n as f64).collect();
    let field = Field { x, r, reach: (0..n).map(|i| distance_up(x.row(i), &centre)).collect() };
    cones(k, accuracy, options, &mut out, &|v, out| field.support(v, options, out));
    out
}

/// `|a - b|`, rounded up.
fn distance_up(a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(p, q)| p - q).collect();
    mul_up(norm2(&difference), 1.0 + gamma(a.len() + 8))
}

/// One input: both slopes at every kink; `columns` k x n.
fn at_kinks(x: &[f64], columns: &Mat, out: &mut SupVector) {
    let (n, k) = (x.len(), columns.rows());
    let mut kinks: Vec<f64> = (0..n).filter(|&i| (0..k).any(|l| columns[(l, i)] != 0.0)).map(|i| x[i]).collect();
    kinks.sort_by(f64::total_cmp);
    kinks.dedup();
    (out.nodes, out.searches) = (1, 1);
    for &t in &kinks {
        for side in [1.0, -1.0] {
            let z: Vec<f64> = x.iter().map(|x| (side * (x - t)).max(0.0)).collect();
            let value: Vec<f64> = (0..k).map(|l| dot_minus(columns.row(l), &z, 0.0)).collect();
            // differences and the result are rounded once each, sums in twice the precision
            let g = gamma(n + 2);
            let lost = (0..k).map(|l| {
                let size = columns.row(l).iter().zip(&z).map(|(r, z)| r.abs() * z).sum::<f64>() * (1.0 + g);
                add_up(mul_up(value[l].abs(), f64::EPSILON), mul_up(size, f64::EPSILON + 4.0 * g * g))
            });
            let lost = mul_up(norm2(&lost.collect::<Vec<f64>>()), 1.0 + gamma(k + 8)) + f64::MIN_POSITIVE;
            let length = norm2(&value);
            out.upper = out.upper.max(add_up(mul_up(length, 1.0 + gamma(k + 8)), lost));
            let lower = sub_down(length / (1.0 + gamma(k + 8)), lost).next_down();
            if lower > out.lower {
                out.lower = lower;
                out.argmax = vec![side, -side * t];
                out.output = value.iter().map(|v| v / length).collect();
            }
        }
    }
}

/// Rows and weights of several inputs, and how far each row is from a centre.
struct Field<'a> {
    x: &'a Mat,
    r: &'a Mat,
    reach: Vec<f64>,
}

impl Field<'_> {
    /// An upper bound of S(v); the direction met raises the lower bound.
    fn support(&self, v: &[f64], options: &SupOptions<'_>, out: &mut SupVector) -> f64 {
        let n = self.r.rows();
        let mut weights: Vec<f64> = (0..n).map(|i| dot(self.r.row(i), v)).collect();
        let plain = weights.clone();
        let taken: Vec<usize> = (0..n).filter(|&i| norm2(self.r.row(i)) > 0.0).collect();
        balance(&mut weights, &taken);
        let part = SupOptions {
            target: 0.5 * options.target.max(out.lower),
            rise: Some(SCALAR),
            max_nodes: options.max_nodes.saturating_sub(out.nodes).max(1),
            ..*options
        };
        let found = sup_free_bias(self.x, &weights, &part);
        out.nodes += found.nodes;
        out.searches += 1;
        if let Some(best) = &found.best {
            self.offer(&best.u, out);
        }
        // Exact and balanced weights both sum to 0, so does their difference e, and with |w| <= 1
        // |sum_i e_i relu(x_i . w + b)| = |sum_i e_i (relu(x_i . w + b) - relu(centre . w + b))| <= sum_i |e_i| |x_i - centre|
        let g = gamma(2 * v.len() + 8);
        let lost = (0..n).fold(0.0, |s, i| {
            let off =
                add_up(mul_up(mul_up(g, norm2(self.r.row(i))), norm2(v)), (weights[i] - plain[i]).abs().next_up());
            add_up(s, mul_up(off, self.reach[i]))
        });
        add_up(found.upper, mul_up(lost, 1.0 + 1e-12))
    }

    /// Raises the lower bound by the value at a direction (w, b).
    ///
    /// ```text
    /// |computed Q - Q| <= gamma_(n + d + 4) sum_i |r_i| (|x_i| |w| + |b|)
    /// ```
    fn offer(&self, u: &[f64], out: &mut SupVector) {
        let (n, d, k) = (self.x.rows(), self.x.cols(), self.r.cols());
        let (w, b) = (&u[..d], u[d]);
        let mut value = vec![0.0; k];
        let mut size = 0.0;
        for i in 0..n {
            axpy((dot(self.x.row(i), w) + b).max(0.0), self.r.row(i), &mut value);
            size += norm2(self.r.row(i)) * (norm2(self.x.row(i)) * norm2(w) + b.abs());
        }
        let g = gamma(2 * (n + d + k) + 16);
        let down = norm2(&value) - 2.0 * g * size;
        if !(down > 0.0) {
            return;
        }
        let lower = div_down(div_down(down, norm2(w)), 1.0 + 2.0 * g);
        if lower > out.lower {
            let length = norm2(&value);
            out.lower = lower;
            out.argmax = u.to_vec();
            out.output = value.iter().map(|v| v / length).collect();
        }
    }
}
