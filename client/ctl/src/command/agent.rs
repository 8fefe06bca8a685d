//! What `hooks`, `connect` and `disconnect` share: whose settings, which file, and how to say what happened to it.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use helix_proto::exit;
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::programs;
use crate::screen::{self, Paint};
use crate::text::{neutral, one_line};
use crate::wiring::{self, Change, HOOK_PROGRAM, Part, Place, Report, Run, SERVER_PROGRAM, Scope, Spec, Target};

/// What marks the directory that a project starts in.
const PROJECT_MARK: &str = ".git";

/// What cargo leaves in a build directory: a mark of every cache, and one of its own.
const CARGO_CACHE_MARK: &str = "CACHEDIR.TAG";
const CARGO_MARK: &str = ".rustc_info.json";

/// Whose settings are meant.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Whose {
    /// Means your own settings within this project instead of those that the project shares
    #[arg(long, conflicts_with = "user")]
    local: bool,
    /// Means your own settings everywhere
    #[arg(long)]
    user: bool,
}

/// How to go about it.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Manner {
    #[command(flatten)]
    whose: Whose,
    /// Shows what would change and writes nothing
    #[arg(long)]
    dry_run: bool,
}

impl Whose {
    /// The scope that was named, if one was.
    pub(crate) fn named(self) -> Option<Scope> {
        match (self.local, self.user) {
            (true, _) => Some(Scope::Local),
            (false, true) => Some(Scope::User),
            (false, false) => None,
        }
    }
}

impl Manner {
    fn scope(self) -> Scope {
        self.whose.named().unwrap_or(Scope::Project)
    }

    fn run(self) -> Run {
        if self.dry_run { Run::Preview } else { Run::Write }
    }
}

/// The directories in which Claude Code looks.
#[derive(Debug)]
pub(crate) struct Agent {
    project: PathBuf,
    home: PathBuf,
    claude_config_dir: Option<PathBuf>,
}

impl Agent {
    /// Finds the project around the working directory and the user's own settings.
    pub(crate) fn find(cwd: &Path) -> Result<Self, Failure> {
        let homeless = || Failure::Usage("no home directory is known; set HOME".to_owned());
        let home = env::home_dir().filter(|home| home.is_absolute()).ok_or_else(homeless)?;
        let claude_config_dir = env::var_os("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty()).map(|dir| cwd.join(dir));
        let project = cwd.ancestors().find(|directory| directory.join(PROJECT_MARK).exists()).unwrap_or(cwd).to_owned();
        Ok(Self { project, home, claude_config_dir })
    }

    /// The file that holds a part of ours.
    pub(crate) fn target(&self, part: Part, scope: Scope) -> Target {
        let place =
            Place { project: &self.project, home: &self.home, claude_config_dir: self.claude_config_dir.as_deref() };
        match part {
            Part::Hooks => Target::claude_hooks(scope, place),
            Part::Server => Target::claude_server(scope, place),
        }
    }
}

/// What should stand in a file.
pub(crate) fn spec(context: &Context, part: Part) -> Result<Spec, Failure> {
    let variable = |(name, place): &(&str, PathBuf)| ((*name).to_owned(), place.to_string_lossy().into_owned());
    Ok(match part {
        Part::Hooks => Spec::hooks(&programs::find(HOOK_PROGRAM)?)?,
        Part::Server => Spec::server(&programs::find(SERVER_PROGRAM)?, context.named.iter().map(variable).collect())?,
    })
}

/// Adds parts to their files.
pub(crate) fn install(context: &Context, parts: &[Part], manner: Manner, json: bool) -> Outcome {
    let agent = Agent::find(&context.cwd)?;
    let edit = |part: &Part| Ok::<_, Failure>((agent.target(*part, manner.scope()), spec(context, *part)?));
    let edits = parts.iter().map(edit).collect::<Result<Vec<_>, _>>()?;
    let reports = wiring::install(&edits, &context.paths.home, manner.run())?;
    let code = tell(context, &reports, manner.run(), json)?;
    if !json {
        let programs = edits.iter().map(|(_, spec)| spec.program());
        for line in advice(context, parts, programs) {
            screen::remark(&format!("helixctl: {line}"));
        }
        if manner.run() == Run::Write {
            screen::remark("helixctl: restart Claude Code; it reads its settings when it starts");
        }
    }
    Ok(code)
}

/// What else has to be so for the wiring to work, each a lowercase fragment.
fn advice<'a>(context: &Context, parts: &[Part], programs: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let mut lines = Vec::new();
    if parts.contains(&Part::Hooks) {
        lines.extend(context.named.iter().map(|(name, place)| {
            let place = one_line(&place.display().to_string());
            format!("hooks follow the agent's own environment: start Claude Code with {name}={place} set")
        }));
    }
    let mut builds: Vec<&Path> = programs.filter_map(build_directory).collect();
    builds.dedup();
    lines.extend(builds.into_iter().map(|directory| {
        let directory = one_line(&directory.display().to_string());
        format!("the programs lie in {directory}, which `cargo clean` empties; copy them elsewhere to keep the wiring")
    }));
    lines
}

/// The cargo build directory around a program, if there is one.
fn build_directory(program: &Path) -> Option<&Path> {
    let is_build =
        |directory: &&Path| directory.join(CARGO_CACHE_MARK).is_file() && directory.join(CARGO_MARK).is_file();
    program.ancestors().skip(1).find(is_build)
}

/// Takes parts out of their files.
pub(crate) fn uninstall(context: &Context, parts: &[Part], manner: Manner, json: bool) -> Outcome {
    let agent = Agent::find(&context.cwd)?;
    let targets: Vec<Target> = parts.iter().map(|part| agent.target(*part, manner.scope())).collect();
    tell(context, &wiring::uninstall(&targets, &context.paths.home, manner.run())?, manner.run(), json)
}

#[derive(Serialize)]
struct EditsDocument<'a> {
    dry_run: bool,
    files: Vec<EditDocument<'a>>,
}

#[derive(Serialize)]
struct EditDocument<'a> {
    path: &'a Path,
    change: &'static str,
    diff: &'a str,
    notes: &'a [String],
}

impl<'a> From<&'a Report> for EditDocument<'a> {
    fn from(report: &'a Report) -> Self {
        let Report { path, change, diff, notes } = report;
        Self { path, change: change_name(*change), diff, notes }
    }
}

fn tell(context: &Context, reports: &[Report], run: Run, json: bool) -> Outcome {
    let dry_run = run == Run::Preview;
    if json {
        screen::json(&EditsDocument { dry_run, files: reports.iter().map(EditDocument::from).collect() })?;
        return Ok(exit::OK);
    }
    for report in reports {
        let would = if dry_run { "would be " } else { "" };
        let path = one_line(&report.path.display().to_string());
        screen::print(&format!("{would}{}\t{path}\n", change_name(report.change)))?;
        if dry_run {
            screen::print(&colored(context, &report.diff))?;
        }
        for note in &report.notes {
            screen::remark(&format!("helixctl: {}", one_line(note)));
        }
    }
    Ok(exit::OK)
}

fn colored(context: &Context, diff: &str) -> String {
    let look = context.screen.look;
    let line = |line: &str| {
        let line = neutral(line);
        match line.chars().next() {
            Some('+') => look.paint(Paint::Good, &line),
            Some('-') => look.paint(Paint::Bad, &line),
            Some('@') => look.paint(Paint::Faint, &line),
            _ => line,
        }
    };
    diff.lines().map(|text| line(text) + "\n").collect()
}

fn change_name(change: Change) -> &'static str {
    match change {
        Change::Created => "created",
        Change::Updated => "updated",
        Change::Restored => "restored",
        Change::Cleaned => "cleaned",
        Change::Deleted => "deleted",
        Change::Unchanged => "unchanged",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn a_program_in_a_build_directory_is_known_as_such() {
        let root = tempfile::tempdir().unwrap();
        let bin = root.path().join("target/helix/bin");
        fs::create_dir_all(&bin).unwrap();
        assert_eq!(build_directory(&bin.join("helix-hook")), None);
        for mark in [CARGO_CACHE_MARK, CARGO_MARK] {
            fs::write(root.path().join("target").join(mark), "").unwrap();
        }
        assert_eq!(build_directory(&bin.join("helix-hook")), Some(root.path().join("target").as_path()));
    }

    #[test]
    fn a_project_starts_where_its_repository_does() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("project/src/deep");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(Agent::find(&deep).unwrap().project, deep);
        // A worktree has a file of that name.
        fs::write(root.path().join("project/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(Agent::find(&deep).unwrap().project, root.path().join("project"));
    }
}
