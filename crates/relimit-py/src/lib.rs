//! The Python module `relimit._relimit`: words and arrays in, the answers of `relimit-ask` out.
//!
//! What people import is `python/relimit`, which is written in Python on top of these functions.

mod arrays;
mod errors;
mod sweep;
mod values;
mod wait;

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use relimit_ask::{Caller, Held};
use relimit_report::page;
use relimit_run::{read, write};
use relimit_solve::answer::StudyAnswer;
use serde_json::{Map, Value};

use arrays::{NetworkArrays, NetworkParts, TableArrays};

/// Asks `command` with `words`, a JSON object, about a table and a network that the caller holds.
///
/// The interpreter's lock is released while the engine works; Ctrl-C ends it and raises what the signal raises.
/// `progress` is called with how far it is, a few times a second: a count and the last one, where that is known.
///
/// # Errors
/// The exceptions of `relimit._errors`.
#[pyfunction]
#[pyo3(signature = (command, words, table, network, wants_network, progress=None))]
fn ask<'py>(
    py: Python<'py>,
    command: &str,
    words: &str,
    table: Option<TableArrays<'py>>,
    network: Option<NetworkArrays<'py>>,
    wants_network: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Option<NetworkParts<'py>>)> {
    let words: Map<String, Value> = serde_json::from_str(words)
        .map_err(|e| errors::question(py, &format!("words that are no JSON object: {e}")))?;
    let held = Held {
        table: table.map(|t| arrays::table(py, t)).transpose()?.map(Arc::new),
        network: network.map(|n| arrays::network(py, n)).transpose()?,
    };
    let asked = wait::on(py, progress, |stop, meter| {
        relimit_ask::ask(command, &words, &held, Caller { stop, network: wants_network, meter: Some(meter) })
    })?;
    let asked = asked.map_err(|e| errors::raised(py, &e))?;
    let network = asked.network.map(|file| arrays::parts(py, &file)).transpose()?;
    Ok((values::python(py, &asked.answer)?, network))
}

/// Reads a network file: its arrays, its names, and what was noticed.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 hands over what it converts")]
fn read_network(py: Python<'_>, path: PathBuf) -> PyResult<(NetworkParts<'_>, Vec<String>)> {
    let (file, notices) = py.detach(|| read::network(&path)).map_err(|e| errors::raised(py, &e.into()))?;
    Ok((arrays::parts(py, &file)?, notices.iter().map(ToString::to_string).collect()))
}

/// Writes a network file; the ending chooses `.npz`, `.safetensors` or `.onnx`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 hands over what it converts")]
fn save_network(py: Python<'_>, path: PathBuf, network: NetworkArrays<'_>) -> PyResult<()> {
    let given = arrays::network(py, network)?;
    py.detach(|| write::network(&path, &given.file)).map_err(|e| errors::question(py, &e.to_string()))
}

/// The page of a study, from its JSON.
#[pyfunction]
fn study_page(py: Python<'_>, answer: &str) -> PyResult<String> {
    let answer: StudyAnswer = serde_json::from_str(answer).map_err(|e| {
        errors::question(py, &format!("this is not the answer of a study: {e}; ask relimit.study again"))
    })?;
    Ok(py.detach(|| page::study(&answer)))
}

#[pymodule]
fn _relimit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("COMMANDS", relimit_ask::COMMANDS.to_vec())?;
    module.add_function(wrap_pyfunction!(ask, module)?)?;
    module.add_function(wrap_pyfunction!(read_network, module)?)?;
    module.add_function(wrap_pyfunction!(study_page, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep_unit, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep_rows, module)?)?;
    module.add_function(wrap_pyfunction!(save_network, module)?)
}
