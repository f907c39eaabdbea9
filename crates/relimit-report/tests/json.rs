//! The JSON object: keys, nulls, numbers.

mod common;

use relimit_report::json::json;
use relimit_solve::answer::LimitAnswer;
use serde_json::Value;

fn parse(answer: &LimitAnswer) -> Value {
    let text = json(answer);
    assert!(text.ends_with("}\n") && text.matches('\n').count() == 1, "one line");
    serde_json::from_str(&text).expect("valid JSON")
}

/// The keys that people and scripts rely on.
const KEYS: &[&str] = &[
    "schema",
    "command",
    "settings",
    "settings.step",
    "settings.step_constant",
    "settings.loss",
    "settings.bias",
    "settings.scale",
    "settings.start",
    "settings.signs",
    "settings.relu_at_zero",
    "settings.seed",
    "settings.synthetic",
    "settings.sources",
    "data.n",
    "data.d",
    "data.dim",
    "data.tau",
    "data.d2",
    "data.d_inf",
    "data.d2_population",
    "data.rank",
    "data.notices",
    "limit.status",
    "limit.reason",
    "limit.message",
    "limit.loss",
    "limit.loss_scaling",
    "limit.fitted",
    "limit.silent",
    "limit.dead",
    "limit.ties",
    "limit.alpha",
    "limit.preactivations",
    "limit.masks",
    "limit.norm",
    "limit.offset_norm",
    "limit.radius",
    "limit.divergence",
    "events.count",
    "events.last_step",
    "events.last_time",
    "events.shown",
    "events.truncated",
    "min_norm.status",
    "min_norm.norm",
    "min_norm.lower",
    "min_norm.upper",
    "min_norm.reason",
    "min_norm.nodes",
    "min_norm.multipliers",
    "min_norm.mixed_patterns",
    "gap.absolute",
    "gap.relative",
    "gap.bound",
    "gap.predicted",
    "gap.identity_error",
    "certificates.one_step.rho",
    "certificates.one_step.left",
    "certificates.one_step.right",
    "certificates.one_step.holds",
    "certificates.one_step.why_not",
    "hypotheses.verdict",
    "hypotheses.why",
    "starts",
    "compare_steps",
];

#[test]
fn every_key_is_there_in_every_outcome() {
    for (name, answer) in common::all() {
        let value = parse(&answer);
        for key in KEYS {
            let mut at = &value;
            for part in key.split('.') {
                let object = at.as_object().unwrap_or_else(|| panic!("{name}: {key}: not an object before {part}"));
                at = object.get(part).unwrap_or_else(|| panic!("{name}: key {key} is missing"));
            }
        }
    }
}

#[test]
fn words_are_those_of_the_contract() {
    let golden = parse(&common::golden());
    assert_eq!(golden["schema"], "relimit/limit/1");
    assert_eq!(golden["command"], "limit");
    assert_eq!(golden["limit"]["status"], "converged");
    assert_eq!(golden["limit"]["reason"], "closed_form");
    assert_eq!(golden["limit"]["silent"][0]["reason"], "no_neuron_of_sign");
    assert_eq!(golden["events"]["shown"][0]["to"], "off");
    assert_eq!(golden["min_norm"]["status"], "certified");
    assert_eq!(golden["hypotheses"]["verdict"], "holds");
    let glucose = parse(&common::glucose());
    assert_eq!(glucose["hypotheses"]["verdict"], "hypotheses not met");
    assert_eq!(glucose["min_norm"]["status"], "bound");
    assert_eq!(glucose["data"]["d2_population"]["low"], 1.021);
    let reasons: Vec<&str> =
        glucose["limit"]["silent"].as_array().unwrap().iter().map(|s| s["reason"].as_str().unwrap()).collect();
    for reason in ["opposite_sign", "dead_start", "label_below_interference"] {
        assert!(reasons.contains(&reason), "{reason}");
    }
}

#[test]
fn what_is_not_a_number_is_null() {
    let diverged = parse(&common::diverged());
    assert!(diverged["limit"]["loss"].is_null() && diverged["limit"]["norm"].is_null());
    assert!(diverged["limit"]["alpha"].is_null());
    assert!(
        diverged["limit"]["preactivations"][0][0].is_null() && diverged["limit"]["preactivations"][1][20].is_null()
    );
    assert!(diverged["gap"]["absolute"].is_null() && diverged["starts"].is_null());
    let back: LimitAnswer = serde_json::from_str(&json(&common::diverged())).expect("reads back");
    assert!(back.limit.preactivations[0][0].is_nan() && back.limit.loss.is_none());
    assert_eq!(back.limit.divergence, common::diverged().limit.divergence);
}

#[test]
fn finite_answers_read_back_equal() {
    for (name, answer) in common::all() {
        if name != "diverged" {
            let back: LimitAnswer = serde_json::from_str(&json(&answer)).expect("reads back");
            assert_eq!(back, answer, "{name}");
        }
    }
}

#[test]
fn tables_of_a_run_have_m_rows_of_n() {
    let value = parse(&common::glucose());
    for key in ["alpha", "preactivations", "masks"] {
        let rows = value["limit"][key].as_array().unwrap();
        assert_eq!(rows.len(), 2, "{key}");
        assert!(rows.iter().all(|r| r.as_array().unwrap().len() == 21), "{key}");
    }
    assert_eq!(value["limit"]["masks"][0][0], 1);
}
