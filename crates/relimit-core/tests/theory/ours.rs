//! Our own statements: every verdict of every entry.

use relimit_core::certify::Claim;
use relimit_core::gibbs::Rule;
use relimit_core::theory::{Evidence, Measured, PatternCount, SelectionFacts, Verdict};

use super::case::{Case, case, check};
use super::networks::{five_points, law, optimum, several_outputs};
use super::runs::with;

use Verdict::{Fails, Holds, NotMet, Undecided};

pub(crate) fn cases() -> Vec<Case> {
    [counts(), virial(), excess(), unique(), selection()].into_iter().flatten().collect()
}

fn counts() -> Vec<Case> {
    let key = "rays-2p-2";
    let touching = |k: usize| optimum(five_points(), |o| o.contact_count = Some(k));
    let unlisted = optimum(five_points(), |o| (o.contact_count, o.unique) = (None, None));
    let none =
        with(optimum(five_points(), |o| o.contact_count = Some(0)), |e| e.patterns = Some(PatternCount::exact(1)));
    vec![
        case(key, Holds, "G2", five_points(), "4 rays, P = 10, bound 18").numbers(4.0, 18.0),
        case(key, Holds, "equality", touching(18), "18 rays").numbers(18.0, 18.0),
        case(key, Holds, "rows of 0: one cell, no ray", none, "0 rays, P = 1, bound 0").numbers(0.0, 0.0),
        case(key, Fails, "2 P - 1", touching(19), "19 rays").numbers(19.0, 18.0),
        case(key, NotMet, "two outputs", several_outputs(), "2 outputs"),
        case(key, Undecided, "other networks unknown", unlisted, "may have more"),
        case(key, Undecided, "P unknown", with(five_points(), |e| e.patterns = None), "P is not known"),
    ]
}

fn virial() -> Vec<Case> {
    let key = "virial";
    let measured =
        |value: f64, standard_error: f64| law(five_points(), |l| l.virial = Some(Measured { value, standard_error }));
    // one measurement that fails beside one without its error
    let both = with(measured(1.5, 0.01), |e| {
        let mut other = e.laws[0].clone();
        other.virial = Some(Measured { value: 9.0, standard_error: 0.0 });
        e.laws.push(other);
    });
    vec![
        case(key, Holds, "three and a half errors", measured(1.007, 0.002), "the ratio is 1.007").numbers(0.007, 0.008),
        case(key, Fails, "four and a half errors", measured(0.991, 0.002), "the ratio is 0.991").numbers(0.009, 0.008),
        case(key, Fails, "beside a measurement without error", both, "the ratio is 1.5"),
        case(key, Undecided, "no standard error", measured(1.0, 0.0), "not known: the standard error"),
        case(key, Undecided, "not finite", measured(1.0, f64::INFINITY), "not known: the standard error"),
        case(key, Undecided, "not a number", measured(f64::NAN, 0.1), "not known: the standard error"),
        case(key, Undecided, "no draws", five_points(), "no ratio measured"),
    ]
}

fn excess() -> Vec<Case> {
    let key = "thermal-excess";
    // (1/2)R + (lambda/2)M at beta = 1e3 less the minimum; the bound is 3/2
    let known = 1e3 * (0.34014608 - 0.33878607443792);
    let at = |objective: f64| law(five_points(), |l| l.objective = objective);
    let above = 0.33878607443792 + 0.00151;
    // the objective is known to error sqrt(2 omega F) = .01 sqrt(.136) = .0037 only
    let vague = law(at(above), |l| l.error = 0.01);
    vec![
        case(key, Holds, "G2 at 1e3", five_points(), "at beta = 1000 the excess is 0.00136").numbers(known, 1.5),
        case(key, Fails, "above the bound", law(at(above), |l| l.error = 0.0), "0.00151").numbers(1.51, 1.5),
        case(key, Undecided, "above it by less than the law's error", vague, "0.00151"),
        case(key, Undecided, "the optimum has a gap", optimum(five_points(), |o| o.status = Claim::Bound), "not known"),
        case(key, Undecided, "another lambda", law(five_points(), |l| l.lambda = 0.1), "of the same lambda"),
    ]
}

fn unique() -> Vec<Case> {
    let key = "outputs-unique";
    // sqrt(2 (F(law) - F*)/omega)
    let bound = (2.0 * (0.34014608f64 - 0.33878607443792) / 0.2).sqrt() + 1e-5;
    let second = |shift: f64, objective: f64| {
        with(five_points(), |e| {
            let mut other = e.optima[0].clone();
            other.fitted[2] += shift;
            other.objective = objective;
            e.optima.push(other);
            e.laws.clear();
        })
    };
    let off = law(five_points(), |l| l.fitted[0] += 0.2);
    let broken = law(five_points(), |l| l.fitted[0] = f64::NAN);
    let apart = [1.1339059e-4, 3.160114520e-3, 3.826666667e-3, 1.546552147e-3, 1.63390593e-4];
    let distance = apart.iter().map(|d: &f64| d * d).sum::<f64>().sqrt();
    vec![
        case(key, Holds, "law and optimum", five_points(), "the law at beta = 1000").numbers(distance, bound),
        // the second one is above the minimum by .0009: sqrt(2 .0009/.2) = .0949
        case(key, Holds, "two networks", second(0.0948, 0.33878607443792 + 0.0009), "two networks at lambda = 0.05")
            .numbers(0.0948, 0.009f64.sqrt()),
        case(key, Fails, "two networks too far apart", second(0.095, 0.33878607443792 + 0.0009), "differ by 0.095")
            .numbers(0.095, 0.009f64.sqrt()),
        case(key, Fails, "a law too far away", off, "the law at beta = 1000"),
        case(key, Undecided, "an output that is no number", broken, "the law at beta = 1000"),
        case(key, Undecided, "one network alone", with(five_points(), |e| e.laws.clear()), "no two networks"),
    ]
}

fn selection() -> Vec<Case> {
    let key = "vanishing-noise";
    // even labels at |x| = sqrt 3: three rays share f = 1.8 equally; the law is that of beta = 100
    let facts = |rule: Option<Rule>, law: Vec<f64>| SelectionFacts { rule, selected: vec![0.6; 3], law };
    let with_rule = |rule: Option<Rule>| -> Evidence {
        law(five_points(), |l| l.selection = Some(facts(rule, vec![0.57688, 0.57456, 0.57456])))
    };
    let mismatch = law(five_points(), |l| l.selection = Some(facts(Some(Rule::CubeRoot), vec![0.6; 2])));
    vec![
        case(key, Undecided, "cube roots", with_rule(Some(Rule::CubeRoot)), "within 0.0424 of the selected ones")
            .numbers(0.02544 / 0.6, 0.0),
        case(key, Undecided, "logarithms", with_rule(Some(Rule::Logarithm)), "cannot judge a rate or a limit"),
        case(key, Undecided, "as many as rays", mismatch, "3 coefficients selected and 2 coefficients of the law"),
        case(key, Undecided, "nothing selected", five_points(), "no stationary law beside"),
        case(key, Undecided, "no rule speaks", with_rule(None), "no rule speaks"),
        case(key, NotMet, "a unique optimum", with_rule(Some(Rule::Unique)), "the optimum is unique"),
    ]
}

#[test]
fn each_verdict_has_its_example() {
    check(&cases());
}
