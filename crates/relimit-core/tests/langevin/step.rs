//! One step and forty against the plain reference, every shape.

use relimit_core::langevin::{
    Activation, Batch, Bias, End, Layers, Loss, Offset, Options, Particles, Plan, Precision, Scaling, Schedule, Smooth,
    Status, Unobserved, gradient, outputs, run, start,
};
use relimit_core::num::Mat;

use crate::reference::{options, rows, step};

fn go(plan: &Plan, steps: u64, threads: usize) -> (Particles, End) {
    let mut particles = start(plan);
    let end = run(plan, &mut particles, 0..steps, threads, &mut Unobserved, &|| false);
    (particles, end)
}

fn largest_difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn forty_steps_equal_the_formula_in_every_shape() {
    for d in (1..=10).chain([17]) {
        for (n, k) in [(1, 1), (5, 1), (33, 1), (130, 1), (6, 2), (7, 3)] {
            for scaling in [Scaling::MeanField, Scaling::Standard] {
                let mut o = Options { scaling, ..options(n, d, k) };
                let mut scale = 0.01;
                if scaling == Scaling::Standard {
                    (o.step, scale) = (Schedule::Constant(1e-4), 1.0);
                }
                let plan = Plan::new(o.clone()).unwrap();
                let mut theta = rows(&start(&plan));
                for _ in 0..40 {
                    step(&mut theta, &o, 1.0 / n as f64, scale, |_, _| 0.0);
                }
                let (particles, end) = go(&plan, 40, 1);
                assert_eq!((end.status, end.step), (Status::Completed, 40));
                let error = largest_difference(&rows(&particles), &theta);
                assert!(error < 1e-12, "d {d}, n {n}, k {k}: {error:e}");
            }
        }
    }
}

#[test]
fn one_step_in_single_precision() {
    for (d, n) in [(1, 10), (2, 20), (8, 200), (9, 40)] {
        let o = Options { precision: Precision::F32, ..options(n, d, 1) };
        let plan = Plan::new(o.clone()).unwrap();
        let mut theta = rows(&start(&plan));
        step(&mut theta, &o, 1.0 / n as f64, 0.01, |_, _| 0.0);
        let error = largest_difference(&rows(&go(&plan, 1, 1).0), &theta);
        assert!(error < 2e-6 && error > 0.0, "{error:e}");
    }
}

/// Above a size of the state (2^18 bytes of them, here 164 blocks of 32 neurons) the signs of the preactivations are not kept from the
/// forward pass to the update; shuffled batches of all rows take the full step on rows in another order each time.
#[test]
fn large_states_and_reordered_rows_take_the_same_steps() {
    for (width, batch) in [(1001, Batch::Shuffled(200)), (6001, Batch::Full), (6001, Batch::Shuffled(200))] {
        let o = Options { width, batch, ..options(200, 1, 1) };
        let plan = Plan::new(o.clone()).unwrap();
        let mut theta = rows(&start(&plan));
        for _ in 0..5 {
            step(&mut theta, &o, 1.0 / 200.0, 1.0 / width as f64, |_, _| 0.0);
        }
        let error = largest_difference(&rows(&go(&plan, 5, 3).0), &theta);
        assert!(error < 1e-12, "{width} neurons, {batch:?}: {error:e}");
    }
}

/// A plain step must be minus eta times the gradient, and the gradient the derivative of the objective.
#[test]
fn every_option_descends_its_own_objective() {
    let smooth = Activation::Smooth(Smooth { cap: 1.5, sharpness: 5.0 });
    let base = options(6, 2, 2);
    let mut tried = 0;
    for activation in [Activation::Relu, smooth] {
        for bias in [Bias::None, Bias::Penalised, Bias::Free] {
            for offset in [Offset::None, Offset::Penalised, Offset::Free] {
                for layers in [Layers::Both, Layers::Inner] {
                    for loss in [Loss::HalfSum, Loss::HalfMean, Loss::Mean] {
                        let scaling = if tried % 2 == 0 { Scaling::MeanField } else { Scaling::Standard };
                        let o = Options { activation, bias, offset, layers, loss, scaling, width: 3, ..base.clone() };
                        descends(&Plan::new(o).unwrap());
                        tried += 1;
                    }
                }
            }
        }
    }
}

fn objective(plan: &Plan, values: &[f64], offset: &[f64]) -> f64 {
    let o = plan.options();
    let particles = Particles::from_values(plan, values.iter().copied(), offset);
    let f = outputs(plan, &particles, &o.x);
    let n = o.x.rows() as f64;
    let factor = match o.loss {
        Loss::HalfSum => 0.5,
        Loss::HalfMean => 0.5 / n,
        Loss::Mean => 1.0 / n,
    };
    let loss: f64 = f.as_slice().iter().zip(o.y.as_slice()).map(|(f, y)| (y - f) * (y - f)).sum();
    let (k, d) = (o.y.cols(), o.x.cols());
    let mut decay = 0.0;
    for theta in values.chunks(k + d + 1) {
        decay += theta[..k + d].iter().map(|v| v * v).sum::<f64>();
        decay += if o.bias == Bias::Penalised { theta[k + d] * theta[k + d] } else { 0.0 };
    }
    let mean = if o.scaling == Scaling::MeanField { 1.0 / o.width as f64 } else { 1.0 };
    let held = if o.offset == Offset::Penalised { offset.iter().map(|v| v * v).sum() } else { 0.0 };
    factor * loss + o.lambda / 2.0 * (mean * decay + held)
}

fn descends(plan: &Plan) {
    let o = plan.options();
    let particles = start(plan);
    let values: Vec<f64> = particles.values().collect();
    let offset = particles.offset().to_vec();
    let g = gradient(plan, &particles);
    let speed = if o.scaling == Scaling::MeanField { o.width as f64 } else { 1.0 };
    let (k, d) = (o.y.cols(), o.x.cols());
    let h = 1e-6;
    for at in 0..values.len() {
        let p = at % (k + d + 1);
        if (p < k && o.layers == Layers::Inner) || (p == k + d && o.bias == Bias::None) {
            assert_eq!(g.neurons.as_slice()[at], 0.0);
            continue;
        }
        let moved = |by: f64| {
            let mut v = values.clone();
            v[at] += by;
            objective(plan, &v, &offset)
        };
        let slope = speed * (moved(h) - moved(-h)) / (2.0 * h);
        assert!((slope - g.neurons.as_slice()[at]).abs() < 1e-7 * (1.0 + slope.abs()), "{at}: {slope} {g:?} {o:?}");
    }
    let after = go(plan, 1, 1).0;
    let eta = o.step.at(0);
    for ((new, old), g) in after.values().zip(&values).zip(g.neurons.as_slice()) {
        assert!((new - (old - eta * g)).abs() < 1e-14 * (1.0 + g.abs()), "{new} {old} {g} {o:?}");
    }
    for (out, g) in g.offset.iter().enumerate() {
        assert!((after.offset()[out] - (offset[out] - eta * g)).abs() < 1e-14 * (1.0 + g.abs()));
        if o.offset != Offset::None {
            let moved = |by: f64| {
                let mut v = offset.clone();
                v[out] += by;
                objective(plan, &values, &v)
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((slope - g).abs() < 1e-7 * (1.0 + slope.abs()), "offset {out}: {slope} {g}");
        }
    }
}

/// Batches that partition the data: their mean step is the full step.
#[test]
fn batches_of_an_epoch_average_to_the_full_gradient() {
    let o = Options { step: Schedule::Constant(1e-7), ..options(12, 2, 1) };
    let full = go(&Plan::new(o.clone()).unwrap(), 4, 1).0;
    let shuffled = go(&Plan::new(Options { batch: Batch::Shuffled(3), ..o.clone() }).unwrap(), 4, 1).0;
    // Four steps of a quarter of the data each, scaled up, equal four full steps up to O(step^2).
    let moved = largest_difference(&rows(&full), &rows(&start(&Plan::new(o.clone()).unwrap())));
    let error = largest_difference(&rows(&full), &rows(&shuffled));
    assert!(moved > 1e-8 && error < 1e-4 * moved, "{error:e} of {moved:e}");
    // Drawn batches are unbiased: over many steps their mean approaches the full step like 1/sqrt(steps).
    let steps = 20_000;
    let drawn = go(&Plan::new(Options { batch: Batch::Drawn(3), ..o.clone() }).unwrap(), steps, 1).0;
    let full = go(&Plan::new(o.clone()).unwrap(), steps, 1).0;
    let moved = largest_difference(&rows(&full), &rows(&start(&Plan::new(o).unwrap())));
    let error = largest_difference(&rows(&full), &rows(&drawn));
    assert!(error < 0.15 * moved && error > 1e-4 * moved, "{error:e} of {moved:e}");
}

#[test]
fn a_silent_network_decays_by_the_factor_of_its_schedule() {
    // No neuron is active on x = 1: theta shrinks by prod (1 - eta_t lambda).
    let o = Options {
        width: 1,
        bias: Bias::None,
        start: relimit_core::langevin::Start::Network(Box::new(relimit_core::net::Network::scalar(
            Mat::from_rows(&[[-1.0]]),
            vec![0.0],
            vec![2.0],
            0.0,
        ))),
        step: Schedule::Stages(vec![(0, 0.5), (2, 0.25)]),
        ..Options::new(Mat::from_rows(&[[1.0]]), Mat::from_rows(&[[1.0]]), 0.5, f64::INFINITY, 1.0)
    };
    let end = go(&Plan::new(o.clone()).unwrap(), 3, 1).0;
    assert_eq!(end.neuron(0), [2.0 * 0.75 * 0.75 * 0.875, -0.75 * 0.75 * 0.875, 0.0]);
    let harmonic = Schedule::Harmonic { from: 1.0, half: 2 };
    let end = go(&Plan::new(Options { step: harmonic, ..o.clone() }).unwrap(), 2, 1).0;
    assert!((end.get(0, 0) - 2.0 * 0.5 * (1.0 - 1.0 / 3.0)).abs() < 1e-15);
    let geometric = Schedule::Geometric { from: 1.0, to: 0.25, steps: 2 };
    let end = go(&Plan::new(Options { step: geometric, ..o }).unwrap(), 4, 1).0;
    assert!((end.get(0, 0) - 2.0 * 0.5 * 0.75 * 0.875 * 0.875).abs() < 1e-15);
}
