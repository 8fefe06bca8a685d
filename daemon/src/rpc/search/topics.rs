//! The topics that a search names: patterns become the topics that fit, and what nobody knows is said. A name that is not there
//! would quietly find nothing.

use helix_engine::index::filter::Filter;
use helix_engine::model::{Scope, TopicPattern};
use tonic::Status;

use crate::rpc::convert;
use crate::runtime::Runtime;

/// Names that are proposed in place of one that is not there.
const NEAR_MAX: usize = 3;

/// Likeness (Jaro and Winkler) from which a name may be a slip of another one: "biuld" is .95 like "build".
const NEAR_FROM: f64 = 0.82;

/// Replaces patterns by the topics that fit. Returns what to say when some of the names are unknown.
///
/// # Errors
/// When none of them is known.
pub(super) fn resolve(runtime: &Runtime, filter: &mut Filter) -> Result<Option<String>, Status> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for name in std::mem::take(&mut filter.topics) {
        if TopicPattern::is_glob(&name) {
            let fitting = fitting(runtime, &filter.scopes, &name)?;
            if fitting.is_empty() {
                unknown.push(name);
            }
            known.extend(fitting);
        } else if has_members(runtime, &filter.scopes, &name) {
            known.push(name);
        } else {
            unknown.push(name);
        }
    }
    filter.topics = known;
    if unknown.is_empty() {
        return Ok(None);
    }
    let message = described(&unknown, &names(runtime, &filter.scopes, None)?);
    if filter.topics.is_empty() { Err(Status::not_found(message)) } else { Ok(Some(message)) }
}

fn fitting(runtime: &Runtime, scopes: &[Scope], pattern: &str) -> Result<Vec<String>, Status> {
    let pattern = TopicPattern::parse(pattern).map_err(|error| Status::invalid_argument(error.to_string()))?;
    names(runtime, scopes, Some(&pattern))
}

fn names(runtime: &Runtime, scopes: &[Scope], pattern: Option<&TopicPattern>) -> Result<Vec<String>, Status> {
    let topics = runtime.strand.topics(scopes, pattern).map_err(|error| convert::status(error.kind(), &error))?;
    Ok(topics.into_iter().map(|topic| topic.name).collect())
}

/// Whether the topic has a memory in these scopes, of any status: a forgotten one may be searched for as well.
fn has_members(runtime: &Runtime, scopes: &[Scope], topic: &str) -> bool {
    let catalog = runtime.strand.catalog();
    let wanted: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    catalog
        .of_topic(topic)
        .into_iter()
        .filter_map(|number| catalog.row(number))
        .any(|row| wanted.is_empty() || wanted.iter().any(|scope| scope == catalog.scope_of(row)))
}

fn described(unknown: &[String], names: &[String]) -> String {
    let one = |name: &String| {
        let what = if TopicPattern::is_glob(name) { "no topic here fits" } else { "no topic here is called" };
        match near(name, names).join(", ") {
            near if near.is_empty() => format!("{what} {name}"),
            near => format!("{what} {name}; near: {near}"),
        }
    };
    let said: Vec<String> = unknown.iter().map(one).collect();
    format!("{}; list the topics for their names", said.join("; "))
}

/// The names most like one: those with a part of it first, then those that it may be a slip of.
fn near<'n>(name: &str, names: &'n [String]) -> Vec<&'n str> {
    let bare: String = name.chars().filter(|c| !matches!(c, '*' | '?')).collect();
    let bare = bare.trim_matches('-');
    let likeness = |other: &str| {
        let shares_part = bare.split('-').any(|part| !part.is_empty() && other.split('-').any(|own| own == part));
        let slip = strsim::jaro_winkler(bare, other);
        if shares_part { 1.0 + slip } else { slip }
    };
    let mut near: Vec<(f64, &str)> = names.iter().map(|other| (likeness(other), other.as_str())).collect();
    near.retain(|(likeness, _)| *likeness >= NEAR_FROM);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter().take(NEAR_MAX).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_like_the_one_meant_are_proposed() {
        let names = ["build", "build-gotchas", "hook-shim", "iris-notes", "packaging"].map(str::to_owned);
        assert_eq!(near("biuld", &names), ["build"]);
        assert_eq!(near("gotchas", &names), ["build-gotchas"]);
        assert_eq!(near("build-*", &names), ["build", "build-gotchas"]);
        assert_eq!(near("iris-x*", &names), ["iris-notes"]);
        assert!(near("zebra", &names).is_empty());
        let said = described(&["biuld".to_owned(), "z*".to_owned()], &names);
        let expected =
            "no topic here is called biuld; near: build; no topic here fits z*; list the topics for their names";
        assert_eq!(said, expected);
    }
}
