//! Thinning, so that a run of millions of steps stays a small picture that looks the same.

use std::collections::BTreeSet;

pub(super) use relimit_solve::answer::spread;

/// Most points that all lines of one figure have together.
pub const MOST_POINTS: usize = 60_000;

/// Most event marks of one figure.
pub const MOST_MARKS: usize = 2_000;

/// At most about `most` points of a polyline that looks the same: the ends, and per column of equal width its first,
/// lowest, highest and last point. Points are in pixels, x increasing; points that are not finite are dropped.
pub(super) fn polyline(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let points: Vec<(f64, f64)> = points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return vec![] };
    if points.len() <= most || last.0 <= first.0 {
        return points;
    }
    let columns = (most / 4).max(1);
    let column = |x: f64| (((x - first.0) / (last.0 - first.0) * columns as f64) as usize).min(columns - 1);
    let mut out = Vec::with_capacity(4 * columns);
    let mut k = 0;
    while k < points.len() {
        let here = column(points[k].0);
        let end = k + points[k..].iter().take_while(|p| column(p.0) == here).count();
        let (mut low, mut high) = (k, k);
        for i in k..end {
            if points[i].1 < points[low].1 {
                low = i;
            }
            if points[i].1 > points[high].1 {
                high = i;
            }
        }
        let mut keep = [k, low, high, end - 1];
        keep.sort_unstable();
        for (slot, i) in keep.iter().enumerate() {
            if slot == 0 || keep[slot - 1] != *i {
                out.push(points[*i]);
            }
        }
        k = end;
    }
    out
}

/// Points in pixels, those that lie within half a pixel of an earlier one left out where there are many.
pub(super) fn dots(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let points: Vec<(f64, f64)> = points.collect();
    if points.len() <= MOST_MARKS {
        return points;
    }
    let mut seen = BTreeSet::new();
    points.into_iter().filter(|p| seen.insert(((2.0 * p.0).round() as i64, (2.0 * p.1).round() as i64))).collect()
}

/// Marks on an axis, merged per bucket of `width` pixels: (mean position, how many).
pub(super) fn marks(positions: &[f64], width: f64) -> Vec<(f64, usize)> {
    let mut sorted: Vec<f64> = positions.iter().copied().filter(|p| p.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let mut out: Vec<(f64, usize)> = Vec::new();
    let mut k = 0;
    while k < sorted.len() {
        let bucket = (sorted[k] / width).floor();
        let end = k + sorted[k..].iter().take_while(|p| (**p / width).floor() == bucket).count();
        let mean = sorted[k..end].iter().sum::<f64>() / (end - k) as f64;
        out.push((mean, end - k));
        k = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polylines_keep_ends_and_extremes() {
        let points: Vec<(f64, f64)> = (0..100_000)
            .map(|k| (f64::from(k) * 0.007, if k == 54_321 { 9.0 } else { (f64::from(k) * 0.3).sin() }))
            .collect();
        let thin = polyline(&points, 400);
        assert!(thin.len() <= 404, "{}", thin.len());
        assert_eq!((thin[0], thin[thin.len() - 1]), (points[0], points[99_999]));
        assert!(thin.iter().any(|p| p.1 == 9.0), "a single spike stays");
        assert!(thin.windows(2).all(|w| w[0].0 <= w[1].0));
        assert_eq!(polyline(&points[..300], 400), points[..300]);
        assert_eq!(polyline(&[(0.0, f64::NAN)], 4), []);
    }

    #[test]
    fn marks_are_merged_and_counted() {
        let positions: Vec<f64> = (0..100_000).map(|k| f64::from(k) * 0.007).collect();
        let merged = marks(&positions, 1.0);
        assert_eq!(merged.len(), 700);
        assert_eq!(merged.iter().map(|m| m.1).sum::<usize>(), 100_000);
        assert!(merged.windows(2).all(|w| w[0].0 < w[1].0));
        assert_eq!(marks(&[5.0, 1.2, 1.3], 0.5), [(1.25, 2), (5.0, 1)]);
    }

    #[test]
    fn dots_on_one_another_are_drawn_once() {
        let few: Vec<(f64, f64)> = vec![(1.0, 1.0); 9];
        assert_eq!(dots(few.iter().copied()), few, "few are left alone");
        // 10,000 dots on a line of 100 pixels: one a half pixel
        let many = dots((0..10_000).map(|k| (f64::from(k) * 0.01, 7.0)));
        assert_eq!(many.len(), 201);
    }

    #[test]
    fn spread_is_even_with_ends() {
        assert_eq!(spread(3, 10), [0, 1, 2]);
        assert_eq!(spread(101, 3), [0, 50, 100]);
    }
}
