//! Arguments of `study`.

use std::path::PathBuf;

use clap::Args;
use relimit_solve::plan::StudyOptions;

use super::data::DataArgs;

/// Everything that relimit knows about a data file, on one page: the activation patterns, where gradient descent and
/// gradient flow end, the best networks with their proofs, the law of noisy training.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = "Examples:\n  \
    relimit study data.csv --target price\n  \
    relimit study data.csv --target price --out price-study --budget 5m\n  \
    relimit study data.csv --target price --scale none --lambda 0.1max,0.01max\n\n\
    Every choice that was made for you is stated with its reason and the flag that overrides it. A study that\n\
    was killed is taken up again by the same command; finished sections are not done twice.")]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Hidden biases: none, or penalised as weights [default: penalised]
    #[arg(long, value_name = "BIAS", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) bias: Option<String>,
    /// Weight decays of the best networks, separated by commas [default: 0.5max,0.2max,0.05max,0.01max]
    #[arg(long, value_name = "L|Smax,...", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) lambda: Option<String>,
    /// Inverse temperatures, separated by commas [default: beta times the objective is 100, 1000 and 10000]
    #[arg(long, value_name = "B,...", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) beta: Option<String>,
    /// Output weights of the network that gradient descent trains [default: +-]
    #[arg(long, value_name = "SIGNS", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) signs: Option<String>,
    /// Time that all sections share: 8s, 5m, 1h [default: 60s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Effort")]
    pub(crate) budget: Option<String>,
    /// Seed of whatever is random [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Effort")]
    pub(crate) seed: Option<u64>,
    /// One JSON object on standard output instead of text
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Directory for report.html and result.json [default: DATA-study, named after the file]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
}

impl StudyArgs {
    /// The options of the plan.
    pub(crate) fn options(&self) -> StudyOptions {
        StudyOptions {
            bias: self.bias.clone(),
            lambda: self.lambda.clone(),
            beta: self.beta.clone(),
            signs: self.signs.clone(),
            seed: self.seed,
            budget: self.budget.clone(),
        }
    }
}

/// Arguments of `report`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReportArgs {
    /// Directory of a study
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
}
