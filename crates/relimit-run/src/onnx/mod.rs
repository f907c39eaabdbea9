//! The part of ONNX that a two-layer network needs: its messages, read and written without a code generator.

mod decode;
mod encode;
mod model;
mod wire;

pub(crate) use decode::model;
pub(crate) use encode::bytes;
pub(crate) use model::{Attribute, DOUBLE, Graph, Model, Node, Tensor, ValueInfo};
