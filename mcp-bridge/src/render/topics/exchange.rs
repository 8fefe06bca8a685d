//! Exports and imports.

use helix_client::v1::ImportProgress;

use super::super::ANSWER_MAX_CHARS;
use super::super::memory::{INDENT, cut};
use super::super::pack::packed;
use crate::clean;
use crate::failure::Failure;

/// Longest description of one problem, in characters.
const PROBLEM_MAX_CHARS: usize = 240;

/// An export, or its beginning.
#[derive(Default)]
pub(crate) struct Exported {
    /// The document.
    pub(crate) data: Vec<u8>,
    /// Memories in the whole of it.
    pub(crate) total: u64,
    /// What the format could not hold.
    pub(crate) notes: Vec<String>,
    /// Whether reading stopped because it cannot be shown.
    pub(crate) is_too_large: bool,
}

/// Text of an export: the document with what is to be said of it.
///
/// # Errors
/// [`Failure::TooLarge`]: half a document is of no use to anybody.
pub(crate) fn exported(exported: &Exported) -> Result<String, Failure> {
    if exported.total == 0 {
        return Ok("there is nothing to export; topics lists what there is".to_owned());
    }
    let text = String::from_utf8_lossy(&exported.data);
    let notes = exported
        .notes
        .iter()
        .map(|note| format!("note: {}\n", clean::line(note)));
    let answer: String = notes.chain([clean::block(text.trim_end())]).collect();
    if exported.is_too_large || answer.chars().count() > ANSWER_MAX_CHARS {
        return Err(Failure::TooLarge(exported.total));
    }
    Ok(answer)
}

/// Text of an import's last message.
pub(crate) fn imported(last: Option<&ImportProgress>) -> String {
    let Some(last) = last else {
        return unfinished("");
    };
    if last.done && last.read == 0 && last.refused == 0 {
        return "the document holds no memory; give [{\"topic\": \"a\", \"text\": \"b\"}] or an export".to_owned();
    }
    let counts = [
        (last.stored, "stored"),
        (
            last.quarantined,
            "of these not trusted yet: they wait in the review, and no search finds them until a person runs helixctl review",
        ),
        (last.known, "known already"),
        (last.revised, "changed"),
        (last.conflicts, "left as they are"),
        (last.refused, "refused"),
    ];
    let counts = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"));
    let head = std::iter::once(format!("{} read", last.read))
        .chain(counts)
        .collect::<Vec<_>>()
        .join(", ");
    let head = if last.done { head } else { unfinished(&head) };
    let lines: Vec<String> = last
        .problems
        .iter()
        .map(|problem| format!("{INDENT}{}", cut(&clean::line(problem), PROBLEM_MAX_CHARS)))
        .collect();
    let repeats = forgotten(last) + &repeats(last);
    if lines.is_empty() {
        return head + &repeats;
    }
    let untold = usize::try_from(last.problems_untold).unwrap_or(usize::MAX);
    let all = lines.len().saturating_add(untold);
    let problems = packed(&lines, "\n", all, |missing| {
        format!("{INDENT}and {missing} more")
    });
    format!("{head}; problems:\n{problems}{repeats}")
}

/// Which of the known memories are forgotten, and how they come back.
fn forgotten(last: &ImportProgress) -> String {
    if last.forgotten == 0 {
        return String::new();
    }
    let handles: Vec<String> = last
        .forgotten_handles
        .iter()
        .map(|handle| clean::line(handle))
        .collect();
    let more = if (handles.len() as u64) < last.forgotten {
        " and others"
    } else {
        ""
    };
    let (count, handles) = (last.forgotten, handles.join(", "));
    format!(
        "\n{count} of the known ones forgotten here, and left so: {handles}{more}; edit action=restore topic=<handle> brings one back"
    )
}

/// Which imported memories nearly repeat others, and what to do about it.
fn repeats(last: &ImportProgress) -> String {
    if last.repeats == 0 {
        return String::new();
    }
    let pairs: Vec<String> = last
        .repeated
        .iter()
        .map(|pair| {
            format!(
                "\n{INDENT}{} repeats {}",
                clean::line(&pair.handle),
                clean::line(&pair.of)
            )
        })
        .collect();
    let (verb, cut) = (
        if last.repeats == 1 {
            "repeats"
        } else {
            "repeat"
        },
        last.is_repeats_cut,
    );
    let among = if cut { ", not all were compared" } else { "" };
    let count = last.repeats;
    let advice = "action=compact shows which say the same, and with apply merges those";
    format!(
        "\n{count} nearly {verb} others{among}; {advice}{}",
        pairs.concat()
    )
}

fn unfinished(head: &str) -> String {
    let so_far = if head.is_empty() {
        String::new()
    } else {
        format!(" ({head} so far)")
    };
    format!("the import did not finish{so_far}; repeat it: what is stored already is known again")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn export(data: &str) -> Exported {
        Exported {
            data: data.as_bytes().to_vec(),
            total: 3,
            ..Exported::default()
        }
    }

    #[test]
    fn a_small_export_is_the_document() {
        let document = export("{\"memories\": [\"a\u{200b}\"]}\n");
        assert_eq!(exported(&document).unwrap(), "{\"memories\": [\"a\"]}");
    }

    #[test]
    fn a_large_export_is_an_error_that_says_where_to_get_it() {
        let told = "the export of 3 memories does not fit into an answer; give topic (names or globs) to export less, or use \
                    `helixctl export`";
        let failed = |document: &Exported| exported(document).unwrap_err().to_string();
        assert_eq!(
            failed(&Exported {
                is_too_large: true,
                ..export("{")
            }),
            told
        );
        assert_eq!(failed(&export(&"x".repeat(ANSWER_MAX_CHARS + 1))), told);
        assert!(exported(&export(&"x".repeat(ANSWER_MAX_CHARS))).is_ok());
    }

    #[test]
    fn an_import_says_what_became_of_it() {
        let done = ImportProgress {
            read: 12,
            stored: 9,
            known: 2,
            refused: 1,
            done: true,
            ..ImportProgress::default()
        };
        let problem = "memories[4]: the text is empty,\nleft out".to_owned();
        let texts = [
            imported(Some(&done)),
            imported(Some(&ImportProgress {
                problems: vec![problem],
                ..done.clone()
            })),
            imported(Some(&ImportProgress {
                done: false,
                ..done
            })),
            imported(None),
        ];
        insta::assert_snapshot!(texts.join("\n---\n"));
    }
}
