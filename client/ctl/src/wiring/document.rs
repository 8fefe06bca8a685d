//! A settings file as a concrete syntax tree: every byte that is not edited stays as it was.
//!
//! A byte order mark is set aside while parsing and put back. Repeated keys count as the clients
//! count them: the last one wins.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};

use super::error::WiringError;
use super::splice;
use super::target::Syntax;

/// Some editors put it before UTF-8 text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// JSON with comments and trailing commas; none of the other liberties that the parser could take.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A parsed file. It owns the tree: nodes taken from it must not outlive it.
pub(super) struct Document {
    root: CstRootNode,
    marked: bool,
}

impl Document {
    /// Parses a file's text; a missing file reads as an empty one.
    pub(super) fn parse(text: Option<&str>) -> Result<Self, WiringError> {
        let text = text.unwrap_or_default();
        let (marked, body) = strip_mark(text);
        Ok(Self {
            root: tree(body)?,
            marked,
        })
    }

    /// Adds an element to an array of its own. The nodes taken before are of another tree then, as
    /// after the next two.
    pub(super) fn append(
        &mut self,
        array: CstArray,
        value: &CstInputValue,
    ) -> Result<(), WiringError> {
        self.root = tree(&splice::appended(&self.root, &array.into(), None, value))?;
        Ok(())
    }

    /// Puts a member into an object of its own: at the end, or in place of null.
    pub(super) fn put(
        &mut self,
        object: CstObject,
        name: &str,
        value: CstInputValue,
    ) -> Result<(), WiringError> {
        match member(&object, name) {
            Some(found) => found.set_value(value),
            None => {
                self.root = tree(&splice::appended(
                    &self.root,
                    &object.into(),
                    Some(name),
                    &value,
                ))?;
            }
        }
        Ok(())
    }

    /// Puts a member at the beginning of an object of its own.
    pub(super) fn put_first(
        &mut self,
        object: CstObject,
        name: &str,
        value: &CstInputValue,
    ) -> Result<(), WiringError> {
        self.root = tree(&splice::prepended(&self.root, &object.into(), name, value))?;
        Ok(())
    }

    /// Takes a member or an element out.
    pub(super) fn remove(&mut self, part: &CstNode) -> Result<(), WiringError> {
        self.root = tree(&splice::without(&self.root, part))?;
        Ok(())
    }

    /// Puts a text in the place of a value.
    pub(super) fn replace(&mut self, value: &CstNode, text: &str) -> Result<(), WiringError> {
        self.root = tree(&splice::replaced(&self.root, value, text))?;
        Ok(())
    }

    /// The value that the keys lead to; the root's without any.
    pub(super) fn at(&self, keys: &[&str]) -> Option<CstNode> {
        keys.iter().try_fold(self.root.value()?, |at, key| {
            member(&at.as_object()?, key)?.value()
        })
    }

    /// The member that the keys lead to, if each of them leads on.
    pub(super) fn member_at(&self, keys: &[&str]) -> Result<Option<CstObjectProp>, WiringError> {
        let (Some(mut at), Some((last, path))) = (self.root()?, keys.split_last()) else {
            return Ok(None);
        };
        for key in path {
            let Some(deeper) = object(&at, key)? else {
                return Ok(None);
            };
            at = deeper;
        }
        Ok(member(&at, last))
    }

    /// The root object, made when the file holds no value at all.
    pub(super) fn root_or_new(&self) -> Result<CstObject, WiringError> {
        self.root
            .object_value_or_create()
            .ok_or_else(|| self.wrong_root())
    }

    /// The root object, if the file holds any value.
    pub(super) fn root(&self) -> Result<Option<CstObject>, WiringError> {
        match self.root.value() {
            None => Ok(None),
            Some(value) => value.as_object().map(Some).ok_or_else(|| self.wrong_root()),
        }
    }

    /// The file's text as it now stands.
    pub(super) fn text(&self) -> String {
        let mark = if self.marked {
            BYTE_ORDER_MARK.to_string()
        } else {
            String::new()
        };
        mark + &self.root.to_string()
    }

    fn wrong_root(&self) -> WiringError {
        let found = self
            .root
            .value()
            .unwrap_or_else(|| self.root.clone().into());
        wrong("the root", "an object", &found)
    }
}

/// Reads a text as a plain value, by the same rules; `None` when it holds none.
pub(super) fn value_of(text: &str) -> Result<Option<serde_json::Value>, WiringError> {
    let (_, body) = strip_mark(text);
    jsonc_parser::parse_to_serde_value(body, &OPTIONS).map_err(|error| syntax(&error))
}

/// The object under `name`, if there is one. Null counts as absent.
pub(super) fn object(parent: &CstObject, name: &str) -> Result<Option<CstObject>, WiringError> {
    let Some(value) = member_value(parent, name) else {
        return Ok(None);
    };
    value
        .as_object()
        .map(Some)
        .ok_or_else(|| wrong(name, "an object", &value))
}

/// The array under `name`, if there is one. Null counts as absent.
pub(super) fn array(parent: &CstObject, name: &str) -> Result<Option<CstArray>, WiringError> {
    let Some(value) = member_value(parent, name) else {
        return Ok(None);
    };
    value
        .as_array()
        .map(Some)
        .ok_or_else(|| wrong(&format!("hooks.{name}"), "an array", &value))
}

/// One-based line and column at which a node starts.
pub(super) fn position(node: &CstNode) -> (usize, usize) {
    end_of(&text_before(node))
}

/// Everything in the file before a node.
pub(super) fn text_before(node: &CstNode) -> String {
    let mut before = Vec::new();
    let mut at = node.clone();
    loop {
        before.extend(at.previous_siblings().map(|sibling| sibling.to_string()));
        match at.parent() {
            Some(parent) => at = parent.into(),
            None => break,
        }
    }
    before.reverse();
    before.concat()
}

/// The last member of that name.
pub(super) fn member(parent: &CstObject, name: &str) -> Option<CstObjectProp> {
    parent
        .properties()
        .into_iter()
        .rfind(|member| member.decoded_name().as_deref() == Some(name))
}

/// The string under `name`.
pub(super) fn string(parent: &CstObject, name: &str) -> Option<String> {
    member(parent, name)?
        .value()?
        .as_string_lit()?
        .decoded_value()
        .ok()
}

/// Sets a member unless its text already says the same.
pub(super) fn set(parent: &CstObject, name: &str, value: CstInputValue) {
    match member(parent, name) {
        None => {
            parent.append(name, value);
        }
        Some(member) if says(&member, &value) => {}
        Some(member) => member.set_value(value),
    }
}

/// One-based line and column just after a text, counting characters.
pub(super) fn end_of(text: &str) -> (usize, usize) {
    let line = text.matches('\n').count() + 1;
    let column = text
        .rsplit('\n')
        .next()
        .map_or(0, |last| last.chars().count())
        + 1;
    (line, column)
}

fn wrong(key: &str, expected: &'static str, node: &CstNode) -> WiringError {
    let (line, column) = position(node);
    WiringError::Shape {
        key: key.to_owned(),
        expected,
        found: kind(node).to_owned(),
        line,
        column,
    }
}

/// Names a node's kind of value, with its article.
fn kind(node: &CstNode) -> &'static str {
    if node.as_object().is_some() {
        "an object"
    } else if node.as_array().is_some() {
        "an array"
    } else if node.as_string_lit().is_some() {
        "a string"
    } else if node.as_number_lit().is_some() {
        "a number"
    } else if node.as_boolean_lit().is_some() {
        "a boolean"
    } else if node.as_null_keyword().is_some() {
        "null"
    } else {
        "nothing"
    }
}

fn member_value(parent: &CstObject, name: &str) -> Option<CstNode> {
    member(parent, name)?
        .value()
        .filter(|value| value.as_null_keyword().is_none())
}

fn says(member: &CstObjectProp, wanted: &CstInputValue) -> bool {
    member.value().is_some_and(|found| same(&found, wanted))
}

fn same(found: &CstNode, wanted: &CstInputValue) -> bool {
    match wanted {
        CstInputValue::String(text) => {
            found
                .as_string_lit()
                .and_then(|lit| lit.decoded_value().ok())
                .as_ref()
                == Some(text)
        }
        CstInputValue::Array(items) => found.as_array().is_some_and(|array| {
            let elements = array.elements();
            elements.len() == items.len()
                && elements
                    .iter()
                    .zip(items)
                    .all(|(element, item)| same(element, item))
        }),
        // Numbers and booleans are written in one way only; objects and nulls are never set in
        // place.
        CstInputValue::Number(text) => found.to_string() == *text,
        CstInputValue::Bool(flag) => found.to_string() == flag.to_string(),
        CstInputValue::Null | CstInputValue::Object(_) => false,
    }
}

/// Returns whether a text starts with a byte order mark, and the rest of it.
pub(super) fn strip_mark(text: &str) -> (bool, &str) {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(body) => (true, body),
        None => (false, text),
    }
}

fn tree(body: &str) -> Result<CstRootNode, WiringError> {
    CstRootNode::parse(body, &OPTIONS).map_err(|error| syntax(&error))
}

fn syntax(error: &jsonc_parser::errors::ParseError) -> WiringError {
    let problem = error.kind().to_string().to_lowercase();
    WiringError::Syntax {
        language: Syntax::Json.name(),
        problem,
        line: error.line_display(),
        column: error.column_display(),
    }
}
