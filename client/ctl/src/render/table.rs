//! Rows in columns, the one shape in which lists are shown.
//!
//! A name, a number or a date is read as a whole or not at all: only columns of running text are
//! wrapped. A terminal too narrow for all columns loses the least important ones, and one too
//! narrow even then has each row over several lines.

mod stacked;

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{
    Attribute, Cell, Color, ColumnConstraint, ContentArrangement, LineStyle, Table, Width,
};
use dialoguer::console::measure_text_width;

use crate::screen::{Look, Paint};
use crate::text::shorten;

/// Heads the column that everything else makes room for.
pub(super) const TEXT: &str = "text";

/// Heads the column of handles that a hook gave.
pub(super) const HANDLES: &str = "handles";

/// Columns that may be wrapped, between words; in a table without a header all but the first may.
const WRAPPED: [&str; 5] = [TEXT, HANDLES, "because", "source", "tags"];

/// Columns that a narrow table does without, the least important first.
const DISPENSABLE: [&str; 14] = [
    "given",
    "scope",
    "score",
    "sequence",
    "took",
    "kind",
    "links",
    "first",
    "tags",
    "how",
    "cost",
    "watermark",
    "phase",
    "recorded",
];

/// Columns that a wrapped text needs at least: four or five words.
const WRAPPED_COLUMNS_MIN: usize = 24;

/// Columns around a field: one on each side, and one that parts it from the next.
const PADDING_COLUMNS: usize = 3;

/// Lines of a row that a text fills at most.
const TEXT_LINES_MAX: usize = 4;

/// One field of a row.
#[derive(Clone, Debug)]
pub(super) struct Field {
    text: String,
    paint: Option<Paint>,
}

impl Field {
    /// A field in the colour of what it says.
    pub(super) fn painted(paint: Paint, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            paint: Some(paint),
        }
    }

    fn columns(&self) -> usize {
        measure_text_width(&self.text)
    }
}

impl<T: Into<String>> From<T> for Field {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            paint: None,
        }
    }
}

/// Writes rows as a table on a terminal, else one line each with tabs between the fields. An empty
/// header stays away.
pub(super) fn rows(look: Look, header: &[&str], rows: Vec<Vec<Field>>) -> String {
    match look.table_width {
        _ if rows.is_empty() => String::new(),
        None => rows.iter().map(|row| line(look, row)).collect(),
        Some(width) => {
            let columns = Columns::of(header, &rows);
            match columns.fitting(usize::from(width)) {
                Some(kept) => drawn(look, width, &kept, !header.is_empty(), rows),
                None => stacked::stacked(look, usize::from(width), &columns, &rows),
            }
        }
    }
}

fn line(look: Look, row: &[Field]) -> String {
    let fields: Vec<String> = row.iter().map(|field| painted(look, field)).collect();
    fields.join("\t") + "\n"
}

fn painted(look: Look, field: &Field) -> String {
    field.paint.map_or_else(
        || field.text.clone(),
        |paint| look.paint(paint, &field.text),
    )
}

/// One column of a table.
#[derive(Clone, Copy, Debug)]
struct Column<'h> {
    /// Its place in the rows.
    at: usize,
    name: &'h str,
    /// Columns of its widest field.
    columns: usize,
    is_wrapped: bool,
    /// Columns of the longest name in a list of names, which is wrapped between them; 0 in other
    /// columns.
    name_columns: usize,
}

impl Column<'_> {
    /// The least it can do with, and the room around it.
    fn least(&self) -> usize {
        let content = if self.is_wrapped {
            self.columns.min(WRAPPED_COLUMNS_MIN)
        } else {
            self.columns
        };
        content.max(self.name_columns) + PADDING_COLUMNS
    }
}

/// The columns of a table.
#[derive(Clone, Debug)]
struct Columns<'h>(Vec<Column<'h>>);

impl<'h> Columns<'h> {
    fn of(header: &[&'h str], rows: &[Vec<Field>]) -> Self {
        let count = rows.iter().map(Vec::len).max().unwrap_or_default();
        let column = |at: usize| {
            let name = header.get(at).copied().unwrap_or_default();
            let fields = rows
                .iter()
                .filter_map(|row| row.get(at))
                .map(Field::columns);
            let columns = fields
                .chain([measure_text_width(name)])
                .max()
                .unwrap_or_default();
            let is_wrapped = if header.is_empty() {
                at > 0
            } else {
                WRAPPED.contains(&name)
            };
            let names = rows
                .iter()
                .filter(|_| name == HANDLES)
                .filter_map(|row| row.get(at));
            let names = names
                .flat_map(|field| field.text.split(' '))
                .map(measure_text_width);
            Column {
                at,
                name,
                columns,
                is_wrapped,
                name_columns: names.max().unwrap_or_default(),
            }
        };
        Self((0..count).map(column).collect())
    }

    fn least(&self) -> usize {
        self.0.iter().map(Column::least).sum()
    }

    /// Returns the columns that fit into a width; nothing when even the most important columns do
    /// not.
    fn fitting(&self, width: usize) -> Option<Self> {
        let mut kept = self.clone();
        let mut dispensable = DISPENSABLE.iter();
        while kept.least() > width {
            let next = dispensable.next()?;
            kept.0.retain(|column| column.name != *next);
        }
        Some(kept)
    }

    /// The most characters of a text: what its column can have, so many times.
    fn text_chars_max(&self, width: usize) -> usize {
        let others: usize = self
            .0
            .iter()
            .filter(|column| column.name != TEXT)
            .map(Column::least)
            .sum();
        width
            .saturating_sub(others + PADDING_COLUMNS)
            .max(WRAPPED_COLUMNS_MIN)
            * TEXT_LINES_MAX
    }
}

fn drawn(
    look: Look,
    width: u16,
    columns: &Columns<'_>,
    is_headed: bool,
    rows: Vec<Vec<Field>>,
) -> String {
    let mut table = Table::new();
    table
        .load_style(UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    table.style_mut().row_separator = LineStyle::none();
    if look.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    if is_headed {
        table.set_header(columns.0.iter().map(|column| column.name));
    }
    let chars_max = columns.text_chars_max(usize::from(width));
    for row in rows {
        let field = |column: &Column<'_>| {
            let field = row
                .get(column.at)
                .cloned()
                .unwrap_or_else(|| Field::from(""));
            if column.name == TEXT {
                Field {
                    text: shorten(&field.text, chars_max),
                    ..field
                }
            } else {
                field
            }
        };
        table.add_row(columns.0.iter().map(field).map(cell).collect::<Vec<_>>());
    }
    for (place, column) in columns.0.iter().enumerate() {
        let least = u16::try_from(column.least()).unwrap_or(width);
        let constraint = if column.is_wrapped {
            ColumnConstraint::LowerBoundary(Width::Fixed(least))
        } else {
            ColumnConstraint::ContentWidth
        };
        if let Some(drawn) = table.column_mut(place) {
            drawn.set_constraint(constraint);
        }
    }
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A handle as long as they become, a date and a long text.
    const HANDLE: &str = "build-gotchas/pass-arch-arm64-without-xcodebuild";

    fn shown(width: u16) -> String {
        let text = "a text of many words ".repeat(50);
        let row = vec![
            "0.5000".into(),
            HANDLE.into(),
            "gotcha".into(),
            "2026-11-21 22:14".into(),
            Field::from(text),
        ];
        rows(
            Look {
                table_width: Some(width),
                color: false,
            },
            &["score", "handle", "kind", "at", TEXT],
            vec![row],
        )
    }

    #[test]
    fn names_and_dates_stay_whole_at_every_width() {
        for width in 40..=140 {
            let shown = shown(width);
            assert!(
                shown.contains(HANDLE) && shown.contains("2026-11-21 22:14") && shown.contains('…'),
                "{shown}"
            );
            let fits = |line: &str| line.chars().count() <= usize::from(width) || line == HANDLE;
            assert!(shown.lines().all(fits), "{width}:\n{shown}");
        }
    }

    #[test]
    fn a_list_of_handles_has_each_of_them_whole() {
        let handles = [
            HANDLE,
            "storage/redb-is-truth",
            "hooks/one-deadline-for-all-of-them",
        ];
        // More of them than lines that a text may fill.
        let all = handles.repeat(6).join(" ");
        for width in 40..=140 {
            let row = vec![
                "2026-11-21 22:14".into(),
                "0f8fad5b-d9cb-469f-a165-70867728950e".into(),
                Field::from(&all),
            ];
            let look = Look {
                table_width: Some(width),
                color: false,
            };
            let shown = rows(look, &["at", "session", HANDLES], vec![row]);
            for handle in handles {
                assert_eq!(shown.matches(handle).count(), 6, "{width}:\n{shown}");
            }
        }
    }

    #[test]
    fn the_least_important_columns_go_first() {
        assert!(shown(140).contains("score"));
        let narrow = shown(100);
        assert!(
            narrow.contains(" handle ") && !narrow.contains("0.5000") && !narrow.contains("kind"),
            "{narrow}"
        );
        // One below the other there is room for all.
        assert!(
            shown(60).starts_with(&format!(
                "0.5000  {HANDLE}\ngotcha  2026-11-21 22:14\n  a text of"
            )),
            "{}",
            shown(60)
        );
    }
}
