//! What a filter names, as it was written.

use helix_engine::{Demands, Filter, ParsedQuery};
use helix_memory::{Moment, SourceRef, Status, Tags, Timestamp};
use helix_neutral::quoted;

use crate::Refusal;

/// Where to find what is not trusted yet.
const IN_REVIEW: &str = "quarantined memories are not searched, because nobody vouched for them; they wait in the review";

/// What a filter names; what is empty demands nothing.
#[derive(Clone, Debug, Default)]
pub struct FilterAsked {
    /// Topics or patterns.
    pub topics: Vec<String>,
    /// Tags, of which a memory has all.
    pub tags: Vec<String>,
    /// Kinds.
    pub kinds: Vec<String>,
    /// Scopes; empty for those that the asker sees.
    pub scopes: Vec<String>,
    /// Statuses.
    pub statuses: Vec<String>,
    /// The path of a source, and a line of it behind a colon.
    pub source: String,
    /// Recorded since then.
    pub after: Option<Timestamp>,
    /// Recorded before then.
    pub before: Option<Timestamp>,
}

impl FilterAsked {
    /// Reads it, without its scopes, which depend on the asker.
    ///
    /// # Errors
    /// When a status is none, or a topic cannot be read.
    pub(super) fn read(&self) -> Result<Filter, Refusal> {
        let mut statuses = Vec::new();
        for name in &self.statuses {
            let known = Status::ALL.map(Status::name).join(", ");
            let refused =
                || Refusal::invalid(format!("status {} is not one of {known}", quoted(name)));
            let status = Status::parse(name).ok_or_else(refused)?;
            if status == Status::Quarantined {
                return Err(Refusal::invalid(IN_REVIEW));
            }
            statuses.push(status);
        }
        let topics = self
            .topics
            .iter()
            .map(|topic| ParsedQuery::topic_named(topic))
            .collect::<Result<Vec<_>, _>>();
        let source = SourceRef::parse(&self.source);
        Ok(Filter {
            topics: topics.map_err(|error| Refusal::invalid(error.to_string()))?,
            topics_asked: Vec::new(),
            tags: self
                .tags
                .iter()
                .filter_map(|tag| Tags::normalise_one(tag))
                .collect(),
            kinds: self
                .kinds
                .iter()
                .map(|kind| kind.to_lowercase().replace('-', "_"))
                .collect(),
            scopes: Vec::new(),
            statuses,
            demands: Demands {
                source_line: source.line,
                ..Demands::default()
            },
            source: Some(source.path).filter(|source| !source.is_empty()),
            within: None,
            after: self.after,
            before: self.before,
            moment: Moment::default(),
        })
    }
}
