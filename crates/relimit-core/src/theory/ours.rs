//! Our own statements about the regularised problem and its stationary law.

use super::collapse::{count_rays, on_optima};
use super::conditions::{optimal, plural};
use super::evidence::{Evidence, LawFacts, Measured, OptimumFacts};
use super::finding::{ClaimKind, Conclusion, Finding, Hypothesis, OURS, Read, Side, Statement};
use super::short;
use crate::gibbs::Rule;
use crate::num::mat::norm2;

const fn ours(key: &'static str, kind: ClaimKind, claim: &'static str, meaning: &'static str) -> Statement {
    Statement { key, paper: &OURS, read: Read::Ours, kind, claim, meaning }
}

/// Standard errors within which a mean counts as what it should be.
const STANDARD_ERRORS: f64 = 4.0;

/// Key `rays-2p-2`.
pub(super) fn ray_count(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "rays-2p-2",
        ClaimKind::Finite,
        "one output: the directions of contact, hence the rays of every optimum, number at most 2 (P - 1)",
        "directions of the optimum; 2 (P - 1)",
    );
    on_optima(&S, e, |o| count_rays(o, e.patterns, |p| p.saturating_sub(1).saturating_mul(2)))
}

/// Key `virial`.
pub(super) fn virial(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "virial",
        ClaimKind::Finite,
        "under the stationary law beta E[theta . grad Psi] is the number of parameters of a neuron, which is (lambda/2) \
         E|theta|^2 = parameters/(2 beta) + r . f",
        "distance of the measured ratio from 1; four standard errors",
    );
    let found = e.laws.iter().filter_map(|law| law.virial.map(|v| (law, v)));
    let known = |v: &Measured| v.value.is_finite() && v.standard_error.is_finite() && v.standard_error > 0.0;
    // A measurement without its error decides nothing, and hides none that has it.
    let weight =
        |(_, v): &(&LawFacts, Measured)| if known(v) { (v.value - 1.0).abs() / v.standard_error } else { -1.0 };
    let Some((law, v)) = found.max_by(|a, b| weight(a).total_cmp(&weight(b))) else {
        return S.absent("no ratio measured on draws or particles");
    };
    let met = known(&v).then_some(true);
    let error = Hypothesis::new("the standard error of the measurement is known", met, short(v.standard_error));
    let words = format!(
        "at beta = {} the ratio is {} with standard error {}",
        short(law.beta),
        short(v.value),
        short(v.standard_error)
    );
    let miss = (v.value - 1.0).abs();
    S.judge(vec![error], Conclusion::compare(miss, Side::AtMost, STANDARD_ERRORS * v.standard_error, words))
}

/// Key `thermal-excess`.
pub(super) fn thermal_excess(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "thermal-excess",
        ClaimKind::Finite,
        "loss plus penalty of the stationary law exceeds the global minimum by at most parameters/(2 beta)",
        "excess times beta; half the parameters of a neuron",
    );
    let mut worst: Option<(Vec<Hypothesis>, Conclusion)> = None;
    for (law, o) in matched(e) {
        let (low, high) = (law.objective - o.objective, law.objective - o.lower_bound);
        let bound = 0.5 * law.parameters as f64 / law.beta;
        // The objective moves with the outputs at rate |grad| <= omega |f - y|, which the loss bounds.
        let room = law.error * (2.0 * law.omega * law.objective.abs()).sqrt() + 0.5 * law.omega * law.error * law.error;
        let seen = if high <= bound { Some(true) } else { (low > bound + room).then_some(false) };
        let words = format!("at beta = {} the excess is {}, the bound {}", short(law.beta), short(high), short(bound));
        let conclusion = Conclusion::compare(law.beta * high, Side::AtMost, law.beta * bound, words).seen(seen);
        if worst.as_ref().is_none_or(|(_, c)| conclusion.worse_than(c)) {
            worst = Some((vec![optimal(o)], conclusion));
        }
    }
    match worst {
        Some((hypotheses, conclusion)) => S.judge(hypotheses, conclusion),
        None => S.absent("no stationary law with an optimum of the same lambda"),
    }
}

/// Key `outputs-unique`.
pub(super) fn outputs_unique(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "outputs-unique",
        ClaimKind::Finite,
        "dual point and fitted values of the optimum are unique even where the network is not: (omega/2)|f - f*|^2 is at most \
         the excess of any network or law",
        "distance of two vectors of fitted values; sum of sqrt(2 excess / omega)",
    );
    let radius = |omega: f64, excess: f64| (2.0 * excess.max(0.0) / omega).sqrt();
    let mut pairs: Vec<Conclusion> = Vec::new();
    let mut compare = |a: &[f64], b: &[f64], bound: f64, what: String| {
        if a.len() == b.len() {
            let distance = norm2(&a.iter().zip(b).map(|(p, q)| p - q).collect::<Vec<_>>());
            let words = format!("{what} differ by {}, the bound is {}", short(distance), short(bound));
            pairs.push(Conclusion::compare(distance, Side::AtMost, bound, words));
        }
    };
    for (k, a) in e.optima.iter().enumerate() {
        for b in e.optima[..k].iter().filter(|b| same(a.lambda, a.omega, a.outputs, b)) {
            let lower = a.lower_bound.max(b.lower_bound);
            let bound = radius(a.omega, a.objective - lower) + radius(a.omega, b.objective - lower);
            compare(&a.fitted, &b.fitted, bound, format!("two networks at lambda = {}", short(a.lambda)));
        }
    }
    for (law, o) in matched(e) {
        let bound = radius(o.omega, law.objective - o.lower_bound) + radius(o.omega, o.objective - o.lower_bound);
        let what = format!("the law at beta = {} and the optimum", short(law.beta));
        compare(&law.fitted, &o.fitted, bound + law.error, what);
    }
    let worst = pairs.into_iter().reduce(|a, b| if b.worse_than(&a) { b } else { a });
    match worst {
        Some(conclusion) => S.judge(vec![], conclusion),
        None => S.absent("no two networks or laws of the same lambda"),
    }
}

/// Key `vanishing-noise`.
pub(super) fn selection(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "vanishing-noise",
        ClaimKind::Rate,
        "where the optimum is not unique, vanishing noise takes an inner point of the optimal set: the largest sum of \
         |c|^(1/3) over rays with no row on their kink, else of K log |c| (asymptotics, not a theorem)",
        "largest difference between coefficients of the law and those selected, over the largest coefficient; 0",
    );
    let coldest = |a: &&LawFacts, b: &&LawFacts| a.beta.total_cmp(&b.beta);
    let Some(law) = e.laws.iter().filter(|l| l.selection.is_some()).max_by(coldest) else {
        return S.absent("no stationary law beside the coefficients that vanishing noise selects");
    };
    let Some(s) = &law.selection else { return S.absent("no selection") };
    let rule = match s.rule {
        Some(Rule::Unique) => (Some(false), "the optimum is unique"),
        Some(Rule::CubeRoot) => (Some(true), "cube roots over inner rays"),
        Some(Rule::Logarithm) => (Some(true), "logarithms over rays with one row on the kink"),
        None => (None, "no rule speaks about these rays"),
    };
    let hypotheses = vec![Hypothesis::new("several optimal networks, and a rule that selects", rule.0, rule.1)];
    let largest = s.selected.iter().fold(0.0f64, |a, c| a.max(c.abs()));
    let miss = s.selected.iter().zip(&s.law).fold(0.0f64, |a, (p, q)| a.max((p - q).abs())) / largest;
    let words = format!("at beta = {} coefficients are within {} of the selected ones", short(law.beta), short(miss));
    let comparable = s.selected.len() == s.law.len();
    let conclusion = if comparable {
        Conclusion::compare(miss, Side::AtMost, 0.0, words).seen(None)
    } else {
        let (p, q) = (plural(s.selected.len(), "coefficient"), plural(s.law.len(), "coefficient"));
        Conclusion::unknown(format!("{p} selected and {q} of the law cannot be compared"))
    };
    S.judge(hypotheses, conclusion)
}

/// Laws with an optimum of the same problem.
fn matched(e: &Evidence) -> Vec<(&LawFacts, &OptimumFacts)> {
    let of = |law: &LawFacts| e.optima.iter().find(|o| same(law.lambda, law.omega, law.outputs, o));
    e.laws.iter().filter_map(|law| of(law).map(|o| (law, o))).collect()
}

fn same(lambda: f64, omega: f64, outputs: usize, o: &OptimumFacts) -> bool {
    lambda == o.lambda && omega == o.omega && outputs == o.outputs
}
