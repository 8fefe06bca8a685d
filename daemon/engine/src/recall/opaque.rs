//! Short texts that one answer hands to the next call: bytes in the alphabet of addresses, numbers
//! in as few bytes as they need.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Bits of a byte that hold a part of a number; the highest says that more follow.
const PART_BITS: u32 = 7;

/// Bytes on their way out.
#[derive(Default)]
pub(super) struct Out(Vec<u8>);

/// Bytes on their way in.
pub(super) struct In(std::vec::IntoIter<u8>);

impl Out {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn number(&mut self, mut number: u64) {
        loop {
            let [low, ..] = (number & 0x7f).to_le_bytes();
            number >>= PART_BITS;
            if number == 0 {
                return self.0.push(low);
            }
            self.0.push(low | 0x80);
        }
    }

    pub(super) fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.0)
    }
}

impl In {
    pub(super) fn of(text: &str) -> Option<Self> {
        Some(Self(URL_SAFE_NO_PAD.decode(text).ok()?.into_iter()))
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.0.next()
    }

    pub(super) fn four(&mut self) -> Option<[u8; 4]> {
        Some([self.byte()?, self.byte()?, self.byte()?, self.byte()?])
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(PART_BITS as usize) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            number |= part
                .checked_shl(shift)
                .filter(|shifted| shifted >> shift == part)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// Returns whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.0.len() == 0
    }
}
