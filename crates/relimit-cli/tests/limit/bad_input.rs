//! Bad input ends with 2, one message that names place, value and cure, and nothing on standard output.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::thread;

use super::common::{Called, folder, limit, program, unwrapped};

/// Runs on a file `data.csv` with this content.
fn on(name: &str, content: &str, rest: &str) -> Called {
    let file = folder(&format!("bad-{name}")).join("data.csv");
    fs::write(&file, content).expect("scratch space");
    limit(&format!("{} {rest}", file.display()))
}

fn refused(called: &Called, says: &[&str]) {
    assert_eq!((called.code, called.out.as_str()), (2, ""), "{}", called.err);
    assert!(called.err.starts_with("error: "), "{}", called.err);
    for part in says {
        assert!(called.err.contains(part), "{part} is not in: {}", called.err);
    }
}

#[test]
fn files() {
    refused(&limit("no-such.csv --target y"), &["no-such.csv: no such file"]);
    refused(&limit("examples/data --target y"), &["examples/data: is a directory; name one file in it", "cars.csv"]);
    refused(&on("empty", "", "--target y"), &["data.csv: is empty; expected a header line"]);
    refused(&on("header", "a,b,y\n", "--target y"), &["has a header (3 columns) and no rows"]);
}

#[test]
fn fields() {
    for (name, content, says) in [
        ("ragged", "a,b,y\n1,2,3\n1,2\n", &["data.csv:3: 2 fields where the header has 3", "add or remove"][..]),
        ("text", "a,b,y\n1,2,3\n1,x,2\n", &["data.csv:3:b: text 'x' where a number is expected; --drop b"]),
        ("missing", "a,b,y\n1,2,3\n1,,2\n", &["data.csv:3:b: missing value (empty); --missing drop"]),
        ("nan", "a,b,y\n1,2,3\n1,nan,2\n", &["data.csv:3:b: 'nan' is not a finite number"]),
        ("infinity", "a,b,y\n1,-inf,3\n1,2,2\n", &["data.csv:2:b: '-inf' is not a finite number"]),
        ("one-row", "a,b,y\n1,2,3\n", &["data.csv:2: only one row of data"]),
        ("constant", "a,b,y\n1,2,3\n1,5,3\n", &["target 'y' is constant (3)", "choose another --target"]),
    ] {
        refused(&on(name, content, "--target y"), says);
    }
    refused(
        &on("target", "a,b,volume\n1,2,3\n1,5,4\n", "--target volum"),
        &["--target volum: no such column; did you mean 'volume'?", "a, b, volume"],
    );
    refused(&on("no-target", "a,b,y\n1,2,3\n1,5,4\n", ""), &["which column is the target?", "try --target y"]);
}

#[test]
fn settings() {
    let golden = |rest: &str| limit(&format!("--synthetic golden {rest}"));
    refused(&golden("--step -1"), &["--step -1: is not positive"]);
    refused(&golden("--step 0"), &["--step 0: is not positive"]);
    refused(&golden("--step-constant -2"), &["--step-constant -2"]);
    refused(&golden("--signs +x"), &["--signs +x: has '+x', which is not a number"]);
    refused(&golden("--signs ,"), &["--signs"]);
    refused(&golden("--step 1 --flow"), &["--flow: cannot be combined with --step"]);
    refused(&golden("--start orthant:-1"), &["--start orthant:-1"]);
    refused(&golden("--bias free"), &["--bias free", "--bias penalised"]);
    refused(&limit("--synthetic gausian:n=3,d=4"), &["--synthetic: unknown kind", "did you mean 'gaussian'?"]);
    refused(&limit(""), &["no data: name a file"]);
}

#[test]
fn start_weights_must_fit_the_signs() {
    let path = folder("bad-start").join("start.csv");
    fs::write(&path, "1,2,3,4\n").unwrap();
    refused(
        &limit(&format!("--synthetic golden --start {}", path.display())),
        &["--start", "start.csv: starting weights are 1 x 4, expected 2 x 4: one row a neuron"],
    );
}

#[test]
fn a_row_of_zeros() {
    let content = "a,b,y\n1,2,3\n0,0,2\n3,1,1\n";
    refused(
        &on("zeros", content, "--target y"),
        &["--start orthant:0.001 does not exist", "row 3 is all zeros", "--bias penalised"],
    );
    let called = on("zeros", content, "--target y --start gaussian:0.1");
    assert_eq!(called.code, 0, "{}", called.err);
    assert!(unwrapped(&called.out).contains("row 3 is all zero"), "{}", called.out);
    assert_eq!(on("zeros", content, "--target y --bias").code, 0);
}

#[test]
fn equal_rows_with_different_labels_are_an_answer() {
    let called = on("equal", "a,b,y\n1,2,3\n1,2,2\n3,1,1\n", "--target y");
    assert_eq!(called.code, 0, "{}", called.err);
    let text = unwrapped(&called.out);
    assert!(text.contains("rows 2 and 3 are equal but their labels differ"), "{text}");
    // the best for both is the middle, at (1/2)^2 each
    assert!(text.contains("Loss 0.25 (half-sum)"), "{text}");
}

#[test]
fn extreme_scales() {
    for (name, size, why) in [("large", "e300", "3e300"), ("small", "e-300", "3e-300")] {
        let x = format!("a,b,y\n1{size},2{size},3\n1{size},-2{size},2\n3{size},1{size},1\n");
        for rest in ["", "--flow", "--start gaussian:0.1", "--start zero"] {
            refused(
                &on(name, &x, &format!("--target y {rest}")),
                &[&format!("the largest feature is {why} in size"), "--scale standardise"],
            );
        }
        let called = on(name, &x, "--target y --scale standardise --bias");
        assert_eq!(called.code, 0, "{}", called.err);
        assert!(unwrapped(&called.out).contains("fits all 3 rows"), "{}", called.out);

        let y = format!("a,b,y\n1,2,3{size}\n1,-2,2{size}\n3,1,1{size}\n");
        for rest in ["", "--flow", "--bias", "--start zero"] {
            refused(
                &on(name, &y, &format!("--target y {rest}")),
                &[&format!("the largest label is {why} in size"), "--target-scale standardise"],
            );
        }
        let called = on(name, &y, "--target y --target-scale standardise");
        assert_eq!(called.code, 0, "{}", called.err);
    }
}

#[test]
fn a_gigabyte_of_garbage_is_refused_early() {
    for pattern in [&b"\xff\xfe\x00\x91"[..], b"abcdefgh", b"the quick, brown\nfox, jumps, over\n", b"\0"] {
        let mut child = program()
            .args(["limit", "-", "--target", "y"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let feeder = thread::spawn(move || {
            let block = pattern.repeat(65_536 / pattern.len());
            let mut given = 0;
            while given < 1 << 30 && input.write_all(&block).is_ok() {
                given += block.len();
            }
            given
        });
        let called = Called::from(child.wait_with_output().unwrap());
        refused(&called, &["standard input"]);
        let given = feeder.join().unwrap();
        assert!(given < 2_000_000, "{given} bytes were taken");
    }
}
