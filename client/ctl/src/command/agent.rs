//! Shared parts of `hooks`, `connect` and `disconnect`: whose settings, which files, whether the
//! user agrees.

mod tell;

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use helix_proto::exit;

use crate::ask;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::programs;
use crate::screen;
use crate::text::one_line;
use crate::wiring::{
    Client, HOOK_PROGRAM, Place, Plan, Programs, Report, SERVER_PROGRAM, Scope, Target, status,
};

/// Mark of the directory that a project starts in.
const PROJECT_MARK: &str = ".git";

/// Files that cargo leaves in a build directory: a mark of every cache, and one of its own.
const CARGO_CACHE_MARK: &str = "CACHEDIR.TAG";
const CARGO_MARK: &str = ".rustc_info.json";

/// Whose settings are meant, of a client that has all three.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Whose {
    /// Means the settings that the project shares, which is the default
    #[arg(long, conflicts_with_all = ["local", "user"])]
    project: bool,
    /// Means your own settings within this project instead of those that the project shares
    #[arg(long, conflicts_with = "user")]
    local: bool,
    /// Means your own settings everywhere
    #[arg(long)]
    user: bool,
}

/// Whose settings are meant, of a client that has none of a user's own within a project.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct InProjectOrOwn {
    /// Means the settings that the project shares, which is the default
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Means your own settings everywhere
    #[arg(long)]
    user: bool,
}

/// Whose settings are meant, of a client that has only those of a user.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Own {
    /// Means your own settings, which are the only ones
    #[arg(long)]
    user: bool,
}

/// How to go about it.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Manner<W: Args> {
    #[command(flatten)]
    whose: W,
    /// Shows what would change and writes nothing
    #[arg(long)]
    dry_run: bool,
    /// Does not ask
    #[arg(long, short)]
    yes: bool,
}

/// How much of ours is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Hooks alone.
    Hooks,
    /// Hooks and server.
    Everything,
}

/// An edit of one client's settings, as it was ordered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    client: Client,
    extent: Extent,
    scope: Option<Scope>,
    dry_run: bool,
    yes: bool,
    json: bool,
    /// The set of tools that the server is to offer; without one it keeps its own.
    tools: Option<&'static str>,
}

impl From<Whose> for Option<Scope> {
    fn from(whose: Whose) -> Self {
        let named = [
            (whose.project, Scope::Project),
            (whose.local, Scope::Local),
            (whose.user, Scope::User),
        ];
        named
            .into_iter()
            .find_map(|(is_named, scope)| is_named.then_some(scope))
    }
}

impl From<InProjectOrOwn> for Option<Scope> {
    fn from(whose: InProjectOrOwn) -> Self {
        let named = [(whose.project, Scope::Project), (whose.user, Scope::User)];
        named
            .into_iter()
            .find_map(|(is_named, scope)| is_named.then_some(scope))
    }
}

impl From<Own> for Option<Scope> {
    fn from(whose: Own) -> Self {
        whose.user.then_some(Scope::User)
    }
}

impl Edit {
    /// Takes an order.
    pub(crate) fn new<W: Args + Into<Option<Scope>>>(
        client: Client,
        extent: Extent,
        manner: Manner<W>,
        json: bool,
    ) -> Self {
        let Manner {
            whose,
            dry_run,
            yes,
        } = manner;
        Self {
            client,
            extent,
            scope: whose.into(),
            dry_run,
            yes,
            json,
            tools: None,
        }
    }

    /// The same, with a server that offers a set of tools.
    pub(crate) fn offering(self, tools: Option<&'static str>) -> Self {
        Self { tools, ..self }
    }

    /// Adds our entries to the client's files.
    pub(crate) fn install(self, context: &Context) -> Outcome {
        let place = place(&context.cwd)?;
        let programs = programs(context)?.offering(self.tools);
        let plan = Plan::install(&self.targets(&place), &programs, &context.paths.home)?;
        let reports = plan.reports();
        if !self.agreed(context, &plan, &reports, "Connect")? {
            screen::remark("helixctl: nothing was changed");
            return Ok(exit::OK);
        }
        self.carry_out(context, &plan, &reports)?;
        if !self.json {
            let steps = self
                .client
                .steps(self.scope(), self.extent == Extent::Everything)
                .iter()
                .filter(|_| !self.dry_run);
            for line in self
                .advice(context, &place, &programs)
                .into_iter()
                .chain(steps.map(|step| (*step).to_owned()))
            {
                screen::remark(&format!("helixctl: {line}"));
            }
        }
        Ok(exit::OK)
    }

    /// Takes our entries out of the client's files.
    pub(crate) fn uninstall(self, context: &Context) -> Outcome {
        let place = place(&context.cwd)?;
        let plan = Plan::uninstall(&self.targets(&place), &context.paths.home)?;
        let reports = plan.reports();
        if !self.agreed(context, &plan, &reports, "Disconnect")? {
            screen::remark("helixctl: nothing was changed");
            return Ok(exit::OK);
        }
        self.carry_out(context, &plan, &reports)?;
        if !self.json && !plan.changes_anything() {
            for line in self.elsewhere(context, &place) {
                screen::remark(&format!("helixctl: {line}"));
            }
        }
        Ok(exit::OK)
    }

    /// In which other settings the client is wired, and how to take that out, each a lowercase
    /// fragment. Where nothing was to be undone, those may have been meant.
    fn elsewhere(self, context: &Context, place: &Place) -> Vec<String> {
        let Ok(programs) = programs(context) else {
            return Vec::new();
        };
        let is_wired = |target: &Target| {
            status(target, &programs).is_ok_and(|found| !found.installed.is_empty())
        };
        let others = self
            .client
            .scopes()
            .iter()
            .filter(|scope| **scope != self.scope());
        let wired = others.filter_map(|scope| {
            let found = Self {
                scope: Some(*scope),
                ..self
            }
            .targets(place)
            .into_iter()
            .find(is_wired)?;
            let path = one_line(&found.path.display().to_string());
            let (client, scope) = (self.client.command(), scope.name());
            let order = match self.extent {
                Extent::Hooks => format!("hooks uninstall --{scope}"),
                Extent::Everything => format!("disconnect {client} --{scope}"),
            };
            Some(format!(
                "nothing was to be undone here; {path} is wired: `helixctl {order}` undoes that"
            ))
        });
        wired.collect()
    }

    fn scope(self) -> Scope {
        self.scope
            .or(self.client.scopes().first().copied())
            .unwrap_or(Scope::User)
    }

    fn targets(self, place: &Place) -> Vec<Target> {
        let mut targets = self.client.targets(self.scope(), place);
        targets.retain(|target| self.extent == Extent::Everything || target.holds_hooks());
        targets
    }

    /// Shows the difference before anything is written, and asks whoever is there. A script is not
    /// asked, and gets the difference beside its answer.
    fn agreed(
        self,
        context: &Context,
        plan: &Plan,
        reports: &[Report],
        verb: &str,
    ) -> Result<bool, Failure> {
        if self.json || self.dry_run || !plan.changes_anything() {
            return Ok(true);
        }
        if !ask::is_there_somebody() {
            screen::remark(tell::differences(context, reports).trim_end());
            return Ok(true);
        }
        screen::print(&tell::differences(context, reports))?;
        tell::notes(reports);
        let name = self.client.name();
        let question = if self.extent == Extent::Hooks {
            format!("Change the hooks of {name} like this?")
        } else {
            format!("{verb} {name} like this?")
        };
        Ok(self.yes || ask::confirmed(&question, "--yes")?)
    }

    fn carry_out(self, context: &Context, plan: &Plan, reports: &[Report]) -> Result<(), Failure> {
        if !self.dry_run {
            plan.write()?;
        }
        if self.json {
            return tell::json(reports, self.dry_run);
        }
        let were_shown = !self.dry_run && ask::is_there_somebody() && plan.changes_anything();
        tell::results(context, reports, self.dry_run)?;
        if !were_shown {
            tell::notes(reports);
        }
        tell::copies(reports, self.dry_run);
        Ok(())
    }

    /// Lists the other conditions for the wiring to work, each a lowercase fragment.
    fn advice(self, context: &Context, place: &Place, programs: &Programs) -> Vec<String> {
        let mut lines = Vec::new();
        let name = self.client.name();
        if self.scope() == Scope::Project {
            lines.push(self.said_of_sharing(place));
            if !programs.are_portable() {
                lines.push(format!(
                    "they name the programs by their paths on this machine: put {HOOK_PROGRAM} and {SERVER_PROGRAM} on the PATH and connect again before you share them"
                ));
            }
            let named = context
                .named
                .iter()
                .filter(|_| self.extent == Extent::Everything);
            lines.extend(named.map(|(variable, _)| {
                format!("they set {variable} to a directory of this machine, also for everybody who shares them")
            }));
        }
        if self
            .client
            .targets(self.scope(), &Place::default())
            .iter()
            .any(Target::holds_hooks)
        {
            lines.extend(context.named.iter().map(|(variable, place)| {
                let place = one_line(&place.display().to_string());
                format!("hooks follow the agent's own environment: start {name} with {variable}={place} set")
            }));
        }
        let mut builds: Vec<&Path> = programs
            .paths()
            .into_iter()
            .filter_map(build_directory)
            .collect();
        builds.dedup();
        lines.extend(builds.into_iter().map(|directory| {
            let directory = one_line(&directory.display().to_string());
            format!(
                "the programs lie in {directory}, which `cargo clean` empties; copy them elsewhere to keep the wiring"
            )
        }));
        lines
    }
}

impl Edit {
    /// Which files others get as well, and how to keep the wiring to oneself.
    fn said_of_sharing(self, place: &Place) -> String {
        let shown = |target: &Target| {
            let path = target
                .path
                .strip_prefix(&place.project)
                .unwrap_or(&target.path);
            format!("`{}`", one_line(&path.display().to_string()))
        };
        let files: Vec<String> = self.targets(place).iter().map(shown).collect();
        let own = if self.client.scopes().contains(&Scope::Local) {
            Scope::Local
        } else {
            Scope::User
        };
        let (files, own, client) = (files.join(" and "), own.name(), self.client.command());
        let order = match self.extent {
            Extent::Hooks => format!("helixctl hooks install --{own}"),
            Extent::Everything => format!("helixctl connect {client} --{own}"),
        };
        format!(
            "everybody who shares this project shares {files}; `{order}` writes into your own settings instead"
        )
    }
}

/// Finds the project around the working directory and the user's own settings.
pub(crate) fn place(cwd: &Path) -> Result<Place, Failure> {
    let homeless = || Failure::Usage("no home directory is known; set HOME".to_owned());
    let home = env::home_dir()
        .filter(|home| home.is_absolute())
        .ok_or_else(homeless)?;
    let directory = |variable: &str| {
        env::var_os(variable)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    Ok(Place {
        project: project(cwd),
        // A relative one counts as unset.
        config: directory("XDG_CONFIG_HOME")
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| home.join(".config")),
        home,
        claude_config_dir: directory("CLAUDE_CONFIG_DIR").map(|path| cwd.join(path)),
        codex_home: directory("CODEX_HOME").map(|path| cwd.join(path)),
    })
}

fn project(cwd: &Path) -> PathBuf {
    cwd.ancestors()
        .find(|directory| directory.join(PROJECT_MARK).exists())
        .unwrap_or(cwd)
        .to_owned()
}

/// The programs that are to be run.
pub(crate) fn programs(context: &Context) -> Result<Programs, Failure> {
    let variable = |(name, place): &(&str, PathBuf)| {
        ((*name).to_owned(), place.to_string_lossy().into_owned())
    };
    let environment = context.named.iter().map(variable).collect();
    let [shim, bridge] = [
        programs::find(HOOK_PROGRAM)?,
        programs::find(SERVER_PROGRAM)?,
    ];
    let on_path = programs::is_on_path(&shim) && programs::is_on_path(&bridge);
    Ok(Programs::new(&shim, &bridge, environment)?.found_on_path(on_path))
}

/// The cargo build directory around a program, if there is one.
fn build_directory(program: &Path) -> Option<&Path> {
    let is_build = |directory: &&Path| {
        directory.join(CARGO_CACHE_MARK).is_file() && directory.join(CARGO_MARK).is_file()
    };
    program.ancestors().skip(1).find(is_build)
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
        assert_eq!(
            build_directory(&bin.join("helix-hook")),
            Some(root.path().join("target").as_path())
        );
    }

    #[test]
    fn a_project_starts_where_its_repository_does() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("project/src/deep");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(project(&deep), deep);
        // A worktree has a file of that name.
        fs::write(root.path().join("project/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(project(&deep), root.path().join("project"));
    }
}
