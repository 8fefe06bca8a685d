//! A query that says more than words: the inline filters of a search, or several topics with commas
//! between them.

use helix_engine::{Calendar, Filter, Mode, ParsedQuery};
use helix_neutral::quoted;

use super::{Chosen, Share, View, nothing, topics_named};
use crate::search::demands;
use crate::{Refusal, topics};

impl View<'_> {
    /// The memories that such a query asks for, and its words; `None` for any other query.
    pub(super) fn narrowed(&self, query: &str) -> Result<Option<(Chosen, String)>, Refusal> {
        let calendar = Calendar::new(self.zone.clone(), self.now);
        let parsed = ParsedQuery::parse(query, &calendar)?;
        if !parsed.scopes.is_empty() {
            return Err(Refusal::invalid(
                "a brief takes scopes beside its query; give them as `scope`",
            ));
        }
        if parsed.filter == Filter::default() {
            return Ok(self.listed(query)?.map(|chosen| (chosen, String::new())));
        }
        let chosen = self.filtered(parsed.filter, &parsed.words)?;
        if chosen.is_empty() {
            Err(nothing(query))
        } else {
            Ok(Some((chosen, parsed.words)))
        }
    }

    /// The members of topics in a list. Of words that may as well be no names each must be a
    /// topic's or a pattern; a name that is none is told of where another one is.
    fn listed(&self, query: &str) -> Result<Option<Chosen>, Refusal> {
        let names: Vec<&str> = query.split(',').map(str::trim).collect();
        if names.len() < 2 {
            return Ok(None);
        }
        let (mut topics, mut unknown) = (Vec::new(), Vec::new());
        for name in names {
            match self.topics_of(name)? {
                fitting if !fitting.is_empty() => topics.extend(fitting),
                _ if name.is_empty() || name.contains(char::is_whitespace) => return Ok(None),
                _ => unknown.push(self.unknown(name)),
            }
        }
        let mut chosen = self.of_topics(|name| topics.iter().any(|topic| topic == name));
        chosen.notes = unknown;
        Ok(Some(chosen).filter(|chosen| !chosen.is_empty()))
    }

    /// Explains that a name is no topic's.
    fn unknown(&self, name: &str) -> String {
        let moved = topics::moved_away(self.app, name, &self.scopes);
        moved.unwrap_or_else(|| format!("no topic here is called {}", quoted(name)))
    }

    fn filtered(&self, mut filter: Filter, words: &str) -> Result<Chosen, Refusal> {
        if !filter.topics.is_empty() {
            let fitting: Result<Vec<_>, _> = filter
                .topics
                .iter()
                .map(|name| self.topics_of(name))
                .collect();
            filter.topics = fitting?.concat();
            if filter.topics.is_empty() {
                return Ok(Chosen::default());
            }
        }
        filter.scopes.clone_from(&self.scopes);
        let notes = demands::narrow(self.app, &mut filter, Mode::Auto)?;
        let mut chosen = self.of_filter(filter, words)?;
        chosen.notes = notes;
        Ok(chosen)
    }

    fn of_filter(&self, mut filter: Filter, words: &str) -> Result<Chosen, Refusal> {
        if words.is_empty() {
            return Ok(self.chosen(Share::OfEachTopic, |catalog| {
                let filter = filter.compile(catalog);
                catalog
                    .rows()
                    .filter(|(number, row)| filter.keeps_at(*number, row))
                    .collect()
            }));
        }
        filter.after = filter.after.max(self.after);
        self.search(words, filter)
    }

    /// The topics with visible memories that a name or a pattern means.
    fn topics_of(&self, name: &str) -> Result<Vec<String>, Refusal> {
        let catalog = self.app.memory.strand.catalog();
        let visible = self.visible(&catalog);
        let has_members = |topic: &&str| !catalog.members(topic, &self.scopes, &visible).is_empty();
        let Some(pattern) = topics_named(name)? else {
            return Ok(Vec::new());
        };
        let found = catalog.topic_names(|topic| pattern.matches(topic));
        Ok(found
            .into_iter()
            .filter(has_members)
            .map(str::to_owned)
            .collect())
    }
}
