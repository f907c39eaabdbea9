//! The check of an optimum certificate in exact arithmetic: objective, lower bound, gap and both trees.

use std::cmp::Ordering;

use thiserror::Error;

use super::geometry::Geometry;
use super::tree::{TreeFault, verify};
use super::{Loss, Offset, OptimumCertificate};
use crate::certify::equality::Malformed;
use crate::certify::fingerprint;
use crate::certify::optimum::Bias;
use crate::net::Network;
use crate::num::Mat;
use crate::num::exact::{Dyadic, dot, sum_is_zero};

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The data are not those that were certified.
    #[error("the fingerprint is that of other data")]
    Fingerprint,
    /// Another sentence than the numbers say.
    #[error("the statement says something else")]
    Statement,
    /// The network pays more.
    #[error("the network's objective is above the one claimed")]
    Objective,
    /// The dual point proves less.
    #[error("the dual point does not prove the lower bound")]
    LowerBound,
    /// `scale sup > lambda`.
    #[error("the dual point is not feasible: |scale| sup exceeds lambda")]
    Scale,
    /// An unpenalised constant is within reach.
    #[error("the dual point's sum is not 0, as an unpenalised bias needs")]
    Sum,
    /// The gap claimed is too small.
    #[error("objective - lower_bound exceeds the gap claimed")]
    Gap,
    /// Some row is out of reach of the centre, or a frame is there without a free bias.
    #[error("the frame does not belong to these data")]
    Frame,
    /// A tree does not bound q.
    #[error("tree of {sign}q: {fault}")]
    Tree {
        /// Empty or `-`.
        sign: &'static str,
        /// What is wrong with it.
        fault: TreeFault,
    },
}

fn whole(k: usize) -> Dyadic {
    Dyadic::new(k as f64)
}

fn at_most(a: &Dyadic, b: &Dyadic) -> bool {
    a.sub(b).sign() != Ordering::Greater
}

/// `2 n` times the objective of a network.
pub(super) fn objective_2n(at: &OptimumCertificate, x: &Mat, net: &Network) -> Dyadic {
    let n = whole(at.y.len());
    let times = match at.loss {
        Loss::HalfSum => n.clone(),
        Loss::HalfMean => Dyadic::new(1.0),
        Loss::Mean => Dyadic::new(2.0),
    };
    let c = net.c.row(0);
    let mut squares = Dyadic::zero();
    for (i, label) in at.y.iter().enumerate() {
        let mut e = Dyadic::new(*label).sub(&Dyadic::new(net.offset[0]));
        for (j, c) in c.iter().enumerate() {
            let z = dot(net.w.row(j), x.row(i)).add(&Dyadic::new(net.b[j]));
            if z.sign() == Ordering::Greater {
                e = e.sub(&z.mul(&Dyadic::new(*c)));
            }
        }
        squares = squares.add(&e.mul(&e));
    }
    let mut penalised: Vec<f64> = [net.w.as_slice(), c].concat();
    if at.bias == Bias::Penalised {
        penalised.extend(&net.b);
    }
    if at.offset == Offset::Penalised {
        penalised.extend(&net.offset);
    }
    let penalty = dot(&penalised, &penalised).mul(&n).mul(&Dyadic::new(at.lambda));
    squares.mul(&times).add(&penalty)
}

/// `4 lambda` times the bound of the dual point: `4 lambda t r.y - 2 lambda t^2 sum_i r_i^2 / omega_i (- 2 t^2 R^2)`.
pub(super) fn bound_4lambda(at: &OptimumCertificate) -> Dyadic {
    let (t, lambda) = (Dyadic::new(at.scale), Dyadic::new(at.lambda));
    let curvature = match at.loss {
        Loss::HalfSum => Dyadic::new(2.0),
        Loss::HalfMean => whole(2 * at.y.len()),
        Loss::Mean => whole(at.y.len()),
    };
    let mut second = dot(&at.dual, &at.dual).mul(&curvature).mul(&lambda);
    if at.offset == Offset::Penalised {
        let sum = dot(&at.dual, &vec![1.0; at.dual.len()]);
        second = second.add(&sum.mul(&sum).mul(&Dyadic::new(2.0)));
    }
    let first = dot(&at.dual, &at.y).mul(&lambda).mul(&Dyadic::new(4.0));
    t.mul(&first.sub(&t.mul(&second)))
}

/// What is in a certificate, once it is known to make sense.
pub(super) struct Parts {
    pub(super) x: Mat,
    pub(super) network: Option<Network>,
}

impl OptimumCertificate {
    /// Whether every claim follows, in exact arithmetic; `Some` names the first that does not.
    ///
    /// # Errors
    /// `Malformed` for another schema, shapes that do not match, numbers that are not finite, or a weight decay that is
    /// not above 0.
    ///
    /// # Cost
    /// O(n D) exact products for each range of each leaf.
    pub fn check(&self) -> Result<Option<Fault>, Malformed> {
        let parts = self.parts()?;
        Ok(self.claims(&parts).err())
    }

    pub(super) fn parts(&self) -> Result<Parts, Malformed> {
        let fault = |part: &'static str, what: &str| Err(Malformed { part, what: what.into() });
        if self.schema != Self::SCHEMA {
            return fault("schema", "is of another kind or version");
        }
        let n = self.x.len();
        let d = self.x.first().map_or(0, Vec::len);
        if n == 0 || d == 0 || self.x.iter().any(|row| row.len() != d) {
            return fault("x", "is no matrix with a row and a column");
        }
        if self.y.len() != n || self.dual.len() != n {
            return fault("y", "labels and dual need one number a row");
        }
        let optional = [self.objective, self.gap];
        let single = [self.lambda, self.lower_bound, self.scale, self.sup];
        let all = self.x.iter().flatten().chain(&self.y).chain(&self.dual).chain(&single);
        if !all.chain(optional.iter().flatten()).all(|v| v.is_finite()) {
            return fault("x", "a number is not finite");
        }
        if self.lambda <= 0.0 {
            return fault("lambda", "is not above 0");
        }
        if self.network.is_some() != self.objective.is_some() || self.network.is_some() != self.gap.is_some() {
            return fault("network", "network, objective and gap are there together or not at all");
        }
        if let Some(frame) = &self.frame
            && (frame.centre.len() != d || !frame.centre.iter().chain([&frame.reach]).all(|v| v.is_finite()))
        {
            return fault("frame", "is no point with a distance");
        }
        let network = self.network.as_ref().map(|net| net.network(d, "network")).transpose()?;
        if let Some(net) = &network {
            if net.outputs() != 1 {
                return fault("network", "has more than one output");
            }
            if self.bias == Bias::None && net.b.iter().any(|b| *b != 0.0) {
                return fault("network", "has biases where the objective has none");
            }
            if self.offset == Offset::None && net.offset[0] != 0.0 {
                return fault("network", "has an output bias where the objective has none");
            }
        }
        Ok(Parts { x: Mat::from_vec(n, d, self.x.concat()), network })
    }

    fn claims(&self, parts: &Parts) -> Result<(), Fault> {
        let need = |holds: bool, fault: Fault| if holds { Ok(()) } else { Err(fault) };
        need(self.fingerprint == fingerprint(&self.x, &self.y), Fault::Fingerprint)?;
        need(self.statement == Self::statement_of(self.network.is_some()), Fault::Statement)?;
        if let (Some(net), Some(objective), Some(gap)) = (&parts.network, self.objective, self.gap) {
            let claimed = whole(2 * self.y.len()).mul(&Dyadic::new(objective));
            need(at_most(&objective_2n(self, &parts.x, net), &claimed), Fault::Objective)?;
            let difference = Dyadic::new(objective).sub(&Dyadic::new(self.lower_bound));
            need(at_most(&difference, &Dyadic::new(gap)), Fault::Gap)?;
        }
        let balanced = self.bias == Bias::Free || self.offset == Offset::Free;
        need(!balanced || sum_is_zero(&self.dual), Fault::Sum)?;
        let claimed = Dyadic::new(self.lambda).mul(&Dyadic::new(4.0)).mul(&Dyadic::new(self.lower_bound));
        need(at_most(&claimed, &bound_4lambda(self)), Fault::LowerBound)?;
        let reached = Dyadic::new(self.scale).abs().mul(&Dyadic::new(self.sup));
        need(at_most(&reached, &Dyadic::new(self.lambda)), Fault::Scale)?;
        let geometry = Geometry::new(&parts.x, self.bias, self.frame.as_ref());
        need(geometry.reaches(), Fault::Frame)?;
        let negative: Vec<f64> = self.dual.iter().map(|r| -r).collect();
        verify(&geometry, &self.dual, self.sup, &self.positive).map_err(|fault| Fault::Tree { sign: "", fault })?;
        verify(&geometry, &negative, self.sup, &self.negative).map_err(|fault| Fault::Tree { sign: "-", fault })
    }
}
