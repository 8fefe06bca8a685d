//! What the output of a build or test says of how it went, where no exit status does: behind a
//! pipe, before another command, and with clients that do not tell.
//!
//! A failure is believed before a success, and a success only in the tools' own words: what is
//! unclear stays unknown, so that nothing counts as mended that is not. Sources: the tools' own
//! output.

use std::sync::LazyLock;

use regex::Regex;

use super::command::{Purpose, Run};
use super::fault::{compile, faults, plain};

/// How a build or test went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It found nothing wrong.
    Succeeded,
    /// It found something wrong, or broke down.
    Failed,
    /// Nobody says.
    Unknown,
}

impl Verdict {
    /// Judges a run by its output alone.
    #[must_use]
    pub fn of(run: &Run, output: &str) -> Self {
        if helix_ablation::is_off("command/verdict") {
            return Self::Unknown;
        }
        let plain = plain(output);
        let says =
            |pattern: Option<&Regex>| pattern.is_some_and(|pattern| pattern.is_match(&plain));
        if says(FAILED.as_ref()) {
            return Self::Failed;
        }
        let succeeded = match run.purpose {
            Purpose::Build => BUILT.as_ref(),
            Purpose::Test => TESTED.as_ref(),
            Purpose::Check => CHECKED.as_ref(),
            Purpose::Install => INSTALLED.as_ref(),
            // What a program of the project says when it is content is its own.
            Purpose::Run => None,
        };
        if says(succeeded) {
            return if run.is_filtered {
                Self::Unknown
            } else {
                Self::Succeeded
            };
        }
        // Beside a success, mistakes are somebody's words.
        if faults(output).is_empty() {
            Self::Unknown
        } else {
            Self::Failed
        }
    }
}

/// Compiles everything, so that the first failure is not answered late.
pub fn warm_up() {
    LazyLock::force(&FAILED);
    for pattern in [&BUILT, &TESTED, &CHECKED, &INSTALLED] {
        LazyLock::force(pattern);
    }
}

/// How a line may begin before the tool's own words: Turborepo's and pnpm's names of the package,
/// in which it runs.
const PREFIX: &str = r"(?m)^[ \t]*(?:[@\w./-]+[: ][\w:-]+: ?)?";

/// Words with which a line of a failed command begins.
const FAILURES: &[&str] = &[
    // cargo
    r"error: (?:could not (?:compile|document)|aborting due to|process didn't exit|doctest failed)",
    r"error: (?:test (?:run )?failed|[1-9]\d* targets? failed)",
    r"test result: FAILED",
    r"Summary \[.*\b[1-9]\d* (?:failed|timed out)",
    r"Diff in .+(?::\d+:?| at line \d+:?)$",
    // npm, pnpm, yarn, bun
    r"npm (?:ERR!|error)(?: |$)",
    r"[^0-9A-Za-z\n]*(?:ELIFECYCLE|ERR_PNPM_\w+)\b",
    r"error Command failed with",
    r"➤ YN\d+:.*Failed with errors",
    r"error: script .* exited with",
    r"(?:FATAL ERROR|<--- JS stacktrace)",
    // make, ninja, CMake
    r"(?:\w+-)?g?make(?:\[\d+\])?: \*\*\*",
    r"ninja: (?:build stopped|error|fatal)",
    r"FAILED: \S",
    r"(?:CMake Error|-- Configuring incomplete)",
    r"\d+% tests passed, [1-9]\d* tests? failed",
    r"(?:The following tests FAILED:|Errors while running CTest)",
    r"\d+/\d+ Test +#\d+: .*\*\*\*(?:Failed|Timeout|Exception)",
    r"(?:\d+: )?\[  FAILED  \] ",
    r"(?:\[doctest\] )?test cases: .*\b[1-9]\d* failed(?:\s*\||\s*$)",
    // Gradle, Maven, .NET, Xcode, Bazel
    r"(?:\[INFO\] )?BUILD FAIL(?:ED|URE)\b",
    r"(?:FAILURE: Build failed|> Task \S+ FAILED)",
    r"\[ERROR\] (?:Failed to execute|COMPILATION ERROR)",
    r"(?:\[\w+\] )?Tests run: \d+, +Failures: (?:[1-9]|0, +Errors: [1-9])",
    r"(?:Build FAILED|Failed! +- Failed:|Test Run Failed)",
    r"\*\* \w+ FAILED \*\*",
    r"Executed \d+ tests?, with [1-9]",
    r"(?:ERROR: Build did NOT complete|Executed \d+ out of .*\b[1-9]\d* fails?)",
    // pytest, unittest, tox, nox
    r"(?:=+ )?(?:\d+ [a-z]+, )*[1-9]\d* (?:failed\b|errors?(?:,| in | =|$))",
    r"!+ Interrupted: \d+ errors? during",
    r"FAILED \(",
    r"(?:evaluation failed|nox > .*\bfailed)",
    // go, gotestsum
    r"(?:--- FAIL: |FAIL(?:[ \t]+\S|$)|panic: |fatal error: )",
    r"(?:WARNING: DATA RACE|exit status [1-9])",
    r"DONE \d+ tests?,.*\b[1-9]\d* (?:failure|error)s?",
    // jest, vitest, mocha, bun, node, deno, playwright, cypress
    r"(?:Tests?(?: Files| Suites)?|Snapshots):?[ \t]+(?:[^\n]*[ |,])?[1-9]\d* failed",
    r"Errors[ \t]+[1-9]\d* errors?$",
    r"[1-9]\d* (?:failing\b|fail$)",
    r"[#ℹ] fail [1-9]",
    r"(?:FAILED \| \d+ passed|error: Type checking failed)",
    r"✖ +\d+ of \d+ failed",
    // vite, next, webpack, rollup, esbuild, turbo
    r"(?:error during build:|Failed to compile\b|Build error occurred)",
    r"(?:[✗✘×x] )?Build failed (?:in|because|with)",
    r"webpack .*compiled with [1-9]\d* errors?",
    r"(?:\[!\] |✘ \[ERROR\]|ERROR +run failed)",
    // rspec, minitest, phpunit
    r"(?:\d+ examples?, [1-9]\d* failures?|An error occurred while loading)",
    r"\d+ (?:runs|tests), \d+ assertions, (?:[1-9]\d* failures|\d+ failures, [1-9]\d* errors)",
    r"(?:FAILURES|ERRORS)!$",
    // tsc, ruff, mypy, eslint, pyright, compilers and formatters
    r".*\berror (?:TS|CS|FS|MSB|NU)\d+:",
    r"Found [1-9]\d* errors?(?:\.?$| in | \(checked| \(\d+ fixed, [1-9])",
    r"(?:✖ \d+ problems? \([1-9]|ESLint found too many warnings)",
    r"[1-9]\d* errors?(?:, \d+ warnings?| generated)",
    r"[1-9]\d* issues?:$",
    r"(?:[Ww]ould reformat|[1-9]\d* files? would be reformatted|Oh no!)",
    r"(?:\[warn\] )?Code style issues",
    r"Found [1-9]\d* problems?",
    // ExUnit, lein, flutter, zig, sbt, pre-commit
    r"(?:\d+ doctests?, )?\d+ tests?, [1-9]\d* failures?",
    r"(?:[1-9]\d* failures, \d+ errors|\d+ failures, [1-9]\d* errors)\.$",
    r"(?:[\d:]+ \+\d+.*)?Some tests failed\.",
    r"Build Summary: .*\bfailed\b",
    r"\[error\] (?:Total time|\([\w /]+\) )",
    r".*\.{6,}Failed$",
    // containers and infrastructure
    r"(?:ERROR: failed to (?:solve|build)|│ Error: )",
    r"[×x] Failed to ",
    // what breaks down
    r"(?:\S+: line \d+: +\d+ )?(?:Segmentation fault|Aborted \(|Bus error|Illegal instruction|Floating point exception)",
    r"(?:\S+: line \d+: +\d+ )?(?:Killed|Terminated)(?:  |$)",
    r"[Ee]xit(?:ed with)? [Cc]ode:? [1-9]",
    r"(?:(?:EXIT|[Ee]xit)(?:[_ ]?(?:CODE|[Cc]ode|STATUS|[Ss]tatus))?|rc|RC) ?[:=]+ ?[1-9]\d*$",
];

/// Words of builds that succeeded.
const BUILT_WORDS: &[&str] = &[
    r"Finished (?:`|dev|release|\[)",
    r"(?:\[INFO\] )?BUILD SUCCESS",
    r"Build succeeded",
    r"\*\* \w+ SUCCEEDED \*\*",
    r"Build complete!",
    r"✓ built in",
    r"(?:✓ )?Generating static pages \(\d+/\d+\)$",
    r"Route \((?:app|pages)\)",
    r"webpack .*compiled (?:successfully|with \d+ warnings?)",
    r"(?:Compiled successfully\.?$|⚡ Done in|created .+ in [\d.]+m?s|.*Build success in)",
    r"ninja: no work to do",
    r"g?make(?:\[\d+\])?: (?:Nothing to be done|.* is up to date)",
    r"\[100%\] Built target",
    r"INFO: Build completed successfully",
    r"Successfully (?:built|tagged)",
    r"Application bundle generation complete",
    r"Build Summary: \d+/\d+ steps succeeded",
    r"\[success\] Total time",
];

/// Words of tests that succeeded.
const TESTED_WORDS: &[&str] = &[
    r"test result: ok",
    r"Summary \[.*\b\d+ passed",
    r"ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))",
    r"(?:=+ )?(?:\d+ [a-z]+, )*[1-9]\d* passed\b",
    r"Tests?:?[ \t]+(?:\d+ \w+[ ,|]+)*[1-9]\d* passed",
    r"[1-9]\d* (?:passing\b|pass$)",
    r"[#ℹ] fail 0$",
    r"ok \| \d+ passed",
    r"(?:\[INFO\] )?BUILD SUCCESS",
    r"(?:Passed! +- Failed: +0|Test Run Successful)",
    r"\*\* TEST SUCCEEDED \*\*",
    r"Executed \d+ tests?, with 0 failures",
    r"Executed \d+ out of \d+ tests?: \d+ tests? pass",
    r"100% tests passed",
    r"\[  PASSED  \] [1-9]",
    r"All tests passed \(\d+ assertions?",
    r"\[doctest\] Status: SUCCESS",
    r"[1-9]\d* examples?, 0 failures",
    r"\d+ (?:runs|tests), \d+ assertions, 0 failures, 0 errors",
    r"OK(?: \(skipped=\d+\))?$",
    r"OK \(\d+ tests?",
    r"congratulations :\)",
    r"DONE \d+ tests?(?:, \d+ skipped)? in",
    r"(?:\d+ doctests?, )?[1-9]\d* tests?, 0 failures",
    r"0 failures, 0 errors\.$",
    r"(?:[\d:]+ \+\d+.*)?All tests passed!",
    r"\[success\] Total time",
];

/// Words of linters, formatters and checkers of types that are content.
const CHECKED_WORDS: &[&str] = &[
    r"Finished (?:`|dev|release|\[)",
    r"BUILD SUCCESS",
    r"Found 0 errors",
    r"Found \d+ errors? \(\d+ fixed, 0 remaining\)",
    r"Success: no issues found",
    r"All checks passed!",
    r"0 errors, \d+ warnings?",
    r"✖ \d+ problems? \(0 errors",
    r"All matched files use Prettier",
    r"\d+ files? (?:already formatted|would be left unchanged|left unchanged)",
    r"All done!",
    r"0 issues\.",
    r"Checked \d+ files?\b",
    r"\[OK\] No errors",
    r"Success! The configuration is valid",
    r"\d+ files? inspected, no offenses",
    r".*\.{6,}Passed$",
];

/// Words of installations that succeeded.
const INSTALLED_WORDS: &[&str] = &[
    r"(?:added|changed|removed) \d+ packages?",
    r"(?:up to date|Already up to date)\b",
    r"found 0 vulnerabilities",
    r"(?:✨ +)?Done in [\d.]",
    r"success (?:Saved|Already)",
    r"➤ YN0000: .*\bDone\b",
    r"(?:\d+ packages? installed|Checked \d+ installs)",
    r"Successfully installed",
    r"(?:Installed|Audited) \d+ packages?",
    r"(?:Bundle complete|Bundle updated|Generating autoload files)",
];

static FAILED: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(FAILURES));
static BUILT: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(BUILT_WORDS));
static TESTED: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(TESTED_WORDS));
static CHECKED: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(CHECKED_WORDS));
static INSTALLED: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(INSTALLED_WORDS));

fn any_of(patterns: &[&str]) -> Option<Regex> {
    compile(&format!("{PREFIX}(?:{})", patterns.join("|")))
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
