//! `helixctl set`: fields other than text and tags replaced.

use clap::{ArgGroup, Args};
use helix_client::v1::{SetFields, edit_request::Action};

use super::apply;
use super::target::TargetArgs;
use crate::context::Context;
use crate::failure::Outcome;
use crate::input::fraction;

/// Arguments of `set`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("fields").required(true).multiple(true))]
pub(crate) struct Set {
    #[command(flatten)]
    target: TargetArgs,
    /// Says what it is: decision, gotcha, convention, …
    #[arg(long, short, value_name = "K", group = "fields")]
    kind: Option<String>,
    /// Names the file that it is about; an empty one removes it
    #[arg(long, value_name = "PATH[:LINE]", group = "fields")]
    source: Option<String>,
    /// Links it to these memories and no others, separated by commas; an empty list removes all
    /// links
    #[arg(long, value_delimiter = ',', value_name = "REF,REF", group = "fields")]
    links: Option<Vec<String>>,
    /// Says how much it matters, from 0 to 1
    #[arg(long, value_parser = fraction, value_name = "F", group = "fields")]
    importance: Option<f32>,
    /// Says how much it matters, from 1 to 10, in place of --importance
    #[arg(
        long,
        value_name = "N",
        group = "fields",
        conflicts_with = "importance",
        allow_negative_numbers = true
    )]
    priority: Option<i64>,
    /// Says how much it matters, from 1 to 5, in place of --importance
    #[arg(
        long,
        value_name = "N",
        group = "fields",
        conflicts_with_all = ["importance", "priority"],
        allow_negative_numbers = true
    )]
    weight: Option<i64>,
    /// Says in one line what it is about, for lists; an empty one removes it
    #[arg(long, value_name = "TEXT", group = "fields")]
    summary: Option<String>,
    /// Says how sure it is, from 0 to 1
    #[arg(long, value_parser = fraction, value_name = "F", group = "fields")]
    confidence: Option<f32>,
    /// Never lets it fade, or lets it
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", require_equals = true, group = "fields")]
    pinned: Option<bool>,
    /// Vouches for where it came from: user, agent, tool or import; hooks show what is of a user
    /// or an agent
    #[arg(long, value_name = "O", group = "fields")]
    origin: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Set {
    /// Replaces the fields that are given.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let sequence = self.target.sequence;
        let replace_links = self.links.is_some();
        let links = self
            .links
            .unwrap_or_default()
            .into_iter()
            .filter(|link| !link.trim().is_empty())
            .collect();
        let action = Action::Set(SetFields {
            target: Some(self.target.target()),
            kind: self.kind,
            source: self.source,
            importance: self.importance,
            confidence: self.confidence,
            pinned: self.pinned,
            links,
            replace_links,
            origin: self.origin,
            summary: self.summary,
            priority: self.priority,
            weight: self.weight,
        });
        apply::run_on(context, self.json, "set", action, sequence)
    }
}
