//! Whether the theory of high-dimensional data speaks about these data.

use relimit_core::certify::OneStep;
use relimit_core::data::spectrum::{Dimensions, Spectrum};
use relimit_core::descent::{Limit, Problem, Status};
use relimit_core::theory::TOO_FEW_PER_EXAMPLE;

use crate::answer::{Hypotheses, Verdict};

/// The verdict, from rho, the generator's exact spectrum or the population estimate of d_2; never from the sample's d_2.
pub(super) fn hypotheses(
    problem: &Problem,
    spectrum: &Spectrum,
    population: Option<&Dimensions>,
    one_step: &OneStep,
    eta: Option<f64>,
    limit: &Limit,
) -> Hypotheses {
    let n = problem.n() as f64;
    let rho = one_step.rho.map_or(String::new(), |rho| format!(", interference rho = {}", short(rho)));
    if eta.is_some() && one_step.holds {
        let settled = limit.status == Status::Converged && limit.last_event <= 1.0;
        let (left, right) = (one_step.left.unwrap_or(f64::NAN), one_step.right);
        return if settled {
            let why = format!("one step settles every mask: {} < {}{rho}", short(left), short(right));
            Hypotheses { verdict: Verdict::Holds, why }
        } else {
            let why = format!("the one-step certificate holds, yet masks changed up to step {}{rho}", limit.last_event);
            Hypotheses { verdict: Verdict::Fails, why }
        };
    }
    let (d2, source) = match (population, spectrum.d2_population) {
        (Some(d), _) => (Some((d.d2, d.d2)), "exactly"),
        (None, Some(e)) => (Some((e.value, e.interval.map_or(e.value, |i| i.1))), "estimated"),
        (None, None) => (None, ""),
    };
    match d2 {
        Some((value, high)) if high < TOO_FEW_PER_EXAMPLE * n => Hypotheses {
            verdict: Verdict::NotMet,
            why: format!(
                "the data have few effective dimensions: d_2 is {source} {} for n = {n} rows, and the theory needs many \
                 times n{rho}",
                short(value)
            ),
        },
        Some((value, _)) => Hypotheses {
            verdict: Verdict::Undecided,
            why: format!(
                "d_2 is {source} {} for n = {n} rows, but no certificate says that it is enough{rho}",
                short(value)
            ),
        },
        None => Hypotheses { verdict: Verdict::Undecided, why: format!("d_2 cannot be estimated from {n} rows{rho}") },
    }
}

fn short(v: f64) -> String {
    if v == 0.0 || (1e-3..1e5).contains(&v.abs()) {
        let digits = (3 - v.abs().max(1e-300).log10().floor() as i32).clamp(0, 8) as usize;
        format!("{v:.digits$}")
    } else {
        format!("{v:.3e}")
    }
}
