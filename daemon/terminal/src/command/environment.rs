//! What a run runs under: with another toolchain, interpreter or target it is another command,
//! however alike the words are.

use super::names::{basename, file_name, is_versioned};
use super::tools::{has, tool};
use super::{Run, is_assignment, without_starters};

/// Programs that compile for what an option says.
const TARGETED: &[&str] = &["cargo", "rustc", "wasm-pack"];
const TARGET: &str = "--target";

/// Variables that say the same.
const VARIABLES: &[&str] = &["CARGO_BUILD_TARGET", "GOARCH", "GOOS", "RUSTUP_TOOLCHAIN"];

/// Programs that start another one under the interpreter that an option says.
const PROVIDERS: &[&str] = &["uv", "uvx"];
const PROVIDED: &[&str] = &["--python", "-p"];

/// What the commands of a line switched to so far.
#[derive(Debug, Default)]
pub(super) struct Switched(Vec<(String, String)>);

impl Switched {
    /// Follows a command that is in the line.
    pub(super) fn follow(&mut self, words: &[String]) {
        let plain: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|word| !word.starts_with('-'))
            .collect();
        let [program, subcommand, to @ ..] = plain.as_slice() else {
            return;
        };
        if has(&tool(program).switches, subcommand) {
            self.0.retain(|(known, _)| known != program);
            self.0.push(((*program).to_owned(), to.join(" ")));
        }
    }

    /// Adds to a run what it runs under by a command, as that was written. In one order, however it
    /// is written.
    pub(super) fn surround(&self, run: &mut Run, written: &[String]) {
        if helix_ablation::is_off("command/environment") {
            return;
        }
        let switched = self.0.iter().map(|(program, to)| format!("{program} {to}"));
        let started = written.len() - without_starters(written).len();
        let before = written.get(..=started).unwrap_or(written);
        let own = toolchain(&run.words).into_iter().chain(target(&run.words));
        let under: Vec<String> = switched
            .chain(own)
            .chain(variables(before))
            .chain(interpreters(before))
            .collect();
        run.environment.extend(under);
        run.environment.sort_unstable();
        run.environment.dedup();
    }
}

/// `cargo +nightly`.
fn toolchain(run: &[String]) -> Option<String> {
    run.get(1).filter(|word| word.starts_with('+')).cloned()
}

fn target(run: &[String]) -> Option<String> {
    let program = run.first().map(|word| basename(word))?;
    let target = if TARGETED.contains(&program) {
        value(run, &[TARGET])?
    } else {
        return None;
    };
    Some(format!("{TARGET} {target}"))
}

fn variables(before: &[String]) -> impl Iterator<Item = String> {
    let is_one = |word: &&String| {
        word.split_once('=')
            .is_some_and(|(name, _)| VARIABLES.contains(&name))
    };
    before
        .iter()
        .filter(|word| is_assignment(word))
        .filter(is_one)
        .cloned()
}

/// The interpreters that these words name by their versions.
fn interpreters(before: &[String]) -> impl Iterator<Item = String> {
    let named = before
        .iter()
        .map(|word| file_name(word))
        .filter(|name| is_versioned(name))
        .map(str::to_owned);
    let at = before
        .iter()
        .position(|word| PROVIDERS.contains(&basename(word)));
    let provided = at.and_then(|at| value(before.get(at..)?, PROVIDED));
    named.chain(provided.map(|version| format!("python {version}")))
}

/// The value of an option, behind it or in it.
fn value<'w>(words: &'w [String], names: &[&str]) -> Option<&'w str> {
    words
        .iter()
        .enumerate()
        .find_map(|(at, word)| match word.split_once('=') {
            Some((name, value)) => names.contains(&name).then_some(value),
            None if names.contains(&word.as_str()) => words.get(at + 1).map(String::as_str),
            None => None,
        })
}

#[cfg(test)]
mod tests {
    use super::super::run_of;

    #[test]
    fn it_is_known_what_a_run_runs_under() {
        for (line, under) in [
            ("cargo +nightly fmt --all -- --check", "+nightly"),
            (
                "cargo build --target wasm32-unknown-unknown",
                "--target wasm32-unknown-unknown",
            ),
            (
                "cargo build --target=wasm32-wasip1",
                "--target wasm32-wasip1",
            ),
            ("GOOS=windows CGO_ENABLED=0 go build ./...", "GOOS=windows"),
            ("python3.12 -m pytest", "python3.12"),
            ("/usr/bin/python3.12 -m pytest -q", "python3.12"),
            (
                "uv run --python 3.12 pytest -p no:cacheprovider",
                "python 3.12",
            ),
            ("nvm use --silent 18 && npm test", "nvm 18"),
            ("nvm use 18; nvm use 20; npm test", "nvm 20"),
            ("bash -lc 'source x; nvm use 18 && npm test'", "nvm 18"),
            ("conda activate dev && bash -c 'pytest'", "conda dev"),
            ("bash -c 'cargo +nightly test'", "+nightly"),
            ("cargo test; nvm use 18", ""),
            ("python3 -m pytest", ""),
            ("npx esbuild --target=es2022 a.ts", ""),
            ("pytest -p no:randomly", ""),
        ] {
            assert_eq!(
                run_of(line)
                    .map(|run| run.environment.join(", "))
                    .as_deref(),
                Some(under),
                "{line}"
            );
        }
    }

    #[test]
    fn an_interpreter_with_its_version_starts_what_others_do() {
        let called = |line: &str| run_of(line).map(|run| (run.tool, run.called.join(" ")));
        let of = |tool: &str, called: &str| Some((tool.to_owned(), called.to_owned()));
        assert_eq!(
            called("python3.12 -m pytest a"),
            of("pytest", "python3.12 -m pytest")
        );
        assert_eq!(
            called("/usr/bin/python3.12 manage.py test"),
            of("python3.12 manage.py test", "python3.12")
        );
    }
}
