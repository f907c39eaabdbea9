//! From the flags to the columns: which positions of the header are features, and which is the target.

use super::{ReadError, ReadOptions, nearest};

/// Whether a target must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need<'a> {
    /// A data set: one target, named by the options or else by the file itself.
    Target(Option<&'a str>),
    /// A data set of any number of targets and perhaps a column of weights, all named by the options.
    Labels,
    /// A table: a target only if the options name one.
    Nothing,
}

/// Positions in the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Features, in the order of use; behind them the columns `beside`.
    pub features: Vec<usize>,
    /// Further targets, then the weights: columns of numbers that are no features.
    pub beside: Vec<usize>,
    /// The target.
    pub target: Option<usize>,
    /// Columns without a name that would be used if they had one.
    pub unnamed: Vec<usize>,
}

/// Applies `--target`, `--columns` and `--drop` to the names of a header.
pub(crate) fn select(file: &str, names: &[String], options: &ReadOptions, need: Need) -> Result<Selection, ReadError> {
    let named: Vec<String> = names.iter().filter(|n| !n.is_empty()).cloned().collect();
    let find = |flag: &'static str, name: &String| -> Result<Vec<usize>, ReadError> {
        let hits: Vec<usize> = (0..names.len()).filter(|k| !name.is_empty() && names[*k] == *name).collect();
        if !hits.is_empty() {
            return Ok(hits);
        }
        Err(ReadError::UnknownColumn {
            file: file.to_string(),
            flag,
            name: name.clone(),
            near: nearest(name, &named).map(str::to_string),
            columns: named.clone(),
        })
    };
    let one = |flag: &'static str, name: &String| -> Result<usize, ReadError> {
        let hits = find(flag, name)?;
        if hits.len() == 1 { Ok(hits[0]) } else { Err(duplicate(file, name, &hits)) }
    };

    if options.target.len() > 1 && need != Need::Labels {
        return Err(ReadError::ManyTargets { file: file.to_string(), targets: options.target.clone() });
    }
    let target = match (options.target.first(), need) {
        (Some(name), _) => Some(one("--target", name)?),
        (None, Need::Target(Some(default))) => Some(one("--target", &default.to_string())?),
        (None, Need::Target(None) | Need::Labels) => {
            let suggestion = named.last().cloned().unwrap_or_default();
            return Err(ReadError::NoTarget { file: file.to_string(), columns: named, suggestion });
        }
        (None, Need::Nothing) => None,
    };
    let mut dropped = Vec::new();
    for name in &options.drop {
        dropped.extend(find("--drop", name)?);
    }
    let mut beside = Vec::new();
    if need == Need::Labels {
        let further = options.target.iter().skip(1).map(|name| ("--target", name));
        for (flag, name) in further.chain(options.weight.iter().map(|name| ("--weight", name))) {
            let k = one(flag, name)?;
            if Some(k) == target || beside.contains(&k) {
                return Err(ReadError::TargetTwice { file: file.to_string(), column: name.clone(), flag });
            }
            beside.push(k);
        }
    }
    let twice = |k: usize, flag| ReadError::TargetTwice { file: file.to_string(), column: names[k].clone(), flag };
    let taken: Vec<usize> = target.into_iter().chain(beside.iter().copied()).collect();
    if let Some(k) = taken.iter().find(|k| dropped.contains(k)) {
        return Err(twice(*k, "--drop"));
    }

    let mut unnamed = Vec::new();
    let mut features: Vec<usize> = if options.columns.is_empty() {
        unnamed.extend((0..names.len()).filter(|k| names[*k].is_empty()));
        (0..names.len()).filter(|k| !names[*k].is_empty() && !taken.contains(k)).collect()
    } else {
        options.columns.iter().map(|name| one("--columns", name)).collect::<Result<_, _>>()?
    };
    if let Some(k) = features.iter().find(|k| taken.contains(k)) {
        return Err(twice(*k, "--columns"));
    }
    let mut seen = std::collections::BTreeSet::new();
    features.retain(|k| !dropped.contains(k) && seen.insert(*k));
    if features.is_empty() {
        return Err(ReadError::NoFeatures { file: file.to_string(), columns: named });
    }
    let mut order = features.clone();
    order.sort_by(|a, b| names[*a].cmp(&names[*b]));
    if let Some(pair) = order.windows(2).find(|p| names[p[0]] == names[p[1]]) {
        return Err(duplicate(file, &names[pair[0]], pair));
    }
    features.extend(&beside);
    Ok(Selection { features, beside, target, unnamed })
}

fn duplicate(file: &str, name: &str, positions: &[usize]) -> ReadError {
    let positions = positions.iter().map(|k| k + 1).collect();
    ReadError::DuplicateColumn { file: file.to_string(), name: name.to_string(), positions }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["", "a", "b", "y", "b"].map(String::from).to_vec()
    }

    fn options(target: &str, columns: &[&str], drop: &[&str]) -> ReadOptions {
        let own = |l: &[&str]| l.iter().map(ToString::to_string).collect();
        ReadOptions { target: own(&[target]), columns: own(columns), drop: own(drop), ..Default::default() }
    }

    #[test]
    fn flags_choose_in_their_order_and_duplicates_matter_only_when_used() {
        let got = select("f", &names(), &options("y", &["a"], &[]), Need::Target(None)).unwrap();
        assert_eq!(got, Selection { features: vec![1], beside: vec![], target: Some(3), unnamed: vec![] });
        let got = select("f", &names(), &options("y", &[], &["b"]), Need::Target(None)).unwrap();
        assert_eq!(got, Selection { features: vec![1], beside: vec![], target: Some(3), unnamed: vec![0] });
        let error = select("f", &names(), &options("y", &[], &[]), Need::Target(None)).unwrap_err().to_string();
        assert!(error.contains("columns 3 and 5 are both called 'b'"), "{error}");
    }

    #[test]
    fn further_targets_and_weights_stand_behind_the_features() {
        let names = ["w", "a", "p", "q"].map(String::from);
        let options = |target: &[&str], weight: &str| ReadOptions {
            target: target.iter().map(ToString::to_string).collect(),
            weight: Some(weight.into()),
            ..Default::default()
        };
        let got = select("f", &names, &options(&["q", "p"], "w"), Need::Labels).unwrap();
        assert_eq!(got, Selection { features: vec![1, 2, 0], beside: vec![2, 0], target: Some(3), unnamed: vec![] });
        for (target, weight, flag) in [(["q", "q"], "w", "--target"), (["q", "p"], "p", "--weight")] {
            let error = select("f", &names, &options(&target, weight), Need::Labels).unwrap_err().to_string();
            assert!(error.contains(&format!("also named by {flag}")), "{error}");
        }
    }

    #[test]
    fn a_column_has_one_role() {
        let error = select("f", &names(), &options("y", &["y"], &[]), Need::Target(None)).unwrap_err().to_string();
        assert!(error.contains("also named by --columns"), "{error}");
        let error = select("f", &names(), &options("y", &[], &["y"]), Need::Target(None)).unwrap_err().to_string();
        assert!(error.contains("also named by --drop"), "{error}");
        let error = select("f", &names(), &options("y", &[], &["a", "b"]), Need::Target(None)).unwrap_err();
        assert!(matches!(error, ReadError::NoFeatures { .. }));
    }
}
