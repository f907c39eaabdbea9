//! The lower bound with its proof: what is written is checked by the program and by the independent checker.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::certify;
use crate::common::{example, line, network, relimit, root, scratch};
use crate::number;

#[test]
fn the_lower_bound_of_a_network_is_proved() {
    let net = network("certify-proved.npz", line(&[[1.0, 0.0, 0.5], [-1.0, 0.2, 0.75]], 0.1));
    let file = scratch("certify-proved.json");
    let data =
        ["examples/data/mcycle.csv", "--target", "accel", "--scale", "standardise", "--target-scale", "standardise"];
    let more = ["--takes", "scaled", "--lambda", "0.05max", "--certificate", &file];
    let got = certify(&[&[net.as_str()], &data[..], &more].concat());
    let called = relimit(&["check", &file, "--json"]);
    let checked: Value = serde_json::from_str(&called.out).expect("JSON");
    assert_eq!((called.code, &checked["kind"]), (0, &"lower bound".into()), "{}", called.out);
    let claimed = checked["claimed"]["lower_bound"].as_f64().expect("a bound");
    let printed = number(&got, "lower_bound");
    assert!((claimed - printed).abs() < 1e-9 * printed, "{claimed} {printed}");
    // the optimum of an independent program for these data
    assert!(claimed <= 0.308_730_206_1 && claimed > 0.308_73 * (1.0 - 1e-6), "{claimed}");
    let script = root().join("tools/check_certificate.py");
    let output = Command::new("python3").arg(script).arg(&file).output().expect("this test needs python3");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    // a bound that is one unit larger is not proved
    let mut stronger: Value = serde_json::from_str(&fs::read_to_string(&file).expect("written")).expect("JSON");
    stronger["lower_bound"] = claimed.next_up().into();
    fs::write(&file, stronger.to_string()).expect("scratch space");
    assert_eq!(relimit(&["check", &file]).code, 1);
}

#[test]
fn without_decay_there_is_nothing_to_prove() {
    let file = scratch("certify-unproved.json");
    let net = example("trees_torch.safetensors");
    let called = relimit(&["certify", &net, "examples/data/trees.csv", "--target", "Volume", "--certificate", &file]);
    assert!(
        called.code == 2 && called.err.contains("--certificate: proves a bound under weight decay"),
        "{}",
        called.err
    );
    // the answer stands
    assert!(called.out.starts_with("Stopped early"), "{}", called.out);
}
