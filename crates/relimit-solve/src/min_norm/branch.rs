//! Branch and bound over the states of the examples, best bound first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use relimit_core::certify::min_norm::{Node, State};

use super::local::{Point, improve};
use super::system::{Dual, System, decide};

/// What the search found.
pub(super) struct Search {
    /// The best point, if any.
    pub point: Option<Point>,
    /// The tree with the multipliers of its leaves.
    pub tree: Vec<Node>,
    /// Nodes solved.
    pub nodes: usize,
    /// Whether the caller stopped it or the node limit did.
    pub cut_short: bool,
}

/// An open leaf.
struct Open {
    bound: f64,
    at: usize,
    states: Vec<State>,
    branch: usize,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    /// The heap's largest is the smallest bound, then the oldest node.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.at.cmp(&self.at))
    }
}

/// Searches until every leaf is within `gap` of the best point, or `max_nodes` are solved, or `stop` says so.
pub(super) fn search(system: &System<'_>, max_nodes: usize, gap: f64, stop: &dyn Fn() -> bool) -> Search {
    let n = system.n();
    let apart = vec![State::Apart; n];
    let mut best = improve(system, apart, 50);
    if !system.sides.both() {
        let cut_short = best.is_none() && stop();
        let dual = best.as_ref().map_or_else(|| system.solve(&vec![State::Open; n], None), |p| p.dual.clone());
        return Search { point: best, tree: vec![Node::Leaf { v: dual.v }], nodes: 1, cut_short };
    }
    let open = vec![State::Open; n];
    let root = root(system, best.as_ref(), gap, stop);
    let mut out = Search { point: None, tree: vec![Node::Leaf { v: root.v.clone() }], nodes: 1, cut_short: false };
    let mut heap = BinaryHeap::new();
    if best.as_ref().is_none_or(|p| root.bound < p.dual.norm * (1.0 - 0.5 * gap)) {
        offer(system, &mut best, &open, &root);
    }
    if !root.ray {
        push(system, &mut heap, 0, open, &root);
    }
    let every = (n / 4).max(1);
    let mut popped = 0;
    while let Some(node) = heap.pop() {
        let cut = best.as_ref().map_or(f64::INFINITY, |p| p.dual.norm * (1.0 - 0.5 * gap));
        if node.bound >= cut {
            break; // the heap is ordered: every other leaf is closed too
        }
        if out.nodes + 2 > max_nodes || stop() {
            out.cut_short = true;
            break;
        }
        let Node::Leaf { v } = &out.tree[node.at] else { unreachable!("only leaves are open") };
        let v = v.clone();
        let children = [State::Apart, State::Both].map(|state| {
            let mut states = node.states.clone();
            states[node.branch] = state;
            let mut start = v.clone();
            decide(&mut start, node.branch, state);
            let dual = system.solve(&states, Some(&start));
            (states, dual)
        });
        let first = out.tree.len();
        out.tree[node.at] = Node::Split { example: node.branch, apart: first, both: first + 1 };
        popped += 1;
        for (states, dual) in children {
            out.nodes += 1;
            let at = out.tree.len();
            out.tree.push(Node::Leaf { v: dual.v.clone() });
            if popped <= 16 || popped % every == 0 {
                offer(system, &mut best, &states, &dual);
            }
            let cut = best.as_ref().map_or(f64::INFINITY, |p| p.dual.norm * (1.0 - 0.5 * gap));
            if !dual.ray && dual.bound < cut {
                push(system, &mut heap, at, states, &dual);
            }
        }
    }
    out.point = best;
    out
}

/// The root: first the multipliers of the best point carried over, which often are optimal, else a solve from there.
fn root(system: &System<'_>, best: Option<&Point>, gap: f64, stop: &dyn Fn() -> bool) -> Dual {
    let open = vec![State::Open; system.n()];
    let Some(point) = best else { return system.solve(&open, None) };
    let mut v = vec![0.0; 2 * system.n()];
    for i in 0..system.n() {
        let (p, q) = (point.dual.v[2 * i], point.dual.v[2 * i + 1]);
        if system.targets[i] != 0.0 {
            // The inverse of `decide`, clipped to what an open example allows.
            let (own, mix) = if point.states[i] == State::Apart { (p - q, q) } else { (q, p - q) };
            (v[2 * i], v[2 * i + 1]) = (own.max(0.0), mix.max(0.0));
        }
    }
    let carried = system.read(&open, v, false);
    if carried.bound >= point.dual.norm * (1.0 - 0.5 * gap) || stop() {
        return carried;
    }
    system.solve(&open, Some(&carried.v))
}

fn push(system: &System<'_>, heap: &mut BinaryHeap<Open>, at: usize, states: Vec<State>, dual: &Dual) {
    let branch = (0..system.n())
        .filter(|&i| states[i] == State::Open)
        .map(|i| (i, system.violation(&dual.z, i)))
        .fold(None, |b: Option<(usize, f64)>, (i, x)| if b.is_some_and(|b| b.1 >= x) { b } else { Some((i, x)) });
    if let Some((branch, _)) = branch {
        heap.push(Open { bound: dual.bound, at, states, branch });
    }
}

/// Rounds a node's solution to the nearest pattern and improves it.
fn offer(system: &System<'_>, best: &mut Option<Point>, states: &[State], dual: &Dual) {
    if dual.ray {
        return;
    }
    let nearest = |i: usize| if states[i] == State::Open { system.nearest(&dual.z, i) } else { states[i] };
    let rounded: Vec<State> = (0..system.n()).map(nearest).collect();
    if let Some(point) = improve(system, rounded, 20)
        && best.as_ref().is_none_or(|b| point.dual.norm < b.dual.norm)
    {
        *best = Some(point);
    }
}
