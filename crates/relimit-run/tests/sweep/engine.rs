//! Rows do not depend on threads or history; failures are rows.

use std::fs;
use std::path::Path;

use relimit_run::sweep::{Cell, Counts, Grid, Keep, Row, RunSpec, Saved, Status, Stop, Store, SweepError, run_local};
use serde_json::json;

use super::common::{ask, bytes, folder, plan, some, sweep, text};

#[test]
fn threads_and_interruptions_leave_the_same_bytes() {
    let (one, two, cut) = (folder("one"), folder("two"), folder("cut"));
    let counts = sweep(&one, &text(), 1).unwrap();
    assert_eq!(counts, Counts { runs: 240, done: 200, failed: 40, reused: 0 });
    assert_eq!(sweep(&two, &text(), 2).unwrap(), counts);
    for more in [0, 7, 60, 100] {
        let before = some(&cut, &text(), more);
        assert!(!cut.join("checksums.json").exists() && before.done + before.failed >= before.reused + more as u64);
    }
    let last = sweep(&cut, &text(), 2).unwrap();
    assert_eq!((last.done, last.failed, last.reused), (200, 40, 167));
    assert_eq!(bytes(&one), bytes(&two));
    assert_eq!(bytes(&one), bytes(&cut));
    assert!(!one.join("journal").exists());
    // nothing left to do: nothing is asked
    let again = sweep(&one, &text(), 1).unwrap();
    assert_eq!(again, Counts { reused: 240, ..counts });
    for dir in [one, two, cut] {
        fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn a_value_more_leaves_the_others_as_they_were() {
    let (grown, whole) = (folder("grown"), folder("whole"));
    sweep(&grown, &text(), 2).unwrap();
    let wider = text().replace("d = [10, 20, 30]", "d = [5, 10, 15.5, 20, 30]");
    let counts = sweep(&grown, &wider, 2).unwrap();
    assert_eq!((counts.runs, counts.reused), (400, 240));
    sweep(&whole, &wider, 1).unwrap();
    assert_eq!(bytes(&grown), bytes(&whole));
    // runs that the plan no longer has are not dropped unasked
    let refused = sweep(&grown, &text(), 1).unwrap_err().to_string();
    assert!(refused.contains("160 finished runs that are not in the plan; --prune drops them"), "{refused}");
    assert_eq!(bytes(&grown), bytes(&whole));
    let (plan, text) = (plan(&text()), text());
    let grid = Grid::new(&plan, Path::new(".")).unwrap();
    let keep = Keep { prune: true, ..Keep::default() };
    let store = Store::open(&grown, &grid, &text, Path::new("."), keep).unwrap();
    assert!(store.todo().is_empty());
    store.finish().unwrap();
    let small = folder("small");
    sweep(&small, &text, 1).unwrap();
    assert_eq!(bytes(&grown), bytes(&small));
    for dir in [grown, whole, small] {
        fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn failures_panics_and_divergence_are_rows() {
    let dir = folder("rows");
    let text = text();
    let plan = plan(&text);
    let grid = Grid::new(&plan, Path::new(".")).unwrap();
    let mut store = Store::open(&dir, &grid, &text, Path::new("."), Keep::default()).unwrap();
    let mixed = |spec: &RunSpec, stop: Stop<'_>| match spec.run {
        3 => std::panic::panic_any("broken on purpose"),
        4 => Ok(json!({ "limit": { "status": "diverged" }, "word": "grows" })),
        5 => Ok(json!({ "status": "budget", "gap": { "absolute": 7.0 } })),
        _ => ask(spec, stop),
    };
    run_local(&mut store, &mixed, 2, &|| false, &mut |_| {}).unwrap();
    store.finish().unwrap();
    let saved = Saved::open(&dir).unwrap();
    let over = saved.overview().unwrap();
    assert_eq!((over.runs, over.done, over.failed), (240, 199, 41));
    assert_eq!(over.statuses, [(Status::Done, 197), (Status::Failed, 41), (Status::Budget, 1), (Status::Diverged, 1)]);
    assert_eq!(over.failures, [("no limit for d = 30".to_owned(), 40), ("internal: broken on purpose".to_owned(), 1)]);
    // failed runs can be asked for again, and only they are
    let keep = Keep { retry: true, ..Keep::default() };
    let store = Store::open(&dir, &grid, &text, Path::new("."), keep).unwrap();
    assert_eq!((store.todo().len(), store.todo()[0]), (41, 3));
    drop(store);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_second_process_is_refused_while_the_first_works() {
    let dir = folder("locked");
    let text = text();
    let plan = plan(&text);
    let grid = Grid::new(&plan, Path::new(".")).unwrap();
    let first = Store::open(&dir, &grid, &text, Path::new("."), Keep::default()).unwrap();
    let second = Store::open(&dir, &grid, &text, Path::new("."), Keep::default());
    assert!(matches!(second, Err(SweepError::Locked { .. })));
    assert!(Saved::open(&dir).unwrap().overview().unwrap().busy);
    drop(first);
    assert!(Store::open(&dir, &grid, &text, Path::new("."), Keep::default()).is_ok());
    fs::remove_dir_all(&dir).unwrap();
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("letter.txt"), "dear").unwrap();
    let other = sweep(&dir, &text, 1).unwrap_err().to_string();
    assert!(other.contains("holds letter.txt and no sweep"), "{other}");
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_finished_row_is_never_in_neither_place() {
    // killed between the data set and the removal of the journal, and before the first row
    let (dir, whole) = (folder("between"), folder("between-whole"));
    some(&dir, &text(), 50);
    let journal = fs::read(dir.join("journal")).unwrap();
    sweep(&dir, &text(), 1).unwrap();
    sweep(&whole, &text(), 1).unwrap();
    fs::write(dir.join("journal"), &journal).unwrap();
    let counts = sweep(&dir, &text(), 1).unwrap();
    assert_eq!(counts.reused, 240);
    assert_eq!(bytes(&dir), bytes(&whole));
    let row = Row::of(relimit_run::sweep::Key::read("00112233445566778899aabb").unwrap(), &[], &Err("x".into()));
    assert!(row.values.is_empty() && !matches!(row.values.first(), Some(Cell::Null)));
    for d in [dir, whole] {
        fs::remove_dir_all(d).unwrap();
    }
}
