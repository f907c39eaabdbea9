//! Who works on a unit: an exclusive lock, which ends with its process, and a heartbeat, which others can watch.
//!
//! The lock is one of the kernel (`flock`): local file systems have it, NFS from version 4 or with `lockd`, Lustre with
//! `-o flock`. Where locks are missing, kept to one node, or stuck after the death of a node, the heartbeat decides, by
//! changes that the watcher sees, so that no two clocks are compared. Should both fail, a unit is worked on twice: each
//! worker writes a file of its own, rows are the same, and the first to finish takes the name. Claims save work; no row
//! depends on them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::clock::{Seconds, Stopwatch};
use crate::sweep::SweepError;

/// Ends the name of a heartbeat.
pub(super) const BEAT: &str = ".beat";
/// Ends the name of a lock.
pub(super) const CLAIM: &str = ".claim";

/// How often a worker gives a sign of life, and how long others wait for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Between two signs.
    pub beat: Seconds,
    /// Without a sign for so long, a worker counts as dead.
    pub patience: Seconds,
}

impl Default for Pace {
    fn default() -> Self {
        Self { beat: 5.0, patience: 20.0 }
    }
}

/// A unit that is this process'; dropped, it is free.
#[derive(Debug)]
pub(super) struct Claim {
    beat: PathBuf,
    end: Option<Sender<()>>,
    heart: Option<JoinHandle<()>>,
    _lock: File,
}

/// The outcome of asking for a unit.
#[derive(Debug)]
pub(super) enum Claimed {
    /// It is ours.
    Mine(Claim),
    /// Somebody else lives: host and process.
    Busy(String),
}

/// Claims the unit of a file name without ending.
pub(super) fn claim(stem: &Path, pace: Pace) -> Result<Claimed, SweepError> {
    let (path, beat) = (with(stem, CLAIM), with(stem, BEAT));
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|e| SweepError::io(&path, e))?;
    let lock = file.try_lock();
    if let Some(who) = holder(&beat, &lock, pace) {
        return Ok(Claimed::Busy(who));
    }
    let (end, ended) = mpsc::channel();
    let (at, me) = (beat.clone(), format!("{} {}", host(), std::process::id()));
    // the first sign is there before the first run begins
    fs::write(&beat, format!("{me} 0\n")).map_err(|e| SweepError::io(&beat, e))?;
    let heart = thread::spawn(move || {
        for count in 1u64.. {
            match ended.recv_timeout(Duration::from_secs_f64(pace.beat)) {
                // a sign that cannot be written is missed; the next may get through
                Err(RecvTimeoutError::Timeout) => drop(fs::write(&at, format!("{me} {count}\n"))),
                _ => return,
            }
        }
    });
    Ok(Claimed::Mine(Claim { beat, end: Some(end), heart: Some(heart), _lock: file }))
}

/// Whether somebody works on the unit of a lock's file.
pub(super) fn works(path: &Path, pace: Pace) -> Result<Option<String>, SweepError> {
    let stem = path.with_extension("");
    let beat = with(&stem, BEAT);
    let file = OpenOptions::new().write(true).open(path).map_err(|e| SweepError::io(path, e))?;
    Ok(holder(&beat, &file.try_lock(), pace))
}

/// The living worker behind a lock that was tried, if there is one.
fn holder(beat: &Path, lock: &Result<(), TryLockError>, pace: Pace) -> Option<String> {
    let sign = fs::read_to_string(beat).ok();
    let here = sign.as_deref().is_some_and(|s| s.split(' ').next() == Some(&host()));
    match (lock, sign) {
        (Ok(()) | Err(TryLockError::Error(_)), None) => None,
        // the kernel knows all processes of its own host
        (Ok(()), Some(_)) if here => None,
        (Err(TryLockError::WouldBlock), None) => Some("another process".into()),
        (Err(TryLockError::WouldBlock), Some(sign)) if here => Some(who(&sign)),
        (_, Some(sign)) => changes(beat, &sign, pace),
    }
}

/// Watches a heartbeat; the worker if there is a new sign.
fn changes(beat: &Path, first: &str, pace: Pace) -> Option<String> {
    let watch = Stopwatch::start();
    while !watch.passed(pace.patience) {
        thread::sleep(Duration::from_secs_f64(pace.beat / 4.0));
        match fs::read_to_string(beat) {
            Ok(sign) if sign != first => return Some(who(if sign.is_empty() { first } else { &sign })),
            Ok(_) => {}
            // it has left
            Err(_) => return None,
        }
    }
    None
}

fn who(sign: &str) -> String {
    let mut words = sign.split_whitespace();
    format!("process {} on {}", words.nth(1).unwrap_or("?"), sign.split(' ').next().unwrap_or("?"))
}

/// The name of this machine, as one word.
pub(super) fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let word = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    name.map_or_else(|| "unknown".into(), |n| n.trim().chars().map(word).collect())
}

pub(super) fn with(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

impl Drop for Claim {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(heart) = self.heart.take() {
            let _ = heart.join();
        }
        // the lock goes after this, so that the next one finds no sign of ours
        let _ = fs::remove_file(&self.beat);
    }
}
