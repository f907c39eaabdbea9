//! `relimit limit` from outside: reference values, real data, bad input, files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `relimit limit` with words split at blanks, from the root of the repository.
fn run(line: &str) -> Output {
    let words = line.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_relimit"))
        .current_dir(root())
        .arg("limit")
        .args(words)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(line: &str) -> Value {
    let out = run(&format!("{line} --json"));
    assert!(out.status.code() == Some(0), "{line}: {:?} {}", out.status, text(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("one JSON object")
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("{v} is not a number"))
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap_or_else(|| panic!("{v} is not a list")).iter().map(number).collect()
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} against {b}");
}

fn all_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        close(*x, *y, tolerance);
    }
}

/// A folder of its own for each test, empty at the start.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder for the test");
    path
}

const GLUCOSE: &str = "examples/data/glucose_spectra.csv --target glucose --target-scale standardise";

#[test]
fn golden_example() {
    let a = json("--synthetic golden --step-constant 2 --start orthant:0.01 --signs +");
    all_close(&numbers(&a["limit"]["alpha"][0]), &[0.05370442, 0.11620442, -0.02917957], 1e-8);
    all_close(&numbers(&a["limit"]["preactivations"][0]), &[1.0, 2.0, -0.32614379], 1e-8);
    close(number(&a["min_norm"]["norm"]), 0.53187850, 1e-8);
    close(number(&a["min_norm"]["multipliers"][0][2]), 3.0 / 304.0, 1e-8);
    close(number(&a["gap"]["absolute"]), 0.07936126, 1e-8);
    close(number(&a["gap"]["identity_error"]), 0.0, 1e-10);
    assert!(number(&a["gap"]["bound"]) >= number(&a["gap"]["absolute"]));
    assert_eq!(a["min_norm"]["status"], "certified");
    assert_eq!(a["events"]["last_step"], 1);
    close(number(&a["certificates"]["one_step"]["rho"]), 2.0 / 17.0, 1e-12);
    close(number(&a["certificates"]["one_step"]["left"]), (2.0 / 17.0) * 2.0 * 2.01 / (15.0 / 17.0) + 0.01, 1e-9);
    assert_eq!(a["certificates"]["one_step"]["holds"], true);
    assert_eq!(a["hypotheses"]["verdict"], "holds");

    let a = json("--synthetic golden --step-constant 2 --start orthant:0.01");
    close(number(&a["gap"]["absolute"]), 0.26668088, 1e-8);
    close(number(&a["min_norm"]["norm"]), 0.58489765, 1e-8);
    all_close(&numbers(&a["min_norm"]["multipliers"][1])[..2], &[0.00328947, 0.00328947], 1e-8);
    close(number(&a["limit"]["loss"]), 0.0, 1e-20);
}

#[test]
fn losses_change_the_step_not_the_iterates() {
    for (loss, step, factor) in [("half-mean", 0.06, 1.0 / 3.0), ("mean", 0.03, 2.0 / 3.0)] {
        let other = json(&format!("--synthetic golden --loss {loss} --step {step} --start orthant:0.01 --signs +"));
        let base = json("--synthetic golden --step 0.02 --start orthant:0.01 --signs +");
        all_close(&numbers(&other["limit"]["preactivations"][0]), &numbers(&base["limit"]["preactivations"][0]), 1e-12);
        close(number(&other["limit"]["loss"]), factor * number(&base["limit"]["loss"]), 1e-12);
    }
}

/// The third weight of the limit from 0: flow to 1e-6, and discrete steps.
#[test]
fn vardi_shamir() {
    let dir = folder("vardi_shamir");
    let third = |name: &str, line: &str| {
        let net = dir.join(format!("{name}.npz"));
        json(&format!("{line} --start zero --signs + --save {}", net.display()));
        relimit_run::read::network(&net).expect("a network").0.network.w.row(0).to_vec()
    };
    for (gamma, s) in [
        (0.5, -0.011591),
        (1.0, -0.040773),
        (2.0, -0.110696),
        (5.0, -0.209049),
        (10.0, -0.227636),
        (20.0, -0.230115),
        (100.0, -0.230706),
    ] {
        let w = third(&format!("flow{gamma}"), &format!("--synthetic vardi-shamir:gamma={gamma} --flow"));
        all_close(&w, &[5.0, -1.0, s], 1e-6);
    }
    for (gamma, step, s) in [(1.0, 1e-3, -0.041087), (2.0, 1e-2, -0.121285), (5.0, 1e-4, -0.209270)] {
        let w = third(&format!("s{gamma}"), &format!("--synthetic vardi-shamir:gamma={gamma} --step {step}"));
        all_close(&w, &[5.0, -1.0, s], 1e-6);
    }
}

/// Losses of the step-by-step reference on the spectra; `None`: diverges.
#[test]
fn glucose_table() {
    let centred = "--scale centre --bias";
    for (options, c, signs, loss) in [
        ("", 2, "+", Some(10.5)),
        ("", 2, "+-", Some(10.5)),
        ("", 30, "+", Some(5.804318934903)),
        ("", 100, "+-", Some(5.804318934903)),
        (centred, 2, "+", None),
        (centred, 2, "+-", None),
        (centred, 30, "+", Some(7.934620759338)),
        (centred, 30, "+-", Some(3.391702933632)),
    ] {
        let a = json(&format!("{GLUCOSE} {options} --step-constant {c} --signs {signs}"));
        if let Some(loss) = loss {
            assert_eq!(a["limit"]["status"], "converged", "{options} {c} {signs}");
            close(number(&a["limit"]["loss"]), loss, 1e-9);
        } else {
            assert_eq!(a["limit"]["status"], "diverged");
            assert!(number(&a["limit"]["divergence"]["step_times_eigenvalue"]) > 2.0);
            assert!(!a["limit"]["divergence"]["rows"].as_array().expect("rows").is_empty());
        }
        if (c, signs, options) == (30, "+-", centred) {
            // the positive neuron never settles on data row 7, row 8 of the file
            let ties = a["limit"]["ties"].as_array().expect("ties");
            assert_eq!(ties.len(), 1);
            assert_eq!((&ties[0]["neuron"], &ties[0]["row"]), (&Value::from(0), &Value::from(8)));
            assert!(a["limit"]["message"].as_str().expect("a message").contains("crossing 0"));
            close(number(&a["data"]["tau"]), 748.557, 1e-3);
        }
    }
}

#[test]
fn glucose_raw_names_the_dead_neuron_and_the_missing_hypotheses() {
    let line = format!("{GLUCOSE} --step-constant 30");
    let a = json(&line);
    close(number(&a["limit"]["loss"]), 5.804318934903, 1e-9);
    assert_eq!(a["limit"]["dead"][0]["neuron"], 1);
    assert_eq!(a["limit"]["dead"].as_array().expect("dead").len(), 1);
    close(number(&a["data"]["d2"]), 1.0453, 5e-5);
    close(number(&a["data"]["d_inf"]), 1.0225, 5e-5);
    close(number(&a["data"]["tau"]), 17629.73, 5e-3);
    assert_eq!(a["hypotheses"]["verdict"], "hypotheses not met");
    let told = text(&run(&line).stdout);
    assert!(told.contains("the negative neuron is dead"), "{told}");
    assert!(told.contains("High-dimensional theory: hypotheses not met"), "{told}");
}

#[test]
fn centred_rows_without_bias_have_no_positive_start() {
    let out = run(&format!("{GLUCOSE} --scale centre"));
    assert_eq!(out.status.code(), Some(2));
    assert!(out.stdout.is_empty());
    let told = text(&out.stderr);
    assert!(told.contains("--start orthant:0.001 does not exist"), "{told}");
    assert!(told.contains("add up to exactly 0 in all 1047 columns") && told.contains("--bias"), "{told}");
}

/// More rows than weights: the gradient vanishes, and rows are fitted, silent, balanced or held at 0.
#[test]
fn more_rows_than_inputs_end_in_a_stationary_state() {
    for (file, target, columns) in [("mcycle", "accel", vec!["times"]), ("trees", "Volume", vec!["Girth", "Height"])] {
        let (x, y) = table(file, &columns, target);
        for signs in ["+", "+-"] {
            let line = format!(
                "examples/data/{file}.csv --target {target} --bias --scale standardise --target-scale standardise"
            );
            let a = json(&format!("{line} --flow --signs {signs}"));
            assert_eq!(a["limit"]["status"], "converged", "{file} {signs}");
            let n = y.len();
            let z: Vec<Vec<f64>> =
                a["limit"]["preactivations"].as_array().expect("lists").iter().map(numbers).collect();
            let c = [1.0, -1.0];
            let r: Vec<f64> =
                (0..n).map(|i| y[i] - (0..z.len()).map(|j| c[j] * z[j][i].max(0.0)).sum::<f64>()).collect();
            let held: Vec<(usize, usize)> = a["limit"]["ties"]
                .as_array()
                .expect("ties")
                .iter()
                .map(|t| (number(&t["neuron"]) as usize, number(&t["row"]) as usize - 2))
                .collect();
            for j in 0..z.len() {
                // pulls of active rows cancel, up to what the rows held at 0 can take
                for k in 0..x[0].len() {
                    let pull: f64 = (0..n).filter(|&i| z[j][i] > 0.0).map(|i| r[i] * x[i][k]).sum();
                    let room: f64 = held.iter().filter(|t| t.0 == j).map(|t| (r[t.1] * x[t.1][k]).abs()).sum();
                    assert!(pull.abs() <= room + 1e-8 * n as f64, "{file} neuron {j} input {k}: {pull} {room}");
                }
            }
            let rows = |key: &str| a["limit"][key].as_array().expect("rows").len();
            let silent: std::collections::BTreeSet<u64> = a["limit"]["silent"]
                .as_array()
                .expect("silent")
                .iter()
                .map(|s| s["row"].as_u64().expect("a row"))
                .collect();
            assert!(rows("fitted") + rows("balanced") + silent.len() >= n * 9 / 10, "{file}: {}", a["limit"]["fitted"]);
            assert!(rows("balanced") > 0);
        }
    }
}

/// Standardised columns (population standard deviation) with a bias, and the standardised target.
fn table(file: &str, columns: &[&str], target: &str) -> (Vec<Vec<f64>>, Vec<f64>) {
    let content = fs::read_to_string(root().join(format!("examples/data/{file}.csv"))).expect("a data file");
    let names: Vec<&str> = content.lines().next().expect("a header").split(',').collect();
    let column = |name: &str| -> Vec<f64> {
        let k = names.iter().position(|n| *n == name).expect("a column");
        let value = |l: &str| l.split(',').nth(k).expect("a field").parse::<f64>().expect("a number");
        let v: Vec<f64> = content.lines().skip(1).map(value).collect();
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        let sd = (v.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / v.len() as f64).sqrt();
        v.iter().map(|a| (a - mean) / sd).collect()
    };
    let y = column(target);
    let features: Vec<Vec<f64>> = columns.iter().map(|c| column(c)).collect();
    let x = (0..y.len()).map(|i| features.iter().map(|f| f[i]).chain([1.0]).collect()).collect();
    (x, y)
}

/// Slope of log gap against log d: -0.477 (m = 1) and -0.482 (m = 2) at C = 2, n = 20, start 1e-4.
#[test]
fn the_gap_shrinks_like_the_root_of_d() {
    for (signs, reference) in [("+", -0.477), ("+-", -0.482)] {
        let mut points = vec![];
        for d in [1000, 2000, 4000, 8000, 16000] {
            let mut sum = 0.0;
            for seed in 1..=3 {
                let data = format!("--synthetic gaussian:n=20,d={d},labels=sign,seed={seed}");
                let a = json(&format!("{data} --signs {signs} --step-constant 2 --start orthant:1e-4"));
                assert_eq!(a["limit"]["status"], "converged");
                sum += number(&a["gap"]["absolute"]).ln() / 3.0;
                if d == 4000 && seed == 1 {
                    let flow = json(&format!("{data} --signs {signs} --flow --start orthant:1e-4"));
                    let ratio = number(&flow["gap"]["absolute"]) / number(&a["gap"]["absolute"]);
                    assert!(ratio < 0.1, "the flow's gap is {ratio} of descent's");
                }
            }
            points.push((f64::from(d).ln(), sum));
        }
        let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
        let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
        let slope = mean(&|p| (p.0 - mx) * (p.1 - my)) / mean(&|p| (p.0 - mx).powi(2));
        close(slope, reference, 0.03);
    }
}

#[test]
fn bad_input_ends_with_2_and_says_what_to_do() {
    let dir = folder("bad_input");
    let file = |name: &str, content: &str| {
        fs::write(dir.join(name), content).expect("a file for the test");
        dir.join(name).display().to_string()
    };
    let nothing = dir.join("nothing.csv").display().to_string();
    for (data, options, says) in [
        (nothing, "", "nothing.csv: no such file"),
        (dir.display().to_string(), "", "is a directory"),
        (file("empty.csv", ""), "", "is empty; expected a header line"),
        (file("header.csv", "a,b,y\n"), "", "has a header (3 columns) and no rows"),
        (file("ragged.csv", "a,b,y\n1,2,3\n1,2\n"), "", "ragged.csv:3: 2 fields where the header has 3"),
        (file("text.csv", "a,b,y\n1,2,3\n1,x,4\n"), "", "text.csv:3:b: text 'x' where a number is expected; --drop b"),
        (file("missing.csv", "a,b,y\n1,2,3\n1,,4\n"), "", "missing.csv:3:b: missing value (empty); --missing drop"),
        (file("nan.csv", "a,b,y\n1,2,3\n1,NaN,4\n"), "", "nan.csv:3:b: 'NaN' is not a finite number"),
        (file("inf.csv", "a,b,y\n1,2,3\n1,-inf,4\n"), "", "inf.csv:3:b: '-inf' is not a finite number"),
        (file("constant.csv", "a,b,y\n1,2,3\n1,4,3\n"), "", "target 'y' is constant (3)"),
        (file("one.csv", "a,b,y\n1,2,3\n"), "", "only one row of data"),
        (file("zero.csv", "a,b,y\n1,2,3\n0,0,4\n2,1,-1\n"), "", "because row 3 is all zeros"),
        (file("good.csv", "a,b,y\n1,2,3\n2,1,-1\n"), "--target x", "--target x: no such column"),
        (file("good.csv", "a,b,y\n1,2,3\n2,1,-1\n"), "--step -1", "--step -1: is not positive"),
        (file("good.csv", "a,b,y\n1,2,3\n2,1,-1\n"), "--step 0", "--step 0: is not positive"),
        (file("good.csv", "a,b,y\n1,2,3\n2,1,-1\n"), "--signs ,", "--signs ,"),
        (file("huge.csv", "a,b,y\n1e300,2,3\n1,2e300,4\n"), "", "2e300 in size: inner products of examples leave"),
        (file("tiny.csv", "a,b,y\n1e-300,2e-300,3\n3e-300,0,4\n"), "", "3e-300 in size: inner products of examples"),
        (file("label.csv", "a,b,y\n1,2,1e300\n2,1,4\n"), "", "the largest label is 1e300 in size"),
        (file("good.csv", "a,b,y\n1,2,3\n2,1,-1\n"), "--bias free", "--bias free"),
    ] {
        let target = if options.contains("--target") { "" } else { "--target y" };
        let out = run(&format!("{data} {target} {options} --json"));
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{data} {options}: {told}");
        assert!(out.stdout.is_empty() && told.contains(says), "{data} {options}: {told}");
    }
    let twice = file("twice.csv", "a,b,y\n1,2,3\n1,2,4\n2,1,-1\n");
    let a = json(&format!("{twice} --target y"));
    assert_eq!(a["min_norm"]["status"], "infeasible");
    assert!(a["min_norm"]["reason"].as_str().expect("a reason").contains("rows 2 and 3 are equal"));
    assert_eq!(a["gap"]["absolute"], Value::Null);
}

#[test]
fn garbage_on_standard_input_is_rejected() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_relimit"))
        .args(["limit", "-", "--target", "y"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let block = vec![0xB1u8; 1 << 16];
    let mut written = 0u64;
    // 1 GB, or until the program closes the pipe
    while written < 1 << 30 && std::io::Write::write_all(&mut input, &block).is_ok() {
        written += 1 << 16;
    }
    drop(input);
    let out = child.wait_with_output().expect("an end");
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("is not UTF-8"));
    assert!(written < 4 << 20, "{written} bytes were read before the refusal");
}

#[test]
fn run_directories_networks_and_comparisons() {
    let dir = folder("run_directories");
    let (out, net) = (dir.join("out"), dir.join("net.safetensors"));
    let line = "examples/data/stackloss.csv --target stack.loss --scale standardise --target-scale standardise --bias";
    let a = json(&format!("{line} --out {} --compare-steps 1000", out.display()));
    assert!(number(&a["compare_steps"]["distance"]) < 1e-10);
    for name in ["plan.json", "result.json", "events.csv", "weights.npz", "provenance.json"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let events = fs::read_to_string(out.join("events.csv")).expect("events");
    assert!(events.starts_with("step,neuron,row,direction\n"));
    assert_eq!(events.lines().count() as u64 - 1, a["events"]["count"].as_u64().expect("a count"));
    // the same plan is reused, another is refused
    let again = json(&format!("{line} --out {} --compare-steps 1000", out.display()));
    assert_eq!(a, again);
    let other = run(&format!("{line} --out {} --step-constant 9", out.display()));
    assert_eq!(other.status.code(), Some(2));
    // the saved network takes raw inputs
    json(&format!("{line} --save {}", net.display()));
    let told = Command::new(env!("CARGO_BIN_EXE_relimit"))
        .current_dir(root())
        .args(["predict", &net.display().to_string(), "examples/data/stackloss.csv"])
        .output()
        .expect("the program starts");
    assert_eq!(told.status.code(), Some(0), "{}", text(&told.stderr));
    let predicted: Vec<f64> = String::from_utf8_lossy(&told.stdout)
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).expect("an output").parse().expect("a number"))
        .collect();
    let (_, y) = table("stackloss", &[], "stack.loss");
    let raw = fs::read_to_string(root().join("examples/data/stackloss.csv")).expect("a data file");
    let labels: Vec<f64> =
        raw.lines().skip(1).map(|l| l.split(',').nth(3).expect("a label").parse().expect("a number")).collect();
    let mean = labels.iter().sum::<f64>() / labels.len() as f64;
    let sd = (labels.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / labels.len() as f64).sqrt();
    let z: Vec<Vec<f64>> = a["limit"]["preactivations"].as_array().expect("lists").iter().map(numbers).collect();
    for i in 0..y.len() {
        let f = z[0][i].max(0.0) - z[1][i].max(0.0);
        close(predicted[i], mean + sd * f, 1e-9 * sd);
    }
}

#[test]
fn random_starts_requirements_and_budgets() {
    let a = json("--synthetic gaussian:n=12,d=40,labels=sign,seed=3 --starts 30 --start gaussian:0.1");
    let shares: Vec<&Value> = a["starts"].as_array().expect("shares").iter().collect();
    close(shares.iter().map(|s| number(&s["share"])).sum::<f64>(), 1.0, 1e-12);
    assert_eq!(shares.iter().map(|s| number(&s["count"])).sum::<f64>(), 30.0);
    for s in &shares {
        assert!(number(&s["low"]) <= number(&s["share"]) && number(&s["share"]) <= number(&s["high"]));
    }
    let code = |line: &str| run(line).status.code();
    assert_eq!(code("--synthetic golden --require certified"), Some(0));
    assert_eq!(code(&format!("{GLUCOSE} --scale centre --bias --step-constant 2 --require converged")), Some(1));
    let cut = run("--synthetic gaussian:n=60,d=61,labels=sign,seed=1 --step-constant 100000 --steps 50 --json");
    assert_eq!(cut.status.code(), Some(3));
    let a: Value = serde_json::from_slice(&cut.stdout).expect("a partial answer");
    assert_eq!(a["limit"]["status"], "budget");
    assert_eq!(a["settings"]["max_steps"], 50);
}
