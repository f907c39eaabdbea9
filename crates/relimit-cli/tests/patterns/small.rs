//! Small sets with known numbers: published tables, extreme numbers, one row, zero rows; one pattern decided.

use serde_json::Value;

use super::common::{answer, file, patterns, unwrapped};

/// Points as a CSV file.
fn points(name: &str, points: &[&[f64]]) -> String {
    let header: Vec<String> = (0..points[0].len()).map(|k| format!("x{k}")).collect();
    let line = |p: &&[f64]| p.iter().map(|v| format!("{v:e}")).collect::<Vec<_>>().join(",");
    let lines: Vec<String> = points.iter().map(line).collect();
    file(name, &format!("{}\n{}\n", header.join(","), lines.join("\n")))
}

/// Name, points, P, P in general position, sign vectors with zeros.
type Entry<'a> = (&'a str, &'a [&'a [f64]], u64, u64, Option<u64>);

/// Reference values: patterns P, P in general position, sign vectors with zeros (noisy SGD notes, section 6: an
/// enumeration by linear programs).
#[test]
fn degenerate_sets_have_their_reference_numbers() {
    let grid: Vec<Vec<f64>> = (0..9).map(|k| vec![f64::from(k % 3), f64::from(k / 3)]).collect();
    let grid: Vec<&[f64]> = grid.iter().map(Vec::as_slice).collect();
    let cube: Vec<Vec<f64>> = (0..8).map(|k| (0..3).map(|b| f64::from(k >> b & 1)).collect()).collect();
    let cube: Vec<&[f64]> = cube.iter().map(Vec::as_slice).collect();
    let table: [Entry<'_>; 7] = [
        ("doubled", &[&[0.0], &[0.0], &[1.0]], 4, 6, Some(9)),
        ("collinear", &[&[0.0, 0.0], &[1.0, 1.0], &[2.0, 2.0], &[3.0, 3.0]], 8, 14, Some(17)),
        ("three-and-one", &[&[0.0, 0.0], &[1.0, 0.0], &[2.0, 0.0], &[0.0, 1.0]], 12, 14, Some(39)),
        ("square", &[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]], 14, 14, Some(51)),
        ("square-and-centre", &[&[0.0, 0.0], &[2.0, 0.0], &[0.0, 2.0], &[2.0, 2.0], &[1.0, 1.0]], 18, 22, Some(59)),
        ("grid", &grid, 58, 74, None),
        ("cube", &cube, 104, 128, None),
    ];
    for (name, x, p, cover, ternary) in table {
        let data = points(&format!("table-{name}"), x);
        let a = answer(&format!("{data} --bias"));
        assert_eq!((a["patterns"].as_u64(), a["cover_bound"].as_u64()), (Some(p), Some(cover)), "{name}");
        assert_eq!(a["general_position"].as_bool(), Some(p == cover), "{name}");
        assert_eq!(a["ray_bound"].as_u64(), Some(2 * p - 1), "{name}");
        if let Some(ternary) = ternary {
            let a = answer(&format!("{data} --bias --ternary"));
            assert_eq!(a["covectors"]["count"].as_u64(), Some(ternary), "{name}");
            assert_eq!(a["patterns"].as_u64(), Some(p), "{name}: cells among the faces");
        }
    }
}

#[test]
fn degeneracies_are_said_in_words() {
    let text = |name: &str, content: &str, rest: &str| {
        let called = patterns(&format!("{} {rest}", file(name, content)));
        assert_eq!(called.code, 0, "{}", called.err);
        unwrapped(&called.out)
    };
    let rows = "a,b\n1,2\n0,0\n1,2\n3,1\n6,2\n-2,-4\n";
    let said = text("words", rows, "");
    assert!(said.contains("row 3 is zero: never active"), "{said}");
    assert!(said.contains("rows 2, 4 and 7 are multiples, some of them negative"), "{said}");
    assert!(said.contains("rows 5 and 6 are positive multiples: always active together"), "{said}");
    assert!(said.contains("exactly 4 different sets of 6 rows"), "{said}");
    assert!(said.contains("--bias (a zero row is then a row like any other)"), "{said}");
    let said = text("words-bias", rows, "--bias");
    assert!(said.contains("rows 2 and 4 are equal: always active together"), "{said}");
    assert!(said.contains("rows 2, 3 and 7 lie on a line") && said.contains("rows 3, 5 and 6 lie on a line"), "{said}");
    let said = text("words-opposite", "a,b\n1,2\n-1,-2\n5,1\n", "");
    assert!(said.contains("rows 2 and 3 point in opposite directions: exactly one of them is active"), "{said}");
}

#[test]
fn extreme_numbers_are_exact() {
    // three points of one line, and the middle one moved by one unit in the last place
    let last = 1.0 + f64::EPSILON;
    for (name, middle, p) in [("on-line", 1.0, 12), ("off-line", last, 14)] {
        for (scale, size) in [("plain", 1.0), ("huge", 2f64.powi(990)), ("tiny", 2f64.powi(-990))] {
            let s = |v: f64| v * size;
            let set: [&[f64]; 4] = [&[s(0.0), s(0.0)], &[s(1.0), s(middle)], &[s(2.0), s(2.0)], &[s(0.0), s(1.0)]];
            let a = answer(&format!("{} --bias", points(&format!("{name}-{scale}"), &set)));
            assert_eq!(a["patterns"].as_u64(), Some(p), "{name} {scale}");
        }
    }
}

#[test]
fn the_smallest_data() {
    let a = answer(&file("one-row", "a,b\n1,2\n"));
    assert_eq!((a["n"].as_u64(), a["patterns"].as_u64()), (Some(1), Some(2)));
    let a = answer(&file("zero-row", "a,b\n0,0\n"));
    assert_eq!((a["patterns"].as_u64(), a["rank"].as_u64()), (Some(1), Some(0)));
    assert_eq!(a["zero_rows"], serde_json::json!([2]));
    assert_eq!(a["general_position"], Value::Bool(false));
    let called = patterns(&file("zero-row-text", "a,b\n0,0\n"));
    assert!(called.out.starts_with("A ReLU neuron sees no row of 1 row: all are zero."), "{}", called.out);
    // values of one feature without a bias: the sign of w decides
    let a = answer(&file("one-feature", "a\n1\n2\n-3\n"));
    assert_eq!(a["patterns"].as_u64(), Some(2));
    assert_eq!(a["active_counts"], serde_json::json!([0, 1, 1, 0]));
}

#[test]
fn one_pattern_is_decided_with_proof() {
    let data = file("check", "x\n0\n1\n2\n");
    let a = answer(&format!("{data} --bias --check 001"));
    assert_eq!(a["check"]["realisable"], Value::Bool(true));
    let w: Vec<i64> =
        a["check"]["witness"].as_array().unwrap().iter().map(|v| v.as_str().unwrap().parse().unwrap()).collect();
    let signs: Vec<bool> = (0..3).map(|x| w[0] * x + w[1] > 0).collect();
    assert_eq!(signs, [false, false, true], "{w:?}");
    // x_0 - 2 x_1 + x_2 = 0
    let a = answer(&format!("{data} --bias --check 101"));
    assert_eq!(a["check"]["realisable"], Value::Bool(false));
    let proof = serde_json::json!([
        {"row": 2, "multiplier": "1"}, {"row": 3, "multiplier": "-2"}, {"row": 4, "multiplier": "1"}
    ]);
    assert_eq!(a["check"]["proof"], proof);
    let said = unwrapped(&patterns(&format!("{data} --bias --check +-+")).out);
    assert!(said.contains("Pattern +-+: impossible, certified proof row 2 - 2 row 3 + row 4 = 0, but"), "{said}");
    assert!(unwrapped(&patterns(&format!("{data} --bias --check 0++")).out).contains("possible, certified"));
}
