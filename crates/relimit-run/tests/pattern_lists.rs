//! Lists of patterns: what is written reads back, and a list that is never finished leaves no file.

mod common;

use std::fs;

use common::Folder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use relimit_run::read::{ReadOptions, Source, table};
use relimit_run::write::{Alphabet, PatternWriter, StreamPatterns, npy_patterns, parquet_patterns, text_patterns};

const PATTERNS: [[i8; 3]; 4] = [[1, -1, 1], [-1, 0, 1], [0, 0, 0], [-1, -1, -1]];

fn fill(mut list: Box<dyn PatternWriter + '_>) {
    for signs in &PATTERNS {
        list.push(signs, None).expect("room");
    }
    list.finish().expect("room");
}

#[test]
fn text_has_one_pattern_a_line() {
    let folder = Folder::new();
    let dir = folder.path();
    for (alphabet, expected) in
        [(Alphabet::Binary, "101\n001\n000\n000\n"), (Alphabet::Ternary, "+-+\n-0+\n000\n---\n")]
    {
        let path = dir.join("list.txt");
        fill(text_patterns(&path, alphabet).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        let mut stream = Vec::new();
        fill(Box::new(StreamPatterns::new(&mut stream, "standard output", alphabet)));
        assert_eq!(stream, expected.as_bytes());
    }
    let mut stream = Vec::new();
    let mut list = Box::new(StreamPatterns::new(&mut stream, "standard output", Alphabet::Binary));
    list.push(&[1, -1], Some("3,-12345678901234567890")).unwrap();
    list.finish().unwrap();
    assert_eq!(stream, b"10\t3,-12345678901234567890\n");
}

#[test]
fn arrays_read_back_with_their_shape() {
    let folder = Folder::new();
    let path = folder.path().join("list.npy");
    for (alphabet, map) in [(Alphabet::Binary, [0.0, 0.0, 1.0]), (Alphabet::Ternary, [-1.0, 0.0, 1.0])] {
        fill(npy_patterns(&path, 3, alphabet).unwrap());
        let expected: Vec<f64> = PATTERNS.iter().flatten().map(|s| map[(s + 1) as usize]).collect();
        let (read, _) = table(&Source::File(path.clone()), &ReadOptions::default()).unwrap();
        assert_eq!((read.x.rows(), read.x.cols()), (4, 3));
        assert_eq!(read.x.as_slice(), expected);
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 128 + 12);
        assert_eq!(bytes[127], b'\n');
    }
}

#[test]
fn parquet_reads_back_column_by_column() {
    let folder = Folder::new();
    let path = folder.path().join("list.parquet");
    let rows = [2, 3, 7];
    let read = |path: &std::path::Path| -> Vec<String> {
        let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
        reader.get_row_iter(None).unwrap().map(|r| r.unwrap().to_string()).collect()
    };
    fill(parquet_patterns(&path, &rows, Alphabet::Binary, false).unwrap());
    let expected =
        ["true, row_3: false, row_7: true", "false, row_3: false, row_7: true", "false, row_3: false, row_7: false"];
    let of = |k: usize| format!("{{row_2: {}}}", expected[k]);
    assert_eq!(read(&path), [of(0), of(1), of(2), of(2)]);
    fill(parquet_patterns(&path, &rows, Alphabet::Ternary, false).unwrap());
    let of = |s: [i8; 3]| format!("{{row_2: {}, row_3: {}, row_7: {}}}", s[0], s[1], s[2]);
    assert_eq!(read(&path), PATTERNS.map(of));
    let mut list = parquet_patterns(&path, &rows, Alphabet::Binary, true).unwrap();
    list.push(&[1, -1, -1], Some("3,-12345678901234567890")).unwrap();
    list.finish().unwrap();
    assert_eq!(read(&path), ["{row_2: true, row_3: false, row_7: false, witness: \"3,-12345678901234567890\"}"]);
    // many row groups: 3 columns hold 65,536 patterns each
    let mut list = parquet_patterns(&path, &rows, Alphabet::Binary, false).unwrap();
    for k in 0..150_000u32 {
        list.push(&[1, if k % 2 == 0 { 1 } else { -1 }, -1], None).unwrap();
    }
    list.finish().unwrap();
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    let groups: Vec<i64> =
        reader.metadata().row_groups().iter().map(parquet::file::metadata::RowGroupMetaData::num_rows).collect();
    assert_eq!(groups, [65_536, 65_536, 150_000 - 2 * 65_536]);
}

#[test]
fn a_list_that_is_not_finished_leaves_nothing() {
    let folder = Folder::new();
    let dir = folder.path();
    let mut list = npy_patterns(&dir.join("list.npy"), 3, Alphabet::Binary).unwrap();
    list.push(&PATTERNS[0], None).unwrap();
    drop(list);
    assert!(folder.list().is_empty());
    let error = text_patterns(&dir.join("no/such/list.txt"), Alphabet::Binary).err().unwrap().to_string();
    assert!(error.contains("list.txt: cannot be written"), "{error}");
}
