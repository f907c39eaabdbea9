//! Arguments of `train`.

use std::path::PathBuf;

use clap::Args;
use relimit_solve::plan::{PlanError, TrainOptions, TrainPlan};

use super::data::DataArgs;
use super::number;

/// Noisy gradient descent of both layers of a finite network with weight decay:
///
///   theta <- theta - step * gradient + sqrt(2 step / beta) * noise,   theta = (w, b, c) of each neuron
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = "Examples:\n  \
    relimit train data.csv --target price\n  \
    relimit train data.csv --target price --beta 10 --anneal 1e5 --steps 100000 --out run1\n  \
    relimit train data.csv --target price --beta inf --lambda 0 --scaling standard --width 3 \\\n      \
    --start keras --starts 1000\n\n\
    The stationary law as the step vanishes is that of relimit gibbs. --out DIR keeps checkpoints: the same command\n\
    goes on from the last one, to the same bits.")]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Neurons [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Model")]
    pub(crate) width: Option<u64>,
    /// f = (1/N) sum or sum [default: mean-field]
    #[arg(long, value_name = "SCALING", value_parser = ["mean-field", "standard"], help_heading = "Model")]
    pub(crate) scaling: Option<String>,
    /// relu, or the bounded smooth unit of the theorems, smooth:CAP,SHARPNESS [default: relu]
    #[arg(long, value_name = "UNIT", help_heading = "Model")]
    pub(crate) unit: Option<String>,
    /// Which layers move [default: both]
    #[arg(long, value_name = "LAYERS", value_parser = ["both", "inner"], help_heading = "Model")]
    pub(crate) layers: Option<String>,
    /// Weight decay: a number, or a share of the one from which on no neuron pays, as in 0.05max [default: 0.05max]
    #[arg(long, value_name = "L|Smax", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) lambda: Option<String>,
    /// Scaling of the squared loss: 1/2 sum, 1/(2n) sum or 1/n sum [default: half-mean]
    #[arg(long, value_name = "LOSS", value_parser = ["half-sum", "half-mean", "mean"], help_heading = "Model")]
    pub(crate) loss: Option<String>,
    /// Hidden biases: none, decayed as weights, or not decayed [default: penalised]
    #[arg(long, value_name = "BIAS", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) bias: Option<String>,
    /// Output bias; without noise only [default: none]
    #[arg(long, value_name = "OFFSET", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) offset: Option<String>,
    /// Inverse temperature; inf for no noise [default: 1000]
    #[arg(long, value_name = "B", value_parser = number, allow_hyphen_values = true, help_heading = "Dynamics")]
    pub(crate) beta: Option<f64>,
    /// Inverse temperature at the last step, reached geometrically
    #[arg(long, value_name = "B", value_parser = number, allow_hyphen_values = true, help_heading = "Dynamics")]
    pub(crate) anneal: Option<f64>,
    /// Step [default: half of one that is stable at the start and for weights of order 1]
    #[arg(long, value_name = "ETA", value_parser = number, allow_hyphen_values = true, help_heading = "Dynamics")]
    pub(crate) step: Option<f64>,
    /// Let the step fall as 1/(1 + t/T): half of it is left at step T
    #[arg(long, value_name = "T", help_heading = "Dynamics")]
    pub(crate) halve_at: Option<u64>,
    /// Steps [default: 10000]
    #[arg(long, value_name = "N", help_heading = "Dynamics")]
    pub(crate) steps: Option<u64>,
    /// Rows of a step: full, K drawn anew, or K:shuffled once an epoch [default: full]
    #[arg(long, value_name = "K", help_heading = "Dynamics")]
    pub(crate) batch: Option<String>,
    /// normal:S, balanced:S, pytorch, keras or sklearn [default: normal:1]
    #[arg(long, value_name = "START", help_heading = "Dynamics")]
    pub(crate) start: Option<String>,
    /// Run from K starts and count the levels that they end at
    #[arg(long, value_name = "K", help_heading = "Dynamics")]
    pub(crate) starts: Option<u64>,
    /// Numbers of the state [default: f64]
    #[arg(long, value_name = "BITS", value_parser = ["f64", "f32"], help_heading = "Dynamics")]
    pub(crate) precision: Option<String>,
    /// A noise-free full-batch run has converged when its gradient is below this [default: 0, never]
    #[arg(long, value_name = "G", value_parser = number, allow_hyphen_values = true, help_heading = "Effort")]
    pub(crate) tolerance: Option<f64>,
    /// Stop after this time with what was reached: 250ms, 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Effort")]
    pub(crate) budget: Option<String>,
    /// Seed of start, noise and batches [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Effort")]
    pub(crate) seed: Option<u64>,
    /// Threads; results do not depend on them [default: all processors]
    #[arg(long, value_name = "N", help_heading = "Effort")]
    pub(crate) threads: Option<usize>,
    /// Exit with 1 unless the run converged
    #[arg(long, value_name = "WHAT", value_parser = ["certified", "converged"], help_heading = "Effort")]
    pub(crate) require: Option<String>,
    /// Compare with the rays of the optimum for any data [default: up to 3 inputs of a neuron and 300 rows]
    #[arg(long, help_heading = "Effort")]
    pub(crate) rays: bool,
    /// One JSON object on standard output instead of text
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Run directory: checkpoints, network, result.json; one that holds this run is gone on with
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// The same for a directory that must hold this run already
    #[arg(long, value_name = "DIR", conflicts_with = "out", help_heading = "Output")]
    pub(crate) resume: Option<PathBuf>,
    /// Time between checkpoints [default: 10s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Output")]
    pub(crate) checkpoint: Option<String>,
    /// The network for raw inputs (scaling folded in): .safetensors, .onnx or .npz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Picture of the fit, or of the directions of the neurons and the rays of the optimum: .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
}

impl TrainArgs {
    /// The checked plan.
    pub(crate) fn plan(&self) -> Result<TrainPlan, PlanError> {
        let options = TrainOptions {
            loss: self.loss.clone(),
            bias: self.bias.clone(),
            offset: self.offset.clone(),
            width: self.width,
            scaling: self.scaling.clone(),
            unit: self.unit.clone(),
            layers: self.layers.clone(),
            lambda: self.lambda.clone(),
            beta: self.beta,
            anneal: self.anneal,
            step: self.step,
            halve_at: self.halve_at,
            steps: self.steps,
            batch: self.batch.clone(),
            start: self.start.clone(),
            starts: self.starts,
            rays: self.rays,
            precision: self.precision.clone(),
            tolerance: self.tolerance,
            seed: self.seed,
            threads: self.threads,
            budget: self.budget.clone(),
            require: self.require.clone(),
            checkpoint: self.checkpoint.clone(),
            save: self.save.clone(),
            out: self.out.clone().or_else(|| self.resume.clone()),
            plot: self.plot.clone(),
        };
        options.check()
    }
}
