//! Paths that a memory mentions, and whether it names a file by its stem.

use helix_memory::Memory;

use crate::hook::words::{is_everyday_word, is_part};

/// The pieces of a text, whose accents stand on their letters, that may be paths or names of files.
pub(in crate::hook) fn mentions(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(|c: char| {
        !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@' | '~'))
    });
    pieces
        .map(|piece| {
            piece
                .strip_prefix("./")
                .unwrap_or(piece)
                .trim_end_matches(['.', '/', '-'])
        })
        .filter(|it| !it.is_empty())
}

/// Returns whether a memory names a file's stem: as an identifier in any case, or in its topic or
/// tags.
pub(super) fn names_stem(memory: &Memory, stem: &str) -> bool {
    let mut names = memory
        .tags
        .iter()
        .map(String::as_str)
        .chain([memory.topic.as_str()]);
    has_stem(&memory.text, stem) || names.any(|name| is_stem(name, stem))
}

/// Returns whether a name is a stem, however its parts are joined.
fn is_stem(name: &str, stem: &str) -> bool {
    name.replace('-', "_").eq_ignore_ascii_case(stem)
}

/// Returns whether a text has a stem as a name. What is counted is named by nothing: `400 lines`
/// says nothing of the file `lines`. A word of any sentence is a name where it is written as one.
fn has_stem(text: &str, stem: &str) -> bool {
    let is_everyday = is_everyday_word(stem);
    let (mut last, mut from) = ("", 0);
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
        .any(|word| {
            let (before, rest) = text.split_at(from);
            let after = rest.get(word.len()..).unwrap_or_default();
            from = text.len() - after.len() + after.chars().next().map_or(0, char::len_utf8);
            let is_counted = is_number(std::mem::replace(&mut last, word));
            let is_stem = word.eq_ignore_ascii_case(stem)
                || word.replace('-', "_").eq_ignore_ascii_case(stem);
            is_stem && !is_counted && (!is_everyday || is_written_as_name(before, after))
        })
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a word between two texts stands there as the name of something: in backquotes,
/// as a part of a path or of a name, called, or with what it is.
fn is_written_as_name(before: &str, after: &str) -> bool {
    if helix_ablation::is_off("layer/everyday") {
        return true;
    }
    let mut next = after.chars();
    let is_joined = match next.next() {
        Some('`' | '(' | '/' | '<') => true,
        Some('.' | ':') => next
            .next()
            .is_some_and(|next| next.is_alphanumeric() || next == '_' || next == ':'),
        _ => false,
    };
    let what = after.strip_prefix(' ').unwrap_or_default();
    let what = what
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default();
    is_joined
        || before.ends_with(['`', '/', '.', ':', '@', '#'])
        || is_part(what.trim_end_matches('s'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_a_name_and_no_quantity() {
        for (text, stem) in [
            ("The kernels are generated; edit the template.", "kernels"),
            ("`Group-Commit` before the answer", "group_commit"),
            ("lines: 400", "lines"),
            ("not past 400 lines, see lines", "lines"),
            ("the audit script says `report`", "report"),
            ("Report::write() is slow", "report"),
            ("see pipeline/report.py", "report"),
            ("the report job runs at night", "report"),
            ("invoice numbers have no gaps", "invoice"),
        ] {
            assert!(has_stem(text, stem), "{text}");
        }
        for (text, stem) in [
            ("a file past 400 lines hides a second idea", "lines"),
            ("The queue holds 4,096 jobs", "jobs"),
            ("underlines", "lines"),
            ("", "lines"),
            ("class B transponders report every 30 s.", "report"),
            ("One wrong report costs a day", "report"),
            ("audit: say so", "audit"),
        ] {
            assert!(!has_stem(text, stem), "{text}");
        }
    }
}
