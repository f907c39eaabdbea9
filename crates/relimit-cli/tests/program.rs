//! The program from outside: exit codes, streams, help.

use std::process::{Command, Output, Stdio};

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
        assert!(script.contains("step-constant") && script.contains("predict"), "{shell}");
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
