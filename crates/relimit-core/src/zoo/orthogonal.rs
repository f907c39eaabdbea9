//! One negative example, orthogonal to all others: when it goes silent and where it freezes.

use super::Case;
use crate::num::Mat;

/// When an orthogonal example with a negative label goes silent, and its preactivation from then on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frozen {
    /// First step at which the example is silent.
    pub step: f64,
    /// Its preactivation then, in (-|y|/C, 0].
    pub z: f64,
}

/// An example with label -|y|, start preactivation b > 0 and step 1/(C |x|^2), C > 1, one neuron of weight +1.
///
/// ```text
/// k0 = ceil( ln(1 + b/|y|) / -ln(1 - 1/C) )        z = (b + |y|) (1 - 1/C)^k0 - |y|
/// ```
///
/// Source: derived; the recursion is z <- z - (z + |y|)/C while z > 0.
pub fn single_orthogonal(b: f64, y: f64, step_constant: f64) -> Frozen {
    assert!(b > 0.0 && y != 0.0 && step_constant > 1.0, "start {b}, label {y}, C {step_constant}");
    let y = y.abs();
    let step = ((b / y).ln_1p() / -(-1.0 / step_constant).ln_1p()).ceil();
    Frozen { step, z: (b + y) * (1.0 - 1.0 / step_constant).powf(step) - y }
}

/// The problem of [`single_orthogonal`] as data: one row of squared length 2.
pub fn single_orthogonal_case(b: f64, y: f64, step_constant: f64) -> Case {
    Case {
        x: Mat::from_rows(&[[1.0, 1.0]]),
        y: vec![-y.abs()],
        c: vec![1.0],
        at_zero: false,
        start: Mat::from_rows(&[[b]]),
        step: Some(0.5 / step_constant),
        source: "derived: scalar recursion",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zoo::plain_descent;

    #[test]
    fn formula_agrees_with_descent() {
        for (b, y, c) in [(0.01, 1.0, 2.0), (0.3, 1.0, 4.0), (30.0, 1.0, 4.0), (5.0, 0.2, 1.5), (1.0, 3.0, 16.0)] {
            let case = single_orthogonal_case(b, y, c);
            let (p, expected) = (case.problem(), single_orthogonal(b, y, c));
            let mut w = Mat::from_rows(&[[b / 2.0, b / 2.0]]);
            let mut step = 0.0;
            while w[(0, 0)] + w[(0, 1)] > 0.0 {
                plain_descent(&p, &mut w, case.step.unwrap(), 1);
                step += 1.0;
            }
            assert_eq!(step, expected.step, "b={b} y={y} C={c}");
            assert!((w[(0, 0)] + w[(0, 1)] - expected.z).abs() < 1e-13);
            assert!(expected.z <= 0.0 && expected.z > -y / c);
        }
    }
}
