//! The gradient flow against descent with small steps, closed forms and stationarity.

#![expect(clippy::unreadable_literal, reason = "reference values are quoted as they stand in their source")]

use relimit_core::descent::{
    EventLog, FlowOptions, Initial, Limit, Move, Observer, Problem, Reason, Status, Unobserved, flow,
};
use relimit_core::num::Mat;
use relimit_core::num::linalg::symmetric_eigen;
use relimit_core::num::mat::{dot, max_abs};

/// splitmix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
    fn matrix(&mut self, rows: usize, cols: usize) -> Mat {
        Mat::from_fn(rows, cols, |_, _| self.normal())
    }
    fn labels(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| if self.uniform() < 0.5 { 1.0 } else { -1.0 } * (0.5 + self.uniform())).collect()
    }
}

fn run(problem: &Problem, start: &Initial) -> Limit {
    flow(problem, start, &FlowOptions::default(), &mut Unobserved, &|| false)
}

fn start_at(problem: &Problem, w: &Mat) -> Initial {
    let z = Mat::from_rows(&(0..w.rows()).map(|j| problem.x().mul_vec(w.row(j))).collect::<Vec<_>>());
    Initial { alpha: Mat::zeros(w.rows(), problem.n()), z, offset: w.clone() }
}

/// The smallest weights with preactivation `eps` on every example (n <= D), for every neuron.
fn orthant(problem: &Problem, eps: f64) -> Initial {
    let e = symmetric_eigen(problem.gram().expect("n <= D"));
    let mut alpha = vec![0.0; problem.n()];
    for (l, mu) in e.values.iter().enumerate() {
        let s = eps * e.vectors.row(l).iter().sum::<f64>() / mu;
        alpha.iter_mut().zip(e.vectors.row(l)).for_each(|(a, q)| *a += s * q);
    }
    let z = problem.gram().expect("n <= D").mul_vec(&alpha);
    let rows = |v: &[f64]| Mat::from_rows(&vec![v.to_vec(); problem.m()]);
    Initial { alpha: rows(&alpha), z: rows(&z), offset: Mat::zeros(problem.m(), problem.dim()) }
}

/// Plain descent in preactivations, `z_j += eta c_j G D_j r`, until time `until`.
fn descend(problem: &Problem, start: &Initial, eta: f64, until: f64) -> Mat {
    let (n, m) = (problem.n(), problem.m());
    let g = relimit_core::num::linalg::gram(problem.x());
    let mut z = start.z.clone();
    let mut dz = vec![0.0; n];
    for _ in 0..(until / eta).round() as u64 {
        let r = problem.residual(&z);
        for j in 0..m {
            dz.fill(0.0);
            for i in 0..n {
                if z[(j, i)] > 0.0 {
                    let s = eta * problem.c()[j] * r[i];
                    dz.iter_mut().zip(g.row(i)).for_each(|(a, b)| *a += s * b);
                }
            }
            z.row_mut(j).iter_mut().zip(&dz).for_each(|(a, b)| *a += b);
        }
    }
    z
}

fn distance(a: &Mat, b: &Mat) -> f64 {
    max_abs(&a.as_slice().iter().zip(b.as_slice()).map(|(u, v)| u - v).collect::<Vec<_>>())
}

/// Largest violation of stationarity: for each neuron, `|sum_i theta_i c_j r_i x_i|` with theta 1 on active, 0 on
/// silent pairs and the best value in [0, 1] on ties, relative to `sum_i |r_i| |x_i|`.
fn stationarity(problem: &Problem, limit: &Limit) -> f64 {
    let x = problem.x();
    let r = problem.residual(&limit.z);
    let scale: f64 = (0..problem.n()).map(|i| problem.y()[i].abs() * dot(x.row(i), x.row(i)).sqrt()).sum();
    let mut worst = 0.0f64;
    for (j, c) in problem.c().iter().enumerate() {
        let ties: Vec<usize> = limit.ties.iter().filter(|t| t.0 == j).map(|t| t.1).collect();
        let v: Vec<f64> = (0..problem.n())
            .map(|i| if limit.z[(j, i)] > 0.0 && !ties.contains(&i) { c * r[i] } else { 0.0 })
            .collect();
        let mut left = x.tmul_vec(&v);
        let mut theta = vec![0.0; ties.len()];
        for _ in 0..20_000 {
            for (t, &i) in theta.iter_mut().zip(&ties) {
                let row: Vec<f64> = x.row(i).iter().map(|a| c * r[i] * a).collect();
                let square = dot(&row, &row);
                if square > 0.0 {
                    let to = (*t - dot(&row, &left) / square).clamp(0.0, 1.0);
                    left.iter_mut().zip(&row).for_each(|(a, b)| *a += (to - *t) * b);
                    *t = to;
                }
            }
        }
        worst = worst.max(max_abs(&left) / (c.abs() * scale));
    }
    worst
}

#[test]
fn vardi_shamir_family() {
    // limit (5, -1, s) and time t1 at which the third preactivation falls to 0, from the formula of the flow
    let table = [
        (0.5, 0.182650, -0.011591),
        (1.0, 0.169651, -0.040773),
        (2.0, 0.138318, -0.110696),
        (5.0, 0.086147, -0.209049),
        (10.0, 0.068195, -0.227636),
        (20.0, 0.064030, -0.230115),
        (100.0, 0.062774, -0.230706),
    ];
    for (gamma, t1, s) in table {
        let x = Mat::from_rows(&[[3.0, -1.0, 0.0], [4.0, 2.0, 0.0], [0.0, gamma, gamma]]);
        let problem = Problem::new(x, vec![16.0, 18.0, 0.0], vec![1.0], true);
        let mut log = EventLog::with_cap(10);
        let limit =
            flow(&problem, &start_at(&problem, &Mat::zeros(1, 3)), &FlowOptions::default(), &mut log, &|| false);
        assert_eq!(limit.status, Status::Converged);
        for (got, want) in limit.w.row(0).iter().zip([5.0, -1.0, s]) {
            assert!((got - want).abs() < 1e-6, "gamma {gamma}: {:?}", limit.w);
        }
        assert_eq!((log.events.len(), log.events[0].example, log.events[0].to), (1, 2, Move::Off));
        assert!((log.events[0].at - t1).abs() < 1e-6 && limit.last_event == log.events[0].at);
    }
}

/// Samples the flow at given times.
struct Grid {
    times: Vec<f64>,
    seen: Vec<Mat>,
}

impl Grid {
    fn at(times: &[f64]) -> Self {
        Self { times: times.to_vec(), seen: vec![] }
    }
}

impl Observer for Grid {
    fn next_sample(&self) -> f64 {
        self.times.get(self.seen.len()).copied().unwrap_or(f64::INFINITY)
    }
    fn sample(&mut self, at: f64, z: &Mat) {
        assert_eq!(at, self.times[self.seen.len()]);
        self.seen.push(z.clone());
    }
}

fn flow_at(problem: &Problem, start: &Initial, t: f64) -> Mat {
    let mut grid = Grid::at(&[t]);
    flow(problem, start, &FlowOptions::default(), &mut grid, &|| false);
    grid.seen.pop().expect("one sample")
}

fn tau(problem: &Problem) -> f64 {
    problem.x().as_slice().iter().map(|v| v * v).sum::<f64>() / problem.n() as f64
}

/// A problem of 1 to 3 neurons on Gaussian data, n <= D and n > D.
fn random_problem(case: usize, rng: &mut Random) -> (Problem, Initial) {
    let shapes = [(8, 12), (10, 30), (12, 24), (20, 80), (8, 6), (14, 6), (20, 15)];
    let (n, d) = shapes[(rng.uniform() * 7.0) as usize];
    let c = [1.5, -0.7, 0.8][..=case % 3].to_vec();
    let (x, y) = (rng.matrix(n, d), rng.labels(n));
    let problem = Problem::new(x, y, c, false);
    let start = if n <= d {
        orthant(&problem, 1e-2)
    } else {
        let w = Mat::from_fn(problem.m(), d, |_, _| 0.01 * rng.normal());
        start_at(&problem, &w)
    };
    (problem, start)
}

#[test]
fn two_hundred_random_flows_end_in_stationary_states() {
    let mut rng = Random(11);
    let mut slides = 0;
    for case in 0..200 {
        let (problem, start) = random_problem(case, &mut rng);
        let mut log = EventLog::with_cap(1000);
        let limit = flow(&problem, &start, &FlowOptions::default(), &mut log, &|| false);
        assert_eq!(limit.status, Status::Converged, "case {case}: {:?}", limit.reason);
        assert_eq!((log.events.len() as u64, log.dropped), (limit.work.events, 0));
        assert!(log.events.is_sorted_by(|a, b| a.at <= b.at));
        assert_eq!(log.events.last().map_or(0.0, |e| e.at), limit.last_event);
        slides += log.events.iter().filter(|e| e.to == Move::Slide).count();
        let off = stationarity(&problem, &limit);
        assert!(off < 1e-9, "case {case}: {off:e}");
        for j in 0..problem.m() {
            let z = problem.x().mul_vec(limit.w.row(j));
            assert!(max_abs(&z.iter().zip(limit.z.row(j)).map(|(a, b)| a - b).collect::<Vec<_>>()) < 1e-10);
            let mut w = problem.x().tmul_vec(limit.alpha.row(j));
            w.iter_mut().zip(start.offset.row(j)).for_each(|(a, b)| *a += b);
            let off = max_abs(&w.iter().zip(limit.w.row(j)).map(|(a, b)| a - b).collect::<Vec<_>>());
            assert!(off < 1e-8, "case {case}: X' alpha is {off:e} from w");
        }
        assert!(limit.ties.iter().all(|&(j, i)| limit.z[(j, i)] == 0.0));
    }
    assert!(slides > 500, "{slides} slides");
}

/// Plain descent approaches the flow linearly in the step, at a time after its last event.
///
/// A few problems need steps far below 1/4096 (near misses of 0, see the module): those are followed until they agree.
#[test]
fn descent_with_small_steps_approaches_the_flow() {
    let mut rng = Random(11);
    let (mut ratios, mut late) = (vec![], 0);
    for case in 0..150 {
        let (problem, start) = random_problem(case, &mut rng);
        let limit = run(&problem, &start);
        let tau = tau(&problem);
        let until = (3.0 * limit.last_event).max(10.0 / tau);
        if until * tau > 60.0 {
            continue; // too many plain steps for a test
        }
        let reference = flow_at(&problem, &start, until);
        let error = |c: f64| {
            let steps = (until * c * tau).ceil();
            distance(&descend(&problem, &start, until / steps, until), &reference)
        };
        let (coarse, middle, fine) = (error(256.0), error(1024.0), error(4096.0));
        if fine < 2e-3 {
            assert!(fine < coarse.max(1e-6), "case {case}: {coarse:e}, {middle:e}, {fine:e}");
            ratios.push(middle / fine);
        } else {
            let (finer, finest) = (error(65_536.0), error(262_144.0));
            assert!(finer < 1e-3 && finest < 0.5 * finer, "case {case}: {fine:e}, {finer:e}, {finest:e}");
            late += 1;
        }
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    assert!(ratios.len() >= 100 && late <= 3, "{} compared, {late} late", ratios.len());
    assert!((3.3..4.8).contains(&median), "error ratio for a quarter of the step: {median}");
    assert!(ratios[ratios.len() / 10] > 1.5, "{:?}", &ratios[..ratios.len() / 10]);
}

/// The same at the limit itself: descent until nothing is left to move.
#[test]
fn descent_with_small_steps_approaches_the_limit() {
    let mut rng = Random(5);
    let mut ratios = vec![];
    for case in 0..12 {
        let problem =
            Problem::new(rng.matrix(10, 60), rng.labels(10), vec![1.5, -0.7, 0.8][..=case % 3].to_vec(), false);
        let start = orthant(&problem, 1e-2);
        let limit = run(&problem, &start);
        let until = 160.0 / tau(&problem);
        let error = |c: f64| distance(&descend(&problem, &start, 1.0 / (c * tau(&problem)), until), &limit.z);
        let e = [error(256.0), error(1024.0), error(4096.0)];
        assert!(e[2] < 2e-3, "case {case}: {e:?}");
        ratios.push(e[1] / e[2]);
    }
    ratios.sort_by(f64::total_cmp);
    assert!((3.0..5.5).contains(&ratios[6]), "{ratios:?}");
}

/// The random problem on which descent stays .010 away from the flow down to steps of 1/16384 (units of 1/d).
///
/// Neurons 0 and 2 slide on example 4 from t = .00045 on, while neuron 1 fits it. Its residual changes sign at
/// t = .209318, when the push on the slides has decayed to 1.5e-7 and .8e-7 (computed with 50 digits), so the flow
/// goes active just before, and ends at z_04 = .003661914, z_24 = .001953021. A step of 1/16384 knocks the pair
/// down by more than that push can make up for, so descent stays silent; steps of 1/262144 follow the flow.
#[test]
fn far_case() {
    // the generator of the pilot: splitmix64 with half steps, matrices column by column
    struct Pilot(u64);
    impl Pilot {
        fn bits(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }
        fn uniform(&mut self) -> f64 {
            ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }
        fn normal(&mut self) -> f64 {
            (-2.0 * self.uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * self.uniform()).cos()
        }
        fn problem(&mut self) -> (Mat, Vec<f64>) {
            let (n, d) = [(8, 12), (10, 30), (12, 24), (20, 80)][(self.bits() % 4) as usize];
            let columns = Mat::from_fn(d, n, |_, _| self.normal());
            let sign = |u: f64| if u < 0.5 { 1.0 } else { -1.0 };
            let y = (0..n).map(|_| sign(self.uniform()) * (0.5 + self.uniform())).collect();
            (columns.transpose(), y)
        }
    }
    let mut pilot = Pilot(11);
    let (x, y) = (0..78).map(|_| pilot.problem()).last().unwrap();
    assert!((y[0] + 0.7717517842231856).abs() < 1e-15 && x.rows() == 10 && x.cols() == 30);
    let problem = Problem::new(x, y, vec![1.5, -0.7, 0.8], false);
    let start = orthant(&problem, 1e-2);
    let mut log = EventLog::with_cap(100);
    let limit = flow(&problem, &start, &FlowOptions::default(), &mut log, &|| false);
    assert_eq!(limit.status, Status::Converged);
    assert!((limit.z[(0, 4)] - 0.003661914477).abs() < 1e-8 && (limit.z[(2, 4)] - 0.001953021054).abs() < 1e-8);
    let last: Vec<_> = log.events.iter().rev().take(2).map(|e| (e.neuron, e.example, e.to)).collect();
    assert_eq!(last, [(2, 4, Move::On), (0, 4, Move::On)]);
    assert!((limit.last_event - 0.20931796419).abs() < 1e-9);

    let reference = flow_at(&problem, &start, 0.6);
    let coarse = descend(&problem, &start, 1.0 / (16_384.0 * 30.0), 0.6);
    assert!(coarse[(0, 4)] < 0.0 && distance(&coarse, &reference) > 0.005);
    let fine = descend(&problem, &start, 1.0 / (262_144.0 * 30.0), 0.6);
    assert!(distance(&fine, &reference) < 2e-5, "{:e}", distance(&fine, &reference));
}

/// Equal rows with different labels, proportional rows and rows of zeros, in both coordinates, against descent.
#[test]
fn repeated_directions_move_as_one() {
    for d in [3, 12] {
        let mut rng = Random(40 + d as u64);
        let base = rng.matrix(5, d);
        let copies = [(0, 1.0), (1, 1.0), (0, 1.0), (2, 1.0), (1, 0.5), (3, 1.0), (0, 2.0), (4, 0.0), (4, 1.0)];
        let x = Mat::from_fn(copies.len(), d, |i, k| copies[i].1 * base[(copies[i].0, k)]);
        let y = vec![-0.4, 1.2, -1.5, 0.8, -1.0, -0.9, 0.7, 2.0, 1.1];
        let problem = Problem::new(x, y, vec![1.5, -0.7], false);
        let w = Mat::from_fn(2, d, |_, _| 0.3 * rng.normal());
        let start = start_at(&problem, &w);
        let limit = run(&problem, &start);
        assert_eq!(limit.status, Status::Converged);
        assert!(stationarity(&problem, &limit) < 1e-9);
        let until = 12.0 / tau(&problem);
        let reference = flow_at(&problem, &start, until);
        let error = |c: f64| distance(&descend(&problem, &start, 1.0 / (c * tau(&problem)), until), &reference);
        let (coarse, fine) = (error(1024.0), error(65_536.0));
        assert!(fine < 1e-4 && fine < 0.1 * coarse, "{coarse:e}, {fine:e}");
        for j in 0..2 {
            assert!((limit.z[(j, 6)] - 2.0 * limit.z[(j, 0)]).abs() < 1e-12 && limit.z[(j, 7)] == 0.0);
        }
    }
}

/// A damped oscillation sampled at 133 times, some of them repeated, with a bias column: n far above D = 2.
#[test]
fn many_examples_in_two_dimensions() {
    let times: Vec<f64> = (0..133).map(|i| (f64::from(i) * 0.7).floor() / 46.0 - 1.0).collect();
    let mut rng = Random(3);
    let wave = |t: f64, e: f64| -(4.0 * t + 1.0).sin() * (-(t + 0.3).abs()).exp() + 0.2 * e;
    let y: Vec<f64> = times.iter().map(|t| wave(*t, rng.normal())).collect();
    let x = Mat::from_fn(133, 2, |i, k| if k == 0 { times[i] } else { 1.0 });
    for (m, at_zero) in [(1, false), (3, false), (6, false), (2, true)] {
        let c = (0..m).map(|j| if j % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let problem = Problem::new(x.clone(), y.clone(), c, at_zero);
        for _ in 0..5 {
            let scale = if at_zero { 0.0 } else { 0.5 };
            let start = start_at(&problem, &Mat::from_fn(m, 2, |_, _| scale * rng.normal()));
            let limit = run(&problem, &start);
            assert_eq!(limit.status, Status::Converged, "{:?}", limit.reason);
            assert!(stationarity(&problem, &limit) < 1e-10);
            assert!(problem.loss(&limit.z) <= problem.loss(&start.z));
        }
    }
}

/// Nearly parallel rows (condition of X about 1e7): the slow modes are resolved and the end is stationary.
#[test]
fn nearly_collinear_examples_still_end_stationary() {
    let (n, d) = (40, 8);
    let mut rng = Random(21);
    let x = Mat::from_fn(n, d, |i, k| {
        let s = i as f64 / n as f64;
        let power = |base: f64| (0..k).fold(1.0, |a, _| a * base);
        (0..=k).map(|p| power(s - 0.1 * p as f64) / (1.0 + p as f64)).sum::<f64>()
    });
    let y = (0..n).map(|i| (i as f64 * 0.4).sin() + 0.3 * rng.normal()).collect();
    let problem = Problem::new(x, y, vec![1.0, -1.0], false);
    let start = start_at(&problem, &Mat::from_fn(2, d, |_, _| rng.normal()));
    let limit = run(&problem, &start);
    assert_eq!(limit.status, Status::Converged, "{:?}", limit.reason);
    let off = stationarity(&problem, &limit);
    assert!(off < 1e-8, "{off:e}");
}

#[test]
fn ten_thousand_examples_need_no_large_matrix() {
    let mut rng = Random(8);
    let x = rng.matrix(10_000, 10);
    let teacher: Vec<f64> = (0..10).map(|_| rng.normal()).collect();
    let y: Vec<f64> = x.mul_vec(&teacher).iter().map(|z| z.max(0.0)).collect();
    let problem = Problem::new(x, y, vec![1.0], false);
    let near: Vec<f64> = teacher.iter().map(|w| w + 1e-3 * rng.normal()).collect();
    let limit = run(&problem, &start_at(&problem, &Mat::from_rows(&[near])));
    assert_eq!(limit.status, Status::Converged);
    let off = max_abs(&limit.w.row(0).iter().zip(&teacher).map(|(a, b)| a - b).collect::<Vec<_>>());
    assert!(off < 1e-10, "the teacher is missed by {off:e}");
}

#[test]
fn budget_and_interrupt_keep_the_state_reached() {
    let mut rng = Random(2);
    let problem = Problem::new(rng.matrix(12, 24), rng.labels(12), vec![1.5, -0.7], false);
    let start = orthant(&problem, 1e-2);
    let whole = run(&problem, &start);
    assert!(whole.work.events > 5);
    let few = flow(&problem, &start, &FlowOptions { max_events: 5 }, &mut Unobserved, &|| false);
    assert_eq!((few.status, few.reason), (Status::Budget, Reason::OutOfBudget));
    assert!(few.work.events >= 5 && few.last < whole.last && few.last == few.last_event);
    assert!(distance(&flow_at(&problem, &start, few.last), &few.z) < 1e-12);
    let none = flow(&problem, &start, &FlowOptions::default(), &mut Unobserved, &|| true);
    assert_eq!((none.status, none.reason), (Status::Interrupted, Reason::Stopped));
    assert!(distance(&none.z, &start.z) == 0.0);
}

#[test]
fn nothing_moves_without_an_active_pair() {
    let mut rng = Random(4);
    let problem = Problem::new(rng.matrix(5, 9), rng.labels(5), vec![1.0], false);
    let limit = run(&problem, &start_at(&problem, &Mat::zeros(1, 9)));
    assert_eq!((limit.status, limit.reason), (Status::Converged, Reason::AllSilent));
    let huge = Problem::new(Mat::from_rows(&[[1e200, 0.0], [0.0, 1e200]]), vec![1.0, 1.0], vec![1.0], true);
    let limit = run(&huge, &start_at(&huge, &Mat::zeros(1, 2)));
    assert_eq!((limit.status, limit.reason), (Status::Undecided, Reason::NotFinite));
}

fn small_problem(seed: u64, sign: impl Fn(f64) -> f64) -> (Problem, Initial) {
    let mut rng = Random(seed);
    let m = 2 + seed as usize % 7;
    let x = rng.matrix(6, 2);
    let y = rng.labels(6).into_iter().map(&sign).collect();
    let problem = Problem::new(x, y, (0..m).map(|_| sign(2.0 * rng.uniform() - 1.0).abs()).collect(), false);
    let start = start_at(&problem, &Mat::from_fn(m, 2, |_, _| 0.5 * rng.normal()));
    (problem, start)
}

/// Negative labels and positive output weights: every neuron goes silent, or slides into weight 0 and stays.
#[test]
fn neurons_collapse_when_every_example_pulls_inwards() {
    let (mut collapsed, mut compared) = (0, 0);
    for seed in 0..40 {
        let (problem, start) = small_problem(seed, |v: f64| -v.abs());
        let limit = run(&problem, &start);
        assert_eq!(limit.status, Status::Converged, "seed {seed}: {:?}", limit.reason);
        assert!(limit.z.as_slice().iter().all(|z| *z <= 0.0));
        for j in 0..problem.m() {
            if max_abs(limit.w.row(j)) < 1e-9 {
                collapsed += 1;
                assert_eq!(limit.ties.iter().filter(|t| t.0 == j).count(), 6);
            }
        }
        let until = 1.2 * limit.last_event + 1e-3;
        if until * tau(&problem) < 40.0 {
            let reference = flow_at(&problem, &start, until);
            let steps = (until * tau(&problem) * 16_384.0).ceil();
            let error = distance(&descend(&problem, &start, until / steps, until), &reference);
            assert!(error < 2e-3, "seed {seed}: {error:e}");
            compared += 1;
        }
    }
    assert!(collapsed > 10 && compared > 10, "{collapsed} collapsed, {compared} compared");
}

/// A neuron at weight 0 with pulls of both signs: its way out is not decided, and the run says so.
#[test]
fn a_neuron_at_zero_with_an_outward_pull_is_left_undecided() {
    let mut rng = Random(357);
    let (x, y) = (rng.matrix(6, 2), rng.labels(6));
    let problem = Problem::new(x, y, (0..2).map(|_| 2.0 * rng.uniform() - 1.0).collect(), false);
    let start = start_at(&problem, &Mat::from_fn(2, 2, |_, _| 0.5 * rng.normal()));
    let limit = run(&problem, &start);
    assert_eq!((limit.status, limit.reason), (Status::Undecided, Reason::NonUnique));
    let j = (0..2).find(|&j| max_abs(limit.w.row(j)) < 1e-9).expect("a neuron at 0");
    let pull: Vec<f64> = problem.residual(&limit.z).iter().map(|r| problem.c()[j] * r).collect();
    assert!(pull.iter().any(|v| *v > 0.0) && pull.iter().any(|v| *v < 0.0));
    // up to there descent agrees
    let until = limit.last;
    let error = distance(&descend(&problem, &start, until / 400_000.0, until), &limit.z);
    assert!(error < 1e-3, "{error:e}");
}
