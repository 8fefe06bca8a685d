//! Tables for people, figures for machines.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

/// Everything measured so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    sections: Vec<Value>,
    missed: Vec<String>,
    noisy: Vec<String>,
}

/// One table.
#[derive(Debug)]
pub(crate) struct Table {
    title: String,
    head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    notes: Vec<String>,
    figures: Vec<Value>,
    missed: Vec<String>,
    noisy: Vec<String>,
}

/// A target of the design: at most or at least so much.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Target {
    fn is_met(self, measured: f64) -> bool {
        match self {
            Self::AtMost(most) => measured <= most,
            Self::AtLeast(least) => measured >= least,
        }
    }
}

impl Table {
    pub(crate) fn new(title: impl Into<String>, head: &[&str]) -> Self {
        let head = head.iter().map(|&cell| cell.to_owned()).collect();
        let (rows, notes, figures) = (Vec::new(), Vec::new(), Vec::new());
        let title = title.into();
        Self {
            title,
            head,
            rows,
            notes,
            figures,
            missed: Vec::new(),
            noisy: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds a line below the table.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Keeps a figure for the JSON file.
    pub(crate) fn figure(&mut self, name: &str, value: f64, unit: &str) {
        self.figures
            .push(json!({ "name": name, "value": value, "unit": unit }));
    }

    /// Judges a figure by its target and keeps it; returns `met` or `MISSED`.
    pub(crate) fn judge(
        &mut self,
        name: &str,
        measured: f64,
        unit: &str,
        target: Target,
    ) -> String {
        let is_met = target.is_met(measured);
        let (bound, limit) = match target {
            Target::AtMost(limit) => ("at most", limit),
            Target::AtLeast(limit) => ("at least", limit),
        };
        self.figures
            .push(json!({ "name": name, "value": measured, "unit": unit, "target": { bound: limit }, "met": is_met }));
        if is_met {
            return "met".to_owned();
        }
        self.missed.push(format!("{}: {name}", self.title));
        "MISSED".to_owned()
    }

    /// Keeps a figure that the machine was too busy to measure, and that is therefore neither met
    /// nor missed.
    pub(crate) fn noisy(&mut self, name: &str, measured: f64, unit: &str) -> String {
        self.figures
            .push(json!({ "name": name, "value": measured, "unit": unit, "met": null }));
        self.noisy.push(format!("{}: {name}", self.title));
        "noisy".to_owned()
    }

    fn render(&self) -> String {
        let widths: Vec<usize> = (0..self.head.len())
            .map(|column| {
                let cells = std::iter::once(&self.head)
                    .chain(&self.rows)
                    .filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let line = |cells: &[String]| {
            let mut line = String::new();
            for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
                // The first column names, the others count.
                let padded = if column == 0 {
                    format!("{cell}{padding}")
                } else {
                    format!("  {padding}{cell}")
                };
                line.push_str(&padded);
            }
            line.trim_end().to_owned() + "\n"
        };
        let mut text = format!("\n{}\n{}", self.title, line(&self.head));
        text.push_str(
            &("-".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)) + "\n"),
        );
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        for note in &self.notes {
            text.push_str("  ");
            text.push_str(note);
            text.push('\n');
        }
        text
    }
}

impl Report {
    /// Prints a table and keeps its figures.
    pub(crate) fn add(&mut self, table: Table) {
        print(&table.render());
        self.sections.push(
            json!({ "section": table.title, "figures": table.figures, "notes": table.notes }),
        );
        self.missed.extend(table.missed);
        self.noisy.extend(table.noisy);
    }

    /// Says which targets were missed, and which could not be judged.
    pub(crate) fn finish(&self) {
        if !self.noisy.is_empty() {
            let which = self.noisy.join("\n  ");
            print(&format!(
                "\n{} targets not judged, the machine was too busy:\n  {which}\n",
                self.noisy.len()
            ));
        }
        match self.missed.len() {
            0 if self.noisy.is_empty() => print("\nevery target was met\n"),
            0 => print("\nevery other target was met\n"),
            count => print(&format!(
                "\n{count} targets missed:\n  {}\n",
                self.missed.join("\n  ")
            )),
        }
    }

    /// Writes all figures.
    pub(crate) fn write_json(&self, path: &Path) -> io::Result<()> {
        let whole =
            json!({ "sections": self.sections, "missed": self.missed, "noisy": self.noisy });
        fs::write(path, format!("{whole:#}\n"))
    }
}

/// Prints. A reader that went away is not an error.
pub(crate) fn print(text: &str) {
    drop(io::stdout().write_all(text.as_bytes()));
}

/// Says on stderr what takes its time.
pub(crate) fn announce(what: &str) {
    drop(writeln!(io::stderr(), "{what}"));
}

/// Microseconds, for people.
pub(crate) fn micros(us: f64) -> String {
    if us.abs() < 1_000.0 {
        format!("{us:.0} µs")
    } else {
        format!("{:.2} ms", us / 1_000.0)
    }
}

/// A ratio, for people.
pub(crate) fn ratio(value: f64) -> String {
    format!("{value:.2} ×")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_and_judges() {
        let mut table = Table::new("things", &["what", "p50", ""]);
        let met = table.judge("a", 1.0, "µs", Target::AtMost(1.0));
        table.row(["a".to_owned(), micros(1.0), met]);
        let missed = table.judge("longer", 2.0, "per second", Target::AtLeast(3.0));
        table.row(["longer".to_owned(), micros(1234.0), missed]);
        table.note("a note");
        let expected = "\nthings\nwhat        p50\n-----------------------\na          1 µs     met\nlonger  1.23 ms  MISSED\n  a note\n";
        assert_eq!(table.render(), expected);
        assert_eq!(table.missed, ["things: longer"]);
    }
}
