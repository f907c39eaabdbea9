//! A two-layer network from .npz or .safetensors: this program's own arrays, or a PyTorch state dictionary.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use relimit_core::net::Network;
use safetensors::{Dtype, SafeTensors};

use super::npz::array_error;
use super::source::{extension, open};
use super::{Array, Notice, ReadError, Values, npz, words};

/// A network with the names of what it takes and gives.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFile {
    /// The network, for raw inputs.
    pub network: Network,
    /// Feature names, d, where the file has them.
    pub features: Option<Vec<String>>,
    /// Name of the target, where the file has it.
    pub target: Option<String>,
}

/// Reads a network of one hidden layer and one output.
///
/// Arrays `w` (m x d), `b` (m), `c` (m), `offset`, `features`, `target`; a `.safetensors` file may instead hold a
/// PyTorch state dictionary of two linear layers (`0.weight`, `0.bias`, `2.weight`, `2.bias`). An absent bias is 0,
/// with a notice.
///
/// # Errors
/// Other formats with the way to convert them; a tensor of another shape, type or layer by its name.
pub fn network(path: &Path) -> Result<(NetworkFile, Vec<Notice>), ReadError> {
    let file = path.display().to_string();
    let source = open(path)?;
    match extension(path).as_str() {
        "npz" => assemble(&file, npz::arrays(path)?),
        "safetensors" => {
            drop(source);
            let bytes = fs::read(path).map_err(|source| ReadError::Io { file: file.clone(), source })?;
            let all = tensors(&file, &bytes)?;
            if all.contains_key("w") { assemble(&file, all) } else { state_dict(&file, all) }
        }
        other => {
            let (found, cure) = refusal(other);
            Err(ReadError::Format { file, found, cure })
        }
    }
}

fn refusal(extension: &str) -> (String, String) {
    let (found, cure) = match extension {
        "pt" | "pth" | "bin" | "ckpt" => (
            "a PyTorch pickle can run code and is never loaded",
            "in Python: safetensors.torch.save_file(model.state_dict(), 'net.safetensors')",
        ),
        "pkl" | "pickle" | "joblib" => (
            "a pickle can run code and is never loaded",
            "in Python: numpy.savez('net.npz', w=m.coefs_[0].T, b=m.intercepts_[0], c=m.coefs_[1].ravel(), offset=m.intercepts_[1])",
        ),
        "onnx" => ("ONNX files are not read yet", "save the weights as .safetensors or .npz (arrays w, b, c, offset)"),
        "h5" | "keras" | "hdf5" => (
            "Keras files are not read",
            "in Python: W, b, C, o = model.get_weights(); numpy.savez('net.npz', w=W.T, b=b, c=C.ravel(), offset=o)",
        ),
        _ => ("no network file", "give .npz (arrays w, b, c, offset) or .safetensors"),
    };
    (found.into(), cure.into())
}

/// All tensors by name; the text of this program's metadata as arrays `features` and `target`.
fn tensors(file: &str, bytes: &[u8]) -> Result<BTreeMap<String, Array>, ReadError> {
    let damaged = |e: safetensors::SafeTensorError| ReadError::Format {
        file: file.to_string(),
        found: format!("no readable .safetensors file ({e})"),
        cure: "write it again with safetensors.torch.save_file".into(),
    };
    let parsed = SafeTensors::deserialize(bytes).map_err(damaged)?;
    let mut all = BTreeMap::new();
    for (name, tensor) in parsed.tensors() {
        let data = tensor.data();
        let values: Vec<f64> = match tensor.dtype() {
            Dtype::F64 => data.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
            Dtype::F32 => data.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
            other => {
                return Err(array_error(file, &name, format!("type {other:?} is not read"), "save it with .double()"));
            }
        };
        all.insert(name, Array { shape: tensor.shape().to_vec(), values: Values::Numbers(values) });
    }
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
    if let Some(text) = header.metadata().as_ref().and_then(|m| m.get(crate::write::METADATA)) {
        let names: crate::write::Names = serde_json::from_str(text)
            .map_err(|e| array_error(file, "metadata", e.to_string(), "write the file again"))?;
        let text = |v: Vec<String>| Array { shape: vec![v.len()], values: Values::Text(v) };
        all.extend(names.features.map(|v| ("features".to_string(), text(v))));
        all.extend(names.target.map(|v| ("target".to_string(), text(vec![v]))));
    }
    Ok(all)
}

/// The arrays of this program.
fn assemble(file: &str, mut all: BTreeMap<String, Array>) -> Result<(NetworkFile, Vec<Notice>), ReadError> {
    let mut notices = Vec::new();
    let found: Vec<String> = all.keys().cloned().collect();
    let mut need = |name: &str| {
        all.remove(name).ok_or_else(|| {
            let what = format!("is not there (found: {})", words::names(&found));
            array_error(file, name, what, "a network has arrays w (m x d), b (m), c (m) and offset")
        })
    };
    let (w, c) = (need("w")?, need("c")?);
    let shape = w.shape_text();
    let bad = format!("shape {shape} is no matrix of numbers");
    let w = w.into_mat().ok_or_else(|| array_error(file, "w", bad, "save it with shape (neurons, inputs)"))?;
    let m = w.rows();
    let c = vector(file, "c", &c, m, &shape)?;
    let mut zero = |what: &str, n: usize| {
        notices.push(Notice::TakenAsZero { what: what.to_string() });
        vec![0.0; n]
    };
    let b = match all.remove("b") {
        Some(b) => vector(file, "b", &b, m, &shape)?,
        None => zero("hidden bias (b)", m),
    };
    let offset = match all.remove("offset") {
        Some(o) => vector(file, "offset", &o, 1, &shape)?,
        None => zero("output bias (offset)", 1),
    };
    let features = match all.remove("features") {
        Some(names) => Some(feature_names(file, &names, w.cols())?),
        None => None,
    };
    let target = all.remove("target").and_then(|t| t.text().and_then(|t| t.first().cloned()));
    let network = Network { w, b, c, offset: offset[0] };
    finite(file, &network)?;
    Ok((NetworkFile { network, features, target }, notices))
}

/// Feature names as an array of text, or as one text that holds a JSON list.
fn feature_names(file: &str, names: &Array, d: usize) -> Result<Vec<String>, ReadError> {
    let text = names.text().unwrap_or_default();
    let list = match text {
        [one] if one.trim_start().starts_with('[') => serde_json::from_str(one).unwrap_or_default(),
        _ => text.to_vec(),
    };
    if list.len() == d {
        return Ok(list);
    }
    let what = format!("{} for {}", words::count(list.len(), "name"), words::count(d, "input"));
    Err(array_error(file, "features", what, "give one name (text) for each input, or leave the array out"))
}

/// `n` numbers as (n,), (1, n), (n, 1), or () for one.
fn vector(file: &str, name: &str, array: &Array, n: usize, w: &str) -> Result<Vec<f64>, ReadError> {
    let long = array.shape.iter().filter(|s| **s != 1).count() <= 1;
    if let Some(v) = array.numbers().filter(|v| v.len() == n && long) {
        return Ok(v.to_vec());
    }
    let what = format!(
        "shape {} where {} are expected beside first-layer weights of shape {w}",
        array.shape_text(),
        words::count(n, "number")
    );
    Err(array_error(file, name, what, "only one hidden layer and one output are read: check the layers"))
}

fn finite(file: &str, net: &Network) -> Result<(), ReadError> {
    let parts = [("w", net.w.as_slice()), ("b", &net.b), ("c", &net.c), ("offset", std::slice::from_ref(&net.offset))];
    for (name, values) in parts {
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            let what = format!("entry {k} is {}", values[k]);
            return Err(array_error(
                file,
                name,
                what,
                "the training that wrote it has diverged: save an earlier state",
            ));
        }
    }
    Ok(())
}

/// Two linear layers of a state dictionary.
fn state_dict(file: &str, mut all: BTreeMap<String, Array>) -> Result<(NetworkFile, Vec<Notice>), ReadError> {
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
    let outputs = all[&second].shape[0];
    if outputs != 1 && all[&second].shape[1] == all[&first].shape[0] {
        let what = format!("{outputs} outputs");
        return Err(array_error(file, &second, what, "one output is read: save the row of the output you mean"));
    }
    let mut notices = vec![Notice::ReluAssumed];
    let mut take = |name: &str| all.remove(name);
    let (Some(w), Some(c)) = (take(&first), take(&second)) else { unreachable!("both names come from the file") };
    let shape = w.shape_text();
    let m = w.shape[0];
    let mut bias = |layer: &str, n: usize, what: &str| {
        let name = format!("{}bias", layer.strip_suffix("weight").unwrap_or_default());
        let Some(array) = take(&name) else {
            notices.push(Notice::TakenAsZero { what: format!("{what} ({name})") });
            return Ok(vec![0.0; n]);
        };
        vector(file, &name, &array, n, &shape)
    };
    let b = bias(&first, m, "hidden bias")?;
    let offset = bias(&second, 1, "output bias")?[0];
    let c = vector(file, &second, &c, m, &shape)?;
    if let Some((name, array)) = all.iter().next() {
        let what = format!("shape {} belongs to no linear layer", array.shape_text());
        return Err(array_error(file, name, what, "only two linear layers with ReLU between are read"));
    }
    let Some(w) = w.into_mat() else { unreachable!("two axes of numbers were asked for") };
    let network = Network { w, b, c, offset };
    finite(file, &network)?;
    Ok((NetworkFile { network, features: None, target: None }, notices))
}

/// A sort key under which `2.weight` comes before `10.weight`.
fn natural(name: &str) -> Vec<(u64, String)> {
    let parts = name.split_inclusive(|c: char| !c.is_ascii_digit());
    parts.map(|p| (p.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0), p.to_string())).collect()
}
