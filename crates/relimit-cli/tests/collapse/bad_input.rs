//! Bad input ends with exit code 2 and says what, where and what to do.

use crate::common::{line, network, relimit, scratch, written};

#[test]
fn bad_input_is_refused_in_words() {
    let net = network("refused.npz", line(&[[1.0, 0.0, 1.0]], 0.0));
    let two = written("two-columns.csv", "a,b\n1,2\n3,4\n");
    let pickle = written("net.pt", "x");
    let out = scratch("no-format.txt");
    let cases: [(&[&str], &str); 9] = [
        (&[&net, "--tolerance", "-1"], "--tolerance -1: give a number from 0 on"),
        (&[&net, "--tolerance", "nan"], "--tolerance NaN"),
        (&[&net, "--box", "1:0"], "'1:0' ends before it begins"),
        (&[&net, "--box", "0:1,0:1"], "2 ranges for 1 inputs"),
        (&[&net, "--bounds", "x.csv"], "--bounds: preactivations are bounded on a box alone"),
        (&[&net, &two], "2 columns (a, b) for a network of 1 input"),
        (&[&pickle], "a PyTorch pickle can run code and is never loaded; in Python: safetensors.torch.save_file"),
        (&[&net, "--save", &out], ".npz, .safetensors or .onnx"),
        (&["no-such.onnx"], "no-such.onnx: no such file"),
    ];
    for (arguments, part) in cases {
        let called = relimit(&[&["collapse"], arguments].concat());
        assert_eq!((called.code, called.out.as_str()), (2, ""), "{arguments:?}");
        assert!(called.err.contains(part), "{:?} does not say {part:?}", called.err);
    }
}
