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

/// Bytes of a date as `2026-03-12`.
const DATE_BYTES: usize = 10;

/// Bytes of a month as `2026-03`.
const MONTH_BYTES: usize = 7;

/// Years that a number may be.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2100;

/// A time from a start up to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    start: Timestamp,
    end: Timestamp,
    days: Days,
}

impl Period {
    /// Whether a time lies in it.
    pub(super) fn holds(&self, at: Timestamp) -> bool {
        (self.start..self.end).contains(&at)
    }

    /// Its start, and its end, which is not of it.
    pub(super) const fn bounds(&self) -> (Timestamp, Timestamp) {
        (self.start, self.end)
    }

    /// Returns whether a text has a date of it: `2026-03-12`.
    pub(super) fn holds_date_in(&self, text: &str) -> bool {
        let words = text.split(|c: char| !c.is_ascii_digit() && c != '-');
        let mut dates = words
            .filter(|word| word.len() == DATE_BYTES)
            .filter_map(|word| word.parse().ok());
        dates.any(|date| (self.days.first..=self.days.last).contains(&date))
    }

    /// The time that a question names; none where it names none.
    pub(super) fn named_in(question: &str, calendar: &Calendar) -> Option<Self> {
        let days = Asked::new(question).days(calendar.today())?;
        Some(Self {
            start: calendar.start_of_day(days.first)?,
            end: calendar.start_of_day(days.last.tomorrow().ok()?)?,
            days,
        })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    span: Vec<SpanWords>,
    ago: Vec<AgoWords>,
    recent: Vec<AgoWords>,
    numbers: HashMap<String, i64>,
    named: Named,
    bounds: Bounds,
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
    before_day: Vec<String>,
    before_past_day: Vec<String>,
    months: Vec<Vec<String>>,
    before_month: Vec<String>,
    also_verbs: Vec<String>,
    before_year: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    since: Vec<String>,
    before: Vec<String>,
    between: Vec<String>,
    and: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Hour,
    Day,
    Weekend,
    Week,
    Month,
    Year,
}

impl Unit {
    fn times(self, count: i64) -> Option<Span> {
        let none = Span::new();
        match self {
            // Whole days: the day of the first of the hours is of it.
            Self::Hour => none.try_days((count + 23) / 24),
            Self::Day => none.try_days(count),
            Self::Week | Self::Weekend => none.try_weeks(count),
            Self::Month => none.try_months(count),
            Self::Year => none.try_years(count),
        }
        .ok()
    }

    /// The whole day, week, month or year around a day.
    fn around(self, day: Date) -> Option<Days> {
        let (first, last) = match self {
            Self::Hour | Self::Day => (day, day),
            Self::Week | Self::Weekend => {
                let monday = i64::from(day.weekday().to_monday_zero_offset());
                let monday = day.checked_sub(monday.days()).ok()?;
                let skipped = if matches!(self, Self::Weekend) { 5 } else { 0 };
                let first = monday.checked_add(skipped.days()).ok()?;
                (first, monday.checked_add(6.days()).ok()?)
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
        // A point stands within a date and behind the number of a day.
        let words = lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '.'));
        let is_number = |word: &str| word.trim_end_matches('.').parse::<u8>().is_ok();
        let words = words.map(|word| match word {
            day if is_number(day) => day,
            word => word.trim_matches('.'),
        });
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
            .or_else(|| self.recent_days(today))
            .or_else(|| self.named_day(today))
            .or_else(|| self.days_between(today))
            .or_else(|| self.calendar_days(today))
    }

    /// A date, a month, a quarter or a year; from it on or up to it where it is said so.
    fn calendar_days(&self, today: Date) -> Option<Days> {
        let words: Vec<&str> = self.words.split_whitespace().collect();
        (0..words.len()).find_map(|at| {
            let (before, rest) = words.split_at_checked(at)?;
            let days = calendar_days_at(before, rest, today)?;
            bounded(before, days, today)
        })
    }

    /// From one time of the calendar to another: "between May and August".
    fn days_between(&self, today: Date) -> Option<Days> {
        let bounds = &WORDS.bounds;
        let words: Vec<&str> = self.words.split_whitespace().collect();
        let start = words.iter().position(|word| has(&bounds.between, word))?;
        let (_, rest) = words.split_at_checked(start + 1)?;
        let and = rest.iter().position(|word| has(&bounds.and, word))?;
        let (one, other) = (rest.get(..and)?, rest.get(and + 1..)?);
        // Behind such a word a month alone is meant.
        let within = ["in"];
        let first = calendar_days_at(&within, one, today)?;
        let last = calendar_days_at(&within, other, today)?;
        (first.first <= last.last).then_some(Days {
            first: first.first,
            last: last.last,
        })
    }

    /// A number of units up to now.
    fn recent_days(&self, today: Date) -> Option<Days> {
        let recent = |recent: &AgoWords| {
            let count = recent.words.iter().find_map(|phrase| self.count(phrase))?;
            Some(Days {
                first: today.checked_sub(recent.unit.times(count)?).ok()?,
                last: today,
            })
        };
        WORDS.recent.iter().find_map(recent)
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

    /// The last such day of a week up to today; from it on or up to it where it is said so.
    fn named_day(&self, today: Date) -> Option<Days> {
        let (named, bounds) = (&WORDS.named, &WORDS.bounds);
        let stands = |names: &[String], before: &[String]| {
            let mut pairs = names
                .iter()
                .flat_map(|name| before.iter().map(move |before| format!("{before} {name}")));
            pairs.any(|pair| self.has(&pair))
        };
        let is_alone = |names: &[String]| {
            let mut unspaced = names.iter().filter(|name| !name.is_ascii());
            unspaced.any(|name| self.has(name)) || stands(names, &named.before_day)
        };
        (0..).zip(&named.days).find_map(|(wanted, names)| {
            let since = (i64::from(today.weekday().to_monday_zero_offset()) - wanted).rem_euclid(7);
            let day = |since| Unit::Day.back(today, since);
            if stands(names, &named.before_past_day) {
                return day(if since == 0 { 7 } else { since });
            }
            if let Some(before) = bounds
                .since
                .iter()
                .chain(&bounds.before)
                .find(|before| stands(names, std::slice::from_ref(before)))
            {
                return bounded(&[before], day(since)?, today);
            }
            is_alone(names).then(|| day(since))?
        })
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

/// Words between one that bounds a time and the time: "before the release of April".
const BOUND_REACH: usize = 2;

/// Days that the words before them make a time from them on, or up to them.
fn bounded(before: &[&str], days: Days, today: Date) -> Option<Days> {
    let bounds = &WORDS.bounds;
    let is_behind = |list: &[String]| {
        let near = before.iter().rev().take(BOUND_REACH);
        near.into_iter().any(|word| has(list, word))
    };
    if is_behind(&bounds.since) {
        return Some(Days {
            last: today.max(days.last),
            ..days
        });
    }
    if is_behind(&bounds.before) {
        return Some(Days {
            first: Date::new(*YEARS.start(), 1, 1).ok()?,
            last: days.first.yesterday().ok()?,
        });
    }
    Some(days)
}

/// The days of the calendar that the words from some place on name, behind those `before`.
fn calendar_days_at(before: &[&str], rest: &[&str], today: Date) -> Option<Days> {
    let named = &WORDS.named;
    let (first, behind) = rest.split_first()?;
    let last_before = before.last().copied().unwrap_or_default();
    if let Some(date) = written_date(first) {
        return Unit::Day.around(date);
    }
    if let Some(month) = written_month(first) {
        return Unit::Month.around(month);
    }
    if let Some(quarter) = first
        .strip_prefix('q')
        .and_then(|quarter| quarter.parse().ok())
    {
        return quarter_of(quarter, year(behind.first()?)?);
    }
    if let Some(year) = year(first) {
        let is_meant = has(&named.before_year, last_before);
        return is_meant.then(|| Unit::Year.around(Date::new(year, 1, 1).ok()?))?;
    }
    let month = named.months.iter().position(|names| has(names, first))?;
    let month = i8::try_from(month + 1).ok()?;
    let day_before = match before {
        [.., day, "of"] => day_of(day),
        _ => day_of(last_before),
    };
    // "May 5 workers share it?" asks about no day.
    let is_verb = has(&named.also_verbs, first);
    let is_day = |word: &&&str| !is_verb || word.parse::<i8>().is_err();
    let day_behind = behind.first().filter(is_day).and_then(|day| day_of(day));
    let behind = if day_behind.is_some() && day_before.is_none() {
        behind.get(1..)?
    } else {
        behind
    };
    let year = behind.first().and_then(|word| year(word));
    let in_year = |year, day| Date::new(year, month, day).ok();
    // The last one up to today, where no year is said.
    let latest = |day| match year {
        Some(year) => in_year(year, day),
        None => in_year(today.year(), day)
            .filter(|date| *date <= today)
            .or_else(|| in_year(today.year() - 1, day)),
    };
    match day_before.or(day_behind) {
        Some(day) => Unit::Day.around(latest(day)?),
        None if year.is_some() || has(&named.before_month, last_before) => {
            Unit::Month.around(latest(1)?)
        }
        None => None,
    }
}

/// A month in digits, as its first day: `2026-05`.
fn written_month(word: &str) -> Option<Date> {
    let (year, month) = word.split_once('-').filter(|_| word.len() == MONTH_BYTES)?;
    let year = year.parse().ok().filter(|year| YEARS.contains(year))?;
    Date::new(year, month.parse().ok()?, 1).ok()
}

/// A date in digits: `2026-10-30`, `30.10.2026`.
fn written_date(word: &str) -> Option<Date> {
    if let Ok(date) = word.parse() {
        return Some(date);
    }
    let mut parts = word.split('.');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let is_whole = parts.next().is_none_or(str::is_empty);
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    date.ok().filter(|_| is_whole && year.len() == 4)
}

/// The year that a word is.
fn year(word: &str) -> Option<i16> {
    let year = word.parse().ok().filter(|year| YEARS.contains(year));
    year.filter(|_| word.len() == 4)
}

/// The day of a month that a word is: `3`, `30th`.
fn day_of(word: &str) -> Option<i8> {
    let ordinals = ["st", "nd", "rd", "th", "."];
    let number = ordinals.iter().find_map(|end| word.strip_suffix(end));
    let day = number.unwrap_or(word).parse().ok()?;
    (1..=31).contains(&day).then_some(day)
}

fn quarter_of(quarter: i8, year: i16) -> Option<Days> {
    let first = Date::new(year, quarter.checked_mul(3)?.checked_sub(2)?, 1).ok()?;
    let last = first.checked_add(2.months()).ok()?.last_of_month();
    Some(Days { first, last })
}

fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|known| known == word)
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
            ("what failed last Monday", "2026-11-23 2026-11-23"),
            ("the outage of 2026-03-07", "2026-03-07 2026-03-07"),
            ("the outage of 7.3.2026", "2026-03-07 2026-03-07"),
            ("the load test on 30 October", "2026-10-30 2026-10-30"),
            ("October 30, the load test", "2026-10-30 2026-10-30"),
            (
                "the load test of October 30th, 2025",
                "2025-10-30 2025-10-30",
            ),
            ("on the 30th of December", "2025-12-30 2025-12-30"),
            ("der Lasttest am 30. Oktober", "2026-10-30 2026-10-30"),
            ("the release in March 2025", "2025-03-01 2025-03-31"),
            ("March 2025 numbers", "2025-03-01 2025-03-31"),
            ("what broke in 2025", "2025-01-01 2025-12-31"),
            ("the budget of Q1 2025", "2025-01-01 2025-03-31"),
            ("decisions since October", "2026-10-01 2026-11-24"),
            ("decisions before April 2026", "1990-01-01 2026-03-31"),
            ("seit Oktober", "2026-10-01 2026-11-24"),
            ("the day before yesterday", "2026-11-22 2026-11-22"),
            ("half a year ago", "2026-05-01 2026-05-31"),
            ("failures in the last 48 hours", "2026-11-22 2026-11-24"),
            (
                "what broke in the last three days?",
                "2026-11-21 2026-11-24",
            ),
            ("within the past 2 weeks", "2026-11-10 2026-11-24"),
            ("in den letzten 3 Tagen", "2026-11-21 2026-11-24"),
            ("最近三天", "2026-11-21 2026-11-24"),
            ("what happened last weekend", "2026-11-21 2026-11-22"),
            ("the week before last", "2026-11-09 2026-11-15"),
            ("last Tuesday", "2026-11-17 2026-11-17"),
            ("on Tuesday", "2026-11-24 2026-11-24"),
            ("what changed since Friday", "2026-11-20 2026-11-24"),
            ("before Monday", "1990-01-01 2026-11-22"),
            ("between May and August", "2026-05-01 2026-08-31"),
            ("zwischen 1.3.2026 und 4.3.2026", "2026-03-01 2026-03-04"),
            ("the outages of 2026-05", "2026-05-01 2026-05-31"),
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
            "port 2025 is taken",
            "version 3.10.2 of the parser",
            "march through the 3 steps",
            "what may 500 mean",
            "the difference between may and must",
            "the last 3 attempts",
            "may 5 workers share it",
            "",
        ] {
            assert_eq!(days(question), None, "{question}");
        }
    }
}
