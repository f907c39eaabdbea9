//! The problem that descent and flow run on: data, labels, output weights, and the Gram matrix when n <= D.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::net::relu;
use crate::num::Mat;
use crate::num::linalg::gram;
use crate::num::mat::{axpy, dot, max_abs, norm2};

/// Share of the largest label that a fitted example may miss.
const FITTED: f64 = 1e-8;

/// Data, labels and fixed output weights. The bias, if any, is a column of ones in `x`.
///
/// The state of a run lives in the smaller space: n-dimensional duals with the Gram matrix when n <= D,
/// the weights themselves otherwise.
#[derive(Clone, Debug)]
pub struct Problem {
    x: Arc<Mat>,
    y: Vec<f64>,
    c: Vec<f64>,
    gram: Option<Mat>,
    at_zero: bool,
}

impl Problem {
    /// Takes X (n x D, owned or shared), y (n), c (m, nonzero) and relu'(0); forms the Gram matrix when n <= D.
    /// O(n^2 D) then.
    pub fn new(x: impl Into<Arc<Mat>>, y: Vec<f64>, c: Vec<f64>, at_zero: bool) -> Self {
        let x = x.into();
        assert_eq!(x.rows(), y.len(), "{} rows and {} labels", x.rows(), y.len());
        assert!(c.iter().all(|v| *v != 0.0 && v.is_finite()), "output weights must be nonzero: {c:?}");
        let gram = (x.rows() <= x.cols()).then(|| gram(&x));
        Self { x, y, c, gram, at_zero }
    }

    /// X, n x D.
    pub fn x(&self) -> &Mat {
        &self.x
    }
    /// Labels, n.
    pub fn y(&self) -> &[f64] {
        &self.y
    }
    /// Output weights, m.
    pub fn c(&self) -> &[f64] {
        &self.c
    }
    /// relu'(0) as a bool.
    pub fn at_zero(&self) -> bool {
        self.at_zero
    }
    /// The Gram matrix X X' when n <= D.
    pub fn gram(&self) -> Option<&Mat> {
        self.gram.as_ref()
    }
    /// Number of examples.
    pub fn n(&self) -> usize {
        self.x.rows()
    }
    /// Number of inputs, bias column included.
    pub fn dim(&self) -> usize {
        self.x.cols()
    }
    /// Number of neurons.
    pub fn m(&self) -> usize {
        self.c.len()
    }
    /// The same data and labels with other output weights (the Gram matrix is kept).
    pub fn with_weights(&self, c: Vec<f64>) -> Self {
        Self { c, ..self.clone() }
    }

    /// `|x_i|` for every row: from the Gram matrix where it is there and far from underflow. O(n), else O(n D).
    pub fn row_lengths(&self) -> Vec<f64> {
        let length = |i: usize| match self.gram.as_ref().map(|g| g[(i, i)]) {
            Some(square) if (1e-200..1e200).contains(&square) => square.sqrt(),
            _ => norm2(self.x.row(i)),
        };
        (0..self.n()).map(length).collect()
    }

    /// Preactivations and length of `w = X' a`; `lengths` are those of the rows.
    ///
    /// Through the Gram matrix unless cancellation could cost the length 1e-10 of its size, else through the weights.
    /// O(n^2), or O(n D).
    pub fn row_space(&self, lengths: &[f64], a: &[f64]) -> RowSpace {
        if let Some(g) = self.gram() {
            let z = g.mul_vec(a);
            let square = dot(&z, a);
            let abs: f64 = a.iter().zip(lengths).map(|(v, l)| v.abs() * l).sum();
            // The usual rounding of sums of D products; only four figures of the length are ever at stake.
            let rounding = (self.dim() as f64).sqrt() * f64::EPSILON * abs * abs;
            if square.is_finite() && rounding <= 1e-10 * square {
                return RowSpace { z, length: square.sqrt() };
            }
        }
        let w = self.x.tmul_vec(a);
        RowSpace { z: self.x.mul_vec(&w), length: norm2(&w) }
    }

    /// The largest `|x_ik|` if products of rows leave the range of f64, hence `None` for ordinary data: it is 0 or within
    /// [1e-140, 1e140]. O(n) for ordinary data with a Gram matrix, else O(n D).
    pub fn out_of_range(&self) -> Option<f64> {
        let largest_square =
            self.gram.as_ref().map_or(f64::NAN, |g| (0..g.rows()).map(|i| g[(i, i)]).fold(0.0, f64::max));
        // max |x_ik|^2 <= max g_ii <= D max |x_ik|^2, and rounding is far smaller than the room left here.
        if (1e-260..1e270).contains(&largest_square) && self.dim() < 1 << 40 {
            return None;
        }
        let largest = self.x.max_abs();
        (largest != 0.0 && !(1e-140..=1e140).contains(&largest)).then_some(largest)
    }

    /// `r = y - sum_j c_j relu(z_j)` for preactivations z (m x n).
    pub fn residual(&self, z: &Mat) -> Vec<f64> {
        let mut r = self.y.clone();
        for (j, c) in self.c.iter().enumerate() {
            for (ri, zi) in r.iter_mut().zip(z.row(j)) {
                *ri -= c * relu(*zi);
            }
        }
        r
    }

    /// The largest `|r_i|` of an example that counts as fitted by a run from `start`.
    ///
    /// ```text
    /// 1e-8 max |y|  +  16 n eps max_i sum_j |c_j z_ji(0)|
    /// ```
    ///
    /// Relative to the labels (and to the rounding that a large start leaves behind), hence the same in every unit of y:
    /// weights and residuals scale with labels and start. Above what a limit leaves, which is rounding or, with ties,
    /// 1e-9 max |y|; far below what anybody could see.
    pub fn fitted_within(&self, start: &Initial) -> f64 {
        let output = |i: usize| self.c.iter().enumerate().map(|(j, c)| (c * start.z[(j, i)]).abs()).sum::<f64>();
        let outputs: Vec<f64> = (0..self.n()).map(output).collect();
        FITTED * max_abs(&self.y) + 16.0 * self.n() as f64 * f64::EPSILON * max_abs(&outputs)
    }

    /// Half-sum loss `1/2 sum_i r_i^2`.
    pub fn loss(&self, z: &Mat) -> f64 {
        0.5 * self.residual(z).iter().map(|v| v * v).sum::<f64>()
    }
}

/// A point of the row space, `w = X' a`.
#[derive(Clone, Debug, PartialEq)]
pub struct RowSpace {
    /// Preactivations `X w`, n.
    pub z: Vec<f64>,
    /// `|w|`.
    pub length: f64,
}

/// Weights m x D, given or formed when they are first looked at: `w_j = X' alpha_j + offset_j`.
///
/// Norms, gaps and masks follow from the duals; with many inputs the product with X is worth leaving out.
#[derive(Clone)]
pub struct Weights {
    formed: OnceLock<Mat>,
    from: Option<Combination>,
}

/// What weights are formed from.
#[derive(Clone)]
struct Combination {
    x: Arc<Mat>,
    alpha: Mat,
    /// `None`: all 0.
    offset: Option<Mat>,
}

impl Weights {
    /// `w_j = X' alpha_j + offset_j` for alpha m x n and offset m x D. O(m n D) at the first look.
    pub fn of_duals(problem: &Problem, alpha: &Mat, offset: &Mat) -> Self {
        let (m, n, d) = (problem.m(), problem.n(), problem.dim());
        assert_eq!((alpha.rows(), alpha.cols()), (m, n), "duals of {m} neurons and {n} examples");
        assert_eq!((offset.rows(), offset.cols()), (m, d), "offset of {m} neurons and {d} inputs");
        let offset = (offset.max_abs() > 0.0).then(|| offset.clone());
        let from = Combination { x: Arc::clone(&problem.x), alpha: alpha.clone(), offset };
        Self { formed: OnceLock::new(), from: Some(from) }
    }

    /// Neurons and inputs; forms nothing.
    pub fn shape(&self) -> (usize, usize) {
        match (&self.from, self.formed.get()) {
            (Some(from), _) => (from.alpha.rows(), from.x.cols()),
            (None, formed) => formed.map_or((0, 0), |w| (w.rows(), w.cols())),
        }
    }
}

impl From<Mat> for Weights {
    fn from(w: Mat) -> Self {
        Self { formed: OnceLock::from(w), from: None }
    }
}

impl Deref for Weights {
    type Target = Mat;

    fn deref(&self) -> &Mat {
        self.formed.get_or_init(|| {
            let Some(from) = &self.from else { return Mat::zeros(0, 0) };
            let mut w = from.x.combine(&from.alpha);
            if let Some(offset) = &from.offset {
                axpy(1.0, offset.as_slice(), w.as_mut_slice());
            }
            w
        })
    }
}

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

impl PartialEq for Weights {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// Where a run starts: `w_j = X' alpha_j + offset_j`, `z_j = X w_j`.
#[derive(Clone, Debug, PartialEq)]
pub struct Initial {
    /// Duals, m x n.
    pub alpha: Mat,
    /// Preactivations, m x n.
    pub z: Mat,
    /// Part of the weights outside the row space of X, m x D (never moves).
    pub offset: Mat,
}
