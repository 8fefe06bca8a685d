//! Suspects texts that give orders to the agent, close our quoting, hide something or send
//! something away.
//!
//! A memory is data, and it is shown to models that cannot always tell data from orders. This says
//! why a text may be meant to be obeyed; what becomes of it is decided elsewhere. Words stand in
//! `words.toml` in classes, and `rules.toml` says which classes make a passage suspicious when they
//! meet. `cargo xtask bench memory` prints the rates on the labelled texts.

mod beside;
mod classifier;
mod encoded;
mod hidden;
mod lexicon;
mod passage;
mod passages;
mod patterns;
mod sentence;
mod spellings;

use std::collections::BTreeSet;
use std::ops::Range;

use serde::Deserialize;

pub(crate) use self::beside::Beside;
use self::classifier::classifier;
use self::hidden::Revealed;
use self::lexicon::{Classes, Fired, Lexicon, lexicon};
pub use self::passage::Passage;
use self::passage::passage_len;
use self::passages::{without_code, without_entities};
use self::sentence::{Sentence, Sentences, range_of};

/// Longest part of a text that is looked at, in bytes: longer ones are refused as memories.
const TEXT_MAX_BYTES: usize = 64 * 1024;

/// Texts that are looked at together, and the most bytes of them: an order that is split further
/// is no longer read as one.
const TOGETHER_MAX_TEXTS: usize = 8;
const TOGETHER_MAX_BYTES: usize = 8 * 1024;

/// Why a text is suspicious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It tells the agent to leave its instructions.
    OverridesInstructions,
    /// It gives the agent another role, or frees it from limits.
    ChangesRole,
    /// It has tags or marks that end a quotation or play a part of a conversation.
    ClosesQuoting,
    /// It speaks as the system or the operator.
    SpeaksAsSystem,
    /// It tells the agent not to ask.
    SkipsApproval,
    /// It claims somebody's authority, or that the user agreed.
    ClaimsAuthority,
    /// It keeps something from the user.
    Conceals,
    /// It sends secrets or what was said away.
    Exfiltrates,
    /// It takes away what protects.
    WeakensProtection,
    /// It orders something for when the agent reads it or does its work.
    SetsTrap,
    /// It runs what nobody looked at, or with too many rights.
    RunsRashly,
    /// It presses, flatters or plays down.
    Pressures,
    /// It shows an answer of a tool that no tool gave.
    FakesToolResult,
    /// It has characters that nobody sees.
    HiddenCharacters,
    /// It has letters that look like others.
    LookalikeLetters,
    /// It has an order in an encoding.
    EncodedOrder,
    /// It reads like orders, for no reason of its own.
    GivesOrders,
}

impl Reason {
    /// Returns whether it holds without the classifier's word: what it is about is grave, and hardly
    /// anybody writes it by accident.
    const fn is_certain(self) -> bool {
        match self {
            Self::OverridesInstructions
            | Self::ClosesQuoting
            | Self::SpeaksAsSystem
            | Self::Conceals
            | Self::FakesToolResult
            | Self::HiddenCharacters
            | Self::LookalikeLetters
            | Self::EncodedOrder => true,
            Self::ChangesRole
            | Self::SkipsApproval
            | Self::ClaimsAuthority
            | Self::Exfiltrates
            | Self::WeakensProtection
            | Self::SetsTrap
            | Self::RunsRashly
            | Self::Pressures
            | Self::GivesOrders => false,
        }
    }

    /// Returns its name in words, as it is kept and shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OverridesInstructions => "overrides instructions",
            Self::ChangesRole => "changes role",
            Self::ClosesQuoting => "closes quoting",
            Self::SpeaksAsSystem => "speaks as system",
            Self::SkipsApproval => "skips approval",
            Self::ClaimsAuthority => "claims authority",
            Self::Conceals => "conceals",
            Self::Exfiltrates => "exfiltrates",
            Self::WeakensProtection => "weakens protection",
            Self::SetsTrap => "sets trap",
            Self::RunsRashly => "runs rashly",
            Self::Pressures => "pressures",
            Self::FakesToolResult => "fakes tool result",
            Self::HiddenCharacters => "hidden characters",
            Self::LookalikeLetters => "lookalike letters",
            Self::EncodedOrder => "encoded order",
            Self::GivesOrders => "gives orders",
        }
    }
}

/// Names of the reasons to suspect a text, each once, as a memory keeps them.
#[must_use]
pub fn names_of(text: &str) -> Vec<String> {
    names(suspicions(text).into_iter())
}

/// The same of what says by its nature what is to be done, as a list of next steps does: only what
/// hardly anybody writes by accident counts.
#[must_use]
pub fn grave_names_of(text: &str) -> Vec<String> {
    names(
        suspicions(text)
            .into_iter()
            .filter(|found| found.is_certain),
    )
}

fn names(found: impl Iterator<Item = Suspicion>) -> Vec<String> {
    let reasons: BTreeSet<Reason> = found.map(|suspicion| suspicion.reason).collect();
    reasons
        .into_iter()
        .map(|reason| reason.name().to_owned())
        .collect()
}

/// A suspicion, and the bytes that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// Why.
    pub reason: Reason,
    /// The bytes of the text.
    pub range: Range<usize>,
    /// True if it holds without the classifier's word.
    is_certain: bool,
}

impl Suspicion {
    fn new(reason: Reason, range: Range<usize>) -> Self {
        Self {
            reason,
            range,
            is_certain: reason.is_certain(),
        }
    }

    fn by(fired: &Fired, range: Range<usize>) -> Self {
        Self {
            reason: fired.reason,
            range,
            is_certain: fired.is_certain,
        }
    }
}

/// Why a text may be meant to be obeyed, each reason once; empty for nearly every text.
#[must_use]
pub fn suspicions(text: &str) -> Vec<Suspicion> {
    let text = read_part(text);
    let sentences = lexicon().sentences(text);
    let mut found = by_rules(text, &sentences);
    let classifier = classifier();
    let passage =
        classifier.and_then(|classifier| classifier.suspects(text, &sentences.list, &found));
    if let Some(range) = passage {
        if found.is_empty() {
            found.push(Suspicion::new(Reason::GivesOrders, range));
        }
    } else {
        found.retain(|suspicion| suspicion.is_certain);
    }
    let mut told = BTreeSet::new();
    found.retain(|suspicion| told.insert(suspicion.reason));
    found
}

/// The passages of a text as the classifier reads them, with the names of their classes: for those
/// who fit it.
#[must_use]
pub fn weighed(text: &str) -> Vec<(Passage, Vec<&'static str>)> {
    let text = read_part(text);
    let lexicon = lexicon();
    let sentences = lexicon.sentences(text);
    let found = by_rules(text, &sentences);
    Passage::all(text, &sentences.list, &found)
        .into_iter()
        .map(|passage| {
            let names = lexicon.names_of(passage.classes).collect();
            (passage, names)
        })
        .collect()
}

fn read_part(text: &str) -> &str {
    text.get(..text.floor_char_boundary(TEXT_MAX_BYTES))
        .unwrap_or_default()
}

/// What rules suspect.
fn by_rules(text: &str, sentences: &Sentences) -> Vec<Suspicion> {
    let lexicon = lexicon();
    let revealed = Revealed::of(text);
    let mut found = lexicon.suspicions_in(text, &revealed.visible, sentences);
    if let Some(range) = revealed.hidden.clone() {
        found.push(Suspicion::new(Reason::HiddenCharacters, range));
    }
    let folded = revealed.folded.as_deref();
    let is_folded_order = |folded| lexicon.is_order(folded, text, Least::Two);
    if revealed.has_lookalikes || folded.is_some_and(is_folded_order) {
        found.push(whole(Reason::LookalikeLetters, text));
    }
    if encoded::has_order(lexicon, &revealed.visible, sentences) {
        found.push(whole(Reason::EncodedOrder, text));
    }
    found
}

/// Why texts that one author gave one after the other may be meant to be obeyed together: the
/// reasons that none of them gives alone.
#[must_use]
pub fn suspicions_of_all<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<Reason> {
    let texts: Vec<&str> = texts.into_iter().take(TOGETHER_MAX_TEXTS).collect();
    let alone: BTreeSet<Reason> = texts.iter().flat_map(|text| reasons(text)).collect();
    let mut together = BTreeSet::new();
    for joint in ["", " "] {
        let joined = texts.join(joint);
        let end = joined.floor_char_boundary(TOGETHER_MAX_BYTES);
        together.extend(reasons(joined.get(..end).unwrap_or_default()));
    }
    together.difference(&alone).copied().collect()
}

fn reasons(text: &str) -> Vec<Reason> {
    let found = suspicions(text);
    found
        .into_iter()
        .map(|suspicion| suspicion.reason)
        .collect()
}

fn whole(reason: Reason, text: &str) -> Suspicion {
    Suspicion::new(reason, 0..text.len())
}

/// Classes of words that a decoded text has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Least {
    /// Of what no text has by chance.
    One,
    /// Of what a whole text is read as.
    Two,
}

impl Lexicon {
    /// Suspicions by what the words of a text say.
    fn plain_suspicions(&self, text: &str) -> Vec<Suspicion> {
        let visible = Revealed::of(text).visible;
        self.suspicions_in(text, &visible, &self.sentences(text))
    }

    /// The same of a text of which everything in it to be seen is `visible`.
    fn suspicions_in(&self, text: &str, visible: &str, read: &Sentences) -> Vec<Suspicion> {
        let sentences = read.list.as_slice();
        let mut found = Vec::new();
        for sentence in sentences {
            let classes = self.judged(std::slice::from_ref(sentence));
            self.sentence_rules(classes, |fired| {
                found.push(Suspicion::by(&fired, sentence.range.clone()));
            });
        }
        for (lines, words) in read.broken() {
            let classes = self.with_patterns(words, self.judged(lines));
            self.sentence_rules(classes, |fired| {
                if fired.is_certain {
                    found.push(Suspicion::by(&fired, range_of(lines)));
                }
            });
        }
        for passage in sentences.windows(passage_len(sentences)) {
            self.passage_rules(self.judged(passage), |fired| {
                found.push(Suspicion::by(&fired, range_of(passage)));
            });
        }
        let seen = without_entities(visible);
        if self.has_marks(&seen) {
            self.text_rules(self.classes(&without_code(&seen)), |fired| {
                found.push(Suspicion::by(&fired, 0..text.len()));
            });
        }
        found
    }

    /// The classes of sentences. Who talks of attacks quotes them.
    fn judged(&self, sentences: &[Sentence]) -> Classes {
        let all = sentences
            .iter()
            .fold(Classes::default(), |all, sentence| all.with(sentence.all));
        if !self.talks(all) {
            return all;
        }
        sentences.iter().fold(Classes::default(), |all, sentence| {
            all.with(sentence.unquoted)
        })
    }

    /// Returns whether a text that something was decoded to is an order, which `plain`, what it was
    /// decoded from, is not.
    fn is_order(&self, decoded: &str, plain: &str, least: Least) -> bool {
        if decoded == plain {
            return false;
        }
        let reasons_of = |text: &str| -> BTreeSet<Reason> {
            let found = self.plain_suspicions(text);
            found
                .into_iter()
                .map(|suspicion| suspicion.reason)
                .collect()
        };
        let new = self.order_classes(decoded, plain);
        let enough = match least {
            Least::One => new >= 1,
            Least::Two => new >= 2,
        };
        enough || (new >= 1 && !reasons_of(decoded).is_subset(&reasons_of(plain)))
    }
}

#[cfg(test)]
mod tests;
