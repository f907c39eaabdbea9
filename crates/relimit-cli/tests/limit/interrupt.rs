//! Ctrl-C to a program that works.

use std::fs;
use std::process::{Child, Command, Output};
use std::time::Duration;

/// Sends Ctrl-C once the program listens and has worked for a while, and waits for its end.
pub(crate) fn interrupted(child: Child, work: Duration) -> Output {
    // bit 1 of the signals caught
    let status = format!("/proc/{}/status", child.id());
    let listens = || {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|l| l.strip_prefix("SigCgt:")).map(str::trim).unwrap_or_default();
        u64::from_str_radix(caught, 16).unwrap_or(0) & 2 != 0
    };
    for _ in 0..2000 {
        if listens() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(listens(), "the program never listened");
    std::thread::sleep(work);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    child.wait_with_output().expect("it ends")
}
