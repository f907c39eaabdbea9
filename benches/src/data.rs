//! The data that both sides read: generated or from a file, handed to peers as .npy.

use std::path::{Path, PathBuf};

use relimit_core::num::Mat;

/// The workspace root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("benches lies in the workspace").to_path_buf()
}

/// Independent uniform numbers on [0, 1) (splitmix64).
pub(crate) struct Uniform(pub(crate) u64);

impl Uniform {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2f64.powi(53)
    }
}

/// An n x d matrix of independent standard normal entries (Box and Muller).
pub(crate) fn gaussian(n: usize, d: usize, seed: u64) -> Mat {
    let mut uniform = Uniform(seed);
    Mat::from_fn(n, d, |_, _| {
        let (u, v) = (1.0 - uniform.next(), uniform.next());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    })
}

/// Labels of random sign with modulus uniform on [0.8, 1.2).
pub(crate) fn signed_labels(n: usize, seed: u64) -> Vec<f64> {
    let mut uniform = Uniform(seed);
    (0..n).map(|_| if uniform.next() < 0.5 { -1.0 } else { 1.0 } * (0.8 + 0.4 * uniform.next())).collect()
}

/// Inputs and the standardised first column (population standard deviation) of a CSV file with a header.
pub(crate) fn standardised_target(path: &Path) -> (Mat, Vec<f64>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|v| v.trim().parse().expect("a number")).collect())
        .collect();
    let y: Vec<f64> = rows.iter().map(|r| r[0]).collect();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let deviation = (y.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / y.len() as f64).sqrt();
    let x: Vec<&[f64]> = rows.iter().map(|r| &r[1..]).collect();
    (Mat::from_rows(&x), y.iter().map(|v| (v - mean) / deviation).collect())
}

/// Complete rows of an example file: features and label, each with mean 0 and population standard deviation 1.
pub(crate) fn standardised(file: &str, features: &[&str], label: &str) -> (Mat, Vec<f64>) {
    let path = root().join("examples/data").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').map(|s| s.trim_matches('"')).collect();
    let place = |f: &str| names.iter().position(|n| *n == f).unwrap_or_else(|| panic!("no column {f} in {names:?}"));
    let index: Vec<usize> = features.iter().chain([&label]).map(|f| place(f)).collect();
    // a row with a missing number is dropped
    let mut rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter_map(|cells| index.iter().map(|k| cells[*k].parse().ok()).collect())
        .collect();
    let n = rows.len() as f64;
    for k in 0..index.len() {
        let mean = rows.iter().map(|r| r[k]).sum::<f64>() / n;
        let deviation = (rows.iter().map(|r| (r[k] - mean).powi(2)).sum::<f64>() / n).sqrt();
        for r in &mut rows {
            r[k] = (r[k] - mean) / deviation;
        }
    }
    let y = rows.iter_mut().map(|r| r.pop().expect("a label")).collect();
    (Mat::from_rows(&rows), y)
}

/// Writes an array as NPY 1.0 under target/bench-data and returns its path.
pub(crate) fn write_npy(name: &str, shape: &[usize], values: &[f64]) -> PathBuf {
    let folder = root().join("target/bench-data");
    std::fs::create_dir_all(&folder).expect("target/bench-data");
    let path = folder.join(format!("{name}.npy"));
    let shape = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ") + ",";
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    std::fs::write(&path, bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    path
}
