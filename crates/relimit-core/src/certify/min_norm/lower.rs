//! Lower bounds on the norm of every network that attains the least loss, re-derived from evidence.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::statement::{Sides, State, rows};
use super::variation::{Variation, variation_bound};
use crate::num::Mat;
use crate::num::linalg::gram;
use crate::num::mat::{dot, norm2};
use crate::problem::Problem;

/// What a solver hands over in support of a lower bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Nothing: the bound is 0.
    None,
    /// A zero row whose target is not 0.
    ZeroRow {
        /// The example.
        row: usize,
    },
    /// Two rows of one direction whose targets disagree.
    Pair {
        /// One example.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A tree of decisions on `examples` with multipliers at its leaves; the root is node 0. Only valid with at most
    /// one neuron of each sign.
    Tree {
        /// The examples that take part; leaving some out can only lower the bound.
        examples: Vec<usize>,
        /// The nodes.
        nodes: Vec<Node>,
    },
    /// A dual of the variation norm: valid for any number of neurons.
    Variation(Variation),
}

/// A node of the decision tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// One example is decided.
    Split {
        /// Position in `examples`.
        example: usize,
        /// The child with [`State::Apart`].
        apart: usize,
        /// The child with [`State::Both`].
        both: usize,
    },
    /// No further decision.
    Leaf {
        /// Multipliers of the rows of each example in turn, two per example, any scale.
        v: Vec<f64>,
    },
}

/// Why evidence was refused: it does not have the form that it claims.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// An index points outside the data or the tree.
    Index {
        /// The index.
        index: usize,
        /// The number of things that it may point at.
        len: usize,
    },
    /// A node is reached twice, or an example is decided twice on one path.
    NotATree {
        /// The node.
        node: usize,
    },
    /// A list of multipliers of the wrong length.
    Length {
        /// Length found.
        found: usize,
        /// Length needed.
        expected: usize,
    },
    /// A multiplier of an inequality is negative, or a number is not finite.
    Multiplier {
        /// Position in its list.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A tree for a network with several neurons of one sign.
    SeveralNeuronsOfOneSign,
    /// The leaves of a sign tree do not belong to its splits.
    Leaf {
        /// The node.
        node: usize,
    },
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index { index, len } => write!(f, "index {index} is outside 0..{len}"),
            Self::NotATree { node } => write!(f, "node {node} is reached twice or decides an example again"),
            Self::Length { found, expected } => write!(f, "{found} numbers where {expected} are needed"),
            Self::Multiplier { index, value } => write!(f, "multiplier {index} is {value}; it must be finite and >= 0"),
            Self::SeveralNeuronsOfOneSign => write!(f, "a decision tree needs at most one neuron of each sign"),
            Self::Leaf { node } => write!(f, "leaf {node} does not fit the splits above it"),
        }
    }
}

impl std::error::Error for Refusal {}

/// Relative rounding error of k operations, `k u / (1 - k u)` with one operation to spare.
pub(super) fn gamma(k: usize) -> f64 {
    let u = (k + 1) as f64 * (0.5 * f64::EPSILON);
    u / (1.0 - u) * (1.0 + f64::EPSILON)
}

/// `|x_i|` rounded up, all rows; from the Gram matrix where it is there and far from underflow.
pub(super) fn row_norms(problem: &Problem) -> Vec<f64> {
    let up = 1.0 + gamma(problem.dim() + 6);
    let length = |i: usize| match problem.gram().map(|g| g[(i, i)]) {
        Some(square) if (1e-200..1e200).contains(&square) => square.sqrt(),
        _ => norm2(problem.x().row(i)),
    };
    (0..problem.n()).map(|i| length(i) * up).collect()
}

/// Duals of one weight vector per sign: positive, then negative neuron.
pub(super) type Center = [Vec<f64>; 2];

/// A lower bound with the bounds of the single leaves (one for evidence without a tree).
pub(super) struct Lower {
    pub norm: f64,
    pub leaves: Vec<f64>,
    /// Duals (positive, negative neuron; n each) of the dual point `Q'v` of the smallest leaf, scaled to its best length.
    pub center: Option<Center>,
}

/// The bound that evidence proves; `norms` are the row lengths rounded up.
pub(super) fn lower_bound(problem: &Problem, norms: &[f64], evidence: &Evidence, gap: f64) -> Result<Lower, Refusal> {
    let n = problem.n();
    let inside = |index: usize| if index < n { Ok(()) } else { Err(Refusal::Index { index, len: n }) };
    let single = |norm: f64| Ok(Lower { norm, leaves: vec![norm], center: None });
    let sides = Sides::of(problem.c());
    match evidence {
        Evidence::None => single(0.0),
        Evidence::ZeroRow { row } => {
            inside(*row)?;
            let zero = problem.x().row(*row).iter().all(|v| *v == 0.0);
            single(if zero && sides.target(problem.y()[*row]) != 0.0 { f64::INFINITY } else { 0.0 })
        }
        Evidence::Pair { first, second } => {
            inside(*first)?;
            inside(*second)?;
            single(pair_bound(problem, sides, *first, *second))
        }
        Evidence::Tree { examples, nodes } => {
            examples.iter().try_for_each(|&i| inside(i))?;
            if problem.c().iter().filter(|c| **c > 0.0).count() > 1
                || problem.c().iter().filter(|c| **c < 0.0).count() > 1
            {
                return Err(Refusal::SeveralNeuronsOfOneSign);
            }
            let (leaves, center) = TreeCheck::new(problem, norms, sides, examples, gap).run(nodes)?;
            let norm = leaves.iter().copied().fold(f64::INFINITY, f64::min);
            let spread = |a: &Vec<f64>| {
                let mut full = vec![0.0; n];
                for (&i, v) in examples.iter().zip(a) {
                    full[i] += v;
                }
                full
            };
            Ok(Lower { norm, leaves, center: center.map(|c| [spread(&c[0]), spread(&c[1])]) })
        }
        Evidence::Variation(v) => single(variation_bound(problem, norms, sides, v)?),
    }
}

/// Rows `x` and `k x + e`: `|f(kx + e) - k f(x)| <= C |W| |e|` with `C = sqrt(sum c_j^2)`, because relu is positively
/// homogeneous and 1-Lipschitz. So `|W| >= |t' - k t| / (C |e|)`.
fn pair_bound(problem: &Problem, sides: Sides, first: usize, second: usize) -> f64 {
    let (a, b) = (problem.x().row(first), problem.x().row(second));
    let k = dot(a, b) / dot(a, a);
    if !(k > 0.0 && k.is_finite()) {
        return 0.0;
    }
    let equal = a == b;
    let k = if equal { 1.0 } else { k };
    let (t, s) = (sides.target(problem.y()[first]), sides.target(problem.y()[second]));
    let apart = (s - k * t).abs() - 2.0 * f64::EPSILON * (s.abs() + (k * t).abs());
    if apart.is_nan() || apart <= 0.0 {
        return 0.0;
    }
    if equal {
        return f64::INFINITY;
    }
    let e: Vec<f64> =
        a.iter().zip(b).map(|(p, q)| (q - k * p).abs() + 2.0 * f64::EPSILON * (q.abs() + (k * p).abs())).collect();
    let c = sides.pos.hypot(sides.neg);
    apart / (c * norm2(&e)) * (1.0 - gamma(a.len() + 20))
}

/// Share of the gap that the rounding of a squared norm may take before the weights replace the Gram matrix.
pub(super) const NEGLIGIBLE: f64 = 0.1;

/// Re-reads a decision tree.
struct TreeCheck<'a> {
    sides: Sides,
    targets: Vec<f64>,
    x: Cow<'a, Mat>,
    norms: Vec<f64>,
    /// `|X'a|^2 = a'Ga` with the rounding error of both, where that is small; else through the weights.
    gram: Option<Cow<'a, Mat>>,
    examples: &'a [usize],
    negligible: f64,
}

impl<'a> TreeCheck<'a> {
    fn new(problem: &'a Problem, norms: &[f64], sides: Sides, examples: &'a [usize], gap: f64) -> Self {
        let all = examples.len() == problem.n() && examples.iter().enumerate().all(|(k, &i)| k == i);
        let x = if all { Cow::Borrowed(problem.x()) } else { Cow::Owned(problem.x().select_rows(examples)) };
        let targets = examples.iter().map(|&i| sides.target(problem.y()[i])).collect();
        let norms = examples.iter().map(|&i| norms[i]).collect();
        let gram = if all { problem.gram().map(Cow::Borrowed) } else { None };
        Self { sides, targets, x, norms, gram, examples, negligible: NEGLIGIBLE * gap }
    }

    /// Bounds of the leaves, in the order of a walk from the root, and the dual point of the smallest.
    fn run(mut self, nodes: &[Node]) -> Result<(Vec<f64>, Option<Center>), Refusal> {
        let n = self.examples.len();
        if self.gram.is_none() && nodes.len() > 8 && self.x.cols() > 4 * n {
            self.gram = Some(Cow::Owned(gram(&self.x)));
        }
        let mut seen = vec![false; nodes.len()];
        let mut leaves: Vec<f64> = Vec::new();
        let (mut smallest, mut center) = (f64::INFINITY, None);
        let mut stack = vec![(0usize, vec![State::Open; n])];
        while let Some((at, states)) = stack.pop() {
            let node = nodes.get(at).ok_or(Refusal::Index { index: at, len: nodes.len() })?;
            if std::mem::replace(&mut seen[at], true) {
                return Err(Refusal::NotATree { node: at });
            }
            match node {
                Node::Split { example, apart, both } => {
                    let state = *states.get(*example).ok_or(Refusal::Index { index: *example, len: n })?;
                    if state != State::Open || !self.sides.both() {
                        return Err(Refusal::NotATree { node: at });
                    }
                    let mut other = states.clone();
                    other[*example] = State::Both;
                    stack.push((*both, other));
                    let mut states = states;
                    states[*example] = State::Apart;
                    stack.push((*apart, states));
                }
                Node::Leaf { v } => {
                    let (bound, point) = self.leaf(&states, v)?;
                    leaves.push(bound);
                    if bound < smallest {
                        (smallest, center) = (bound, point);
                    }
                }
            }
        }
        Ok((leaves, center))
    }

    /// `v.rhs <= v.(Q w) <= |Q'v| |w|` for every w that meets the rows, hence `|w| >= v.rhs / |Q'v|`.
    fn leaf(&self, states: &[State], v: &[f64]) -> Result<(f64, Option<Center>), Refusal> {
        let n = states.len();
        if v.len() != 2 * n {
            return Err(Refusal::Length { found: v.len(), expected: 2 * n });
        }
        let scale = v.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        let scale = if scale > 0.0 && scale.is_finite() { 1.0 / scale } else { 1.0 };
        let (mut value, mut size) = (0.0, 0.0);
        let mut a = [vec![0.0; n], vec![0.0; n]];
        let mut abs = [0.0, 0.0];
        for i in 0..n {
            for (slot, row) in rows(self.targets[i], states[i], self.sides).iter().enumerate() {
                let index = 2 * i + slot;
                if !v[index].is_finite() || (v[index] < 0.0 && row.live() && !row.free) {
                    return Err(Refusal::Multiplier { index, value: v[index] });
                }
                let vi = v[index] * scale;
                value += vi * row.rhs;
                size += (vi * row.rhs).abs();
                for (side, q) in [row.pos, row.neg].into_iter().enumerate() {
                    a[side][i] += vi * q;
                    abs[side] += (vi * q).abs() * self.norms[i];
                }
            }
        }
        let value = value - gamma(2 * n + 4) * size;
        if value.is_nan() || value <= 0.0 {
            return Ok((0.0, Some([vec![0.0; n], vec![0.0; n]])));
        }
        let lengths = [0, 1].map(|side| self.length(&a[side], abs[side]));
        let length = lengths[0].hypot(lengths[1]) * (1.0 + 4.0 * f64::EPSILON);
        let bound = value / length * (1.0 - 4.0 * f64::EPSILON);
        if bound.is_nan() {
            return Ok((0.0, None));
        }
        let best = value / (length * length);
        let point = a.map(|side| side.iter().map(|x| best * x).collect());
        Ok((bound, best.is_finite().then_some(point)))
    }

    /// `|X'a|` rounded up; `abs` bounds `sum_i |a_i| |x_i|` with a's own summands taken in absolute value.
    fn length(&self, a: &[f64], abs: f64) -> f64 {
        if abs == 0.0 {
            return 0.0;
        }
        let (n, d) = (self.x.rows(), self.x.cols());
        // Room for the roundings of `abs` itself and for gradual underflow.
        let abs = abs * (1.0 + gamma(2 * n + 8)) + f64::MIN_POSITIVE;
        if let Some(g) = &self.gram {
            let square = dot(&g.mul_vec(a), a);
            let error = gamma(d + 2 * n + 12) * abs * abs;
            if square.is_finite() && error <= self.negligible * square {
                return (square + error).sqrt() * (1.0 + gamma(4));
            }
        }
        norm2(&self.x.tmul_vec(a)) * (1.0 + gamma(d + 6)) + gamma(n + 6) * abs
    }
}
