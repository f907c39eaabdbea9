//! `collapse`: from a network, a domain and data to the answer.

use relimit_core::certify::Claim;
use relimit_core::certify::equality::{EqualityCertificate, Move, RowsCertificate};
use relimit_core::collapse::{Kind, Width, collapse as narrow, collapse_on_rows, patterns, pieces, ray_bound, regions};
use relimit_core::net::{InputBox, Network};
use relimit_core::num::Mat;
use serde::Serialize;

use crate::answer::{CollapseAnswer, CollapseSettings, Ended, Growth, Narrowest, NetworkFacts, NeuronRole};

/// Cells that may be visited for each count: well below a second.
const MAX_CELLS: u64 = 50_000;

/// Where two networks are to be equal.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// On all inputs.
    Everywhere,
    /// On a box.
    Box(InputBox),
    /// On the rows of the data alone; the question has data.
    Rows,
}

impl Domain {
    /// The box, where it is one.
    pub fn as_box(&self) -> Option<&InputBox> {
        if let Self::Box(on) = self { Some(on) } else { None }
    }
}

/// The proof of a difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DifferenceCertificate {
    /// Everywhere or on a box.
    Domain(EqualityCertificate),
    /// On rows.
    Rows(RowsCertificate),
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct CollapseQuestion<'a> {
    /// The network.
    pub network: &'a Network,
    /// Its file name without the folder.
    pub name: String,
    /// Where it is to be equal.
    pub on: Domain,
    /// Points on which patterns are counted (n x d).
    pub data: Option<&'a Mat>,
    /// Settings as the answer echoes them; `tolerance` is used.
    pub settings: CollapseSettings,
    /// What was noticed while reading.
    pub notices: Vec<String>,
}

/// The answer, and the narrow network.
#[derive(Clone, Debug, PartialEq)]
pub struct CollapseOutcome {
    /// What is said.
    pub answer: CollapseAnswer,
    /// The narrow network.
    pub network: Network,
    /// The proof of the difference.
    pub certificate: DifferenceCertificate,
}

/// A narrow network, however it was found.
struct Found {
    network: Network,
    width: Width,
    kinds: Vec<Kind>,
    moves: Vec<Move>,
    status: Claim,
    identical: bool,
    max_difference: f64,
    growth: Option<(f64, f64)>,
    certificate: DifferenceCertificate,
}

impl Found {
    fn on_domain(net: &Network, on: Option<&InputBox>, tolerance: f64, stop: &dyn Fn() -> bool) -> Self {
        let got = narrow(net, on, tolerance, stop);
        let certificate = EqualityCertificate::new(net, &got.network, &got.moves, &got.equality);
        Self {
            network: got.network,
            width: got.width,
            kinds: got.kinds,
            moves: got.moves,
            status: got.equality.claim(),
            identical: got.equality.identical,
            max_difference: got.equality.max_difference,
            growth: got.equality.constant.zip(got.equality.slope),
            certificate: DifferenceCertificate::Domain(certificate),
        }
    }

    fn on_rows(net: &Network, x: &Mat, stop: &dyn Fn() -> bool) -> Self {
        let got = collapse_on_rows(net, x, stop);
        let certificate = RowsCertificate::new(net, &got.network, x, &got.equality);
        let bounded = got.equality.max_difference.is_finite();
        Self {
            network: got.network,
            width: got.width,
            kinds: got.kinds,
            moves: vec![],
            status: if bounded { Claim::Certified } else { Claim::Undecided },
            identical: got.equality.identical,
            max_difference: got.equality.max_difference,
            growth: None,
            certificate: DifferenceCertificate::Rows(certificate),
        }
    }
}

/// Collapses a network and says what became of it. The tolerance must be finite and not negative, and 0 on rows.
///
/// # Panics
/// On rows without data or with a tolerance.
pub fn collapse(question: CollapseQuestion<'_>, stop: &(dyn Fn() -> bool + Sync)) -> CollapseOutcome {
    let net = question.network;
    let (on, tolerance) = (question.on.as_box(), question.settings.tolerance);
    let got = match (&question.on, question.data) {
        (Domain::Rows, Some(x)) if tolerance == 0.0 => Found::on_rows(net, x, stop),
        (Domain::Rows, _) => panic!("rows without data, or with the tolerance {tolerance}"),
        _ => Found::on_domain(net, on, tolerance, stop),
    };
    let facts = question.data.map(|x| patterns(&got.network, x));
    let mut merged: Vec<(Vec<f64>, Vec<usize>)> = vec![];
    for m in &got.moves {
        match merged.iter_mut().find(|g| g.0 == m.row) {
            Some(group) => group.1.push(m.neuron),
            None => merged.push((m.row.clone(), vec![m.neuron])),
        }
    }
    let finite = |v: f64| Some(v).filter(|v| v.is_finite());
    let max_difference = finite(got.max_difference);
    let difference = got.growth;
    let regions = regions(&got.network, MAX_CELLS, stop);
    let ray_bound = question.data.map(|x| ray_bound(x, MAX_CELLS, stop));
    let answer = CollapseAnswer {
        schema: CollapseAnswer::SCHEMA.into(),
        command: "collapse".into(),
        settings: question.settings,
        network: NetworkFacts { name: question.name, inputs: net.inputs(), outputs: net.outputs() },
        width: net.width(),
        effective_width: got.network.width(),
        narrowest: Narrowest {
            kinks: got.width.kinks,
            rays: got.width.rays,
            lower: got.width.lower,
            upper: got.width.upper,
            exact: got.width.exact(),
        },
        on: match question.on {
            Domain::Everywhere => "everywhere",
            Domain::Box(_) => "box",
            Domain::Rows => "rows",
        }
        .into(),
        r#box: on.cloned(),
        status: got.status,
        ended: if stop() { Ended::Interrupted } else { Ended::Finished },
        identical: got.identical,
        max_difference,
        difference: difference
            .filter(|(a, b)| a.is_finite() && b.is_finite())
            .map(|(constant, slope)| Growth { constant, slope }),
        neurons: got.kinds.iter().enumerate().map(|(neuron, kind)| NeuronRole { neuron, kind: *kind }).collect(),
        merged: merged.into_iter().map(|(_, neurons)| neurons).collect(),
        patterns: facts.map(|f| f.distinct),
        pattern_facts: facts,
        regions,
        ray_bound,
        line: pieces(&got.network, on),
        notices: question.notices,
    };
    CollapseOutcome { answer, network: got.network, certificate: got.certificate }
}
