//! Settings that are one word out of a few.

use super::PlanError;

/// The entry of `table` called `value`, or an error that lists the names.
fn choose<T: Copy>(setting: &'static str, value: &str, table: &[(&str, T)]) -> Result<T, PlanError> {
    let found = table.iter().find(|(name, _)| *name == value);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        PlanError::new(setting, value, "is not known", format!("give {}", list(&names)))
    })
}

/// `a, b or c`.
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}

fn name_of<T: Copy + PartialEq>(choice: T, table: &[(&'static str, T)]) -> &'static str {
    table.iter().find(|(_, c)| *c == choice).map_or("", |(name, _)| name)
}

/// Whether neurons (or the output) have a bias, and whether it counts in norms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// No bias.
    None,
    /// A bias that counts in norms like any weight: a column of ones.
    Penalised,
    /// A bias that does not count in norms.
    Free,
}

impl Bias {
    const NAMES: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("penalised", Self::Penalised), ("free", Self::Free)];

    /// Reads the word; `setting` is `bias` or `offset`.
    ///
    /// # Errors
    /// The known words, when `value` is none of them.
    pub fn parse(setting: &'static str, value: &str) -> Result<Self, PlanError> {
        choose(setting, value, Self::NAMES)
    }
    /// The word.
    pub fn name(self) -> &'static str {
        name_of(self, Self::NAMES)
    }
}

/// Scaling of the squared loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// `1/2 sum r^2`.
    HalfSum,
    /// `1/(2n) sum r^2`.
    HalfMean,
    /// `1/n sum r^2`.
    Mean,
}

impl Loss {
    const NAMES: &'static [(&'static str, Self)] =
        &[("half-sum", Self::HalfSum), ("half-mean", Self::HalfMean), ("mean", Self::Mean)];

    /// Reads the word.
    ///
    /// # Errors
    /// The known words, when `value` is none of them.
    pub fn parse(value: &str) -> Result<Self, PlanError> {
        choose("loss", value, Self::NAMES)
    }
    /// The word.
    pub fn name(self) -> &'static str {
        name_of(self, Self::NAMES)
    }

    /// This loss over the half-sum loss for n examples: 1, 1/n, 2/n.
    ///
    /// A step ETA for this loss is the half-sum step `ETA * factor(n)`; flow time of this loss times `factor(n)` is
    /// half-sum flow time.
    pub fn factor(self, n: usize) -> f64 {
        match self {
            Self::HalfSum => 1.0,
            Self::HalfMean => 1.0 / n as f64,
            Self::Mean => 2.0 / n as f64,
        }
    }
}

/// What an answer must be for exit code 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Require {
    /// The minimum norm is certified.
    Certified,
    /// The run converged.
    Converged,
}

impl Require {
    const NAMES: &'static [(&'static str, Self)] = &[("certified", Self::Certified), ("converged", Self::Converged)];

    /// Reads the word.
    ///
    /// # Errors
    /// The known words, when `value` is none of them.
    pub fn parse(value: &str) -> Result<Self, PlanError> {
        choose("require", value, Self::NAMES)
    }
    /// The word.
    pub fn name(self) -> &'static str {
        name_of(self, Self::NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written_back() {
        for (word, bias) in [("none", Bias::None), ("penalised", Bias::Penalised), ("free", Bias::Free)] {
            assert_eq!(Bias::parse("bias", word), Ok(bias));
            assert_eq!(bias.name(), word);
        }
        assert_eq!(Loss::parse("half-mean").map(Loss::name), Ok("half-mean"));
        assert_eq!(Require::parse("certified"), Ok(Require::Certified));
    }

    #[test]
    fn an_unknown_word_lists_the_known_ones() {
        let error = Bias::parse("bias", "penalized").unwrap_err();
        assert_eq!(error.to_string(), "--bias penalized: is not known; give none, penalised or free");
    }

    #[test]
    fn the_named_loss_is_factor_times_half_sum() {
        let r = [3.0, -1.0, 2.0, 0.5];
        let half_sum: f64 = 0.5 * r.iter().map(|v| v * v).sum::<f64>();
        let mean: f64 = r.iter().map(|v| v * v).sum::<f64>() / 4.0;
        assert_eq!(Loss::Mean.factor(4) * half_sum, mean);
        assert_eq!(Loss::HalfMean.factor(4) * half_sum, mean / 2.0);
        assert_eq!(Loss::HalfSum.factor(4), 1.0);
    }
}
