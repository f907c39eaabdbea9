//! Run directories, atomic files and events.

mod common;

use std::fs;
use std::io::{self, Write};

use common::{Folder, says};
use relimit_core::data::Dataset;
use relimit_core::descent::{Event, Move};
use relimit_core::num::Mat;
use relimit_run::write::{AtomicFile, EventWriter, Opened, Provenance, RunDir, Unit, open, write_atomic};
use relimit_run::{clock, key};
use serde_json::{Value, json};

fn plan() -> Value {
    json!({ "command": "limit", "data": "1f", "settings": { "step": 0.1, "signs": "+-" } })
}

fn provenance() -> Provenance {
    Provenance { command: vec!["relimit".into(), "limit".into()], started: clock::utc(), seconds: 1.5 }
}

fn fresh(opened: Opened) -> RunDir {
    let Opened::Fresh(run) = opened else { panic!("{opened:?}") };
    run
}

#[test]
fn a_new_directory_goes_from_fresh_to_done() {
    let folder = Folder::new();
    let dir = folder.path().join("deep/run");
    let run = fresh(open(&dir, &plan()).unwrap());
    let on_disk = |name: &str| -> Value { serde_json::from_slice(&fs::read(dir.join(name)).unwrap()).unwrap() };
    assert_eq!(on_disk("plan.json"), json!({ "schema": "relimit/plan/1", "key": run.key(), "plan": plan() }));
    assert_eq!(run.key().len(), 64);
    drop(run);

    let Opened::Unfinished(run) = open(&dir, &plan()).unwrap() else { panic!("no result yet") };
    run.write("events.csv", |out| out.write_all(b"step\n")).unwrap();
    run.finish(&json!({ "answer": 42 }), &provenance()).unwrap();
    let from = on_disk("provenance.json");
    assert_eq!((&from["plan"], &from["seconds"]), (&json!(run.key()), &json!(1.5)));
    assert_eq!(from["command"], json!(["relimit", "limit"]));
    assert_eq!(from["version"], env!("CARGO_PKG_VERSION"));
    assert!(from["machine"]["cpus"].as_u64().unwrap() >= 1);
    drop(run);

    // The order of keys in the plan is no difference.
    let same: Value =
        serde_json::from_str(r#"{"settings":{"signs":"+-","step":0.1},"data":"1f","command":"limit"}"#).unwrap();
    let Opened::Done(run, result) = open(&dir, &same).unwrap() else { panic!("the result is there") };
    assert_eq!(result, json!({ "answer": 42 }));
    run.remove("result.json").unwrap();
    run.remove("result.json").unwrap();
    drop(run);
    assert!(matches!(open(&dir, &plan()).unwrap(), Opened::Unfinished(_)));
}

#[test]
fn an_empty_directory_is_used_and_another_one_refused_untouched() {
    let folder = Folder::new();
    drop(fresh(open(folder.path(), &plan()).unwrap()));
    let other = Folder::new();
    other.file("thesis.tex", "");
    says(open(other.path(), &plan()), &["holds thesis.tex and no plan.json", "new or empty directory"]);
    assert_eq!(other.list(), ["thesis.tex"]);
    says(open(&other.path().join("thesis.tex"), &plan()), &["is a file", "--out"]);
}

#[test]
fn another_plan_is_refused_by_the_setting_that_differs() {
    let folder = Folder::new();
    drop(fresh(open(folder.path(), &plan()).unwrap()));
    let mut other = plan();
    other["settings"]["step"] = json!(0.2);
    says(open(folder.path(), &other), &["holds another plan: settings.step was 0.1, now 0.2"]);
    other = plan();
    other["settings"]["bias"] = json!("free");
    says(open(folder.path(), &other), &["settings.bias was null, now \"free\""]);
    assert!(matches!(open(folder.path(), &plan()).unwrap(), Opened::Unfinished(_)));
}

#[test]
fn damaged_plans_and_results_are_refused_by_name() {
    let folder = Folder::new();
    drop(fresh(open(folder.path(), &plan()).unwrap()));
    folder.file("result.json", "{\"answer\": 4");
    says(open(folder.path(), &plan()), &["/result.json: is damaged", "move the directory away"]);
    let text = fs::read_to_string(folder.path().join("plan.json")).unwrap();
    folder.file("plan.json", text.replace("0.1", "0.3"));
    says(open(folder.path(), &plan()), &["/plan.json: is damaged", "not that of its content"]);
    folder.file("plan.json", "");
    says(open(folder.path(), &plan()), &["/plan.json: is damaged"]);
}

#[test]
fn a_directory_in_use_is_refused_until_it_is_free() {
    let folder = Folder::new();
    let run = open(folder.path(), &plan()).unwrap();
    says(open(folder.path(), &plan()), &["is in use by another process"]);
    drop(run);
    assert!(open(folder.path(), &plan()).is_ok());
}

#[test]
fn a_file_appears_complete_or_not_at_all() {
    let folder = Folder::new();
    let path = folder.file("a.txt", "old");
    let failed = write_atomic(&path, |out| {
        out.write_all(b"half")?;
        Err(io::Error::other("the disk is full"))
    });
    says(failed, &["a.txt: cannot be written: the disk is full"]);
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.list()), ("old", vec!["a.txt".to_string()]));

    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(folder.list().len(), 2, "written beside");
    let mut second = AtomicFile::create(&path).unwrap();
    second.write_all(b"dropped").unwrap();
    drop(second);
    file.commit().unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.list()), ("new", vec!["a.txt".to_string()]));
    says(write_atomic(&folder.path().join("no/b.txt"), |_| Ok(())), &["no/b.txt: cannot be written"]);
}

#[test]
fn events_name_the_rows_of_the_file() {
    let rows = [2, 5, 9];
    let mut out = EventWriter::new(Vec::new(), Unit::Step, &rows).unwrap();
    for (at, neuron, example, to) in [(1.0, 0, 0, Move::On), (123_456_789.0, 1, 2, Move::Off)] {
        out.push(&Event { at, neuron, example, to }).unwrap();
    }
    let text = String::from_utf8(out.into_inner()).unwrap();
    assert_eq!(text, "step,neuron,row,direction\n1,0,2,on\n123456789,1,9,off\n");
    let mut out = EventWriter::new(Vec::new(), Unit::Time, &rows).unwrap();
    out.push(&Event { at: 0.125, neuron: 0, example: 1, to: Move::Slide }).unwrap();
    assert_eq!(String::from_utf8(out.into_inner()).unwrap(), "time,neuron,row,direction\n0.125,0,5,slide\n");
}

#[test]
fn the_key_of_a_data_set_sees_every_part() {
    let data = Dataset {
        x: Mat::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).into(),
        y: vec![5.0, 6.0],
        features: vec!["a".into(), "bc".into()],
        target: "y".into(),
        rows: vec![2, 3],
    };
    let mut keys = vec![key::of_dataset(&data)];
    assert_eq!(keys[0], key::of_dataset(&data.clone()));
    let other = Mat::from_rows(&[[1.0, 2.0], [3.0, 4.0f64.next_up()]]).into();
    keys.push(key::of_dataset(&Dataset { x: other, ..data.clone() }));
    keys.push(key::of_dataset(&Dataset { y: vec![5.0, -6.0], ..data.clone() }));
    keys.push(key::of_dataset(&Dataset { rows: vec![2, 4], ..data.clone() }));
    keys.push(key::of_dataset(&Dataset { features: vec!["ab".into(), "c".into()], ..data.clone() }));
    keys.push(key::of_dataset(&Dataset { target: "z".into(), ..data }));
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 6);
}
