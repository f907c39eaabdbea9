//! Lower bounds under every treatment of the biases: closed forms, weak duality, equivalent descriptions.

mod common;

use common::Rng;
use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{
    Bias, CertifyOptions, Loss, Objective, Offset, certify, dual_point, lower_bound, sup_both, value,
};
use relimit_core::certify::sup::SupOptions;
use relimit_core::net::Network;
use relimit_core::num::Mat;

const BIASES: [Bias; 3] = [Bias::Penalised, Bias::Free, Bias::None];
const OFFSETS: [Offset; 3] = [Offset::None, Offset::Penalised, Offset::Free];
const LOSSES: [Loss; 3] = [Loss::HalfSum, Loss::HalfMean, Loss::Mean];

fn network(neurons: &[(f64, f64, f64)], offset: f64) -> Network {
    let w = Mat::from_fn(neurons.len(), 1, |j, _| neurons[j].0);
    Network::scalar(w, neurons.iter().map(|n| n.1).collect(), neurons.iter().map(|n| n.2).collect(), offset)
}

fn certified(objective: &Objective, x: &Mat, y: &[f64], net: &Network, expected: f64) {
    let options = CertifyOptions { gap: 1e-11, ..CertifyOptions::default() };
    let c = certify(objective, x, y, net, &options);
    let what = format!("{objective:?}: F = {}, bound {}, expected {expected}", c.objective, c.lower_bound);
    assert!((c.objective - expected).abs() < 1e-13 * (1.0 + expected), "{what}");
    assert!(c.lower_bound <= expected && c.lower_bound >= expected - 1e-10, "{what}");
    assert!(c.gap < 1e-10, "{what}");
}

/// Labels (y, y) at +-1: a constant is best, shared between a neuron and a penalised offset.
///
/// ```text
/// min over c, o of 1/2 (c + o - y)^2 + lambda c + (lambda/2) o^2:  o = 1, c = y - lambda - 1,  F = lambda y - lambda^2/2 - lambda/2
/// ```
#[test]
fn a_penalised_offset_shares_a_constant_with_a_neuron() {
    let (x, y, lambda) = (Mat::from_rows(&[[1.0], [-1.0]]), [2.0, 2.0], 0.2);
    let objective = Objective { offset: Offset::Penalised, ..Objective::half_mean(lambda) };
    let c = 2.0 - lambda - 1.0;
    let net = network(&[(0.0, c.sqrt(), c.sqrt())], 1.0);
    certified(&objective, &x, &y, &net, lambda * 2.0 - lambda * lambda / 2.0 - lambda / 2.0);
    // Without the offset the same labels cost more, and the offset's own bound knows it.
    let alone = Objective::half_mean(lambda);
    let c = 2.0 - lambda;
    certified(&alone, &x, &y, &network(&[(0.0, c.sqrt(), c.sqrt())], 0.0), lambda * 2.0 - lambda * lambda / 2.0);
}

/// Labels (y, -y) at +-X with a free bias: only the slope a / X costs, whatever carries the constant.
///
/// ```text
/// min over a of 1/2 (y - a)^2 + lambda a / X:  F = lambda y / X - lambda^2 / (2 X^2)
/// ```
#[test]
fn a_free_bias_pays_for_slope_alone() {
    let (position, lambda) = (1.5, 0.3);
    let x = Mat::from_rows(&[[position], [-position]]);
    let a = 2.0 - lambda / position;
    let expected = lambda * 2.0 / position - lambda * lambda / (2.0 * position * position);
    let s = (a / position).sqrt();
    for offset in OFFSETS {
        let objective = Objective { bias: Bias::Free, offset, ..Objective::half_mean(lambda) };
        let net = if offset == Offset::Free {
            network(&[(s, s * position, s)], -a)
        } else {
            network(&[(s, s * position, s), (0.0, 1.0, -a)], 0.0)
        };
        certified(&objective, &x, &[2.0, -2.0], &net, expected);
    }
    // A penalised bias pays for the constant as well.
    let objective = Objective { offset: Offset::Free, ..Objective::half_mean(lambda) };
    let net = network(&[(s, s * position, s)], -a);
    let c = certify(&objective, &x, &[2.0, -2.0], &net, &CertifyOptions::default());
    assert!(c.objective > expected + 0.1 && c.lower_bound <= c.objective);
}

/// Labels that a free offset fits cost nothing, and no bound may say otherwise.
#[test]
fn a_free_offset_fits_constants_for_nothing() {
    let x = Mat::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    for bias in BIASES {
        let objective = Objective { bias, offset: Offset::Free, ..Objective::half_mean(0.1) };
        let net = Network::scalar(Mat::zeros(0, 2), vec![], vec![], 3.0);
        let c = certify(&objective, &x, &[3.0; 3], &net, &CertifyOptions::default());
        assert!(c.objective < 1e-28 && c.lower_bound == 0.0, "{c:?}");
        // A dual point whose sum is not 0 bounds nothing.
        assert_eq!(lower_bound(&objective, &[3.0; 3], &[1.0, 1.0, 1.0], 0.01), 0.0);
    }
}

fn plain_objective(o: &Objective, x: &Mat, y: &[f64], net: &Network) -> f64 {
    let s = |i: usize| o.weights.as_ref().map_or(1.0, |s| s[i]);
    let total: f64 = (0..y.len()).map(s).sum();
    let mut loss = 0.0;
    for i in 0..y.len() {
        let mut f = net.offset[0];
        for j in 0..net.width() {
            let z = x.row(i).iter().zip(net.w.row(j)).map(|(a, b)| a * b).sum::<f64>() + net.b[j];
            f += net.c[(0, j)] * z.max(0.0);
        }
        loss += s(i) * (f - y[i]) * (f - y[i]);
    }
    let loss = match o.loss {
        Loss::HalfSum => loss / 2.0,
        Loss::HalfMean => loss / 2.0 / total,
        Loss::Mean => loss / total,
    };
    let mut penalty = 0.0;
    for j in 0..net.width() {
        let mut u: f64 = net.w.row(j).iter().map(|v| v * v).sum();
        if o.bias == Bias::Penalised {
            u += net.b[j] * net.b[j];
        }
        penalty += net.c[(0, j)].abs() * u.sqrt();
    }
    let offset = if o.offset == Offset::Penalised { net.offset[0] * net.offset[0] / 2.0 } else { 0.0 };
    loss + o.lambda * (penalty + offset)
}

/// A crude optimiser on the balanced objective: random changes of one number, kept when they help.
fn improve(o: &Objective, x: &Mat, y: &[f64], net: &mut Network, rng: &mut Rng) -> f64 {
    let mut best = plain_objective(o, x, y, net);
    for k in 0..1500 {
        let mut trial = net.clone();
        let size = 0.5f64.powi(k / 150) * rng.normal();
        match rng.below(4) {
            0 => trial.c[(0, rng.below(net.width()))] += size,
            1 if o.bias != Bias::None => trial.b[rng.below(net.width())] += size,
            2 if o.offset != Offset::None => trial.offset[0] += size,
            _ => {
                let (j, k) = (rng.below(net.width()), rng.below(x.cols()));
                trial.w[(j, k)] += size;
            }
        }
        let value = plain_objective(o, x, y, &trial);
        if value < best {
            best = value;
            *net = trial;
        }
    }
    best
}

/// No network lies below a lower bound, for 27 objectives with and without sample weights; and the bounds are not trivial.
#[test]
fn no_network_lies_below_a_bound() {
    let mut rng = Rng(11);
    let (mut close, mut cases) = (0, 0);
    for round in 0..2 {
        for bias in BIASES {
            for offset in OFFSETS {
                for loss in LOSSES {
                    let (n, d) = (4 + rng.below(3), 1 + rng.below(2));
                    let x = rng.normals(n, d);
                    let y: Vec<f64> = (0..n).map(|_| 1.0 + rng.normal()).collect();
                    let weights = (round == 1).then(|| (0..n).map(|i| [0.5, 1.0, 2.5][i % 3]).collect());
                    let lambda = if loss == Loss::HalfSum { 0.3 } else { 0.08 };
                    let o = Objective { lambda, loss, bias, offset, weights };
                    let w = rng.normals(4, d);
                    let b = if bias == Bias::None { vec![0.0; 4] } else { (0..4).map(|_| rng.normal()).collect() };
                    let c = (0..4).map(|_| rng.normal()).collect();
                    let mut net = Network::scalar(w, b, c, 0.0);
                    let best = improve(&o, &x, &y, &mut net, &mut rng);
                    let c = certify(&o, &x, &y, &net, &CertifyOptions { gap: 1e-6, ..CertifyOptions::default() });
                    assert!((c.objective / best - 1.0).abs() < 1e-12 && c.objective >= best * (1.0 - 1e-15), "{o:?}");
                    assert!(c.lower_bound <= best, "{o:?}: bound {} above {best}", c.lower_bound);
                    // Any dual point bounds, not only good ones.
                    let r: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
                    let r = dual_point(&o, &r);
                    let s = sup_both(&o, &x, &r, &SupOptions::to_accuracy(1e-6));
                    assert!(lower_bound(&o, &y, &r, s.upper) <= best, "{o:?}");
                    close += usize::from(c.lower_bound > 0.5 * best);
                    cases += 1;
                }
            }
        }
    }
    println!("{close} of {cases} bounds above half of what a crude search reached");
    assert!(2 * close > cases, "{close} of {cases} bounds are above half of what a crude search reached");
}

/// One problem in three descriptions: rows in another order, rows twice at half the sample weight, inputs rotated.
#[test]
fn descriptions_do_not_change_the_bound() {
    let mut rng = Rng(5);
    let (n, d) = (7, 2);
    let x = rng.normals(n, d);
    let y: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
    let mut net = Network::scalar(rng.normals(5, d), vec![0.1; 5], vec![0.5, -0.5, 0.4, 0.3, -0.2], 0.0);
    let o = Objective::half_mean(0.05);
    improve(&o, &x, &y, &mut net, &mut rng);
    let options = CertifyOptions::default();
    let plain = certify(&o, &x, &y, &net, &options);
    assert!(plain.lower_bound > 0.0 && plain.status != Claim::Undecided);
    let agrees = |c: &relimit_core::certify::optimum::Certified, what: &str| {
        assert!((c.objective / plain.objective - 1.0).abs() < 1e-12, "{what}");
        assert!(
            (c.lower_bound / plain.lower_bound - 1.0).abs() < 1e-8,
            "{what}: {} {}",
            c.lower_bound,
            plain.lower_bound
        );
    };
    let back: Vec<usize> = (0..n).rev().collect();
    let yb: Vec<f64> = back.iter().map(|&i| y[i]).collect();
    agrees(&certify(&o, &x.select_rows(&back), &yb, &net, &options), "reversed");
    let twice: Vec<usize> = (0..2 * n).map(|i| i / 2).collect();
    let yt: Vec<f64> = twice.iter().map(|&i| y[i]).collect();
    let half = Objective { weights: Some(vec![0.5; 2 * n]), ..o.clone() };
    agrees(&certify(&half, &x.select_rows(&twice), &yt, &net, &options), "twice");
    let (s, c) = 0.7f64.sin_cos();
    let turn =
        |m: &Mat| {
            Mat::from_fn(m.rows(), 2, |i, k| {
                if k == 0 { c * m[(i, 0)] - s * m[(i, 1)] } else { s * m[(i, 0)] + c * m[(i, 1)] }
            })
        };
    agrees(&certify(&o, &turn(&x), &y, &Network { w: turn(&net.w), ..net.clone() }, &options), "rotated");
    let v = value(&o, &x, &y, &net);
    assert!(v.as_given >= v.balanced * (1.0 - 1e-14) && v.loss < v.balanced);
}
