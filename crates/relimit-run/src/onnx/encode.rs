//! ONNX messages as bytes.

use super::model::{Attribute, Graph, Model, Node, Tensor, ValueInfo};
use super::wire::{put_bytes, put_int, put_varint};

/// Version of the file format (2021, with opset 14: the first whose Relu takes every float type in all runtimes).
const IR_VERSION: i64 = 8;
const OPSET: i64 = 14;

/// The file's bytes. Tensors are written as doubles.
pub(crate) fn bytes(model: &Model) -> Vec<u8> {
    let mut out = vec![];
    put_int(&mut out, 1, IR_VERSION);
    put_bytes(&mut out, 2, b"relimit");
    put_bytes(&mut out, 3, env!("CARGO_PKG_VERSION").as_bytes());
    put_bytes(&mut out, 7, &graph(&model.graph));
    let mut opset = vec![];
    put_bytes(&mut opset, 1, b"");
    put_int(&mut opset, 2, OPSET);
    put_bytes(&mut out, 8, &opset);
    for (key, value) in &model.metadata {
        let mut pair = vec![];
        put_bytes(&mut pair, 1, key.as_bytes());
        put_bytes(&mut pair, 2, value.as_bytes());
        put_bytes(&mut out, 14, &pair);
    }
    out
}

fn graph(graph: &Graph) -> Vec<u8> {
    let mut out = vec![];
    graph.nodes.iter().for_each(|n| put_bytes(&mut out, 1, &node(n)));
    put_bytes(&mut out, 2, b"network");
    graph.initializers.iter().for_each(|t| put_bytes(&mut out, 5, &tensor(t)));
    graph.inputs.iter().for_each(|v| put_bytes(&mut out, 11, &value_info(v)));
    graph.outputs.iter().for_each(|v| put_bytes(&mut out, 12, &value_info(v)));
    out
}

fn node(node: &Node) -> Vec<u8> {
    let mut out = vec![];
    node.inputs.iter().for_each(|n| put_bytes(&mut out, 1, n.as_bytes()));
    node.outputs.iter().for_each(|n| put_bytes(&mut out, 2, n.as_bytes()));
    put_bytes(&mut out, 3, node.name.as_bytes());
    put_bytes(&mut out, 4, node.op.as_bytes());
    node.attributes.iter().for_each(|a| put_bytes(&mut out, 5, &attribute(a)));
    out
}

/// Attributes carry their kind: 1 a real number, 2 an integer.
fn attribute(attribute: &Attribute) -> Vec<u8> {
    let mut out = vec![];
    put_bytes(&mut out, 1, attribute.name.as_bytes());
    if let Some(f) = attribute.f {
        put_varint(&mut out, 2 << 3 | 5);
        out.extend_from_slice(&f.to_le_bytes());
        put_int(&mut out, 20, 1);
    }
    if let Some(i) = attribute.i {
        put_int(&mut out, 3, i);
        put_int(&mut out, 20, 2);
    }
    out
}

fn tensor(tensor: &Tensor) -> Vec<u8> {
    let mut out = vec![];
    tensor.shape.iter().for_each(|d| put_int(&mut out, 1, d.cast_signed() as i64));
    put_int(&mut out, 2, tensor.kind);
    put_bytes(&mut out, 8, tensor.name.as_bytes());
    let raw: Vec<u8> = tensor.values.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    put_bytes(&mut out, 9, &raw);
    out
}

/// A dynamic axis gets the name `batch`.
fn value_info(info: &ValueInfo) -> Vec<u8> {
    let mut shape = vec![];
    for length in info.shape.iter().flatten() {
        let mut dim = vec![];
        match length {
            Some(k) => put_int(&mut dim, 1, *k),
            None => put_bytes(&mut dim, 2, b"batch"),
        }
        put_bytes(&mut shape, 1, &dim);
    }
    let mut tensor = vec![];
    put_int(&mut tensor, 1, info.kind);
    put_bytes(&mut tensor, 2, &shape);
    let mut kind = vec![];
    put_bytes(&mut kind, 1, &tensor);
    let mut out = vec![];
    put_bytes(&mut out, 1, info.name.as_bytes());
    put_bytes(&mut out, 2, &kind);
    out
}

#[cfg(test)]
mod tests {
    use super::super::{DOUBLE, decode};
    use super::*;

    #[test]
    fn a_model_comes_back() {
        let info = |name: &str| ValueInfo { name: name.into(), kind: DOUBLE, shape: Some(vec![None, Some(2)]) };
        let trans = Attribute { name: "transB".into(), i: Some(1), ..Attribute::default() };
        let alpha = Attribute { name: "alpha".into(), f: Some(0.5), ..Attribute::default() };
        let node = Node {
            name: "hidden".into(),
            op: "Gemm".into(),
            inputs: vec!["x".into(), "w".into(), String::new()],
            outputs: vec!["y".into()],
            attributes: vec![trans, alpha],
            ..Node::default()
        };
        let w = Tensor { name: "w".into(), shape: vec![1, 2], kind: DOUBLE, values: Ok(vec![0.1, -3e-300]) };
        let graph =
            Graph { nodes: vec![node], initializers: vec![w], inputs: vec![info("x")], outputs: vec![info("y")] };
        let model = Model { graph, metadata: [("relimit".to_string(), "{}".to_string())].into() };
        assert_eq!(decode::model(&bytes(&model)), Ok(model));
    }
}
