//! The messages of ONNX that a small network uses, with the fields that matter here.

use std::collections::BTreeMap;

/// Number of `FLOAT` in `TensorProto.DataType`.
pub(crate) const FLOAT: i64 = 1;
/// Number of `INT64`.
pub(crate) const INT64: i64 = 7;
/// Number of `DOUBLE`.
pub(crate) const DOUBLE: i64 = 11;

/// `ModelProto`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    /// The computation.
    pub graph: Graph,
    /// `metadata_props`.
    pub metadata: BTreeMap<String, String>,
}

/// `GraphProto`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Graph {
    /// In an order in which they can be computed.
    pub nodes: Vec<Node>,
    /// Constants by name.
    pub initializers: Vec<Tensor>,
    /// Inputs; older files list the initializers here too.
    pub inputs: Vec<ValueInfo>,
    /// Outputs.
    pub outputs: Vec<ValueInfo>,
}

/// `NodeProto`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    /// May be empty.
    pub name: String,
    /// `Gemm`, `Relu`, ...
    pub op: String,
    /// Empty for the operators of ONNX itself.
    pub domain: String,
    /// Names of what it takes; an empty name stands for an absent one.
    pub inputs: Vec<String>,
    /// Names of what it gives.
    pub outputs: Vec<String>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// `AttributeProto`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attribute {
    /// `alpha`, `transB`, ...
    pub name: String,
    /// A real number.
    pub f: Option<f32>,
    /// An integer.
    pub i: Option<i64>,
    /// A tensor.
    pub t: Option<Tensor>,
    /// Integers.
    pub ints: Vec<i64>,
}

/// `TensorProto`, its numbers converted exactly.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    /// Empty in attributes.
    pub name: String,
    /// Length along each axis.
    pub shape: Vec<usize>,
    /// Number in `TensorProto.DataType`.
    pub kind: i64,
    /// The entries, or why they are not read.
    pub values: Result<Vec<f64>, String>,
}

/// `ValueInfoProto` of a tensor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ValueInfo {
    /// Its name.
    pub name: String,
    /// Number in `TensorProto.DataType`.
    pub kind: i64,
    /// Length along each axis, `None` for a dynamic one; `None` where nothing is said.
    pub shape: Option<Vec<Option<i64>>>,
}

impl Node {
    /// How messages name it: `node 'fc1' (Gemm)`, by its output where it has no name.
    pub(crate) fn shown(&self) -> String {
        let name = if self.name.is_empty() { self.outputs.first().map_or("", String::as_str) } else { &self.name };
        format!("node '{name}' ({})", self.op)
    }

    /// An attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// A real attribute, or its default.
    pub(crate) fn real(&self, name: &str, default: f64) -> f64 {
        self.attribute(name).and_then(|a| a.f).map_or(default, f64::from)
    }

    /// An integer attribute, or its default.
    pub(crate) fn integer(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).and_then(|a| a.i).unwrap_or(default)
    }
}
