//! The function of a law on a grid over the range of one feature or two, in the units of the file.

use relimit_core::data::scale::{Affine, Scaled};
use relimit_core::gibbs::Law;
use relimit_core::num::Mat;

use crate::answer::GibbsGrid;

/// Share of the range beyond which the grid goes, on either side.
const BEYOND: f64 = 0.1;

/// `points` places along each feature, from a tenth of the range below the data to a tenth above; all pairs for two.
pub(super) fn grid(law: &Law, data: &Scaled, points: usize, stop: &dyn Fn() -> bool) -> Option<GibbsGrid> {
    let (x, dim) = (&data.dataset.x, law.model.x.cols());
    let at: Vec<Vec<f64>> = (0..x.cols()).map(|k| axis(x, k, points)).collect();
    let places: Vec<Vec<f64>> = match &at[..] {
        [only] => only.iter().map(|a| vec![*a]).collect(),
        [first, second] => first.iter().flat_map(|a| second.iter().map(|b| vec![*a, *b])).collect(),
        _ => return None,
    };
    let mut outputs = Vec::with_capacity(places.len());
    for place in &places {
        if stop() {
            return None;
        }
        let input: Vec<f64> = place.iter().copied().chain([1.0]).take(dim).collect();
        outputs.push(law.output(&input)[0]);
    }
    let raw = |k: usize| places.iter().map(|p| value(&data.inputs, k, p[k])).collect::<Vec<f64>>();
    Some(GibbsGrid {
        x: raw(0),
        x2: (at.len() == 2).then(|| raw(1)),
        f: data.target.invert(&Mat::from_vec(outputs.len(), 1, outputs)).into_vec(),
    })
}

fn axis(x: &Mat, k: usize, points: usize) -> Vec<f64> {
    let column = (0..x.rows()).map(|i| x[(i, k)]);
    let (low, high) = column.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let beyond = if high > low { BEYOND * (high - low) } else { 1.0 };
    let (low, high) = (low - beyond, high + beyond);
    let share = |t: usize| if points > 1 { t as f64 / (points - 1) as f64 } else { 0.5 };
    (0..points).map(|t| low + (high - low) * share(t)).collect()
}

fn value(map: &Affine, k: usize, scaled: f64) -> f64 {
    scaled * map.factor[k] + map.shift[k]
}
