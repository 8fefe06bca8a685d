//! `cargo xtask`: builds, tests, measures and packages Helix.
//!
//! One file per command; `binaries`, `shim` and `workspace` are what the commands share. Everything
//! goes through the release profile in one invocation style, so that the heavy dependencies are
//! compiled once.

mod bench;
mod binaries;
mod demo;
mod dist;
mod elf;
mod fuzz;
mod processes;
mod readme;
mod run;
mod shim;
mod test;
mod units;
mod up;
#[cfg(test)]
mod walls;
mod workspace;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Builds, tests, measures and packages Helix.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Builds Helix, installs the model, (re)starts the daemon and shows that it works.
    Up {
        /// Uses this directory instead of your own home of Helix.
        #[arg(long, value_name = "DIR")]
        home: Option<PathBuf>,
    },
    /// Runs every check, in order, stopping at the first that fails; or only the named tests.
    #[command(after_help = test::HELP)]
    Test {
        /// What to run instead of everything, as `cargo nextest run` takes it.
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGUMENT"
        )]
        arguments: Vec<OsString>,
    },
    /// Runs the benchmarks, or the named ones.
    #[command(after_help = bench::HELP)]
    Bench {
        /// Sections and options, handed to the benchmark program.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Fuzzes everything that reads what strangers wrote, or the named targets.
    Fuzz {
        /// How long each target runs.
        #[arg(long, value_name = "N", default_value_t = fuzz::SECONDS_DEFAULT)]
        seconds: u32,
        /// Targets to run; all of them unless given.
        #[arg(value_name = "TARGET")]
        targets: Vec<String>,
    },
    /// Builds what is shipped: stripped binaries, service files, manual pages and completions.
    Dist,
}

fn main() -> ExitCode {
    let result = match Task::parse() {
        Task::Up { home } => up::up(home).map(|()| true),
        Task::Test { arguments } if arguments.is_empty() => test::test(),
        Task::Test { arguments } => test::some(&arguments).map(|()| true),
        Task::Bench { arguments } => bench::bench(&arguments).map(|()| true),
        Task::Fuzz { seconds, targets } => fuzz::fuzz(seconds, &targets),
        Task::Dist => dist::dist().map(|()| true),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        // The checks have said which one failed, and their last line is to stay the last.
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            run::complain(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::CommandFactory;

    use super::Task;

    #[test]
    fn the_benchmarks_help_names_every_section_and_option() {
        let source = include_str!("../../../tests/src/bin/helix-bench/main.rs");
        let (_, sections) = source.split_once("enum SectionName {").unwrap();
        let (sections, _) = sections.split_once('}').unwrap();
        let sections = sections
            .split(',')
            .map(|name| name.trim().to_lowercase())
            .filter(|name| !name.is_empty());
        let options = ["--quick", "--json", "--data", "--run"].map(str::to_owned);
        let mut command = Task::command();
        let help = command
            .find_subcommand_mut("bench")
            .unwrap()
            .render_help()
            .to_string();
        for name in sections.chain(options) {
            assert!(help.contains(&name), "{name} is missing in {help}");
        }
    }
}
