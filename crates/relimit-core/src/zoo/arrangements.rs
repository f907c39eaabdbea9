//! Arrangements whose number of cells is known: reflection, resonance, threshold and lattice arrangements.

use crate::pattern::Arrangement;

/// Integer rows with the number of cells that is published or derived for them.
#[derive(Clone, Debug)]
pub struct KnownArrangement {
    /// Its name.
    pub name: String,
    /// Length of a row.
    pub dim: usize,
    /// The rows, one after the other.
    pub rows: Vec<i64>,
    /// Number of cells.
    pub cells: u64,
    /// The Whitney numbers `b_0, b_1, ..`, where they are published.
    pub whitney: Option<Vec<u64>>,
    /// Where the number comes from.
    pub source: &'static str,
}

impl KnownArrangement {
    /// Number of rows.
    pub fn n(&self) -> usize {
        self.rows.len() / self.dim
    }

    /// The arrangement of the rows.
    pub fn arrangement(&self) -> Arrangement {
        Arrangement::from_integers(self.n(), self.dim, &self.rows)
    }
}

const COXETER: &str = "order of the reflection group (Humphreys, Reflection groups and Coxeter groups, section 2.11)";
const CHAMBERS: &str = "Brysiewicz, Eble, Kuehne, arXiv 2105.14542, test data of CountingChambers.jl";

fn known(name: String, rows: impl IntoIterator<Item = Vec<i64>>, cells: u64, source: &'static str) -> KnownArrangement {
    let rows: Vec<Vec<i64>> = rows.into_iter().collect();
    KnownArrangement { name, dim: rows[0].len(), rows: rows.concat(), cells, whitney: None, source }
}

fn factorial(m: usize) -> u64 {
    (1..=m as u64).product()
}

/// Bits 0 .. m - 1 of a number as a row.
fn bits(number: usize, m: usize) -> Vec<i64> {
    (0..m).map(|q| i64::from(number >> q & 1 == 1)).collect()
}

/// `e_i - e_j` in m + 1 dimensions (of rank m): (m + 1)! cells, one for each order of the coordinates.
pub fn braid(m: usize) -> KnownArrangement {
    let mut rows = vec![];
    for i in 0..=m {
        for j in i + 1..=m {
            let mut row = vec![0; m + 1];
            (row[i], row[j]) = (1, -1);
            rows.push(row);
        }
    }
    known(format!("braid {m}"), rows, factorial(m + 1), COXETER)
}

fn signed_pairs(m: usize) -> Vec<Vec<i64>> {
    let mut rows = vec![];
    for i in 0..m {
        for j in i + 1..m {
            for s in [1, -1] {
                let mut row = vec![0; m];
                (row[i], row[j]) = (1, s);
                rows.push(row);
            }
        }
    }
    rows
}

fn axes(m: usize) -> Vec<Vec<i64>> {
    (0..m).map(|i| (0..m).map(|c| i64::from(c == i)).collect()).collect()
}

/// Reflections of type B: `e_i`, `e_i + e_j`, `e_i - e_j`; 2^m m! cells.
pub fn type_b(m: usize) -> KnownArrangement {
    known(format!("B{m}"), [axes(m), signed_pairs(m)].concat(), factorial(m) << m, COXETER)
}

/// Reflections of type D: `e_i + e_j`, `e_i - e_j`; 2^(m-1) m! cells.
pub fn type_d(m: usize) -> KnownArrangement {
    known(format!("D{m}"), signed_pairs(m), factorial(m) << (m - 1), COXETER)
}

/// Reflections of type F4: those of B4 and (1, +-1, +-1, +-1); 1152 cells.
pub fn type_f4() -> KnownArrangement {
    let halves = (0..8).map(|b| std::iter::once(1).chain(bits(b, 3).into_iter().map(|v| 1 - 2 * v)).collect());
    known("F4".into(), [axes(4), signed_pairs(4), halves.collect()].concat(), 1152, COXETER)
}

/// Reflections of type E6 (36 rows of rank 6, 51,840 cells) or E7 (63 rows of rank 7, 2,903,040 cells), within E8.
pub fn type_e(m: usize) -> KnownArrangement {
    assert!(m == 6 || m == 7, "type E{m} is not among the known ones");
    let mut rows = signed_pairs(8);
    for row in &mut rows {
        for v in row {
            *v *= 2;
        }
    }
    // Half-sums with an even number of minus signs, the last coordinate positive.
    let halves = (0..128usize).filter(|b| b.count_ones() % 2 == 0);
    rows.extend(halves.map(|b| bits(b, 7).into_iter().map(|v| 1 - 2 * v).chain([1]).collect::<Vec<_>>()));
    rows.retain(|r| r[6] + r[7] == 0 && (m == 7 || r[5] == r[6]));
    known(format!("E{m}"), rows, if m == 6 { 51_840 } else { 2_903_040 }, COXETER)
}

/// All 0/1 rows but 0, in m = 2 .. 7 dimensions: the resonance arrangement.
pub fn resonance(m: usize) -> KnownArrangement {
    let whitney: &[u64] = match m {
        2 => &[1, 3, 2],
        3 => &[1, 7, 15, 9],
        4 => &[1, 15, 80, 170, 104],
        5 => &[1, 31, 375, 2130, 5270, 3485],
        6 => &[1, 63, 1652, 22435, 159_460, 510_524, 371_909],
        7 => &[1, 127, 7035, 215_439, 3_831_835, 37_769_977, 169_824_305, 135_677_633],
        _ => panic!("resonance arrangement {m} is not among the known ones"),
    };
    let rows = (1..1 << m).map(|b| bits(b, m));
    let out = known(format!("resonance {m}"), rows, whitney.iter().sum(), CHAMBERS);
    KnownArrangement { whitney: Some(whitney.to_vec()), ..out }
}

/// The rows (1, 0/1 vector) in m = 2 .. 6 inputs: the cells are the linear threshold functions of m bits.
pub fn threshold_functions(m: usize) -> KnownArrangement {
    let whitney: &[u64] = match m {
        2 => &[1, 4, 6, 3],
        3 => &[1, 8, 28, 44, 23],
        4 => &[1, 16, 120, 460, 820, 465],
        5 => &[1, 32, 496, 4240, 19660, 43014, 27129],
        6 => &[1, 64, 2016, 36848, 400_400, 2_453_248, 7_111_650, 5_023_907],
        _ => panic!("threshold functions of {m} bits are not among the known ones"),
    };
    let rows = (0..1 << m).map(|b| std::iter::once(1).chain(bits(b, m)).collect());
    let out = known(format!("threshold {m}"), rows, whitney.iter().sum(), CHAMBERS);
    KnownArrangement { whitney: Some(whitney.to_vec()), ..out }
}

/// The vertices of the cross-polytope, +-e_i, as points in m dimensions: 2 3^m - 2^m cells.
pub fn cross_polytope(m: usize) -> KnownArrangement {
    let vertex = |i: usize, s: i64| std::iter::once(1).chain((0..m).map(move |c| s * i64::from(c == i))).collect();
    let rows = (0..m).flat_map(|i| [vertex(i, 1), vertex(i, -1)]);
    let cells = 2 * 3u64.pow(m as u32) - 2u64.pow(m as u32);
    known(format!("cross-polytope {m}"), rows, cells, "derived; agrees with CountingChambers.jl for m = 3 .. 7")
}

/// The even 0/1 vectors as points in m = 3 .. 6 dimensions.
pub fn demicube(m: usize) -> KnownArrangement {
    let cells = match m {
        3 => 16,
        4 => 146,
        5 => 3756,
        6 => 291_558,
        _ => panic!("demicube {m} is not among the known ones"),
    };
    let even = (0..1usize << m).filter(|b| b.count_ones() % 2 == 0);
    let rows = even.map(|b| std::iter::once(1).chain(bits(b, m)).collect());
    known(format!("demicube {m}"), rows, cells, CHAMBERS)
}

/// The points of a lattice as data with a bias: 3 x 3, 3 x 3 x 3, 10 x 10 or 4 x 4 x 4.
pub fn grid(sides: &[usize]) -> KnownArrangement {
    let cells = match sides {
        [3, 3] => 58,
        [3, 3, 3] => 2702,
        [10, 10] => 6214,
        [4, 4, 4] => 35_516,
        _ => panic!("grid {sides:?} is not among the known ones"),
    };
    let point = |mut number: usize| {
        let mut row = vec![];
        for side in sides {
            row.push((number % side).cast_signed() as i64);
            number /= side;
        }
        row.push(1);
        row
    };
    let rows = (0..sides.iter().product::<usize>()).map(point);
    known(format!("grid {sides:?}"), rows, cells, "deletion and restriction with exact integers")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of the root systems (half the number of roots) and ranks.
    #[test]
    fn sizes_are_those_of_the_literature() {
        let shape = |k: &KnownArrangement| {
            let a = k.arrangement();
            (a.classes(), a.rank())
        };
        assert_eq!(shape(&braid(5)), (15, 5));
        assert_eq!(shape(&type_b(4)), (16, 4));
        assert_eq!(shape(&type_d(5)), (20, 5));
        assert_eq!(shape(&type_f4()), (24, 4));
        assert_eq!(shape(&type_e(6)), (36, 6));
        assert_eq!(shape(&type_e(7)), (63, 7));
        assert_eq!(shape(&resonance(4)), (15, 4));
        assert_eq!(shape(&threshold_functions(3)), (8, 4));
        assert_eq!(shape(&cross_polytope(3)), (6, 4));
        assert_eq!(shape(&demicube(4)), (8, 5));
        assert_eq!(shape(&grid(&[3, 3])), (9, 3));
    }

    #[test]
    fn published_numbers_are_whole() {
        assert_eq!([2, 3, 4, 5, 6, 7].map(|m| resonance(m).cells), [6, 32, 370, 11_292, 1_066_044, 347_326_352]);
        assert_eq!([2, 3, 4, 5, 6].map(|m| threshold_functions(m).cells), [14, 104, 1882, 94_572, 15_028_134]);
        assert_eq!([3, 4, 5, 6, 7].map(|m| cross_polytope(m).cells), [46, 146, 454, 1394, 4246]);
    }
}
