//! Damaged and cut files, and full disks.

use std::fs;
use std::path::Path;

use relimit_run::sweep::{Grid, Keep, RunSpec, Saved, Stop, Store, run_local};
use serde_json::json;

use super::common::{bytes, folder, plan};

/// 10,000 runs: three parts.
const LONG: &str = r#"
command = "limit"
[fixed]
synthetic = "{k}"
[axes]
k = { from = 0, to = 9999, step = 1 }
[record]
v = "/v"
"#;

#[allow(clippy::unnecessary_wraps, reason = "the shape of a question")]
fn ask(spec: &RunSpec, _stop: Stop<'_>) -> Result<serde_json::Value, String> {
    Ok(json!({ "v": 1.0 / (1.0 + spec.run as f64) }))
}

/// Runs what is missing; how many runs these were, and what was said.
fn run(dir: &Path) -> (usize, Vec<String>) {
    let plan = plan(LONG);
    let grid = Grid::new(&plan, Path::new(".")).unwrap();
    let mut store = Store::open(dir, &grid, LONG, Path::new("."), Keep::default()).unwrap();
    let (todo, notes) = (store.todo().len(), store.notes().to_vec());
    run_local(&mut store, &ask, 2, &|| false, &mut |_| {}).unwrap();
    store.finish().unwrap();
    (todo, notes)
}

#[test]
fn a_damaged_part_is_named_and_only_its_runs_are_repeated() {
    let dir = folder("damaged");
    assert_eq!(run(&dir).0, 10_000);
    let whole = bytes(&dir);
    assert_eq!(whole.len(), 4, "three parts and the checksums");
    let part = |k: usize| dir.join(format!("rows.parquet/part-0000{k}.parquet"));
    for (k, runs, damage) in [
        (1, 4096, Box::new(|b: &mut Vec<u8>| b[500] ^= 4) as Box<dyn Fn(&mut Vec<u8>)>),
        (2, 10_000 - 2 * 4096, Box::new(|b: &mut Vec<u8>| b.truncate(b.len() / 2))),
        (0, 4096, Box::new(Vec::clear)),
    ] {
        let mut content = fs::read(part(k)).unwrap();
        damage(&mut content);
        fs::write(part(k), content).unwrap();
        let over = Saved::open(&dir).unwrap().overview().unwrap();
        assert!(over.notes.len() == 1 && over.notes[0].contains(&format!("part-0000{k}.parquet")), "{:?}", over.notes);
        assert_eq!(over.done, 10_000 - runs as u64);
        let (todo, notes) = run(&dir);
        assert_eq!(todo, runs);
        assert!(notes.iter().any(|n| n.contains(&format!("part-0000{k}.parquet"))), "{notes:?}");
        assert_eq!(bytes(&dir), whole);
    }
    fs::remove_file(part(1)).unwrap();
    assert_eq!(run(&dir).0, 4096);
    // checksums that cannot be read: nothing can be believed, everything is repeated
    fs::write(dir.join("checksums.json"), "{").unwrap();
    assert_eq!(run(&dir).0, 10_000);
    assert_eq!(bytes(&dir), whole);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_full_disk_stops_with_a_message_and_loses_nothing() {
    let mount = folder("full");
    fs::create_dir_all(&mount).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&mount)
        .output()
        .is_ok_and(|o| o.status.success());
    if !mounted {
        eprintln!("not run: needs root for a small file system");
        fs::remove_dir_all(&mount).unwrap();
        return;
    }
    let dir = mount.join("sweep");
    let plan = plan(LONG);
    let grid = Grid::new(&plan, Path::new(".")).unwrap();
    let mut store = Store::open(&dir, &grid, LONG, Path::new("."), Keep::default()).unwrap();
    let full = run_local(&mut store, &ask, 2, &|| false, &mut |_| {}).map_err(|e| e.to_string());
    drop(store);
    let reached = Saved::open(&dir).map(|s| s.overview().unwrap().done);
    // room again: the same rows, without those that were safe
    let moved = folder("moved");
    let copied = std::process::Command::new("cp").arg("-a").arg(&dir).arg(&moved).status().unwrap();
    let unmounted = std::process::Command::new("umount").arg(&mount).status().unwrap();
    assert!(copied.success() && unmounted.success());
    let (full, reached) = (full.unwrap_err(), reached.unwrap());
    assert!(full.contains("journal: cannot be written") && full.contains("No space left"), "{full}");
    assert!(reached > 1000 && reached < 10_000, "{reached}");
    let (todo, _) = run(&moved);
    assert_eq!(todo as u64, 10_000 - reached);
    let whole = folder("full-whole");
    run(&whole);
    assert_eq!(bytes(&moved), bytes(&whole));
    for d in [mount, moved, whole] {
        fs::remove_dir_all(d).unwrap();
    }
}
