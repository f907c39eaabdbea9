//! Faces of the arrangement: every sign vector with three values, rays, and the faces of one cell.

mod contraction;
mod covectors;
mod flats;
mod lattice;
mod small_cells;

pub use covectors::{Face, Faces, covector_of, for_each_covector};
pub use flats::{Flat, for_each_flat};
pub use lattice::{FaceLattice, Ray};
