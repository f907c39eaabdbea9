//! Arrays of numpy as tables and networks, and networks as arrays.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use relimit_ask::NetworkGiven;
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_run::read::{Held, NetworkFile};

use crate::errors;

/// Blocks of columns beside each other, the names of all columns, and what messages call the table.
pub(crate) type TableArrays<'py> = (Vec<PyReadonlyArray2<'py, f64>>, Vec<String>, String);

/// `w` (m x d), `b` (m), `c` (outputs x m), `offset` (outputs), names of inputs and output, what messages call it.
pub(crate) type NetworkArrays<'py> = (
    PyReadonlyArray2<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray2<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    Option<Vec<String>>,
    Option<String>,
    String,
);

/// The same on the way out, without the name.
pub(crate) type NetworkParts<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Option<Vec<String>>,
    Option<String>,
);

/// The blocks as one table: the one copy that the engines work on.
pub(crate) fn table(py: Python<'_>, (blocks, columns, name): TableArrays<'_>) -> PyResult<Held> {
    let n = blocks.first().map_or(0, |b| b.shape()[0]);
    let cols: usize = blocks.iter().map(|b| b.shape()[1]).sum();
    if let Some(other) = blocks.iter().find(|b| b.shape()[0] != n) {
        return Err(errors::question(py, &format!("{name}: {n} rows beside {}", other.shape()[0])));
    }
    if columns.len() != cols {
        return Err(errors::question(py, &format!("{name}: {} names for {cols} columns", columns.len())));
    }
    let views: Vec<_> = blocks.iter().map(PyReadonlyArray2::as_array).collect();
    let mut data = Vec::with_capacity(n * cols);
    for i in 0..n {
        for view in &views {
            data.extend(view.row(i).iter());
        }
    }
    Ok(Held { name, x: Mat::from_vec(n, cols, data), columns })
}

/// The arrays as a network.
pub(crate) fn network(py: Python<'_>, arrays: NetworkArrays<'_>) -> PyResult<NetworkGiven> {
    let (w, b, c, offset, features, target, name) = arrays;
    let (w, c) = (matrix(&w), matrix(&c));
    let (b, offset): (Vec<f64>, Vec<f64>) = (b.as_array().to_vec(), offset.as_array().to_vec());
    let (m, d, k) = (w.rows(), w.cols(), c.rows());
    if b.len() != m || c.cols() != m || offset.len() != k || features.as_ref().is_some_and(|f| f.len() != d) {
        let shapes = format!("w {m} x {d}, b {}, c {k} x {}, offset {}", b.len(), c.cols(), offset.len());
        return Err(errors::question(py, &format!("{name}: {shapes}: not the shapes of one network")));
    }
    if [w.as_slice(), &b, c.as_slice(), &offset].into_iter().flatten().any(|v| !v.is_finite()) {
        return Err(errors::question(py, &format!("{name}: a weight is not finite")));
    }
    let file = NetworkFile { network: Network::new(w, b, c, offset), features, target };
    Ok(NetworkGiven { file, name, notices: vec![] })
}

/// The network as arrays.
pub(crate) fn parts<'py>(py: Python<'py>, file: &NetworkFile) -> PyResult<NetworkParts<'py>> {
    let net = &file.network;
    let array = |m: &Mat| PyArray1::from_slice(py, m.as_slice()).reshape([m.rows(), m.cols()]);
    Ok((
        array(&net.w)?,
        PyArray1::from_slice(py, &net.b),
        array(&net.c)?,
        PyArray1::from_slice(py, &net.offset),
        file.features.clone(),
        file.target.clone(),
    ))
}

fn matrix(array: &PyReadonlyArray2<'_, f64>) -> Mat {
    let view = array.as_array();
    Mat::from_vec(view.nrows(), view.ncols(), view.iter().copied().collect())
}
