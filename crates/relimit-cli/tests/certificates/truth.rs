//! Whether the statement of a certificate is true: by arcs of a circle, active sets one by one, and plain descent.

use serde_json::Value;

use crate::{functions, signs};

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
}

pub(crate) fn table(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("rows").iter().map(numbers).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(u, v)| u * v).sum()
}

/// Room for the rounding of the plain computations here.
pub(crate) fn not_above(a: f64, b: f64) -> bool {
    a <= b + 1e-12 * (1.0 + a.abs().max(b.abs()))
}

pub(crate) fn is_true(certificate: &Value) -> bool {
    let schema = certificate["schema"].as_str().expect("a kind");
    match schema.split('/').nth(2) {
        Some("optimum") => optimum(certificate),
        Some("limit") => limit(certificate),
        Some("pattern") => signs::pattern(certificate),
        Some("patterns") => signs::list(certificate),
        Some("equality") => functions::equality(certificate),
        Some("equality-rows") => functions::equality_on_rows(certificate),
        other => panic!("{other:?} is no kind"),
    }
}

/// `sup |q|` in two coordinates: q is linear between the normals of the rows.
fn sup_on_circle(rows: &[Vec<f64>], r: &[f64]) -> f64 {
    let mut angles: Vec<f64> = rows.iter().flat_map(|x| [x[0].atan2(-x[1]), (-x[0]).atan2(x[1])]).collect();
    angles.sort_by(f64::total_cmp);
    angles.push(angles[0] + std::f64::consts::TAU);
    let mut sup = 0.0f64;
    for pair in angles.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        let middle = [f64::midpoint(low, high).cos(), f64::midpoint(low, high).sin()];
        let on: Vec<usize> = (0..rows.len()).filter(|&i| dot(&rows[i], &middle) > 0.0).collect();
        let g: Vec<f64> = (0..2).map(|k| on.iter().map(|&i| r[i] * rows[i][k]).sum()).collect();
        for end in [low, high] {
            sup = sup.max(dot(&g, &[end.cos(), end.sin()]).abs());
        }
        for sign in [1.0, -1.0] {
            let turn = ((sign * g[1]).atan2(sign * g[0]) - low).rem_euclid(std::f64::consts::TAU);
            if turn <= high - low {
                sup = sup.max(dot(&g, &g).sqrt());
            }
        }
    }
    sup
}

/// One input, bias free: q is linear between kinks for w = 1 and w = -1, and constant beyond them.
fn sup_free_bias(x: &[Vec<f64>], r: &[f64]) -> f64 {
    let q = |w: f64, b: f64| x.iter().zip(r).map(|(x, r)| r * (w * x[0] + b).max(0.0)).sum::<f64>().abs();
    [1.0, -1.0]
        .into_iter()
        .flat_map(|w| x.iter().map(move |x| (w, -w * x[0])))
        .map(|(w, b)| q(w, b))
        .fold(0.0, f64::max)
}

fn optimum(c: &Value) -> bool {
    let (x, y, r) = (table(&c["x"]), numbers(&c["y"]), numbers(&c["dual"]));
    let text = |key: &str| c[key].as_str().expect("a mode");
    let lambda = c["lambda"].as_f64().expect("a number");
    let (n, lower) = (y.len() as f64, c["lower_bound"].as_f64().expect("a number"));
    let omega = match text("loss") {
        "half-sum" => 1.0,
        "half-mean" => 1.0 / n,
        _ => 2.0 / n,
    };
    let total: f64 = r.iter().sum();
    let sup = match text("bias") {
        "none" => sup_on_circle(&x, &r),
        "penalised" => sup_on_circle(&x.iter().map(|x| vec![x[0], 1.0]).collect::<Vec<_>>(), &r),
        _ => sup_free_bias(&x, &r),
    };
    let mut curvature = dot(&r, &r) / omega;
    if text("offset") == "penalised" {
        curvature += total * total / lambda;
    }
    if text("offset") == "free" || text("bias") == "free" {
        assert!(total.abs() < 1e-15, "no multiplier of an unpenalised bias");
    }
    let t = (dot(&r, &y) / curvature).clamp(-lambda / sup, lambda / sup);
    let proved = t * dot(&r, &y) - 0.5 * t * t * curvature;
    let Some(net) = c["network"].as_object() else { return not_above(lower, proved) };
    let (w, b, v) = (table(&net["w"]), numbers(&net["b"]), table(&net["c"])[0].clone());
    let offset = numbers(&net["offset"])[0];
    let loss: f64 = x
        .iter()
        .zip(&y)
        .map(|(x, y)| y - offset - (0..v.len()).map(|j| v[j] * (dot(&w[j], x) + b[j]).max(0.0)).sum::<f64>())
        .map(|e| 0.5 * omega * e * e)
        .sum();
    let mut squares = dot(&v, &v) + w.iter().map(|w| dot(w, w)).sum::<f64>();
    squares += if text("bias") == "penalised" { dot(&b, &b) } else { 0.0 };
    squares += if text("offset") == "penalised" { offset * offset } else { 0.0 };
    let (objective, gap) = (c["objective"].as_f64().expect("a claim"), c["gap"].as_f64().expect("a claim"));
    not_above(lower, proved) && not_above(loss + 0.5 * lambda * squares, objective) && not_above(objective - lower, gap)
}

/// Solves a small system by elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let k = b.len();
    for s in 0..k {
        let pivot = (s..k).max_by(|i, j| a[*i][s].abs().total_cmp(&a[*j][s].abs())).expect("a row");
        a.swap(s, pivot);
        b.swap(s, pivot);
        for i in 0..k {
            if i != s {
                let factor = a[i][s] / a[s][s];
                let top = a[s].clone();
                a[i].iter_mut().zip(&top).for_each(|(v, t)| *v -= factor * t);
                b[i] -= factor * b[s];
            }
        }
    }
    (0..k).map(|s| b[s] / a[s][s]).collect()
}

/// The shortest w with `x_i . w = target_i` on own rows and `x_i . w <= 0` on the others, over all sets of rows at 0.
fn shortest(x: &[Vec<f64>], target: &[f64]) -> Vec<f64> {
    let silent: Vec<usize> = (0..target.len()).filter(|&i| target[i] == 0.0).collect();
    let mut best: Option<Vec<f64>> = None;
    for set in 0..1u32 << silent.len() {
        let at_zero = silent.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1).map(|(_, i)| *i);
        let rows: Vec<usize> = (0..target.len()).filter(|&i| target[i] != 0.0).chain(at_zero).collect();
        let gram = rows.iter().map(|&i| rows.iter().map(|&l| dot(&x[i], &x[l])).collect()).collect();
        let a = solve(gram, rows.iter().map(|&i| target[i]).collect());
        let w: Vec<f64> = (0..x[0].len()).map(|k| rows.iter().zip(&a).map(|(&i, a)| a * x[i][k]).sum()).collect();
        let feasible = silent.iter().all(|&i| dot(&x[i], &w) <= 1e-12);
        if feasible && best.as_ref().is_none_or(|b| dot(&w, &w) < dot(b, b)) {
            best = Some(w);
        }
    }
    best.expect("independent rows")
}

/// Near orthogonal rows: every example is met by the neuron of its sign alone.
fn limit(c: &Value) -> bool {
    let (x, y, c_out) = (table(&c["x"]), numbers(&c["y"]), numbers(&c["c"]));
    let optimal: Vec<Vec<f64>> = c_out
        .iter()
        .map(|c| {
            let own: Vec<f64> = y.iter().map(|y| if y * c > 0.0 { y / c } else { 0.0 }).collect();
            shortest(&x, &own)
        })
        .collect();
    let norm = optimal.iter().map(|w| dot(w, w)).sum::<f64>().sqrt();
    let part = &c["min_norm"];
    let claim = |key: &str| part[key].as_f64().expect("a claim");
    let apart: f64 = table(&part["weights"]).concat().iter().zip(optimal.concat()).map(|(a, b)| (a - b).powi(2)).sum();
    not_above(claim("lower"), norm)
        && not_above(norm, claim("upper"))
        && not_above(apart.sqrt(), claim("distance"))
        && first_step(&c["one_step"], &x, &y, &c_out)
}

/// Plain descent on preactivations: masks and shrinking residuals for a hundred steps.
fn first_step(part: &Value, x: &[Vec<f64>], y: &[f64], c: &[f64]) -> bool {
    let mut z = table(&part["start"]);
    let claim = |key: &str| part[key].as_f64().expect("a claim");
    let residuals = |z: &[Vec<f64>]| -> Vec<f64> {
        (0..y.len()).map(|i| y[i] - c.iter().zip(z).map(|(c, z)| c * z[i].max(0.0)).sum::<f64>()).collect()
    };
    let own = |r: &[f64]| {
        let fitted = (0..y.len()).filter(|&i| c.iter().any(|c| c * y[i] > 0.0));
        fitted.map(|i| r[i].abs()).fold(0.0, f64::max)
    };
    let mut before = f64::INFINITY;
    for step in 0..100 {
        let r = residuals(&z);
        if step > 0 {
            let masks = c.iter().zip(&z).all(|(c, z)| (0..y.len()).all(|i| (z[i] > 0.0) == (c * y[i] > 0.0)));
            if !masks || !not_above(own(&r), claim("contraction") * before) {
                return false;
            }
            before = own(&r);
        }
        for (c, z) in c.iter().zip(&mut z) {
            let pull: Vec<f64> =
                (0..y.len()).map(|i| if z[i] > 0.0 { claim("step") * c * r[i] } else { 0.0 }).collect();
            for i in 0..y.len() {
                z[i] += (0..y.len()).map(|l| dot(&x[i], &x[l]) * pull[l]).sum::<f64>();
            }
        }
    }
    true
}
