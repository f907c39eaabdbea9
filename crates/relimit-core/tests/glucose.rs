//! Descent on 21 Raman spectra, where masks change a hundred thousand times (examples/data/glucose_spectra.csv).

use relimit_core::descent::{DescentOptions, Initial, Problem, Status, Unobserved, descend};
use relimit_core::num::Mat;
use relimit_core::num::linalg::Cholesky;

fn spectra() -> (Mat, Vec<f64>) {
    let text = include_str!("../../../examples/data/glucose_spectra.csv");
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().expect("a number")).collect()).collect();
    let y: Vec<f64> = rows.iter().map(|r| r[0]).collect();
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let sd = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let x: Vec<Vec<f64>> = rows.iter().map(|r| r[1..].to_vec()).collect();
    (Mat::from_rows(&x), y.iter().map(|v| (v - mean) / sd).collect())
}

fn centred_with_bias(x: &Mat) -> Mat {
    let n = x.rows() as f64;
    let means: Vec<f64> = (0..x.cols()).map(|k| (0..x.rows()).map(|i| x[(i, k)]).sum::<f64>() / n).collect();
    Mat::from_fn(x.rows(), x.cols() + 1, |i, k| if k < x.cols() { x[(i, k)] - means[k] } else { 1.0 })
}

fn orthant(p: &Problem, eps: f64) -> Initial {
    let (m, n) = (p.m(), p.n());
    let g = p.gram().expect("n <= D");
    let a = Cholesky::new(g).expect("independent rows").solve(&vec![eps; n]);
    let z = g.mul_vec(&a);
    Initial {
        alpha: Mat::from_fn(m, n, |_, i| a[i]),
        z: Mat::from_fn(m, n, |_, i| z[i]),
        offset: Mat::zeros(m, p.dim()),
    }
}

#[test]
fn table() {
    let (x, y) = spectra();
    let c: Vec<f64> = vec![1.0, -1.0];
    // loss after the limit of a step-by-step reference in C; None: diverges
    let rows = [
        (false, 2.0, 1, Some(10.5)),
        (false, 2.0, 2, Some(10.5)),
        (false, 30.0, 1, Some(5.804318934903)),
        (false, 30.0, 2, Some(5.804318934903)),
        (false, 100.0, 2, Some(5.804318934903)),
        (true, 2.0, 1, None),
        (true, 2.0, 2, None),
        (true, 30.0, 1, Some(7.934620759338)),
        (true, 30.0, 2, Some(3.391702933632)),
    ];
    for (centred, big_c, m, loss) in rows {
        let x = if centred { centred_with_bias(&x) } else { x.clone() };
        let p = Problem::new(x, y.clone(), c[..m].to_vec(), false);
        let g = p.gram().unwrap();
        let tau = (0..21).map(|i| g[(i, i)]).sum::<f64>() / 21.0;
        let start = orthant(&p, 1e-3);
        let limit = descend(&p, &start, &DescentOptions::to_limit(1.0 / (big_c * tau)), &mut Unobserved, &|| false);
        println!("{centred} C={big_c} m={m} {:?} last {} {:?}", limit.reason, limit.last_event, limit.work);
        match loss {
            Some(loss) => {
                assert_eq!(limit.status, Status::Converged);
                assert!((p.loss(&limit.z) - loss).abs() < 1e-9);
            }
            None => assert_eq!(limit.status, Status::Diverged),
        }
    }
}
