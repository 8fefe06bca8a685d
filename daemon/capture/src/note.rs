//! Infers what a person did not say of a note: its topic, kind and tags.

/// Where an inferred topic comes from, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TopicSource {
    /// The text names one of the known topics.
    Named,
    /// The text names a file: its directory or its name.
    File,
    /// The text names something else: a tool, a service, a symbol.
    Entity,
    /// The text names nothing; the topic is [`TOPIC_DEFAULT`].
    Nothing,
}

/// The topic of a note that names nothing.
pub const TOPIC_DEFAULT: &str = "notes";

/// What was inferred from the text of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// Lowercase letters, digits and dashes; never empty.
    pub topic: String,
    /// Where the topic comes from. A caller that knows the nearest memory may prefer its topic
    /// over [`TopicSource::Entity`] and [`TopicSource::Nothing`].
    pub topic_source: TopicSource,
    /// Name of a kind, such as `decision`; `fact` where nothing says more.
    pub kind: &'static str,
    /// Lowercase with dashes, each once, at most [`TAGS_MAX`].
    pub tags: Vec<String>,
    /// Names the text is about: files, symbols, packages, services.
    pub entities: Vec<String>,
    /// Whether it is about the person rather than a project, so that it applies everywhere.
    pub is_about_user: bool,
}

/// Most tags that are inferred.
pub const TAGS_MAX: usize = 5;

/// Infers topic, kind and tags of a note. `topics` are the known ones.
#[must_use]
pub fn infer(text: &str, topics: &[&str]) -> Inferred {
    let named = topics.iter().find(|topic| text.contains(**topic));
    Inferred {
        topic: named.map_or(TOPIC_DEFAULT, |topic| topic).to_owned(),
        topic_source: named.map_or(TopicSource::Nothing, |_| TopicSource::Named),
        kind: "fact",
        tags: Vec::new(),
        entities: Vec::new(),
        is_about_user: false,
    }
}
