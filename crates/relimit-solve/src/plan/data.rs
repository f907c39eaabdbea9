//! Which data: a file or a generator, its columns and rows, and what is done to them.

use std::path::PathBuf;

use super::{Missing, PlanError, Scale};

/// Where data come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// CSV on standard input (`-`).
    Stdin,
    /// A generator specification (`gaussian:n=20,d=4000`), read by the generators themselves.
    Synthetic(String),
}

/// Rows of the file (the header is row 1), both ends included; an absent end is the first or last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowRange {
    /// First row, at least 1.
    pub first: Option<usize>,
    /// Last row, not before the first.
    pub last: Option<usize>,
}

impl RowRange {
    /// Reads `A:B`, `A:` or `:B`.
    ///
    /// # Errors
    /// Text that is no range, row 0, an end before the beginning.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong = |problem: &str| PlanError::new("rows", text, problem, "give A:B as in 2:11 (the header is row 1)");
        let (first, last) = text.split_once(':').ok_or_else(|| wrong("is not a range"))?;
        let end = |part: &str| match part.trim() {
            "" => Ok(None),
            part => part.parse().map(Some).map_err(|_| wrong("has an end that is not a row number")),
        };
        let range = Self { first: end(first)?, last: end(last)? };
        match (range.first, range.last) {
            (None, None) => Err(wrong("has no end")),
            (Some(0), _) | (_, Some(0)) => Err(wrong("has row 0, and rows count from 1")),
            (Some(a), Some(b)) if a > b => Err(wrong("ends before it begins")),
            _ => Ok(range),
        }
    }
}

/// What a person gave about the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataOptions {
    /// File name, `-` for standard input.
    pub data: Option<PathBuf>,
    /// Generator specification.
    pub synthetic: Option<String>,
    /// Label columns.
    pub target: Vec<String>,
    /// Feature columns to keep; empty keeps all.
    pub columns: Vec<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Rows, as `A:B`.
    pub rows: Option<String>,
    /// Scaling of features.
    pub scale: Option<String>,
    /// Scaling of labels.
    pub target_scale: Option<String>,
    /// What a missing value does.
    pub missing: Option<String>,
}

/// Data options, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPlan {
    /// Where the data come from.
    pub source: Source,
    /// Label column; `None` when none was given (the reader then lists the columns).
    pub target: Option<String>,
    /// Feature columns to keep; empty keeps all.
    pub columns: Vec<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Rows; `None` keeps all.
    pub rows: Option<RowRange>,
    /// Scaling of features; default none.
    pub scale: Scale,
    /// Scaling of labels; default none.
    pub target_scale: Scale,
    /// What a missing value does; default error.
    pub missing: Missing,
}

impl DataOptions {
    /// Checks the options and fills in the defaults.
    ///
    /// # Errors
    /// The first option that is unknown, out of range or contradicts another.
    pub fn check(&self) -> Result<DataPlan, PlanError> {
        let source = match (&self.data, &self.synthetic) {
            (Some(path), None) if path.as_os_str() == "-" => Source::Stdin,
            (Some(path), None) => Source::File(path.clone()),
            (None, Some(text)) => Source::Synthetic(text.clone()),
            (Some(path), Some(text)) => {
                let problem = format!("cannot be combined with the file {}", path.display());
                return Err(PlanError::new("synthetic", text, problem, "give one of them"));
            }
            (None, None) => return Err(PlanError::new("synthetic", "", "is absent and so is a data file", "give one")),
        };
        if let [_, more, ..] = self.target.as_slice() {
            return Err(PlanError::new("target", more, "is a second label", "give one; networks here have one output"));
        }
        let both = self.columns.iter().find(|c| self.drop.contains(c));
        if let Some(column) = both {
            return Err(PlanError::new("drop", column, "also stands in --columns", "take it out of one of them"));
        }
        let target = self.target.first().cloned();
        if let Some(target) = target.as_ref().filter(|t| self.drop.contains(t)) {
            return Err(PlanError::new("drop", target, "is the target", "take it out; it is no feature anyway"));
        }
        let scale = |setting, text: &Option<String>| {
            text.as_deref().map_or(Ok(Scale::default()), |text| Scale::parse(setting, text))
        };
        Ok(DataPlan {
            source,
            target,
            columns: self.columns.clone(),
            drop: self.drop.clone(),
            rows: self.rows.as_deref().map(RowRange::parse).transpose()?,
            scale: scale("scale", &self.scale)?,
            target_scale: scale("target-scale", &self.target_scale)?,
            missing: self.missing.as_deref().map_or(Ok(Missing::default()), Missing::parse)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> DataOptions {
        DataOptions { data: Some("a.csv".into()), target: vec!["y".into()], ..Default::default() }
    }

    #[test]
    fn a_file_and_a_target_are_enough() {
        let plan = file().check().unwrap();
        assert_eq!(plan.source, Source::File("a.csv".into()));
        assert_eq!(plan.target.as_deref(), Some("y"));
        assert_eq!((plan.scale, plan.target_scale, plan.missing), (Scale::None, Scale::None, Missing::Error));
        assert_eq!(DataOptions { data: Some("-".into()), ..file() }.check().unwrap().source, Source::Stdin);
    }

    #[test]
    fn rows_are_read() {
        assert_eq!(RowRange::parse("2:11"), Ok(RowRange { first: Some(2), last: Some(11) }));
        assert_eq!(RowRange::parse("5:"), Ok(RowRange { first: Some(5), last: None }));
        assert_eq!(RowRange::parse(":9"), Ok(RowRange { first: None, last: Some(9) }));
        for text in ["", "3", ":", "0:4", "7:3", "a:b", "-1:4", "1:2:3"] {
            assert!(RowRange::parse(text).unwrap_err().to_string().contains("give A:B as in 2:11"), "{text}");
        }
    }

    #[test]
    fn contradictions_are_named() {
        let text = |options: DataOptions| options.check().unwrap_err().to_string();
        let s = |text: &str| text.to_owned();
        let both = DataOptions { synthetic: Some(s("gaussian:n=3")), ..file() };
        assert!(text(both).contains("cannot be combined with the file a.csv"));
        assert!(text(DataOptions::default()).contains("so is a data file"));
        let two = DataOptions { target: vec![s("y"), s("z")], ..file() };
        assert_eq!(text(two), "--target z: is a second label; give one; networks here have one output");
        let overlap = DataOptions { columns: vec![s("a"), s("b")], drop: vec![s("b")], ..file() };
        assert!(text(overlap).starts_with("--drop b: also stands in --columns"));
        let target = DataOptions { drop: vec![s("y")], ..file() };
        assert!(text(target).starts_with("--drop y: is the target"));
        let scale = DataOptions { scale: Some(s("z")), ..file() };
        assert!(text(scale).starts_with("--scale z: is not known"));
    }
}
