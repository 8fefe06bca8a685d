//! What is looked for around a line that tells of a mistake, and within its message.

use std::sync::LazyLock;

use regex::Regex;

use super::forms::compile;

/// Compiles everything.
pub(super) fn warm_up() {
    for pattern in PATTERNS {
        LazyLock::force(pattern);
    }
}

/// Whatever is looked for beside the forms.
pub(super) const PATTERNS: [&LazyLock<Option<Regex>>; 15] = [
    &ECHO,
    &ARROW,
    &FRAME,
    &SHORT_FRAME,
    &SECTION,
    &HEADING,
    &QUOTED,
    &ESCAPES,
    &PATHS,
    &NUMBERS,
    &LINT,
    &NAMED,
    &PEER,
    &LABEL,
    &JAVA_SYMBOL,
];

/// What only says that something above went wrong.
pub(super) static ECHO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(concat!(
        r"^(?:could not compile|aborting due to|build failed|test failed, to rerun|process didn't exit|\d+ (?:target|previous|error)|",
        r"command failed|Command failed|recipe for target|.* returned non-zero|script returned|Lifecycle script|doctest failed|",
        r"Build did NOT complete|Analysis of target .* failed|(?:Compiling|Building|Linking) .* failed: \(Exit|",
        r"fatalError$|",
        r"Execution failed for task '[^']*'\. (?:There were failing tests|Compilation (?:failed|error))|",
        r"expect\(|Test failed$|subprocess-exited-with-error|(?:Building|Failed building) wheel for|",
        r"linking with .* failed|ld returned \d|linker command failed|● Console$|Build failed with an exception|\(none\)|script .* exited with)"
    ))
});

pub(super) static ARROW: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^\s*(?:-->|at) (?P<file>[^\s:]+):\d+(?::\d+)?"));
pub(super) static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(r#"^\s*File "(?P<file>[^"]+)", line \d+(?:, in (?P<symbol>[\w<>.]+))?"#)
});
/// That of rich.
pub(super) static SHORT_FRAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^(?P<file>\S+\.py):\d+ in (?P<symbol>[\w<>.]+)$"));
/// The place that Terraform names under the title of a mistake.
pub(super) static SECTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^\s+on (?P<file>\S+) line \d+"));
pub(super) static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(r"^(?:\s*FAIL +)?(?P<file>\S*/\S+\.\w{1,5})(?: \([0-9.]+ m?s\)| \[ \S+ \])?$")
});
pub(super) static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r#"[`'"‘“](?P<symbol>[A-Za-z_$][\w$:.<>&-]{0,79})[`'"’”]|(?:undefined|cannot find symbol|undeclared name): (?P<bare>[A-Za-z_][\w.]{0,79})"#,
    )
});
pub(super) static ESCAPES: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile("\x1b\\[[0-9;?]*[A-Za-z]"));
pub(super) static PATHS: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"(?:[A-Za-z]:)?[\w.@~-]*[/\\][\w./\\@~-]+(?::\d+)*"));
/// Those within a name are a part of it: `i64` is not `i32`.
pub(super) static NUMBERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8,}\b|\b\d+(?:\.\d+)*"));
/// The lint that a diagnostic of rustc or clippy comes from: its note or its address.
pub(super) static LINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r"(?:(?P<address>rust-clippy/\S*#)|#\[(?:deny|forbid)\(|-D )(?P<tool>clippy::)?(?P<lint>[a-z_-]+)",
    )
});
/// Names that systems give to what went wrong, wherever they stand in a message.
pub(super) static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(concat!(
        r"\b(?:(?P<code>ERR_[A-Z][A-Z0-9_]+|ORA-\d{4,5}|TS\d{4,5}|class file major version \d+|",
        r"E(?:ADDR(?:INUSE|NOTAVAIL)|NOENT|ACCES|PERM|CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|EXIST|MFILE|NOSPC|NOTFOUND|PIPE|",
        r"NOTEMPTY|ISDIR|NOTDIR|INVAL|NOMEM|BUSY|AI_AGAIN|XDEV|ROFS|HOSTUNREACH|RESOLVE|INTEGRITY))\b|",
        r"SQLSTATE[ \[:=]{1,3}(?P<state>[0-9A-Z]{5})\b)"
    ))
});
/// The package whose wish npm cannot fulfil.
pub(super) static PEER: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"\bpeer (?P<symbol>@?[\w./-]+)@"));
/// What a Java compiler does not find.
pub(super) static JAVA_SYMBOL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(r"^(?:\[ERROR\])?\s*symbol:\s*(?P<message>(?:\w+ )?(?P<symbol>[\w.$]+).*)$")
});
/// What stands under the source that a diagnostic of rustc is about.
pub(super) static LABEL: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^[\s\d]*\|[^^]*\^[\s^-]*(?P<message>[A-Za-z`].*)$"));
