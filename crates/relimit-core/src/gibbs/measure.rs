//! Where the law has its mass and its coefficient: pieces of the sphere, and shares near given directions.

use super::cells::halves;
use super::integral::{form, slopes};
use super::law::Law;
use super::points::Points;
use super::simplex::{Form, MOST, Vector, inner, moments, unit};
use super::sphere::Sphere;
use crate::num::Mat;

/// Angular radius of the pieces: their coefficients then err by less than its square over two, relative.
const RADIUS: [f64; MOST + 1] = [0.0, 0.0, 0.002, 0.02];
/// Share of coefficient and mass that may stay on a piece that the edge of a region cuts.
const CUT: f64 = 1e-6;
/// Angular radius below which such a piece is not cut again.
const SMALLEST: f64 = 1e-7;

/// A small part of the sphere of directions u / |u|.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Unit vector in its middle, D.
    pub direction: Vec<f64>,
    /// Every direction of the piece is within this angle of it.
    pub radius: f64,
    /// Probability of a neuron with such a direction.
    pub mass: f64,
    /// `E c |u|` over the piece, k: what it contributes to the function.
    pub coefficient: Vec<f64>,
}

/// Shares of the law near given directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Share of the coefficient `E |c| |u|` (of mean outputs given the direction).
    pub coefficient: f64,
    /// Share of the mass.
    pub mass: f64,
}

/// One cone of a cell, with what is needed to weigh it.
struct Part<'a> {
    simplex: Vec<Vector>,
    form: &'a Form,
    slopes: &'a [Vector],
}

impl Part<'_> {
    fn weigh(&self, law: &Law) -> Piece {
        let dim = self.simplex.len();
        let mut centre = [0.0; MOST];
        for v in &self.simplex {
            for c in 0..MOST {
                centre[c] += v[c];
            }
        }
        let centre = unit(centre);
        let cosine = self.simplex.iter().map(|v| inner(v, &centre)).fold(1.0, f64::min);
        let m = moments(&self.simplex, self.form)
            .map_or((0.0, [[0.0; MOST]; MOST]), |m| (m.mass, m.gradient.map(|row| row.map(|entry| entry.v))));
        let pushed: Vector = std::array::from_fn(|i| -2.0 * inner(&m.1[i], &centre));
        let scale = 1.0 / (law.model.beta * law.model.lambda * law.mass);
        Piece {
            direction: centre[..dim].to_vec(),
            radius: libm::acos(cosine.min(1.0)),
            mass: m.0 / law.mass,
            coefficient: self.slopes.iter().map(|g| scale * inner(g, &pushed)).collect(),
        }
    }
}

impl Law {
    /// Cuts the sphere until `settled` says of every piece that it need not be cut; small pieces come out in order.
    fn cut(&self, settled: &mut dyn FnMut(&Piece) -> bool) {
        let p = self.scaled();
        let cells = match &self.sphere {
            Sphere::Cells(cells) => cells,
            Sphere::Points(points) => {
                self.weighed(points, &p).iter().for_each(|piece| {
                    settled(piece);
                });
                return;
            }
        };
        for cell in cells {
            let g = slopes(&self.model.x, &p, &cell.active);
            let e = form(&g, 0, 0);
            let part = |simplex: &Vec<Vector>| Part { simplex: simplex.clone(), form: &e, slopes: &g };
            let mut open: Vec<Part<'_>> = cell.simplices.iter().map(part).collect();
            while let Some(next) = open.pop() {
                let piece = next.weigh(self);
                if !settled(&piece) && next.simplex.len() > 1 {
                    open.extend(halves(&next.simplex).iter().map(part));
                }
            }
        }
    }

    fn small_enough(&self, piece: &Piece) -> bool {
        RADIUS.get(self.model.x.cols()).is_none_or(|most| piece.radius <= *most)
    }

    /// Points as pieces without extent: given the direction, `E c |u| = D q / (beta (lambda^2 - |q|^2))`.
    fn weighed(&self, points: &Points, p: &Mat) -> Vec<Piece> {
        let m = &self.model;
        let (share, q) = points.shares(p);
        let scale = m.x.cols() as f64 / (m.beta * m.lambda);
        (0..points.len())
            .map(|t| {
                let room = 1.0 - q.iter().map(|q| q[t] * q[t]).sum::<f64>();
                Piece {
                    direction: points.v.row(t).to_vec(),
                    radius: 0.0,
                    mass: share[t],
                    coefficient: q.iter().map(|q| scale * share[t] * q[t] / room).collect(),
                }
            })
            .collect()
    }

    /// The sphere in small pieces, with mass and coefficient each.
    pub fn pieces(&self) -> Vec<Piece> {
        let mut out = Vec::new();
        self.cut(&mut |piece| {
            let done = self.small_enough(piece) || piece.direction.len() == 1;
            if done {
                out.push(piece.clone());
            }
            done
        });
        out
    }

    /// `sum over the sphere of |E c |u||`: the variation norm of the function that the law computes.
    pub fn norm(pieces: &[Piece]) -> f64 {
        pieces.iter().map(Piece::weight).sum()
    }

    /// Shares of coefficient and mass within `angle` (radians) of rays; with signs, only coefficient of the ray's sign
    /// counts and only mass where q has it (one output).
    ///
    /// Panics on signs with more than one output.
    pub fn near(&self, rays: &[(Vec<f64>, Option<f64>)], angle: f64) -> Shares {
        assert!(
            self.model.y.cols() == 1 || rays.iter().all(|r| r.1.is_none()),
            "signs of {} outputs",
            self.model.y.cols()
        );
        let (mut coefficient, mut mass, mut all) = (0.0, 0.0, 0.0);
        let typical: f64 = self.outputs.as_slice().iter().map(|f| f.abs()).sum::<f64>().max(f64::MIN_POSITIVE);
        self.cut(&mut |piece| {
            let weight = piece.weight();
            let counted = |ray: &(Vec<f64>, Option<f64>)| ray.1.is_none_or(|s| s * piece.coefficient[0] > 0.0);
            let away = |ray: &(Vec<f64>, Option<f64>)| {
                let cosine: f64 = ray.0.iter().zip(&piece.direction).map(|(a, b)| a * b).sum();
                libm::acos(cosine.clamp(-1.0, 1.0))
            };
            let nearest = rays.iter().filter(|r| counted(r)).map(away).fold(f64::INFINITY, f64::min);
            let decided = nearest + piece.radius <= angle || nearest - piece.radius > angle;
            let tiny = (weight / typical).max(piece.mass) < CUT || piece.radius < SMALLEST;
            let done = piece.direction.len() == 1 || (self.small_enough(piece) && (decided || tiny));
            if done {
                all += weight;
                if nearest <= angle {
                    coefficient += weight;
                    mass += piece.mass;
                }
            }
            done
        });
        Shares { coefficient: coefficient / all, mass }
    }
}

impl Piece {
    /// Length of the coefficient.
    pub(super) fn weight(&self) -> f64 {
        self.coefficient.iter().map(|c| c * c).sum::<f64>().sqrt()
    }
}
