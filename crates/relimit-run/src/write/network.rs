//! A network as .npz or .safetensors, with the names of its features and target.

use std::io::Write;
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde::{Deserialize, Serialize};

use super::{WriteError, npz, write_atomic};
use crate::read::{Array, NetworkFile, Values};

/// The one metadata key of this program in .safetensors files.
pub(crate) const METADATA: &str = "relimit";

/// What the metadata key holds, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Names {
    pub features: Option<Vec<String>>,
    pub target: Option<String>,
}

/// Writes `w` (m x d), `b` (m), `c` (m), `offset` and the names; the extension chooses .npz or .safetensors.
///
/// # Errors
/// `WriteError::Extension` for another extension, `WriteError::Io` from the file system.
pub fn network(path: &Path, file: &NetworkFile) -> Result<(), WriteError> {
    let net = &file.network;
    let (m, d) = (net.width(), net.inputs());
    let numbers = |shape: &[usize], v: &[f64]| Array { shape: shape.to_vec(), values: Values::Numbers(v.to_vec()) };
    let arrays = [
        ("w", numbers(&[m, d], net.w.as_slice())),
        ("b", numbers(&[m], &net.b)),
        ("c", numbers(&[m], &net.c)),
        ("offset", numbers(&[], &[net.offset])),
    ];
    match crate::read::extension(path).as_str() {
        "npz" => {
            let mut all = arrays.to_vec();
            let text = |shape: Vec<usize>, v: Vec<String>| Array { shape, values: Values::Text(v) };
            all.extend(file.features.clone().map(|v| ("features", text(vec![v.len()], v))));
            all.extend(file.target.clone().map(|v| ("target", text(vec![], vec![v]))));
            npz(path, all.iter().map(|(n, a)| (*n, a)))
        }
        "safetensors" => {
            let format = |what: String| WriteError::Format { file: path.display().to_string(), what };
            let bytes: Vec<(&str, &[usize], Vec<u8>)> = arrays
                .iter()
                .map(|(n, a)| {
                    let flat = a.numbers().unwrap_or_default().iter().flat_map(|x| x.to_le_bytes()).collect();
                    (*n, a.shape.as_slice(), flat)
                })
                .collect();
            let views: Result<Vec<_>, _> =
                bytes.iter().map(|(n, s, b)| Ok((*n, TensorView::new(Dtype::F64, s.to_vec(), b)?))).collect();
            let views = views.map_err(|e: safetensors::SafeTensorError| format(e.to_string()))?;
            let names = Names { features: file.features.clone(), target: file.target.clone() };
            let names = serde_json::to_string(&names).map_err(|e| format(e.to_string()))?;
            let metadata = [(METADATA.to_string(), names)].into_iter().collect();
            let bytes = safetensors::serialize(views, Some(metadata)).map_err(|e| format(e.to_string()))?;
            write_atomic(path, |out| out.write_all(&bytes))
        }
        _ => Err(WriteError::Extension { file: path.display().to_string(), known: ".npz or .safetensors" }),
    }
}
