//! The global optimum of the regularised loss by column generation: this proposes, `core::certify` disposes.

mod objective;
mod ray;
mod rounding;

mod prove;
mod trace;

mod columns;
mod line;
mod price;

mod merge;
mod newton;
mod restricted;

mod largest;
mod selected;
mod unique;

mod shape;

mod vector;

mod ask;
mod several;

pub use ask::{FurtherLabels, OptimumError, OptimumOutcome, OptimumQuestion, Proposed, optimum_answer, target_maps};
pub(crate) use ask::{claim, in_range, within};
pub use columns::Candidate;
pub use largest::{LambdaMax, lambda_max};
pub use line::Line;
pub use objective::Objective;
pub use prove::{Effort, Optimum, optimum};
pub use ray::Ray;
pub(crate) use rounding::ON_KINK;
pub(crate) use selected::kink;
pub use selected::{limit_rays, rule_name, selected};
pub use shape::{ExactFit, Kink, exact_fit, kinks};
pub use trace::TracePoint;
pub use unique::{Contact, contact};
pub use vector::{
    Cell, VectorNet, VectorObjective, VectorOptimum, VectorRay, cells, vector_lambda_max, vector_optimum,
};
