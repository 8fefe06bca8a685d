//! Weighs the sentences of a slice.

use super::{Part, WEIGHTS};
use crate::cues::{self, Found};
use crate::deeds::is_telling;
use crate::entities::{Entity, entities};
use crate::language::word_count;
use crate::message::Message;
use crate::passage::{Sentence, sentences};
use crate::{Slice, SliceKind, Speaker};

/// A sentence with what speaks for it and against it.
#[derive(Clone, Debug)]
pub(crate) struct Weighed {
    pub(crate) sentence: Sentence,
    pub(crate) cues: Vec<Found>,
    pub(crate) entities: Vec<Entity>,
    pub(crate) has_reason: bool,
    pub(crate) veto: Option<&'static str>,
    /// 0 to 1.
    pub(crate) score: f64,
    pub(crate) parts: Vec<Part>,
}

/// Weighs every sentence of a slice; a note, a commit and a deed are weighed as a whole.
pub(crate) fn weigh(slice: &Slice) -> Vec<Weighed> {
    match slice.kind {
        SliceKind::Log | SliceKind::Diff => Vec::new(),
        SliceKind::Deed if slice.deed.is_some() => deed(slice).into_iter().collect(),
        SliceKind::Note => note(slice).into_iter().collect(),
        SliceKind::Commit => commit(slice).into_iter().collect(),
        SliceKind::Turn | SliceKind::Document | SliceKind::Deed => spoken(slice),
    }
}

fn spoken(slice: &Slice) -> Vec<Weighed> {
    if slice.speaker == Speaker::Tool {
        return Vec::new();
    }
    let sentences = sentences(&slice.text);
    let is_correction = slice.speaker == Speaker::User
        && sentences
            .first()
            .is_some_and(|first| cues::is_correction(&first.masked));
    let weigh = |sentence| Weighed::spoken(sentence, slice.speaker, is_correction);
    sentences.into_iter().map(weigh).collect()
}

fn deed(slice: &Slice) -> Option<Weighed> {
    slice.deed.as_ref().filter(|deed| is_telling(deed))?;
    let mut weighed = Weighed::bare(Sentence::new(&slice.text, 0));
    weighed.add("deed", WEIGHTS.deed, "");
    weighed.settle();
    Some(weighed)
}

fn note(slice: &Slice) -> Option<Weighed> {
    let text = slice.text.trim();
    if text.is_empty() {
        return None;
    }
    let mut weighed = Weighed::signs(Sentence::new(text, 0), slice.speaker);
    weighed.veto = None;
    weighed.add("note", WEIGHTS.note, "");
    weighed.settle();
    Some(weighed)
}

fn commit(slice: &Slice) -> Option<Weighed> {
    let message = Message::read(&slice.text)?;
    let mut weighed = Weighed::signs(Sentence::new(&message.statement(), 0), slice.speaker);
    weighed.veto = None;
    weighed.add("commit", WEIGHTS.commit, "");
    if let Some(repair) = message.repair() {
        weighed.add("repair", WEIGHTS.commit_repair, repair);
    }
    if message.body.is_empty() {
        weighed.add("unexplained", WEIGHTS.commit_unexplained, "");
    }
    weighed.settle();
    Some(weighed)
}

impl Weighed {
    fn bare(sentence: Sentence) -> Self {
        Self {
            sentence,
            cues: Vec::new(),
            entities: Vec::new(),
            has_reason: false,
            veto: None,
            score: 0.0,
            parts: Vec::new(),
        }
    }

    /// Weighs a sentence that somebody said.
    fn spoken(sentence: Sentence, speaker: Speaker, is_correction: bool) -> Self {
        let mut weighed = Self::signs(sentence, speaker);
        if is_correction {
            weighed.add("correction", WEIGHTS.correction, "");
        }
        weighed.add_length();
        if let Some(veto) = weighed.veto {
            weighed.add("veto", WEIGHTS.veto, veto);
        }
        weighed.settle();
        weighed
    }

    /// Takes the signs that count wherever a sentence stands.
    fn signs(sentence: Sentence, speaker: Speaker) -> Self {
        let mut weighed = Self {
            cues: cues::cues(&sentence.masked, speaker),
            entities: entities(&sentence.text),
            has_reason: cues::has_reason(&sentence.masked),
            veto: cues::veto(&sentence.masked),
            ..Self::bare(sentence)
        };
        weighed.add_cues();
        weighed.add_names();
        if weighed.has_reason {
            weighed.add("reason", WEIGHTS.reason, "");
        }
        if speaker == Speaker::User {
            weighed.add("user", WEIGHTS.user, "");
        }
        weighed
    }

    /// Cues count together: each leaves the doubt that those before it left.
    fn add_cues(&mut self) {
        let Some(first) = self.cues.first() else {
            return;
        };
        let because = first.words.clone();
        let doubt: f64 = self.cues.iter().map(|cue| 1.0 - cue.strength).product();
        self.add("cue", WEIGHTS.cue * (1.0 - doubt), &because);
    }

    fn add_names(&mut self) {
        if let Some(first) = self.entities.first() {
            let because = first.text.clone();
            self.add("entity", WEIGHTS.entity, &because);
        }
        if self.sentence.text.chars().any(|c| c.is_ascii_digit()) {
            self.add("figure", WEIGHTS.figure, "");
        }
    }

    fn add_length(&mut self) {
        let words = word_count(&self.sentence.text);
        let because = format!("{words} words");
        // A correction is as short as what it corrects.
        let is_correction = self.parts.iter().any(|part| part.name == "correction");
        if words < WEIGHTS.words_min && !is_correction {
            self.add("short", WEIGHTS.short, &because);
        }
        if words > WEIGHTS.words_max {
            self.add("long", WEIGHTS.long, &because);
        }
    }

    fn add(&mut self, name: &'static str, share: f64, because: &str) {
        self.parts.push(Part::new(name, share, because));
    }

    fn settle(&mut self) {
        let sum: f64 = self.parts.iter().map(|part| part.share).sum();
        self.score = sum.clamp(0.0, 1.0);
    }
}
