//! What a new memory did to those that were known, in words. Each program adds by which of its own
//! calls that is settled or taken back.

use helix_proto::v1::Correction;

use super::clean;
use super::memory::cut;

/// Characters of a corrected text that are shown.
const SHOWN_MAX_CHARS: usize = 160;

/// Says it to whoever stored the new memory: `replaces web/npm (“Built with npm.”): it names what
/// it replaces`.
#[must_use]
pub fn sentence(correction: &Correction) -> String {
    let handle = clean::line(&correction.handle);
    let text = cut(&clean::line(&correction.text), SHOWN_MAX_CHARS);
    let why = clean::line(&correction.why);
    let (verb, rest) = if correction.is_replaced {
        ("replaces", "")
    } else {
        ("contradicts", "; both are kept")
    };
    format!("{verb} {handle} (\u{201c}{text}\u{201d}): it {why}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_read_well() {
        let mut correction = Correction {
            handle: "web/npm".to_owned(),
            is_replaced: true,
            why: "names what it replaces".to_owned(),
            text: "Built with\nn\u{200b}pm.".to_owned(),
        };
        let said = sentence(&correction);
        assert_eq!(
            said,
            "replaces web/npm (“Built with npm.”): it names what it replaces"
        );
        correction.is_replaced = false;
        assert!(sentence(&correction).ends_with("; both are kept"));
    }
}
