//! What rounding hides of an objective, and how near to a kink local search comes.

/// A fall below this share is invisible: an objective is a sum of terms of one sign, off by a few units in the last place.
const VISIBLE: f64 = 1e-15;

/// A step that seems to raise the objective by less than this share may have lowered it: both values compared are off by two
/// units in the last place.
const LEVEL: f64 = 4.0 * f64::EPSILON;

/// A neuron that a step shrinks below this share of what it was is gone: the step itself is rounded by as much.
pub(super) const GONE: f64 = 1e-14;

/// Products below this share of a row count as 0 in a direction that local search found: its pivots place a kink to about
/// 1e-12.
pub(crate) const ON_KINK: f64 = 1e-10;

/// Whether `after` is lower than `before` by more than rounding.
pub(super) fn fell(before: f64, after: f64) -> bool {
    after < before - VISIBLE * before.abs()
}

/// Whether `after` is not higher than `before` but for rounding.
pub(super) fn not_higher(before: f64, after: f64) -> bool {
    after <= before + LEVEL * before.abs()
}

/// Whether a positive `after` differs from `before` by more than rounding.
pub(super) fn moved(before: f64, after: f64) -> bool {
    (after - before).abs() > VISIBLE * after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_in_the_last_place_is_no_fall_and_no_rise() {
        for value in [1.0, -3.0, 1e-200, 0.1] {
            let (up, down) = (f64::next_up(value), f64::next_down(value));
            assert!(!fell(value, down) && not_higher(value, up) && !moved(value.abs(), up.abs()), "{value}");
            let ten = 10.0 * f64::EPSILON * value.abs();
            assert!(fell(value, value - ten) && !not_higher(value, value + ten), "{value}");
        }
        assert!(moved(1.0, 1.0 + 10.0 * f64::EPSILON));
    }
}
