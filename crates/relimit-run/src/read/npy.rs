//! The .npy format, versions 1 to 3: numbers of every plain type in either byte and memory order, and unicode text.

use std::io::Read;

use relimit_core::num::Mat;

/// Longest header that is believed.
const MAX_HEADER: usize = 1 << 20;

/// An array, row-major whatever its order in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Length along each axis; empty for a scalar.
    pub shape: Vec<usize>,
    /// The entries.
    pub values: Values,
}

/// Entries of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers; integers and booleans converted exactly.
    Numbers(Vec<f64>),
    /// Unicode text.
    Text(Vec<String>),
}

impl Array {
    /// The numbers, if it holds numbers.
    pub fn numbers(&self) -> Option<&[f64]> {
        if let Values::Numbers(v) = &self.values { Some(v) } else { None }
    }

    /// The text, if it holds text.
    pub fn text(&self) -> Option<&[String]> {
        if let Values::Text(v) = &self.values { Some(v) } else { None }
    }

    /// The shape as numpy prints it: `(3, 4)`, `(3,)`, `()`.
    pub fn shape_text(&self) -> String {
        shape_text(&self.shape)
    }

    /// As a matrix, if it holds numbers along two axes.
    pub fn into_mat(self) -> Option<Mat> {
        match (self.shape.as_slice(), self.values) {
            (&[n, d], Values::Numbers(v)) => Some(Mat::from_vec(n, d, v)),
            _ => None,
        }
    }
}

/// What is wrong with an array file, and what to do.
pub(crate) type Problem = (String, String);

/// Reads one array; `available` is the number of bytes of the file or archive entry.
pub(crate) fn read(mut source: impl Read, available: u64) -> Result<Array, Problem> {
    let damaged = |what: &str| (what.to_string(), "write the file again with numpy.save or numpy.savez".to_string());
    let mut start = [0u8; 8];
    source.read_exact(&mut start).map_err(|_| damaged("it is shorter than its header"))?;
    if &start[..6] != b"\x93NUMPY" {
        return Err(damaged("it does not begin with the numpy mark"));
    }
    let wide = match start[6] {
        1 => 2,
        2 | 3 => 4,
        v => return Err(damaged(&format!("format version {v} is unknown"))),
    };
    let mut length = [0u8; 4];
    source.read_exact(&mut length[..wide]).map_err(|_| damaged("it is shorter than its header"))?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER {
        return Err(damaged(&format!("its header claims {length} bytes")));
    }
    let mut header = vec![0u8; length];
    source.read_exact(&mut header).map_err(|_| damaged("it is shorter than its header"))?;
    let header = String::from_utf8_lossy(&header).into_owned();

    let descr = value_of(&header, "descr").ok_or_else(|| damaged("its header has no descr"))?;
    let kind = Kind::parse(descr)?;
    let fortran = value_of(&header, "fortran_order").is_some_and(|v| v.starts_with("True"));
    let shape = value_of(&header, "shape").and_then(shape).ok_or_else(|| damaged("its header has no shape"))?;
    let count = shape.iter().try_fold(1usize, |a, b| a.checked_mul(*b));
    let bytes = count.and_then(|c| (c as u64).checked_mul(kind.size as u64));
    let rest = available.saturating_sub((8 + wide + length) as u64);
    let (Some(count), true) = (count, bytes == Some(rest)) else {
        return Err(damaged(&format!(
            "shape {} of {} does not fit its {rest} bytes",
            shape_text(&shape),
            descr.trim()
        )));
    };

    let mut values = kind.decode(&mut source, count)?;
    if fortran && shape.len() > 1 {
        values = match values {
            Values::Numbers(v) => Values::Numbers(row_major(&v, &shape)),
            Values::Text(v) => Values::Text(row_major(&v, &shape)),
        };
    }
    Ok(Array { shape, values })
}

/// The text behind `'key':` in the header's dictionary.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = [format!("'{key}'"), format!("\"{key}\"")].iter().find_map(|k| Some(header.find(k)? + k.len()))?;
    Some(header[at..].trim_start().strip_prefix(':')?.trim_start()).map(|v| &v[..value_end(v)])
}

/// Length of one Python literal: up to the comma or brace that ends it, outside quotes and brackets.
fn value_end(text: &str) -> usize {
    let (mut depth, mut quote) = (0i32, None);
    for (k, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ',' | '}') if depth == 0 => return k,
            (Some(_) | None, _) => {}
        }
    }
    text.len()
}

/// `(3, 4)`, `(3,)` or `()`.
fn shape(text: &str) -> Option<Vec<usize>> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    inner.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.trim_end_matches('L').parse().ok()).collect()
}

fn shape_text(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Reorders entries in which the first axis runs fastest.
fn row_major<T: Clone>(values: &[T], shape: &[usize]) -> Vec<T> {
    let mut out = Vec::with_capacity(values.len());
    let mut index = vec![0usize; shape.len()];
    for _ in 0..values.len() {
        let at = index.iter().zip(shape).rev().fold(0, |at, (i, n)| at * n + i);
        out.push(values[at].clone());
        for k in (0..shape.len()).rev() {
            index[k] += 1;
            if index[k] < shape[k] {
                break;
            }
            index[k] = 0;
        }
    }
    out
}

/// A plain type: letter, bytes an entry, byte order.
#[derive(Clone, Copy)]
struct Kind {
    letter: char,
    size: usize,
    big: bool,
}

impl Kind {
    /// Reads a type such as `'<f8'`; object and structured types are refused.
    fn parse(descr: &str) -> Result<Self, Problem> {
        let refuse = |what: String| (what, "save it with .astype('float64')".to_string());
        let code = descr.trim().trim_matches(['\'', '"']);
        if code.contains('O') || code.starts_with('[') {
            let cure = "save the numbers with .astype('float64'), one array each";
            return Err((format!("type {code} holds objects or records: pickles are never loaded"), cure.to_string()));
        }
        let (order, rest) = match code.chars().next() {
            Some(c @ ('<' | '>' | '|' | '=')) => (c, &code[1..]),
            _ => ('|', code),
        };
        let letter = rest.chars().next().unwrap_or(' ');
        let number = rest.get(letter.len_utf8()..).and_then(|s| s.parse::<usize>().ok());
        let kind = match (letter, number) {
            ('f', Some(size @ (4 | 8))) | ('i' | 'u', Some(size @ (1 | 2 | 4 | 8))) | ('b', Some(size @ 1)) => {
                Self { letter, size, big: order == '>' }
            }
            ('U', Some(chars)) if chars <= MAX_HEADER => Self { letter, size: 4 * chars, big: order == '>' },
            _ => return Err(refuse(format!("type {code} is not read"))),
        };
        Ok(kind)
    }

    /// Reads `count` entries in blocks.
    fn decode(self, source: &mut impl Read, count: usize) -> Result<Values, Problem> {
        if self.size == 0 {
            return Ok(Values::Text(vec![String::new(); count]));
        }
        let block = (1usize << 16) / self.size.min(1 << 16);
        let mut buffer = vec![0u8; block * self.size];
        let (mut numbers, mut text) = (Vec::new(), Vec::new());
        let mut left = count;
        if self.letter != 'U' {
            numbers.reserve_exact(count);
        }
        while left > 0 {
            let now = left.min(block);
            let bytes = &mut buffer[..now * self.size];
            let ends = |_| ("its data end early".to_string(), "copy or write the file again".to_string());
            source.read_exact(bytes).map_err(ends)?;
            for entry in bytes.chunks_exact_mut(self.size) {
                if self.letter == 'U' {
                    text.push(self.text(entry)?);
                } else {
                    if self.big {
                        entry.reverse();
                    }
                    numbers.push(self.number(entry)?);
                }
            }
            left -= now;
        }
        Ok(if self.letter == 'U' { Values::Text(text) } else { Values::Numbers(numbers) })
    }

    /// One entry in little-endian order.
    fn number(self, entry: &[u8]) -> Result<f64, Problem> {
        let mut wide = [0u8; 8];
        wide[..entry.len()].copy_from_slice(entry);
        let bits = u64::from_le_bytes(wide);
        let unused = 64 - 8 * entry.len() as u32;
        match self.letter {
            'f' if self.size == 4 => Ok(f64::from(f32::from_bits(bits as u32))),
            'f' => Ok(f64::from_bits(bits)),
            'b' => Ok(f64::from(u8::from(bits != 0))),
            letter => {
                #[expect(clippy::cast_possible_wrap, reason = "the shift pair extends the sign of a narrow integer")]
                let signed = ((bits << unused) as i64) >> unused;
                let exact = if letter == 'i' { i128::from(signed) } else { i128::from(bits) };
                let value = exact as f64;
                if value as i128 == exact {
                    return Ok(value);
                }
                Err((
                    format!("{exact} has no exact 64-bit float"),
                    "rescale it, or save with .astype('float64')".into(),
                ))
            }
        }
    }

    /// One entry of text, without its padding.
    fn text(self, entry: &[u8]) -> Result<String, Problem> {
        let code = |b: &[u8]| {
            let four = [b[0], b[1], b[2], b[3]];
            if self.big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
        };
        let codes: Option<String> = entry.chunks_exact(4).map(|b| char::from_u32(code(b))).collect();
        let text = codes.ok_or_else(|| ("its text is no unicode".to_string(), "write the file again".to_string()))?;
        Ok(text.trim_end_matches('\0').to_string())
    }
}
