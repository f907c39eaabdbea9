//! What vanishing noise selects: the rules and the law at large beta against reference values.

use relimit_core::gibbs::{Contacts, Rule, select};
use relimit_core::num::Mat;
use relimit_core::num::linalg::{gram, symmetric_eigen};
use relimit_core::num::mat::norm2;

use crate::common::{law, lifted, line};

/// The coefficient of the law within `angle` degrees of each ray.
fn near_rays(law: &relimit_core::gibbs::Law, rays: &[Vec<f64>], angle: f64) -> (Vec<f64>, Vec<f64>) {
    let norm = relimit_core::gibbs::Law::norm(&law.pieces());
    let share = |u: &Vec<f64>| law.near(&[(u.clone(), None)], angle.to_radians());
    rays.iter().map(share).map(|s| (norm * s.coefficient, s.mass)).unzip()
}

/// Even labels at sqrt 3: a constant and two tilted rays, any split of which is optimal; noise takes thirds.
#[test]
fn three_interior_rays_share_alike() {
    let x = [3f64.sqrt(), -(3f64.sqrt())];
    let half = 3f64.sqrt() / 2.0;
    let contacts = Contacts {
        rays: vec![vec![0.0, 1.0], vec![half, 0.5], vec![-half, 0.5]],
        coefficients: vec![1.8, 0.0, 0.0],
        signs: vec![1.0; 3],
        dual: vec![0.1, 0.1],
    };
    let found = select(&lifted(&[&[x[0]], &[x[1]]]), &contacts, 1e-9).unwrap();
    assert_eq!(found.rule, Rule::CubeRoot);
    assert!(found.coefficients.iter().all(|c| (c - 0.6).abs() < 1e-9), "{:?}", found.coefficients);
    for (beta, expected) in [(1e2, [0.57688, 0.57456]), (1e3, [0.59966, 0.59955]), (1e6, [0.60000, 0.60000])] {
        let law = law(&line(&x, &[2.0, 2.0], 0.2, beta));
        let (c, mass) = near_rays(&law, &contacts.rays, 0.3f64.to_degrees());
        // the reference does not cut its quadrature at the edge of the regions, where something lies until beta is large
        let tolerance = if beta > 1e5 { 1e-5 } else { 0.2 / beta };
        for (k, c) in c.iter().enumerate() {
            assert!((c - expected[k.min(1)]).abs() < tolerance, "beta {beta}, ray {k}: {c}");
        }
        if beta > 1e5 {
            assert!(mass.iter().all(|m| (m - 1.0 / 3.0).abs() < 1e-3), "{mass:?}");
        }
    }
}

/// Three interior rays with unequal coefficients, where rules other than the cube root give other numbers.
#[test]
fn the_cube_root_decides_between_unequal_rays() {
    let (n, lambda) = (2.0, 0.1);
    let points = [1.0, -(2.0 + 3f64.sqrt())];
    let x = lifted(&[&[points[0]], &[points[1]]]);
    let lengths = [norm2(x.row(0)), norm2(x.row(1))];
    let unit = |i: usize| -> Vec<f64> { x.row(i).iter().map(|v| v / lengths[i]).collect() };
    let (u1, u2) = (unit(0), unit(1));
    let u0: Vec<f64> = u1.iter().zip(&u2).map(|(a, b)| a + b).collect();
    let y: Vec<f64> = [1.0, 3.0].iter().zip(lengths).map(|(f, l)| l * f + n * lambda / l).collect();
    let contacts = Contacts {
        rays: vec![u0, u1, u2],
        coefficients: vec![0.0, 1.0, 3.0],
        signs: vec![1.0; 3],
        dual: lengths.iter().map(|l| lambda / l).collect(),
    };
    let found = select(&x, &contacts, 1e-9).unwrap();
    for (c, expected) in found.coefficients.iter().zip([0.9474728, 1.0 - 0.4737364, 3.0 - 0.4737364]) {
        assert!((c - expected).abs() < 6e-8, "{c} for {expected}");
    }
    for (beta, c0) in [(1e2, 0.97165), (1e3, 0.95037), (1e4, 0.947775), (1e6, 0.9474758)] {
        let law = law(&line(&points, &y, lambda, beta));
        let (c, mass) = near_rays(&law, &contacts.rays, 30.0);
        assert!((c[0] - c0).abs() < 2e-5, "beta {beta}: {} for {c0}", c[0]);
        if beta > 1e5 {
            for (m, expected) in mass.iter().zip([0.3114, 0.2558, 0.4320]) {
                assert!((m - expected).abs() < 2e-4, "mass {m} for {expected}");
            }
        }
    }
}

/// Six rays with one row on each kink; the law at beta 1e7 agrees with the weighted logarithms to five digits.
#[test]
fn logarithms_decide_between_rays_with_a_row_on_the_kink() {
    let x = [
        -1.6323362314596124,
        -0.9535514630027344,
        -0.8060354263435068,
        0.400402103862616,
        0.9142421072471785,
        1.2569029623771213,
    ];
    let y = [
        -0.32542283686782436,
        0.7738065867276614,
        0.28121066979764925,
        -0.5538228364240524,
        0.9775674511260357,
        -0.31055654665915255,
    ];
    let law = law(&line(&x, &y, 0.01, 1e7));
    // the six rays lie on kinks of rows: both directions orthogonal to a row that carry coefficient
    let mut rays = Vec::new();
    let mut signs = Vec::new();
    let pieces = law.pieces();
    for p in x {
        for turn in [1.0, -1.0] {
            let u = vec![turn / p.hypot(1.0), -turn * p / p.hypot(1.0)];
            let near = |q: &&relimit_core::gibbs::Piece| q.direction[0] * u[0] + q.direction[1] * u[1] > 0.9999;
            let c: f64 = pieces.iter().filter(near).map(|q| q.coefficient[0]).sum();
            if c.abs() > 0.02 {
                rays.push(u);
                signs.push(c.signum());
            }
        }
    }
    let (c, _) = near_rays(&law, &rays, 0.8);
    let mut sorted = c.clone();
    sorted.sort_by(f64::total_cmp);
    let expected = [0.08843, 0.22509, 0.60606, 1.20721, 1.88079, 3.52602];
    assert_eq!(sorted.len(), 6, "{c:?}");
    for (a, b) in sorted.iter().zip(expected) {
        assert!((a - b).abs() < 3e-5, "{sorted:?}");
    }
    // The rule, from the outputs and the dual point of the law, which are those of the optimum to about 1e-6, and from
    // another network of the optimal set: moved along the one direction that leaves the outputs alone.
    let rows: Vec<&[f64]> = x.iter().map(std::slice::from_ref).collect();
    let matrix: Mat = lifted(&rows);
    let feature = |i: usize, j: usize| {
        let z: f64 = matrix.row(i).iter().zip(&rays[j]).map(|(a, b)| a * b).sum();
        if z < 1e-9 { 0.0 } else { signs[j] * z }
    };
    let features = Mat::from_fn(6, 6, feature);
    let null = symmetric_eigen(&gram(&features.transpose()));
    assert!(null.values[0].abs() < 1e-12 && null.values[1] > 1e-6, "{:?}", null.values);
    let moved = |j: usize| signs[j] * (c[j] + 0.03 * null.vectors[(0, j)]);
    let coefficients: Vec<f64> = (0..6).map(moved).collect();
    assert!((0..6).any(|j| (coefficients[j].abs() - c[j]).abs() > 0.01));
    let dual = law.dual.as_slice().to_vec();
    let contacts = Contacts { rays, coefficients, signs, dual };
    let found = select(&matrix, &contacts, 1e-9).unwrap();
    assert_eq!(found.rule, Rule::Logarithm);
    let mut sorted: Vec<f64> = found.coefficients.iter().map(|c| c.abs()).collect();
    sorted.sort_by(f64::total_cmp);
    for (a, b) in sorted.iter().zip([0.08843, 0.22509, 0.60607, 1.20720, 1.88079, 3.52601]) {
        assert!((a - b).abs() < 3e-5, "{sorted:?}");
    }
}
