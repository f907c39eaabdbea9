//! A PyTorch state dictionary of two linear layers.

use std::collections::BTreeMap;

use relimit_core::net::Network;

use super::super::npz::array_error;
use super::super::{Array, Notice, ReadError, words};
use super::{NetworkFile, parts};

/// Whether some tensor is named as the weights of a layer.
pub(super) fn has_layers(all: &BTreeMap<String, Array>) -> bool {
    all.keys().any(|k| k.ends_with("weight"))
}

/// The network of the two layers, in the order of their names unless only the other order fits.
pub(super) fn network(file: &str, mut all: BTreeMap<String, Array>) -> Result<(NetworkFile, Vec<Notice>), ReadError> {
    let mut layers: Vec<String> =
        all.iter().filter(|(k, a)| k.ends_with("weight") && a.shape.len() == 2).map(|(k, _)| k.clone()).collect();
    layers.sort_by_key(|name| natural(name));
    let [mut first, mut second] = <[String; 2]>::try_from(layers).map_err(|layers| {
        let what = format!("{} ({})", words::count(layers.len(), "weight matrix"), words::names(&layers));
        ReadError::Format {
            file: file.to_string(),
            found: what.replace("matrixs", "matrices"),
            cure: "one hidden layer is read, that is two weight matrices".into(),
        }
    })?;
    if all[&second].shape[1] != all[&first].shape[0] && all[&first].shape[1] == all[&second].shape[0] {
        std::mem::swap(&mut first, &mut second);
    }
    let mut notices = vec![Notice::ReluAssumed];
    let mut take = |name: &str| all.remove(name);
    let (Some(w), Some(c)) = (take(&first), take(&second)) else { unreachable!("both names come from the file") };
    let shape = w.shape_text();
    let (m, outputs) = (w.shape[0], c.shape[0]);
    let mut bias = |layer: &str, n: usize, what: &str| {
        let name = format!("{}bias", layer.strip_suffix("weight").unwrap_or_default());
        let Some(array) = take(&name) else {
            notices.push(Notice::TakenAsZero { what: format!("{what} ({name})") });
            return Ok((name, vec![0.0; n]));
        };
        parts::vector(file, &name, &array, n, &shape).map(|v| (name, v))
    };
    let (b_name, b) = bias(&first, m, "hidden bias")?;
    let c = parts::output_weights(file, &second, c, m, &shape)?;
    let (offset_name, offset) = bias(&second, outputs, "output bias")?;
    if let Some((name, array)) = all.iter().next() {
        let what = format!("shape {} belongs to no linear layer", array.shape_text());
        return Err(array_error(file, name, what, "only two linear layers with ReLU between are read"));
    }
    let Some(w) = w.into_mat() else {
        return Err(array_error(file, &first, "holds no numbers", "save the weights as floats"));
    };
    let network = Network::new(w, b, c, offset);
    parts::finite(file, &network, [&first, &b_name, &second, &offset_name])?;
    Ok((NetworkFile { network, features: None, target: None }, notices))
}

/// A sort key under which `2.weight` comes before `10.weight`.
fn natural(name: &str) -> Vec<(u64, String)> {
    let parts = name.split_inclusive(|c: char| !c.is_ascii_digit());
    parts.map(|p| (p.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0), p.to_string())).collect()
}
