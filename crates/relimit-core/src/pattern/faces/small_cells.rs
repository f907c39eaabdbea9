//! Cells of a contraction whose integers are too long for the fast enumeration.
//!
//! One dimension has two cells, two dimensions one between neighbouring lines. In more, hyperplanes come one by one:
//! those cells are cut whose signs occur on the new hyperplane, which is a question in one dimension less.
//!
//! ```text
//! s a cell of h_1 .. h_(m-1) is cut by h_m   iff   s is a cell of h_1 .. h_(m-1) on h_m
//! ```
//!
//! No linear program, exact whatever the length of the integers; memory grows with the number of cells.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, UnsignedAbs};

use super::contraction::{Contraction, primitive};

/// Why a search ended early.
pub(super) enum Ended {
    /// `stop` said so.
    Stopped,
    /// The visitor broke off.
    Broken,
}

/// Visits the signs of all rows in each cell once (0 for zero rows); `stop` is polled.
pub(super) fn small_cells(
    c: &Contraction,
    stop: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(&[Ordering]) -> ControlFlow<()>,
) -> Result<(), Ended> {
    for u in points(c, stop)? {
        if stop() {
            return Err(Ended::Stopped);
        }
        if visit(&signs(&c.rows, &u)).is_break() {
            return Err(Ended::Broken);
        }
    }
    Ok(())
}

/// One point in each cell.
fn points(c: &Contraction, stop: &dyn Fn() -> bool) -> Result<Vec<Vec<IBig>>, Ended> {
    if stop() {
        return Err(Ended::Stopped);
    }
    let lines: Vec<&Vec<IBig>> = c.parallel().iter().map(|g| &c.rows[g[0]]).collect();
    match (c.dim, lines.len()) {
        (_, 0) => Ok(vec![vec![IBig::ZERO; c.dim]]),
        (1, _) => Ok(vec![vec![IBig::ONE], vec![-IBig::ONE]]),
        (2, _) => Ok(sectors(&lines)),
        _ => one_by_one(&lines, c.dim, stop),
    }
}

/// One point in each sector between neighbouring lines of the plane.
fn sectors(lines: &[&Vec<IBig>]) -> Vec<Vec<IBig>> {
    // Each line's direction in the half plane from (1, 0), included, round to (-1, 0), not included.
    let direction = |row: &&Vec<IBig>| {
        let (p, q) = (-&row[1], row[0].clone());
        if q > IBig::ZERO || (q.is_zero() && p > IBig::ZERO) { [p, q] } else { [-p, -q] }
    };
    let mut round: Vec<[IBig; 2]> = lines.iter().map(direction).collect();
    round.sort_by(|s, t| (&t[0] * &s[1]).cmp(&(&s[0] * &t[1])));
    let opposite: Vec<[IBig; 2]> = round.iter().map(|v| [-&v[0], -&v[1]]).collect();
    round.extend(opposite);
    let between = |k: usize| {
        let (s, t) = (&round[k], &round[(k + 1) % round.len()]);
        let middle = vec![&s[0] + &t[0], &s[1] + &t[1]];
        // A single line: its two directions cancel, a quarter turn is between them.
        if middle.iter().all(IBig::is_zero) { vec![-&s[1], s[0].clone()] } else { middle }
    };
    (0..round.len()).map(between).collect()
}

/// One point in each cell of different hyperplanes in at least three dimensions.
fn one_by_one(lines: &[&Vec<IBig>], dim: usize, stop: &dyn Fn() -> bool) -> Result<Vec<Vec<IBig>>, Ended> {
    let mut cells: Vec<Vec<IBig>> = vec![vec![IBig::ZERO; dim]];
    for (m, &h) in lines.iter().enumerate() {
        let before = Contraction { rows: lines[..m].iter().map(|&r| r.clone()).collect(), dim };
        // What is met on the new hyperplane, each with a point on it.
        let column = shortest(h);
        let mut met: BTreeMap<Vec<Ordering>, Vec<IBig>> = BTreeMap::new();
        for p in points(&before.onto_row(h, column), stop)? {
            let p = lift(h, column, p);
            met.insert(signs(&before.rows, &p), p);
        }
        let slope: IBig = before.rows.iter().map(|r| dot(r, h).unsigned_abs().into()).max().unwrap_or(IBig::ZERO);
        let factor = slope + IBig::ONE;
        let mut next = Vec::with_capacity(cells.len() + met.len());
        for u in cells {
            match met.get(&signs(&before.rows, &u)) {
                None => next.push(u),
                // To both sides of the point on h, so little that no other sign changes.
                Some(p) => {
                    for side in [-IBig::ONE, IBig::ONE] {
                        let step = |(p, h): (&IBig, &IBig)| p * &factor + &side * h;
                        next.push(primitive(p.iter().zip(h).map(step).collect()));
                    }
                }
            }
        }
        cells = next;
    }
    Ok(cells)
}

/// The shortest nonzero entry.
pub(super) fn shortest(row: &[IBig]) -> usize {
    let nonzero = (0..row.len()).filter(|&c| !row[c].is_zero());
    nonzero.min_by_key(|&c| row[c].bit_len()).expect("a hyperplane has a nonzero normal")
}

/// The point of the hyperplane h whose coordinates other than `column` are in the ratios of p.
fn lift(h: &[IBig], column: usize, mut p: Vec<IBig>) -> Vec<IBig> {
    p.insert(column, IBig::ZERO);
    let rest = dot(h, &p);
    let lead: IBig = h[column].clone().unsigned_abs().into();
    for v in &mut p {
        *v *= &lead;
    }
    p[column] = if h[column] > IBig::ZERO { -rest } else { rest };
    primitive(p)
}

fn signs(rows: &[Vec<IBig>], u: &[IBig]) -> Vec<Ordering> {
    rows.iter().map(|row| dot(row, u).cmp(&IBig::ZERO)).collect()
}

fn dot(a: &[IBig], b: &[IBig]) -> IBig {
    a.iter().zip(b).fold(IBig::ZERO, |s, (x, y)| s + x * y)
}
