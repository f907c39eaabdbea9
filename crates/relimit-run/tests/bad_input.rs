//! Bad input: every refusal says what, where, the value, and what to do.

mod common;

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use common::{Folder, read, says, target};
use relimit_run::read::{Notice, ReadOptions, Source, dataset, dataset_from, labelled, table_from};

fn from_file(path: &Path) -> Result<(), String> {
    dataset(&Source::File(path.to_path_buf()), &target("y")).map(drop).map_err(|e| e.to_string())
}

#[test]
fn missing_file() {
    let folder = Folder::new();
    folder.file("trees.csv", "a,y\n1,2\n");
    says(from_file(&folder.path().join("tree.csv")), &["tree.csv: no such file", "did you mean 'trees.csv'?"]);
    says(from_file(&PathBuf::from("no/such/folder/x.csv")), &["no/such/folder/x.csv: no such file"]);
}

#[test]
fn directory() {
    let folder = Folder::new();
    folder.file("cars.csv", "a,y\n1,2\n");
    folder.file("notes.md", "");
    says(from_file(folder.path()), &["is a directory; name one file in it: cars.csv"]);
}

#[test]
fn empty_file() {
    let folder = Folder::new();
    for content in ["", "\n\n  \n", "\u{feff}"] {
        says(from_file(&folder.file("empty.csv", content)), &["empty.csv: is empty", "expected a header line"]);
    }
}

#[test]
fn header_only() {
    says(read("a,b,y\n", "y"), &["data.csv: has a header (3 columns) and no rows", "add at least two rows"]);
    says(read("a,b,y", "y"), &["no rows"]);
}

#[test]
fn ragged_row() {
    says(
        read("a,b,y\n1,2,3\n4,5\n", "y"),
        &["data.csv:3: 2 fields where the header has 3", "'5'", "add or remove fields"],
    );
    says(read("a,y\n1,2\n3,4,5\n", "y"), &["data.csv:3: 3 fields where the header has 2"]);
}

#[test]
fn text_in_a_numeric_column() {
    says(
        read("a,b,y\n1,2,3\n4,high,6\n", "y"),
        &["data.csv:3:b: text 'high' where a number is expected", "--drop b leaves it out", "--columns"],
    );
    says(read("kind,a,site,y\noak,1,north,2\n", "y"), &["data.csv:2:kind", "--drop kind --drop site leaves them out"]);
    says(read("a,y\n1,good\n2,bad\n", "y"), &["data.csv:2:y: text 'good'", "targets and weights must be numbers"]);
    says(read("a b,y\nx,1\n", "y"), &["--drop 'a b'"]);
}

#[test]
fn missing_value() {
    says(read("a,b,y\n1,2,3\n4,NA,6\n", "y"), &["data.csv:3:b: missing value ('NA')", "--missing drop", "--drop b"]);
    says(read("a,b,y\n1,,3\n", "y"), &["data.csv:2:b: missing value (empty)"]);
    says(read("a,b,y\n1,2,?\n", "y"), &["data.csv:2:y: missing value ('?')"]);
}

#[test]
fn nan_and_infinity() {
    says(read("a,y\n1,2\nNaN,3\n", "y"), &["data.csv:3:a: 'NaN' is not a finite number", "--drop a"]);
    says(read("a,y\n1,2\n5,-inf\n", "y"), &["data.csv:3:y: '-inf' is not a finite number"]);
    says(read("a,y\n1e309,2\n", "y"), &["data.csv:2:a: '1e309' is beyond the range", "rescale"]);
}

#[test]
fn unknown_and_absent_target() {
    says(
        read("Girth,Height,Volume\n1,2,3\n", "volume"),
        &["--target volume: no such column", "did you mean 'Volume'?", "Girth, Height, Volume"],
    );
    let none = ReadOptions::default();
    says(
        dataset_from("data.csv", "Girth,Height,Volume\n1,2,3\n".as_bytes(), &none),
        &["which column is the target?", "Girth, Height, Volume", "try --target Volume"],
    );
    let two = ReadOptions { target: vec!["a".into(), "b".into()], ..Default::default() };
    says(dataset_from("data.csv", "a,b,c\n1,2,3\n".as_bytes(), &two), &["2 targets (a, b)", "takes one target"]);
    let drop = ReadOptions { drop: vec!["heigth".into()], ..target("Volume") };
    says(
        dataset_from("data.csv", "Girth,Height,Volume\n1,2,3\n".as_bytes(), &drop),
        &["--drop heigth: no such column; did you mean 'Height'?"],
    );
}

#[test]
fn constant_target_and_one_row() {
    says(read("a,y\n1,7\n2,7\n3,7\n", "y"), &["data.csv: target 'y' is constant (7)", "choose another --target"]);
    says(read("a,y\n1,7\n", "y"), &["data.csv:2: only one row", "at least two"]);
    says(read("y\n1\n2\n", "y"), &["no feature is left beside the target"]);
    says(read("a,a,y\n1,2,3\n", "y"), &["columns 1 and 2 are both called 'a'", "--drop a"]);
}

#[test]
fn odd_but_usable_data_are_accepted_with_notices() {
    let (data, notices) = read("a,b,y\n0,0,1\n1,5,2\n-0,0,3\n1,5,2\n1,5,4\n2,5,4\n2,5,4\n", "y").unwrap();
    assert_eq!(data.n(), 7, "rows 7 and 8 are equal and agree");
    let want = [Notice::ZeroRows { rows: vec![2, 4] }, Notice::Conflicts { groups: vec![vec![2, 4], vec![3, 5, 6]] }];
    assert_eq!(notices, want);
    assert!(notices[0].to_string().contains("rows 2 and 4 are all zero"), "{}", notices[0]);
    assert!(notices[1].to_string().contains("no function can fit: rows 2 and 4; rows 3, 5 and 6"), "{}", notices[1]);
    let (_, notices) = read("a,one,y\n1,1,1\n2,1,2\n", "y").unwrap();
    assert_eq!(notices, [Notice::ConstantColumns { columns: vec!["one".into()] }]);
    assert!(notices[0].to_string().contains("--drop one"));
}

#[test]
fn other_formats_are_refused_with_the_way() {
    let folder = Folder::new();
    for (name, parts) in [
        ("d.parquet", ["parquet files are not read yet", "to_csv"]),
        ("d.pkl", ["pickled code, which is never loaded", "numpy.savez"]),
        ("d.xlsx", ["spreadsheet", "save the sheet as CSV"]),
        ("d.csv.gz", ["compressed", "unpack"]),
    ] {
        says(from_file(&folder.file(name, "x")), &parts);
    }
    for (bytes, part) in [
        (b"\xFF\xFEa\0".as_slice(), "UTF-16"),
        (b"\x1F\x8B\x08\0", "gzip"),
        (b"PK\x03\x04", "zip archive"),
        (b"PAR1", "parquet"),
        (b"\x93NUMPY", ".npy"),
        (b"\x80\x04\x95", "pickle"),
        (b"a,b\0,y\n1,2,3\n", "a zero byte"),
        (b"a,caf\xE9,y\n1,2,3\n", "byte 0xE9 is not UTF-8"),
    ] {
        says(table_from("standard input", bytes, &ReadOptions::default()), &["standard input:1: not text", part]);
    }
}

/// Repeats a pattern for ever (up to 200 MB) and counts what was taken.
struct Garbage<'a> {
    pattern: &'a [u8],
    taken: usize,
}

impl Read for Garbage<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = out.len().min(200_000_000 - self.taken);
        for (k, b) in out[..n].iter_mut().enumerate() {
            *b = self.pattern[(self.taken + k) % self.pattern.len()];
        }
        self.taken += n;
        Ok(n)
    }
}

#[test]
fn a_flood_of_garbage_is_refused_after_little_of_it() {
    let noise: Vec<u8> = (0..65_537u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect();
    let high: Vec<u8> = noise.iter().map(|b| b | 0x80).collect();
    let letters: Vec<u8> = noise.iter().map(|b| b'a' + b % 26).collect();
    for (what, pattern) in [
        ("bytes", noise.as_slice()),
        ("high bytes", &high),
        ("zero bytes", &[0]),
        ("one line of letters", &letters),
        ("spaces", b" "),
        ("blank lines", b"\n"),
        ("lines of text", b"the quick brown fox\n"),
        ("lines of more text", b"the quick, brown\nfox, jumps, over\n"),
        ("an open quote", b"\"abc"),
    ] {
        let mut flood = Garbage { pattern, taken: 0 };
        let result = dataset_from("standard input", &mut flood, &target("y"));
        assert!(result.is_err(), "{what}");
        assert!(flood.taken < 1_000_000, "{what}: {} bytes were taken", flood.taken);
    }
    // A header that never ends is let through until it is wider than any table: 16 MiB, not 200 MB.
    let mut flood = Garbage { pattern: b"abc,", taken: 0 };
    says(dataset_from("standard input", &mut flood, &target("y")), &["standard input:1", "a row of more than"]);
    assert!(flood.taken < 17_000_000, "{} bytes were taken", flood.taken);
    // Good rows first, garbage later.
    let mut flood = "a,y\n1,2\n".as_bytes().chain(Garbage { pattern: &letters, taken: 0 });
    says(dataset_from("standard input", &mut flood, &target("y")), &["standard input:3", "without a separator"]);
    assert!(flood.into_inner().1.taken < 1_000_000);
}

#[test]
fn further_targets_and_weights() {
    let folder = Folder::new();
    let path = folder.file("data.csv", "a,p,q,r,w\n1,2,3,7,1\n2,3,3,8,0.5\n3,1,3,9,0\n4,1,3,9,-2\n");
    let read = |target: &[&str], weight: Option<&str>, rows: (usize, usize)| {
        let options = ReadOptions {
            target: target.iter().map(ToString::to_string).collect(),
            weight: weight.map(Into::into),
            columns: vec!["a".into()],
            rows: Some(rows),
            ..Default::default()
        };
        labelled(&Source::File(path.clone()), &options).map(|t| t.0)
    };
    says(read(&["p"], Some("w"), (0, 4)), &["data.csv:5: weight 'w' is -2: weights must not be negative nor all 0"]);
    says(read(&["p"], Some("w"), (2, 3)), &["data.csv:4: weight 'w' is 0: weights must not be negative nor all 0"]);
    says(read(&["q"], None, (0, 3)), &["target 'q' is constant (3)"]);
    assert_eq!(read(&["q", "p"], None, (0, 3)).unwrap().data.y, [3.0; 3]);
    // the third row weighs nothing
    let got = read(&["p", "r"], Some("w"), (0, 3)).unwrap();
    assert_eq!(
        (got.data.features.clone(), got.data.x.as_slice(), &got.data.y[..]),
        (vec!["a".into()], &[1.0, 2.0][..], &[2.0, 3.0][..])
    );
    assert_eq!((got.more, got.weights), (vec![("r".to_owned(), vec![7.0, 8.0])], Some(vec![1.0, 0.5])));
    assert_eq!(got.data.rows, [2, 3]);
}
