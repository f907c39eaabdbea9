//! Ten thousand points on a line, in seconds: kinks fall as lambda grows, and the error stays at the noise.

use std::fmt::Write;
use std::fs;

use crate::common::{folder, items, number, word};
use crate::real::optimum;

#[test]
fn ten_thousand_points_with_an_index_column() {
    let file = folder("ten_thousand").join("sin.csv");
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = ",x,y\n".to_owned();
    for i in 0..10_000 {
        let x = -2.0 + 4.0 * f64::from(i) / 9999.0;
        let _ = writeln!(text, "{i},{x},{}", (5.0 * x).sin() + x * x + 0.1 * uniform());
    }
    fs::write(&file, text).expect("scratch space");
    let mut widths = vec![];
    for (lambda, above) in [("1e-3", 2e-2), ("1e-4", 1e-3), ("1e-5", 0.05 * 0.01 / 12.0)] {
        let answer = optimum(&format!("{} --target y --lambda {lambda}", file.display()));
        assert_eq!(number(&answer, "/data/d"), 1.0, "the index is no feature");
        assert!(number(&answer, "/gap_relative") <= 1e-8, "lambda {lambda}: {}", number(&answer, "/gap_relative"));
        assert_eq!(word(&answer, "/status"), "certified", "lambda {lambda}");
        assert_eq!(number(&answer, "/width_bound"), 2.0 * (20_000.0 - 1.0));
        // uniform noise of width .1 leaves a mean squared error of .01/12
        let excess = 2.0 * number(&answer, "/loss") - 0.01 / 12.0;
        assert!(excess > -2e-5 && excess < above, "lambda {lambda}: {excess:e}");
        widths.push(items(&answer, "/kinks").len());
    }
    assert!(widths.windows(2).all(|w| w[0] <= w[1]), "{widths:?}");
}
