//! The gradient flow against descent with small steps, closed forms and stationarity.

use relimit_core::descent::{EventLog, FlowOptions, Initial, Limit, Move, Problem, Reason, Status, Unobserved, flow};
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
    let e = symmetric_eigen(problem.gram().unwrap());
    let mut alpha = vec![0.0; problem.n()];
    for (l, mu) in e.values.iter().enumerate() {
        let s = eps * e.vectors.row(l).iter().sum::<f64>() / mu;
        alpha.iter_mut().zip(e.vectors.row(l)).for_each(|(a, q)| *a += s * q);
    }
    let z = problem.gram().unwrap().mul_vec(&alpha);
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

#[test]
fn experiment() {
    let mut rng = Random(11);
    let t0 = std::time::Instant::now();
    let mut cases = vec![];
    for case in 0..200 {
        let m = 1 + case % 3;
        let (n, d) = [(8, 12), (10, 30), (12, 24), (20, 80), (8, 6), (14, 6), (20, 15)][(rng.uniform() * 7.0) as usize];
        let x = rng.matrix(n, d);
        let y = rng.labels(n);
        let p = Problem::new(x, y, vec![1.5, -0.7, 0.8][..m].to_vec(), false);
        let s = if n <= d {
            orthant(&p, 1e-2)
        } else {
            let w = Mat::from_fn(m, d, |_, _| 0.01 * rng.normal());
            start_at(&p, &w)
        };
        cases.push((p, s));
    }
    let t1 = std::time::Instant::now();
    let limits: Vec<Limit> = cases.iter().map(|(p, s)| run(p, s)).collect();
    println!("flows {:?} (setup {:?})", t1.elapsed(), t1 - t0);
    let mut ev = 0;
    let mut eig = 0;
    for (k, (l, (p, _))) in limits.iter().zip(&cases).enumerate() {
        ev += l.work.events;
        eig += l.work.eigens;
        let st = if l.status == Status::Converged { stationarity(p, l) } else { f64::NAN };
        if l.status != Status::Converged || st > 1e-9 {
            println!(
                "case {k} n {} d {} m {} {:?} {:?} events {} stationarity {st:e} ties {:?}",
                p.n(),
                p.dim(),
                p.m(),
                l.status,
                l.reason,
                l.work.events,
                l.ties
            );
        }
    }
    println!("events {ev} eigens {eig}");
}
