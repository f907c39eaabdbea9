//! The stationary law of noisy gradient descent with weight decay, from a concave problem in the n dual variables.
//!
//! ```text
//! min over laws rho of   named loss(f_rho) + (lambda/2) E|theta|^2 - H(rho)/beta
//!   = max over r of      r . y - |r|^2/(2 omega) - log Z(r)/beta
//! Z(r) = const * I(r),   I(r) = int over |v| = 1 of (lambda^2 - |q(v)|^2)^(-D/2) dv,   q(v) = sum_i r_i relu(v . x_i)
//! ```
//!
//! On a cell of the arrangement of the rows the integrand is a power -D/2 of one quadratic form, so that the integral is
//! a solid angle after a linear map: elementary for D = 1, 2, 3. Above, the sphere is weighted points, with a stated error.

mod dual_number;
mod simplex;

mod cells;

mod integral;

mod bump;
mod peaks;
mod points;
mod sphere;

mod law;
mod newton;
mod sampled;
mod solve;

mod measure;
mod width;

mod sample;

mod select;

pub use law::{Law, Model};
pub use measure::{Piece, Shares};
pub use sample::{Draw, sample};
pub use sampled::solve_sampled;
pub use select::{Contacts, Rule, Selected, select};
pub use solve::{Solve, Stopped, solve};
pub use width::{COUNTS, Group, groups};
