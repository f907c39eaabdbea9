//! A regression data set: n examples of d features with one label each.

use std::sync::Arc;

use crate::num::Mat;

/// n examples with d features and one label; every number is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Features, n x d, rows are examples; shared, because they are most of the memory of a run. A bias column may
    /// follow them (`Scaled::push_bias`).
    pub x: Arc<Mat>,
    /// Labels, n.
    pub y: Vec<f64>,
    /// Feature names, d.
    pub features: Vec<String>,
    /// Name of the label.
    pub target: String,
    /// For each example the row of the file it came from (the header is row 1); 1..=n when there is no file.
    pub rows: Vec<usize>,
}

impl Dataset {
    /// Number of examples.
    pub fn n(&self) -> usize {
        self.x.rows()
    }

    /// Number of features, a bias column not counted.
    pub fn d(&self) -> usize {
        self.features.len()
    }

    /// Whether a bias column follows the features.
    pub fn has_bias(&self) -> bool {
        self.x.cols() == self.d() + 1
    }
}
