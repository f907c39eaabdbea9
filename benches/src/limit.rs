//! The list of questions, and those about `relimit limit`: what the Gram product, the plain loop and the real data cost.

use std::ffi::OsString;
use std::process::Command;
use std::sync::Arc;

use relimit_core::descent::{DescentOptions, Problem, Start, Status, Unobserved, descend, start};
use relimit_core::num::Mat;
use relimit_core::num::linalg::gram;

use crate::data::{gaussian, root, signed_labels, standardised_target, write_npy};
use crate::measure::{batch, median, repetitions};
use crate::optimum::optimum;
use crate::patterns::patterns;
use crate::peer::{Peer, number};
use crate::python::python;
use crate::real::real;
use crate::record::Row;
use crate::sweep::sweep;
use crate::total::{memory, total};
use crate::train::train;

/// Batches of each side.
const ROUNDS: usize = 9;

/// A question by its name on the command line; true asks the heavy peers too.
type Question = (&'static str, fn(bool) -> Vec<Row>);

/// Every question.
pub(crate) const QUESTIONS: [Question; 11] = [
    ("gram", |_| gram_product()),
    ("total", |_| total()),
    ("memory", |_| memory()),
    ("dual", |_| dual_loop()),
    ("glucose", |_| glucose()),
    ("patterns", |_| patterns()),
    ("optimum", optimum),
    ("real", |_| real()),
    ("train", train),
    ("python", |_| python()),
    ("sweep", |_| sweep()),
];

/// The Gram product against OpenBLAS `dsyrk` and numpy's `X @ X.T`, and its peak memory over the data's.
fn gram_product() -> Vec<Row> {
    let mut out = vec![];
    for (n, d) in [(100, 10_000), (500, 20_000), (1000, 4000)] {
        let x = gaussian(n, d, 1);
        let file = write_npy("gram-x", &[n, d], x.as_slice());
        let g = gram(&x);
        let trace: f64 = (0..n).map(|i| g[(i, i)]).sum();
        let lower: f64 = (0..n).flat_map(|i| g.row(i)[..=i].to_vec()).sum();
        let run = || {
            std::hint::black_box(gram(std::hint::black_box(&x)));
        };
        let times = repetitions(batch(3, run));
        for way in ["dsyrk", "matmul"] {
            let mut peer = Peer::start("gram.py", &[way.into(), file.clone().into()]);
            let (mut ours, mut theirs) = (vec![], vec![]);
            for _ in 0..ROUNDS {
                ours.push(batch(times, run));
                let figures = peer.batch(times);
                theirs.push(number(&figures, "cpu"));
                for (name, expected, size) in [("trace", trace, trace), ("lower", lower, trace * n as f64)] {
                    let error = (number(&figures, name) - expected).abs();
                    assert!(error <= 1e-12 * size, "{name} of the peer's product differs by {error:e}");
                }
            }
            let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a / b).collect();
            out.push(Row {
                question: format!("Gram product {n} x {d} against {way}"),
                ours: Some(median(&ours)),
                peer: Some(median(&theirs)),
                ratio: Some(median(&ratios)),
                note: peer.description.clone(),
            });
        }
        out.push(peak(n, d));
    }
    out
}

/// Peak memory of a process that generates X and forms X X', over the size of X.
fn peak(n: usize, d: usize) -> Row {
    let program = std::env::current_exe().expect("the path of this program");
    let output = Command::new(program).args(["peak", &n.to_string(), &d.to_string()]).output().expect("a child");
    let bytes: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of bytes");
    let data = (n * d * size_of::<f64>()) as f64;
    Row {
        question: format!("Gram product {n} x {d}, peak memory over data"),
        ours: None,
        peer: None,
        ratio: Some(bytes / data),
        note: format!("{:.1} MB over {:.1} MB, the program itself included", bytes / 1e6, data / 1e6),
    }
}

/// The numpy dual loop to a loss of 1e-20, Gram product included: n = 100, d = 10,000, c = (1, -1).
fn dual_loop() -> Vec<Row> {
    let (n, d) = (100, 10_000);
    let descent = Descent { name: "dual", c: &[1.0, -1.0], eta: 0.5 / d as f64, steps: 1000, tolerance: 1e-20 };
    vec![descent.peer(&gaussian(n, d, 1), &signed_labels(n, 2), ROUNDS)]
}

/// The numpy dual loop on the glucose spectra, raw, one positive neuron, C = 30, to the limit near 10^6 steps.
fn glucose() -> Vec<Row> {
    let (x, y) = standardised_target(&root().join("examples/data/glucose_spectra.csv"));
    let tau = (0..x.rows()).map(|i| x.row(i).iter().map(|v| v * v).sum::<f64>()).sum::<f64>() / x.rows() as f64;
    let descent = Descent { name: "glucose", c: &[1.0], eta: 1.0 / (30.0 * tau), steps: 1_000_000, tolerance: 0.0 };
    vec![descent.peer(&x, &y, 1)]
}

/// One problem of gradient descent from z = 0.001 everywhere, as the peer is told it.
struct Descent {
    name: &'static str,
    c: &'static [f64],
    eta: f64,
    steps: usize,
    tolerance: f64,
}

impl Descent {
    /// The peer's time for the whole run.
    fn peer(&self, x: &Mat, y: &[f64], rounds: usize) -> Row {
        let inputs = write_npy(&format!("{}-x", self.name), &[x.rows(), x.cols()], x.as_slice());
        let labels = write_npy(&format!("{}-y", self.name), &[y.len()], y);
        let c: Vec<String> = self.c.iter().map(f64::to_string).collect();
        let numbers =
            [c.join(","), self.eta.to_string(), "0.001".to_owned(), self.steps.to_string(), self.tolerance.to_string()];
        let mut arguments: Vec<OsString> = vec![inputs.into(), labels.into()];
        arguments.extend(numbers.map(OsString::from));
        let mut peer = Peer::start("numpy_dual.py", &arguments);
        let first = peer.batch(1);
        let times = repetitions(number(&first, "cpu"));
        let mut theirs = vec![number(&first, "cpu")];
        if rounds > 1 {
            theirs = (0..rounds).map(|_| number(&peer.batch(times), "cpu")).collect();
        }
        // ours between two halves of the peer's, the Gram product included, to the exact limit
        let shared = Arc::new(x.clone());
        let run = || {
            let problem = Problem::new(Arc::clone(&shared), y.to_vec(), self.c.to_vec(), false);
            let from = start(&problem, &Start::Orthant(0.001), None).expect("an orthant start");
            let end = descend(&problem, &from, &DescentOptions::to_limit(self.eta), &mut Unobserved, &|| false);
            assert_eq!(end.status, Status::Converged);
            std::hint::black_box(end);
        };
        let repeat = repetitions(batch(2, run));
        let ours = median(&(0..ROUNDS).map(|_| batch(repeat, run)).collect::<Vec<_>>());
        Row {
            question: format!(
                "descent {} {} x {}, m = {}, against the numpy dual loop",
                self.name,
                x.rows(),
                x.cols(),
                self.c.len()
            ),
            ours: Some(ours),
            peer: Some(median(&theirs)),
            ratio: Some(ours / median(&theirs)),
            note: format!(
                "{} steps to loss {:.12e}; {}",
                number(&first, "steps"),
                number(&first, "loss"),
                peer.description
            ),
        }
    }
}
