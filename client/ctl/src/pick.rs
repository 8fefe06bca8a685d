//! Choosing a memory from the newest ones by typing parts of it, where a person names none.

use dialoguer::FuzzySelect;
use dialoguer::console::Term;
use dialoguer::theme::ColorfulTheme;
use helix_client::limits::SEARCH_LIMIT_MAX;
use helix_client::v1;

use crate::ask::{is_there_somebody, prompted};
use crate::context::Context;
use crate::document::hyphenated;
use crate::failure::Failure;
use crate::text::{one_line, shorten};

/// Memories to choose from: some screens full, found by typing, and as many as a listing gives.
const CHOICES_MAX: u32 = SEARCH_LIMIT_MAX;

/// Rows of the list that are shown at once.
const ROWS_MAX: usize = 15;

/// Columns that the prompt itself takes.
const MARGIN_COLUMNS: usize = 4;

/// Lets the person choose, and returns the memory's id. `verb` says what for.
pub(crate) fn memory(context: &Context, verb: &str) -> Result<String, Failure> {
    if !is_there_somebody() {
        return Err(Failure::Usage(format!(
            "name a memory: helixctl {verb} REF; a list to choose from needs a terminal"
        )));
    }
    let memories = newest(context)?;
    if memories.is_empty() {
        return Err(Failure::Usage(
            "there is no memory to choose; store one with helixctl add".to_owned(),
        ));
    }
    let columns = usize::from(Term::stderr().size().1);
    let items: Vec<String> = memories
        .iter()
        .map(|memory| item(memory, columns))
        .collect();
    let theme = ColorfulTheme::default();
    let prompt = FuzzySelect::with_theme(&theme)
        .with_prompt(verb)
        .items(&items)
        .default(0)
        .max_length(ROWS_MAX);
    let chosen = prompted(|| prompt.interact_opt())?.and_then(|at| memories.get(at));
    let chosen = chosen.ok_or_else(|| Failure::Usage("no memory was chosen".to_owned()))?;
    Ok(hyphenated(&chosen.id))
}

fn newest(context: &Context) -> Result<Vec<v1::Memory>, Failure> {
    let caller = Some(context.caller());
    let request = v1::RecentRequest {
        caller,
        limit: CHOICES_MAX,
        ..v1::RecentRequest::default()
    };
    let reply = context.ask(async |rpc| rpc.recent(request.clone()).await)?;
    Ok(reply.memories)
}

/// One row, cut to the width of the terminal: a row that wraps would break the list.
fn item(memory: &v1::Memory, columns: usize) -> String {
    let row = format!(
        "{}  {}  {}",
        one_line(&memory.handle),
        one_line(&memory.kind),
        one_line(&memory.text)
    );
    shorten(&row, columns.saturating_sub(MARGIN_COLUMNS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_fits_the_terminal_and_steers_nothing() {
        let memory = v1::Memory {
            handle: "traps/hostile".to_owned(),
            kind: "gotcha".to_owned(),
            text: "clear \u{1b}[2J and\u{202e} turn\nand end".to_owned(),
            ..v1::Memory::default()
        };
        assert_eq!(
            item(&memory, 200),
            "traps/hostile  gotcha  clear \\u{1b}[2J and\\u{202e} turn and end"
        );
        assert_eq!(item(&memory, 24), "traps/hostile  gotc…");
    }
}
