//! One pattern: possible, with a neuron that produces it, or impossible, with a proof.

use std::cmp::Ordering;

use dashu_int::IBig;
use relimit_core::certify::pattern::{Decision, Witness, decide};
use relimit_core::num::Mat;
use relimit_core::pattern::Covector;

use crate::answer::{CheckFacts, Multiplier};
use crate::plan::CheckPattern;

/// Decides a pattern on the rows of x (n x D, bias column included; `unscaled` gives weights for the data themselves); `None` when `stop` said so first.
///
/// In the alphabet of active and not active a zero row is not active without being negative.
pub(super) fn check(
    pattern: &CheckPattern,
    x: &Mat,
    rows: &[usize],
    unscaled: &dyn Fn(Vec<IBig>) -> Vec<IBig>,
    stop: &dyn Fn() -> bool,
) -> Option<CheckFacts> {
    let zero = |i: usize| x.row(i).iter().all(|v| *v == 0.0);
    let sign = |(i, s): (usize, &i8)| match s {
        -1 if !pattern.ternary && zero(i) => Ordering::Equal,
        s => s.cmp(&0),
    };
    let wanted = Covector::from_signs(pattern.signs.iter().enumerate().map(sign));
    let (witness, proof) = match decide(x, &wanted, stop) {
        Decision::Stopped => return None,
        Decision::Realisable(w) => (Some(unscaled(w.u).iter().map(ToString::to_string).collect()), None),
        Decision::Impossible(m) => {
            let term = |(i, m): (&usize, &IBig)| Multiplier { row: rows[*i], multiplier: m.to_string() };
            (None, Some(m.rows.iter().zip(&m.multipliers).map(term).collect()))
        }
    };
    Some(CheckFacts { pattern: pattern.to_string(), realisable: witness.is_some(), witness, proof })
}

/// A short witness of a listed pattern: a point with a wide margin, rounded and confirmed in exact arithmetic; `u`, a
/// point that is known to be inside (if there is one), only when `stop` says so first.
///
/// # Panics
/// When the pattern, or `u`, turns out not to be what the list says: an error of this program.
pub(super) fn witness(
    x: &Mat,
    signs: &[i8],
    u: impl Fn() -> Option<Vec<IBig>>,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<IBig>> {
    let wanted = Covector::from_signs(signs.iter().map(|s| s.cmp(&0)));
    match decide(x, &wanted, stop) {
        Decision::Realisable(w) => Some(w.u),
        Decision::Impossible(_) => panic!("a listed pattern is impossible: {wanted}"),
        Decision::Stopped => {
            let inside = Witness { u: u()? };
            assert!(inside.verify(x, &wanted), "a witness has other signs than {wanted}");
            Some(inside.u)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Mat {
        Mat::from_rows(&[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    }

    #[test]
    fn witnesses_are_short_and_right() {
        let u = witness(&line(), &[-1, -1, 1], || unreachable!("there is time"), &|| false).unwrap();
        assert!(Witness { u: u.clone() }.verify(&line(), &Covector::parse("--+").unwrap()));
        assert!(u.iter().all(|v| *v >= IBig::from(-16) && *v <= IBig::from(16)), "{u:?}");
        let known = vec![IBig::from(2), IBig::from(-3)];
        assert_eq!(witness(&line(), &[-1, -1, 1], || Some(known.clone()), &|| true), Some(known.clone()));
        assert_eq!(witness(&line(), &[-1, -1, 1], || None, &|| true), None);
    }

    #[test]
    #[should_panic(expected = "listed pattern is impossible: +-+")]
    fn a_list_with_an_impossible_pattern_is_caught() {
        witness(&line(), &[1, -1, 1], || None, &|| false);
    }

    #[test]
    fn zero_rows_are_inactive_in_one_alphabet_and_zero_in_the_other() {
        let x = Mat::from_rows(&[[0.0, 0.0], [1.0, 0.0]]);
        let check = |signs: [i8; 2], ternary| {
            super::check(&CheckPattern { signs: signs.into(), ternary }, &x, &[2, 3], &|u| u, &|| false).unwrap()
        };
        assert!(check([-1, 1], false).realisable);
        assert!(check([0, 1], true).realisable);
        let refused = check([-1, 1], true);
        assert_eq!((refused.realisable, refused.pattern.as_str()), (false, "-+"));
        assert_eq!(refused.proof.unwrap()[0].row, 2);
    }
}
