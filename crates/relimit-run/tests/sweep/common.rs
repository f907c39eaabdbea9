//! A plan, a made-up command, and folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use relimit_run::sweep::{Counts, Grid, Keep, Plan, RunSpec, Stop, Store, SweepError, run_local};
use serde_json::{Value, json};

/// 3 dimensions, 2 constants, 40 seeds: 240 runs, of which those with d = 30 and C = 2 fail.
pub(crate) const PLAN: &str = r#"
command = "limit"
[fixed]
synthetic = "gaussian:n=20,d={d},seed={seed}"
[axes]
d = [10, 20, 30]
step-constant = [1.5, 2]
[seeds]
count = 40
by = ["d"]
[record]
gap = { at = "/gap/absolute", unit = "weights" }
status = "/never"
"#;

pub(crate) fn plan(text: &str) -> Plan {
    Plan::read("plan.toml", text).unwrap()
}

/// [`PLAN`] without the record whose name is taken.
pub(crate) fn text() -> String {
    PLAN.replace("status = \"/never\"\n", "word = \"/word\"\n")
}

/// A new folder.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("relimit-sweep-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    path
}

/// The answer is a function of the words.
pub(crate) fn ask(spec: &RunSpec, _stop: Stop<'_>) -> Result<Value, String> {
    let made = spec.words["synthetic"].as_str().ok_or("no synthetic")?;
    let part = |key: &str| made.split([',', ':']).find_map(|p| p.strip_prefix(key)?.parse::<f64>().ok());
    let (d, seed) = (part("d=").ok_or("no d")?, part("seed=").ok_or("no seed")?);
    let c = spec.words["step-constant"].as_f64().ok_or("no constant")?;
    if d == 30.0 && c == 2.0 {
        return Err(format!("no limit for d = {d}"));
    }
    Ok(json!({ "gap": { "absolute": (1.0 + seed / 1e17) / (c * d.sqrt()) }, "word": format!("C={c}") }))
}

/// Runs what is missing.
pub(crate) fn sweep(dir: &Path, text: &str, threads: usize) -> Result<Counts, SweepError> {
    let plan = plan(text);
    let grid = Grid::new(&plan, Path::new("."))?;
    let mut store = Store::open(dir, &grid, text, Path::new("."), Keep::default())?;
    run_local(&mut store, &ask, threads, &|| false, &mut |_| {})?;
    store.finish()
}

/// Runs `count` runs, then stops as Ctrl-C does.
pub(crate) fn some(dir: &Path, text: &str, count: usize) -> Counts {
    let plan = plan(text);
    let grid = Grid::new(&plan, Path::new(".")).unwrap();
    let mut store = Store::open(dir, &grid, text, Path::new("."), Keep::default()).unwrap();
    let asked = AtomicUsize::new(0);
    let stop = || asked.load(Ordering::SeqCst) > count;
    let counted = |spec: &RunSpec, stop: Stop<'_>| {
        asked.fetch_add(1, Ordering::SeqCst);
        ask(spec, stop)
    };
    run_local(&mut store, &counted, 1, &stop, &mut |_| {}).unwrap();
    store.finish().unwrap()
}

/// Name and bytes of everything that a finished sweep is.
pub(crate) fn bytes(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let parts = fs::read_dir(dir.join("rows.parquet")).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<PathBuf> = parts.chain([dir.join("checksums.json")]).collect();
    files.sort();
    files.into_iter().map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), fs::read(p).unwrap())).collect()
}
