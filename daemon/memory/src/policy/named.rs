//! Names of things in a text that other memories may be about: files, symbols, packages, services
//! and people. Also how a memory and what it names are related. The forms and words are in
//! `named.toml`.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::model::{Kind, Relation};

/// Longest part of a text that is looked at, in bytes.
const TEXT_MAX_BYTES: usize = 8 * 1024;

/// Names of one text, at most.
const NAMES_MAX: usize = 16;

/// Letters of a name, at least: shorter ones are words of other meanings.
const NAME_CHARS_MIN: usize = 3;

/// The nature of a named thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A path, or a name with a known ending.
    File,
    /// A name in source code.
    Symbol,
    /// A library.
    Package,
    /// A program that serves others.
    Service,
    /// Somebody, behind an at sign.
    Person,
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// In lower case, dashes for blanks, without signs around it.
    pub name: String,
    /// Its nature.
    pub class: Class,
    /// Its place in the text.
    pub place: Range<usize>,
}

/// The relation of a memory and the thing that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Which.
    pub relation: Relation,
    /// True if it begins at the thing that is named; else at the memory that names it.
    pub is_from_name: bool,
}

impl Role {
    /// The relation of memories of which nothing else is known.
    pub const RELATED: Self = Self {
        relation: Relation::RelatesTo,
        is_from_name: false,
    };

    /// The same, seen from the memory that is named.
    #[must_use]
    pub fn reversed(self) -> Self {
        let is_from_name = self.relation != Relation::RelatesTo && !self.is_from_name;
        Self {
            is_from_name,
            ..self
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    no_names: String,
    no_people: String,
    form: Vec<Form>,
    subject: Subject,
    role: Vec<RoleForm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    class: Class,
    pattern: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subject {
    pattern: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum End {
    Name,
    Memory,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleForm {
    relation: String,
    from: End,
    before: Option<String>,
    after: Option<String>,
}

/// The table, ready for use.
struct Compiled {
    no_names: HashSet<String>,
    no_people: HashSet<String>,
    forms: Vec<(Class, Regex)>,
    subject: Option<Regex>,
    roles: Vec<(Role, Option<Regex>, Option<Regex>)>,
}

/// The table, whose form a test checks.
static TABLE: LazyLock<Compiled> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("named.toml")).unwrap_or_default();
    let words = |list: &str| list.split_whitespace().map(str::to_owned).collect();
    let form = |form: &Form| Some((form.class, Regex::new(&form.pattern).ok()?));
    Compiled {
        no_names: words(&table.no_names),
        no_people: words(&table.no_people),
        forms: table.form.iter().filter_map(form).collect(),
        subject: Regex::new(&table.subject.pattern).ok(),
        roles: table.role.iter().filter_map(role_of).collect(),
    }
});

fn role_of(form: &RoleForm) -> Option<(Role, Option<Regex>, Option<Regex>)> {
    let role = Role {
        relation: Relation::parse(&form.relation)?,
        is_from_name: matches!(form.from, End::Name),
    };
    let before = form.before.as_ref().and_then(|words| {
        Regex::new(&format!(
            r#"(?i)\b(?:{words})\s+(?:the |our |den |die |das )?["'`@]*$"#
        ))
        .ok()
    });
    let after = form.after.as_ref();
    let after = after.and_then(|words| Regex::new(&format!(r#"(?i)^["'`]*\s+(?:{words})\b"#)).ok());
    Some((role, before, after))
}

/// Finds the names in a text, in their order, each once.
#[must_use]
pub fn named(text: &str) -> Vec<Named> {
    let text = beginning(text);
    let mut found: Vec<Named> = Vec::new();
    for (class, pattern) in &TABLE.forms {
        for captures in pattern.captures_iter(text) {
            let Some(name) = captures.get(1) else {
                continue;
            };
            let place = name.range();
            let overlaps =
                |other: &Named| place.start < other.place.end && other.place.start < place.end;
            if !found.iter().any(overlaps) && is_name(*class, text, &place) {
                found.push(Named {
                    name: normalised(name.as_str()),
                    class: *class,
                    place,
                });
            }
        }
    }
    found.sort_by_key(|one| one.place.start);
    let mut known = HashSet::new();
    found.retain(|one| known.insert(one.name.clone()));
    found.truncate(NAMES_MAX);
    found
}

/// Returns whether what has a form is a name: some words look like one.
fn is_name(class: Class, text: &str, place: &Range<usize>) -> bool {
    let name = text.get(place.clone()).unwrap_or_default().to_lowercase();
    let first = name.split(' ').next().unwrap_or_default();
    let is_word = TABLE.no_names.contains(&name) || TABLE.no_names.contains(first);
    if is_word || name.chars().count() < NAME_CHARS_MIN {
        return false;
    }
    let rest = text.get(place.end..).unwrap_or_default();
    let is_scope = rest.starts_with('/');
    class != Class::Person || !(TABLE.no_people.contains(&name) || is_scope)
}

/// A name as names are compared.
#[must_use]
pub fn normalised(name: &str) -> String {
    let name = name.trim_matches(|c: char| matches!(c, '@' | '.' | '`' | '"' | '\''));
    name.to_lowercase().replace(' ', "-")
}

/// What a text is about, when it begins with a name and says something of it.
#[must_use]
pub fn subject(text: &str) -> Option<String> {
    let captures = TABLE.subject.as_ref()?.captures(beginning(text))?;
    let (first, more) = (captures.get(1)?.as_str(), captures.get(2)?.as_str());
    let is_word = TABLE.no_names.contains(&first.to_lowercase());
    let is_long = first.chars().count() >= NAME_CHARS_MIN;
    (is_long && !is_word).then(|| format!("{first}{more}"))
}

/// How the memory with this text is related to what it names at a place.
#[must_use]
pub fn role(text: &str, place: &Range<usize>) -> Role {
    let before = text.get(..place.start).unwrap_or_default();
    let after = text.get(place.end..).unwrap_or_default();
    let stands = |pattern: &Option<Regex>, beside: &str| {
        pattern
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(beside))
    };
    let mut roles = TABLE.roles.iter();
    let role = roles.find(|(_, left, right)| stands(left, before) || stands(right, after));
    role.map_or(Role::RELATED, |(role, ..)| *role)
}

/// How a memory of a kind is related to a project or an entity that it names; `None` where its kind
/// does not tell.
#[must_use]
pub fn role_of_kind(kind: &Kind, named: &Kind) -> Option<Role> {
    let relation = match (named.as_str(), kind.as_str()) {
        ("project", "decision") => Relation::HasDecision,
        ("project", "convention") => Relation::HasConvention,
        ("entity", "preference") => Relation::Prefers,
        _ => return None,
    };
    Some(Role {
        relation,
        is_from_name: true,
    })
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(TEXT_MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn names(text: &str) -> Vec<(String, Class)> {
        let found = named(text).into_iter();
        found.map(|one| (one.name, one.class)).collect()
    }

    #[test]
    fn the_table_is_read_as_a_whole() {
        let table: Table = toml::from_str(include_str!("named.toml")).unwrap();
        assert_eq!(TABLE.forms.len(), table.form.len());
        assert_eq!(TABLE.roles.len(), table.role.len());
        assert!(TABLE.subject.is_some());
        for (form, (_, before, after)) in table.role.iter().zip(&TABLE.roles) {
            assert_eq!(form.before.is_some(), before.is_some(), "{form:?}");
            assert_eq!(form.after.is_some(), after.is_some(), "{form:?}");
        }
    }

    #[test]
    fn each_class_is_found() {
        let table: [(&str, &[(&str, Class)]); 14] = [
            ("Ask @priya before merging", &[("priya", Class::Person)]),
            ("(@Sam.Lee knows)", &[("sam.lee", Class::Person)]),
            ("mail a@example.org, @param x", &[]),
            (
                "@acme/forms wraps react@18.2",
                &[("acme/forms", Class::Package), ("react", Class::Package)],
            ),
            (
                "The jsonwebtoken crate panics; `serde` does not",
                &[("jsonwebtoken", Class::Package), ("serde", Class::Package)],
            ),
            ("this library and the package", &[]),
            (
                "auth-svc asks the billing database",
                &[
                    ("auth-svc", Class::Service),
                    ("billing-database", Class::Service),
                ],
            ),
            ("the service of our database", &[]),
            (
                "TokenValidator::check_expiry calls now_utc()",
                &[
                    ("tokenvalidator::check_expiry", Class::Symbol),
                    ("now_utc", Class::Symbol),
                ],
            ),
            (
                "RoundMoney and maxRetries",
                &[("roundmoney", Class::Symbol), ("maxretries", Class::Symbol)],
            ),
            ("set MAX_RETRIES", &[("max_retries", Class::Symbol)]),
            (
                "src/parser.rs:40 overflows",
                &[("src/parser.rs", Class::File)],
            ),
            ("TypeScript on GitHub", &[]),
            ("Plain words, and nothing else.", &[]),
        ];
        for (text, expected) in table {
            let expected: Vec<(String, Class)> = expected
                .iter()
                .map(|(name, class)| ((*name).to_owned(), *class))
                .collect();
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_says_what_it_is_about() {
        for (text, about) in [
            ("Priya Sharma owns the ledger", Some("Priya Sharma")),
            ("auth-svc is written in Go", Some("auth-svc")),
            (
                "Parcelhub backend, written in Go.",
                Some("Parcelhub backend"),
            ),
            ("Answers for money.", None),
            ("We are late", None),
            ("the ledger is new", None),
        ] {
            assert_eq!(subject(text).as_deref(), about, "{text}");
        }
    }

    #[test]
    fn words_beside_a_name_say_how_it_is_related() {
        let role = |text: &str| {
            let found = named(text);
            let role = role(text, &found.first().unwrap().place);
            (role.relation, role.is_from_name)
        };
        for (text, relation, is_from_name) in [
            ("The ledger is owned by @priya", Relation::Owns, true),
            ("@priya owns the ledger", Relation::Owns, true),
            ("Decided by @sam in May", Relation::DecidedBy, false),
            (
                "The import depends on the auth-svc",
                Relation::DependsOn,
                false,
            ),
            ("The bridge uses `serde`", Relation::Uses, false),
            ("@kim prefers tabs", Relation::Prefers, true),
            ("Priya owns the parcel-svc", Relation::Owns, false),
            ("Sam is working on RoundMoney", Relation::WorksOn, false),
            ("Ask @priya why", Relation::RelatesTo, false),
        ] {
            assert_eq!(role(text), (relation, is_from_name), "{text}");
        }
    }
}
