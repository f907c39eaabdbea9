//! What every network format shares: vectors and output weights of the right shape, finite numbers, names.

use relimit_core::net::Network;
use relimit_core::num::Mat;

use super::super::npz::array_error;
use super::super::{Array, ReadError, words};

/// `n` numbers as (n,), (1, n), (n, 1), or () for one; `w` is the shape of the first layer, for the message.
pub(super) fn vector(file: &str, name: &str, array: &Array, n: usize, w: &str) -> Result<Vec<f64>, ReadError> {
    let long = array.shape.iter().filter(|s| **s != 1).count() <= 1;
    if let Some(v) = array.numbers().filter(|v| v.len() == n && long) {
        return Ok(v.to_vec());
    }
    let what = format!(
        "shape {} where {} are expected beside first-layer weights of shape {w}",
        array.shape_text(),
        words::count(n, "number")
    );
    Err(array_error(file, name, what, "only one hidden layer is read: check the layers"))
}

/// Output weights, outputs x m: two axes as they are, one axis as one output.
pub(super) fn output_weights(file: &str, name: &str, array: Array, m: usize, w: &str) -> Result<Mat, ReadError> {
    match array.shape.as_slice() {
        &[k, columns] if columns == m && k > 0 && array.numbers().is_some() => {
            let Some(c) = array.into_mat() else { unreachable!("two axes of numbers were asked for") };
            Ok(c)
        }
        _ => Ok(Mat::from_vec(1, m, vector(file, name, &array, m, w)?)),
    }
}

/// Refuses a network with a weight that is infinite or NaN, by tensor and entry; `names` are those of w, b, c, offset.
pub(super) fn finite(file: &str, net: &Network, names: [&str; 4]) -> Result<(), ReadError> {
    let parts = [net.w.as_slice(), &net.b, net.c.as_slice(), &net.offset];
    for (name, values) in names.iter().zip(parts) {
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            let what = format!("entry {k} is {}", values[k]);
            let cure = "the training that wrote it has diverged: save an earlier state";
            return Err(array_error(file, name, what, cure));
        }
    }
    Ok(())
}

/// Feature and target names from the text of this program's metadata.
pub(super) fn names(file: &str, text: &str) -> Result<(Option<Vec<String>>, Option<String>), ReadError> {
    let names: crate::write::Names =
        serde_json::from_str(text).map_err(|e| array_error(file, "metadata", e.to_string(), "write the file again"))?;
    Ok((names.features, names.target))
}

/// One feature name for each of `d` inputs.
pub(super) fn named_inputs(file: &str, list: Vec<String>, d: usize) -> Result<Vec<String>, ReadError> {
    if list.len() == d {
        return Ok(list);
    }
    let what = format!("{} for {}", words::count(list.len(), "name"), words::count(d, "input"));
    Err(array_error(file, "features", what, "give one name (text) for each input, or leave the array out"))
}
