//! Suspects texts that give orders to the agent, close our quoting, hide something or send
//! something away.
//!
//! A memory is data, and it is shown to models that cannot always tell data from orders. This says
//! why a text may be meant to be obeyed; what becomes of it is decided elsewhere. Words stand in
//! `words.toml` in classes, and `rules.toml` says which classes make a passage suspicious when they
//! meet. `cargo xtask bench memory` prints the rates on the labelled texts.

mod classifier;
mod encoded;
mod hidden;
mod lexicon;
mod passage;
mod passages;

use std::collections::BTreeSet;
use std::ops::Range;

use serde::Deserialize;

use self::classifier::classifier;
use self::hidden::Revealed;
use self::lexicon::{Classes, Lexicon, lexicon};
pub use self::passage::Passage;
use self::passages::{sentences, without_code, without_entities, without_quotations};

/// Longest part of a text that is looked at, in bytes: longer ones are refused as memories.
const TEXT_MAX_BYTES: usize = 64 * 1024;

/// Sentences of a passage, over which the parts of an order may be spread.
const PASSAGE_SENTENCES: usize = 3;

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
    let reasons: BTreeSet<Reason> = suspicions(text)
        .into_iter()
        .map(|suspicion| suspicion.reason)
        .collect();
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
}

/// Why a text may be meant to be obeyed, each reason once; empty for nearly every text.
#[must_use]
pub fn suspicions(text: &str) -> Vec<Suspicion> {
    let text = read_part(text);
    let sentences = lexicon().sentences(text);
    let mut found = by_rules(text, &sentences);
    if let Some(passage) = suspected(text, &sentences, &found) {
        if found.is_empty() {
            let (reason, range) = (Reason::GivesOrders, passage.range);
            found.push(Suspicion { reason, range });
        }
    } else {
        found.retain(|suspicion| suspicion.reason.is_certain());
    }
    let mut told = BTreeSet::new();
    found.retain(|suspicion| told.insert(suspicion.reason));
    found
}

/// The first passage of a text that the classifier suspects.
fn suspected(text: &str, sentences: &[Sentence], found: &[Suspicion]) -> Option<Passage> {
    let classifier = classifier()?;
    passages(text, sentences, found).find(|passage| classifier.suspects(passage))
}

/// The passages of a text.
fn passages<'t>(
    text: &'t str,
    sentences: &'t [Sentence],
    found: &'t [Suspicion],
) -> impl Iterator<Item = Passage> + 't {
    let count = PASSAGE_SENTENCES.min(sentences.len()).max(1);
    let windows = sentences.windows(count);
    windows.filter_map(move |sentences| Passage::of(sentences, text, found))
}

/// The passages of a text as the classifier reads them, with the names of their classes: for those
/// who fit it.
#[must_use]
pub fn weighed(text: &str) -> Vec<(Passage, Vec<&'static str>)> {
    let text = read_part(text);
    let lexicon = lexicon();
    let sentences = lexicon.sentences(text);
    let found = by_rules(text, &sentences);
    passages(text, &sentences, &found)
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
fn by_rules(text: &str, sentences: &[Sentence]) -> Vec<Suspicion> {
    let lexicon = lexicon();
    let mut found = lexicon.suspicions_in(text, sentences);
    let revealed = Revealed::of(text);
    if let Some(range) = revealed.hidden.clone() {
        found.push(Suspicion {
            reason: Reason::HiddenCharacters,
            range,
        });
    }
    if revealed.has_lookalikes || lexicon.is_order(&revealed.folded, text, Least::Two) {
        found.push(whole(Reason::LookalikeLetters, text));
    }
    if encoded::has_order(lexicon, &revealed.visible) {
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
    Suspicion {
        reason,
        range: 0..text.len(),
    }
}

/// Classes of words that a decoded text has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Least {
    /// Of what no text has by chance.
    One,
    /// Of what a whole text is read as.
    Two,
}

/// A part of a text with everything in it to be seen.
fn visible(text: &str, range: &Range<usize>) -> String {
    Revealed::of(text.get(range.clone()).unwrap_or_default()).visible
}

/// The classes of a sentence, as it stands and without what it quotes.
struct Sentence {
    range: Range<usize>,
    all: Classes,
    unquoted: Classes,
}

impl Lexicon {
    /// Suspicions by what the words of a text say.
    fn plain_suspicions(&self, text: &str) -> Vec<Suspicion> {
        self.suspicions_in(text, &self.sentences(text))
    }

    fn sentences(&self, text: &str) -> Vec<Sentence> {
        let mut read: Vec<Sentence> = sentences(text)
            .map(|range| {
                let all = self.classes(&visible(text, &range));
                let unquoted = all;
                Sentence {
                    range,
                    all,
                    unquoted,
                }
            })
            .collect();
        // Only then do quotations matter.
        if read.iter().any(|sentence| self.talks(sentence.all)) {
            for sentence in &mut read {
                let visible = visible(text, &sentence.range);
                sentence.unquoted = self.classes(&without_quotations(&visible));
            }
        }
        read
    }

    fn suspicions_in(&self, text: &str, sentences: &[Sentence]) -> Vec<Suspicion> {
        let mut found = Vec::new();
        for sentence in sentences {
            let classes = self.judged(std::slice::from_ref(sentence));
            self.sentence_rules(classes, |reason| {
                let range = sentence.range.clone();
                found.push(Suspicion { reason, range });
            });
        }
        let count = PASSAGE_SENTENCES.min(sentences.len()).max(1);
        for passage in sentences.windows(count) {
            self.passage_rules(self.judged(passage), |reason| {
                let start = passage.first().map_or(0, |first| first.range.start);
                let end = passage.last().map_or(start, |last| last.range.end);
                let range = start..end;
                found.push(Suspicion { reason, range });
            });
        }
        let marked = without_code(&without_entities(&Revealed::of(text).visible));
        self.text_rules(self.classes(&marked), |reason| {
            found.push(whole(reason, text));
        });
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
