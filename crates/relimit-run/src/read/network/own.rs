//! This program's own arrays: w, b, c, offset and the names of inputs and target.

use std::collections::BTreeMap;

use relimit_core::net::Network;

use super::super::npz::array_error;
use super::super::{Array, Notice, ReadError, words};
use super::{NetworkFile, parts};

/// Other names that people give to the same arrays.
const ALIASES: [(&str, &[&str]); 4] =
    [("w", &["W", "w1", "W1"]), ("b", &["b1"]), ("c", &["C", "w2", "W2"]), ("offset", &["o", "b2"])];

/// The network of the arrays.
pub(super) fn network(file: &str, mut all: BTreeMap<String, Array>) -> Result<(NetworkFile, Vec<Notice>), ReadError> {
    let mut notices = Vec::new();
    let found: Vec<String> = all.keys().cloned().collect();
    let mut take = |name: &str| {
        let aliases = ALIASES.iter().find(|a| a.0 == name).map_or(&[][..], |a| a.1);
        let key = std::iter::once(&name).chain(aliases).find(|k| all.contains_key(**k)).map(|k| (*k).to_owned())?;
        all.remove(&key)
    };
    let missing = |name: &str| {
        let what = format!("is not there (found: {})", words::names(&found));
        let cure = "a network has arrays w (m x d), b (m), c (m, or outputs x m) and offset";
        array_error(file, name, what, cure)
    };
    let w = take("w").ok_or_else(|| missing("w"))?;
    let c = take("c").ok_or_else(|| missing("c"))?;
    let shape = w.shape_text();
    let bad = format!("shape {shape} is no matrix of numbers");
    let w = w.into_mat().ok_or_else(|| array_error(file, "w", bad, "save it with shape (neurons, inputs)"))?;
    let c = parts::output_weights(file, "c", c, w.rows(), &shape)?;
    let mut bias = |name: &str, n: usize, what: &str| {
        if let Some(b) = take(name) {
            return parts::vector(file, name, &b, n, &shape);
        }
        notices.push(Notice::TakenAsZero { what: format!("{what} ({name})") });
        Ok(vec![0.0; n])
    };
    let b = bias("b", w.rows(), "hidden bias")?;
    let offset = bias("offset", c.rows(), "output bias")?;
    let features = match all.remove("features") {
        Some(names) => Some(parts::named_inputs(file, texts(&names), w.cols())?),
        None => None,
    };
    let target = all.remove("target").and_then(|t| t.text().and_then(|t| t.first().cloned()));
    let network = Network::new(w, b, c, offset);
    parts::finite(file, &network, ["w", "b", "c", "offset"])?;
    Ok((NetworkFile { network, features, target }, notices))
}

/// An array of text, or one text that holds a JSON list.
fn texts(names: &Array) -> Vec<String> {
    match names.text().unwrap_or_default() {
        [one] if one.trim_start().starts_with('[') => serde_json::from_str(one).unwrap_or_default(),
        text => text.to_vec(),
    }
}
