//! Why a sweep cannot be planned, opened or continued.

use std::io;

use crate::write::WriteError;

/// A refused plan, folder or question.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A plan that makes no sense.
    #[error("{file}:{line}: {message}")]
    Plan {
        /// The plan.
        file: String,
        /// Its line.
        line: usize,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The operating system refused.
    #[error("{file}: cannot be used: {source}")]
    Io {
        /// The file or folder.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Another process works in the folder.
    #[error("{dir}: is in use by another process; wait for it, or give another folder with --out")]
    Locked {
        /// The folder.
        dir: String,
    },
    /// A folder that is not one of this sweep.
    #[error("{dir}: {what}")]
    Foreign {
        /// The folder.
        dir: String,
        /// What it holds, and what to do.
        what: String,
    },
    /// A file whose bytes are not those that were written.
    #[error("{file}: is damaged ({what}); {cure}")]
    Damaged {
        /// The file.
        file: String,
        /// What does not fit.
        what: String,
        /// What to do.
        cure: &'static str,
    },
    /// Workers of a cluster are in the folder.
    #[error("{dir}: {who} works on one of its units; wait for it, or end its job first")]
    Busy {
        /// The folder.
        dir: String,
        /// Host and process.
        who: String,
    },
    /// A scheduler that does not do as it is asked.
    #[error("{program}: {message}")]
    Scheduler {
        /// Its program.
        program: &'static str,
        /// What it said, and what to do.
        message: String,
    },
    /// A comparison, a column or an aggregate that cannot be read.
    #[error("{what} '{text}': {message}")]
    Question {
        /// The flag or key.
        what: &'static str,
        /// The text.
        text: String,
        /// What is wrong, and what to do.
        message: String,
    },
}

impl SweepError {
    /// A failure of the operating system.
    pub(crate) fn io(file: &std::path::Path, source: io::Error) -> Self {
        Self::Io { file: file.display().to_string(), source }
    }
}
