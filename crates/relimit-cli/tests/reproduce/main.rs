//! The reproduce command from outside: the gallery, wrong expectations, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Called {
    code: Option<i32>,
    out: String,
    err: String,
}

fn reproduce(arguments: &[&str]) -> Called {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relimit"));
    command.current_dir(root()).arg("reproduce").args(arguments);
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Called { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A gallery with one entry, made from `name` of the real one with its plan changed.
fn changed(case: &str, name: &str, change: impl FnOnce(String) -> String) -> String {
    let gallery = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gallery").join(case);
    let _ = fs::remove_dir_all(&gallery);
    let entry = gallery.join(name);
    fs::create_dir_all(&entry).expect("a folder");
    for file in names(&root().join("gallery").join(name)) {
        fs::copy(root().join("gallery").join(name).join(&file), entry.join(&file)).expect("a copy");
    }
    let plan = fs::read_to_string(entry.join("plan.toml")).expect("a plan");
    let new = change(plan.clone());
    assert_ne!(plan, new, "the plan of {name} is another one");
    fs::write(entry.join("plan.toml"), new).expect("a written plan");
    gallery.display().to_string()
}

/// Names of what a folder holds.
fn names(folder: &Path) -> Vec<String> {
    let name = |item: std::io::Result<fs::DirEntry>| item.expect("an item").file_name().into_string().expect("UTF-8");
    fs::read_dir(folder).expect("a folder").map(name).collect()
}

#[test]
fn every_number_of_the_gallery_is_reproduced() {
    let called = reproduce(&["--all", "--quick"]);
    assert_eq!(called.code, Some(0), "{}{}", called.out, called.err);
    assert!(!called.out.contains("WRONG"), "{}", called.out);
    let last = called.out.lines().last().unwrap_or_default();
    let (right, all) = last.strip_suffix(" numbers reproduced").and_then(|l| l.split_once(" of ")).expect(last);
    assert!(right == all && all.parse::<usize>().unwrap() > 60, "{last}");
    for name in names(&root().join("gallery")) {
        assert!(called.out.contains(&format!("{name}: ")), "{name} is not in\n{}", called.out);
    }
}

/// Wrong numbers, words, lengths and slopes, and pointers to nothing, end with 1.
#[test]
fn a_wrong_expectation_ends_with_1() {
    for (case, entry, from, to, says) in [
        ("number", "06-two-points", "is = 0.341770876399966", "is = 0.341770876", "WRONG  /objective: 0.34177087639"),
        ("word", "06-two-points", "is = \"certified\"", "is = \"bound\"", "WRONG  /status: certified, expected bound"),
        ("length", "08-collapse-on-a-line", "is = 2 }", "is = 3 }", "WRONG  /kinks: 2 items, expected 3"),
        ("flag", "08-collapse-on-a-line", "is = true", "is = false", "WRONG  /unique: true, expected false"),
        ("slope", "02-step-size", "is = -1.078", "is = -1.5", "WRONG  slope of /gap/absolute against c: -1.17"),
        ("share", "17-one-step-diagram", "d = 20 }, is = 0", "d = 20 }, is = 0.5", "where d = 20: 0, expected 0.5"),
        ("nothing", "07-xor", "\"/outputs/3\"", "\"/outputs/4\"", "WRONG  /outputs/4: nothing is there"),
    ] {
        let gallery = changed(case, entry, |plan| plan.replacen(from, to, 1));
        let called = reproduce(&["--all", "--quick", "--gallery", &gallery]);
        assert_eq!(called.code, Some(1), "{case}: {}{}", called.out, called.err);
        assert!(called.out.contains(says), "{case}: {}", called.out);
        assert_eq!(called.out.matches("WRONG").count(), 1, "{case}: {}", called.out);
    }
}

#[test]
fn a_page_for_each_claim_holds_its_numbers_and_its_picture() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gallery-pages");
    let _ = fs::remove_dir_all(&out);
    let called = reproduce(&["06", "08", "--out", &out.display().to_string()]);
    assert_eq!(called.code, Some(0), "{}{}", called.out, called.err);
    let page = fs::read_to_string(out.join("08-collapse-on-a-line.html")).expect("a page");
    assert!(page.contains("0.33878607443792") && page.contains("<svg") && !page.contains(">fails<"), "{page}");
    let index = fs::read_to_string(out.join("index.html")).expect("an index");
    assert!(
        index.contains("href=\"06-two-points.html\"") && index.contains("href=\"08-collapse-on-a-line.html\""),
        "{index}"
    );
    // the same numbers, the same bytes
    assert_eq!(reproduce(&["08", "--out", &out.display().to_string()]).code, Some(0));
    assert_eq!(fs::read_to_string(out.join("08-collapse-on-a-line.html")).expect("a page"), page);
}

#[test]
fn slow_runs_are_left_out_on_request() {
    let gallery = changed("slow", "06-two-points", |p| p.replacen("[[run]]", "[[run]]\nslow = true", 1));
    let quick = reproduce(&["--all", "--quick", "--gallery", &gallery]);
    assert!(quick.out.ends_with("\n6 of 6 numbers reproduced\n"), "{}", quick.out);
    let full = reproduce(&["06", "--gallery", &gallery]);
    assert!(full.out.ends_with("\n12 of 12 numbers reproduced\n"), "{}", full.out);
}

#[test]
fn what_cannot_be_reproduced_is_named() {
    let says = |called: Called, code: i32, word: &str| {
        assert!(
            called.code == Some(code) && called.err.contains(word),
            "{:?} {}{}",
            called.code,
            called.out,
            called.err
        );
    };
    says(reproduce(&["no-such"]), 2, "no entry is called 'no-such'; there are 01-slope-in-dimension");
    says(reproduce(&["--all", "--gallery", "nowhere"]), 2, "give its folder with --gallery DIR");
    says(reproduce(&[]), 2, "NAME");
    let unknown = changed("unknown", "07-xor", |p| p.replacen("title", "titel", 1));
    says(reproduce(&["--all", "--gallery", &unknown]), 2, "unknown field `titel`");
    for (case, from, to, word) in [
        ("axis", "{c}", "{k}", "the call has no place {c} for its 3 values"),
        ("place", "seed={seed} --signs", "seed={seed},n={n} --signs", "has a place {n} and no axis of this name"),
        ("slope-axis", "slope = \"c\"", "slope = \"b\"", "'b' is no axis; there are"),
        ("short", "[2, 4, 8]", "[2]", "a slope needs two positive numbers on its axis"),
        ("where", "where = { c = 2 }", "where = { c = 3 }", "3 is no value of the axis c"),
    ] {
        let gallery = changed(case, "02-step-size", |p| p.replacen(from, to, 1));
        says(reproduce(&["--all", "--gallery", &gallery]), 2, word);
    }
    let call = changed("call", "07-xor", |p| p.replacen("--lambda 0.01", "--lambda -1", 1));
    says(reproduce(&["--all", "--gallery", &call]), 2, "--lambda -1: is not a positive");
}
