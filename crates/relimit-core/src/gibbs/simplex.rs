//! Closed forms on a simplicial cone: the integral of a quadratic form to the power -D/2 over its directions.
//!
//! ```text
//! G(E) = int over v in cone, |v| = 1 of (v'Ev)^(-D/2) dv,   b_ij = v_i'E v_j for the unit generators v_i
//! D = 1:  b_11^(-1/2)
//! D = 2:  s T(w, N),     N = b_12,                                          w = s^2 det E
//! D = 3:  2 s T(w, N),   N = l_1 l_2 l_3 + b_12 l_3 + b_13 l_2 + b_23 l_1,  w = s^2 det E,   l_i = sqrt(b_ii)
//! T(w, N) = atan2(sqrt w, N) / sqrt w,   continued analytically to w <= 0;   s = |det(v_1 ... v_D)|
//! ```
//!
//! The integrand is homogeneous of degree -D, so a linear map with E = L'L turns G into the solid angle of the image
//! over sqrt(det E). Both sides are analytic in E on the convex set where v'Ev > 0 on the cone, hence equal there, also
//! where E is indefinite. The set itself is given by strict copositivity of the matrix b.
//!
//! Source for the angle: Van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983), eq. 8; for copositivity: Hadeler,
//! Linear Algebra Appl. 49 (1983), theorem 2.

use super::dual_number::Dual;

/// Largest D with a closed form.
pub(super) const MOST: usize = 3;

/// A vector of D <= 3 numbers, zeros behind.
pub(super) type Vector = [f64; MOST];

/// A symmetric D x D matrix with derivatives along one direction.
pub(super) type Form = [[Dual; MOST]; MOST];

/// `G` and its gradient, `dG = sum_ab gradient_ab dE_ab`, which carries its own derivative along the direction of E.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    /// G.
    pub(super) mass: f64,
    /// Gradient: `-(D/2) int v v' e^(-D/2-1)`, derivative `(D/2)(D/2+1) int v v' (v'Hv) e^(-D/2-2)`.
    pub(super) gradient: Form,
}

/// Inner product.
pub(super) fn inner(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a / |a|`.
pub(super) fn unit(a: Vector) -> Vector {
    let length = inner(&a, &a).sqrt();
    a.map(|v| v / length)
}

/// `|det|` of D generators.
pub(super) fn volume(v: &[Vector]) -> f64 {
    match v {
        [_] => 1.0,
        [a, b] => (a[0] * b[1] - a[1] * b[0]).abs(),
        [a, b, c] => {
            let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            inner(&cross, c).abs()
        }
        _ => panic!("a closed form on {} generators", v.len()),
    }
}

/// `a'E b`.
fn product(e: &Form, a: &Vector, b: &Vector) -> Dual {
    let mut sum = Dual::default();
    for (row, s) in e.iter().zip(a) {
        for (entry, t) in row.iter().zip(b) {
            sum = sum + entry.times(s * t);
        }
    }
    sum
}

/// G and its gradient; `None` where the form is not positive on the closed cone.
pub(super) fn moments(v: &[Vector], e: &Form) -> Option<Moments> {
    match v {
        [a] => point(a, e),
        [a, b] => arc(a, b, e),
        [a, b, c] => triangle([a, b, c], e),
        _ => panic!("a closed form on {} generators", v.len()),
    }
}

fn point(a: &Vector, e: &Form) -> Option<Moments> {
    let b = product(e, a, a);
    if !(b.v > 0.0) {
        return None;
    }
    let root = b.sqrt().recip();
    let cube = root * root * root;
    let mut gradient = Form::default();
    add(&mut gradient, a, a, cube.times(-0.5));
    Some(Moments { mass: root.v, gradient })
}

fn arc(a: &Vector, b: &Vector, e: &Form) -> Option<Moments> {
    let (first, second, n) = (product(e, a, a), product(e, b, b), product(e, a, b));
    let s = volume(&[*a, *b]);
    let w = (e[0][0] * e[1][1] - e[0][1] * e[0][1]).times(s * s);
    if !(first.v > 0.0 && second.v > 0.0 && (n.v > 0.0 || w.v > 0.0)) {
        return None;
    }
    let t = angle(w, n, first * second);
    let mut gradient = Form::default();
    add(&mut gradient, a, b, t.by_n.times(s));
    let by_det = t.by_w.times(s * s * s);
    gradient[0][0] = gradient[0][0] + by_det * e[1][1];
    gradient[1][1] = gradient[1][1] + by_det * e[0][0];
    gradient[0][1] = gradient[0][1] - by_det * e[0][1];
    gradient[1][0] = gradient[0][1];
    Some(Moments { mass: s * t.value, gradient })
}

fn triangle(v: [&Vector; 3], e: &Form) -> Option<Moments> {
    let square = v.map(|a| product(e, a, a));
    if !square.iter().all(|b| b.v > 0.0) {
        return None;
    }
    let l = square.map(Dual::sqrt);
    // b_k and side_k belong to the edge opposite to vertex k
    let b = [product(e, v[1], v[2]), product(e, v[2], v[0]), product(e, v[0], v[1])];
    let side = [l[1] * l[2] + b[0], l[2] * l[0] + b[1], l[0] * l[1] + b[2]];
    let n = l[0] * l[1] * l[2] + b[0] * l[0] + b[1] * l[1] + b[2] * l[2];
    let cofactor = cofactors(e);
    let det = e[0][0] * cofactor[0][0] + e[0][1] * cofactor[0][1] + e[0][2] * cofactor[0][2];
    let s = volume(&[*v[0], *v[1], *v[2]]);
    let w = det.times(s * s);
    if !(side.iter().all(|x| x.v > 0.0) && (n.v > 0.0 || w.v > 0.0)) {
        return None;
    }
    let t = angle(w, n, (side[0] * side[1] * side[2]).times(2.0));
    let mut gradient = Form::default();
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        add(&mut gradient, v[i], v[j], (t.by_n * l[k]).times(2.0 * s));
        add(&mut gradient, v[k], v[k], (t.by_n * side[k] * l[k].recip()).times(s));
    }
    let by_det = t.by_w.times(2.0 * s * s * s);
    for i in 0..3 {
        for j in 0..3 {
            gradient[i][j] = gradient[i][j] + by_det * cofactor[i][j];
        }
    }
    Some(Moments { mass: 2.0 * s * t.value, gradient })
}

/// Adds `c (a b' + b a') / 2`.
fn add(form: &mut Form, a: &Vector, b: &Vector, c: Dual) {
    for i in 0..MOST {
        for j in 0..MOST {
            form[i][j] = form[i][j] + c.times(0.5 * (a[i] * b[j] + b[i] * a[j]));
        }
    }
}

fn cofactors(e: &Form) -> Form {
    let mut out = Form::default();
    for i in 0..3 {
        for j in 0..3 {
            let (p, q, r, s) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            out[i][j] = e[p][r] * e[q][s] - e[p][s] * e[q][r];
        }
    }
    out
}

/// T and its partial derivatives.
struct Angle {
    value: f64,
    by_n: Dual,
    by_w: Dual,
}

/// `T(w, N)`, `T_N = -1/P`, `T_w = (N/P - T)/(2w)` with `P = N^2 + w`, given without cancellation.
fn angle(w: Dual, n: Dual, p: Dual) -> Angle {
    let z = w.v / (n.v * n.v);
    let (value, by_w, by_ww) = if n.v > 0.0 && z.abs() < 0.2 {
        // T = A(z)/N with A(z) = sum over k of (-z)^k / (2k+1)
        let (mut power, mut a, mut a1, mut a2) = (1.0, 0.0, 0.0, 0.0);
        for k in 0..32 {
            let k = f64::from(k);
            // power = (-z)^k; terms k, k+1 and k+2 of A, A', A''
            a += power / (2.0 * k + 1.0);
            a1 -= (k + 1.0) * power / (2.0 * k + 3.0);
            a2 += (k + 1.0) * (k + 2.0) * power / (2.0 * k + 5.0);
            power *= -z;
        }
        let n2 = n.v * n.v;
        (a / n.v, a1 / (n2 * n.v), a2 / (n2 * n2 * n.v))
    } else {
        let root = w.v.abs().sqrt();
        let value = if w.v > 0.0 { libm::atan2(root, n.v) / root } else { libm::log((n.v + root) / p.v.sqrt()) / root };
        let by_w = (n.v / p.v - value) / (2.0 * w.v);
        (value, by_w, (-n.v / (p.v * p.v) - 3.0 * by_w) / (2.0 * w.v))
    };
    let by_w = Dual { v: by_w, d: by_ww * w.d + n.d / (p.v * p.v) };
    Angle { value, by_n: -p.recip(), by_w }
}
