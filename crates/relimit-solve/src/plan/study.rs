//! The plan of `study`: model, weight decays, temperatures and the time that all sections share.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::gibbs::betas;
use super::{Bias, Lambda, PlanError, Signs, parse_duration, words};

/// Shares of lambda_max without `--lambda`.
const SHARES: [f64; 4] = [0.5, 0.2, 0.05, 0.01];
/// The weight decay of the laws is the one nearest to this share.
pub(crate) const LAW_SHARE: f64 = 0.05;
/// Budget without `--budget`.
const BUDGET: Duration = Duration::from_mins(1);

/// What a person gave; `None` asks for the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StudyOptions {
    /// `none` or `penalised`.
    #[serde(deserialize_with = "words::text")]
    pub bias: Option<String>,
    /// Numbers or shares of lambda_max, separated by commas.
    #[serde(deserialize_with = "words::text")]
    pub lambda: Option<String>,
    /// Inverse temperatures, separated by commas.
    #[serde(deserialize_with = "words::text")]
    pub beta: Option<String>,
    /// Output weights, as text.
    #[serde(deserialize_with = "words::text")]
    pub signs: Option<String>,
    /// Seed.
    pub seed: Option<u64>,
    /// Wall-clock budget, as text.
    #[serde(deserialize_with = "words::text")]
    pub budget: Option<String>,
}

/// A checked plan of `study`.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPlan {
    /// Hidden bias; default penalised.
    pub bias: Bias,
    /// Weight decays, decreasing; default 0.5max, 0.2max, 0.05max, 0.01max.
    pub lambda: Vec<Lambda>,
    /// Inverse temperatures; `None` for those that follow from the optimum.
    pub beta: Option<Vec<f64>>,
    /// Output weights of the network that descent trains; default `+-`.
    pub signs: Signs,
    /// Seed; default 0.
    pub seed: u64,
    /// Wall-clock budget; default 60 s.
    pub budget: Duration,
}

impl StudyOptions {
    /// Checks every option and fills in the defaults.
    ///
    /// # Errors
    /// The first option that is unknown or out of range.
    pub fn check(&self) -> Result<StudyPlan, PlanError> {
        let bias = self.bias.as_deref().map_or(Ok(Bias::Penalised), |text| Bias::parse("bias", text))?;
        if bias == Bias::Free {
            let cure = "give --bias penalised or none";
            return Err(PlanError::new("bias", "free", "neither descent nor a stationary law knows it", cure));
        }
        let lambda = match self.lambda.as_deref() {
            None => SHARES.map(Lambda::Share).to_vec(),
            Some(text) => text.split(',').map(Lambda::parse).collect::<Result<_, _>>()?,
        };
        Ok(StudyPlan {
            bias,
            lambda,
            beta: self.beta.as_deref().map(|text| betas(Some(text))).transpose()?,
            signs: Signs::parse(self.signs.as_deref().unwrap_or("+-"))?,
            seed: self.seed.unwrap_or(0),
            budget: self.budget.as_deref().map_or(Ok(BUDGET), |text| parse_duration("budget", text))?,
        })
    }
}

impl StudyPlan {
    /// The position of the weight decay whose laws are asked for.
    pub fn law(&self) -> usize {
        let distance = |l: &Lambda| match l {
            Lambda::Share(s) => (s / LAW_SHARE).ln().abs(),
            Lambda::Value(_) => 0.0,
        };
        (0..self.lambda.len())
            .min_by(|a, b| distance(&self.lambda[*a]).total_cmp(&distance(&self.lambda[*b])))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let plan = StudyOptions::default().check().unwrap();
        assert_eq!((plan.bias, plan.budget, plan.law()), (Bias::Penalised, BUDGET, 2));
        assert_eq!(plan.lambda[plan.law()], Lambda::Share(0.05));
        assert!(plan.beta.is_none());
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let error = |options: StudyOptions| options.check().unwrap_err().to_string();
        let free = StudyOptions { bias: Some("free".into()), ..Default::default() };
        assert!(error(free).starts_with("--bias free: neither descent"));
        let lambda = StudyOptions { lambda: Some("0.5max,-1".into()), ..Default::default() };
        assert!(error(lambda).starts_with("--lambda -1: is not a positive"));
        let beta = StudyOptions { beta: Some("0".into()), ..Default::default() };
        assert!(error(beta).starts_with("--beta 0: is an inverse temperature"));
        let budget = StudyOptions { budget: Some("soon".into()), ..Default::default() };
        assert!(error(budget).starts_with("--budget soon"));
    }
}
