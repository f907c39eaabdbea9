//! Sign patterns: which rows of the data can be positive together, for any weight vector.
//!
//! ```text
//! pattern of u = (sign(x_1 . u), .., sign(x_n . u))
//! ```
//!
//! The patterns without zeros are the cells of the central arrangement of the rows; [`enumerate`] lists each of them once
//! with no linear program, [`count()`] counts them.

pub mod arrangement;

mod basis;
mod space;
mod vertex;

pub mod cell;
pub mod enumerate;

pub mod count;
pub mod degenerate;

mod covector;
pub mod faces;

pub use arrangement::{Arrangement, Role};
pub use cell::{Cell, OwnedCell};
pub use count::{Count, CountStatus, count, cover};
pub use covector::{Covector, is_degeneration};
pub use degenerate::{Degeneracies, Dependent, degeneracies};
pub use enumerate::{Cells, Cursor, End, Enumeration, Options, cells, cells_from, fold_cells, for_each_cell};
