//! Networks and start weights in and out.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;

use common::{Folder, says};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_run::read::{self, Array, NetworkFile, Notice, Values, weights};
use relimit_run::write;
use safetensors::Dtype;
use safetensors::tensor::TensorView;

fn numbers(shape: &[usize], v: &[f64]) -> Array {
    Array { shape: shape.to_vec(), values: Values::Numbers(v.to_vec()) }
}

fn example() -> NetworkFile {
    let w = Mat::from_rows(&[[0.1, -2.0, 3e-300], [4.0, 5.0, -0.3]]);
    let network = Network::scalar(w, vec![0.5, -1.0 / 3.0], vec![1.0, -1e300], 0.7);
    let features = Some(vec!["a".into(), "b, c".into(), "\u{3b4}".into()]);
    NetworkFile { network, features, target: Some("y".into()) }
}

#[test]
fn a_network_comes_back_from_every_format() {
    let folder = Folder::new();
    for name in ["net.npz", "net.safetensors", "net.onnx"] {
        let path = folder.path().join(name);
        for file in [example(), NetworkFile { features: None, target: None, ..example() }] {
            write::network(&path, &file).unwrap();
            assert_eq!(read::network(&path).unwrap(), (file, vec![]), "{name}");
        }
    }
    says(write::network(&folder.path().join("net.pt"), &example()), &["net.pt", ".npz, .safetensors or .onnx"]);
    assert_eq!(folder.list(), ["net.npz", "net.onnx", "net.safetensors"], "no partial file is left");
}

#[cfg(unix)]
#[test]
fn files_have_the_mode_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let plain = mode(&folder.file("plain", "x"));
    let path = folder.path().join("net.safetensors");
    write::network(&path, &example()).unwrap();
    assert_eq!(mode(&path), plain);
}

#[test]
fn other_spellings_of_the_arrays_are_understood() {
    let folder = Folder::new();
    let path = folder.path().join("net.npz");
    let (w, c) = (numbers(&[2, 1], &[1.0, 2.0]), numbers(&[1, 2], &[3.0, 4.0]));
    write::npz(&path, [("w", &w), ("c", &c)]).unwrap();
    let (got, notices) = read::network(&path).unwrap();
    assert_eq!(
        (got.network.b, got.network.c, got.network.offset),
        (vec![0.0, 0.0], Mat::from_rows(&[[3.0, 4.0]]), vec![0.0])
    );
    let text: Vec<String> = notices.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        ["the file has no hidden bias (b); taken as 0", "the file has no output bias (offset); taken as 0"]
    );

    let names = Array { shape: vec![], values: Values::Text(vec!["[\"p\"]".into()]) };
    write::npz(&path, [("w", &w), ("c", &c), ("features", &names)]).unwrap();
    assert_eq!(read::network(&path).unwrap().0.features, Some(vec!["p".to_string()]));
    let names = Array { shape: vec![2], values: Values::Text(vec!["p".into(), "q".into()]) };
    write::npz(&path, [("w", &w), ("c", &c), ("features", &names)]).unwrap();
    says(read::network(&path), &["array 'features': 2 names for 1 input"]);
}

#[test]
fn networks_that_do_not_fit_are_refused_by_array() {
    let folder = Folder::new();
    let path = folder.path().join("net.npz");
    let (w, c) = (numbers(&[2, 1], &[1.0, 2.0]), numbers(&[3], &[3.0, 4.0, 5.0]));
    write::npz(&path, [("w", &w), ("c", &c)]).unwrap();
    says(read::network(&path), &["array 'c': shape (3,)", "2 numbers", "(2, 1)"]);
    write::npz(&path, [("w", &w)]).unwrap();
    says(read::network(&path), &["array 'c': is not there (found: w)"]);
    write::npz(&path, [("w", &w), ("c", &numbers(&[2], &[1.0, f64::NAN]))]).unwrap();
    says(read::network(&path), &["array 'c': entry 1 is NaN", "diverged"]);
    for (name, parts) in [
        ("n.pt", ["never loaded", "safetensors.torch.save_file"]),
        ("n.pth", ["never loaded", "safetensors.torch.save_file"]),
        ("n.pkl", ["never loaded", "numpy.savez"]),
        ("n.joblib", ["never loaded", "coefs_"]),
        ("n.keras", ["Keras", "get_weights"]),
        ("n.csv", ["no network file", ".npz"]),
    ] {
        says(read::network(&folder.file(name, "x")), &parts);
    }
    says(read::network(&folder.file("n.safetensors", "nonsense")), &["no readable .safetensors file"]);
    says(read::network(&folder.path().join("gone.npz")), &["gone.npz: no such file"]);
}

/// A state dictionary in single precision, as torch saves it.
fn torch(folder: &Folder, tensors: &[(&str, &[usize], &[f32])]) -> std::path::PathBuf {
    let bytes: Vec<Vec<u8>> = tensors.iter().map(|t| t.2.iter().flat_map(|v| v.to_le_bytes()).collect()).collect();
    let views = tensors.iter().zip(&bytes).map(|(t, b)| (t.0, TensorView::new(Dtype::F32, t.1.to_vec(), b).unwrap()));
    folder.file("torch.safetensors", safetensors::serialize(views, None).unwrap())
}

#[test]
fn a_state_dictionary_of_two_layers_is_read_as_relu_and_says_so() {
    let folder = Folder::new();
    let w: (&str, &[usize], &[f32]) = ("0.weight", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
    let path = torch(
        &folder,
        &[w, ("0.bias", &[2], &[7.0, 8.0]), ("2.weight", &[1, 2], &[9.0, -1.0]), ("2.bias", &[1], &[0.25])],
    );
    let (got, notices) = read::network(&path).unwrap();
    let w = Mat::from_rows(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]);
    let want = Network::scalar(w, vec![7.0, 8.0], vec![9.0, -1.0], 0.25);
    assert_eq!((got.network, notices), (want, vec![Notice::ReluAssumed]));

    // Without an output bias it is 0, never the hidden bias, whatever the lengths.
    let one: (&str, &[usize], &[f32]) = ("0.weight", &[1, 1], &[2.0]);
    let path = torch(&folder, &[one, ("0.bias", &[1], &[7.0]), ("2.weight", &[1, 1], &[9.0])]);
    let (got, notices) = read::network(&path).unwrap();
    assert_eq!((got.network.b, got.network.offset), (vec![7.0], vec![0.0]));
    assert!(notices[1].to_string().contains("output bias (2.bias); taken as 0"), "{notices:?}");

    // Layer 10 comes after layer 2, and names that sort the other way round are told apart by their shapes.
    let path = torch(&folder, &[("2.weight", &[2, 1], &[1.0, 2.0]), ("10.weight", &[1, 2], &[3.0, 4.0])]);
    assert_eq!(read::network(&path).unwrap().0.network.c.as_slice(), [3.0, 4.0]);
    let path = torch(&folder, &[("hidden.weight", &[2, 3], &[1.0; 6]), ("final.weight", &[1, 2], &[3.0, 4.0])]);
    assert_eq!(read::network(&path).unwrap().0.network.c.as_slice(), [3.0, 4.0]);
}

#[test]
fn other_architectures_are_refused_by_tensor() {
    let folder = Folder::new();
    let w: (&str, &[usize], &[f32]) = ("0.weight", &[2, 1], &[1.0, 2.0]);
    let c: (&str, &[usize], &[f32]) = ("2.weight", &[1, 2], &[1.0, 2.0]);
    says(
        read::network(&torch(&folder, &[w, c, ("4.weight", &[1, 1], &[1.0])])),
        &["3 weight matrices", "one hidden layer"],
    );
    says(read::network(&torch(&folder, &[w])), &["1 weight matrix (0.weight)"]);
    says(
        read::network(&torch(&folder, &[w, ("2.weight", &[2, 3], &[1.0; 6])])),
        &["'2.weight'", "shape (2, 3)", "2 numbers"],
    );
    says(
        read::network(&torch(&folder, &[w, ("0.bias", &[3], &[1.0; 3]), c])),
        &["'0.bias'", "shape (3,)", "2 numbers"],
    );
    says(
        read::network(&torch(&folder, &[w, c, ("1.running_mean", &[2], &[0.0; 2])])),
        &["'1.running_mean'", "no linear layer"],
    );
}

#[test]
fn start_weights_are_matched_by_name_or_taken_in_order() {
    let folder = Folder::new();
    let features = ["a".to_string(), "b".to_string()];
    let file = |text: &str| {
        weights(&folder.file("w.csv", text), &features, true).map(Mat::into_vec).map_err(|e| e.to_string())
    };
    let want = vec![1.0, 2.0, 0.5, 3.0, 4.0, -0.5];
    assert_eq!(file("a,b,bias\n1,2,.5\n3,4,-.5\n").unwrap(), want);
    assert_eq!(file("bias;b;a\n0,5;2;1\n-0,5;4;3\n").unwrap(), want);
    assert_eq!(file("1,2,.5\n3,4,-.5\n").unwrap(), want);
    let none = |text: &str| weights(&folder.file("w.csv", text), &features, false).map_err(|e| e.to_string());
    assert_eq!(none("b,a\n2,1\n").unwrap(), Mat::from_rows(&[[1.0, 2.0]]));
    let channels = ["400".to_string(), "402".to_string()];
    let got = weights(&folder.file("w.csv", "402,400\n2,1\n"), &channels, false).unwrap();
    assert_eq!(got, Mat::from_rows(&[[1.0, 2.0]]));

    says(file("a,b\n1,2\n"), &["2 columns wide, without bias", "expected 3 columns (2 features and the bias)"]);
    says(none("a,b,bias\n1,2,3\n"), &["3 columns wide with a bias", "expected 2 columns (2 features)", "--bias"]);
    says(none("1,2,3\n"), &["3 columns wide in row 1", "expected 2 columns"]);
    says(none("1,2\n3\n"), &["1 column wide in row 2"]);
    says(none("a,B\n1,2\n"), &["header B: no such column; did you mean 'b'?"]);
    says(none("a,b\n1,x\n"), &["'x' in row 2, column b", "expected a finite number"]);
    says(none("a,b\n1,nan\n"), &["'nan' in row 2, column b"]);
    says(none("a,b\n"), &["no rows"]);
}

#[test]
fn start_weights_as_an_array() {
    let folder = Folder::new();
    let features = ["a".to_string(), "b".to_string()];
    let mut bytes = Vec::new();
    write::npy(&mut bytes, &numbers(&[1, 3], &[1.0, 2.0, 3.0])).unwrap();
    let path = folder.file("w.npy", bytes);
    assert_eq!(weights(&path, &features, true).unwrap().as_slice(), [1.0, 2.0, 3.0]);
    says(weights(&path, &features, false), &["of shape (1, 3)", "expected 2 columns"]);
    says(weights(&folder.file("w.npz", "x"), &features, false), &["CSV or as .npy"]);
}
