//! The forms that tools give their mistakes, and what stands around them.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::pattern::Pattern;

/// The code of a test that failed.
pub(super) const FAILED: &str = "FAILED";

/// Where the part of a line that a pattern matched belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Place {
    /// The line says everything.
    #[default]
    Own,
    /// The line says everything, also where it has no message.
    Summary,
    /// A later line of the form `--> file:line` says where.
    Below,
    /// An earlier line says where: a Python traceback's last frame, `ESLint`'s heading.
    Above,
    /// The lines below are the message.
    Block,
    /// A later line of the form `symbol: method sum()` says what it is about.
    Symbol,
    /// The line below says it, unless it is of a form.
    Heading,
    /// The lines below have the rest of a test's name, up to a colon.
    Titles,
    /// A paragraph below may say where and what exactly.
    Detail,
}

/// A form that tools give their mistakes. Its groups are named `code`, `symbol`, `file` and
/// `message`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Form {
    pub(super) pattern: Pattern,
    #[serde(default)]
    pub(super) place: Place,
    /// The code of those that the tool gives none.
    #[serde(default)]
    pub(super) code: String,
}

/// The data. Additions belong there.
const DATA: &str = include_str!("forms.toml");

/// From the most telling; the first that matches a line wins. A test reads the same text, so that
/// it is valid here.
pub(super) static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| read(DATA).unwrap_or_default());

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    group: Vec<Group>,
}

/// Forms of one tool, or of several that speak alike.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    forms: Vec<Form>,
}

/// Names the groups, which a measurement can switch off.
pub(crate) fn parts() -> Vec<String> {
    let groups = toml::from_str::<Data>(DATA).map(|data| data.group);
    let names = groups.unwrap_or_default().into_iter();
    names.map(|group| format!("forms/{}", group.name)).collect()
}

/// Reads the forms; `None` where the text or a pattern is not valid.
fn read(data: &str) -> Option<Vec<Form>> {
    let data: Data = toml::from_str(data).ok()?;
    let on = |group: &Group| helix_ablation::is_on(&format!("forms/{}", group.name));
    let groups = data.group.into_iter().filter(on);
    Some(groups.flat_map(|group| group.forms).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_form_is_valid() {
        assert!(read(DATA).unwrap().len() > 50);
    }
}
