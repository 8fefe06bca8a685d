//! How well and how fast a model finds the user's own memories.
//!
//! Questions are made from the memories themselves, the same ones each time: of a memory's text the
//! rarest words that are not in its handle, in the order of the text. The memory that a question
//! was made from is the one to find, among all that were sampled. Models are compared by it, on the
//! same questions; its figures say nothing about questions that people ask in other words.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use helix_engine::LexicalQuery;
use helix_memory::MemoryNumber;

use crate::{App, Refusal};

/// Memories that are searched, the newest that make a question: embedding them takes seconds, not
/// minutes.
const PASSAGES_MAX: usize = 400;

/// Memories that are read for them, at most.
const READ_MAX: usize = 10_000;

/// Questions that are asked, at most.
const QUESTIONS_MAX: usize = 200;

/// Fewest questions that say anything.
const QUESTIONS_MIN: usize = 5;

/// Words of a question.
const QUESTION_WORDS: usize = 6;

/// Fewest words that make a question.
const QUESTION_WORDS_MIN: usize = 3;

/// Shortest word of a question, in characters.
const WORD_MIN_CHARS: usize = 3;

/// Ranks that count as found, as in every table of the benchmarks.
const RECALL_RANK: usize = 5;

/// Ranks that gain something.
const GAIN_RANK: usize = 10;

/// Turns texts into vectors, for measuring.
pub trait Encoder {
    /// Embeds a memory's text.
    ///
    /// # Errors
    /// Why it failed, in words.
    fn passage(&mut self, text: &str) -> Result<Vec<f32>, String>;

    /// Embeds a question.
    ///
    /// # Errors
    /// Why it failed, in words.
    fn query(&mut self, text: &str) -> Result<Vec<f32>, String>;
}

/// Memories and questions made from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The texts that are searched.
    pub passages: Vec<String>,
    /// Questions, each with the place of the passage that answers it.
    pub questions: Vec<(String, usize)>,
}

/// How a model did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Share of questions whose memory is among the first five.
    pub recall_5: f64,
    /// The mean gain of the rank among the first ten.
    pub ndcg_10: f64,
    /// The median time of a question.
    pub query: Duration,
    /// Memories embedded in a second, one after the other.
    pub passages_a_second: f64,
}

/// Makes questions from the newest memories.
///
/// # Errors
/// When too few memories make a question, or the disk fails.
pub fn sample(app: &App) -> Result<Sample, Refusal> {
    let numbers: Vec<MemoryNumber> = {
        let catalog = app.memory.strand.catalog();
        let indexed = catalog.rows().filter(|(_, row)| row.status.is_indexed());
        let mut numbers: Vec<MemoryNumber> = indexed.map(|(number, _)| number).collect();
        numbers.reverse();
        numbers.truncate(READ_MAX);
        numbers
    };
    let mut telling = Vec::new();
    for some in numbers.chunks(PASSAGES_MAX) {
        let memories = app.memory.strand.memories(some)?;
        let texts = memories
            .into_iter()
            .map(|memory| (memory.handle.to_string(), memory.text));
        telling.extend(texts.filter(|(handle, text)| has_question(handle, text)));
        if telling.len() >= PASSAGES_MAX {
            break;
        }
    }
    telling.truncate(PASSAGES_MAX);
    let sample = Sample::of(telling);
    let questions = sample.questions.len();
    if questions < QUESTIONS_MIN {
        return Err(Refusal::invalid(format!(
            "only {questions} memories have enough words of their own to make a question; {QUESTIONS_MIN} are needed to \
             measure a model"
        )));
    }
    Ok(sample)
}

impl Sample {
    /// Makes questions from handles and texts.
    fn of(memories: Vec<(String, String)>) -> Self {
        let words: Vec<Vec<String>> = memories.iter().map(|(_, text)| words(text)).collect();
        let mut holders: HashMap<&str, usize> = HashMap::new();
        for words in &words {
            for word in words.iter().collect::<HashSet<_>>() {
                *holders.entry(word).or_default() += 1;
            }
        }
        let asked = memories.iter().zip(&words).enumerate();
        let questions = asked.filter_map(|(place, ((handle, _), words))| {
            Some((question(handle, words, &holders)?, place))
        });
        let questions = questions.take(QUESTIONS_MAX).collect();
        Self {
            passages: memories.into_iter().map(|(_, text)| text).collect(),
            questions,
        }
    }
}

/// The words of a text that may stand in a question, in its order.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() >= WORD_MIN_CHARS)
        .filter(|word| word.chars().any(char::is_alphabetic))
        .filter(|word| !LexicalQuery::is_stop_word(word))
        .collect()
}

/// Returns whether a text has words enough for a question.
fn has_question(handle: &str, text: &str) -> bool {
    question(handle, &words(text), &HashMap::new()).is_some()
}

/// The rarest words of a text that are not in its handle; `None` where they are too few.
fn question(handle: &str, words: &[String], holders: &HashMap<&str, usize>) -> Option<String> {
    let mut seen: HashSet<String> = self::words(handle).into_iter().collect();
    let mut own: Vec<(usize, &String)> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| seen.insert((*word).clone()))
        .collect();
    if own.len() < QUESTION_WORDS_MIN {
        return None;
    }
    own.sort_by_key(|(place, word)| (holders.get(word.as_str()).copied(), *place));
    own.truncate(QUESTION_WORDS);
    own.sort_by_key(|(place, _)| *place);
    let words: Vec<&str> = own.into_iter().map(|(_, word)| word.as_str()).collect();
    Some(words.join(" "))
}

/// Asks all questions of a sample. Stops early where `goes_on` says so.
///
/// # Errors
/// When the model fails, or it was stopped.
pub fn measure(
    sample: &Sample,
    model: &mut dyn Encoder,
    goes_on: &dyn Fn() -> bool,
) -> Result<Measured, Refusal> {
    let started = Instant::now();
    let mut passages = Vec::with_capacity(sample.passages.len());
    for text in &sample.passages {
        refuse_when_stopped(goes_on)?;
        passages.push(model.passage(text).map_err(Refusal::unavailable)?);
    }
    let took = started.elapsed();
    let mut ranks = Vec::with_capacity(sample.questions.len());
    let mut times = Vec::with_capacity(sample.questions.len());
    for (question, answer) in &sample.questions {
        refuse_when_stopped(goes_on)?;
        let asked = Instant::now();
        let query = model.query(question).map_err(Refusal::unavailable)?;
        times.push(asked.elapsed());
        ranks.push(rank(&query, &passages, *answer));
    }
    times.sort_unstable();
    let middle = times.get(times.len() / 2).copied();
    Ok(Measured {
        recall_5: mean(
            ranks
                .iter()
                .map(|rank| f64::from(u8::from(*rank < RECALL_RANK))),
        ),
        ndcg_10: mean(ranks.iter().map(|rank| gain(*rank))),
        query: middle.unwrap_or_default(),
        passages_a_second: count(passages.len()) / took.as_secs_f64().max(f64::EPSILON),
    })
}

fn refuse_when_stopped(goes_on: &dyn Fn() -> bool) -> Result<(), Refusal> {
    if goes_on() {
        Ok(())
    } else {
        Err(Refusal::unavailable("the daemon is ending"))
    }
}

/// How many passages are nearer to a question than the one that answers it.
fn rank(query: &[f32], passages: &[Vec<f32>], answer: usize) -> usize {
    let nearness: Vec<f32> = passages.iter().map(|passage| dot(query, passage)).collect();
    let wanted = nearness.get(answer).copied().unwrap_or(f32::NEG_INFINITY);
    nearness.iter().filter(|near| **near > wanted).count()
}

/// The cosine of unit vectors.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn gain(rank: usize) -> f64 {
    if rank < GAIN_RANK {
        1.0 / (count(rank) + 2.0).log2()
    } else {
        0.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred")]
fn count(number: usize) -> f64 {
    number as f64
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let number = count(values.len().max(1));
    values.sum::<f64>() / number
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn memories() -> Vec<(String, String)> {
        let of = |handle: &str, text: &str| (handle.to_owned(), text.to_owned());
        vec![
            of(
                "build/arm-linker",
                "The linker wants arm64 objects, signed after stripping.",
            ),
            of(
                "money/rounding",
                "Invoices: the linker of amounts is rounded half to even.",
            ),
            of("short/one", "Tabs."),
        ]
    }

    /// Vectors that say which of the known words a text has.
    struct Bag {
        words: Vec<&'static str>,
        confuses: bool,
    }

    impl Encoder for Bag {
        fn passage(&mut self, text: &str) -> Result<Vec<f32>, String> {
            let has = |word: &&str| {
                if text.to_lowercase().contains(*word) {
                    1.0
                } else {
                    0.0
                }
            };
            Ok(self.words.iter().map(has).collect())
        }

        fn query(&mut self, text: &str) -> Result<Vec<f32>, String> {
            let mut vector = self.passage(text)?;
            if self.confuses {
                vector.reverse();
            }
            Ok(vector)
        }
    }

    #[test]
    fn questions_have_the_rare_words_that_the_handle_has_not() {
        let sample = Sample::of(memories());
        assert_eq!(
            sample.questions,
            [
                ("wants arm64 objects signed stripping".to_owned(), 0),
                ("invoices linker amounts rounded half even".to_owned(), 1),
            ]
        );
        assert_eq!(sample, Sample::of(memories()));
    }

    #[test]
    fn a_model_that_tells_them_apart_is_better() {
        let sample = Sample::of(memories());
        let measured = |confuses| {
            let words = vec!["arm64", "invoices"];
            measure(&sample, &mut Bag { words, confuses }, &|| true).unwrap()
        };
        let (good, bad) = (measured(false), measured(true));
        assert_eq!((good.recall_5, good.ndcg_10), (1.0, 1.0));
        assert!(bad.ndcg_10 < 1.0, "{bad:?}");
        assert!(good.passages_a_second > 0.0);
    }

    #[test]
    fn an_ending_daemon_stops_it() {
        let sample = Sample::of(memories());
        let words = vec!["arm64"];
        let confuses = false;
        let stopped = measure(&sample, &mut Bag { words, confuses }, &|| false);
        assert!(stopped.unwrap_err().message().contains("ending"));
    }
}
