//! Global optima of the regularised loss with their dual certificates: half-mean loss, penalised bias.

use crate::net::Network;
use crate::num::Mat;

/// A problem whose unique optimal network is known.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Name in the table.
    pub name: &'static str,
    /// Inputs, n x d, without a column of ones.
    pub x: Mat,
    /// Labels, n.
    pub y: Vec<f64>,
    /// Weight decay.
    pub lambda: f64,
    /// The minimum, to 1e-13.
    pub objective: f64,
    /// Norm `sum_j |c_j|` of the optimal function, to 1e-11.
    pub variation: f64,
    /// Weight decay from which on f = 0 is optimal, to 1e-11.
    pub lambda_max: f64,
    /// Rays of the optimum, c then the unit vector (w, b), to 1e-11.
    pub rays: Vec<(f64, Vec<f64>)>,
}

impl Optimum {
    /// The optimal network, every neuron balanced.
    pub fn network(&self) -> Network {
        let d = self.x.cols();
        let scale = |c: f64| c.abs().sqrt();
        Network::scalar(
            Mat::from_fn(self.rays.len(), d, |j, k| scale(self.rays[j].0) * self.rays[j].1[k]),
            self.rays.iter().map(|(c, u)| scale(*c) * u[d]).collect(),
            self.rays.iter().map(|(c, _)| c.signum() * scale(*c)).collect(),
            0.0,
        )
    }
}

fn optimum(
    name: &'static str,
    x: &[&[f64]],
    y: &[f64],
    [lambda, objective, variation, lambda_max]: [f64; 4],
    rays: &[(f64, &[f64])],
) -> Optimum {
    Optimum {
        name,
        x: Mat::from_rows(x),
        y: y.to_vec(),
        lambda,
        objective,
        variation,
        lambda_max,
        rays: rays.iter().map(|(c, u)| (*c, u.to_vec())).collect(),
    }
}

/// The eight reference optima.
///
/// # Source
/// Math note on noisy SGD, section 8: found by a conic program over all cells and Newton steps on faces; certified by the
/// exact oracle over all cells (duality gaps up to 5.4e-16, supremum of |q| at most lambda (1 + 1.2e-14)).
pub fn golden_optima() -> Vec<Optimum> {
    const S: f64 = std::f64::consts::FRAC_1_SQRT_2;
    vec![
        optimum(
            "G1",
            &[&[0.5], &[-1.5]],
            &[1.0, -0.5],
            [0.05, 0.05623231580267, 1.068396316053, 0.554700196225],
            &[(0.820137818866, &[0.554700196225, 0.832050294338]), (-0.248258497187, &[-0.894427191, 0.4472135955])],
        ),
        optimum(
            "G2",
            &[&[-2.0], &[-1.0], &[0.0], &[1.0], &[2.0]],
            &[1.0, -1.0, 0.5, 1.5, -0.5],
            [0.05, 0.33878607443792, 4.192388155425, 0.316227766017],
            &[
                (-0.148181216088, &[-S, S]),
                (1.358757210636, &[-S, -S]),
                (0.619585736879, &[S, S]),
                (-2.065863991823, &[S, -S]),
            ],
        ),
        optimum(
            "G2b",
            &[&[-2.0], &[-1.0], &[0.0], &[1.0], &[2.0]],
            &[1.0, -1.0, 0.5, 1.5, -0.5],
            [0.01, 0.08975758242405, 8.393998230269, 0.316227766017],
            &[
                (-0.581603180631, &[-0.73975168443, 0.672879963576]),
                (3.084572757603, &[-S, -S]),
                (1.155829479483, &[S, S]),
                (-3.571992812551, &[0.73975168443, -0.672879963576]),
            ],
        ),
        optimum(
            "G3",
            &[&[0.0], &[1.0], &[3.0]],
            &[0.0, 1.0, 0.0],
            [0.02, 0.05026854249492, 2.198427124746, 0.471404520791],
            &[(0.587106781187, &[S, S]), (-0.467106781187, &[-S, S]), (-1.144213562373, &[S, -S])],
        ),
        optimum(
            "G4",
            &[&[1.0, 0.0], &[0.0, 1.0], &[-1.0, -0.5], &[0.3, -1.2]],
            &[1.0, -1.0, 1.0, -0.5],
            [0.02, 0.06469578123307, 3.078940339502, 0.296067982058],
            &[
                (-0.790928137424, &[-0.235702260396, 0.942809041582, 0.235702260396]),
                (1.067982752204, &[0.98190805389, 0.133896552803, -0.133896552803]),
                (-0.431731910089, &[0.235702260396, -0.942809041582, -0.235702260396]),
                (0.788297539785, &[-0.98190805389, -0.133896552803, 0.133896552803]),
            ],
        ),
        optimum(
            "G5",
            &[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]],
            &[0.0, 1.0, 1.0, 0.0],
            [0.01, 0.02710704415704, 2.592981706662, 0.612372435696],
            &[
                (0.031911621398, &[0.258819045103, 0.258819045103, 0.930604859102]),
                (1.280535042632, &[S, -S, 0.0]),
                (1.280535042632, &[-S, S, 0.0]),
            ],
        ),
        optimum(
            "G6",
            &[&[1.0, 1.0], &[-1.0, 1.0], &[-1.0, -1.0], &[1.0, -1.0], &[0.0, 0.0]],
            &[1.0, -1.0, 1.0, -1.0, 0.0],
            [0.02, 0.05456854249492, 2.628427124746, 0.282842712475],
            &[
                (-0.657106781187, &[-S, S, 0.0]),
                (0.657106781187, &[S, S, 0.0]),
                (-0.657106781187, &[S, -S, 0.0]),
                (0.657106781187, &[-S, -S, 0.0]),
            ],
        ),
        optimum(
            "G7",
            &[&[2.0, 0.5], &[-1.0, 1.5], &[0.5, -2.0], &[-1.5, -1.0], &[1.0, 2.0], &[0.2, 0.1]],
            &[1.0, 0.5, -1.0, 0.8, -0.6, 0.3],
            [0.02, 0.04817699559402, 2.264417826331, 0.376455736963],
            &[
                (-0.368267126078, &[-0.184479650993, 0.975623567735, -0.118852481881]),
                (-0.543309277724, &[0.228704579071, -0.973060216926, 0.029120950321]),
                (0.688698238152, &[0.888909342634, -0.143301774526, -0.435091693779]),
                (0.664143184376, &[-0.796654632958, 0.100299917423, 0.596054798112]),
            ],
        ),
    ]
}

/// Two points +-X on a line with labels (y, -y) ("odd") or (y, y) ("even"), in closed form.
///
/// ```text
/// q1: odd 2X/L for X < 1, L for X >= 1; even 2 for X <= sqrt 3, L for X >= sqrt 3        (L = sqrt(1 + X^2))
/// f(x) = y - 2 lambda/q1,  sum |c| = 2 f(x)/q1,  F = 2 lambda y/q1 - 2 lambda^2/q1^2,  lambda_max = y q1/2
/// ```
///
/// # Assumes
/// X > 0, y > 0, 0 < lambda < lambda_max; even labels with X = sqrt 3 have more than one optimum, and the constant is returned.
///
/// # Source
/// Math note on noisy SGD, section 4.
pub fn two_symmetric_points(position: f64, y: f64, even: bool, lambda: f64) -> Optimum {
    let l = position.hypot(1.0);
    let (q, rays): (f64, Vec<(f64, Vec<f64>)>) = match (even, position) {
        (false, p) if p < 1.0 => (2.0 * p / l, vec![(1.0, vec![1.0 / l, p / l]), (-1.0, vec![-1.0 / l, p / l])]),
        (false, p) => (l, vec![(1.0, vec![p / l, 1.0 / l]), (-1.0, vec![-p / l, 1.0 / l])]),
        (true, p) if p * p <= 3.0 => (2.0, vec![(1.0, vec![0.0, 1.0])]),
        (true, p) => (l, vec![(1.0, vec![p / l, 1.0 / l]), (1.0, vec![-p / l, 1.0 / l])]),
    };
    let f = y - 2.0 * lambda / q;
    let variation = 2.0 * f / q;
    let each = variation / rays.len() as f64;
    Optimum {
        name: "two symmetric points",
        x: Mat::from_rows(&[[position], [-position]]),
        y: vec![y, if even { y } else { -y }],
        lambda,
        objective: 2.0 * lambda * y / q - 2.0 * lambda * lambda / (q * q),
        variation,
        lambda_max: 0.5 * y * q,
        rays: rays.into_iter().map(|(s, u)| (s * each, u)).collect(),
    }
}
