//! The answer of `relimit gibbs`.

use relimit_core::certify::Claim;
use relimit_core::net::Network;
use relimit_core::num::Mat;
use serde::{Deserialize, Serialize};

use super::{DataFacts, ReaderSettings};

/// The stationary law of noisy gradient descent with weight decay, at one temperature or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GibbsAnswer {
    /// [`GibbsAnswer::SCHEMA`].
    pub schema: String,
    /// `gibbs`.
    pub command: String,
    /// Every effective setting.
    pub settings: GibbsSettings,
    /// What was read.
    pub data: DataFacts,
    /// How the work ended, at the largest beta.
    pub status: GibbsStatus,
    /// Why it is undecided, in a sentence.
    pub why: Option<String>,
    /// Weight decay.
    pub lambda: f64,
    /// Weight decay from which on the optimum has no neuron, where it was needed.
    pub lambda_max: Option<f64>,
    /// The largest inverse temperature; all keys down to `effective_width` belong to it.
    pub beta: f64,
    /// Outputs for the rows of the scaled data, n.
    pub outputs: Option<Vec<f64>>,
    /// The outputs are within this of the exact ones, in Euclidean norm; with 95 % confidence where `points` is a number.
    pub outputs_error: Option<f64>,
    /// Weighted points on the sphere behind an estimated law (four to six inputs, bias included); `null` for closed forms.
    pub points: Option<usize>,
    /// Minimum of the free energy.
    pub free_energy: Option<f64>,
    /// Named loss plus penalty, without the entropy.
    pub objective: Option<f64>,
    /// Named loss of the outputs.
    pub loss: Option<f64>,
    /// Variation norm of the function, `int |E c |u||`.
    pub norm: Option<f64>,
    /// `E |theta|^2`.
    pub second_moment: Option<f64>,
    /// Dual point `omega (y - f)`, n.
    pub dual: Option<Vec<f64>>,
    /// What rounding of the closed forms does to the outputs, measured on a finer cut of the sphere; for an estimated law
    /// the share of `outputs_error` that is the spread of independent batches.
    pub quadrature_error: Option<f64>,
    /// Groups of directions with at least 1 % of the coefficient each.
    pub effective_width: Option<usize>,
    /// Share of the coefficient in these groups.
    pub covered: Option<f64>,
    /// The groups, largest first, on the scaled data.
    pub groups: Vec<GroupFact>,
    /// Every beta, increasing.
    pub path: Vec<GibbsPoint>,
    /// What is left as beta grows without bound.
    pub limit: Option<VanishingNoise>,
    /// The function on a grid (one or two features), in the units of the file.
    pub grid: Option<GibbsGrid>,
    /// Independent draws from the law, on the scaled data.
    pub samples: Option<Vec<Drawn>>,
}

impl GibbsAnswer {
    /// The draws as one network on the scaled data, (1/K) sum_j c_j relu(w_j . x + b_j); none without draws.
    pub fn network(&self) -> Option<Network> {
        let draws = self.samples.as_ref().filter(|t| !t.is_empty())?;
        let (count, d) = (draws.len(), draws[0].w.len());
        Some(Network::new(
            Mat::from_fn(count, d, |j, i| draws[j].w[i]),
            draws.iter().map(|t| t.b).collect(),
            Mat::from_fn(1, count, |_, j| draws[j].c / count as f64),
            vec![0.0],
        ))
    }

    /// Name and version of the JSON layout.
    pub const SCHEMA: &'static str = "relimit/gibbs/1";
}

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GibbsStatus {
    /// The stated error of the outputs is below 1e-3 of the largest label.
    Converged,
    /// It is not, or there is no law to state.
    Undecided,
    /// The wall-clock budget ended the work.
    Budget,
    /// Ctrl-C ended the work.
    Interrupted,
}

/// Directions within the angle of a centre, with one sign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupFact {
    /// Input weights of the centre (unit length with the bias), d.
    pub w: Vec<f64>,
    /// Bias of the centre.
    pub b: f64,
    /// Coefficient `E c |u|`.
    pub c: f64,
    /// Share of the whole coefficient.
    pub share: f64,
    /// Probability of a neuron in it.
    pub mass: f64,
    /// Kink of the centre in the units of the file (one feature and a bias).
    pub kink: Option<f64>,
}

/// One temperature of the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GibbsPoint {
    /// Inverse temperature.
    pub beta: f64,
    /// How the work ended there.
    pub status: GibbsStatus,
    /// Outputs, n.
    pub outputs: Vec<f64>,
    /// Their error.
    pub outputs_error: f64,
    /// Minimum of the free energy.
    pub free_energy: f64,
    /// Named loss plus penalty.
    pub objective: f64,
    /// Variation norm.
    pub norm: f64,
    /// Groups with at least 1 % of the coefficient.
    pub effective_width: usize,
    /// Share of the coefficient in them.
    pub covered: f64,
    /// What is near the rays of the optimum, for the angles asked for; none where the optimum has no ray.
    #[serde(default)]
    pub near: Vec<NearLaw>,
    /// The same of particles that start at draws from the law and take steps; `null` without `--particles`.
    pub measured: Option<MeasuredPoint>,
}

/// What of a law is near the rays of the optimum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearLaw {
    /// Within so many degrees of the nearest ray of the same sign.
    pub degrees: f64,
    /// Share of the coefficient `E |c| |u|`.
    pub coefficient: f64,
    /// Share of the neurons.
    pub mass: f64,
}

/// Particles at one temperature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPoint {
    /// Steps taken.
    pub steps: u64,
    /// Their size.
    pub step: f64,
    /// Outputs, n.
    pub outputs: Vec<f64>,
    /// Named loss plus penalty.
    pub objective: f64,
    /// Groups with at least 1 % of the coefficient.
    pub effective_width: usize,
    /// Share of the coefficient in them.
    pub covered: f64,
}

/// The optimum that the law tends to, and which of its networks noise selects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VanishingNoise {
    /// Minimum of loss plus penalty.
    pub objective: f64,
    /// How sure it is.
    pub status: Claim,
    /// Outputs, n.
    pub outputs: Vec<f64>,
    /// Whether one network alone attains it.
    pub unique: bool,
    /// What selects among several: `unique`, `cube root`, `logarithm`, or `null` where no rule is known.
    pub rule: Option<String>,
    /// Directions of contact with the coefficients selected.
    pub rays: Vec<LimitRay>,
    /// A ray with four or more independent rows on its kink cannot hold its coefficient without truncation.
    pub condensation: bool,
}

/// A direction of contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitRay {
    /// Input weights, d.
    pub w: Vec<f64>,
    /// Bias.
    pub b: f64,
    /// Coefficient selected; without a rule that of the optimum found.
    pub c: f64,
    /// Independent rows on the kink.
    pub kink_rank: usize,
    /// Kink in the units of the file (one feature and a bias).
    pub kink: Option<f64>,
}

/// The function on a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GibbsGrid {
    /// Inputs; with two features the first one of each point.
    pub x: Vec<f64>,
    /// The second feature of each point, where there are two.
    pub x2: Option<Vec<f64>>,
    /// Outputs.
    pub f: Vec<f64>,
}

/// One neuron drawn from the law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drawn {
    /// Input weights, d.
    pub w: Vec<f64>,
    /// Bias.
    pub b: f64,
    /// Output weight; the function is the mean over neurons.
    pub c: f64,
}

/// Effective settings of `gibbs`; keys are the flags with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GibbsSettings {
    /// Where the data came from and what was done to them.
    #[serde(flatten)]
    pub reader: ReaderSettings,
    /// `none` or `penalised`.
    pub bias: String,
    /// `half-sum`, `half-mean` or `mean`.
    pub loss: String,
    /// Weight decay as asked for: a number or a share of lambda_max.
    pub lambda: String,
    /// Inverse temperatures, increasing.
    pub beta: Vec<f64>,
    /// Degrees within which directions count as one ray.
    pub angle: f64,
    /// Degrees around the rays of the optimum, increasing.
    #[serde(default)]
    pub near: Vec<f64>,
    /// Draws.
    pub samples: usize,
    /// Points of the grid, along each feature.
    pub grid: usize,
    /// Particles that are run at each temperature.
    #[serde(default)]
    pub particles: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// Time budget in seconds.
    pub budget: Option<f64>,
}
