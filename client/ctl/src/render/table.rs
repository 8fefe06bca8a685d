//! Rows in columns, the one shape in which lists are shown.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, LineStyle, Table, Width};

use crate::screen::{Look, Paint};

/// Heads the column that everything else makes room for.
pub(super) const TEXT: &str = "text";

/// The least share of a table's width that the text column has, in percent.
pub(super) const TEXT_SHARE_PERCENT: u16 = 40;

/// One field of a row.
#[derive(Clone, Debug)]
pub(super) struct Field {
    text: String,
    paint: Option<Paint>,
}

impl Field {
    /// A field in the colour of what it says.
    pub(super) fn painted(paint: Paint, text: impl Into<String>) -> Self {
        Self { text: text.into(), paint: Some(paint) }
    }
}

impl<T: Into<String>> From<T> for Field {
    fn from(text: T) -> Self {
        Self { text: text.into(), paint: None }
    }
}

/// Writes rows as a table on a terminal, else one line each with tabs between the fields. An empty header stays away.
pub(super) fn rows(look: Look, header: &[&str], rows: Vec<Vec<Field>>) -> String {
    match look.table_width {
        _ if rows.is_empty() => String::new(),
        None => rows.iter().map(|row| line(look, row)).collect(),
        Some(width) => drawn(look, width, header, rows),
    }
}

fn line(look: Look, row: &[Field]) -> String {
    let fields: Vec<String> = row.iter().map(|field| painted(look, field)).collect();
    fields.join("\t") + "\n"
}

fn painted(look: Look, field: &Field) -> String {
    field.paint.map_or_else(|| field.text.clone(), |paint| look.paint(paint, &field.text))
}

fn drawn(look: Look, width: u16, header: &[&str], rows: Vec<Vec<Field>>) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table.style_mut().row_separator = LineStyle::none();
    if look.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    if !header.is_empty() {
        table.set_header(header);
    }
    for row in rows {
        table.add_row(row.into_iter().map(cell).collect::<Vec<_>>());
    }
    if let Some(column) = header.iter().position(|name| *name == TEXT).and_then(|at| table.column_mut(at)) {
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Percentage(TEXT_SHARE_PERCENT)));
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

fn cell(field: Field) -> Cell {
    let cell = Cell::new(field.text);
    match field.paint {
        None => cell,
        Some(Paint::Good) => cell.fg(Color::DarkGreen),
        Some(Paint::Warning) => cell.fg(Color::DarkYellow),
        Some(Paint::Bad) => cell.fg(Color::DarkRed).add_attribute(Attribute::Bold),
        Some(Paint::Name) => cell.add_attribute(Attribute::Bold),
        Some(Paint::Faint) => cell.add_attribute(Attribute::Dim),
    }
}
