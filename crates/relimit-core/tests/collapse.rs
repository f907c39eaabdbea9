//! Collapsing networks: equality, widths that are known by hand, cases from real use, and that nothing is lost on the way.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::cell::Cell;

use relimit_core::certify::Claim;
use relimit_core::certify::equality::{Move, equality};
use relimit_core::collapse::{Kind, collapse, patterns, pieces};
use relimit_core::net::{InputBox, Network};
use relimit_core::num::Mat;

/// Numbers in [-1, 1) without pattern (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / f64::powi(2.0, 52) - 1.0
    }

    fn mat(&mut self, rows: usize, cols: usize) -> Mat {
        Mat::from_fn(rows, cols, |_, _| self.next())
    }

    fn list(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    fn network(&mut self, m: usize, d: usize, k: usize) -> Network {
        Network::new(self.mat(m, d), self.list(m), self.mat(k, m), self.list(k))
    }
}

const GO: &dyn Fn() -> bool = &|| false;

/// Largest difference of two networks on `count` points of a box, and the largest output.
fn sampled(f: &Network, g: &Network, on: &InputBox, count: usize, random: &mut Random) -> (f64, f64) {
    let x = Mat::from_fn(count, f.inputs(), |_, k| on.low[k] + 0.5 * (random.next() + 1.0) * (on.high[k] - on.low[k]));
    let (a, b) = (f.forward(&x), g.forward(&x));
    let difference = a.as_slice().iter().zip(b.as_slice()).map(|(u, v)| (u - v).abs()).fold(0.0, f64::max);
    (difference, a.max_abs())
}

/// `units` with some of them repeated, scaled, turned to constants or cut off: the same function, wider.
fn padded(net: &Network, random: &mut Random) -> Network {
    let (d, k) = (net.inputs(), net.outputs());
    let (mut w, mut b, mut c) = (net.w.to_rows(), net.b.clone(), net.c.transpose().to_rows());
    for j in 0..net.width() {
        // half of unit j goes to a copy of four times its size
        w.push(net.w.row(j).iter().map(|v| 4.0 * v).collect());
        b.push(4.0 * net.b[j]);
        c.push(c[j].iter().map(|v| v / 8.0).collect());
        c[j].iter_mut().for_each(|v| *v /= 2.0);
    }
    w.push(random.list(d));
    b.push(random.next());
    c.push(vec![0.0; k]);
    w.push(vec![0.0; d]);
    b.push(-0.5);
    c.push(random.list(k));
    let c = Mat::from_rows(&c).transpose();
    Network::new(Mat::from_rows(&w), b, c, net.offset.clone())
}

#[test]
fn padded_networks_shrink_to_the_ones_they_came_from() {
    let mut random = Random(1);
    for (m, d, k) in [(1, 1, 1), (5, 1, 1), (8, 3, 1), (6, 4, 3), (20, 10, 2), (12, 2, 1)] {
        let net = random.network(m, d, k);
        let wide = padded(&net, &mut random);
        let got = collapse(&wide, None, 0.0, GO);
        assert_eq!((got.network.width(), got.width.lower, got.width.upper), (m, m, m), "{m} {d} {k}");
        assert_eq!(got.network, net, "halves and powers of two add up exactly");
        assert!(got.equality.identical && got.equality.max_difference == 0.0);
        assert_eq!(got.kinds[m], Kind::Duplicate { of: 0 });
        assert_eq!(got.kinds[2 * m..], [Kind::Unused, Kind::Dead]);
        let (difference, _) = sampled(&wide, &got.network, &InputBox::around_zero(d, 1e3), 10_000, &mut random);
        assert!(difference <= 1e-10, "only the rounding of evaluation at 1e3: {difference}");
    }
}

#[test]
fn a_collapsed_network_equals_the_original_on_ten_thousand_points_and_collapses_to_itself() {
    let mut random = Random(2);
    for (m, d, k) in [(6, 1, 1), (7, 3, 1), (9, 2, 2), (30, 5, 1)] {
        let mut net = random.network(m, d, k);
        // three units on one ray, two on opposite sides of a hyperplane, one constant, one dead
        for (j, of, t) in [(1, 0, 3.7), (2, 0, 0.3), (3, 4, -1.9)] {
            // products of short numbers by integers are exact, so that the rows are proportional
            let row: Vec<f64> = net.w.row(of).iter().map(|v| (v * 1024.0).round() / 1024.0).collect();
            let bias = (net.b[of] * 1024.0).round() / 1024.0;
            net.w.row_mut(of).copy_from_slice(&row);
            net.b[of] = bias;
            let t = (t * 1024.0f64).round() / 1024.0;
            net.w.row_mut(j).iter_mut().zip(&row).for_each(|(v, r)| *v = t * r);
            net.b[j] = t * bias;
        }
        net.w.row_mut(5).fill(0.0);
        net.b[5] = 0.7;
        for on in [None, Some(InputBox::around_zero(d, 1.0))] {
            let got = collapse(&net, on.as_ref(), 0.0, GO);
            assert!(got.network.width() <= m - 3, "{m} {d} {k}: {:?}", got.width);
            assert!(got.width.lower <= got.width.upper && got.width.upper == got.network.width());
            let unit = InputBox::around_zero(d, 1.0);
            let (difference, size) = sampled(&net, &got.network, &unit, 10_000, &mut random);
            assert!(difference <= 1e-12 * (1.0 + size), "{m} {d} {k}: {difference}");
            assert!(got.equality.max_difference <= 1e-12 * (1.0 + size), "{:?}", got.equality);
            let again = collapse(&got.network, on.as_ref(), 0.0, GO);
            assert_eq!(again.network, got.network);
            assert_eq!(again.width.upper, got.width.upper);
        }
    }
}

/// G04: a unit whose inputs are cut is a constant, not nothing.
#[test]
fn a_constant_unit_is_folded_and_a_dead_one_dropped() {
    let net = |b1: f64| {
        Network::new(
            Mat::from_rows(&[[-0.0053, 0.3793], [0.0, 0.0]]),
            vec![-0.2723, b1],
            Mat::from_rows(&[[-0.0140, 0.5607], [-0.0628, 0.1871]]),
            vec![-0.2137, -0.1390],
        )
    };
    let got = collapse(&net(0.1896), None, 0.0, GO);
    assert_eq!((got.network.width(), got.kinds[1]), (1, Kind::Constant));
    // 0.1896 (0.5607) - 0.2137 and 0.1896 (0.1871) - 0.1390, by hand
    for (offset, expected) in got.network.offset.iter().zip([-0.107_391_28, -0.103_525_84]) {
        assert!((offset - expected).abs() < 1e-15, "{offset}");
    }
    assert_eq!(got.network.w.row(0), [-0.0053, 0.3793]);
    assert_eq!(got.network.c.as_slice(), [-0.0140, -0.0628]);
    let (difference, _) = sampled(&net(0.1896), &got.network, &InputBox::around_zero(2, 1e3), 10_000, &mut Random(4));
    assert!(difference <= 1e-12, "{difference}");
    assert!(got.equality.max_difference < 1e-16, "half a unit in the last place of an offset");
    let got = collapse(&net(-0.1896), None, 0.0, GO);
    assert_eq!((got.network.width(), got.kinds[1]), (1, Kind::Dead));
    assert_eq!(got.network.offset, [-0.2137, -0.1390]);
    assert!(got.equality.identical);
}

fn line(units: &[(f64, f64, f64)], offset: f64) -> Network {
    let w = Mat::from_vec(units.len(), 1, units.iter().map(|u| u.0).collect());
    Network::scalar(w, units.iter().map(|u| u.1).collect(), units.iter().map(|u| u.2).collect(), offset)
}

/// G09: how many linear pieces three hidden units make.
#[test]
fn pieces_of_a_line_are_counted_exactly() {
    let net = |b: [f64; 3], c: [f64; 3]| line(&[(1.0, b[0], c[0]), (1.0, b[1], c[1]), (1.0, b[2], c[2])], 0.0);
    let book = net([-0.2, -0.5, -1.3], [2.0, -3.0, 1.0]);
    let got = pieces(&book, None).unwrap();
    assert_eq!((got.joints, got.slopes), (vec![0.2, 0.5, 1.3], vec![0.0, 2.0, -1.0, 0.0]));
    let unit = InputBox::new(vec![0.0], vec![1.0]);
    let got = pieces(&book, Some(&unit)).unwrap();
    assert_eq!((got.joints, got.slopes), (vec![0.2, 0.5], vec![0.0, 2.0, -1.0]));
    assert_eq!(pieces(&net([-0.2, -0.5, -1.3], [2.0, -3.0, 0.0]), None).unwrap().slopes.len(), 3);
    let cancelled = net([-0.2, -0.5, -0.5], [2.0, -3.0, 3.0]);
    assert_eq!(pieces(&cancelled, None).unwrap().slopes, [0.0, 2.0]);
    let got = collapse(&cancelled, None, 0.0, GO);
    assert_eq!((got.network.width(), got.width.lower), (1, 1));
    // On [0, 1] the third unit is off: two kinks, two units.
    let got = collapse(&book, Some(&unit), 0.0, GO);
    assert_eq!((got.network.width(), got.width.lower, got.kinds[2]), (2, 2, Kind::Dead));
    assert!(got.equality.identical);
}

#[test]
fn the_narrowest_widths_known_by_hand() {
    let width = |net: &Network| collapse(net, None, 0.0, GO).width;
    // x = relu(x) - relu(-x): no kink, and no single unit is linear.
    let x = line(&[(1.0, 0.0, 1.0), (-1.0, 0.0, -1.0)], 0.0);
    assert_eq!((width(&x).kinks, width(&x).lower, width(&x).upper), (0, 2, 2));
    // The same with kinks elsewhere that cancel.
    let shifted = line(&[(1.0, 3.0, 1.0), (-1.0, -3.0, -1.0), (1.0, 1.0, 2.0), (1.0, 1.0, -2.0)], 0.0);
    assert_eq!((width(&shifted).kinks, width(&shifted).lower, width(&shifted).upper), (0, 2, 2));
    // |x| + x/2: one kink; 3/2 relu(x) + 1/2 relu(-x) needs both sides.
    let bent = line(&[(1.0, 0.0, 1.5), (-1.0, 0.0, 0.5)], 0.0);
    assert_eq!((width(&bent).kinks, width(&bent).lower, width(&bent).upper), (1, 2, 2));
    // relu(x) + 2 relu(-x) - 3 relu(x-1) + 2 relu(x-2): upright kinks leave -2x, which turning x - 2 round takes up.
    let bent = line(&[(1.0, 0.0, 1.0), (-1.0, 0.0, 2.0), (1.0, -1.0, -3.0), (1.0, -2.0, 2.0)], 0.0);
    assert_eq!((width(&bent).kinks, width(&bent).lower, width(&bent).upper), (3, 3, 3));
    // On a box one always-on unit stands for any affine rest.
    let on = InputBox::new(vec![-2.0], vec![5.0]);
    let got = collapse(&x, Some(&on), 0.0, GO);
    assert_eq!((got.network.width(), got.width.lower), (1, 1));
    assert!(got.equality.identical, "x = relu(x + 2) - 2 on the box");
    // The identity of the plane needs four units, two on a box.
    let plane = Network::new(
        Mat::from_rows(&[[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]),
        vec![0.0; 4],
        Mat::from_rows(&[[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]]),
        vec![0.0; 2],
    );
    assert_eq!(width(&plane).upper, 4);
    let got = collapse(&plane, Some(&InputBox::around_zero(2, 1.0)), 0.0, GO);
    assert_eq!((got.network.width(), got.equality.identical), (2, true));
}

/// The narrowest width by trying all sides, on small integer networks: an independent slow reference.
fn narrowest_by_hand(units: &[([i64; 3], i64)]) -> usize {
    use std::collections::BTreeMap;
    let mut totals: BTreeMap<[i64; 3], i64> = BTreeMap::new();
    let mut affine = [0i64; 2];
    for (h, c) in units {
        let up = *h.iter().find(|v| **v != 0).unwrap() > 0;
        let key = if up { *h } else { h.map(|v| -v) };
        *totals.entry(key).or_default() += c;
        if !up {
            affine.iter_mut().zip(h).for_each(|(a, v)| *a += c * v);
        }
    }
    let kinks: Vec<([i64; 3], i64)> = totals.into_iter().filter(|(_, c)| *c != 0).collect();
    let rest = |s: usize| {
        let mut r = affine;
        for (_, (h, c)) in kinks.iter().enumerate().filter(|(i, _)| s >> i & 1 == 1) {
            r.iter_mut().zip(h).for_each(|(a, v)| *a += c * v);
        }
        r
    };
    let sets = 0..1usize << kinks.len();
    if sets.clone().any(|s| rest(s) == [0, 0]) {
        return kinks.len();
    }
    let parallel = |r: [i64; 2]| kinks.iter().any(|(h, _)| r[0] * h[1] == r[1] * h[0]);
    kinks.len() + if sets.clone().any(|s| parallel(rest(s))) { 1 } else { 2 }
}

#[test]
fn widths_agree_with_a_plain_search_on_integer_networks() {
    let mut random = Random(7);
    let mut seen = [0usize; 3];
    for _ in 0..400 {
        let m = 2 + (random.next().abs() * 6.0) as usize;
        let mut units: Vec<([i64; 3], i64)> = vec![];
        for _ in 0..m {
            let mut whole = |size: f64| (random.next() * size).round() as i64;
            let h = match (units.last().copied(), whole(2.0)) {
                (Some((last, _)), 0) => last.map(|v: i64| -v),
                _ => [whole(1.4), whole(1.4), whole(1.4)],
            };
            // primitive rows only, so that the reference may compare them as they are
            if h[..2] != [0, 0] && h.iter().all(|v| v.abs() <= 1) {
                units.push((h, whole(2.0)));
            }
        }
        units.retain(|u| u.1 != 0);
        if units.is_empty() {
            continue;
        }
        let w = Mat::from_fn(units.len(), 2, |j, k| units[j].0[k] as f64);
        let b = units.iter().map(|u| u.0[2] as f64).collect();
        let net = Network::scalar(w, b, units.iter().map(|u| u.1 as f64).collect(), 0.0);
        let got = collapse(&net, None, 0.0, GO);
        let expected = narrowest_by_hand(&units);
        assert_eq!((got.width.lower, got.width.upper), (expected, expected), "{units:?}");
        assert!(got.equality.max_difference <= 1e-14, "{units:?}");
        seen[expected - got.width.kinks] += 1;
    }
    assert!(seen.iter().all(|s| *s > 10), "every case occurs: {seen:?}");
}

#[test]
fn nearly_equal_units_merge_within_a_bound_that_holds() {
    let mut random = Random(11);
    let on = InputBox::new(vec![-1.0, 0.0, 5.0], vec![2.0, 3.0, 9.0]);
    let mut net = random.network(12, 3, 2);
    for j in 0..12 {
        // keep kinks within the box
        let centre = [0.5, 1.5, 7.0];
        net.b[j] = -net.w.row(j).iter().zip(centre).map(|(w, m)| w * m).sum::<f64>();
    }
    for (j, of, t) in [(6, 0, 2.0), (7, 0, -0.5), (8, 1, 1.0)] {
        let row: Vec<f64> = net.w.row(of).iter().map(|v| t * v * (1.0 + 1e-4 * random.next())).collect();
        net.w.row_mut(j).copy_from_slice(&row);
        net.b[j] = t * net.b[of] * (1.0 + 1e-4 * random.next());
    }
    assert_eq!(collapse(&net, Some(&on), 0.0, GO).width.upper, 12);
    assert_eq!(collapse(&net, Some(&on), 1e-9, GO).width.upper, 12);
    let got = collapse(&net, Some(&on), 1e-2, GO);
    assert!((9..=11).contains(&got.network.width()), "{:?}", got.width);
    assert_eq!(got.moves.len(), 5, "three units with the two they are near to");
    assert!(!got.equality.identical);
    let (difference, size) = sampled(&net, &got.network, &on, 10_000, &mut random);
    assert!(difference > 1e-6, "something has changed: {difference}");
    assert!(difference <= got.equality.max_difference, "{difference} {:?}", got.equality.max_difference);
    assert!(got.equality.max_difference < 1e-2 * size, "{}", got.equality.max_difference);
    assert!(got.equality.max_difference < 50.0 * difference, "the bound is of the right size");
}

#[test]
fn bounds_hold_on_random_boxes() {
    let mut random = Random(13);
    for _ in 0..50 {
        let net = random.network(8, 3, 2);
        let low = random.list(3);
        let high = low.iter().map(|v| v + random.next().abs()).collect();
        let on = InputBox::new(low, high);
        let got = collapse(&net, Some(&on), 0.0, GO);
        let (difference, _) = sampled(&net, &got.network, &on, 500, &mut random);
        assert!(difference <= got.equality.max_difference + 1e-14, "{difference} {:?}", got.equality);
        assert!(got.equality.max_difference < 1e-13 && got.network.width() <= net.width());
        for j in 0..8 {
            let (a, b) = on.bounds(net.w.row(j), net.b[j]);
            let corner = |up: bool| -> f64 {
                let x: Vec<f64> =
                    (0..3).map(|k| if (net.w[(j, k)] > 0.0) == up { on.high[k] } else { on.low[k] }).collect();
                net.preactivation(j, &x)
            };
            assert!(
                a <= corner(false) + 1e-15 && corner(true) - 1e-15 <= b && b - a < 1e-14 + corner(true) - corner(false)
            );
        }
    }
}

#[test]
fn patterns_on_data_are_ternary() {
    // points -1, 0, 2; units x, -x, x - 1, x + 5
    let net = line(&[(1.0, 0.0, 1.0), (-1.0, 0.0, 1.0), (1.0, -1.0, 1.0), (1.0, 5.0, 1.0), (3.0, 0.0, 2.0)], 0.0);
    let x = Mat::from_vec(3, 1, vec![-1.0, 0.0, 2.0]);
    let got = patterns(&net, &x);
    // (-,0,+), (+,0,-), (-,-,+), (+,+,+), (-,0,+): the first arises from the third
    assert_eq!((got.distinct, got.most_per_binary, got.incomparable), (4, 3, false));
    // masks by point: x = -1: 01010, 0: 00010, 2: 10111
    assert_eq!((got.regions_seen, got.saturated), (3, true));
    let apart = patterns(&line(&[(1.0, 0.5, 1.0), (-1.0, -1.0, 1.0)], 0.0), &x);
    // (-,+,+), (0,-,-)
    assert_eq!((apart.distinct, apart.incomparable, apart.regions_seen, apart.saturated), (2, true, 2, false));
}

/// An interrupt merges nothing: the network stays equal, exactly.
#[test]
fn an_interrupted_merge_changes_nothing() {
    let w = Mat::from_rows(&[[1.0], [1.02], [-1.0]]);
    let net = Network::scalar(w, vec![0.1, 0.1, 0.3], vec![1.0, 2.0, 0.5], 0.0);
    let on = InputBox::around_zero(1, 1.0);
    let merged = collapse(&net, Some(&on), 0.05, &|| false);
    assert!(!merged.moves.is_empty() && merged.network.width() == 2 && !merged.equality.identical);
    let cut = collapse(&net, Some(&on), 0.05, &|| true);
    assert!(cut.moves.is_empty() && cut.equality.identical && cut.network.width() == 3, "{cut:?}");
    assert_eq!((merged.equality.claim(), cut.equality.claim()), (Claim::Certified, Claim::Certified));
}

/// An interrupt between two pairs keeps the first, the heavier one.
#[test]
fn an_interrupted_merge_keeps_what_it_has() {
    let w = Mat::from_rows(&[[1.0], [1.02], [-1.0], [-1.01]]);
    let net = Network::scalar(w, vec![0.1, 0.1, 0.3, 0.3], vec![1.0, 2.0, 0.5, 0.4], 0.0);
    let on = InputBox::around_zero(1, 1.0);
    let whole = collapse(&net, Some(&on), 0.05, &|| false);
    let neurons = |moves: &[Move]| moves.iter().map(|m| m.neuron).collect::<Vec<_>>();
    assert_eq!((neurons(&whole.moves), whole.network.width()), (vec![1, 0, 2, 3], 2));
    let asked = Cell::new(0);
    let cut = collapse(&net, Some(&on), 0.05, &|| asked.replace(asked.get() + 1) >= 2);
    assert_eq!((neurons(&cut.moves), cut.network.width()), (vec![1, 0], 3));
    let random = &mut Random(9);
    assert!(sampled(&net, &cut.network, &on, 1000, random).0 <= cut.equality.max_difference);
    assert!(cut.equality.max_difference < whole.equality.max_difference);
}

/// A difference beyond the range of doubles is no claim.
#[test]
fn a_difference_out_of_range_is_undecided() {
    let net = |c: f64| Network::scalar(Mat::from_rows(&[[1e200]]), vec![0.0], vec![c], 0.0);
    let found = equality(&net(1e200), &net(2e200), None, &[]);
    assert!(found.max_difference.is_infinite() && found.claim() == Claim::Undecided, "{found:?}");
}
