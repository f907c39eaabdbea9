//! The narrowest network found with the same outputs on given rows: only what the rows see of a neuron counts.

use super::narrow::Width;
use super::patterns::sign;
use super::{Kind, collapse, kinds};
use crate::certify::equality::{RowsEquality, constant_on_rows, equality_on_rows, row};
use crate::net::Network;
use crate::num::Mat;
use crate::num::exact::{Dyadic, dot};

/// A network and the narrow one found for it on some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct OnRows {
    /// The narrow network.
    pub network: Network,
    /// Neurons that bend between rows, and what is known about the narrowest network with these outputs.
    pub width: Width,
    /// What each neuron of the given network is on the rows.
    pub kinds: Vec<Kind>,
    /// How far the outputs on the rows are apart.
    pub equality: RowsEquality,
}

/// Collapses a network on some rows: neurons that are on nowhere go, those that are on everywhere become one affine neuron,
/// and (one output) neurons that no row tells apart are added up.
///
/// ```text
/// c relu(z) + c relu(z') = c relu(z + z')      where z and z' have opposite signs on no row
/// c relu(z) - c relu(z') = s c relu(s (z - z'))    where besides s (z - z') >= 0 where one is on, <= 0 where none is
/// relu(z) = z + relu(-z)
/// ```
///
/// Rows of general position leave at most one neuron a dichotomy and sign: at most `P - 1`, P counting the sign patterns
/// of a neuron with bias. Output biases may be used. The result is no wider than the given network.
///
/// # Shapes
/// `x` n x d.
///
/// # Panics
/// When shapes do not match.
///
/// # Cost
/// O(n m d) exact operations, and O(p m n) comparisons of signs for p neurons that are left; before, [`collapse`] everywhere.
///
/// # Source
/// Conformal composition of the sign vectors of an oriented matroid (Bjorner et al., Oriented Matroids, 3.7).
pub fn collapse_on_rows(net: &Network, x: &Mat, stop: &dyn Fn() -> bool) -> OnRows {
    assert_eq!(x.cols(), net.inputs(), "rows of {} entries for {} inputs", x.cols(), net.inputs());
    let start = collapse(net, None, 0.0, stop).network;
    let (network, kinks) = if start.outputs() == 1 {
        let units: Vec<Unit> = (0..start.width()).map(|j| Unit::of(&start, j, x)).collect();
        let plain = Draft::new(x).with(units.clone(), stop);
        let mut turned = Draft::new(x);
        let upright = units.into_iter().map(|t| turned.upright(t)).collect();
        let turned = turned.with(upright, stop);
        let best = if turned.width() < plain.width() { turned } else { plain };
        (best.network(&start, x), best.units.len())
    } else {
        let on = |j: &usize| (0..x.rows()).any(|i| sign(&start, *j, x.row(i)) > 0);
        let seen: Vec<usize> = (0..start.width()).filter(on).collect();
        (picked(&start, &seen), seen.len())
    };
    let lower = usize::from(!constant_on_rows(net, x));
    let width = Width { kinks, rays: kinks, lower, upper: network.width() };
    let kinds = kinds(net, None).into_iter().enumerate().map(|(j, kind)| on_rows(net, j, kind, x)).collect();
    let equality = equality_on_rows(net, &network, x);
    OnRows { network, width, kinds, equality }
}

/// Some neurons of a network.
fn picked(net: &Network, neurons: &[usize]) -> Network {
    let m = neurons.len();
    let w = Mat::from_fn(m, net.inputs(), |j, k| net.w[(neurons[j], k)]);
    let c = Mat::from_fn(net.outputs(), m, |o, j| net.c[(o, neurons[j])]);
    Network::new(w, neurons.iter().map(|j| net.b[*j]).collect(), c, net.offset.clone())
}

/// What a neuron of this kind everywhere is on the rows.
fn on_rows(net: &Network, j: usize, kind: Kind, x: &Mat) -> Kind {
    if !matches!(kind, Kind::Plain | Kind::Duplicate { .. } | Kind::Opposite { .. }) {
        return kind;
    }
    let mut signs = (0..x.rows()).map(|i| sign(net, j, x.row(i)));
    if signs.clone().all(|s| s <= 0) {
        Kind::Dead
    } else if signs.all(|s| s >= 0) {
        Kind::AlwaysOn
    } else {
        kind
    }
}

/// `c relu(z)` on the rows, z = u . (x, 1), c = 1 or -1.
#[derive(Clone)]
struct Unit {
    c: f64,
    u: Vec<f64>,
    /// The exact z of each row.
    z: Vec<Dyadic>,
    sign: Vec<i8>,
    /// Its neuron, as long as nothing was changed.
    own: Option<usize>,
}

impl Unit {
    fn of(net: &Network, j: usize, x: &Mat) -> Self {
        let (h, c) = (row(net, j), net.c[(0, j)]);
        let size = Dyadic::new(c.abs());
        let point = |i: usize| x.row(i).iter().chain([&1.0]).copied().collect::<Vec<f64>>();
        let z = (0..x.rows()).map(|i| dot(&h, &point(i)).mul(&size)).collect();
        Self::new(c.signum(), h.iter().map(|v| c.abs() * v).collect(), z, Some(j))
    }

    fn new(c: f64, u: Vec<f64>, z: Vec<Dyadic>, own: Option<usize>) -> Self {
        let sign = z.iter().map(|z| z.sign() as i8).collect();
        Self { c, u, z, sign, own }
    }

    /// `relu(-z)` in place of `relu(z)`.
    fn turned(&self) -> Self {
        Self::new(self.c, self.u.iter().map(|v| -v).collect(), self.z.iter().map(Dyadic::neg).collect(), None)
    }

    /// One unit with the outputs of both on all rows, if there is one.
    fn join(&self, other: &Self) -> Option<Self> {
        let pairs = || self.sign.iter().zip(&other.sign);
        if pairs().any(|(a, b)| a * b < 0) {
            return None;
        }
        let (a, b) = (self.c, other.c);
        let term = |c: f64, z: &Dyadic| if c > 0.0 { z.clone() } else { z.neg() };
        let z: Vec<Dyadic> = self.z.iter().zip(&other.z).map(|(p, q)| term(a, p).add(&term(b, q))).collect();
        let fits = |s: f64| {
            pairs().zip(&z).all(|((p, q), z)| {
                let side = term(s, z).sign();
                if *p > 0 || *q > 0 { side.is_ge() } else { side.is_le() }
            })
        };
        let s = [a, -a].into_iter().find(|s| fits(*s))?;
        let u = self.u.iter().zip(&other.u).map(|(p, q)| s * (a * p + b * q)).collect();
        Some(Self::new(s, u, z.iter().map(|z| term(s, z)).collect(), None))
    }
}

/// Units that bend between rows, and an affine map.
struct Draft {
    units: Vec<Unit>,
    /// `affine . (x, 1)`, and its exact value on each row.
    affine: Vec<f64>,
    level: Vec<Dyadic>,
    /// The neuron that it is, if it is one.
    own: Option<usize>,
    parts: usize,
}

impl Draft {
    fn new(x: &Mat) -> Self {
        let level = vec![Dyadic::zero(); x.rows()];
        Self { units: vec![], affine: vec![0.0; x.cols() + 1], level, own: None, parts: 0 }
    }

    /// Adds `c u . (x, 1)`.
    fn add(&mut self, unit: &Unit) {
        for (sum, v) in self.affine.iter_mut().zip(&unit.u) {
            *sum += unit.c * v;
        }
        for (sum, z) in self.level.iter_mut().zip(&unit.z) {
            *sum = if unit.c > 0.0 { sum.add(z) } else { sum.sub(z) };
        }
        self.parts += 1;
        self.own = unit.own.filter(|_| self.parts == 1);
    }

    /// The unit that is off on the first row it tells, and what that leaves.
    fn upright(&mut self, unit: Unit) -> Unit {
        let bends = unit.sign.iter().any(|s| *s > 0) && unit.sign.iter().any(|s| *s < 0);
        if !bends || unit.sign.iter().find(|s| **s != 0) == Some(&-1) {
            return unit;
        }
        self.add(&unit);
        unit.turned()
    }

    /// Takes units in, each joined with those that no row tells it from.
    fn with(mut self, units: Vec<Unit>, stop: &dyn Fn() -> bool) -> Self {
        for mut unit in units {
            while !stop()
                && let Some((k, joined)) = self.units.iter().enumerate().find_map(|(k, t)| Some((k, t.join(&unit)?)))
            {
                self.units.remove(k);
                unit = joined;
            }
            if unit.sign.iter().all(|s| *s >= 0) && unit.sign.contains(&1) {
                self.add(&unit);
            } else if unit.sign.contains(&1) {
                self.units.push(unit);
            }
        }
        self
    }

    /// Whether the affine map needs a neuron.
    fn slopes(&self) -> bool {
        self.level.windows(2).any(|pair| pair[0] != pair[1])
    }

    fn width(&self) -> usize {
        self.units.len() + usize::from(self.slopes())
    }

    fn network(&self, start: &Network, x: &Mat) -> Network {
        let d = x.cols();
        let mut rows: Vec<(Vec<f64>, f64)> = vec![];
        let mut offset = start.offset[0];
        let given = |j: usize| (row(start, j), start.c[(0, j)]);
        for t in &self.units {
            rows.push(t.own.map_or_else(|| (t.u.clone(), t.c), given));
        }
        match (self.slopes(), self.own) {
            (false, _) => offset += self.level.first().map_or(0.0, Dyadic::nearest),
            (true, Some(j)) => rows.push(given(j)),
            (true, None) => {
                // on everywhere with as much room as the rows span
                let along: Vec<f64> =
                    (0..x.rows()).map(|i| crate::num::mat::dot(&self.affine[..d], x.row(i))).collect();
                let (least, most) =
                    along.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |m, v| (m.0.min(*v), m.1.max(*v)));
                let bias = (most - least) - least;
                let mut h = self.affine.clone();
                h[d] = bias;
                rows.push((h, 1.0));
                offset += self.affine[d] - bias;
            }
        }
        let w = Mat::from_fn(rows.len(), d, |j, k| rows[j].0[k]);
        Network::scalar(w, rows.iter().map(|r| r.0[d]).collect(), rows.iter().map(|r| r.1).collect(), offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;
    use crate::pattern::{Arrangement, Options, count};

    const GO: &dyn Fn() -> bool = &|| false;

    fn random(random: &mut Random, m: usize, d: usize, k: usize) -> Network {
        let mut list = |n: usize| (0..n).map(|_| 2.0 * random.unit() - 1.0).collect::<Vec<f64>>();
        let (w, b, c, o) = (list(m * d), list(m), list(k * m), list(k));
        Network::new(Mat::from_vec(m, d, w), b, Mat::from_vec(k, m, c), o)
    }

    /// Two hundred neurons on seven rows of the plane: 44 patterns (2 (1 + 6 + 15)), so at most 43 neurons.
    #[test]
    fn what_no_row_tells_apart_is_added_up() {
        let mut draws = Random(5);
        for trial in 0..5 {
            let net = random(&mut draws, 200, 2, 1);
            let x = Mat::from_fn(7, 2, |_, _| 2.0 * draws.unit() - 1.0);
            let got = collapse_on_rows(&net, &x, GO);
            let rows = Mat::from_fn(7, 3, |i, k| if k < 2 { x[(i, k)] } else { 1.0 });
            let patterns = count(&Arrangement::new(&rows), &Options::all());
            assert_eq!(patterns.lower.to_string(), "44");
            assert!(got.network.width() <= 43, "trial {trial}: {}", got.network.width());
            let (f, g) = (net.forward(&x), got.network.forward(&x));
            let apart = f.as_slice().iter().zip(g.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12 && got.equality.max_difference < 1e-12, "trial {trial}: {apart} {:?}", got.equality);
            let again = collapse_on_rows(&got.network, &x, GO);
            assert_eq!(again.network.width(), got.network.width(), "trial {trial}");
        }
    }

    /// By hand, on the rows -2, -1, 1, 2: relu(x + 9) and relu(-x - 9) are affine and nothing; 2 relu(x) + relu(x - 1/2) is
    /// one neuron, 3 relu(x - 1/6); relu(-x) on the other side turns to relu(x) - x.
    #[test]
    fn units_known_by_hand() {
        let x = Mat::from_vec(4, 1, vec![-2.0, -1.0, 1.0, 2.0]);
        let line = |rows: &[[f64; 3]]| {
            let column = |k: usize| rows.iter().map(|r| r[k]).collect::<Vec<f64>>();
            Network::scalar(Mat::from_vec(rows.len(), 1, column(0)), column(1), column(2), 0.0)
        };
        let net = line(&[[1.0, 9.0, 1.0], [-1.0, -9.0, 5.0], [1.0, 0.0, 2.0], [1.0, -0.5, 1.0]]);
        let got = collapse_on_rows(&net, &x, GO);
        assert_eq!(got.kinds, [Kind::AlwaysOn, Kind::Dead, Kind::Plain, Kind::Plain]);
        assert!(got.equality.identical && got.network.width() == 2 && got.width.kinks == 1, "{got:?}");
        let joined = (0..2).find(|j| got.network.b[*j] < 0.0).unwrap();
        assert_eq!(
            (got.network.w.row(joined), got.network.b[joined], got.network.c[(0, joined)]),
            (&[3.0][..], -0.5, 1.0)
        );
        // relu(x) + relu(-x) + relu(x + 9): the turned unit leaves -x, and -x + x + 9 is a constant
        let turned = collapse_on_rows(&line(&[[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], [1.0, 9.0, 1.0]]), &x, GO);
        assert!(turned.equality.identical && turned.network.width() == 1, "{turned:?}");
        // 3 relu(x) - relu(x - 1/2) = relu(2 x + 1/2) on the rows, for 2 x + 1/2 < 0 at -1
        let less = collapse_on_rows(&line(&[[1.0, 0.0, 3.0], [1.0, -0.5, -1.0]]), &x, GO);
        assert!(less.equality.identical && less.network.width() == 1, "{less:?}");
        assert_eq!((less.network.w.row(0), less.network.b[0]), (&[2.0][..], 0.5));
        // constant on the rows: 1 and 1 exactly
        let flat = collapse_on_rows(&line(&[[1.0, 9.0, 1.0], [-1.0, 9.0, 1.0]]), &x, GO);
        assert_eq!((flat.network.width(), flat.width.lower, flat.network.offset[0]), (0, 0, 18.0));
    }

    #[test]
    fn neurons_of_several_outputs_go_when_no_row_sees_them() {
        let mut draws = Random(6);
        let mut net = random(&mut draws, 6, 3, 2);
        net.b[2] = -100.0;
        let x = Mat::from_fn(20, 3, |_, _| 2.0 * draws.unit() - 1.0);
        let got = collapse_on_rows(&net, &x, GO);
        assert!(got.equality.identical && got.network.width() <= 5 && got.kinds[2] == Kind::Dead, "{got:?}");
    }
}
