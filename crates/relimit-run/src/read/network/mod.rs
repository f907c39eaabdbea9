//! A two-layer network from .npz, .safetensors or .onnx: this program's own arrays, a PyTorch state dictionary, a graph.

mod graph;
mod own;
mod parts;
mod state_dict;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use relimit_core::net::Network;
use safetensors::{Dtype, SafeTensors};

use super::npz::array_error;
use super::source::{extension, open};
use super::{Array, Notice, ReadError, Values, npz};

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

/// Reads a network of one hidden layer without output activation.
///
/// - `.npz`, `.safetensors`: arrays `w` (m x d), `b` (m), `c` (m, or outputs x m), `offset`, `features`, `target`; or a
///   PyTorch state dictionary of two linear layers (`0.weight`, `0.bias`, `2.weight`, `2.bias`, whatever stands before).
/// - `.onnx`: two times Gemm, or MatMul and Add, with Relu between.
///
/// An absent bias is 0, with a notice. Single precision is converted exactly.
///
/// # Errors
/// Other formats with the way to convert them; a node or tensor of another architecture, shape or type by its name.
pub fn network(path: &Path) -> Result<(NetworkFile, Vec<Notice>), ReadError> {
    let file = path.display().to_string();
    let source = open(path)?;
    let bytes = || fs::read(path).map_err(|source| ReadError::Io { file: file.clone(), source });
    let all = match extension(path).as_str() {
        "npz" => npz::arrays(path)?,
        "safetensors" => {
            drop(source);
            tensors(&file, &bytes()?)?
        }
        "onnx" => {
            drop(source);
            return graph::network(&file, &bytes()?);
        }
        other => {
            let (found, cure) = refusal(other);
            return Err(ReadError::Format { file, found, cure });
        }
    };
    if state_dict::has_layers(&all) { state_dict::network(&file, all) } else { own::network(&file, all) }
}

fn refusal(extension: &str) -> (String, String) {
    let (found, cure) = match extension {
        "pt" | "pth" | "bin" | "ckpt" => (
            "a PyTorch pickle can run code and is never loaded",
            "in Python: safetensors.torch.save_file(model.state_dict(), 'net.safetensors')",
        ),
        "pkl" | "pickle" | "joblib" => (
            "a pickle can run code and is never loaded",
            "in Python: numpy.savez('net.npz', w=m.coefs_[0].T, b=m.intercepts_[0], c=m.coefs_[1].T, offset=m.intercepts_[1])",
        ),
        "h5" | "keras" | "hdf5" => (
            "Keras files are not read",
            "in Python: W, b, C, o = model.get_weights(); numpy.savez('net.npz', w=W.T, b=b, c=C.T, offset=o)",
        ),
        _ => ("no network file", "give .npz (arrays w, b, c, offset), .safetensors or .onnx"),
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
        let (features, target) = parts::names(file, text)?;
        let text = |v: Vec<String>| Array { shape: vec![v.len()], values: Values::Text(v) };
        all.extend(features.map(|v| ("features".to_string(), text(v))));
        all.extend(target.map(|v| ("target".to_string(), text(vec![v]))));
    }
    Ok(all)
}
