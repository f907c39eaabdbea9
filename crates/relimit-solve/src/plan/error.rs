//! The one error of plans: which setting, which value, what is wrong, what to do.

use std::error::Error;
use std::fmt;

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The setting, named as its flag without hyphens in front, for example `step-constant`.
    pub setting: &'static str,
    /// The value as given; empty when the flag takes none.
    pub value: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to do.
    pub cure: String,
}

impl PlanError {
    pub(super) fn new(
        setting: &'static str,
        value: impl fmt::Display,
        problem: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self { setting, value: value.to_string(), problem: problem.into(), cure: cure.into() }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}", self.setting)?;
        if !self.value.is_empty() {
            write!(f, " {}", self.value)?;
        }
        write!(f, ": {}; {}", self.problem, self.cure)
    }
}

impl Error for PlanError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_flag_value_problem_and_cure() {
        let error = PlanError::new("step", -1, "is not positive", "give a step above 0");
        assert_eq!(error.to_string(), "--step -1: is not positive; give a step above 0");
        let error = PlanError::new("flow", "", "cannot be combined with --step", "give one of them");
        assert_eq!(error.to_string(), "--flow: cannot be combined with --step; give one of them");
    }
}
