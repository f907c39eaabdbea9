//! Ctrl-C during a long search: the network reached, its proof, and a status that says so.

use std::process::{Command, Stdio};
use std::time::Duration;

use relimit_core::net::Network;
use relimit_core::num::Mat;
use serde_json::Value;

use crate::common::{apart, network, predict, relimit, root, scratch, written};
use crate::interrupt::interrupted;

/// Forty kinks, each of two units that nearly agree, and the other side of the first: 41 searches through a million sums.
fn long() -> Network {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / f64::powi(2.0, 52) - 1.0
    };
    let first = Mat::from_fn(40, 3, |_, _| next());
    let c: Vec<f64> = (0..81).map(|_| next()).collect();
    let size = |j: usize| match j / 40 {
        0 => 1.0,
        1 => 1.0001,
        _ => -1.0,
    };
    let w = Mat::from_fn(81, 3, |j, k| first[(j % 40, k)] * size(j));
    let b = (0..81).map(|j| 0.1 * size(j) * if j / 40 == 1 { 1.001 } else { 1.0 }).collect();
    Network::scalar(w, b, c, 0.5)
}

#[test]
fn ctrl_c_keeps_the_network_its_proof_and_a_status() {
    let net = network("long.npz", long());
    let (saved, proof) = (scratch("long-narrow.npz"), scratch("long.json"));
    let arguments = ["collapse", &net, "--tolerance", "0.01", "--save", &saved, "--certificate", &proof, "--json"];
    let child = Command::new(env!("CARGO_BIN_EXE_relimit"))
        .current_dir(root())
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let output = interrupted(child, Duration::from_millis(50));
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let got: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&got["ended"], &got["status"]), (&"interrupted".into(), &"certified".into()));
    // merged before the search through sides began: 40 kinks, and what is affine besides
    assert_eq!(
        (&got["width"], &got["narrowest"]["kinks"], &got["narrowest"]["exact"]),
        (&81.into(), &40.into(), &false.into())
    );
    assert_eq!(relimit(&["check", &proof]).code, 0);
    let data = written("long.csv", "a,b,c\n0.3,-1,0.5\n-0.7,0.2,1\n1,1,-1\n");
    let bound = got["max_difference"].as_f64().expect("a bound");
    assert!(apart(&predict(&net, &data), &predict(&saved, &data)) <= bound && bound < 0.1, "{bound}");
}
