//! The forms that tools give their mistakes, and what stands around them.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

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
    /// The lines right above are a Python traceback's last frame.
    Raised,
    /// The lines below are a stack.
    Stack,
    /// The lines below are a stack of C's.
    Frames,
    /// The lines below are the message.
    Block,
    /// A later line of the form `symbol: method sum()` says what it is about.
    Symbol,
    /// Lines around it of the form `file:line: message` say what a test logged.
    Log,
    /// The lines below, which belong to it, may end with the rule.
    Rule,
    /// The lines below are the command that failed and what it wrote.
    Target,
    /// The line below says it, unless it is of a form.
    Heading,
    /// The lines below go on where it ends with a colon.
    Reason,
    /// The lines below have the rest of a test's name, up to a colon.
    Titles,
    /// The lines below are the test's place and what it says.
    Numbered,
    /// The lines below may be what a test wrote.
    Output,
    /// The lines above say which assertion of a test failed.
    Assertion,
    /// The lines above have the name of the test, between two rules.
    Title,
    /// A paragraph below may say where and what exactly.
    Detail,
}

/// A form that tools give their mistakes. Its groups are named `code`, `symbol`, `file` and
/// `message`.
pub(super) struct Form {
    pub(super) pattern: Regex,
    pub(super) place: Place,
    /// The code of those that the tool gives none.
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
    forms: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    pattern: String,
    #[serde(default)]
    place: Place,
    #[serde(default)]
    code: String,
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
    let mut forms = Vec::new();
    for group in data.group {
        if helix_ablation::is_off(&format!("forms/{}", group.name)) {
            continue;
        }
        for (at, row) in group.forms.into_iter().enumerate() {
            if helix_ablation::is_off(&format!("row/{}/{at}", group.name)) {
                continue;
            }
            forms.push(Form {
                pattern: compile(&row.pattern)?,
                place: row.place,
                code: row.code,
            });
        }
    }
    Some(forms)
}

/// Compiles a pattern whose classes mean ASCII: what tools print around a message is, and the
/// tables of Unicode make the first use take a hundred times as long.
pub(crate) fn compile(pattern: &str) -> Option<Regex> {
    let ascii = [
        (r"\w", "[0-9A-Za-z_]"),
        (r"\d", "[0-9]"),
        (r"\s", r"[ \t]"),
        (r"\S", r"[^ \t\n]"),
        (r"\b", r"(?-u:\b)"),
    ];
    let pattern = ascii
        .iter()
        .fold(pattern.to_owned(), |pattern, (class, meant)| {
            pattern.replace(class, meant)
        });
    Regex::new(&pattern).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::faults;
    use super::*;

    #[test]
    fn every_form_is_valid() {
        assert!(read(DATA).unwrap().len() > 50);
    }

    #[test]
    fn kotlins_mistakes_are_the_same_however_gradle_writes_them() {
        let prints = |output: &str| {
            faults(output)
                .iter()
                .map(super::super::Fault::fingerprint)
                .collect::<Vec<_>>()
        };
        let new = "> Task :app:compileKotlin FAILED\ne: file:///home/a/app/src/Rows.kt:12:5 Unresolved reference: rows\n";
        let old = "e: /work/b/src/Rows.kt: (44, 9): unresolved reference: rows\n";
        let found = faults(new);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].symbol.as_str(), found[0].line("/home/a/app")),
            (
                "rows",
                "Unresolved reference: rows (src/Rows.kt)".to_owned()
            )
        );
        assert_eq!(prints(new), prints(old));
        assert_ne!(
            prints(new),
            prints("e: file:///home/a/app/src/Rows.kt:12:5 Unresolved reference: row\n")
        );
        let quoted =
            faults("e: file:///C:/app/build.gradle.kts:3:1: Type mismatch: 'Rows' expected");
        assert_eq!(
            quoted
                .first()
                .map(|fault| (fault.symbol.as_str(), fault.file.as_str())),
            Some(("Rows", "/C:/app/build.gradle.kts"))
        );
        assert!(faults("e: warnings found and -Werror specified").is_empty());
    }
}
