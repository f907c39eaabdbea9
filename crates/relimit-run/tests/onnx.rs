//! ONNX files as exporters write them: outputs against those of onnxruntime, refusals by node.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, says};
use relimit_core::num::Mat;
use relimit_run::read::{self, Notice};
use relimit_run::write;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/onnx").join(name)
}

/// `file, x0, x1, x2, y0, y1` lines, computed by onnxruntime in the precision of the file (make.py).
fn expected() -> Vec<(String, [f64; 3], [f64; 2])> {
    let text = fs::read_to_string(fixture("expected.csv")).unwrap();
    let numbers = |parts: &[&str]| -> Vec<f64> { parts.iter().map(|v| v.parse().unwrap()).collect() };
    let line = |l: &str| {
        let parts: Vec<&str> = l.split(',').collect();
        let v = numbers(&parts[1..]);
        (parts[0].to_owned(), [v[0], v[1], v[2]], [v[3], v[4]])
    };
    text.lines().skip(1).map(line).collect()
}

#[test]
fn every_way_of_writing_a_network_gives_the_outputs_of_onnxruntime() {
    let folder = Folder::new();
    let all = expected();
    let mut files: Vec<&str> = all.iter().map(|l| l.0.as_str()).collect();
    files.dedup();
    assert_eq!(files.len(), 11);
    for name in files {
        let (file, _) = read::network(&fixture(&format!("{name}.onnx"))).unwrap();
        // The file in double precision comes within its rounding, the others within that of floats.
        let tolerance = if name == "read_double" { 1e-14 } else { 2e-5 };
        let copy = folder.path().join("copy.onnx");
        write::network(&copy, &file).unwrap();
        assert_eq!(read::network(&copy).unwrap(), (file.clone(), vec![]), "{name}");
        for (_, x, y) in all.iter().filter(|l| l.0 == name) {
            let got = file.network.forward(&Mat::from_rows(&[x]));
            for (g, e) in got.as_slice().iter().zip(y) {
                assert!((g - e).abs() <= tolerance, "{name}: {g} and {e}");
            }
        }
    }
}

#[test]
fn absent_biases_are_named() {
    let (file, notices) = read::network(&fixture("read_no_biases.onnx")).unwrap();
    assert_eq!((file.network.b, file.network.offset), (vec![0.0; 5], vec![0.0; 2]));
    let text: Vec<String> = notices.iter().map(Notice::to_string).collect();
    assert_eq!(
        text,
        [
            "the file has no hidden bias (node 'n_z' (Gemm)); taken as 0",
            "the file has no output bias (node 'n_y' (MatMul)); taken as 0"
        ]
    );
}

#[test]
fn other_architectures_are_refused_by_node_or_tensor() {
    let cases = [
        ("tanh", "node 'n_h' (Tanh) is not read"),
        ("softmax", "node 'n_y' (Softmax) is not read"),
        ("output_relu", "node 'n_y' (Relu) is an output activation or a second hidden layer"),
        ("no_relu", "no Relu after node 'n_z' (Gemm): the network is affine"),
        ("linear_hidden", "node 'n_y' (Gemm) follows node 'n_z' (Gemm) without a Relu between: a linear hidden layer"),
        ("deep", "node 'n_h2' (Relu) is an output activation or a second hidden layer"),
        ("leaky", "node 'n_h' (LeakyRelu) is not read"),
        ("half", "tensor 'w': data type 10 of ONNX is not read"),
        ("external", "tensor 'w': its numbers lie in another file"),
        ("skip", "node 'n_y' (Add) combines two values that depend on the input"),
    ];
    for (name, part) in cases {
        says(read::network(&fixture(&format!("refuse_{name}.onnx"))), &[part, "one hidden layer with Relu"]);
    }
    let folder = Folder::new();
    says(read::network(&folder.file("a.onnx", "nonsense")), &["no readable .onnx file"]);
    says(read::network(&folder.file("b.onnx", "")), &["it holds no graph"]);
    // Cut at any byte a file is refused or, where only trailing fields are lost, still read: never a panic.
    let whole = fs::read(fixture("read_sklearn.onnx")).unwrap();
    for end in 0..whole.len() {
        let _ = read::network(&folder.file("cut.onnx", &whole[..end]));
    }
}
