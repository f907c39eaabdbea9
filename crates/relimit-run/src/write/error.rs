//! Why a file could not be written.

use std::io;

/// A failed or refused write.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system refused; nothing under the final name has changed.
    #[error("{file}: cannot be written: {source}")]
    Io {
        /// The file.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// A name whose extension is no format that is written.
    #[error("{file}: networks are written as {known}; name the file so")]
    Extension {
        /// The file.
        file: String,
        /// Extensions that are written.
        known: &'static str,
    },
    /// A network that the format cannot hold.
    #[error("{file}: {what}")]
    Format {
        /// The file.
        file: String,
        /// The cause.
        what: String,
    },
}
