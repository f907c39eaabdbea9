//! Whether two networks differ by at most what is claimed: at every corner of the pieces of both, or on the rows named.

use serde_json::Value;

use crate::truth::{not_above, numbers, table};

/// A network as its certificate writes it.
struct Net {
    w: Vec<Vec<f64>>,
    b: Vec<f64>,
    c: Vec<Vec<f64>>,
    offset: Vec<f64>,
}

impl Net {
    fn of(value: &Value) -> Self {
        Self {
            w: table(&value["w"]),
            b: numbers(&value["b"]),
            c: table(&value["c"]),
            offset: numbers(&value["offset"]),
        }
    }

    fn at(&self, x: &[f64]) -> Vec<f64> {
        let active: Vec<f64> = (self.w.iter().zip(&self.b))
            .map(|(w, b)| (w.iter().zip(x).map(|(a, b)| a * b).sum::<f64>() + b).max(0.0))
            .collect();
        self.c
            .iter()
            .zip(&self.offset)
            .map(|(c, o)| o + c.iter().zip(&active).map(|(a, b)| a * b).sum::<f64>())
            .collect()
    }

    /// Lines `a . x + b = 0` where it bends.
    fn lines(&self) -> Vec<(Vec<f64>, f64)> {
        self.w.iter().cloned().zip(self.b.iter().copied()).filter(|(w, _)| w.iter().any(|v| *v != 0.0)).collect()
    }
}

/// Whether no output differs on any row by more than is claimed.
pub(crate) fn equality_on_rows(certificate: &Value) -> bool {
    let (f, g) = (Net::of(&certificate["given"]), Net::of(&certificate["narrow"]));
    let most = certificate["max_difference"].as_f64().expect("a claim");
    let pairs = table(&certificate["x"]).into_iter().map(|x| (f.at(&x), g.at(&x)));
    pairs.flat_map(|(a, b)| a.into_iter().zip(b)).all(|(a, b)| not_above((a - b).abs(), most))
}

/// Whether no output differs by more than is claimed; the difference is linear between the corners looked at.
pub(crate) fn equality(certificate: &Value) -> bool {
    let (f, g) = (Net::of(&certificate["given"]), Net::of(&certificate["narrow"]));
    let apart = |x: &[f64]| f.at(x).iter().zip(g.at(x)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let claim = |key: &str| certificate[key].as_f64().expect("a claim");
    let mut lines: Vec<(Vec<f64>, f64)> = f.lines().into_iter().chain(g.lines()).collect();
    let (inputs, most) = (certificate["inputs"].as_u64().expect("a count"), claim("max_difference"));
    if certificate["on"].is_null() {
        assert_eq!(inputs, 1, "all inputs of one dimension");
        let mut places: Vec<f64> = lines.iter().map(|(w, b)| -b / w[0]).chain([-1.0, 0.0, 1.0]).collect();
        let far = places.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let near = places.iter().filter(|x| x.abs() <= 1.0).all(|x| not_above(apart(&[*x]), most));
        // beyond the last kink both sides of the claim are linear: one place more on each side, and one far away
        places.extend([-2.0 * far, 2.0 * far, -1e3 * far, 1e3 * far]);
        let whole = |x: f64| claim("constant") + claim("slope") * x.abs();
        let everywhere = places.iter().all(|x| apart(&[*x]) <= whole(*x) + 1e-12 * (1.0 + 10.0 * x.abs()));
        return near && everywhere;
    }
    let (low, high) = (numbers(&certificate["on"]["low"]), numbers(&certificate["on"]["high"]));
    for k in 0..low.len() {
        let axis: Vec<f64> = (0..low.len()).map(|l| if l == k { 1.0 } else { 0.0 }).collect();
        lines.extend([(axis.clone(), -low[k]), (axis, -high[k])]);
    }
    let inside = |x: &[f64]| x.iter().enumerate().all(|(k, v)| *v >= low[k] - 1e-12 && *v <= high[k] + 1e-12);
    let holds = |x: &[f64]| !inside(x) || not_above(apart(x), most);
    if inputs == 1 {
        return lines.iter().all(|(w, b)| holds(&[-b / w[0]]));
    }
    assert_eq!(inputs, 2, "a box of one or two sides");
    lines.iter().enumerate().all(|(k, (a, s))| {
        lines[k + 1..].iter().all(|(b, t)| {
            let det = a[0] * b[1] - a[1] * b[0];
            det.abs() < 1e-12 || holds(&[(a[1] * t - b[1] * s) / det, (b[0] * s - a[0] * t) / det])
        })
    })
}
