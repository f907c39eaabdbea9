//! The plan of `certify`: the objective that a network is judged by, and effort.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limit::{count, positive};
use super::{Bias, DEFAULT_GAP, DEFAULT_MAX_NODES, Lambda, Loss, PlanError, Require, parse_duration, words};
use crate::convention::{BatchSize, Convention, Decay, Reduction};

/// What a person gave; `None` asks for the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CertifyOptions {
    /// `half-sum`, `half-mean` or `mean`.
    #[serde(deserialize_with = "words::text")]
    pub loss: Option<String>,
    /// `none`, `penalised` or `free`.
    #[serde(deserialize_with = "words::text")]
    pub bias: Option<String>,
    /// Output bias: `none`, `penalised` or `free`.
    #[serde(deserialize_with = "words::text")]
    pub offset: Option<String>,
    /// A number, 0 included, or a share as in `0.05max`.
    #[serde(deserialize_with = "words::text")]
    pub lambda: Option<String>,
    /// `pytorch`, `sklearn` or `keras`: whose decay `lambda` is.
    #[serde(deserialize_with = "words::text")]
    pub convention: Option<String>,
    /// Rows of a batch, or `auto` (scikit-learn).
    #[serde(deserialize_with = "words::text")]
    pub batch: Option<String>,
    /// `raw` or `scaled`: the numbers that the network takes and gives.
    #[serde(deserialize_with = "words::text")]
    pub takes: Option<String>,
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
}

/// A library and the decay that it was told.
#[derive(Clone, Debug, PartialEq)]
pub struct Library {
    /// `pytorch`, `sklearn` or `keras`.
    pub name: &'static str,
    /// The training in its words.
    pub convention: Convention,
}

/// The numbers that a network takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Those of the file: the scales are part of the network.
    Raw,
    /// Those that the scales make of them: it was trained on scaled data.
    Scaled,
}

impl Units {
    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Scaled => "scaled",
        }
    }

    fn parse(text: &str) -> Result<Self, PlanError> {
        [Self::Raw, Self::Scaled]
            .into_iter()
            .find(|u| u.name() == text)
            .ok_or_else(|| PlanError::new("takes", text, "is not known", "give raw or scaled"))
    }
}

/// A checked plan of `certify`.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifyPlan {
    /// Scaling of the loss; default half-mean.
    pub loss: Loss,
    /// Hidden bias; default penalised.
    pub bias: Bias,
    /// Output bias; `None`: penalised where the network has one.
    pub offset: Option<Bias>,
    /// Weight decay; `None` is 0, the default.
    pub lambda: Option<Lambda>,
    /// Whose decay was given; it decides loss, weight decay and biases.
    pub library: Option<Library>,
    /// What the network takes and gives; default raw.
    pub takes: Units,
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
}

impl CertifyOptions {
    /// Checks every option and fills in the defaults.
    ///
    /// # Errors
    /// The first option that is unknown, out of range, or decided by `convention` already.
    pub fn check(&self) -> Result<CertifyPlan, PlanError> {
        let gap = positive("gap", self.gap.unwrap_or(DEFAULT_GAP), "give a relative gap, for example 1e-8")?;
        if gap >= 1.0 {
            return Err(PlanError::new("gap", gap, "is not below 1", "give for example 1e-8"));
        }
        let require = self.require.as_deref().map(Require::parse).transpose()?;
        if require == Some(Require::Converged) {
            let cure = "give --require certified";
            return Err(PlanError::new("require", "converged", "speaks of a run, and a network is none", cure));
        }
        let library = self.library()?;
        let lambda = match self.lambda.as_deref() {
            None => None,
            Some(_) if library.is_some() => None,
            Some(text) if text.trim().parse() == Ok(0.0) => None,
            Some(text) => Some(Lambda::parse(text)?),
        };
        Ok(CertifyPlan {
            loss: self.loss.as_deref().map_or(Ok(Loss::HalfMean), Loss::parse)?,
            bias: self.bias.as_deref().map_or(Ok(Bias::Penalised), |text| Bias::parse("bias", text))?,
            offset: self.offset.as_deref().map(|text| Bias::parse("offset", text)).transpose()?,
            lambda,
            library,
            takes: self.takes.as_deref().map_or(Ok(Units::Raw), Units::parse)?,
            seed: self.seed.unwrap_or(0),
            threads: count("threads", self.threads.map(|t| t as u64))?.map(|t| t as usize),
            gap,
            max_nodes: count("max-nodes", self.max_nodes)?.unwrap_or(DEFAULT_MAX_NODES),
            budget: self.budget.as_deref().map(|text| parse_duration("budget", text)).transpose()?,
            require,
        })
    }

    /// `--convention` with the decay and the batch that belong to it.
    fn library(&self) -> Result<Option<Library>, PlanError> {
        let Some(word) = self.convention.as_deref() else {
            return match &self.batch {
                Some(batch) => {
                    let cure = "give it with --convention sklearn";
                    Err(PlanError::new("batch", batch, "matters to scikit-learn's alpha alone", cure))
                }
                None => Ok(None),
            };
        };
        let given = [("loss", &self.loss), ("bias", &self.bias), ("offset", &self.offset)];
        if let Some((setting, Some(value))) = given.into_iter().find(|(_, v)| v.is_some()) {
            let problem = format!("is decided by --convention {word}");
            return Err(PlanError::new(setting, value, problem, "leave out one of them"));
        }
        if let (Some(batch), true) = (&self.batch, word != "sklearn") {
            let cure = "leave it out";
            return Err(PlanError::new("batch", batch, format!("changes nothing under --convention {word}"), cure));
        }
        let text = self.lambda.as_deref().unwrap_or("0");
        let value: f64 = text.trim().parse().map_err(|_| {
            let cure = "give the number that the library was given: weight_decay, alpha or l2";
            PlanError::new("lambda", text, format!("is no decay of --convention {word}"), cure)
        })?;
        let (name, convention) = match word {
            "pytorch" => {
                let decay = Decay::everywhere(value);
                ("pytorch", Convention::PyTorch { decay, reduction: Reduction::Mean, decoupled: false })
            }
            "sklearn" => ("sklearn", Convention::Sklearn { alpha: value, batch: self.batch()? }),
            "keras" => ("keras", Convention::Keras { decay: Decay::weights(value) }),
            _ => {
                let cure = "give pytorch, sklearn or keras";
                return Err(PlanError::new("convention", word, "is not known", cure));
            }
        };
        Ok(Some(Library { name, convention }))
    }

    fn batch(&self) -> Result<Option<BatchSize>, PlanError> {
        let cure = "give a number of rows from 1 on, or auto; leave it out for lbfgs";
        match self.batch.as_deref() {
            None => Ok(None),
            Some("auto") => Ok(Some(BatchSize::Auto)),
            Some(text) => match text.parse::<usize>() {
                Ok(rows) if rows > 0 => Ok(Some(BatchSize::Rows(rows))),
                _ => Err(PlanError::new("batch", text, "is no number of rows", cure)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> CertifyOptions {
        let mut out = CertifyOptions::default();
        for (key, value) in pairs {
            let place = match *key {
                "loss" => &mut out.loss,
                "lambda" => &mut out.lambda,
                "convention" => &mut out.convention,
                _ => &mut out.batch,
            };
            *place = Some((*value).to_owned());
        }
        out
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let plan = CertifyOptions::default().check().unwrap();
        assert_eq!((plan.loss, plan.bias, plan.offset), (Loss::HalfMean, Bias::Penalised, None));
        assert_eq!((plan.lambda, plan.gap, plan.max_nodes), (None, 1e-8, 100_000));
        assert_eq!(options(&[("lambda", "0.0")]).check().unwrap().lambda, None);
        assert_eq!(options(&[("lambda", "0.1max")]).check().unwrap().lambda, Some(Lambda::Share(0.1)));
    }

    #[test]
    fn a_convention_takes_the_number_of_its_library() {
        let plan = options(&[("convention", "sklearn"), ("lambda", "0.5"), ("batch", "auto")]).check().unwrap();
        let alpha = Convention::Sklearn { alpha: 0.5, batch: Some(BatchSize::Auto) };
        assert_eq!((plan.library.unwrap().convention, plan.lambda), (alpha, None));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let error = |pairs: &[(&str, &str)]| options(pairs).check().unwrap_err().to_string();
        assert!(error(&[("lambda", "-1")]).starts_with("--lambda -1: is not a positive finite number"));
        assert!(error(&[("batch", "20")]).ends_with("give it with --convention sklearn"));
        assert!(error(&[("convention", "pytorch"), ("loss", "mean")]).contains("decided by --convention pytorch"));
        assert!(error(&[("convention", "keras"), ("batch", "4")]).contains("changes nothing under --convention keras"));
        assert!(error(&[("convention", "keras"), ("lambda", "0.1max")]).contains("weight_decay, alpha or l2"));
        assert!(error(&[("convention", "sklearn"), ("batch", "0")]).contains("is no number of rows"));
        assert!(error(&[("convention", "jax")]).ends_with("give pytorch, sklearn or keras"));
    }
}
