//! Where a command of a line works: in which directory, and so in which project. What fails
//! elsewhere is a mistake of the project there.

use std::env;
use std::path::{Path, PathBuf};

use helix_terminal::command::PLACE;
use helix_terminal::command::{Run, workplace};
use helix_terminal::fault::Fault;

use super::super::Context;
use crate::project::plain;

impl Context<'_> {
    /// The same event in the project of a directory.
    pub(super) fn at(&self, directory: &Path) -> Context<'_> {
        self.on(self.input, self.project_of(directory))
    }
}

/// The run with the directory that it runs in, where that is not the project's: what fails in one
/// package is not mended because another one is fine. The options by which it goes elsewhere are
/// among its words.
pub(super) fn placed(context: &Context<'_>, mut run: Run) -> Run {
    let shown = context.shown(&plain(&place_of(context, run.directory.as_deref())));
    if !matches!(shown.as_str(), "" | "." | "/") && Path::new(&shown) != context.home.root {
        run.words.push(format!("{PLACE}{shown}"));
    }
    run
}

/// The directory that a run works in.
pub(super) fn directory_of(context: &Context<'_>, run: &Run) -> PathBuf {
    plain(&place_of(context, run.place().as_deref()))
}

/// The directory that the last command of a line works in.
pub(super) fn directory_of_line(context: &Context<'_>) -> PathBuf {
    let place = context.input.tool_text("command").and_then(workplace);
    plain(&place_of(context, place.as_deref()))
}

/// The files that faults of a run in a directory name, as the session knows them.
pub(super) fn files_of<'f>(
    context: &Context<'_>,
    directory: &Path,
    faults: impl Iterator<Item = &'f Fault>,
) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for fault in faults.filter(|fault| !fault.file.is_empty()) {
        let file = context.shown(&plain(&directory.join(&fault.file)));
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// Where a line goes from where the session works.
fn place_of(context: &Context<'_>, to: Option<&str>) -> PathBuf {
    let directory = context.input.directory(&context.request.project_dir);
    let Some(to) = to else { return directory };
    let below_home = to.strip_prefix("~/").zip(env::home_dir());
    below_home.map_or_else(|| directory.join(to), |(below, home)| home.join(below))
}
