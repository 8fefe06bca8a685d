//! Packing blocks of text into an answer of bounded size.

use super::ANSWER_MAX_CHARS;

/// Joins blocks up to [`ANSWER_MAX_CHARS`]; returns the text and how many blocks are in it. The first is always in: blocks
/// are bounded by whoever makes them.
pub(super) fn pack(blocks: &[String], separator: &str) -> (String, usize) {
    let mut text = String::new();
    let mut size = 0;
    for (at, block) in blocks.iter().enumerate() {
        let more = block.chars().count() + separator.chars().count();
        if at > 0 && size + more > ANSWER_MAX_CHARS {
            return (text, at);
        }
        if at > 0 {
            text.push_str(separator);
        }
        text.push_str(block);
        size += more;
    }
    (text, blocks.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_do_not_fit_are_counted_out() {
        let blocks = vec!["é".repeat(ANSWER_MAX_CHARS / 3); 5];
        let (text, shown) = pack(&blocks, "\n");
        assert_eq!(shown, 2);
        assert!(text.chars().count() <= ANSWER_MAX_CHARS);
    }

    #[test]
    fn everything_that_fits_is_shown() {
        assert_eq!(pack(&["a".to_owned(), "b".to_owned()], "\n"), ("a\nb".to_owned(), 2));
        assert_eq!(pack(&[], "\n"), (String::new(), 0));
    }
}
