//! The laws of the initialisers, and what is observed of small states that are worked out by hand.

use relimit_core::langevin::{
    Bias, LOOK, Offset, Options, Particles, Plan, Scaling, Schedule, Start, Status, Unobserved, clusters,
    dead_start_chance, gradient, histogram, run, start,
};
use relimit_core::num::Mat;

fn plan(start: Start, d: usize, k: usize, width: usize) -> Plan {
    let o = Options::new(Mat::zeros(1, d), Mat::zeros(1, k), 0.0, f64::INFINITY, 0.1);
    Plan::new(Options { start, width, offset: Offset::Free, bias: Bias::Free, ..o }).expect("a plan")
}

/// `fan_in` and `fan_out` of a layer are its numbers of inputs and outputs; a uniform law on +-h has variance h^2/3. PyTorch:
/// h = 1/sqrt(fan_in) for weights and biases; Keras: h = sqrt(6/(fan_in + fan_out)), biases 0; scikit-learn: the same,
/// biases included.
#[test]
fn initialisers_have_the_ranges_and_variances_of_their_libraries() {
    let (d, k, width) = (3, 2, 20_000);
    let (n, m, out) = (d as f64, width as f64, k as f64);
    let glorot = |a: f64, b: f64| (6.0 / (a + b)).sqrt();
    let cases = [
        (Start::PyTorch, [1.0 / m.sqrt(), 1.0 / n.sqrt(), 1.0 / n.sqrt(), 1.0 / m.sqrt()]),
        (Start::Keras, [glorot(m, out), glorot(n, m), 0.0, 0.0]),
        (Start::ScikitLearn, [glorot(m, out), glorot(n, m), glorot(n, m), glorot(m, out)]),
    ];
    for (law, [c, w, b, offset]) in cases {
        let plan = plan(law.clone(), d, k, width);
        let particles = start(&plan);
        let part = |from: usize, to: usize| -> Vec<f64> {
            (0..width).flat_map(|j| particles.neuron(j)[from..to].to_vec()).collect()
        };
        for (name, values, half) in [("c", part(0, k), c), ("w", part(k, k + d), w), ("b", part(k + d, k + d + 1), b)] {
            let count = values.len() as f64;
            let largest = values.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
            assert!(largest <= half, "{law:?}, {name}: {largest} beyond {half}");
            if half == 0.0 {
                continue;
            }
            // The largest of so many is within 20/count of the edge, but for a chance of exp(-20).
            assert!(largest > half * (1.0 - 20.0 / count), "{law:?}, {name}: {largest} of {half}");
            let mean = values.iter().sum::<f64>() / count;
            let square = values.iter().map(|v| v * v).sum::<f64>() / count;
            // var v = h^2/3, var v^2 = h^4 (1/5 - 1/9)
            assert!(mean.abs() < 5.0 * half / (3.0 * count).sqrt(), "{law:?}, {name}: mean {mean}");
            let error = half * half * (4.0 / 45.0 / count).sqrt();
            assert!((square - half * half / 3.0).abs() < 5.0 * error, "{law:?}, {name}: variance {square}");
        }
        let found = particles.offset();
        assert!(found.iter().all(|v| v.abs() <= offset && (offset == 0.0 || *v != 0.0)), "{law:?}: {found:?}");
    }
}

/// Normal: variance of every number; balanced: |c| = |u| in every neuron, signs even, E|u|^2 = scale^2 / N.
#[test]
fn normal_and_balanced_starts_have_their_laws() {
    let (d, width) = (3, 20_000);
    let particles = start(&plan(Start::Normal { scale: 0.3 }, d, 1, width));
    let count = (width * (d + 2)) as f64;
    let square = particles.values().map(|v| v * v).sum::<f64>() / count;
    assert!((square - 0.09).abs() < 5.0 * 0.09 * (2.0 / count).sqrt(), "variance {square}");
    assert_eq!(particles.offset(), [0.0]);
    let scale = 1e-3;
    let particles = start(&plan(Start::Balanced { scale }, d, 1, width));
    let (mut all, mut plus) = (0.0, 0.0);
    for j in 0..width {
        let theta = particles.neuron(j);
        let square = theta[1..].iter().map(|v| v * v).sum::<f64>();
        assert!((theta[0].abs() - square.sqrt()).abs() < 1e-15, "neuron {j} is not balanced");
        all += square;
        plus += f64::from(u8::from(theta[0] > 0.0));
    }
    // |u|^2 is chi^2 of d + 1 degrees times scale^2/(N (d + 1)).
    let error = scale * scale * (2.0 / (d as f64 + 1.0) / width as f64).sqrt();
    assert!((all - scale * scale).abs() < 5.0 * error, "{all:e}");
    assert!((plus / width as f64 - 0.5).abs() < 2.5 / (width as f64).sqrt(), "{plus} positive");
}

/// Neurons (c, w, b) of one feature with bias, standard scaling.
fn state(neurons: &[[f64; 3]]) -> (Plan, Particles) {
    let o = Options::new(Mat::zeros(1, 1), Mat::zeros(1, 1), 0.1, f64::INFINITY, 0.1);
    let plan = Plan::new(Options { width: neurons.len(), scaling: Scaling::Standard, ..o }).expect("a plan");
    let particles = Particles::from_values(&plan, neurons.iter().flatten().copied(), &[0.0]);
    (plan, particles)
}

fn at(c: f64, degrees: f64, length: f64) -> [f64; 3] {
    let angle = degrees.to_radians();
    [c, length * angle.cos(), length * angle.sin()]
}

/// Coefficient counts, not neurons: forty light neurons are no group; two signs at one angle are two.
#[test]
fn groups_are_weighed_by_coefficient() {
    let mut neurons = vec![at(2.0, 10.0, 1.0), at(1.0, 11.5, 2.0), at(-1.0, 10.0, 1.0), at(0.5, 100.0, 2.0)];
    neurons.extend((0..40).map(|k| at(1e-4, 200.0 + f64::from(k), 1.0)));
    // 1.6 % of the coefficient is a group, 0.8 % is none.
    neurons.extend([at(-0.1, 60.0, 1.0), at(0.05, 160.0, 1.0)]);
    // Neither has a coefficient.
    neurons.extend([at(0.0, 300.0, 5.0), [3.0, 0.0, 0.0]]);
    let (plan, particles) = state(&neurons);
    let found = clusters(&plan, &particles, 3f64.to_radians());
    let total = 2.0 + 2.0 + 1.0 + 1.0 + 0.1 + 0.05 + 40.0 * 1e-4;
    let coefficients: Vec<f64> = found.groups.iter().map(|g| g.coefficient).collect();
    assert_eq!(found.groups.iter().map(|g| g.neurons).collect::<Vec<_>>(), [2, 1, 1, 1]);
    for (found, exact) in coefficients.iter().zip([4.0, -1.0, 1.0, -0.1]) {
        assert!((found - exact).abs() < 1e-12, "{coefficients:?}");
    }
    assert!((found.covered - 6.1 / total).abs() < 1e-12, "{}", found.covered);
    // Two equal weights: the centre is half way.
    let centre = found.groups[0].direction[1].atan2(found.groups[0].direction[0]).to_degrees();
    assert!((centre - 10.75).abs() < 1e-9, "{centre}");
    // Within a degree they are two groups.
    assert_eq!(clusters(&plan, &particles, 1f64.to_radians()).groups.len(), 5);
    // No coefficient at all: no group, and nothing covered.
    let (plan, particles) = state(&[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
    let none = clusters(&plan, &particles, 0.1);
    assert!(none.groups.is_empty() && none.covered == 0.0);
}

#[test]
fn the_histogram_has_equal_arcs_from_minus_pi() {
    let neurons = [at(2.0, -170.0, 1.0), at(-3.0, -170.0, 2.0), at(1.0, 0.5, 1.0), at(1.0, 179.0, 1.0)];
    let (plan, particles) = state(&neurons);
    let found = histogram(&plan, &particles, 4).expect("two inputs and one output");
    let close = |a: &[f64], b: [f64; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close(&found.mass, [0.5, 0.0, 0.25, 0.25]), "{found:?}");
    assert!(close(&found.positive, [2.0, 0.0, 1.0, 1.0]), "{found:?}");
    assert!(close(&found.negative, [6.0, 0.0, 0.0, 0.0]), "{found:?}");
    assert_eq!(histogram(&plan, &particles, 0), None);
    let three = self::plan(Start::Normal { scale: 1.0 }, 2, 1, 5);
    assert_eq!(histogram(&three, &start(&three), 4), None, "three inputs");
}

/// One active neuron on one row: the balanced minimum c = w of `(c w - 1)^2/2 + lambda (c^2 + w^2)/2` is at `1 - lambda`.
#[test]
fn a_run_within_its_tolerance_has_converged_at_a_look() {
    let o = Options::new(Mat::from_rows(&[[1.0]]), Mat::from_rows(&[[1.0]]), 0.1, f64::INFINITY, 0.1);
    let o = Options { width: 1, bias: Bias::None, scaling: Scaling::Standard, gradient_tolerance: 1e-9, ..o };
    let plan = Plan::new(o.clone()).expect("a plan");
    let begin = || Particles::from_values(&plan, [0.5, 0.7, 0.0], &[0.0]);
    let mut particles = begin();
    let end = run(&plan, &mut particles, 0..100_000, 1, &mut Unobserved, &|| false);
    let Status::Converged { gradient: size } = end.status else { panic!("{end:?}") };
    assert!(size <= 1e-9 && end.step.is_multiple_of(LOOK) && end.step < 10_000, "{end:?}");
    assert_eq!(size, gradient(&plan, &particles).size);
    assert!((particles.get(0, 0) * particles.get(0, 1) - 0.9).abs() < 1e-8, "{:?}", particles.neuron(0));
    // However it is cut; and without a tolerance, or with noise, never.
    let mut cut = begin();
    run(&plan, &mut cut, 0..end.step - 5, 1, &mut Unobserved, &|| false);
    let again = run(&plan, &mut cut, end.step - 5..100_000, 1, &mut Unobserved, &|| false);
    assert_eq!((again, &cut), (end, &particles));
    for other in [
        Options { gradient_tolerance: 0.0, ..o.clone() },
        Options { beta: Schedule::Constant(1e30), gradient_tolerance: 1.0, ..o },
    ] {
        let plan = Plan::new(other).expect("a plan");
        let end = run(&plan, &mut begin(), 0..5000, 1, &mut Unobserved, &|| false);
        assert_eq!((end.status, end.step), (Status::Completed, 5000));
    }
}

/// Starts on rows of one, two or three inputs, biases included.
fn on_rows(rows: &[&[f64]], start: &Start, bias: Bias, width: usize) -> Plan {
    let o = Options::new(Mat::from_rows(rows), Mat::zeros(rows.len(), 1), 0.1, f64::INFINITY, 0.1);
    Plan::new(Options { start: start.clone(), bias, width, ..o }).expect("a plan")
}

const XOR: [&[f64]; 4] = [&[0.0, 0.0], &[0.0, 1.0], &[1.0, 0.0], &[1.0, 1.0]];

/// By hand. Two inputs: the polar cone of two rows at an angle t has the angle pi - t. XOR with biases: the polar of a cone of
/// perimeter p on the sphere has the solid angle 2 pi - p; from the box, with b = -s, the weights must lie in [-1, s]^2 without
/// the corner w_1 + w_2 > s: 13/48; without biases both must be negative: 1/4.
#[test]
fn the_chance_of_a_dead_start_has_a_closed_form() {
    let normal = Start::Normal { scale: 0.7 };
    let perimeter = std::f64::consts::FRAC_PI_2 + 2.0 * (2.0 / 6f64.sqrt()).acos();
    let cases: Vec<(&[&[f64]], &Start, Bias, f64)> = vec![
        (&[&[1.0], &[2.0]], &normal, Bias::None, 0.5),
        (&[&[1.0], &[-2.0]], &normal, Bias::None, 0.0),
        (&[&[-1.0], &[1.0]], &normal, Bias::Penalised, 0.25),
        (
            &[&[-1.0], &[1.732_050_807_568_877_2]],
            &Start::Balanced { scale: 1e-6 },
            Bias::Penalised,
            0.5 - 105.0 / 360.0,
        ),
        (&[&[-1.0], &[1.0]], &Start::PyTorch, Bias::Penalised, 0.25),
        (&[&[0.5], &[2.0]], &Start::Keras, Bias::Penalised, 0.5),
        (&[&[0.0]], &Start::Keras, Bias::Penalised, 1.0),
        (&[&[1.0, 0.0], &[0.0, 0.0]], &Start::PyTorch, Bias::None, 0.5),
        (&XOR, &normal, Bias::Penalised, (2.0 * std::f64::consts::PI - perimeter) / (4.0 * std::f64::consts::PI)),
        (&XOR, &Start::PyTorch, Bias::Free, 13.0 / 48.0),
        (&XOR, &Start::ScikitLearn, Bias::Penalised, 13.0 / 48.0),
        (&XOR, &Start::Keras, Bias::Penalised, 0.25),
        (&[&[1.0, 0.0], &[-1.0, 1.0], &[-1.0, -1.0]], &normal, Bias::None, 0.0),
    ];
    for (rows, start, bias, exact) in cases {
        let found = dead_start_chance(&on_rows(rows, start, bias, 3)).expect("at most three inputs");
        assert!((found - exact).abs() < 1e-14, "{start:?} on {rows:?}: {found} for {exact}");
    }
    let wide: [&[f64]; 1] = [&[1.0, 2.0, 3.0]];
    assert_eq!(dead_start_chance(&on_rows(&wide, &normal, Bias::Penalised, 3)), None, "four inputs");
}

/// By counting: 100,000 neurons of every initialiser on random rows.
#[test]
fn as_many_neurons_start_dead_as_the_formula_says() {
    let starts = [
        Start::Normal { scale: 1.0 },
        Start::Balanced { scale: 1e-3 },
        Start::PyTorch,
        Start::Keras,
        Start::ScikitLearn,
    ];
    let mut state = 5_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut seen = 0.0;
    for (n, d, bias) in
        [(2, 1, Bias::None), (2, 1, Bias::Penalised), (3, 2, Bias::None), (4, 2, Bias::Penalised), (3, 3, Bias::None)]
    {
        // Shifted, so that the rows lie in a half space and the chance is not 0.
        let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| draw() + 0.5).collect()).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        for law in &starts {
            let plan = on_rows(&rows, law, bias, 100_000);
            let chance = dead_start_chance(&plan).expect("at most three inputs");
            let particles = start(&plan);
            let silent = |j: &usize| {
                let theta = particles.neuron(*j);
                rows.iter().all(|x| x.iter().zip(&theta[1..]).map(|(a, b)| a * b).sum::<f64>() + theta[1 + d] <= 0.0)
            };
            let count = (0..particles.width()).filter(silent).count() as f64;
            let error = (chance * (1.0 - chance) * 100_000.0).sqrt();
            assert!((count - 100_000.0 * chance).abs() <= 5.0 * error, "{law:?}, {rows:?}: {count} for {chance}");
            seen += chance;
        }
    }
    assert!(seen > 4.0, "chances that are not small: {seen}");
}
