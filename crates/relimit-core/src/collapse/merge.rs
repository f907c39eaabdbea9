//! Nearly equal units brought to one ray, so that they add up; what this changes is bounded afterwards, exactly.

use crate::certify::equality::{Behaviour, Hyperplane, Move, behaviour, column, row};
use crate::net::{InputBox, Network};
use crate::num::exact::Dyadic;

/// A unit that bends on the domain, scaled to size 1.
struct Unit {
    neuron: usize,
    row: Vec<f64>,
    /// Largest `|w.x + b|` on the box.
    size: f64,
    /// Size times the largest output weight.
    weight: f64,
}

/// Units and the side on which each stands to the first of them.
type Cluster = Vec<(usize, f64)>;

/// Moves for units that differ, each scaled to size 1 on the box, by at most `tolerance` from the heaviest of their
/// cluster, up to sign: all go to the mean ray, weighted. Without a box, [-1, 1] for every input stands for it.
///
/// Clusters of proportional units need no move. The heaviest units come first; `stop` is asked before each, and leaves the rest
/// as they are. O(m^2 d) at worst.
pub fn merge(net: &Network, on: Option<&InputBox>, tolerance: f64, stop: &dyn Fn() -> bool) -> Vec<Move> {
    let around = InputBox::around_zero(net.inputs(), 1.0);
    let on_box = on.unwrap_or(&around);
    let mut units: Vec<Unit> = (0..net.width()).filter_map(|j| unit(net, j, on, on_box)).collect();
    units.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.neuron.cmp(&b.neuron)));
    let mut clusters: Vec<Cluster> = vec![];
    for k in 0..units.len() {
        if stop() {
            break;
        }
        let near = |c: &Cluster| {
            let lead = &units[c[0].0];
            [1.0, -1.0].into_iter().find(|s| apart(lead, &units[k], *s, on_box) <= tolerance)
        };
        match clusters.iter_mut().find_map(|c| near(c).map(|s| (c, s))) {
            Some((cluster, side)) => cluster.push((k, side)),
            None => clusters.push(vec![(k, 1.0)]),
        }
    }
    clusters.iter().filter(|c| !proportional(c, &units)).flat_map(|c| moves(c, &units)).collect()
}

fn unit(net: &Network, j: usize, on: Option<&InputBox>, on_box: &InputBox) -> Option<Unit> {
    let (c, row) = (column(net, j), row(net, j));
    let heaviest = c.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    let bends = matches!(behaviour(&row, &Dyadic::new(1.0), on), Behaviour::Bends(..));
    if heaviest == 0.0 || !bends {
        return None;
    }
    let size = size(&row, on_box);
    (size > 0.0 && size.is_finite()).then_some(Unit { neuron: j, row, size, weight: heaviest * size })
}

/// Largest `|row . x~|` on the box.
fn size(row: &[f64], on: &InputBox) -> f64 {
    let (low, high) = row.split_last().map_or((0.0, 0.0), |(b, w)| on.bounds(w, *b));
    high.max(-low)
}

/// Largest difference of the scaled units, `side` = -1 turning the second round.
fn apart(a: &Unit, b: &Unit, side: f64, on: &InputBox) -> f64 {
    let difference: Vec<f64> = a.row.iter().zip(&b.row).map(|(u, v)| u / a.size - side * v / b.size).collect();
    size(&difference, on)
}

fn proportional(cluster: &Cluster, units: &[Unit]) -> bool {
    let plane = |k: usize| Hyperplane::of(&units[k].row).map(|(h, _)| h);
    let first = plane(cluster[0].0);
    cluster[1..].iter().all(|(k, _)| plane(*k) == first)
}

fn moves(cluster: &Cluster, units: &[Unit]) -> Vec<Move> {
    let total: f64 = cluster.iter().map(|(k, _)| units[*k].weight).sum();
    let mut mean = vec![0.0; units[cluster[0].0].row.len()];
    for (k, side) in cluster {
        let share = side * units[*k].weight / total / units[*k].size;
        mean.iter_mut().zip(&units[*k].row).for_each(|(m, v)| *m += share * v);
    }
    let to =
        |(k, side): &(usize, f64)| Move { neuron: units[*k].neuron, row: mean.clone(), scale: side * units[*k].size };
    cluster.iter().map(to).collect()
}
