//! What a plan says, and what is said of one that makes no sense.

use std::collections::BTreeSet;
use std::path::Path;

use relimit_run::sweep::{COMMANDS, Grid, Plan, SCHEMA};
use serde_json::{Value, json};

use super::common::{PLAN, plan, text};

fn error(text: &str) -> String {
    Plan::read("p.toml", text).unwrap_err().to_string()
}

#[test]
fn mistakes_are_told_with_line_and_cure() {
    for (text, says) in [
        ("command = \"limit\"\naxis = 1", "p.toml:2: unknown key 'axis'; did you mean 'axes'?"),
        ("command = \"limt\"", "p.toml:1: command 'limt': cannot be swept; did you mean 'limit'?"),
        ("title = \"x\"", "p.toml:1: needs command = one of limit"),
        ("command = \"limit\"\n[axes]\nd = 5", "p.toml:3: axis d: give a list of values, or put it under [fixed]"),
        ("command = \"limit\"\n[axes]\nd = []", "axis d: has no value"),
        ("command = \"limit\"\n[axes]\nd = [1, 2, 1.0]", "axis d: has 1 twice"),
        ("command = \"limit\"\n[axes]\nd = [1, \"a\"]", "axis d: has numbers and \"a\""),
        (
            "command = \"limit\"\n[axes]\nd = { from = 1, to = 5, stop = 1 }",
            "axis d: unknown key 'stop'; did you mean 'step'?",
        ),
        ("command = \"limit\"\n[axes]\nd = { from = 1, to = 5 }", "needs either step, or points"),
        ("command = \"limit\"\n[axes]\nd = { from = 1, to = 5, step = -1 }", "step -1 does not lead from 1 to 5"),
        (
            "command = \"limit\"\n[axes]\nd = { from = 0, to = 5, points = 3, geometric = true }",
            "equal ratios need positive ends",
        ),
        ("command = \"limit\"\n[axes]\nd = { from = 1, to = 4, points = 9, geometric = true }", "axis d: has 1 twice"),
        ("command = \"limit\"\npaired = [[\"d\", \"e\"]]\n[axes]\nd = [1]\ne = [1, 2]", "d has 1 values and e has 2"),
        ("command = \"limit\"\npaired = [[\"d\", \"f\"]]\n[axes]\nd = [1]\ne = [2]", "no axis is called 'f'"),
        ("command = \"limit\"\nfilter = [\"d > 2*f\"]\n[axes]\nd = [1]", "p.toml:2: filter 'd > 2*f'"),
        ("command = \"limit\"\n[fixed]\nd = 1\n[axes]\nd = [1]", "axis d: is also a fixed word"),
        ("command = \"limit\"\n[fixed]\nsynthetic = \"golden:d={e}\"\n[axes]\nd = [1]", "{e}: no axis is called 'e'"),
        ("command = \"limit\"\n[axes]\nstatus = [1]", "axis status: every row has a column of that name"),
        ("command = \"limit\"\n[record]\ngap = \"gap\"", "record gap: give a JSON pointer"),
        (
            "command = \"limit\"\n[seeds]\nnumber = 3",
            "p.toml:3: seeds: unknown key 'number'; known are count, by, base",
        ),
        ("command = \"limit\"\n[seeds]\ncount = 0", "seeds.count: give a whole number, at least 1"),
        (
            "command = \"limit\"\n[axes]\na = {from=1,to=99999,step=1}\nb = {from=1,to=99999,step=1}",
            "more than 100000000 runs",
        ),
        ("command = \"limit\"\n[axes\n", "p.toml:2: "),
        (PLAN, "record status: is a column already"),
    ] {
        let said = error(text);
        assert!(said.contains(says), "{text}\nsays {said}");
    }
}

#[test]
fn axes_are_lists_ranges_and_ratios() {
    let values = |axis: &str| json!(plan(&format!("command = \"limit\"\n[axes]\nd = {axis}")).axes[0].values);
    assert_eq!(values("{ from = 0, to = 1, step = 0.1 }"), json!([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]));
    assert_eq!(values("{ from = 6, to = 1, step = -2 }"), json!([6, 4, 2]));
    assert_eq!(values("{ from = 0, to = 1, points = 5 }"), json!([0, 0.25, 0.5, 0.75, 1]));
    assert_eq!(values("{ from = 1e-3, to = 1.0, points = 4, geometric = true }"), json!([0.001, 0.01, 0.1, 1]));
    assert_eq!(values("{ from = 10, to = 80, points = 6, geometric = true }"), json!([10, 15, 23, 35, 53, 80]));
    assert_eq!(values("[\"+-\", \"+\"]"), json!(["+-", "+"]));
    assert_eq!(values("[1, 2.0, 0.5]"), json!([1, 2, 0.5]));
}

#[test]
fn groups_are_crossed_pairs_go_together_and_filters_leave_out() {
    let text = "command = \"limit\"\npaired = [[\"n\", \"d\"]]\nfilter = [\"c < n\"]\n\
                [axes]\nc = [1, 2, 3]\nn = [2, 4]\nd = [20, 40]\n[seeds]\ncount = 2";
    let plan = plan(text);
    let grid = Grid::new(&plan, Path::new(".")).unwrap();
    let points: Vec<_> = (0..grid.len()).map(|k| (json!(grid.point(k).values), grid.point(k).repetition)).collect();
    let expected = [[1, 2, 20], [1, 4, 40], [2, 4, 40], [3, 4, 40]];
    let expected: Vec<_> = expected.iter().flat_map(|v| [(json!(v), 0), (json!(v), 1)]).collect();
    assert_eq!(points, expected);
}

#[test]
fn words_are_axes_placeholders_and_seeds() {
    let plan = plan(&text());
    let grid = Grid::new(&plan, Path::new(".")).unwrap();
    assert_eq!(grid.len(), 240);
    let (first, seed) = (grid.words(0), grid.point(0).seed.unwrap());
    assert_eq!(json!(first), json!({ "synthetic": format!("gaussian:n=20,d=10,seed={seed}"), "step-constant": 1.5 }));
    // seeds by d: the other axis shares them, repetitions and other d do not
    assert_eq!(grid.point(40).seed, Some(seed));
    let seeds: BTreeSet<_> = (0..240).map(|k| grid.point(k).seed.unwrap()).collect();
    assert_eq!(seeds.len(), 120);
    assert!(seeds.iter().all(|s| *s < 1 << 53));
    let keys: BTreeSet<_> = (0..240).map(|k| grid.key(k)).collect();
    assert_eq!(keys.len(), 240);
    // a value more, or the number 10 written as 10.0, leaves words, seeds and keys
    let wider = Plan::read("p", &text().replace("d = [10, 20, 30]", "d = [2.5, 10.0, 20]")).unwrap();
    let wide = Grid::new(&wider, Path::new(".")).unwrap();
    assert_eq!((wide.words(80), wide.key(80)), (first, grid.key(0)));
    // a seed that is no placeholder is a word
    let word = Plan::read("p", "command = \"train\"\n[axes]\nwidth = [3]\n[seeds]\nbase = 4").unwrap();
    let words = Grid::new(&word, Path::new(".")).unwrap().words(0);
    assert_eq!(words.keys().collect::<Vec<_>>(), ["seed", "width"]);
}

#[test]
fn a_file_counts_by_its_content_and_is_found_beside_the_plan() {
    let dir = super::common::folder("files");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("a.csv"), "x,y\n1,2\n").unwrap();
    std::fs::write(dir.join("b.csv"), "x,y\n1,2\n").unwrap();
    let plan = plan("command = \"limit\"\n[axes]\ndata = [\"a.csv\", \"b.csv\", \"c.csv\"]");
    let key = |run: u64| Grid::new(&plan, &dir).unwrap().key(run);
    let grid = Grid::new(&plan, &dir).unwrap();
    assert_eq!(grid.call(0)["data"], json!(dir.join("a.csv").display().to_string()));
    assert_eq!(grid.call(2)["data"], json!("c.csv"), "not there: the run will say so");
    let before = key(0);
    assert_eq!(before, key(1), "equal content, equal run");
    std::fs::write(dir.join("a.csv"), "x,y\n1,3\n").unwrap();
    assert_ne!(before, key(0));
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn the_schema_has_the_keys_that_the_parser_takes() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(schema["properties"]["command"]["enum"], json!(COMMANDS));
    let head = "command = \"limit\"\n[axes]\nd = [1]\n";
    // a key is known where the complaint, if there is one, is not that it is unknown
    let known = |text: String| !Plan::read("p", &text).is_err_and(|e| e.to_string().contains("unknown key"));
    let keys = |at: &str| schema.pointer(at).and_then(Value::as_object).unwrap().keys().cloned().collect::<Vec<_>>();
    for key in keys("/properties") {
        assert!(known(format!("{key} = 1\n")), "{key}");
        assert!(!known(format!("{key}s2 = 1\n")), "{key}");
    }
    for key in keys("/properties/seeds/properties") {
        assert!(known(format!("{head}[seeds]\n{key} = 1\n")), "{key}");
    }
    for key in keys("/properties/record/additionalProperties/anyOf/1/properties") {
        assert!(known(format!("{head}[record]\ngap = {{ {key} = \"/gap\" }}\n")), "{key}");
    }
    for at in ["/$defs/axis/anyOf/1/properties", "/$defs/axis/anyOf/2/properties"] {
        for key in keys(at) {
            assert!(known(format!("command = \"limit\"\n[axes]\nd = {{ {key} = 1 }}\n")), "{key}");
        }
    }
    // and the parser takes none that the schema lacks: its complaint lists them all
    let said = error("command = \"limit\"\nzzzzzzzzzzzz = 1");
    let listed: Vec<&str> = said.split("known are ").nth(1).unwrap().split(", ").collect();
    let mut listed: Vec<String> = listed.into_iter().map(str::to_owned).collect();
    listed.sort();
    assert_eq!(listed, keys("/properties"));
}
