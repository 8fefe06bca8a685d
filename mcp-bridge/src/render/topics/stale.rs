//! Memories whose source changed.

use helix_client::v1::{SourceState, StaleMemory, StaleReply};

use super::super::View;
use super::super::memory::{
    INDENT, MARK, count_of, cut, day, header, marked_line, opening, source,
};
use super::super::pack::packed;
use crate::clean;

/// Lines of the old note that stand beside the source.
const NOTE_LINES: usize = 6;

/// Longest piece of a source that is shown, in lines.
const SOURCE_LINES_MAX: usize = 40;

/// Longest line of a source, in characters.
const SOURCE_LINE_MAX_CHARS: usize = 160;

/// Text of a reply to `stale`; with `refresh` each note stands above its source as it is now.
pub(crate) fn stale(reply: &StaleReply, refresh: bool, view: &View) -> String {
    let unknown = match reply.unknown {
        0 => String::new(),
        unknown => format!(", {unknown} whose file was never seen"),
    };
    let changed = match reply.stale.len() {
        0 => "no memory has a source that changed".to_owned(),
        count => count_of(
            count,
            "memory has a source that changed",
            "memories have a source that changed",
        ),
    };
    let head = format!("{changed} ({} looked at{unknown})", reply.checked);
    if reply.stale.is_empty() {
        return head;
    }
    let (separator, show): (&str, fn(&StaleMemory, &View) -> String) = if refresh {
        ("\n\n", beside)
    } else {
        ("\n", line)
    };
    let blocks: Vec<String> = reply.stale.iter().map(|one| show(one, view)).collect();
    let list = packed(&blocks, separator, blocks.len(), |missing| {
        format!("{missing} more; topic=<name> narrows them")
    });
    let advice = if refresh {
        "edit action=revise corrects a note, action=delete drops it, action=set source=… says that it still holds"
    } else {
        "refresh=true shows the sources as they are now"
    };
    [head.as_str(), &list, advice].join(separator)
}

fn state(one: &StaleMemory) -> &'static str {
    match one
        .memory
        .as_ref()
        .map(helix_client::v1::Memory::source_state)
    {
        Some(SourceState::Deleted) => "deleted",
        Some(SourceState::Unknown | SourceState::Fresh | SourceState::Changed) | None => "changed",
    }
}

fn line(one: &StaleMemory, view: &View) -> String {
    let Some(memory) = &one.memory else {
        return String::new();
    };
    header([
        format!("{} {}", source(memory), state(one)),
        marked_line(memory, view, String::new()),
    ])
}

fn beside(one: &StaleMemory, view: &View) -> String {
    let Some(memory) = &one.memory else {
        return String::new();
    };
    let head = header([
        clean::line(&memory.handle),
        day(memory, view),
        format!("{} {}", source(memory), state(one)),
    ]);
    format!(
        "{head}\nnote:\n{}\nnow:\n{}",
        opening(memory, NOTE_LINES),
        current(one)
    )
}

/// The source's lines with their numbers; the one that the memory names is marked.
fn current(one: &StaleMemory) -> String {
    let text = clean::block(&one.current);
    if text.trim().is_empty() {
        let what = if state(one) == "deleted" {
            "the file is gone"
        } else {
            "the file could not be read"
        };
        return format!("{INDENT}({what})");
    }
    let all: Vec<&str> = text.trim_end().lines().collect();
    let noted = one
        .memory
        .as_ref()
        .and_then(|memory| memory.source.as_ref())
        .map_or(0, |source| source.line);
    let margin = |at| if at == noted { MARK } else { INDENT };
    let shown = (one.current_line.max(1)..).zip(&all).take(SOURCE_LINES_MAX);
    let mut lines: Vec<String> = shown
        .map(|(at, line)| format!("{}{at} | {}", margin(at), cut(line, SOURCE_LINE_MAX_CHARS)))
        .collect();
    if noted == 0 && one.current_line <= 1 {
        lines.insert(0, format!("{INDENT}(the file's beginning)"));
    }
    if all.len() > SOURCE_LINES_MAX {
        lines.push(format!(
            "{INDENT}… {} more lines",
            all.len() - SOURCE_LINES_MAX
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use helix_client::v1::Memory;

    use super::super::super::samples::{arm64, hostile, utc};
    use super::*;

    fn reply() -> StaleReply {
        let changed = Memory {
            source_state: SourceState::Changed.into(),
            ..arm64()
        };
        let deleted = Memory {
            source_state: SourceState::Deleted.into(),
            ..hostile()
        };
        let current = "fn build() {\n    arch(\"arm64\");\u{1b}[2J\n}\n".to_owned();
        StaleReply {
            stale: vec![
                StaleMemory {
                    memory: Some(changed),
                    current,
                    current_line: 41,
                },
                StaleMemory {
                    memory: Some(deleted),
                    ..StaleMemory::default()
                },
            ],
            checked: 40,
            unknown: 2,
            ..StaleReply::default()
        }
    }

    #[test]
    fn changed_sources_are_listed() {
        insta::assert_snapshot!(stale(&reply(), false, &utc()));
    }

    #[test]
    fn the_note_stands_beside_the_source() {
        insta::assert_snapshot!(stale(&reply(), true, &utc()));
    }

    #[test]
    fn nothing_stale_is_marked_line() {
        let fresh = StaleReply {
            checked: 12,
            ..StaleReply::default()
        };
        assert_eq!(
            stale(&fresh, true, &utc()),
            "no memory has a source that changed (12 looked at)"
        );
    }
}
