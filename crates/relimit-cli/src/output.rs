//! Standard output: whole texts, and a reader that has gone away is no error.

use std::io::{self, ErrorKind, Write};

use crate::exit::Failure;

/// Writes `text` to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    judge(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
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
