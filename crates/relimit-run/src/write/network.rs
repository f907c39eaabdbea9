//! A network as .npz, .safetensors or .onnx, with the names of its features and target.

use std::io::Write;
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde::{Deserialize, Serialize};

use super::{WriteError, npz, write_atomic};
use crate::onnx::{self, Attribute, DOUBLE, Graph, Model, Node, Tensor, ValueInfo};
use crate::read::{Array, NetworkFile, Values};

/// The one metadata key of this program in .safetensors and .onnx files.
pub(crate) const METADATA: &str = "relimit";

/// What the metadata key holds, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Names {
    pub features: Option<Vec<String>>,
    pub target: Option<String>,
}

/// Writes a network in double precision; the extension chooses the format.
///
/// - `.npz`, `.safetensors`: `w` (m x d), `b` (m), `c` (m; outputs x m for several outputs), `offset` and the names.
/// - `.onnx`: Gemm, Relu, Gemm with a dynamic batch axis, input `x`, output `y`.
///
/// # Errors
/// `WriteError::Extension` for another extension, `WriteError::Io` from the file system.
pub fn network(path: &Path, file: &NetworkFile) -> Result<(), WriteError> {
    match crate::read::extension(path).as_str() {
        "npz" => {
            let mut all = arrays(file).to_vec();
            let text = |shape: Vec<usize>, v: Vec<String>| Array { shape, values: Values::Text(v) };
            all.extend(file.features.clone().map(|v| ("features", text(vec![v.len()], v))));
            all.extend(file.target.clone().map(|v| ("target", text(vec![], vec![v]))));
            npz(path, all.iter().map(|(n, a)| (*n, a)))
        }
        "safetensors" => {
            let format = |what: String| WriteError::Format { file: path.display().to_string(), what };
            let bytes = safetensors(file).map_err(format)?;
            write_atomic(path, |out| out.write_all(&bytes))
        }
        "onnx" => {
            let format = |what: String| WriteError::Format { file: path.display().to_string(), what };
            let bytes = onnx::bytes(&model(file).map_err(format)?);
            write_atomic(path, |out| out.write_all(&bytes))
        }
        _ => Err(WriteError::Extension { file: path.display().to_string(), known: ".npz, .safetensors or .onnx" }),
    }
}

/// One output keeps the shapes of a vector and a number.
fn arrays(file: &NetworkFile) -> [(&'static str, Array); 4] {
    let net = &file.network;
    let (m, d, k) = (net.width(), net.inputs(), net.outputs());
    let (c, offset) = if k == 1 { (vec![m], vec![]) } else { (vec![k, m], vec![k]) };
    let numbers = |shape: Vec<usize>, v: &[f64]| Array { shape, values: Values::Numbers(v.to_vec()) };
    [
        ("w", numbers(vec![m, d], net.w.as_slice())),
        ("b", numbers(vec![m], &net.b)),
        ("c", numbers(c, net.c.as_slice())),
        ("offset", numbers(offset, &net.offset)),
    ]
}

fn safetensors(file: &NetworkFile) -> Result<Vec<u8>, String> {
    let arrays = arrays(file);
    let bytes: Vec<(&str, &[usize], Vec<u8>)> = arrays
        .iter()
        .map(|(n, a)| {
            let flat = a.numbers().unwrap_or_default().iter().flat_map(|x| x.to_le_bytes()).collect();
            (*n, a.shape.as_slice(), flat)
        })
        .collect();
    let views: Result<Vec<_>, _> =
        bytes.iter().map(|(n, s, b)| Ok((*n, TensorView::new(Dtype::F64, s.to_vec(), b)?))).collect();
    let views = views.map_err(|e: safetensors::SafeTensorError| e.to_string())?;
    let metadata = [(METADATA.to_string(), names(file)?)].into_iter().collect();
    safetensors::serialize(views, Some(metadata)).map_err(|e| e.to_string())
}

fn names(file: &NetworkFile) -> Result<String, String> {
    let names = Names { features: file.features.clone(), target: file.target.clone() };
    serde_json::to_string(&names).map_err(|e| e.to_string())
}

fn model(file: &NetworkFile) -> Result<Model, String> {
    let net = &file.network;
    let (m, d, k) = (net.width(), net.inputs(), net.outputs());
    let tensor = |name: &str, shape: Vec<usize>, v: &[f64]| Tensor {
        name: name.into(),
        shape,
        kind: DOUBLE,
        values: Ok(v.to_vec()),
    };
    let value = |name: &str, n: usize| ValueInfo {
        name: name.into(),
        kind: DOUBLE,
        shape: Some(vec![None, Some(n.cast_signed() as i64)]),
    };
    let node = |name: &str, op: &str, inputs: &[&str], output: &str, attributes: Vec<Attribute>| Node {
        name: name.into(),
        op: op.into(),
        inputs: inputs.iter().map(|n| (*n).to_owned()).collect(),
        outputs: vec![output.into()],
        attributes,
        ..Node::default()
    };
    let turned = || vec![Attribute { name: "transB".into(), i: Some(1), ..Attribute::default() }];
    let graph = Graph {
        nodes: vec![
            node("hidden", "Gemm", &["x", "w", "b"], "z", turned()),
            node("relu", "Relu", &["z"], "h", vec![]),
            node("output", "Gemm", &["h", "c", "offset"], "y", turned()),
        ],
        initializers: vec![
            tensor("w", vec![m, d], net.w.as_slice()),
            tensor("b", vec![m], &net.b),
            tensor("c", vec![k, m], net.c.as_slice()),
            tensor("offset", vec![k], &net.offset),
        ],
        inputs: vec![value("x", d)],
        outputs: vec![value("y", k)],
    };
    Ok(Model { graph, metadata: [(METADATA.to_string(), names(file)?)].into() })
}
