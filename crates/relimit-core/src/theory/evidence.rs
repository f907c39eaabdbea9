//! What the engines found out about one data set, as far as the ledger looks at it.

use crate::certify::{Claim, OneStep};
use crate::descent::{Event, Move, Status};
use crate::gibbs::Rule;
use crate::net::mask;
use crate::num::Mat;
use crate::pattern::Covector;

use super::family::Family;

/// Everything known about one data set; every part may be absent, and what is absent is `undecided`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The data that the runs saw.
    pub data: Option<DataFacts>,
    /// Gradient descent to its limit.
    pub descent: Option<RunFacts>,
    /// Gradient flow to its limit.
    pub flow: Option<RunFacts>,
    /// The minimum-norm solution for the signs of `descent` (those of `flow` are the same).
    pub min_norm: Option<MinNormFacts>,
    /// Distance of the limit of descent to it.
    pub gap: Option<GapFacts>,
    /// Distance of the limit of the flow to it.
    pub flow_gap: Option<GapFacts>,
    /// The one-step certificate of `descent`.
    pub one_step: Option<OneStep>,
    /// Both layers trained without noise or weight decay from a small start.
    pub training: Option<TrainingFacts>,
    /// Number P of patterns of the rows, the bias column included.
    pub patterns: Option<PatternCount>,
    /// Global optima, one a lambda or several networks for one.
    pub optima: Vec<OptimumFacts>,
    /// Stationary laws.
    pub laws: Vec<LawFacts>,
}

/// The rows and labels that descent and flow saw, after scaling, bias column included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataFacts {
    /// Examples.
    pub n: usize,
    /// Inputs of a neuron.
    pub dim: usize,
    /// tr(X X')/n.
    pub tau: f64,
    /// Effective dimension of the population.
    pub d2: Option<EffectiveDimension>,
    /// Whether rows are orthogonal up to rounding ([`super::orthogonal_rows`]).
    pub orthogonal: Option<bool>,
    /// Lengths of the rows, n.
    pub lengths: Vec<f64>,
    /// Labels, n.
    pub labels: Vec<f64>,
    /// The family that the inputs (without bias column) and labels belong to, if it is one the theorems name.
    pub family: Option<Family>,
}

/// `d_2` of the population.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectiveDimension {
    /// Value or estimate.
    pub value: f64,
    /// Lower end of its 95 % interval; the value itself where it is exact.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One run of descent or flow with fixed output weights.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFacts {
    /// Output weights, m.
    pub c: Vec<f64>,
    /// relu'(0) taken as 1.
    pub at_zero: bool,
    /// Half-sum step; `None` for the flow.
    pub eta: Option<f64>,
    /// How the run ended.
    pub status: Status,
    /// Preactivations at the start, m x n.
    pub start_z: Mat,
    /// Preactivations at the limit, m x n.
    pub z: Mat,
    /// Which examples have residual 0 in the limit, n.
    pub fitted: Vec<bool>,
    /// Half-sum loss of the limit.
    pub loss: f64,
    /// Mask changes in order, the first of them at least.
    pub events: Vec<Event>,
    /// Whether `events` holds all of them.
    pub events_complete: bool,
    /// Step or time of the last mask change (0 if none).
    pub last_event: f64,
    /// `|W(inf) - W(0)|`, all neurons together.
    pub distance: Option<f64>,
    /// Norm of the part of the start outside the row space.
    pub offset: f64,
    /// Certified bound on the distance of the stated to the true limit (0: closed form).
    pub radius: f64,
}

impl RunFacts {
    /// Number of neurons.
    pub fn m(&self) -> usize {
        self.c.len()
    }

    /// Mask of a pair at the start.
    pub(super) fn starts_active(&self, j: usize, i: usize) -> bool {
        mask(self.start_z[(j, i)], self.at_zero)
    }

    /// Mask of a pair at the limit.
    pub(super) fn ends_active(&self, j: usize, i: usize) -> bool {
        mask(self.z[(j, i)], self.at_zero)
    }

    /// Whether the run ended in a limit.
    pub(super) fn converged(&self) -> bool {
        self.status == Status::Converged
    }

    /// Known events of a kind on pairs that `of` accepts.
    pub(super) fn count(&self, to: Move, of: impl Fn(usize, usize) -> bool) -> usize {
        self.events.iter().filter(|e| e.to == to && of(e.neuron as usize, e.example as usize)).count()
    }
}

/// The minimum-norm solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinNormFacts {
    /// How sure it is.
    pub status: Claim,
    /// Norm of the best solution found.
    pub norm: Option<f64>,
    /// No solution has a smaller norm.
    pub lower: Option<f64>,
    /// Some solution has at most this norm.
    pub upper: Option<f64>,
}

/// Distance of a limit to the minimum-norm solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GapFacts {
    /// `|W(inf) - W*|`.
    pub absolute: f64,
    /// The same over `|W*|`; none when W* = 0.
    pub relative: Option<f64>,
    /// Upper bound that needs no solver.
    pub bound: Option<f64>,
    /// `|v|`, v the difference of the duals on rejected examples ([`super::rejected_difference`]), where both points fit
    /// the own examples of every neuron and no two neurons share a sign.
    pub v_norm: Option<f64>,
}

/// Both layers trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingFacts {
    /// Whether the start was balanced, `|c_j| = |w_j|`.
    pub balanced: bool,
    /// Whether there was a bias that is no column of the data: an output bias, or hidden ones beside orthogonal rows.
    pub bias: bool,
    /// Norm of all parameters at the start.
    pub start_norm: f64,
    /// Half the squared norm of all parameters at the end.
    pub half_square: f64,
    /// Half-sum loss at the end.
    pub loss: f64,
}

/// What is known about P.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternCount {
    /// At least so many.
    pub lower: u64,
    /// At most so many; equal to `lower` when the number is exact.
    pub upper: Option<u64>,
}

impl PatternCount {
    /// The exact number.
    pub fn exact(p: u64) -> Self {
        Self { lower: p, upper: Some(p) }
    }
}

/// One network offered as the global optimum of the regularised loss.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumFacts {
    /// Outputs k of the network.
    pub outputs: usize,
    /// Whether hidden biases exist and are decayed, and there is no output bias.
    pub penalised_bias: bool,
    /// Weight decay.
    pub lambda: f64,
    /// Loss is `(omega/2) |f - y|^2`: 1 for half-sum, 1/n for half-mean, 2/n for mean.
    pub omega: f64,
    /// How sure it is.
    pub status: Claim,
    /// Upper bound of its objective.
    pub objective: f64,
    /// Lower bound of the objective of every network.
    pub lower_bound: f64,
    /// Fitted values, n k.
    pub fitted: Vec<f64>,
    /// Its neurons.
    pub rays: Vec<Ray>,
    /// All directions of contact, |q| = lambda, if they are known (one output).
    pub contact: Option<Vec<Ray>>,
    /// Distinct hyperplanes on which the function bends.
    pub kinks: Option<usize>,
    /// One feature: where it bends.
    pub line: Option<Line>,
    /// Whether no other network attains the optimum.
    pub unique: Option<bool>,
    /// Number of directions of contact, if it is known.
    pub contact_count: Option<usize>,
    /// Several outputs: largest rank of `sum_j c_j u_j'` over neurons with one and the same ternary pattern.
    pub face_rank: Option<usize>,
    /// Several outputs: largest dimension of a set of contact directions, |Q| = lambda (0: all are isolated); at least 1
    /// where [`super::arc_of_contact`] found an arc; `None` while not known.
    pub contact_dimension: Option<usize>,
}

/// A direction with the sign of its coefficient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ray {
    /// Sign of the output weight; 0 for several outputs.
    pub sign: i8,
    /// Signs of the rows.
    pub pattern: Covector,
}

/// Kinks of a function of one input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Inputs of the data, in any order.
    pub points: Vec<f64>,
    /// Places of the kinks, distinct, in the same units.
    pub kinks: Vec<f64>,
}

/// The stationary law at one temperature.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LawFacts {
    /// Outputs k.
    pub outputs: usize,
    /// Inverse temperature.
    pub beta: f64,
    /// Weight decay.
    pub lambda: f64,
    /// Loss is `(omega/2) |f - y|^2`.
    pub omega: f64,
    /// Parameters of a neuron: inputs with bias, plus outputs.
    pub parameters: usize,
    /// Outputs at the rows, n k.
    pub fitted: Vec<f64>,
    /// They are within this of the exact ones, in Euclidean norm.
    pub error: f64,
    /// Loss plus penalty, without entropy.
    pub objective: f64,
    /// Groups of directions with at least 1 % of the coefficient each.
    pub effective_width: Option<usize>,
    /// Share of the coefficient in these groups.
    pub covered: Option<f64>,
    /// `beta E[theta . grad Psi] / parameters`, measured on draws or particles, not by the identity.
    pub virial: Option<Measured>,
    /// What vanishing noise selects, against the law.
    pub selection: Option<SelectionFacts>,
}

/// A statistical measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Mean.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// Coefficients by ray of contact.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionFacts {
    /// The rule that speaks, if one does.
    pub rule: Option<Rule>,
    /// Coefficients that it selects.
    pub selected: Vec<f64>,
    /// Coefficients of the law, gathered at the nearest ray.
    pub law: Vec<f64>,
}
