//! Lists: every pattern once, with witnesses that are checked here, in every format; streams and pictures.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use relimit_run::read::{ReadOptions, Source, table};
use serde_json::Value;

use super::common::{answer, file, folder, patterns, tenths};

const TREES: &str = "examples/data/trees.csv --target Volume --bias";

#[test]
fn text_and_array_hold_the_same_patterns_each_once() {
    let dir = folder("formats");
    let (text, array) = (dir.join("list.txt"), dir.join("list.npy"));
    let a = answer(&format!("{TREES} --list {}", text.display()));
    assert_eq!(a["list"]["written"].as_u64(), Some(804));
    assert_eq!(a["list"]["complete"], Value::Bool(true));
    answer(&format!("{TREES} --list {} --threads 1", array.display()));
    let lines: Vec<String> = fs::read_to_string(&text).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 804);
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), 804);
    assert!(lines.iter().all(|l| l.len() == 31));
    // rows 13 and 14 of the file are equal, and so are their columns
    assert!(lines.iter().all(|l| l.as_bytes()[11] == l.as_bytes()[12]));
    let complement = |l: &String| l.chars().map(|c| if c == '1' { '0' } else { '1' }).collect::<String>();
    assert!(lines.iter().all(|l| lines.contains(&complement(l))));
    let (read, _) = table(&Source::File(array), &ReadOptions::default()).unwrap();
    let rows: Vec<String> =
        (0..read.x.rows()).map(|i| read.x.row(i).iter().map(|v| if *v == 1.0 { '1' } else { '0' }).collect()).collect();
    assert_eq!(rows, lines, "the same order in both");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2, "nothing is left beside them");
}

#[test]
fn parquet_names_its_columns_by_the_rows_of_the_file() {
    let path = folder("parquet").join("list.parquet");
    let a = answer(&format!("{TREES} --rows 2:6 --witness --list {}", path.display()));
    assert_eq!(
        (a["list"]["format"].as_str(), a["list"]["written"].as_u64()),
        (Some("parquet"), a["patterns"].as_u64())
    );
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let text = String::from_utf8_lossy(&bytes);
    assert!(["row_4", "row_5", "row_6", "row_7", "witness"].iter().all(|name| text.contains(name)));
    assert!(!text.contains("row_3") && !text.contains("row_8"));
}

/// The sign of w.x + b for a row of tenths.
fn sign(w: &[i128], row: &[i128]) -> i128 {
    let (last, head) = w.split_last().expect("a bias");
    let sum: i128 = head.iter().zip(row).map(|(w, x)| w * x).sum::<i128>() + 10 * last;
    sum.signum()
}

#[test]
fn every_witness_shows_its_pattern() {
    let x = tenths("stackloss.csv", &["Air.Flow", "Water.Temp", "Acid.Conc."], false);
    let called = patterns("examples/data/stackloss.csv --target stack.loss --bias --list - --witness");
    assert_eq!(called.code, 0, "{}", called.err);
    assert!(called.err.contains("exactly 2,166 different sets of 21 rows"), "{}", called.err);
    let mut seen = 0;
    for line in called.out.lines() {
        let (pattern, witness) = line.split_once('\t').expect("a tab before the witness");
        let w: Vec<i128> = witness.split(',').map(|v| v.parse().unwrap()).collect();
        assert_eq!(w.len(), 4);
        for (c, row) in pattern.chars().zip(&x) {
            // the file holds whole numbers: exact
            assert_eq!(sign(&w, row), if c == '1' { 1 } else { -1 }, "{line}");
        }
        seen += 1;
    }
    assert_eq!(seen, 2166);
}

#[test]
fn witnesses_of_decimals_are_for_the_decimals() {
    let x = tenths("trees.csv", &["Girth", "Height"], false);
    let called = patterns(&format!("{TREES} --decimals --list - --witness"));
    assert_eq!(called.out.lines().count(), 800, "{}", called.err);
    for line in called.out.lines() {
        let (pattern, witness) = line.split_once('\t').unwrap();
        let w: Vec<i128> = witness.split(',').map(|v| v.parse().unwrap()).collect();
        let signs: String = x.iter().map(|row| if sign(&w, row) > 0 { '1' } else { '0' }).collect();
        assert_eq!(signs, pattern, "{line}");
        assert!(x.iter().all(|row| sign(&w, row) != 0), "{line}");
    }
}

#[test]
fn sign_vectors_with_zeros_are_all_faces() {
    // three points on a line: 2*3 cells, 6 rays, and 0 (reference value 13)
    let data = file("ternary", "x\n0\n1\n2\n");
    let called = patterns(&format!("{data} --bias --ternary --list - --witness"));
    let mut vectors = BTreeSet::new();
    for line in called.out.lines() {
        let (vector, witness) = line.split_once('\t').unwrap();
        let w: Vec<i64> = witness.split(',').map(|v| v.parse().unwrap()).collect();
        let signs: String = (0..3)
            .map(|x| match (w[0] * x + w[1]).signum() {
                1 => '+',
                0 => '0',
                _ => '-',
            })
            .collect();
        assert_eq!(signs, vector);
        vectors.insert(signs);
    }
    assert_eq!((vectors.len(), called.out.lines().count()), (13, 13));
    let path = folder("ternary-npy").join("list.npy");
    answer(&format!("{data} --bias --ternary --list {}", path.display()));
    let (read, _) = table(&Source::File(path), &ReadOptions::default()).unwrap();
    let text = |v: &f64| {
        if *v > 0.0 {
            '+'
        } else if *v < 0.0 {
            '-'
        } else {
            '0'
        }
    };
    let rows: BTreeSet<String> = (0..13).map(|i| read.x.row(i).iter().map(text).collect()).collect();
    assert_eq!(rows, vectors);
}

#[test]
fn a_reader_that_goes_away_ends_the_list() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_relimit"))
        .args(["patterns", "--synthetic", "gaussian:n=60,d=5,seed=1", "--list", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn pictures_show_every_row_and_their_numbers_lie_beside() {
    let dir = folder("plots");
    for (name, call, circles) in [
        // 31 rows, and a ring around each of two pairs of equal rows
        ("trees", TREES, 31 + 4),
        ("mcycle", "examples/data/mcycle.csv --target accel --bias", 133),
        ("trees0", "examples/data/trees.csv --target Volume", 31 + 4),
        ("stackloss", "examples/data/stackloss.csv", 0),
    ] {
        let path = dir.join(format!("{name}.svg"));
        let a = answer(&format!("{call} --plot {}", path.display()));
        let svg = fs::read_to_string(&path).unwrap();
        assert_eq!(svg.matches("<circle").count(), circles, "{name}");
        assert!(svg.contains("active rows") && svg.contains("<title id=\"title\">A ReLU neuron"), "{name}");
        assert!(!svg.contains("NaN"), "{name}");
        let csv = fs::read_to_string(dir.join(format!("{name}.plot.csv"))).unwrap();
        let sum: u64 = csv.lines().skip(1).map(|l| l.split_once(',').unwrap().1.parse::<u64>().unwrap()).sum();
        assert_eq!(Some(sum), a["patterns"].as_u64(), "{name}");
    }
    let path = dir.join("trees.png");
    answer(&format!("{TREES} --plot {}", path.display()));
    assert_eq!(&fs::read(&path).unwrap()[..8], b"\x89PNG\r\n\x1a\n");
}
