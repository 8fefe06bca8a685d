//! What the output of a failed command says went wrong: a code, a symbol, a place and a message, and a fingerprint that the
//! same mistake has tomorrow, on another line and in another checkout.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Faults taken from one output, the first ones: later ones most often follow from them.
pub const FAULTS_MAX: usize = 5;

/// Lines of an output that are looked at, from its start and from its end.
const LINES_MAX: usize = 2_000;

/// Longest line that is looked at, in bytes; longer ones are data.
const LINE_MAX_BYTES: usize = 2_000;

/// Longest message, in characters.
const MESSAGE_MAX_CHARS: usize = 300;

/// One mistake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// The tool's own name for it: `E0382`, `TS2322`, `TypeError`; empty when it has none.
    pub code: String,
    /// What it is about: the first quoted name, or the test that failed; empty when there is none.
    pub symbol: String,
    /// The file, as the tool wrote it; empty when it names none.
    pub file: String,
    /// What the tool says, without the place.
    pub message: String,
}

impl Fault {
    /// What is the same tomorrow: the first eight bytes of a BLAKE3, in hexadecimal.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        for part in [self.code.as_str(), &self.symbol, file, &normal(&self.message)] {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        hasher.finalize().as_bytes().iter().take(8).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    }

    /// One line for a reader: `E0382 borrow of moved value: x (src/a.rs)`.
    #[must_use]
    pub fn line(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let says_code = self.code.is_empty() || self.message.contains(&self.code);
        parts.extend((!says_code).then(|| self.code.clone()));
        let says_symbol = self.symbol.is_empty() || self.message.contains(&self.symbol);
        parts.extend((!says_symbol).then(|| format!("{}:", self.symbol)));
        parts.push(self.message.clone());
        parts.extend((!self.file.is_empty()).then(|| format!("({})", self.file)));
        parts.join(" ")
    }

    /// The words to look for it with: the message, the code and the symbol.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} {} {}", self.code, self.symbol, self.message).trim().to_owned()
    }
}

/// Where the part of a line that a pattern matched belongs.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The line says everything.
    Own,
    /// A later line of the form `--> file:line` says where.
    Below,
    /// An earlier line says where: a Python traceback's last frame, `ESLint`'s heading.
    Above,
}

/// A form that tools give their mistakes. Its groups are named `code`, `symbol`, `file` and `message`.
struct Form {
    pattern: Regex,
    place: Place,
    code: &'static str,
}

/// From the most telling; the first that matches a line wins. Sources: the tools' own output.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let forms: &[(&str, Place, &'static str)] = &[
        // rustc, clippy
        (r"^\s*error(?:\[(?P<code>[A-Za-z]+\d+)\])?: (?P<message>.+)$", Place::Below, ""),
        // a Rust test or program
        (r"^\s*thread '(?P<symbol>[^']+)' (?:\(\d+\) )?panicked at (?P<file>[^:]+):\d+:\d+:?$", Place::Own, "panic"),
        // tsc
        (r"^(?P<file>[^\s(][^(]*)\(\d+,\d+\): error (?P<code>TS\d+): (?P<message>.+)$", Place::Own, ""),
        (r"^(?P<file>\S+):\d+:\d+ - error (?P<code>TS\d+): (?P<message>.+)$", Place::Own, ""),
        // ruff, flake8, pylint
        (r"^(?P<file>[^\s:]+):\d+:\d+:? (?P<code>[A-Z]+\d+):? (?:\[\*\] )?(?P<message>.+)$", Place::Own, ""),
        (r"^(?P<code>[A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(?P<message>.+)$", Place::Below, ""),
        // mypy
        (r"^(?P<file>[^\s:]+\.pyi?):\d+(?::\d+)?: error: (?P<message>.+?)  \[(?P<code>[\w-]+)\]$", Place::Own, ""),
        // gcc, clang, javac, swiftc
        (r"^(?P<file>[^\s:]+):\d+:(?:\d+:)? (?:fatal )?error: (?P<message>.+)$", Place::Own, ""),
        // go
        (r"^(?:vet: )?(?P<file>[^\s:]+\.go):\d+:\d+: (?P<message>.+)$", Place::Own, ""),
        (r"^\s*--- FAIL: (?P<symbol>\S+)", Place::Own, "FAIL"),
        // the linker
        (r"undefined reference to [`'](?P<symbol>[^'`]+)'", Place::Own, "undefined reference"),
        // eslint
        (r"^\s+\d+:\d+\s+error\s+(?P<message>.+?)\s{2,}(?P<code>[@\w/-]+)$", Place::Above, ""),
        // pytest
        (r"^FAILED (?P<file>[^:\s]+)::(?P<symbol>[^\s]+?)(?: - (?P<message>.+))?$", Place::Own, "FAILED"),
        // Python and JavaScript
        (
            r"^(?:E\s+|Uncaught )?(?:[a-z_]\w*\.)*(?P<code>[A-Z]\w*(?:Error|Exception)): (?P<message>.+)$",
            Place::Above,
            "",
        ),
        // jest, vitest
        (r"^\s*(?:●|FAIL ) (?P<message>\S.* › .+|\S.* > .+)$", Place::Own, "FAIL"),
        // npm
        (r"^npm (?:ERR!|error) code (?P<code>[A-Z]\w+)$", Place::Own, ""),
        // a shell
        (
            r"^(?:\S+: )?(?:line \d+: )?(?P<symbol>[\w./-]+): (?P<message>command not found|[Nn]o such file or directory|[Pp]ermission denied)$",
            Place::Own,
            "",
        ),
        // anything else that says so
        (
            r"^\s*(?:\S+: )?(?:[Ff]atal(?: error)?|FATAL|ERROR|[Ee]rror|FAILURE|FAILED): (?P<message>.+)$",
            Place::Own,
            "",
        ),
    ];
    forms.iter().filter_map(|&(pattern, place, code)| Some(Form { pattern: compile(pattern)?, place, code })).collect()
});

/// Compiles a pattern whose classes mean ASCII: what tools print around a message is, and the tables of Unicode make the first
/// use take a hundred times as long.
fn compile(pattern: &str) -> Option<Regex> {
    let ascii =
        [(r"\w", "[0-9A-Za-z_]"), (r"\d", "[0-9]"), (r"\s", r"[ \t]"), (r"\S", r"[^ \t]"), (r"\b", r"(?-u:\b)")];
    let pattern = ascii.iter().fold(pattern.to_owned(), |pattern, (class, meant)| pattern.replace(class, meant));
    Regex::new(&pattern).ok()
}

/// Compiles everything, so that the first failure is not answered late.
pub fn warm_up() {
    LazyLock::force(&FORMS);
    for pattern in [&ECHO, &ARROW, &FRAME, &HEADING, &QUOTED, &ESCAPES, &PATHS, &NUMBERS] {
        LazyLock::force(pattern);
    }
}

/// What only says that something above went wrong.
static ECHO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(concat!(
        r"^(?:could not compile|aborting due to|build failed|test failed, to rerun|process didn't exit|\d+ (?:target|previous|error)|",
        r"command failed|Command failed|recipe for target|.* returned non-zero|script returned|Lifecycle script|doctest failed|",
        r"linking with .* failed)"
    ))
});

static ARROW: LazyLock<Option<Regex>> = LazyLock::new(|| compile(r"^\s*(?:-->|at) (?P<file>[^\s:]+):\d+(?::\d+)?"));
static FRAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r#"^\s*File "(?P<file>[^"]+)", line \d+(?:, in (?P<symbol>[\w<>.]+))?"#));
static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| compile(r"^(?P<file>\S*/\S+\.\w{1,5})$"));
static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r#"[`'"‘“](?P<symbol>[A-Za-z_$][\w$:.<>&-]{0,79})[`'"’”]|(?:undefined|cannot find symbol|undeclared name): (?P<bare>[A-Za-z_][\w.]{0,79})"#,
    )
});
static ESCAPES: LazyLock<Option<Regex>> = LazyLock::new(|| compile("\x1b\\[[0-9;?]*[A-Za-z]"));
static PATHS: LazyLock<Option<Regex>> = LazyLock::new(|| compile(r"(?:[A-Za-z]:)?[\w.@~-]*[/\\][\w./\\@~-]+(?::\d+)*"));
static NUMBERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8,}\b|\d+(?:\.\d+)*"));

/// Finds the mistakes that an output tells of, each once, in order.
#[must_use]
pub fn faults(output: &str) -> Vec<Fault> {
    let plain = replaced(ESCAPES.as_ref(), output, "");
    let lines = telling_lines(&plain);
    let mut found: Vec<Fault> = Vec::new();
    for at in 0..lines.len() {
        if found.len() == FAULTS_MAX {
            break;
        }
        if let Some(fault) = fault_at(&lines, at).filter(|fault| !found.contains(fault)) {
            found.push(fault);
        }
    }
    found
}

fn telling_lines(output: &str) -> Vec<&str> {
    let lines: Vec<&str> = output.lines().map(str::trim_end).filter(|line| line.len() <= LINE_MAX_BYTES).collect();
    let (start, end) = (LINES_MAX / 2, lines.len().saturating_sub(LINES_MAX / 2));
    if end <= start {
        return lines;
    }
    lines.iter().take(start).chain(lines.iter().skip(end)).copied().collect()
}

fn fault_at(lines: &[&str], at: usize) -> Option<Fault> {
    let line = lines.get(at)?;
    let (form, captures) = FORMS.iter().find_map(|form| Some((form, form.pattern.captures(line)?)))?;
    let mut fault = Fault {
        code: group(&captures, "code"),
        symbol: group(&captures, "symbol"),
        file: group(&captures, "file"),
        message: group(&captures, "message"),
    };
    if ECHO.as_ref().is_some_and(|echo| echo.is_match(&fault.message)) {
        return None;
    }
    if fault.code.is_empty() {
        form.code.clone_into(&mut fault.code);
    }
    match form.place {
        Place::Own => {}
        Place::Below => {
            fault.file = found_in(lines.iter().skip(at + 1).take(4), ARROW.as_ref(), "file").unwrap_or_default();
        }
        Place::Above => look_above(&mut fault, lines, at),
    }
    if fault.message.is_empty() {
        // A panic and a failed test say it on the next line.
        let next = lines.iter().skip(at + 1).map(|line| line.trim()).find(|line| !line.is_empty());
        next.unwrap_or_default().clone_into(&mut fault.message);
    }
    fault.message = fault.message.chars().take(MESSAGE_MAX_CHARS).collect();
    if fault.symbol.is_empty() {
        fault.symbol = quoted(&fault.message).unwrap_or_default();
    }
    Some(fault)
}

/// A traceback's last frame, or the file under whose name a linter lists.
fn look_above(fault: &mut Fault, lines: &[&str], at: usize) {
    let above = || lines.get(at.saturating_sub(60)..at).unwrap_or_default().iter().rev();
    if let Some(file) = found_in(above(), FRAME.as_ref(), "file") {
        fault.symbol =
            found_in(above(), FRAME.as_ref(), "symbol").filter(|name| !name.starts_with('<')).unwrap_or_default();
        fault.file = file;
    } else {
        fault.file = found_in(above(), HEADING.as_ref(), "file").unwrap_or_default();
    }
}

fn found_in<'a>(mut lines: impl Iterator<Item = &'a &'a str>, pattern: Option<&Regex>, name: &str) -> Option<String> {
    let pattern = pattern?;
    lines.find_map(|line| pattern.captures(line)).map(|captures| group(&captures, name))
}

fn quoted(message: &str) -> Option<String> {
    let captures = QUOTED.as_ref()?.captures(message)?;
    let name = captures.name("symbol").or_else(|| captures.name("bare"))?;
    Some(name.as_str().to_owned())
}

fn group(captures: &Captures<'_>, name: &str) -> String {
    captures.name(name).map_or("", |found| found.as_str()).trim().to_owned()
}

/// A message without what differs from one time to the next: paths and numbers.
fn normal(message: &str) -> String {
    let plain = replaced(NUMBERS.as_ref(), &replaced(PATHS.as_ref(), message, "<path>"), "#");
    plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn replaced(pattern: Option<&Regex>, text: &str, with: &str) -> String {
    pattern.map_or_else(|| text.to_owned(), |pattern| pattern.replace_all(text, with).into_owned())
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
