//! The time that a question names: "what broke last week?", "vor drei Tagen", "上个月".

use std::collections::HashMap;
use std::sync::LazyLock;

use helix_memory::Timestamp;
use jiff::civil::Date;
use jiff::{Span, ToSpan};
use serde::Deserialize;

use super::calendar::Calendar;

/// The words for times; a test reads them.
static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("period.toml")).unwrap_or_default());

/// A time from a start up to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    start: Timestamp,
    end: Timestamp,
}

impl Period {
    /// Whether a time lies in it.
    pub(super) fn holds(&self, at: Timestamp) -> bool {
        (self.start..self.end).contains(&at)
    }

    /// The time that a question names; none where it names none.
    pub(super) fn named_in(question: &str, calendar: &Calendar) -> Option<Self> {
        let days = Asked::new(question).days(calendar.today())?;
        Some(Self {
            start: calendar.start_of_day(days.first)?,
            end: calendar.start_of_day(days.last.tomorrow().ok()?)?,
        })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    span: Vec<SpanWords>,
    ago: Vec<AgoWords>,
    numbers: HashMap<String, i64>,
    named: Named,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpanWords {
    unit: Unit,
    back: i64,
    words: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgoWords {
    unit: Unit,
    words: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    days: Vec<Vec<String>>,
    months: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    fn times(self, count: i64) -> Option<Span> {
        let none = Span::new();
        match self {
            Self::Day => none.try_days(count),
            Self::Week => none.try_weeks(count),
            Self::Month => none.try_months(count),
            Self::Year => none.try_years(count),
        }
        .ok()
    }

    /// The whole day, week, month or year around a day.
    fn around(self, day: Date) -> Option<Days> {
        let (first, last) = match self {
            Self::Day => (day, day),
            Self::Week => {
                let monday = i64::from(day.weekday().to_monday_zero_offset());
                let first = day.checked_sub(monday.days()).ok()?;
                (first, first.checked_add(6.days()).ok()?)
            }
            Self::Month => (day.first_of_month(), day.last_of_month()),
            Self::Year => (day.first_of_year(), day.last_of_year()),
        };
        Some(Days { first, last })
    }

    /// The whole one that is so many back.
    fn back(self, today: Date, count: i64) -> Option<Days> {
        self.around(today.checked_sub(self.times(count)?).ok()?)
    }
}

/// Days from a first one to a last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Days {
    first: Date,
    last: Date,
}

/// A question, made comparable.
struct Asked {
    /// In lower case, each word between single blanks.
    words: String,
}

impl Asked {
    fn new(question: &str) -> Self {
        let lower = question.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric() && c != '-');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        Self {
            words: format!(" {} ", words.join(" ")),
        }
    }

    fn days(&self, today: Date) -> Option<Days> {
        let words = &*WORDS;
        let span = words.span.iter().find(|span| self.has_any(&span.words));
        if let Some(span) = span {
            return span.unit.back(today, span.back);
        }
        self.days_ago(today)
            .or_else(|| self.named_day(today))
            .or_else(|| self.named_month(today))
            .or_else(|| self.date())
    }

    fn days_ago(&self, today: Date) -> Option<Days> {
        let ago = |ago: &AgoWords| {
            let count = ago.words.iter().find_map(|phrase| self.count(phrase))?;
            ago.unit.back(today, count)
        };
        WORDS.ago.iter().find_map(ago)
    }

    /// The number that stands in the place of `{}`.
    fn count(&self, phrase: &str) -> Option<i64> {
        let (before, behind) = phrase.split_once("{}")?;
        let at = self.words.find(behind).filter(|_| !behind.is_empty())?;
        let start = self.words.get(..at)?;
        let end_of_word = |rest: &str| !phrase.is_ascii() || rest.starts_with(' ');
        if !end_of_word(self.words.get(at + behind.len()..)?) {
            return None;
        }
        let digits = start.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = match start.get(digits.len()..)? {
            "" if phrase.is_ascii() => start.rsplit(' ').next()?,
            "" => start.get(start.char_indices().next_back()?.0..)?,
            digits => digits,
        };
        let head = start.strip_suffix(number)?;
        let is_meant = before.is_empty() || head.ends_with(&format!(" {before}"));
        let read = || WORDS.numbers.get(number).copied();
        number.parse().ok().or_else(read).filter(|_| is_meant)
    }

    /// The last such day of a week up to today.
    fn named_day(&self, today: Date) -> Option<Days> {
        let mut days = WORDS.named.days.iter();
        let wanted = i64::try_from(days.position(|words| self.has_any(words))?).ok()?;
        let since = (i64::from(today.weekday().to_monday_zero_offset()) - wanted).rem_euclid(7);
        Unit::Day.back(today, since)
    }

    /// The last such month up to this one.
    fn named_month(&self, today: Date) -> Option<Days> {
        let mut months = WORDS.named.months.iter();
        let wanted = i64::try_from(months.position(|words| self.has_any(words))?).ok()? + 1;
        let since = (i64::from(today.month()) - wanted).rem_euclid(12);
        Unit::Month.back(today, since)
    }

    /// A day that is written as a date.
    fn date(&self) -> Option<Days> {
        let date = self.words.split(' ').find_map(|word| word.parse().ok())?;
        Unit::Day.around(date)
    }

    fn has_any(&self, phrases: &[String]) -> bool {
        phrases.iter().any(|phrase| self.has(phrase))
    }

    /// Whether it has a phrase: between words, where its script has blanks between them.
    fn has(&self, phrase: &str) -> bool {
        if phrase.chars().all(|c| c.is_ascii() || c.is_lowercase()) {
            self.words.contains(&format!(" {phrase} "))
        } else {
            self.words.contains(phrase)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The days that a question names on Tuesday, 24 November 2026.
    fn days(question: &str) -> Option<String> {
        let days = Asked::new(question).days(jiff::civil::date(2026, 11, 24))?;
        Some(format!("{} {}", days.first, days.last))
    }

    #[test]
    fn the_words_are_read() {
        toml::from_str::<Words>(include_str!("period.toml")).unwrap();
    }

    #[test]
    fn a_question_names_a_time() {
        for (question, wanted) in [
            ("what broke last week?", "2026-11-16 2026-11-22"),
            ("What did we decide yesterday", "2026-11-23 2026-11-23"),
            (
                "was haben wir letzte Woche beschlossen",
                "2026-11-16 2026-11-22",
            ),
            ("上个月决定了什么", "2026-10-01 2026-10-31"),
            ("9 days ago, the broker", "2026-11-15 2026-11-15"),
            ("two weeks ago", "2026-11-09 2026-11-15"),
            ("the upgrade a year ago", "2025-01-01 2025-12-31"),
            ("vor drei Tagen", "2026-11-21 2026-11-21"),
            ("vor 3 Wochen", "2026-11-02 2026-11-08"),
            ("3天前发生了什么", "2026-11-21 2026-11-21"),
            ("what failed on Sunday", "2026-11-22 2026-11-22"),
            ("what failed on Tuesday", "2026-11-24 2026-11-24"),
            ("releases in December", "2025-12-01 2025-12-31"),
            ("the outage of 2026-03-07", "2026-03-07 2026-03-07"),
        ] {
            assert_eq!(days(question).as_deref(), Some(wanted), "{question}");
        }
    }

    #[test]
    fn other_questions_name_none() {
        for question in [
            "may the cache be cold?",
            "the last weekly report",
            "retry 3 times before the day ends",
            "how many days until a token expires",
            "weeks ago",
            "todays",
            "",
        ] {
            assert_eq!(days(question), None, "{question}");
        }
    }
}
