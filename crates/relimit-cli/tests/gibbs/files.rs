//! What gibbs draws, writes and measures: ranges of temperatures, particles, grids, directories, networks, budgets.

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use super::*;

/// Reference outputs as in `outputs_at_three_temperatures`; particles fluctuate by about 1/sqrt(N) times their spread.
#[test]
fn a_range_of_temperatures_with_particles_beside_the_law() {
    let file = three_points("gibbs_range");
    let svg = file.with_extension("svg");
    let line = format!("{} --target y --lambda 0.05 --beta 10..1000:3", file.display());
    let found = answer(&format!("{line} --particles 4000 --plot {}", svg.display()));
    let betas: Vec<f64> = (0..3).map(|k| number(&found, &format!("/path/{k}/beta"))).collect();
    near(&betas, &[10.0, 100.0, 1000.0], 1e-9, "a geometric range");
    let expected = [[0.87212, -0.19399, 0.67516], [0.85195, -0.09544, 0.65244], [0.85012, -0.06040, 0.65016]];
    for (k, f) in expected.iter().enumerate() {
        near(&list(&found, &format!("/path/{k}/outputs")), f, 6e-6, "the law");
        let measured = list(&found, &format!("/path/{k}/measured/outputs"));
        near(&measured, f, 0.05, "particles");
        assert!(measured.iter().zip(f).any(|(a, b)| (a - b).abs() > 1e-5), "particles fluctuate: {measured:?}");
    }
    // at beta = 1000 both have three rays, of the same coefficient
    assert_eq!(number(&found, "/path/2/measured/effective_width"), 3.0);
    let (exact, measured) = (number(&found, "/path/2/objective"), number(&found, "/path/2/measured/objective"));
    assert!((exact - measured).abs() < 0.02 * exact, "{exact} and {measured}");
    let picture = fs::read_to_string(&svg).expect("a picture");
    for part in ["exact law", "4,000 particles", "effective width"] {
        assert!(picture.contains(part), "{part}");
    }
    let numbers = fs::read_to_string(file.with_extension("plot.csv")).expect("numbers");
    assert_eq!(numbers.lines().count(), 4, "{numbers}");
    let text = call(&format!("{line} --particles 100")).out;
    assert!(text.contains("particles") && text.lines().all(|l| l.chars().count() <= 80), "{text}");
}

/// A kink is where `w (x - mean)/deviation + b = 0`.
#[test]
fn kinks_are_in_the_units_of_the_file() {
    let file = folder("gibbs_kinks").join("data.csv");
    fs::write(&file, "x,y\n100,1\n110,-1\n120,0.5\n130,1.5\n140,-0.5\n").expect("scratch space");
    let svg = file.with_extension("svg");
    let found =
        answer(&format!("{} --target y --scale standardise --lambda 0.05 --plot {}", file.display(), svg.display()));
    let (mean, deviation) = (120.0, 200f64.sqrt());
    for part in ["/limit/rays", "/groups"] {
        let list = found.pointer(part).and_then(Value::as_array).expect("a list");
        assert!(!list.is_empty());
        for ray in list {
            let scaled = (number(ray, "/kink") - mean) / deviation;
            assert!((number(ray, "/w/0") * scaled + number(ray, "/b")).abs() < 1e-12, "{ray}");
            assert!((90.0..150.0).contains(&number(ray, "/kink")), "{ray}");
        }
    }
    assert!(fs::read_to_string(&svg).expect("a picture").contains("kink at 1"));
}

/// The corners of the unit square are rows and places of the grid.
#[test]
fn a_grid_over_two_features_meets_the_outputs() {
    let file = folder("gibbs_square").join("data.csv");
    fs::write(&file, "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n").expect("scratch space");
    let dir = file.with_file_name("run");
    let line = format!("{} --target y --lambda 0.01 --beta 1000 --grid 13 --samples 7", file.display());
    let found = answer(&format!("{line} --out {}", dir.display()));
    let (x, x2, f) = (list(&found, "/grid/x"), list(&found, "/grid/x2"), list(&found, "/grid/f"));
    assert_eq!((x.len(), x2.len(), f.len()), (169, 169, 169));
    for (row, corner) in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]].iter().enumerate() {
        let at = (0..169).find(|k| (x[*k] - corner[0]).abs() + (x2[*k] - corner[1]).abs() < 1e-9).expect("a corner");
        assert!((f[at] - list(&found, "/outputs")[row]).abs() < 1e-7, "{corner:?}");
    }
    let lines = |name: &str| fs::read_to_string(dir.join(name)).expect("a file").lines().count();
    assert_eq!((lines("outputs.csv"), lines("grid.csv")), (5, 170));
    assert!(
        fs::read(dir.join("samples.npy")).expect("draws").windows(6).any(|w| w == b"(7, 4)"),
        "7 draws of 4 numbers"
    );
    let again = call(&format!("{line} --out {}", dir.display()));
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(unwrapped(&again.err).contains("holds this answer already"), "{}", again.err);
    let other = call(&format!("{line} --seed 1 --out {}", dir.display()));
    assert_eq!(other.code, 2, "{}", other.out);
}

/// The saved network is the mean over the draws that the JSON lists.
#[test]
fn a_saved_network_is_the_mean_of_the_samples() {
    let file = three_points("gibbs_saved");
    let net = file.with_file_name("net.safetensors");
    let found = answer(&format!(
        "{} --target y --lambda 0.05 --beta 100 --samples 500 --save {}",
        file.display(),
        net.display()
    ));
    let draws = found["samples"].as_array().expect("draws");
    let mean = |x: f64| {
        let one = |t: &Value| number(t, "/c") * (number(t, "/w/0") * x + number(t, "/b")).max(0.0);
        draws.iter().map(one).sum::<f64>() / draws.len() as f64
    };
    let predicted = program()
        .args(["predict", net.to_str().expect("a path"), file.to_str().expect("a path")])
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&predicted.stdout).into_owned();
    let outputs: Vec<f64> =
        text.lines().skip(1).map(|l| l.rsplit(',').next().expect("a cell").parse().expect("a number")).collect();
    near(&outputs, &[mean(-1.0), mean(0.0), mean(1.0)], 1e-9, "predictions");
}

#[test]
fn a_budget_ends_the_cells_of_many_rows() {
    let mut child = program()
        .args("gibbs examples/data/diabetes.csv --target progression --columns bmi,bp --scale standardise".split(' '))
        .args("--target-scale standardise --budget 300ms --json".split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // half a minute at most, on any machine; whole it takes many minutes
    let ended = (0..300).any(|_| {
        thread::sleep(Duration::from_millis(100));
        child.try_wait().expect("a child").is_some()
    });
    if !ended {
        child.kill().expect("it runs");
    }
    assert!(ended, "the budget did not end it");
    let out = child.wait_with_output().expect("an end");
    assert_eq!(out.status.code(), Some(3));
    let found: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(word(&found, "/status"), "budget");
}
