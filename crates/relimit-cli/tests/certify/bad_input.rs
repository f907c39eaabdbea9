//! Bad input ends with exit code 2 and says what, where and what to do.

use crate::common::{line, network, relimit, written};

#[test]
fn bad_input_is_refused_in_words() {
    let net = network("certify-refused.npz", line(&[[1.0, 0.0, 1.0]], 0.0));
    let two = written("certify-two.csv", "a,b,y\n1,2,3\n3,4,5\n");
    let one = written("certify-one.csv", "x,y\n1,2\n3,4\n");
    let cases: [(&[&str], &str); 4] = [
        (&[&net, &two, "--target", "y"], "2 columns (a, b) for a network of 1 input"),
        (&[&net, &one, "--target", "z"], "z"),
        (&["examples/networks/three_layers.safetensors", &one, "--target", "y"], "layer"),
        (&[&net, &one, "--target", "y", "--lambda", "-1"], "--lambda"),
    ];
    for (arguments, part) in cases {
        let called = relimit(&[&["certify"], arguments].concat());
        assert_eq!((called.code, called.out.as_str()), (2, ""), "{arguments:?}");
        assert!(called.err.contains(part), "{:?} does not say {part:?}", called.err);
    }
}
