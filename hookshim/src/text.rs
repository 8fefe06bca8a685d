//! Byte strings of a fixed capacity: there is no allocator.

use core::ffi::CStr;

/// A byte string of less than `CAPACITY` bytes; what follows them is zero, so it is a C string too.
pub(crate) struct Text<const CAPACITY: usize> {
    bytes: [u8; CAPACITY],
    length: usize,
}

/// The text would not fit.
#[derive(Debug)]
pub(crate) struct Overflow;

impl<const CAPACITY: usize> Text<CAPACITY> {
    /// An empty text.
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; CAPACITY],
            length: 0,
        }
    }

    /// Appends `part`, or changes nothing when it does not fit with a zero behind it.
    pub(crate) fn push(&mut self, part: &[u8]) -> Result<(), Overflow> {
        let end = self.length + part.len();
        if end >= CAPACITY {
            return Err(Overflow);
        }
        self.bytes
            .get_mut(self.length..end)
            .ok_or(Overflow)?
            .copy_from_slice(part);
        self.length = end;
        Ok(())
    }

    /// Shortens the text to its first `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        if let Some(rest) = self.bytes.get_mut(length..self.length) {
            rest.fill(0);
            self.length = length;
        }
    }

    /// The bytes without the zero.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// The text up to its first zero, for the system.
    pub(crate) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;

    #[test]
    fn keeps_room_for_the_zero() {
        let mut text = Text::<4>::new();
        text.push(b"ab").unwrap();
        assert!(text.push(b"cd").is_err());
        text.push(b"c").unwrap();
        assert_eq!(text.as_bytes(), b"abc");
        assert_eq!(text.as_c_str().to_bytes_with_nul(), b"abc\0");
    }

    #[test]
    fn truncating_leaves_no_rest() {
        let mut text = Text::<8>::new();
        text.push(b"/bin/x").unwrap();
        text.truncate(4);
        text.truncate(7);
        assert_eq!(text.as_c_str(), c"/bin");
    }
}
