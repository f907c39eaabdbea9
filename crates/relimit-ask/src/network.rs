//! A network that is asked about: from a file, or one that the caller holds.

use std::path::Path;

use relimit_run::read::{self, NetworkFile, Notice};

use crate::{AskError, short_name};

/// A network with what is known of its inputs.
#[derive(Clone, Debug)]
pub struct NetworkGiven {
    /// The network, for raw inputs.
    pub file: NetworkFile,
    /// The file as named, or what messages call it.
    pub name: String,
    /// What was noticed while reading.
    pub notices: Vec<Notice>,
}

impl NetworkGiven {
    /// Reads a file.
    ///
    /// # Errors
    /// Those of [`read::network`].
    pub fn read(path: &Path) -> Result<Self, AskError> {
        let (file, notices) = read::network(path)?;
        Ok(Self { file, name: path.display().to_string(), notices })
    }

    /// The name without its folder.
    pub fn short_name(&self) -> String {
        short_name(Path::new(&self.name))
    }
}
