//! What is written: the narrow network in every format, bounds of preactivations, the text.

use std::fs;

use relimit_core::net::Network;
use relimit_core::num::Mat;

use crate::common::{answer, apart, example, line, network, predict, relimit, scratch, table, written};

/// Six units of two inputs: a multiple, an opposite, a constant.
fn six() -> Network {
    let w = Mat::from_rows(&[[1.0, 0.5], [-0.25, 1.0], [0.75, 0.125], [2.0, 1.0], [0.25, -1.0], [0.0, 0.0]]);
    Network::scalar(w, vec![0.5, -0.25, 1.0, 1.0, 0.25, 0.5], vec![1.0, 2.0, -1.0, 0.5, 0.75, 4.0], 0.25)
}

#[test]
fn the_narrow_network_is_equal_in_every_format_and_collapses_to_itself() {
    let given = network("six.npz", six());
    let place = |i: i32, part: f64| f64::from(i - 10) / part;
    let lines: Vec<String> = (0..400).map(|i| format!("{},{}", place(i % 20, 3.0), place(i / 20, 7.0))).collect();
    let points = written("points.csv", &format!("a,b\n{}\n", lines.join("\n")));
    let full = predict(&given, &points);
    for name in ["six-narrow.npz", "six-narrow.safetensors", "six-narrow.onnx"] {
        let narrow = scratch(name);
        let got = answer(&[&given, "--save", &narrow]);
        // rays: units 0 (with 3), 1, 2, 4; kinks: 3
        assert_eq!((&got["effective_width"], &got["narrowest"]["kinks"]), (&4.into(), &3.into()));
        assert_eq!(got["identical"], true);
        assert!(apart(&predict(&narrow, &points), &full) < 1e-14, "{name}");
        let again = scratch(&format!("again-{name}"));
        assert_eq!(answer(&[&narrow, "--save", &again])["effective_width"], 4);
        assert_eq!(fs::read(&again).expect("written"), fs::read(&narrow).expect("written"), "{name}");
    }
}

#[test]
fn bounds_cover_both_networks_on_the_box() {
    let (given, bounds) = (network("six2.npz", six()), scratch("bounds.csv"));
    answer(&[&given, "--box", "0:1,-1:2", "--bounds", &bounds]);
    let text = fs::read_to_string(&bounds).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "network,neuron,lower,upper,state");
    // w.x + b over the corners, by hand
    let by_hand = ["0.0,2.5,on", "-1.5,1.75,both", "0.875,2.0,on", "0.0,5.0,on", "-1.75,1.5,both", "0.5,0.5,on"];
    for (j, range) in by_hand.iter().enumerate() {
        assert_eq!(lines[1 + j], format!("given,{j},{range}"));
    }
    // On the box units 0, 2 and 3 are affine: two rays, and one unit for the affine rest at most.
    assert_eq!(answer(&[&given, "--box", "0:1,-1:2"])["effective_width"], 2, "one kink and an always-on unit");
    assert_eq!(lines.len(), 1 + 6 + 2);
}

#[test]
fn the_text_answers_first_and_fits_the_screen() {
    let given = network("six3.npz", six());
    let text = relimit(&["collapse", &given]).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "4 neurons compute the same function as all 6.");
    assert_eq!(lines[1], "The narrow network is equal everywhere: largest difference 0.");
    assert!(lines[2].starts_with("Certainty: certified."));
    assert!(text.contains("neuron 3: a positive multiple of an earlier neuron"), "{text}");
    assert!(text.contains("neuron 5: constant, folded into the output bias"), "{text}");
    assert!(lines.len() <= 40 && lines.iter().all(|l| l.chars().count() <= 80));
    let one = network("one.npz", line(&[[1.0, 0.0, 1.0]], 0.0));
    assert!(relimit(&["collapse", &one]).out.starts_with("The only neuron is needed."));
}

/// Trees trained in PyTorch: on the 31 rows fewer neurons give the same outputs than on any box, and the file says so.
#[test]
fn on_the_rows_alone_fewer_neurons_are_enough() {
    let (given, narrow) = (example("trees_torch.safetensors"), scratch("trees-rows.npz"));
    let rows = written("trees-rows.csv", &inputs("trees_torch.csv"));
    let on_box = answer(&[&given, &rows])["effective_width"].as_u64().expect("a width");
    let got = answer(&[&given, &rows, "--box", "rows", "--save", &narrow]);
    let width = got["effective_width"].as_u64().expect("a width");
    assert!(width < on_box && got["on"] == "rows" && got["box"].is_null(), "{width} {on_box}");
    let bound = got["max_difference"].as_f64().expect("a bound");
    assert!(bound < 1e-13 && apart(&predict(&narrow, &rows), &predict(&given, &rows)) <= bound + 1e-14, "{got}");
    assert_eq!(
        answer(&[&narrow, &rows, "--box", "rows"])["effective_width"].as_u64(),
        Some(width),
        "collapses to itself"
    );
    let text = relimit(&["collapse", &given, &rows, "--box", "rows"]).out;
    assert!(text.starts_with(&format!("{width} neurons give the same outputs on the rows as all 24.")), "{text}");
    assert!(
        text.contains("on the rows, whatever lies between") && text.lines().all(|l| l.chars().count() <= 80),
        "{text}"
    );
    for (arguments, part) in [
        (&["collapse", &given, "--box", "rows"][..], "there are no rows"),
        (&["collapse", &given, &rows, "--box", "rows", "--tolerance", "0.1"], "--tolerance 0.1"),
    ] {
        let called = relimit(arguments);
        assert!(called.code == 2 && called.err.contains(part), "{}", called.err);
    }
}

/// The inputs of an example's table, as CSV.
fn inputs(csv: &str) -> String {
    let (header, rows) = table(&example(csv));
    let lines = std::iter::once(&header).chain(&rows).map(|r| r[..2].join(",") + "\n");
    lines.collect()
}
