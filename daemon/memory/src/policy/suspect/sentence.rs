//! A text by its sentences: which classes of words each has, also where a phrase goes on in the next
//! line.

use std::ops::Range;

use super::hidden::visible;
use super::lexicon::{Classes, Lexicon, lowered};
use super::passages::{ends_in_line, sentences, without_line_marks, without_quotations};
use super::spellings::Reading;

/// Lines that are read as one sentence, and the most bytes of them: an order may be broken into
/// that many, one or two words in each.
const LINES_MAX: usize = 8;
const LINES_MAX_BYTES: usize = 160;

/// The classes of a sentence, as it stands and without what it quotes.
pub(super) struct Sentence {
    pub(super) range: Range<usize>,
    pub(super) all: Classes,
    pub(super) unquoted: Classes,
    /// True if it ends with its line and not with a mark, so that the next one may go on with it.
    goes_on: bool,
}

/// A text that was looked through once.
pub(super) struct Sentences {
    pub(super) list: Vec<Sentence>,
    /// Classes of the words that it has when it is read otherwise.
    pub(super) rotated: Classes,
    pub(super) reversed: Classes,
    /// Every sentence in lowercase, in one string, in which a phrase may go on behind a line's end.
    words: String,
    /// Where each sentence begins in it.
    starts: Vec<usize>,
}

impl Sentences {
    /// The classes of all sentences together.
    pub(super) fn all(&self) -> Classes {
        all_of(&self.list)
    }

    /// Lines next to each other that are no sentences of their own, few and short enough to be one
    /// that was broken up, with the words of all of them.
    pub(super) fn broken(&self) -> impl Iterator<Item = (&[Sentence], &str)> {
        (0..self.list.len()).filter_map(|start| self.broken_from(start))
    }

    fn broken_from(&self, start: usize) -> Option<(&[Sentence], &str)> {
        let rest = self.list.get(start..)?;
        let mut bytes = 0;
        let mut count = 0;
        for line in rest.iter().take(LINES_MAX) {
            bytes += line.range.len();
            if bytes > LINES_MAX_BYTES {
                break;
            }
            count += 1;
            if !line.goes_on {
                break;
            }
        }
        let lines = rest.get(..count).filter(|lines| lines.len() > 1)?;
        let from = *self.starts.get(start)?;
        let to = self.starts.get(start + count);
        let to = to.copied().unwrap_or(self.words.len());
        Some((lines, self.words.get(from..to)?))
    }
}

/// The classes of some sentences together.
pub(super) fn all_of(sentences: &[Sentence]) -> Classes {
    let all = sentences.iter().map(|sentence| sentence.all);
    all.fold(Classes::default(), Classes::with)
}

/// The bytes of sentences that follow each other.
pub(super) fn range_of(sentences: &[Sentence]) -> Range<usize> {
    let start = sentences.first().map_or(0, |first| first.range.start);
    let end = sentences.last().map_or(start, |last| last.range.end);
    start..end
}

impl Lexicon {
    pub(super) fn sentences(&self, text: &str) -> Sentences {
        let ranges: Vec<Range<usize>> = sentences(text).collect();
        let mut read = Sentences {
            list: Vec::with_capacity(ranges.len()),
            rotated: Classes::default(),
            reversed: Classes::default(),
            words: String::with_capacity(text.len()),
            starts: Vec::with_capacity(ranges.len()),
        };
        for (at, range) in ranges.into_iter().enumerate() {
            let part = text.get(range.clone()).unwrap_or_default();
            let next = text.get(range.end..).unwrap_or_default();
            let lower = lowered(&visible(part));
            read.starts.push(read.words.len());
            push_words(&mut read.words, &lower, at > 0);
            let goes_on = ends_in_line(part, next);
            read.words.push(if goes_on { ' ' } else { '\n' });
            read.list.push(Sentence {
                all: self.with_patterns(&lower, Classes::default()),
                unquoted: Classes::default(),
                goes_on,
                range,
            });
        }
        self.add_words(&mut read);
        for sentence in &mut read.list {
            sentence.unquoted = sentence.all;
        }
        self.leave_out_quotations(text, &mut read.list);
        read
    }

    fn add_words(&self, read: &mut Sentences) {
        let Sentences {
            list,
            rotated,
            reversed,
            words,
            starts,
        } = read;
        let mut current = 0;
        self.words(words, |at, class, reading| {
            while starts.get(current + 1).is_some_and(|start| *start <= at) {
                current += 1;
            }
            match (reading, list.get_mut(current)) {
                (Reading::Plain, Some(sentence)) => sentence.all = sentence.all.with(class),
                (Reading::Plain, None) => {}
                (Reading::Rotated, _) => *rotated = rotated.with(class),
                (Reading::Reversed, _) => *reversed = reversed.with(class),
            }
        });
    }

    /// Only where a text talks of attacks do quotations matter.
    fn leave_out_quotations(&self, text: &str, sentences: &mut [Sentence]) {
        if !sentences.iter().any(|sentence| self.talks(sentence.all)) {
            return;
        }
        for sentence in sentences {
            let part = text.get(sentence.range.clone()).unwrap_or_default();
            let part = visible(part);
            let unquoted = without_quotations(&part);
            if unquoted != *part {
                sentence.unquoted = self.classes(&unquoted);
            }
        }
    }
}

/// Adds a sentence's words with one blank between them, without the marks that begin a line.
fn push_words(words: &mut String, sentence: &str, is_line: bool) {
    let sentence = if is_line {
        without_line_marks(sentence)
    } else {
        sentence
    };
    let mut is_behind_blank = true;
    for next in sentence.trim().chars() {
        let is_blank = next.is_whitespace();
        if is_blank && !is_behind_blank {
            words.push(' ');
        }
        if !is_blank {
            words.push(next);
        }
        is_behind_blank = is_blank;
    }
}
