//! Patterns of real data sets with their ties: counts from lines and planes found by exact determinants, and their names.

use std::collections::BTreeSet;
use std::path::Path;

use dashu_int::IBig;
use relimit_core::num::Mat;
use relimit_core::num::exact::integers;
use relimit_core::pattern::{Arrangement, Options, Role, count, degeneracies};

/// The columns named, with a column of ones.
fn table(file: &str, columns: &[usize]) -> Mat {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(file);
    let text = std::fs::read_to_string(path).expect("a file of the repository");
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            columns.iter().map(|&c| fields[c].parse().expect("a number")).chain([1.0]).collect()
        })
        .collect();
    Mat::from_rows(&rows)
}

fn determinant(m: &[Vec<IBig>]) -> IBig {
    if m.len() == 1 {
        return m[0][0].clone();
    }
    let mut sum = IBig::ZERO;
    for c in 0..m.len() {
        let minor: Vec<Vec<IBig>> = m[1..]
            .iter()
            .map(|row| row.iter().enumerate().filter(|(k, _)| *k != c).map(|(_, v)| v.clone()).collect())
            .collect();
        let term = &m[0][c] * determinant(&minor);
        sum = if c % 2 == 0 { sum + term } else { sum - term };
    }
    sum
}

/// Different rows as integers.
fn distinct(x: &Mat) -> Vec<Vec<IBig>> {
    let rows: BTreeSet<Vec<IBig>> = (0..x.rows()).map(|i| integers(x.row(i).iter().copied())).collect();
    rows.into_iter().collect()
}

/// Whether rows are dependent: every minor of their number vanishes.
fn dependent(rows: &[&Vec<IBig>], dim: usize) -> bool {
    let k = rows.len();
    (0..1usize << dim).filter(|s| s.count_ones() as usize == k).all(|s| {
        let minor: Vec<Vec<IBig>> =
            rows.iter().map(|r| (0..dim).filter(|c| s >> c & 1 == 1).map(|c| r[c].clone()).collect()).collect();
        determinant(&minor).is_zero()
    })
}

/// The flats of rank 2 (k = 2) or 3 (k = 3), as sets of rows: from every independent pair or triple.
fn flats(rows: &[Vec<IBig>], dim: usize, k: usize) -> BTreeSet<Vec<usize>> {
    let n = rows.len();
    let mut out = BTreeSet::new();
    let mut sets: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..k {
        sets = sets
            .iter()
            .flat_map(|s| (s.last().map_or(0, |l| l + 1)..n).map(|i| [s.clone(), vec![i]].concat()))
            .collect();
    }
    for set in sets {
        let chosen: Vec<&Vec<IBig>> = set.iter().map(|&i| &rows[i]).collect();
        if dependent(&chosen, dim) {
            continue;
        }
        let inside = |i: &usize| {
            set.contains(i) || {
                let mut more = chosen.clone();
                more.push(&rows[*i]);
                dependent(&more, dim)
            }
        };
        out.insert((0..n).filter(inside).collect());
    }
    out
}

/// The number of cells of rank 3: `2 (1 + sum over lines of (points on it - 1))`.
///
/// Source: Zaslavsky's theorem; the alternating sum of the Whitney numbers is 0.
fn rank_three(x: &Mat) -> u64 {
    let rows = distinct(x);
    2 * (1 + flats(&rows, 3, 2).iter().map(|l| l.len() as u64 - 1).sum::<u64>())
}

/// The number of cells of rank 4: `2 (n + sum over planes of (1 - m + sum over its lines of (points - 1)))`.
fn rank_four(x: &Mat) -> u64 {
    let rows = distinct(x);
    let lines = flats(&rows, 4, 2);
    let mut sum = rows.len().cast_signed();
    for plane in flats(&rows, 4, 3) {
        let own = lines.iter().filter(|l| l.iter().all(|i| plane.contains(i)));
        sum += 1 - plane.len().cast_signed() + own.map(|l| l.len().cast_signed() - 1).sum::<isize>();
    }
    2 * sum.unsigned_abs() as u64
}

#[test]
fn motorcycle_times() {
    // 133 times, 94 of them different: on a line with bias, two patterns each.
    let x = table("mcycle.csv", &[0]);
    let a = Arrangement::new(&x);
    assert_eq!((a.n(), a.classes()), (133, 94));
    let found = count(&a, &Options::all());
    assert_eq!((found.patterns(), &found.cover_bound), (Some(&188u32.into()), &266u32.into()));
    let named = degeneracies(&a, 1000, &|| false);
    assert!(named.complete && named.dependent.is_empty() && named.zero.is_empty());
    assert_eq!(named.proportional.iter().map(|g| g.len() - 1).sum::<usize>(), 133 - 94);
    assert!(named.proportional.iter().flatten().all(|member| !member.1));
}

#[test]
fn trees_with_bias() {
    let x = table("trees.csv", &[0, 1]);
    let a = Arrangement::new(&x);
    assert_eq!(count(&a, &Options::all()).patterns(), Some(&rank_three(&x).into()));
    // Every line of three or more trees, by determinants.
    let named = degeneracies(&a, 1000, &|| false);
    let first = a.first_rows();
    let rows: Vec<Vec<IBig>> = (0..a.classes()).map(|c| a.row(c).to_vec()).collect();
    let lines: BTreeSet<Vec<usize>> = flats(&rows, 3, 2)
        .into_iter()
        .filter(|l| l.len() > 2)
        .map(|l| {
            let mut rows: Vec<usize> = l.iter().map(|&c| first[c]).collect();
            rows.sort_unstable();
            rows
        })
        .collect();
    assert!(named.complete && !lines.is_empty());
    assert_eq!(named.dependent.iter().map(|s| s.rows.clone()).collect::<BTreeSet<_>>(), lines);
}

#[test]
fn stackloss_with_bias() {
    let x = table("stackloss.csv", &[0, 1, 2]);
    let a = Arrangement::new(&x);
    let expected = rank_four(&x);
    let found = count(&a, &Options::all());
    assert_eq!((found.patterns(), found.general_position), (Some(&expected.into()), Some(false)));
    let named = degeneracies(&a, 10_000, &|| false);
    assert!(named.complete && named.zero.is_empty());
    // Duplicate rows as the file has them, by comparison.
    let mut twins = vec![];
    for i in 0..x.rows() {
        let group: Vec<(usize, bool)> = (i..x.rows()).filter(|&k| x.row(k) == x.row(i)).map(|k| (k, false)).collect();
        if group.len() > 1 && (0..i).all(|k| x.row(k) != x.row(i)) {
            twins.push(group);
        }
    }
    assert!(!twins.is_empty());
    assert_eq!(named.proportional, twins);
    assert!(named.dependent.iter().any(|s| s.rank == 2) && named.dependent.iter().any(|s| s.rank == 3));
    assert!(a.roles().iter().all(|r| matches!(r, Role::Multiple { negative: false, .. })));
}
