//! The objective of a given network, bounded from above.

use serde::{Deserialize, Serialize};

use super::objective::{Bias, Objective, Offset};
use crate::net::{Network, relu};
use crate::num::Mat;
use crate::num::mat::{dot, norm2};
use crate::num::outward::{add_up, gamma, mul_up};

/// Upper bounds of a network's objective, and its residuals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// With the penalty `lambda sum_j |c_j| |u_j|`: what the same function costs once every neuron is balanced, `|c_j| = |u_j|`.
    pub balanced: f64,
    /// With the penalty `(lambda / 2) sum_j (c_j^2 + |u_j|^2)` of the weights as given.
    pub as_given: f64,
    /// The loss alone.
    pub loss: f64,
    /// `y_i - f(x_i)`, as computed.
    pub residual: Vec<f64>,
}

/// Bounds the objective of a network from above.
///
/// Panics on shapes that do not match, a bias or an offset that is not 0 where the objective has none.
///
/// # Shapes
/// `x` n x d, `y` n.
///
/// # Cost
/// O(n m d).
pub fn value(objective: &Objective, x: &Mat, y: &[f64], net: &Network) -> Value {
    assert_eq!(x.rows(), y.len(), "{} rows and {} labels", x.rows(), y.len());
    assert_eq!(x.cols(), net.inputs(), "network of {} inputs on {} columns", net.inputs(), x.cols());
    assert_eq!(net.outputs(), 1, "a network of {} outputs for one column of labels", net.outputs());
    assert!(objective.bias != Bias::None || net.b.iter().all(|b| *b == 0.0), "hidden biases in an objective without");
    assert!(
        objective.offset != Offset::None || net.offset[0] == 0.0,
        "output offset {} in an objective without",
        net.offset[0]
    );
    let (d, m) = (x.cols(), net.width());
    let (c, offset) = (net.c.row(0), net.offset[0]);
    // Products of d entries, relu, a sum over m neurons, the offset and the label.
    let g = gamma(d + m + 8);
    let length: Vec<f64> = (0..m).map(|j| norm2(net.w.row(j))).collect();
    let omega = objective.factor_bounds(y.len());
    let mut residual = Vec::with_capacity(y.len());
    let mut loss = 0.0;
    for i in 0..y.len() {
        let row = norm2(x.row(i));
        let (mut f, mut size) = (offset, offset.abs() + y[i].abs());
        for j in 0..m {
            f += c[j] * relu(dot(net.w.row(j), x.row(i)) + net.b[j]);
            size += c[j].abs() * (length[j] * row + net.b[j].abs());
        }
        let e = y[i] - f;
        let most = add_up(e.abs(), 2.0 * g * size + f64::MIN_POSITIVE);
        loss = add_up(loss, mul_up(mul_up(0.5 * omega[i].hi, most), most));
        residual.push(e);
    }
    let h = 1.0 + gamma(d + 8);
    let (mut product, mut squares) = (0.0, 0.0);
    for j in 0..m {
        let u = if objective.bias == Bias::Free { length[j] } else { length[j].hypot(net.b[j]) };
        let u = mul_up(u, h);
        product = add_up(product, mul_up(c[j].abs(), u));
        squares = add_up(squares, add_up(mul_up(c[j], c[j]), mul_up(u, u)));
    }
    let offset = if objective.offset == Offset::Penalised { mul_up(offset, offset) } else { 0.0 };
    let offset = mul_up(0.5 * objective.lambda, offset);
    Value {
        balanced: add_up(add_up(loss, mul_up(objective.lambda, product)), offset),
        as_given: add_up(add_up(loss, mul_up(0.5 * objective.lambda, squares)), offset),
        loss,
        residual,
    }
}
