//! A network of one input and one output as a broken line: joints and slopes.

use serde::{Deserialize, Serialize};

use crate::certify::equality::Form;
use crate::net::{InputBox, Network};
use crate::num::exact::Dyadic;

/// A broken line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pieces {
    /// Where the slope changes, ascending, to the nearest f64.
    pub joints: Vec<f64>,
    /// Slopes between them, one more than joints, to the nearest f64.
    pub slopes: Vec<f64>,
}

/// The broken line of a network of one input and one output, on all inputs or on an interval; `None` for other shapes.
///
/// Joints at the ends of the interval do not count. Exact up to the final rounding.
pub fn pieces(net: &Network, on: Option<&InputBox>) -> Option<Pieces> {
    if (net.inputs(), net.outputs()) != (1, 1) {
        return None;
    }
    let form = Form::of(net, on);
    // h.x~ = p x + q with p > 0: a joint at -q/p where the slope grows by C p.
    let mut joints: Vec<(Dyadic, Dyadic, Dyadic)> = form
        .bends()
        .map(|(h, c)| {
            let row = h.row();
            (row[0].clone(), row[1].neg(), c[0].mul(&row[0]))
        })
        .collect();
    joints.sort_by(|a, b| a.1.mul(&b.0).sub(&b.1.mul(&a.0)).sign());
    let mut slope = form.affine()[0][0].clone();
    let mut slopes = vec![slope.nearest()];
    for (_, _, jump) in &joints {
        slope = slope.add(jump);
        slopes.push(slope.nearest());
    }
    Some(Pieces { joints: joints.iter().map(|(p, q, _)| q.ratio(p)).collect(), slopes })
}
