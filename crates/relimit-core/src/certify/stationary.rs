//! Whether descent can still move a network: the shortest element of the subdifferential of its regularised loss.

use serde::{Deserialize, Serialize};

use super::optimum::{Bias, Objective, Offset};
use crate::net::{Network, relu};
use crate::num::Mat;
use crate::num::box_least_squares::shortest_in_box;
use crate::num::mat::norm2;

/// A preactivation within this share of `|w_j| |x_i| + |b_j|` counts as 0: what training in single precision leaves.
pub const KINK: f64 = 1e-6;

/// The gradient of a network's regularised loss, all parameters together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stationarity {
    /// Norm of the shortest element of the subdifferential.
    pub residual: f64,
    /// Its own scale: the norm that the same sums have without cancellation.
    pub scale: f64,
    /// `residual / scale`; 0 where both are 0.
    pub relative: f64,
    /// Pairs (neuron, row) on a kink, where relu' may be anything from 0 to 1.
    pub kinks: usize,
}

/// The shortest element of the subdifferential of `loss + (lambda/2) |theta|^2` with the weights as given.
///
/// ```text
/// d/du_j = lambda u_j - c_j sum_i r_i theta_ij x~_i,   theta_ij = 1 for z > 0, 0 for z < 0, in [0, 1] on a kink
/// d/dc_j = lambda c_j - sum_i r_i relu(z_ij),          r_i = omega_i (y_i - f(x_i))
/// scale: the same with absolute values, r_i replaced by omega_i max(|y_i| + |f(x_i)|, Y), Y^2 = mean of y_i^2
/// ```
///
/// theta_ij is chosen apart for every kink (the chain rule), a set that contains Clarke's subdifferential: 0 is a proof
/// of nothing where several kinks of one neuron meet. Biases take part as the objective has them.
///
/// # Shapes
/// `x` n x d, `y` n; one output.
///
/// # Cost
/// O(n m d), and a bounded least-squares problem for each neuron with kinks.
///
/// # Source
/// Clarke, Optimization and Nonsmooth Analysis, 2.3.
pub fn stationarity(objective: &Objective, x: &Mat, y: &[f64], net: &Network) -> Stationarity {
    let (n, d, m) = (x.rows(), x.cols(), net.width());
    assert_eq!(n, y.len(), "{n} rows and {} labels", y.len());
    assert_eq!(net.outputs(), 1, "a network of {} outputs for one column of labels", net.outputs());
    let omega = objective.factors(n);
    let f = net.forward(x).into_vec();
    let r: Vec<f64> = (0..n).map(|i| omega[i] * (y[i] - f[i])).collect();
    // a neuron that sees rows of label 0 alone is judged by the labels all the same
    let typical = if n == 0 { 0.0 } else { norm2(y) / (n as f64).sqrt() };
    let s: Vec<f64> = (0..n).map(|i| omega[i] * (y[i].abs() + f[i].abs()).max(typical)).collect();
    let length: Vec<f64> = (0..n).map(|i| norm2(x.row(i))).collect();
    let biased = objective.bias != Bias::None;
    let dim = d + usize::from(biased);
    let entry = |i: usize, k: usize| if k < d { x[(i, k)] } else { 1.0 };
    let lambda = objective.lambda;
    let (mut parts, mut sizes, mut kinks) = (vec![], vec![], 0);
    for j in 0..m {
        let (w, b, c) = (net.w.row(j), net.b[j], net.c[(0, j)]);
        let own = norm2(w);
        let decay = |k: usize| match k {
            k if k < d => lambda * w[k],
            _ if objective.bias == Bias::Penalised => lambda * b,
            _ => 0.0,
        };
        let mut slope: Vec<f64> = (0..dim).map(decay).collect();
        let mut size: Vec<f64> = slope.iter().map(|v| v.abs()).collect();
        let (mut outer, mut outer_size) = (lambda * c, lambda * c.abs());
        let mut columns = vec![];
        for i in 0..n {
            let z = net.preactivation(j, x.row(i));
            let kink = z.abs() <= KINK * (own * length[i] + b.abs());
            if z < 0.0 && !kink {
                continue;
            }
            outer -= r[i] * relu(z);
            outer_size += s[i] * relu(z);
            for (k, v) in size.iter_mut().enumerate() {
                *v += (c * s[i] * entry(i, k)).abs();
            }
            if kink {
                kinks += 1;
                columns.push((0..dim).map(|k| -c * r[i] * entry(i, k)).collect());
            } else {
                slope.iter_mut().enumerate().for_each(|(k, v)| *v -= c * r[i] * entry(i, k));
            }
        }
        parts.push(norm2(&shortest_in_box(&slope, &columns)));
        parts.push(outer);
        sizes.push(norm2(&size));
        sizes.push(outer_size);
    }
    if objective.offset != Offset::None || objective.bias == Bias::Free {
        let decay = if objective.offset == Offset::Penalised { lambda * net.offset[0] } else { 0.0 };
        parts.push(decay - r.iter().sum::<f64>());
        sizes.push(decay.abs() + s.iter().sum::<f64>());
    }
    let (residual, scale) = (norm2(&parts), norm2(&sizes));
    let relative = if residual == 0.0 { 0.0 } else { residual / scale };
    Stationarity { residual, scale, relative, kinks }
}

#[cfg(test)]
mod tests {
    use super::super::optimum::{Loss, value};
    use super::*;
    use crate::zoo::golden_optima;

    #[test]
    fn known_optima_are_stationary_and_their_neighbours_are_not() {
        for g in golden_optima() {
            let objective = Objective::half_mean(g.lambda);
            let net = g.network();
            let at = stationarity(&objective, &g.x, &g.y, &net);
            assert!(at.relative < 1e-9, "{}: {at:?}", g.name);
            let mut moved = net.clone();
            moved.c[(0, 0)] *= 1.01;
            let at = stationarity(&objective, &g.x, &g.y, &moved);
            assert!(at.relative > 1e-5, "{}: {at:?}", g.name);
        }
    }

    /// Away from kinks the residual is the length of the gradient, here by differences of the objective.
    #[test]
    fn away_from_kinks_it_is_the_gradient() {
        let x = Mat::from_rows(&[[1.0, 0.5], [-0.75, 1.0], [0.25, -1.5]]);
        let y = [1.0, -0.5, 2.0];
        let make =
            |t: &[f64]| Network::scalar(Mat::from_vec(2, 2, t[..4].to_vec()), t[4..6].to_vec(), t[6..8].to_vec(), t[8]);
        let theta = [0.5, -1.0, 1.25, 0.75, 0.3, -0.2, 1.5, -0.7, 0.4];
        for (bias, offset) in [(Bias::Penalised, Offset::Penalised), (Bias::Free, Offset::Free)] {
            let objective = Objective { lambda: 0.1, loss: Loss::Mean, bias, offset, weights: None };
            let at = |t: &[f64]| value(&objective, &x, &y, &make(t)).as_given;
            let slope = |k: usize| {
                let h = 1e-5;
                let (mut up, mut down) = (theta, theta);
                up[k] += h;
                down[k] -= h;
                (at(&up) - at(&down)) / (2.0 * h)
            };
            let gradient: Vec<f64> = (0..9).map(slope).collect();
            let got = stationarity(&objective, &x, &y, &make(&theta));
            assert!((got.residual - norm2(&gradient)).abs() < 1e-7, "{got:?} {gradient:?}");
            assert_eq!(got.kinks, 0);
        }
    }

    /// |x| at 0 written as c relu(w): one row on the kink, pulled from one side alone.
    #[test]
    fn a_kink_chooses_its_side() {
        let x = Mat::from_rows(&[[1.0], [-1.0]]);
        let objective = Objective { bias: Bias::None, ..Objective::half_mean(0.0) };
        let net = Network::scalar(Mat::from_rows(&[[0.0]]), vec![0.0], vec![1.0], 0.0);
        // theta = 0 everywhere gives the gradient 0
        assert_eq!(stationarity(&objective, &x, &[1.0, 1.0], &net).relative, 0.0);
        // a neuron with w = 1 sees the first row alone and pulls it up
        let seen = Network::scalar(Mat::from_rows(&[[1.0]]), vec![0.0], vec![1.0], 0.0);
        let at = stationarity(&objective, &x, &[3.0, 1.0], &seen);
        // omega = 1/2: d/dw = -1 * 1, d/dc = -1 * 1
        assert!((at.residual - 2f64.sqrt()).abs() < 1e-15, "{at:?}");
        assert_eq!(stationarity(&objective, &x, &[1.0, 1.0], &seen).residual, 0.0);
    }
}
