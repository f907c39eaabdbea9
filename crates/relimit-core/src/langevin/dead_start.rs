//! The chance that a neuron is silent on every row at the start, in closed form for up to three inputs.

use super::plan::Plan;
use super::start::Start;
use crate::num::Mat;

/// The chance that a neuron of the plan's start has no positive preactivation on any row: without noise it never moves,
/// but for decay.
///
/// ```text
/// |{u : x_i . u <= 0 for all i}|, a share of all directions u (normal, balanced), or of the box that u is drawn from
/// ```
///
/// The cone is cut by the faces of a cube around the origin: intervals for two inputs, polygons for three, whose angles
/// (arctangent; triangle by triangle) or areas add up. A layer without biases at the start counts without them. Neurons are
/// independent, so all N are dead with the N-th power of it.
///
/// `None` for a given network, and for more than three inputs. O(n) for each of at most 6 faces.
///
/// # Source
/// Solid angle of a triangle: van Oosterom, Strackee 1983.
pub fn dead_start_chance(plan: &Plan) -> Option<f64> {
    let o = plan.options();
    let d = o.x.cols();
    let glorot = (6.0 / (d as f64 + o.width as f64)).sqrt();
    let bias = if plan.has_bias() { 1.0 } else { 0.0 };
    // Half widths of the box of w and of b; directions are those of the unit cube.
    let (of_w, of_b, boxed) = match o.start {
        Start::Normal { .. } | Start::Balanced { .. } => (1.0, bias, false),
        Start::PyTorch => (1.0, bias, true),
        Start::Keras => (glorot, 0.0, true),
        Start::ScikitLearn => (glorot, bias * glorot, true),
        Start::Network(_) => return None,
    };
    let dim = d + usize::from(of_b > 0.0);
    let rows = Mat::from_fn(o.x.rows(), dim, |i, k| if k < d { o.x[(i, k)] * of_w } else { of_b });
    match dim {
        1 => Some(0.5 * [1.0, -1.0].map(|t| f64::from(u8::from(dead(&rows, &[t])))).iter().sum::<f64>()),
        2 => Some(faces(2).map(|face| interval(&rows, face, boxed)).sum()),
        3 => Some(faces(3).map(|face| polygon(&rows, face, boxed)).sum()),
        _ => None,
    }
}

fn dead(rows: &Mat, u: &[f64]) -> bool {
    (0..rows.rows()).all(|i| rows.row(i).iter().zip(u).map(|(a, b)| a * b).sum::<f64>() <= 0.0)
}

/// Faces of the cube [-1, 1]^dim: the coordinate that is fixed, and where.
fn faces(dim: usize) -> impl Iterator<Item = (usize, f64)> {
    (0..dim).flat_map(|k| [(k, 1.0), (k, -1.0)])
}

/// Share of the square or of the circle over the dead part of an edge.
fn interval(rows: &Mat, (fixed, at): (usize, f64), boxed: bool) -> f64 {
    let (mut low, mut high) = (-1.0, 1.0_f64);
    for i in 0..rows.rows() {
        let (constant, slope) = (at * rows[(i, fixed)], rows[(i, 1 - fixed)]);
        if slope > 0.0 {
            high = high.min(-constant / slope);
        } else if slope < 0.0 {
            low = f64::max(low, -constant / slope);
        } else if constant > 0.0 {
            return 0.0;
        }
    }
    if high <= low {
        0.0
    } else if boxed {
        (high - low) / 8.0
    } else {
        (libm::atan(high) - libm::atan(low)) / std::f64::consts::TAU
    }
}

/// Share of the cube or of the sphere over the dead part of a face.
fn polygon(rows: &Mat, (fixed, at): (usize, f64), boxed: bool) -> f64 {
    let point = |a: f64, b: f64| {
        let mut p = [0.0; 3];
        (p[fixed], p[(fixed + 1) % 3], p[(fixed + 2) % 3]) = (at, a, b);
        p
    };
    let mut corners = vec![point(-1.0, -1.0), point(1.0, -1.0), point(1.0, 1.0), point(-1.0, 1.0)];
    for i in 0..rows.rows() {
        let height = |p: &[f64; 3]| (0..3).map(|k| rows[(i, k)] * p[k]).sum::<f64>();
        let mut kept = Vec::with_capacity(corners.len() + 1);
        for (k, p) in corners.iter().enumerate() {
            let q = &corners[(k + 1) % corners.len()];
            let (here, there) = (height(p), height(q));
            if here <= 0.0 {
                kept.push(*p);
            }
            if (here <= 0.0) != (there <= 0.0) {
                let t = here / (here - there);
                kept.push([0, 1, 2].map(|c| p[c] + t * (q[c] - p[c])));
            }
        }
        corners = kept;
    }
    let triangles = (2..corners.len()).map(|k| [&corners[0], &corners[k - 1], &corners[k]]);
    // Six times the volume of the pyramid over each triangle is its determinant; the cube has volume 8.
    let share = |t: [&[f64; 3]; 3]| {
        if boxed { determinant(t) / 48.0 } else { solid_angle(t) / (4.0 * std::f64::consts::PI) }
    };
    triangles.map(share).sum()
}

fn determinant([a, b, c]: [&[f64; 3]; 3]) -> f64 {
    let cross = |k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        b[i] * c[j] - b[j] * c[i]
    };
    (0..3).map(|k| a[k] * cross(k)).sum::<f64>().abs()
}

/// Solid angle of the cone over a triangle.
fn solid_angle([a, b, c]: [&[f64; 3]; 3]) -> f64 {
    let dot = |p: &[f64; 3], q: &[f64; 3]| (0..3).map(|k| p[k] * q[k]).sum::<f64>();
    let length = |p: &[f64; 3]| dot(p, p).sqrt();
    let (la, lb, lc) = (length(a), length(b), length(c));
    let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    2.0 * libm::atan2(determinant([a, b, c]), below)
}
