//! How many sign patterns the data can produce.

use dashu_int::UBig;

use super::arrangement::{Arrangement, Role};
use super::enumerate::{End, Options, fold_cells};

/// How much is known about the number of patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountStatus {
    /// The number is exact: `lower = upper`.
    Exact,
    /// Nothing was enumerated in time: an interval up to the number in general position.
    Bound,
    /// The enumeration was broken off: at least as many as were seen, at most as many as in general position.
    Partial,
}

/// The number of patterns and what was learnt on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// How much is known.
    pub status: CountStatus,
    /// At least so many patterns.
    pub lower: UBig,
    /// At most so many patterns; equal to `lower` when exact.
    pub upper: UBig,
    /// Whether every D or fewer rows of the data are independent; `None` while unknown.
    pub general_position: Option<bool>,
    /// The number of n rows in general position in D dimensions: `cover(n, D)`.
    pub cover_bound: UBig,
    /// The Whitney numbers `b_0 .. b_r`, whose sum is the number of patterns; `None` unless they are all known.
    pub whitney: Option<Vec<UBig>>,
}

impl Count {
    /// The number of patterns, if it is known.
    pub fn patterns(&self) -> Option<&UBig> {
        (self.status == CountStatus::Exact).then_some(&self.lower)
    }
}

/// The number of cells of n hyperplanes in general position in r dimensions.
///
/// ```text
/// 2 sum_{k < r} C(n - 1, k)        (1 for n = 0 or r = 0)
/// ```
///
/// Source: Cover, "Geometrical and statistical properties of systems of linear inequalities", IEEE Trans. EC-14 (1965).
pub fn cover(n: usize, rank: usize) -> UBig {
    if n == 0 || rank == 0 {
        return UBig::ONE;
    }
    binomials(n - 1).take(rank).fold(UBig::ZERO, |s, c| s + c) * UBig::from(2u8)
}

/// `C(n, 0), C(n, 1), .., C(n, n)`.
fn binomials(n: usize) -> impl Iterator<Item = UBig> {
    let mut next = UBig::ONE;
    (0..=n).map(move |k| {
        let this = next.clone();
        next = &next * UBig::from(n - k) / UBig::from(k + 1);
        this
    })
}

/// Counts the patterns of the rows: in closed form where that is proved, else by visiting every cell.
///
/// `o.max_cells` and `o.stop` bound the work; what was found then is an interval.
pub fn count(a: &Arrangement, o: &Options) -> Count {
    let (n, rank) = (a.classes(), a.rank());
    let bound = cover(n, rank);
    let full = |whitney: Vec<UBig>| {
        let total = whitney.iter().fold(UBig::ZERO, |s, b| s + b);
        Count {
            status: CountStatus::Exact,
            general_position: Some(distinct(a) && rank == a.n().min(a.dim()) && total == bound),
            lower: total.clone(),
            upper: total,
            cover_bound: cover(a.n(), a.dim()),
            whitney: Some(whitney),
        }
    };
    if n == rank {
        // Independent rows: every pattern.
        return full(binomials(n).collect());
    }
    if rank == 2 {
        return full(vec![UBig::ONE, n.into(), (n - 1).into()]);
    }
    let ((), seen) = fold_cells(a, &Options { pairs: true, ..*o }, || (), |(), _| (), |(), ()| ());
    if seen.end == End::Complete {
        let pairs = |k: usize| seen.by_size.get(k).copied().unwrap_or(0);
        let whitney = (0..=rank).map(|k| UBig::from(pairs(k)) + UBig::from(if k > 0 { pairs(k - 1) } else { 0 }));
        return full(whitney.collect());
    }
    let certainly_special = !distinct(a) || rank < a.n().min(a.dim());
    Count {
        status: if seen.cells == 0 { CountStatus::Bound } else { CountStatus::Partial },
        // n hyperplanes through 0 in general make at least 2 n cells.
        lower: UBig::from(seen.cells).max((2 * n).into()),
        upper: bound,
        general_position: certainly_special.then_some(false),
        cover_bound: cover(a.n(), a.dim()),
        whitney: None,
    }
}

/// Whether no row is 0 and no two rows are proportional.
fn distinct(a: &Arrangement) -> bool {
    a.classes() == a.n() && !a.roles().contains(&Role::Zero)
}
