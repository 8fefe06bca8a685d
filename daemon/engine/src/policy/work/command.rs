//! Shell commands that build, test or check.

use std::borrow::Cow;

/// Words of a command that are kept; the rest is a list of files or a script.
const WORDS_MAX: usize = 24;

/// Bytes of a shell line that are looked at.
const LINE_MAX_BYTES: usize = 8 * 1024;

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It compiles or packs.
    Build,
    /// It runs tests.
    Test,
    /// It looks for mistakes without running anything.
    Check,
}

/// A command that builds, tests or checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The program and, where there is one, its subcommand: `cargo test`, `tsc`.
    pub tool: String,
    /// What it is for.
    pub purpose: Purpose,
    /// All its words, without what merely starts it.
    pub words: Vec<String>,
}

impl Run {
    /// Whether success of this run says that what failed in `failed` is mended: it did at least as much.
    #[must_use]
    pub fn covers(&self, failed: &[String]) -> bool {
        self.words.iter().all(|word| failed.contains(word))
    }
}

/// Programs that start another one, which is what counts.
const STARTERS: &[&str] =
    &["sudo", "env", "time", "nice", "nohup", "command", "exec", "npx", "bunx", "pnpx", "xvfb-run", "ccache", "stdbuf"];

/// Programs that start another one after words of their own.
const STARTERS_WITH: &[(&str, &str)] = &[
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "exec"),
    ("yarn", "dlx"),
    ("npm", "exec"),
    ("bundle", "exec"),
    ("python", "-m"),
    ("python3", "-m"),
    ("dotenv", "--"),
];

/// Programs that do nothing but this.
const PROGRAMS: &[(Purpose, &[&str])] = &[
    (
        Purpose::Build,
        &[
            "make",
            "gmake",
            "ninja",
            "gcc",
            "g++",
            "cc",
            "c++",
            "clang",
            "clang++",
            "rustc",
            "javac",
            "kotlinc",
            "xcodebuild",
            "webpack",
            "rollup",
            "esbuild",
            "just",
            "ld",
        ],
    ),
    (
        Purpose::Test,
        &[
            "pytest", "py.test", "unittest", "tox", "nox", "jest", "vitest", "mocha", "ava", "rspec", "phpunit",
            "ctest", "karma",
        ],
    ),
    (
        Purpose::Check,
        &[
            "tsc",
            "vue-tsc",
            "ruff",
            "eslint",
            "mypy",
            "pyright",
            "flake8",
            "pylint",
            "biome",
            "rubocop",
            "golangci-lint",
            "staticcheck",
            "shellcheck",
            "phpstan",
            "stylelint",
            "oxlint",
            "hadolint",
            "clippy-driver",
            "clang-tidy",
        ],
    ),
];

/// Programs whose subcommand tells.
const SUBCOMMANDS: &[(&str, Purpose, &[&str])] = &[
    ("cargo", Purpose::Build, &["build", "b", "install", "package"]),
    ("cargo", Purpose::Test, &["test", "t", "nextest", "bench"]),
    ("cargo", Purpose::Check, &["check", "c", "clippy", "doc", "fmt"]),
    ("go", Purpose::Build, &["build", "install", "generate"]),
    ("go", Purpose::Test, &["test"]),
    ("go", Purpose::Check, &["vet"]),
    ("gradle", Purpose::Build, &["build", "assemble", "compileJava", "compileKotlin"]),
    ("gradle", Purpose::Test, &["test", "check"]),
    ("mvn", Purpose::Build, &["compile", "package", "install"]),
    ("mvn", Purpose::Test, &["test", "verify"]),
    ("dotnet", Purpose::Build, &["build", "publish"]),
    ("dotnet", Purpose::Test, &["test"]),
    ("swift", Purpose::Build, &["build"]),
    ("swift", Purpose::Test, &["test"]),
    ("zig", Purpose::Build, &["build"]),
    ("zig", Purpose::Test, &["test"]),
    ("mix", Purpose::Build, &["compile"]),
    ("mix", Purpose::Test, &["test"]),
    ("sbt", Purpose::Build, &["compile"]),
    ("sbt", Purpose::Test, &["test"]),
    ("bazel", Purpose::Build, &["build"]),
    ("bazel", Purpose::Test, &["test"]),
    ("cmake", Purpose::Build, &["--build"]),
    ("meson", Purpose::Build, &["compile"]),
    ("meson", Purpose::Test, &["test"]),
    ("stack", Purpose::Build, &["build"]),
    ("stack", Purpose::Test, &["test"]),
    ("cabal", Purpose::Build, &["build"]),
    ("cabal", Purpose::Test, &["test"]),
    ("deno", Purpose::Test, &["test"]),
    ("deno", Purpose::Check, &["check", "lint"]),
    ("next", Purpose::Build, &["build"]),
    ("vite", Purpose::Build, &["build"]),
    ("docker", Purpose::Build, &["build", "buildx"]),
    ("playwright", Purpose::Test, &["test"]),
    ("cypress", Purpose::Test, &["run"]),
    ("terraform", Purpose::Check, &["validate", "plan"]),
    ("rake", Purpose::Test, &["test", "spec"]),
];

/// Programs that run scripts by the name that the project gave them.
const SCRIPT_RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// What the name of a script says it is for; the first that it holds decides.
const SCRIPT_NAMES: &[(&str, Purpose)] = &[
    ("test", Purpose::Test),
    ("spec", Purpose::Test),
    ("e2e", Purpose::Test),
    ("build", Purpose::Build),
    ("compile", Purpose::Build),
    ("lint", Purpose::Check),
    ("typecheck", Purpose::Check),
    ("type-check", Purpose::Check),
    ("check", Purpose::Check),
    ("tsc", Purpose::Check),
];

/// Commands that change what a build stands on, by program and subcommand: they mend failures without changing a file of the
/// project by an editor.
const MENDERS: &[(&str, &[&str])] = &[
    ("npm", &["install", "i", "ci", "add", "update", "rebuild", "dedupe", "uninstall"]),
    ("pnpm", &["install", "i", "add", "update", "rebuild", "dedupe", "remove"]),
    ("yarn", &["install", "add", "up", "upgrade", "remove"]),
    ("bun", &["install", "add", "update", "remove"]),
    ("pip", &["install", "uninstall"]),
    ("pip3", &["install", "uninstall"]),
    ("uv", &["add", "sync", "lock", "pip", "remove"]),
    ("poetry", &["add", "install", "lock", "update", "remove"]),
    ("pipenv", &["install", "sync", "update"]),
    ("conda", &["install", "update", "create"]),
    ("cargo", &["add", "update", "clean", "fix", "install", "remove", "generate-lockfile"]),
    ("rustup", &["update", "install", "component", "target", "override", "default", "toolchain"]),
    ("go", &["get", "mod", "clean", "generate", "install"]),
    ("make", &["clean", "distclean"]),
    ("mvn", &["clean"]),
    ("gradle", &["clean"]),
    ("bundle", &["install", "update", "add"]),
    ("gem", &["install", "update"]),
    ("composer", &["install", "update", "require"]),
    ("dotnet", &["restore", "add", "clean"]),
    ("apt", &["install"]),
    ("apt-get", &["install"]),
    ("brew", &["install", "upgrade"]),
    ("git", &["submodule", "lfs", "restore", "checkout", "pull"]),
    ("docker", &["pull", "compose", "start"]),
    ("prisma", &["generate", "migrate"]),
    ("buf", &["generate"]),
];

/// Directories that are made by tools: to remove one has everything in it made anew.
const MADE: &[&str] = &["node_modules", "target", "dist", "build", ".next", ".cache", "__pycache__", ".venv", "venv"];

/// Words of a mending command that are shown.
const SHOWN_WORDS_MAX: usize = 8;

/// Finds the commands of a shell line that change what a build stands on, as their words without options.
#[must_use]
pub fn menders(line: &str) -> Vec<String> {
    let end = line.floor_char_boundary(LINE_MAX_BYTES);
    let all = commands(line.get(..end).unwrap_or_default());
    all.iter().filter_map(|words| mender(words)).collect()
}

fn mender(words: &[String]) -> Option<String> {
    let words = without_starters(words);
    let program = basename(words.first()?);
    let mut arguments = words.iter().skip(1).filter(|word| !word.starts_with('-'));
    let mends = match program.as_ref() {
        "rm" => arguments.any(|path| MADE.contains(&basename(path.trim_end_matches('/')).as_ref())),
        name => {
            let subcommand = arguments.next().map(String::as_str)?;
            MENDERS.iter().any(|(known, subcommands)| *known == name && subcommands.contains(&subcommand))
        }
    };
    // Options, addresses and assignments are where passwords stand.
    let is_plain = |word: &&String| !word.starts_with('-') && !word.contains("://") && !word.contains(['=', '@', ':']);
    let shown = words.iter().skip(1).filter(is_plain).take(SHOWN_WORDS_MAX - 1).map(String::as_str);
    mends.then(|| std::iter::once(program.as_ref()).chain(shown).collect::<Vec<_>>().join(" "))
}

/// Finds the last command of a shell line that builds, tests or checks: its outcome is most often the line's.
#[must_use]
pub fn run_of(line: &str) -> Option<Run> {
    let end = line.floor_char_boundary(LINE_MAX_BYTES);
    commands(line.get(..end).unwrap_or_default()).iter().rev().find_map(|words| classify(words))
}

/// The commands of a shell line, each as its words.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    for line in line.lines() {
        let words: Vec<String> = match shlex::split(line) {
            Some(words) => words,
            None => line.split_whitespace().map(str::to_owned).collect(),
        };
        for word in words {
            let is_separator = matches!(word.as_str(), "&&" | "||" | ";" | "|" | "&" | "|&");
            let ended = word.strip_suffix(';').unwrap_or(&word);
            if let (Some(command), false) = (commands.last_mut(), is_separator || ended.is_empty()) {
                command.push(ended.to_owned());
            }
            if is_separator || ended.len() < word.len() {
                commands.push(Vec::new());
            }
        }
        commands.push(Vec::new());
    }
    commands
}

fn classify(words: &[String]) -> Option<Run> {
    let mut words = without_starters(words);
    // Where its output goes is not what it does.
    if let Some(end) = words.iter().position(|word| word.starts_with('>') || word.starts_with("2>") || word == "<") {
        words.truncate(end);
    }
    words.truncate(WORDS_MAX);
    let program = basename(words.first()?).into_owned();
    let is_option = |word: &&String| word.starts_with('-') && word.as_str() != "--build" || word.starts_with('+');
    let subcommand = words.iter().skip(1).find(|word| !is_option(word)).map(String::as_str);
    let purpose = purpose_of(&program, subcommand)?;
    let names_subcommand = PROGRAMS.iter().all(|(_, programs)| !programs.contains(&program.as_str()));
    let tool = match subcommand {
        Some(subcommand) if names_subcommand => format!("{program} {subcommand}"),
        _ => program.clone(),
    };
    if let Some(first) = words.first_mut() {
        *first = program;
    }
    Some(Run { tool, purpose, words })
}

fn purpose_of(program: &str, subcommand: Option<&str>) -> Option<Purpose> {
    if let Some((purpose, _)) = PROGRAMS.iter().find(|(_, programs)| programs.contains(&program)) {
        let names_test = subcommand.is_some_and(|word| word.contains("test"));
        return Some(if *purpose == Purpose::Build && names_test { Purpose::Test } else { *purpose });
    }
    let subcommand = subcommand?;
    if SCRIPT_RUNNERS.contains(&program) {
        return SCRIPT_NAMES.iter().find(|(name, _)| subcommand.contains(name)).map(|(_, purpose)| *purpose);
    }
    // Gradle's tasks carry the path of their module: `:app:test`.
    let task = subcommand.rsplit(':').next().unwrap_or(subcommand);
    let of = |(name, _, subcommands): &&(&str, Purpose, &[&str])| *name == program && subcommands.contains(&task);
    SUBCOMMANDS.iter().find(of).map(|(_, purpose, _)| *purpose)
}

/// Takes away variables and programs that merely start the one that counts.
fn without_starters(words: &[String]) -> Vec<String> {
    let mut rest = words;
    loop {
        rest = match rest {
            [first, ..] if is_assignment(first) || STARTERS.contains(&first.as_str()) => {
                rest.get(1..).unwrap_or_default()
            }
            [first, duration, ..] if first == "timeout" && !duration.starts_with('-') => {
                rest.get(2..).unwrap_or_default()
            }
            [first, second, ..] if STARTERS_WITH.contains(&(basename(first).as_ref(), second.as_str())) => {
                rest.get(2..).unwrap_or_default()
            }
            [runner, run, ..] if run == "run" && SCRIPT_RUNNERS.contains(&runner.as_str()) => {
                let mut short = rest.to_vec();
                short.remove(1);
                return short;
            }
            _ => return rest.to_vec(),
        };
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// The program's name without its directory; wrappers that a project carries count as what they wrap.
fn basename(word: &str) -> Cow<'_, str> {
    let name = word.rsplit('/').next().unwrap_or(word);
    match name {
        "gradlew" => "gradle".into(),
        "mvnw" => "mvn".into(),
        name => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(line: &str) -> Option<(String, Purpose)> {
        run_of(line).map(|run| (run.tool, run.purpose))
    }

    #[test]
    fn builds_tests_and_checks_are_recognised() {
        for (line, name, purpose) in [
            ("cargo test", "cargo test", Purpose::Test),
            ("cd daemon && RUST_LOG=debug cargo +nightly test -p engine 2>&1 | tail -5", "cargo test", Purpose::Test),
            ("cargo nextest run --release", "cargo nextest", Purpose::Test),
            ("cargo clippy -- -D warnings", "cargo clippy", Purpose::Check),
            ("npm test", "npm test", Purpose::Test),
            ("npm run build:prod", "npm build:prod", Purpose::Build),
            ("pnpm -r typecheck", "pnpm typecheck", Purpose::Check),
            ("yarn test --watch=false", "yarn test", Purpose::Test),
            ("npx tsc --noEmit", "tsc", Purpose::Check),
            ("python -m pytest -q tests/test_a.py", "pytest", Purpose::Test),
            ("uv run pytest", "pytest", Purpose::Test),
            ("go test ./...", "go test", Purpose::Test),
            ("make -j8", "make", Purpose::Build),
            ("make test", "make", Purpose::Test),
            ("./gradlew :app:test", "gradle :app:test", Purpose::Test),
            ("ruff check .", "ruff", Purpose::Check),
            ("sudo timeout 60 ./node_modules/.bin/eslint src", "eslint", Purpose::Check),
            ("cmake --build build", "cmake --build", Purpose::Build),
            ("git commit -m 'cargo test' ; go build ./cmd", "go build", Purpose::Build),
        ] {
            assert_eq!(tool(line), Some((name.to_owned(), purpose)), "{line}");
        }
    }

    #[test]
    fn other_commands_are_none() {
        for line in [
            "",
            "ls -la",
            "git log --grep 'cargo test'",
            "cargo run",
            "echo 'npm test",
            "npm install",
            "node build.js",
            "cat make",
        ] {
            assert_eq!(tool(line), None, "{line}");
        }
    }

    #[test]
    fn what_a_build_stands_on_is_changed_by_commands() {
        for (line, expected) in [
            ("npm install left-pad --save-dev && npm test", vec!["npm install left-pad"]),
            ("rm -rf ./node_modules/ ; sudo npm ci", vec!["rm ./node_modules/", "npm ci"]),
            ("python3 -m pip install -r requirements.txt", vec!["pip install requirements.txt"]),
            ("pip install --index-url https://me:secret@host/simple a", vec!["pip install a"]),
            ("cargo update -p serde", vec!["cargo update serde"]),
            ("git submodule update --init", vec!["git submodule update"]),
            ("npm run build; rm notes.txt; cargo build; git status", vec![]),
        ] {
            assert_eq!(menders(line), expected, "{line}");
        }
    }

    #[test]
    fn a_run_covers_a_narrower_failure() {
        let failed = run_of("cargo test -p engine codec").map(|run| run.words).unwrap_or_default();
        let covers = |line: &str| run_of(line).is_some_and(|run| run.covers(&failed));
        assert!(covers("cargo test -p engine codec") && covers("cargo test") && covers("cargo test > log"));
        assert!(!covers("cargo test -p client") && !covers("cargo build"));
    }
}
