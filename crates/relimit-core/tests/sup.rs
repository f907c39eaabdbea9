//! The certified supremum of q over the ball: values, work and soundness.

mod common;

use common::Rng;
use relimit_core::certify::sup::{End, SupOptions, sup};
use relimit_core::num::Mat;

/// Normal rows with a bias column, normal weights.
fn random(n: usize, d: usize, seed: u64) -> (Mat, Vec<f64>) {
    let mut rng = Rng(seed);
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| rng.normal()).chain([1.0]).collect()).collect();
    (Mat::from_rows(&rows), (0..n).map(|_| rng.normal()).collect())
}

/// Both sides of the supremum meet to the accuracy asked for, within a few times the nodes of the prototype.
#[test]
fn random_suprema_close() {
    for (n, d, most) in [(10, 2, 20), (20, 4, 80), (40, 3, 100), (40, 6, 200), (100, 4, 4000), (60, 10, 4000)] {
        let (x, r) = random(n, d, 1);
        let found = sup(&x, &r, &SupOptions { max_nodes: most, random_starts: 200, ..SupOptions::to_accuracy(1e-9) });
        println!("n={n} d={d}: [{}, {}], {} nodes", found.lower, found.upper, found.nodes);
        assert_eq!(found.end, End::Proved, "n={n} d={d}: {} nodes", found.nodes);
        assert!(found.lower <= found.upper && found.upper <= found.lower * (1.0 + 1.1e-9), "n={n} d={d}");
    }
}
