//! An ONNX graph, followed from its input to its output: two linear maps with one Relu between, or a refusal by node.

use std::collections::BTreeMap;

use relimit_core::net::Network;
use relimit_core::num::Mat;

use super::super::{Notice, ReadError};
use super::{NetworkFile, parts};
use crate::onnx::{self, Graph, Node, Tensor};

const CURE: &str = "one hidden layer with Relu and no output activation is read: Gemm, or MatMul and Add; Relu; Gemm, or MatMul and Add";

/// What the text of a refusal begins with.
type Refused = String;

/// Reads the bytes of an .onnx file.
pub(super) fn network(file: &str, bytes: &[u8]) -> Result<(NetworkFile, Vec<Notice>), ReadError> {
    let format =
        |found: String, cure: &str| ReadError::Format { file: file.to_string(), found, cure: cure.to_string() };
    let model = onnx::model(bytes).map_err(|what| {
        format(format!("no readable .onnx file ({what})"), "write it again with torch.onnx.export or skl2onnx")
    })?;
    let (layers, notices) = follow(&model.graph).map_err(|found| format(found, CURE))?;
    let (features, target) = match model.metadata.get(crate::write::METADATA) {
        Some(text) => parts::names(file, text)?,
        None => (None, None),
    };
    let features = features.map(|v| parts::named_inputs(file, v, layers.first.map.cols())).transpose()?;
    let network = Network::new(layers.first.map, layers.first.shift, layers.second.map, layers.second.shift);
    let names = [&layers.first.node, &layers.first.node, &layers.second.node, &layers.second.node];
    parts::finite(file, &network, names.map(String::as_str))?;
    Ok((NetworkFile { network, features, target }, notices))
}

/// `x -> map x + shift`, with the node that it came from.
#[derive(Clone, Debug)]
struct Affine {
    map: Mat,
    shift: Vec<f64>,
    has_shift: bool,
    node: String,
}

struct Layers {
    first: Affine,
    second: Affine,
}

/// Whether an example lies along the last axis (`batch x features`) or along the first (`features x batch`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Rows,
    Columns,
}

/// What the input has become at some place of the graph.
#[derive(Clone, Debug, Default)]
struct Data {
    /// `None` until an operator tells.
    side: Option<Side>,
    /// Scale and shift of each input before the first layer (one number for all, or one each).
    before: Vec<(bool, Vec<f64>)>,
    first: Option<Affine>,
    relu: bool,
    second: Option<Affine>,
    /// A Reshape has laid the outputs of an example along another axis: nothing may be computed any more.
    flat: bool,
}

#[derive(Clone, Debug)]
enum Value {
    Constant(Tensor),
    Data(Box<Data>),
}

/// Follows the nodes in the order of the file, which ONNX asks to be one of computation.
fn follow(graph: &Graph) -> Result<(Layers, Vec<Notice>), Refused> {
    let mut values: BTreeMap<&str, Value> = BTreeMap::new();
    for tensor in &graph.initializers {
        values.insert(&tensor.name, Value::Constant(tensor.clone()));
    }
    let inputs: Vec<&str> = graph.inputs.iter().map(|i| i.name.as_str()).filter(|n| !values.contains_key(n)).collect();
    let [input] = inputs[..] else { return Err(format!("{} inputs ({})", inputs.len(), inputs.join(", "))) };
    let [output] = &graph.outputs[..] else { return Err(format!("{} outputs", graph.outputs.len())) };
    values.insert(input, Value::Data(Box::default()));
    for node in &graph.nodes {
        let value = step(node, &values)?;
        let Some(name) = node.outputs.first() else { return Err(format!("{} gives nothing", node.shown())) };
        values.insert(name, value);
    }
    let Some(Value::Data(end)) = values.remove(output.name.as_str()) else {
        return Err(format!("output '{}' does not depend on the input", output.name));
    };
    finish(*end)
}

/// The two layers, once the output is reached.
fn finish(end: Data) -> Result<(Layers, Vec<Notice>), Refused> {
    let (first, second) = match (end.first, end.relu, end.second) {
        (Some(first), true, Some(second)) => (first, second),
        (Some(first), true, None) => {
            return Err(format!("the Relu after {} is the output: an output activation", first.node));
        }
        (Some(first), false, _) => {
            return Err(format!("no Relu after {}: the network is affine", first.node));
        }
        _ => return Err("no linear layer".into()),
    };
    let mut notices = vec![];
    for (layer, what) in [(&first, "hidden bias"), (&second, "output bias")] {
        if !layer.has_shift {
            notices.push(Notice::TakenAsZero { what: format!("{what} ({})", layer.node) });
        }
    }
    Ok((Layers { first, second }, notices))
}

/// The value that a node gives.
fn step(node: &Node, values: &BTreeMap<&str, Value>) -> Result<Value, Refused> {
    let get = |k: usize| -> Result<&Value, Refused> {
        let name = node.inputs.get(k).filter(|n| !n.is_empty());
        let name = name.ok_or_else(|| format!("{} lacks input {k}", node.shown()))?;
        values.get(name.as_str()).ok_or_else(|| format!("{}: nothing gives its input '{name}'", node.shown()))
    };
    if !node.domain.is_empty() && node.domain != "ai.onnx" {
        return Err(format!("{} of domain {} is not read", node.shown(), node.domain));
    }
    let flat = |v: Option<&Value>| matches!(v, Some(Value::Data(d)) if d.flat);
    if node.op != "Identity" && node.op != "Cast" && node.inputs.iter().any(|n| flat(values.get(n.as_str()))) {
        return Err(format!("{} follows a Reshape of the outputs", node.shown()));
    }
    match (node.op.as_str(), node.inputs.len()) {
        ("Constant", 0) => {
            let tensor = node.attribute("value").and_then(|a| a.t.clone());
            Ok(Value::Constant(tensor.ok_or_else(|| format!("{} holds no tensor", node.shown()))?))
        }
        ("Identity" | "Cast" | "Dropout" | "Flatten" | "Reshape" | "Squeeze" | "Unsqueeze", 1..) => match get(0)? {
            Value::Data(data) => passed(node, data, node.inputs.get(1).and_then(|n| values.get(n.as_str()))),
            Value::Constant(t) if node.op == "Identity" || node.op == "Cast" => Ok(Value::Constant(t.clone())),
            Value::Constant(_) => Err(format!("{} of a constant is not read", node.shown())),
        },
        ("Transpose", 1) => match get(0)? {
            Value::Constant(t) => Ok(Value::Constant(transposed(node, t)?)),
            Value::Data(data) => Ok(Value::Data(Box::new(turned(data)))),
        },
        ("Relu", 1) => match get(0)? {
            Value::Data(data) => relu(node, data),
            Value::Constant(_) => Err(format!("{} of a constant is not read", node.shown())),
        },
        ("Gemm", 2 | 3) => gemm(node, get(0)?, get(1)?, node.inputs.get(2).filter(|n| !n.is_empty()).map(|_| get(2))),
        ("MatMul", 2) => product(node, get(0)?, get(1)?, [false; 2], 1.0),
        ("Add" | "Sub" | "Mul" | "Div", 2) => elementwise(node, get(0)?, get(1)?),
        _ => Err(format!("{} is not read", node.shown())),
    }
}

/// Operators that leave the numbers as they are; a new shape must keep the features of an example together.
fn passed(node: &Node, data: &Data, shape: Option<&Value>) -> Result<Value, Refused> {
    let features = data.second.as_ref().or(data.first.as_ref()).map(|a| a.map.rows());
    if let (Some(k), "Reshape", Some(Value::Constant(t))) = (features.filter(|k| *k > 1), node.op.as_str(), shape) {
        let last = t.values.as_ref().ok().and_then(|v| v.last().copied()).unwrap_or(-1.0);
        if ![k as f64, -1.0, 0.0].contains(&last) {
            // skl2onnx gives several outputs the shape (-1, 1): the numbers and their order stay
            if data.second.is_some() {
                return Ok(Value::Data(Box::new(Data { flat: true, ..data.clone() })));
            }
            return Err(format!("{} mixes the {k} features of an example", node.shown()));
        }
    }
    if let (Some(k), "Flatten") = (features.filter(|k| *k > 1), node.op.as_str())
        && !matches!(node.integer("axis", 1), 1 | -1)
    {
        return Err(format!("{} mixes the {k} features of an example", node.shown()));
    }
    Ok(Value::Data(Box::new(data.clone())))
}

fn turned(data: &Data) -> Data {
    let side = data.side.map(|s| if s == Side::Rows { Side::Columns } else { Side::Rows });
    Data { side, ..data.clone() }
}

fn transposed(node: &Node, tensor: &Tensor) -> Result<Tensor, Refused> {
    let m = matrix(node, tensor)?.transpose();
    Ok(Tensor { shape: vec![m.rows(), m.cols()], values: Ok(m.into_vec()), ..tensor.clone() })
}

fn relu(node: &Node, data: &Data) -> Result<Value, Refused> {
    if data.relu {
        let what = if data.second.is_some() { "an output activation or a second hidden layer" } else { "repeated" };
        return Err(format!("{} is {what}", node.shown()));
    }
    if data.first.is_none() {
        return Err(format!("{} stands before the first linear layer", node.shown()));
    }
    Ok(Value::Data(Box::new(Data { relu: true, ..data.clone() })))
}

/// `alpha A' B' + beta C`, either factor transposed on request.
fn gemm(node: &Node, a: &Value, b: &Value, c: Option<Result<&Value, Refused>>) -> Result<Value, Refused> {
    let trans = [node.integer("transA", 0) != 0, node.integer("transB", 0) != 0];
    let value = product(node, a, b, trans, node.real("alpha", 1.0))?;
    let (Some(c), Value::Data(data)) = (c.transpose()?, &value) else { return Ok(value) };
    let Value::Constant(c) = c else {
        return Err(format!("{} adds two values that depend on the input", node.shown()));
    };
    let beta = node.real("beta", 1.0);
    let shift: Vec<f64> = spread(node, data, c)?.iter().map(|v| beta * v).collect();
    added(node, data, &shift)
}

/// A product of the data with a constant matrix, in either order.
fn product(node: &Node, a: &Value, b: &Value, trans: [bool; 2], alpha: f64) -> Result<Value, Refused> {
    // The map takes an example to an example, so its rows are the new features.
    let (data, tensor, needs, gives, turn) = match (a, b) {
        (Value::Data(d), Value::Constant(t)) => {
            (d, t, if trans[0] { Side::Columns } else { Side::Rows }, Side::Rows, !trans[1])
        }
        (Value::Constant(t), Value::Data(d)) => {
            (d, t, if trans[1] { Side::Rows } else { Side::Columns }, Side::Columns, trans[0])
        }
        (Value::Data(_), Value::Data(_)) => {
            return Err(format!("{} multiplies two values that depend on the input", node.shown()));
        }
        _ => return Err(format!("{} of two constants is not read", node.shown())),
    };
    if data.side.is_some_and(|s| s != needs) {
        return Err(format!("{} sums over the examples, not over their features", node.shown()));
    }
    let m = matrix(node, tensor)?;
    let mut map = if turn { m.transpose() } else { m };
    map.as_mut_slice().iter_mut().for_each(|v| *v *= alpha);
    let mut next = Data { side: Some(gives), ..(**data).clone() };
    let affine = |map: Mat| Affine { shift: vec![0.0; map.rows()], has_shift: false, node: node.shown(), map };
    let fits = |features: usize| {
        let found = map.cols();
        if found == features { Ok(()) } else { Err(format!("{} takes {found} features of {features}", node.shown())) }
    };
    match (&data.first, data.relu, &data.second) {
        (None, false, _) => next.first = Some(scaled(node, affine(map), &data.before)?),
        (Some(first), true, None) => {
            fits(first.map.rows())?;
            next.second = Some(affine(map));
        }
        (Some(first), false, _) => {
            return Err(format!(
                "{} follows {} without a Relu between: a linear hidden layer",
                node.shown(),
                first.node
            ));
        }
        (_, _, Some(second)) => return Err(format!("{} follows {}: a third layer", node.shown(), second.node)),
        (None, true, None) => return Err(format!("{} follows a Relu of the input", node.shown())),
    }
    Ok(Value::Data(Box::new(next)))
}

/// The first layer with the scaling of the inputs before it folded in.
fn scaled(node: &Node, mut layer: Affine, before: &[(bool, Vec<f64>)]) -> Result<Affine, Refused> {
    let d = layer.map.cols();
    for (is_scale, values) in before.iter().rev() {
        let values = match values.len() {
            1 => vec![values[0]; d],
            k if k == d => values.clone(),
            k => return Err(format!("{} takes {d} features, of which {k} are scaled", node.shown())),
        };
        if *is_scale {
            for j in 0..layer.map.rows() {
                layer.map.row_mut(j).iter_mut().zip(&values).for_each(|(w, s)| *w *= s);
            }
        } else {
            let more = layer.map.mul_vec(&values);
            layer.shift.iter_mut().zip(more).for_each(|(b, v)| *b += v);
            layer.has_shift = true;
        }
    }
    Ok(layer)
}

/// Add, Sub, Mul and Div with a constant: a bias, or a scaling of features.
fn elementwise(node: &Node, a: &Value, b: &Value) -> Result<Value, Refused> {
    let (data, tensor, swapped) = match (a, b) {
        (Value::Data(d), Value::Constant(t)) => (d, t, false),
        (Value::Constant(t), Value::Data(d)) => (d, t, true),
        (Value::Data(_), Value::Data(_)) => {
            return Err(format!("{} combines two values that depend on the input", node.shown()));
        }
        _ => return Err(format!("{} of two constants is not read", node.shown())),
    };
    let values = spread(node, data, tensor)?;
    let each = |f: fn(f64) -> f64| values.iter().map(|v| f(*v)).collect::<Vec<_>>();
    match (node.op.as_str(), swapped) {
        ("Add", _) => added(node, data, &values),
        ("Sub", false) => added(node, data, &each(|v| -v)),
        ("Sub", true) => {
            let Value::Data(negated) = multiplied(node, data, &[-1.0])? else { unreachable!("data stay data") };
            added(node, &negated, &values)
        }
        ("Mul", _) => multiplied(node, data, &values),
        ("Div", false) => multiplied(node, data, &each(|v| 1.0 / v)),
        _ => Err(format!("{} divides by a value that depends on the input", node.shown())),
    }
}

fn added(node: &Node, data: &Data, values: &[f64]) -> Result<Value, Refused> {
    changed(
        node,
        data,
        values,
        |layer, j, v| {
            layer.shift[j] += v;
            layer.has_shift = true;
        },
        false,
    )
}

fn multiplied(node: &Node, data: &Data, values: &[f64]) -> Result<Value, Refused> {
    changed(
        node,
        data,
        values,
        |layer, j, v| {
            layer.map.row_mut(j).iter_mut().for_each(|w| *w *= v);
            layer.shift[j] *= v;
        },
        true,
    )
}

/// Applies one number for each feature to the layer reached, or keeps it for the first one.
fn changed(
    node: &Node,
    data: &Data,
    values: &[f64],
    apply: impl Fn(&mut Affine, usize, f64),
    is_scale: bool,
) -> Result<Value, Refused> {
    let mut next = data.clone();
    let layer = match (&mut next.first, next.relu, &mut next.second) {
        (None, ..) => {
            next.before.push((is_scale, values.to_vec()));
            return Ok(Value::Data(Box::new(next)));
        }
        (Some(_), true, None) => return Err(format!("{} changes the output of the Relu", node.shown())),
        (Some(first), false, _) => first,
        (_, _, Some(second)) => second,
    };
    let k = layer.map.rows();
    if values.len() != 1 && values.len() != k {
        return Err(format!("{}: {} numbers for {k} features", node.shown(), values.len()));
    }
    (0..k).for_each(|j| apply(layer, j, values[if values.len() == 1 { 0 } else { j }]));
    Ok(Value::Data(Box::new(next)))
}

/// One number for all features or one each; the constant must vary along the axis of the features.
fn spread(node: &Node, data: &Data, tensor: &Tensor) -> Result<Vec<f64>, Refused> {
    let values = numbers(node, tensor)?;
    if values.len() == 1 {
        return Ok(values.to_vec());
    }
    let long: Vec<usize> = (0..tensor.shape.len()).filter(|k| tensor.shape[*k] != 1).collect();
    let last = tensor.shape.len() - 1;
    let fits = match (&long[..], data.side) {
        (&[axis], Some(Side::Rows) | None) => axis == last,
        // a vector along one axis stands for a column only where an example is a vector itself
        (&[axis], Some(Side::Columns)) => axis + 1 == last || tensor.shape.len() == 1,
        _ => false,
    };
    if fits {
        Ok(values.to_vec())
    } else {
        Err(format!("{}: {} of shape {:?} is no number for each feature", node.shown(), shown(tensor), tensor.shape))
    }
}

fn matrix(node: &Node, tensor: &Tensor) -> Result<Mat, Refused> {
    match tensor.shape[..] {
        [n, k] => Ok(Mat::from_vec(n, k, numbers(node, tensor)?.to_vec())),
        _ => Err(format!("{}: {} of shape {:?} is no matrix", node.shown(), shown(tensor), tensor.shape)),
    }
}

fn numbers<'a>(node: &Node, tensor: &'a Tensor) -> Result<&'a [f64], Refused> {
    tensor.values.as_deref().map_err(|why| format!("{}: {}: {why}", node.shown(), shown(tensor)))
}

fn shown(tensor: &Tensor) -> String {
    if tensor.name.is_empty() { "its constant".into() } else { format!("tensor '{}'", tensor.name) }
}
