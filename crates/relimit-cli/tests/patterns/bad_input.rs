//! Bad input ends with 2, one message that names place, value and cure, and nothing on standard output.

use super::common::{file, folder, patterns};

fn refused(call: &str, says: &[&str]) {
    let called = patterns(call);
    assert_eq!((called.code, called.out.as_str()), (2, ""), "{call}: {}", called.err);
    for part in says {
        assert!(called.err.contains(part), "{part} is not in: {}", called.err);
    }
}

#[test]
fn files_and_fields() {
    refused("no-such.csv", &["no-such.csv: no such file"]);
    refused("", &["no data: name a file"]);
    refused(&file("bad-empty", ""), &["data.csv: is empty"]);
    refused(&file("bad-text", "a,b\n1,2\n1,x\n"), &["data.csv:3:b: text 'x' where a number is expected"]);
    refused(&file("bad-nan", "a,b\n1,2\n1,nan\n"), &["data.csv:3:b: 'nan' is not a finite number"]);
    refused(&file("bad-missing", "a,b\n1,2\n,2\n"), &["data.csv:3:a: missing value (empty); --missing drop"]);
    refused("examples/data/trees.csv --target Volum", &["--target Volum: no such column; did you mean 'Volume'?"]);
}

#[test]
fn settings() {
    let trees = |rest: &str| format!("examples/data/trees.csv {rest}");
    refused(
        &trees("--list a.pdf"),
        &["--list a.pdf: has no known ending; give a name that ends in .txt, .npy or .parquet"],
    );
    refused(&trees("--limit 0"), &["--limit 0: is no count"]);
    refused(&trees("--witness"), &["--witness: goes with each pattern of a list; give --list -"]);
    refused(&trees("--witness --list a.npy"), &["--witness: does not fit into an array of signs"]);
    refused(&trees("--check 0101"), &["--check 0101: has 4 characters and the data have 31 rows"]);
    refused(&trees("--check 01x"), &["--check 01x: has 'x' at place 3"]);
    refused(&trees("--budget 60"), &["--budget 60: has no unit"]);
    refused(&trees("--plot a.pdf"), &["--plot a.pdf: has no known ending"]);
    refused(&trees("--bias some"), &["'some'"]);
    let nowhere = folder("bad-list").join("no/such/list.txt");
    refused(&trees(&format!("--list {}", nowhere.display())), &["list.txt: cannot be written"]);
    refused(&file("bad-constant", "a,b\n1,2\n1,3\n").replace("csv", "csv --scale standardise"), &["a"]);
}

#[test]
fn a_picture_needs_something_to_show() {
    refused(
        "examples/data/meats.csv --target fat --plot a.svg",
        &["--plot a.svg: nothing to draw", "--limit", "--columns"],
    );
}
