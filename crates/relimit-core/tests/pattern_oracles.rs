//! Cells and faces of arrangements against slow references that share no code with the enumeration.

mod common;
#[path = "common/signs.rs"]
mod signs;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use common::Rng;
use dashu_int::{IBig, UBig};
use relimit_core::certify::pattern::{Decision, ListEnd, Witness, decide, list_patterns};
use relimit_core::num::Mat;
use relimit_core::pattern::faces::{FaceLattice, Faces, covector_of, for_each_covector};
use relimit_core::pattern::{Arrangement, Covector, Options, count, for_each_cell, is_degeneration};
use signs::{as_mat, brute_force};

fn arrangement(x: &[Vec<i64>], dim: usize) -> Arrangement {
    Arrangement::from_integers(x.len(), dim, &x.concat())
}

fn covector(s: &[i8]) -> Covector {
    Covector::from_signs(s.iter().map(|v| v.cmp(&0)))
}

/// Every cell, each with its witness checked in exact arithmetic on the rows themselves.
fn cells(a: &Arrangement, x: &Mat) -> Vec<Covector> {
    let mut rows = vec![0; a.n().div_ceil(64)];
    let mut out = vec![];
    for_each_cell(a, &Options::all(), &mut |cell| {
        cell.write_rows(&mut rows);
        let pattern = covector_of(a, &rows);
        assert!(Witness { u: cell.witness() }.verify(x, &pattern), "the witness of {pattern} has other signs");
        out.push(pattern);
        ControlFlow::Continue(())
    });
    out
}

fn covectors(a: &Arrangement) -> (BTreeMap<Covector, usize>, Faces) {
    let mut out = BTreeMap::new();
    let faces = for_each_covector(a, &Options::all(), 0..=a.rank(), &mut |face| {
        let again = out.insert(face.covector.clone(), face.dimension);
        assert!(again.is_none(), "{} came twice", face.covector);
        ControlFlow::Continue(())
    });
    assert!(faces.euler_holds() && faces.total() == out.len() as u64);
    (out, faces)
}

fn random(rng: &mut Rng, n: usize, dim: usize, size: i64) -> Vec<Vec<i64>> {
    let entry = |rng: &mut Rng| rng.below(2 * size as usize + 1).cast_signed() as i64 - size;
    (0..n).map(|_| (0..dim).map(|_| entry(rng)).collect()).collect()
}

#[test]
fn cells_are_those_of_brute_force() {
    let mut rng = Rng(21);
    for case in 0..160 {
        let (n, dim) = (rng.below(10), 1 + rng.below(3));
        let x = random(&mut rng, n, dim, 1 + case % 4);
        let mut found = cells(&arrangement(&x, dim), &as_mat(&x, dim));
        found.sort();
        let mut expected: Vec<Covector> = brute_force(&x, false).iter().map(|s| covector(s)).collect();
        expected.sort();
        assert_eq!(found, expected, "{x:?}");
    }
}

#[test]
fn covectors_are_those_of_brute_force() {
    let mut rng = Rng(22);
    for case in 0..120 {
        let (n, dim) = (rng.below(7), 1 + rng.below(4));
        let x = random(&mut rng, n, dim, 1 + case % 3);
        let found: Vec<Covector> = covectors(&arrangement(&x, dim)).0.into_keys().collect();
        let mut expected: Vec<Covector> = brute_force(&x, true).iter().map(|s| covector(s)).collect();
        expected.sort();
        assert_eq!(found, expected, "{x:?}");
    }
}

/// `r(A) = r(A without h) + r(A on h)`, in integers of any length.
fn deletion_restriction(rows: &[Vec<IBig>]) -> UBig {
    let mut lines: Vec<Vec<IBig>> = rows.iter().filter_map(|r| line(r)).collect();
    lines.sort();
    lines.dedup();
    let Some(h) = lines.pop() else { return UBig::ONE };
    let c = h.iter().position(|v| !v.is_zero()).expect("a line is not 0");
    let onto = |row: &Vec<IBig>| -> Vec<IBig> {
        let entry = |q: usize| &row[q] * &h[c] - &row[c] * &h[q];
        (0..h.len()).filter(|q| *q != c).map(entry).collect()
    };
    let restricted: Vec<Vec<IBig>> = lines.iter().map(onto).collect();
    deletion_restriction(&lines) + deletion_restriction(&restricted)
}

/// The primitive vector along a row with a positive first entry, by Euclid's algorithm.
fn line(row: &[IBig]) -> Option<Vec<IBig>> {
    let first = row.iter().find(|v| !v.is_zero())?;
    let mut divisor = IBig::ZERO;
    for v in row {
        let (mut a, mut b) = (divisor, v.clone());
        while !b.is_zero() {
            let rest = &a % &b;
            (a, b) = (b, rest);
        }
        divisor = a;
    }
    let positive = |v: &IBig| *v > IBig::ZERO;
    if positive(&divisor) != positive(first) {
        divisor = -divisor;
    }
    Some(row.iter().map(|v| v / &divisor).collect())
}

fn big(x: &[Vec<i64>]) -> Vec<Vec<IBig>> {
    x.iter().map(|r| r.iter().map(|v| IBig::from(*v)).collect()).collect()
}

#[test]
fn counts_are_those_of_deletion_and_restriction() {
    let mut rng = Rng(23);
    let mut special = 0;
    for case in 0..300 {
        let (n, dim) = (rng.below(13), 1 + rng.below(5));
        let mut x = random(&mut rng, n, dim, 1 + case % 3);
        // Multiples and sums of rows, zero rows.
        for _ in 0..rng.below(3) {
            if n > 2 {
                let (i, j, k) = (rng.below(n), rng.below(n), rng.below(n));
                x[k] = (0..dim).map(|c| 2 * x[i][c] - (case % 2) * x[j][c]).collect();
            }
        }
        let a = arrangement(&x, dim);
        let expected = deletion_restriction(&big(&x));
        let counted = count(&a, &Options::all());
        assert_eq!(counted.patterns(), Some(&expected), "{x:?}");
        let seen = for_each_cell(&a, &Options::all(), &mut |_| ControlFlow::Continue(()));
        assert_eq!(UBig::from(seen.cells), expected, "{x:?}");
        let whitney = counted.whitney.unwrap();
        assert_eq!(whitney.iter().fold(UBig::ZERO, |s, b| s + b), expected);
        special += usize::from(counted.general_position == Some(false));
    }
    assert!(special > 100, "{special} degenerate sets");
}

/// The same with rows of 53 bits: many degeneracies, all of them hidden from rounding by a change of coordinates.
#[test]
fn long_integers_change_no_answer() {
    let mut rng = Rng(24);
    for case in 0..30 {
        let (n, dim) = (3 + rng.below(6), 3 + rng.below(2));
        let x = random(&mut rng, n, dim, 2);
        // An invertible change of coordinates: ones on the diagonal, large entries above.
        let large = random(&mut rng, dim, dim, 1 << 44);
        let turned: Vec<Vec<i64>> = x
            .iter()
            .map(|r| (0..dim).map(|c| r[c] + (0..c).map(|q| r[q] * large[q][c]).sum::<i64>()).collect())
            .collect();
        let (a, b) = (arrangement(&x, dim), arrangement(&turned, dim));
        assert_eq!(covectors(&a).0, covectors(&b).0, "case {case}: {x:?}");
        let sorted = |mut c: Vec<Covector>| {
            c.sort();
            c
        };
        assert_eq!(sorted(cells(&a, &as_mat(&x, dim))), sorted(cells(&b, &as_mat(&turned, dim))));
        assert_eq!(count(&b, &Options::all()).patterns(), Some(&deletion_restriction(&big(&turned))));
    }
}

type Points<'a> = &'a [&'a [f64]];

/// With a bias: P and the number of ternary covectors, by formula and for the degenerate sets of the reference table.
#[test]
fn reference_table_of_points() {
    let numbers = |points: Points| {
        let dim = points.first().map_or(1, |p| p.len() + 1);
        let x = Mat::from_fn(points.len(), dim, |i, c| points[i].get(c).copied().unwrap_or(1.0));
        let a = Arrangement::new(&x);
        let (all, faces) = covectors(&a);
        assert_eq!(cells(&a, &x).len() as u64, faces.by_dimension[a.rank()]);
        (faces.by_dimension[a.rank()], all.len())
    };
    let pentagon: Vec<[f64; 2]> =
        (0..5).map(|k| 0.4 * std::f64::consts::PI * f64::from(k)).map(|t| [t.cos(), t.sin()]).collect();
    let pentagon: Vec<&[f64]> = pentagon.iter().map(|p| &p[..]).collect();
    let square: [&[f64]; 4] = [&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0], &[0.0, 1.0]];
    let table: [(Points, (u64, usize)); 14] = [
        (&[&[0.0], &[0.0], &[1.0]], (4, 9)),
        (&[&[0.0], &[0.0], &[1.0], &[1.0], &[2.0]], (6, 13)),
        (&[&[0.0, 0.0], &[1.0, 0.0], &[2.0, 0.0]], (6, 13)),
        (&[&[0.0, 0.0], &[1.0, 1.0], &[2.0, 2.0], &[3.0, 3.0]], (8, 17)),
        (&[&[0.0, 0.0], &[1.0, 2.0], &[2.0, 4.0], &[3.0, 6.0], &[5.0, 10.0]], (10, 21)),
        (&[&[0.0, 0.0], &[1.0, 0.0], &[2.0, 0.0], &[0.0, 1.0]], (12, 39)),
        (&[&[0.0, 0.0], &[1.0, 0.0], &[2.0, 0.0], &[0.0, 1.0], &[1.0, 2.0]], (20, 71)),
        (&square, (14, 51)),
        (&pentagon, (22, 83)),
        (&[square[0], square[1], square[2], square[3], &[0.5, 0.5]], (18, 59)),
        (&[square[0], square[1], square[2], square[3], &[2.0, 0.0], &[2.0, 1.0]], (28, 99)),
        (&[&[0.0, 0.0, 0.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[1.0, 3.0, 0.0], &[2.0, 1.0, 0.0]], (22, 83)),
        (&[&[0.0, 0.0, 0.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]], (16, 81)),
        (&[&[0.0, 0.0, 0.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0]], (16, 81)),
    ];
    for (points, expected) in table {
        assert_eq!(numbers(points), expected, "{points:?}");
    }
    let cube: Vec<[f64; 3]> = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(f64::from)).collect();
    assert_eq!(numbers(&cube.iter().map(|p| &p[..]).collect::<Vec<_>>()).0, 104);
    let grid: Vec<[f64; 2]> = (0..9).map(|k| [f64::from(k % 3), f64::from(k / 3)]).collect();
    assert_eq!(numbers(&grid.iter().map(|p| &p[..]).collect::<Vec<_>>()).0, 58);
    assert_eq!(numbers(&[]), (1, 1));
}

/// General position: `1 + sum_j C(n, j) 2 sum_(k <= d - j) C(n - j - 1, k)` covectors, j of them on a face.
#[test]
fn covectors_in_general_position_have_their_number() {
    let choose = |n: usize, k: usize| (0..k).fold(1u64, |c, i| c * (n - i) as u64 / (i + 1) as u64);
    let mut rng = Rng(25);
    for (n, dim) in [(5, 2), (9, 2), (6, 3), (12, 3), (7, 4), (9, 4), (8, 5)] {
        let cells_of = |n: usize, r: usize| 2 * (0..r.min(n)).map(|k| choose(n - 1, k)).sum::<u64>();
        let expected: Vec<u64> =
            (0..=dim).map(|k| if k == 0 { 1 } else { choose(n, dim - k) * cells_of(n - (dim - k), k) }).collect();
        // Doubles of 53 bits: contractions are too long for the fast enumeration; small integers are not.
        let real = rng.normals(n, dim);
        assert_eq!(covectors(&Arrangement::new(&real)).1.by_dimension, expected, "{n} rows of {dim} doubles");
        let x = random(&mut rng, n, dim, 10_000);
        assert_eq!(covectors(&arrangement(&x, dim)).1.by_dimension, expected, "{n} rows of {dim} integers");
    }
}

fn braid(letters: usize) -> Vec<Vec<i64>> {
    let pairs = (0..letters).flat_map(|i| (i + 1..letters).map(move |j| (i, j)));
    pairs.map(|(i, j)| (0..letters).map(|c| i64::from(c == i) - i64::from(c == j)).collect()).collect()
}

/// Faces of the braid arrangement are ordered partitions: `k! S(m, k)` into k blocks.
#[test]
fn faces_of_the_braid_arrangement_are_ordered_partitions() {
    let faces = covectors(&arrangement(&braid(5), 5)).1;
    assert_eq!(faces.by_dimension, [1, 30, 150, 240, 120]);
    assert_eq!(faces.flats_by_rank, [1, 10, 25, 15, 1]);
    let rays = FaceLattice::new(&arrangement(&braid(5), 5), &Options::all()).unwrap();
    assert_eq!(rays.rays().len(), 30);
    // Each cell is a simplicial cone: 4 rays, 2^4 faces.
    let a = arrangement(&braid(5), 5);
    for cell in cells(&a, &as_mat(&braid(5), 5)) {
        assert_eq!(rays.rays_of(&cell).count(), 4);
        let mut by_dimension = [0; 5];
        rays.faces_of(&cell).values().for_each(|d| by_dimension[*d] += 1);
        assert_eq!(by_dimension, [1, 4, 6, 4, 1]);
    }
}

/// The faces of each cell are the covectors that degenerate from it, with the dimensions of the enumeration.
#[test]
fn faces_of_a_cell_are_its_degenerations() {
    let mut rng = Rng(26);
    for case in 0..60 {
        let (n, dim) = (rng.below(8), 1 + rng.below(4));
        let x = random(&mut rng, n, dim, 1 + case % 3);
        let mat = as_mat(&x, dim);
        let a = arrangement(&x, dim);
        let (all, faces) = covectors(&a);
        let lattice = FaceLattice::new(&a, &Options::all()).unwrap();
        let one: BTreeSet<&Covector> = all.iter().filter(|(_, d)| **d == 1).map(|(c, _)| c).collect();
        assert_eq!(lattice.rays().iter().map(|r| &r.covector).collect::<BTreeSet<_>>(), one);
        for ray in lattice.rays() {
            assert!(Witness { u: ray.direction.clone() }.verify(&mat, &ray.covector));
        }
        for cell in all.iter().filter(|(_, d)| **d == a.rank()).map(|(c, _)| c) {
            let below = all.iter().filter(|(c, _)| is_degeneration(c, cell));
            let expected: BTreeMap<Covector, usize> = below.map(|(c, d)| (c.clone(), *d)).collect();
            let found = lattice.faces_of(cell);
            assert_eq!(found, expected, "{x:?}: {cell}");
            // A pointed cone of positive dimension has Euler number 0.
            let euler: i64 = found.values().map(|d| if d % 2 == 0 { 1 } else { -1 }).sum();
            assert_eq!(euler, i64::from(a.rank() == 0));
        }
        assert_eq!(faces.flats_by_rank[a.rank()], 1);
    }
}

/// Enumeration, single decisions and list certificates know of the same patterns.
#[test]
fn three_ways_agree() {
    let mut rng = Rng(27);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..25 {
        let (n, dim) = (4 + rng.below(8), 2 + rng.below(3));
        let x = random(&mut rng, n, dim, 2);
        let mat = as_mat(&x, dim);
        let a = arrangement(&x, dim);
        let mut patterns = cells(&a, &mat);
        let ListEnd::Complete(list) = list_patterns(&mat, 1_000_000, &|| false) else { panic!("not complete") };
        let mut listed = list.verify(&mat).unwrap();
        patterns.sort();
        listed.sort();
        assert_eq!(patterns, listed, "{x:?}");
        let faces: BTreeSet<Covector> = covectors(&a).0.into_keys().collect();
        for _ in 0..20 {
            let mut s = covector(&(0..n).map(|_| [1i8, -1, 0][rng.below(3)]).collect::<Vec<_>>());
            // Half of the questions start from a pattern.
            if rng.below(2) == 0 {
                s = patterns[rng.below(patterns.len())].clone();
                for _ in 0..rng.below(3) {
                    s.set(rng.below(n), std::cmp::Ordering::Equal);
                }
            }
            match decide(&mat, &s, &|| false) {
                Decision::Realisable(w) => {
                    yes += 1;
                    assert!(w.verify(&mat, &s) && faces.contains(&s), "{x:?}: {s}");
                }
                Decision::Impossible(p) => {
                    no += 1;
                    assert!(p.verify(&mat, &s) && !faces.contains(&s), "{x:?}: {s}");
                }
                Decision::Stopped => panic!("nobody stopped it"),
            }
        }
    }
    assert!(yes > 100 && no > 100, "{yes} patterns, {no} proofs");
}

#[test]
fn limits_and_interrupts_end_the_faces() {
    use relimit_core::pattern::End;
    let a = arrangement(&braid(4), 4);
    let run = |o: &Options, dimensions| {
        let mut seen = 0;
        let faces = for_each_covector(&a, o, dimensions, &mut |_| {
            seen += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(faces.total(), seen);
        faces
    };
    // Ordered partitions of 4 letters: 1 + 14 + 36 + 24 = 75.
    assert_eq!(run(&Options::all(), 0..=3).by_dimension, [1, 14, 36, 24]);
    assert_eq!(run(&Options::all(), 1..=2).by_dimension, [0, 14, 36, 0]);
    assert_eq!(run(&Options::all(), 7..=9).total(), 0);
    for most in [0, 1, 24, 25, 74] {
        let faces = run(&Options { max_cells: Some(most), ..Options::all() }, 0..=3);
        assert_eq!((faces.total(), faces.end), (most, End::Limit));
    }
    assert_eq!(run(&Options { max_cells: Some(75), ..Options::all() }, 0..=3).end, End::Complete);
    assert_eq!(run(&Options { stop: &|| true, ..Options::all() }, 0..=3).end, End::Stopped);
    let rays = |o: &Options| FaceLattice::new(&a, o).map(|l| l.rays().len());
    assert_eq!(rays(&Options::all()), Ok(14));
    assert_eq!(rays(&Options { max_cells: Some(13), ..Options::all() }), Err(End::Limit));
    assert_eq!(rays(&Options { stop: &|| true, ..Options::all() }), Err(End::Stopped));
}
