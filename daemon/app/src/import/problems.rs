//! Problems of an import: told one by one up to a limit, and counted beyond it.

use std::collections::BTreeSet;

use helix_exchange::{Problem, Report};
use helix_neutral::{one_line, quoted};

use super::incoming::Incoming;
use crate::exchange::Progress;

/// Problems that are told one by one.
const PROBLEMS_MAX: usize = 100;

/// Characters of a text by which a memory is named.
const TEXT_SHOWN_CHARS: usize = 60;

/// The problems so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    told: Vec<String>,
    untold: u64,
    /// How many of them cost nothing.
    harmless: u64,
    /// Notes on topics' names, each once however many memories the topic has.
    renamed: BTreeSet<String>,
    /// Fields that nothing is known of, each told once however many files have it.
    unknown_fields: BTreeSet<String>,
}

impl Problems {
    /// Adds one; its words are made only when it is told.
    pub(super) fn add(&mut self, told: impl FnOnce() -> String) {
        if self.told.len() < PROBLEMS_MAX {
            self.told.push(told());
        } else {
            self.untold += 1;
        }
    }

    /// Adds something to know that cost nothing.
    pub(super) fn notice(&mut self, told: impl FnOnce() -> String) {
        self.add(told);
        self.harmless += 1;
    }

    /// Adds that a topic is called otherwise here, unless that was said.
    pub(super) fn rename(&mut self, notes: &[String]) {
        for note in notes {
            if self.renamed.len() < PROBLEMS_MAX && self.renamed.insert(note.clone()) {
                self.add(|| note.clone());
                self.harmless += 1;
            }
        }
    }

    /// Adds that a memory was taken without the secrets that it had.
    pub(super) fn redacted(
        &mut self,
        Incoming {
            memory, secrets, ..
        }: &Incoming,
    ) {
        if let Some(note) = secrets.note() {
            self.add(|| {
                format!(
                    "{} (topic {}): {note}",
                    quoted(&one_line(&memory.text, TEXT_SHOWN_CHARS)),
                    quoted(&memory.topic)
                )
            });
            self.harmless += 1;
        }
    }

    /// Adds what a reader could not use of a file, which has a name when it is one of several.
    pub(super) fn note(&mut self, file: &str, report: &Report) {
        let place = if file.is_empty() {
            String::new()
        } else {
            format!("{file}: ")
        };
        for flaw in &report.flaws {
            self.add(|| format!("{place}{flaw}"));
            self.harmless += u64::from(flaw.problem == Problem::LineInside);
        }
        self.untold += report.unlisted;
        let everywhere = if file.is_empty() {
            "this file"
        } else {
            "these files"
        };
        for (at, field) in &report.unknown_fields {
            let is_told = self.unknown_fields.contains(field);
            if is_told || self.unknown_fields.len() >= PROBLEMS_MAX {
                self.untold += u64::from(!is_told);
                continue;
            }
            self.unknown_fields.insert(field.clone());
            self.add(|| {
                let field = quoted(field);
                format!(
                    "{place}{at}: the field {field} is not known here and was left out, as everywhere in {everywhere}; \
                     a memory keeps such things in its `attributes`"
                )
            });
        }
    }

    /// Writes them into what is answered.
    pub(super) fn report(self, progress: &mut Progress) {
        progress.problems = self.told;
        progress.problems_untold = self.untold;
        progress.problems_harmless = self.harmless;
    }
}

#[cfg(test)]
mod tests {
    use helix_exchange::Place;

    use super::*;

    #[test]
    fn a_new_name_is_told_once() {
        let mut problems = Problems::default();
        for _ in 0..3 {
            problems.rename(&["topic \"A b\" became \"a-b\"".to_owned()]);
        }
        assert_eq!((problems.told.len(), problems.untold), (1, 0));
    }

    #[test]
    fn a_field_of_many_files_is_told_once() {
        let mut problems = Problems::default();
        let report = Report {
            unknown_fields: vec![(Place::Line(2), "title".to_owned())],
            ..Report::default()
        };
        for file in ["a.md", "b.md"] {
            problems.note(file, &report);
        }
        assert_eq!((problems.told.len(), problems.untold), (1, 0));
        assert!(
            problems
                .told
                .concat()
                .starts_with("a.md: line 2: the field \"title\""),
            "{:?}",
            problems.told
        );
    }

    #[test]
    fn what_is_not_told_is_counted() {
        let mut problems = Problems::default();
        for number in 0..PROBLEMS_MAX + 200 {
            problems.add(|| number.to_string());
        }
        problems.note(
            "a.json",
            &Report {
                unlisted: 7,
                ..Report::default()
            },
        );
        let mut progress = Progress::default();
        problems.report(&mut progress);
        assert_eq!(
            (progress.problems.len(), progress.problems_untold),
            (PROBLEMS_MAX, 207)
        );
    }
}
