//! What keeps the rows from general position: zero rows, rows along one line, rows in one plane or flat.

use crate::num::modular::{PRIME, power, reduce, residues};

use super::arrangement::{Arrangement, Role};
use super::basis::ExactBasis;

/// Products modulo a prime that a search may take.
const WORK: u64 = 200_000_000;

/// Rows of which the rank is less than the smaller of their number and D.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent {
    /// Rows of the data, one for each direction, ascending: all directions of the flat that they span.
    pub rows: Vec<usize>,
    /// Their rank: 2 for points on a line (with a bias column), 3 for points in a plane.
    pub rank: usize,
}

/// Every way in which rows fail to be in general position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degeneracies {
    /// Rows that are 0.
    pub zero: Vec<usize>,
    /// Rows along one line, ascending, each with whether it points the other way than the first.
    pub proportional: Vec<Vec<(usize, bool)>>,
    /// Dependent sets by rank, then by rows; a set that splits into smaller ones of these is not listed again.
    pub dependent: Vec<Dependent>,
    /// Whether the search for dependent sets came to its end; if so, an empty list is a proof that there are none.
    pub complete: bool,
}

impl Degeneracies {
    /// Whether nothing was found and nothing can be.
    pub fn none(&self) -> bool {
        self.complete && self.zero.is_empty() && self.proportional.is_empty() && self.dependent.is_empty()
    }
}

/// Finds zero rows, proportional rows, and at most `most` dependent sets, smallest rank first.
///
/// Independence is shown modulo a prime, dependence is confirmed with integers. C(n, r - 2) n r operations for rank r,
/// broken off (`complete` false) after a fixed amount of work or when `stop` says so.
pub fn degeneracies(a: &Arrangement, most: usize, stop: &dyn Fn() -> bool) -> Degeneracies {
    let mut zero = vec![];
    let mut groups: Vec<Vec<(usize, bool)>> = vec![vec![]; a.classes()];
    for (i, role) in a.roles().iter().enumerate() {
        match *role {
            Role::Zero => zero.push(i),
            Role::Multiple { class, negative } => groups[class].push((i, negative)),
        }
    }
    groups.retain(|g| g.len() > 1);
    let mut search = Search {
        arrangement: a,
        first: a.first_rows(),
        most,
        work: WORK,
        stop,
        found: vec![],
        complete: true,
        chosen: vec![],
        closed_at: vec![usize::MAX; a.classes()],
    };
    search.run();
    Degeneracies { zero, proportional: groups, dependent: search.found, complete: search.complete }
}

struct Search<'a> {
    arrangement: &'a Arrangement,
    first: Vec<usize>,
    most: usize,
    work: u64,
    stop: &'a dyn Fn() -> bool,
    found: Vec<Dependent>,
    complete: bool,
    /// The rows of an independent set, ascending.
    chosen: Vec<usize>,
    /// How many of the chosen rows it takes to span each row.
    closed_at: Vec<usize>,
}

impl Search<'_> {
    fn run(&mut self) {
        let a = self.arrangement;
        let rows: Vec<Vec<u64>> =
            (0..a.classes()).map(|i| residues(a.columns().iter().map(|&c| &a.row(i)[c]))).collect();
        for rank in 2..a.rank() {
            self.grow(&rows, rank);
            if !self.complete {
                return;
            }
        }
        // All rows in a flat that is not the whole space.
        let (n, rank) = (a.classes(), a.rank());
        if rank >= 2 && rank < a.dim() && n > rank {
            let all: Vec<usize> = (0..n).collect();
            self.report(&all, rank);
        }
    }

    /// `rows` are reduced by the chosen ones. Flats of the given rank that begin with the chosen rows.
    fn grow(&mut self, rows: &[Vec<u64>], rank: usize) {
        let size = (rows.len() * self.arrangement.rank()) as u64;
        if self.work < size || (self.stop)() {
            self.complete = false;
            return;
        }
        self.work -= size;
        if self.chosen.len() + 1 == rank {
            return self.flats(rows, rank);
        }
        let from = self.chosen.last().map_or(0, |&i| i + 1);
        for i in from..rows.len() {
            if self.closed_at[i] != usize::MAX {
                continue;
            }
            let depth = self.chosen.len() + 1;
            let reduced = reduce_by(rows, i);
            for (t, row) in reduced.iter().enumerate() {
                if self.closed_at[t] == usize::MAX && row.iter().all(|v| *v == 0) {
                    self.closed_at[t] = depth;
                }
            }
            // Each flat once: from the first basis in the order of the rows.
            if (0..i).all(|t| self.closed_at[t] != depth) {
                self.chosen.push(i);
                self.grow(&reduced, rank);
                self.chosen.pop();
            }
            for level in &mut self.closed_at {
                if *level == depth {
                    *level = usize::MAX;
                }
            }
            if !self.complete {
                return;
            }
        }
    }

    /// Rows parallel after reduction lie in one flat with the chosen ones.
    fn flats(&mut self, rows: &[Vec<u64>], rank: usize) {
        let open: Vec<usize> = (0..rows.len()).filter(|&i| self.closed_at[i] == usize::MAX).collect();
        let heads: Vec<u64> =
            open.iter().map(|&i| *rows[i].iter().find(|v| **v != 0).expect("an open row is not 0")).collect();
        let inverses = inverses(&heads);
        let mut lines: Vec<(Vec<u64>, usize)> =
            open.iter().zip(inverses).map(|(&i, s)| (rows[i].iter().map(|&v| product(v, s)).collect(), i)).collect();
        lines.sort_unstable();
        let closed: Vec<usize> = (0..rows.len()).filter(|&i| self.closed_at[i] != usize::MAX).collect();
        let mut flats: Vec<Vec<usize>> = vec![];
        for parallel in lines.chunk_by(|x, y| x.0 == y.0) {
            // The first basis of the flat ends with the least of the parallel rows, which comes after the chosen ones.
            let after = self.chosen.last().is_none_or(|&last| parallel[0].1 > last);
            if after && closed.len() + parallel.len() > rank {
                let mut flat: Vec<usize> = closed.iter().copied().chain(parallel.iter().map(|p| p.1)).collect();
                flat.sort_unstable();
                flats.push(flat);
            }
        }
        flats.sort_unstable();
        for flat in flats {
            self.report(&flat, rank);
        }
    }

    /// Confirms a flat with integers and keeps it unless smaller sets explain it.
    fn report(&mut self, flat: &[usize], rank: usize) {
        if self.connected(flat) != Some(rank) {
            return;
        }
        if self.found.len() == self.most {
            self.complete = false;
            return;
        }
        let mut rows: Vec<usize> = flat.iter().map(|&i| self.first[i]).collect();
        rows.sort_unstable();
        self.found.push(Dependent { rows, rank });
    }

    /// The rank of the rows if no split into two sets adds up to it.
    fn connected(&self, flat: &[usize]) -> Option<usize> {
        let a = self.arrangement;
        let mut basis = ExactBasis::new(a.dim());
        let (mut columns, mut others) = (vec![], vec![]);
        for &i in flat {
            let entries = basis.coordinates(a.row(i));
            match (0..a.dim()).find(|c| !columns.contains(c) && !entries[*c].is_zero()) {
                Some(c) => {
                    basis.pivot(a.row(i), c);
                    columns.push(c);
                }
                None => others.push(i),
            }
        }
        // Basis rows in one circuit belong together.
        let mut part: Vec<usize> = (0..columns.len()).collect();
        let mut alone = vec![true; columns.len()];
        for i in others {
            let entries = basis.coordinates(a.row(i));
            let support: Vec<usize> = (0..columns.len()).filter(|&q| !entries[columns[q]].is_zero()).collect();
            for &q in &support {
                alone[q] = false;
                let (from, to) = (part[q], part[support[0]]);
                for p in &mut part {
                    if *p == from {
                        *p = to;
                    }
                }
            }
        }
        let whole = !alone.contains(&true) && part.iter().all(|p| *p == part[0]);
        whole.then_some(columns.len())
    }
}

fn product(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) * u128::from(b))
}

/// All inverses with one power: `1/a_k = (a_1 .. a_{k-1}) (1 / (a_1 .. a_k))`.
fn inverses(values: &[u64]) -> Vec<u64> {
    let mut before = Vec::with_capacity(values.len());
    let mut all = 1;
    for &v in values {
        before.push(all);
        all = product(all, v);
    }
    let mut rest = power(all, PRIME - 2);
    let mut out = vec![0; values.len()];
    for k in (0..values.len()).rev() {
        out[k] = product(before[k], rest);
        rest = product(rest, values[k]);
    }
    out
}

/// Every row minus the multiple of row i that clears its entry in the first column where row i is not 0.
fn reduce_by(rows: &[Vec<u64>], i: usize) -> Vec<Vec<u64>> {
    let c = rows[i].iter().position(|v| *v != 0).expect("an open row is not 0");
    let inverse = power(rows[i][c], PRIME - 2);
    let pivot: Vec<u64> = rows[i].iter().map(|&v| product(v, inverse)).collect();
    let reduce_row = |row: &Vec<u64>| -> Vec<u64> {
        if row[c] == 0 {
            return row.clone();
        }
        let factor = PRIME - row[c];
        row.iter().zip(&pivot).map(|(&v, &p)| reduce(u128::from(v) + u128::from(factor) * u128::from(p))).collect()
    };
    rows.iter().map(reduce_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Mat;

    fn of(points: &[&[f64]]) -> Degeneracies {
        let d = points[0].len();
        let x = Mat::from_fn(points.len(), d + 1, |i, c| if c < d { points[i][c] } else { 1.0 });
        degeneracies(&Arrangement::new(&x), 100, &|| false)
    }

    fn sets(d: &Degeneracies) -> Vec<(usize, Vec<usize>)> {
        d.dependent.iter().map(|s| (s.rank, s.rows.clone())).collect()
    }

    #[test]
    fn lines_of_the_square_grid() {
        let points: Vec<[f64; 2]> = (0..9).map(|i| [f64::from(i % 3), f64::from(i / 3)]).collect();
        let rows: Vec<&[f64]> = points.iter().map(|p| &p[..]).collect();
        // The eight lines of noughts and crosses.
        let expected = [[0, 1, 2], [0, 3, 6], [0, 4, 8], [1, 4, 7], [2, 4, 6], [2, 5, 8], [3, 4, 5], [6, 7, 8]];
        let found = of(&rows);
        assert!(found.complete && !found.none());
        assert_eq!(sets(&found), expected.map(|l| (2, l.to_vec())));
    }

    #[test]
    fn planes_are_listed_without_their_lines_twice() {
        // Four points of a square in the plane z = 0, two more on the line x = y = 0 above its corner, one far away.
        let points: [&[f64]; 7] = [
            &[0.0, 0.0, 0.0],
            &[1.0, 0.0, 0.0],
            &[0.0, 1.0, 0.0],
            &[1.0, 1.0, 0.0],
            &[0.0, 0.0, 1.0],
            &[0.0, 0.0, 2.0],
            &[3.0, 5.0, 11.0],
        ];
        // The planes through the line and one more point hold no other circuit but the line, or a fourth row of it.
        assert_eq!(sets(&of(&points)), [(2, vec![0, 4, 5]), (3, vec![0, 1, 2, 3])]);
    }

    #[test]
    fn zero_rows_multiples_and_flat_data() {
        let x =
            Mat::from_rows(&[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [-2.0, -4.0, -6.0], [1.0, 0.0, 1.0], [0.0, 2.0, 2.0]]);
        let found = degeneracies(&Arrangement::new(&x), 100, &|| false);
        assert_eq!(found.zero, [0]);
        assert_eq!(found.proportional, [[(1, false), (2, true)]]);
        // (1,2,3) = (1,0,1) + (0,2,2): rank 2 of 3.
        assert_eq!(sets(&found), [(2, vec![1, 3, 4])]);
        let square: [&[f64]; 4] = [&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]];
        assert!(of(&square).none(), "parallel sides do not matter");
    }

    #[test]
    fn bounded_in_number_and_by_stop() {
        let points: Vec<[f64; 2]> = (0..9).map(|i| [f64::from(i % 3), f64::from(i / 3)]).collect();
        let x = Mat::from_fn(9, 3, |i, c| if c < 2 { points[i][c] } else { 1.0 });
        let a = Arrangement::new(&x);
        let some = degeneracies(&a, 3, &|| false);
        assert!(some.dependent.len() == 3 && !some.complete);
        assert!(!degeneracies(&a, 100, &|| true).complete);
    }
}
