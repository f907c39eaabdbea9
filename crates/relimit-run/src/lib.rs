//! Files and machines: reading data, start weights and networks; writing networks, events and run directories; the
//! gallery; the one clock.
//!
//! Bad input is a typed error that names the file, the row, the column, the value and what to do. Nothing here
//! computes a result.

pub mod read;
pub mod write;

mod onnx;

pub mod clock;
pub mod gallery;
pub mod key;
pub mod state;
pub mod sweep;
