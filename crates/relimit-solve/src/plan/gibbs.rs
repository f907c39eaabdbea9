//! The plan of `gibbs`: model, weight decay, temperatures, and what is drawn from the law.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limit::{picture, positive};
use super::{Bias, Lambda, Loss, Picture, PlanError, Require, parse_duration, words};

/// Share of lambda_max that is taken without `--lambda`.
const DEFAULT_SHARE: f64 = 0.05;
/// Inverse temperature without `--beta`.
const DEFAULT_BETA: f64 = 1000.0;
/// Degrees within which directions count as one ray.
const DEFAULT_ANGLE: f64 = 10.0;
/// Draws of a network that is saved, without `--samples`.
const DEFAULT_SAMPLES: u64 = 1000;
/// Most temperatures of a range.
const LONGEST: usize = 1000;
/// Most samples and grid points.
const MOST: u64 = 10_000_000;

/// What a person gave; `None` asks for the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GibbsOptions {
    /// `half-sum`, `half-mean` or `mean`.
    #[serde(deserialize_with = "words::text")]
    pub loss: Option<String>,
    /// `none` or `penalised`.
    #[serde(deserialize_with = "words::text")]
    pub bias: Option<String>,
    /// A number, or a share as in `0.05max`.
    #[serde(deserialize_with = "words::text")]
    pub lambda: Option<String>,
    /// Inverse temperatures, separated by commas; `LOW..HIGH:K` is a geometric range.
    #[serde(deserialize_with = "words::text")]
    pub beta: Option<String>,
    /// Degrees within which directions count as one ray.
    #[serde(deserialize_with = "words::number")]
    pub angle: Option<f64>,
    /// Degrees around the rays of the optimum, separated by commas.
    #[serde(deserialize_with = "words::text")]
    pub near: Option<String>,
    /// Draws from the law.
    pub samples: Option<u64>,
    /// Points of a grid along each of one feature or two.
    pub grid: Option<u64>,
    /// Particles that are run at each temperature.
    pub particles: Option<u64>,
    /// Seed of the draws.
    pub seed: Option<u64>,
    /// Wall-clock budget, as text.
    #[serde(deserialize_with = "words::text")]
    pub budget: Option<String>,
    /// What exit code 0 requires.
    #[serde(deserialize_with = "words::text")]
    pub require: Option<String>,
    /// File for a picture, `.svg` or `.png`.
    #[serde(skip)]
    pub plot: Option<PathBuf>,
    /// Network file for the draws.
    #[serde(skip)]
    pub save: Option<PathBuf>,
    /// Run directory.
    #[serde(skip)]
    pub out: Option<PathBuf>,
}

/// A checked plan of `gibbs`.
#[derive(Clone, Debug, PartialEq)]
pub struct GibbsPlan {
    /// Scaling of the loss; default half-mean.
    pub loss: Loss,
    /// Hidden bias, none or penalised; default penalised.
    pub bias: Bias,
    /// Weight decay; default 0.05max.
    pub lambda: Lambda,
    /// Inverse temperatures, increasing; default 1000 alone.
    pub beta: Vec<f64>,
    /// Degrees within which directions count as one ray; default 10.
    pub angle: f64,
    /// Degrees around the rays of the optimum within which shares are told, increasing; default none.
    pub near: Vec<f64>,
    /// Draws from the law at the largest beta; default 0.
    pub samples: usize,
    /// Points of a grid along each feature; default 0.
    pub grid: usize,
    /// Particles that are run at each temperature; default 0.
    pub particles: usize,
    /// Seed; default 0.
    pub seed: u64,
    /// Wall-clock budget.
    pub budget: Option<Duration>,
    /// What exit code 0 requires.
    pub require: Option<Require>,
    /// Picture.
    pub plot: Option<Picture>,
    /// Network file for the draws.
    pub save: Option<PathBuf>,
    /// Run directory.
    pub out: Option<PathBuf>,
}

impl GibbsOptions {
    /// Checks every option and fills in the defaults.
    ///
    /// # Errors
    /// The first option that is unknown or out of range.
    pub fn check(&self) -> Result<GibbsPlan, PlanError> {
        let bias = self.bias.as_deref().map_or(Ok(Bias::Penalised), |text| Bias::parse("bias", text))?;
        if bias == Bias::Free {
            let cure = "give --bias penalised or none";
            return Err(PlanError::new(
                "bias",
                "free",
                "leaves noise nothing that holds a bias: no stationary law",
                cure,
            ));
        }
        let lambda = match self.lambda.as_deref() {
            Some(text) if text.trim().parse() == Ok(0.0) => {
                let cure = "give a positive weight decay, as in 0.01 or 0.05max";
                return Err(PlanError::new("lambda", text, "noise without weight decay has no stationary law", cure));
            }
            other => other.map_or(Ok(Lambda::Share(DEFAULT_SHARE)), Lambda::parse)?,
        };
        let angle = positive("angle", self.angle.unwrap_or(DEFAULT_ANGLE), "give degrees, for example 10")?;
        if angle > 90.0 {
            return Err(PlanError::new("angle", angle, "is more than a right angle", "give degrees, for example 10"));
        }
        let require = self.require.as_deref().map(Require::parse).transpose()?;
        if require == Some(Require::Certified) {
            let cure = "give --require converged";
            return Err(PlanError::new("require", "certified", "speaks of a proof, and here an error is stated", cure));
        }
        let most = |setting, value: Option<u64>| match value {
            Some(v) if v > MOST => Err(PlanError::new(setting, v, "is too many", "give at most 10000000")),
            v => Ok(v.unwrap_or(0) as usize),
        };
        Ok(GibbsPlan {
            loss: self.loss.as_deref().map_or(Ok(Loss::HalfMean), Loss::parse)?,
            bias,
            lambda,
            beta: betas(self.beta.as_deref())?,
            angle,
            near: self.near.as_deref().map_or(Ok(vec![]), near)?,
            samples: most("samples", self.samples.or(self.save.is_some().then_some(DEFAULT_SAMPLES)))?,
            grid: most("grid", self.grid)?,
            particles: most("particles", self.particles)?,
            seed: self.seed.unwrap_or(0),
            budget: self.budget.as_deref().map(|text| parse_duration("budget", text)).transpose()?,
            require,
            plot: self.plot.as_deref().map(picture).transpose()?,
            save: self.save.clone(),
            out: self.out.clone(),
        })
    }
}

/// `DEGREES[,...]`, each above 0 and at most a right angle; sorted, each once.
fn near(text: &str) -> Result<Vec<f64>, PlanError> {
    let cure = "give degrees above 0 and at most 90, as in 2,5,10";
    let read = |part: &str| part.trim().parse().ok().filter(|v: &f64| *v > 0.0 && *v <= 90.0);
    let read: Option<Vec<f64>> = text.split(',').map(read).collect();
    let mut out = read.ok_or_else(|| PlanError::new("near", text, "is not a list of angles", cure))?;
    out.sort_by(f64::total_cmp);
    out.dedup();
    Ok(out)
}

/// `B[,B2,...]`, each a number or a range `LOW..HIGH:K`; sorted, each once.
pub(super) fn betas(text: Option<&str>) -> Result<Vec<f64>, PlanError> {
    let Some(text) = text else { return Ok(vec![DEFAULT_BETA]) };
    let cure = "give inverse temperatures above 0, as in 100, 10,100,1000 or 10..1e5:9";
    let mut out = Vec::new();
    let wrong = |what| PlanError::new("beta", text, what, cure);
    let mut given = Vec::new();
    for part in text.split(',') {
        given.extend(range(part).ok_or_else(|| wrong("is not a number or a range"))?);
    }
    for value in given {
        if !(value > 0.0) {
            return Err(PlanError::new(
                "beta",
                text,
                "is an inverse temperature: at 0 or below no law is normalised",
                cure,
            ));
        }
        if value.is_infinite() {
            let cure = "give a large number, or ask relimit optimum for the limit";
            return Err(PlanError::new("beta", text, "infinite beta is the optimum itself", cure));
        }
        out.push(value);
    }
    out.sort_by(f64::total_cmp);
    out.dedup();
    Ok(out)
}

/// The numbers of one part: itself, or K of them from LOW to HIGH in geometric progression.
fn range(part: &str) -> Option<Vec<f64>> {
    let number = |t: &str| t.trim().parse::<f64>().ok();
    let Some((low, rest)) = part.split_once("..") else { return Some(vec![number(part)?]) };
    let (high, points) = rest.split_once(':').map_or((rest, Some(2)), |(high, k)| (high, k.trim().parse().ok()));
    let (low, high, points): (f64, f64, usize) = (number(low)?, number(high)?, points?);
    if !(2..=LONGEST).contains(&points) {
        return None;
    }
    let ratio = high / low;
    let value = |k: usize| low * ratio.powf(k as f64 / (points - 1) as f64);
    // a number that is not a temperature is left to be refused as such
    Some(if low > 0.0 && ratio > 0.0 { (0..points).map(value).collect() } else { vec![low, high] })
}
