//! The words that speak for a sentence and against it: lists of `cues.toml` and `vetoes.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::Speaker;
use crate::patterns::Patterns;

/// The sort of fact that a cue announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CueClass {
    Decision,
    BugFix,
    Preference,
    Convention,
    Procedure,
    Gotcha,
    Architecture,
    Fact,
    /// Says what comes of it otherwise, or why.
    Consequence,
    /// Announces something to keep, and not its sort.
    Attention,
}

/// A cue that was found in a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) class: CueClass,
    pub(crate) strength: f64,
    /// The words that were found.
    pub(crate) words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum From {
    User,
    Assistant,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cue {
    class: CueClass,
    strength: f64,
    speaker: Option<From>,
    patterns: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    patterns: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Lists {
    #[serde(default)]
    cue: Vec<Cue>,
    #[serde(default)]
    sign: Vec<Named>,
    #[serde(default)]
    veto: Vec<Named>,
}

/// A list that is looked up by name.
struct Compiled {
    name: String,
    patterns: Patterns,
    except: Patterns,
}

/// All cues as one set, with the cue of each pattern.
struct Cues {
    cues: Vec<Cue>,
    owners: Vec<usize>,
    patterns: Patterns,
}

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("cues.toml")).unwrap_or_default());

static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let lists: Lists = toml::from_str(include_str!("cues.toml")).unwrap_or_default();
    let mut owners = Vec::new();
    let mut patterns = Vec::new();
    for (at, cue) in lists.cue.iter().enumerate() {
        owners.extend(cue.patterns.iter().map(|_| at));
        patterns.extend(cue.patterns.iter().cloned());
    }
    Cues {
        cues: lists.cue,
        owners,
        patterns: Patterns::new(&patterns),
    }
});

static SIGNS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compiled(&LISTS.sign));

static VETOES: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
    let lists: Lists = toml::from_str(include_str!("vetoes.toml")).unwrap_or_default();
    compiled(&lists.veto)
});

fn compiled(lists: &[Named]) -> Vec<Compiled> {
    let compile = |list: &Named| Compiled {
        name: list.name.clone(),
        patterns: Patterns::new(&list.patterns),
        except: Patterns::new(&list.except),
    };
    lists.iter().map(compile).collect()
}

/// Finds the cues of a masked sentence, each list at most once, the strongest first.
pub(crate) fn cues(masked: &str, speaker: Speaker) -> Vec<Found> {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for at in CUES.patterns.found(masked) {
        let Some(owner) = CUES.owners.get(at).copied() else {
            continue;
        };
        let Some(cue) = CUES.cues.get(owner) else {
            continue;
        };
        if seen.contains(&owner) || !is_heard(cue.speaker, speaker) {
            continue;
        }
        seen.push(owner);
        found.push(Found {
            class: cue.class,
            strength: cue.strength,
            words: CUES.patterns.words(at, masked).trim().to_owned(),
        });
    }
    found.sort_by(|one, other| other.strength.total_cmp(&one.strength));
    found
}

fn is_heard(from: Option<From>, speaker: Speaker) -> bool {
    match from {
        None => true,
        Some(From::User) => speaker == Speaker::User,
        Some(From::Assistant) => speaker == Speaker::Assistant,
    }
}

/// Returns whether a masked sentence gives a reason.
pub(crate) fn has_reason(masked: &str) -> bool {
    has_sign("reason", masked)
}

/// Returns whether a masked sentence sets somebody right.
pub(crate) fn is_correction(masked: &str) -> bool {
    has_sign("correction", masked)
}

fn has_sign(name: &str, masked: &str) -> bool {
    let sign = SIGNS.iter().find(|sign| sign.name == name);
    sign.is_some_and(|sign| sign.patterns.is_match(masked))
}

/// The first list that says that a masked sentence holds nothing to keep.
pub(crate) fn veto(masked: &str) -> Option<&'static str> {
    let vetoes = VETOES.iter();
    let mut against =
        vetoes.filter(|veto| veto.patterns.is_match(masked) && !veto.except.is_match(masked));
    against.next().map(|veto| veto.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_read_and_every_pattern_compiles() {
        let patterns: usize = LISTS.cue.iter().map(|cue| cue.patterns.len()).sum();
        assert!(patterns > 0, "cues.toml is not read");
        assert_eq!(CUES.patterns.len(), patterns);
        let lists: Lists = toml::from_str(include_str!("vetoes.toml")).unwrap_or_default();
        assert!(!lists.veto.is_empty(), "vetoes.toml is not read");
        for list in LISTS.sign.iter().chain(&lists.veto) {
            assert_eq!(
                Patterns::new(&list.patterns).len(),
                list.patterns.len(),
                "{}",
                list.name
            );
            assert_eq!(
                Patterns::new(&list.except).len(),
                list.except.len(),
                "{}",
                list.name
            );
        }
    }

    #[test]
    fn strengths_are_shares() {
        for cue in &LISTS.cue {
            assert!(cue.strength > 0.0, "{:?}", cue.class);
            assert!(cue.strength <= 1.0, "{:?}", cue.class);
        }
    }

    #[test]
    fn questions_plans_and_courtesies_are_vetoed() {
        for (text, name) in [
            ("should we always flush there?", "question"),
            ("Let me look at the config.", "plan"),
            ("Maybe the cache is stale", "hypothetical"),
            ("thanks, that looks great!", "courtesy"),
            ("I've added the parameter", "report"),
            ("rename it please", "task"),
        ] {
            assert_eq!(veto(text), Some(name), "{text}");
        }
        assert_eq!(veto("I'd rather have one big test"), None);
    }
}
