//! What the tests of this crate share: a folder of their own, and the text of an error.

#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use relimit_core::data::Dataset;
use relimit_run::read::{Notice, ReadError, ReadOptions, dataset_from};

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A new folder, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let k = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("relimit-run-{}-{k}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Names in the folder, sorted.
    pub(crate) fn list(&self) -> Vec<String> {
        let mut all: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        all.sort();
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn target(name: &str) -> ReadOptions {
    ReadOptions { target: vec![name.into()], ..Default::default() }
}

pub(crate) fn read(text: &str, name: &str) -> Result<(Dataset, Vec<Notice>), ReadError> {
    dataset_from("data.csv", text.as_bytes(), &target(name))
}

/// Asserts that a message holds every part.
#[track_caller]
pub(crate) fn says<T>(result: Result<T, impl std::fmt::Display>, parts: &[&str]) {
    let Err(error) = result else { panic!("accepted; expected an error with {parts:?}") };
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{text:?} does not say {part:?}");
    }
}
