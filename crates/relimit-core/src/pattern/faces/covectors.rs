//! All covectors: the cells of the arrangement on each of its flats, every sign vector with zeros once.
//!
//! ```text
//! sum_k (-1)^k f_k = (-1)^r        (f_k faces of dimension k of an arrangement of rank r)
//! ```
//!
//! The zero set of a covector is a flat, and the covectors with that zero set are the cells of the arrangement that the
//! other hyperplanes make on it. So nothing is found twice, and no table of faces is kept.

use std::cmp::Ordering;
use std::ops::{ControlFlow, RangeInclusive};

use dashu_int::IBig;

use super::contraction::Contraction;
use super::flats::{Flat, for_each_flat};
use super::small_cells::{Ended, small_cells};
use crate::pattern::arrangement::{Arrangement, Role};
use crate::pattern::covector::Covector;
use crate::pattern::enumerate::{End, Options, for_each_cell};

/// A face while it is visited.
#[derive(Clone, Copy, Debug)]
pub struct Face<'a> {
    /// Its signs, one a row of the data.
    pub covector: &'a Covector,
    /// Its dimension, the part of the space that no row sees left out: 0 for the all-zero vector, the rank for a cell.
    pub dimension: usize,
    /// The classes that vanish on it.
    pub flat: &'a [usize],
}

/// What an enumeration of faces did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faces {
    /// Faces visited by dimension, 0 ..= rank.
    pub by_dimension: Vec<u64>,
    /// Flats visited by rank, 0 ..= rank.
    pub flats_by_rank: Vec<u64>,
    /// How it ended.
    pub end: End,
}

impl Faces {
    /// Faces visited.
    pub fn total(&self) -> u64 {
        self.by_dimension.iter().sum()
    }

    /// Whether the numbers are those of a subdivision of the whole space: `sum_k (-1)^k f_k = (-1)^r`.
    ///
    /// True of every complete enumeration of all dimensions; a face missed or found twice makes it false.
    pub fn euler_holds(&self) -> bool {
        let signed = |(k, f): (usize, &u64)| if k % 2 == 0 { i128::from(*f) } else { -i128::from(*f) };
        let sum: i128 = self.by_dimension.iter().enumerate().map(signed).sum();
        let rank = self.by_dimension.len() - 1;
        sum == if rank.is_multiple_of(2) { 1 } else { -1 }
    }
}

/// Visits every face whose dimension is in `dimensions` once, all-zero vector and cells included, until the visitor
/// breaks off; faces on one flat follow each other, larger flats first along each branch.
///
/// Of the options, `max_cells` bounds the number of faces and `stop` is polled; the order depends on the arrangement and
/// the seed alone.
///
/// # Cost
/// Per flat one contraction, O(n D) integer products; per face that of [`for_each_cell`] on the flat, as long as the
/// contraction has entries below 2^63; otherwise cells are found hyperplane by hyperplane in long integers, and those of
/// one flat are held in memory.
pub fn for_each_covector(
    a: &Arrangement,
    o: &Options,
    dimensions: RangeInclusive<usize>,
    visit: &mut dyn FnMut(&Face) -> ControlFlow<()>,
) -> Faces {
    let rank = a.rank();
    let mut out = Faces { by_dimension: vec![0; rank + 1], flats_by_rank: vec![0; rank + 1], end: End::Complete };
    let mut left = o.max_cells.unwrap_or(u64::MAX);
    let Some(max_rank) = rank.checked_sub(*dimensions.start()) else { return out };
    let _ = for_each_flat(a, max_rank, &mut |flat| {
        if (o.stop)() {
            out.end = End::Stopped;
            return ControlFlow::Break(());
        }
        let dimension = rank - flat.rank();
        if !dimensions.contains(&dimension) {
            return ControlFlow::Continue(());
        }
        out.flats_by_rank[flat.rank()] += 1;
        let count = &mut out.by_dimension[dimension];
        let end = on_flat(a, o, flat, &mut |covector| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            *count += 1;
            visit(&Face { covector, dimension, flat: flat.classes })
        });
        out.end = end;
        if end == End::Complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    out
}

/// The covector of the rows of the data in a cell given by packed bits a row; zero rows have sign 0.
pub fn covector_of(a: &Arrangement, rows: &[u64]) -> Covector {
    let mut support = vec![0u64; a.n().div_ceil(64)];
    for (i, _) in a.roles().iter().enumerate().filter(|(_, role)| **role != Role::Zero) {
        support[i / 64] |= 1 << (i % 64);
    }
    Covector::from_planes(a.n(), &support, rows)
}

/// The covectors with the zero set of a flat.
fn on_flat(a: &Arrangement, o: &Options, flat: &Flat, visit: &mut dyn FnMut(&Covector) -> ControlFlow<()>) -> End {
    let all = Options { max_cells: None, ..*o };
    if flat.rank() == 0 {
        let mut rows = vec![0; a.n().div_ceil(64)];
        return for_each_cell(a, &all, &mut |cell| {
            cell.write_rows(&mut rows);
            visit(&covector_of(a, &rows))
        })
        .end;
    }
    // Signs by class on the flat, then by row of the data.
    let mut expand = |sign: &dyn Fn(usize) -> Ordering| visit(&expanded(a, sign));
    if let Some(part) = short(flat.contraction) {
        return for_each_cell(&part, &all, &mut |cell| {
            expand(&|k| match part.roles()[k] {
                Role::Zero => Ordering::Equal,
                Role::Multiple { .. } if cell.row_positive(k) => Ordering::Greater,
                Role::Multiple { .. } => Ordering::Less,
            })
        })
        .end;
    }
    match small_cells(flat.contraction, &|| (o.stop)(), &mut |signs| expand(&|k| signs[k])) {
        Ok(()) => End::Complete,
        Err(Ended::Broken) => End::Limit,
        Err(Ended::Stopped) => End::Stopped,
    }
}

/// The contraction as an arrangement, one row a class, when its integers are short.
fn short(c: &Contraction) -> Option<Arrangement> {
    let entries: Option<Vec<i64>> = c.rows.iter().flatten().map(|v: &IBig| i64::try_from(v).ok()).collect();
    entries.map(|entries| Arrangement::from_integers(c.rows.len(), c.dim, &entries))
}

fn expanded(a: &Arrangement, sign: &dyn Fn(usize) -> Ordering) -> Covector {
    Covector::from_signs(a.roles().iter().map(|role| match *role {
        Role::Zero => Ordering::Equal,
        Role::Multiple { class, negative: false } => sign(class),
        Role::Multiple { class, negative: true } => sign(class).reverse(),
    }))
}
