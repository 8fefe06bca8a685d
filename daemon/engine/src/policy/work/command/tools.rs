//! Which programs build, test, check, install and start others. Additions belong here.

use super::Purpose;

/// Programs that start another one, which is what counts.
pub(super) const STARTERS: &[&str] = &[
    "sudo",
    "env",
    "time",
    "nice",
    "nohup",
    "command",
    "exec",
    "npx",
    "bunx",
    "pnpx",
    "xvfb-run",
    "ccache",
    "stdbuf",
    "cross-env",
];

/// Programs that start another one after words of their own.
pub(super) const STARTERS_WITH: &[(&str, &str)] = &[
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
    ("pdm", "run"),
    ("pixi", "run"),
    ("python", "-m"),
    ("python3", "-m"),
    ("coverage", "run"),
    ("mise", "exec"),
    ("direnv", "exec"),
    ("dotenv", "--"),
];

/// Options that take the next word as their value, of the programs that take them before the word that counts.
pub(super) const VALUED: &[(&str, &[&str])] = &[
    ("npm", &["--prefix", "-C", "-w", "--workspace", "--userconfig", "--loglevel"]),
    ("pnpm", &["-C", "--dir", "-F", "--filter", "--workspace-concurrency", "--reporter"]),
    ("yarn", &["--cwd"]),
    ("bun", &["--cwd", "--filter", "-F"]),
    ("turbo", &["--filter", "-F", "--cwd"]),
    ("npx", &["-p", "--package"]),
    ("cargo", &["--config", "-C", "--color", "-Z", "--manifest-path"]),
    ("go", &["-C"]),
    ("make", &["-C", "-f", "--directory", "--file"]),
    ("ninja", &["-C", "-f"]),
    ("gradle", &["-p", "--project-dir", "-x", "--exclude-task", "-I", "--init-script", "-b", "--console"]),
    ("mvn", &["-f", "-pl", "-P", "-s", "--file", "--projects", "--settings"]),
    ("uv", &["--with", "--package", "--extra", "--group", "--project", "--directory", "--python", "-p", "--env-file"]),
    ("poetry", &["-C", "--directory", "-P", "--project"]),
    ("pdm", &["-p", "--project"]),
    ("hatch", &["-e", "--env"]),
    ("python", &["-W", "-X"]),
    ("python3", &["-W", "-X"]),
    ("coverage", &["--source", "--rcfile", "--omit", "--include"]),
    ("docker", &["--context", "-H", "-f", "--file", "-p"]),
    ("bazel", &["--bazelrc"]),
    ("dotenv", &["-e", "-f"]),
    ("sudo", &["-u", "-g"]),
    ("env", &["-u", "-C"]),
    ("timeout", &["-k", "-s"]),
    ("xvfb-run", &["-s", "-n"]),
    ("time", &["-f", "-o"]),
];

/// Programs that do nothing but this.
pub(super) const PROGRAMS: &[(Purpose, &[&str])] = &[
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
            "webpack-cli",
            "tsup",
        ],
    ),
    (
        Purpose::Test,
        &[
            "pytest",
            "py.test",
            "unittest",
            "tox",
            "nox",
            "jest",
            "vitest",
            "mocha",
            "ava",
            "rspec",
            "phpunit",
            "ctest",
            "karma",
            "gotestsum",
            "pytest-3",
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
pub(super) const SUBCOMMANDS: &[(&str, Purpose, &[&str])] = &[
    ("cargo", Purpose::Build, &["build", "b", "install", "package"]),
    ("cargo", Purpose::Test, &["test", "t", "nextest", "bench"]),
    ("cargo", Purpose::Check, &["check", "c", "clippy", "doc", "fmt"]),
    ("cargo", Purpose::Test, &["tarpaulin", "llvm-cov", "miri", "mutants"]),
    ("cargo", Purpose::Run, &["run", "r"]),
    ("go", Purpose::Build, &["build", "install", "generate"]),
    ("go", Purpose::Test, &["test"]),
    ("go", Purpose::Check, &["vet"]),
    ("go", Purpose::Run, &["run"]),
    ("mvn", Purpose::Build, &["compile", "package", "install", "deploy", "test-compile"]),
    ("mvn", Purpose::Test, &["test", "verify", "integration-test"]),
    ("dotnet", Purpose::Build, &["build", "publish", "pack"]),
    ("dotnet", Purpose::Run, &["run"]),
    ("dotnet", Purpose::Test, &["test"]),
    ("swift", Purpose::Build, &["build"]),
    ("swift", Purpose::Test, &["test"]),
    ("swift", Purpose::Run, &["run"]),
    ("zig", Purpose::Build, &["build"]),
    ("zig", Purpose::Test, &["test"]),
    ("mix", Purpose::Build, &["compile"]),
    ("mix", Purpose::Test, &["test"]),
    ("sbt", Purpose::Build, &["compile"]),
    ("sbt", Purpose::Test, &["test"]),
    ("bazel", Purpose::Build, &["build"]),
    ("bazel", Purpose::Test, &["test"]),
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
    ("rails", Purpose::Test, &["test"]),
    ("hatch", Purpose::Test, &["test"]),
    ("hatch", Purpose::Build, &["build"]),
    ("hatch", Purpose::Check, &["fmt"]),
    ("pdm", Purpose::Test, &["test"]),
    ("pdm", Purpose::Build, &["build"]),
    ("uv", Purpose::Build, &["build"]),
    ("poetry", Purpose::Build, &["build"]),
    ("wrangler", Purpose::Build, &["build"]),
];

/// Programs that build or check only with one of these options.
pub(super) const FLAGGED: &[(&str, Purpose, &[&str])] = &[
    ("cmake", Purpose::Build, &["--build"]),
    ("prettier", Purpose::Check, &["--check", "-c", "--list-different", "-l"]),
    ("black", Purpose::Check, &["--check"]),
    ("isort", Purpose::Check, &["--check", "--check-only", "-c"]),
    ("rustfmt", Purpose::Check, &["--check"]),
    ("node", Purpose::Test, &["--test"]),
    ("clang-format", Purpose::Check, &["--dry-run", "-n"]),
];

/// Subcommands whose next word tells: `cargo xtask test`, `docker compose build`.
pub(super) const PREFIXES: &[(&str, &[&str])] =
    &[("cargo", &["xtask", "make", "hack", "leptos", "tauri"]), ("docker", &["compose"])];

/// How the tasks of Gradle begin that do this; each variant has its own: `assembleDebug`.
pub(super) const GRADLE_TASKS: &[(&str, Purpose)] = &[
    ("assemble", Purpose::Build),
    ("build", Purpose::Build),
    ("bundle", Purpose::Build),
    ("compile", Purpose::Build),
    ("install", Purpose::Build),
    ("publish", Purpose::Build),
    ("test", Purpose::Test),
    ("connected", Purpose::Test),
    ("check", Purpose::Test),
    ("lint", Purpose::Check),
    ("detekt", Purpose::Check),
    ("ktlint", Purpose::Check),
    ("spotlessCheck", Purpose::Check),
    ("run", Purpose::Run),
    ("bootRun", Purpose::Run),
];

/// Commands that fetch what a build stands on, by program and subcommand; most of them are menders as well.
pub(super) const INSTALLERS: &[(&str, &[&str])] = &[
    ("npm", &["install", "i", "ci", "add", "update", "rebuild"]),
    ("pnpm", &["install", "i", "add", "update", "rebuild"]),
    ("yarn", &["install", "add", "up", "upgrade"]),
    ("bun", &["install", "add", "update"]),
    ("pip", &["install"]),
    ("pip3", &["install"]),
    ("uv", &["add", "sync", "lock", "pip"]),
    ("poetry", &["add", "install", "lock", "update"]),
    ("pdm", &["add", "install", "lock", "sync", "update"]),
    ("pipenv", &["install", "sync", "update"]),
    ("conda", &["install", "update", "create"]),
    ("cargo", &["add", "update", "fetch"]),
    ("go", &["get", "mod"]),
    ("bundle", &["install", "update", "add"]),
    ("composer", &["install", "update", "require"]),
    ("dotnet", &["restore"]),
];

/// Programs that run scripts by the name that the project gave them.
pub(super) const SCRIPT_RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "turbo", "lerna", "nx"];

/// What the name of a script says it is for; the first that it holds decides.
pub(super) const SCRIPT_NAMES: &[(&str, Purpose)] = &[
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
pub(super) const MENDERS: &[(&str, &[&str])] = &[
    ("npm", &["install", "i", "ci", "add", "update", "rebuild", "dedupe", "uninstall"]),
    ("pnpm", &["install", "i", "add", "update", "rebuild", "dedupe", "remove"]),
    ("yarn", &["install", "add", "up", "upgrade", "remove"]),
    ("bun", &["install", "add", "update", "remove"]),
    ("pip", &["install", "uninstall"]),
    ("pip3", &["install", "uninstall"]),
    ("uv", &["add", "sync", "lock", "pip", "remove"]),
    ("poetry", &["add", "install", "lock", "update", "remove"]),
    ("pipenv", &["install", "sync", "update"]),
    ("pdm", &["add", "install", "lock", "sync", "update", "remove"]),
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
pub(super) const MADE: &[&str] =
    &["node_modules", "target", "dist", "build", ".next", ".cache", "__pycache__", ".venv", "venv"];
