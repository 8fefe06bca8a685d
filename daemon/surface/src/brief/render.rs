//! Briefs as text, in three tiers. Terse, bounded, every memory with the handle to read it by.

mod full;
mod line;
mod scan;
mod summary;

use helix_memory::Memory;
use helix_neutral::{one_line, quoted};
use jiff::tz::TimeZone;

use super::{Brief, HOT_MAX, TopicCount};
use line::joined;
pub(super) use line::{dispute_mark, doubt_mark};

/// How much a brief says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Topics, categories, what is hot, what is missing: about 15 lines.
    #[default]
    Summary,
    /// One line a category.
    Scan,
    /// The memories themselves, up to 15 lines a category.
    Full,
}

/// A word that names no tier.
#[derive(Debug, thiserror::Error)]
#[error("detail {} is not known; use summary, scan or full", quoted(.0))]
pub struct UnknownDetail(String);

impl Detail {
    /// Reads a name, in any case.
    ///
    /// # Errors
    /// [`UnknownDetail`], listing the names.
    pub fn parse(name: &str) -> Result<Self, UnknownDetail> {
        match name.trim().to_lowercase().as_str() {
            "summary" => Ok(Self::Summary),
            "scan" => Ok(Self::Scan),
            "full" => Ok(Self::Full),
            other => Err(UnknownDetail(other.chars().take(40).collect())),
        }
    }
}

/// Lines of a summary: two of counts, a heading and five hot ones, a heading and four gaps, one of
/// links, one of remarks.
pub const SUMMARY_LINES_MAX: usize = 15;

/// Lines of a scan: topics, nine categories, links, remarks.
pub const SCAN_LINES_MAX: usize = 12;

/// Lines of a category in full, after its heading.
pub const CATEGORY_LINES_MAX: usize = 15;

/// Characters of a category in full: a page.
pub const CATEGORY_MAX_CHARS: usize = 4_000;

/// How long each list of a text may be.
#[derive(Clone, Copy, Debug)]
struct Caps {
    topics: usize,
    hot: usize,
    gaps: usize,
    linked: usize,
    chains: usize,
    preview_chars: usize,
    category_lines: usize,
    category_chars: usize,
    /// Lines of one memory's text in full.
    text_lines: usize,
    /// Characters of one memory's text in full.
    text_chars: usize,
}

const ORDINARY: Caps = Caps {
    topics: 10,
    hot: 5,
    gaps: 4,
    linked: 6,
    chains: 8,
    preview_chars: 120,
    category_lines: CATEGORY_LINES_MAX,
    category_chars: CATEGORY_MAX_CHARS,
    text_lines: 10,
    text_chars: 1_600,
};

/// Of a compact brief: all of the hottest fit into one category, each with its lines and a remark.
const COMPACT: Caps = Caps {
    topics: HOT_MAX,
    hot: HOT_MAX,
    gaps: 0,
    linked: 0,
    chains: 0,
    preview_chars: 80,
    category_lines: CATEGORY_LINES_MAX,
    category_chars: CATEGORY_MAX_CHARS,
    text_lines: 2,
    text_chars: 400,
};

/// Renders a brief; days are those of `zone`. Every line ends with a line feed.
#[must_use]
pub fn render(brief: &Brief<'_>, detail: Detail, zone: &TimeZone) -> String {
    let caps = caps(brief);
    if brief.sections.is_empty() {
        return nothing(brief);
    }
    let mut lines = vec![topics(brief, caps)];
    lines.extend(match detail {
        Detail::Summary => summary::lines(brief, caps),
        Detail::Scan => scan::lines(brief, caps),
        Detail::Full => full::lines(brief, caps, zone),
    });
    lines.extend(remarks(brief));
    lines.join("\n") + "\n"
}

/// The memories whose whole texts a rendered brief holds; what is shown but in full is cut to a
/// line.
pub fn whole<'b>(
    brief: &'b Brief<'_>,
    detail: Detail,
    zone: &'b TimeZone,
) -> impl Iterator<Item = &'b Memory> {
    (detail == Detail::Full)
        .then(|| full::whole(brief, caps(brief), zone))
        .into_iter()
        .flatten()
}

fn caps(brief: &Brief<'_>) -> &'static Caps {
    if brief.is_compact {
        &COMPACT
    } else {
        &ORDINARY
    }
}

fn nothing(brief: &Brief<'_>) -> String {
    if brief.out_of_focus > 0 {
        let focus: Vec<&str> = brief
            .focus
            .iter()
            .map(|category| category.heading())
            .collect();
        return format!(
            "No memories in {}; {} in other categories.\n",
            focus.join(", "),
            brief.out_of_focus
        );
    }
    "No memories match. Try `search`, or `brief` without a query for an overview.\n".to_owned()
}

/// `TOPICS: topic-a (12), topic-b (8 of 30)`, of how many where some were left out or are not in
/// focus.
fn topics(brief: &Brief<'_>, caps: &Caps) -> String {
    let name = |topic: &TopicCount<'_>| {
        let name = one_line(topic.name, line::NAME_MAX_CHARS);
        match topic.left_out + topic.out_of_focus {
            0 => format!("{name} ({})", topic.count),
            others => format!("{name} ({} of {})", topic.count, topic.count + others),
        }
    };
    let (listed, hidden) = brief.topics.split_at(caps.topics.min(brief.topics.len()));
    let hidden_memories: usize = hidden
        .iter()
        .map(|topic| topic.count + topic.left_out + topic.out_of_focus)
        .sum();
    let names = listed.iter().map(name).collect();
    let rest = (!hidden.is_empty()).then(|| format!("{} more ({hidden_memories})", hidden.len()));
    let heading = if brief.focus.is_empty() {
        "TOPICS"
    } else {
        "TOPICS IN FOCUS"
    };
    format!("{heading}: {}", joined(names, rest))
}

/// Tells a reader what is not shown as it is.
fn remarks(brief: &Brief<'_>) -> Option<String> {
    let beyond = format!("not among the top {HOT_MAX}");
    let counted = [
        (brief.beyond, beyond.as_str()),
        (brief.merged, "identical merged"),
        (brief.superseded, "superseded"),
        (brief.stale, "stale (source changed)"),
        (brief.out_of_focus, "in other categories"),
        (
            brief.left_out,
            "left out as older or less relevant: narrow the query",
        ),
    ];
    let said: Vec<String> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let noun = if brief.total == 1 {
        "MEMORY"
    } else {
        "MEMORIES"
    };
    // A search for words counts those that have them; a topic's are all.
    let which = if brief.takes_turns {
        ""
    } else {
        " WITH THE WORDS"
    };
    match said.is_empty() {
        true if brief.takes_turns => None,
        true => Some(format!("COUNTED: {} {noun}{which}", brief.total)),
        false => Some(format!(
            "OF {} {noun}{which}: {}",
            brief.total,
            said.join(", ")
        )),
    }
}
