//! Why there is no answer: bad words, bad input, or a question that has none.

use relimit_core::data::scale::ScaleError;
use relimit_core::data::synthetic::SpecError;
use relimit_run::read::ReadError;
use relimit_solve::certify::CertifyError;
use relimit_solve::gibbs::GibbsError;
use relimit_solve::limit::LimitError;
use relimit_solve::optimum::OptimumError;
use relimit_solve::patterns::PatternsError;
use relimit_solve::plan::PlanError;
use relimit_solve::train::TrainError;
use serde_json::Value;
use thiserror::Error;

/// Why a question has no answer; every message says what, which value and what to do.
#[derive(Debug, Error)]
pub enum AskError {
    /// No command of this name.
    #[error("'{name}' is no command{}; there are {known}", hint(.near.as_deref()))]
    Command {
        /// The name given.
        name: String,
        /// The nearest that there is.
        near: Option<String>,
        /// All that there are.
        known: String,
    },
    /// No setting of this name.
    #[error("'{word}' is no setting of {command}{}; there are {known}", hint(.near.as_deref()))]
    Word {
        /// The command.
        command: String,
        /// The word given.
        word: String,
        /// The nearest that there is.
        near: Option<String>,
        /// All that there are.
        known: String,
    },
    /// A setting of the wrong kind.
    #[error("--{}: {value}: {cure}", flag(.word))]
    Value {
        /// The setting.
        word: String,
        /// What was given.
        value: String,
        /// What would do.
        cure: String,
    },
    /// Nothing to work on.
    #[error("no data: name a file (- for standard input), or give --synthetic SPEC")]
    NoData,
    /// A word that chooses from a file, with a generator.
    #[error("--{word}: chooses from a file, and --synthetic has none; leave it out")]
    NoFile {
        /// The setting.
        word: &'static str,
    },
    /// Generated data for a network of other inputs.
    #[error("{name}: {d} features for a network of {inputs} inputs; set d={inputs}")]
    Inputs {
        /// The data.
        name: String,
        /// Their features.
        d: usize,
        /// Inputs of the network.
        inputs: usize,
    },
    /// A setting that the plan refuses.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A file that cannot be used.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Data that cannot be scaled.
    #[error(transparent)]
    Scale(#[from] ScaleError),
    /// A generator that does not exist.
    #[error("--synthetic: {0}")]
    Synthetic(#[from] SpecError),
    /// A limit that cannot be asked for.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Patterns that cannot be asked for.
    #[error(transparent)]
    Patterns(#[from] PatternsError),
    /// An optimum that cannot be asked for.
    #[error(transparent)]
    Optimum(#[from] OptimumError),
    /// A law that cannot be asked for.
    #[error(transparent)]
    Gibbs(#[from] GibbsError),
    /// A training that cannot be asked for.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A verdict that cannot be asked for.
    #[error(transparent)]
    Certify(#[from] CertifyError),
    /// What else cannot be asked.
    #[error("{0}")]
    Usage(String),
}

impl AskError {
    pub(crate) fn value(word: &str, value: &Value, cure: &str) -> Self {
        Self::Value { word: word.to_owned(), value: value.to_string(), cure: cure.to_owned() }
    }
}

fn hint(word: Option<&str>) -> String {
    word.map_or_else(String::new, |word| format!(" (did you mean '{word}'?)"))
}

fn flag(word: &str) -> String {
    word.replace('_', "-")
}
