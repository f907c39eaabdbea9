//! Arguments of `limit`.

use std::path::PathBuf;

use clap::Args;
use relimit_solve::plan::{LimitOptions, LimitPlan, PlanError};

use super::data::DataArgs;
use super::number;
use super::run::{EffortArgs, ModelArgs, OutputArgs};

/// Where gradient descent or gradient flow ends for f(x) = sum_j c_j relu(w_j . x + b_j), the output weights c fixed:
/// exactly, with the rows that are fitted or silent and why, and the distance to the smallest network that fits.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = "Examples:\n  \
    relimit limit data.csv --target price\n  \
    relimit limit data.csv --target price --scale centre --bias --signs ++-- --flow\n  \
    relimit limit data.csv --target price --step-constant 30 --plot run.svg --out run1\n  \
    relimit limit --synthetic gaussian:n=20,d=4000,labels=sign,seed=1 --step-constant 4 --json\n\n\
    Rows in the answer are rows of the file, the header being row 1.")]
pub(crate) struct LimitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Output weights, one neuron each: signs as in +- or numbers as in +1,-0.5 [default: +-]
    #[arg(long, value_name = "SIGNS", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) signs: Option<String>,
    /// Step of gradient descent: w <- w - ETA * gradient of the loss [default: 1/largest eigenvalue of sum_j c_j^2 XX']
    #[arg(long, value_name = "ETA", value_parser = number, allow_hyphen_values = true, help_heading = "Dynamics")]
    pub(crate) step: Option<f64>,
    /// Step 1/(C tau) of the half-sum loss, tau being the mean squared length of a row
    #[arg(long, value_name = "C", value_parser = number, allow_hyphen_values = true, help_heading = "Dynamics")]
    pub(crate) step_constant: Option<f64>,
    /// Gradient flow instead of steps
    #[arg(long, help_heading = "Dynamics")]
    pub(crate) flow: bool,
    /// First weights: orthant:EPS (every neuron active on every row), disjoint:DELTA, gaussian:SCALE, zero, or a file
    /// with one row a neuron [default: orthant:0.001]
    #[arg(long, value_name = "START", allow_hyphen_values = true, help_heading = "Dynamics")]
    pub(crate) start: Option<String>,
    /// Run from K random starts and print the shares of their end states (default start: gaussian:0.001)
    #[arg(long, value_name = "K", help_heading = "Dynamics")]
    pub(crate) starts: Option<u64>,
    /// Take at most N steps [default: no cap]
    #[arg(long, value_name = "N", help_heading = "Dynamics")]
    pub(crate) steps: Option<u64>,
    /// Also take K plain steps and print the distance of the exact engine to them
    #[arg(long, value_name = "K", help_heading = "Dynamics")]
    pub(crate) compare_steps: Option<u64>,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Network of the limit, for raw inputs (scaling folded in): .safetensors or .npz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Proof of the minimum norm, and of the one-step inequality where it holds, for `relimit check`; on the scaled data
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) certificate: Option<PathBuf>,
    /// Preactivations over steps or time, with every mask change: .svg or .png, and its numbers as FILE.plot.csv
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
}

impl LimitArgs {
    /// The checked plan.
    pub(crate) fn plan(&self) -> Result<LimitPlan, PlanError> {
        let options = LimitOptions {
            loss: self.model.loss.clone(),
            bias: self.model.bias.clone(),
            offset: self.model.offset.clone(),
            relu_at_zero: self.model.relu_at_zero.as_deref().map(|text| text == "1"),
            signs: self.signs.clone(),
            step: self.step,
            step_constant: self.step_constant,
            flow: self.flow,
            start: self.start.clone(),
            starts: self.starts,
            steps: self.steps,
            compare_steps: self.compare_steps,
            seed: self.effort.seed,
            threads: self.effort.threads,
            gap: self.effort.gap,
            max_nodes: self.effort.max_nodes,
            budget: self.effort.budget.clone(),
            require: self.effort.require.clone(),
            save: self.save.clone(),
            plot: self.plot.clone(),
            out: self.output.out.clone(),
        };
        options.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command, normalise};
    use clap::Parser;
    use relimit_solve::plan::{Bias, Pace, StartRule};

    fn parse(line: &str) -> Result<LimitArgs, String> {
        let words = normalise(format!("relimit limit {line}").split(' ').map(Into::into));
        match Cli::try_parse_from(words).map_err(|e| e.to_string())?.command {
            Command::Limit(args) => Ok(*args),
            other => panic!("parsed as {other:?}"),
        }
    }

    fn plan(line: &str) -> LimitPlan {
        parse(line).unwrap().plan().unwrap()
    }

    /// The text of the error, whether the parser or the plan raises it.
    fn error(line: &str) -> String {
        parse(line).and_then(|args| args.plan().map_err(|e| e.to_string())).unwrap_err()
    }

    #[test]
    fn a_file_and_a_target_are_enough() {
        let args = parse("a.csv --target y").unwrap();
        assert_eq!(args.data.data, Some("a.csv".into()));
        assert_eq!(args.data.target, ["y"]);
        assert_eq!(args.plan().unwrap().signs.to_string(), "+-");
    }

    #[test]
    fn a_bare_bias_means_penalised_before_and_after_the_file() {
        for line in ["--bias a.csv --target y", "a.csv --bias --target y", "a.csv --target y --bias"] {
            assert_eq!(parse(line).unwrap().data.data, Some("a.csv".into()), "{line}");
            assert_eq!(plan(line).bias, Bias::Penalised, "{line}");
        }
        assert_eq!(plan("--bias free a.csv").bias, Bias::Free);
        assert_eq!(plan("a.csv --bias none").bias, Bias::None);
        assert_eq!(plan("a.csv").bias, Bias::None);
        assert!(error("a.csv --bias=some").contains("'some'"));
    }

    #[test]
    fn signs_are_accepted_as_people_write_them() {
        for (line, weights) in [
            ("a.csv --signs +-", vec![1.0, -1.0]),
            ("--signs -+ a.csv", vec![-1.0, 1.0]),
            ("--signs=- a.csv", vec![-1.0]),
            ("a.csv --signs --", vec![-1.0, -1.0]),
            ("a.csv --signs - --flow", vec![-1.0]),
            ("a.csv --signs +1,-0.5", vec![1.0, -0.5]),
            ("a.csv --signs -0.5,+1", vec![-0.5, 1.0]),
        ] {
            assert_eq!(plan(line).signs.weights(), weights, "{line}");
            assert_eq!(parse(line).unwrap().data.data, Some("a.csv".into()), "{line}");
        }
        assert!(error("a.csv --signs +x").contains("'+x', which is not a number"));
        assert!(error("a.csv --signs --flow").contains("--signs --flow: has '--flow', which is not a number"));
    }

    #[test]
    fn dynamics_are_read_and_checked() {
        assert_eq!(plan("a.csv --step-constant 30").pace, Pace::StepConstant(30.0));
        assert_eq!(plan("a.csv --step 1e-3").pace, Pace::Step(1e-3));
        assert_eq!(plan("a.csv --flow").pace, Pace::Flow);
        assert_eq!(plan("a.csv --start gaussian:0.5").start, StartRule::Gaussian(0.5));
        assert!(error("a.csv --step -1").starts_with("--step -1: is not positive"));
        assert!(error("a.csv --step -1e-3").starts_with("--step -0.001: is not positive"));
        assert!(error("a.csv --step 0").starts_with("--step 0: is not positive"));
        assert!(error("a.csv --step nan").starts_with("--step NaN: is not a finite number"));
        assert!(error("a.csv --step --flow").contains("not a number"));
        assert!(error("a.csv --step fast").contains("not a number; write for example"));
        assert!(error("a.csv --flow --step 1").starts_with("--flow: cannot be combined with --step"));
        assert!(error("a.csv --step-constant 2 --step 1").contains("cannot be combined with --step"));
        assert!(error("a.csv --starts -3").contains("-3"));
        assert!(error("a.csv --budget 60").contains("has no unit"));
        assert!(error("a.csv --budget -5s").contains("is not between"));
    }

    #[test]
    fn data_come_from_a_file_or_a_generator() {
        let args = parse("--synthetic gaussian:n=20,d=400 --json").unwrap();
        assert_eq!((args.data.data, args.output.json), (None, true));
        assert!(error("a.csv --synthetic golden").contains("cannot be used with"));
        let args = parse("- --target y --columns a,b --drop c --drop d,e").unwrap();
        assert_eq!(args.data.data, Some("-".into()));
        assert_eq!(args.data.select.columns, ["a", "b"]);
        assert_eq!(args.data.select.drop, ["c", "d", "e"]);
        assert!(error("a.csv --scale standardize").contains("standardise"));
        assert!(error("a.csv --missing keep").contains("error"));
    }
}
