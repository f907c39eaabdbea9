//! `collapse`: from a network, a domain and data to the answer.

use relimit_core::certify::equality::EqualityCertificate;
use relimit_core::collapse::{collapse as narrow, patterns, pieces, ray_bound, regions};
use relimit_core::net::{InputBox, Network};
use relimit_core::num::Mat;

use crate::answer::{CollapseAnswer, CollapseSettings, Ended, Growth, Narrowest, NetworkFacts, NeuronRole};

/// Cells that may be visited for each count: well below a second.
const MAX_CELLS: u64 = 50_000;

/// What is asked.
#[derive(Clone, Debug)]
pub struct CollapseQuestion<'a> {
    /// The network.
    pub network: &'a Network,
    /// Its file name without the folder.
    pub name: String,
    /// Where it is to be equal; `None` for all inputs.
    pub on: Option<InputBox>,
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
    pub certificate: EqualityCertificate,
}

/// Collapses a network and says what became of it. The tolerance must be finite and not negative.
pub fn collapse(question: CollapseQuestion<'_>, stop: &(dyn Fn() -> bool + Sync)) -> CollapseOutcome {
    let net = question.network;
    let on = question.on.as_ref();
    let got = narrow(net, on, question.settings.tolerance, stop);
    let facts = question.data.map(|x| patterns(&got.network, x));
    let mut merged: Vec<(Vec<f64>, Vec<usize>)> = vec![];
    for m in &got.moves {
        match merged.iter_mut().find(|g| g.0 == m.row) {
            Some(group) => group.1.push(m.neuron),
            None => merged.push((m.row.clone(), vec![m.neuron])),
        }
    }
    let finite = |v: f64| Some(v).filter(|v| v.is_finite());
    let max_difference = finite(got.equality.max_difference);
    let difference = got.equality.constant.zip(got.equality.slope);
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
        on: if on.is_some() { "box" } else { "everywhere" }.into(),
        r#box: question.on.clone(),
        status: got.equality.claim(),
        ended: if stop() { Ended::Interrupted } else { Ended::Finished },
        identical: got.equality.identical,
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
    let certificate = EqualityCertificate::new(net, &got.network, &got.moves, &got.equality);
    CollapseOutcome { answer, network: got.network, certificate }
}
