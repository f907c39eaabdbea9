//! Remarks on a table that is usable but odd: zero rows, constant columns, equal rows with different labels.

use std::cmp::Ordering;

use super::{Notice, Table};

/// All-zero rows and constant columns (the latter from two rows on).
pub(crate) fn features(table: &Table, notices: &mut Vec<Notice>) {
    let (n, d) = (table.x.rows(), table.x.cols());
    let zero = (0..n).filter(|i| table.x.row(*i).iter().all(|v| *v == 0.0));
    let rows: Vec<usize> = zero.map(|i| table.rows[i]).collect();
    if !rows.is_empty() {
        notices.push(Notice::ZeroRows { rows });
    }
    if n < 2 {
        return;
    }
    let mut constant = vec![true; d];
    for i in 1..n {
        for (flag, (v, first)) in constant.iter_mut().zip(table.x.row(i).iter().zip(table.x.row(0))) {
            *flag &= v == first;
        }
    }
    let columns: Vec<String> = (0..d).filter(|k| constant[*k]).map(|k| table.features[k].clone()).collect();
    if !columns.is_empty() {
        notices.push(Notice::ConstantColumns { columns });
    }
}

/// Rows with equal features and different labels. O(d n log n) at worst.
pub(crate) fn conflicts(table: &Table, y: &[f64], notices: &mut Vec<Notice>) {
    let mut order: Vec<usize> = (0..y.len()).collect();
    order.sort_by(|a, b| compare(table.x.row(*a), table.x.row(*b)).then(a.cmp(b)));
    let equal = |a: &usize, b: &usize| compare(table.x.row(*a), table.x.row(*b)) == Ordering::Equal;
    let mut groups: Vec<Vec<usize>> = order
        .chunk_by(equal)
        .filter(|g| g.iter().any(|i| y[*i] != y[g[0]]))
        .map(|g| g.iter().map(|i| table.rows[*i]).collect())
        .collect();
    groups.sort();
    if !groups.is_empty() {
        notices.push(Notice::Conflicts { groups });
    }
}

/// Lexicographic order of finite rows, with -0 equal to 0.
fn compare(a: &[f64], b: &[f64]) -> Ordering {
    let pairs = a.iter().zip(b).map(|(u, v)| u.partial_cmp(v).unwrap_or(Ordering::Equal));
    pairs.into_iter().find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}
