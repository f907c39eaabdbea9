//! One neuron of a candidate: a direction, its signed coefficient, and the examples on its kink.

use relimit_core::num::mat::{axpy, dot, norm2};

use super::Objective;

/// `c relu(u . x)` with u of unit length in the penalised coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Ray {
    /// Direction, D.
    pub u: Vec<f64>,
    /// Coefficient, with the sign of the output weight.
    pub c: f64,
    /// Examples with u . x_i = 0 by construction, increasing.
    pub kink: Vec<usize>,
}

/// Orthonormal vectors, grown one at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Basis(pub(super) Vec<Vec<f64>>);

impl Basis {
    /// Adds the part of `v` outside the span, unless it is below `share` of v.
    pub(super) fn push(&mut self, v: &[f64], share: f64) -> bool {
        let mut rest = self.outside(v);
        let length = norm2(&rest);
        let grows = length > share * norm2(v) && length > 0.0;
        if grows {
            for a in &mut rest {
                *a /= length;
            }
            self.0.push(rest);
        }
        grows
    }

    /// The part of `v` orthogonal to the span, projected twice.
    pub(super) fn outside(&self, v: &[f64]) -> Vec<f64> {
        let mut rest = v.to_vec();
        for _ in 0..2 {
            for q in &self.0 {
                let along = dot(q, &rest);
                axpy(-along, q, &mut rest);
            }
        }
        rest
    }
}

/// Rows below this angle to each other count as dependent on a kink: the square root of rounding, 1.5e-8, is the angle that
/// products tell apart; a tenth of it keeps rows that the file writes as different.
const DEPENDENT: f64 = 1e-9;

impl Ray {
    /// A ray whose kink holds the examples with `|u . x_i| <= tolerance |x_i|`, moved onto that kink; `None` when
    /// nothing is left of it.
    pub fn near(objective: &Objective, u: &[f64], sign: f64, tolerance: f64) -> Option<Self> {
        let x = &objective.x;
        let on = |i: &usize| dot(x.row(*i), u).abs() <= tolerance * norm2(x.row(*i)) * norm2(u);
        let kink: Vec<usize> = (0..x.rows()).filter(on).collect();
        let mut ray = Self { u: u.to_vec(), c: sign, kink };
        ray.settle(objective);
        if ray.c == 0.0 {
            return None;
        }
        ray.c = sign;
        Some(ray)
    }

    /// Moves the direction exactly onto its kink, at unit size; the coefficient becomes 0 when nothing is left.
    pub(super) fn settle(&mut self, objective: &Objective) {
        let mut normals = Basis::default();
        for &i in &self.kink {
            normals.push(objective.x.row(i), DEPENDENT);
        }
        let u = normals.outside(&self.u);
        let size = objective.size(&u);
        if size > 0.0 {
            self.c *= size;
            self.u = u.iter().map(|a| a / size).collect();
        } else {
            self.c = 0.0;
        }
    }

    /// Orthonormal basis of the span of the ray's face, the direction itself first.
    ///
    /// With more inputs than rows, of the part of it that a descent can leave the direction for: the rows, and the
    /// inputs that are not penalised. Everything else only adds to the penalty.
    pub(super) fn face(&self, objective: &Objective) -> Basis {
        let (x, dim) = (&objective.x, self.u.len());
        let free = objective.penalised..dim;
        let few = x.rows() + free.len() + 1 < dim;
        let mut normals = Basis::default();
        for &i in &self.kink {
            if normals.0.len() + 1 >= dim {
                break;
            }
            normals.push(x.row(i), DEPENDENT);
        }
        let fixed = normals.0.len();
        normals.push(&self.u, 0.0);
        if few {
            for i in 0..x.rows() {
                normals.push(x.row(i), DEPENDENT);
            }
        }
        for k in if few { free } else { 0..dim } {
            if normals.0.len() == dim {
                break;
            }
            let mut e = vec![0.0; dim];
            e[k] = 1.0;
            normals.push(&e, 0.5 / (dim as f64).sqrt());
        }
        Basis(normals.0.split_off(fixed))
    }
}

#[cfg(test)]
mod tests {
    use relimit_core::certify::optimum::{Bias, Loss, Objective as Claimed, Offset};
    use relimit_core::num::Mat;

    use super::*;

    fn objective(rows: &[Vec<f64>], bias: Bias) -> Objective {
        let claim = Claimed { lambda: 1.0, loss: Loss::HalfSum, bias, offset: Offset::None, weights: None };
        Objective::new(claim, Mat::from_rows(rows), vec![1.0; rows.len()])
    }

    /// Gradients of loss and penalty are sums of rows, the direction and what is not penalised: all of it in the span.
    #[test]
    fn few_rows_span_what_a_step_can_use() {
        let rows = [vec![1.0, 0.0, 2.0, 0.0, 0.0, 1.0], vec![0.0, 3.0, 1.0, 0.0, 0.0, -1.0]];
        for (bias, size) in [(Bias::None, 3), (Bias::Penalised, 3), (Bias::Free, 4)] {
            let o = objective(&rows, bias);
            let dim = o.x.cols();
            let u: Vec<f64> = (0..dim).map(|k| if k == 3 { 1.0 } else { 0.0 }).collect();
            let face = Ray { u: u.clone(), c: 1.0, kink: vec![] }.face(&o);
            assert_eq!(face.0.len(), size, "{bias:?}");
            assert!((dot(&face.0[0], &u) - 1.0).abs() < 1e-15, "the direction is first");
            for (k, a) in face.0.iter().enumerate() {
                for (l, b) in face.0.iter().enumerate() {
                    assert!((dot(a, b) - f64::from(u8::from(k == l))).abs() < 1e-14, "{bias:?} {k} {l}");
                }
            }
            let last: Vec<f64> = (0..dim).map(|k| f64::from(u8::from(k + 1 == dim))).collect();
            let free = (bias == Bias::Free).then_some(&last[..]);
            for v in (0..2).map(|i| o.x.row(i)).chain([&u[..]]).chain(free) {
                assert!(norm2(&face.outside(v)) < 1e-14 * norm2(v), "{bias:?}: {v:?}");
            }
            // on the kink of a row nothing is left of that row
            let on = Ray { u, c: 1.0, kink: vec![0] }.face(&o);
            assert!(on.0.len() == size - 1 && on.0.iter().all(|q| dot(q, o.x.row(0)).abs() < 1e-14), "{bias:?}");
        }
        // as many rows as inputs: the whole space
        let square = objective(&[vec![1.0, 0.0], vec![0.0, 1.0]], Bias::None);
        assert_eq!(Ray { u: vec![0.6, 0.8], c: 1.0, kink: vec![] }.face(&square).0.len(), 2);
    }
}
