//! The topics that a search names: patterns become the topics that fit, and what nobody knows is
//! said. A name that is not there would quietly find nothing.

use helix_engine::Filter;
use helix_memory::{Scope, TopicPattern};

use super::near::near;
use crate::{App, Refusal, topics};

/// Replaces patterns by the topics that fit. Returns what to say when some of the names are
/// unknown; when all are, nothing is found.
///
/// # Errors
/// When a pattern cannot be read.
pub(crate) fn resolve(app: &App, filter: &mut Filter) -> Result<Option<String>, Refusal> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    filter.topics_asked = std::mem::take(&mut filter.topics);
    for name in filter.topics_asked.clone() {
        if TopicPattern::is_glob(&name) {
            let fitting = fitting(app, &filter.scopes, &name)?;
            if fitting.is_empty() {
                unknown.push(name);
            }
            known.extend(fitting);
        } else if has_members(app, &filter.scopes, &name) {
            known.push(name);
        } else {
            unknown.push(name);
        }
    }
    filter.topics = known;
    if unknown.is_empty() {
        return Ok(None);
    }
    let message = described(&unknown, &names(app, &filter.scopes, None)?, |name| {
        topics::moved_away(app, name, &filter.scopes)
    });
    if filter.topics.is_empty() {
        filter.topics = unknown;
    }
    Ok(Some(message))
}

fn fitting(app: &App, scopes: &[Scope], pattern: &str) -> Result<Vec<String>, Refusal> {
    let pattern =
        TopicPattern::parse(pattern).map_err(|error| Refusal::invalid(error.to_string()))?;
    names(app, scopes, Some(&pattern))
}

fn names(
    app: &App,
    scopes: &[Scope],
    pattern: Option<&TopicPattern>,
) -> Result<Vec<String>, Refusal> {
    let topics = app.memory.strand.topics(scopes, pattern)?;
    Ok(topics.into_iter().map(|topic| topic.name).collect())
}

/// Returns whether the topic has a memory in these scopes, of any status: a forgotten one may be
/// searched for as well.
fn has_members(app: &App, scopes: &[Scope], topic: &str) -> bool {
    let catalog = app.memory.strand.catalog();
    let members = if scopes.is_empty() {
        catalog.of_topic(topic)
    } else {
        catalog.members(topic, scopes, |_| true)
    };
    !members.is_empty()
}

fn described(
    unknown: &[String],
    names: &[String],
    moved: impl Fn(&str) -> Option<String>,
) -> String {
    let one = |name: &String| {
        if let Some(moved) = moved(name) {
            return moved;
        }
        let what = if TopicPattern::is_glob(name) {
            "no topic here fits"
        } else {
            "no topic here is called"
        };
        match near(name, names).join(", ") {
            near if near.is_empty() => format!("{what} {name}"),
            near => format!("{what} {name}; near: {near}"),
        }
    };
    let said: Vec<String> = unknown.iter().map(one).collect();
    format!("{}; list the topics for their names", said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_said_with_near_ones() {
        let names = ["build", "build-gotchas", "hook-shim"].map(str::to_owned);
        let moved = |name: &str| (name == "ci").then(|| "ci moved".to_owned());
        let said = described(&["biuld", "z*", "ci"].map(str::to_owned), &names, moved);
        let expected = "no topic here is called biuld; near: build; no topic here fits z*; ci moved; list the topics for their names";
        assert_eq!(said, expected);
    }
}
