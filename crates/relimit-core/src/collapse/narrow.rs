//! The narrowest equal network: one unit a kink, the sides of the kinks chosen so that little or nothing affine is left.
//!
//! ```text
//! f = sum_h C_h relu(h.x~) + A x~,    C relu(h.x~) = C relu(-h.x~) + C h.x~
//! R_S = A + sum_{h in S} C_h h'       (linear part; S = kinks that are turned round)
//! width = K             if some R_S = 0
//!         K + 1         if some R_S = t h' for a kink h (all inputs), or always on a box with one output
//!         K + 2 rank    at most (all inputs), K + rank on a box
//! ```
//!
//! Whether some R_S vanishes is a subset-sum question; it is decided by meeting in the middle, exactly.

use dashu_int::IBig;
use serde::{Deserialize, Serialize};

use super::affine::{Product, Unit, products, units};
use super::rays::{Ray, Rays};
use super::subset::{Search, subset};
use crate::net::{InputBox, Network};
use crate::num::Mat;
use crate::num::dyadic::{PRIME, add_residues, multiply};
use crate::num::exact::Dyadic;

/// Most kinks for which the sides are searched through.
pub const MAX_DECIDED: usize = 40;

/// What is known about the width of the narrowest equal network; output biases may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Width {
    /// Hyperplanes on which the function bends.
    pub kinks: usize,
    /// Rays: sides of hyperplanes whose output weights do not cancel.
    pub rays: usize,
    /// No equal network is narrower.
    pub lower: usize,
    /// Width of the one found.
    pub upper: usize,
}

impl Width {
    /// Whether the narrowest width is known.
    pub fn exact(&self) -> bool {
        self.lower == self.upper
    }
}

/// A network in the making.
struct Draft {
    units: Vec<Unit>,
    /// What remains, outputs x (d + 1).
    rest: Vec<Vec<Dyadic>>,
}

/// The narrowest network found.
pub(super) fn narrow(rays: &Rays, on: Option<&InputBox>, stop: &dyn Fn() -> bool) -> (Network, Width) {
    let kinks = rays.kinks();
    let given = finish(rays, as_given(rays), natural(rays), on);
    let width = |lower: usize, network: &Network| Width {
        kinks: kinks.len(),
        rays: rays.all.len(),
        lower,
        upper: network.width(),
    };
    if given.width() == kinks.len() {
        let width = width(kinks.len(), &given);
        return (given, width);
    }
    let sides = Sides::new(rays, &kinks);
    let mut lower = kinks.len();
    let searched = kinks.len() <= MAX_DECIDED;
    match if searched { sides.vanishing(None, stop) } else { Search::Stopped } {
        Search::Found(turned) => {
            let network = finish(rays, sides.draft(&sides.turned(turned, None)), vec![], on);
            let width = width(lower, &network);
            return (network, width);
        }
        Search::Nothing => lower += 1,
        Search::Stopped => {}
    }
    let mut best = given;
    let mut better = |candidate: Network| {
        if candidate.width() < best.width() {
            best = candidate;
        }
    };
    if on.is_none() && lower > kinks.len() {
        let mut excluded = true;
        for i in 0..kinks.len() {
            match sides.vanishing(Some(i), stop) {
                Search::Found(turned) => {
                    better(finish(rays, sides.doubled(&sides.turned(turned, Some(i)), i), vec![], on));
                    excluded = false;
                    break;
                }
                Search::Nothing => {}
                Search::Stopped => {
                    excluded = false;
                    break;
                }
            }
        }
        lower += usize::from(excluded);
    }
    better(finish(rays, sides.draft(&sides.as_given()), vec![], on));
    let width = width(lower, &best);
    (best, width)
}

/// Every ray as it is.
fn as_given(rays: &Rays) -> Draft {
    let unit = |r: &Ray| (r.row.clone(), r.sum.iter().map(|s| s.ratio(&r.size)).collect());
    Draft { units: rays.all.iter().map(unit).collect(), rest: rays.affine.clone() }
}

/// The affine units as they are.
fn natural(rays: &Rays) -> Vec<Product> {
    let d = rays.inputs;
    rays.always_on.iter().map(|(c, row)| Product { p: c.clone(), q: row[..d].to_vec() }).collect()
}

/// The network of a draft: its units, units for what is linear in the rest, output biases.
fn finish(rays: &Rays, draft: Draft, natural: Vec<Product>, on: Option<&InputBox>) -> Network {
    let d = rays.inputs;
    let linear: Vec<Vec<Dyadic>> = draft.rest.iter().map(|r| r[..d].to_vec()).collect();
    let vanishes = linear.iter().flatten().all(Dyadic::is_zero);
    let natural = (!natural.is_empty()).then_some(natural);
    let products = if vanishes { vec![] } else { products(&linear, natural) };
    let (more, surplus) = units(&products, on);
    let all: Vec<_> = draft.units.into_iter().chain(more).collect();
    let w = Mat::from_fn(all.len(), d, |j, i| all[j].0[i]);
    let b = all.iter().map(|u| u.0[d]).collect();
    let c = Mat::from_fn(rays.outputs, all.len(), |o, j| all[j].1[o]);
    let offset = (0..rays.outputs).map(|o| match surplus.get(o) {
        Some(s) => draft.rest[o][d].sub(s).nearest(),
        None => draft.rest[o][d].nearest(),
    });
    Network::new(w, b, c, offset.collect())
}

/// The choice of a side for each kink.
struct Sides<'a> {
    rays: &'a Rays,
    /// Hyperplane of each kink, and `C_h`.
    kinks: Vec<(usize, Vec<Dyadic>)>,
    /// `A`: the affine part when every kink is `relu(h.x~)`, outputs x (d + 1).
    upright: Vec<Vec<Dyadic>>,
}

impl<'a> Sides<'a> {
    fn new(rays: &'a Rays, kinks: &[usize]) -> Self {
        let mut upright = rays.affine.clone();
        for ray in rays.all.iter().filter(|r| r.flipped) {
            let h = rays.planes[ray.plane].entries();
            for (row, sum) in upright.iter_mut().zip(&ray.sum) {
                row.iter_mut().zip(h).for_each(|(a, h)| *a = a.sub(&sum.times(h)));
            }
        }
        Self { rays, kinks: kinks.iter().map(|p| (*p, rays.total(*p))).collect(), upright }
    }

    fn plane(&self, i: usize) -> &[IBig] {
        self.rays.planes[self.kinks[i].0].entries()
    }

    /// The sides of the first unit of each kink.
    fn as_given(&self) -> Vec<bool> {
        let first = |p: usize| self.rays.all.iter().find(|r| r.plane == p).is_some_and(|r| r.flipped);
        self.kinks.iter().map(|k| first(k.0)).collect()
    }

    /// A subset of the kinks but `along`, bit by bit, as one choice a kink.
    fn turned(&self, subset: u64, along: Option<usize>) -> Vec<bool> {
        let mut bits = (0..).map(|k| subset >> k & 1 == 1);
        (0..self.kinks.len()).map(|i| Some(i) != along && bits.next().unwrap_or(false)).collect()
    }

    /// `R_S`, outputs x (d + 1).
    fn rest(&self, turned: &[bool]) -> Vec<Vec<Dyadic>> {
        let mut rest = self.upright.clone();
        for i in (0..self.kinks.len()).filter(|i| turned[*i]) {
            for (row, c) in rest.iter_mut().zip(&self.kinks[i].1) {
                row.iter_mut().zip(self.plane(i)).for_each(|(a, h)| *a = a.add(&c.times(h)));
            }
        }
        rest
    }

    /// One unit a kink.
    fn draft(&self, turned: &[bool]) -> Draft {
        let unit = |(i, (plane, total)): (usize, &(usize, Vec<Dyadic>))| {
            let (row, size) = self.row(*plane, turned[i]);
            (row, total.iter().map(|c| c.ratio(&size)).collect())
        };
        Draft { units: self.kinks.iter().enumerate().map(unit).collect(), rest: self.rest(turned) }
    }

    /// (w, b) on the side asked for, and its size: that of a given unit, turned round where there is none.
    fn row(&self, plane: usize, flipped: bool) -> (Vec<f64>, Dyadic) {
        let own = |side: bool| self.rays.all.iter().find(|r| r.plane == plane && r.flipped == side);
        match (own(flipped), own(!flipped)) {
            (Some(r), _) => (r.row.clone(), r.size.clone()),
            (None, Some(r)) => (r.row.iter().map(|v| -v).collect(), r.size.clone()),
            (None, None) => unreachable!("a kink comes from a ray"),
        }
    }

    /// One unit a kink, and both sides of kink `i`: `t h.x~ = t relu(h.x~) - t relu(-h.x~)`.
    fn doubled(&self, turned: &[bool], i: usize) -> Draft {
        let mut draft = self.draft(turned);
        let h = self.plane(i);
        let Some(pivot) = h[..self.rays.inputs].iter().position(|v| !v.is_zero()) else {
            unreachable!("a hyperplane has a normal")
        };
        let pivot_value = Dyadic::scaled(h[pivot].clone(), 0);
        let t: Vec<Dyadic> = draft.rest.iter().map(|r| Dyadic::new(r[pivot].ratio(&pivot_value))).collect();
        let (plane, total) = &self.kinks[i];
        let (row, size) = self.row(*plane, false);
        draft.units[i] = (row, total.iter().zip(&t).map(|(c, t)| c.add(t).ratio(&size)).collect());
        let (row, size) = self.row(*plane, true);
        draft.units.push((row, t.iter().map(|t| t.neg().ratio(&size)).collect()));
        for (row, t) in draft.rest.iter_mut().zip(&t) {
            let d = self.rays.inputs;
            row[d] = row[d].sub(&t.times(&h[d]));
            // what rounding of t leaves is bounded with the rest of the rounding
            row[..d].iter_mut().for_each(|v| *v = Dyadic::zero());
        }
        draft
    }

    /// A choice with `R_S = 0`, or with `R_S` a multiple of kink `along`, which stays upright.
    fn vanishing(&self, along: Option<usize>, stop: &dyn Fn() -> bool) -> Search {
        let others: Vec<usize> = (0..self.kinks.len()).filter(|i| Some(*i) != along).collect();
        let image = |row: &[Dyadic], o: usize| self.image(row, along, o);
        let sum = |residues: &mut dyn Iterator<Item = u64>| residues.fold(0, add_residues);
        let values: Vec<u64> = others
            .iter()
            .map(|i| {
                let h: Vec<Dyadic> = self.plane(*i).iter().map(|v| Dyadic::scaled(v.clone(), 0)).collect();
                let part = |(o, c): (usize, &Dyadic)| multiply(c.residue(), image(&h, o));
                sum(&mut self.kinks[*i].1.iter().enumerate().map(part))
            })
            .collect();
        let start = sum(&mut self.upright.iter().enumerate().map(|(o, row)| image(row, o)));
        let confirm = |s: u64| self.is_along(&self.rest(&self.turned(s, along)), along);
        subset(&values, (PRIME - start) % PRIME, &confirm, stop)
    }

    /// A fixed pseudo-random residue of the linear part of a row of output `o`, 0 for multiples of kink `along`.
    fn image(&self, row: &[Dyadic], along: Option<usize>, o: usize) -> u64 {
        let d = self.rays.inputs;
        let weight = |k: usize| scatter((o * d + k) as u64);
        let total = |terms: &mut dyn Iterator<Item = u64>| terms.fold(0, add_residues);
        let Some(along) = along else {
            return total(&mut (0..d).map(|k| multiply(weight(k), row[k].residue())));
        };
        let h: Vec<u64> = self.plane(along)[..d].iter().map(|v| Dyadic::scaled(v.clone(), 0).residue()).collect();
        // a pivot that is 0 modulo the prime would only cost hits, which `confirm` cannot bring back
        let Some(pivot) = self.plane(along)[..d].iter().position(|v| !v.is_zero()) else { return 0 };
        let at_pivot = row[pivot].residue();
        total(&mut (0..d).filter(|k| *k != pivot).map(|k| {
            let cross = add_residues(multiply(row[k].residue(), h[pivot]), PRIME - multiply(at_pivot, h[k]));
            multiply(weight(k), cross % PRIME)
        }))
    }

    fn is_along(&self, rest: &[Vec<Dyadic>], along: Option<usize>) -> bool {
        let d = self.rays.inputs;
        let Some(along) = along else { return rest.iter().all(|r| r[..d].iter().all(Dyadic::is_zero)) };
        let h = &self.plane(along)[..d];
        let Some(pivot) = h.iter().position(|v| !v.is_zero()) else { return false };
        rest.iter().all(|r| (0..d).all(|k| r[k].times(&h[pivot]) == r[pivot].times(&h[k])))
    }
}

/// Numbers below the prime without pattern (splitmix64).
fn scatter(k: u64) -> u64 {
    let mut z = k.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ z >> 31) % (PRIME - 1) + 1
}
