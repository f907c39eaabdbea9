//! The train command from outside: the stationary law, the end levels of XOR, kills and resumes, and what is refused.

#[path = "../limit/common.rs"]
#[allow(dead_code, reason = "each test program uses a part")]
mod common;
mod rays;
mod several;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use common::{Called, folder, list, near, number, program, unwrapped, word};
use serde_json::Value;

fn call(arguments: &str) -> Called {
    program().arg("train").args(arguments.split_whitespace()).output().expect("it starts").into()
}

fn answer(arguments: &str) -> Value {
    let called = call(&format!("{arguments} --json"));
    assert_eq!(called.code, 0, "{arguments}: {}", called.err);
    serde_json::from_str(&called.out).expect("JSON")
}

fn written(name: &str, text: &str) -> PathBuf {
    let file = folder(name).join("data.csv");
    fs::write(&file, text).expect("scratch space");
    file
}

const THREE: &str = "x,y\n-1,1\n0,-0.5\n1,0.8\n";
const XOR: &str = "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n";

/// The exact outputs at beta = 100 (tanh-sinh quadrature in Python) within the Monte Carlo error of independent runs.
#[test]
fn the_mean_over_runs_is_the_stationary_law() {
    let file = written("train_law", THREE);
    let exact = [0.85195, -0.09544, 0.65244];
    let runs: Vec<Vec<f64>> = (0..16)
        .map(|seed| {
            let line = format!("{} --target y --lambda 0.05 --beta 100 --step 0.02 --steps 8000", file.display());
            list(&answer(&format!("{line} --seed {seed}")), "/outputs")
        })
        .collect();
    for (i, f) in exact.iter().enumerate() {
        let mean = runs.iter().map(|r| r[i]).sum::<f64>() / 16.0;
        let spread = runs.iter().map(|r| (r[i] - mean).powi(2)).sum::<f64>().sqrt() / (15.0f64 * 16.0).sqrt();
        // four standard errors, and the bias of order step
        assert!((mean - f).abs() < 4.0 * spread + 0.01, "output {i}: {mean} +- {spread} for {f}");
        assert!(spread < 0.02, "{spread}");
    }
}

/// Full-batch descent on XOR from the initialiser of PyTorch: levels 0, 1/8, 1/6, 1/4; the share solved with m = 5 is
/// 82.9 % over 1,000 seeds of another generator.
#[test]
fn xor_ends_at_four_levels() {
    let file = written("train_xor", XOR);
    let line = format!(
        "{} --target y --beta inf --lambda 0 --scaling standard --start pytorch --bias free --offset free --loss mean \
         --step 0.1 --steps 20000 --tolerance 1e-10 --starts 200",
        file.display()
    );
    for (width, solved) in [(3, 0.497), (5, 0.829)] {
        let found = answer(&format!("{line} --width {width}"));
        assert_eq!(number(&found, "/census/ended"), 200.0);
        let levels = found["census"]["levels"].as_array().expect("levels");
        for level in levels {
            let objective = level["objective"].as_f64().expect("a number");
            let near = [0.0, 0.125, 1.0 / 6.0, 0.25].iter().any(|l| (objective - l).abs() < 1e-3);
            assert!(near, "width {width}: level {objective}");
        }
        // three standard deviations of a share of 200, and of one of 1,000
        let share = number(&found, "/census/levels/0/share");
        let wide = 3.0 * (solved * (1.0 - solved) / 200.0 * 1.2f64).sqrt();
        assert!((share - solved).abs() < wide, "width {width}: {share} for {solved} +- {wide}");
        // a level's seed ends there alone
        let (seed, level) = (number(&found, "/census/levels/1/seed"), number(&found, "/census/levels/1/objective"));
        let alone = line.replace(" --starts 200", "");
        let one = answer(&format!("{alone} --width {width} --seed {seed}"));
        assert!((number(&one, "/objective") - level).abs() < 1e-3, "seed {seed}");
    }
}

/// Half-mean loss, no noise, both layers: the certified optimum of set A of the notes, from random starts.
#[test]
fn plain_descent_reaches_the_certified_optimum() {
    let file = written("train_set_a", "x,y\n0.5,1\n-1.5,-0.5\n");
    let line = format!("{} --target y --lambda 0.05 --beta inf --step 0.1 --steps 20000 --width 200", file.display());
    let found = answer(&line);
    let excess = number(&found, "/objective") - 0.056_232_315_80;
    assert!((-1e-9..2e-5).contains(&excess), "{excess:e}");
    assert_eq!(number(&found, "/effective_width"), 2.0);
    assert!(found["beta"].is_null());
}

fn fingerprint(dir: &Path) -> String {
    let text = fs::read_to_string(dir.join("result.json")).expect("a result");
    word(&serde_json::from_str(&text).expect("JSON"), "/fingerprint").to_owned()
}

#[test]
fn a_killed_run_goes_on_to_the_same_bits() {
    let file = written("train_kill", THREE);
    let kills = if std::env::var_os("RELIMIT_SOAK").is_some() { 50 } else { 10 };
    let line = |dir: &Path, threads: usize| {
        format!(
            "{} --target y --lambda 0.05 --beta 30 --anneal 300 --step 0.02 --steps 20000 --width 300 --batch 2 \
             --threads {threads} --checkpoint 1ms --out {}",
            file.display(),
            dir.display()
        )
    };
    let whole = folder("train_kill_whole").join("run");
    let all = answer(&line(&whole, 1));
    assert_eq!(word(&all, "/fingerprint"), fingerprint(&whole));
    let cut = folder("train_kill_cut").join("run");
    let mut resumed = 0;
    for k in 0..kills {
        let mut child = program()
            .arg("train")
            .args(line(&cut, [1, 2, 3, 7][k % 4]).split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        thread::sleep(Duration::from_millis(5 + 13 * k as u64 % 90));
        child.kill().expect("it runs, or has ended");
        child.wait().expect("an end");
        resumed += usize::from(cut.join("state.bin").exists());
    }
    assert!(resumed > 0, "no kill left a checkpoint");
    let end = call(&line(&cut, 7));
    assert_eq!(end.code, 0, "{}", end.err);
    assert_eq!(fingerprint(&cut), fingerprint(&whole));
    let record = |dir: &Path| -> Value {
        let text = fs::read_to_string(dir.join("result.json")).expect("a result");
        serde_json::from_str::<Value>(&text).expect("JSON")["record"].clone()
    };
    assert_eq!(record(&cut), record(&whole), "the record is that of the whole run");
    // a second call has nothing to do
    let again = call(&line(&cut, 1));
    assert!(unwrapped(&again.err).contains("holds this answer already"), "{}", again.err);
}

#[test]
fn a_damaged_or_foreign_checkpoint_is_refused_by_name() {
    let file = written("train_damage", THREE);
    let dir = folder("train_damage_run").join("run");
    let line = |steps: usize| {
        format!(
            "{} --target y --lambda 0.05 --steps {steps} --step 0.02 --budget 300ms --out {}",
            file.display(),
            dir.display()
        )
    };
    let cut = call(&line(100_000_000));
    assert_eq!(cut.code, 3, "{}", cut.err);
    assert!(cut.out.contains("was cut by the budget"), "{}", cut.out);
    let state = dir.join("state.bin");
    let whole = fs::read(&state).expect("a checkpoint");
    for at in [0, 40, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&state, &bytes).expect("scratch space");
        let called = call(&line(100_000_000));
        assert_eq!(called.code, 2, "byte {at}: {}", called.out);
        assert!(unwrapped(&called.err).contains("state.bin: is damaged"), "byte {at}: {}", called.err);
    }
    fs::write(&state, &whole).expect("scratch space");
    let other = call(&line(90_000_000));
    assert_eq!(other.code, 2, "{}", other.out);
    assert!(unwrapped(&other.err).contains("another"), "{}", other.err);
    let on = call(&line(100_000_000));
    assert_eq!(on.code, 3);
    assert!(unwrapped(&on.err).contains("going on from step"), "{}", on.err);
    let nowhere = folder("train_nowhere").join("none");
    let called =
        call(&line(10).replace(&format!("--out {}", dir.display()), &format!("--resume {}", nowhere.display())));
    assert_eq!(called.code, 2);
    assert!(unwrapped(&called.err).contains("holds no run"), "{}", called.err);
}

#[test]
fn a_diverging_run_stops_with_its_step_and_the_cure() {
    let file = written("train_diverge", "x,y\n-100,100\n50,-80\n");
    let called = call(&format!("{} --target y --lambda 0.1 --beta inf --step 10 --steps 1000", file.display()));
    assert_eq!(called.code, 0, "{}", called.err);
    let said = unwrapped(&called.out);
    assert!(said.contains("diverged after") && said.contains("is too large") && said.contains("--step"), "{said}");
}

#[test]
fn what_has_no_law_is_refused() {
    let file = written("train_refused", THREE);
    for (more, message) in [
        ("--lambda 0", "noise without weight decay"),
        ("--beta 0", "--beta 0: is an inverse temperature"),
        ("--beta -1", "--beta -1: is an inverse temperature"),
        ("--width 0", "--width 0: is out of range"),
        ("--bias free", "no stationary law"),
        ("--offset free", "--offset none"),
        ("--batch 4:shuffled", "give 1 to 3"),
        ("--batch many", "--batch many: is no batch"),
        ("--start orthant:1", "--start orthant:1: is no start of both layers"),
        ("--unit smooth:1", "--unit smooth:1: is no unit"),
        ("--beta inf --anneal 10", "has no geometric path"),
        ("--require certified", "give --require converged"),
        ("--step 0", "--step 0: is not positive"),
    ] {
        let called = call(&format!("{} --target y --steps 10 {more}", file.display()));
        assert_eq!(called.code, 2, "{more}: {}", called.out);
        assert!(unwrapped(&called.err).contains(message), "{more}: {}", called.err);
    }
}

#[test]
fn the_text_fits_a_terminal_and_the_network_is_saved() {
    let dir = folder("train_saved");
    let net = dir.join("net.npz");
    let line = "examples/data/trees.csv --target Volume --scale standardise --target-scale standardise --width 64 \
                --steps 500 --precision f32 --start sklearn";
    let called = call(&format!("{line} --save {}", net.display()));
    assert_eq!(called.code, 0, "{}", called.err);
    assert!(called.out.lines().all(|l| l.chars().count() <= 80), "{}", called.out);
    assert!(called.out.contains("Settings") && net.exists(), "{}", called.out);
    let predicted = program()
        .args(["predict", net.to_str().expect("a path"), "examples/data/trees.csv"])
        .output()
        .expect("it starts");
    assert!(predicted.status.success(), "{}", String::from_utf8_lossy(&predicted.stderr));
}
