//! ONNX messages from bytes. Unknown fields are skipped, as the format asks.

use super::model::{Attribute, DOUBLE, FLOAT, Graph, INT64, Model, Node, Tensor, ValueInfo};
use super::wire::{Damaged, Field, Fields, varint};

const INT32: i64 = 6;

/// A model; the error says what is damaged.
pub(crate) fn model(bytes: &[u8]) -> Result<Model, &'static str> {
    let mut out = Model::default();
    let mut graphs = 0;
    for field in Fields(bytes) {
        match field? {
            (7, Field::Bytes(b)) => {
                graphs += 1;
                out.graph = graph(b)?;
            }
            (14, Field::Bytes(b)) => {
                let (key, value) = pair(b)?;
                out.metadata.insert(key, value);
            }
            _ => {}
        }
    }
    if graphs == 1 { Ok(out) } else { Err("it holds no graph") }
}

fn graph(bytes: &[u8]) -> Result<Graph, Damaged> {
    let mut out = Graph::default();
    for field in Fields(bytes) {
        match field? {
            (1, Field::Bytes(b)) => out.nodes.push(node(b)?),
            (5, Field::Bytes(b)) => out.initializers.push(tensor(b)?),
            (11, Field::Bytes(b)) => out.inputs.push(value_info(b)?),
            (12, Field::Bytes(b)) => out.outputs.push(value_info(b)?),
            _ => {}
        }
    }
    Ok(out)
}

fn node(bytes: &[u8]) -> Result<Node, Damaged> {
    let mut out = Node::default();
    for field in Fields(bytes) {
        match field? {
            (1, Field::Bytes(b)) => out.inputs.push(text(b)?),
            (2, Field::Bytes(b)) => out.outputs.push(text(b)?),
            (3, Field::Bytes(b)) => out.name = text(b)?,
            (4, Field::Bytes(b)) => out.op = text(b)?,
            (5, Field::Bytes(b)) => out.attributes.push(attribute(b)?),
            (7, Field::Bytes(b)) => out.domain = text(b)?,
            _ => {}
        }
    }
    Ok(out)
}

fn attribute(bytes: &[u8]) -> Result<Attribute, Damaged> {
    let mut out = Attribute::default();
    for field in Fields(bytes) {
        match field? {
            (1, Field::Bytes(b)) => out.name = text(b)?,
            (2, Field::Fixed32(b)) => out.f = Some(f32::from_le_bytes(b)),
            (3, Field::Varint(v)) => out.i = Some(v.cast_signed()),
            (5, Field::Bytes(b)) => out.t = Some(tensor(b)?),
            (8, f) => integers(f, &mut out.ints)?,
            _ => {}
        }
    }
    Ok(out)
}

fn tensor(bytes: &[u8]) -> Result<Tensor, Damaged> {
    let (mut dims, mut kind, mut name) = (vec![], 0, String::new());
    let (mut singles, mut doubles, mut whole, mut raw, mut elsewhere) = (vec![], vec![], vec![], None, false);
    for field in Fields(bytes) {
        match field? {
            (1, f) => integers(f, &mut dims)?,
            (2, Field::Varint(v)) => kind = v.cast_signed(),
            (4, Field::Bytes(b)) => singles.extend(chunks::<4>(b)?.iter().map(|c| f64::from(f32::from_le_bytes(*c)))),
            (4, Field::Fixed32(b)) => singles.push(f64::from(f32::from_le_bytes(b))),
            (5 | 7, f) => integers(f, &mut whole)?,
            (8, Field::Bytes(b)) => name = text(b)?,
            (9, Field::Bytes(b)) => raw = Some(b),
            (10, Field::Bytes(b)) => doubles.extend(chunks::<8>(b)?.iter().map(|c| f64::from_le_bytes(*c))),
            (10, Field::Fixed64(b)) => doubles.push(f64::from_le_bytes(b)),
            (14, Field::Varint(v)) => elsewhere = v == 1,
            _ => {}
        }
    }
    let shape: Option<Vec<usize>> = dims.iter().map(|v| usize::try_from(*v).ok()).collect();
    let shape = shape.ok_or("a tensor has a negative length")?;
    let count = shape.iter().try_fold(1usize, |a, b| a.checked_mul(*b)).ok_or("a tensor is beyond memory")?;
    let values = match (kind, raw) {
        _ if elsewhere => Err("its numbers lie in another file".into()),
        (FLOAT, Some(b)) => Ok(chunks::<4>(b)?.iter().map(|c| f64::from(f32::from_le_bytes(*c))).collect()),
        (DOUBLE, Some(b)) => Ok(chunks::<8>(b)?.iter().map(|c| f64::from_le_bytes(*c)).collect()),
        (INT64, Some(b)) => Ok(chunks::<8>(b)?.iter().map(|c| i64::from_le_bytes(*c) as f64).collect()),
        (INT32, Some(b)) => Ok(chunks::<4>(b)?.iter().map(|c| f64::from(i32::from_le_bytes(*c))).collect()),
        (FLOAT, None) => Ok(singles),
        (DOUBLE, None) => Ok(doubles),
        (INT64 | INT32, None) => Ok(whole.iter().map(|v| *v as f64).collect()),
        (other, _) => Err(format!("data type {other} of ONNX is not read (float and double are)")),
    };
    let values = match values {
        Ok(v) if v.len() != count => Err(format!("{} numbers for shape {shape:?}", v.len())),
        other => other,
    };
    Ok(Tensor { name, shape, kind, values })
}

fn value_info(bytes: &[u8]) -> Result<ValueInfo, Damaged> {
    let mut out = ValueInfo::default();
    for field in Fields(bytes) {
        match field? {
            (1, Field::Bytes(b)) => out.name = text(b)?,
            (2, Field::Bytes(b)) => {
                for field in Fields(b) {
                    if let (1, Field::Bytes(b)) = field? {
                        tensor_type(b, &mut out)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(out)
}

fn tensor_type(bytes: &[u8], out: &mut ValueInfo) -> Result<(), Damaged> {
    for field in Fields(bytes) {
        match field? {
            (1, Field::Varint(v)) => out.kind = v.cast_signed(),
            (2, Field::Bytes(b)) => {
                let mut shape = vec![];
                for field in Fields(b) {
                    if let (1, Field::Bytes(b)) = field? {
                        let length = Fields(b).find_map(|f| match f {
                            Ok((1, Field::Varint(v))) => Some(v.cast_signed()),
                            _ => None,
                        });
                        shape.push(length.filter(|v| *v > 0));
                    }
                }
                out.shape = Some(shape);
            }
            _ => {}
        }
    }
    Ok(())
}

fn pair(bytes: &[u8]) -> Result<(String, String), Damaged> {
    let mut out = (String::new(), String::new());
    for field in Fields(bytes) {
        match field? {
            (1, Field::Bytes(b)) => out.0 = text(b)?,
            (2, Field::Bytes(b)) => out.1 = text(b)?,
            _ => {}
        }
    }
    Ok(out)
}

/// Integers, packed or one a field.
fn integers(field: Field<'_>, out: &mut Vec<i64>) -> Result<(), Damaged> {
    match field {
        Field::Varint(v) => out.push(v.cast_signed()),
        Field::Bytes(mut b) => {
            while !b.is_empty() {
                out.push(varint(&mut b)?.cast_signed());
            }
        }
        _ => return Err("an integer of another kind"),
    }
    Ok(())
}

fn chunks<const N: usize>(bytes: &[u8]) -> Result<&[[u8; N]], Damaged> {
    match bytes.as_chunks::<N>() {
        (all, []) => Ok(all),
        _ => Err("a tensor ends within a number"),
    }
}

fn text(bytes: &[u8]) -> Result<String, Damaged> {
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| "a name is no text")
}
