//! Protocol-buffer wire format: numbered fields of four kinds.
//!
//! Source: the encoding chapter of the Protocol Buffers documentation.

/// One field's content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Field<'a> {
    /// Kind 0.
    Varint(u64),
    /// Kind 1.
    Fixed64([u8; 8]),
    /// Kind 2: text, bytes, a message or packed numbers.
    Bytes(&'a [u8]),
    /// Kind 5.
    Fixed32([u8; 4]),
}

/// What is wrong with the bytes.
pub(super) type Damaged = &'static str;

/// The fields of a message, in the order of the file.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Damaged> {
        let (head, rest) = self.0.split_at_checked(n).ok_or("a field ends beyond the file")?;
        self.0 = rest;
        Ok(head)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or("a number ends beyond the file")?;
        self.0 = rest;
        Ok(*head)
    }

    fn field(&mut self) -> Result<(u64, Field<'a>), Damaged> {
        let key = varint(&mut self.0)?;
        let field = match key & 7 {
            0 => Field::Varint(varint(&mut self.0)?),
            1 => Field::Fixed64(self.fixed()?),
            2 => {
                let length = usize::try_from(varint(&mut self.0)?).map_err(|_| "a length beyond memory")?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Fixed32(self.fixed()?),
            _ => return Err("a field of unknown kind"),
        };
        Ok((key >> 3, field))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Field<'a>), Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let item = self.field();
        if item.is_err() {
            self.0 = &[];
        }
        Some(item)
    }
}

/// Seven bits a byte, least significant first.
pub(super) fn varint(bytes: &mut &[u8]) -> Result<u64, Damaged> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or("a number ends beyond the file")?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("a number of more than 64 bits")
}

/// Appends a number without its key.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends an integer field; negative ones take ten bytes, as the format asks.
pub(super) fn put_int(out: &mut Vec<u8>, number: u64, value: i64) {
    put_varint(out, number << 3);
    put_varint(out, value.cast_unsigned());
}

/// Appends text, bytes or a message.
pub(super) fn put_bytes(out: &mut Vec<u8>, number: u64, value: &[u8]) {
    put_varint(out, number << 3 | 2);
    put_varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let mut bytes = vec![];
        put_int(&mut bytes, 1, 300);
        put_int(&mut bytes, 16, -2);
        put_bytes(&mut bytes, 2, b"testing");
        // The documentation's own examples: 150 as field 1 is 08 96 01, "testing" as field 2 is 12 07 ...
        assert_eq!(bytes[..3], [0x08, 0xac, 0x02]);
        assert_eq!(bytes[15..17], [0x12, 0x07]);
        let all: Vec<_> = Fields(&bytes).map(Result::unwrap).collect();
        assert_eq!(all[0], (1, Field::Varint(300)));
        assert_eq!(all[1], (16, Field::Varint((-2i64).cast_unsigned())));
        assert_eq!(all[2], (2, Field::Bytes(b"testing")));
    }

    #[test]
    fn damage_is_an_error_and_ends_the_list() {
        let cut: Vec<_> = Fields(&[0x12, 0x07, b't']).collect();
        assert_eq!(cut, [Err("a field ends beyond the file")]);
        assert!(Fields(&[0x0b, 0]).next().unwrap().is_err(), "groups were given up long ago");
        assert!(Fields(&[0xff; 12]).next().unwrap().is_err());
    }
}
