//! The sweep command from outside: the examples, threads, kills, refusals, failures and questions.

mod units;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

struct Called {
    code: Option<i32>,
    out: String,
    err: String,
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relimit"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
}

fn sweep(arguments: &[&str]) -> Called {
    program().arg("sweep").args(arguments).output().expect("the program starts").into()
}

impl From<Output> for Called {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

fn answer(arguments: &[&str]) -> Value {
    let called = sweep(&[arguments, &["--json"]].concat());
    assert_eq!(called.code, Some(0), "{arguments:?}: {}", called.err);
    serde_json::from_str(&called.out).expect("JSON")
}

/// A folder that is not there yet.
fn fresh(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweeps").join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(dir.parent().expect("a parent")).expect("a folder");
    dir
}

fn plan(name: &str, text: &str) -> String {
    let path = fresh(name).with_extension("toml");
    fs::write(&path, text).expect("a plan");
    path.display().to_string()
}

/// Names and bytes of the files of the data set.
fn rows(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(dir.join("rows.parquet")).expect("rows");
    let mut files: Vec<PathBuf> = files.map(|f| f.expect("a file").path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files.into_iter().map(|f| (f.file_name().expect("a name").into(), fs::read(f).expect("rows"))).collect()
}

/// Runs of a tenth of a second in all, some 200 of them.
const SMALL: &str = r#"
command = "limit"
[fixed]
synthetic = "gaussian:n=12,d={d},labels=sign,seed={seed}"
step_constant = "{C}"
[axes]
C = [2, 4]
d = { from = 100, to = 400, points = 3, geometric = true }
[seeds]
count = 40
by = ["d"]
[record]
gap = { at = "/gap/absolute", unit = "weight" }
last_step = "/events/last_step"
"#;

#[test]
fn the_slope_of_the_example_is_that_of_the_reference_runs() {
    let dir = fresh("slope").display().to_string();
    let counts = answer(&["examples/sweeps/slope.toml", "--out", &dir]);
    assert_eq!((counts["runs"].as_u64(), counts["failed"].as_u64()), (Some(100), Some(0)));
    let table = answer(&["query", &dir, "--by", "signs", "--slope", "gap~d"]);
    // -.466 and -.471 over 8 other draws of another program; one draw has a standard deviation of .02
    for (group, wanted) in [(0, -0.466), (1, -0.471)] {
        let slope = &table["groups"][group]["values"]["slope(gap~d)"];
        let (value, low, high) = (&slope["slope"], &slope["lower"], &slope["upper"]);
        assert!((value.as_f64().expect("a slope") - wanted).abs() < 0.03, "{table}");
        assert!(low.as_f64() < value.as_f64() && value.as_f64() < high.as_f64(), "{table}");
    }
    let again = answer(&["examples/sweeps/slope.toml", "--out", &dir]);
    assert_eq!(again["reused"].as_u64(), Some(100), "the rows are there already");
}

#[test]
fn rows_do_not_depend_on_threads_or_kills() {
    let plan = plan("small-plan", SMALL);
    let (one, two, killed) = (fresh("one"), fresh("two"), fresh("killed"));
    for (dir, threads) in [(&one, "1"), (&two, "2")] {
        let counts = answer(&[&plan, "--out", &dir.display().to_string(), "--threads", threads]);
        assert_eq!(counts["done"].as_u64(), Some(240));
    }
    assert_eq!(rows(&one), rows(&two));
    let kills = if std::env::var_os("RELIMIT_SOAK").is_some() { 20 } else { 10 };
    let mut state = 12345u64;
    for _ in 0..kills {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut child = start(&plan, &killed);
        sleep(Duration::from_millis(5 + (state >> 33) % 60));
        child.kill().expect("a kill");
        child.wait().expect("an end");
    }
    let counts = answer(&[&plan, "--out", &killed.display().to_string()]);
    assert_eq!(counts["done"].as_u64(), Some(240));
    assert_eq!(rows(&one), rows(&killed));
}

fn start(plan: &str, dir: &Path) -> Child {
    let mut command = program();
    command.args(["sweep", plan, "--threads", "2", "--out"]).arg(dir);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

#[test]
fn a_second_process_is_refused_and_the_next_one_begins_at_once() {
    // one run of a few seconds
    let plan = plan(
        "long-plan",
        "command = \"train\"\n[fixed]\nsynthetic = \"gaussian:n=20,d=2,seed=1\"\nwidth = 1000\nsteps = 10000000\n[axes]\nseed = [1, 2]\n",
    );
    let dir = fresh("locked");
    let mut first = start(&plan, &dir);
    let mut refused = None;
    for _ in 0..200 {
        if dir.join("plan.json").exists() {
            let called = sweep(&[&plan, "--out", &dir.display().to_string(), "--budget", "50ms"]);
            refused = Some(called);
            break;
        }
        sleep(Duration::from_millis(10));
    }
    let refused = refused.expect("the first process writes its plan");
    assert_eq!(refused.code, Some(2), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("another process"), "{}", refused.err);
    first.kill().expect("a kill");
    first.wait().expect("an end");
    let next = sweep(&[&plan, "--out", &dir.display().to_string(), "--budget", "50ms"]);
    assert_eq!(next.code, Some(3), "begins at once, and its budget ends: {}", next.err);
}

#[test]
fn failed_runs_are_rows_and_the_code_says_so() {
    let plan = plan("failing-plan", &SMALL.replace("C = [2, 4]", "C = [2, -1]").replace("count = 40", "count = 2"));
    let dir = fresh("failing").display().to_string();
    let called = sweep(&[&plan, "--out", &dir]);
    assert_eq!(called.code, Some(1), "{}", called.err);
    assert!(called.out.contains("6 of 12 runs done, 6 failed"), "{}", called.out);
    let status = sweep(&["status", &dir]);
    assert!(status.out.contains("failed 6: --step-constant -1: is not positive"), "{}", status.out);
    let share = answer(&["query", &dir, "--by", "C", "--share", "status == failed"]);
    assert_eq!(share["groups"].as_array().map(Vec::len), Some(2), "{share}");
}

#[test]
fn a_dry_run_keeps_nothing_and_mistakes_have_a_line() {
    let plan = plan("dry-plan", SMALL);
    let dir = fresh("dry");
    let estimate = answer(&[&plan, "--dry-run", "--out", &dir.display().to_string()]);
    assert_eq!((estimate["runs"].as_u64(), dir.exists()), (Some(240), false));
    let wrong = self::plan("wrong-plan", &SMALL.replace("[seeds]", "[seed]"));
    let called = sweep(&[&wrong]);
    assert_eq!(called.code, Some(2));
    assert!(called.err.contains("unknown key 'seed'; did you mean 'seeds'?"), "{}", called.err);
    assert!(called.err.contains("wrong-plan.toml:9:"), "{}", called.err);
    let schema: Value = serde_json::from_str(&sweep(&["schema"]).out).expect("a JSON schema");
    assert!(schema["properties"]["axes"].is_object());
}
