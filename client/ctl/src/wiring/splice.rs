//! Putting a part into a container of a settings file and taking it out again, on its text. The
//! library that parses the file would break a container's line when it adds to it, and drop blank
//! lines; so every byte around the part is kept here.
//!
//! What is added stands on lines of its own, and to take it out is the exact inverse, whatever was
//! edited elsewhere meanwhile.

use std::ops::Range;

use jsonc_parser::cst::{CstContainerNode, CstInputValue, CstNewlineKind, CstNode, CstRootNode};

use super::document::text_before;

/// How much deeper a level stands in a file that does not show it.
const INDENT: &str = "  ";

/// A child of a container, with where it stands in the file's text.
struct Child {
    at: Range<usize>,
    node: CstNode,
}

impl Child {
    fn is_part(&self) -> bool {
        !self.node.is_trivia() && !self.node.is_token()
    }

    fn is_blank(&self) -> bool {
        self.node.is_whitespace() || self.node.is_newline()
    }
}

/// The text with a member of that name, or without one an element, at the end of a container.
pub(super) fn appended(
    root: &CstRootNode,
    container: &CstContainerNode,
    name: Option<&str>,
    value: &CstInputValue,
) -> String {
    let mut text = root.to_string();
    let children = children(container);
    let last = children.iter().rposition(Child::is_part);
    let comma = last.and_then(|last| {
        children
            .iter()
            .skip(last + 1)
            .position(is_comma)
            .map(|at| last + 1 + at)
    });
    let style = Style::of(root, &text, &children);
    let part = style.part(name, value);
    let Some(last) = last else {
        // Into an empty one, behind its comments.
        let anchor = children
            .iter()
            .rposition(|child| child.node.is_comment())
            .unwrap_or_default();
        let (start, end) = (end_of(&children, anchor), start_of_close(&children));
        let rest = text.get(start..end).unwrap_or_default();
        let tail = if rest.contains('\n') {
            rest.to_owned()
        } else {
            style.newline.to_owned() + &style.outer
        };
        text.replace_range(
            start..end,
            &format!("{}{}{part}{tail}", style.newline, style.inner),
        );
        return text;
    };
    let anchor = behind_comments(&children, comma.unwrap_or(last));
    let ending = if comma.is_some() { "," } else { "" };
    text.insert_str(
        end_of(&children, anchor),
        &format!("{}{}{part}{ending}", style.newline, style.inner),
    );
    if comma.is_none() {
        text.insert(end_of(&children, last), ',');
    }
    text
}

/// The text with a member at the beginning of an object.
pub(super) fn prepended(
    root: &CstRootNode,
    container: &CstContainerNode,
    name: &str,
    value: &CstInputValue,
) -> String {
    let children = children(container);
    let Some(first) = children.iter().position(Child::is_part) else {
        return appended(root, container, Some(name), value);
    };
    let mut text = root.to_string();
    let style = Style::of(root, &text, &children);
    let starts_line = gap_before(&children, first).is_some_and(|gap| has_line_end(&text, gap));
    let between = if starts_line {
        style.newline.to_owned() + &style.inner
    } else {
        " ".to_owned()
    };
    let at = children.get(first).map_or(0, |first| first.at.start);
    text.insert_str(at, &format!("{},{between}", style.part(Some(name), value)));
    text
}

/// The text without a part of a container, and without what was put there with it.
pub(super) fn without(root: &CstRootNode, part: &CstNode) -> String {
    let mut text = root.to_string();
    let Some(container) = part.parent() else {
        return text;
    };
    let (children, at) = (children(&container), part.child_index());
    let mut gone = gone(&text, &children, at);
    gone.sort_by_key(|range| range.start);
    for range in gone.into_iter().rev() {
        text.replace_range(range, "");
    }
    text
}

/// The text with another in the place of a value.
pub(super) fn replaced(root: &CstRootNode, value: &CstNode, text: &str) -> String {
    let mut whole = root.to_string();
    let start = text_before(value).len();
    whole.replace_range(start..start + value.to_string().len(), text);
    whole
}

/// Returns the text that goes with the part at a place among the children.
fn gone(text: &str, children: &[Child], at: usize) -> Vec<Range<usize>> {
    let Some(own) = children.get(at).map(|child| child.at.clone()) else {
        return Vec::new();
    };
    let gap = gap_before(children, at).unwrap_or(own.start..own.start);
    let next =
        (at + 1..children.len()).find(|next| children.get(*next).is_some_and(Child::is_part));
    let before = children.get(..at).unwrap_or_default();
    let comma =
        (at + 1..next.unwrap_or(children.len())).find(|at| children.get(*at).is_some_and(is_comma));
    let last = comma.unwrap_or(at);
    let end = end_of(children, last);
    // Only blanks may stand between a part and its comma; a comment there stays.
    let is_apart = text
        .get(own.end..end)
        .is_some_and(|between| !between.trim_end_matches(',').trim().is_empty());
    let mut own_and_comma = vec![if is_apart {
        own.clone()
    } else {
        own.start..end
    }];
    own_and_comma.extend(is_apart.then(|| end - 1..end));
    let behind = blanks_behind(children, last);
    let is_commented = children
        .get(behind.1)
        .is_some_and(|child| child.node.is_comment());
    let keeps_line = is_commented && !has_line_end(text, behind.0.clone());
    match (before.iter().any(Child::is_part), next.is_some()) {
        // A comment on its line stays there alone.
        _ if keeps_line => own_and_comma
            .into_iter()
            .chain([behind.0])
            .chain(orphaned_comma(children, at, next))
            .collect(),
        (_, true) if has_line_end(text, gap.clone()) || has_line_end(text, behind.0.clone()) => {
            own_and_comma.into_iter().chain([gap]).collect()
        }
        (_, true) => own_and_comma.into_iter().chain([behind.0]).collect(),
        (true, false) => {
            let orphan = if comma.is_none() {
                orphaned_comma(children, at, next)
            } else {
                None
            };
            own_and_comma
                .into_iter()
                .chain([gap])
                .chain(orphan)
                .collect()
        }
        (false, false) => {
            let is_bare = children.iter().all(|child| !child.node.is_comment());
            let blanks = is_bare.then_some(behind.0);
            own_and_comma
                .into_iter()
                .chain([gap])
                .chain(blanks)
                .collect()
        }
    }
}

/// The comma before a last part, which parts nothing when that is gone.
fn orphaned_comma(children: &[Child], at: usize, next: Option<usize>) -> Option<Range<usize>> {
    let before = children.get(..at).unwrap_or_default();
    let last = before
        .iter()
        .rposition(Child::is_part)
        .filter(|_| next.is_none())?;
    before
        .get(last..)?
        .iter()
        .find(|child| is_comma(child))
        .map(|comma| comma.at.clone())
}

fn children(container: &CstContainerNode) -> Vec<Child> {
    let mut start = text_before(&container.clone().into()).len();
    let child = |node: CstNode| {
        let at = start..start + node.to_string().len();
        start = at.end;
        Child { at, node }
    };
    container.children().into_iter().map(child).collect()
}

fn is_comma(child: &Child) -> bool {
    child.node.is_comma()
}

fn end_of(children: &[Child], at: usize) -> usize {
    children.get(at).map_or(0, |child| child.at.end)
}

fn start_of_close(children: &[Child]) -> usize {
    children.last().map_or(0, |close| close.at.start)
}

/// The last comment on the line of a child, or the child itself.
fn behind_comments(children: &[Child], at: usize) -> usize {
    let same_line = |child: &&Child| child.node.is_whitespace() || child.node.is_comment();
    let behind = children.iter().skip(at + 1).take_while(same_line);
    behind
        .zip(at + 1..)
        .filter(|(child, _)| child.node.is_comment())
        .last()
        .map_or(at, |(_, at)| at)
}

/// The blanks right before a child; `None` when there are none.
fn gap_before(children: &[Child], at: usize) -> Option<Range<usize>> {
    let before = children.get(..at)?;
    let blanks = before.iter().rev().take_while(|child| child.is_blank());
    Some(blanks.last()?.at.start..children.get(at)?.at.start)
}

/// The blanks right behind a child, and the place of what comes then.
fn blanks_behind(children: &[Child], at: usize) -> (Range<usize>, usize) {
    let count = children
        .iter()
        .skip(at + 1)
        .take_while(|child| child.is_blank())
        .count();
    (
        end_of(children, at)..end_of(children, at + count),
        at + 1 + count,
    )
}

fn has_line_end(text: &str, range: Range<usize>) -> bool {
    text.get(range)
        .is_some_and(|text| text.contains(['\n', '\r']))
}

/// How a container's parts are written.
struct Style {
    newline: &'static str,
    /// Indentation of the container's line, and of one of its parts'.
    outer: String,
    inner: String,
    /// How much deeper a level stands.
    single: String,
}

impl Style {
    fn of(root: &CstRootNode, text: &str, children: &[Child]) -> Self {
        let newline = match root.newline_kind() {
            CstNewlineKind::LineFeed => "\n",
            CstNewlineKind::CarriageReturnLineFeed => "\r\n",
            CstNewlineKind::CarriageReturn => "\r",
        };
        let single = root
            .single_indent_text()
            .unwrap_or_else(|| INDENT.to_owned());
        let outer = children
            .first()
            .map(|open| indent_at(text, open.at.start).0)
            .unwrap_or_default();
        let parts = children.iter().filter(|child| child.is_part());
        let mut own_lines = parts
            .map(|part| indent_at(text, part.at.start))
            .filter(|(_, is_first)| *is_first);
        let inner = own_lines
            .next_back()
            .map_or_else(|| format!("{outer}{single}"), |(indent, _)| indent);
        Self {
            newline,
            outer,
            inner,
            single,
        }
    }

    fn part(&self, name: Option<&str>, value: &CstInputValue) -> String {
        let value = self.written(value, &self.inner);
        name.map_or_else(
            || value.clone(),
            |name| format!("{}: {value}", quoted(name)),
        )
    }

    fn written(&self, value: &CstInputValue, indent: &str) -> String {
        let deeper = format!("{indent}{}", self.single);
        match value {
            CstInputValue::Null => "null".to_owned(),
            CstInputValue::Bool(flag) => flag.to_string(),
            CstInputValue::Number(number) => number.clone(),
            CstInputValue::String(text) => quoted(text),
            CstInputValue::Array(items) => {
                let written: Vec<String> = items
                    .iter()
                    .map(|item| self.written(item, &deeper))
                    .collect();
                if items.iter().any(is_deep) {
                    self.lines(('[', ']'), &written, indent)
                } else {
                    format!("[{}]", written.join(", "))
                }
            }
            CstInputValue::Object(members) => {
                let member = |(name, value): &(String, CstInputValue)| {
                    format!("{}: {}", quoted(name), self.written(value, &deeper))
                };
                let written: Vec<String> = members.iter().map(member).collect();
                if members.is_empty() {
                    "{}".to_owned()
                } else {
                    self.lines(('{', '}'), &written, indent)
                }
            }
        }
    }

    fn lines(&self, (open, close): (char, char), parts: &[String], indent: &str) -> String {
        let (newline, single) = (self.newline, &self.single);
        let between = format!(",{newline}{indent}{single}");
        format!(
            "{open}{newline}{indent}{single}{}{newline}{indent}{close}",
            parts.join(&between)
        )
    }
}

fn is_deep(value: &CstInputValue) -> bool {
    match value {
        CstInputValue::Array(items) => !items.is_empty(),
        CstInputValue::Object(members) => !members.is_empty(),
        CstInputValue::Null
        | CstInputValue::Bool(_)
        | CstInputValue::Number(_)
        | CstInputValue::String(_) => false,
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the beginning of the line around a place, and whether the place is the first on it.
fn indent_at(text: &str, at: usize) -> (String, bool) {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let rest = line.trim_start_matches([' ', '\t']);
    (
        line.get(..line.len() - rest.len())
            .unwrap_or_default()
            .to_owned(),
        rest.is_empty(),
    )
}
