//! Lines like `[tags: a, b]` in a text that an edit brings: storing takes them for what they say, an edit changes only the text.

use helix_engine::exchange::OwnLines;

/// Stands where the text begins that lines are added to.
const BEFORE: &str = "-\n";

/// What to tell the author of a new text in which lines say what they do not set.
pub(super) fn kept(text: &str) -> Option<String> {
    noted(&OwnLines::of(text, &[])?.names())
}

/// The same of lines that are added, which may be nothing else.
pub(super) fn kept_below(text: &str) -> Option<String> {
    kept(text).or_else(|| kept(&format!("{BEFORE}{text}")))
}

fn noted(names: &[&str]) -> Option<String> {
    let lines: Vec<String> = names.iter().map(|name| format!("[{name}: …]")).collect();
    let others: Vec<&str> = names.iter().copied().filter(|name| *name != "tags").collect();
    let tags = names.contains(&"tags").then(|| "edit action=tag sets tags".to_owned());
    let set = (!others.is_empty()).then(|| format!("edit action=set sets {}", others.join(", ")));
    let ways: Vec<String> = [tags, set].into_iter().flatten().collect();
    (!ways.is_empty()).then(|| format!("{} stayed in the text and set nothing; {}", lines.join(" "), ways.join(", ")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_that_set_nothing_are_noted() {
        assert_eq!(
            kept("[tags: gotcha, q]\n[confidence: 0.3]\nUse arm64.").unwrap(),
            "[tags: …] [confidence: …] stayed in the text and set nothing; edit action=tag sets tags, edit action=set sets \
             confidence"
        );
        assert!(kept("Use arm64.\n[source: a.rs:1]").unwrap().ends_with("nothing; edit action=set sets source"));
        for text in ["Use arm64.", "[WIP] Use arm64.", "[note: x]\nUse arm64."] {
            assert_eq!(kept(text), None, "{text}");
            assert_eq!(kept_below(text), None, "{text}");
        }
    }

    #[test]
    fn added_lines_may_be_nothing_else() {
        for text in ["[tags: gotcha]", "[tags: gotcha]\nMore.", "More.\n[tags: gotcha]"] {
            assert!(kept_below(text).unwrap().starts_with("[tags: …] stayed"), "{text}");
        }
    }
}
