//! The plan of `patterns`: bias, what is listed and where, and how much work may be done.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limit::{count, picture};
use super::{Bias, Picture, PlanError, parse_duration, words};

/// Where a list of patterns goes, and in which format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListTarget {
    /// Text on standard output; the summary then goes to standard error.
    Stdout,
    /// Text, one pattern a line.
    Text(PathBuf),
    /// A numpy array, one row a pattern.
    Npy(PathBuf),
    /// A Parquet file, one column a row of the data.
    Parquet(PathBuf),
}

impl ListTarget {
    /// Reads `-` or a file name by its ending.
    fn parse(path: &Path) -> Result<Self, PlanError> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            Some("txt") => Ok(Self::Text(path.into())),
            Some("npy") => Ok(Self::Npy(path.into())),
            Some("parquet") => Ok(Self::Parquet(path.into())),
            _ => {
                let cure = "give a name that ends in .txt, .npy or .parquet, or - for standard output";
                Err(PlanError::new("list", path.display(), "has no known ending", cure))
            }
        }
    }

    /// The format: `text`, `npy` or `parquet`.
    pub fn format(&self) -> &'static str {
        match self {
            Self::Stdout | Self::Text(_) => "text",
            Self::Npy(_) => "npy",
            Self::Parquet(_) => "parquet",
        }
    }

    /// The file, unless it is standard output.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::Text(path) | Self::Npy(path) | Self::Parquet(path) => Some(path),
        }
    }
}

/// A pattern as a person writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckPattern {
    /// A row: 1, 0 or -1; 1 or -1 where the pattern says active or not.
    pub signs: Vec<i8>,
    /// Whether it was written with `+`, `-` and `0` rather than `1` and `0`.
    pub ternary: bool,
}

impl fmt::Display for CheckPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.signs.iter().try_for_each(|s| {
            f.write_str(match (s, self.ternary) {
                (1, true) => "+",
                (1, false) => "1",
                (0, _) | (_, false) => "0",
                (_, true) => "-",
            })
        })
    }
}

/// What a person gave; `None` asks for the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PatternsOptions {
    /// `none`, `penalised` or `free`.
    #[serde(deserialize_with = "words::text")]
    pub bias: Option<String>,
    /// Values as the decimals that stand in the file, not as doubles.
    pub decimals: bool,
    /// Where the patterns are listed.
    #[serde(skip)]
    pub list: Option<PathBuf>,
    /// Sign vectors with zeros as well.
    pub ternary: bool,
    /// A witness with each pattern.
    pub witness: bool,
    /// Most patterns.
    pub limit: Option<u64>,
    /// One pattern to be decided, as text.
    #[serde(deserialize_with = "words::text")]
    pub check: Option<String>,
    /// Seed of the generic directions that order the search.
    pub seed: Option<u64>,
    /// Threads.
    pub threads: Option<usize>,
    /// Wall-clock budget, as text.
    #[serde(deserialize_with = "words::text")]
    pub budget: Option<String>,
    /// File for the figure.
    #[serde(skip)]
    pub plot: Option<PathBuf>,
}

/// A checked plan of `patterns`.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternsPlan {
    /// Bias: a column of ones unless none; whether it counts in norms makes no difference here. Default none.
    pub bias: Bias,
    /// Values as the shortest decimals that read back as them; default no: as doubles.
    pub decimals: bool,
    /// Where the patterns are listed; default nowhere.
    pub list: Option<ListTarget>,
    /// Sign vectors with zeros as well.
    pub ternary: bool,
    /// A witness with each pattern.
    pub witness: bool,
    /// Most patterns; `None` for a limit that depends on the size of the data.
    pub limit: Option<u64>,
    /// One pattern to be decided.
    pub check: Option<CheckPattern>,
    /// Seed; default 0.
    pub seed: u64,
    /// Threads; `None` for as many as there are processors.
    pub threads: Option<usize>,
    /// Wall-clock budget.
    pub budget: Option<Duration>,
    /// Figure.
    pub plot: Option<Picture>,
}

impl PatternsOptions {
    /// Checks every option and fills in the defaults.
    ///
    /// # Errors
    /// The first option that is unknown, out of range or contradicts another.
    pub fn check(&self) -> Result<PatternsPlan, PlanError> {
        let list = self.list.as_deref().map(ListTarget::parse).transpose()?;
        if self.witness {
            check_witness(list.as_ref())?;
        }
        Ok(PatternsPlan {
            bias: self.bias.as_deref().map_or(Ok(Bias::None), |text| Bias::parse("bias", text))?,
            decimals: self.decimals,
            list,
            ternary: self.ternary,
            witness: self.witness,
            limit: count("limit", self.limit)?,
            check: self.check.as_deref().map(pattern).transpose()?,
            seed: self.seed.unwrap_or(0),
            threads: count("threads", self.threads.map(|t| t as u64))?.map(|t| t as usize),
            budget: self.budget.as_deref().map(|text| parse_duration("budget", text)).transpose()?,
            plot: self.plot.as_deref().map(picture).transpose()?,
        })
    }
}

/// Witnesses are lists of big integers: an array of signs has no room for them.
fn check_witness(list: Option<&ListTarget>) -> Result<(), PlanError> {
    let wrong = |problem, cure| Err(PlanError::new("witness", "", problem, cure));
    match list {
        None => wrong("goes with each pattern of a list", "give --list - or --list FILE.txt"),
        Some(ListTarget::Npy(_)) => {
            wrong("does not fit into an array of signs", "give --list -, FILE.txt or FILE.parquet")
        }
        Some(_) => Ok(()),
    }
}

/// Reads `0110` or `-++-0`: one character a row.
fn pattern(text: &str) -> Result<CheckPattern, PlanError> {
    let cure = "give one 0 or 1 a row (1: active), or one of -, 0 and + a row";
    let wrong = |problem: String| PlanError::new("check", text, problem, cure);
    let signed = text.contains(['+', '-']);
    let sign = |(k, c): (usize, char)| match (signed, c) {
        (false, '1') | (true, '+') => Ok(1),
        (false, '0') | (true, '-') => Ok(-1),
        (true, '0') => Ok(0),
        _ => Err(wrong(format!("has '{c}' at place {}", k + 1))),
    };
    let signs = text.chars().enumerate().map(sign).collect::<Result<Vec<i8>, _>>()?;
    if signs.is_empty() { Err(wrong("is empty".into())) } else { Ok(CheckPattern { signs, ternary: signed }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(options: &PatternsOptions) -> String {
        options.check().unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let plan = PatternsOptions::default().check().unwrap();
        assert_eq!((plan.bias, plan.seed, plan.limit), (Bias::None, 0, None));
        assert!(plan.list.is_none() && plan.check.is_none() && !plan.ternary && !plan.witness);
    }

    #[test]
    fn lists_are_chosen_by_their_ending() {
        let list = |name: &str| PatternsOptions { list: Some(name.into()), ..Default::default() };
        let target = |name: &str| list(name).check().unwrap().list.unwrap();
        assert_eq!(target("-"), ListTarget::Stdout);
        assert_eq!(target("a.TXT"), ListTarget::Text("a.TXT".into()));
        assert_eq!(target("b/a.npy").format(), "npy");
        assert_eq!(target("a.npy").path(), Some(Path::new("a.npy")));
        assert!(error(&list("a.pdf")).starts_with("--list a.pdf: has no known ending; give a name that ends in .txt"));
        assert!(error(&list("a")).contains("or - for standard output"));
    }

    #[test]
    fn a_witness_needs_a_list_that_holds_it() {
        let with =
            |list: Option<&str>| PatternsOptions { witness: true, list: list.map(Into::into), ..Default::default() };
        assert!(error(&with(None)).starts_with("--witness: goes with each pattern of a list; give --list -"));
        assert!(error(&with(Some("a.npy"))).contains("does not fit into an array"));
        assert!(with(Some("-")).check().unwrap().witness);
        assert!(with(Some("a.parquet")).check().unwrap().witness);
    }

    #[test]
    fn one_pattern_is_read_in_both_alphabets() {
        let check = |text: &str| PatternsOptions { check: Some(text.into()), ..Default::default() };
        for (text, signs) in [("011", [-1, 1, 1]), ("-+0", [-1, 1, 0])] {
            let pattern = check(text).check().unwrap().check.unwrap();
            assert_eq!((pattern.signs.as_slice(), pattern.to_string().as_str()), (&signs[..], text));
        }
        assert!(error(&check("0121")).starts_with("--check 0121: has '2' at place 3; give one 0 or 1 a row"));
        assert!(error(&check("+1")).contains("has '1' at place 2"));
        assert!(error(&check("")).contains("is empty"));
    }

    #[test]
    fn counts_and_times_are_checked() {
        let options = PatternsOptions { limit: Some(0), ..Default::default() };
        assert!(error(&options).starts_with("--limit 0: is no count"));
        let options = PatternsOptions { budget: Some("60".into()), ..Default::default() };
        assert!(error(&options).contains("has no unit"));
        let options = PatternsOptions { plot: Some("a.pdf".into()), ..Default::default() };
        assert!(error(&options).starts_with("--plot a.pdf: has no known"));
        let options = PatternsOptions { threads: Some(0), ..Default::default() };
        assert!(error(&options).starts_with("--threads 0"));
    }
}
