//! The global optimum for several outputs: the group version of column generation.

mod objective;

mod circle;
mod price;

mod cells;
mod polish;
mod restricted;
mod thin;

mod largest;
mod prove;

pub use cells::{Cell, cells};
pub use largest::vector_lambda_max;
pub use objective::{VectorNet, VectorObjective, VectorRay};
pub use prove::{VectorOptimum, vector_optimum};
