//! A file appears under its name complete or not at all: written beside, synced, renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::WriteError;

/// A file in the making; it takes its name at `commit` and vanishes if dropped before.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    beside: PathBuf,
    out: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Opens a hidden file in the folder of `path`, readable as the process' file mask says.
    ///
    /// # Errors
    /// `WriteError::Io` naming `path`.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let name = path.file_name().ok_or_else(|| failed(path, io::Error::from(io::ErrorKind::IsADirectory)))?;
        let mut beside = None;
        for attempt in 0..1000u32 {
            let hidden = format!(".{}.{}-{attempt}.part", name.to_string_lossy(), std::process::id());
            let candidate = path.with_file_name(hidden);
            match File::create_new(&candidate) {
                Ok(file) => {
                    beside = Some((candidate, file));
                    break;
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(failed(path, e)),
            }
        }
        let (beside, file) = beside.ok_or_else(|| failed(path, io::Error::from(io::ErrorKind::AlreadyExists)))?;
        Ok(Self { path: path.to_path_buf(), beside, out: Some(BufWriter::new(file)) })
    }

    /// A failure of the operating system as one of this file.
    pub(crate) fn failed(&self, source: io::Error) -> WriteError {
        failed(&self.path, source)
    }

    /// Syncs the content and renames; an older file of that name is replaced.
    ///
    /// # Errors
    /// `WriteError::Io`; the older file is then untouched.
    pub fn commit(mut self) -> Result<(), WriteError> {
        let finish = |out: Option<BufWriter<File>>| -> io::Result<()> {
            let file =
                out.map_or_else(|| Err(io::ErrorKind::BrokenPipe.into()), |o| o.into_inner().map_err(io::Error::from))?;
            file.sync_all()?;
            drop(file);
            fs::rename(&self.beside, &self.path)?;
            sync_folder(&self.path);
            Ok(())
        };
        finish(self.out.take()).map_err(|e| failed(&self.path, e))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or_else(|| Err(io::ErrorKind::BrokenPipe.into()), |o| o.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl io::Seek for AtomicFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.out.as_mut().map_or_else(|| Err(io::ErrorKind::BrokenPipe.into()), |o| o.seek(to))
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After a rename there is nothing left under this name, and the failure says so.
        drop(self.out.take());
        let _ = fs::remove_file(&self.beside);
    }
}

/// Writes a file in one go: `fill` gets a buffered writer.
///
/// # Errors
/// `WriteError::Io` from `fill` or from the file system; nothing is left behind.
pub fn write_atomic(path: &Path, fill: impl FnOnce(&mut AtomicFile) -> io::Result<()>) -> Result<(), WriteError> {
    let mut file = AtomicFile::create(path)?;
    fill(&mut file).map_err(|e| failed(path, e))?;
    file.commit()
}

pub(crate) fn failed(path: &Path, source: io::Error) -> WriteError {
    WriteError::Io { file: path.display().to_string(), source }
}

/// Makes the rename itself durable where folders can be synced.
pub(crate) fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        // Some file systems cannot sync a folder; the content itself is synced already.
        let _ = folder.sync_all();
    }
}
