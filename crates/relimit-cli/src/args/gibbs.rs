//! Arguments of `gibbs`.

use std::path::PathBuf;

use clap::Args;
use relimit_solve::plan::{GibbsOptions, GibbsPlan, PlanError};

use super::data::DataArgs;
use super::number;

/// The stationary law of noisy gradient descent with weight decay, without a particle:
///
///   minimises  named loss + (lambda/2) E|theta|^2 - entropy/beta  over all laws of a neuron theta = (w, b, c)
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = "Examples:\n  \
    relimit gibbs data.csv --target price --columns size --beta 1000\n  \
    relimit gibbs data.csv --target price --columns size --lambda 0.01 --beta 10,100,1000 --plot law.svg\n  \
    relimit gibbs data.csv --target price --columns size,age --samples 1000 --json\n\n\
    beta is the inverse temperature: theta <- theta - step * gradient + sqrt(2 step / beta) * noise has this law as the\n\
    step vanishes. Up to two features with a bias are solved in closed form, up to five by\n    \
    weighted points on the sphere of directions, with a stated error.")]
pub(crate) struct GibbsArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Weight decay: a number, or a share of the one from which on no neuron pays, as in 0.05max [default: 0.05max]
    #[arg(long, value_name = "L|Smax", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) lambda: Option<String>,
    /// Inverse temperature, several separated by commas, or K of them from LOW to HIGH as LOW..HIGH:K [default: 1000]
    #[arg(long, value_name = "B[,B2,...]", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) beta: Option<String>,
    /// Scaling of the squared loss: 1/2 sum, 1/(2n) sum or 1/n sum [default: half-mean]
    #[arg(long, value_name = "LOSS", value_parser = ["half-sum", "half-mean", "mean"], help_heading = "Model")]
    pub(crate) loss: Option<String>,
    /// Hidden biases: none, or penalised as weights [default: penalised]
    #[arg(long, value_name = "BIAS", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) bias: Option<String>,
    /// Degrees within which directions count as one ray of the effective width [default: 10]
    #[arg(long, value_name = "DEGREES", value_parser = number, allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) angle: Option<f64>,
    /// Stop after this time with what was reached: 250ms, 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Effort")]
    pub(crate) budget: Option<String>,
    /// Seed of the samples [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Effort")]
    pub(crate) seed: Option<u64>,
    /// Exit with 1 unless the stated error is below 1e-3 of the largest label
    #[arg(long, value_name = "WHAT", value_parser = ["certified", "converged"], help_heading = "Effort")]
    pub(crate) require: Option<String>,
    /// One JSON object on standard output instead of text
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Neurons drawn from the law at the largest beta, in the JSON
    #[arg(long, value_name = "K", help_heading = "Output")]
    pub(crate) samples: Option<u64>,
    /// The function at K points over the range of one feature, K x K over two, in the JSON
    #[arg(long, value_name = "K", help_heading = "Output")]
    pub(crate) grid: Option<u64>,
    /// Run N neurons from draws of the law for 1000 noisy steps at each beta and measure them beside it
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) particles: Option<u64>,
    /// Degrees, several separated by commas: shares of coefficient and neurons so near to the rays of the optimum
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, help_heading = "Output")]
    pub(crate) near: Option<String>,
    /// Picture of the fit with kinks and data, and of the effective width against temperature: .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// Network of the samples (1000 without --samples) for raw inputs: .safetensors, .onnx or .npz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Run directory: result.json, outputs.csv, grid.csv, samples.npy (K rows of w, b, c on the scaled data)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
}

impl GibbsArgs {
    /// The checked plan.
    pub(crate) fn plan(&self) -> Result<GibbsPlan, PlanError> {
        let options = GibbsOptions {
            loss: self.loss.clone(),
            bias: self.bias.clone(),
            lambda: self.lambda.clone(),
            beta: self.beta.clone(),
            angle: self.angle,
            near: self.near.clone(),
            samples: self.samples,
            grid: self.grid,
            particles: self.particles,
            seed: self.seed,
            budget: self.budget.clone(),
            require: self.require.clone(),
            plot: self.plot.clone(),
            save: self.save.clone(),
            out: self.out.clone(),
        };
        options.check()
    }
}
