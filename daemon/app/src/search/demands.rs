//! Phrases, words to leave out and lines of sources: the memories that meet them, and what to say
//! of those that none does.

use helix_engine::{Filter, Mode, Narrowed};
use helix_neutral::quoted;

use crate::{App, Refusal};

/// Keeps a filter to what meets its demands; returns what whoever asks should know.
///
/// # Errors
/// When the disk or the word index fails.
pub(crate) fn narrow(app: &App, filter: &mut Filter, mode: Mode) -> Result<Vec<String>, Refusal> {
    let narrowed = app.memory.strand.narrow(filter, mode == Mode::All)?;
    Ok(told(&narrowed, filter))
}

fn told(narrowed: &Narrowed, filter: &Filter) -> Vec<String> {
    let mut notes = Vec::new();
    for phrase in &narrowed.loosened {
        notes.push(format!(
            "no memory has the phrase {}; its words were looked for one by one",
            quoted(phrase)
        ));
    }
    for phrase in &narrowed.cut {
        notes.push(format!(
            "very many memories have the words of {}; only the newest were looked through",
            quoted(phrase)
        ));
    }
    if let Some(line) = filter
        .demands
        .source_line
        .filter(|_| narrowed.has_loosened_line)
    {
        notes.push(format!(
            "no memory is about line {line}; these are about the file"
        ));
    }
    let excluded: Vec<String> = filter
        .demands
        .excluded
        .iter()
        .map(|word| quoted(word))
        .collect();
    if !excluded.is_empty() {
        let what = excluded.join(", ");
        notes.push(format!(
            "left out what has {what}; to look for a word that begins with a dash, put it in quotes"
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use helix_engine::Demands;

    use super::*;

    #[test]
    fn what_was_let_go_is_said() {
        let demands = Demands {
            excluded: vec!["flaky".into()],
            source_line: Some(7),
            ..Demands::default()
        };
        let filter = Filter {
            demands,
            ..Filter::default()
        };
        let narrowed = Narrowed {
            loosened: vec!["a b".into()],
            has_loosened_line: true,
            cut: vec!["c d".into()],
        };
        assert_eq!(
            told(&narrowed, &filter),
            [
                "no memory has the phrase \"a b\"; its words were looked for one by one",
                "very many memories have the words of \"c d\"; only the newest were looked through",
                "no memory is about line 7; these are about the file",
                "left out what has \"flaky\"; to look for a word that begins with a dash, put it in quotes",
            ]
        );
        assert!(told(&Narrowed::default(), &Filter::default()).is_empty());
    }
}
