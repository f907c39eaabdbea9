//! Collapse of the effective width under noisy SGD (Liang, Jacobs, Montufar 2026), and where it fails.
//!
//! The claims are judged on global optima of the regularised loss, which is what the law tends to as noise vanishes.

use crate::pattern::{Covector, is_degeneration};

use super::conditions::{optimal, penalised, plural, scalar};
use super::evidence::{Evidence, LawFacts, OptimumFacts, PatternCount, Ray};
use super::family::Family;
use super::finding::{ClaimKind, Conclusion, Finding, Hypothesis, Paper, Read, Side, Statement};
use super::short;

const PAPER: Paper = Paper {
    authors: "Liang, Jacobs, Montufar",
    year: 2026,
    title: "Implicit Bias of SGD in Multivariate ReLU Networks: Effective Width Collapse",
    place: "published 7 July 2026; known here through a summary in Spanish",
};

const fn paper(key: &'static str, kind: ClaimKind, claim: &'static str, meaning: &'static str) -> Statement {
    Statement { key, paper: &PAPER, read: Read::Summary, kind, claim, meaning }
}

/// Key `kinks-2p-1`.
pub(super) fn kinks(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "kinks-2p-1",
        ClaimKind::Finite,
        "theorem 4: the solution is continuous and piecewise affine with at most 2P - 1 kink hyperplanes, P the number of \
         linearly realisable dichotomies of the data",
        "hyperplanes on which the optimum bends; 2P - 1",
    );
    on_optima(&S, e, |o| {
        let Some(kinks) = o.kinks.or(o.line.as_ref().map(|l| l.kinks.len())) else {
            return Conclusion::unknown("kinks were not counted");
        };
        against_patterns(kinks, e.patterns, "kink", |p| p.saturating_mul(2).saturating_sub(1))
    })
}

/// Key `rays-2p-1`.
pub(super) fn rays(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "rays-2p-1",
        ClaimKind::Finite,
        "theorem 5: input weights and biases align along at most 2P - 1 distinct rays",
        "directions of the optimum; 2P - 1",
    );
    on_optima(&S, e, |o| count_rays(o, e.patterns, |p| p.saturating_mul(2).saturating_sub(1)))
}

/// All directions of contact against a bound in P; the network's own where it is the only optimum.
pub(super) fn count_rays(o: &OptimumFacts, p: Option<PatternCount>, bound: impl Fn(u64) -> u64) -> Conclusion {
    let contact = o.contact_count.or(o.contact.as_ref().map(Vec::len));
    let known = contact.or((o.unique == Some(true)).then_some(o.rays.len()));
    let conclusion = against_patterns(known.unwrap_or(o.rays.len()), p, "ray", bound);
    match (known, conclusion.seen) {
        (None, Some(true)) => {
            let words = format!("{} in the network found; other optimal networks may have more", conclusion.words);
            Conclusion { words, ..conclusion.seen(None) }
        }
        _ => conclusion,
    }
}

/// A count against a bound that grows with P, of which an interval is known.
fn against_patterns(count: usize, p: Option<PatternCount>, noun: &str, bound: impl Fn(u64) -> u64) -> Conclusion {
    let Some(p) = p else { return Conclusion::unknown(format!("{}, but P is not known", plural(count, noun))) };
    let (low, high) = (bound(p.lower), p.upper.map(bound));
    let measured = count as u64;
    let seen = if measured <= low { Some(true) } else { high.filter(|h| measured > *h).map(|_| false) };
    let used = if seen == Some(false) { high.unwrap_or(low) } else { low };
    let exact = if p.upper == Some(p.lower) { "P =" } else { "P >=" };
    let words = format!("{}, {exact} {}, bound {used}", plural(count, noun), p.lower);
    Conclusion::compare(measured as f64, Side::AtMost, used as f64, words).seen(seen)
}

/// Key `coefficient-on-rays`.
pub(super) fn concentration(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "coefficient-on-rays",
        ClaimKind::Rate,
        "theorem 5: as the temperature tends to 0 the stationary law concentrates on rays (read here for the coefficient \
         E c |u|, as particles near 0 belong to no ray)",
        "share of the coefficient within the groups of directions that carry 1 % each, at the largest beta; 1",
    );
    let coldest = |a: &&LawFacts, b: &&LawFacts| a.beta.total_cmp(&b.beta);
    let Some(law) = e.laws.iter().filter(|l| l.covered.is_some()).max_by(coldest) else {
        return S.absent("no stationary law with its groups of directions");
    };
    let covered = law.covered.unwrap_or(f64::NAN);
    let groups = law.effective_width.map_or_else(String::new, |w| format!("{} hold ", plural(w, "group")));
    let words = format!("at beta = {} {groups}{} of the coefficient", short(law.beta), short(covered));
    let one = Hypothesis::new("one output", law.outputs == 1, plural(law.outputs, "output"));
    S.judge(vec![one], Conclusion::compare(covered, Side::AtLeast, 1.0, words).seen(None))
}

/// Key `distinct-patterns`.
pub(super) fn distinct(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "distinct-patterns",
        ClaimKind::Finite,
        "theorem 6: each learned direction induces a ternary pattern of its own on the data",
        "pairs of directions with one pattern; 0",
    );
    on_optima(&S, e, |o| pairs(learned(o), "with one pattern", |a, b| a == b))
}

/// Key `incomparable-patterns`.
pub(super) fn incomparable(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "incomparable-patterns",
        ClaimKind::Finite,
        "theorem 6: the ternary patterns are incomparable: none arises from another one by setting signs to 0",
        "pairs of directions of which one pattern is a degeneration of the other; 0",
    );
    let below = |a: &Covector, b: &Covector| a != b && (is_degeneration(a, b) || is_degeneration(b, a));
    on_optima(&S, e, |o| pairs(learned(o), "with comparable patterns", below))
}

/// Key `two-per-binary`.
pub(super) fn two_per_binary(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "two-per-binary",
        ClaimKind::Finite,
        "theorem 6: at most two learned ternary patterns are degenerations of one binary pattern",
        "largest number of directions in one closed cell (3 stands for more than two); 2",
    );
    on_optima(&S, e, |o| {
        let rays = learned(o);
        let conform = |a: usize, b: usize| rays[a].pattern.conforms(&rays[b].pattern);
        let n = rays.len();
        let pair = (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| conform(a, b));
        // Pairwise conformal patterns of one arrangement lie in one closed cell.
        let mut most = n.min(1);
        for (a, b) in pair {
            most = most.max(2);
            if (0..b).any(|c| conform(a, c) && conform(b, c)) {
                most = 3;
                break;
            }
        }
        let words = format!("at most {} in one closed cell", plural(most, "direction"));
        // Of three in one cell two have one sign: merging them keeps f and does not raise the norm.
        let conclusion = Conclusion::compare(most as f64, Side::AtMost, 2.0, words);
        if most > 2 { split(conclusion) } else { conclusion }
    })
}

/// The directions that the claims speak about: all of contact where they are known.
fn learned(o: &OptimumFacts) -> &[Ray] {
    o.contact.as_deref().unwrap_or(&o.rays)
}

/// No pair of directions may be `related`.
fn pairs(rays: &[Ray], words: &str, related: impl Fn(&Covector, &Covector) -> bool) -> Conclusion {
    let (mut same_sign, mut opposite) = (0usize, 0usize);
    for (a, u) in rays.iter().enumerate() {
        for v in rays[..a].iter().filter(|v| related(&u.pattern, &v.pattern)) {
            if u.sign == v.sign { same_sign += 1 } else { opposite += 1 }
        }
    }
    let all = same_sign + opposite;
    let words = format!("{} of {} {words}", plural(all, "pair"), plural(rays.len(), "direction"));
    let conclusion = Conclusion::compare(all as f64, Side::AtMost, 0.0, words);
    if same_sign > 0 && opposite == 0 { split(conclusion) } else { conclusion }
}

/// Two directions of one sign in one closed cell are one ray that the solver has split: no contradiction, but no
/// confirmation either.
fn split(conclusion: Conclusion) -> Conclusion {
    let words =
        format!("{}: rays of one sign in one closed cell can be merged, so the network is not exact", conclusion.words);
    Conclusion { words, ..conclusion.seen(None) }
}

/// The worst of what a claim says about the certified optima of one output with penalised bias.
pub(super) fn on_optima(s: &Statement, e: &Evidence, claim: impl Fn(&OptimumFacts) -> Conclusion) -> Finding {
    let hypotheses = |o: &OptimumFacts| vec![scalar(o), penalised(o), optimal(o)];
    let Some(first) = e.optima.first() else { return s.absent("no optimum") };
    let applies = e.optima.iter().filter(|o| hypotheses(o).iter().all(|h| h.met == Some(true)));
    let worst = applies.map(|o| (o, claim(o))).reduce(|a, b| if b.1.worse_than(&a.1) { b } else { a });
    match worst {
        Some((o, conclusion)) => s.judge(hypotheses(o), conclusion),
        None => s.judge(hypotheses(first), claim(first)),
    }
}

/// Key `two-point-law`.
pub(super) fn two_point_law(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "two-point-law",
        ClaimKind::Finite,
        "proposition 7: on two symmetric points the places of the kinks depend on the norm of the inputs and on whether the \
         labels are odd or even (values ours: odd |x| < 1 at the points, else 1/|x| from the middle; even none up to sqrt 3)",
        "objective of the optimum; its closed form",
    );
    let Some(data) = &e.data else { return S.absent("no data") };
    let Some(first) = e.optima.first() else { return S.absent("no optimum") };
    let family = match data.family {
        Some(Family::TwoPoints { position, label, even }) => Some((position, label, even)),
        _ => None,
    };
    let o = e.optima.iter().find(|o| optimal(o).met == Some(true)).unwrap_or(first);
    let evidence = family.map_or_else(
        || "other data".to_owned(),
        |(x, y, even)| format!("|x| = {}, |y| = {}, {}", short(x), short(y), if even { "even" } else { "odd" }),
    );
    let two = Hypothesis::new("rows x and -x with labels (y, -y) or (y, y)", family.is_some(), evidence);
    let conclusion = family.map_or_else(|| Conclusion::unknown("no closed form"), |f| closed_form(o, f));
    S.judge(vec![two, scalar(o), penalised(o), optimal(o)], conclusion)
}

fn closed_form(o: &OptimumFacts, (x, y, even): (f64, f64, bool)) -> Conclusion {
    let l = x.hypot(1.0);
    let q = match even {
        false if x < 1.0 => 2.0 * x / l,
        true if x * x <= 3.0 => 2.0,
        _ => l,
    };
    // Stated for the half-mean loss of two examples, omega = 1/2.
    let lambda = o.lambda / (2.0 * o.omega);
    let zero = lambda >= 0.5 * y * q;
    let value = 2.0 * o.omega * if zero { 0.5 * y * y } else { 2.0 * lambda * y / q - 2.0 * lambda * lambda / (q * q) };
    let expected = if zero || (even && x * x < 3.0) { 0 } else { 2 };
    let phase_change = even && (x * x - 3.0).abs() <= 16.0 * f64::EPSILON;
    let kinks = o.kinks.or(o.line.as_ref().map(|l| l.kinks.len()));
    let bends = if phase_change { Some(true) } else { kinks.map(|k| k == expected && places(o, x, even, value)) };
    // The closed form is known up to a few roundings.
    let room = (o.objective - o.lower_bound).max(0.0) + 16.0 * f64::EPSILON * value;
    let miss = (o.objective - value).abs();
    let words = format!(
        "objective {} against {}, {} expected, {} found",
        short(o.objective),
        short(value),
        plural(expected, "kink"),
        kinks.map_or_else(|| "none counted".to_owned(), |k| k.to_string())
    );
    let seen = if miss > room { Some(false) } else { bends };
    Conclusion { measured: Some(o.objective), bound: Some(value), slack: Some((room - miss) / value), seen, words }
}

/// Whether kinks on a line are where they should be; true where there is nothing to compare.
fn places(o: &OptimumFacts, x: f64, even: bool, value: f64) -> bool {
    let Some(line) = o.line.as_ref().filter(|l| l.points.len() == 2 && l.points.iter().all(|p| p.abs() == x)) else {
        return true;
    };
    let at = if !even && x < 1.0 { x } else { 1.0 / x };
    // The objective is quadratic at its minimum: a kink is known to about the root of the relative gap.
    let relative = ((o.objective - o.lower_bound).max(0.0) / value).max(f64::EPSILON).sqrt();
    line.kinks.iter().all(|k| (k.abs() - at).abs() <= relative * at.max(x))
}

/// Key `rays-several-outputs`: the known failure.
pub(super) fn several_outputs(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "rays-several-outputs",
        ClaimKind::Finite,
        "theorem 5 read for several outputs: the law collapses on finitely many rays (the accounts at hand do not say whether \
         the source claims this; with arcs of contact it is false for the plain free energy)",
        "dimension of a set of contact directions; 0",
    );
    let Some(first) = e.optima.first() else { return S.absent("no optimum") };
    let o = e.optima.iter().find(|o| o.outputs > 1 && optimal(o).met == Some(true)).unwrap_or(first);
    let several = Hypothesis::new("several outputs", o.outputs > 1, plural(o.outputs, "output"));
    // Two directions of one pattern at which |Q| has its maximum span an arc on which it is constant.
    let from_rank = o.face_rank.filter(|r| *r > 1).map(|r| r - 1);
    let conclusion = match o.contact_dimension.max(from_rank) {
        Some(0) => Conclusion::compare(0.0, Side::AtMost, 0.0, "every contact direction is isolated"),
        Some(d) => {
            let words = format!("contact directions fill a set of dimension {d}, and vanishing noise spreads over it");
            Conclusion::compare(d as f64, Side::AtMost, 0.0, words)
        }
        None => Conclusion::unknown("the contact set was not looked at"),
    };
    S.judge(vec![several, penalised(o), optimal(o)], conclusion)
}
