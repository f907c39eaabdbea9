//! Neuron-steps a CPU second of the particle kernel, noise included, against JAX, numpy and PyTorch, and its share of the
//! core's peak.

use std::hint::black_box;
use std::process::Command;

use relimit_core::langevin::{Options, Particles, Plan, Precision, Status, Unobserved, run, start};
use relimit_core::num::Mat;

use crate::data::{gaussian, write_npy};
use crate::measure::{batch, enough, median, peak_bytes, wall_seconds};
use crate::peer::{Peer, number};
use crate::record::Row;

/// Batches of each side.
const ROUNDS: usize = 7;
const ETA: f64 = 1e-2;
const LAMBDA: f64 = 1e-2;
const BETA: f64 = 1e4;

/// Features, rows, neurons, and the steps of one run.
const SHAPES: [Shape; 3] = [
    Shape { d: 2, n: 20, width: 1000, steps: 2000 },
    Shape { d: 8, n: 200, width: 1000, steps: 200 },
    Shape { d: 1, n: 10, width: 1_000_000, steps: 8 },
];

#[derive(Clone, Copy)]
struct Shape {
    d: usize,
    n: usize,
    width: usize,
    steps: u64,
}

/// All shapes in both precisions against every peer, the share of the peak, two threads, and memory.
pub(crate) fn train(heavy: bool) -> Vec<Row> {
    let mut out = vec![];
    for shape in SHAPES {
        for precision in [Precision::F32, Precision::F64] {
            for way in ["jax", "numpy"] {
                out.push(shape.against(precision, Peer::start("train.py", &shape.arguments(way, precision)), way));
            }
            if heavy {
                let peer = Peer::start_heavy("train.py", &shape.arguments("torch", precision));
                out.push(shape.against(precision, peer, "torch"));
            }
            out.push(shape.share_of_peak(precision));
        }
        out.push(shape.two_threads());
    }
    out.push(memory(Precision::F32));
    out.push(memory(Precision::F64));
    out
}

impl Shape {
    fn plan(self, precision: Precision) -> Plan {
        let x = gaussian(self.n, self.d, 1);
        let y = Mat::from_fn(self.n, 1, |i, _| x[(i, 0)].sin());
        let options = Options { width: self.width, precision, ..Options::new(x, y, LAMBDA, BETA, ETA) };
        Plan::new(options).expect("a plan")
    }

    fn name(self, precision: Precision) -> String {
        format!("train d = {}, n = {}, N = {}, {}", self.d, self.n, self.width, short(precision))
    }

    fn arguments(self, way: &str, precision: Precision) -> Vec<std::ffi::OsString> {
        let plan = self.plan(precision);
        let o = plan.options();
        let theta: Vec<f64> = start(&plan).values().collect();
        let files = [
            write_npy("train-x", &[self.n, self.d], o.x.as_slice()),
            write_npy("train-y", &[self.n], o.y.as_slice()),
            write_npy("train-start", &[self.width, self.d + 2], &theta),
        ];
        let numbers = [self.steps as f64, ETA, LAMBDA, BETA].map(|v| v.to_string().into());
        std::iter::once(way.into())
            .chain(files.map(Into::into))
            .chain(std::iter::once(short(precision).into()))
            .chain(numbers)
            .collect()
    }

    /// The state after the steps.
    fn end(self, plan: &Plan, from: &Particles, threads: usize) -> Particles {
        let mut particles = from.clone();
        let end = run(plan, &mut particles, 0..self.steps, threads, &mut Unobserved, &|| false);
        assert_eq!(end.status, Status::Completed);
        particles
    }

    fn neuron_steps(self) -> f64 {
        self.width as f64 * self.steps as f64
    }

    fn against(self, precision: Precision, mut peer: Peer, way: &str) -> Row {
        let plan = self.plan(precision);
        let from = start(&plan);
        let loss = {
            let f = relimit_core::langevin::outputs(&plan, &self.end(&plan, &from, 1), &plan.options().x);
            let square = |(f, y): (&f64, &f64)| (f - y) * (f - y);
            f.as_slice().iter().zip(plan.options().y.as_slice()).map(square).sum::<f64>() / (2.0 * self.n as f64)
        };
        let once = || {
            black_box(self.end(&plan, &from, 1));
        };
        let times = enough(once);
        let (mut ours, mut theirs) = (vec![], vec![]);
        for _ in 0..ROUNDS {
            ours.push(batch(times, once));
            let figures = peer.batch(1);
            theirs.push(number(&figures, "cpu"));
            // The same start and law, other noise: the losses agree to the noise of N neurons.
            let other = number(&figures, "loss");
            assert!((loss - other).abs() <= 0.1 * loss, "{way} ends at a loss of {other}, not {loss}");
        }
        let ratios: Vec<f64> = theirs.iter().zip(&ours).map(|(a, b)| a / b).collect();
        let rate = |seconds: &[f64]| self.neuron_steps() / median(seconds) / 1e6;
        Row {
            question: format!("{}, {way} over ours", self.name(precision)),
            ours: Some(median(&ours)),
            peer: Some(median(&theirs)),
            ratio: Some(median(&ratios)),
            note: format!(
                "{} steps; {:.2} M neuron-steps a CPU second, the peer {:.2} M; {}",
                self.steps,
                rate(&ours),
                rate(&theirs),
                peer.description
            ),
        }
    }

    /// `4 n (d + 1)` flops a neuron-step, over what a loop of independent fused operations reaches in the same minute.
    fn share_of_peak(self, precision: Precision) -> Row {
        let plan = self.plan(precision);
        let from = start(&plan);
        let once = || {
            black_box(self.end(&plan, &from, 1));
        };
        let times = enough(once);
        let (mut ours, mut peak) = (vec![], vec![]);
        for _ in 0..ROUNDS {
            ours.push((4 * self.n * (self.d + 1)) as f64 * self.neuron_steps() / batch(times, once));
            peak.push(match precision {
                Precision::F32 => crate::flops::peak32(),
                Precision::F64 => crate::flops::peak64(),
            });
        }
        let shares: Vec<f64> = ours.iter().zip(&peak).map(|(a, b)| a / b).collect();
        Row {
            question: format!("{}, share of the core's peak of fused multiply-adds", self.name(precision)),
            ours: None,
            peer: None,
            ratio: Some(median(&shares)),
            note: format!(
                "4 n (d + 1) flops a neuron-step, {:.1} of {:.1} Gflop/s; noise counts as none",
                median(&ours) / 1e9,
                median(&peak) / 1e9
            ),
        }
    }

    /// Time on the wall of two threads over one, f32.
    fn two_threads(self) -> Row {
        let plan = self.plan(Precision::F32);
        let from = start(&plan);
        let times = enough(|| {
            black_box(self.end(&plan, &from, 1));
        });
        let wall = |threads: usize| {
            let begin = wall_seconds();
            for _ in 0..times {
                black_box(self.end(&plan, &from, threads));
            }
            (wall_seconds() - begin) / times as f64
        };
        let (mut one, mut two) = (vec![], vec![]);
        for _ in 0..ROUNDS {
            one.push(wall(1));
            two.push(wall(2));
        }
        let ratios: Vec<f64> = one.iter().zip(&two).map(|(a, b)| a / b).collect();
        Row {
            question: format!("{}, time on the wall of one thread over two", self.name(Precision::F32)),
            ours: Some(median(&two)),
            peer: Some(median(&one)),
            ratio: Some(median(&ratios)),
            note: "equal bits; other work on the machine counts against it".to_owned(),
        }
    }
}

fn short(precision: Precision) -> &'static str {
    match precision {
        Precision::F32 => "f32",
        Precision::F64 => "f64",
    }
}

/// Neurons of the memory question.
const MANY: usize = 4_000_000;

/// What a run adds to the peak memory of a process that has the state, over the state.
fn memory(precision: Precision) -> Row {
    let program = std::env::current_exe().expect("the path of this program");
    let arguments = ["particles", "1", "10", &MANY.to_string(), short(precision), "2"].map(str::to_owned);
    let output = Command::new(program).args(arguments).output().expect("a child");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().map(|v| v.parse().expect("a number")).collect();
    let [state, peak, _] = numbers[..] else { panic!("the child said {text:?}") };
    Row {
        question: format!("train d = 1, n = 10, N = {MANY}, {}, peak memory over the state", short(precision)),
        ours: None,
        peer: None,
        ratio: Some(peak / state),
        note: format!("{:.1} MB over {:.1} MB, the program itself included", peak / 1e6, state / 1e6),
    }
}

/// The child of [`memory`]: bytes of the state, peak of a process that makes and trains it, neuron-steps a CPU second.
pub(crate) fn particles([d, n, width, precision, steps]: [&str; 5]) -> String {
    let count = |v: &str| v.parse().expect("a count");
    let precision = if precision == "f32" { Precision::F32 } else { Precision::F64 };
    let shape = Shape { d: count(d), n: count(n), width: count(width), steps: count(steps) as u64 };
    let plan = shape.plan(precision);
    let mut particles = start(&plan);
    let seconds = batch(1, || {
        run(&plan, &mut particles, 0..shape.steps, 1, &mut Unobserved, &|| false);
    });
    let size = if precision == Precision::F32 { 4 } else { 8 };
    let state = particles.width() * particles.parameters() * size;
    format!("{state} {} {:.0}", peak_bytes(), shape.neuron_steps() / seconds)
}
