//! Lines and records of CSV text, read with bounded memory and refused at the first byte that no table holds.

use std::io::{self, BufRead, BufReader, Read};

use super::ReadError;

/// Longest run of bytes without a separator; no number or name is that long.
const MAX_FIELD: usize = 1 << 16;
/// Longest record: a million columns of 16 characters.
const MAX_RECORD: usize = 1 << 24;
/// Most blank lines in a row.
const MAX_BLANK: usize = 1 << 16;
/// Bytes asked of the source at a time.
const BUFFER: usize = 1 << 15;

/// One record: its text and where its fields lie.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Line of the file on which it begins, from 1.
    pub row: usize,
    text: String,
    bounds: Vec<(usize, usize)>,
}

impl Record {
    /// Number of fields.
    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Field `k`, quotes removed.
    pub(crate) fn field(&self, k: usize) -> &str {
        let (a, b) = self.bounds[k];
        &self.text[a..b]
    }

    /// All fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|k| self.field(k))
    }
}

/// Records of a text source. The separator is found in the first record.
pub(crate) struct Records<R> {
    file: String,
    source: BufReader<R>,
    separator: u8,
    line: usize,
    pending: Vec<u8>,
    unquote: Option<csv::Reader<Feed>>,
}

/// Hands one record after the other to the csv crate, which takes each to its line end and asks no further.
#[derive(Default)]
struct Feed {
    text: Vec<u8>,
    taken: usize,
}

impl Feed {
    fn give(&mut self, record: &str) {
        self.text.clear();
        self.text.extend_from_slice(record.as_bytes());
        self.text.push(b'\n');
        self.taken = 0;
    }
}

impl Read for Feed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = (&self.text[self.taken..]).read(out)?;
        self.taken += n;
        Ok(n)
    }
}

impl<R: Read> Records<R> {
    /// Opens a source: looks at its first bytes and at its header line, which `first` returns.
    pub(crate) fn open(file: &str, source: R) -> Result<(Self, Record), ReadError> {
        let source = BufReader::with_capacity(BUFFER, source);
        let mut all =
            Self { file: file.to_string(), source, separator: b',', line: 0, pending: Vec::new(), unquote: None };
        let start = all.source.fill_buf().map_err(|e| all_io(&all.file, e))?;
        if let Some((what, cure)) = foreign(start) {
            return Err(ReadError::NotText { file: file.to_string(), row: 1, what: what.into(), cure });
        }
        if start.starts_with(b"\xEF\xBB\xBF") {
            all.source.consume(3);
        }
        let mut header = Record::default();
        if !all.next_text(&mut header, true)? {
            return Err(ReadError::Empty { file: file.to_string() });
        }
        all.separator = separator(&header.text);
        all.split(&mut header)?;
        Ok((all, header))
    }

    /// The separator of the header line.
    pub(crate) fn separator(&self) -> u8 {
        self.separator
    }

    /// Reads the next record; false at the end. Blank lines are passed over.
    pub(crate) fn next(&mut self, record: &mut Record) -> Result<bool, ReadError> {
        let more = self.next_text(record, false)?;
        if more {
            self.split(record)?;
        }
        Ok(more)
    }

    /// The text of the next record: one line, or several where a quoted field holds line ends.
    fn next_text(&mut self, record: &mut Record, header: bool) -> Result<bool, ReadError> {
        self.pending.clear();
        let mut blank = 0;
        while self.pending.iter().all(|b| *b == b' ') {
            blank += 1;
            if blank > MAX_BLANK {
                return Err(self.too_long(format!("{MAX_BLANK} blank lines in a row")));
            }
            self.pending.clear();
            if !self.append_line()? {
                return Ok(false);
            }
        }
        record.row = self.line;
        let mut quotes = Quotes::default();
        let mut seen = 0;
        loop {
            seen +=
                quotes.scan(&self.pending[seen..], |b| if header { b",;\t".contains(&b) } else { b == self.separator });
            if !quotes.open {
                break;
            }
            self.pending.push(b'\n');
            if self.pending.len() > MAX_RECORD || !self.append_line()? {
                return Err(ReadError::OpenQuote { file: self.file.clone(), row: record.row });
            }
        }
        record.text.clear();
        let text = std::str::from_utf8(&self.pending).map_err(|e| self.not_utf8(self.pending[e.valid_up_to()]))?;
        record.text.push_str(text);
        Ok(true)
    }

    /// Appends one line without its end (`\n`, `\r\n` or `\r`) to `pending`; false at the end of the source.
    fn append_line(&mut self) -> Result<bool, ReadError> {
        let from = self.pending.len();
        self.line += 1;
        let (mut run, mut valid) = (0usize, from);
        loop {
            let chunk = match self.source.fill_buf() {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                filled => filled.map_err(|e| all_io(&self.file, e))?,
            };
            if chunk.is_empty() {
                return Ok(self.pending.len() > from);
            }
            let end = chunk.iter().position(|b| matches!(b, b'\n' | b'\r'));
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let zero = part.contains(&0);
            run = part.iter().rposition(|b| b",;\t".contains(b)).map_or(run + part.len(), |k| part.len() - k - 1);
            self.pending.extend_from_slice(part);
            let used = part.len() + usize::from(end.is_some());
            let carriage = end.is_some_and(|k| chunk[k] == b'\r');
            self.source.consume(used);
            if zero {
                return Err(self.not_text("a zero byte".into()));
            }
            if let Err(e) = std::str::from_utf8(&self.pending[valid..]) {
                let at = valid + e.valid_up_to();
                if e.error_len().is_some() || end.is_some() {
                    return Err(self.not_utf8(self.pending[at]));
                }
                valid = at;
            } else {
                valid = self.pending.len();
            }
            if run > MAX_FIELD {
                return Err(self.too_long(format!("more than {MAX_FIELD} bytes without a separator")));
            }
            if self.pending.len() > MAX_RECORD {
                return Err(self.too_long(format!("a row of more than {MAX_RECORD} bytes")));
            }
            if carriage {
                let follows = self.source.fill_buf().map_err(|e| all_io(&self.file, e))?.first() == Some(&b'\n');
                self.source.consume(usize::from(follows));
            }
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Finds the fields; the csv crate undoes the quoting where there is any.
    fn split(&mut self, record: &mut Record) -> Result<(), ReadError> {
        record.bounds.clear();
        if !record.text.contains('"') {
            let mut start = 0;
            for (k, b) in record.text.bytes().enumerate() {
                if b == self.separator {
                    record.bounds.push((start, k));
                    start = k + 1;
                }
            }
            record.bounds.push((start, record.text.len()));
            return Ok(());
        }
        let separator = self.separator;
        let unquote = self.unquote.get_or_insert_with(|| {
            let mut rules = csv::ReaderBuilder::new();
            rules.has_headers(false).flexible(true).delimiter(separator).from_reader(Feed::default())
        });
        unquote.get_mut().give(&record.text);
        let mut fields = csv::StringRecord::new();
        unquote.read_record(&mut fields).map_err(|e| all_io(&self.file, io::Error::other(e)))?;
        let mut text = String::with_capacity(record.text.len());
        for field in &fields {
            record.bounds.push((text.len(), text.len() + field.len()));
            text.push_str(field);
        }
        record.text = text;
        Ok(())
    }

    fn not_text(&self, what: String) -> ReadError {
        let cure = "give a CSV file saved as UTF-8";
        ReadError::NotText { file: self.file.clone(), row: self.line, what, cure }
    }

    fn not_utf8(&self, byte: u8) -> ReadError {
        self.not_text(format!("byte 0x{byte:02X} is not UTF-8"))
    }

    fn too_long(&self, what: String) -> ReadError {
        ReadError::TooLong { file: self.file.clone(), row: self.line, what }
    }
}

fn all_io(file: &str, source: io::Error) -> ReadError {
    ReadError::Io { file: file.to_string(), source }
}

/// Whether a quoted field is open: a quote opens at the start of a field and closes where it is not doubled.
#[derive(Default)]
struct Quotes {
    open: bool,
    inside_field: bool,
}

impl Quotes {
    /// Goes over more text of the record; returns its length.
    fn scan(&mut self, text: &[u8], separates: impl Fn(u8) -> bool) -> usize {
        for &b in text {
            if b == b'"' && (self.open || !self.inside_field) {
                self.open = !self.open;
            } else if self.open {
            } else {
                self.inside_field = !separates(b);
            }
        }
        text.len()
    }
}

/// The separator that the header line uses most, outside quotes; in a tie `;`, then tab, then `,`.
fn separator(header: &str) -> u8 {
    let mut quotes = Quotes::default();
    let mut counts = [(0usize, b','), (0, b'\t'), (0, b';')];
    for &b in header.as_bytes() {
        quotes.scan(&[b], |b| b",;\t".contains(&b));
        if !quotes.open {
            counts.iter_mut().filter(|c| c.1 == b).for_each(|c| c.0 += 1);
        }
    }
    let most = counts.iter().map(|c| c.0).max().unwrap_or(0);
    if most == 0 { b',' } else { counts.iter().rev().find(|c| c.0 == most).map_or(b',', |c| c.1) }
}

/// What the first bytes give away, if they are no text.
fn foreign(start: &[u8]) -> Option<(&'static str, &'static str)> {
    const KINDS: [(&[u8], &str, &str); 8] = [
        (b"\xFF\xFE", "this is UTF-16", "save it as UTF-8"),
        (b"\xFE\xFF", "this is UTF-16", "save it as UTF-8"),
        (b"\x1F\x8B", "this is gzip", "unpack it first: zcat FILE | relimit ... -"),
        (
            b"PK\x03\x04",
            "this is a zip archive or a spreadsheet",
            "save the sheet as CSV, or name an array archive .npz",
        ),
        (b"PAR1", "this is parquet", "convert it to CSV or .npz"),
        (b"\x93NUMPY", "this is a numpy array", "give it as a file whose name ends in .npy"),
        (b"\x89HDF", "this is HDF5", "write the table as CSV or .npz"),
        (b"\x80\x04\x95", "this is a pickle, which is never loaded", "save the numbers with numpy.savez"),
    ];
    KINDS.iter().find(|k| start.starts_with(k.0)).map(|k| (k.1, k.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(usize, Vec<String>)> {
        let (mut records, header) = Records::open("t", text.as_bytes()).unwrap();
        let take = |r: &Record| (r.row, r.fields().map(str::to_string).collect::<Vec<_>>());
        let mut out = vec![take(&header)];
        let mut record = Record::default();
        while records.next(&mut record).unwrap() {
            out.push(take(&record));
        }
        out
    }

    #[test]
    fn line_ends_and_blank_lines_keep_the_row_numbers() {
        let want = vec![(1, vec!["a", "b"]), (2, vec!["1", "2"]), (4, vec!["3", ""])];
        let want: Vec<(usize, Vec<String>)> =
            want.into_iter().map(|(r, f)| (r, f.into_iter().map(String::from).collect())).collect();
        for text in ["a,b\n1,2\n\n3,\n", "a,b\r\n1,2\r\n\r\n3,", "a,b\r1,2\r\r3,\r", "\u{feff}a;b\n1;2\n \n3;\n\n"] {
            assert_eq!(all(text), want, "{text:?}");
        }
    }

    #[test]
    fn quotes_hold_separators_line_ends_and_quotes() {
        let got = all("\"a,\"\"x\"\"\",b\n\"1\n2\",3\n5\" pipe,4\n");
        assert_eq!(got[0].1, ["a,\"x\"", "b"]);
        assert_eq!(got[1], (2, vec!["1\n2".into(), "3".into()]));
        assert_eq!(got[2], (4, vec!["5\" pipe".into(), "4".into()]));
    }

    #[test]
    fn long_quoted_records_and_plain_ones_take_turns() {
        let long: Vec<String> = (0..9000).map(|k| format!("\"{k},\"")).collect();
        let short: Vec<String> = (0..9000).map(|k| k.to_string()).collect();
        let lines = [long.join(","), short.join(","), long.join(","), "\"1\"".into(), long.join(",")];
        let got = all(&lines.join("\n"));
        assert_eq!(got.iter().map(|(_, f)| f.len()).collect::<Vec<_>>(), [9000, 9000, 9000, 1, 9000]);
        assert_eq!((got[2].1[8999].as_str(), got[1].1[8999].as_str(), got[3].1[0].as_str()), ("8999,", "8999", "1"));
    }

    #[test]
    fn the_header_decides_the_separator() {
        assert_eq!(separator("a,b,c"), b',');
        assert_eq!(separator("\"a,b,c,d\";e"), b';');
        assert_eq!(separator("a (x,y)\tb\tc"), b'\t');
        assert_eq!(separator("one"), b',');
    }
}
