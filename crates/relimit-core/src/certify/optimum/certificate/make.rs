//! A certificate made on request, from a network, a dual point and the bound on its q that was proved elsewhere.

use thiserror::Error;

use super::claims::{bound_4lambda, objective_2n};
use super::geometry::{Frame, Geometry};
use super::search::{Open, Search};
use super::{OptimumCertificate, TreeNode};
use crate::certify::equality::Numbers;
use crate::certify::fingerprint;
use crate::certify::optimum::{Bias, Objective, Offset};
use crate::net::Network;
use crate::num::Mat;
use crate::num::exact::Dyadic;
use crate::num::mat::{dot, norm2};
use crate::num::outward::{div_down, gamma};

/// The supremum of a certificate exceeds the bound that it starts from by this share, the room for its rounding: 2^-37.
const ROOM: f64 = 1.0 / (1u64 << 37) as f64;

/// How far the weight of an unpenalised constant is moved into its bias.
const FREE_CONSTANT: f64 = (1u64 << 40) as f64;

/// Why there is no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unproved {
    /// Rows with weights of their own.
    #[error("sample weights have no certificate")]
    Weights,
    /// Without weight decay there is no dual.
    #[error("without weight decay there is no lower bound to certify")]
    NoDecay,
    /// No bound on q is known, or it is out of range.
    #[error("no finite bound of the dual point's supremum is known")]
    NoBound,
    /// The plain tree needs more nodes.
    #[error("the plain tree of a certificate takes more than {limit} nodes here")]
    Nodes {
        /// The limit.
        limit: usize,
    },
    /// The caller asked to stop.
    #[error("the time ended before the tree of the certificate was complete")]
    Stopped,
    /// Rounding keeps the tree open.
    #[error("double precision does not reach the bound that was proved elsewhere")]
    Rounding,
}

/// The certificate of a network's gap to the global optimum, or (without a network) of a lower bound alone.
///
/// `sup` bounds |q| of the dual point, as [`super::super::certify`] proves it; the trees made here prove a number larger
/// by a share of 1e-11. Every neuron is balanced, which leaves the function as it is.
///
/// # Shapes
/// `x` n x d without a column of ones, `y` and `dual` n.
///
/// # Errors
/// [`Unproved`] when the trees do not close within `max_nodes` each.
///
/// # Cost
/// O(n^2 D) a node for a few pivots each, and its exact check.
pub fn optimum_certificate(
    objective: &Objective,
    (x, y): (&Mat, &[f64]),
    network: Option<&Network>,
    (dual, sup): (&[f64], f64),
    max_nodes: usize,
    stop: &dyn Fn() -> bool,
) -> Result<OptimumCertificate, Unproved> {
    assert_eq!(x.rows(), y.len(), "{} rows and {} labels", x.rows(), y.len());
    assert_eq!(dual.len(), y.len(), "{} dual entries for {} labels", dual.len(), y.len());
    if objective.weights.is_some() {
        return Err(Unproved::Weights);
    }
    if !(objective.lambda > 0.0) {
        return Err(Unproved::NoDecay);
    }
    if !sup.is_finite() {
        return Err(Unproved::NoBound);
    }
    let frame = (objective.bias == Bias::Free).then(|| frame(x));
    let geometry = Geometry::new(x, objective.bias, frame.as_ref());
    let (target, sup) = (sup * (1.0 + 0.5 * ROOM), sup * (1.0 + ROOM) + f64::MIN_POSITIVE);
    let tree = |r: &[f64]| -> Result<Vec<TreeNode>, Unproved> {
        let search = Search::new((x, objective.bias, frame.as_ref()), &geometry, r, (target, sup));
        search.tree(max_nodes, stop).map_err(|open| match open {
            Open::Nodes => Unproved::Nodes { limit: max_nodes },
            Open::Stopped => Unproved::Stopped,
            Open::Above => Unproved::Rounding,
        })
    };
    let negative: Vec<f64> = dual.iter().map(|r| -r).collect();
    let (positive, negative) = (tree(dual)?, tree(&negative)?);
    let rows = x.to_rows();
    let mut out = OptimumCertificate {
        schema: OptimumCertificate::SCHEMA.into(),
        statement: OptimumCertificate::statement_of(network.is_some()).into(),
        fingerprint: fingerprint(&rows, y),
        x: rows,
        y: y.to_vec(),
        loss: objective.loss,
        bias: objective.bias,
        offset: objective.offset,
        lambda: objective.lambda,
        network: None,
        objective: None,
        lower_bound: 0.0,
        gap: None,
        dual: dual.to_vec(),
        scale: scale(objective, y, dual, sup),
        sup,
        frame,
        positive,
        negative,
    };
    let four_lambda = Dyadic::new(objective.lambda).mul(&Dyadic::new(4.0));
    out.lower_bound = 0.0 - bound_4lambda(&out).neg().ratio_up(&four_lambda);
    if let Some(net) = network {
        let net = balanced(objective.bias, net);
        let twice = Dyadic::new(2.0 * y.len() as f64);
        let upper = objective_2n(&out, x, &net).ratio_up(&twice);
        out.network = Some(Numbers::of(&net));
        out.objective = Some(upper);
        out.gap = Some(Dyadic::new(upper).sub(&Dyadic::new(out.lower_bound)).up());
    }
    let closed = out.check().map_err(|_| Unproved::NoBound)?;
    if closed.is_none() { Ok(out) } else { Err(Unproved::Rounding) }
}

/// The best factor of the dual point, within `lambda / sup`.
fn scale(objective: &Objective, y: &[f64], r: &[f64], sup: f64) -> f64 {
    let factors = objective.factors(y.len());
    let mut curvature: f64 = r.iter().zip(&factors).map(|(r, w)| r * r / w).sum();
    if objective.offset == Offset::Penalised {
        let sum: f64 = r.iter().sum();
        curvature += sum * sum / objective.lambda;
    }
    let cap = if sup > 0.0 { div_down(objective.lambda, sup) } else { f64::INFINITY };
    let best = if curvature > 0.0 { dot(r, y) / curvature } else { 0.0 };
    if best.is_finite() { best.clamp(-cap, cap) } else { 0.0 }
}

/// The mean of the rows and a bound on their distance to it.
fn frame(x: &Mat) -> Frame {
    let n = x.rows() as f64;
    let centre: Vec<f64> = (0..x.cols()).map(|k| (0..x.rows()).map(|i| x[(i, k)] / n).sum()).collect();
    let away = |i: usize| norm2(&x.row(i).iter().zip(&centre).map(|(v, m)| v - m).collect::<Vec<_>>());
    let reach = (0..x.rows()).map(away).fold(0.0, f64::max) * (1.0 + 4.0 * gamma(x.cols() + 8));
    Frame { centre, reach: reach.next_up() }
}

/// The same function with `|c| = |u|` for every neuron, up to rounding; neurons that do nothing are left out.
///
/// A constant under a free bias has no direction: its c, which is penalised, is made small instead.
fn balanced(bias: Bias, net: &Network) -> Network {
    let mut w = vec![];
    let (mut b, mut c) = (vec![], vec![]);
    for j in (0..net.width()).filter(|&j| net.c[(0, j)] != 0.0) {
        let penalised = if bias == Bias::Free { 0.0 } else { net.b[j] };
        let size = norm2(net.w.row(j)).hypot(penalised);
        let factor = match size {
            0.0 if net.b[j] > 0.0 => FREE_CONSTANT,
            0.0 => continue,
            _ => (net.c[(0, j)].abs() / size).sqrt(),
        };
        w.extend(net.w.row(j).iter().map(|v| factor * v));
        b.push(factor * net.b[j]);
        c.push(net.c[(0, j)] / factor);
    }
    Network::scalar(Mat::from_vec(c.len(), net.inputs(), w), b, c, net.offset[0])
}
