//! How fast the optimum is certified, against the convex program over all patterns (cvxpy and Clarabel) and against pyscnn.

use std::ffi::OsString;

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{Bias, CertifyOptions, Objective as Claimed, certify};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::pattern::cover;
use relimit_solve::optimum::{Effort, Objective, Optimum, optimum as minimise};

use crate::data::{gaussian, write_npy};
use crate::growth::Growth;
use crate::measure::{batch, enough, memory_bytes};
use crate::peer::{Figures, Peer, number};
use crate::record::Row;

/// Batches of each side; the least counts, for other work on the machine only adds.
const ROUNDS: usize = 5;
/// Sampled cells that the peer is given where all are out of its reach.
const SAMPLES: [usize; 4] = [250, 500, 1000, 2000];
/// CPU seconds of a peer's batch from which one is enough.
const LONG: f64 = 3.0;
/// Weight decay of both sets, half-mean loss.
const LAMBDA: f64 = 0.01;

/// One problem of both sides.
struct Set {
    name: &'static str,
    x: Mat,
    y: Vec<f64>,
    bias: Bias,
    /// The cells that pyscnn is given: `all` or how many.
    patterns: &'static str,
}

/// Time to a gap of 1e-8, on 10 rows in 2 features with a bias (all cells) and on 50 rows in 5 (more and more sampled cells).
pub(crate) fn optimum(heavy: bool) -> Vec<Row> {
    let small =
        Set { name: "10 x 2 with bias", x: gaussian(10, 2, 3), y: labels(10), bias: Bias::Penalised, patterns: "all" };
    let sampled = Set { name: "50 x 5", x: gaussian(50, 5, 3), y: labels(50), bias: Bias::None, patterns: "500" };
    let mut out = vec![small.clarabel()];
    out.extend(sampled.growth());
    if heavy {
        out.extend([&small, &sampled].map(Set::pyscnn));
    }
    out
}

/// What the peer did over some cells.
struct Sample {
    patterns: f64,
    /// CPU seconds, modelling included.
    seconds: f64,
    /// Seconds on the wall of its solver.
    solver: f64,
    /// Peak memory of its process.
    bytes: f64,
    /// Its objective above ours.
    above: f64,
    description: String,
}

fn labels(n: usize) -> Vec<f64> {
    gaussian(n, 1, 4).as_slice().to_vec()
}

impl Set {
    fn claim(&self) -> Claimed {
        Claimed { bias: self.bias, ..Claimed::half_mean(LAMBDA) }
    }

    fn objective(&self) -> Objective {
        Objective::new(self.claim(), self.x.clone(), self.y.clone())
    }

    /// Our answer and the CPU seconds of the least batch.
    fn ours(&self) -> (Optimum, f64) {
        let objective = self.objective();
        let run = || minimise(&objective, vec![], &Effort::default());
        let found = run();
        assert_eq!(found.certified.status, Claim::Certified, "{}: {:e}", self.name, found.certified.gap_relative);
        let black = || {
            std::hint::black_box(run());
        };
        let times = enough(black);
        (found, least((0..ROUNDS).map(|_| batch(times, black))))
    }

    /// CPU seconds of the certificate of the network found.
    fn proof(&self, found: &Optimum) -> f64 {
        let net = self.objective().network(&found.candidate.rays, found.candidate.offset);
        let run = || {
            std::hint::black_box(certify(&self.claim(), &self.x, &self.y, &net, &CertifyOptions::default()));
        };
        let times = enough(run);
        least((0..ROUNDS).map(|_| batch(times, run)))
    }

    /// Cells of the data, opposite ones both counted.
    fn cells(&self) -> f64 {
        let cells = cover(self.x.rows(), self.x.cols() + usize::from(self.bias != Bias::None));
        cells.to_string().parse().expect("a number")
    }

    fn arguments(&self, patterns: &str) -> Vec<OsString> {
        let (n, d) = (self.x.rows(), self.x.cols());
        let ones = usize::from(self.bias != Bias::None);
        let x = Mat::from_fn(n, d + ones, |i, k| if k < d { self.x[(i, k)] } else { 1.0 });
        let inputs = write_npy("optimum-x", &[n, d + ones], x.as_slice());
        let labels = write_npy("optimum-y", &[n], &self.y);
        vec![inputs.into(), labels.into(), LAMBDA.to_string().into(), patterns.into()]
    }

    /// The convex program over all cells: the same problem on both sides.
    fn clarabel(&self) -> Row {
        let (found, ours) = self.ours();
        let peer = self.convex("all", &found);
        assert!(peer.above <= 1e-6, "the peer's value lies above ours by {:e}", peer.above);
        Row {
            question: self.question(),
            ours: Some(ours),
            peer: Some(peer.seconds),
            ratio: Some(peer.seconds / ours),
            note: format!(
                "{}; the peer over all {} cells, one of them without an active row, ends {:.1e} above, its solver alone \
                 {:.3} s on the wall; {}",
                self.facts(&found),
                self.cells(),
                peer.above,
                peer.solver,
                peer.description
            ),
        }
    }

    fn question(&self) -> String {
        format!("optimum {} to a certified gap of 1e-8, cvxpy and Clarabel over ours", self.name)
    }

    fn facts(&self, found: &Optimum) -> String {
        format!(
            "least of {ROUNDS} batches; F = {:.10}, {} nodes, {} rounds, {} returns, proof alone {:.2e} s",
            found.certified.objective,
            found.nodes,
            found.candidate.rounds,
            found.returns,
            self.proof(found)
        )
    }

    /// The convex program over more and more sampled cells: a row for each, and one for what all of them would cost.
    fn growth(&self) -> Vec<Row> {
        let (found, ours) = self.ours();
        let samples: Vec<Sample> = SAMPLES.map(|k| self.convex(&k.to_string(), &found)).into();
        let row = |s: &Sample| Row {
            question: format!(
                "optimum {}, cvxpy and Clarabel over {:.0} sampled cells of {}, over ours on all",
                self.name,
                s.patterns,
                self.cells()
            ),
            ours: Some(ours),
            peer: Some(s.seconds),
            ratio: Some(s.seconds / ours),
            note: format!(
                "the peer ends {:.1e} (relative) above our certified optimum; its solver alone {:.3} s on the wall, peak memory \
                 {:.0} MB; {}",
                s.above / found.certified.objective,
                s.solver,
                s.bytes / 1e6,
                s.description
            ),
        };
        let mut out: Vec<Row> = samples.iter().map(row).collect();
        let last = samples.last().expect("a sample");
        let time = Growth::of(&samples.iter().map(|s| (s.patterns, s.seconds)).collect::<Vec<_>>());
        let memory = Growth::of(&samples.iter().map(|s| (s.patterns, s.bytes)).collect::<Vec<_>>());
        let (cells, all) = (self.cells(), time.at(self.cells()));
        out.push(Row {
            question: self.question(),
            ours: Some(ours),
            peer: Some(last.seconds),
            ratio: Some(last.seconds / ours),
            note: format!(
                "{}; the ratio is that of {:.0} sampled cells, a lower bound of that of all {cells}, which were not run. \
                 Extrapolated, not measured: the peer's time grows as cells^{:.2} between the samples (fit; {:.2} to \
                 {:.2} between neighbours), so all cells would take {:.1e} to {:.1e} s, {:.0} to {:.0} times ours, and \
                 {:.0} GB at the memory that each further cell took, on a machine with {:.0} GB",
                self.facts(&found),
                last.patterns,
                time.exponent,
                time.least,
                time.most,
                all.0,
                all.1,
                all.0 / ours,
                all.1 / ours,
                memory.along_a_line(cells) / 1e9,
                memory_bytes() as f64 / 1e9
            ),
        });
        out
    }

    /// cvxpy and Clarabel over some cells, and how far above our optimum they end.
    fn convex(&self, patterns: &str, found: &Optimum) -> Sample {
        let mut peer = Peer::start("cvxpy_cells.py", &self.arguments(patterns));
        let mut figures = vec![peer.batch(1)];
        while figures.len() < ROUNDS && number(&figures[0], "cpu") < LONG {
            figures.push(peer.batch(1));
        }
        let (value, bound) = (number(&figures[0], "objective"), found.certified.lower_bound);
        assert!(value >= bound - 1e-6, "the peer's {value} lies below the certified {bound}");
        Sample {
            patterns: number(&figures[0], "patterns"),
            seconds: least(figures.iter().map(|f| number(f, "cpu"))),
            solver: least(figures.iter().map(|f| number(f, "solver"))),
            bytes: number(&figures[0], "bytes"),
            above: value - found.certified.objective,
            description: peer.description.clone(),
        }
    }

    fn pyscnn(&self) -> Row {
        let (found, ours) = self.ours();
        let mut peer = Peer::start_heavy("pyscnn_al.py", &self.arguments(self.patterns));
        let figures = peer.batch(1);
        let theirs = number(&figures, "cpu");
        let net = self.network(&figures);
        let options = CertifyOptions { max_nodes: 100_000, ..CertifyOptions::default() };
        let left = certify(&self.claim(), &self.x, &self.y, &net, &options);
        let above = (left.objective - found.certified.objective) / found.certified.objective;
        Row {
            question: format!("optimum {}, pyscnn at its own stopping rule over ours at 1e-8", self.name),
            ours: Some(ours),
            peer: Some(theirs),
            ratio: Some(theirs / ours),
            note: format!(
                "one run of the peer over {:.0} cells; its network of {} neurons ends {above:.1e} (relative) above our \
                 certified optimum; what its own residuals certify is a gap of {:.1e}, after {} nodes; {}",
                number(&figures, "patterns"),
                net.width(),
                left.gap_relative,
                left.sup.nodes,
                peer.description
            ),
        }
    }

    /// The network of the peer's figures: one neuron for each cone variable.
    fn network(&self, figures: &Figures) -> Network {
        let list = |name: &str| -> Vec<f64> {
            let values = figures[name].as_array().unwrap_or_else(|| panic!("no list {name} in {figures:?}"));
            values.iter().map(|v| v.as_f64().expect("a number")).collect()
        };
        let (weights, signs) = (list("weights"), list("signs"));
        let (m, d) = (signs.len(), self.x.cols());
        let dim = weights.len() / m.max(1);
        let w = Mat::from_fn(m, d, |j, k| weights[j * dim + k]);
        let b = (0..m).map(|j| if dim > d { weights[j * dim + d] } else { 0.0 }).collect();
        Network::scalar(w, b, signs, 0.0)
    }
}

/// The least of some times.
pub(crate) fn least(times: impl Iterator<Item = f64>) -> f64 {
    times.fold(f64::INFINITY, f64::min)
}
