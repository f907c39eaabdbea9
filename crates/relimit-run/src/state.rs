//! Checkpoints of a run: one file that knows its plan and notices a single changed byte.
//!
//! ```text
//! relimit/train-state/1\n   one line of JSON (plan, step, record, count)\n   count numbers, 8 bytes each, little endian   SHA-256
//! ```

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::key::Sha256;
use crate::write::{WriteError, write_atomic};

/// First line of the file.
const MAGIC: &str = "relimit/train-state/1\n";
/// Bytes of the checksum.
const CHECKSUM: usize = 32;

/// What a checkpoint keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Key of the plan that the run belongs to.
    pub plan: String,
    /// Steps done.
    pub step: u64,
    /// What was recorded until then.
    pub record: Value,
    /// The numbers of the state.
    pub numbers: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    plan: String,
    step: u64,
    record: Value,
    count: usize,
}

/// Why a checkpoint is not used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The operating system refused.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// The file.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// The bytes are not those that were written.
    #[error("{file}: is damaged ({what}); remove it to start the run again, or give another directory")]
    Damaged {
        /// The file.
        file: String,
        /// What does not fit.
        what: &'static str,
    },
    /// It belongs to another plan.
    #[error("{file}: belongs to another plan (key {found}, here {expected}); give another directory")]
    OtherPlan {
        /// The file.
        file: String,
        /// Key in the file.
        found: String,
        /// Key of this run.
        expected: String,
    },
}

/// Writes a checkpoint beside and renames it over the last one.
///
/// # Errors
/// The file cannot be written; the last checkpoint is then still there.
pub fn write_state(path: &Path, state: &State) -> Result<(), WriteError> {
    let header =
        Header { plan: state.plan.clone(), step: state.step, record: state.record.clone(), count: state.numbers.len() };
    let line = serde_json::to_string(&header).expect("a header is plain data");
    let mut bytes = format!("{MAGIC}{line}\n").into_bytes();
    for v in &state.numbers {
        bytes.extend(v.to_le_bytes());
    }
    let sum = Sha256::of(&bytes);
    write_atomic(path, |file| {
        file.write_all(&bytes)?;
        file.write_all(&sum)
    })
}

/// Reads a checkpoint of the plan with this key; `None` where there is none.
///
/// # Errors
/// [`StateError`]: an unreadable or damaged file, or one of another plan.
pub fn read_state(path: &Path, plan: &str) -> Result<Option<State>, StateError> {
    let file = || path.display().to_string();
    let damaged = |what| StateError::Damaged { file: file(), what };
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(StateError::Io { file: file(), source }),
    };
    let cut = bytes.len().checked_sub(CHECKSUM).ok_or_else(|| damaged("it is too short"))?;
    let (body, sum) = bytes.split_at(cut);
    if Sha256::of(body) != sum {
        return Err(damaged("its SHA-256 is another"));
    }
    let rest = body.strip_prefix(MAGIC.as_bytes()).ok_or_else(|| damaged("it is no checkpoint"))?;
    let end = rest.iter().position(|b| *b == b'\n').ok_or_else(|| damaged("its header has no end"))?;
    let header: Header = serde_json::from_slice(&rest[..end]).map_err(|_| damaged("its header cannot be read"))?;
    if header.plan != plan {
        return Err(StateError::OtherPlan { file: file(), found: header.plan, expected: plan.to_owned() });
    }
    let (chunks, left) = rest[end + 1..].as_chunks::<8>();
    if chunks.len() != header.count || !left.is_empty() {
        return Err(damaged("it has another number of numbers than it says"));
    }
    let numbers = chunks.iter().map(|c| f64::from_le_bytes(*c)).collect();
    Ok(Some(State { plan: header.plan, step: header.step, record: header.record, numbers }))
}
