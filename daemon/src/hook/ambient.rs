//! The `ambient` event: before a file is read, edited or searched for, the memories about it.
//!
//! Six layers, each skipping what an earlier one or this session already gave: memories whose source is this file, then
//! those that name a symbol that a change removes, those that name a symbol that the file declares, those that name its stem,
//! those about what hangs together with it, and those that are near in meaning to what the file is about.

mod layers;
mod target;

use helix_engine::model::Memory;
use helix_engine::policy::work::activity::Activity;
use helix_engine::strand::ReadError;
use helix_engine::surface::neutral::one_line;

use super::{Context, Given, changes};
use layers::Layers;
use target::Target;

/// Memories about the file itself after which nothing is guessed.
const ENOUGH: usize = 5;

/// Characters of what the tool touches, and of a name.
const LABEL_MAX_CHARS: usize = 200;
const NAME_MAX_CHARS: usize = 80;

/// Gives what is known about the file; `None` for nothing.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let Some(target) = Target::of(context.input, &context.project) else { return Ok(None) };
    note_files(context, &target);
    let mut layers = Layers::new(context);
    if let Some(file) = &target.file {
        layers.by_source(file)?;
    }
    let removed =
        if target.changes { changes::removed_symbols(context.input, target.file.as_deref()) } else { Vec::new() };
    layers.by_symbols(&removed)?;
    let sure = layers.found.len();
    guess(context, &target, &mut layers)?;
    // A statement about the file itself is never kept back, a guess is.
    let guesses = layers.found.split_off(sure);
    let mut memories = layers.found;
    memories.extend(context.awake(guesses));
    let notes = notes(&removed, &memories);
    let injection = context.frame(&format!("About {}:", one_line(&target.label, LABEL_MAX_CHARS)), &notes, &memories);
    let about = target.file.as_deref().map(|file| context.relative(file)).unwrap_or_default();
    Ok(Given { about, ..Given::of(injection, &memories) }.if_any())
}

/// What is said of each name that a change removes and that a memory mentions.
fn notes(removed: &[String], memories: &[Memory]) -> Vec<String> {
    let is_named = |name: &&String| memories.iter().any(|memory| layers::names_identifier(memory, name));
    let note =
        |name: &String| format!("this change removes {}, which is mentioned below", one_line(name, NAME_MAX_CHARS));
    removed.iter().filter(is_named).map(note).collect()
}

/// Memories that may be about the file, until there are enough.
fn guess(context: &Context<'_>, target: &Target, layers: &mut Layers<'_>) -> Result<(), ReadError> {
    if layers.found.len() >= ENOUGH {
        return Ok(());
    }
    let shown = target.file.as_deref().map(|file| context.project.relative(file));
    let seen = target.file.as_deref().zip(shown.as_deref()).map(|(file, shown)| {
        let text = target.text(context.input, file);
        context.runtime.files.look(file, shown, &text)
    });
    let declared = seen.as_ref().map_or(&[][..], |seen| &seen.names);
    layers.by_symbols(&target.names(declared))?;
    if let Some(stem) = &target.stem {
        layers.by_stem(stem, shown.as_deref())?;
        layers.by_coupling(stem)?;
    }
    seen.map_or(Ok(()), |seen| layers.by_meaning(&seen))
}

/// Notes which files the session touches.
fn note_files(context: &Context<'_>, target: &Target) {
    let mut files = if target.is_patch { context.input.patched_files() } else { Vec::new() };
    files.extend(target.file.clone().filter(|_| !target.is_patch));
    if files.is_empty() {
        return;
    }
    let files: Vec<String> = files.iter().map(|file| context.relative(file)).collect();
    context.follow_files(&files, target.changes);
    context.work(|activity: &mut Activity| {
        for file in &files {
            if target.changes {
                activity.edit(file);
            } else {
                activity.read(file);
            }
        }
    });
}
