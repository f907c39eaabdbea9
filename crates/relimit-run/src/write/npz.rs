//! Arrays as .npy (version 1, little-endian, C order) and as .npz archives that numpy.load reads without pickles.

use std::io::{self, Write};
use std::path::Path;

use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::{WriteError, write_atomic};
use crate::read::{Array, Values};

/// Writes one array.
///
/// # Errors
/// Those of the writer.
pub fn npy(out: &mut impl Write, array: &Array) -> io::Result<()> {
    let count: usize = array.shape.iter().product();
    match &array.values {
        Values::Numbers(v) => {
            assert_eq!(v.len(), count, "{} numbers for shape {}", v.len(), array.shape_text());
            header(out, "<f8", array)?;
            v.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))
        }
        Values::Text(v) => {
            assert_eq!(v.len(), count, "{} texts for shape {}", v.len(), array.shape_text());
            let longest = v.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
            header(out, &format!("<U{longest}"), array)?;
            for t in v {
                let codes = t.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
                codes.into_iter().try_for_each(|c| out.write_all(&c.to_le_bytes()))?;
            }
            Ok(())
        }
    }
}

/// The mark, the version and a dictionary padded so that the data begin at a multiple of 64.
fn header(out: &mut impl Write, descr: &str, array: &Array) -> io::Result<()> {
    let mut dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {}, }}", array.shape_text());
    let whole = (10 + dict.len() + 1).next_multiple_of(64);
    dict.extend(std::iter::repeat_n(' ', whole - 11 - dict.len()));
    dict.push('\n');
    let length = u16::try_from(dict.len()).map_err(|_| io::Error::other("too many axes"))?;
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(dict.as_bytes())
}

/// Writes an archive of named arrays, uncompressed and without dates, so that equal arrays give equal bytes.
///
/// # Errors
/// `WriteError::Io`.
pub fn npz<'a>(path: &Path, arrays: impl IntoIterator<Item = (&'a str, &'a Array)>) -> Result<(), WriteError> {
    write_atomic(path, |file| {
        let mut archive = zip::ZipWriter::new(file);
        for (name, array) in arrays {
            let size = match &array.values {
                Values::Numbers(v) => 8 * v.len() as u64,
                Values::Text(v) => v.len() as u64 * 4 * v.iter().map(String::len).max().unwrap_or(0) as u64,
            };
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Stored)
                .last_modified_time(zip::DateTime::default())
                .unix_permissions(0o644)
                .large_file(size > u64::from(u32::MAX) - (1 << 20));
            archive.start_file(format!("{name}.npy"), options)?;
            npy(&mut archive, array)?;
        }
        archive.finish()?;
        Ok(())
    })
}
