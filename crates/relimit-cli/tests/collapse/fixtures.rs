//! Networks of PyTorch, scikit-learn and their ONNX exports give the outputs that those programs computed.

use relimit_solve::convention::{Convention, translate};

use crate::common::{answer, apart, example, predict, relimit, root, scratch, table, written};

/// Inputs of an example's CSV as a file of their own, and its outputs.
fn split(csv: &str, inputs: usize) -> (String, Vec<Vec<f64>>) {
    let (header, rows) = table(&example(csv));
    let mut text = header[..inputs].join(",") + "\n";
    let mut outputs = vec![];
    for row in rows {
        text += &(row[..inputs].join(",") + "\n");
        outputs.push(row[inputs..].iter().map(|v| v.parse().expect("a number")).collect());
    }
    (written(&format!("inputs-{csv}"), &text), outputs)
}

#[test]
fn a_pytorch_network_is_read_from_both_of_its_files() {
    let (inputs, outputs) = split("trees_torch.csv", 2);
    for file in ["trees_torch.safetensors", "trees_torch.onnx"] {
        // torch computed in single precision
        assert!(apart(&predict(&example(file), &inputs), &outputs) < 1e-6, "{file}");
        let got = answer(&[&example(file), &inputs]);
        assert_eq!(got["width"], 24);
        // numpy counts 23 units that change sign on the box and 17 sign patterns of them
        assert_eq!((&got["effective_width"], &got["patterns"]), (&23.into(), &17.into()), "{file}");
        assert_eq!(got["max_difference"], 0.0);
    }
}

#[test]
fn a_scikit_learn_network_of_two_outputs_is_read_from_both_of_its_files() {
    let (inputs, outputs) = split("stackloss_sklearn.csv", 2);
    for (file, tolerance) in [("stackloss_sklearn.npz", 1e-13), ("stackloss_sklearn.onnx", 1e-13)] {
        let distance = apart(&predict(&example(file), &inputs), &outputs);
        assert!(distance < tolerance, "{file}: {distance}");
        assert_eq!(answer(&[&example(file)])["network"]["outputs"], 2);
    }
}

/// A missing bias is 0 and never the hidden bias, whatever the lengths.
#[test]
fn absent_biases_are_zero_and_deeper_networks_refused() {
    let (_, rows) = table(&example("no_output_bias.csv"));
    for name in ["no_output_bias", "no_biases", "two_neurons_two_outputs"] {
        let own: Vec<_> = rows.iter().filter(|r| r[0] == name).collect();
        let text: String = own.iter().map(|r| r[1..4].join(",") + "\n").collect();
        let inputs = written(&format!("{name}.csv"), &format!("x0,x1,x2\n{text}"));
        let outputs: Vec<Vec<f64>> =
            own.iter().map(|r| r[4..].iter().map(|v| v.parse().expect("a number")).collect()).collect();
        let file = example(&format!("{name}.safetensors"));
        assert!(apart(&predict(&file, &inputs), &outputs) < 1e-12, "{name}");
        let notices = answer(&[&file])["notices"].to_string();
        let prefix = if name == "two_neurons_two_outputs" { "" } else { "net." };
        assert!(notices.contains(&format!("no output bias ({prefix}2.bias); taken as 0")), "{notices}");
        assert_eq!(notices.contains("no hidden bias"), name == "no_biases", "{notices}");
    }
    let deep = relimit(&["collapse", &example("three_layers.safetensors")]);
    assert_eq!(deep.code, 2);
    assert!(deep.err.contains("3 weight matrices (0.weight, 2.weight, 4.weight)"), "{}", deep.err);
    assert!(deep.err.contains("one hidden layer is read"), "{}", deep.err);
}

/// What onnxruntime 1.32.0 computed from the files that were written (`tools/check_onnx.py --write`), against the originals.
#[test]
fn onnxruntime_computes_the_collapsed_network() {
    let of = [
        ("trees_torch.safetensors", Some("0:1,0:1"), "narrow_trees", 2),
        ("stackloss_sklearn.npz", None, "narrow_stackloss", 2),
    ];
    for (given, on, kept, inputs) in of {
        let saved = scratch(&format!("{kept}.onnx"));
        let ask = [example(given), "--save".to_owned(), saved.clone()];
        let ask: Vec<&str> = ask.iter().map(String::as_str).chain(on.into_iter().flat_map(|b| ["--box", b])).collect();
        let got = answer(&ask);
        if on.is_some() {
            assert!(got["effective_width"].as_u64() < got["width"].as_u64(), "{got}");
        }
        let bytes = |path: &str| std::fs::read(root().join(path)).expect("a file");
        assert_eq!(bytes(&saved), bytes(&example(&format!("{kept}.onnx"))), "onnxruntime ran another file");
        let (points, outputs) = split(&format!("{kept}.csv"), inputs);
        let distance = apart(&predict(&example(given), &points), &outputs);
        assert!(outputs.len() == 40 && distance < 1e-12, "{kept}: {distance}");
    }
}

/// The network of the "ReLU is worse than linear" tutorial: none of its units is dead or always on.
#[test]
fn a_hundred_neurons_are_all_needed() {
    let got = answer(&[&example("linear_sklearn.npz"), &example("linear_train.csv")]);
    assert_eq!((&got["width"], &got["effective_width"]), (&100.into(), &100.into()));
    assert_eq!(got["narrowest"]["exact"], true);
    assert!(got["neurons"].as_array().expect("a list").iter().all(|n| n["kind"] == "plain"));
    let facts = &got["pattern_facts"];
    assert!(facts["regions_seen"].as_u64() > Some(700) && facts["saturated"] == false);
    // mean squared error as scikit-learn computed it
    let (_, rows) = table(&example("linear_train.csv"));
    let outputs = predict(&example("linear_sklearn.npz"), &example("linear_train.csv"));
    let square = |(r, f): (&Vec<String>, &Vec<f64>)| (r[10].parse::<f64>().expect("a number") - f[0]).powi(2);
    let mse = rows.iter().zip(&outputs).map(square).sum::<f64>() / rows.len() as f64;
    assert!((mse - 22.02559413008023).abs() < 1e-9, "{mse}");
}

/// `loss_` of scikit-learn from its weights, with lambda as the translation of alpha = 1 says.
#[test]
fn alpha_of_scikit_learn_is_what_the_translation_says() {
    let (_, rows) = table(&example("alpha_train.csv"));
    let outputs = predict(&example("alpha_sklearn.npz"), &example("alpha_train.csv"));
    let n = rows.len() as f64;
    let square = |(r, f): (&Vec<String>, &Vec<f64>)| (r[3].parse::<f64>().expect("a number") - f[0]).powi(2);
    let errors = rows.iter().zip(&outputs).map(square).sum::<f64>();
    let (file, _) = relimit_run::read::network(&root().join(example("alpha_sklearn.npz"))).expect("an example");
    let weights: f64 = file.network.w.as_slice().iter().chain(file.network.c.as_slice()).map(|v| v * v).sum();
    let t = translate(&Convention::Sklearn { alpha: 1.0, batch: None }, rows.len(), 1).expect("an objective");
    let loss = errors / (2.0 * n) + t.lambda / 2.0 * weights;
    // printed by make_sklearn.py
    assert!((loss - 0.46184612104084116).abs() < 1e-10, "{loss}");
}

#[test]
fn a_tolerance_narrows_a_trained_network_within_its_bound() {
    let (inputs, _) = split("trees_torch.csv", 2);
    let narrow = scratch("trees-narrow.onnx");
    let got = answer(&[&example("trees_torch.safetensors"), &inputs, "--tolerance", "0.01", "--save", &narrow]);
    let bound = got["max_difference"].as_f64().expect("a bound");
    assert!(got["effective_width"].as_u64() < Some(18) && bound < 0.01, "{got}");
    let distance = apart(&predict(&example("trees_torch.safetensors"), &inputs), &predict(&narrow, &inputs));
    assert!(distance > 0.0 && distance <= bound, "{distance} {bound}");
}
