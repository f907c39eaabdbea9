//! Lists of sign patterns, written one at a time: as text or as a numpy array of any length.
//!
//! A list that ends early is a complete file of fewer patterns: the header of an array, which states their number, is
//! written last.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::atomic::failed;
use super::{AtomicFile, WriteError};

/// Which signs a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// Active or not: `1` and `0` in text, booleans in an array.
    Binary,
    /// Negative, zero, positive: `-`, `0` and `+` in text, -1, 0 and 1 in an array.
    Ternary,
}

impl Alphabet {
    fn letter(self, sign: i8) -> u8 {
        match (self, sign) {
            (Self::Binary, 1) => b'1',
            (Self::Binary, _) | (Self::Ternary, 0) => b'0',
            (Self::Ternary, 1) => b'+',
            (Self::Ternary, _) => b'-',
        }
    }

    fn byte(self, sign: i8) -> u8 {
        match self {
            Self::Binary => u8::from(sign == 1),
            Self::Ternary => sign.cast_unsigned(),
        }
    }

    /// numpy's name of the type of one entry.
    fn descr(self) -> &'static str {
        match self {
            Self::Binary => "|b1",
            Self::Ternary => "|i1",
        }
    }
}

/// Anything that takes patterns one by one; a sign is -1, 0 or 1, one a row of the data.
pub trait PatternWriter {
    /// Writes one pattern, with its witness when there is one.
    ///
    /// # Errors
    /// Those of the writer.
    fn push(&mut self, signs: &[i8], witness: Option<&str>) -> io::Result<()>;

    /// Completes the list; a file takes its name now.
    ///
    /// # Errors
    /// Those of the writer, naming the file.
    fn finish(self: Box<Self>) -> Result<(), WriteError>;
}

/// One pattern a line, a tab before the witness; `out` should be buffered.
#[derive(Debug)]
struct TextPatterns<W> {
    out: W,
    alphabet: Alphabet,
    line: Vec<u8>,
}

impl<W: Write> TextPatterns<W> {
    fn new(out: W, alphabet: Alphabet) -> Self {
        Self { out, alphabet, line: Vec::new() }
    }

    fn line(&mut self, signs: &[i8], witness: Option<&str>) -> io::Result<()> {
        self.line.clear();
        self.line.extend(signs.iter().map(|s| self.alphabet.letter(*s)));
        if let Some(witness) = witness {
            self.line.push(b'\t');
            self.line.extend_from_slice(witness.as_bytes());
        }
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }
}

/// A list on a stream that somebody else closes, such as standard output.
#[derive(Debug)]
pub struct StreamPatterns<W>(TextPatterns<W>, String);

impl<W: Write> StreamPatterns<W> {
    /// A text list on `out`; `name` stands for it in messages.
    pub fn new(out: W, name: impl Into<String>, alphabet: Alphabet) -> Self {
        Self(TextPatterns::new(out, alphabet), name.into())
    }
}

impl<W: Write> PatternWriter for StreamPatterns<W> {
    fn push(&mut self, signs: &[i8], witness: Option<&str>) -> io::Result<()> {
        self.0.line(signs, witness)
    }

    fn finish(mut self: Box<Self>) -> Result<(), WriteError> {
        self.0.out.flush().map_err(|e| failed(Path::new(&self.1), e))
    }
}

impl PatternWriter for TextPatterns<AtomicFile> {
    fn push(&mut self, signs: &[i8], witness: Option<&str>) -> io::Result<()> {
        self.line(signs, witness)
    }

    fn finish(self: Box<Self>) -> Result<(), WriteError> {
        self.out.commit()
    }
}

/// A numpy array, patterns x rows in C order: booleans (binary) or signed bytes (ternary).
#[derive(Debug)]
struct NpyPatterns {
    out: AtomicFile,
    alphabet: Alphabet,
    n: usize,
    count: u64,
    line: Vec<u8>,
}

/// Length of the whole header: room for a shape of any size.
const HEADER: usize = 128;

impl NpyPatterns {
    fn new(mut out: AtomicFile, n: usize, alphabet: Alphabet) -> io::Result<Self> {
        out.write_all(&[0; HEADER])?;
        Ok(Self { out, alphabet, n, count: 0, line: Vec::new() })
    }

    fn header(&self) -> Vec<u8> {
        let (descr, shape) = (self.alphabet.descr(), (self.count, self.n));
        let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape:?}, }}");
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend((HEADER as u16 - 10).to_le_bytes());
        header.extend(dict.as_bytes());
        header.resize(HEADER - 1, b' ');
        header.push(b'\n');
        header
    }
}

impl PatternWriter for NpyPatterns {
    fn push(&mut self, signs: &[i8], _witness: Option<&str>) -> io::Result<()> {
        assert_eq!(signs.len(), self.n, "a pattern of {} signs in a list of {}", signs.len(), self.n);
        self.line.clear();
        self.line.extend(signs.iter().map(|s| self.alphabet.byte(*s)));
        self.count += 1;
        self.out.write_all(&self.line)
    }

    fn finish(mut self: Box<Self>) -> Result<(), WriteError> {
        let header = self.header();
        let written = self.out.seek(SeekFrom::Start(0)).and_then(|_| self.out.write_all(&header));
        match written {
            Ok(()) => self.out.commit(),
            Err(e) => Err(self.out.failed(e)),
        }
    }
}

/// A text list in a file of its own.
///
/// # Errors
/// `WriteError::Io` naming the file.
pub fn text_patterns(path: &Path, alphabet: Alphabet) -> Result<Box<dyn PatternWriter>, WriteError> {
    Ok(Box::new(TextPatterns::new(AtomicFile::create(path)?, alphabet)))
}

/// A list of patterns of `n` rows as a numpy array (`.npy`); witnesses are not kept.
///
/// # Errors
/// `WriteError::Io` naming the file.
pub fn npy_patterns(path: &Path, n: usize, alphabet: Alphabet) -> Result<Box<dyn PatternWriter>, WriteError> {
    let list = NpyPatterns::new(AtomicFile::create(path)?, n, alphabet).map_err(|e| failed(path, e))?;
    Ok(Box::new(list))
}
