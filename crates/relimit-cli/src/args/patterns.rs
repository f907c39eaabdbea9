//! Arguments of `patterns`.

use std::path::PathBuf;

use clap::Args;
use relimit_solve::plan::{PatternsOptions, PatternsPlan, PlanError};

use super::data::{DataArgs, ScaleWord, SelectArgs};

/// Which sets of rows can a ReLU neuron be active on: counted exactly, listed, and with the rows that are degenerate.
///
/// A neuron sees row x as w.x (+ b with --bias) and is active where that is positive. The number P of patterns bounds
/// the width that a network needs: noisy SGD with weight decay ends on at most 2P-1 directions.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(after_help = "Examples:\n  \
    relimit patterns data.csv --target price --bias\n  \
    relimit patterns data.csv --target price --bias --list patterns.npy --plot patterns.svg\n  \
    relimit patterns data.csv --columns a,b --list - --witness | head\n  \
    relimit patterns data.csv --target price --bias --check 0110\n\n\
    A pattern has one character a row, in the order of the file: 1 active, 0 not; with --ternary + - and 0 on\n\
    the boundary. Rows in the answer are rows of the file, the header being row 1.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct PatternsArgs {
    /// CSV, .npy or .npz file; - reads CSV from standard input
    #[arg(value_name = "DATA", conflicts_with = "synthetic", help_heading = None::<&str>)]
    pub(crate) data: Option<PathBuf>,
    /// Column that is no feature [default: none, every column is a feature]
    #[arg(long, value_name = "NAME", help_heading = "Data")]
    pub(crate) target: Vec<String>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// What is done to each feature; scaled values are rounded, which can undo degeneracies [default: none]
    #[arg(long, value_name = "none|centre|standardise", hide_possible_values = true, help_heading = "Data")]
    pub(crate) scale: Option<ScaleWord>,
    /// Take values as the decimals in the file, not as the doubles nearest to them: 0.1, 0.2 and 0.3 are then equally far
    /// apart
    #[arg(long, help_heading = "Data")]
    pub(crate) decimals: bool,
    /// Generated data instead of a file, for example gaussian:n=20,d=3,seed=1
    #[arg(long, value_name = "SPEC", help_heading = "Data")]
    pub(crate) synthetic: Option<String>,
    /// Neurons have a bias: a column of ones; the words make no difference here [default: none]
    #[arg(long, value_name = "BIAS", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) bias: Option<String>,
    /// Count and list sign vectors with zeros too: patterns and all boundaries between them
    #[arg(long, help_heading = "Patterns")]
    pub(crate) ternary: bool,
    /// Decide one pattern: a neuron that produces it, or a proof that none does
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, help_heading = "Patterns")]
    pub(crate) check: Option<String>,
    /// Write a witness with each pattern of a list: whole numbers w (and b) of a neuron that produces it
    #[arg(long, help_heading = "Patterns")]
    pub(crate) witness: bool,
    /// Stop after this many patterns [default: 10000000, fewer for long rows]
    #[arg(long, value_name = "K", help_heading = "Effort")]
    pub(crate) limit: Option<u64>,
    /// Stop after this time with what was reached: 250ms, 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Effort")]
    pub(crate) budget: Option<String>,
    /// Seed of the generic directions that order the search; the answer does not depend on it [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Effort")]
    pub(crate) seed: Option<u64>,
    /// Threads; results do not depend on them [default: all processors]
    #[arg(long, value_name = "N", help_heading = "Effort")]
    pub(crate) threads: Option<usize>,
    /// Every pattern: .txt, .npy (numpy) or .parquet; - writes text to standard output, the summary to standard error
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) list: Option<PathBuf>,
    /// Proof of the list, or of the pattern of --check, for `relimit check`: up to 50 rows and 100000 nodes of proof
    #[arg(long, value_name = "FILE", conflicts_with_all = ["decimals", "ternary"], help_heading = "Output")]
    pub(crate) certificate: Option<PathBuf>,
    /// Active rows of the patterns as bars, and for one or two features the data with their lines: .svg or .png, and
    /// the bars as FILE.plot.csv
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// One JSON object on standard output instead of text
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl PatternsArgs {
    /// The shared part about data; labels are no part of it.
    pub(crate) fn data(&self) -> DataArgs {
        DataArgs {
            data: self.data.clone(),
            target: self.target.clone(),
            select: self.select.clone(),
            scale: self.scale,
            target_scale: None,
            synthetic: self.synthetic.clone(),
        }
    }

    /// The checked plan.
    pub(crate) fn plan(&self) -> Result<PatternsPlan, PlanError> {
        let options = PatternsOptions {
            bias: self.bias.clone(),
            decimals: self.decimals,
            list: self.list.clone(),
            ternary: self.ternary,
            witness: self.witness,
            limit: self.limit,
            check: self.check.clone(),
            seed: self.seed,
            threads: self.threads,
            budget: self.budget.clone(),
            plot: self.plot.clone(),
        };
        options.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command, normalise};
    use clap::Parser;
    use relimit_solve::plan::{Bias, ListTarget};

    fn parse(line: &str) -> Result<PatternsArgs, String> {
        let words = normalise(format!("relimit patterns {line}").split(' ').map(Into::into));
        match Cli::try_parse_from(words).map_err(|e| e.to_string())?.command {
            Command::Patterns(args) => Ok(*args),
            other => panic!("parsed as {other:?}"),
        }
    }

    #[test]
    fn a_file_is_enough() {
        let args = parse("a.csv").unwrap();
        assert_eq!((args.data.clone(), args.target.len()), (Some("a.csv".into()), 0));
        assert_eq!(args.plan().unwrap().bias, Bias::None);
    }

    #[test]
    fn a_bare_bias_and_hyphens_are_read_in_any_place() {
        for line in ["--bias a.csv", "a.csv --bias", "a.csv --bias --list -"] {
            let args = parse(line).unwrap();
            assert_eq!(args.data, Some("a.csv".into()), "{line}");
            assert_eq!(args.plan().unwrap().bias, Bias::Penalised, "{line}");
        }
        let plan = parse("a.csv --list - --check -+0").unwrap().plan().unwrap();
        assert_eq!(plan.list, Some(ListTarget::Stdout));
        assert_eq!(plan.check.unwrap().signs, [-1, 1, 0]);
    }

    #[test]
    fn what_contradicts_is_refused() {
        assert!(parse("a.csv --synthetic golden").unwrap_err().contains("cannot be used with"));
        assert!(parse("a.csv --limit -3").unwrap_err().contains("-3"));
        assert!(parse("a.csv --limit 0").unwrap().plan().unwrap_err().to_string().contains("--limit 0"));
    }
}
