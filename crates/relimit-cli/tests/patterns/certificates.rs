//! Certificates of patterns and of lists: the program and tools/check_certificate.py agree on valid and tampered files,
//! and what both accept is true by an enumeration of the plane in integers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{file, folder, patterns};

/// Codes of `relimit check`, and of the independent checker: 0 holds, 1 fails, 2 malformed.
fn verdicts(files: &[PathBuf]) -> (Vec<i32>, Vec<i32>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let check = |file| Command::new(env!("CARGO_BIN_EXE_relimit")).arg("check").arg(file).output().expect("starts");
    let ours = files.iter().map(|f| check(f).status.code().expect("ends by itself")).collect();
    let script = root.join("tools/check_certificate.py");
    let output = Command::new("python3").arg(script).args(files).output().expect("this test needs python3");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = |(line, file): (&str, &PathBuf)| {
        let rest = line.strip_prefix(&file.display().to_string()).expect("a line a file");
        let words = [": holds", ": fails", ": malformed"];
        i32::try_from(words.iter().position(|w| rest.starts_with(w)).expect("a verdict")).expect("small")
    };
    assert_eq!(text.lines().count(), files.len(), "{}", String::from_utf8_lossy(&output.stderr));
    (ours, text.lines().zip(files).map(verdict).collect())
}

/// A list and patterns of rows (x, 1), one of each kind.
fn certificates(name: &str) -> Vec<PathBuf> {
    let data = file(name, "a\n-2\n0\n1\n1\n3\n");
    let to = folder(&format!("{name}-written"));
    let write = |kind: &str, arguments: &str| {
        let path = to.join(format!("{kind}.json"));
        let called = patterns(&format!("{data} --bias {arguments} --certificate {}", path.display()));
        assert_eq!(called.code, 0, "{}", called.err);
        path
    };
    vec![
        write("list", ""),
        write("possible", "--check 00111"),
        write("impossible", "--check 01001"),
        write("face", "--check -0+++"),
        write("no-face", "--check -000+"),
    ]
}

/// All sign vectors of rows in the plane: on the normals of the rows, and between each two of these.
fn covectors(x: &[Vec<i64>]) -> BTreeSet<String> {
    let normals: Vec<[i64; 2]> = x.iter().flat_map(|r| [[-r[1], r[0]], [r[1], -r[0]]]).collect();
    let sums = normals.iter().flat_map(|a| normals.iter().map(|b| [a[0] + b[0], a[1] + b[1]]));
    let sign = |u: &[i64; 2], r: &Vec<i64>| match r[0] * u[0] + r[1] * u[1] {
        0 => '0',
        v if v < 0 => '-',
        _ => '+',
    };
    let signs = |u: [i64; 2]| x.iter().map(|r| sign(&u, r)).collect();
    normals.iter().copied().chain(sums).chain([[0, 0]]).map(signs).collect()
}

/// Whether the statement of a certificate is true, by enumeration.
fn is_true(certificate: &Value) -> bool {
    let whole = |v: &Value| v.as_f64().filter(|v| v.fract() == 0.0).expect("a whole number") as i64;
    let rows = certificate["x"].as_array().expect("rows").iter();
    let x: Vec<Vec<i64>> = rows.map(|r| r.as_array().expect("a row").iter().map(whole).collect()).collect();
    let all = covectors(&x);
    if let Some(pattern) = certificate["pattern"].as_str() {
        return certificate["possible"].as_bool() == Some(all.contains(pattern));
    }
    let zero: Vec<bool> = x.iter().map(|r| r.iter().all(|v| *v == 0)).collect();
    let cell = |s: &&String| s.chars().zip(&zero).all(|(c, z)| (c == '0') == *z);
    certificate["patterns"] == all.iter().filter(cell).count()
}

/// JSON pointers of everything that can be changed: numbers, integers as text, signs, the claim, subtrees.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| places(v, &format!("{at}/{k}"), out)),
        Value::Array(list) => list.iter().enumerate().for_each(|(k, v)| places(v, &format!("{at}/{k}"), out)),
        Value::Null => return,
        _ => out.push(at.into()),
    }
    if ["/negative", "/positive", "/root", "/witness", "/proof"].iter().any(|end| at.ends_with(end)) {
        out.push(at.into());
    }
}

/// The value changed by a little, by much, or to its opposite.
fn changed(value: &Value, kind: u64) -> Value {
    let step = [1, -1, 5][kind as usize % 3];
    match value {
        Value::Bool(v) => (!v).into(),
        Value::Number(v) if v.is_u64() => v.as_u64().expect("a count").saturating_add_signed(step).into(),
        Value::Number(v) => (v.as_f64().expect("a number") + step as f64).into(),
        Value::String(v) => {
            if let Ok(v) = v.parse::<i64>() {
                return (v + step).to_string().into();
            }
            let k = kind as usize % v.len();
            let other = if v.as_bytes()[k] == b'+' { "-" } else { "+" };
            format!("{}{other}{}", &v[..k], &v[k + 1..]).into()
        }
        _ => Value::Null,
    }
}

#[test]
fn valid_certificates_hold_and_tampered_ones_are_refused_or_true() {
    let files = certificates("certified");
    assert_eq!(verdicts(&files), (vec![0; files.len()], vec![0; files.len()]));
    let wholes: Vec<Value> =
        files.iter().map(|f| serde_json::from_str(&fs::read_to_string(f).expect("read")).expect("JSON")).collect();
    assert!(wholes.iter().all(is_true));
    assert_eq!(wholes[0]["patterns"], 8, "4 different points on a line");

    let count = if std::env::var_os("RELIMIT_SOAK").is_some() { 1000 } else { 100 };
    let to = folder("tampered");
    let (mut tampered, mut altered) = (vec![], vec![]);
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below as u64) as usize
    };
    while tampered.len() < count {
        let mut whole = wholes[tampered.len() % wholes.len()].clone();
        let mut at = vec![];
        places(&whole, "", &mut at);
        let at = at.swap_remove(random(at.len()));
        let place = whole.pointer_mut(&at).expect("a place of this file");
        let other = changed(place, random(60) as u64);
        if other == *place {
            continue;
        }
        *place = other;
        let path = to.join(format!("{}.json", tampered.len()));
        fs::write(&path, whole.to_string()).expect("scratch space");
        tampered.push(path);
        altered.push((at, whole));
    }
    let (ours, python) = verdicts(&tampered);
    let mut refused = 0;
    for (((at, whole), ours), python) in altered.iter().zip(&ours).zip(&python) {
        assert_eq!(ours, python, "{at}: {whole}");
        assert!(*ours != 0 || is_true(whole), "{at}: accepted, but false: {whole}");
        // a claim has no weaker side, and no subtree or part of a proof can be missed
        let counts = at.ends_with("/patterns") || at.ends_with("/possible") || whole.pointer(at) == Some(&Value::Null);
        assert!(*ours != 0 || !counts, "{at}: {whole}");
        refused += usize::from(*ours != 0);
    }
    assert!(refused * 2 > count, "{refused} of {count} were refused");
}

#[test]
fn committed_certificates_are_read_ever_after() {
    let at = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/certificates");
    let files = ["patterns.json", "pattern.json", "no_pattern.json"].map(|name| at.join(name));
    assert_eq!(verdicts(&files), (vec![0; 3], vec![0; 3]));
}

/// 60 points on a line have 120 patterns; a proof of the whole list takes at most 50 rows.
#[test]
fn a_refused_proof_leaves_the_answer_standing() {
    let rows: Vec<String> = (1..=60).map(|k| k.to_string()).collect();
    let data = file("refused", &format!("a\n{}\n", rows.join("\n")));
    let to = folder("refused-written").join("list.json");
    let called = patterns(&format!("{data} --bias --json --certificate {}", to.display()));
    assert!(called.code == 2 && called.err.contains("at most 50 rows") && !to.exists(), "{}", called.err);
    let answer: Value = serde_json::from_str(&called.out).expect("the answer");
    assert_eq!(answer["patterns"], 120);
}
