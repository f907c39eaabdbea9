//! How many patterns have k active rows, in closed form where every set of directions is possible.

use dashu_int::UBig;
use relimit_core::pattern::{Arrangement, Role};

/// The histogram when the directions are independent: with p_c rows along direction c and q_c against it,
///
/// ```text
/// sum_k (patterns with k active rows) t^k = product over c of (t^p_c + t^q_c)
/// ```
///
/// `None` when a count does not fit into a JSON number. O(n^2) additions of big integers.
pub(super) fn of_independent(a: &Arrangement) -> Option<Vec<u64>> {
    let mut along = vec![0usize; a.classes()];
    let mut against = vec![0usize; a.classes()];
    for role in a.roles() {
        match *role {
            Role::Zero => {}
            Role::Multiple { class, negative: false } => along[class] += 1,
            Role::Multiple { class, negative: true } => against[class] += 1,
        }
    }
    let mut counts = vec![UBig::ZERO; a.n() + 1];
    counts[0] = UBig::ONE;
    for (p, q) in along.into_iter().zip(against) {
        let mut next = vec![UBig::ZERO; a.n() + 1];
        for (k, count) in counts.iter().enumerate().filter(|(_, c)| !c.is_zero()) {
            next[k + p] += count;
            next[k + q] += count;
        }
        counts = next;
    }
    counts.iter().map(super::small).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_rows_give_binomials() {
        let identity: Vec<i64> = (0..25).map(|k| i64::from(k % 6 == 0)).collect();
        let a = Arrangement::from_integers(5, 5, &identity);
        assert_eq!(of_independent(&a).unwrap(), [1, 5, 10, 10, 5, 1]);
    }

    #[test]
    fn multiples_move_together() {
        // two rows along e1, one against it, one zero row, one row along e2: (t^2 + t) (t + 1)
        let a = Arrangement::from_integers(5, 2, &[1, 0, 2, 0, -1, 0, 0, 0, 0, 7]);
        assert_eq!(of_independent(&a).unwrap(), [0, 1, 2, 1, 0, 0]);
    }

    #[test]
    fn counts_that_json_cannot_hold_are_left_out() {
        let n = 60;
        let identity: Vec<i64> = (0..n * n).map(|k| i64::from(k % (n + 1) == 0)).collect();
        // C(60, 30) is 1.2e17
        assert_eq!(of_independent(&Arrangement::from_integers(n, n, &identity)), None);
    }
}
