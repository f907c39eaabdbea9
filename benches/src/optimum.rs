//! How fast the optimum is certified, against the convex program over all patterns (cvxpy and Clarabel) and against pyscnn.

use std::ffi::OsString;

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{Bias, CertifyOptions, Objective as Claimed, certify};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::pattern::cover;
use relimit_solve::optimum::{Effort, Objective, Optimum, optimum as minimise};

use crate::data::{gaussian, write_npy};
use crate::measure::{batch, enough};
use crate::peer::{Figures, Peer, number};
use crate::record::Row;

/// Batches of each side; the least counts, for other work on the machine only adds.
const ROUNDS: usize = 5;
/// Weight decay of both sets, half-mean loss.
const LAMBDA: f64 = 0.01;

/// One problem of both sides.
struct Set {
    name: &'static str,
    x: Mat,
    y: Vec<f64>,
    bias: Bias,
    /// The patterns of the peers: `all` or how many.
    patterns: &'static str,
}

/// Time to a gap of 1e-8, on 10 rows in 2 features with a bias (all cells) and on 50 rows in 5 (500 sampled cells).
pub(crate) fn optimum(heavy: bool) -> Vec<Row> {
    let sets = [
        Set { name: "10 x 2 with bias", x: gaussian(10, 2, 3), y: labels(10), bias: Bias::Penalised, patterns: "all" },
        Set { name: "50 x 5", x: gaussian(50, 5, 3), y: labels(50), bias: Bias::None, patterns: "500" },
    ];
    let mut out: Vec<Row> = sets.iter().map(Set::clarabel).collect();
    if heavy {
        out.extend(sets.iter().map(Set::pyscnn));
    }
    out
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

    fn arguments(&self) -> Vec<OsString> {
        let (n, d) = (self.x.rows(), self.x.cols());
        let ones = usize::from(self.bias != Bias::None);
        let x = Mat::from_fn(n, d + ones, |i, k| if k < d { self.x[(i, k)] } else { 1.0 });
        let inputs = write_npy("optimum-x", &[n, d + ones], x.as_slice());
        let labels = write_npy("optimum-y", &[n], &self.y);
        vec![inputs.into(), labels.into(), LAMBDA.to_string().into(), self.patterns.into()]
    }

    fn clarabel(&self) -> Row {
        let (found, ours) = self.ours();
        let mut peer = Peer::start("cvxpy_cells.py", &self.arguments());
        let figures: Vec<Figures> = (0..ROUNDS).map(|_| peer.batch(1)).collect();
        let theirs = least(figures.iter().map(|f| number(f, "cpu")));
        let (value, bound) = (number(&figures[0], "objective"), found.certified.lower_bound);
        assert!(value >= bound - 1e-6, "the peer's {value} lies below the certified {bound}");
        // over all cells both solve the same problem
        let above = value - found.certified.objective;
        assert!(self.patterns != "all" || above <= 1e-6, "the peer's {value} lies above ours by {above:e}");
        Row {
            question: format!("optimum {} to a certified gap of 1e-8, cvxpy and Clarabel over ours", self.name),
            ours: Some(ours),
            peer: Some(theirs),
            ratio: Some(theirs / ours),
            note: format!(
                "least of {ROUNDS} batches; F = {:.10}, {} nodes, {} rounds, {} returns, proof alone {:.2e} s; the peer over {:.0} of {} patterns ends {above:.1e} above, \
                 its solver alone {:.3} s; {}",
                found.certified.objective,
                found.nodes,
                found.candidate.rounds,
                found.returns,
                self.proof(&found),
                number(&figures[0], "patterns"),
                cover(self.x.rows(), self.x.cols() + usize::from(self.bias != Bias::None)),
                least(figures.iter().map(|f| number(f, "solver"))),
                peer.description
            ),
        }
    }

    fn pyscnn(&self) -> Row {
        let (found, ours) = self.ours();
        let mut peer = Peer::start_heavy("pyscnn_al.py", &self.arguments());
        let figures = peer.batch(1);
        let theirs = number(&figures, "cpu");
        let net = self.network(&figures);
        let options = CertifyOptions { max_nodes: 100_000, ..CertifyOptions::default() };
        let left = certify(&self.claim(), &self.x, &self.y, &net, &options);
        let above = left.objective - found.certified.objective;
        Row {
            question: format!("optimum {}, pyscnn at its own stopping rule over ours at 1e-8", self.name),
            ours: Some(ours),
            peer: Some(theirs),
            ratio: Some(theirs / ours),
            note: format!(
                "one run of the peer over {:.0} patterns; its network of {} neurons ends {:.1e} (relative) above the \
                 optimum, gap by its own residuals {:.1e}; {}",
                number(&figures, "patterns"),
                net.width(),
                above / found.certified.objective,
                left.gap_relative,
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
