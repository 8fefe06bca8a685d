//! How many of something a caller is answered with.

use crate::Refusal;

/// The limit of a listing. Large ones are refused instead of cut, so that nobody takes a part for
/// the whole.
pub struct Limit {
    /// The meaning of 0.
    pub default: u32,
    /// The largest that may be asked for.
    pub max: u32,
}

impl Limit {
    /// Reads what a caller asks for.
    ///
    /// # Errors
    /// When it is more than the largest.
    pub fn read(&self, wanted: u32) -> Result<usize, Refusal> {
        let Self { default, max } = *self;
        match wanted {
            0 => Ok(default as usize),
            wanted if wanted <= max => Ok(wanted as usize),
            wanted => Err(Refusal::exhausted(format!(
                "limit is {wanted}, the most is {max}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_memory::ErrorKind;

    use super::*;

    #[test]
    fn a_limit_is_kept_to() {
        let limit = Limit {
            default: 50,
            max: 1_000,
        };
        assert_eq!(
            [0, 1, 1_000].map(|wanted| limit.read(wanted).unwrap()),
            [50, 1, 1_000]
        );
        let error = limit.read(1_001).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exhausted);
        assert!(
            error.message().contains("1001") && error.message().contains("1000"),
            "{error}"
        );
    }
}
