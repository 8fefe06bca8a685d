//! A note: a text without a topic. Its topic, kind, tags, source and scope are inferred from what
//! it says and from what is known, and whoever wrote it is told how.

use std::path::Path;
use std::time::Duration;

use helix_capture::note::{self, Inferred, TopicSource};
use helix_engine::{
    Filter, Kind, Mode, Occasion, Retriever, Scope, Search, Status, Tags, Vantage, Weigher,
};
use helix_redact::{placeholders, redact_prose};

use crate::project::Project;
use crate::store::NewMemory;
use crate::{App, Asker, Refusal};

/// How long a note waits for its vector. Without one its topic is found by words.
const EMBED_PATIENCE: Duration = Duration::from_millis(500);

/// How long a note waits for the file system to say whether a file that it names is there.
const FILE_PATIENCE: Duration = Duration::from_millis(200);

/// Nearest memories that are looked at.
const NEAREST_MAX: usize = 5;

/// Words that a note may name a file with and that are looked up.
const FILES_MAX: usize = 4;

/// Longest text that is searched with, in characters: a topic shows in the beginning.
const SEARCHED_MAX_CHARS: usize = 1_000;

/// Where a topic was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicFrom {
    /// The text names it.
    Text,
    /// Memories about the file that the text names.
    File,
    /// The memory that is nearest.
    Nearest,
    /// Something else that the text names: a tool, a service.
    Entity,
    /// Nowhere.
    Nothing,
}

impl TopicFrom {
    /// Says it in a few words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Text => "topic named in the text",
            Self::File => "topic of the file it names",
            Self::Nearest => "topic from the nearest memory",
            Self::Entity => "topic from what it names",
            Self::Nothing => "no topic fits",
        }
    }
}

/// A topic, and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Where it was found.
    pub from: TopicFrom,
}

/// Fills in what a note does not say, and returns what its author is told of that.
///
/// # Errors
/// When the disk or an index fails.
pub(crate) fn complete(
    app: &App,
    asker: &Asker,
    new: &mut NewMemory,
) -> Result<Vec<String>, Refusal> {
    let mut told = Vec::new();
    new.text = note::without_request(&new.text);
    let said = without_secrets(&new.text);
    let is_cut = said.len() < new.text.len();
    if note::says_nothing(&said) || (is_cut && note::names_nothing(&said)) {
        return Err(Refusal::invalid(
            "nothing was kept: the note does not say what it is about; name the thing that it is true of",
        ));
    }
    if new.source.trim().is_empty()
        && let Some(source) = source_in(app, &asker.project, &new.text)
    {
        told.push(format!("about {source}"));
        new.source = source;
    }
    let kind = note::kind_named(&new.kind).unwrap_or_else(|| note::kind(&new.text));
    let (topic, inferred) = infer(app, asker.project.as_ref(), &new.text, kind, &new.source)?;
    told.insert(0, topic.from.words().to_owned());
    new.topic = topic.name;
    if new.tags.is_empty() {
        new.tags.clone_from(&inferred.tags);
        if !new.tags.is_empty() {
            told.push(format!("tags {}", new.tags.join(", ")));
        }
    }
    if new.kind.trim().is_empty() && !says_its_kind(app, new) {
        inferred.kind.clone_into(&mut new.kind);
    }
    if new.scope.is_empty() && inferred.is_about_user {
        "global".clone_into(&mut new.scope);
        told.push("for every project".to_owned());
    }
    Ok(told)
}

/// Finds the topic of a text of a kind, in a project. `source` is the file that it is about, if any.
///
/// # Errors
/// When the disk or an index fails.
pub fn topic(
    app: &App,
    project: &Project,
    text: &str,
    kind: &'static str,
    source: &str,
) -> Result<Topic, Refusal> {
    let (topic, _) = infer(app, project, text, kind, source)?;
    Ok(topic)
}

/// Finds the topic of a text, and what its words alone say.
fn infer(
    app: &App,
    project: &Project,
    text: &str,
    kind: &'static str,
    source: &str,
) -> Result<(Topic, Inferred), Refusal> {
    let text = &without_secrets(text);
    let scopes = project.scopes();
    let topics = known_topics(app, &scopes);
    let names: Vec<&str> = topics.iter().map(String::as_str).collect();
    let inferred = note::infer_of_kind(text, kind, &names);
    let (name, from) = if inferred.topic_source == TopicSource::Named {
        (inferred.topic.clone(), TopicFrom::Text)
    } else if let Some(name) = topic_of_file(app, &scopes, source) {
        (name, TopicFrom::File)
    } else if let Some(name) = nearest(app, project, &scopes, text)? {
        (name, TopicFrom::Nearest)
    } else if inferred.topic_source == TopicSource::Nothing {
        (inferred.topic.clone(), TopicFrom::Nothing)
    } else {
        (inferred.topic.clone(), TopicFrom::Entity)
    };
    Ok((Topic { name, from }, inferred))
}

/// A text without its secrets and their placeholders: neither names what it is about.
fn without_secrets(text: &str) -> String {
    let mut text = text.to_owned();
    redact_prose(&mut text);
    for placeholder in placeholders(&text).into_iter().rev() {
        text.replace_range(placeholder, "");
    }
    text
}

/// The topics of memories in use.
fn known_topics(app: &App, scopes: &[Scope]) -> Vec<String> {
    let catalog = app.memory.strand.catalog();
    let summaries = catalog.topic_summaries(scopes);
    summaries.into_iter().map(|summary| summary.name).collect()
}

/// Returns whether tags or the beginning of the text say what the note is.
fn says_its_kind(app: &App, new: &NewMemory) -> bool {
    let tags = Tags::normalise(&new.tags, &new.text);
    let suggested = Kind::suggest(&tags, &new.text, app.memory.strand.kinds());
    suggested.is_ok_and(|kind| kind.as_str() != Kind::DEFAULT)
}

/// The topic of the newest memory about a file.
fn topic_of_file(app: &App, scopes: &[Scope], source: &str) -> Option<String> {
    let path = helix_engine::SourceRef::parse(source).path;
    if path.is_empty() {
        return None;
    }
    let catalog = app.memory.strand.catalog();
    let visible = catalog.scope_numbers(scopes);
    let rows = catalog.of_source(&path).into_iter();
    let newest = rows
        .filter_map(|number| catalog.row(number))
        .rfind(|row| row.status == Status::Active && row.is_in(&visible))?;
    Some(catalog.topic_of(newest).to_owned())
}

/// The topic of the memory that is nearest in words and meaning, where one is near enough to be
/// shown to somebody who did not ask.
fn nearest(
    app: &App,
    project: &Project,
    scopes: &[Scope],
    text: &str,
) -> Result<Option<String>, Refusal> {
    let words: String = text.chars().take(SEARCHED_MAX_CHARS).collect();
    let vector = app.memory.embedder.embed(&words, EMBED_PATIENCE);
    let strand = &app.memory.strand;
    let has_vector = vector.is_some();
    let weigher = Weigher::new(strand, &words, &project.name, Occasion::Prompt, has_vector)?;
    let search = Search {
        words,
        vector,
        filter: Filter {
            scopes: scopes.to_vec(),
            ..Filter::default()
        },
        limit: NEAREST_MAX,
        mode: Mode::Any,
        retriever: Retriever::Hybrid,
        now: app.memory.now(),
        vantage: Vantage::default(),
    };
    let hits = strand.search(&search)?.hits;
    let signs = weigher.signs(&hits);
    let best = signs.into_iter().zip(&hits).max_by(|(one, _), (other, _)| {
        let relevance = one.relevance(Occasion::Prompt);
        relevance.total_cmp(&other.relevance(Occasion::Prompt))
    });
    let near = best.filter(|(signs, _)| signs.suffice(Occasion::Prompt, 0));
    Ok(near.map(|(_, hit)| hit.memory.topic.as_str().to_owned()))
}

/// The first file of the project that a text names.
pub(crate) fn source_in(app: &App, project: &Project, text: &str) -> Option<String> {
    let named = text.split_whitespace().filter_map(path_of).take(FILES_MAX);
    let named: Vec<String> = named.collect();
    if named.is_empty() || project.scope == Scope::Global {
        return None;
    }
    let root = project.root.clone();
    let is_file = move |path: &&String| root.join(Path::new(path)).is_file();
    let question = move || named.iter().find(is_file).cloned();
    app.memory
        .reach
        .ask(&project.root, FILE_PATIENCE, question)
        .flatten()
}

/// A word that may be a relative path of a file: it has an extension, or several parts.
fn path_of(word: &str) -> Option<String> {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_' | '-');
    let word = word.trim_matches(is_mark).trim_end_matches('.');
    let word = word.strip_prefix("./").unwrap_or(word);
    let name = word.rsplit('/').next()?;
    let has_extension = name
        .rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && !extension.is_empty());
    let is_relative = !word.starts_with('/') && !word.split('/').any(|part| part == "..");
    (is_relative && (has_extension || word.contains('/'))).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_may_be_files_are_told_from_others() {
        for (word, path) in [
            ("src/main.rs,", Some("src/main.rs")),
            ("`build.rs`", Some("build.rs")),
            ("./Makefile.am", Some("Makefile.am")),
            ("Makefile", None),
            ("done.", None),
            ("../secret.txt", None),
            ("/etc/passwd", None),
            (".", None),
        ] {
            assert_eq!(path_of(word).as_deref(), path, "{word}");
        }
    }
}
