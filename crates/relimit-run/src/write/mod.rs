//! Writers: networks, arrays, events and run directories; everything is written beside and renamed.

mod error;

mod atomic;
mod npz;

mod events;
mod network;
mod parquet;
mod patterns;

mod rundir;

pub use atomic::{AtomicFile, write_atomic};
pub(crate) use atomic::{failed, sync_folder};
pub use error::WriteError;
pub use events::{EventWriter, Unit};
pub use network::network;
pub(crate) use network::{METADATA, Names};
pub use npz::{npy, npz};
pub use parquet::parquet_patterns;
pub use patterns::{Alphabet, PatternWriter, StreamPatterns, npy_patterns, text_patterns};
pub use rundir::{Machine, Opened, Provenance, RunDir, RunDirError, open};
