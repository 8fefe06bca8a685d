//! One memory made into several: what its parts are.

use helix_engine::{Request, Split, SplitPart as Part};
use helix_memory::{Admitted, Draft, Memory};

use super::Target;
use super::plan::{Plan, Planned};
use super::target::{self, Bare, Choice};
use crate::{Refusal, scopes, veil};

/// Most parts of one memory.
const PARTS_MAX: usize = 50;

impl Plan<'_> {
    pub(super) fn split(
        &self,
        target: &Target,
        into: &[String],
        is_preview: bool,
    ) -> Result<Planned, Refusal> {
        let (choice, mut warnings) = target::choose(self.app, self.asker, target, Bare::Only)?;
        let number = match choice {
            Choice::One(number) => number,
            Choice::Several(several) => return Ok(Planned::Candidates { several, warnings }),
        };
        let memory = self.app.memory.strand.memories(&[number])?.pop();
        let memory =
            memory.ok_or_else(|| Refusal::not_found("the memory is gone; search for it again"))?;
        scopes::check_seen(&memory, self.asker)?;
        veil::refuse_waiting(self.asker, &memory)?;
        let parts = parts(&memory, into)?;
        if is_preview {
            return Ok(Planned::Preview { parts, warnings });
        }
        let mut made = Vec::with_capacity(parts.len());
        for text in parts {
            let mut admitted = self.admitted(&memory, text)?;
            warnings.append(&mut admitted.warnings);
            made.push(Part {
                admitted: Box::new(admitted),
                entropy: self.app.memory.randomness.entropy(),
            });
        }
        let split = Split {
            number,
            expected: self.expected.unwrap_or(memory.sequence),
            parts: made,
            actor: self.asker.actor.clone(),
            at: self.app.memory.now(),
        };
        Ok(Planned::Write {
            requests: vec![Request::Split(Box::new(split))],
            warnings,
            is_shared: false,
        })
    }

    /// A part, which has everything of the memory but its text.
    fn admitted(&self, memory: &Memory, text: String) -> Result<Admitted, Refusal> {
        let draft = Draft {
            topic: memory.topic.as_str().to_owned(),
            text,
            kind: Some(memory.kind.as_str().to_owned()),
            tags: memory.tags.clone(),
            scope: Some(memory.scope.clone()),
            source: memory.source.clone(),
            importance: Some(memory.importance),
            confidence: Some(memory.confidence),
            pinned: memory.pinned,
            valid_from: Some(memory.valid_from),
            ..Draft::default()
        };
        Ok(Admitted::of(
            draft,
            &memory.scope,
            self.app.memory.strand.kinds(),
        )?)
    }
}

/// The texts of the parts: those that are given, or what the memory's text falls into.
fn parts(memory: &Memory, into: &[String]) -> Result<Vec<String>, Refusal> {
    let parts = if into.is_empty() {
        taken_apart(&memory.text)
    } else {
        into.iter().map(|text| text.trim().to_owned()).collect()
    };
    match parts.len() {
        2..=PARTS_MAX => {}
        0 | 1 => {
            return Err(Refusal::invalid(
                "a memory is split into two parts or more, and its text has no blank line and no list to split it at; \
                 give the text of each part",
            ));
        }
        count => {
            return Err(Refusal::exhausted(format!(
                "{count} parts, the most is {PARTS_MAX}; split it into fewer"
            )));
        }
    }
    if parts.iter().any(String::is_empty) {
        return Err(Refusal::invalid("a part has no text; give each one some"));
    }
    Ok(parts)
}

/// The paragraphs of a text, and the items of the lists among them. What leads a list in belongs to
/// each of its items.
fn taken_apart(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for paragraph in paragraphs(text) {
        let (lead, items) = items(&paragraph);
        if items.len() < 2 {
            parts.push(paragraph.join("\n"));
            continue;
        }
        let leads_in = lead.ends_with(':');
        if !lead.is_empty() && !leads_in {
            parts.push(lead.clone());
        }
        for item in items {
            parts.push(if leads_in {
                format!("{lead} {item}")
            } else {
                item
            });
        }
    }
    parts
}

/// The lines of each paragraph.
fn paragraphs(text: &str) -> Vec<Vec<&str>> {
    let mut paragraphs: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        if line.trim().is_empty() {
            paragraphs.push(Vec::new());
        } else if let Some(paragraph) = paragraphs.last_mut() {
            paragraph.push(line);
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// Returns what stands before a list, and its items with the lines that belong to them.
fn items(paragraph: &[&str]) -> (String, Vec<String>) {
    let mut lead = Vec::new();
    let mut items: Vec<String> = Vec::new();
    for line in paragraph {
        match (item(line), items.last_mut()) {
            (Some(item), _) => items.push(item.to_owned()),
            (None, Some(open)) => {
                open.push('\n');
                open.push_str(line.trim());
            }
            (None, None) => lead.push(line.trim()),
        }
    }
    (lead.join("\n"), items)
}

/// The text behind the mark of a list's item that is not indented.
fn item(line: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let (number, rest) = line.split_once(". ")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(rest)
    };
    marked.or_else(numbered).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_paragraphs_and_items() {
        for (text, parts) in [
            ("one\ntwo", vec!["one\ntwo"]),
            ("one\n\n \ntwo\nthree", vec!["one", "two\nthree"]),
            ("- one\n  more\n- two", vec!["one\nmore", "two"]),
            ("1. one\n2. two", vec!["one", "two"]),
            ("Ports:\n- 80\n- 443", vec!["Ports: 80", "Ports: 443"]),
            (
                "About ports.\n* 80\n* 443",
                vec!["About ports.", "80", "443"],
            ),
            ("one\n\n- two", vec!["one", "- two"]),
        ] {
            assert_eq!(taken_apart(text), parts, "{text:?}");
        }
    }
}
