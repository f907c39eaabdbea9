//! The plan of `limit`: model, dynamics, start and effort.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::start::DEFAULT_SIZE;
use super::{Bias, Loss, PlanError, Require, Signs, StartRule, parse_duration, words};

/// Relative gap below which a claim is `certified`, unless `--gap` says otherwise.
pub const DEFAULT_GAP: f64 = 1e-8;

/// Nodes that a branch and bound may visit, unless `--max-nodes` says otherwise.
pub const DEFAULT_MAX_NODES: u64 = 100_000;

/// How the weights move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Descent with step 1/mu_max(sum_j c_j^2 G) for the half-sum loss, the same iterates under any loss.
    StableStep,
    /// Descent with this literal step for the named loss.
    Step(f64),
    /// Descent with half-sum step 1/(C tau).
    StepConstant(f64),
    /// Gradient flow.
    Flow,
}

/// A figure to draw, by the ending of its file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Vector graphics.
    Svg(PathBuf),
    /// Pixels.
    Png(PathBuf),
}

impl Picture {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Svg(path) | Self::Png(path) => path,
        }
    }
}

/// What a person gave; `None` asks for the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitOptions {
    /// `half-sum`, `half-mean` or `mean`.
    #[serde(deserialize_with = "words::text")]
    pub loss: Option<String>,
    /// `none`, `penalised` or `free`.
    #[serde(deserialize_with = "words::text")]
    pub bias: Option<String>,
    /// Output bias.
    #[serde(deserialize_with = "words::text")]
    pub offset: Option<String>,
    /// Output weights, as text.
    #[serde(deserialize_with = "words::text")]
    pub signs: Option<String>,
    /// Literal step.
    #[serde(deserialize_with = "words::number")]
    pub step: Option<f64>,
    /// Step constant C.
    #[serde(deserialize_with = "words::number")]
    pub step_constant: Option<f64>,
    /// Gradient flow.
    pub flow: bool,
    /// Start rule, as text.
    #[serde(deserialize_with = "words::text")]
    pub start: Option<String>,
    /// Number of random starts.
    pub starts: Option<u64>,
    /// relu'(0).
    #[serde(deserialize_with = "words::zero_or_one")]
    pub relu_at_zero: Option<bool>,
    /// Largest number of steps.
    pub steps: Option<u64>,
    /// Plain steps to compare with.
    pub compare_steps: Option<u64>,
    /// Seed of random starts.
    pub seed: Option<u64>,
    /// Threads.
    pub threads: Option<usize>,
    /// Relative gap that counts as certified.
    #[serde(deserialize_with = "words::number")]
    pub gap: Option<f64>,
    /// Nodes of a branch and bound.
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
    /// File for the figure.
    #[serde(skip)]
    pub plot: Option<PathBuf>,
    /// Run directory.
    #[serde(skip)]
    pub out: Option<PathBuf>,
}

/// A checked plan of `limit`.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitPlan {
    /// Scaling of the loss; default half-sum.
    pub loss: Loss,
    /// Hidden bias; default none.
    pub bias: Bias,
    /// Output weights; default `+-`.
    pub signs: Signs,
    /// How the weights move; default the stable step.
    pub pace: Pace,
    /// Start; default `orthant:0.001`, with `starts` `gaussian:0.001`.
    pub start: StartRule,
    /// Number of random starts to count end states over.
    pub starts: Option<u64>,
    /// relu'(0) = 1; default no, with a zero start yes.
    pub relu_at_zero: bool,
    /// Largest number of steps; `None` for no cap.
    pub steps: Option<u64>,
    /// Plain steps to compare with.
    pub compare_steps: Option<u64>,
    /// Seed; default 0.
    pub seed: u64,
    /// Threads; `None` for as many as there are processors.
    pub threads: Option<usize>,
    /// Relative gap that counts as certified; default 1e-8.
    pub gap: f64,
    /// Nodes of a branch and bound; default 100,000.
    pub max_nodes: u64,
    /// Wall-clock budget.
    pub budget: Option<Duration>,
    /// What exit code 0 requires.
    pub require: Option<Require>,
    /// File for the network.
    pub save: Option<PathBuf>,
    /// Figure.
    pub plot: Option<Picture>,
    /// Run directory.
    pub out: Option<PathBuf>,
    /// What a person should know about choices made here, one sentence each.
    pub notices: Vec<String>,
}

impl LimitOptions {
    /// Checks every option and fills in the defaults.
    ///
    /// # Errors
    /// The first option that is unknown, out of range or contradicts another.
    pub fn check(&self) -> Result<LimitPlan, PlanError> {
        let mut notices = Vec::new();
        let offset = self.offset.as_deref().map_or(Ok(Bias::None), |text| Bias::parse("offset", text))?;
        if offset != Bias::None {
            let cure = "centre the target instead (--target-scale centre)";
            return Err(PlanError::new("offset", offset.name(), "limit trains input weights alone", cure));
        }
        let start = self.start()?;
        let pace = self.pace()?;
        self.check_descent_alone(pace)?;
        Ok(LimitPlan {
            loss: self.loss.as_deref().map_or(Ok(Loss::HalfSum), Loss::parse)?,
            bias: self.bias.as_deref().map_or(Ok(Bias::None), |text| Bias::parse("bias", text))?,
            signs: Signs::parse(self.signs.as_deref().unwrap_or("+-"))?,
            pace,
            relu_at_zero: self.relu_at_zero(&start, &mut notices),
            start,
            starts: count("starts", self.starts)?,
            steps: count("steps", self.steps)?,
            compare_steps: count("compare-steps", self.compare_steps)?,
            seed: self.seed.unwrap_or(0),
            threads: count("threads", self.threads.map(|t| t as u64))?.map(|t| t as usize),
            gap: self.gap()?,
            max_nodes: count("max-nodes", self.max_nodes)?.unwrap_or(DEFAULT_MAX_NODES),
            budget: self.budget.as_deref().map(|text| parse_duration("budget", text)).transpose()?,
            require: self.require.as_deref().map(Require::parse).transpose()?,
            save: self.save.clone(),
            plot: self.plot.as_deref().map(picture).transpose()?,
            out: self.out.clone(),
            notices,
        })
    }

    fn pace(&self) -> Result<Pace, PlanError> {
        let given =
            [("step", self.step.is_some()), ("step-constant", self.step_constant.is_some()), ("flow", self.flow)];
        let mut given = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
        if let (Some(first), Some(second)) = (given.next(), given.next()) {
            let problem = format!("cannot be combined with --{first}");
            return Err(PlanError::new(second, "", problem, "give one of --step, --step-constant and --flow"));
        }
        match (self.step, self.step_constant, self.flow) {
            (Some(eta), ..) => Ok(Pace::Step(positive("step", eta, "give the step ETA, for example 0.01")?)),
            (_, Some(c), _) => Ok(Pace::StepConstant(positive("step-constant", c, "give C, for example 2")?)),
            (_, _, true) => Ok(Pace::Flow),
            _ => Ok(Pace::StableStep),
        }
    }

    /// Options that count steps make no sense for the flow.
    fn check_descent_alone(&self, pace: Pace) -> Result<(), PlanError> {
        let steps = [("steps", self.steps), ("compare-steps", self.compare_steps)];
        match steps.iter().find_map(|(name, value)| value.map(|v| (*name, v))) {
            Some((name, value)) if pace == Pace::Flow => {
                Err(PlanError::new(name, value, "counts steps, and --flow has none", "leave one of them out"))
            }
            _ => Ok(()),
        }
    }

    fn start(&self) -> Result<StartRule, PlanError> {
        let start = self.start.as_deref().map(StartRule::parse).transpose()?;
        match (start, self.starts) {
            (Some(start @ StartRule::Gaussian(_)), Some(_)) | (Some(start), None) => Ok(start),
            (Some(start), Some(k)) => {
                let problem = format!("needs random starts, and --start {start} is always the same");
                Err(PlanError::new("starts", k, problem, "give --start gaussian:SCALE"))
            }
            (None, Some(_)) => Ok(StartRule::Gaussian(DEFAULT_SIZE)),
            (None, None) => Ok(StartRule::Orthant(DEFAULT_SIZE)),
        }
    }

    fn relu_at_zero(&self, start: &StartRule, notices: &mut Vec<String>) -> bool {
        match (self.relu_at_zero, start) {
            (None, StartRule::Zero) => {
                notices.push("relu'(0) is taken as 1, because from a zero start nothing moves otherwise".into());
                true
            }
            (Some(false), StartRule::Zero) => {
                notices.push("with relu'(0) = 0 nothing moves from a zero start".into());
                false
            }
            (given, _) => given.unwrap_or(false),
        }
    }

    fn gap(&self) -> Result<f64, PlanError> {
        let gap = positive("gap", self.gap.unwrap_or(DEFAULT_GAP), "give a relative gap, for example 1e-8")?;
        if gap < 1.0 { Ok(gap) } else { Err(PlanError::new("gap", gap, "is not below 1", "give for example 1e-8")) }
    }
}

pub(super) fn positive(setting: &'static str, value: f64, cure: &str) -> Result<f64, PlanError> {
    let problem = if value.is_nan() || value.is_infinite() {
        "is not a finite number"
    } else if value <= 0.0 {
        "is not positive"
    } else {
        return Ok(value);
    };
    Err(PlanError::new(setting, value, problem, cure))
}

/// A count of at least 1.
pub(super) fn count(setting: &'static str, value: Option<u64>) -> Result<Option<u64>, PlanError> {
    match value {
        Some(0) => Err(PlanError::new(setting, 0, "is no count", "give 1 or more, or leave it out")),
        other => Ok(other),
    }
}

/// The format of a figure, by the ending of its name.
pub(super) fn picture(path: &Path) -> Result<Picture, PlanError> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(Picture::Svg(path.into())),
        Some("png") => Ok(Picture::Png(path.into())),
        _ => {
            Err(PlanError::new("plot", path.display(), "has no known ending", "give a name that ends in .svg or .png"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "the tests build the options in the call")]
    fn error(options: LimitOptions) -> String {
        options.check().unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let plan = LimitOptions::default().check().unwrap();
        assert_eq!(plan.signs.weights(), [1.0, -1.0]);
        assert_eq!(plan.start, StartRule::Orthant(0.001));
        assert_eq!((plan.loss, plan.bias, plan.pace), (Loss::HalfSum, Bias::None, Pace::StableStep));
        assert_eq!((plan.gap, plan.max_nodes, plan.seed), (1e-8, 100_000, 0));
        assert!(!plan.relu_at_zero && plan.budget.is_none() && plan.notices.is_empty());
    }

    #[test]
    fn steps_that_are_no_steps_are_refused() {
        assert_eq!(
            error(LimitOptions { step: Some(-0.5), ..Default::default() }),
            "--step -0.5: is not positive; give the step ETA, for example 0.01"
        );
        assert!(error(LimitOptions { step: Some(0.0), ..Default::default() }).starts_with("--step 0: is not positive"));
        assert!(
            error(LimitOptions { step: Some(f64::NAN), ..Default::default() })
                .starts_with("--step NaN: is not a finite number")
        );
        let infinite = LimitOptions { step_constant: Some(f64::INFINITY), ..Default::default() };
        assert!(error(infinite).starts_with("--step-constant inf: is not a finite number"));
        assert!(error(LimitOptions { step_constant: Some(-2.0), ..Default::default() }).contains("is not positive"));
    }

    #[test]
    fn one_pace_at_a_time() {
        let both = LimitOptions { step: Some(0.1), flow: true, ..Default::default() };
        assert!(error(both).starts_with("--flow: cannot be combined with --step;"));
        let both = LimitOptions { step: Some(0.1), step_constant: Some(2.0), ..Default::default() };
        assert!(error(both).starts_with("--step-constant: cannot be combined with --step;"));
        assert_eq!(LimitOptions { flow: true, ..Default::default() }.check().unwrap().pace, Pace::Flow);
        let counted = LimitOptions { flow: true, compare_steps: Some(10), ..Default::default() };
        assert!(error(counted).starts_with("--compare-steps 10: counts steps, and --flow has none"));
    }

    #[test]
    fn a_zero_start_takes_the_derivative_at_0_as_1_and_says_so() {
        let plan = LimitOptions { start: Some("zero".into()), ..Default::default() }.check().unwrap();
        assert!(plan.relu_at_zero);
        assert!(plan.notices[0].contains("relu'(0) is taken as 1"));
        let forced = LimitOptions { start: Some("zero".into()), relu_at_zero: Some(false), ..Default::default() }
            .check()
            .unwrap();
        assert!(!forced.relu_at_zero && forced.notices[0].contains("nothing moves"));
    }

    #[test]
    fn many_starts_are_random() {
        assert_eq!(
            LimitOptions { starts: Some(9), ..Default::default() }.check().unwrap().start,
            StartRule::Gaussian(0.001)
        );
        let fixed = LimitOptions { starts: Some(9), start: Some("zero".into()), ..Default::default() };
        assert!(error(fixed).contains("--start zero is always the same"));
        assert!(error(LimitOptions { starts: Some(0), ..Default::default() }).starts_with("--starts 0: is no count"));
    }

    #[test]
    fn effort_output_and_words_are_checked() {
        assert!(error(LimitOptions { gap: Some(1.0), ..Default::default() }).contains("is not below 1"));
        assert!(error(LimitOptions { gap: Some(0.0), ..Default::default() }).contains("is not positive"));
        assert!(error(LimitOptions { max_nodes: Some(0), ..Default::default() }).starts_with("--max-nodes 0"));
        assert!(error(LimitOptions { budget: Some("60".into()), ..Default::default() }).contains("has no unit"));
        assert!(
            error(LimitOptions { require: Some("fitted".into()), ..Default::default() })
                .contains("give certified or converged")
        );
        assert!(
            error(LimitOptions { loss: Some("mse".into()), ..Default::default() })
                .contains("half-sum, half-mean or mean")
        );
        assert!(
            error(LimitOptions { offset: Some("free".into()), ..Default::default() }).contains("--target-scale centre")
        );
        assert!(
            error(LimitOptions { plot: Some("a.pdf".into()), ..Default::default() })
                .starts_with("--plot a.pdf: has no known")
        );
        let plan = LimitOptions { plot: Some("a.SVG".into()), ..Default::default() }.check().unwrap();
        assert_eq!(plan.plot, Some(Picture::Svg("a.SVG".into())));
    }
}
