//! CSV as it comes: the same table in every dress is the same data set.

mod common;

use std::path::PathBuf;

use common::{Folder, read, says, target};
use relimit_run::read::{Missing, Notice, ReadOptions, Source, dataset, dataset_from, features, table_from};

#[test]
fn one_table_in_many_dresses() {
    let plain = read("a,b,y\n1.5,-2,3\n0.25,1e-3,4\n", "y").unwrap().0;
    assert_eq!(plain.x.as_slice(), [1.5, -2.0, 0.25, 1e-3]);
    assert_eq!((plain.y.as_slice(), plain.rows.as_slice()), ([3.0, 4.0].as_slice(), [2, 3].as_slice()));
    assert_eq!((plain.features.join("+"), plain.target.as_str()), ("a+b".into(), "y"));
    let dresses = [
        "\u{feff}a,b,y\n1.5,-2,3\n0.25,1e-3,4",
        "a,b,y\r\n1.5,-2,3\r\n0.25,1e-3,4\r\n",
        "a;b;y\n1,5;-2;3\n0,25;1e-3;4\n",
        "a;b;y\n1.5;-2;3\n0.25;0,001;4\n",
        "a\tb\ty\n1.5\t-2\t3\n0.25\t1e-3\t4\n",
        "\"a\",\"b\",\"y\"\n\"1.5\",\"-2\",3\n0.25, 1e-3 ,\"4\"\n",
        "\u{feff}\"a\";\"b\";\"y\"\r\n\"1,5\";\"-2\";\"3\"\r\n\"0,25\";\"0,001\";\"4\"\r\n\r\n",
    ];
    for text in dresses {
        let (data, notices) = read(text, "y").unwrap();
        assert_eq!(data, plain, "{text:?}");
        assert_eq!(notices, [], "{text:?}");
    }
}

#[test]
fn a_decimal_comma_needs_another_separator() {
    says(read("a,y\n1,5,3\n2,5,4\n", "y"), &["data.csv:2", "3 fields where the header has 2"]);
    says(read("a,y\n1,5,3,2\n", "y"), &["4 fields", "decimal commas need ; or tab"]);
    says(read("a\ty\n1,5\t3\n2\t4\n", "y"), &["data.csv:2:a", "text '1,5'"]);
}

#[test]
fn quoted_names_may_hold_the_separator_and_line_ends() {
    let (data, _) = read("\"a, in m\",\"the \"\"b\"\"\nof it\",y\n1,2,3\n4,5,6\n", "y").unwrap();
    assert_eq!(data.features, ["a, in m", "the \"b\"\nof it"]);
    assert_eq!(data.rows, [3, 4], "rows are lines of the file");
    says(read("a,y\n1,2\n\"3,4\n5,6\n", "y"), &["data.csv:3", "quote", "never closed"]);
}

#[test]
fn the_target_may_stand_anywhere_and_columns_keep_their_order() {
    let options = ReadOptions { target: vec!["y".into()], columns: vec!["c".into(), "a".into()], ..Default::default() };
    let text = "y,a,b,c\n1,2,text,4\n5,6,,8\n";
    let (data, _) = dataset_from("data.csv", text.as_bytes(), &options).unwrap();
    assert_eq!((data.x.as_slice(), data.y.as_slice()), ([4.0, 2.0, 8.0, 6.0].as_slice(), [1.0, 5.0].as_slice()));
    assert_eq!(data.features, ["c", "a"]);
}

#[test]
fn an_unnamed_index_column_is_left_out_with_a_notice() {
    for (text, first) in [(",a,y\n0,5,1\n1,6,2\n2,7,3\n", 0), ("\"\";a;y\n1;5;1\n2;6;2\n3;7;3\n", 1)] {
        let (data, notices) = read(text, "y").unwrap();
        assert_eq!((data.features.len(), data.x.as_slice()), (1, [5.0, 6.0, 7.0].as_slice()));
        assert_eq!(notices, [Notice::IndexColumn { first, last: first + 2 }]);
        assert!(notices[0].to_string().contains("is an index") && notices[0].to_string().contains("left out"));
    }
    let (data, notices) = read(",a,y\nMazda RX4,5,1\nDatsun 710,6,2\n", "y").unwrap();
    assert_eq!(data.d(), 1);
    assert!(notices[0].to_string().contains("'Mazda RX4'"));
    says(read(",a,y\n0.5,5,1\n0.7,6,2\n", "y"), &["data.csv:2", "column 1 has no name", "'0.5'"]);
    says(read(",a,y\n0,5,1\n2,6,2\n", "y"), &["data.csv:3", "column 1 has no name", "'2'"]);
}

#[test]
fn empty_columns_and_rows_of_a_spreadsheet_are_left_out_with_a_notice() {
    let (data, notices) = read("a,y,,\n1,2,,\n,,,\n3,4,,\n,,,\n", "y").unwrap();
    assert_eq!((data.x.as_slice(), data.rows.as_slice()), ([1.0, 3.0].as_slice(), [2, 4].as_slice()));
    assert_eq!(notices, [Notice::EmptyColumns { positions: vec![3, 4] }, Notice::EmptyRows { rows: vec![3, 5] }]);
    says(read("a,y,\n1,2,7\n", "y"), &["column 3 has no name", "'7'"]);
}

#[test]
fn missing_values_are_dropped_on_request_and_counted_in_used_columns_only() {
    let text = "a,b,y\n1,NA,2\n,3,4\n5,?,6\n7,8,NA\n9,1,10\n";
    let drop = |columns: &[&str]| ReadOptions {
        target: vec!["y".into()],
        columns: columns.iter().map(ToString::to_string).collect(),
        missing: Missing::Drop,
        ..Default::default()
    };
    let (data, notices) = dataset_from("data.csv", text.as_bytes(), &drop(&["a"])).unwrap();
    assert_eq!((data.rows.as_slice(), data.x.as_slice()), ([2, 4, 6].as_slice(), [1.0, 5.0, 9.0].as_slice()));
    assert_eq!(data.y, [2.0, 6.0, 10.0]);
    assert_eq!(notices, [Notice::DroppedRows { rows: vec![3, 5], columns: vec!["a".into(), "y".into()] }]);
    says(dataset_from("data.csv", text.as_bytes(), &drop(&[])), &["data.csv:6", "only one row"]);
    let every = "a,b,y\n1,,2\n3,NA,4\n";
    says(
        dataset_from("data.csv", every.as_bytes(), &drop(&[])),
        &["no rows are left", "misses a value in b", "--drop b"],
    );
}

#[test]
fn rows_are_a_slice_of_the_data_rows() {
    let text = "a,y\n1,2\n\n3,4\n5,6\n7,x\n";
    let options = |rows| ReadOptions { rows: Some(rows), ..target("y") };
    let (data, _) = dataset_from("data.csv", text.as_bytes(), &options((1, 3))).unwrap();
    assert_eq!((data.rows.as_slice(), data.y.as_slice()), ([4, 5].as_slice(), [4.0, 6.0].as_slice()));
    says(dataset_from("data.csv", text.as_bytes(), &options((1, 9))), &["data.csv:6:y", "'x'"]);
    let short = "a,y\n1,2\n3,4\n";
    says(dataset_from("data.csv", short.as_bytes(), &options((7, 9))), &["data row 7", "the file has 2"]);
}

#[test]
fn extreme_scales_are_read_to_the_last_bit() {
    let (data, _) = read("a,b,y\n1e300,1e-300,1\n-1.7976931348623157e308,5e-324,2\n", "y").unwrap();
    assert_eq!(data.x.as_slice(), [1e300, 1e-300, -f64::MAX, f64::from_bits(1)]);
    let (data, _) = read("a,y\n0.1,1\n0.30000000000000004,2\n", "y").unwrap();
    assert_eq!(data.x.as_slice()[1].to_bits(), (0.1f64 + 0.2).to_bits());
}

#[test]
fn a_header_of_numbers_is_mentioned() {
    let (_, notices) = table_from("t.csv", "400,402\n1,2\n3,4\n".as_bytes(), &ReadOptions::default()).unwrap();
    assert!(notices[0].to_string().contains("row 1 holds numbers only"));
}

#[test]
fn a_network_finds_its_features_by_name_else_by_number() {
    let folder = Folder::new();
    let source = Source::File(folder.file("t.csv", "extra,b,a\nx,2,1\ny,4,3\n"));
    let names = ["a".to_string(), "b".to_string()];
    let (found, _) = features(&source, Some(&names), 2, &ReadOptions::default()).unwrap();
    assert_eq!((found.x.as_slice(), found.rows.as_slice()), ([1.0, 2.0, 3.0, 4.0].as_slice(), [2, 3].as_slice()));
    let lacking = ["a".to_string(), "B2".to_string(), "c".to_string()];
    says(
        features(&source, Some(&lacking), 3, &ReadOptions::default()),
        &["2 columns that the file lacks: B2, c", "the columns are extra, b, a"],
    );
    let drop = ReadOptions { drop: vec!["extra".into()], ..Default::default() };
    let (found, _) = features(&source, None, 2, &drop).unwrap();
    assert_eq!(found.x.as_slice(), [2.0, 1.0, 4.0, 3.0]);
    says(features(&source, None, 3, &drop), &["2 columns (b, a)", "a network of 3 inputs"]);
    let one = Source::File(folder.file("one.csv", "a,b\n1,2\n"));
    assert_eq!(features(&one, Some(&names), 2, &ReadOptions::default()).unwrap().0.x.rows(), 1);
}

#[test]
fn the_example_data_are_read() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    let cases = [
        ("glucose_spectra.csv", "glucose", 21, 1047),
        ("mcycle.csv", "accel", 133, 1),
        ("trees.csv", "Volume", 31, 2),
        ("cars.csv", "dist", 50, 1),
        ("stackloss.csv", "stack.loss", 21, 3),
        ("meats.csv", "fat", 215, 102),
    ];
    for (name, label, n, d) in cases {
        let (data, _) = dataset(&Source::File(root.join(name)), &target(label)).unwrap();
        assert_eq!((data.n(), data.d(), data.rows[n - 1]), (n, d, n + 1), "{name}");
    }
    let air = Source::File(root.join("airquality.csv"));
    says(dataset(&air, &target("Ozone")), &["airquality.csv:6:Solar.R", "missing value (empty)", "--missing drop"]);
    // R documentation: 153 days, 111 of them complete.
    let (data, _) = dataset(&air, &ReadOptions { missing: Missing::Drop, ..target("Ozone") }).unwrap();
    assert_eq!((data.n(), data.d()), (111, 5));
}
