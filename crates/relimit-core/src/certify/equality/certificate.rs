//! The equality certificate: two networks, where they were compared, and by how much they differ at most.
//!
//! Everything that a checker needs is in it; the claim is computed again, never believed.

use serde::{Deserialize, Serialize};

use super::{Equality, Move, equality};
use crate::certify::fingerprint;
use crate::net::{InputBox, Network};
use crate::num::Mat;

/// A network as nested lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    /// m x d.
    pub w: Vec<Vec<f64>>,
    /// m.
    pub b: Vec<f64>,
    /// Outputs x m.
    pub c: Vec<Vec<f64>>,
    /// One an output.
    pub offset: Vec<f64>,
}

/// `|f - g| <= bound`: `max_difference` on the box, or `constant + slope max_k |x_k|` everywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EqualityCertificate {
    /// [`EqualityCertificate::SCHEMA`], or [`EqualityCertificate::FIRST`].
    pub schema: String,
    /// The claim in words; the numbers are the claim.
    pub statement: String,
    /// That of both networks and the box; absent in the first layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Number of inputs.
    pub inputs: usize,
    /// Where the networks are compared; `None` for all inputs.
    pub on: Option<InputBox>,
    /// The first network.
    pub given: Numbers,
    /// The second one.
    pub narrow: Numbers,
    /// Neurons of the first that are compared at other rows.
    pub moves: Vec<Move>,
    /// Whether the two are claimed to be the same function there.
    pub identical: bool,
    /// On a box: the largest difference of any output; everywhere, that for inputs within [-1, 1].
    pub max_difference: f64,
    /// Everywhere: see `slope`.
    pub constant: Option<f64>,
    /// Everywhere: the difference is at most `constant + slope max_k |x_k|`.
    pub slope: Option<f64>,
}

/// A file that states nothing: which part, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {what}")]
pub struct Malformed {
    /// A key of the certificate.
    pub part: &'static str,
    /// What is wrong.
    pub what: String,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedEquality {
    /// Whether the claim follows.
    pub holds: bool,
    /// The bounds as computed again.
    pub found: Equality,
}

impl Numbers {
    /// All numbers in turn: w, b and c of each neuron, then the output biases.
    pub(super) fn flat(&self) -> Vec<f64> {
        let neuron = |j: usize| {
            let own = self.w[j].iter().copied().chain([self.b[j]]);
            own.chain(self.c.iter().map(move |c| c[j])).collect::<Vec<f64>>()
        };
        (0..self.w.len()).flat_map(neuron).chain(self.offset.iter().copied()).collect()
    }

    /// The numbers of a network.
    pub(in crate::certify) fn of(net: &Network) -> Self {
        Self { w: net.w.to_rows(), b: net.b.clone(), c: net.c.to_rows(), offset: net.offset.clone() }
    }

    /// The network of these numbers; `part` is named when they make none.
    pub(in crate::certify) fn network(&self, inputs: usize, part: &'static str) -> Result<Network, Malformed> {
        let (m, k) = (self.w.len(), self.c.len());
        let fault = |what: String| Err(Malformed { part, what });
        if let Some(row) = self.w.iter().find(|r| r.len() != inputs) {
            return fault(format!("a row of w has {} entries for {inputs} inputs", row.len()));
        }
        if let Some(row) = self.c.iter().find(|r| r.len() != m) {
            return fault(format!("a row of c has {} entries for {m} neurons", row.len()));
        }
        if self.b.len() != m || self.offset.len() != k || k == 0 {
            let (b, o) = (self.b.len(), self.offset.len());
            return fault(format!("{b} biases for {m} neurons, {o} output biases for {k} outputs"));
        }
        let flat = |rows: &[Vec<f64>]| rows.concat();
        let all = [&flat(&self.w), &self.b, &flat(&self.c), &self.offset];
        if all.iter().any(|v| v.iter().any(|x| !x.is_finite())) {
            return fault("a number is not finite".into());
        }
        let w = Mat::from_vec(m, inputs, flat(&self.w));
        Ok(Network::new(w, self.b.clone(), Mat::from_vec(k, m, flat(&self.c)), self.offset.clone()))
    }
}

/// The fingerprint of the rows (w, b, c) of all neurons, given ones first, then output biases and the ends of the box.
fn print(given: &Numbers, narrow: &Numbers, on: Option<&InputBox>) -> String {
    let rows = |net: &Numbers| -> Vec<Vec<f64>> {
        let row = |j: usize| {
            let own = net.w[j].iter().copied().chain([net.b[j]]);
            own.chain(net.c.iter().map(move |c| c[j])).collect()
        };
        (0..net.w.len()).map(row).collect()
    };
    let ends = on.map_or_else(Vec::new, |on| [&on.low[..], &on.high[..]].concat());
    fingerprint(&[rows(given), rows(narrow)].concat(), &[&given.offset[..], &narrow.offset[..], &ends[..]].concat())
}

impl EqualityCertificate {
    /// Name and version of the layout.
    pub const SCHEMA: &'static str = "relimit/certificate/equality/2";
    /// The first layout, without fingerprint: still read.
    pub const FIRST: &'static str = "relimit/certificate/equality/1";

    /// The certificate of a comparison of `f` and `g` with these moves.
    pub fn new(f: &Network, g: &Network, moves: &[Move], found: &Equality) -> Self {
        let place = if found.on.is_some() { "on the box" } else { "everywhere" };
        let statement = match (found.identical, found.constant, found.slope) {
            (true, ..) => format!("the two networks are the same function {place}"),
            (false, Some(a), Some(b)) => format!("no output differs by more than {a:?} + {b:?} max|x_k|"),
            _ => format!("no output differs by more than {:?} {place}", found.max_difference),
        };
        Self {
            schema: Self::SCHEMA.into(),
            statement,
            fingerprint: Some(print(&Numbers::of(f), &Numbers::of(g), found.on.as_ref())),
            inputs: f.inputs(),
            on: found.on.clone(),
            given: Numbers::of(f),
            narrow: Numbers::of(g),
            moves: moves.to_vec(),
            identical: found.identical,
            max_difference: found.max_difference,
            constant: found.constant,
            slope: found.slope,
        }
    }

    /// Computes the claim again and compares.
    ///
    /// # Errors
    /// `Malformed` when shapes do not fit, a number is not finite, the box is empty or a move names no neuron.
    pub fn check(&self) -> Result<CheckedEquality, Malformed> {
        let fault = |part: &'static str, what: &str| Err(Malformed { part, what: what.into() });
        let second = self.schema == Self::SCHEMA;
        if !second && self.schema != Self::FIRST {
            return fault("schema", "is of another kind or version");
        }
        if second != self.fingerprint.is_some() {
            return fault("fingerprint", "belongs to the second layout, and only to it");
        }
        let f = self.given.network(self.inputs, "given")?;
        let g = self.narrow.network(self.inputs, "narrow")?;
        if f.outputs() != g.outputs() {
            return fault("narrow", "has another number of outputs than given");
        }
        if let Some(on) = &self.on {
            let sides = on.low.iter().zip(&on.high);
            let ordered = sides.clone().all(|(a, b)| a.is_finite() && b.is_finite() && a <= b);
            if on.low.len() != self.inputs || on.high.len() != self.inputs || !ordered {
                return fault("on", "is no box with one finite range for each input");
            }
        }
        for (k, m) in self.moves.iter().enumerate() {
            let finite = m.scale.is_finite() && m.row.iter().all(|v| v.is_finite());
            let once = self.moves[..k].iter().all(|o| o.neuron != m.neuron);
            if m.neuron >= f.width() || m.row.len() != self.inputs + 1 || !finite || !once {
                return fault("moves", "each must name another neuron and a finite row of inputs + 1 numbers");
            }
        }
        let found = equality(&f, &g, self.on.as_ref(), &self.moves);
        let sealed = self.fingerprint.as_ref().is_none_or(|p| *p == print(&self.given, &self.narrow, self.on.as_ref()));
        let below = |found: Option<f64>, claimed: Option<f64>| match (found, claimed) {
            (Some(found), Some(claimed)) => found <= claimed,
            (found, claimed) => found.is_none() && claimed.is_none(),
        };
        let holds = sealed
            && (found.identical || !self.identical)
            && found.max_difference <= self.max_difference
            && below(found.constant, self.constant)
            && below(found.slope, self.slope);
        Ok(CheckedEquality { holds, found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(on: Option<&InputBox>) -> EqualityCertificate {
        let w = Mat::from_rows(&[[1.0, 2.0], [0.5, 1.0], [0.0, 0.0]]);
        let f = Network::scalar(w, vec![0.25, 0.125, 1.0], vec![1.0, 2.0, 0.5], 0.0);
        let g = Network::scalar(Mat::from_rows(&[[1.0, 2.0]]), vec![0.25], vec![2.0], 0.5);
        EqualityCertificate::new(&f, &g, &[], &equality(&f, &g, on, &[]))
    }

    #[test]
    fn stronger_claims_and_other_numbers_are_refused() {
        let on = InputBox::around_zero(2, 1.0);
        for certificate in [example(None), example(Some(&on))] {
            assert!(certificate.identical && certificate.check().unwrap().holds);
            let mut changed = certificate.clone();
            changed.given.c[0][1] = 2.0f64.next_up();
            let checked = changed.check().unwrap();
            assert!(!checked.holds && !checked.found.identical && checked.found.max_difference > 0.0);
            // what was found can be claimed of the networks as they are, and nothing below it
            assert!(!changed.check().unwrap().holds, "the fingerprint is that of other networks");
            changed.fingerprint = Some(print(&changed.given, &changed.narrow, changed.on.as_ref()));
            changed.identical = false;
            changed.max_difference = checked.found.max_difference;
            (changed.constant, changed.slope) = (checked.found.constant, checked.found.slope);
            assert!(changed.check().unwrap().holds);
            changed.max_difference = changed.max_difference.next_down();
            assert!(!changed.check().unwrap().holds);
        }
    }

    #[test]
    fn files_that_state_nothing_are_malformed() {
        let part = |change: &dyn Fn(&mut EqualityCertificate)| {
            let mut certificate = example(Some(&InputBox::around_zero(2, 1.0)));
            change(&mut certificate);
            certificate.check().unwrap_err().part
        };
        assert_eq!(part(&|c| c.schema = "relimit/limit/1".into()), "schema");
        assert_eq!(part(&|c| c.given.b.truncate(1)), "given");
        assert_eq!(part(&|c| c.narrow.w[0].push(0.0)), "narrow");
        assert_eq!(part(&|c| c.narrow.c.push(vec![1.0])), "narrow");
        assert_eq!(part(&|c| c.on = Some(InputBox { low: vec![2.0; 2], high: vec![1.0; 2] })), "on");
        let stray = Move { neuron: 3, row: vec![0.0; 3], scale: 1.0 };
        assert_eq!(part(&|c| c.moves = vec![stray.clone()]), "moves");
    }
}
