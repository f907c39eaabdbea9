//! The program from outside: exit codes, streams, help.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_run::read::NetworkFile;
use relimit_run::write;

fn relimit(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_relimit")).args(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn version_and_help_are_answers_on_standard_output() {
    let version = relimit(&["--version"]);
    assert_eq!(version.status.code(), Some(0));
    assert_eq!(text(&version.stdout), format!("relimit {}\n", env!("CARGO_PKG_VERSION")));
    let help = relimit(&["limit", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    let help = text(&help.stdout);
    for flag in ["--target", "--step-constant", "--start", "--budget", "--json", "[default: +-]", "Examples:"] {
        assert!(help.contains(flag), "{flag} is not in:\n{help}");
    }
}

#[test]
fn patterns_explains_its_flags_with_examples() {
    let help = text(&relimit(&["patterns", "--help"]).stdout);
    for flag in ["--bias", "--ternary", "--check", "--witness", "--limit", "--list", "--plot", "Examples:", "0110"] {
        assert!(help.contains(flag), "{flag} is not in:\n{help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 120), "{help}");
}

#[test]
fn a_wrong_value_ends_with_2_and_speaks_on_standard_error() {
    for (arguments, says) in [
        (["limit", "a.csv", "--step", "-1"], "error: --step -1: is not positive; give the step ETA"),
        (["limit", "a.csv", "--json", "--step=0"], "error: --step 0: is not positive"),
        (["limit", "a.csv", "--signs", "+x"], "error: --signs +x: has '+x', which is not a number; give one sign"),
        (["limit", "a.csv", "--plot", "a.pdf"], "error: --plot a.pdf: has no known ending; give a name that ends"),
        (["limit", "a.csv", "--loss", "mse"], "invalid value 'mse' for '--loss <LOSS>'"),
        (["limit", "a.csv", "--no-such", "1"], "unexpected argument '--no-such'"),
    ] {
        let output = relimit(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let said = text(&output.stderr);
        assert!(said.contains(says), "{arguments:?} says {said}");
    }
}

#[test]
fn every_shell_gets_a_completion_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = relimit(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = text(&output.stdout);
        assert!(
            script.contains("step-constant") && script.contains("predict") && script.contains("ternary"),
            "{shell}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_relimit"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

/// A file of this test's own in the build's scratch folder.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn predict_prints_the_outputs_by_row_of_the_file() {
    let (net, data) = (scratch("predict.npz"), scratch("predict.csv"));
    let w = Mat::from_vec(2, 2, vec![1.0, 0.0, 0.0, -2.0]);
    let network = Network::scalar(w, vec![0.5, 0.0], vec![1.0, -1.0], 0.25);
    let file = NetworkFile { network, features: Some(vec!["a".into(), "b".into()]), target: Some("y".into()) };
    write::network(&net, &file).unwrap();
    fs::write(&data, "b,a\n1,2\n-1,-3\n,4\n-0.5,0\n").unwrap();
    let (net, data) = (net.display().to_string(), data.display().to_string());
    // By hand: relu(a + 0.5) - relu(-2 b) + 0.25; row 4 has no b.
    let output = relimit(&["predict", &net, &data, "--missing", "drop"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "row,output\n2,2.75\n3,-1.75\n5,-0.25\n");
    assert!(text(&output.stderr).starts_with("note: "), "the row that was left out is named");

    let refused = relimit(&["predict", &net, &data]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains(":4"), "{}", text(&refused.stderr));
}

#[test]
fn bad_input_ends_with_2_and_names_the_place() {
    let missing = relimit(&["limit", "no-such-file.csv", "--target", "y"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("no-such-file.csv: no such file"), "{}", text(&missing.stderr));
    let word = scratch("word.csv");
    fs::write(&word, "a,y\n1,2\nx,3\n").unwrap();
    let word = relimit(&["limit", &word.display().to_string(), "--target", "y"]);
    assert_eq!(word.status.code(), Some(2));
    assert!(text(&word.stderr).contains("'x'"), "{}", text(&word.stderr));
}
