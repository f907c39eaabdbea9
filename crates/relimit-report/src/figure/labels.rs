//! Direct labels at the right end of lines, moved apart so that none covers another.

/// Heights for labels that want to stand at `wanted` (any order), at least `space` apart within [top, bottom].
///
/// Keeps the order of the wanted heights; `None` when they do not fit at all.
pub(super) fn apart(wanted: &[f64], space: f64, top: f64, bottom: f64) -> Option<Vec<f64>> {
    let n = wanted.len();
    if n == 0 {
        return Some(vec![]);
    }
    if (n - 1) as f64 * space > bottom - top {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // Clusters of labels that touch; each stands centred on what its members want (least squares), inside the range.
    let mut clusters: Vec<(f64, usize)> = Vec::new();
    for &i in &order {
        clusters.push((wanted[i], 1));
        while clusters.len() > 1 {
            let (b, a) = (clusters[clusters.len() - 1], clusters[clusters.len() - 2]);
            let reach = |c: (f64, usize)| 0.5 * (c.1 - 1) as f64 * space;
            let centre = |c: (f64, usize)| c.0.clamp(top + reach(c), bottom - reach(c));
            if centre(a) + reach(a) + space <= centre(b) - reach(b) + 1e-9 {
                break;
            }
            clusters.pop();
            clusters.pop();
            let k = a.1 + b.1;
            // Members keep their order, so the wanted centre of the union is the mean of the wanted centres.
            clusters.push(((a.0 * a.1 as f64 + b.0 * b.1 as f64) / k as f64, k));
        }
    }
    let mut out = vec![0.0; n];
    let mut next = order.iter();
    for (centre, k) in clusters {
        let reach = 0.5 * (k - 1) as f64 * space;
        let first = centre.clamp(top + reach, bottom - reach) - reach;
        for (slot, i) in next.by_ref().take(k).enumerate() {
            out[*i] = first + slot as f64 * space;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_distance_order_and_range() {
        let wanted = [10.0, 12.0, 11.0, 80.0, 99.0, 98.0, 50.0];
        let got = apart(&wanted, 13.0, 5.0, 100.0).unwrap();
        let mut pairs: Vec<(f64, f64)> = wanted.iter().copied().zip(got.iter().copied()).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(pairs.windows(2).all(|w| w[1].1 - w[0].1 >= 13.0 - 1e-9), "{pairs:?}");
        assert!(got.iter().all(|y| (5.0..=100.0).contains(y)), "{got:?}");
        assert!((got[6] - 50.0).abs() < 1e-9, "a label with room stays where it wants");
        assert_eq!(apart(&[1.0; 9], 13.0, 0.0, 100.0), None);
        assert_eq!(apart(&[], 13.0, 0.0, 100.0), Some(vec![]));
    }
}
