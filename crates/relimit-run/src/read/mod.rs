//! Readers: a data set, start weights or a network from a file, each checked once and named in full when refused.

mod error;
mod notice;
mod options;
mod source;
mod words;

mod csv;
mod number;
mod records;

mod npy;
mod npz;

mod inspect;
mod select;
mod table;

mod certificate;
mod network;
mod weights;

pub use certificate::{Certificate, certificate};
pub use error::ReadError;
pub use network::{NetworkFile, network};
pub use notice::Notice;
pub use npy::{Array, Values};
pub use npz::arrays;
pub use options::{Missing, ReadOptions, parse_rows};
pub(crate) use source::extension;
pub use source::{Held, Source};
pub use table::{Labelled, Table, dataset, dataset_from, examples, features, inputs, labelled, table, table_from};
pub use weights::weights;
pub use words::nearest;
