//! What `collapse` is asked: a network, perhaps data, and where the two networks must agree.

use std::path::Path;

use relimit_core::net::InputBox;
use relimit_core::num::Mat;
use relimit_run::read::{self, Missing, NetworkFile, Notice, ReadOptions, Source};
use relimit_solve::answer::CollapseSettings;
use relimit_solve::collapse::{CollapseOutcome, CollapseQuestion, Domain};
use serde::{Deserialize, Serialize};

use crate::{AskError, DataWords, NetworkGiven};

/// What a person gave besides network and data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollapseOptions {
    /// `LO:HI`, one or one for each input; a file whose range it is; `rows` or `everywhere`.
    pub r#box: Option<String>,
    /// Difference that is allowed.
    pub tolerance: Option<f64>,
}

/// The narrow network, where it agrees, and the question's notices.
pub struct Collapsed {
    /// What was found.
    pub outcome: CollapseOutcome,
    /// Where the networks agree.
    pub on: Domain,
}

/// Reads the data, settles where the networks must agree, and collapses.
///
/// # Errors
/// A tolerance or a box that cannot be, data that do not fit the network.
pub fn collapse(
    given: &NetworkGiven,
    words: &DataWords,
    options: &CollapseOptions,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Collapsed, AskError> {
    let tolerance = options.tolerance.unwrap_or(0.0);
    if !(0.0..f64::INFINITY).contains(&tolerance) {
        return Err(AskError::Usage(format!("--tolerance {tolerance}: give a number from 0 on, for example 0.01")));
    }
    let (file, reading) = (&given.file, words.options()?);
    let mut notices: Vec<Notice> = given.notices.clone();
    let table = match words.source() {
        None => None,
        Some(source) => {
            let (table, more) = read::features(&source, file.features.as_deref(), file.network.inputs(), &reading)?;
            notices.extend(more);
            Some(table)
        }
    };
    let data = table.as_ref().map(|t| &t.x);
    let (name, on) = match (&options.r#box, data) {
        (Some(text), data) if text == "rows" => (text.clone(), rows(data, tolerance)?),
        (Some(text), _) => (text.clone(), parse_box(text, file, &reading)?.map_or(Domain::Everywhere, Domain::Box)),
        (None, Some(x)) => ("data".to_owned(), Domain::Box(InputBox::of_rows(x))),
        (None, None) => ("everywhere".to_owned(), Domain::Everywhere),
    };
    let read = words.settings();
    let question = CollapseQuestion {
        network: &file.network,
        name: given.short_name(),
        on: on.clone(),
        data,
        settings: CollapseSettings {
            net: given.name.clone(),
            data: read.data,
            columns: read.columns,
            drop: read.drop,
            rows: read.rows,
            missing: if words.missing == Some(Missing::Drop) { "drop" } else { "error" }.into(),
            r#box: name,
            tolerance,
        },
        notices: notices.iter().map(ToString::to_string).collect(),
    };
    Ok(Collapsed { outcome: relimit_solve::collapse::collapse(question, stop), on })
}

/// `--box rows`: the rows of DATA alone.
fn rows(data: Option<&Mat>, tolerance: f64) -> Result<Domain, AskError> {
    if data.is_none() {
        return Err(AskError::Usage("--box rows: there are no rows; name a file after the network".into()));
    }
    if tolerance > 0.0 {
        return Err(AskError::Usage(format!(
            "--tolerance {tolerance}: merges on a box or everywhere; with --box rows leave it out"
        )));
    }
    Ok(Domain::Rows)
}

/// `--box`: ranges, a file whose range it is, or `everywhere`.
fn parse_box(text: &str, file: &NetworkFile, options: &ReadOptions) -> Result<Option<InputBox>, AskError> {
    let d = file.network.inputs();
    if text == "everywhere" {
        return Ok(None);
    }
    if Path::new(text).is_file() || !text.contains(':') {
        let source = Source::from_arg(text);
        let (table, _) = read::features(&source, file.features.as_deref(), d, options)?;
        return Ok(Some(InputBox::of_rows(&table.x)));
    }
    let bad = |part: &str, why: &str| {
        AskError::Usage(format!(
            "--box {text}: '{part}' {why}; write LO:HI, for example -1:1, one for all inputs or one each"
        ))
    };
    let mut sides = vec![];
    for part in text.split(',') {
        let (low, high) = part.split_once(':').ok_or_else(|| bad(part, "is no range"))?;
        let number = |v: &str| v.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        let (Some(low), Some(high)) = (number(low), number(high)) else {
            return Err(bad(part, "is no range of numbers"));
        };
        if low > high {
            return Err(bad(part, "ends before it begins"));
        }
        sides.push((low, high));
    }
    if sides.len() == 1 {
        sides = vec![sides[0]; d];
    }
    if sides.len() != d {
        let names = file.features.as_ref().map_or_else(String::new, |f| format!(" ({})", f.join(", ")));
        return Err(AskError::Usage(format!(
            "--box {text}: {} ranges for {d} inputs{names}; give one for all or one each",
            sides.len()
        )));
    }
    let (low, high) = sides.into_iter().unzip();
    Ok(Some(InputBox::new(low, high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use relimit_core::net::Network;

    fn file() -> NetworkFile {
        let network = Network::scalar(Mat::from_rows(&[[1.0, 0.0], [0.0, -1.0]]), vec![0.5, 2.0], vec![1.0; 2], 0.0);
        NetworkFile { network, features: Some(vec!["a".into(), "b".into()]), target: None }
    }

    #[test]
    fn boxes_are_read_and_refused_in_words() {
        let read = |text: &str| parse_box(text, &file(), &ReadOptions::default());
        assert_eq!(read("everywhere").ok().unwrap(), None);
        assert_eq!(read("-1:2.5").ok().unwrap(), Some(InputBox::new(vec![-1.0; 2], vec![2.5; 2])));
        assert_eq!(read("0:1,-3:-2").ok().unwrap(), Some(InputBox::new(vec![0.0, -3.0], vec![1.0, -2.0])));
        let says = |text: &str, part: &str| {
            let message = read(text).err().unwrap().to_string();
            assert!(message.contains(part), "{message}");
        };
        says("1:0", "'1:0' ends before it begins");
        says("0:x", "'0:x' is no range of numbers");
        says("0:inf", "no range of numbers");
        says("0:1,2", "'2' is no range");
        says("0:1,0:1,0:1", "3 ranges for 2 inputs (a, b)");
        says("gone.csv", "no such file");
    }
}
