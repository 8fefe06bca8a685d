//! The forms that tools give their mistakes, and what stands around them.

use std::sync::LazyLock;

use regex::Regex;

/// The code of a test that failed.
pub(super) const FAILED: &str = "FAILED";

/// Where the part of a line that a pattern matched belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The line says everything.
    Own,
    /// The line says everything, also where it has no message.
    Summary,
    /// A later line of the form `--> file:line` says where.
    Below,
    /// An earlier line says where: a Python traceback's last frame, `ESLint`'s heading.
    Above,
    /// The lines right above are a Python traceback's last frame.
    Raised,
    /// The lines below are a stack.
    Stack,
    /// The lines below are a stack of C's.
    Frames,
    /// The lines below are the message.
    Block,
    /// A later line of the form `symbol: method sum()` says what it is about.
    Symbol,
    /// Lines around it of the form `file:line: message` say what a test logged.
    Log,
    /// The lines below, which belong to it, may end with the rule.
    Rule,
    /// The lines below are the command that failed and what it wrote.
    Target,
    /// The line below says it, unless it is of a form.
    Heading,
    /// The lines below go on where it ends with a colon.
    Reason,
    /// The lines below have the rest of a test's name, up to a colon.
    Titles,
    /// The lines below are the test's place and what it says.
    Numbered,
    /// The lines below may be what a test wrote.
    Output,
    /// The lines above say which assertion of a test failed.
    Assertion,
    /// The lines above have the name of the test, between two rules.
    Title,
    /// A paragraph below may say where and what exactly.
    Detail,
}

/// A form that tools give their mistakes. Its groups are named `code`, `symbol`, `file` and
/// `message`.
pub(super) struct Form {
    pub(super) pattern: Regex,
    pub(super) place: Place,
    /// The code of those that the tool gives none.
    pub(super) code: &'static str,
}

/// From the most telling; the first that matches a line wins. Sources: the tools' own output.
pub(super) static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let forms: &[(&str, Place, &'static str)] = &[
        // deno
        (
            r"^\s*(?:error: )?(?P<code>TS\d+) \[ERROR\]: (?P<message>.+)$",
            Place::Below,
            "",
        ),
        // rustc, clippy
        (
            r"^\s*error(?:\[(?P<code>[A-Za-z]+\d+)\])?: (?P<message>.+)$",
            Place::Below,
            "",
        ),
        // a Rust test or program
        (
            r"^\s*thread '(?P<symbol>[^']+)' (?:\(\d+\) )?panicked at (?P<file>[^:]+):\d+:\d+:?$",
            Place::Own,
            "panic",
        ),
        // tsc, .NET, MSVC
        (
            concat!(
                r"^\s*(?P<file>[^\s(][^(]*?) ?(?:\(\d+(?:,\d+)*\) ?| ): (?:fatal )?error (?P<code>[A-Z]+\d+): ",
                r"(?P<message>.+?)(?: \[[^\]]*\.(?:\w*proj|slnx?)\])?$",
            ),
            Place::Own,
            "",
        ),
        (
            r"^(?P<file>\S+):\d+:\d+ - error (?P<code>TS\d+): (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (r"^error (?P<code>TS\d+): (?P<message>.+)$", Place::Own, ""),
        // ruff, flake8, pylint
        (
            concat!(
                r"^(?P<file>[^\s:]+):\d+:\d+:? (?P<code>[A-Z]+\d+|invalid-syntax)(?:/[\w/-]+)?:? (?:\[\*\] )?",
                r"(?P<message>.+)$",
            ),
            Place::Own,
            "",
        ),
        // Behind what looks like a code, a log has the time.
        (
            r"^(?P<code>[A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(?P<message>[^\d\s].*)$",
            Place::Below,
            "",
        ),
        (
            r"^(?P<code>invalid-syntax): (?P<message>.+)$",
            Place::Below,
            "",
        ),
        // mypy
        (
            r"^(?P<file>[^\s:]+\.pyi?):\d+(?::\d+)*: error: (?P<message>.+?)\s+\[(?P<code>[\w-]+)\]$",
            Place::Own,
            "",
        ),
        // XCTest
        (
            r"^(?P<file>[^\s:]+\.swift):\d+: error: (?:-\[)?(?P<symbol>[\w.]+[. ]\w+)\]? : (?P<message>.+)$",
            Place::Own,
            FAILED,
        ),
        // pyright
        (
            r"^\s*(?P<file>[^\s:]+):\d+:\d+ - error: (?P<message>.+?)(?: \((?P<code>report\w+)\))?$",
            Place::Rule,
            "",
        ),
        // GHC, the undefined-behaviour sanitizer, protoc, sbt, dart
        (
            r"^(?P<file>[^\s:]+):\d+:\d+: error:(?: \[(?P<code>GHC-\d+)\])?(?: \[-W.*\])?$",
            Place::Own,
            "",
        ),
        (
            r"^(?P<file>[^\s:]+):\d+:\d+: runtime error: (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^(?P<file>[^\s:]+\.proto):\d+:\d+: (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^\[error\] (?P<file>[^\s:]+\.(?:scala|java|sbt)):\d+:(?:\d+:)? (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^\s*error - (?P<file>[^\s:]+):\d+:\d+ - (?P<message>.+) - (?P<code>\w+)$",
            Place::Own,
            "",
        ),
        // rubocop, hadolint, shellcheck, actionlint
        (
            r"^(?P<file>[^\s:]+):\d+:\d+: [CWEFR]: (?:\[\w+\] )?(?P<code>[A-Z]\w*/[\w/]+): (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^(?P<file>[^\s:]+):\d+ (?P<code>(?:DL|SC)\d{4}) (?:\w+: )?(?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^\s*\^-* (?P<code>SC\d{4}) \(\w+\): (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^(?P<file>\.github/[^\s:]+):\d+:\d+: (?P<message>.+) \[(?P<code>[\w-]+)\]$",
            Place::Own,
            "",
        ),
        // gcc, clang, clang-tidy, javac, swiftc
        (
            concat!(
                r"^(?P<file>[^\s:]+):\d+:(?:\d+:)? (?:fatal )?error: (?P<message>.+?)",
                r"(?: \[(?:-Werror,)?(?P<code>-W[\w=+-]+|SC\d+|[a-z]+(?:-[\w.]+)+)(?:,-warnings-as-errors)?\])?$",
            ),
            Place::Symbol,
            "",
        ),
        // Kotlin
        (
            concat!(
                r"^e: (?:file://)?(?P<file>(?:/?[A-Za-z]:)?[^\s:]+\.kts?):(?:\d+:\d+:?| \(\d+, \d+\):) ",
                r"(?P<message>[Uu]nresolved reference: (?P<symbol>[A-Za-z_]\w*).*|\S.*)$",
            ),
            Place::Own,
            "",
        ),
        // go
        (
            r"^(?:vet: )?(?P<file>[^\s:]+\.go):\d+:\d+: (?:(?P<code>[A-Z]{1,2}\d{3,4}): )?(?P<message>.+)$",
            Place::Own,
            "",
        ),
        (r"^\s*--- FAIL: (?P<symbol>\S+)", Place::Log, FAILED),
        (
            r"^WARNING: (?P<message>DATA RACE)$",
            Place::Stack,
            "DATA RACE",
        ),
        (
            r"^panic: (?P<message>.+?)(?: \[recovered\].*)?$",
            Place::Own,
            "panic",
        ),
        // cargo test, nextest
        (
            r"^test (?P<symbol>\S+)(?: - should panic)? \.\.\. (?P<message>FAILED)$",
            Place::Own,
            FAILED,
        ),
        (
            r"^\s*(?:FAIL|SIG[A-Z]+|TIMEOUT) \[[^\]]*\] (?:\([^)]*\) )?(?P<message>[\w:-]+) (?P<symbol>[\w:]+)$",
            Place::Own,
            FAILED,
        ),
        // CTest, GoogleTest, Catch2
        (
            concat!(
                r"^\s*\d+/\d+ Test +#\d+: (?P<symbol>\S.*?) \.+\s*(?:[A-Z]\w+ \w+)?\*\*\*",
                r"(?P<message>(?:Failed|Timeout|Exception)(?:: \w+|  \S.*?)?|Not Run):? +\d[\d.]* sec",
            ),
            Place::Output,
            FAILED,
        ),
        (
            concat!(
                r"^\s+\d+ - (?P<symbol>\S.*?) \((?P<message>Failed|Timeout|Not Run|SEGFAULT|ILLEGAL|NUMERICAL|",
                r"INTERRUPT|OTHER_FAULT|BAD_COMMAND|Subprocess (?:aborted|killed)|Exception.*?)\)(?:\s.*)?$",
            ),
            Place::Own,
            FAILED,
        ),
        (
            concat!(
                r"^\[  (?P<message>FAILED)  \] (?P<symbol>(?:\w+/)*\w+\.\w+)(?:/[^\s,]+)?(?:, where .*?)?",
                r"(?: \(\d+ ms\))?$",
            ),
            Place::Assertion,
            FAILED,
        ),
        (r"^(?P<file>[^\s:]+):\d+: FAILED:$", Place::Title, FAILED),
        // Maven, and the tests of Java and .NET
        (
            r"^\[ERROR\] (?P<file>[^\s:]+\.\w+):\[\d+(?:,\d+)?\] (?:error: )?(?P<message>.+)$",
            Place::Symbol,
            "",
        ),
        (
            r"^\[ERROR\] +(?P<symbol>[\w.$]+)(?:\([\w.$]*\))? +(?:-- +)?Time elapsed: .*<<< (?:FAILURE|ERROR)!$",
            Place::Own,
            FAILED,
        ),
        (
            r"^\[ERROR\] +(?P<symbol>[A-Z]\w*\.\w+):\d+ (?P<message>.+)$",
            Place::Own,
            FAILED,
        ),
        (
            r"^(?P<symbol>[\w.$]+ > \S.*?)(?:\(\))? FAILED$",
            Place::Own,
            FAILED,
        ),
        (
            r"^\s*Failed (?P<symbol>[\w.+]+)(?:\(.*\))? \[[^\]]+\]$",
            Place::Own,
            FAILED,
        ),
        (
            r"^\[ERROR\] Failed to execute goal on project \S+: (?P<message>.+?)(?: -> \[Help \d+\])?$",
            Place::Own,
            "",
        ),
        // the linker
        (
            r#"(?P<message>(?:undefined reference to|multiple definition of) [`'‘“"](?P<symbol>[^'`’”"]+)['’”"])"#,
            Place::Own,
            "undefined reference",
        ),
        (
            concat!(
                r#"(?:ld(?:\.\w+)?|lld|mold): (?:error: )?(?P<message>(?:undefined|duplicate) symbol:? "#,
                r#"[`'‘“"]?(?P<symbol>[^`'‘’“”"]+?)['’”"]?)(?: in:)?$"#,
            ),
            Place::Own,
            "undefined reference",
        ),
        (
            r#"^\s+"(?P<symbol>_\S+)", (?P<message>referenced from):$"#,
            Place::Own,
            "undefined reference",
        ),
        (
            r"^\S*ld(?:\.\w+)?: (?P<message>cannot find (?P<symbol>-l\S+?))(?:: No such file .*)?$",
            Place::Own,
            "",
        ),
        // eslint, stylelint, prettier
        (
            r"^\s+\d+:\d+\s+(?:error|✖)\s+(?P<message>.+?)(?:\s{2,}(?P<code>[@\w/-]+))?$",
            Place::Above,
            "",
        ),
        (
            r"^\[error\] (?P<file>[^\s:]+): (?P<code>[A-Z]\w*Error): (?P<message>.+)$",
            Place::Own,
            "",
        ),
        // pytest
        (
            r"^FAILED (?P<file>[^:\s]+)::(?P<symbol>\S+?)(?: - (?P<message>.+))?$",
            Place::Summary,
            FAILED,
        ),
        (
            r"^ERROR (?P<file>[^:\s]+\.py)(?:::(?P<symbol>\S+))?(?: - (?P<message>.+))?$",
            Place::Summary,
            FAILED,
        ),
        (
            concat!(
                r"^E\s+(?:[A-Za-z_]\w*\.)*(?P<code>[A-Z]\w*(?:Error|Exception|Failure|Timeout|Warning)|Failed):",
                r"(?: (?P<message>.+))?$",
            ),
            Place::Above,
            "",
        ),
        (
            r"^E\s+(?:[a-z_]\w*\.)+(?P<code>[A-Z]\w*):(?: (?P<message>.+))?$",
            Place::Above,
            "",
        ),
        (
            r"^E\s+(?P<message>fixture '(?P<symbol>\w+)' not found)$",
            Place::Above,
            "",
        ),
        // unittest, rspec, phpunit
        (
            r"^(?:FAIL|ERROR): (?P<symbol>test\w*) (?P<message>\(.+\))$",
            Place::Own,
            FAILED,
        ),
        (
            r"^rspec (?P<file>\S+?):\d+ # (?P<message>.+)$",
            Place::Own,
            FAILED,
        ),
        (r"^\d+\) (?P<symbol>[\w\\]+::\w+)", Place::Own, FAILED),
        // Bazel
        (
            r"^ERROR: (?P<file>\S+?(?:BUILD(?:\.bazel)?|\.bzl)):\d+:\d+: (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^(?P<symbol>//\S+) +(?P<message>FAILED|TIMEOUT)(?: in .*)?$",
            Place::Own,
            FAILED,
        ),
        // CMake, make
        (
            r"^CMake Error at (?P<file>[^\s:]+):\d+ \(.*\):$",
            Place::Block,
            "",
        ),
        (r"^CMake Error: (?P<message>.+)$", Place::Own, ""),
        (
            concat!(
                r"^(?:\w+-)?g?make(?:\[\d+\])?: \*\*\* ",
                r"(?P<message>No rule to make target [`'](?P<symbol>[^'`]+)'.*?)\.(?:  Stop\.)?$",
            ),
            Place::Own,
            "",
        ),
        (
            r"^(?P<file>[^\s:]+):\d+: \*\*\* (?P<message>.+?)\.(?:  Stop\.)?$",
            Place::Own,
            "",
        ),
        // mocha and Cypress, ExUnit, minitest, node, bun, deno, ScalaTest, flutter
        (
            r"^\s+\d+\) (?P<symbol>(?:test|property|doctest) .+ \([\w.]+\))$",
            Place::Numbered,
            FAILED,
        ),
        (r"^\s+\d+\) (?P<symbol>[^\s›][^›]*)$", Place::Titles, FAILED),
        (
            r"^(?P<symbol>[A-Z][\w:]*#test\w*)(?: \[(?P<file>[^\]:]+):\d+\])?:$",
            Place::Own,
            FAILED,
        ),
        (r"^\s*✖ (?P<symbol>\S.*) \([\d.]+ms\)$", Place::Own, FAILED),
        (
            r"^(?:✗|\(fail\)) (?P<symbol>\S.*?) \[[\d.]+m?s\]$",
            Place::Summary,
            FAILED,
        ),
        (
            r"^(?P<symbol>\S.*?) => (?P<file>\S+?):\d+:\d+$",
            Place::Own,
            FAILED,
        ),
        (
            r"^\[info\] +- (?P<symbol>\S.*?) \*\*\* FAILED \*\*\*.*$",
            Place::Own,
            FAILED,
        ),
        (
            r"^\d+:\d+ \+\d+(?: ~\d+)? -\d+: (?P<symbol>\S.*) \[E\]$",
            Place::Own,
            FAILED,
        ),
        // Ninja
        (
            r"^FAILED: (?:\[code=\d+\] )?(?P<symbol>[^\s:]*[./][^\s:]*)",
            Place::Target,
            FAILED,
        ),
        // Docker, Kubernetes, Ansible
        (
            r"^(?:docker: )?Error response from daemon: (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^Error from server \((?P<code>\w+)\): (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r#"^The \w+ "(?P<symbol>[^"]+)" is invalid: (?P<message>.+)$"#,
            Place::Own,
            "",
        ),
        (
            r#"^fatal: \[[^\]]+\].*?: (?:FAILED|UNREACHABLE)! => .*?"msg": "(?P<message>(?:[^"\\]|\\.)+)""#,
            Place::Own,
            "",
        ),
        // AWS, databases, Node
        (
            r"^ERROR (?P<code>\d{4}) \(\w+\)(?: at line \d+)?: (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^.*?\((?P<code>[A-Z]\w+)\) when calling the (?P<symbol>\w+) operation(?: \([^)]*\))?: (?P<message>.+)$",
            Place::Own,
            "",
        ),
        (
            r"^\s*(?:ERROR: +)?(?P<message>.*SQLSTATE.+)$",
            Place::Own,
            "",
        ),
        (
            r"^\s*(?:Uncaught )?\w*(?:Error|Exception) \[(?P<code>[A-Z][A-Z0-9_]+)\]: (?P<message>.+)$",
            Place::Detail,
            "",
        ),
        // Python and JavaScript
        (
            concat!(
                r#"^(?:Uncaught |Caused by: |\[!\] (?:\([^)]*\) )?|Exception in thread "[^"]*" )?(?:[a-z_]\w*\.)*"#,
                r"(?P<code>[A-Z]\w*(?:Error|Exception|Failure|Timeout)): (?P<message>.+)$",
            ),
            Place::Above,
            "",
        ),
        // Ruby, PHP, Elixir
        (
            r"^(?P<file>[^\s:]+):\d+:in [`'].*': (?P<message>.+) \((?P<code>[A-Z]\w*(?:::\w+)*)\)$",
            Place::Own,
            "",
        ),
        (
            concat!(
                r"^(?:PHP )?(?:Fatal|Parse) error: +(?:Uncaught (?:Error: )?)?(?P<message>.+?)",
                r"(?: in (?P<file>\S+?)(?::\d+| on line \d+))?$",
            ),
            Place::Own,
            "",
        ),
        (
            r"^\*\* \((?P<code>[A-Z][\w.]*)\) (?P<message>.+)$",
            Place::Own,
            "",
        ),
        // C
        (
            concat!(
                r"^(?:\S+: )?(?P<file>[^\s:]+):\d+: (?:.*? )?(?P<symbol>[\w:~]+)(?:\(.*\).*)?: ",
                r"(?P<message>Assertion .+ failed)\.?$",
            ),
            Place::Own,
            "",
        ),
        (
            concat!(
                r"^(?:==\d+==\s*ERROR|WARNING): (?:Address|Thread|Leak|Memory)Sanitizer: ",
                r"(?P<message>(?P<code>data race|[\w-]+).*?)(?: on .*address.*| \(pid.*)?$",
            ),
            Place::Frames,
            "",
        ),
        // jest, vitest
        (
            r"^\s*FAIL +(?:\|[^|]+\| +)?(?P<file>\S+\.\w+) > (?P<symbol>.+)$",
            Place::Own,
            FAILED,
        ),
        (r"^\s*(?P<message>● Console)$", Place::Own, FAILED),
        (
            r"^\s*● (?:Test suite failed to run|(?P<symbol>\S.* › .+|[^\s›:.][^›:.]*))$",
            Place::Above,
            FAILED,
        ),
        // Playwright
        (
            r"^\s+\d+\) (?:\[[^\]]+\] › )?(?P<file>[^\s:]+):\d+:\d+ › (?P<symbol>\S.*?)[ ─]*$",
            Place::Own,
            FAILED,
        ),
        // Vite, webpack, esbuild
        (r"^error during build:$", Place::Heading, ""),
        (
            r"^ERROR in (?P<file>[^\s:(]+)\S*(?: [\d:-]+)?$",
            Place::Heading,
            "",
        ),
        (
            r"^\s*[✘X] \[ERROR\] (?P<message>.+?)(?: \[plugin [\w-]+\])?$",
            Place::Own,
            "",
        ),
        // npm
        (
            r"^npm (?:ERR!|error) code (?P<code>[A-Z]\w+)$",
            Place::Own,
            "",
        ),
        (
            r"^npm (?:ERR!|error) (?P<code>E[A-Z]{4,}) (?P<message>.+)$",
            Place::Own,
            "",
        ),
        // Yarn, of whose codes most are no errors
        (
            r"^➤ (?P<code>YN00(?:01|09|16|18|28|35|41|80|81|82)): (?:│ )?(?P<message>.+)$",
            Place::Own,
            "",
        ),
        // uv, biome and others that draw
        (r"^  × (?P<message>\S.*)$", Place::Reason, ""),
        // Gradle
        (r"^\* What went wrong:$", Place::Block, ""),
        // a shell
        (
            r"^(?:\S+: )?(?:line \d+: )?(?P<symbol>[\w./-]+): (?P<message>command not found|[Nn]o such file or directory|[Pp]ermission denied)$",
            Place::Own,
            "",
        ),
        // the title of a box
        (r"^Error:$", Place::Heading, ""),
        // anything else that says so
        (
            r"^\s*(?:\S+: )?(?:[Ff]atal(?: error)?|FATAL|ERROR|[Ee]rror|FAILURE|FAILED): +(?P<message>[^\s].*)$",
            Place::Detail,
            "",
        ),
        // Python, whatever the exception is called
        (
            r"^(?:[A-Za-z_]\w*\.)*(?P<code>[A-Z]\w*): (?P<message>.+)$",
            Place::Raised,
            "",
        ),
    ];
    forms
        .iter()
        .filter_map(|&(pattern, place, code)| {
            Some(Form {
                pattern: compile(pattern)?,
                place,
                code,
            })
        })
        .collect()
});

/// Compiles a pattern whose classes mean ASCII: what tools print around a message is, and the
/// tables of Unicode make the first use take a hundred times as long.
pub(crate) fn compile(pattern: &str) -> Option<Regex> {
    let ascii = [
        (r"\w", "[0-9A-Za-z_]"),
        (r"\d", "[0-9]"),
        (r"\s", r"[ \t]"),
        (r"\S", r"[^ \t\n]"),
        (r"\b", r"(?-u:\b)"),
    ];
    let pattern = ascii
        .iter()
        .fold(pattern.to_owned(), |pattern, (class, meant)| {
            pattern.replace(class, meant)
        });
    Regex::new(&pattern).ok()
}

#[cfg(test)]
mod tests {
    use super::super::faults;

    #[test]
    fn kotlins_mistakes_are_the_same_however_gradle_writes_them() {
        let prints = |output: &str| {
            faults(output)
                .iter()
                .map(super::super::Fault::fingerprint)
                .collect::<Vec<_>>()
        };
        let new = "> Task :app:compileKotlin FAILED\ne: file:///home/a/app/src/Rows.kt:12:5 Unresolved reference: rows\n";
        let old = "e: /work/b/src/Rows.kt: (44, 9): unresolved reference: rows\n";
        let found = faults(new);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].symbol.as_str(), found[0].line("/home/a/app")),
            (
                "rows",
                "Unresolved reference: rows (src/Rows.kt)".to_owned()
            )
        );
        assert_eq!(prints(new), prints(old));
        assert_ne!(
            prints(new),
            prints("e: file:///home/a/app/src/Rows.kt:12:5 Unresolved reference: row\n")
        );
        let quoted =
            faults("e: file:///C:/app/build.gradle.kts:3:1: Type mismatch: 'Rows' expected");
        assert_eq!(
            quoted
                .first()
                .map(|fault| (fault.symbol.as_str(), fault.file.as_str())),
            Some(("Rows", "/C:/app/build.gradle.kts"))
        );
        assert!(faults("e: warnings found and -Werror specified").is_empty());
    }
}
