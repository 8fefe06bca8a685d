//! Shapes that nothing but a secret has.

use regex::Regex;
use serde::Deserialize;

use super::found::Found;
use super::{RuleError, compiled};

/// A shape as the tables have it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShapeRow {
    pub(super) name: String,
    pub(super) keys: Vec<String>,
    pattern: String,
    /// Only what has letters and digits counts.
    #[serde(default)]
    mixed: bool,
    pub(super) canary: String,
    pub(super) innocent: Vec<String>,
}

/// A file of shapes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShapesTable {
    pub(super) shapes: Vec<ShapeRow>,
}

/// A compiled shape.
pub(super) struct Shape {
    name: String,
    pattern: Regex,
    is_mixed: bool,
}

impl Shape {
    pub(super) fn of(row: ShapeRow) -> Result<Self, RuleError> {
        Ok(Self {
            pattern: compiled(&row.name, &row.pattern, false)?,
            is_mixed: row.mixed,
            name: row.name,
        })
    }

    /// Finds the shape where no letter or digit touches it.
    pub(super) fn find<'r>(&'r self, text: &str, found: &mut Vec<Found<'r>>) {
        let mut from = 0;
        while let Some(shape) = self.pattern.find_at(text, from) {
            let is_whole =
                !is_glued(text, shape.start().checked_sub(1)) && !is_glued(text, Some(shape.end()));
            if is_whole && (!self.is_mixed || has_both(shape.as_str())) {
                found.push(Found::new(shape.range(), &self.name));
                from = shape.end();
            } else {
                // Shapes begin with a character of ASCII.
                from = shape.start() + 1;
            }
        }
    }
}

/// Returns whether a letter or digit stands at a byte.
fn is_glued(text: &str, at: Option<usize>) -> bool {
    at.and_then(|at| text.as_bytes().get(at))
        .is_some_and(u8::is_ascii_alphanumeric)
}

fn has_both(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}
