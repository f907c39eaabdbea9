//! Single patterns decided with proof, and complete lists: against Fourier-Motzkin elimination, and under tampering.

mod common;
#[path = "common/signs.rs"]
mod signs;

use std::cmp::Ordering;

use common::Rng;
use dashu_int::IBig;
use relimit_core::certify::pattern::{
    Decision, ListEnd, Motzkin, PatternList, Refusal, Witness, decide, list_patterns,
};
use relimit_core::num::Mat;
use relimit_core::pattern::Covector;
use serde_json::Value;
use signs::{as_mat, brute_force, realisable};

fn covector(s: &[i8]) -> Covector {
    Covector::from_signs(s.iter().map(|v| v.cmp(&0)))
}

fn go() -> bool {
    false
}

fn integer(rng: &mut Rng, size: usize) -> i64 {
    rng.below(2 * size + 1).cast_signed() as i64 - size.cast_signed() as i64
}

/// A witness or multipliers, checked here in i128.
fn confirm(x: &[Vec<i64>], s: &[i8], decision: &Decision) -> bool {
    let dim = x.first().map_or(0, Vec::len);
    let small = |v: &IBig| i128::try_from(v).expect("short numbers");
    match decision {
        Decision::Realisable(Witness { u }) => {
            for (row, s) in x.iter().zip(s) {
                let z: i128 = row.iter().zip(u).map(|(a, u)| i128::from(*a) * small(u)).sum();
                assert_eq!(z.cmp(&0), s.cmp(&0), "{x:?} {s:?} {u:?}");
            }
            true
        }
        Decision::Impossible(Motzkin { rows, multipliers }) => {
            assert!(rows.iter().any(|&i| s[i] != 0) && rows.len() <= dim + 1);
            for (&i, m) in rows.iter().zip(multipliers) {
                assert!(s[i] == 0 || small(m).signum() == i128::from(s[i]), "{x:?} {s:?} {rows:?} {multipliers:?}");
            }
            for c in 0..dim {
                let sum: i128 = rows.iter().zip(multipliers).map(|(&i, m)| i128::from(x[i][c]) * small(m)).sum();
                assert_eq!(sum, 0);
            }
            false
        }
        Decision::Stopped => panic!("nobody stopped it"),
    }
}

#[test]
fn every_pattern_of_small_data_is_decided_as_by_elimination() {
    let mut rng = Rng(1);
    let (mut yes, mut no) = (0, 0);
    for case in 0..1500 {
        let (n, dim) = (1 + rng.below(6), 1 + rng.below(4));
        let x: Vec<Vec<i64>> = (0..n).map(|_| (0..dim).map(|_| integer(&mut rng, 2)).collect()).collect();
        // Binary in one half of the cases, ternary in the other.
        let choices = if case % 2 == 0 { 2 } else { 3 };
        let s: Vec<i8> = (0..n).map(|_| [1, -1, 0][rng.below(choices)]).collect();
        let decision = decide(&as_mat(&x, dim), &covector(&s), &go);
        let exists = confirm(&x, &s, &decision);
        assert_eq!(exists, realisable(&x, &s), "case {case}: {x:?} {s:?}");
        *(if exists { &mut yes } else { &mut no }) += 1;
    }
    assert!(yes > 300 && no > 300, "{yes} patterns, {no} proofs");
}

/// Proofs are minimal: without any one of its rows the rest is independent.
#[test]
fn supports_are_minimal() {
    let mut rng = Rng(2);
    let mut proofs = 0;
    for _ in 0..400 {
        let (n, dim) = (3 + rng.below(8), 2 + rng.below(3));
        let x: Vec<Vec<i64>> = (0..n).map(|_| (0..dim).map(|_| integer(&mut rng, 3)).collect()).collect();
        let s: Vec<i8> = (0..n).map(|_| [1, -1, 1, -1, 0][rng.below(5)]).collect();
        let Decision::Impossible(proof) = decide(&as_mat(&x, dim), &covector(&s), &go) else { continue };
        proofs += 1;
        for left_out in 0..proof.rows.len() {
            let rest: Vec<Vec<i64>> =
                (0..proof.rows.len()).filter(|t| *t != left_out).map(|t| x[proof.rows[t]].clone()).collect();
            // Independent rows take every combination of signs.
            assert_eq!(brute_force(&rest, false).len(), 1 << rest.len());
        }
    }
    assert!(proofs > 100, "{proofs}");
}

/// Rows of the list as one matrix; the exact answer is known by construction, whatever rounding would say.
#[test]
fn near_degenerate_rows_are_decided() {
    let eps = f64::EPSILON;
    let wanted = |text: &str| Covector::parse(text).unwrap();
    let possible = |x: &Mat, text: &str| match decide(x, &wanted(text), &go) {
        Decision::Realisable(w) => w.verify(x, &wanted(text)),
        Decision::Impossible(p) => {
            assert!(p.verify(x, &wanted(text)), "a proof that does not hold");
            false
        }
        Decision::Stopped => panic!("nobody stopped it"),
    };
    // Three points on a line, the middle one raised by one part in 10^16: then (+, -, +) exists on one side only.
    let line = |h: f64| Mat::from_rows(&[[0.0, 1.0, 1.0], [1.0, 1.0 + h, 1.0], [2.0, 1.0, 1.0]]);
    assert!(possible(&line(eps), "+-+") && possible(&line(eps), "-+-"));
    assert!(!possible(&line(0.0), "+-+") && !possible(&line(0.0), "-+-"));
    // (0.5, 3) is the sum of (0.25, 1) and (0.25, 2); in doubles 0.1 + 0.2 is not 0.3.
    let sums = |a: f64, b: f64, c: f64| Mat::from_rows(&[[a, 1.0], [b, 2.0], [c, 3.0]]);
    assert!(!possible(&sums(0.25, 0.25, 0.5), "++-"));
    assert!(possible(&sums(0.1, 0.2, 0.3), "++-"));
    // (0.1, 1) and (0.2, 2) are proportional as doubles, (0.3, 3) is not: u may vanish on the first two alone.
    assert!(!possible(&sums(0.25, 0.25, 0.5), "00+") && possible(&sums(0.1, 0.2, 0.3), "00+"));
    assert!(!possible(&sums(0.1, 0.2, 0.4), "+-+") && !possible(&sums(0.1, 0.2, 0.3), "0+0"));
    // Scales: (1e300, 1e-300) and (1e300, -1e-300) differ by a direction that no double norm sees.
    let wide = Mat::from_rows(&[[1e300, 1e-300], [-1e300, 1e-300], [1e-300, 1e-300]]);
    assert!(possible(&wide, "+++") && possible(&wide, "-++") && possible(&wide, "+-+"));
    // Signs of a 1e600 + b, -a 1e600 + b, a + b at u = (a, b).
    assert!(!possible(&wide, "--+") && possible(&wide, "+--") && !possible(&wide, "++-"));
    // 53-bit integers with determinant 1.
    let (p, q) = (9_007_199_254_740_991.0, 9_007_199_254_740_990.0);
    let thin = Mat::from_rows(&[[p, q], [-q, -(q - 1.0)]]);
    assert_eq!(i128::from(p as i64) * i128::from(q as i64 - 1) - i128::from(q as i64) * i128::from(q as i64), -1);
    for text in ["++", "+-", "-+", "--"] {
        assert!(possible(&thin, text), "{text}");
    }
    // Four rows, every pattern: exactly the 8 of four lines in the plane.
    let fan = Mat::from_rows(&[[1.0, 0.0], [1.0, 1e-300], [1.0, 1e-16], [1.0, 1e300]]);
    let all = (0..16u32).filter(|k| {
        let text: String = (0..4).map(|i| if k >> i & 1 == 1 { '+' } else { '-' }).collect();
        possible(&fan, &text)
    });
    assert_eq!(all.count(), 8);
}

#[test]
fn zero_rows_and_empty_data() {
    let x = Mat::from_rows(&[[0.0, -0.0], [1.0, 0.0]]);
    let wanted = |text: &str| Covector::parse(text).unwrap();
    let Decision::Impossible(p) = decide(&x, &wanted("-+"), &go) else { panic!("a zero row has a side") };
    assert!(p.verify(&x, &wanted("-+")) && p.rows == [0]);
    assert!(matches!(decide(&x, &wanted("0+"), &go), Decision::Realisable(_)));
    assert!(matches!(decide(&x, &wanted("00"), &go), Decision::Realisable(_)));
    assert!(matches!(decide(&Mat::zeros(0, 3), &wanted(""), &go), Decision::Realisable(_)));
    assert_eq!(decide(&Mat::from_rows(&[[1.0]]), &wanted("+"), &|| true), Decision::Stopped);
    // A dependence among the rows wanted 0 alone is no proof.
    let twins = Mat::from_rows(&[[1.0, 1.0], [2.0, 2.0], [1.0, 0.0]]);
    let forged = Motzkin { rows: vec![0, 1], multipliers: vec![IBig::from(2), IBig::from(-1)] };
    assert!(!forged.verify(&twins, &wanted("00+")));
    assert!(matches!(decide(&twins, &wanted("00+"), &go), Decision::Realisable(_)));
}

#[test]
fn proofs_in_words() {
    let line = Mat::from_rows(&[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]);
    let words = |x: &Mat, text: &str| match decide(x, &Covector::parse(text).unwrap(), &go) {
        Decision::Impossible(p) => p.words(&|i| format!("row {}", i + 2)),
        other => panic!("{other:?}"),
    };
    assert_eq!(words(&line, "+-+"), "1 x (row 2) - 2 x (row 3) + 1 x (row 4) = 0 exactly in every column");
    assert_eq!(words(&line, "-+-"), "-1 x (row 2) + 2 x (row 3) - 1 x (row 4) = 0 exactly in every column");
    // 0.3 is 5404319552844595 / 2^54.
    let long = words(&Mat::from_rows(&[[0.3], [-1.0]]), "++");
    assert_eq!(long, "2 examples, taken with exact integers of up to 17 digits, add up to exactly 0 in every column");
}

/// Larger data: random directions give patterns that exist, a planted cancellation patterns that do not.
#[test]
fn larger_data_are_decided_quickly() {
    let mut rng = Rng(9);
    for (n, dim, zeros) in [(200, 8, 0), (200, 8, 3), (40, 120, 0), (1000, 4, 2), (30, 25, 10)] {
        let x: Vec<Vec<i64>> = (0..n).map(|_| (0..dim).map(|_| integer(&mut rng, 1_000_000)).collect()).collect();
        let mat = as_mat(&x, dim);
        let point = rng.normals(1, dim);
        let mut s = Covector::from_signs((0..n).map(|i| {
            let z: f64 = mat.row(i).iter().zip(point.row(0)).map(|(a, u)| a * u).sum();
            z.partial_cmp(&0.0).unwrap()
        }));
        let Decision::Realisable(w) = decide(&mat, &s, &go) else { panic!("{n}x{dim}: the pattern of a point") };
        assert!(w.verify(&mat, &s));
        for i in 0..zeros {
            s.set(i, Ordering::Equal);
        }
        // Row n is a combination of the others with their signs (any sign on rows wanted 0), wanted negative.
        let planted: Vec<i64> = (0..n.min(dim + zeros))
            .map(|i| match s.get(i) {
                Ordering::Less => -1 - rng.below(9).cast_signed() as i64,
                Ordering::Equal => integer(&mut rng, 9),
                Ordering::Greater => 1 + rng.below(9).cast_signed() as i64,
            })
            .collect();
        let last: Vec<i64> = (0..dim).map(|c| planted.iter().zip(&x).map(|(m, r)| m * r[c]).sum()).collect();
        let mut more = x.clone();
        more.push(last);
        let more = as_mat(&more, dim);
        let t = Covector::from_signs(s.signs().chain([Ordering::Less]));
        let Decision::Impossible(p) = decide(&more, &t, &go) else { panic!("{n}x{dim}: a planted cancellation") };
        assert!(p.verify(&more, &t) && p.rows.len() <= dim + 1);
        assert!(!p.verify(&more, &t.negated()) || t.zeros() == t.n());
    }
}

fn certificate(x: &Mat) -> PatternList {
    let ListEnd::Complete(list) = list_patterns(x, 100_000, &go) else { panic!("not complete") };
    list
}

#[test]
fn lists_are_those_of_brute_force() {
    let mut rng = Rng(4);
    for case in 0..60 {
        let (n, dim) = (rng.below(8), 1 + rng.below(4));
        let x: Vec<Vec<i64>> = (0..n).map(|_| (0..dim).map(|_| integer(&mut rng, 1 + case % 4)).collect()).collect();
        let mat = as_mat(&x, dim);
        let mut found = certificate(&mat).verify(&mat).unwrap();
        let mut expected: Vec<Covector> = brute_force(&x, false).iter().map(|s| covector(s)).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{x:?}");
    }
    assert!(matches!(list_patterns(&Mat::from_rows(&[[1.0]]), 2, &go), ListEnd::Stopped { patterns: 1 }));
    assert!(matches!(list_patterns(&Mat::from_rows(&[[1.0]]), 9, &|| true), ListEnd::Stopped { .. }));
}

/// Every number of a certificate is changed in turn, and every part removed: it is refused, or the change left a proof.
#[test]
fn tampered_lists_are_refused() {
    let rows = vec![vec![0, 0, 1], vec![1, 0, 1], vec![2, 0, 1], vec![0, 1, 1], vec![0, 0, 0]];
    let x = as_mat(&rows, 3);
    let list = certificate(&x);
    // Reference: three points on a line and one beside it have 12 dichotomies.
    assert_eq!(list.verify(&x).unwrap().len(), 12);
    let json = serde_json::to_value(&list).unwrap();
    assert_eq!(serde_json::from_value::<PatternList>(json.clone()).unwrap(), list);
    let mut places = vec![];
    walk(&json, &mut vec![], &mut places);
    let (mut refused, mut kept) = (0, 0);
    for place in &places {
        let changes: [fn(i64) -> i64; 4] = [|v| v + 1, |v| v - 1, |v| -v, |v| v + 1_000_003];
        for change in changes {
            let mut tampered = json.clone();
            let at = place.iter().fold(&mut tampered, |v, key| key.of(v));
            let old = at.clone();
            *at = match &old {
                Value::String(text) => Value::String(change(text.parse().unwrap()).to_string()),
                Value::Number(v) if v.is_f64() => Value::from(change(v.as_f64().unwrap() as i64) as f64),
                Value::Number(v) => Value::from(change(v.as_i64().unwrap())),
                _ => Value::Null,
            };
            if *at == old {
                continue;
            }
            match serde_json::from_value::<PatternList>(tampered) {
                Err(_) => refused += 1,
                Ok(t) => match t.verify(&x) {
                    Err(_) => refused += 1,
                    Ok(found) => {
                        // Only another point of the same cell can pass.
                        assert!(place.iter().any(|k| matches!(k, Key::Name(s) if s == "u")), "{place:?} passed");
                        assert_eq!(found, list.verify(&x).unwrap());
                        kept += 1;
                    }
                },
            }
        }
    }
    assert!(refused > 300 && kept > 0 && kept < refused, "{refused} refused, {kept} still proofs");
}

#[test]
fn each_fault_is_named() {
    let x = Mat::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    let list = certificate(&x);
    let refusal = |list: &PatternList| list.verify(&x).unwrap_err();
    let json = serde_json::to_value(&list).unwrap();
    let with = |path: &[&str], value: Value| {
        let mut json = json.clone();
        *path.iter().fold(&mut json, |v, key| &mut v[*key]) = value;
        serde_json::from_value::<PatternList>(json).unwrap()
    };
    let missing = refusal(&with(&["root", "split", "positive"], Value::Null));
    assert_eq!(missing, Refusal::MissingBranch { at: "+".into() });
    assert!(matches!(refusal(&with(&["root"], Value::Null)), Refusal::MissingBranch { .. }));
    assert!(matches!(refusal(&with(&["root", "split", "row"], 1.into())), Refusal::BadSplit { row: 1, .. }));
    assert!(matches!(refusal(&with(&["root", "split", "row"], 3.into())), Refusal::BadSplit { row: 3, .. }));
    assert_eq!(refusal(&with(&["patterns"], 5.into())), Refusal::WrongCount { claimed: 5, found: 6 });
    let leaf = json["root"]["split"]["negative"]["split"]["negative"].clone();
    let early = refusal(&with(&["root", "split", "negative"], leaf["split"]["negative"].clone()));
    assert!(matches!(early, Refusal::OpenRow { row: 1, .. }), "{early:?}");
    // Both branches under one row swapped: every witness is on the wrong side.
    let (mut swapped, split) = (json.clone(), &json["root"]["split"]);
    swapped["root"]["split"]["negative"] = split["positive"].clone();
    swapped["root"]["split"]["positive"] = split["negative"].clone();
    let swapped: PatternList = serde_json::from_value(swapped).unwrap();
    assert!(matches!(refusal(&swapped), Refusal::WrongWitness { .. } | Refusal::WrongMultipliers { .. }));
    // Multipliers that use a row not split on above it.
    let dead = serde_json::json!({"dead": {"rows": [0, 1, 2], "multipliers": ["-1", "-1", "1"]}});
    assert!(matches!(refusal(&with(&["root", "split", "negative"], dead)), Refusal::WrongMultipliers { .. }));
    let mut other = x.clone();
    other[(2, 1)] = 1.0 + f64::EPSILON;
    assert!(matches!(list.verify(&other), Err(Refusal::OtherData { .. })));
    assert!(list.verify(&other).unwrap_err().to_string().contains("other data"));
}

#[derive(Clone, Debug)]
enum Key {
    Name(String),
    Index(usize),
}

impl Key {
    fn of<'v>(&self, v: &'v mut Value) -> &'v mut Value {
        match self {
            Self::Name(s) => &mut v[s.as_str()],
            Self::Index(k) => &mut v[*k],
        }
    }
}

/// The places of all numbers, of strings of digits, and of everything that could be removed.
fn walk(value: &Value, path: &mut Vec<Key>, places: &mut Vec<Vec<Key>>) {
    match value {
        Value::Object(map) => {
            for (name, v) in map {
                path.push(Key::Name(name.clone()));
                places.push(path.clone());
                walk(v, path, places);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (k, v) in items.iter().enumerate() {
                path.push(Key::Index(k));
                places.push(path.clone());
                walk(v, path, places);
                path.pop();
            }
        }
        _ => {}
    }
}
