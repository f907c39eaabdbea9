//! Tests of the generators: populations against moments, exact designs, and every error message.

use super::*;
use crate::data::spectrum::spectrum;
use crate::num::linalg::gram;

/// Features (1, 1..3) of gaussian, seed 9: the correctly rounded values, from a second program with 90 digits.
const FINGERPRINT: [u64; 3] = [0xbffc_95b3_2058_e468, 0xbfff_5d06_aa4d_6602, 0xbfe1_71a6_54c3_c51e];

fn make(text: &str) -> Synthetic {
    synthetic(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn sample_moments_match_the_exact_spectrum() {
    for text in [
        "gaussian:n=400,d=50,seed=3",
        "gaussian:n=400,d=50,power=0.75,seed=3",
        "gaussian:n=400,d=50,spike=sqrtd,seed=4",
        "rademacher:n=400,d=50,power=0.5,spike=3,seed=5",
    ] {
        let s = make(text);
        let lambda = s.spectrum.as_ref().unwrap();
        for (k, l) in lambda.iter().enumerate() {
            let second: f64 = (0..400).map(|i| s.dataset.x[(i, k)].powi(2)).sum::<f64>() / 400.0;
            // standard deviation of a mean of 400 chi-squares: sqrt(2/400)
            assert!((second / l - 1.0).abs() < 5.0 * (2.0f64 / 400.0).sqrt(), "{text}: {k}");
        }
        let (exact, seen) = (s.dimensions().unwrap(), spectrum(&s.dataset.x, None));
        assert!((seen.tau / exact.tau - 1.0).abs() < 0.1, "{text}");
        let (lo, hi) = seen.d2_population.unwrap().interval.unwrap();
        assert!(lo / 1.2 < exact.d2 && exact.d2 < hi * 1.2, "{text}: {lo} {} {hi}", exact.d2);
    }
    let s = make("rademacher:n=3,d=9");
    assert!(s.dataset.x.as_slice().iter().all(|v| v.abs() == 1.0));
    assert_eq!(s.dimensions().unwrap().d2, 9.0);
}

/// d_2 and d_inf quoted with the reference runs (d = 20000): a = 1: 67, 10; spike d: 4, 2.
#[test]
fn exact_dimensions_of_the_reference_populations() {
    let check = |text: &str, d2: f64, d_inf: f64| {
        let k = make(text).dimensions().unwrap();
        assert!((k.d2 - d2).abs() < 0.5 && (k.d_inf - d_inf).abs() < 0.5, "{text}: {k:?}");
    };
    check("gaussian:n=1,d=20000,power=1", 67.0, 10.0);
    check("gaussian:n=1,d=20000,power=0.75", 749.0, 44.0);
    check("gaussian:n=1,d=20000,spike=d", 4.0, 2.0);
}

#[test]
fn equal_text_equal_bits_and_nested_blocks() {
    let small = make("gaussian:n=4,d=7,seed=9,labels=normal");
    assert_eq!(small, make("gaussian: n=4, d=7, labels=normal, seed=9"));
    let large = make("gaussian:n=6,d=12,seed=9,labels=normal");
    for i in 0..4 {
        assert_eq!(small.dataset.x.row(i), &large.dataset.x.row(i)[..7]);
        assert_eq!(small.dataset.y[i], large.dataset.y[i]);
    }
    assert_ne!(small.dataset.x, make("gaussian:n=4,d=7,seed=10,labels=normal").dataset.x);
    // The bits are part of the contract: committed once, equal on every machine.
    let bits: Vec<u64> = large.dataset.x.row(0)[..3].iter().map(|v| v.to_bits()).collect();
    assert_eq!(bits, FINGERPRINT, "{bits:#018x?}");
}

#[test]
fn labels_have_their_law() {
    let y = |labels: &str| make(&format!("gaussian:n=1001,d=3,labels={labels},seed=2")).dataset.y;
    let sign = y("sign");
    assert_eq!((sign.iter().sum::<f64>(), sign[500], sign[501]), (1.0, 1.0, -1.0));
    let random = y("sign-random");
    assert!(random.iter().all(|v| v.abs() == 1.0) && random.iter().sum::<f64>().abs() < 5.0 * 1001f64.sqrt());
    let uniform = y("uniform:0.5:1.5");
    assert_eq!(uniform, y("uniform"));
    assert!(uniform.iter().all(|v| (0.5..=1.5).contains(&v.abs())) && uniform.iter().any(|v| *v < 0.0));
    let mean = uniform.iter().map(|v| v.abs()).sum::<f64>() / 1001.0;
    assert!((mean - 1.0).abs() < 5.0 / (12.0f64 * 1001.0).sqrt());
    assert!(y("positive:2:3").iter().all(|v| (2.0..=3.0).contains(v)));
    let normal = y("normal");
    let variance = normal.iter().map(|v| v * v).sum::<f64>() / 1001.0;
    assert!((variance - 1.0).abs() < 5.0 * (2.0f64 / 1001.0).sqrt());
    // A teacher of one neuron is a ReLU: about half exact zeros, and variance 1 before it (E relu^2 = 1/2).
    let teacher = make("gaussian:n=1000,d=40,labels=teacher:1,seed=2").dataset.y;
    let zeros = teacher.iter().filter(|v| **v == 0.0).count();
    assert!((350..650).contains(&zeros) && teacher.iter().all(|v| *v >= 0.0));
    assert!(y("teacher").iter().any(|v| *v < 0.0));
}

#[test]
fn fixed_designs() {
    let o = make("orthogonal:n=4,d=6,norm=2:3,seed=1");
    let g = gram(&o.dataset.x);
    for i in 0..4 {
        assert!((4.0..=9.0).contains(&g[(i, i)]));
        assert!((0..i).all(|l| g[(i, l)] == 0.0));
    }
    assert_eq!(gram(&make("orthogonal:n=2,d=2,norm=3").dataset.x).as_slice(), [9.0, 0.0, 0.0, 9.0]);
    assert_eq!(o.dimensions(), None);
    let v = make("vardi-shamir:gamma=2,alpha=0.5").dataset;
    assert_eq!(v.x.to_rows(), [[3.0, -1.0, 0.0], [4.0, 2.0, 0.0], [0.0, 2.0, 2.0]]);
    assert_eq!(v.y, [8.0, 9.0, 0.0]);
    let golden = make("golden").dataset;
    assert_eq!(gram(&golden.x).as_slice(), [17.0, 1.0, 1.0, 1.0, 17.0, 1.0, 1.0, 1.0, 17.0]);
    assert_eq!((golden.y, golden.rows, golden.features.len()), (vec![1.0, 2.0, -1.0], vec![1, 2, 3], 4));
}

#[test]
fn errors_name_the_culprit_and_the_cure() {
    let check = |text: &str, parts: &[&str]| {
        let message = synthetic(text).unwrap_err().to_string();
        for part in parts {
            assert!(message.contains(part), "{text}: '{message}' lacks '{part}'");
        }
    };
    check(
        "gausian:n=2,d=3",
        &["'gausian'", "did you mean 'gaussian'?", "rademacher, orthogonal, vardi-shamir, golden"],
    );
    check("", &["unknown kind", "gaussian"]);
    check("gaussian:n=2,d=3,sede=1", &["no key 'sede'", "did you mean 'seed'?", "n, d, power, spike, labels, seed"]);
    check("gaussian:n=2,d=3,gamma=1", &["no key 'gamma'; its keys"]);
    check("golden:n=3", &["'golden' has no key 'n'", "its keys are none"]);
    check("gaussian:n=2,d=3,n=4", &["'n' is given twice"]);
    check("gaussian:n=2,d", &["'d' is not of the form key=value"]);
    check("gaussian:n=2", &["needs d=..."]);
    check("gaussian:n=0,d=3", &["n=0", "whole number of 1 or more"]);
    check("gaussian:n=2.5,d=3", &["n=2.5"]);
    check("gaussian:n=2,d=3,power=-1", &["power=-1", "0 or more"]);
    check("gaussian:n=2,d=3,power=nan", &["power=nan"]);
    check("gaussian:n=2,d=3,spike=huge", &["spike=huge", "'sqrtd'"]);
    check("gaussian:n=2,d=3,labels=sing", &["labels=sing (did you mean 'sign'?)", "sign-random"]);
    check("gaussian:n=2,d=3,labels=uniform:2:1", &["labels=uniform:2:1", "lo <= hi"]);
    check("gaussian:n=2,d=3,seed=-1", &["seed=-1", "2^64"]);
    check("gaussian:n=100000,d=100000", &["8 GiB"]);
    check(&format!("gaussian:n={},d=2", usize::MAX), &["8 GiB"]);
    check("orthogonal:n=3,d=2", &["3 orthogonal rows", "d=2"]);
    check("orthogonal:n=1,d=2,norm=0", &["norm=0", "positive"]);
    check("vardi-shamir:gamma=-1", &["gamma=-1"]);
}
