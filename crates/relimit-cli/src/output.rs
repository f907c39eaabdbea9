//! What is written: whole texts on standard output, where a reader that has gone away is no error; notes beside it.

use std::io::{self, ErrorKind, Write};

use crate::exit::Failure;

/// Writes `text` to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    judge(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes `text` to standard error: the answer of a run whose standard output carries a list.
pub(crate) fn print_beside(text: &str) -> Result<(), Failure> {
    let mut out = io::stderr().lock();
    judge(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Says something about the input on standard error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {text}");
}

fn judge(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::usage(format!(
            "standard output cannot be written: {error}; free space or redirect it elsewhere"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_success_and_a_full_disk_is_not() {
        assert!(judge(Err(io::Error::from(ErrorKind::BrokenPipe))).is_ok());
        assert!(judge(Err(io::Error::from(ErrorKind::StorageFull))).is_err());
    }
}
