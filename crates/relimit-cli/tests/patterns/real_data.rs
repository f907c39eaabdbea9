//! Real data with duplicates and rows on lines and planes: right counts, and the degenerate rows by name.

use std::collections::BTreeSet;

use serde_json::Value;

use super::common::{answer, patterns, rank, tenths, unwrapped, whole, zaslavsky};

/// Groups of one kind, as lists of file rows.
fn groups(answer: &Value, kind: &str) -> Vec<Vec<usize>> {
    let list = answer["degeneracies"].as_array().expect("a list");
    let rows =
        |d: &Value| d["rows"].as_array().expect("rows").iter().map(|r| r.as_u64().expect("a row") as usize).collect();
    list.iter().filter(|d| d["kind"] == kind).map(rows).collect()
}

/// File rows with equal features, by comparing all pairs.
fn equal_rows(x: &[Vec<i128>]) -> BTreeSet<Vec<usize>> {
    let alike = |i: usize| (0..x.len()).filter(|k| x[*k] == x[i]).map(|k| k + 2).collect::<Vec<_>>();
    (0..x.len()).map(alike).filter(|g| g.len() > 1).collect()
}

#[test]
fn mcycle_has_two_patterns_a_distinct_time() {
    let x = tenths("mcycle.csv", &["times"], true);
    let distinct: BTreeSet<&Vec<i128>> = x.iter().collect();
    assert_eq!(distinct.len(), 94);
    let a = answer("examples/data/mcycle.csv --target accel --bias");
    // k points on a line: 2k dichotomies
    assert_eq!((a["n"].as_u64(), a["dim"].as_u64(), a["patterns"].as_u64()), (Some(133), Some(2), Some(188)));
    assert_eq!((a["cover_bound"].as_u64(), a["ray_bound"].as_u64()), (Some(266), Some(375)));
    assert_eq!((a["status"].as_str(), &a["general_position"]), (Some("exact"), &Value::Bool(false)));
    assert_eq!(groups(&a, "equal").into_iter().collect::<BTreeSet<_>>(), equal_rows(&x));
    assert!(groups(&a, "dependent").is_empty());
    // thresholds see the k first rows or the others: the histogram by hand
    let mut counts = vec![0u64; 134];
    let mut below = 0;
    for value in distinct {
        counts[below] += 1;
        counts[133 - below] += 1;
        below += x.iter().filter(|row| *row == value).count();
    }
    let told: Vec<u64> = a["active_counts"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
    assert_eq!(told, counts);
    let text = unwrapped(&patterns("examples/data/mcycle.csv --target accel --bias").out);
    assert!(
        text.contains("exactly 188 different sets of 133 rows. Rows in general position would give 266."),
        "{text}"
    );
    assert!(text.contains("rows 23-28 are equal: always active together"), "{text}");
}

#[test]
fn trees_lie_on_lines() {
    // 10.7, 11.2 and 11.7 are equally far apart as decimals, and not always as doubles: both are exact
    let names = ["Girth", "Height"];
    let mut counts = vec![];
    // a double between 8 and 32 is a whole number of 2^-49
    let doubles = whole("trees.csv", &[("Girth", 2f64.powi(49)), ("Height", 1.0)], true);
    for (flag, x) in [("", doubles), ("--decimals", tenths("trees.csv", &names, true))] {
        let call = format!("examples/data/trees.csv --target Volume --bias {flag}");
        let a = answer(&call);
        assert_eq!(a["patterns"].as_u64(), Some(zaslavsky(&x)), "{flag}");
        assert_eq!(a["cover_bound"].as_u64(), Some(932), "2 (1 + 30 + 435)");
        assert_eq!(groups(&a, "equal").into_iter().collect::<BTreeSet<_>>(), equal_rows(&x), "{flag}");
        assert_eq!(groups(&a, "dependent").into_iter().collect::<BTreeSet<_>>(), lines(&x), "{flag}");
        let text = unwrapped(&patterns(&call).out);
        assert!(text.contains("rows 10, 23, 29 and 30 lie on a line"), "{text}");
        assert_eq!(text.contains("--decimals takes them as they are"), flag.is_empty(), "{text}");
        counts.push(zaslavsky(&x));
    }
    assert!(counts[0] > counts[1], "{counts:?}");
}

/// File rows on one line, three or more different ones, by trying all pairs; equal rows count once.
fn lines(x: &[Vec<i128>]) -> BTreeSet<Vec<usize>> {
    let first: Vec<usize> = (0..x.len()).filter(|i| !x[..*i].contains(&x[*i])).collect();
    let mut lines = BTreeSet::new();
    for (k, i) in first.iter().enumerate() {
        for j in &first[k + 1..] {
            let on: Vec<usize> = first.iter().copied().filter(|l| rank(&[&x[*i], &x[*j], &x[*l]]) == 2).collect();
            if on.len() > 2 {
                lines.insert(on.iter().map(|l| l + 2).collect::<Vec<_>>());
            }
        }
    }
    assert!(!lines.is_empty());
    lines
}

#[test]
fn stackloss_lies_on_lines_and_planes() {
    let names = ["Air.Flow", "Water.Temp", "Acid.Conc."];
    let x = tenths("stackloss.csv", &names, true);
    let a = answer("examples/data/stackloss.csv --target stack.loss --bias");
    assert_eq!(a["patterns"].as_u64(), Some(zaslavsky(&x)));
    assert_eq!(groups(&a, "equal"), [vec![8, 9]]);
    for group in groups(&a, "dependent") {
        let rows: Vec<&Vec<i128>> = group.iter().map(|r| &x[r - 2]).collect();
        assert!(rank(&rows) < rows.len() && rank(&rows) < 4, "{group:?}");
    }
    assert_eq!(a["more_degeneracies"], Value::Bool(false));
    // no bias: the same rows through 0
    let x = tenths("stackloss.csv", &names, false);
    let a = answer("examples/data/stackloss.csv --target stack.loss");
    assert_eq!((a["dim"].as_u64(), a["patterns"].as_u64()), (Some(3), Some(zaslavsky(&x))));
    // all four columns, no target
    let all = tenths("stackloss.csv", &[names[0], names[1], names[2], "stack.loss"], false);
    let a = answer("examples/data/stackloss.csv");
    assert_eq!((a["dim"].as_u64(), a["patterns"].as_u64()), (Some(4), Some(zaslavsky(&all))));
}

#[test]
fn more_features_than_rows_need_no_search() {
    let a = answer("examples/data/glucose_spectra.csv --target glucose");
    assert_eq!((a["patterns"].as_u64(), a["rank"].as_u64()), (Some(1 << 21), Some(21)));
    assert_eq!(a["general_position"], Value::Bool(true));
    let told: Vec<u64> = a["active_counts"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
    let mut binomial = 1u64;
    for (k, count) in told.iter().enumerate() {
        assert_eq!(*count, binomial);
        binomial = binomial * (21 - k as u64) / (k as u64 + 1);
    }
}

#[test]
fn what_cannot_be_enumerated_is_an_interval() {
    // 215 rows of rank 100
    let a = answer("examples/data/meats.csv --target fat --drop water,protein");
    assert_eq!((a["status"].as_str(), a["stopped"].as_str()), (Some("bound"), Some("limit")));
    assert!(a["patterns"].is_null() && a["patterns_text"].is_null() && a["ray_bound"].is_null());
    assert_eq!(a["lower"].as_str(), Some("1267650600228229401496703205376"), "2^100");
    // 2 sum_{k < 100} C(m - 1, k) for the m different spectra
    let spectra = groups(&a, "equal").iter().map(|g| g.len() - 1).sum::<usize>();
    assert!(spectra > 0, "some samples were measured twice");
    for (key, m) in [("upper", 215 - spectra), ("cover_bound_text", 215)] {
        let (mut binomial, mut sum) = (1.0, 0.0);
        for k in 0..100 {
            sum += 2.0 * binomial;
            binomial *= (m - 1 - k) as f64 / (k + 1) as f64;
        }
        let digits: f64 = a[key].as_str().unwrap().parse().unwrap();
        assert!((digits / sum - 1.0).abs() < 1e-9, "{key}: {digits:e} and {sum:e}");
    }
}

#[test]
fn the_answer_fits_a_screen() {
    for call in [
        "examples/data/mcycle.csv --target accel --bias",
        "examples/data/trees.csv --target Volume --bias --ternary",
        "examples/data/stackloss.csv --target stack.loss --bias --check 010101010101010101011",
        "examples/data/glucose_spectra.csv --target glucose",
        "examples/data/meats.csv --target fat --drop water,protein",
    ] {
        let called = patterns(call);
        assert_eq!(called.code, 0, "{call}: {}", called.err);
        assert!(called.out.lines().count() <= 46, "{call}:\n{}", called.out);
        assert!(called.out.lines().all(|l| l.chars().count() <= 80), "{call}:\n{}", called.out);
        // whoever reads the first three lines is not misled
        let head: String = called.out.lines().take(3).collect();
        assert!(head.contains("A ReLU neuron can be active on") && head.contains("Certainty: "), "{call}: {head}");
    }
}
