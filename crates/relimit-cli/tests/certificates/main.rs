//! Certificates of every kind: the program and tools/check_certificate.py agree on valid and tampered files, and what both
//! accept is true by slow computations of another kind.

mod bases;
mod functions;
mod signs;
mod truth;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use relimit_core::zoo::golden_one;
use relimit_run::read::{Certificate, certificate};
use serde_json::Value;

use bases::{bases, limit};
use truth::is_true;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An empty folder of this test program.
fn folder(name: &str) -> PathBuf {
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates").join(name);
    let _ = fs::remove_dir_all(&at);
    fs::create_dir_all(&at).expect("scratch space");
    at
}

/// 0 holds, 1 fails, 2 malformed: by the library behind `relimit check`.
fn ours(file: &Path) -> i32 {
    let fails = match certificate(file) {
        Err(_) => return 2,
        Ok(Certificate::Optimum(c)) => c.check().map(|f| f.is_some()),
        Ok(Certificate::Limit(c)) => c.check().map(|f| f.is_some()),
        Ok(Certificate::Pattern(c)) => c.check().map(|holds| !holds),
        Ok(Certificate::List(c)) => c.check().map(|holds| !holds),
        Ok(Certificate::Equality(c)) => c.check().map(|found| !found.holds),
        Ok(Certificate::Rows(c)) => c.check().map(|(holds, _)| !holds),
    };
    fails.map_or(2, i32::from)
}

/// The same by the independent checker, all files in one call.
fn python(files: &[PathBuf]) -> Vec<i32> {
    let script = root().join("tools/check_certificate.py");
    let output = Command::new("python3").arg(script).args(files).output().expect("this test needs python3");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.lines().count(), files.len(), "{}", String::from_utf8_lossy(&output.stderr));
    let verdict = |(line, file): (&str, &PathBuf)| {
        let rest = line.strip_prefix(&file.display().to_string()).expect("a line a file");
        let words = [": holds", ": fails", ": malformed"];
        i32::try_from(words.iter().position(|w| rest.starts_with(w)).expect("a verdict")).expect("small")
    };
    text.lines().zip(files).map(verdict).collect()
}

/// JSON pointers of every number, integer as text and list of signs.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| places(v, &format!("{at}/{k}"), out)),
        Value::Array(list) => list.iter().enumerate().for_each(|(k, v)| places(v, &format!("{at}/{k}"), out)),
        Value::Number(_) => out.push(at.into()),
        Value::String(_) if ["denominator", "pattern", "states"].iter().any(|end| at.ends_with(end)) => {
            out.push(at.into());
        }
        Value::String(_) if ["/numerators/", "/multipliers/", "/u/"].iter().any(|part| at.contains(part)) => {
            out.push(at.into());
        }
        _ => {}
    }
}

/// The value changed by one unit in the last place, by a little, by much, or to its opposite.
fn changed(value: &Value, kind: usize) -> Value {
    match value {
        Value::Number(v) if v.is_u64() => v.as_u64().expect("a row").wrapping_add([1, 5, u64::MAX][kind % 3]).into(),
        Value::Number(v) => {
            let v = v.as_f64().expect("a number");
            [v.next_up(), v.next_down(), v * (1.0 + 1e-9), v * (1.0 - 1e-9), v * 1.5, 0.5 * v, -v, v + 1.0, v - 1.0]
                [kind % 9]
                .into()
        }
        Value::String(v) if v.contains(['*', '+', 'a', 'b']) || v.parse::<f64>().is_err() => {
            let letters: &[&str] = if v.contains(['a', 'b']) { &["a", "b", "*"] } else { &["+", "-", "*"] };
            let k = kind % v.len();
            format!("{}{}{}", &v[..k], letters[kind / 7 % 3], &v[k + 1..]).into()
        }
        Value::String(v) => match kind % 3 {
            0 => format!("{v}0").into(),
            1 => format!("-{v}").replace("--", "").into(),
            _ => (v.parse::<i128>().map_or_else(|_| format!("{v}7"), |v| (v + 1).to_string())).into(),
        },
        _ => unreachable!("a place holds a number or a text"),
    }
}

/// Whether no checker may accept the change: data, signs, trees, and claims to the stronger side.
fn never(at: &str, old: &Value, new: &Value) -> bool {
    let rises = new.as_f64() > old.as_f64();
    let structure = at.starts_with("/x/") || at.starts_with("/y/") || at.ends_with("/split/row");
    let signs =
        at.ends_with("/pattern") || at.ends_with("/states") || (at.contains("/ranges/") && at.ends_with("/row"));
    // networks and box of an equality are its data; a number of patterns has no weaker side
    let networks = ["/given/", "/narrow/", "/on/", "/inputs"].iter().any(|start| at.starts_with(start));
    structure
        || signs
        || networks
        || at == "/patterns"
        || (UPPER.contains(&at) && !rises)
        || (LOWER.contains(&at) && rises)
}

/// Claims that are stronger when smaller.
const UPPER: [&str; 10] = [
    "/objective",
    "/gap",
    "/min_norm/upper",
    "/min_norm/distance",
    "/one_step/rho",
    "/one_step/left",
    "/one_step/contraction",
    "/max_difference",
    "/constant",
    "/slope",
];

/// Claims that are stronger when larger.
const LOWER: [&str; 3] = ["/lower_bound", "/min_norm/lower", "/one_step/right"];

/// Every claim is the strongest that the proof allows: one unit in the last place more is refused.
#[test]
fn claims_are_the_strongest_that_the_proof_allows() {
    let to = folder("stronger");
    let mut files = vec![];
    for whole in bases() {
        for (list, step) in [(&UPPER[..], f64::next_down as fn(f64) -> f64), (&LOWER[..], f64::next_up)] {
            for at in list {
                let mut whole = whole.clone();
                let Some(place) = whole.pointer_mut(at).filter(|v| v.is_f64()) else { continue };
                *place = step(place.as_f64().expect("a claim")).into();
                let path = to.join(format!("{}.json", files.len()));
                fs::write(&path, whole.to_string()).expect("scratch space");
                assert_eq!(ours(&path), 1, "{at}: {whole}");
                files.push(path);
            }
        }
    }
    assert!(files.len() >= 30, "{} claims", files.len());
    assert_eq!(python(&files), vec![1; files.len()]);
}

#[test]
fn a_thousand_tamperings_are_refused_or_true() {
    let to = folder("tampered");
    let wholes = bases();
    let mut files = vec![];
    for (k, whole) in wholes.iter().enumerate() {
        let path = to.join(format!("whole-{k}.json"));
        fs::write(&path, whole.to_string()).expect("scratch space");
        assert_eq!(ours(&path), 0, "{whole}");
        assert!(is_true(whole), "{whole}");
        files.push(path);
    }
    assert_eq!(python(&files), vec![0; files.len()]);

    let (mut tampered, mut altered) = (vec![], vec![]);
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below as u64) as usize
    };
    while tampered.len() < 1000 {
        let mut whole = wholes[tampered.len() % wholes.len()].clone();
        let mut at = vec![];
        places(&whole, "", &mut at);
        // claims and parameters are few: every fourth change is one of them
        if random(4) == 0 {
            at.retain(|at| at.matches('/').count() <= 2 && !at.starts_with("/x/") && !at.starts_with("/y/"));
        }
        let at = at.swap_remove(random(at.len()));
        let place = whole.pointer_mut(&at).expect("a place of this file");
        let (old, new) = (place.clone(), changed(place, random(60)));
        if old == new || old.as_f64().is_some_and(|v| Some(v) == new.as_f64()) {
            continue;
        }
        *place = new.clone();
        let path = to.join(format!("{}.json", tampered.len()));
        fs::write(&path, whole.to_string()).expect("scratch space");
        tampered.push(path);
        altered.push((never(&at, &old, &new), at, whole));
    }
    let python = python(&tampered);
    let (mut refused, mut accepted) = (0, 0);
    for (((never, at, whole), file), python) in altered.iter().zip(&tampered).zip(&python) {
        let ours = ours(file);
        assert_eq!(ours, *python, "{at}: {whole}");
        assert!(ours != 0 || !never, "{at}: {whole}");
        assert!(ours != 0 || is_true(whole), "{at}: accepted, but false: {whole}");
        *(if ours == 0 { &mut accepted } else { &mut refused }) += 1;
    }
    assert!(refused > 500 && accepted > 50, "{refused} refused, {accepted} accepted");
}

/// The reference minimum norm with a point beside the best one: w_0 = X'a with outputs (1, 2, -1/64) instead of (1, 2, 0).
///
/// ```text
/// X X' = 16 I + 1 1',  a = (X X')^-1 (1, 2, -1/64) = (1025, 2241, -210)/19456,  |w_0|^2 - best = (6 + 9/32)/19456
/// ```
fn with_radius() -> Value {
    let mut whole = limit(&golden_one());
    let part = &mut whole["min_norm"];
    // over 19456 times the denominator, so that both neurons have whole numerators
    let whole_number = |v: &Value| v.as_str().and_then(|v| v.parse::<i128>().ok()).expect("a whole number");
    let tall = whole_number(&part["point"]["denominator"]);
    let all: Vec<i128> = part["point"]["numerators"].as_array().expect("a list").iter().map(whole_number).collect();
    let first = [1025, 2241, -210].map(|a| a * tall);
    for (k, old) in all.into_iter().enumerate() {
        part["point"]["numerators"][k] = first.get(k).copied().unwrap_or(19456 * old).to_string().into();
    }
    part["point"]["denominator"] = (19456 * tall).to_string().into();
    let excess = 6.28125 / 19456.0;
    let upper = part["upper"].as_f64().expect("a norm");
    part["upper"] = ((upper * upper + excess).sqrt() * (1.0 + 1e-12)).into();
    let radius = excess.sqrt() * (1.0 + 1e-9);
    let ball = &mut part["tree"][0]["leaf"]["ball"];
    let apart = ball["apart"].as_f64().expect("a distance");
    assert!(apart > 0.0 && ball["radius"] == 0.0, "{ball}");
    ball["radius"] = radius.into();
    part["distance"] = ((apart + radius) * (1.0 + 1e-12)).into();
    whole
}

/// Each condition of the independent checker is one that a tampered file fails by it alone: without it the file passes.
#[test]
fn no_condition_of_a_ball_can_be_left_out() {
    let to = folder("mutants");
    let script = fs::read_to_string(root().join("tools/check_certificate.py")).expect("the checker");
    let whole = with_radius();
    let file = to.join("whole.json");
    fs::write(&file, whole.to_string()).expect("scratch space");
    assert_eq!((ours(&file), python(&[file])), (0, vec![0]), "{whole}");
    let ball = "/min_norm/tree/0/leaf/ball";
    let number = |at: &str| whole.pointer(at).and_then(Value::as_f64).expect("a number");
    let (apart, radius) = (number(&format!("{ball}/apart")), number(&format!("{ball}/radius")));
    for (name, condition, at, value) in [
        ("radius", "norm2 - 2 * gain + length2 > radius * radius", format!("{ball}/radius"), 0.999 * radius),
        ("apart", "apart2 > apart * apart", format!("{ball}/apart"), 0.5 * apart),
        ("sum", "apart + radius > distance", "/min_norm/distance".to_owned(), 0.999 * radius),
    ] {
        assert_eq!(script.matches(condition).count(), 1, "{name}");
        let mutant = to.join(format!("{name}.py"));
        fs::write(&mutant, script.replace(condition, "False")).expect("scratch space");
        let mut tampered = whole.clone();
        *tampered.pointer_mut(&at).expect("a number") = value.into();
        let file = to.join(format!("{name}.json"));
        fs::write(&file, tampered.to_string()).expect("scratch space");
        assert_eq!((ours(&file), python(std::slice::from_ref(&file))), (1, vec![1]), "{name}: {tampered}");
        let output = Command::new("python3").arg(&mutant).arg(&file).output().expect("python3");
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_program_writes_and_checks_them() {
    let to = folder("written");
    let call = |arguments: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_relimit"))
            .current_dir(root())
            .args(arguments.split_whitespace())
            .output()
            .expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().expect("ends by itself"), text(&output.stdout), text(&output.stderr))
    };
    let golden = to.join("golden.csv");
    fs::write(&golden, "a,b,c,d,y\n4,0,0,1,1\n0,4,0,1,2\n0,0,4,1,-1\n").expect("scratch space");
    let (optimum, limit) = (to.join("optimum.json"), to.join("limit.json"));
    let scaled = "--scale standardise --target-scale standardise";
    let line = format!("optimum examples/data/trees.csv --target Volume {scaled} --certificate {}", optimum.display());
    let (code, out, err) = call(&line);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let (code, out, _) = call(&format!("check {}", optimum.display()));
    // the objective of the record of real data
    assert_eq!(code, 0, "{out}");
    let starts = "The certificate holds: the network has an objective of at most 0.0710380139";
    assert!(out.starts_with(starts), "{out}");
    let steps = "--signs=+- --step-constant 2 --start orthant:0.01";
    let line = format!("limit {} --target y {steps} --certificate {}", golden.display(), limit.display());
    let (code, out, err) = call(&line);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let (code, out, _) = call(&format!("check {} --json", limit.display()));
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &answer["kind"]), (0, &"minimum norm, one step".into()), "{out}");
    // closed form of the golden example
    let norm = answer["claimed"]["min_norm"]["upper"].as_f64().expect("a norm");
    assert!((norm - 0.584_897_65).abs() < 1e-8, "{out}");
    assert_eq!(python(&[optimum, limit.clone()]), [0, 0]);

    // what cannot be written leaves the answer standing
    fs::remove_file(&limit).expect("it was written");
    let line = format!("limit {} --target y --signs=++ --flow --certificate {}", golden.display(), limit.display());
    let (code, out, err) = call(&line);
    assert_eq!(code, 3, "{err}");
    assert!(out.contains("limit") && err.contains("one neuron, or two") && !limit.exists(), "{out}{err}");
}

#[test]
fn committed_certificates_are_read_ever_after() {
    let at = root().join("examples/certificates");
    // both layouts of patterns and lists
    let names = [
        "optimum",
        "lower_bound",
        "limit",
        "pattern",
        "no_pattern",
        "patterns",
        "pattern-2",
        "patterns-2",
        "equality-2",
        "equality-rows",
    ];
    let files: Vec<PathBuf> = names.map(|name| at.join(format!("{name}.json"))).into();
    for file in &files {
        assert_eq!(ours(file), 0, "{}", file.display());
    }
    assert_eq!(python(&files), [0; 10]);
}
