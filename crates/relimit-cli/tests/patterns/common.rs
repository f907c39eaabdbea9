//! Runs the program, and counts patterns in another way: by lines and planes through the rows, in integers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What a call of the program left.
pub(crate) struct Called {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Calls `relimit patterns` with arguments separated by blanks, at the root of the workspace.
pub(crate) fn patterns(arguments: &str) -> Called {
    let output = Command::new(env!("CARGO_BIN_EXE_relimit"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .arg("patterns")
        .args(arguments.split_whitespace())
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("the program ends by itself");
    Called { code, out: text(&output.stdout), err: text(&output.stderr) }
}

/// The JSON answer of a call that ends with 0.
pub(crate) fn answer(arguments: &str) -> Value {
    let called = patterns(&format!("{arguments} --json"));
    assert_eq!(called.code, 0, "{arguments}: {}", called.err);
    serde_json::from_str(&called.out).unwrap_or_else(|e| panic!("{arguments}: {e}\n{}", called.out))
}

/// Text with every run of white space as one blank.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An empty folder of the test's own in the build's scratch space.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("patterns-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("scratch space");
    path
}

/// A CSV file of small numbers, in a folder of the test's own.
pub(crate) fn file(name: &str, content: &str) -> String {
    let path = folder(name).join("data.csv");
    fs::write(&path, content).expect("scratch space");
    path.display().to_string()
}

/// Columns of an example file, each made whole by a factor of its own, with a 1 at the end on request.
pub(crate) fn whole(name: &str, columns: &[(&str, f64)], bias: bool) -> Vec<Vec<i128>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let place = |name: &str| names.iter().position(|n| *n == name).expect("a column");
    let places: Vec<(usize, f64)> = columns.iter().map(|(name, times)| (place(name), *times)).collect();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let value = |(k, times): &(usize, f64)| (times * fields[*k].parse::<f64>().expect("a number")).round() as i128;
        let mut row: Vec<i128> = places.iter().map(value).collect();
        row.extend(bias.then_some(1));
        row
    };
    lines.map(row).collect()
}

/// Columns with one decimal, times ten.
pub(crate) fn tenths(name: &str, columns: &[&str], bias: bool) -> Vec<Vec<i128>> {
    whole(name, &columns.iter().map(|c| (*c, 10.0)).collect::<Vec<_>>(), bias)
}

/// Rank of integer rows by elimination without fractions.
pub(crate) fn rank(rows: &[&Vec<i128>]) -> usize {
    let mut rows: Vec<Vec<i128>> = rows.iter().map(|r| (*r).clone()).collect();
    let mut rank = 0;
    for c in 0..rows.first().map_or(0, Vec::len) {
        let Some(p) = (rank..rows.len()).find(|i| rows[*i][c] != 0) else { continue };
        rows.swap(rank, p);
        let top = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let lead = row[c];
            for (v, t) in row.iter_mut().zip(&top) {
                let product = |a: i128, b: i128| a.checked_mul(b).expect("small numbers");
                *v = product(*v, top[c]) - product(lead, *t);
            }
            let divisor = row.iter().fold(0, |g, v| gcd(g, v.abs()));
            if divisor > 1 {
                for v in row.iter_mut() {
                    *v /= divisor;
                }
            }
        }
        rank += 1;
    }
    rank
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// All subspaces of a rank that rows span, each as the set of rows in it.
fn flats(rows: &[Vec<i128>], of_rank: usize) -> BTreeSet<Vec<usize>> {
    let n = rows.len();
    let mut found = BTreeSet::new();
    let mut chosen: Vec<usize> = (0..of_rank).collect();
    loop {
        let base: Vec<&Vec<i128>> = chosen.iter().map(|i| &rows[*i]).collect();
        if rank(&base) == of_rank {
            let inside = |i: &usize| {
                let mut with = base.clone();
                with.push(&rows[*i]);
                rank(&with) == of_rank
            };
            found.insert((0..n).filter(inside).collect());
        }
        let Some(k) = (0..of_rank).rev().find(|k| chosen[*k] + of_rank - k < n) else { return found };
        chosen[k] += 1;
        for j in k + 1..of_rank {
            chosen[j] = chosen[j - 1] + 1;
        }
    }
}

/// P by the theorem of Zaslavsky for rows of rank 3 or 4, equal rows counted once (no other multiples may occur).
///
/// ```text
/// P = sum over flats F of |mu(F)|;   rank 0: 1,  rank 1: 1 each,  rank 2: |L| - 1,  rank 3: 1 - |F| + sum (|L| - 1) over L in F
/// ```
///
/// and that of the whole is fixed by the alternating sum, which is 0.
pub(crate) fn zaslavsky(rows: &[Vec<i128>]) -> u64 {
    let mut rows = rows.to_vec();
    rows.sort();
    rows.dedup();
    let size = |set: &[usize]| i64::try_from(set.len()).expect("few rows");
    let m = i64::try_from(rows.len()).expect("few rows");
    let r = rank(&rows.iter().collect::<Vec<_>>());
    let lines = flats(&rows, 2);
    let on_lines: i64 = lines.iter().map(|l| size(l) - 1).sum();
    match r {
        3 => (2 + 2 * on_lines) as u64,
        4 => {
            let within = |l: &Vec<usize>, f: &Vec<usize>| l.iter().all(|i| f.contains(i));
            let plane = |f: &Vec<usize>| {
                let inside: i64 = lines.iter().filter(|l| within(l, f)).map(|l| size(l) - 1).sum();
                1 - size(f) + inside
            };
            let planes: i64 = flats(&rows, 3).iter().map(plane).sum();
            (2 * (m + planes)) as u64
        }
        _ => panic!("rank {r}"),
    }
}
