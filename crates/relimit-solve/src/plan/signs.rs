//! Output weights: `+-` for +1 and -1, or a list of numbers.

use std::fmt;

use super::PlanError;

/// Fixed output weights c, one a neuron; each finite and not 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Signs(Vec<f64>);

impl Signs {
    /// Takes weights as numbers.
    ///
    /// # Errors
    /// No weight, or one that is 0 or not finite.
    pub fn new(weights: Vec<f64>) -> Result<Self, PlanError> {
        let text = || weights.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        if weights.is_empty() {
            return Err(wrong("", "has no neuron"));
        }
        match weights.iter().find(|v| **v == 0.0 || !v.is_finite()) {
            Some(bad) => Err(wrong(&text(), &format!("has {bad}, and an output weight is a number other than 0"))),
            None => Ok(Self(weights)),
        }
    }

    /// Reads `+-`, `++--` (one character a neuron) or `+1,-0.5` (one number a neuron).
    ///
    /// # Errors
    /// The part that is not a number, 0 or not finite.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let only_signs = !text.is_empty() && text.chars().all(|c| c == '+' || c == '-');
        if only_signs {
            return Ok(Self(text.chars().map(|c| if c == '+' { 1.0 } else { -1.0 }).collect()));
        }
        let mut weights = Vec::new();
        for part in text.split(',').map(str::trim) {
            weights.push(match part {
                "+" => 1.0,
                "-" => -1.0,
                _ => part.parse().map_err(|_| wrong(text, &format!("has '{part}', which is not a number")))?,
            });
        }
        Self::new(weights).map_err(|e| PlanError { value: text.to_owned(), ..e })
    }

    /// The weights c.
    pub fn weights(&self) -> &[f64] {
        &self.0
    }
}

fn wrong(value: &str, problem: &str) -> PlanError {
    PlanError::new("signs", value, problem, "give one sign a neuron as in +- or one number a neuron as in +1,-0.5")
}

impl fmt::Display for Signs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.iter().all(|v| v.abs() == 1.0) {
            return self.0.iter().try_for_each(|v| f.write_str(if *v > 0.0 { "+" } else { "-" }));
        }
        for (j, v) in self.0.iter().enumerate() {
            write!(f, "{}{v:+}", if j == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_numbers_are_read() {
        let read = |text| Signs::parse(text).unwrap().0;
        assert_eq!(read("+-"), [1.0, -1.0]);
        assert_eq!(read("-"), [-1.0]);
        assert_eq!(read("--"), [-1.0, -1.0]);
        assert_eq!(read("+1,-0.5"), [1.0, -0.5]);
        assert_eq!(read("1.5, -.7,+"), [1.5, -0.7, 1.0]);
        assert_eq!(read("2"), [2.0]);
    }

    #[test]
    fn the_text_reads_back() {
        for text in ["+-", "-", "+1.5,-0.7", "+2"] {
            assert_eq!(Signs::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Signs::parse("1,-1").unwrap().to_string(), "+-");
    }

    #[test]
    fn wrong_signs_name_the_part() {
        let text = |signs| Signs::parse(signs).unwrap_err().to_string();
        assert!(text("+x").contains("'+x', which is not a number"), "{}", text("+x"));
        assert!(text("+1,0").starts_with("--signs +1,0: has 0, and"), "{}", text("+1,0"));
        assert!(text("1,nan").contains("NaN"));
        assert!(text("1e999").contains("inf"));
        assert!(text("").contains("''"));
        assert!(text("1,,2").contains("''"));
        assert!(Signs::new(vec![]).is_err());
    }
}
