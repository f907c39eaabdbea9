//! Runs the program and reads what it says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_run::read::NetworkFile;
use relimit_run::write;
use serde_json::Value;

/// What a call left: exit code, standard output, standard error.
pub(crate) struct Called {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Calls the program at the root of the workspace.
pub(crate) fn relimit(arguments: &[&str]) -> Called {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relimit"));
    let output = command.current_dir(root()).args(arguments).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("the program ends by itself");
    Called { code, out: text(&output.stdout), err: text(&output.stderr) }
}

/// The JSON answer of `collapse` with exit code 0.
pub(crate) fn answer(arguments: &[&str]) -> Value {
    let called = relimit(&[&["collapse"], arguments, &["--json"]].concat());
    assert_eq!(called.code, 0, "{arguments:?}: {}", called.err);
    serde_json::from_str(&called.out).unwrap_or_else(|e| panic!("{arguments:?}: {e}\n{}", called.out))
}

/// The outputs that `predict` prints, one list a row.
pub(crate) fn predict(net: &str, data: &str) -> Vec<Vec<f64>> {
    let called = relimit(&["predict", net, data]);
    assert_eq!(called.code, 0, "{net}: {}", called.err);
    called.out.lines().skip(1).map(|l| l.split(',').skip(1).map(|v| v.parse().expect("a number")).collect()).collect()
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the examples.
pub(crate) fn example(name: &str) -> String {
    format!("examples/networks/{name}")
}

/// A file of a test's own.
pub(crate) fn scratch(name: &str) -> String {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("collapse-{name}")).display().to_string()
}

/// Writes a file of a test's own.
pub(crate) fn written(name: &str, content: &str) -> String {
    let path = scratch(name);
    fs::write(&path, content).expect("scratch space");
    path
}

/// Writes a network of a test's own.
pub(crate) fn network(name: &str, network: Network) -> String {
    let path = scratch(name);
    let file = NetworkFile { network, features: None, target: None };
    write::network(Path::new(&path), &file).expect("scratch space");
    path
}

/// A network of one input: rows (w, b, c).
pub(crate) fn line(units: &[[f64; 3]], offset: f64) -> Network {
    let column = |k: usize| units.iter().map(|u| u[k]).collect::<Vec<_>>();
    Network::scalar(Mat::from_vec(units.len(), 1, column(0)), column(1), column(2), offset)
}

/// Columns of a CSV of numbers, by header.
pub(crate) fn table(path: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = fs::read_to_string(root().join(path)).expect("an example");
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
    (lines.next().expect("a header"), lines.collect())
}

/// Largest difference of two tables of the same shape.
pub(crate) fn apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    let rows = a.iter().zip(b);
    rows.flat_map(|(x, y)| {
        assert_eq!(x.len(), y.len());
        x.iter().zip(y).map(|(u, v)| (u - v).abs())
    })
    .fold(0.0, f64::max)
}
