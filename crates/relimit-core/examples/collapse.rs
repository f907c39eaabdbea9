//! A network of five neurons collapsed to the narrowest equal one, with the exact comparison.

use relimit_core::collapse::collapse;
use relimit_core::net::Network;
use relimit_core::num::Mat;

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    // two neurons on one ray, two that cancel, and one that no input activates
    let w = Mat::from_rows(&[[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]]);
    let net = Network::scalar(w, vec![-1.0, -2.0, 0.5, 0.5, -3.0], vec![1.0, 0.5, 2.0, -2.0, 7.0], 0.25);
    let found = collapse(&net, None, 0.0, &|| false);
    println!("width {} -> {}", net.width(), found.network.width());
    println!("narrowest: {}, the same function: {}", found.width.exact(), found.equality.identical);
    for kind in &found.kinds {
        println!("  {kind:?}");
    }
}
