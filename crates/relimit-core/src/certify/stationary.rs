//! Whether descent can still move a network: the shortest element of the subdifferential of its regularised loss.

use serde::{Deserialize, Serialize};

use super::optimum::{Bias, Objective, Offset};
use crate::net::{Network, relu};
use crate::num::Mat;
use crate::num::box_least_squares::shortest_in_box;
use crate::num::mat::{axpy, dot, norm2};

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
/// d/du_j = lambda u_j - sum_i (c_j . r_i) theta_ij x~_i,   theta_ij = 1 for z > 0, 0 for z < 0, in [0, 1] on a kink
/// d/dc_j = lambda c_j - sum_i r_i relu(z_ij) in R^k,       r_i = omega_i (y_i - f(x_i))
/// scale: the same with absolute values, r_il replaced by omega_i max(|y_il| + |f_l(x_i)|, Y_l), Y_l^2 = mean of y_il^2
/// ```
///
/// theta_ij is chosen apart for every kink (the chain rule), a set that contains Clarke's subdifferential: 0 is a proof
/// of nothing where several kinks of one neuron meet. Biases take part as the objective has them.
///
/// # Shapes
/// `x` n x d, `y` n x k.
///
/// # Cost
/// O(n m (d + k)), and a bounded least-squares problem for each neuron with kinks.
///
/// # Source
/// Clarke, Optimization and Nonsmooth Analysis, 2.3.
pub fn stationarity(objective: &Objective, x: &Mat, y: &Mat, net: &Network) -> Stationarity {
    let (n, d, m, k) = (x.rows(), x.cols(), net.width(), y.cols());
    assert_eq!(n, y.rows(), "{n} rows and labels of {}", y.rows());
    assert_eq!(net.outputs(), k, "a network of {} outputs for {k} columns of labels", net.outputs());
    let omega = objective.factors(n);
    let f = net.forward(x);
    let r = Mat::from_fn(n, k, |i, l| omega[i] * (y[(i, l)] - f[(i, l)]));
    // a neuron that sees rows of label 0 alone is judged by the labels all the same
    let square = |l: usize| (0..n).map(|i| y[(i, l)] * y[(i, l)]).sum::<f64>();
    let typical: Vec<f64> = (0..k).map(|l| if n == 0 { 0.0 } else { square(l).sqrt() / (n as f64).sqrt() }).collect();
    let s = Mat::from_fn(n, k, |i, l| omega[i] * (y[(i, l)].abs() + f[(i, l)].abs()).max(typical[l]));
    let length: Vec<f64> = (0..n).map(|i| norm2(x.row(i))).collect();
    let biased = objective.bias != Bias::None;
    let dim = d + usize::from(biased);
    let entry = |i: usize, t: usize| if t < d { x[(i, t)] } else { 1.0 };
    let lambda = objective.lambda;
    let (mut parts, mut sizes, mut kinks) = (vec![], vec![], 0);
    for j in 0..m {
        let (w, b) = (net.w.row(j), net.b[j]);
        let c: Vec<f64> = (0..k).map(|l| net.c[(l, j)]).collect();
        let own = norm2(w);
        let decay = |t: usize| match t {
            t if t < d => lambda * w[t],
            _ if objective.bias == Bias::Penalised => lambda * b,
            _ => 0.0,
        };
        let mut slope: Vec<f64> = (0..dim).map(decay).collect();
        let mut size: Vec<f64> = slope.iter().map(|v| v.abs()).collect();
        let mut outer: Vec<f64> = c.iter().map(|v| lambda * v).collect();
        let mut outer_size: Vec<f64> = outer.iter().map(|v| v.abs()).collect();
        let mut columns = vec![];
        for i in 0..n {
            let z = net.preactivation(j, x.row(i));
            let kink = z.abs() <= KINK * (own * length[i] + b.abs());
            if z < 0.0 && !kink {
                continue;
            }
            axpy(-relu(z), r.row(i), &mut outer);
            axpy(relu(z), s.row(i), &mut outer_size);
            let pull = dot(&c, r.row(i));
            let most: f64 = c.iter().zip(s.row(i)).map(|(c, s)| c.abs() * s).sum();
            for (t, v) in size.iter_mut().enumerate() {
                *v += (most * entry(i, t)).abs();
            }
            if kink {
                kinks += 1;
                columns.push((0..dim).map(|t| -pull * entry(i, t)).collect());
            } else {
                slope.iter_mut().enumerate().for_each(|(t, v)| *v -= pull * entry(i, t));
            }
        }
        parts.push(norm2(&shortest_in_box(&slope, &columns)));
        parts.extend(outer);
        sizes.push(norm2(&size));
        sizes.extend(outer_size);
    }
    if objective.offset != Offset::None || objective.bias == Bias::Free {
        for l in 0..k {
            let decay = if objective.offset == Offset::Penalised { lambda * net.offset[l] } else { 0.0 };
            parts.push(decay - (0..n).map(|i| r[(i, l)]).sum::<f64>());
            sizes.push(decay.abs() + (0..n).map(|i| s[(i, l)]).sum::<f64>());
        }
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

    fn one(y: &[f64]) -> Mat {
        Mat::from_vec(y.len(), 1, y.to_vec())
    }

    #[test]
    fn known_optima_are_stationary_and_their_neighbours_are_not() {
        for g in golden_optima() {
            let objective = Objective::half_mean(g.lambda);
            let net = g.network();
            let at = stationarity(&objective, &g.x, &one(&g.y), &net);
            assert!(at.relative < 1e-9, "{}: {at:?}", g.name);
            let mut moved = net.clone();
            moved.c[(0, 0)] *= 1.01;
            let at = stationarity(&objective, &g.x, &one(&g.y), &moved);
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
            let got = stationarity(&objective, &x, &one(&y), &make(&theta));
            assert!((got.residual - norm2(&gradient)).abs() < 1e-7, "{got:?} {gradient:?}");
            assert_eq!(got.kinks, 0);
        }
    }

    /// The same for three outputs: the objective is summed by hand, output by output.
    #[test]
    fn the_gradient_of_several_outputs() {
        let x = Mat::from_rows(&[[1.0, 0.5], [-0.75, 1.0], [0.25, -1.5]]);
        let y = Mat::from_rows(&[[1.0, 0.25, -2.0], [-0.5, 1.5, 0.75], [2.0, -1.25, 0.5]]);
        let part = |t: &[f64], r: std::ops::Range<usize>| t[r].to_vec();
        let make = |t: &[f64]| {
            Network::new(
                Mat::from_vec(2, 2, part(t, 0..4)),
                part(t, 4..6),
                Mat::from_vec(3, 2, part(t, 6..12)),
                part(t, 12..15),
            )
        };
        let theta = [0.5, -1.0, 1.25, 0.75, 0.3, -0.2, 1.5, -0.7, 0.4, 0.9, -1.1, 0.6, 0.1, -0.3, 0.2];
        let objective = Objective {
            lambda: 0.1,
            loss: Loss::Mean,
            bias: Bias::Penalised,
            offset: Offset::Penalised,
            weights: None,
        };
        let at = |t: &[f64]| {
            let f = make(t).forward(&x);
            let errors: f64 = f.as_slice().iter().zip(y.as_slice()).map(|(f, y)| (f - y) * (f - y)).sum();
            errors / 3.0 + 0.05 * t.iter().map(|v| v * v).sum::<f64>()
        };
        let slope = |k: usize| {
            let (mut up, mut down) = (theta, theta);
            up[k] += 1e-5;
            down[k] -= 1e-5;
            (at(&up) - at(&down)) / 2e-5
        };
        let gradient: Vec<f64> = (0..15).map(slope).collect();
        let got = stationarity(&objective, &x, &y, &make(&theta));
        assert!((got.residual - norm2(&gradient)).abs() < 1e-7, "{got:?} {gradient:?}");
    }

    /// |x| at 0 written as c relu(w): one row on the kink, pulled from one side alone.
    #[test]
    fn a_kink_chooses_its_side() {
        let x = Mat::from_rows(&[[1.0], [-1.0]]);
        let objective = Objective { bias: Bias::None, ..Objective::half_mean(0.0) };
        let net = Network::scalar(Mat::from_rows(&[[0.0]]), vec![0.0], vec![1.0], 0.0);
        // theta = 0 everywhere gives the gradient 0
        assert_eq!(stationarity(&objective, &x, &one(&[1.0, 1.0]), &net).relative, 0.0);
        // a neuron with w = 1 sees the first row alone and pulls it up
        let seen = Network::scalar(Mat::from_rows(&[[1.0]]), vec![0.0], vec![1.0], 0.0);
        let at = stationarity(&objective, &x, &one(&[3.0, 1.0]), &seen);
        // omega = 1/2: d/dw = -1 * 1, d/dc = -1 * 1
        assert!((at.residual - 2f64.sqrt()).abs() < 1e-15, "{at:?}");
        assert_eq!(stationarity(&objective, &x, &one(&[1.0, 1.0]), &seen).residual, 0.0);
    }
}
