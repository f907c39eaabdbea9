//! Slow references for sign patterns, in i128 with checks for overflow; nothing here is shared with the library.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "shared by test files, each of which uses a part")]

use relimit_core::num::Mat;

pub fn as_mat(x: &[Vec<i64>], dim: usize) -> Mat {
    Mat::from_fn(x.len(), dim, |i, c| x[i][c] as f64)
}

pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn primitive(row: &mut [i128]) {
    let divisor = row.iter().fold(0, |s, v| gcd(s, *v)).max(1);
    for v in row {
        *v /= divisor;
    }
}

/// A linear condition `a . u > 0` or `a . u = 0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Condition {
    a: Vec<i128>,
    strict: bool,
}

/// Whether some u has `sign(x_i . u) = s_i` for all i: Fourier-Motzkin elimination, one variable after the other.
pub fn realisable(x: &[Vec<i64>], s: &[i8]) -> bool {
    let dim = x.first().map_or(0, Vec::len);
    let condition = |(row, s): (&Vec<i64>, &i8)| Condition {
        a: row.iter().map(|v| i128::from(*v) * if *s < 0 { -1 } else { 1 }).collect(),
        strict: *s != 0,
    };
    let mut system: Vec<Condition> = x.iter().zip(s).map(condition).collect();
    for c in 0..dim {
        system = eliminate(system, c);
        system.sort();
        system.dedup();
    }
    // What remains has no variable: 0 > 0 fails, 0 = 0 holds.
    system.iter().all(|q| !q.strict)
}

fn combine(p: &[i128], f: i128, q: &[i128], g: i128) -> Vec<i128> {
    let product = |a: i128, b: i128| a.checked_mul(b).expect("short numbers");
    let mut out: Vec<i128> =
        p.iter().zip(q).map(|(a, b)| product(*a, f).checked_add(product(*b, g)).expect("short numbers")).collect();
    primitive(&mut out);
    out
}

fn eliminate(system: Vec<Condition>, c: usize) -> Vec<Condition> {
    // An equation with the variable gives its value.
    if let Some(e) = system.iter().position(|q| !q.strict && q.a[c] != 0) {
        let equation = system[e].a.clone();
        let lead = equation[c].abs();
        let others = system.into_iter().enumerate().filter(|(t, _)| *t != e).map(|(_, q)| q);
        return others
            .map(|q| Condition { a: combine(&q.a, lead, &equation, -q.a[c] * equation[c].signum()), strict: q.strict })
            .collect();
    }
    let (with, mut out): (Vec<Condition>, Vec<Condition>) = system.into_iter().partition(|q| q.a[c] != 0);
    let (lower, upper): (Vec<Condition>, Vec<Condition>) = with.into_iter().partition(|q| q.a[c] > 0);
    for p in &lower {
        for q in &upper {
            out.push(Condition { a: combine(&p.a, -q.a[c], &q.a, p.a[c]), strict: true });
        }
    }
    out
}

/// All sign vectors in {-1, 0, 1}^n (or without 0) that exist; rows that are 0 have sign 0 in both.
pub fn brute_force(x: &[Vec<i64>], zeros: bool) -> Vec<Vec<i8>> {
    let mut found = vec![vec![]];
    for i in 0..x.len() {
        let is_zero = x[i].iter().all(|v| *v == 0);
        let choices: &[i8] = match (is_zero, zeros) {
            (true, _) => &[0],
            (false, true) => &[-1, 0, 1],
            (false, false) => &[-1, 1],
        };
        let extended = found.iter().flat_map(|s| {
            choices.iter().map(|c| {
                let mut t: Vec<i8> = s.clone();
                t.push(*c);
                t
            })
        });
        // A part that does not exist has no extension that does.
        found = extended.filter(|s| realisable(&x[..=i], s)).collect();
    }
    found
}
