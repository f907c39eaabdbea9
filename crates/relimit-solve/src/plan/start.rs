//! Where a run starts.

use std::fmt;
use std::path::PathBuf;

use super::PlanError;

/// The rule for the first weights.
#[derive(Clone, Debug, PartialEq)]
pub enum StartRule {
    /// Every neuron active on every example: the smallest w with X w >= EPS.
    Orthant(f64),
    /// Each neuron active on its own examples, below -DELTA on all others.
    Disjoint(f64),
    /// Independent N(0, SCALE^2) weights.
    Gaussian(f64),
    /// All weights 0.
    Zero,
    /// Weights from a file, one row a neuron.
    File(PathBuf),
}

/// The size of the default start, `orthant:0.001`, and of random starts, `gaussian:0.001`.
pub(super) const DEFAULT_SIZE: f64 = 1e-3;

impl StartRule {
    /// Reads `orthant:EPS`, `disjoint:DELTA`, `gaussian:SCALE`, `zero` or a file name.
    ///
    /// # Errors
    /// An unknown rule with a size, a rule without its size, a size that is not positive.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let (word, size) = match text.split_once(':') {
            Some((word, size)) => (word, Some(size)),
            None => (text, None),
        };
        let rule = match word {
            "orthant" => Self::Orthant,
            "disjoint" => Self::Disjoint,
            "gaussian" => Self::Gaussian,
            "zero" if size.is_none() => return Ok(Self::Zero),
            "zero" => return Err(wrong(text, "has a size", "give zero alone")),
            "" => return Err(wrong(text, "is empty", FORMS)),
            _ if size.is_some_and(|s| s.parse::<f64>().is_ok()) => return Err(wrong(text, "is not known", FORMS)),
            _ => return Ok(Self::File(PathBuf::from(text))),
        };
        let Some(size) = size else {
            return Err(wrong(text, "has no size", &format!("give for example {word}:{DEFAULT_SIZE}")));
        };
        match size.parse::<f64>() {
            Ok(value) if value > 0.0 && value.is_finite() => Ok(rule(value)),
            _ => {
                Err(wrong(text, "has a size that is not a positive number", &format!("give for example {word}:0.001")))
            }
        }
    }
}

const FORMS: &str = "give orthant:EPS, disjoint:DELTA, gaussian:SCALE, zero or the name of a file";

fn wrong(text: &str, problem: &str, cure: &str) -> PlanError {
    PlanError::new("start", text, problem, cure)
}

impl fmt::Display for StartRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Orthant(size) => write!(f, "orthant:{size}"),
            Self::Disjoint(size) => write!(f, "disjoint:{size}"),
            Self::Gaussian(size) => write!(f, "gaussian:{size}"),
            Self::Zero => f.write_str("zero"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_back() {
        for (text, rule) in [
            ("orthant:0.001", StartRule::Orthant(1e-3)),
            ("disjoint:0.1", StartRule::Disjoint(0.1)),
            ("gaussian:2", StartRule::Gaussian(2.0)),
            ("zero", StartRule::Zero),
            ("weights/start.csv", StartRule::File("weights/start.csv".into())),
        ] {
            assert_eq!(StartRule::parse(text), Ok(rule.clone()));
            assert_eq!(rule.to_string(), text);
        }
    }

    #[test]
    fn wrong_starts_are_refused() {
        for (text, part) in [
            ("orthant", "give for example orthant:0.001"),
            ("orthant:-1", "not a positive number"),
            ("gaussian:nan", "not a positive number"),
            ("gaussian:0", "not a positive number"),
            ("disjoint:x", "not a positive number"),
            ("orthnt:0.1", "is not known"),
            ("zero:1", "give zero alone"),
            ("", "is empty"),
        ] {
            let error = StartRule::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
