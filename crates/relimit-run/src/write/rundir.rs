//! A run directory: one plan, locked by one process, done when `result.json` is there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use super::atomic::failed;
use super::{AtomicFile, WriteError, write_atomic};
use crate::{clock, key};

const PLAN: &str = "plan.json";
const RESULT: &str = "result.json";
const PROVENANCE: &str = "provenance.json";
const LOCK: &str = ".lock";
const PLAN_SCHEMA: &str = "relimit/plan/1";
const PROVENANCE_SCHEMA: &str = "relimit/provenance/1";

/// Why a directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum RunDirError {
    /// The name is that of a file.
    #[error("{dir}: is a file; --out needs a new or empty directory")]
    NotDirectory {
        /// The name.
        dir: String,
    },
    /// It holds files and no plan.
    #[error("{dir}: holds {holds} and no {PLAN}; --out needs a new or empty directory, or one of the same plan")]
    Foreign {
        /// The directory.
        dir: String,
        /// A file in it.
        holds: String,
    },
    /// It holds another plan.
    #[error("{dir}: holds another plan: {differs}; choose another --out, or the same settings to reuse it")]
    OtherPlan {
        /// The directory.
        dir: String,
        /// The first difference, in words.
        differs: String,
    },
    /// A file in it cannot be believed.
    #[error("{dir}/{file}: is damaged ({what}); move the directory away and run again")]
    Damaged {
        /// The directory.
        dir: String,
        /// The file in it.
        file: &'static str,
        /// What is wrong.
        what: String,
    },
    /// Another process works in it.
    #[error("{dir}: is in use by another process; wait for it or choose another --out")]
    Locked {
        /// The directory.
        dir: String,
    },
    /// The operating system refused.
    #[error("{dir}: cannot be used: {source}")]
    Io {
        /// The directory.
        dir: String,
        /// The cause.
        source: io::Error,
    },
    /// A file in it could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What was found.
#[derive(Debug)]
pub enum Opened {
    /// A new or empty directory; its plan is now written.
    Fresh(RunDir),
    /// The same plan without a result: what is there may be continued.
    Unfinished(RunDir),
    /// The same plan with its result.
    Done(RunDir, Value),
}

/// A locked run directory; the lock goes with the value, or with the process.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    key: String,
    _lock: File,
}

/// The processor and system that a run used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Operating system.
    pub os: &'static str,
    /// Processor family.
    pub arch: &'static str,
    /// Processors available to this process.
    pub cpus: usize,
    /// Vector extensions found at run time.
    pub features: Vec<&'static str>,
}

impl Machine {
    /// This machine.
    pub fn here() -> Self {
        Self {
            os: std::env::consts::OS,
            arch: std::env::consts::ARCH,
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            features: features(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let all = [
        ("sse4.2", std::is_x86_feature_detected!("sse4.2")),
        ("avx", std::is_x86_feature_detected!("avx")),
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
    ];
    all.into_iter().filter(|f| f.1).map(|f| f.0).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

/// Where a result comes from.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The command line.
    pub command: Vec<String>,
    /// Start, `clock::utc()`.
    pub started: String,
    /// Wall time used.
    pub seconds: clock::Seconds,
}

/// Opens `dir` for a plan: creates it, or finds the same plan in it.
///
/// The plan is any JSON value that determines the result: command, effective settings, `key::of_dataset`.
///
/// # Errors
/// A file of that name, other content, another plan (with the first setting that differs), a damaged plan or result,
/// or another process that holds the lock. A refused directory is left as it was.
pub fn open(dir: &Path, plan: &Value) -> Result<Opened, RunDirError> {
    let name = dir.display().to_string();
    let io_error = |source| RunDirError::Io { dir: name.clone(), source };
    if dir.exists() && !dir.is_dir() {
        return Err(RunDirError::NotDirectory { dir: name });
    }
    fs::create_dir_all(dir).map_err(io_error)?;
    refuse_foreign(dir, &name)?;
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(dir.join(LOCK)).map_err(io_error)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(RunDirError::Locked { dir: name }),
        Err(TryLockError::Error(source)) => return Err(io_error(source)),
    }
    // Once more under the lock: another process may have come and gone.
    refuse_foreign(dir, &name)?;
    let run = RunDir { path: dir.to_path_buf(), key: key::of_plan(plan), _lock: lock };
    let Some(found) = parsed(dir, &name, PLAN)? else {
        run.write_json(PLAN, &json!({ "schema": PLAN_SCHEMA, "key": run.key, "plan": plan }))?;
        return Ok(Opened::Fresh(run));
    };
    let old = found.get("plan").cloned().unwrap_or(Value::Null);
    if found["schema"] != PLAN_SCHEMA || found["key"] != key::of_plan(&old).as_str() {
        let what = format!("its key is not that of its content in schema {PLAN_SCHEMA}");
        return Err(RunDirError::Damaged { dir: name, file: PLAN, what });
    }
    if found["key"] != run.key.as_str() {
        let differs = difference("", &old, plan).unwrap_or_else(|| "its key differs".into());
        return Err(RunDirError::OtherPlan { dir: name, differs });
    }
    Ok(match parsed(dir, &name, RESULT)? {
        Some(result) => Opened::Done(run, result),
        None => Opened::Unfinished(run),
    })
}

/// Refuses content that no run of this program left; parts of files that a killed process left do not count.
fn refuse_foreign(dir: &Path, name: &str) -> Result<(), RunDirError> {
    if dir.join(PLAN).exists() {
        return Ok(());
    }
    let entries = fs::read_dir(dir).map_err(|source| RunDirError::Io { dir: name.to_string(), source })?;
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let left = |n: &String| n == LOCK || n.starts_with(".plan.json.");
    match names.into_iter().find(|n| !left(n)) {
        Some(holds) => Err(RunDirError::Foreign { dir: name.to_string(), holds }),
        None => Ok(()),
    }
}

/// A JSON file of the directory, if it exists.
fn parsed(dir: &Path, name: &str, file: &'static str) -> Result<Option<Value>, RunDirError> {
    match fs::read(dir.join(file)) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| RunDirError::Damaged {
            dir: name.to_string(),
            file,
            what: e.to_string(),
        }),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(RunDirError::Io { dir: name.to_string(), source }),
    }
}

/// The first place where two plans differ, as `settings.step was 0.1, now 0.2`.
fn difference(at: &str, old: &Value, new: &Value) -> Option<String> {
    if let (Value::Object(a), Value::Object(b)) = (old, new) {
        let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
        keys.sort();
        keys.dedup();
        let at = |k: &str| if at.is_empty() { k.to_string() } else { format!("{at}.{k}") };
        return keys.into_iter().find_map(|k| difference(&at(k), &old[k], &new[k]));
    }
    let short = |v: &Value| {
        let text = key::canonical(v);
        if text.chars().count() > 40 { text.chars().take(37).collect::<String>() + "..." } else { text }
    };
    (old != new).then(|| format!("{} was {}, now {}", if at.is_empty() { "plan" } else { at }, short(old), short(new)))
}

impl RunDir {
    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content key of its plan.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Writes one file of the directory as pretty JSON.
    ///
    /// # Errors
    /// `WriteError::Io`.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), WriteError> {
        self.write(name, |out| {
            serde_json::to_writer_pretty(&mut *out, value)?;
            out.write_all(b"\n")
        })
    }

    /// Writes one file of the directory; it appears complete or not at all.
    ///
    /// # Errors
    /// `WriteError::Io`.
    pub fn write(&self, name: &str, fill: impl FnOnce(&mut AtomicFile) -> io::Result<()>) -> Result<(), WriteError> {
        write_atomic(&self.path.join(name), fill)
    }

    /// Opens a file of the directory for streaming; it appears at `AtomicFile::commit`.
    ///
    /// # Errors
    /// `WriteError::Io`.
    pub fn stream(&self, name: &str) -> Result<AtomicFile, WriteError> {
        AtomicFile::create(&self.path.join(name))
    }

    /// Writes `provenance.json`, then `result.json`: from here on the run counts as done. Call it last.
    ///
    /// # Errors
    /// `WriteError::Io`.
    pub fn finish(&self, result: &impl Serialize, from: &Provenance) -> Result<(), WriteError> {
        self.provenance(from)?;
        self.write_json(RESULT, result)
    }

    /// Writes `provenance.json` alone, for a run that ended without a result.
    ///
    /// # Errors
    /// `WriteError::Io`.
    pub fn provenance(&self, from: &Provenance) -> Result<(), WriteError> {
        let value = json!({
            "schema": PROVENANCE_SCHEMA,
            "plan": self.key,
            "version": env!("CARGO_PKG_VERSION"),
            "command": from.command,
            "started": from.started,
            "finished": clock::utc(),
            "seconds": from.seconds,
            "machine": Machine::here(),
        });
        self.write_json(PROVENANCE, &value)
    }

    /// Removes a file of the directory, if it is there (a result that is to be computed anew).
    ///
    /// # Errors
    /// `WriteError::Io`.
    pub fn remove(&self, name: &str) -> Result<(), WriteError> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(&path, e)),
            _ => Ok(()),
        }
    }
}
