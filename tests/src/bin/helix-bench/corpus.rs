//! Memories made up from a fixed beginning: the same on every machine and in every run.
//!
//! Words follow Zipf's law over a made-up vocabulary, as they do in natural text, so that posting
//! lists have realistic lengths; identifiers, topics, tags and source paths have the shapes they
//! have in repositories.

use std::ops::Range;

use helix_proto::v1::Draft;

/// Distinct words. A team's notes over years hold some tens of thousands.
const VOCABULARY: usize = 20_000;

/// Distinct identifiers.
const IDENTIFIERS: usize = 8_000;

/// Memories in one topic, on average.
const PER_TOPIC: usize = 40;

/// Memories about one file, on average.
const PER_SOURCE: usize = 25;

/// Words of the shortest and the longest text: a paragraph, or one sentence.
const PARAGRAPH_WORDS: Range<u64> = 12..60;
const SENTENCE_WORDS: Range<u64> = 8..16;

/// The topic that everybody writes into, as some strands have one.
pub(crate) const JOURNAL: &str = "journal";

/// Memories of that topic, and the fewest of all memories for one of them.
const JOURNAL_MEMORIES: usize = 1_000;
const JOURNAL_ONE_IN: usize = 10;

/// Of so many topics one has a name of one word, which texts have by chance.
const SHORT_TOPIC_ONE_IN: usize = 5;

/// Of so many memories one links to another, and one names another topic.
const LINKED_ONE_IN: u64 = 10;
const NAMING_ONE_IN: u64 = 8;

/// Numbers between the memories of two turns; no size that is measured is a multiple of it.
const TURN_STRIDE: usize = 7;

/// When the first fact became true, in microseconds since the epoch (the start of 2024), and the
/// time until the last one.
const FIRST_US: i64 = 1_704_067_200_000_000;
const SPAN_US: u64 = 600 * 86_400 * 1_000_000;

const TAGS: [&str; 12] = [
    "gotcha",
    "build",
    "ci",
    "api",
    "storage",
    "network",
    "tests",
    "release",
    "security",
    "performance",
    "docs",
    "style",
];

const KINDS: [&str; 6] = [
    "decision",
    "convention",
    "gotcha",
    "fact",
    "architecture",
    "procedure",
];

const SYLLABLES: [&str; 32] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su",
    "ta", "ve", "wi", "xo", "yu", "zan", "bel", "cor", "dun", "fer", "gim", "hol", "jor", "kes",
    "lin", "mar", "tor",
];

/// A small generator of numbers (splitmix64), because every run must make the same text.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(start: u64) -> Self {
        Self(start.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// A place in something of that length.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the remainder is below a usize"
    )]
    pub(crate) fn place(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A number from 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit exactly")]
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The vocabulary and how often each word occurs.
#[derive(Debug)]
pub(crate) struct Corpus {
    words: Vec<String>,
    identifiers: Vec<String>,
    /// Summed Zipf weights, for sampling.
    summed: Vec<f64>,
    /// Words of a text.
    length: Range<u64>,
}

impl Corpus {
    /// Memories of a paragraph each.
    pub(crate) fn new() -> Self {
        Self::of_texts(PARAGRAPH_WORDS)
    }

    /// Memories of a sentence each. A made-up word is three or four tokens to a model, an English
    /// one hardly more than one: so these take as long to embed as notes of some forty words.
    pub(crate) fn of_sentences() -> Self {
        Self::of_texts(SENTENCE_WORDS)
    }

    fn of_texts(length: Range<u64>) -> Self {
        let words: Vec<String> = (0..VOCABULARY).map(word).collect();
        let mut numbers = Numbers::new(7);
        let identifiers = (0..IDENTIFIERS)
            .map(|_| identifier(&words, &mut numbers))
            .collect();
        let mut sum = 0.0;
        let mut summed = Vec::with_capacity(VOCABULARY);
        for rank in 1..=VOCABULARY {
            #[expect(clippy::cast_precision_loss, reason = "a rank is small")]
            let weight = 1.0 / rank as f64;
            sum += weight;
            summed.push(sum);
        }
        Self {
            words,
            identifiers,
            summed,
            length,
        }
    }

    /// The memory of a number, in a corpus of `size`.
    pub(crate) fn draft(&self, number: usize, size: usize) -> Draft {
        let mut numbers = Numbers::new(number as u64 + 1_000);
        let topic = numbers.place(topics(size));
        let source = numbers.place((size / PER_SOURCE).max(8));
        let tags = (0..=numbers.place(2))
            .map(|_| (*pick(&TAGS, &mut numbers)).to_owned())
            .collect();
        Draft {
            topic: self.topic(topic),
            kind: (*pick(&KINDS, &mut numbers)).to_owned(),
            tags,
            scope: "global".to_owned(),
            source: source_path(source),
            text: self.text(&mut numbers),
            ..Draft::default()
        }
    }

    /// The memory of a number as a team has it: true since some day, sometimes with a link or the
    /// name of another topic, and sometimes in the topic that everybody writes into.
    pub(crate) fn memory(&self, number: usize, size: usize) -> Draft {
        let mut numbers = Numbers::new(number as u64 + 500_000_000);
        let mut draft = self.draft(number, size);
        if number.is_multiple_of((size / JOURNAL_MEMORIES).max(JOURNAL_ONE_IN)) {
            JOURNAL.clone_into(&mut draft.topic);
        }
        let other = self.topic(numbers.place(topics(size)));
        if numbers.below(LINKED_ONE_IN) == 0 {
            draft.links.push(format!("{other}:0"));
        }
        if numbers.below(NAMING_ONE_IN) == 0 {
            draft.text = format!("{}, see {other}", draft.text);
        }
        let later_us = i64::try_from(numbers.below(SPAN_US)).unwrap_or_default();
        Draft {
            valid_from_us: Some(FIRST_US + later_us),
            ..draft
        }
    }

    /// A memory that a corpus of `size` holds, another one every turn until all had theirs.
    pub(crate) fn known(&self, turn: usize, size: usize) -> Draft {
        self.memory((turn * TURN_STRIDE + 1) % size.max(1), size)
    }

    /// A question about a memory: words of its text, rarer ones more often, as people ask.
    pub(crate) fn question(&self, number: usize, size: usize) -> String {
        let text = self.draft(number, size).text;
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut numbers = Numbers::new(number as u64 + 9_000_000);
        let wanted = 3 + numbers.place(3);
        let mut asked: Vec<&str> = (0..wanted * 2)
            .filter_map(|_| words.get(numbers.place(words.len())).copied())
            .collect();
        asked.sort_by_key(|word| std::cmp::Reverse(word.len()));
        asked.dedup();
        asked.truncate(wanted);
        asked.join(" ")
    }

    /// A source file of `lines` lines that declares identifiers of the corpus.
    pub(crate) fn source_file(&self, lines: usize) -> String {
        let mut numbers = Numbers::new(42);
        let mut text = String::new();
        for line in 0..lines {
            let name = &pick(&self.identifiers, &mut numbers);
            let written = match line % 12 {
                0 => format!("pub fn {name}(value: &str) -> usize {{\n"),
                11 => "}\n".to_owned(),
                _ => format!(
                    "    let {} = {}.{}();\n",
                    self.common(&mut numbers),
                    self.common(&mut numbers),
                    self.common(&mut numbers)
                ),
            };
            text.push_str(&written);
        }
        text
    }

    fn topic(&self, number: usize) -> String {
        let first = self.word_at(number + 200);
        if number.is_multiple_of(SHORT_TOPIC_ONE_IN) {
            first.to_owned()
        } else {
            format!("{first}-{}", self.word_at(number + 3_000))
        }
    }

    fn text(&self, numbers: &mut Numbers) -> String {
        let count = self.length.start + numbers.below(self.length.end - self.length.start);
        let words: Vec<&str> = (0..count)
            .map(|_| {
                if numbers.below(15) == 0 {
                    pick(&self.identifiers, numbers).as_str()
                } else {
                    self.common(numbers)
                }
            })
            .collect();
        words.join(" ")
    }

    /// A word, by Zipf's law.
    fn common(&self, numbers: &mut Numbers) -> &str {
        let total = self.summed.last().copied().unwrap_or(1.0);
        let at = numbers.unit() * total;
        self.word_at(self.summed.partition_point(|&sum| sum < at))
    }

    fn word_at(&self, place: usize) -> &str {
        self.words
            .get(place % VOCABULARY)
            .map_or("", String::as_str)
    }
}

/// How many topics a corpus of a size has.
fn topics(size: usize) -> usize {
    (size / PER_TOPIC).max(8)
}

/// The path of a source file, by number.
pub(crate) fn source_path(number: usize) -> String {
    format!(
        "src/{}/{}_{}.rs",
        word(number % 37 + 50),
        word(number + 500),
        word(number % 11 + 90)
    )
}

/// The word of a number: its digits in syllables, two at least.
fn word(number: usize) -> String {
    let base = SYLLABLES.len();
    let mut rest = number + base;
    let mut text = String::new();
    while rest > 0 {
        text.push_str(SYLLABLES.get(rest % base).copied().unwrap_or_default());
        rest /= base;
    }
    text
}

fn identifier(words: &[String], numbers: &mut Numbers) -> String {
    let parts = [pick(words, numbers), pick(words, numbers)];
    format!("{}_{}", parts[0], parts[1])
}

fn pick<'a, T>(things: &'a [T], numbers: &mut Numbers) -> &'a T {
    &things[numbers.place(things.len())]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn words_differ_and_memories_repeat_themselves_exactly() {
        let words: HashSet<String> = (0..VOCABULARY).map(word).collect();
        assert_eq!(words.len(), VOCABULARY);
        let (one, other) = (Corpus::new(), Corpus::new());
        let texts: HashSet<String> = (0..500)
            .map(|number| one.draft(number, 1_000).text)
            .collect();
        assert_eq!(texts.len(), 500);
        assert_eq!(one.draft(77, 1_000), other.draft(77, 1_000));
        assert_eq!(one.memory(77, 1_000), other.memory(77, 1_000));
        assert!(
            one.question(77, 1_000)
                .split(' ')
                .all(|word| one.draft(77, 1_000).text.contains(word))
        );
        assert_eq!(one.source_file(500).lines().count(), 500);
    }

    #[test]
    fn every_turn_has_a_memory_of_the_corpus() {
        let (corpus, size) = (Corpus::new(), 50);
        let held: Vec<Draft> = (0..size)
            .map(|number| corpus.memory(number, size))
            .collect();
        let mut known: Vec<Draft> = (0..size).map(|turn| corpus.known(turn, size)).collect();
        assert!(
            held.iter().all(|memory| known.contains(memory)),
            "all have their turn"
        );
        known.extend((size..3 * size).map(|turn| corpus.known(turn, size)));
        assert!(
            known.iter().all(|memory| held.contains(memory)),
            "and no other has one"
        );
    }
}
