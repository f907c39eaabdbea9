//! A linear map as a sum of few products `p q'`, and as units that compute it.

use std::collections::BTreeMap;

use crate::certify::equality::Hyperplane;
use crate::net::InputBox;
use crate::num::exact::Dyadic;

/// `p q'`: output weights and input weights.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Product {
    pub p: Vec<f64>,
    pub q: Vec<f64>,
}

/// Writes `linear` (outputs x d) as products: by rows, by columns or as `natural` says, whichever are fewest; exact up to
/// the rounding to f64.
pub(super) fn products(linear: &[Vec<Dyadic>], natural: Option<Vec<Product>>) -> Vec<Product> {
    let rows: Vec<Vec<f64>> = linear.iter().map(|r| r.iter().map(Dyadic::nearest).collect()).collect();
    let (k, d) = (rows.len(), rows.first().map_or(0, Vec::len));
    let columns: Vec<Vec<f64>> = (0..d).map(|i| rows.iter().map(|r| r[i]).collect()).collect();
    let by_rows = proportional(&rows).into_iter().map(|(q, p)| Product { p: spread(&p, k), q });
    let by_columns = proportional(&columns).into_iter().map(|(p, q)| Product { p, q: spread(&q, d) });
    let mut best: Vec<Product> = by_rows.collect();
    for other in [by_columns.collect(), natural.unwrap_or_else(|| best.clone())] {
        if other.len() < best.len() {
            best = other;
        }
    }
    best
}

/// A row, and which rows are what multiple of it.
type Multiples = (Vec<f64>, Vec<(usize, f64)>);

/// A unit: its row (w, b) and its output weights.
pub(super) type Unit = (Vec<f64>, Vec<f64>);

/// The rows other than 0 up to exact proportion: a first one, and which rows are what multiple of it.
fn proportional(rows: &[Vec<f64>]) -> Vec<Multiples> {
    let mut groups: Vec<(Multiples, Dyadic)> = vec![];
    let mut known: BTreeMap<Hyperplane, usize> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        let padded: Vec<f64> = row.iter().copied().chain([0.0]).collect();
        let Some((plane, t)) = Hyperplane::of(&padded) else { continue };
        let at = *known.entry(plane).or_insert(groups.len());
        if at == groups.len() {
            groups.push(((row.clone(), vec![]), t.clone()));
        }
        let factor = t.ratio(&groups[at].1);
        groups[at].0.1.push((i, factor));
    }
    groups.into_iter().map(|(multiples, _)| multiples).collect()
}

fn spread(entries: &[(usize, f64)], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for (i, v) in entries {
        out[*i] = *v;
    }
    out
}

/// Units (row, output weights) that add up to the products, and what the output biases must lose for them.
///
/// On all inputs `q.x = relu(q.x) - relu(-q.x)`; on a box `q.x = relu(q.x + M) - M` with `q.x + M >= 0` there.
pub(super) fn units(products: &[Product], on: Option<&InputBox>) -> (Vec<Unit>, Vec<Dyadic>) {
    let mut out = vec![];
    let mut surplus = vec![Dyadic::zero(); products.first().map_or(0, |p| p.p.len())];
    for Product { p, q } in products {
        let row = |sign: f64, b: f64| -> Vec<f64> { q.iter().map(|v| sign * v).chain([b]).collect() };
        match on {
            None => {
                out.push((row(1.0, 0.0), p.clone()));
                out.push((row(-1.0, 0.0), p.iter().map(|v| -v).collect()));
            }
            Some(on) => {
                let lift = (-on.bounds(q, 0.0).0).max(0.0);
                out.push((row(1.0, lift), p.clone()));
                for (sum, p) in surplus.iter_mut().zip(p) {
                    *sum = sum.add(&Dyadic::new(*p).mul(&Dyadic::new(lift)));
                }
            }
        }
    }
    (out, surplus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_products_are_taken() {
        let exact = |rows: &[[f64; 3]]| -> Vec<Vec<Dyadic>> {
            rows.iter().map(|r| r.iter().map(|v| Dyadic::new(*v)).collect()).collect()
        };
        let rank_one = exact(&[[1.0, 2.0, -4.0], [-0.5, -1.0, 2.0], [0.0, 0.0, 0.0]]);
        let got = products(&rank_one, None);
        assert_eq!(got, [Product { p: vec![1.0, -0.5, 0.0], q: vec![1.0, 2.0, -4.0] }]);
        let one_column = exact(&[[0.0, 3.0, 0.0], [0.0, 5.0, 0.0]]);
        assert_eq!(products(&one_column, None).len(), 1);
        assert_eq!(products(&exact(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), None).len(), 2);
        assert_eq!(products(&exact(&[[0.0; 3]]), None), []);
    }
}
