//! The stationary law of the particles: outputs, their bias of order 1/N, angles, lengths, output weights, virial identity.

use std::sync::Arc;

use relimit_core::gibbs::{Law, Model, sample};
use relimit_core::langevin::{Observer, Options, Particles, Plan, Precision, Schedule, measure, run, start};
use relimit_core::num::Mat;

use crate::common::advance;
use crate::exact::{circle, finite_width, law};

const LAMBDA: f64 = 0.05;

/// Three points, half-mean loss: the law and what trains to it.
fn three(beta: f64) -> (Law, Options) {
    let x = Mat::from_rows(&[[-1.0], [0.0], [1.0]]);
    let y = Mat::from_rows(&[[1.0], [-0.5], [0.8]]);
    let mut lifted = x.clone();
    lifted.push_column(1.0);
    let model = Model { x: Arc::new(lifted), y: y.clone(), omega: 1.0 / 3.0, lambda: LAMBDA, beta };
    (law(&model), Options::new(x, y, LAMBDA, beta, 0.02))
}

/// Sums of the outputs in equal batches of steps, after a burn-in.
struct Batches {
    burn: u64,
    batch: u64,
    sums: Vec<[f64; 3]>,
}

impl Observer for Batches {
    fn outputs(&mut self, step: u64, f: &[f64]) {
        if step <= self.burn {
            return;
        }
        let at = ((step - self.burn - 1) / self.batch) as usize;
        if at == self.sums.len() {
            self.sums.push([0.0; 3]);
        }
        for (sum, f) in self.sums[at].iter_mut().zip(f) {
            *sum += f / self.batch as f64;
        }
    }
}

/// Mean and standard error of independent values.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, (square / (count * (count - 1.0))).sqrt())
}

/// Mean outputs in batches of runs from exact draws of the law, which spares the slow relaxation of the lengths.
fn batches(law: &Law, options: &Options, runs: u64, burn: u64, count: u64, batch: u64) -> Vec<[f64; 3]> {
    let mut all = vec![];
    for seed in 0..runs {
        let plan = Plan::new(Options { seed, ..options.clone() }).expect("a plan");
        let draws = sample(law, options.width, seed);
        let values: Vec<f64> = draws.iter().flat_map(|d| [d.c[0], d.u[0], d.u[1]]).collect();
        let mut particles = Particles::from_values(&plan, values, &[0.0]);
        let mut watch = Batches { burn, batch, sums: vec![] };
        run(&plan, &mut particles, 0..burn + count * batch, 1, &mut watch, &|| false);
        assert_eq!(watch.sums.len() as u64, count);
        all.extend(watch.sums);
    }
    all
}

/// At beta = 100 (values of the notes: tanh-sinh quadrature) a thousand and ten thousand neurons are within the error of
/// 16 independent runs, once the bias of the step, linear in it and measured at a step 8 times as long, is taken off.
#[test]
fn outputs_are_those_of_the_law() {
    let (law, options) = three(100.0);
    let exact = [0.85195, -0.09544, 0.65244];
    let expected = finite_width(&law);
    let outputs = |width: usize, eta: f64, batch: u64| {
        let o = Options { width, step: Schedule::Constant(eta), precision: Precision::F32, ..options.clone() };
        let all = batches(&law, &o, 16, batch / 4, 1, batch);
        [0, 1, 2].map(|i| {
            let (mean, error) = mean_and_error(&all.iter().map(|b| b[i]).collect::<Vec<f64>>());
            (mean - exact[i] - expected[i] / width as f64, error)
        })
    };
    let long = outputs(1000, 0.16, 2000);
    for (width, batch) in [(1000, 4000), (10_000, 800)] {
        for (i, ((apart, error), (slow, uncertain))) in outputs(width, 0.02, batch).into_iter().zip(long).enumerate() {
            let (apart, error) = (apart - slow / 8.0, error.hypot(uncertain / 8.0));
            // 4.5 standard errors of 16 values are passed once in 2000
            assert!(apart.abs() < 4.5 * error, "N = {width}, output {i}: {apart} +- {error} from the law");
            assert!(error < 1e-3, "N = {width}, output {i}: error {error}");
        }
    }
}

/// At beta = 10 the bias of N neurons is seen, and it is the coefficient of the expansion over N: halved from 16 to 32
/// neurons, and gone within the error at 1000.
#[test]
fn the_bias_of_the_outputs_falls_like_one_over_the_width() {
    let (law, options) = three(10.0);
    let expected = finite_width(&law);
    for (width, runs, batch) in [(16, 1, 40_000), (32, 1, 40_000), (1000, 1, 2000)] {
        let o = Options { width, step: Schedule::Constant(0.03), ..options.clone() };
        let all = batches(&law, &o, runs, 5000, 24, batch);
        for i in 0..3 {
            let scale = width as f64;
            let of = |b: &[f64; 3]| scale * (b[i] - law.outputs[(i, 0)]);
            let (bias, error) = mean_and_error(&all.iter().map(of).collect::<Vec<f64>>());
            // The next term of the expansion is of order 1/N relative to the first.
            let next = 4.0 * expected[i].abs() / scale;
            let what = format!("N = {width}, output {i}: N bias {bias} +- {error} for {}", expected[i]);
            assert!((bias - expected[i]).abs() < 4.0 * error + next, "{what}");
            assert!(width > 32 || bias.abs() > 5.0 * error, "{what} is not seen");
        }
    }
}

/// Largest distance of an empirical distribution from a continuous one, times the root of the number of values.
fn kolmogorov(mut uniform: Vec<f64>) -> f64 {
    uniform.sort_by(f64::total_cmp);
    let count = uniform.len() as f64;
    let apart = |(k, u): (usize, &f64)| (u - k as f64 / count).max((k as f64 + 1.0) / count - u);
    count.sqrt() * uniform.iter().enumerate().map(apart).fold(0.0, f64::max)
}

/// 1.95 is passed by chance once in a thousand samples.
const CRITICAL: f64 = 1.95;

/// Last states of independent runs from N(0, 1). The neurons of one state repel each other in the outputs alone, by
/// order 1/N, which makes the distances smaller, not larger.
fn snapshots(options: &Options, runs: u64, steps: u64) -> Vec<(Plan, Particles)> {
    let one = |seed| {
        let plan = Plan::new(Options { seed, ..options.clone() }).expect("a plan");
        let mut particles = start(&plan);
        advance(&plan, &mut particles, 0, steps);
        (plan, particles)
    };
    (0..runs).map(one).collect()
}

/// Angle, length given the angle, output weight given both: distances from the laws at `law`.
fn distances(law: &Law, states: &[(Plan, Particles)]) -> [f64; 3] {
    let (beta, lambda) = (law.model.beta, law.model.lambda);
    let circle = circle(law);
    let mut below = vec![0.0];
    for p in &circle {
        below.push(below[below.len() - 1] + p.1);
    }
    let mut found = [vec![], vec![], vec![]];
    for (_, particles) in states {
        for j in 0..particles.width() {
            let [c, w, b] = [0, 1, 2].map(|p| particles.get(j, p));
            let at = (b.atan2(w) / std::f64::consts::TAU + 0.5) * circle.len() as f64;
            let arc = (at as usize).min(circle.len() - 1);
            let (_, share, q) = circle[arc];
            let s2 = w * w + b * b;
            let normal = (c - s2.sqrt() * q / lambda) * (beta * lambda).sqrt();
            found[0].push(below[arc] + share * (at - arc as f64));
            found[1].push(-(-s2 * beta * (lambda * lambda - q * q) / (2.0 * lambda)).exp_m1());
            found[2].push(0.5 * libm::erfc(-normal / std::f64::consts::SQRT_2));
        }
    }
    found.map(kolmogorov)
}

#[test]
fn angles_lengths_and_output_weights_have_their_laws() {
    let (law, options) = three(100.0);
    // The slowest relaxation, of the lengths, takes about beta E|theta|^2 / 2 = 200 units of time.
    let o = Options { width: 512, step: Schedule::Constant(0.05), ..options };
    let states = snapshots(&o, 12, 20_000);
    let found = distances(&law, &states);
    assert!(found.iter().all(|d| *d < CRITICAL), "angle, length, weight: {found:?}");
    // The law exp(-2 beta Psi), of an update with half the noise, is told from this one by each of them.
    let other = distances(&three(200.0).0, &states);
    assert!(other.iter().all(|d| *d > CRITICAL), "at twice the beta: {other:?}");
    // The angular distribution of the law object is the one of the plain sum.
    let mut pieces: Vec<(f64, f64, f64)> =
        law.pieces().iter().map(|p| (p.direction[1].atan2(p.direction[0]), p.radius, p.mass)).collect();
    pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
    let circle = circle(&law);
    let (mut sum, mut plain, mut at) = (0.0, 0.0, 0);
    for (angle, radius, mass) in &pieces {
        sum += mass;
        while at < circle.len() && circle[at].0 < angle + radius {
            plain += circle[at].1;
            at += 1;
        }
        assert!((sum - plain).abs() < 2e-5, "up to {angle} + {radius}: {sum} for {plain}");
    }
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    // E theta . grad Psi = P / beta, and (lambda/2) E|theta|^2 = P/(2 beta) + r . f.
    let measured: Vec<_> = states.iter().map(|(plan, particles)| measure(plan, particles, 20_000)).collect();
    let virial: Vec<f64> = measured.iter().map(|m| m.virial.expect("noise")).collect();
    let second: Vec<f64> = measured.iter().map(|m| m.second_moment).collect();
    let paired: f64 = (0..3).map(|i| law.dual[(i, 0)] * law.outputs[(i, 0)]).sum();
    let expected = [("virial", virial, 1.0), ("second moment", second, 2.0 / LAMBDA * (1.5 / 100.0 + paired))];
    for (name, values, exact) in expected {
        let (mean, error) = mean_and_error(&values);
        assert!((mean - exact).abs() < 4.0 * error, "{name}: {mean} +- {error} for {exact}");
        assert!(error < 0.1 * exact, "{name}: error {error}");
    }
}
