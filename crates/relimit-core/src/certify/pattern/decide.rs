//! Whether some point has the wanted signs on the rows of the data: always decided, always with proof.
//!
//! Floating point proposes (shortest vector with margins, `num::least_norm`), exact integers confirm: a point rounded
//! to few bits, or the circuit behind approximate multipliers. What floating point cannot separate goes to the exact
//! simplex method of `num::strict_cone`.

use std::cmp::Ordering;

use dashu_int::IBig;

use super::scaled::{Balanced, Scaled, primitive};
use super::{Motzkin, Witness};
use crate::certify::circuit::{self, circuit_behind};
use crate::num::Mat;
use crate::num::exact::integers;
use crate::num::least_norm::{LeastNorm, least_norm};
use crate::num::null_space::null_space;
use crate::num::strict_cone::{StrictCone, strict_cone};
use crate::pattern::Covector;

/// Significant bits that a point is rounded to, in turn, before its own doubles are taken.
const ROUNDINGS: [i32; 4] = [2, 5, 10, 24];

/// Whether a sign pattern exists on the data, with the proof; the proof has been verified in exact arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// This point has the signs.
    Realisable(Witness),
    /// These multipliers exclude them.
    Impossible(Motzkin),
    /// `stop` said so first.
    Stopped,
}

/// Decides whether some u has `sign(x_i . u) = wanted_i` for all rows of `x` (n x D, finite).
///
/// Without zeros in `wanted` this asks for a cell of the arrangement, with zeros for a face. A zero row of `x` can only
/// have sign 0. `stop` is polled once a pivot.
///
/// # Panics
/// When `wanted` has not n signs, or `x` an entry that is not finite.
///
/// # Cost
/// O(n D) a pivot in floating point for most data, then O(n D) integer products; the exact method that the rest goes to
/// takes O(n rank) products of long integers a pivot.
///
/// # Example
/// ```
/// use relimit_core::certify::pattern::{Decision, decide};
/// use relimit_core::{num::Mat, pattern::Covector};
/// let x = Mat::from_rows(&[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]); // three points on a line, with a bias
/// let wanted = |text| Covector::parse(text).expect("signs");
/// assert!(matches!(decide(&x, &wanted("-++"), &|| false), Decision::Realisable(_)));
/// let Decision::Impossible(proof) = decide(&x, &wanted("+-+"), &|| false) else { panic!() };
/// assert_eq!(proof.multipliers, [1, -2, 1].map(Into::into)); // x_0 - 2 x_1 + x_2 = 0
/// ```
pub fn decide(x: &Mat, wanted: &Covector, stop: &dyn Fn() -> bool) -> Decision {
    assert_eq!(wanted.n(), x.rows(), "{} signs for {}x{} rows", wanted.n(), x.rows(), x.cols());
    let is_zero = |i: usize| x.row(i).iter().all(|v| *v == 0.0);
    let problem = Problem {
        x,
        wanted,
        strict: (0..x.rows()).filter(|&i| wanted.get(i) != Ordering::Equal).collect(),
        equal: (0..x.rows()).filter(|&i| wanted.get(i) == Ordering::Equal && !is_zero(i)).collect(),
    };
    if let Some(&i) = problem.strict.iter().find(|&&i| is_zero(i)) {
        let m = if wanted.get(i) == Ordering::Less { -IBig::ONE } else { IBig::ONE };
        return Decision::Impossible(Motzkin { rows: vec![i], multipliers: vec![m] });
    }
    if problem.strict.is_empty() {
        return Decision::Realisable(Witness { u: vec![IBig::ZERO; x.cols()] });
    }
    problem.decide(stop)
}

struct Problem<'a> {
    x: &'a Mat,
    wanted: &'a Covector,
    /// Rows that must not vanish.
    strict: Vec<usize>,
    /// Rows other than 0 that must vanish.
    equal: Vec<usize>,
}

impl Problem<'_> {
    fn decide(&self, stop: &dyn Fn() -> bool) -> Decision {
        let scaled = Scaled::new(self.x);
        if let Some(found) = self.in_floating_point(&scaled, stop) {
            return found;
        }
        self.exactly(&scaled, stop)
    }

    /// A proof found in floating point and confirmed exactly, or `None`.
    fn in_floating_point(&self, scaled: &Scaled, stop: &dyn Fn() -> bool) -> Option<Decision> {
        let dim = self.x.cols();
        // Coordinates on the common zeros of the rows that must vanish.
        let basis = (!self.equal.is_empty())
            .then(|| null_space(self.equal.iter().map(|&i| scaled.rows[i].clone()).collect(), dim));
        let signed: Vec<Vec<IBig>> = self
            .strict
            .iter()
            .map(|&i| {
                let row = self.signed(i, &scaled.rows[i]);
                basis.as_ref().map_or_else(|| row.clone(), |b| b.iter().map(|v| dot(&row, v)).collect())
            })
            .collect();
        let floats = Balanced::new(&signed, basis.as_ref().map_or(dim, Vec::len));
        match least_norm(&floats.rows, &vec![1.0; signed.len()], stop) {
            LeastNorm::Point { w, .. } => roundings(&w).find_map(|w| {
                let most = floats.columns.iter().copied().max().unwrap_or(0);
                let v: Vec<IBig> = w.into_iter().zip(&floats.columns).map(|(w, k)| w << (most - k)).collect();
                let v = basis.as_ref().map_or_else(|| v.clone(), |b| combine(b, &v, dim));
                let witness = Witness { u: scaled.point(&v) };
                witness.verify(self.x, self.wanted).then_some(Decision::Realisable(witness))
            }),
            LeastNorm::Infeasible { multipliers } => {
                let mut candidate = vec![0.0; self.x.rows()];
                let mut negative = vec![false; self.x.rows()];
                // Multipliers of the rows of x, up to one common power of two.
                let power = |t: usize| -floats.exponents[t] - scaled.row_exponent(self.strict[t]) as isize;
                let used = || (0..multipliers.len()).filter(|&t| multipliers[t] > 0.0);
                let most = used().map(power).max().unwrap_or(0);
                for t in used() {
                    candidate[self.strict[t]] = libm::scalbn(multipliers[t], (power(t) - most).max(-5000) as i32);
                }
                for &i in &self.strict {
                    negative[i] = self.wanted.get(i) == Ordering::Less;
                }
                let circuit = circuit_behind(self.x, &candidate, &negative, &self.equal)?;
                let (rows, multipliers) = circuit.into_iter().unzip();
                let proof = Motzkin { rows, multipliers };
                proof.verify(self.x, self.wanted).then_some(Decision::Impossible(proof))
            }
            LeastNorm::Undecided { .. } => None,
        }
    }

    fn exactly(&self, scaled: &Scaled, stop: &dyn Fn() -> bool) -> Decision {
        let order: Vec<usize> = self.strict.iter().chain(&self.equal).copied().collect();
        let rows: Vec<Vec<IBig>> = order.iter().map(|&i| self.signed(i, &scaled.rows[i])).collect();
        let equal: Vec<bool> = (0..order.len()).map(|t| t >= self.strict.len()).collect();
        match strict_cone(&rows, &equal, self.x.cols(), stop) {
            StrictCone::Point { numerators, .. } => {
                let witness = Witness { u: scaled.point(&numerators) };
                assert!(witness.verify(self.x, self.wanted), "an exact point for {} has other signs", self.wanted);
                Decision::Realisable(witness)
            }
            StrictCone::Empty { multipliers } => {
                // Back to the rows of x: their powers of two, and the sign that each was taken with.
                let m = order.iter().zip(&multipliers).map(|(&i, m)| self.unscaled(i, m, scaled)).collect::<Vec<_>>();
                let least = m.iter().filter(|p| !p.0.is_zero()).map(|p| p.1).min().unwrap_or(0);
                let m = m.into_iter().map(|(m, e)| if m.is_zero() { m } else { m << (e - least) as usize }).collect();
                let (rows, multipliers) = circuit::primitive(&order, m, false).into_iter().unzip();
                let proof = Motzkin { rows, multipliers };
                assert!(proof.verify(self.x, self.wanted), "exact multipliers against {} do not hold", self.wanted);
                Decision::Impossible(proof)
            }
            StrictCone::Stopped => Decision::Stopped,
        }
    }

    fn signed(&self, i: usize, row: &[IBig]) -> Vec<IBig> {
        let turn = self.wanted.get(i) == Ordering::Less;
        row.iter().map(|v| if turn { -v } else { v.clone() }).collect()
    }

    /// The multiplier of `x_i` that belongs to multiplier m of its scaled and signed row, as `(m', e)`: `m' 2^e`.
    fn unscaled(&self, i: usize, m: &IBig, scaled: &Scaled) -> (IBig, i64) {
        let m = if self.wanted.get(i) == Ordering::Less { -m } else { m.clone() };
        (m, -i64::from(scaled.row_exponent(i)))
    }
}

/// A vector of doubles as integers in nearly the same ratios: with few bits first, in the end exactly.
fn roundings(w: &[f64]) -> impl Iterator<Item = Vec<IBig>> + '_ {
    let largest = w.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let top = if largest > 0.0 { libm::ilogb(largest) } else { 0 };
    let short = move |bits: i32| {
        w.iter().map(move |v| IBig::from(libm::rint(libm::scalbn(*v, bits - top)) as i64)).collect::<Vec<IBig>>()
    };
    ROUNDINGS.into_iter().map(short).chain(std::iter::once_with(|| integers(w.iter().copied()))).map(primitive)
}

fn dot(a: &[IBig], b: &[IBig]) -> IBig {
    a.iter().zip(b).filter(|(x, y)| !x.is_zero() && !y.is_zero()).fold(IBig::ZERO, |s, (x, y)| s + x * y)
}

/// `sum_k v_k basis_k`.
fn combine(basis: &[Vec<IBig>], v: &[IBig], dim: usize) -> Vec<IBig> {
    (0..dim).map(|c| basis.iter().zip(v).fold(IBig::ZERO, |s, (b, v)| s + &b[c] * v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    /// Both ways answer with proof, so they agree; and there are data that only the exact one decides.
    #[test]
    fn the_exact_way_alone_decides_as_well() {
        let mut random = Random(5);
        let (mut left, mut shared) = (0, 0);
        for case in 0..600 {
            let (n, dim) = (2 + random.below(6), 2 + random.below(3));
            let mut x = Mat::from_fn(n, dim, |_, _| random.below(5) as f64 - 2.0);
            // One part in 2^52 or 2^-900 on one entry: a direction that floating point does not see.
            x[(0, 0)] += [0.0, f64::EPSILON, 2f64.powi(-900)][case % 3];
            let zeros = [2, 3][case % 2];
            let signs = (0..n).map(|_| [Ordering::Less, Ordering::Greater, Ordering::Equal][random.below(zeros)]);
            let wanted = Covector::from_signs(signs);
            let nonzero = |i: &usize| x.row(*i).iter().any(|v| *v != 0.0);
            let strict: Vec<usize> = (0..n).filter(|&i| wanted.get(i) != Ordering::Equal).collect();
            if strict.is_empty() || !strict.iter().all(nonzero) {
                continue;
            }
            let equal = (0..n).filter(|&i| wanted.get(i) == Ordering::Equal).filter(nonzero).collect();
            let problem = Problem { x: &x, wanted: &wanted, strict, equal };
            let scaled = Scaled::new(&x);
            let exact = problem.exactly(&scaled, &|| false);
            let holds = |d: &Decision| match d {
                Decision::Realisable(w) => w.verify(&x, &wanted),
                Decision::Impossible(p) => p.verify(&x, &wanted),
                Decision::Stopped => false,
            };
            assert!(holds(&exact));
            match problem.in_floating_point(&scaled, &|| false) {
                Some(found) => {
                    assert!(holds(&found));
                    assert_eq!(std::mem::discriminant(&found), std::mem::discriminant(&exact), "case {case}");
                    shared += 1;
                }
                None => left += 1,
            }
        }
        assert!(shared > 400 && left > 0, "{shared} decided both ways, {left} by exact pivots alone");
    }
}
