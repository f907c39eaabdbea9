//! Runs the program and reads what it says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// What a call of the program left.
pub(crate) struct Called {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Called {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().expect("the program ends by itself");
        Self { code, out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// The program, called at the root of the workspace, where `examples/data` is.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relimit"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
}

/// Calls `relimit limit` with arguments separated by blanks.
pub(crate) fn limit(arguments: &str) -> Called {
    program().arg("limit").args(arguments.split_whitespace()).output().expect("the program starts").into()
}

/// The JSON answer of a call that ends with 0.
pub(crate) fn answer(arguments: &str) -> Value {
    let called = limit(&format!("{arguments} --json"));
    assert_eq!(called.code, 0, "{arguments}: {}", called.err);
    serde_json::from_str(&called.out).unwrap_or_else(|e| panic!("{arguments}: {e}\n{}", called.out))
}

/// Text with every run of white space as one blank: messages are wrapped to the width of a screen.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number at a JSON pointer.
pub(crate) fn number(answer: &Value, pointer: &str) -> f64 {
    let value = answer.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
    value.as_f64().unwrap_or_else(|| panic!("{pointer} is {value}"))
}

/// The text at a JSON pointer.
pub(crate) fn word<'a>(answer: &'a Value, pointer: &str) -> &'a str {
    let value = answer.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
    value.as_str().unwrap_or_else(|| panic!("{pointer} is {value}"))
}

/// The list of numbers at a JSON pointer.
pub(crate) fn list(answer: &Value, pointer: &str) -> Vec<f64> {
    let value = answer.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
    let items = value.as_array().unwrap_or_else(|| panic!("{pointer} is {value}"));
    items.iter().map(|v| v.as_f64().unwrap_or_else(|| panic!("{pointer} holds {v}"))).collect()
}

/// The nested list of numbers at a JSON pointer.
pub(crate) fn table(answer: &Value, pointer: &str) -> Vec<Vec<f64>> {
    let rows = answer.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len);
    (0..rows).map(|j| list(answer, &format!("{pointer}/{j}"))).collect()
}

/// The list at a JSON pointer.
pub(crate) fn items<'a>(answer: &'a Value, pointer: &str) -> &'a [Value] {
    answer.pointer(pointer).and_then(Value::as_array).unwrap_or_else(|| panic!("no list {pointer}"))
}

/// Rows of the file at a JSON pointer.
pub(crate) fn rows(answer: &Value, pointer: &str) -> Vec<usize> {
    list(answer, pointer).into_iter().map(|r| r as usize).collect()
}

/// Asserts that two lists agree within `tolerance`.
pub(crate) fn near(got: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}: {got:?}");
    for (g, e) in got.iter().zip(expected) {
        assert!((g - e).abs() <= tolerance, "{what}: {got:?}, expected {expected:?}");
    }
}

/// An empty folder of the test's own in the build's scratch space, under the name of the test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("scratch space");
    path
}

/// A plain CSV file of the examples, read by splitting at commas: header and columns by name.
pub(crate) struct Plain {
    pub(crate) names: Vec<String>,
    pub(crate) rows: Vec<Vec<f64>>,
}

impl Plain {
    pub(crate) fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut lines = text.lines();
        let names = lines.next().expect("a header").split(',').map(str::to_owned).collect();
        let rows = lines.map(|l| l.split(',').map(|v| v.parse().expect("a number")).collect()).collect();
        Self { names, rows }
    }

    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        let k = self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no column {name}"));
        self.rows.iter().map(|row| row[k]).collect()
    }
}

/// Mean and population standard deviation.
pub(crate) fn moments(v: &[f64]) -> (f64, f64) {
    let mean = v.iter().sum::<f64>() / v.len() as f64;
    (mean, (v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / v.len() as f64).sqrt())
}

/// The column with mean 0 and population standard deviation 1.
pub(crate) fn standardised(v: &[f64]) -> Vec<f64> {
    let (mean, sd) = moments(v);
    v.iter().map(|x| (x - mean) / sd).collect()
}
