//! A study that is killed at any moment, once or again: what it had finished is reused, and its result is that of a study
//! that ran through.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, SystemTime};

use super::common::{folder, program};
use super::{call, data};

const SECTIONS: [&str; 5] = ["patterns", "limit", "flow", "optimum", "law"];
const WORDS: &str = "--target dist --budget 60s";

/// When each section that is there was written; every file that is there can be read as a whole.
fn finished(out: &Path) -> BTreeMap<&'static str, SystemTime> {
    let mut found = BTreeMap::new();
    for name in SECTIONS {
        let path = out.join(format!("section-{name}.json"));
        let Ok(facts) = fs::metadata(&path) else { continue };
        let bytes = fs::read(&path).expect("a section");
        let section: serde_json::Value = serde_json::from_slice(&bytes).expect("no section is written by halves");
        assert_eq!((&section["fact"]["section"], &section["fact"]["status"]), (&name.into(), &"done".into()));
        found.insert(name, facts.modified().expect("a time"));
    }
    found
}

/// Starts a study and kills it `later` after `sections` of its sections are there, or lets it end before that.
fn killed(out: &Path, sections: usize, later: Duration) {
    let mut child = program();
    child.arg("study").arg(data("cars.csv")).args(WORDS.split_whitespace()).arg("--out").arg(out);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let there = || SECTIONS.iter().filter(|s| out.join(format!("section-{s}.json")).exists()).count();
    while there() < sections && child.try_wait().expect("a process").is_none() {
        thread::sleep(Duration::from_micros(200));
    }
    thread::sleep(later);
    child.kill().expect("it runs, or has ended");
    child.wait().expect("an end");
}

/// Ten studies, each killed twice: after each number of sections, at a moment of the next one that no one chose.
#[test]
fn a_study_killed_at_any_moment_reuses_what_was_finished() {
    let trials = if std::env::var_os("RELIMIT_SOAK").is_some() { 100 } else { 10 };
    let place = folder("study_killed_anywhere");
    let whole = place.join("whole");
    assert_eq!(call(&data("cars.csv"), WORDS, &whole).code, 0);
    assert_eq!(finished(&whole).len(), SECTIONS.len());
    let result = fs::read(whole.join("result.json")).expect("a result");
    let page = fs::read(whole.join("report.html")).expect("a page");
    let (mut state, mut reused) = (20_u64, 0);
    let mut moment = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_micros((state >> 33) % most)
    };
    for k in 0..trials {
        let out = place.join(format!("cut{k}"));
        killed(&out, k % SECTIONS.len(), moment(40_000));
        let first = finished(&out);
        assert!(first.len() >= k % SECTIONS.len(), "{first:?}");
        killed(&out, first.len(), moment(40_000));
        let second = finished(&out);
        let called = call(&data("cars.csv"), WORDS, &out);
        assert_eq!(called.code, 0, "{}", called.err);
        let third = finished(&out);
        for (before, after) in [(&first, &second), (&second, &third)] {
            for (name, written) in before {
                assert_eq!(after.get(name), Some(written), "trial {k}: {name} was done again");
            }
        }
        assert_eq!(third.len(), SECTIONS.len());
        assert!(fs::read(out.join("result.json")).expect("a result") == result, "trial {k}: another result");
        assert!(fs::read(out.join("report.html")).expect("a page") == page, "trial {k}: another page");
        reused += second.len();
    }
    // the numbers of sections waited for are 0 to 4 in turn
    assert!(reused >= trials / 5 * 10, "{reused} sections were reused in {trials} studies");
}
