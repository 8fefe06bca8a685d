//! Which options leave what is tested as it is. Additions belong here.

/// The options of some programs. A name that has an equals sign is meant with that value alone.
pub(super) struct Options {
    /// Any program when there are none.
    pub(super) programs: &'static [&'static str],
    /// Letters that only change what is told, which may stand together: `-xvs`.
    pub(super) letters: &'static str,
    /// Letters whose value may stand right behind them, whatever it is; a number may in any case.
    pub(super) attached: &'static str,
    pub(super) report: &'static [&'static str],
    /// Those whose value may be the next word.
    pub(super) report_valued: &'static [&'static str],
    pub(super) pace: &'static [&'static str],
    pub(super) way: &'static [&'static str],
    pub(super) way_valued: &'static [&'static str],
}

const NONE: Options = Options {
    programs: &[],
    letters: "",
    attached: "",
    report: &[],
    report_valued: &[],
    pace: &[],
    way: &[],
    way_valued: &[],
};

/// What a script in JavaScript may pass on to what it runs.
const SCRIPTED: &[&str] = &[
    "--bail",
    "--ci",
    "--color",
    "--colors",
    "--coverage",
    "--no-color",
    "--no-coverage",
    "--no-watch",
    "--run",
    "--silent",
    "--verbose",
    "--watch=false",
    "--watchAll=false",
    "-s",
];

/// The options of programs, and those that mean the same to all. To run what failed alone (`--lf`)
/// tells as much as to run all.
pub(super) const TABLE: &[Options] = &[
    Options {
        programs: &["pytest", "py.test", "pytest-3"],
        letters: "lqsvx",
        attached: "nrW",
        report: &[
            "--cov",
            "--cov-append",
            "--cov-branch",
            "--disable-warnings",
            "--exitfirst",
            "--failed-first",
            "--ff",
            "--full-trace",
            "--last-failed",
            "--lf",
            "--new-first",
            "--nf",
            "--no-header",
            "--no-summary",
            "--quiet",
            "--showlocals",
            "--stepwise",
            "--sw",
            "--verbose",
        ],
        report_valued: &[
            "--capture",
            "--color",
            "--cov-report",
            "--durations",
            "--durations-min",
            "--junit-xml",
            "--junitxml",
            "--log-cli-level",
            "--log-level",
            "--maxfail",
            "--show-capture",
            "--tb",
            "--verbosity",
            "-r",
        ],
        pace: &["--numprocesses", "-n"],
        way: &["--create-db", "--forked", "--no-cov"],
        way_valued: &[
            "--dist",
            "--import-mode",
            "--pythonwarnings",
            "--reruns",
            "--rootdir",
            "-W",
            "-p",
        ],
    },
    Options {
        programs: &["unittest"],
        letters: "bfqv",
        report: &["--buffer", "--failfast", "--locals", "--quiet", "--verbose"],
        ..NONE
    },
    Options {
        programs: &["cargo"],
        letters: "qv",
        report: &[
            "--hide-progress-bar",
            "--keep-going",
            "--no-capture",
            "--no-fail-fast",
            "--nocapture",
            "--quiet",
            "--show-output",
            "--timings",
            "--verbose",
        ],
        report_valued: &[
            "--color",
            "--failure-output",
            "--final-status-level",
            "--message-format",
            "--show-progress",
            "--status-level",
            "--success-output",
        ],
        way_valued: &["--retries"],
        ..NONE
    },
    Options {
        programs: &["go"],
        report: &[
            "-benchmem",
            "-count=1",
            "-cover",
            "-failfast",
            "-json",
            "-v",
            "-work",
            "-x",
        ],
        report_valued: &["-covermode", "-coverpkg", "-coverprofile"],
        pace: &["-p", "-parallel"],
        ..NONE
    },
    Options {
        programs: &["gotestsum"],
        report: &["-v"],
        report_valued: &["--format", "-f"],
        ..NONE
    },
    Options {
        programs: &["jest"],
        report: SCRIPTED,
        report_valued: &["--reporters"],
        pace: &["-w"],
        way: &["-i", "--detectOpenHandles", "--passWithNoTests"],
        ..NONE
    },
    Options {
        programs: &[
            "npm",
            "pnpm",
            "yarn",
            "bun",
            "turbo",
            "lerna",
            "nx",
            "vitest",
            "mocha",
            "ava",
            "playwright",
            "cypress",
        ],
        report: SCRIPTED,
        report_valued: &["--reporter"],
        way: &["--passWithNoTests"],
        way_valued: &["--retries", "--retry"],
        ..NONE
    },
    Options {
        programs: &["node"],
        report_valued: &["--test-reporter"],
        ..NONE
    },
    Options {
        programs: &["deno"],
        letters: "q",
        report: &["--quiet"],
        report_valued: &["--reporter"],
        ..NONE
    },
    Options {
        programs: &["tsc", "vue-tsc"],
        report: &[
            "--diagnostics",
            "--explainFiles",
            "--extendedDiagnostics",
            "--listEmittedFiles",
            "--listFiles",
            "--noErrorTruncation",
            "--pretty",
            "--traceResolution",
        ],
        ..NONE
    },
    Options {
        programs: &["eslint"],
        report: &["--color", "--debug", "--no-color", "--stats"],
        report_valued: &["--format", "-f"],
        ..NONE
    },
    Options {
        programs: &["ruff"],
        letters: "qsv",
        report: &[
            "--quiet",
            "--show-fixes",
            "--silent",
            "--statistics",
            "--verbose",
        ],
        report_valued: &["--output-format"],
        ..NONE
    },
    Options {
        programs: &["mypy"],
        letters: "v",
        report: &[
            "--no-color-output",
            "--no-error-summary",
            "--pretty",
            "--show-column-numbers",
            "--show-error-codes",
            "--show-error-context",
            "--verbose",
        ],
        way: &["--no-incremental"],
        ..NONE
    },
    Options {
        programs: &["make", "gmake"],
        letters: "ksw",
        report: &[
            "--keep-going",
            "--no-print-directory",
            "--print-directory",
            "--quiet",
            "--silent",
            "--trace",
            "V=0",
            "V=1",
            "VERBOSE=1",
        ],
        way: &["--always-make", "-B"],
        ..NONE
    },
    Options {
        programs: &["ninja"],
        letters: "v",
        report: &["--quiet", "--verbose"],
        ..NONE
    },
    Options {
        programs: &["cmake"],
        letters: "v",
        report: &["--verbose"],
        pace: &["--parallel"],
        way: &["--clean-first"],
        ..NONE
    },
    Options {
        programs: &["ctest"],
        letters: "QV",
        report: &[
            "--extra-verbose",
            "--output-on-failure",
            "--progress",
            "--quiet",
            "--rerun-failed",
            "--stop-on-failure",
            "--verbose",
        ],
        pace: &["--parallel"],
        ..NONE
    },
    Options {
        programs: &["gradle"],
        letters: "Sdiqsw",
        report: &[
            "--continue",
            "--debug",
            "--full-stacktrace",
            "--info",
            "--profile",
            "--quiet",
            "--scan",
            "--stacktrace",
            "--warn",
        ],
        report_valued: &["--console", "--warning-mode"],
        pace: &["--parallel"],
        ..NONE
    },
    Options {
        programs: &["mvn"],
        letters: "BVXeq",
        attached: "T",
        report: &[
            "--batch-mode",
            "--debug",
            "--errors",
            "--fail-at-end",
            "--no-transfer-progress",
            "--quiet",
            "--show-version",
            "-fae",
            "-ntp",
        ],
        pace: &["--threads", "-T"],
        way: &["--update-snapshots", "-U"],
        ..NONE
    },
    Options {
        programs: &["dotnet"],
        report: &["--nologo"],
        report_valued: &["--logger", "--verbosity", "-v"],
        ..NONE
    },
    Options {
        programs: &["rspec"],
        report: &[
            "--backtrace",
            "--color",
            "--fail-fast",
            "--no-color",
            "--only-failures",
            "-b",
        ],
        report_valued: &["--format", "-f"],
        ..NONE
    },
    Options {
        programs: &["phpunit", "pest"],
        report: &[
            "--debug",
            "--no-progress",
            "--stop-on-failure",
            "--testdox",
            "--verbose",
            "-v",
        ],
        report_valued: &["--colors"],
        ..NONE
    },
    Options {
        programs: &["mix"],
        report: &["--color", "--failed", "--trace"],
        ..NONE
    },
    Options {
        programs: &["swift"],
        letters: "qv",
        report: &["--quiet", "--verbose"],
        pace: &["--parallel"],
        ..NONE
    },
    Options {
        programs: &["flutter", "dart"],
        report_valued: &["--reporter", "-r"],
        ..NONE
    },
    Options {
        programs: &["bazel"],
        letters: "ks",
        report: &["--keep_going", "--subcommands", "--verbose_failures"],
        report_valued: &["--color", "--curses", "--test_output"],
        ..NONE
    },
    Options {
        programs: &["tox", "nox"],
        letters: "qv",
        report: &["--quiet", "--verbose"],
        ..NONE
    },
    Options {
        programs: &["docker", "docker-compose"],
        report_valued: &["--progress"],
        ..NONE
    },
    Options {
        programs: &["xcodebuild"],
        report: &["-quiet", "-verbose"],
        ..NONE
    },
    Options {
        pace: &[
            "--jobs",
            "--max-workers",
            "--maxWorkers",
            "--test-threads",
            "--workers",
            "-j",
        ],
        way: &[
            "--no-file-parallelism",
            "--no-parallel",
            "--runInBand",
            "--all-features",
            "--cache-clear",
            "--forceExit",
            "--legacy-peer-deps",
            "--locked",
            "--no-cache",
            "--no-daemon",
            "--no-default-features",
            "--offline",
            "--refresh-dependencies",
            "--release",
            "--rerun-tasks",
            "--update-snapshots",
            "--updateSnapshot",
            "-race",
            "-u",
        ],
        way_valued: &[
            "--features",
            "--pool",
            "--profile",
            "--tags",
            "--testTimeout",
            "--timeout",
            "-F",
            "-count",
            "-tags",
            "-timeout",
        ],
        ..NONE
    },
];
