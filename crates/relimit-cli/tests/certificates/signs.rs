//! Sign vectors of whole-numbered rows in two or three coordinates, by listing points of every face in integers.

use std::collections::BTreeSet;

use serde_json::Value;

fn rows(certificate: &Value) -> Vec<[i64; 3]> {
    let whole = |v: &Value| v.as_f64().filter(|v| v.fract() == 0.0).expect("a whole number") as i64;
    let all = certificate["x"].as_array().expect("rows").iter();
    all.map(|r| r.as_array().expect("a row")).map(|r| [whole(&r[0]), whole(&r[1]), r.get(2).map_or(0, whole)]).collect()
}

/// Points of every face: a face that is more than a line through 0 has among its points the sum of up to D of its extreme
/// rays, and these are normal to D - 1 rows.
fn covectors(x: &[[i64; 3]], plane: bool) -> BTreeSet<String> {
    let cross =
        |a: &[i64; 3], b: &[i64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    // two coordinates: the third is a row of its own
    let seconds: Vec<[i64; 3]> = if plane { vec![[0, 0, 1]] } else { x.to_vec() };
    let mut rays = vec![[0; 3]];
    for a in x {
        for b in &seconds {
            let ray = cross(a, b);
            rays.extend([ray, ray.map(|v| -v)]);
        }
    }
    rays.sort_unstable();
    rays.dedup();
    let sign = |u: [i64; 3], r: &[i64; 3]| match r[0] * u[0] + r[1] * u[1] + r[2] * u[2] {
        0 => '0',
        v if v < 0 => '-',
        _ => '+',
    };
    let mut out = BTreeSet::new();
    for a in &rays {
        for b in &rays {
            for c in &rays {
                let u = [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]];
                out.insert(x.iter().map(|r| sign(u, r)).collect());
            }
        }
    }
    out
}

fn all(certificate: &Value) -> (Vec<[i64; 3]>, BTreeSet<String>) {
    let x = rows(certificate);
    let plane = certificate["x"][0].as_array().expect("a row").len() == 2;
    let found = covectors(&x, plane);
    (x, found)
}

/// Whether the claim of a pattern is true.
pub(crate) fn pattern(certificate: &Value) -> bool {
    let wanted = certificate["pattern"].as_str().expect("signs");
    certificate["possible"].as_bool() == Some(all(certificate).1.contains(wanted))
}

/// Whether the number of patterns is the one claimed.
pub(crate) fn list(certificate: &Value) -> bool {
    let (x, found) = all(certificate);
    let cell = |s: &&String| s.chars().zip(&x).all(|(c, r)| (c == '0') == (*r == [0; 3]));
    certificate["patterns"] == found.iter().filter(cell).count()
}
