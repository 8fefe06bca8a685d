//! Events that agents and tools report: each goes where the like of it goes.
//!
//! | event | becomes |
//! |---|---|
//! | `file_opened`, `command_executed` | part of what the session is doing |
//! | `session_start`, `session_end` | the session's beginning and end |
//! | `error_occurred` | the remedy that is known, else a `bug_fix` of the project |
//! | `decision_made` | a decision of the project |
//! | `pattern_detected` | a pattern for every project |
//! | `user_feedback` | a preference for every project, a convention of this one, or nothing that lasts |
//!
//! A program reports what it believes a person or an agent said, so what is stored has the origin
//! `tool`: searches find it, and nobody is shown it unasked before a person approves it or three
//! sessions used it.

use std::path::Path;
use std::sync::Arc;

use helix_capture::note;
use helix_engine::{Filter, Mode, Occasion, Retriever, Search, Vantage, Weigher};
use helix_memory::{Kind, Memory, Origin, Scope, Status};
use helix_neutral::{one_line, quoted};
use helix_redact::Secrets;
use helix_terminal::fault::faults;

use crate::forgotten::{self, Compared};
use crate::hook::reported::{self, Reported};
use crate::store::{self, Corrected, How, NewMemory, Stored};
use crate::threads::off_thread;
use crate::told::Told;
use crate::{App, Asker, Refusal};

/// Bytes of an event's text: an error with its output.
const TEXT_MAX_BYTES: usize = 64 * 1024;

/// Characters of an error that is kept.
const ERROR_MAX_CHARS: usize = 600;

/// Memories that are weighed for an error.
const WEIGHED_MAX: usize = 12;

/// How sure an error is of which nobody said what mended it.
const ERROR_CONFIDENCE: f32 = 0.5;

/// Names under which the metrics count events that were taken, and memories that came of them.
pub(crate) const TAKEN: &str = "events-taken";
pub(crate) const STORED: &str = "events-stored";

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A file was opened.
    FileOpened,
    /// A command was run.
    CommandExecuted,
    /// Something failed.
    ErrorOccurred,
    /// Something was decided.
    DecisionMade,
    /// A pattern shows in the code.
    PatternDetected,
    /// The user said what they think of it.
    UserFeedback,
    /// A session began.
    SessionStart,
    /// A session ended.
    SessionEnd,
}

impl Sort {
    /// Every sort.
    pub const ALL: [Self; 8] = [
        Self::FileOpened,
        Self::CommandExecuted,
        Self::ErrorOccurred,
        Self::DecisionMade,
        Self::PatternDetected,
        Self::UserFeedback,
        Self::SessionStart,
        Self::SessionEnd,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FileOpened => "file_opened",
            Self::CommandExecuted => "command_executed",
            Self::ErrorOccurred => "error_occurred",
            Self::DecisionMade => "decision_made",
            Self::PatternDetected => "pattern_detected",
            Self::UserFeedback => "user_feedback",
            Self::SessionStart => "session_start",
            Self::SessionEnd => "session_end",
        }
    }

    /// The field that it needs beside its name, and what that holds.
    const fn needs(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::FileOpened => Some(("file", "the path that was opened")),
            Self::CommandExecuted => Some(("command", "the line that was run")),
            Self::ErrorOccurred => Some(("text", "the error's output")),
            Self::DecisionMade => Some(("text", "what was decided, and why")),
            Self::PatternDetected => Some(("text", "the pattern")),
            Self::UserFeedback => Some(("text", "the user's words")),
            Self::SessionStart | Self::SessionEnd => None,
        }
    }
}

/// An event as it was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    sort: Sort,
    text: String,
    file: String,
    command: String,
}

/// What became of an event.
#[derive(Clone, Debug)]
pub struct Taken {
    /// In words.
    pub outcome: String,
    /// The memory that was stored, or that helps.
    pub memory: Option<Told>,
    /// Whether a new memory came of it.
    is_stored: bool,
}

impl Event {
    /// Reads an event.
    ///
    /// # Errors
    /// When its type is not known, what it needs is missing, or its text is too long.
    pub fn read(sort: &str, text: String, file: String, command: String) -> Result<Self, Refusal> {
        let known = Sort::ALL
            .into_iter()
            .find(|known| known.name() == sort.trim());
        let sort = known.ok_or_else(|| {
            let names = Sort::ALL.map(Sort::name).join(", ");
            Refusal::invalid(format!("event {} is not one of {names}", quoted(sort)))
        })?;
        let event = Self {
            sort,
            text,
            file,
            command,
        };
        if let Some((needed, holding)) = sort.needs()
            && event.field(needed).trim().is_empty()
        {
            let name = sort.name();
            return Err(Refusal::invalid(format!(
                "{name} needs {needed}: {holding}"
            )));
        }
        if event.text.len() > TEXT_MAX_BYTES {
            return Err(Refusal::exhausted(format!(
                "the text has {} bytes, the limit is {TEXT_MAX_BYTES}; send its end",
                event.text.len()
            )));
        }
        Ok(event)
    }

    fn field(&self, name: &str) -> &str {
        match name {
            "file" => &self.file,
            "command" => &self.command,
            _ => &self.text,
        }
    }
}

/// Takes an event. `who` says who reports it, and may look at the disk for it.
///
/// # Errors
/// When events are switched off, or what becomes of it is not written.
pub async fn event(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    event: Event,
) -> Result<Taken, Refusal> {
    if !app.settings.capture.events {
        return Err(Refusal::denied(
            "events are not taken: `events = false` under [capture] in config.toml",
        ));
    }
    let asker = off_thread(app, move |_| Ok(reporter(who()))).await?;
    app.metrics.count(app.memory.now(), TAKEN, 1);
    let taken = take(app, asker, event).await?;
    if taken.is_stored {
        app.metrics.count(app.memory.now(), STORED, 1);
    }
    Ok(taken)
}

async fn take(app: &Arc<App>, asker: Asker, event: Event) -> Result<Taken, Refusal> {
    match event.sort {
        Sort::FileOpened => {
            let file = relative(&asker, &event.file);
            Ok(noted(app, &asker, Reported::Opened(&file)))
        }
        Sort::CommandExecuted => Ok(noted(app, &asker, Reported::Ran)),
        Sort::SessionStart => Ok(noted(app, &asker, Reported::Begun)),
        Sort::SessionEnd => Ok(noted(app, &asker, Reported::Ended)),
        Sort::ErrorOccurred => error(app, asker, event).await,
        Sort::DecisionMade => keep(app, asker, kept(&event, "decision", "")).await,
        Sort::PatternDetected => keep(app, asker, kept(&event, "pattern", "global")).await,
        Sort::UserFeedback => feedback(app, asker, event).await,
    }
}

/// Who reports an event: a program, also where it uses the command line as a person would.
fn reporter(mut asker: Asker) -> Asker {
    asker.actor.origin = Origin::Tool;
    asker
}

fn relative(asker: &Asker, file: &str) -> String {
    let file = asker.cwd.join(file);
    let inside = file.strip_prefix(&asker.project.root);
    inside.unwrap_or(&file).to_string_lossy().into_owned()
}

/// Notes what lasts no longer than the session.
fn noted(app: &App, asker: &Asker, reported: Reported<'_>) -> Taken {
    let session = &asker.actor.session;
    if session.is_empty() {
        return said("not noted: no session is named; helixctl takes it as --session ID");
    }
    reported::note(app, session, reported);
    said("noted for this session")
}

fn said(outcome: &str) -> Taken {
    Taken {
        outcome: outcome.to_owned(),
        memory: None,
        is_stored: false,
    }
}

/// A memory of what an event says.
fn kept(event: &Event, kind: &str, scope: &str) -> NewMemory {
    NewMemory {
        text: event.text.trim().to_owned(),
        kind: kind.to_owned(),
        scope: scope.to_owned(),
        source: event.file.clone(),
        ..NewMemory::default()
    }
}

async fn keep(app: &Arc<App>, asker: Asker, new: NewMemory) -> Result<Taken, Refusal> {
    let own = asker.project.scope.to_string();
    let scope = if new.scope.is_empty() {
        &own
    } else {
        &new.scope
    };
    let mut compared = compare(app, &new.text, scope).await;
    if let Some(told) = in_third_person(&new.text).filter(|_| !compared.is_return()) {
        compared = compare(app, &told, scope).await;
    }
    if let Compared::Returns(stone) = &compared {
        return Ok(said(&forgotten::not_reported(stone)));
    }
    let stored = store::one(app, move || asker, new, false).await?;
    if stored.returns || matches!(compared, Compared::Unknown) {
        let memory = &stored.memory.memory;
        app.memory.strand.await_comparison(memory, app.memory.now());
    }
    Ok(Taken {
        outcome: became(&stored),
        is_stored: stored.how == How::New,
        memory: Some(stored.memory),
    })
}

/// Compares what an event says with what was forgotten.
async fn compare(app: &App, text: &str, scope: &str) -> Compared {
    match app.memory.strand.tells_forgotten(text, scope) {
        Some(stone) => Compared::Returns(Box::new(stone)),
        None => forgotten::compare_reported(app, text, scope).await,
    }
}

/// A text as memories tell what the user said of themselves: "I like tabs" is "the user like tabs",
/// whose grammar nobody looks at. `None` where it says nothing so.
fn in_third_person(text: &str) -> Option<String> {
    let told = |word: &str| match word {
        "I" | "me" | "Me" => Some("the user"),
        "my" | "My" | "mine" => Some("the user's"),
        "I'm" => Some("the user is"),
        "I'd" | "I'll" | "I've" => Some("the user"),
        _ => None,
    };
    let words: Vec<&str> = text.split(' ').collect();
    let is_told = words.iter().any(|word| told(word).is_some());
    let words = words.iter().map(|word| told(word).unwrap_or(word));
    let told = words.collect::<Vec<&str>>().join(" ").replace('我', "用户");
    (is_told || text.contains('我')).then_some(told)
}

/// What became of a memory, where it holds, and what is to be known of it.
fn became(stored: &Stored) -> String {
    let memory = &stored.memory.memory;
    let handle = memory.handle.as_str();
    let mut parts = vec![match stored.how {
        How::New => {
            let (kind, inferred) = (memory.kind.as_str(), &stored.inferred);
            let reach = reach(&memory.scope);
            format!("stored as {handle} ({kind} {reach}; {inferred})")
        }
        How::Reinforced => format!("known already as {handle}"),
        How::Duplicate => format!("not stored: {handle} says nearly the same"),
        How::Extended => format!("{handle} said part of it and says all of it now"),
    }];
    if !stored.returns {
        parts.extend(standing(memory));
    }
    let corrected = stored.corrected.iter();
    parts.extend(corrected.map(|corrected| self::corrected(handle, corrected)));
    parts.extend(stored.warnings.iter().cloned());
    parts.join("; ")
}

/// Where a memory holds.
fn reach(scope: &Scope) -> &'static str {
    match scope {
        Scope::Global => "for every project",
        Scope::Project(_) => "for this project",
        Scope::Session(_) => "for this session",
    }
}

/// Who is shown a memory that is found and not shown unasked.
fn standing(memory: &Memory) -> Option<String> {
    let handle = memory.handle.as_str();
    // What waits in the review was told to do so by a warning.
    let is_found = memory.status != Status::Quarantined;
    (is_found && !memory.is_shown_unasked()).then(|| {
        format!(
            "searches find it, and it is shown unasked once a person approves it (helixctl review \
             approve {handle}) or three sessions used it"
        )
    })
}

/// Says that it corrects a known memory, with the one call that settles it or takes it back.
fn corrected(new: &str, corrected: &Corrected) -> String {
    let known = corrected.memory.handle.as_str();
    if corrected.is_replaced {
        format!("it replaces {known}: helixctl settle --both {known} {new} takes that back")
    } else {
        format!(
            "it contradicts {known}: helixctl settle {new} {known} keeps the new one \
             alone, --both keeps both"
        )
    }
}

/// What the user said: what holds beyond the session is stored.
async fn feedback(app: &Arc<App>, asker: Asker, event: Event) -> Result<Taken, Refusal> {
    let inferred = note::infer(&event.text, &[]);
    let (kind, scope) = match inferred.kind {
        "preference" | "identity" => (inferred.kind, "global"),
        _ if inferred.is_about_user => ("preference", "global"),
        "fact" => {
            return Ok(said(
                "nothing was stored: it says nothing that holds beyond this session",
            ));
        }
        other => (other, ""),
    };
    keep(app, asker, kept(&event, kind, scope)).await
}

/// An error: what mended it before, else a memory of it.
async fn error(app: &Arc<App>, asker: Asker, event: Event) -> Result<Taken, Refusal> {
    let (who, reported) = (asker.clone(), event.clone());
    let helps = off_thread(app, move |app| help(app, &who, &reported)).await?;
    if let Some(helps) = helps {
        return Ok(helps);
    }
    // Before it is shortened, which might leave half of a secret.
    let (mut event, mut secrets) = (event, Secrets::default());
    secrets.said(&mut event.text);
    secrets.said(&mut event.command);
    let mut new = kept(&event, "bug_fix", "");
    new.text = described(&event, &asker.project.root);
    new.confidence = Some(ERROR_CONFIDENCE);
    let is_told = new.text.contains("[redacted:");
    let mut taken = keep(app, asker, new).await?;
    if let Some(note) = secrets.note().filter(|_| is_told) {
        taken.outcome = format!("{}; {note}", taken.outcome);
    }
    Ok(taken)
}

/// The remedy that held, or the memory that is about this error.
fn help(app: &App, asker: &Asker, event: &Event) -> Result<Option<Taken>, Refusal> {
    let (scope, zone) = (&asker.project.scope, &asker.zone);
    let remedy = reported::remedy(app, scope, &event.text, &event.command, zone)?;
    if let Some(remedy) = remedy {
        return Ok(Some(said(&remedy)));
    }
    let memory = similar(app, asker, &event.text)?;
    Ok(memory.map(|memory| Taken {
        outcome: format!(
            "known as {}: {}",
            memory.memory.handle.as_str(),
            one_line(&memory.memory.text, ERROR_MAX_CHARS)
        ),
        memory: Some(memory),
        is_stored: false,
    }))
}

fn similar(app: &App, asker: &Asker, text: &str) -> Result<Option<Told>, Refusal> {
    let found = faults(text);
    let words = found.first().map_or_else(
        || text.chars().take(ERROR_MAX_CHARS).collect(),
        helix_terminal::fault::Fault::words,
    );
    let strand = &app.memory.strand;
    let name = &asker.project.name;
    let weigher = Weigher::new(strand, &words, name, Occasion::Failure, false)?;
    let search = Search {
        words,
        vector: None,
        filter: Filter {
            scopes: asker.scopes(),
            ..Filter::default()
        },
        limit: WEIGHED_MAX,
        mode: Mode::Any,
        retriever: Retriever::Words,
        now: app.memory.now(),
        vantage: Vantage::default(),
    };
    let hits = strand.search(&search)?.hits;
    let signs = weigher.signs(&hits);
    let is_fix = |kind: &Kind| matches!(kind.as_str(), "bug_fix" | "gotcha");
    let mut helping = hits
        .iter()
        .zip(signs)
        .filter(|(hit, signs)| is_fix(&hit.memory.kind) && signs.suffice(Occasion::Failure, 0));
    Ok(helping.next().map(|(hit, _)| Told::of(app, &hit.memory)))
}

/// The error in one or two lines, with the command that failed.
fn described(event: &Event, root: &Path) -> String {
    let faults = faults(&event.text);
    let line = faults.first().map_or_else(
        || one_line(event.text.trim(), ERROR_MAX_CHARS),
        |fault| fault.line(&root.to_string_lossy()),
    );
    match event.command.trim() {
        "" => format!("Error: {line}"),
        command => format!("`{command}` fails: {line}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(sort: &str, text: &str) -> Result<Event, Refusal> {
        Event::read(sort, text.to_owned(), String::new(), String::new())
    }

    #[test]
    fn events_are_known_by_name_and_say_what_they_need() {
        for sort in Sort::ALL
            .into_iter()
            .filter(|sort| sort.needs().is_some_and(|(field, _)| field == "text"))
        {
            assert_eq!(read(sort.name(), "text").unwrap().sort, sort);
        }
        assert!(read("session_end", "").is_ok());
        let missing = read("decision_made", " ").unwrap_err();
        assert_eq!(
            missing.message(),
            "decision_made needs text: what was decided, and why"
        );
        let unknown = read("file_closed", "").unwrap_err();
        assert!(unknown.message().contains("file_opened"), "{unknown}");
        let long = "x".repeat(TEXT_MAX_BYTES + 1);
        assert!(read("error_occurred", &long).is_err());
    }

    #[test]
    fn an_error_is_described_by_its_fault_and_its_command() {
        let output = "error[E0382]: borrow of moved value: `x`\n --> src/a.rs:3:5\n";
        let event = Event {
            command: "cargo build".to_owned(),
            ..read("error_occurred", output).unwrap()
        };
        let said = described(&event, Path::new("/work"));
        assert!(said.starts_with("`cargo build` fails: "), "{said}");
        assert!(said.contains("E0382"), "{said}");
        let plain = described(
            &read("error_occurred", "it\nbroke").unwrap(),
            Path::new("/"),
        );
        assert_eq!(plain, "Error: it broke");
    }
}
