//! Cells of a contraction whose integers are too long for the fast enumeration.
//!
//! One dimension has two cells, two dimensions one cell between neighbouring lines; more dimensions are split row by row,
//! the exact simplex method saying which sides exist. Slower than the enumeration by orders of magnitude, and as exact.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use dashu_int::IBig;

use super::contraction::Contraction;
use crate::num::strict_cone::{StrictCone, strict_cone};

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
    let mut emit = |u: &[IBig]| {
        if stop() {
            return Err(Ended::Stopped);
        }
        let signs: Vec<Ordering> = c.rows.iter().map(|row| dot(row, u).cmp(&IBig::ZERO)).collect();
        if visit(&signs).is_break() { Err(Ended::Broken) } else { Ok(()) }
    };
    match c.dim {
        0 => emit(&[]),
        1 => [1, -1].into_iter().try_for_each(|u| emit(&[IBig::from(u)])),
        2 => sectors(c).iter().try_for_each(|u| emit(u)),
        _ => {
            let rows: Vec<&Vec<IBig>> = c.parallel().iter().map(|g| &c.rows[g[0]]).collect();
            split(&rows, c.dim, &mut vec![], None, stop, &mut emit)
        }
    }
}

/// One point in each sector between neighbouring lines of the plane.
fn sectors(c: &Contraction) -> Vec<Vec<IBig>> {
    // Direction of each line in the half plane that is turned through from (1, 0), which is in it, to (-1, 0), which is not.
    let direction = |row: &Vec<IBig>| {
        let (p, q) = (-&row[1], row[0].clone());
        if q > IBig::ZERO || (q.is_zero() && p > IBig::ZERO) { [p, q] } else { [-p, -q] }
    };
    let mut lines: Vec<[IBig; 2]> = c.parallel().iter().map(|g| direction(&c.rows[g[0]])).collect();
    lines.sort_by(|s, t| (&t[0] * &s[1]).cmp(&(&s[0] * &t[1])));
    let opposite = |v: &[IBig; 2]| [-&v[0], -&v[1]];
    let mut round: Vec<[IBig; 2]> = lines.clone();
    round.extend(lines.iter().map(opposite));
    (0..round.len())
        .map(|k| {
            let (s, t) = (&round[k], &round[(k + 1) % round.len()]);
            let middle = vec![&s[0] + &t[0], &s[1] + &t[1]];
            // A single line: its two directions cancel, a quarter turn is between them.
            if middle.iter().all(IBig::is_zero) { vec![-&s[1], s[0].clone()] } else { middle }
        })
        .collect()
}

/// The cells below the signs decided so far, in which `point` lies if it is known.
fn split(
    rows: &[&Vec<IBig>],
    dim: usize,
    decided: &mut Vec<Vec<IBig>>,
    point: Option<Vec<IBig>>,
    stop: &dyn Fn() -> bool,
    emit: &mut dyn FnMut(&[IBig]) -> Result<(), Ended>,
) -> Result<(), Ended> {
    let point = match point {
        Some(point) => point,
        None => match strict_cone(decided, &vec![false; decided.len()], dim, stop) {
            StrictCone::Point { numerators, .. } => numerators,
            StrictCone::Empty { .. } => return Ok(()),
            StrictCone::Stopped => return Err(Ended::Stopped),
        },
    };
    let Some(row) = rows.get(decided.len()) else {
        return emit(&point);
    };
    let side = dot(row, &point).cmp(&IBig::ZERO);
    for sign in [Ordering::Less, Ordering::Greater] {
        decided.push(row.iter().map(|v| if sign == Ordering::Less { -v } else { v.clone() }).collect());
        let known = (side == sign).then(|| point.clone());
        let end = split(rows, dim, decided, known, stop, emit);
        decided.pop();
        end?;
    }
    Ok(())
}

fn dot(a: &[IBig], b: &[IBig]) -> IBig {
    a.iter().zip(b).fold(IBig::ZERO, |s, (x, y)| s + x * y)
}
