//! Questions that people asked in public, with their numbers.

use relimit_core::net::Network;
use relimit_core::num::Mat;
use serde_json::json;

use crate::common::{answer, line, network, predict, relimit, scratch, written};

/// Removing a unit whose inputs are cut must not lose its bias.
#[test]
fn a_constant_neuron_moves_to_the_output_bias() {
    let net = |b1: f64| {
        Network::new(
            Mat::from_rows(&[[-0.0053, 0.3793], [0.0, 0.0]]),
            vec![-0.2723, b1],
            Mat::from_rows(&[[-0.0140, 0.5607], [-0.0628, 0.1871]]),
            vec![-0.2137, -0.1390],
        )
    };
    let (given, narrow) = (network("constant.npz", net(0.1896)), scratch("constant-narrow.npz"));
    let got = answer(&[&given, "--save", &narrow]);
    assert_eq!((&got["width"], &got["effective_width"]), (&json!(2), &json!(1)));
    assert_eq!(got["neurons"][1], json!({"neuron": 1, "kind": "constant"}));
    // at 0 only the constant is left: relu(-0.2723) = 0
    let zero = written("zero.csv", "a,b\n0,0\n1000,-1000\n-1000,1000\n");
    let (full, cut) = (predict(&given, &zero), predict(&narrow, &zero));
    assert!((cut[0][0] + 0.107391).abs() < 5e-7 && (cut[0][1] + 0.103526).abs() < 5e-7, "{cut:?}");
    assert!(crate::common::apart(&full, &cut) <= 1e-12);
    let dead = network("dead.npz", net(-0.1896));
    let got = answer(&[&dead, "--save", &narrow]);
    assert_eq!((&got["neurons"][1]["kind"], &got["identical"]), (&json!("dead"), &json!(true)));
    assert_eq!(predict(&narrow, &zero)[0], [-0.2137, -0.1390]);
}

/// Three hidden units of one input: four pieces on the line, three on [0, 1].
#[test]
fn linear_pieces_are_counted() {
    let book = network("book.npz", line(&[[1.0, -0.2, 2.0], [1.0, -0.5, -3.0], [1.0, -1.3, 1.0]], 0.0));
    let got = answer(&[&book]);
    assert_eq!(got["line"], json!({"joints": [0.2, 0.5, 1.3], "slopes": [0.0, 2.0, -1.0, 0.0]}));
    // seen from outside: outputs at k/10 bend at 0.2, 0.5 and 1.3, by 2, -3 and 1 times the distance, and nowhere else
    let grid = written("grid.csv", &(0..=20).map(|k| format!("{k}e-1\n")).fold("x\n".to_owned(), |all, l| all + &l));
    let f: Vec<f64> = predict(&book, &grid).iter().map(|row| row[0]).collect();
    for (k, at) in f.windows(3).enumerate() {
        let bend = match k + 1 {
            2 => 0.2,
            5 => -0.3,
            13 => 0.1,
            _ => 0.0,
        };
        assert!((at[0] - 2.0 * at[1] + at[2] - bend).abs() < 1e-14, "{k}: {at:?}");
    }
    assert_eq!(answer(&[&book, "--box", "0:1"])["line"]["slopes"], json!([0.0, 2.0, -1.0]));
    let text = relimit(&["collapse", &book, "--box", "0:1"]).out;
    assert!(text.contains("3 linear pieces\n  joints  0.2, 0.5\n  slopes  0, 2, -1\n"), "{text}");
    let without = network("book2.npz", line(&[[1.0, -0.2, 2.0], [1.0, -0.5, -3.0], [1.0, -1.3, 0.0]], 0.0));
    assert_eq!(answer(&[&without])["line"]["slopes"].as_array().map(Vec::len), Some(3));
    let equal = network("book3.npz", line(&[[1.0, -0.2, 2.0], [1.0, -0.5, -3.0], [1.0, -0.5, 3.0]], 0.0));
    assert_eq!(answer(&[&equal])["line"]["slopes"].as_array().map(Vec::len), Some(2));
}

/// A count of regions seen on N points that equals N says nothing, and is flagged.
#[test]
fn a_saturated_count_of_regions_is_flagged() {
    // 10 units in the plane in general position: 56 regions, 1 + 10 + 45
    let unit = |k: usize| {
        let angle = 0.3 + 0.31 * k as f64;
        ([angle.cos(), angle.sin()], 0.2 * ((k * 7 % 10) as f64 - 4.5))
    };
    let w = Mat::from_fn(10, 2, |j, k| unit(j).0[k]);
    let net = network("regions.npz", Network::scalar(w, (0..10).map(|j| unit(j).1).collect(), vec![1.0; 10], 0.0));
    assert_eq!(answer(&[&net])["regions"]["count"], 56);
    // a unit given twice (turned round and scaled) leaves 46, 1 + 9 + 36; one without inputs adds nothing
    let (mut twice, cut) = (Mat::from_fn(10, 2, |j, k| unit(j).0[k]), unit(4));
    twice.row_mut(9).copy_from_slice(&[-2.0 * cut.0[0], -2.0 * cut.0[1]]);
    let mut b: Vec<f64> = (0..10).map(|j| unit(j).1).collect();
    b[9] = -2.0 * cut.1;
    let twice = network("regions2.npz", Network::scalar(twice, b, vec![1.0; 10], 0.0));
    assert_eq!(answer(&[&twice])["regions"]["count"], 46);
    let rows: Vec<Vec<f64>> = (0..8).map(|j| (1..4).map(|k| f64::from(j * 3 + 1).powi(k) % 17.0).collect()).collect();
    let b = (0..8).map(|j| f64::from(j * j % 7) - 2.5).collect();
    let space = network("regions3.npz", Network::scalar(Mat::from_rows(&rows), b, vec![1.0; 8], 0.0));
    assert_eq!(answer(&[&space])["regions"]["count"], 93, "1 + 8 + 28 + 56");
    let units: Vec<[f64; 3]> = (0..5).map(|k| [1.0, f64::from(k), 1.0]).collect();
    let on_line = network("regions4.npz", line(&[&units[..], &[[0.0, -1.0, 1.0]]].concat(), 0.0));
    assert_eq!(answer(&[&on_line])["regions"]["count"], 6);
    let few = written("few.csv", "a,b\n-3,-3\n3,-3\n-3,3\n3,3\n0.1,0.2\n");
    let facts = &answer(&[&net, &few, "--box", "everywhere"])["pattern_facts"];
    assert_eq!((&facts["regions_seen"], &facts["saturated"]), (&json!(5), &json!(true)));
    let text = relimit(&["collapse", &net, &few, "--box", "everywhere"]).out;
    assert!(text.contains("no count of the regions"), "{text}");
    let place = |k: i32| f64::from(k) * 0.5 - 30.0;
    let lines: Vec<String> = (0..120 * 120).map(|i| format!("{},{}", place(i / 120), place(i % 120))).collect();
    let many = written("many.csv", &format!("a,b\n{}\n", lines.join("\n")));
    let facts = &answer(&[&net, &many, "--box", "everywhere"])["pattern_facts"];
    let seen = facts["regions_seen"].as_u64().expect("a count");
    assert!((30..=56).contains(&seen) && facts["saturated"] == json!(false), "{seen}");
}
