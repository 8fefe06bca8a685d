//! The `prompt` event: memories that bear on what the user says, and on the files that the prompt
//! attaches or names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use helix_engine::{Occasion, ReadError};
use helix_memory::Memory;
use helix_surface::prompt::{attached, paths, question};

use super::codes::codes_in;
use super::relevant::{self, Reader};
use super::{Context, Given, ambient, exact};

/// Memories that one prompt gets, and with those about the files that it attaches or names.
const MEMORIES_MAX: usize = 3;
const WITH_FILES_MAX: usize = 5;

/// Files that are looked at, of those that are attached and of those that are named.
const FILES_MAX: usize = 4;

/// Paths of a prompt that are looked at.
const PATHS_MAX: usize = 12;

/// Gives the memories; `None` for small talk and when none is relevant.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let prompt = &context.input.prompt;
    let named = named_files(context);
    let mut memories = Vec::new();
    if let Some(question) = question(prompt, |path| named.iter().any(|(name, _)| name == path)) {
        let (occasion, reader) = (Occasion::Prompt, Reader::Session);
        memories = exact::named(context, &codes_in(&question))?;
        let relevant = relevant::find(context, &question, occasion, MEMORIES_MAX, reader)?;
        add(relevant, &mut memories);
        memories.truncate(MEMORIES_MAX);
    } else {
        let why = "small talk, or nothing but the files that it names";
        context.trace.note("prompt", || why.to_owned());
    }
    let attached = attached(prompt)
        .into_iter()
        .take(FILES_MAX)
        .map(|name| Path::new(&context.input.cwd).join(name));
    for file in attached.chain(named.into_iter().map(|(_, file)| file)) {
        add_about(context, &file, &mut memories)?;
    }
    memories.truncate(WITH_FILES_MAX);
    let injection = context.frame("On what the user asks:", &[], &memories);
    Ok(Given::of(injection, &memories).if_any())
}

/// Adds what is known about a file: no other event tells of its being read where it is attached.
fn add_about(
    context: &Context<'_>,
    file: &Path,
    memories: &mut Vec<Memory>,
) -> Result<(), ReadError> {
    if helix_ablation::is_off("layer/attached") {
        return Ok(());
    }
    context
        .trace
        .note("prompt", || format!("names {}", context.shown(file)));
    add(ambient::known_of(context, file)?, memories);
    Ok(())
}

/// Adds those memories that are not there yet.
fn add(further: Vec<Memory>, memories: &mut Vec<Memory>) {
    for memory in further {
        if !memories.iter().any(|known| known.number == memory.number) {
            memories.push(memory);
        }
    }
}

/// The files of the project that the prompt names, and those that memories are about, with the
/// words for them.
fn named_files(context: &Context<'_>) -> Vec<(String, PathBuf)> {
    if helix_ablation::is_off("layer/prompt-files") {
        return Vec::new();
    }
    let Context {
        input,
        project,
        app,
        ..
    } = context;
    if app.hooks.load.is_stuck() {
        return Vec::new();
    }
    let places = [Path::new(&input.cwd), &project.root];
    let is_own = |file: &PathBuf, must_be_there: bool| {
        let (project, asked) = (Arc::clone(project), file.clone());
        let look =
            move || project.relative(&asked).is_relative() && (!must_be_there || asked.is_file());
        context.ask_at(file, look) == Some(true)
    };
    let is_there = |file: &PathBuf| file.is_absolute() && is_own(file, true);
    // Of what lies outside of the project another project would have to be found, each time.
    let is_source = |file: &PathBuf| is_own(file, false) && ambient::is_source(context, file);
    let known = paths(&input.prompt)
        .into_iter()
        .take(PATHS_MAX)
        .filter_map(|name| {
            let files = places.map(|place| place.join(&name));
            let found = files
                .iter()
                .find(|file| is_there(file) || is_source(file))?;
            Some((name, found.clone()))
        });
    known.take(FILES_MAX).collect()
}
