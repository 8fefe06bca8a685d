//! The `ambient` event: when a file is read, edited or searched for, the memories about it. Before the tool is used, or right
//! after it where the client takes no text before.
//!
//! In layers, each skipping what an earlier one or this session already gave: memories whose source is this file or a directory
//! above it, then those that name a symbol that a change removes, those that name the file itself, those that name what a
//! change adds, those that name a symbol that the file declares or that is searched for, those that name the file's stem, those
//! about what hangs together with it, those of the topics that it goes by, those about the files of a directory that is searched,
//! and those that are near in meaning to what the file is about.

mod common;
mod layers;
mod mention;
mod namesake;
mod sought;
mod target;

use std::path::Path;

use helix_engine::model::Memory;
use helix_engine::neutral::one_line;
use helix_engine::policy::resemble::text_hash;
use helix_engine::policy::work::activity::Activity;
use helix_engine::strand::ReadError;

use super::changes::Change;
use super::exact::has_word;
use super::sessions::Said;
use super::{Context, Given};
use layers::Layers;
pub(super) use mention::mentions;
use target::Target;

/// Memories about the file itself after which nothing is guessed.
const ENOUGH: usize = 5;

/// Characters of what the tool touches, and of a name.
const LABEL_MAX_CHARS: usize = 200;
const NAME_MAX_CHARS: usize = 80;

/// Gives what is known about the file; `None` for nothing.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let Some(target) = Target::of(context.input, &context.project) else { return Ok(None) };
    let has_failed = context.input.has_tool_failed();
    let changes = target.changes && !has_failed;
    let change = if changes {
        Change::of(context.input, target.file.as_deref(), |file| context.head(file))
    } else {
        Change::default()
    };
    if !has_failed {
        note_files(context, &target, &change)?;
    }
    let mut layers = Layers::new(context);
    if let Some(file) = &target.file {
        layers.by_source(file)?;
    }
    let removed = change.removed_symbols(target.file.as_deref());
    let before = layers.given_before(&removed)?;
    layers.by_symbols(&removed)?;
    let sure = layers.found.len();
    guess(context, &target, &change, &mut layers)?;
    // A statement about the file itself is never kept back, a guess is.
    let guesses = layers.found.split_off(sure);
    let mut memories = layers.found;
    memories.extend(context.awake(guesses));
    let mut notes = notes(context, &removed, &memories);
    notes.extend(warnings(context, &removed, &before));
    let injection = context.frame(&format!("About {}:", one_line(&target.label, LABEL_MAX_CHARS)), &notes, &memories);
    let about = target.file.as_deref().map(|file| context.relative(file)).unwrap_or_default();
    let is_there = |memory: &&Memory| injection.text.contains(&reference(memory));
    let references = before.iter().filter(is_there).map(|memory| memory.handle.as_str().to_owned()).collect();
    Ok(Given { references, about, ..Given::of(injection, &memories) }.if_any())
}

/// What is stated of a file, and what names it: no guesses.
pub(super) fn known_of(context: &Context<'_>, file: &Path) -> Result<Vec<Memory>, ReadError> {
    let mut layers = Layers::new(context);
    layers.by_source(file)?;
    layers.by_file_name(file)?;
    Ok(layers.found)
}

/// What is said of each name that a change removes and that one of the memories below mentions.
fn notes(context: &Context<'_>, removed: &[String], memories: &[Memory]) -> Vec<String> {
    let mut notes = Vec::new();
    for name in removed {
        if !mentioning(context, name, memories).is_empty() {
            notes.push(format!("this change removes {}, which is mentioned below", shown(name)));
        }
    }
    notes
}

/// What is said of each name that a change removes and that the session's memories mention: once, without their texts.
fn warnings(context: &Context<'_>, removed: &[String], before: &[Memory]) -> Vec<String> {
    let mut warnings = Vec::new();
    for name in removed {
        let handles: Vec<String> = mentioning(context, name, before).into_iter().map(reference).collect();
        if !handles.is_empty() {
            warnings.push(format!("this change removes {}: see {}, given before", shown(name), handles.join(", ")));
        }
    }
    warnings
}

/// The memories that mention a name of which this was not said yet. From now on it was.
fn mentioning<'m>(context: &Context<'_>, name: &str, memories: &'m [Memory]) -> Vec<&'m Memory> {
    let is_new =
        |memory: &&Memory| context.tells_first(Said::Warning(text_hash(&format!("{} {name}", memory.number.0))));
    memories.iter().filter(|memory| has_word(&memory.text, name)).filter(is_new).collect()
}

/// How a memory is named without its text.
fn reference(memory: &Memory) -> String {
    format!("[{}]", one_line(memory.handle.as_str(), NAME_MAX_CHARS))
}

fn shown(name: &str) -> String {
    one_line(name, NAME_MAX_CHARS)
}

/// Memories that may be about the file, until there are enough.
fn guess(context: &Context<'_>, target: &Target, change: &Change, layers: &mut Layers<'_>) -> Result<(), ReadError> {
    if layers.found.len() >= ENOUGH {
        return Ok(());
    }
    let shown = target.file.as_deref().map(|file| context.project.relative(file));
    let seen = target.file.as_deref().zip(shown.as_deref()).map(|(file, shown)| {
        let text = target.text(context, file);
        context.runtime.files.look(file, shown, &text)
    });
    if let Some(path) = target.path() {
        layers.by_file_name(path)?;
    }
    for dependency in change.added_dependencies(target.file.as_deref()) {
        layers.by_phrase(&dependency)?;
    }
    layers.by_added(&change.added_names(target.file.as_deref()))?;
    let declared = seen.as_ref().map_or(&[][..], |seen| &seen.names);
    layers.by_symbols(&target.names(declared))?;
    for phrase in target.phrases() {
        layers.by_phrase(phrase)?;
    }
    for stem in &target.stems {
        layers.by_stem(stem, shown.as_deref())?;
        layers.by_coupling(stem)?;
    }
    for topic in &target.topics {
        layers.by_topic(topic, shown.as_deref())?;
    }
    if let Some(directory) = &target.directory {
        layers.by_directory(directory, target.pattern.as_deref())?;
    }
    seen.map_or(Ok(()), |seen| layers.by_meaning(&seen))
}

/// Notes which files the session touches, and what it heeds by that.
fn note_files(context: &Context<'_>, target: &Target, change: &Change) -> Result<(), ReadError> {
    let mut files = if target.is_patch { context.input.patched_files() } else { Vec::new() };
    files.extend(target.file.clone().filter(|_| !target.is_patch));
    if files.is_empty() {
        return Ok(());
    }
    let files: Vec<String> = files.iter().map(|file| context.relative(file)).collect();
    context.follow_files(&files, target.changes, change.written())?;
    context.work(|activity: &mut Activity| {
        for file in &files {
            if target.changes {
                activity.edit(file);
            } else {
                activity.read(file);
            }
        }
    });
    Ok(())
}
