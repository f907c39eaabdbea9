//! .npy and .npz, checked against bytes written by hand and against archives of another layout.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fs;
use std::io::Write;
use std::sync::Arc;

use common::{Folder, says, target};
use relimit_core::num::Mat;
use relimit_run::read::{Array, Held, Missing, ReadOptions, Source, Values, arrays, dataset, features, table};
use relimit_run::write;

/// A .npy file of version 1, 2 or 3 with the header as numpy writes it.
fn by_hand(version: u8, descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut out = b"\x93NUMPY".to_vec();
    out.extend([version, 0]);
    if version == 1 {
        out.extend((header.len() as u16).to_le_bytes());
    } else {
        out.extend((header.len() as u32).to_le_bytes());
    }
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

fn whole(folder: &Folder, bytes: &[u8]) -> Result<Vec<f64>, String> {
    let source = Source::File(folder.file("a.npy", bytes));
    table(&source, &ReadOptions::default()).map(|(t, _)| t.x.into_vec()).map_err(|e| e.to_string())
}

#[test]
fn every_plain_type_in_both_byte_orders() {
    let folder = Folder::new();
    // Two rows of two: 1, 2, 3, 100 in each type, the bytes spelled out.
    let cases: [(&str, &[u8]); 10] = [
        (
            "'<f8'",
            &[
                0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0x08, 0x40, 0, 0, 0, 0, 0,
                0, 0x59, 0x40,
            ],
        ),
        (
            "'>f8'",
            &[
                0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x08, 0, 0, 0, 0, 0, 0, 0x40, 0x59, 0,
                0, 0, 0, 0, 0,
            ],
        ),
        ("'<f4'", &[0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0xC8, 0x42]),
        ("'>f4'", &[0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0, 0x42, 0xC8, 0, 0]),
        ("'<i8'", &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0]),
        ("'>i4'", &[0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 100]),
        ("'<i2'", &[1, 0, 2, 0, 3, 0, 100, 0]),
        ("'>u2'", &[0, 1, 0, 2, 0, 3, 0, 100]),
        ("'|i1'", &[1, 2, 3, 100]),
        ("'|u1'", &[1, 2, 3, 100]),
    ];
    for (version, (descr, data)) in [1, 2, 3].into_iter().cycle().zip(cases) {
        let got = whole(&folder, &by_hand(version, descr, "False", "(2, 2)", data)).unwrap();
        assert_eq!(got, [1.0, 2.0, 3.0, 100.0], "{descr} version {version}");
    }
    assert_eq!(whole(&folder, &by_hand(1, "'|b1'", "False", "(1, 2)", &[0, 1])).unwrap(), [0.0, 1.0]);
    let negative = by_hand(1, "'<i2'", "False", "(1, 2)", &[0xFF, 0xFF, 0x00, 0x80]);
    assert_eq!(whole(&folder, &negative).unwrap(), [-1.0, -32768.0]);
    let large = by_hand(1, "'<u8'", "False", "(1, 1)", &[0xFF; 8]);
    says(whole(&folder, &large), &["18446744073709551615 has no exact 64-bit float", "astype('float64')"]);
}

#[test]
fn fortran_order_is_undone() {
    let folder = Folder::new();
    let got = whole(&folder, &by_hand(1, "'|u1'", "True", "(2, 3)", &[1, 4, 2, 5, 3, 6])).unwrap();
    assert_eq!(got, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn pickles_damage_and_lies_are_refused() {
    let folder = Folder::new();
    says(whole(&folder, &by_hand(1, "'|O'", "False", "(1,)", b"\x80\x04")), &["array 'a'", "pickles are never loaded"]);
    let records = by_hand(1, "[('x', '<f8')]", "False", "(1,)", &[0; 8]);
    says(whole(&folder, &records), &["records", "one array each"]);
    says(whole(&folder, &by_hand(1, "'<c16'", "False", "(1,)", &[0; 16])), &["type <c16 is not read", "astype"]);
    says(whole(&folder, &by_hand(1, "'<f8'", "False", "(2, 2)", &[0; 24])), &["(2, 2)", "does not fit its 24 bytes"]);
    let lie = by_hand(1, "'<f8'", "False", "(4000000000, 4000000000)", &[0; 8]);
    says(whole(&folder, &lie), &["does not fit its 8 bytes"]);
    says(whole(&folder, b"\x93NUMPY\x01"), &["shorter than its header"]);
    says(whole(&folder, b"a,b\n1,2\n34,5\n"), &["does not begin with the numpy mark"]);
    let deep = by_hand(1, "'|u1'", "False", "(1, 1, 2)", &[1, 2]);
    says(whole(&folder, &deep), &["shape (1, 1, 2) is no matrix", "(rows, columns)"]);
    let nan: Vec<u8> = [1.0, 2.0, 3.0, f64::NAN].iter().flat_map(|v| v.to_le_bytes()).collect();
    says(whole(&folder, &by_hand(1, "'<f8'", "False", "(2, 2)", &nan)), &["a.npy:2:x1: 'NaN' is not a finite number"]);
}

#[test]
fn a_matrix_has_columns_x0_x1_and_no_target_of_its_own() {
    let folder = Folder::new();
    let source = Source::File(folder.file("m.npy", by_hand(1, "'|u1'", "False", "(2, 3)", &[1, 2, 3, 4, 5, 6])));
    says(dataset(&source, &ReadOptions::default()), &["which column is the target?", "x0, x1, x2", "--target x2"]);
    let (data, _) = dataset(&source, &target("x1")).unwrap();
    assert_eq!((data.x.as_slice(), data.y.as_slice()), ([1.0, 3.0, 4.0, 6.0].as_slice(), [2.0, 5.0].as_slice()));
    assert_eq!(
        (data.features.as_slice(), data.rows.as_slice()),
        (["x0", "x2"].map(String::from).as_slice(), [1, 2].as_slice())
    );
    let last = ReadOptions { rows: Some((1, 2)), ..ReadOptions::default() };
    assert_eq!(table(&source, &last).unwrap().0.rows, [2]);
}

/// An archive as `numpy.savez_compressed` writes it: deflated entries.
fn deflated(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in entries {
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn an_archive_with_x_and_y_is_a_data_set() {
    let folder = Folder::new();
    let x = by_hand(1, "'|u1'", "False", "(3, 2)", &[1, 2, 3, 4, 5, 6]);
    let y = by_hand(1, "'|u1'", "False", "(3,)", &[7, 8, 9]);
    let names: Vec<u8> = ['p', '\0', 'q', 'r'].iter().flat_map(|c| (*c as u32).to_le_bytes()).collect();
    let names = by_hand(1, "'<U2'", "False", "(2,)", &names);
    let bytes = deflated(&[("X.npy", x.clone()), ("y.npy", y.clone()), ("features.npy", names)]);
    let source = Source::File(folder.file("d.npz", bytes));
    let (data, _) = dataset(&source, &ReadOptions::default()).unwrap();
    assert_eq!(
        (data.x.as_slice(), data.y.as_slice()),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0].as_slice(), [7.0, 8.0, 9.0].as_slice())
    );
    assert_eq!((data.features.join("+"), data.target.as_str()), ("p+qr".into(), "y"));
    assert_eq!(features(&source, None, 2, &ReadOptions::default()).unwrap().0.x, *data.x);
    let (other, _) = dataset(&source, &ReadOptions { drop: vec!["y".into()], ..target("p") }).unwrap();
    assert_eq!((other.features.join("+"), other.y), ("qr".into(), vec![1.0, 3.0, 5.0]));

    let short = by_hand(1, "'|u1'", "False", "(2,)", &[7, 8]);
    let source = Source::File(folder.file("short.npz", deflated(&[("X.npy", x.clone()), ("y.npy", short)])));
    says(dataset(&source, &ReadOptions::default()), &["array 'y': shape (2,) beside X of shape (3, 2)"]);
    let two = deflated(&[("u.npy", x.clone()), ("v.npy", x.clone())]);
    says(dataset(&Source::File(folder.file("two.npz", two)), &target("x0")), &["array 'X'", "u (3, 2), v (3, 2)"]);
    let one = Source::File(folder.file("one.npz", deflated(&[("u.npy", x)])));
    assert_eq!(dataset(&one, &target("x1")).unwrap().0.y, [2.0, 4.0, 6.0]);
    says(dataset(&Source::File(folder.file("no.npz", "nonsense")), &target("x0")), &["no readable .npz archive"]);
}

#[test]
fn arrays_come_back_bit_for_bit_and_equal_arrays_give_equal_bytes() {
    let folder = Folder::new();
    let numbers = Array { shape: vec![2, 2], values: Values::Numbers(vec![0.1 + 0.2, -0.0, 5e-324, f64::MAX]) };
    let scalar = Array { shape: vec![], values: Values::Numbers(vec![-1e-300]) };
    let text = Array {
        shape: vec![3],
        values: Values::Text(vec!["a".into(), "\u{e9}t\u{e9} \u{1d11e}".into(), String::new()]),
    };
    let all = [("w", &numbers), ("s", &scalar), ("t", &text)];
    let (a, b) = (folder.path().join("a.npz"), folder.path().join("b.npz"));
    write::npz(&a, all).unwrap();
    write::npz(&b, all).unwrap();
    assert_eq!(fs::read(&a).unwrap(), fs::read(&b).unwrap());
    let back = arrays(&a).unwrap();
    assert_eq!((&back["s"], &back["t"]), (&scalar, &text));
    let bits = |x: &Array| x.numbers().unwrap().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!((bits(&back["w"]), &back["w"].shape), (bits(&numbers), &vec![2, 2]));
}

#[test]
fn the_header_is_that_of_numpy() {
    // numpy.save of numpy.array([1.0, 2.0]): magic, version, a dictionary padded to 128 bytes in all, then the data.
    let mut out = Vec::new();
    write::npy(&mut out, &Array { shape: vec![2], values: Values::Numbers(vec![1.0, 2.0]) }).unwrap();
    let mut want = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }".to_vec();
    want.resize(127, b' ');
    want.push(b'\n');
    want.extend([0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0x40]);
    assert_eq!(out, want);
}

#[test]
fn rows_with_gaps_of_arrays_are_left_out_where_asked() {
    let x = Mat::from_rows(&[[1.0, 2.0, 0.5], [f64::NAN, 3.0, 1.0], [4.0, f64::NAN, 2.0], [5.0, 6.0, 3.0]]);
    let columns = ["a", "b", "y"].map(String::from).to_vec();
    let source = Source::Held(Arc::new(Held { name: "arrays".into(), x, columns }));
    let options = |drop: &[&str]| ReadOptions {
        missing: Missing::Drop,
        drop: drop.iter().map(ToString::to_string).collect(),
        ..target("y")
    };
    let (data, notices) = dataset(&source, &options(&[])).unwrap();
    assert_eq!((data.rows.as_slice(), data.y.as_slice()), (&[1, 4][..], &[0.5, 3.0][..]));
    assert_eq!(data.x.to_rows(), [[1.0, 2.0], [5.0, 6.0]]);
    let said: Vec<String> = notices.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["2 rows left out for missing values in a, b: rows 2 and 3"]);
    // a gap in a column that is not read costs no row
    let (data, _) = dataset(&source, &options(&["b"])).unwrap();
    assert_eq!(data.x.to_rows(), [[1.0], [4.0], [5.0]]);
    says(dataset(&source, &target("y")), &["arrays:2:a", "NaN"]);
    let empty = Mat::from_rows(&[[f64::NAN, 1.0], [f64::NAN, 2.0]]);
    let held = Held { name: "arrays".into(), x: empty, columns: vec!["a".into(), "y".into()] };
    says(dataset(&Source::Held(Arc::new(held)), &options(&[])), &["no rows are left", "--drop a"]);
}
