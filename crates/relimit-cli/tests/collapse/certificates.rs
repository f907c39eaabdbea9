//! Equality certificates: the program and tools/check_certificate.py (standard library of Python, no shared code) agree
//! on valid and on tampered files.

use std::fs;
use std::process::Command;

use relimit_core::net::Network;
use relimit_core::num::Mat;
use serde_json::Value;

use crate::common::{network, relimit, root, scratch, written};

/// Verdicts of the independent checker for several files: 0 holds, 1 fails, 2 malformed.
fn by_python(files: &[String]) -> Vec<i32> {
    let script = root().join("tools/check_certificate.py");
    let output = Command::new("python3").arg(script).args(files).output().expect("this test needs python3");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = |line: &str, file: &String| match line.strip_prefix(file.as_str()) {
        Some(rest) if rest.starts_with(": holds") => 0,
        Some(rest) if rest.starts_with(": fails") => 1,
        Some(rest) if rest.starts_with(": malformed") => 2,
        _ => panic!("{line}: {}", String::from_utf8_lossy(&output.stderr)),
    };
    assert_eq!(text.lines().count(), files.len(), "{}", String::from_utf8_lossy(&output.stderr));
    text.lines().zip(files).map(|(l, f)| verdict(l, f)).collect()
}

/// Collapses with these arguments and returns the certificate's path.
fn certificate(name: &str, arguments: &[&str]) -> String {
    let path = scratch(&format!("{name}.json"));
    let called = relimit(&[&["collapse"], arguments, &["--certificate", &path]].concat());
    assert_eq!(called.code, 0, "{}", called.err);
    path
}

fn certificates() -> Vec<String> {
    let w = Mat::from_rows(&[[1.0, 0.5], [0.3, -0.7], [2.0, 1.0], [0.0, 0.0], [0.31, -0.7], [-0.2, 0.4]]);
    let c = Mat::from_rows(&[[0.1, 1.0, 0.7, 2.0, -0.3, 0.9], [1.5, 0.0, 0.1, -1.0, 0.2, 0.3]]);
    let net = Network::new(w, vec![0.1, -0.2, 0.2, 0.5, -0.2, 3.0], c, vec![0.25, 0.0]);
    let net = network("certified.npz", net);
    vec![
        certificate("everywhere", &[&net]),
        certificate("box", &[&net, "--box", "-1:1"]),
        certificate("merged", &[&net, "--box", "-1:1", "--tolerance", "0.05"]),
        certificate("merged-everywhere", &[&net, "--tolerance", "0.05"]),
        certificate(
            "rows",
            &[&net, &written("certified-rows.csv", "a,b\n0.5,-1\n-1.25,0.75\n2,0.5\n"), "--box", "rows"],
        ),
        certificate("torch", &["examples/networks/two_neurons_two_outputs.safetensors", "--box", "0:1"]),
    ]
}

#[test]
fn valid_certificates_hold_under_both_checkers() {
    let files = certificates();
    for file in &files {
        let called = relimit(&["check", file]);
        assert_eq!(called.code, 0, "{file}: {} {}", called.out, called.err);
        assert!(called.out.starts_with("The certificate holds: "), "{}", called.out);
        let answer: Value = serde_json::from_str(&relimit(&["check", file, "--json"]).out).expect("JSON");
        assert_eq!((&answer["verdict"], &answer["schema"]), (&"holds".into(), &"relimit/check/1".into()));
    }
    assert_eq!(by_python(&files), vec![0; files.len()]);
}

/// Every number of every file, changed in turn by a little and by much.
#[test]
fn both_checkers_agree_on_every_tampered_number() {
    let (mut files, mut kinds) = (vec![], vec![]);
    for file in certificates() {
        let whole: Value = serde_json::from_str(&fs::read_to_string(&file).expect("written")).expect("JSON");
        let mut paths = vec![];
        numbers(&whole, &mut vec![], &mut paths);
        assert!(paths.len() > 15, "{file}");
        for (k, path) in paths.iter().enumerate() {
            for (t, change) in [|v: f64| v * (1.0 + 1e-9) + 1e-9, |v: f64| -v - 1.0].iter().enumerate() {
                let mut other = whole.clone();
                let place = other.pointer_mut(path).expect("a path of this file");
                let value = place.as_f64().expect("a number");
                if change(value) == value {
                    continue;
                }
                *place = if path.ends_with("neuron") || path == "/inputs" {
                    Value::from(value as u64 + 1)
                } else {
                    change(value).into()
                };
                let name = format!("tampered-{k}-{t}-{}", file.rsplit('/').next().expect("a name"));
                files.push(written(&name, &other.to_string()));
                // a claim that grows stays true; everything else may not pass by accident
                let claim = ["/max_difference", "/constant", "/slope"].contains(&path.as_str());
                kinds.push((claim && change(value) > value, claim && change(value) < value));
            }
        }
    }
    let verdicts = by_python(&files);
    let mut refused = 0;
    for ((file, python), (weaker, stronger)) in files.iter().zip(&verdicts).zip(&kinds) {
        let code = relimit(&["check", file]).code;
        assert_eq!(code, *python, "{file}");
        assert!(!(*weaker && code != 0), "{file}: a weaker claim is true");
        // the bounds are attained by the recomputation up to the rounding of the claim itself
        assert!(!(*stronger && code == 0), "{file}: a stronger claim was accepted");
        refused += usize::from(code != 0);
        let _ = fs::remove_file(file);
    }
    assert!(refused * 10 > files.len() * 5, "{refused} of {} were refused", files.len());
}

/// JSON pointers of all numbers.
fn numbers(value: &Value, at: &mut Vec<String>, out: &mut Vec<String>) {
    let mut inner = |key: String, v: &Value| {
        at.push(key);
        numbers(v, at, out);
        at.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| inner(k.clone(), v)),
        Value::Array(list) => list.iter().enumerate().for_each(|(k, v)| inner(k.to_string(), v)),
        Value::Number(_) => out.push(format!("/{}", at.join("/"))),
        _ => {}
    }
}

#[test]
fn files_that_are_no_certificate_end_with_2() {
    for (name, text, part) in [
        ("not.json", "nonsense", "no certificate"),
        ("other.json", "{\"schema\": \"relimit/limit/1\"}", "schema 'relimit/limit/1' is no certificate"),
        ("short.json", "{\"schema\": \"relimit/certificate/equality/1\"}", "damaged certificate (missing field"),
    ] {
        let file = written(name, text);
        let called = relimit(&["check", &file]);
        assert_eq!(called.code, 2);
        assert!(called.err.contains(part), "{}", called.err);
        assert_eq!(by_python(&[file]), [2]);
    }
}
