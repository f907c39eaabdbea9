//! Dense factorisations. The only file that names the linear-algebra back end; single-threaded by design.

use faer::linalg::solvers::{Llt, SelfAdjointEigen, Solve};
use faer::{Mat as FaerMat, MatRef, Side};

use super::Mat;

fn view(a: &Mat) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(a.as_slice(), a.rows(), a.cols())
}

/// Cholesky factorisation of a symmetric positive definite matrix.
pub struct Cholesky {
    factor: Llt<f64>,
    n: usize,
}

impl Cholesky {
    /// Factors A (only its lower triangle is read); `None` when a pivot is not positive. O(n^3 / 3).
    pub fn new(a: &Mat) -> Option<Self> {
        assert_eq!(a.rows(), a.cols(), "Cholesky of a {}x{} matrix", a.rows(), a.cols());
        faer::set_global_parallelism(faer::Par::Seq);
        Llt::new(view(a), Side::Lower).ok().map(|factor| Self { factor, n: a.rows() })
    }

    /// `A^-1 b`. O(n^2).
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.n, "solve with {} entries for order {}", b.len(), self.n);
        let mut x = FaerMat::from_fn(self.n, 1, |i, _| b[i]);
        self.factor.solve_in_place(x.as_mut());
        (0..self.n).map(|i| x[(i, 0)]).collect()
    }

    /// `A^-1 B`. O(n^2 k).
    pub fn solve_mat(&self, b: &Mat) -> Mat {
        assert_eq!(b.rows(), self.n, "solve with {} rows for order {}", b.rows(), self.n);
        let mut x = view(b).to_owned();
        self.factor.solve_in_place(x.as_mut());
        Mat::from_fn(b.rows(), b.cols(), |i, k| x[(i, k)])
    }
}

/// Eigenvalues (ascending) and orthonormal eigenvectors of a symmetric matrix, with their measured quality.
pub struct Eigen {
    /// Eigenvalues, ascending.
    pub values: Vec<f64>,
    /// Row l is the eigenvector of `values[l]`.
    pub vectors: Mat,
}

/// Eigendecomposition of a symmetric matrix (its lower triangle is read). About 9 n^3.
pub fn symmetric_eigen(a: &Mat) -> Eigen {
    let n = a.rows();
    assert_eq!(n, a.cols(), "eigendecomposition of a {n}x{} matrix", a.cols());
    if n == 0 {
        return Eigen { values: vec![], vectors: Mat::zeros(0, 0) };
    }
    faer::set_global_parallelism(faer::Par::Seq);
    let e = SelfAdjointEigen::new(view(a), Side::Lower).expect("finite symmetric matrix");
    let (s, u) = (e.S().column_vector(), e.U());
    let values = (0..n).map(|l| s[l]).collect();
    let vectors = Mat::from_fn(n, n, |l, i| u[(i, l)]);
    Eigen { values, vectors }
}

/// Eigenvalues alone, ascending. About 4/3 n^3.
pub fn symmetric_eigenvalues(a: &Mat) -> Vec<f64> {
    assert_eq!(a.rows(), a.cols(), "eigenvalues of a {}x{} matrix", a.rows(), a.cols());
    if a.rows() == 0 {
        return vec![];
    }
    faer::set_global_parallelism(faer::Par::Seq);
    view(a).self_adjoint_eigenvalues(Side::Lower).expect("finite symmetric matrix")
}

/// `A B'` for row-major A (n x k) and B (m x k).
pub fn mul_transposed(a: &Mat, b: &Mat) -> Mat {
    assert_eq!(a.cols(), b.cols(), "A B' of {}x{} and {}x{}", a.rows(), a.cols(), b.rows(), b.cols());
    faer::set_global_parallelism(faer::Par::Seq);
    let mut out = Mat::zeros(a.rows(), b.rows());
    let (rows, cols) = (a.rows(), b.rows());
    let dst = faer::MatMut::from_row_major_slice_mut(out.as_mut_slice(), rows, cols);
    faer::linalg::matmul::matmul(dst, faer::Accum::Replace, view(a), view(b).transpose(), 1.0, faer::Par::Seq);
    out
}

/// The Gram matrix `X X'` of the rows, exactly symmetric. n^2 d flops.
pub fn gram(x: &Mat) -> Mat {
    let mut g = mul_transposed(x, x);
    for i in 0..g.rows() {
        for k in 0..i {
            g[(k, i)] = g[(i, k)];
        }
    }
    g
}
