//! Starts that cannot be made: the reason, the proof where there is one, and the cure.

use crate::certify::Impossible;

/// Why a start was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StartError {
    /// No weights make every example active.
    #[error("{}", no_orthant(*.eps, .reason, &from_zero))]
    NoOrthant {
        /// The margin asked for.
        eps: f64,
        /// The proof.
        reason: Impossible,
    },
    /// No weights make a neuron active on its own share alone.
    #[error("{}", no_disjoint(*.neuron, *.delta, .reason, &from_zero))]
    NoDisjoint {
        /// The neuron, from 0.
        neuron: usize,
        /// The margin asked for.
        delta: f64,
        /// The proof, about the rows times +1 on the neuron's share and -1 elsewhere.
        reason: Impossible,
    },
    /// Neither such weights nor a proof that there are none were found.
    #[error(
        "{start} could not be decided in double precision: some of the {n} examples are so close to cancelling that \
         weights which separate them would be without bound. Add a bias column (--bias penalised), or start elsewhere \
         (--start gaussian:0.001)"
    )]
    Unresolved {
        /// The start asked for, as on the command line.
        start: String,
        /// Number of examples.
        n: usize,
    },
    /// A start at 0 with relu'(0) = 0 never moves.
    #[error("--start zero needs relu'(0) = 1: with 0 no neuron is ever active and nothing moves. Add --relu-at-zero 1")]
    ZeroNeedsSlope,
    /// Starting weights of the wrong shape.
    #[error(
        "starting weights are {found_rows} x {found_cols}, expected {neurons} x {inputs}: one row a neuron, one column \
         an input (a bias column, when there is one, comes last)"
    )]
    Shape {
        /// Rows found.
        found_rows: usize,
        /// Columns found.
        found_cols: usize,
        /// Rows expected: neurons.
        neurons: usize,
        /// Columns expected: inputs, bias column included.
        inputs: usize,
    },
    /// A starting weight that is NaN or infinite.
    #[error("starting weight {value} of neuron {neuron}, column {column} (both from 0) is not a finite number")]
    NotFinite {
        /// The neuron, from 0.
        neuron: usize,
        /// The column, from 0.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A margin or scale that is not a positive number.
    #[error("--start {name}:{value} needs a positive finite number, for example {name}:0.001")]
    Parameter {
        /// orthant, disjoint or gaussian.
        name: &'static str,
        /// The value given.
        value: f64,
    },
    /// Features so large or small that their inner products leave the range of doubles.
    #[error(
        "the largest feature is {largest:e} in size: inner products of examples leave the range of double precision \
         (features between 1e-140 and 1e140 are accepted). Rescale, for example with --scale standardise"
    )]
    Range {
        /// Largest absolute feature.
        largest: f64,
    },
}

impl StartError {
    /// The message with examples called as `name` says (`Display` counts them from 0).
    pub fn describe(&self, name: &dyn Fn(usize) -> String) -> String {
        match self {
            Self::NoOrthant { eps, reason } => no_orthant(*eps, reason, name),
            Self::NoDisjoint { neuron, delta, reason } => no_disjoint(*neuron, *delta, reason, name),
            other => other.to_string(),
        }
    }
}

fn from_zero(i: usize) -> String {
    format!("example {i} (from 0)")
}

fn no_orthant(eps: f64, reason: &Impossible, name: &dyn Fn(usize) -> String) -> String {
    let words = reason.words(name);
    format!(
        "--start orthant:{eps} does not exist: no weights make every example active, because {words}. \
         Add a bias column (--bias penalised), or start elsewhere (--start disjoint:0.1, --start gaussian:0.001)"
    )
}

fn no_disjoint(neuron: usize, delta: f64, reason: &Impossible, name: &dyn Fn(usize) -> String) -> String {
    let words = reason.words(name);
    format!(
        "--start disjoint:{delta} does not exist: no weights make neuron {neuron} (from 0) active on its own share of \
         the examples and silent on the others, because after turning the sign of those others {words}. \
         Start elsewhere (--start gaussian:0.001), or add a bias column (--bias penalised)"
    )
}
