//! The `ambient` event: when a file is read, edited or searched for, the memories about it. Before
//! the tool is used, or right after it where the client takes no text before.
//!
//! In layers, each skipping what an earlier one or this session already gave: memories whose source
//! is this file, a directory above it or a file of the name that is looked for, then those that
//! name a symbol that a change removes, those that name what a change adds, those that name a
//! symbol that the file declares or that is searched for, those that name the file's stem, those
//! about what hangs together with it, those about the files of a directory that is searched, and
//! those that are near in meaning to what the file is about.

mod layers;
mod mention;
mod named;
mod sought;
mod target;

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use helix_engine::ReadError;
use helix_memory::{Memory, MemoryNumber, WordSet};
use helix_neutral::one_line;
use layers::Layers;

use super::changes::Change;
use super::event::Input;
use super::exact::has_word;
use super::sessions::Said;
use super::{Context, Given};
use crate::work::activity::Activity;
pub(super) use mention::mentions;
use target::Target;

/// Memories about the file itself after which nothing is guessed.
const ENOUGH: usize = 5;

/// Time that must be left for another file to be guessed about, whose meaning may have to be waited
/// for.
const GUESSING_TIME: Duration = Duration::from_millis(60);

/// Characters of what the tool touches, and of a name.
const LABEL_MAX_CHARS: usize = 200;
const NAME_MAX_CHARS: usize = 80;

/// One of the things that an event touches.
struct Part<'a> {
    context: &'a Context<'a>,
    target: Target,
    change: Change,
    /// The symbols that the change removes, once it is looked into.
    removed: Vec<String>,
}

impl<'a> Part<'a> {
    fn of(context: &'a Context<'a>) -> Option<Self> {
        let mut target = Target::of(context.input, context.paths())?;
        let file = target
            .file
            .as_deref()
            .filter(|file| target.pattern.is_none() && file.starts_with(&context.home.root));
        // A file of a repository inside of the session's own project is known by its place in that.
        if let Some(label) = file.map(|file| context.shown(file)) {
            target.label = label;
        }
        let change = if target.changes && !context.input.has_tool_failed() {
            Change::of(context.input, target.file.as_deref(), |file| {
                context.head(file)
            })
        } else {
            Change::default()
        };
        Some(Self {
            context,
            target,
            change,
            removed: Vec::new(),
        })
    }

    /// The file as the session's project has it; empty for something else.
    fn about(&self) -> String {
        self.target
            .file
            .as_deref()
            .map(|file| self.context.shown(file))
            .unwrap_or_default()
    }
}

/// Gives what is known about what a tool touches, every file of a patch; `None` for nothing.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    give_all(std::slice::from_ref(context))
}

/// Gives what is known about everything that one event touches, in one injection; `None` for
/// nothing.
pub(super) fn give_all(contexts: &[Context<'_>]) -> Result<Option<Given>, ReadError> {
    let patches = |context: &Context<'_>| {
        if context.input.has_tool_failed() {
            Vec::new()
        } else {
            context.input.patches()
        }
    };
    let patches: Vec<Vec<Input>> = contexts.iter().map(patches).collect();
    let mut parts = Vec::new();
    let mut calls: Vec<Context<'_>> = Vec::new();
    for (context, patches) in contexts.iter().zip(&patches) {
        let Some(whole) = Part::of(context) else {
            continue;
        };
        note_files(&whole)?;
        parts.extend(Some(whole).filter(|_| patches.is_empty()));
        calls.extend(patches.iter().map(|patch| context.on_call(patch)));
    }
    parts.extend(calls.iter().filter_map(Part::of));
    give_parts(parts)
}

/// Notes what one event touches, where nobody is told of it.
pub(super) fn note_all(contexts: &[Context<'_>]) -> Result<(), ReadError> {
    contexts
        .iter()
        .filter_map(Part::of)
        .try_for_each(|part| note_files(&part))
}

fn give_parts(mut parts: Vec<Part<'_>>) -> Result<Option<Given>, ReadError> {
    let Some(context) = parts.first().map(|part| part.context) else {
        return Ok(None);
    };
    let (memories, owners) = remembered(context, &mut parts)?;
    let mut notes = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let known = notes.len();
        let of_file = if parts.len() > 1 {
            format!(" of {}", shown(&part.target.label))
        } else {
            String::new()
        };
        notes.extend(mentioned(part, &of_file, &memories));
        let is_about = notes.len() > known
            || memories
                .iter()
                .any(|memory| owners.get(&memory.number) == Some(&at));
        let label = one_line(&part.target.label, LABEL_MAX_CHARS);
        if (is_about || parts.len() == 1) && !labels.contains(&label) {
            labels.push(label);
        }
    }
    context.trace.note("about", || labels.join(", "));
    let injection = context.frame(&format!("About {}:", labels.join(", ")), &notes, &memories);
    let about = memories
        .iter()
        .map(|memory| owners.get(&memory.number).and_then(|at| parts.get(*at)));
    let about = about
        .map(|part| part.map(Part::about).unwrap_or_default())
        .collect();
    Ok(Given {
        about,
        ..Given::of(injection, &memories)
    }
    .if_any())
}

/// The memories about all parts, and which part each is about: first statements about the files and
/// about what goes from them, then guesses while there are not enough.
fn remembered<'a>(
    context: &'a Context<'a>,
    parts: &mut [Part<'a>],
) -> Result<(Vec<Memory>, HashMap<MemoryNumber, usize>), ReadError> {
    let mut layers = Layers::new(context);
    let mut owners: Vec<usize> = Vec::new();
    let share = ENOUGH.div_ceil(parts.len().max(1));
    // What goes from one file of a patch into another one is not removed.
    let declared = |part: &Part<'_>| part.change.declared_symbols(part.target.file.as_deref());
    let declared: Vec<String> = parts
        .iter()
        .filter(|_| parts.len() > 1)
        .flat_map(declared)
        .collect();
    for (at, part) in parts.iter_mut().enumerate() {
        layers.turn_to(part.context);
        if let Some(file) = &part.target.file {
            layers.look("layer/source", |layers| layers.by_source(file, share))?;
        }
        if let Some(named) = &part.target.named {
            layers.look("layer/named-source", |layers| {
                layers.by_name_of_source(named)
            })?;
        }
        part.removed = part.change.removed_symbols(part.target.file.as_deref());
        part.removed.retain(|name| !declared.contains(name));
        layers.look("layer/removed-symbols", |layers| {
            layers.by_symbols(&part.removed)
        })?;
        owners.resize(layers.found.len(), at);
    }
    let sure = layers.found.len();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 && context.time_left() < GUESSING_TIME {
            break;
        }
        layers.turn_to(part.context);
        guess(part, &mut layers)?;
        owners.resize(layers.found.len(), at);
    }
    let owners = layers
        .found
        .iter()
        .map(|memory| memory.number)
        .zip(owners)
        .collect();
    // A statement about the file itself is never kept back, a guess is.
    let guesses = layers.found.split_off(sure);
    let mut memories = layers.found;
    memories.extend(context.awake(guesses));
    Ok((memories, owners))
}

/// Returns what is stated of a file: no guesses.
pub(super) fn known_of(context: &Context<'_>, file: &Path) -> Result<Vec<Memory>, ReadError> {
    let context = context.on(context.input, context.project_of(file));
    let mut layers = Layers::new(&context);
    layers.look("layer/source", |layers| layers.by_source(file, ENOUGH))?;
    Ok(layers.found)
}

/// Returns whether a memory that is seen from here is about the file.
pub(super) fn is_source(context: &Context<'_>, file: &Path) -> bool {
    Layers::new(&context.on(context.input, context.project_of(file))).is_source(file)
}

/// Returns what is said of each name that a change removes and that one of the memories below
/// mentions.
fn mentioned(part: &Part<'_>, of_file: &str, memories: &[Memory]) -> Vec<String> {
    let mut notes = Vec::new();
    for name in &part.removed {
        if !mentioning(part.context, name, memories).is_empty() {
            notes.push(format!(
                "this change removes {}{of_file}, which is mentioned below",
                shown(name)
            ));
        }
    }
    notes
}

/// The memories that mention a name of which this was not said yet. From now on it was.
fn mentioning<'m>(context: &Context<'_>, name: &str, memories: &'m [Memory]) -> Vec<&'m Memory> {
    let is_new = |memory: &&Memory| {
        context.tells_first(Said::Warning(WordSet::text_hash(&format!(
            "{} {name}",
            memory.number.0
        ))))
    };
    memories
        .iter()
        .filter(|memory| has_word(&memory.text, name))
        .filter(is_new)
        .collect()
}

fn shown(name: &str) -> String {
    one_line(name, NAME_MAX_CHARS)
}

/// Memories that may be about the file, until there are enough.
fn guess(part: &Part<'_>, layers: &mut Layers<'_>) -> Result<(), ReadError> {
    let Part {
        context,
        target,
        change,
        ..
    } = part;
    if layers.taken() >= ENOUGH {
        context.trace.note("guesses", || {
            format!("none: {ENOUGH} memories are about the file itself")
        });
        return Ok(());
    }
    let shown = target
        .file
        .as_deref()
        .map(|file| context.paths().relative(file));
    let seen = target
        .file
        .as_deref()
        .zip(shown.as_deref())
        .map(|(file, shown)| {
            let text = target.text(context, file);
            context.app.hooks.files.look(file, shown, &text)
        });
    let added = change.added_names(target.file.as_deref());
    layers.look("layer/added-names", |layers| layers.by_added(&added))?;
    if let Some(shown) = &shown {
        layers.look("layer/file-name", |layers| layers.by_file_name(shown))?;
    }
    let declared = seen.as_ref().map_or(&[][..], |seen| &seen.names);
    let named = target.names(declared);
    layers.look("layer/symbols", |layers| layers.by_symbols(&named))?;
    for stem in &target.stems {
        layers.look("layer/stem", |layers| {
            layers.by_stem(stem, shown.as_deref())
        })?;
        layers.look("layer/coupling", |layers| layers.by_coupling(stem))?;
    }
    if let Some(directory) = &target.directory {
        layers.look("layer/directory", |layers| {
            layers.by_directory(directory, target)
        })?;
    }
    match (&target.file, seen) {
        (Some(file), Some(seen)) => {
            layers.look("layer/meaning", |layers| layers.by_meaning(file, &seen))
        }
        _ => Ok(()),
    }
}

/// Notes which files the session touches, and what it heeds by that.
fn note_files(part: &Part<'_>) -> Result<(), ReadError> {
    let Part {
        context,
        target,
        change,
        ..
    } = part;
    if context.input.has_tool_failed() {
        return Ok(());
    }
    let mut files = if target.is_patch {
        context.input.patched_files()
    } else {
        Vec::new()
    };
    files.extend(target.file.clone().filter(|_| !target.is_patch));
    if files.is_empty() {
        return Ok(());
    }
    context.follow_files(&files, target.changes, change.written())?;
    context.work(|activity: &mut Activity| {
        for file in files.iter().map(|file| context.shown(file)) {
            if target.changes {
                activity.edit_by(&file, &context.input.tool_use_id);
            } else {
                activity.read(&file);
            }
        }
    });
    Ok(())
}
