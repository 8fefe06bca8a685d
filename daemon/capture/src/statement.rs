//! Statements: sentences worth keeping, made to stand alone, with what they are.

use std::sync::LazyLock;

use regex::Regex;

use crate::cues::{CueClass, Found};
use crate::entities::{Class, entities};
use crate::gate::Weighed;
use crate::known::words;
use crate::language::word_count;
use crate::patterns::{Patterns, compile};
use crate::resolve::{Context, explains as may_explain, is_content, is_unresolvable, resolve};
use crate::wording::{Replacement, WORDING};
use crate::{SliceKind, Speaker};

/// Sentences of one statement.
const SENTENCES_MAX: usize = 3;

/// Words of a sentence that is taken for the reason of the one before it.
const REASON_WORDS: std::ops::RangeInclusive<usize> = 4..=30;

/// Characters of a statement; a longer one is no statement.
const TEXT_MAX_CHARS: usize = 600;

/// Words of a sentence that says what the next one is about.
const LEAD_WORDS_MIN: usize = 4;

/// Openers that one statement may have in front, one behind the other.
const OPENERS_MAX: usize = 4;

/// What one or more sentences state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    /// 0 to 1.
    pub(crate) score: f64,
    /// Lines of the slice before it.
    pub(crate) line: u64,
    /// The words that speak for it.
    pub(crate) because: String,
}

/// Who states something, and what was mentioned before.
pub(crate) struct Setting<'s> {
    pub(crate) kind: SliceKind,
    pub(crate) speaker: Speaker,
    /// Texts of the slices before, the nearest first.
    pub(crate) before: &'s [String],
    /// Score from which a sentence is kept.
    pub(crate) cutoff: f64,
}

/// Finds the statements among the weighed sentences of a slice.
pub(crate) fn statements(weighed: &[Weighed], setting: &Setting<'_>) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < weighed.len() {
        let group = group(weighed.get(at..).unwrap_or_default(), setting.cutoff);
        if group.is_empty() {
            at += 1;
            continue;
        }
        let earlier = weighed.get(..at).unwrap_or_default();
        let behind = weighed.get(at + group.len());
        let statement = statement(group, earlier, setting);
        found.extend(statement.map(|statement| mended(statement, behind, setting.speaker)));
        at += group.len();
    }
    found
}

/// The sentences that make up the statement that begins with the first one; none where it is none.
fn group(weighed: &[Weighed], cutoff: f64) -> &[Weighed] {
    let is_kept = |sentence: &Weighed| sentence.veto.is_none() && sentence.score >= cutoff;
    if !weighed.first().is_some_and(is_kept) {
        return &[];
    }
    let mut len = 1;
    while let (Some(group), Some(next)) = (weighed.get(..len), weighed.get(len)) {
        let joins = if is_kept(next) {
            continues(next) || shares_words(group, next)
        } else {
            next.veto.is_none() && (continues(next) || explains(group, next))
        };
        if len == SENTENCES_MAX || !joins {
            break;
        }
        len += 1;
    }
    weighed.get(..len).unwrap_or_default()
}

static CONTINUATIONS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&WORDING.continuations));

fn continues(next: &Weighed) -> bool {
    CONTINUATIONS.is_match(&next.sentence.masked)
}

/// Whether a sentence belongs to those before it though it does not begin so: a statement is
/// followed by its reason, and a colon by what it announces.
fn explains(group: &[Weighed], next: &Weighed) -> bool {
    let Some(last) = group.last() else {
        return false;
    };
    if last.sentence.text.ends_with([':', '：']) {
        return true;
    }
    let is_open = group.len() == 1 && !last.has_reason;
    is_open && REASON_WORDS.contains(&word_count(&next.sentence.text))
}

/// Whether two sentences are about the same.
fn shares_words(group: &[Weighed], next: &Weighed) -> bool {
    let own = words(&next.sentence.text);
    let is_shared = |word: &String| is_content(word) && own.contains(word);
    group
        .iter()
        .any(|sentence| words(&sentence.sentence.text).iter().any(is_shared))
}

fn statement(group: &[Weighed], earlier: &[Weighed], setting: &Setting<'_>) -> Option<Statement> {
    let (first, rest) = group.split_first()?;
    let nearest = earlier
        .iter()
        .rev()
        .map(|sentence| sentence.sentence.text.clone());
    let context = Context::new(nearest.chain(setting.before.iter().cloned()));
    let bare = match setting.kind {
        SliceKind::Note => without_asking(&first.sentence.text),
        SliceKind::Commit => first.sentence.text.as_str(),
        _ => without_openers(&first.sentence.text),
    };
    if word_count(bare) < 2 {
        return None;
    }
    let mut text = match setting.kind {
        SliceKind::Note | SliceKind::Commit => bare.to_owned(),
        _ => standing_alone(bare, earlier, &context, setting)?,
    };
    if setting.speaker == Speaker::User && setting.kind == SliceKind::Turn {
        text = told_of_user(&text);
    }
    text = closed(&capitalised(&text), !rest.is_empty());
    for sentence in rest {
        let more = match setting.kind {
            SliceKind::Note | SliceKind::Commit => sentence.sentence.text.as_str(),
            _ => without_openers(&sentence.sentence.text),
        };
        if !may_explain(&text, more) {
            break;
        }
        text.push(' ');
        text.push_str(&capitalised(more));
    }
    if text.chars().count() > TEXT_MAX_CHARS {
        return None;
    }
    let cues: Vec<Found> = group
        .iter()
        .flat_map(|sentence| sentence.cues.clone())
        .collect();
    let best = group
        .iter()
        .map(|sentence| sentence.score)
        .fold(0.0, f64::max);
    Some(Statement {
        kind: kind_said_by(setting.speaker, &cues),
        text,
        score: best,
        line: first.sentence.line,
        because: first
            .cues
            .first()
            .map(|cue| cue.words.clone())
            .unwrap_or_default(),
    })
}

static OWN_CHANGE: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.own_change));

/// Adds to a trap that an assistant found what it did about it: the trap alone is not true any more.
fn mended(mut statement: Statement, behind: Option<&Weighed>, speaker: Speaker) -> Statement {
    let may_be_mended = speaker == Speaker::Assistant && statement.kind == "gotcha";
    let Some(behind) = behind.filter(|_| may_be_mended) else {
        return statement;
    };
    let said = without_openers(&behind.sentence.text);
    let own = OWN_CHANGE.as_ref().and_then(|own| own.captures(said));
    let change = own.and_then(|own| said.get(own.get(1)?.start()..));
    if let Some(change) = change.filter(|change| !is_unresolvable(change)) {
        let text = closed(&statement.text, true);
        statement.text = format!("{text} Fixed since: {}", closed(change, false));
        statement.kind = "bug_fix";
    }
    statement
}

/// A sentence that says what it is about: by the names that its pronouns stand for or, where these
/// are not certain, behind the sentence before it.
fn standing_alone(
    bare: &str,
    earlier: &[Weighed],
    context: &Context,
    setting: &Setting<'_>,
) -> Option<String> {
    if let Some(resolved) = resolve(bare, context) {
        return Some(resolved);
    }
    if is_unresolvable(bare) {
        return None;
    }
    let (before, rest) = earlier.split_last()?;
    if before.veto.is_some() || word_count(&before.sentence.text) < LEAD_WORDS_MIN {
        return None;
    }
    let rest = rest
        .iter()
        .rev()
        .map(|sentence| sentence.sentence.text.clone());
    let context = Context::new(rest.chain(setting.before.iter().cloned()));
    let lead = resolve(without_openers(&before.sentence.text), &context)?;
    if !may_explain(&lead, bare) {
        return None;
    }
    Some(format!("{} {}", closed(&lead, true), capitalised(bare)))
}

/// The kind that cues say: the strongest sort's, and of two as strong the surer one.
pub(crate) fn kind_of(cues: &[Found]) -> &'static str {
    let sorts = cues.iter().filter(|cue| cue.class != CueClass::Attention);
    let best = sorts.max_by(|one, other| {
        let by_strength = sort_strength(one).total_cmp(&sort_strength(other));
        by_strength.then((other.class as u8).cmp(&(one.class as u8)))
    });
    best.map_or("fact", |cue| kind_name(cue.class))
}

/// The kind of what somebody said: an assistant that gives the cause of something has found out why
/// it went wrong.
fn kind_said_by(speaker: Speaker, cues: &[Found]) -> &'static str {
    let gives_cause = cues.iter().any(|cue| cue.class == CueClass::Consequence);
    match kind_of(cues) {
        "fact" if speaker == Speaker::Assistant && gives_cause => "gotcha",
        kind => kind,
    }
}

/// How much a cue says of the sort: what is so says less than what is to be done.
fn sort_strength(cue: &Found) -> f64 {
    let share = match cue.class {
        CueClass::Consequence => 0.6,
        CueClass::Fact => 0.9,
        CueClass::Decision
        | CueClass::BugFix
        | CueClass::Preference
        | CueClass::Convention
        | CueClass::Procedure
        | CueClass::Gotcha
        | CueClass::Architecture
        | CueClass::Attention => 1.0,
    };
    cue.strength * share
}

fn kind_name(class: CueClass) -> &'static str {
    match class {
        CueClass::Decision => "decision",
        CueClass::BugFix => "bug_fix",
        CueClass::Preference => "preference",
        CueClass::Convention => "convention",
        CueClass::Procedure => "procedure",
        CueClass::Gotcha | CueClass::Consequence => "gotcha",
        CueClass::Architecture => "architecture",
        CueClass::Fact | CueClass::Attention => "fact",
    }
}

static OPENERS: LazyLock<Vec<Regex>> = LazyLock::new(|| at_start(&WORDING.openers));
static ASKING: LazyLock<Vec<Regex>> = LazyLock::new(|| at_start(&WORDING.asking));
static COURTESIES: LazyLock<Vec<Regex>> = LazyLock::new(|| at_start(&WORDING.courtesies));

fn at_start(patterns: &[String]) -> Vec<Regex> {
    let anchored = patterns.iter().map(|pattern| format!("^(?:{pattern})"));
    anchored.filter_map(|pattern| compile(&pattern)).collect()
}

/// A sentence without what merely leads into it.
pub(crate) fn without_openers(sentence: &str) -> &str {
    without(&OPENERS, sentence)
}

/// A note without what asks to keep it; as it is where nothing of that kind is in front. Mere
/// courtesies belong to what is said.
pub(crate) fn without_asking(note: &str) -> &str {
    let mut rest = note.trim();
    let mut is_request = false;
    for _ in 0..OPENERS_MAX {
        let polite = without(&COURTESIES, rest);
        let bare = without(&ASKING, polite);
        if bare.len() == polite.len() {
            break;
        }
        is_request = true;
        rest = bare;
    }
    if is_request {
        // "Can you remember that ...?" asks no question.
        rest = rest.trim_end_matches(['?', '？']);
    }
    rest
}

/// A sentence without those of some patterns that stand in front, one behind the other.
fn without<'s>(patterns: &[Regex], sentence: &'s str) -> &'s str {
    let mut rest = sentence.trim();
    for _ in 0..OPENERS_MAX {
        let found = patterns.iter().find_map(|pattern| pattern.find(rest));
        let Some(found) = found else {
            break;
        };
        let shorter = rest.get(found.end()..).unwrap_or_default().trim_start();
        if shorter.is_empty() {
            break;
        }
        rest = shorter;
    }
    rest
}

static REWRITES: LazyLock<Vec<(Regex, &'static str)>> =
    LazyLock::new(|| compiled(&WORDING.rewrite));
static PERSONS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| compiled(&WORDING.person));

fn compiled(replacements: &'static [Replacement]) -> Vec<(Regex, &'static str)> {
    let compiled = replacements
        .iter()
        .filter_map(|replacement| Some((compile(&replacement.from)?, replacement.to.as_str())));
    compiled.collect()
}

/// Tells of the user what the user said of themselves.
fn told_of_user(text: &str) -> String {
    let rewrite = REWRITES.iter().find(|(from, _)| from.is_match(text));
    let Some((from, to)) = rewrite else {
        return text.to_owned();
    };
    let mut told = from.replace(text, *to).into_owned();
    for (from, to) in PERSONS.iter() {
        told = from.replace_all(&told, *to).into_owned();
    }
    told
}

/// A text with a capital in front, unless it begins with code or a name written small.
pub(crate) fn capitalised(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let is_written_small = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
    let is_name = !first_word
        .trim_end_matches([',', ':', ';', '.', '!', '?'])
        .chars()
        .all(is_written_small)
        || entities(first_word)
            .iter()
            .any(|entity| matches!(entity.class, Class::File | Class::Symbol));
    let mut rest = text.chars();
    match rest.next() {
        Some(first) if !is_name => first.to_uppercase().chain(rest).collect(),
        _ => text.to_owned(),
    }
}

/// A sentence with a mark at its end, where another one follows or no mark is there.
fn closed(text: &str, is_followed: bool) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', ':', '。', '！', '：', '；'])
        || (!is_followed && text.ends_with('`'))
    {
        return text.to_owned();
    }
    let text = text.trim_end_matches([',', '，', ';']);
    let mark = if text.chars().any(crate::language::is_han) {
        '。'
    } else {
        '.'
    };
    format!("{text}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::weigh;
    use crate::testing::turn;

    #[test]
    fn openers_are_taken_away() {
        for (sentence, expected) in [
            ("no, use pnpm", "use pnpm"),
            ("ok so, from now on never do it", "never do it"),
            ("Turns out the cache is shared", "the cache is shared"),
            ("Root cause: `parse` fails", "`parse` fails"),
            ("记住：测试环境会重置", "测试环境会重置"),
        ] {
            assert_eq!(without_openers(sentence), expected);
        }
    }

    #[test]
    fn code_in_front_stays_as_it_is_written() {
        for text in [
            "total() ignored it",
            "max_retries is 3",
            "s3: eu only",
            "a/b is slow",
        ] {
            assert_eq!(capitalised(text), text);
        }
        assert_eq!(
            capitalised("caches, too, are shared"),
            "Caches, too, are shared"
        );
        assert_eq!(capitalised("don't squash"), "Don't squash");
    }

    #[test]
    fn a_trap_that_was_mended_says_so() {
        let slice = turn(
            Speaker::Assistant,
            "Turns out `parse_amount` rounds half up. I changed it to banker's rounding. Done.",
        );
        let setting = Setting {
            kind: slice.kind,
            speaker: slice.speaker,
            before: &[],
            cutoff: 0.5,
        };
        let found = statements(&weigh(&slice), &setting);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].kind, "bug_fix");
        assert_eq!(
            found[0].text,
            "`parse_amount` rounds half up. Fixed since: changed it to banker's rounding."
        );
    }

    #[test]
    fn the_user_is_told_of() {
        for (text, expected) in [
            ("I prefer small commits", "The user prefers small commits"),
            (
                "I'd rather review my own code",
                "The user would rather review their own code",
            ),
            ("we use pnpm", "we use pnpm"),
        ] {
            assert_eq!(told_of_user(text), expected);
        }
    }
}
