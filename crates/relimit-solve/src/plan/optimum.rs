//! The plan of `optimum`: model, weight decay and effort.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limit::{count, picture, positive};
use super::{Bias, DEFAULT_GAP, DEFAULT_MAX_NODES, Lambda, Loss, Picture, PlanError, Require, parse_duration, words};

/// Share of lambda_max that is taken without `--lambda`.
const DEFAULT_SHARE: f64 = 0.05;

/// What a person gave; `None` asks for the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimumOptions {
    /// `half-sum`, `half-mean` or `mean`.
    #[serde(deserialize_with = "words::text")]
    pub loss: Option<String>,
    /// `none`, `penalised` or `free`.
    #[serde(deserialize_with = "words::text")]
    pub bias: Option<String>,
    /// Output bias: `none`, `penalised` or `free`.
    #[serde(deserialize_with = "words::text")]
    pub offset: Option<String>,
    /// A number, or a share as in `0.05max`.
    #[serde(deserialize_with = "words::text")]
    pub lambda: Option<String>,
    /// Also the path of decreasing lambda.
    pub path: bool,
    /// Also how the interval of the objective narrows.
    pub trace: bool,
    /// Seed of local search.
    pub seed: Option<u64>,
    /// Threads.
    pub threads: Option<usize>,
    /// Relative gap that counts as certified.
    #[serde(deserialize_with = "words::number")]
    pub gap: Option<f64>,
    /// Nodes of the sign trees.
    pub max_nodes: Option<u64>,
    /// Wall-clock budget, as text.
    #[serde(deserialize_with = "words::text")]
    pub budget: Option<String>,
    /// What exit code 0 requires.
    #[serde(deserialize_with = "words::text")]
    pub require: Option<String>,
    /// File for the network.
    #[serde(skip)]
    pub save: Option<PathBuf>,
    /// File for the picture.
    #[serde(skip)]
    pub plot: Option<PathBuf>,
    /// Run directory.
    #[serde(skip)]
    pub out: Option<PathBuf>,
}

/// A checked plan of `optimum`.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumPlan {
    /// Scaling of the loss; default half-mean.
    pub loss: Loss,
    /// Hidden bias; default penalised.
    pub bias: Bias,
    /// Output bias; default none.
    pub offset: Bias,
    /// Weight decay; default 0.05max.
    pub lambda: Lambda,
    /// Also the path of decreasing lambda.
    pub path: bool,
    /// Also how the interval of the objective narrows.
    pub trace: bool,
    /// Seed; default 0.
    pub seed: u64,
    /// Threads; `None` for as many as there are processors.
    pub threads: Option<usize>,
    /// Relative gap that counts as certified; default 1e-8.
    pub gap: f64,
    /// Nodes of the sign trees; default 100,000.
    pub max_nodes: u64,
    /// Wall-clock budget.
    pub budget: Option<Duration>,
    /// What exit code 0 requires.
    pub require: Option<Require>,
    /// File for the network.
    pub save: Option<PathBuf>,
    /// File for the picture.
    pub plot: Option<Picture>,
    /// Run directory.
    pub out: Option<PathBuf>,
}

impl OptimumOptions {
    /// Checks every option and fills in the defaults.
    ///
    /// # Errors
    /// The first option that is unknown or out of range.
    pub fn check(&self) -> Result<OptimumPlan, PlanError> {
        let gap = positive("gap", self.gap.unwrap_or(DEFAULT_GAP), "give a relative gap, for example 1e-8")?;
        if gap >= 1.0 {
            return Err(PlanError::new("gap", gap, "is not below 1", "give for example 1e-8"));
        }
        let require = self.require.as_deref().map(Require::parse).transpose()?;
        if require == Some(Require::Converged) {
            let cure = "give --require certified";
            return Err(PlanError::new("require", "converged", "speaks of a run, and an optimum has none", cure));
        }
        Ok(OptimumPlan {
            loss: self.loss.as_deref().map_or(Ok(Loss::HalfMean), Loss::parse)?,
            bias: self.bias.as_deref().map_or(Ok(Bias::Penalised), |text| Bias::parse("bias", text))?,
            offset: self.offset.as_deref().map_or(Ok(Bias::None), |text| Bias::parse("offset", text))?,
            lambda: self.lambda.as_deref().map_or(Ok(Lambda::Share(DEFAULT_SHARE)), Lambda::parse)?,
            path: self.path,
            trace: self.trace,
            seed: self.seed.unwrap_or(0),
            threads: count("threads", self.threads.map(|t| t as u64))?.map(|t| t as usize),
            gap,
            max_nodes: count("max-nodes", self.max_nodes)?.unwrap_or(DEFAULT_MAX_NODES),
            budget: self.budget.as_deref().map(|text| parse_duration("budget", text)).transpose()?,
            require,
            save: self.save.clone(),
            plot: self.plot.as_deref().map(picture).transpose()?,
            out: self.out.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let plan = OptimumOptions::default().check().unwrap();
        assert_eq!((plan.loss, plan.bias, plan.offset), (Loss::HalfMean, Bias::Penalised, Bias::None));
        assert_eq!((plan.lambda, plan.gap, plan.max_nodes), (Lambda::Share(0.05), 1e-8, 100_000));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let error = |options: OptimumOptions| options.check().unwrap_err().to_string();
        let lambda = OptimumOptions { lambda: Some("-1".into()), ..Default::default() };
        assert!(error(lambda).starts_with("--lambda -1: is not a positive finite number; give"));
        let require = OptimumOptions { require: Some("converged".into()), ..Default::default() };
        assert!(error(require).ends_with("give --require certified"));
        let plot = OptimumOptions { plot: Some("a.pdf".into()), ..Default::default() };
        assert!(error(plot).starts_with("--plot a.pdf: has no known"));
        assert!(error(OptimumOptions { gap: Some(2.0), ..Default::default() }).contains("is not below 1"));
    }
}
