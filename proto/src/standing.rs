//! Notes about the strand rather than the query: they stay true for a while, so a session that
//! searches again and again need not be told each time.

/// Begins what is said while there is no embedder; why there is none follows.
pub const BY_WORDS_ONLY: &str = "searched by words only";

/// Said while the embedder has much to do.
pub const VECTORS_LACKING: &str =
    "many memories have no vector yet and are found by their words only";

/// Returns whether a note says one of these.
#[must_use]
pub fn is_standing(note: &str) -> bool {
    note.starts_with(BY_WORDS_ONLY) || note == VECTORS_LACKING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_of_the_strand_stands() {
        assert!(
            is_standing("searched by words only: the embedder is switched off")
                && is_standing(VECTORS_LACKING)
        );
        assert!(!is_standing("no memory here has the tag x"));
    }
}
