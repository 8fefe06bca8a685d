//! Rows one below the other, for terminals too narrow for columns: names and numbers first, then
//! running text, indented.

use super::{Column, Columns, Field, HANDLES, TEXT_LINES_MAX, painted};
use crate::screen::Look;
use crate::text::shorten;
use dialoguer::console::measure_text_width;

/// Stands between two fields on a line.
const BETWEEN: &str = "  ";

/// Indents running text.
const INDENT: &str = "  ";

/// Writes rows without columns. What is wider than the terminal alone has a line of its own,
/// unbroken.
pub(super) fn stacked(
    look: Look,
    width: usize,
    columns: &Columns<'_>,
    rows: &[Vec<Field>],
) -> String {
    rows.iter()
        .map(|row| one(look, width, columns, row))
        .collect()
}

fn one(look: Look, width: usize, columns: &Columns<'_>, row: &[Field]) -> String {
    let fields = |is_wrapped: bool| {
        let wanted = columns
            .0
            .iter()
            .filter(move |column| column.is_wrapped == is_wrapped);
        let there = wanted.filter_map(|column| Some((column, row.get(column.at)?)));
        there.filter(|(_, field)| !field.text.is_empty())
    };
    let mut lines = Lines::new(width);
    for (_, field) in fields(false) {
        lines.add(&painted(look, field), field.columns(), BETWEEN);
    }
    let mut text = lines.written("");
    let room = width.saturating_sub(INDENT.len());
    for (column, field) in fields(true) {
        let mut lines = Lines::new(room);
        for word in bounded(column, field, room).split(' ') {
            lines.add(word, measure_text_width(word), " ");
        }
        text += &lines.written(INDENT);
    }
    text
}

/// As much of a running text as is shown; a list of names is shown whole, as a part of a name is
/// none.
fn bounded(column: &Column<'_>, field: &Field, room: usize) -> String {
    if column.name == HANDLES {
        field.text.clone()
    } else {
        shorten(&field.text, room * TEXT_LINES_MAX)
    }
}

/// Lines that are filled one after the other.
struct Lines {
    width: usize,
    full: Vec<String>,
    last: String,
    last_columns: usize,
}

impl Lines {
    fn new(width: usize) -> Self {
        Self {
            width,
            full: Vec::new(),
            last: String::new(),
            last_columns: 0,
        }
    }

    fn add(&mut self, piece: &str, columns: usize, between: &str) {
        if self.last_columns > 0 && self.last_columns + between.len() + columns > self.width {
            self.full.push(std::mem::take(&mut self.last));
            self.last_columns = 0;
        }
        if self.last_columns > 0 {
            self.last += between;
            self.last_columns += between.len();
        }
        self.last += piece;
        self.last_columns += columns;
    }

    fn written(self, indent: &str) -> String {
        let last = Some(self.last).filter(|last| !last.is_empty());
        self.full
            .into_iter()
            .chain(last)
            .flat_map(|line| [indent.to_owned(), line, "\n".to_owned()])
            .collect()
    }
}
