//! The plan of `train`: network, noise, schedule, start, and how long.

use std::path::PathBuf;
use std::time::Duration;

use relimit_core::langevin::{Activation, Batch, Layers, Precision, Scaling, Smooth, Start};
use serde::{Deserialize, Serialize};

use super::limit::{picture, positive};
use super::{Bias, Lambda, Loss, Picture, PlanError, Require, parse_duration, words};

/// Share of lambda_max that is taken without `--lambda`.
const DEFAULT_SHARE: f64 = 0.05;
/// Inverse temperature without `--beta`.
const DEFAULT_BETA: f64 = 1000.0;
/// Neurons without `--width`.
const DEFAULT_WIDTH: u64 = 1000;
/// Steps without `--steps`.
const DEFAULT_STEPS: u64 = 10_000;
/// Most neurons and starts: the state stays within memory, the noise within its counter.
const MOST: u64 = 100_000_000;
/// Time between checkpoints without `--checkpoint`.
const DEFAULT_CHECKPOINT: Duration = Duration::from_secs(10);

/// What a person gave; `None` asks for the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainOptions {
    /// `half-sum`, `half-mean` or `mean`.
    #[serde(deserialize_with = "words::text")]
    pub loss: Option<String>,
    /// `none`, `penalised` or `free`.
    #[serde(deserialize_with = "words::text")]
    pub bias: Option<String>,
    /// `none`, `penalised` or `free`.
    #[serde(deserialize_with = "words::text")]
    pub offset: Option<String>,
    /// Neurons.
    pub width: Option<u64>,
    /// `mean-field` or `standard`.
    #[serde(deserialize_with = "words::text")]
    pub scaling: Option<String>,
    /// `relu` or `smooth:CAP,SHARPNESS`.
    #[serde(deserialize_with = "words::text")]
    pub unit: Option<String>,
    /// `both` or `inner`.
    #[serde(deserialize_with = "words::text")]
    pub layers: Option<String>,
    /// A number, or a share as in `0.05max`.
    #[serde(deserialize_with = "words::text")]
    pub lambda: Option<String>,
    /// Inverse temperature, `inf` for none.
    #[serde(deserialize_with = "words::number")]
    pub beta: Option<f64>,
    /// Inverse temperature at the end, reached geometrically.
    #[serde(deserialize_with = "words::number")]
    pub anneal: Option<f64>,
    /// Step.
    #[serde(deserialize_with = "words::number")]
    pub step: Option<f64>,
    /// Step number at which half of the step is left.
    pub halve_at: Option<u64>,
    /// Steps.
    pub steps: Option<u64>,
    /// `K` (drawn) or `K:shuffled`.
    #[serde(deserialize_with = "words::text")]
    pub batch: Option<String>,
    /// `normal:S`, `balanced:S`, `pytorch`, `keras`, `sklearn`.
    #[serde(deserialize_with = "words::text")]
    pub start: Option<String>,
    /// Runs from so many starts.
    pub starts: Option<u64>,
    /// Compare with the rays of the optimum whatever the size of the data.
    pub rays: bool,
    /// `f64` or `f32`.
    #[serde(deserialize_with = "words::text")]
    pub precision: Option<String>,
    /// Gradient that counts as converged.
    #[serde(deserialize_with = "words::number")]
    pub tolerance: Option<f64>,
    /// Seed of start, noise and batches.
    pub seed: Option<u64>,
    /// Threads.
    pub threads: Option<usize>,
    /// Wall-clock budget, as text.
    #[serde(deserialize_with = "words::text")]
    pub budget: Option<String>,
    /// What exit code 0 requires.
    #[serde(deserialize_with = "words::text")]
    pub require: Option<String>,
    /// Time between checkpoints, as text.
    #[serde(deserialize_with = "words::text")]
    pub checkpoint: Option<String>,
    /// Network file.
    #[serde(skip)]
    pub save: Option<PathBuf>,
    /// Run directory.
    #[serde(skip)]
    pub out: Option<PathBuf>,
    /// File for a picture, `.svg` or `.png`.
    #[serde(skip)]
    pub plot: Option<PathBuf>,
}

/// A checked plan of `train`.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainPlan {
    /// Scaling of the loss; default half-mean.
    pub loss: Loss,
    /// Hidden bias; default penalised.
    pub bias: Bias,
    /// Output offset; default none.
    pub offset: Bias,
    /// Neurons; default 1000.
    pub width: usize,
    /// How outputs add up; default mean-field.
    pub scaling: Scaling,
    /// Unit; default ReLU.
    pub activation: Activation,
    /// What moves; default both layers.
    pub layers: Layers,
    /// Weight decay; default 0.05max.
    pub lambda: Lambda,
    /// Inverse temperature at the start; default 1000.
    pub beta: f64,
    /// Inverse temperature at the end.
    pub anneal: Option<f64>,
    /// Step; `None`: a part of the stable one.
    pub step: Option<f64>,
    /// Step number at which half of the step is left.
    pub halve_at: Option<u64>,
    /// Steps; default 10,000.
    pub steps: u64,
    /// Examples of a step; default all.
    pub batch: Batch,
    /// Start; default normal:1.
    pub start: Start,
    /// The same as it was written.
    pub start_name: String,
    /// Runs from so many starts.
    pub starts: Option<u64>,
    /// Compare with the rays of the optimum whatever the size of the data.
    pub rays: bool,
    /// Numbers of the state; default f64.
    pub precision: Precision,
    /// Gradient that counts as converged; default 0, never.
    pub tolerance: f64,
    /// Seed; default 0.
    pub seed: u64,
    /// Threads; `None`: all.
    pub threads: Option<usize>,
    /// Wall-clock budget.
    pub budget: Option<Duration>,
    /// What exit code 0 requires.
    pub require: Option<Require>,
    /// Time between checkpoints; default 10 s.
    pub checkpoint: Duration,
    /// Network file.
    pub save: Option<PathBuf>,
    /// Run directory.
    pub out: Option<PathBuf>,
    /// Picture.
    pub plot: Option<Picture>,
}

impl TrainOptions {
    /// Checks every option and fills in the defaults. What only the data can decide is left to the core's plan.
    ///
    /// # Errors
    /// The first option that is unknown or out of range.
    pub fn check(&self) -> Result<TrainPlan, PlanError> {
        let beta = self.beta.unwrap_or(DEFAULT_BETA);
        let cure = "give an inverse temperature above 0, or inf for no noise";
        for (flag, value) in [("beta", Some(beta)), ("anneal", self.anneal)] {
            if let Some(v) = value.filter(|v| !(*v > 0.0)) {
                return Err(PlanError::new(
                    flag,
                    v,
                    "is an inverse temperature: at 0 or below no law is normalised",
                    cure,
                ));
            }
        }
        if self.anneal.is_some_and(f64::is_infinite) || (self.anneal.is_some() && beta.is_infinite()) {
            let cure = "give two finite inverse temperatures, as in --beta 10 --anneal 1e4";
            return Err(PlanError::new("anneal", self.anneal.unwrap_or(beta), "has no geometric path", cure));
        }
        let require = self.require.as_deref().map(Require::parse).transpose()?;
        if require == Some(Require::Certified) {
            let cure = "give --require converged, or certify the network (relimit certify)";
            return Err(PlanError::new("require", "certified", "speaks of a proof, and training proves nothing", cure));
        }
        let most = |flag, value: u64| {
            if value == 0 || value > MOST {
                Err(PlanError::new(flag, value, "is out of range", "give 1 to 100000000"))
            } else {
                Ok(value)
            }
        };
        let (start, start_name) = start(self.start.as_deref().unwrap_or("normal:1"))?;
        let tolerance = self.tolerance.unwrap_or(0.0);
        if !(tolerance >= 0.0) {
            return Err(PlanError::new("tolerance", tolerance, "is negative", "give 0 or more, for example 1e-8"));
        }
        Ok(TrainPlan {
            loss: self.loss.as_deref().map_or(Ok(Loss::HalfMean), Loss::parse)?,
            bias: self.bias.as_deref().map_or(Ok(Bias::Penalised), |text| Bias::parse("bias", text))?,
            offset: self.offset.as_deref().map_or(Ok(Bias::None), |text| Bias::parse("offset", text))?,
            width: most("width", self.width.unwrap_or(DEFAULT_WIDTH))? as usize,
            scaling: match self.scaling.as_deref() {
                None | Some("mean-field") => Scaling::MeanField,
                Some("standard") => Scaling::Standard,
                Some(other) => return Err(unknown("scaling", other, "give mean-field or standard")),
            },
            activation: unit(self.unit.as_deref())?,
            layers: match self.layers.as_deref() {
                None | Some("both") => Layers::Both,
                Some("inner") => Layers::Inner,
                Some(other) => return Err(unknown("layers", other, "give both or inner")),
            },
            lambda: match self.lambda.as_deref() {
                Some(text) if text.trim().parse() == Ok(0.0) => Lambda::Value(0.0),
                other => other.map_or(Ok(Lambda::Share(DEFAULT_SHARE)), Lambda::parse)?,
            },
            beta,
            anneal: self.anneal,
            step: self.step.map(|s| positive("step", s, "give a step, for example 0.01")).transpose()?,
            halve_at: self.halve_at.map(|s| most("halve-at", s)).transpose()?,
            steps: self.steps.unwrap_or(DEFAULT_STEPS),
            batch: batch(self.batch.as_deref())?,
            start,
            start_name,
            starts: self.starts.map(|k| most("starts", k)).transpose()?,
            rays: self.rays,
            precision: match self.precision.as_deref() {
                None | Some("f64") => Precision::F64,
                Some("f32") => Precision::F32,
                Some(other) => return Err(unknown("precision", other, "give f64 or f32")),
            },
            tolerance,
            seed: self.seed.unwrap_or(0),
            threads: self.threads,
            budget: self.budget.as_deref().map(|text| parse_duration("budget", text)).transpose()?,
            require,
            checkpoint: self
                .checkpoint
                .as_deref()
                .map_or(Ok(DEFAULT_CHECKPOINT), |text| parse_duration("checkpoint", text))?,
            save: self.save.clone(),
            out: self.out.clone(),
            plot: self.plot.as_deref().map(picture).transpose()?,
        })
    }
}

fn unknown(flag: &'static str, value: &str, cure: &'static str) -> PlanError {
    PlanError::new(flag, value, "is unknown", cure)
}

/// `relu` or `smooth:CAP,SHARPNESS`.
fn unit(text: Option<&str>) -> Result<Activation, PlanError> {
    let cure = "give relu, or smooth:CAP,SHARPNESS as in smooth:10,100";
    match text {
        None | Some("relu") => Ok(Activation::Relu),
        Some(text) => {
            let wrong = || PlanError::new("unit", text, "is no unit", cure);
            let (cap, sharpness) =
                text.strip_prefix("smooth:").and_then(|rest| rest.split_once(',')).ok_or_else(wrong)?;
            let number = |t: &str| t.trim().parse::<f64>().map_err(|_| wrong());
            Ok(Activation::Smooth(Smooth { cap: number(cap)?, sharpness: number(sharpness)? }))
        }
    }
}

/// `full`, `K` or `K:shuffled`.
fn batch(text: Option<&str>) -> Result<Batch, PlanError> {
    let Some(text) = text.filter(|t| *t != "full") else { return Ok(Batch::Full) };
    let cure = "give full, 16 (drawn anew each step) or 16:shuffled (each row once an epoch)";
    let (size, shuffled) = text.strip_suffix(":shuffled").map_or((text, false), |size| (size, true));
    let size: usize = size.parse().map_err(|_| PlanError::new("batch", text, "is no batch", cure))?;
    Ok(if shuffled { Batch::Shuffled(size) } else { Batch::Drawn(size) })
}

/// A start by name.
fn start(text: &str) -> Result<(Start, String), PlanError> {
    let cure = "give normal:1, balanced:1e-3, pytorch, keras or sklearn";
    let wrong = || PlanError::new("start", text, "is no start of both layers", cure);
    let (name, scale) = text.split_once(':').map_or((text, None), |(name, scale)| (name, Some(scale)));
    let number = |default: f64| scale.map_or(Ok(default), |t| t.trim().parse::<f64>().map_err(|_| wrong()));
    let start = match name {
        "normal" => Start::Normal { scale: positive("start", number(1.0)?, cure)? },
        "balanced" => Start::Balanced { scale: positive("start", number(1e-3)?, cure)? },
        "pytorch" if scale.is_none() => Start::PyTorch,
        "keras" if scale.is_none() => Start::Keras,
        "sklearn" if scale.is_none() => Start::ScikitLearn,
        _ => return Err(wrong()),
    };
    Ok((start, text.to_owned()))
}
