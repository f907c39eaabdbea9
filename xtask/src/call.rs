//! Programs that the stages call.

use std::process::Command;

/// Runs a program with its output on this terminal; an error is one line.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(e) => Err(format!("{name} does not start: {e}")),
    }
}

/// Runs a program and takes what it prints; of one that fails the last line on its standard error.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.output().map_err(|e| format!("{name} does not start: {e}"))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{name}: {}: {}", done.status, said.trim().lines().last().unwrap_or_default()));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
