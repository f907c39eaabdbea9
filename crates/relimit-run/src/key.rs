//! Content keys: SHA-256 of canonical JSON, and of the numbers and names of a data set.

use relimit_core::data::Dataset;
use serde_json::Value;

/// The version of the numerics: results that were computed under another one are computed again. It goes up with every
/// change that moves a result.
pub const NUMERICS: u32 = 1;

/// JSON with sorted keys and no white space: equal values give equal text.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            fields.sort_by_key(|(k, _)| *k);
            let fields: Vec<String> =
                fields.into_iter().map(|(k, v)| format!("{}:{}", Value::from(k.as_str()), canonical(v))).collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(canonical).collect::<Vec<_>>().join(",")),
        plain => plain.to_string(),
    }
}

/// The key of a plan: SHA-256 of its canonical JSON, 64 hexadecimal digits.
pub fn of_plan(plan: &Value) -> String {
    hex(&Sha256::of(canonical(plan).as_bytes()))
}

/// The key of a data set: shape, names, rows and the bits of every number. O(n d).
pub fn of_dataset(data: &Dataset) -> String {
    let mut hash = Sha256::new();
    let mut number = |v: u64| hash.update(&v.to_le_bytes());
    number(data.n() as u64);
    number(data.d() as u64);
    data.x.as_slice().iter().chain(&data.y).for_each(|v| number(v.to_bits()));
    data.rows.iter().for_each(|r| number(*r as u64));
    for name in data.features.iter().chain([&data.target]) {
        hash.update(&(name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
    }
    hex(&hash.finish())
}

/// Hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]).collect()
}

/// SHA-256, FIPS 180-4 section 6.2.
#[derive(Clone, Debug)]
pub struct Sha256 {
    state: [u32; 8],
    block: Vec<u8>,
    length: u64,
}

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
#[rustfmt::skip]
const K: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

impl Default for Sha256 {
    fn default() -> Self {
        Self::new()
    }
}

impl Sha256 {
    /// The hash of nothing yet.
    pub fn new() -> Self {
        let state =
            [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
        Self { state, block: Vec::with_capacity(64), length: 0 }
    }

    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> [u8; 32] {
        let mut hash = Self::new();
        hash.update(bytes);
        hash.finish()
    }

    /// Takes more bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(64 - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = rest;
            if self.block.len() == 64 {
                self.compress();
            }
        }
    }

    /// The hash of all bytes taken.
    pub fn finish(mut self) -> [u8; 32] {
        let bits = self.length * 8;
        self.block.push(0x80);
        if self.block.len() > 56 {
            self.block.resize(64, 0);
            self.compress();
        }
        self.block.resize(56, 0);
        self.block.extend_from_slice(&bits.to_be_bytes());
        self.compress();
        let mut out = [0; 32];
        for (four, word) in out.chunks_exact_mut(4).zip(self.state) {
            four.copy_from_slice(&word.to_be_bytes());
        }
        out
    }

    /// One round over the full block, which is then empty.
    fn compress(&mut self) {
        let mut w = [0u32; 64];
        for (t, four) in self.block.as_chunks::<4>().0.iter().enumerate() {
            w[t] = u32::from_be_bytes(*four);
        }
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        let mut v = self.state;
        for t in 0..64 {
            let [a, b, c, d, e, f, g, h] = v;
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t1 = h.wrapping_add(s1).wrapping_add((e & f) ^ (!e & g)).wrapping_add(K[t]).wrapping_add(w[t]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            v = [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g];
        }
        for (s, v) in self.state.iter_mut().zip(v) {
            *s = s.wrapping_add(v);
        }
        self.block.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors_of_sha256() {
        // FIPS 180-4 examples and the NIST long message of a million letters a.
        let cases: [(&[u8], &str); 3] = [
            (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ];
        for (text, want) in cases {
            assert_eq!(hex(&Sha256::of(text)), want);
        }
        let mut hash = Sha256::new();
        (0..10_000).for_each(|_| hash.update(&[b'a'; 100]));
        assert_eq!(hex(&hash.finish()), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let a: Value = serde_json::from_str(r#"{"b": [1, 2.5, null], "a": {"y": true, "x": "\""}}"#).unwrap();
        let b: Value = serde_json::from_str(r#"{"a":{"x":"\"","y":true},"b":[1,2.5,null]}"#).unwrap();
        assert_eq!(canonical(&a), r#"{"a":{"x":"\"","y":true},"b":[1,2.5,null]}"#);
        assert_eq!(of_plan(&a), of_plan(&b));
    }
}
