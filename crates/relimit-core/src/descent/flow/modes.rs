//! Rates and directions of the flow on fixed modes: one eigendecomposition, in the smaller of two spaces.

use super::covariance::Covariance;
use super::space::{Pull, Space};
use super::stretch::{Neuron, NoStretch};
use crate::descent::Problem;
use crate::num::Mat;
use crate::num::linalg::{gram, mul_transposed, symmetric_eigen};
use crate::num::mat::{axpy, dot};

/// The coordinates move as `u_j(t) = u_j(0) + sum_l du_jl (1 - exp(-mu_l t))`.
pub(super) struct Modes {
    /// Rates, positive.
    pub(super) mu: Vec<f64>,
    /// Coefficients of the coordinates, one matrix (modes x p) a neuron.
    pub(super) du: Vec<Mat>,
    /// In weight coordinates, coefficients of the integral of the residual that moves something: modes x n.
    pub(super) spent: Mat,
    /// Error of the decomposition, measured: relative, from the covariance that of the matrix in norm.
    pub(super) defect: f64,
}

/// Modes in dual coordinates, from M on the examples that some neuron is active on.
pub(super) fn dual_modes(
    problem: &Problem,
    space: &Space,
    neurons: &[Neuron],
    seen: &[usize],
    r: &[f64],
) -> Result<Modes, NoStretch> {
    let place = positions(seen, problem.n());
    let mut m = Mat::zeros(seen.len(), seen.len());
    for (c, neuron) in problem.c().iter().zip(neurons) {
        let a = &neuron.active;
        let back = mul_transposed(&space.block(a, &neuron.sliding), &neuron.hold.weights.transpose());
        let g = space.basis();
        for (p, &i) in a.iter().enumerate() {
            for (q, &k) in a.iter().enumerate() {
                m[(place[i], place[k])] += c * c * (g[(i, k)] - back[(p, q)]);
            }
        }
    }
    if !m.max_abs().is_finite() {
        return Err(NoStretch::NotFinite);
    }
    let e = symmetric_eigen(&m);
    let top = e.values.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    let null = 16.0 * m.rows() as f64 * f64::EPSILON * top;
    let keep: Vec<usize> = (0..m.rows()).filter(|&l| e.values[l] > null && e.values[l] > 0.0).collect();
    let mu: Vec<f64> = keep.iter().map(|&l| e.values[l]).collect();
    let q = e.vectors.select_rows(&keep);
    let image = mul_transposed(&q, &m);
    let off = |l: usize| image.row(l).iter().zip(q.row(l)).map(|(a, b)| (a - mu[l] * b).abs()).fold(0.0, f64::max);
    let defect = (0..mu.len()).map(off).fold(0.0, f64::max) / top.max(f64::MIN_POSITIVE);
    let content = q.mul_vec(&seen.iter().map(|&i| r[i]).collect::<Vec<_>>());
    let shape = Mat::from_fn(mu.len(), seen.len(), |l, i| q[(l, i)] * content[l] / mu[l]);
    let du = problem.c().iter().zip(neurons).map(|(c, neuron)| {
        let own = Mat::from_fn(shape.rows(), neuron.active.len(), |l, p| c * shape[(l, place[neuron.active[p]])]);
        let held = mul_transposed(&own, &neuron.hold.weights);
        let mut du = Mat::zeros(shape.rows(), problem.n());
        for l in 0..shape.rows() {
            for (p, &i) in neuron.active.iter().enumerate() {
                du[(l, i)] = own[(l, p)];
            }
            for (q, &i) in neuron.sliding.iter().enumerate() {
                du[(l, i)] = -held[(l, q)];
            }
        }
        du
    });
    let du = du.collect();
    Ok(Modes { mu, du, spent: Mat::zeros(0, 0), defect })
}

/// Modes in weight coordinates, from the singular values of K; never an n x n matrix unless n <= m D.
///
/// The flow of n > D examples is often nearly collinear (spectra, polynomials) and its slowest modes matter at the
/// end, so rates are found as squares of singular values, to the precision of K instead of that of K'K.
pub(super) fn weight_modes(
    problem: &Problem,
    neurons: &[Neuron],
    seen: &[usize],
    r: &[f64],
) -> Result<Modes, NoStretch> {
    let (d, m, x) = (problem.dim(), problem.m(), problem.x());
    let place = positions(seen, problem.n());
    let mut k = Mat::zeros(seen.len(), m * d);
    for (j, (c, neuron)) in problem.c().iter().zip(neurons).enumerate() {
        for &i in &neuron.active {
            let row = &mut k.row_mut(place[i])[j * d..(j + 1) * d];
            axpy(*c, x.row(i), row);
            neuron.hold.project(row);
        }
    }
    let rs: Vec<f64> = seen.iter().map(|&i| r[i]).collect();
    // rows of `short` are the fewer vectors: examples, or weights
    let by_example = seen.len() <= m * d;
    let s = Singular::of(&if by_example { k } else { k.transpose() })?;
    let weights = if by_example { &s.image } else { &s.turn };
    let examples = if by_example { &s.turn } else { &s.image };
    let content = examples.mul_vec(&rs);
    // one of the two vectors is of unit length, the other of length sigma
    let way: Vec<f64> = content.iter().zip(&s.mu).map(|(g, mu)| g / mu).collect();
    let mut du = vec![];
    for (j, neuron) in neurons.iter().enumerate() {
        let mut own = Mat::from_fn(s.mu.len(), d, |l, p| weights[(l, j * d + p)] * way[l]);
        for l in 0..s.mu.len() {
            neuron.hold.project(own.row_mut(l));
        }
        du.push(own);
    }
    let mut spent = Mat::zeros(s.mu.len(), problem.n());
    for (l, mu) in s.mu.iter().enumerate() {
        let length = if by_example { way[l] } else { way[l] / mu };
        for (p, &i) in seen.iter().enumerate() {
            spent[(l, i)] = examples[(l, p)] * length;
        }
    }
    Ok(Modes { du, spent, mu: s.mu, defect: s.defect })
}

/// Modes in weight coordinates from the covariance H of the active examples: O((m D)^3) whatever n is.
///
/// `pulls` are `c_j X' (r on the active examples)`. `None` unless every eigenvalue of H on the weights that may move is
/// either far above the error of H (10^6 times) or one of the zeros that the sliding rows, and
/// neurons with fewer active examples than dimensions, account for.
pub(super) fn covariance_modes(covariance: &Covariance, neurons: &[Neuron], pulls: &[Pull]) -> Option<Modes> {
    let dim = pulls.first()?.weights().len();
    let order = neurons.len() * dim;
    let mut h = covariance.matrix().clone();
    for _ in 0..2 {
        for k in 0..order {
            for (neuron, part) in neurons.iter().zip(h.row_mut(k).chunks_exact_mut(dim)) {
                neuron.hold.project(part);
            }
        }
        h = h.transpose();
    }
    if !h.max_abs().is_finite() {
        return None;
    }
    let e = symmetric_eigen(&h);
    let top = e.values.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    let error = covariance.error() + e.residual_bound() + e.orthogonality_bound() * top;
    let keep: Vec<usize> = (0..order).filter(|&l| e.values[l] > 1e6 * error).collect();
    let free = |(j, neuron): (usize, &Neuron)| (dim - neuron.sliding.len()).min(covariance.active(j));
    let rank: usize = neurons.iter().enumerate().map(free).sum();
    if keep.len() != rank {
        return None;
    }
    let mu: Vec<f64> = keep.iter().map(|&l| e.values[l]).collect();
    let mut g: Vec<f64> = vec![];
    for (neuron, pull) in neurons.iter().zip(pulls) {
        let mut own = pull.weights().to_vec();
        neuron.hold.project(&mut own);
        g.extend(own);
    }
    let mut du: Vec<Mat> = neurons.iter().map(|_| Mat::zeros(mu.len(), dim)).collect();
    for (l, &at) in keep.iter().enumerate() {
        let v = e.vectors.row(at);
        let way = dot(v, &g) / mu[l];
        for ((du, neuron), part) in du.iter_mut().zip(neurons).zip(v.chunks_exact(dim)) {
            du.row_mut(l).iter_mut().zip(part).for_each(|(a, b)| *a = way * b);
            neuron.hold.project(du.row_mut(l));
        }
    }
    Some(Modes { mu, du, spent: Mat::zeros(0, 0), defect: error })
}

/// Eigenvalues of A A' below this share of the largest are mixed up with each other by rounding.
const BLURRED: f64 = 1e-9;

/// `turn A = image` with orthonormal rows of `turn` and orthogonal rows of `image`, of squared length `mu`.
struct Singular {
    mu: Vec<f64>,
    turn: Mat,
    image: Mat,
    defect: f64,
}

impl Singular {
    /// Eigenvectors of A A' first, of the part that they blur next, and so on; then plane rotations until the rows of
    /// `turn A` are orthogonal to rounding, which repairs the small singular values. Drops those below `16 k eps` of the largest.
    fn of(a: &Mat) -> Result<Self, NoStretch> {
        let square = gram(a);
        if !square.max_abs().is_finite() {
            return Err(NoStretch::NotFinite);
        }
        let mut turn = symmetric_eigen(&square).vectors;
        let mut image = mul_transposed(&turn, &a.transpose());
        let count = turn.rows();
        // rows come smallest first; those that A A' blurs are decomposed among themselves, and again
        let mut block = count;
        while block > 1 {
            let size = |l: usize| dot(image.row(l), image.row(l));
            let cut = BLURRED * (0..block).map(size).fold(0.0, f64::max);
            let small = (0..block).take_while(|&l| size(l) <= cut).count();
            if cut == 0.0 || small == block || small < 2 {
                break;
            }
            block = small;
            let first: Vec<usize> = (0..block).collect();
            let part = image.select_rows(&first);
            let within = symmetric_eigen(&gram(&part)).vectors;
            overwrite_first(&mut image, &mul_transposed(&within, &part.transpose()));
            let part = mul_transposed(&within, &turn.select_rows(&first).transpose());
            overwrite_first(&mut turn, &part);
        }
        let mut square: Vec<f64> = (0..count).map(|l| dot(image.row(l), image.row(l))).collect();
        let top = square.iter().fold(0.0f64, |a, b| a.max(*b));
        let unit = f64::EPSILON * (8.0 + (a.cols() as f64).sqrt());
        let floor = 16.0 * a.rows().max(a.cols()) as f64 * f64::EPSILON;
        let null = floor * floor * top;
        let mut defect = 0.0f64;
        for _ in 0..30 {
            defect = 0.0;
            let products = gram(&image);
            for p in 0..count {
                for q in 0..p {
                    let scale = (square[p] * square[q]).sqrt();
                    if square[p].min(square[q]) <= null || products[(p, q)].abs() <= unit * scale {
                        continue;
                    }
                    let mixed = dot(image.row(p), image.row(q));
                    if mixed.abs() <= unit * scale {
                        continue;
                    }
                    defect = defect.max(mixed.abs() / scale);
                    let zeta = (square[q] - square[p]) / (2.0 * mixed);
                    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                    if tangent.abs() < 0.25 * f64::EPSILON {
                        // the longer row and the directions turn by less than a rounding
                        let (longer, shorter, t) =
                            if square[p] > square[q] { (p, q, tangent) } else { (q, p, -tangent) };
                        add_row(&mut image, t, longer, shorter);
                        square[shorter] = dot(image.row(shorter), image.row(shorter));
                        continue;
                    }
                    let cosine = 1.0 / tangent.hypot(1.0);
                    rotate(&mut image, p, q, cosine, cosine * tangent);
                    rotate(&mut turn, p, q, cosine, cosine * tangent);
                    square[p] = dot(image.row(p), image.row(p));
                    square[q] = dot(image.row(q), image.row(q));
                }
            }
            if defect <= 1e-13 {
                break;
            }
        }
        let keep: Vec<usize> = (0..count).filter(|&l| square[l] > null && square[l] > 0.0).collect();
        Ok(Self {
            mu: keep.iter().map(|&l| square[l]).collect(),
            turn: turn.select_rows(&keep),
            image: image.select_rows(&keep),
            defect: defect.min(1.0) + unit,
        })
    }
}

/// Overwrites the first rows.
fn overwrite_first(a: &mut Mat, rows: &Mat) {
    let cells = rows.as_slice();
    a.as_mut_slice()[..cells.len()].copy_from_slice(cells);
}

/// `row_to <- row_to + s row_from`.
fn add_row(a: &mut Mat, s: f64, from: usize, to: usize) {
    let cols = a.cols();
    let (head, tail) = a.as_mut_slice().split_at_mut(from.max(to) * cols);
    let first = &mut head[from.min(to) * cols..][..cols];
    let (x, y) = if from > to { (&tail[..cols], first) } else { (&*first, &mut tail[..cols]) };
    axpy(s, x, y);
}

/// `(row_p, row_q) <- (c row_p - s row_q, s row_p + c row_q)` for q < p.
fn rotate(a: &mut Mat, p: usize, q: usize, c: f64, s: f64) {
    let cols = a.cols();
    let (head, tail) = a.as_mut_slice().split_at_mut(p * cols);
    for (v, u) in head[q * cols..(q + 1) * cols].iter_mut().zip(&mut tail[..cols]) {
        (*u, *v) = (c * *u - s * *v, s * *u + c * *v);
    }
}

/// Place of each of `list` in it, by value.
fn positions(list: &[usize], n: usize) -> Vec<usize> {
    let mut place = vec![usize::MAX; n];
    for (p, &i) in list.iter().enumerate() {
        place[i] = p;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_singular_values_survive() {
        // two nearly parallel rows: sigma^2 = 1 +- cos, with 1 - cos = 2 sin^2(delta / 2) far below eps
        let delta = 1e-9f64;
        let a = Mat::from_rows(&[[1.0, 0.0, 0.0], [delta.cos(), delta.sin(), 0.0]]);
        let s = Singular::of(&a).unwrap();
        let small = s.mu.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let want = 2.0 * (delta / 2.0).sin() * (delta / 2.0).sin();
        assert_eq!(s.mu.len(), 2);
        assert!((small / want - 1.0).abs() < 1e-6, "{small:e} {want:e}");
    }

    #[test]
    fn exact_dependence_is_dropped() {
        let a = Mat::from_rows(&[[3.0, -1.0, 0.5], [6.0, -2.0, 1.0]]);
        let s = Singular::of(&a).unwrap();
        assert_eq!(s.mu.len(), 1);
        assert!((s.mu[0] - 5.0 * 10.25).abs() < 1e-12);
    }
}
