//! What is written and read besides the answer: run directories, networks, arrays, standard input, random starts.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use relimit_run::read::{Array, Values, arrays};
use relimit_run::write::{npy, npz};
use serde_json::Value;

use super::common::{Called, Plain, answer, folder, limit, list, moments, number, program, table, unwrapped, word};

const SLOW: &str =
    "examples/data/glucose_spectra.csv --target glucose --target-scale standardise --step-constant 30 --signs +";

#[test]
fn a_run_directory_is_filled_reused_and_guarded() {
    let out = folder("run").join("new");
    let call = format!("examples/data/mcycle.csv --target accel --bias --scale standardise --out {}", out.display());
    let first = limit(&format!("{call} --json"));
    assert_eq!(first.code, 0, "{}", first.err);
    let a: Value = serde_json::from_str(&first.out).unwrap();
    let kept = fs::read_to_string(out.join("result.json")).unwrap();
    let result: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(result, a, "result.json is the answer");

    let events = fs::read_to_string(out.join("events.csv")).unwrap();
    let mut lines = events.lines();
    assert_eq!(lines.next(), Some("step,neuron,row,direction"));
    assert_eq!(lines.clone().count() as f64, number(&a, "/events/count"));
    let (shown, first_line) = (&a["events"]["shown"][0], lines.next().unwrap());
    assert_eq!(
        first_line,
        format!("{},{},{},{}", number(shown, "/at"), shown["neuron"], shown["row"], word(shown, "/to"))
    );
    // every pair is active at the start; replaying all events leads to the masks of the limit
    let mut masks = vec![vec![1.0; 133]; 2];
    for line in events.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        masks[f[1].parse::<usize>().unwrap()][f[2].parse::<usize>().unwrap() - 2] = f64::from(u8::from(f[3] == "on"));
    }
    assert_eq!(masks, table(&a, "/limit/masks"));
    let saved = arrays(&out.join("weights.npz")).unwrap();
    assert_eq!(saved["alpha"].numbers().unwrap(), table(&a, "/limit/alpha").concat());
    assert_eq!(saved["preactivations"].shape, [2, 133]);

    let again = limit(&format!("{call} --json"));
    assert_eq!((again.code, &again.out), (0, &first.out));
    assert!(again.err.contains("holds this answer already"), "{}", again.err);
    let other = limit(&format!("{call} --json --signs +"));
    assert_eq!((other.code, other.out.as_str()), (2, ""));
    assert!(other.err.contains("another plan"), "{}", other.err);
    assert_eq!(fs::read_to_string(out.join("result.json")).unwrap(), kept, "untouched");

    let filled = folder("run-filled");
    fs::write(filled.join("thesis.tex"), "x").unwrap();
    let called = limit(&format!("--synthetic golden --out {}", filled.display()));
    assert_eq!(called.code, 2, "{}", called.err);
    assert!(filled.join("thesis.tex").exists());
}

#[test]
fn a_budget_leaves_a_labelled_part_and_a_directory_that_can_be_finished() {
    let out = folder("budget").join("run");
    let call = format!("{SLOW} --out {}", out.display());
    let cut = limit(&format!("{call} --budget 1ms --json"));
    assert_eq!(cut.code, 3, "{}", cut.err);
    let a: Value = serde_json::from_str(&cut.out).unwrap();
    assert_eq!(word(&a, "/limit/status"), "budget");
    assert!(a["gap"]["absolute"].is_null(), "no gap of a run that has not ended");
    assert_eq!(list(&a, "/limit/preactivations/0").len(), 21, "the state reached is there");
    assert!(out.join("partial.json").exists() && !out.join("result.json").exists());
    let a = answer(&call);
    assert_eq!(word(&a, "/limit/status"), "converged");
    assert!(out.join("result.json").exists());
    let text = limit(&format!("{SLOW} --budget 1ms"));
    assert_eq!(text.code, 3);
    assert!(unwrapped(&text.out).contains("The budget ended before gradient descent did"), "{}", text.out);
}

#[test]
fn a_saved_network_takes_raw_inputs() {
    let (mean, sd) = moments(&Plain::read("trees.csv").column("Volume"));
    for ending in ["npz", "safetensors"] {
        let net = folder(&format!("saved-{ending}")).join(format!("net.{ending}"));
        let a = answer(&format!(
            "examples/data/trees.csv --target Volume --scale standardise --target-scale standardise --bias --signs +- \
             --save {}",
            net.display()
        ));
        let z = table(&a, "/limit/preactivations");
        let called = Called::from(
            program().arg("predict").arg(&net).arg("examples/data/trees.csv").output().expect("the program starts"),
        );
        assert_eq!(called.code, 0, "{}", called.err);
        let mut lines = called.out.lines();
        assert_eq!(lines.next(), Some("row,output"));
        let outputs: Vec<&str> = lines.collect();
        assert_eq!(outputs.len(), 31);
        for (i, line) in outputs.into_iter().enumerate() {
            let (row, output) = line.split_once(',').unwrap();
            assert_eq!(row, (i + 2).to_string());
            let expected = mean + sd * (z[0][i].max(0.0) - z[1][i].max(0.0));
            assert!((output.parse::<f64>().unwrap() - expected).abs() < 1e-9 * expected, "{line}: {expected}");
        }
    }
}

#[test]
fn random_starts_share_out_all_runs() {
    let a = answer("examples/data/trees.csv --target Volume --scale standardise --bias --starts 20 --seed 3");
    let shares = a["starts"].as_array().unwrap();
    let sum = |key: &str| shares.iter().map(|s| s[key].as_f64().unwrap()).sum::<f64>();
    assert!((sum("share") - 1.0).abs() < 1e-12);
    assert_eq!(sum("count"), 20.0);
    for s in shares {
        let of = |key: &str| s[key].as_f64().unwrap();
        assert!(of("low") < of("share") && of("share") < of("high") + 1e-12, "{s}");
    }
    assert!(shares.windows(2).all(|w| w[0]["count"].as_u64() >= w[1]["count"].as_u64()), "largest first");
    let again = answer("examples/data/trees.csv --target Volume --scale standardise --bias --starts 20 --seed 3");
    assert_eq!(a, again, "one seed, one answer");
}

#[test]
fn the_exact_engine_is_the_plain_run() {
    for call in ["--synthetic golden --step-constant 2", "--synthetic gaussian:n=12,d=30,seed=4", SLOW] {
        let a = answer(&format!("{call} --compare-steps 1000"));
        assert_eq!(number(&a, "/compare_steps/steps"), 1000.0);
        let distance = number(&a, "/compare_steps/distance");
        assert!(distance < 1e-10, "{call}: {distance:e}");
    }
}

#[test]
fn a_requirement_that_is_not_met_ends_with_1() {
    assert_eq!(limit("--synthetic golden --require certified").code, 0);
    let centred = SLOW.replace("30", "2") + " --scale centre --bias";
    assert_eq!(limit(&centred).code, 0, "a run that diverges is an answer");
    assert_eq!(limit(&format!("{centred} --require converged")).code, 1);
    assert_eq!(limit(&format!("{centred} --require certified")).code, 1);
}

#[test]
fn arrays_and_standard_input_give_the_same_answer_as_a_file() {
    let plain = Plain::read("trees.csv");
    let call = "--bias --scale standardise --signs +-";
    let from_file = answer(&format!("examples/data/trees.csv --target Volume {call}"));
    let same = |a: &Value, what: &str| {
        for pointer in ["/limit/preactivations/0", "/limit/preactivations/1", "/limit/alpha/0", "/data/labels"] {
            assert_eq!(list(a, pointer), list(&from_file, pointer), "{what} {pointer}");
        }
    };

    let scratch = folder("arrays");
    let names: Vec<&str> = plain.names.iter().map(String::as_str).collect();
    assert_eq!(names, ["Girth", "Height", "Volume"]);
    let x: Vec<f64> = plain.rows.iter().flat_map(|r| r[..2].to_vec()).collect();
    let arrays = [
        ("X", Array { shape: vec![31, 2], values: Values::Numbers(x) }),
        ("y", Array { shape: vec![31], values: Values::Numbers(plain.column("Volume")) }),
    ];
    let path = scratch.join("trees.npz");
    npz(&path, arrays.iter().map(|(n, a)| (*n, a))).unwrap();
    same(&answer(&format!("{} --target y {call}", path.display())), "npz");

    let path = scratch.join("trees.npy");
    let whole = Array { shape: vec![31, 3], values: Values::Numbers(plain.rows.concat()) };
    npy(&mut fs::File::create(&path).unwrap(), &whole).unwrap();
    same(&answer(&format!("{} --target x2 {call}", path.display())), "npy");

    let mut child = program()
        .args(["limit", "-", "--target", "Volume", "--json"])
        .args(call.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = plain.rows.iter().map(|r| format!("{};{};{}\r\n", r[0], r[1], r[2]).replace('.', ","));
    let text: String = std::iter::once("\u{feff}Girth;Height;Volume\r\n".to_owned()).chain(lines).collect();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let called = Called::from(child.wait_with_output().unwrap());
    assert_eq!(called.code, 0, "{}", called.err);
    same(&serde_json::from_str(&called.out).unwrap(), "standard input with decimal commas");
}
