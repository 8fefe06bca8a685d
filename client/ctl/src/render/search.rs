//! Ranked hits, best first: in rows, or as much of each as is asked for.

use helix_client::text::View;
use helix_client::text::hits::{self, Detail};
use helix_client::text::memory::said_in;
use helix_client::text::reason::reason;
use helix_client::v1::{Hit, Memory, NamedCount, SearchReply};

use super::memory::{handle, marked_text};
use super::table::{Field, TEXT, rows};
use crate::document::found_by;
use crate::screen::{Look, Paint};
use crate::text::one_line;

/// Stands where nothing was looked for and the newest are listed.
const LISTED: &str = "newest";

/// Writes hits: score, handle, kind, scope, text, and what made the score where that was asked for.
/// What has none of the words is marked: before its text in a table, elsewhere in a field of its
/// own.
pub(crate) fn search(look: Look, reply: &SearchReply) -> String {
    let explained = reply.hits.iter().any(|hit| hit.explanation.is_some());
    let mut header = vec!["score", "handle", "kind", "scope", TEXT];
    if explained {
        header.push("because");
    }
    rows(
        look,
        &header,
        reply
            .hits
            .iter()
            .enumerate()
            .filter_map(|(at, hit)| row(look, hit, explained, hits::behind(&reply.hits, at)))
            .collect(),
    )
}

/// Writes hits as blocks of text, at a level of detail that shows hits.
pub(crate) fn blocks(
    look: Look,
    reply: &SearchReply,
    detail: Detail,
    explain: bool,
    view: &View,
) -> String {
    let blocks = hits::blocks(reply, detail, explain, view).into_iter();
    let blocks: Vec<String> = blocks.map(|block| look.wrapped(&block.text)).collect();
    if blocks.is_empty() {
        String::new()
    } else {
        blocks.join(detail.separator()) + "\n"
    }
}

/// Writes how many memories of each topic fit.
pub(crate) fn matches(look: Look, reply: &SearchReply) -> String {
    let row = |count: &NamedCount| {
        vec![
            Field::painted(Paint::Name, one_line(&count.name)),
            count.count.to_string().into(),
        ]
    };
    rows(
        look,
        &["topic", "matches"],
        reply.topic_counts.iter().map(row).collect(),
    )
}

fn row(look: Look, hit: &Hit, explained: bool, behind: &str) -> Option<Vec<Field>> {
    let memory = hit.memory.as_ref()?;
    let passage = (!hit.passage.is_empty()).then(|| Memory {
        text: hit.passage.clone(),
        summary: String::new(),
        ..memory.clone()
    });
    let memory = passage.as_ref().unwrap_or(memory);
    let text = match said_in(memory) {
        from if from.is_empty() => marked_text(look, memory),
        from => format!("{} (from {from})", marked_text(look, memory)),
    };
    let text = match hits::also_in(hit) {
        Some(copies) => format!("{text} ({copies})"),
        None => text,
    };
    let score = Field::painted(Paint::Faint, format!("{:.4}", hit.score));
    let kind = Field::from(one_line(&memory.kind));
    let place = Field::painted(Paint::Faint, scope(look, memory));
    let mut fields = match (look.table_width, hits::lacking(hit)) {
        (Some(_), Some(what)) => vec![
            score,
            handle(memory),
            kind,
            place,
            format!("({what}) {text}").into(),
        ],
        (Some(_), None) => vec![score, handle(memory), kind, place, text.into()],
        (None, _) => {
            let by = found_by(hit.found_by()).unwrap_or(LISTED);
            vec![score, handle(memory), by.into(), kind, place, text.into()]
        }
    };
    if explained {
        let why = hit.explanation.as_ref();
        let why = why.map(|why| one_line(&reason(hit.score, why)));
        let parts = why.into_iter().chain([behind.to_owned()]);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        fields.push(parts.join("; ").into());
    }
    Some(fields)
}

/// A memory's scope: in a table only which sort it is, because a project's whole identity takes the
/// room of the text.
fn scope(look: Look, memory: &Memory) -> String {
    let whole = one_line(&memory.scope);
    match whole.split_once(':') {
        Some((sort, _)) if look.table_width.is_some() => sort.to_owned(),
        _ => whole,
    }
}
