//! Outdated and doubled memories, and the log of sessions and changes.

use std::time::Duration;

use helix_client::text::memory::count_of;
use helix_client::v1::{
    BatchItem, DuplicatePair, EditReply, ImportProgress, KnownSession, LoggedOperation, Memory,
    Receipt, Repeat, SourceState, StaleMemory, StaleReply, StoreOutcome, StoreReply, batch_item,
};

use super::corrections;
use super::memory::{handle, row_text, source};
use super::table::{Field, HANDLES, rows};
use crate::document::source_state;
use crate::screen::{Look, Paint};
use crate::text::{neutral, one_line};
use crate::time::minute;

/// Writes stale memories in rows.
pub(crate) fn stale(look: Look, reply: &StaleReply) -> String {
    let row = |stale: &StaleMemory| {
        let memory = stale.memory.as_ref()?;
        Some(vec![
            handle(memory),
            state(memory),
            one_line(&source(memory)).into(),
            row_text(look, &memory.text).into(),
        ])
    };
    rows(
        look,
        &["handle", "state", "source", "text"],
        reply.stale.iter().filter_map(row).collect(),
    )
}

/// Writes stale memories one after the other, each with what its source says now.
pub(crate) fn stale_beside(look: Look, reply: &StaleReply) -> String {
    let one = |stale: &StaleMemory| {
        let memory = stale.memory.as_ref()?;
        let (name, source) = (
            look.paint(Paint::Name, &one_line(&memory.handle)),
            one_line(&source(memory)),
        );
        let text = indented(&neutral(memory.text.trim_end()));
        Some(format!(
            "{name}\n{text}{}\n{}",
            look.paint(Paint::Faint, &source),
            now(look, stale)
        ))
    };
    reply
        .stale
        .iter()
        .filter_map(one)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Writes pairs that say the same.
pub(crate) fn duplicates(look: Look, pairs: &[DuplicatePair]) -> String {
    paired(
        look,
        ["alike", "kept", "duplicate", "text"],
        ["keep", "drop"],
        pairs,
    )
}

/// Writes pairs that are only alike.
pub(crate) fn similar(look: Look, pairs: &[DuplicatePair]) -> String {
    paired(
        look,
        ["alike", "newer", "similar", "text"],
        ["new", "old"],
        pairs,
    )
}

/// On a terminal, a row for each of the two that says which it is; elsewhere a row for both.
fn paired(look: Look, names: [&str; 4], roles: [&str; 2], pairs: &[DuplicatePair]) -> String {
    if look.table_width.is_some() {
        let two = |pair: &DuplicatePair| {
            let row = |memory: &Memory, role: &str, alike: String| {
                vec![
                    alike.into(),
                    role.into(),
                    handle(memory),
                    row_text(look, &memory.text).into(),
                ]
            };
            let (kept, duplicate) = (pair.kept.as_ref()?, pair.duplicate.as_ref()?);
            let [one, other] = roles;
            Some([
                row(kept, one, format!("{:.2}", pair.similarity)),
                row(duplicate, other, String::new()),
            ])
        };
        return rows(
            look,
            &["alike", "which", "handle", "text"],
            pairs.iter().filter_map(two).flatten().collect(),
        );
    }
    let row = |pair: &DuplicatePair| {
        let (kept, duplicate) = (pair.kept.as_ref()?, pair.duplicate.as_ref()?);
        Some(vec![
            format!("{:.2}", pair.similarity).into(),
            handle(kept),
            one_line(&duplicate.handle).into(),
            row_text(look, &kept.text).into(),
        ])
    };
    rows(look, &names, pairs.iter().filter_map(row).collect())
}

/// Writes what a session changed.
pub(crate) fn session(look: Look, operations: &[LoggedOperation]) -> String {
    let row = |operation: &LoggedOperation| {
        vec![
            operation.sequence.to_string().into(),
            Field::painted(Paint::Faint, minute(operation.at_us)),
            one_line(&operation.kind).into(),
            Field::painted(Paint::Name, one_line(&operation.handle)),
            row_text(look, &operation.summary).into(),
        ]
    };
    rows(
        look,
        &["sequence", "at", "what", "handle", "text"],
        operations.iter().map(row).collect(),
    )
}

/// Writes sessions: what each is doing, how many memories it was given, and where.
pub(crate) fn sessions(look: Look, sessions: &[KnownSession]) -> String {
    let or_unknown = |text: &str| {
        if text.is_empty() {
            "-".to_owned()
        } else {
            one_line(text)
        }
    };
    let project = |session: &KnownSession| {
        or_unknown(if session.project_name.is_empty() {
            &session.project
        } else {
            &session.project_name
        })
    };
    let row = |session: &KnownSession| {
        vec![
            Field::painted(Paint::Name, or_unknown(&session.session)),
            Field::painted(Paint::Faint, minute(session.last_event_at_us)),
            or_unknown(&session.phase).into(),
            format!("{} given", session.injected).into(),
            project(session).into(),
        ]
    };
    rows(
        look,
        &["session", "last event", "phase", "given", "project"],
        sessions.iter().map(row).collect(),
    )
}

/// Writes receipts, newest first.
pub(crate) fn receipts(look: Look, receipts: &[Receipt]) -> String {
    let row = |receipt: &Receipt| {
        vec![
            Field::painted(Paint::Faint, minute(receipt.at_us)),
            one_line(&receipt.session).into(),
            one_line(&receipt.event).into(),
            receipt.fate.as_str().into(),
            format!("{} tokens", receipt.tokens).into(),
            format!(
                "{:.1} ms",
                Duration::from_micros(receipt.latency_us).as_secs_f64() * 1e3
            )
            .into(),
            one_line(&receipt.handles.join(" ")).into(),
        ]
    };
    rows(
        look,
        &["at", "session", "event", "fate", "cost", "took", HANDLES],
        receipts.iter().map(row).collect(),
    )
}

/// Writes what a change did: one line a memory, then how many when there are more.
pub(crate) fn changed(look: Look, done: &str, reply: &EditReply) -> String {
    let line = |memory: &Memory| {
        let name = memory
            .index
            .map(|index| format!("\t{}:{index}", one_line(&memory.topic)));
        format!(
            "{done}\t{}{}\n",
            look.paint(Paint::Name, &one_line(&memory.handle)),
            name.unwrap_or_default()
        )
    };
    let shown: String = reply.memories.iter().map(line).collect();
    let more = usize::try_from(reply.changed)
        .unwrap_or_default()
        .saturating_sub(reply.memories.len());
    match (shown.is_empty(), more) {
        (true, 0) => "unchanged\n".to_owned(),
        (_, 0) => shown,
        (_, _) => format!("{shown}{done}\t{} memories in all\n", reply.changed),
    }
}

/// Writes what became of memories of a batch, the first of which has a position in the input,
/// counted from 1 for people.
pub(crate) fn batch(look: Look, items: &[BatchItem], first: usize) -> String {
    let line = |(at, item): (usize, &BatchItem)| match &item.item {
        Some(batch_item::Item::Stored(reply)) => stored(look, first + at + 1, reply),
        Some(batch_item::Item::Refused(why)) => refused(look, first + at + 1, why),
        None => refused(
            look,
            first + at + 1,
            "the daemon did not say what became of it",
        ),
    };
    items.iter().enumerate().map(line).collect()
}

/// Writes what became of an import.
pub(crate) fn imported(look: Look, progress: &ImportProgress, dry_run: bool) -> String {
    let word = if dry_run { "would be " } else { "" };
    let ImportProgress {
        stored,
        known,
        revised,
        refused,
        conflicts,
        ..
    } = progress;
    let read = count_of(progress.read, "memory", "memories");
    let sum = format!(
        "{read} read: {stored} {word}stored, {known} known before, {revised} {word}revised, {conflicts} in conflict, \
             {refused} refused\n"
    );
    let problem = |problem: &String| {
        format!(
            "{}\t{}\n",
            look.paint(Paint::Bad, "problem"),
            one_line(problem)
        )
    };
    let more = match progress.problems_untold {
        0 => String::new(),
        untold => format!("{}\tand {untold} more\n", look.paint(Paint::Bad, "problem")),
    };
    progress.problems.iter().map(problem).collect::<String>()
        + &more
        + &sum
        + &quarantined(look, progress, dry_run)
        + &forgotten(look, progress)
        + &repeats(look, progress)
}

/// Writes how many of the new memories wait for somebody who vouches for them.
fn quarantined(look: Look, progress: &ImportProgress, dry_run: bool) -> String {
    if progress.quarantined == 0 {
        return String::new();
    }
    let wait = if dry_run { "would wait" } else { "wait" };
    let count = progress.quarantined;
    format!(
        "{}\t{count} of those stored {wait} in the review, where no search finds them and no agent is shown them; \
         helixctl review lists them, helixctl review approve lets them in, importing again with --trust vouches for all\n",
        look.paint(Paint::Warning, "quarantined")
    )
}

/// Writes which of the known memories are forgotten here, and how they come back.
fn forgotten(look: Look, progress: &ImportProgress) -> String {
    let Some(first) = progress.forgotten_handles.first() else {
        return String::new();
    };
    let line = |handle: &String| {
        format!(
            "{}\t{}\n",
            look.paint(Paint::Warning, "forgotten"),
            one_line(handle)
        )
    };
    let lines: String = progress.forgotten_handles.iter().map(line).collect();
    let (are, brings) = if progress.forgotten == 1 {
        ("is forgotten here and stays so", "it")
    } else {
        ("are forgotten here and stay so", "one")
    };
    let (count, first) = (progress.forgotten, one_line(first));
    format!(
        "{lines}{count} of those known before {are}; helixctl restore {first} brings {brings} back\n"
    )
}

/// Writes which imported memories nearly repeat others.
fn repeats(look: Look, progress: &ImportProgress) -> String {
    let pair = |pair: &Repeat| {
        format!(
            "{}\t{}\t{}\n",
            look.paint(Paint::Warning, "repeats"),
            one_line(&pair.handle),
            one_line(&pair.of)
        )
    };
    let pairs: String = progress.repeated.iter().map(pair).collect();
    let among = if progress.is_repeats_cut {
        " at least, as not all were compared"
    } else {
        ""
    };
    let advice = "helixctl compact shows which say the same, and with --apply merges those";
    match progress.repeats {
        0 => String::new(),
        1 => format!("{pairs}1 nearly repeats another{among}; {advice}\n"),
        count => format!("{pairs}{count} nearly repeat others{among}; {advice}\n"),
    }
}

fn stored(look: Look, number: usize, reply: &StoreReply) -> String {
    let (paint, word) = match reply.outcome() {
        StoreOutcome::Stored => (Paint::Good, "stored"),
        StoreOutcome::Reinforced => (Paint::Good, "reinforced"),
        StoreOutcome::Extended => (Paint::Good, "extended"),
        StoreOutcome::Duplicate => (Paint::Warning, "duplicate"),
        StoreOutcome::Unspecified => (Paint::Bad, "unknown"),
    };
    let handle = one_line(reply.memory.as_ref().map_or("", |memory| &memory.handle));
    let warnings = reply.warnings.iter().map(|warning| one_line(warning));
    let fields = [number.to_string(), look.paint(paint, word), handle]
        .into_iter()
        .chain(warnings)
        .chain(corrections(reply));
    fields.collect::<Vec<_>>().join("\t") + "\n"
}

fn refused(look: Look, number: usize, why: &str) -> String {
    format!(
        "{number}\t{}\t{}\n",
        look.paint(Paint::Bad, "refused"),
        one_line(why)
    )
}

fn state(memory: &Memory) -> Field {
    let paint = match memory.source_state() {
        SourceState::Fresh => Paint::Good,
        SourceState::Unknown | SourceState::Changed => Paint::Warning,
        SourceState::Deleted => Paint::Bad,
    };
    Field::painted(
        paint,
        source_state(memory.source_state()).unwrap_or("unknown"),
    )
}

/// The source as it is, with line numbers.
fn now(look: Look, stale: &StaleMemory) -> String {
    if stale.current.is_empty() {
        return format!("  {}\n", look.paint(Paint::Bad, "the file is gone"));
    }
    let first = stale.current_line.max(1);
    let numbered = |(at, line): (u32, &str)| {
        let number = look.paint(Paint::Faint, &format!("{:>6}", first.saturating_add(at)));
        format!("{number}  {}\n", neutral(line))
    };
    let is_whole = stale
        .memory
        .as_ref()
        .and_then(|memory| memory.source.as_ref())
        .is_some_and(|source| source.line == 0);
    let beginning = if is_whole && first == 1 {
        look.paint(Paint::Faint, "  the file's beginning") + "\n"
    } else {
        String::new()
    };
    beginning
        + &(0..)
            .zip(stale.current.lines())
            .map(numbered)
            .collect::<String>()
}

fn indented(text: &str) -> String {
    let indent = |line| format!("  {line}\n");
    text.lines().map(indent).collect()
}
