//! Rows as they come: a file that only grows, a checksum before each line, whole again after any crash.
//!
//! ```text
//! 16 hexadecimal digits (FNV-1a of the rest)   a blank   [key, status, message, [values]]   newline
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Row, SweepError};
use crate::write::WriteError;

/// A journal that is open for more rows.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Rows since the last sync.
    unsynced: usize,
}

/// The rows of a journal in order, and how many lines are damaged. A file that is not there has none; a last line that
/// was cut off is no damage.
///
/// # Errors
/// The file cannot be read.
pub fn read_journal(path: &Path) -> Result<(Vec<Row>, usize), SweepError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((vec![], 0)),
        Err(e) => return Err(SweepError::io(path, e)),
    };
    let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let (mut rows, mut damaged) = (Vec::new(), 0);
    for line in bytes[..whole].split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        match parse(line) {
            Some(row) => rows.push(row),
            None => damaged += 1,
        }
    }
    Ok((rows, damaged))
}

fn parse(line: &[u8]) -> Option<Row> {
    let text = std::str::from_utf8(line).ok()?;
    let (sum, row) = text.split_once(' ')?;
    (sum == checksum(row)).then(|| Row::read(row))?
}

impl Journal {
    /// Opens or creates; a last line that a crash cut off is removed.
    ///
    /// # Errors
    /// The file cannot be opened or shortened.
    pub fn open(path: &Path) -> Result<Self, SweepError> {
        let failed = |e| SweepError::io(path, e);
        let whole = match std::fs::read(path) {
            Ok(bytes) => bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1),
            Err(e) if e.kind() == io::ErrorKind::NotFound => 0,
            Err(e) => return Err(failed(e)),
        };
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        Ok(Self { file, path: path.to_owned(), unsynced: 0 })
    }

    /// Adds a row; a killed process does not lose it any more.
    ///
    /// # Errors
    /// `WriteError::Io`, for example a full disk; rows before it are safe.
    pub fn push(&mut self, row: &Row) -> Result<(), WriteError> {
        let row = row.line();
        let line = format!("{} {row}\n", checksum(&row));
        self.unsynced += 1;
        self.file.write_all(line.as_bytes()).map_err(|e| self.failed(e))
    }

    /// Makes the rows survive a crash of the machine; does nothing where there are no new ones.
    ///
    /// # Errors
    /// `WriteError::Io`.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        if std::mem::take(&mut self.unsynced) > 0 {
            self.file.sync_data().map_err(|e| self.failed(e))?;
        }
        Ok(())
    }

    fn failed(&self, source: io::Error) -> WriteError {
        crate::write::failed(&self.path, source)
    }
}

/// FNV-1a with 64 bits.
fn checksum(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{Key, Record, Status};
    use serde_json::json;

    fn rows(count: u32) -> Vec<Row> {
        let record = [Record { name: "v".into(), at: "/v".into(), unit: None }];
        (0..count)
            .map(|k| Row::of(Key::of(&k.to_le_bytes()), &record, &Ok(json!({ "v": f64::from(k) / 7.0 }))))
            .collect()
    }

    #[test]
    fn checksums_are_those_of_the_published_function() {
        // vectors of the authors' page: FNV-1a 64 of "", "a", "foobar"
        assert_eq!(checksum(""), "cbf29ce484222325");
        assert_eq!(checksum("a"), "af63dc4c8601ec8c");
        assert_eq!(checksum("foobar"), "85944171f73967e8");
    }

    #[test]
    fn a_cut_line_is_dropped_and_a_changed_one_is_counted() {
        let folder = std::env::temp_dir().join(format!("relimit-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("journal");
        let rows = rows(5);
        let mut journal = Journal::open(&path).unwrap();
        for row in &rows {
            journal.push(row).unwrap();
        }
        journal.sync().unwrap();
        assert_eq!(read_journal(&path).unwrap(), (rows.clone(), 0));
        let bytes = std::fs::read(&path).unwrap();
        // every length of the file gives the rows whose lines are whole
        let ends: Vec<usize> = (0..bytes.len()).filter(|k| bytes[*k] == b'\n').map(|k| k + 1).collect();
        for length in (0..=bytes.len()).step_by(7) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let whole = ends.iter().filter(|e| **e <= length).count();
            assert_eq!(read_journal(&path).unwrap(), (rows[..whole].to_vec(), 0), "{length} bytes");
            let mut journal = Journal::open(&path).unwrap();
            rows[whole..].iter().for_each(|row| journal.push(row).unwrap());
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
        let mut changed = bytes.clone();
        changed[ends[1] + 30] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        let (read, damaged) = read_journal(&path).unwrap();
        assert_eq!((read.len(), damaged), (4, 1));
        assert!(read.iter().all(|r| r.status == Status::Done && *r != rows[2]));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
