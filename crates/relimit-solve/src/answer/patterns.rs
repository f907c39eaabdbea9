//! The answer of `relimit patterns`.

use serde::{Deserialize, Serialize};

use super::ReaderSettings;

/// Which activation patterns the data can produce: how many, which rows are degenerate, and how many rows are active.
///
/// A pattern is a set of rows that some neuron is active on: the sign vector of a cell of the arrangement
/// {u . x~_i = 0}. Both a pattern and its complement count. Counts too large for JSON numbers (2^53) are `null` with the
/// digits in the key that ends in `_text`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternsAnswer {
    /// [`PatternsAnswer::SCHEMA`].
    pub schema: String,
    /// `patterns`.
    pub command: String,
    /// Every effective setting.
    pub settings: PatternsSettings,
    /// What was read.
    pub data: PatternsData,
    /// Rows.
    pub n: usize,
    /// Inputs of a neuron: features, plus 1 with a bias.
    pub dim: usize,
    /// Rank of the rows.
    pub rank: usize,
    /// Rows that are neither zero nor a multiple of an earlier one.
    pub distinct: usize,
    /// How sure `patterns` is.
    pub status: PatternsStatus,
    /// What ended the enumeration before its end.
    pub stopped: Option<Stopped>,
    /// P, the number of patterns, when it is exact.
    pub patterns: Option<u64>,
    /// P in digits, when it is exact.
    pub patterns_text: Option<String>,
    /// Patterns seen or proved, in digits: P is at least this.
    pub lower: String,
    /// P is at most this, in digits.
    pub upper: String,
    /// Whether any min(n, dim) rows are independent; `null` when not known.
    pub general_position: Option<bool>,
    /// P in general position: `2 sum_{k < dim} C(n - 1, k)`.
    pub cover_bound: Option<u64>,
    /// The same in digits.
    pub cover_bound_text: String,
    /// `2 P - 1`, with the upper bound for P where P is not exact: rays that suffice for a stationary network.
    pub ray_bound: Option<u64>,
    /// The same in digits.
    pub ray_bound_text: String,
    /// Rows of the file that are zero: always inactive.
    pub zero_rows: Vec<usize>,
    /// Which rows are degenerate and how, zero rows left out.
    pub degeneracies: Vec<Degeneracy>,
    /// Whether there may be more of them than are listed.
    pub more_degeneracies: bool,
    /// Entry k: patterns with k active rows, n + 1 of them; over the patterns seen when the status is not exact.
    pub active_counts: Option<Vec<u64>>,
    /// Sign vectors with zeros (`--ternary`).
    pub covectors: Option<Covectors>,
    /// The list that was written (`--list`).
    pub list: Option<ListFacts>,
    /// The pattern that was to be decided (`--check`).
    pub check: Option<CheckFacts>,
}

impl PatternsAnswer {
    /// Name and version of the JSON layout.
    pub const SCHEMA: &'static str = "relimit/patterns/1";
}

/// How sure a number of patterns is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternsStatus {
    /// Exact, and everything asked for is complete.
    Exact,
    /// An interval: there are more patterns than may be enumerated.
    Bound,
    /// Limit, budget or Ctrl-C ended the enumeration.
    Partial,
}

impl PatternsStatus {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bound => "bound",
            Self::Partial => "partial",
        }
    }
}

/// What ended an enumeration early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The largest number of patterns, given or by default.
    Limit,
    /// The wall-clock budget.
    Budget,
    /// Ctrl-C.
    Interrupted,
}

/// Effective settings of `patterns`, defaults filled in; keys are the flags with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PatternsSettings {
    /// Where the data came from and what was done to them.
    #[serde(flatten)]
    pub reader: ReaderSettings,
    /// `none`, `penalised` or `free`.
    pub bias: String,
    /// Most patterns enumerated.
    pub limit: u64,
    /// `default` or `flag`.
    pub limit_source: String,
    /// Seed of the generic directions.
    pub seed: u64,
    /// Threads.
    pub threads: u64,
    /// Time budget in seconds.
    pub budget: Option<f64>,
    /// Values as decimals, not as doubles.
    pub decimals: bool,
    /// Sign vectors with zeros.
    pub ternary: bool,
    /// A witness with each pattern.
    pub witness: bool,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternsData {
    /// Short name: the file name without its folder, or the generator.
    pub name: String,
    /// Feature names; a bias comes after them and has none.
    pub features: Vec<String>,
    /// Row of the file of each example, n: place i of a pattern belongs to `rows[i]`.
    pub rows: Vec<usize>,
    /// What was dropped, converted or noticed while reading, one sentence each.
    pub notices: Vec<String>,
}

/// How rows are degenerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DegeneracyKind {
    /// Equal rows: always active together.
    Equal,
    /// Positive multiples of one row: always active together.
    Proportional,
    /// Multiples of one row, some of them negative: those are active when the others are not.
    Opposite,
    /// More rows in a subspace than its dimension, and no two of them proportional.
    Dependent,
}

/// Rows that are degenerate together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Degeneracy {
    /// How.
    pub kind: DegeneracyKind,
    /// Rows of the file.
    pub rows: Vec<usize>,
    /// Their rank, the bias included: 2 for points on a line with a bias.
    pub rank: usize,
}

/// Sign vectors with zeros: all faces of the arrangement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covectors {
    /// Number of them, the zero vector included, when complete and below 2^53.
    pub count: Option<u64>,
    /// Those seen, in digits.
    pub count_text: String,
    /// Entry k: those whose face has dimension k, in digits; `rank` + 1 of them.
    pub by_dimension: Vec<String>,
    /// Whether all were seen.
    pub complete: bool,
}

/// The list that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListFacts {
    /// The file, `-` for standard output.
    pub file: String,
    /// `text`, `npy` or `parquet`.
    pub format: String,
    /// Lines of it.
    pub written: u64,
    /// Whether it holds all patterns.
    pub complete: bool,
}

/// One pattern decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckFacts {
    /// The pattern as given, one character a row.
    pub pattern: String,
    /// Whether some neuron produces it.
    pub realisable: bool,
    /// Input weights (and bias, last) of a neuron that does, whole numbers in digits.
    pub witness: Option<Vec<String>>,
    /// Otherwise rows with multipliers that prove the contrary.
    pub proof: Option<Vec<Multiplier>>,
}

/// A row in a proof that a pattern is impossible.
///
/// The rows times their multipliers sum to 0, and each multiplier has the sign wanted for its row (any sign where 0 is
/// wanted): at a point with the wanted signs the same sum would be positive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Multiplier {
    /// Row of the file.
    pub row: usize,
    /// Whole number in digits.
    pub multiplier: String,
}
