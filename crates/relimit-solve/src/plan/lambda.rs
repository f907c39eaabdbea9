//! Weight decay: a number, or a share of the one from which on the optimum has no neuron.

use std::fmt;

use super::PlanError;

/// `--lambda`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lambda {
    /// The number itself, never rescaled.
    Value(f64),
    /// This share of lambda_max.
    Share(f64),
}

impl Lambda {
    /// Reads `0.05` or `0.05max`.
    ///
    /// # Errors
    /// What is not a positive finite number, with or without `max` behind it.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let cure = "give a weight decay as in 0.01, or a share of lambda_max as in 0.05max";
        let (digits, share) = text.trim().strip_suffix("max").map_or((text.trim(), false), |t| (t, true));
        let digits = if share && digits.is_empty() { "1" } else { digits };
        let value: f64 = digits.parse().map_err(|_| PlanError::new("lambda", text, "is not a number", cure))?;
        if value == 0.0 {
            let cure = "an optimum without penalty is any exact fit; give a small positive number";
            return Err(PlanError::new("lambda", text, "leaves nothing to minimise but the loss", cure));
        }
        if !(value > 0.0 && value.is_finite()) {
            return Err(PlanError::new("lambda", text, "is not a positive finite number", cure));
        }
        Ok(if share { Self::Share(value) } else { Self::Value(value) })
    }
}

impl fmt::Display for Lambda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(v) => write!(f, "{v}"),
            Self::Share(v) => write!(f, "{v}max"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_shares_are_read() {
        assert_eq!(Lambda::parse("0.05"), Ok(Lambda::Value(0.05)));
        assert_eq!(Lambda::parse("5e-2max"), Ok(Lambda::Share(0.05)));
        assert_eq!(Lambda::parse("max"), Ok(Lambda::Share(1.0)));
        assert_eq!(Lambda::Share(0.05).to_string(), "0.05max");
        for text in ["", "0", "-1", "nan", "inf", "0.1mx", "0max"] {
            assert!(Lambda::parse(text).unwrap_err().to_string().starts_with("--lambda"), "{text}");
        }
    }
}
