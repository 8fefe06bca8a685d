//! What a shell line merely reads: a file, or what it searches for. Some agents have no other tool for either.
//!
//! Only what is certain counts: no variable, no pattern of files, and nothing that might not have run.

use super::super::shell::{Line, Simple};
use super::changes::{Changes, rewritten};
use super::{DEPTH_MAX, basename, joined, read, script, without_starters};

/// Bytes of a line that merely reads; a longer one does more.
const LINE_MAX_BYTES: usize = 2 * 1024;

/// Programs through which a reader's output may go that show it still.
const FILTERS: &[&str] = &[
    "awk", "cat", "column", "cut", "egrep", "grep", "head", "less", "more", "nl", "rg", "sed", "sort", "tail", "tr",
    "uniq",
];

/// Programs beside readers and filters that change nothing.
const IDLE: &[&str] = &[
    "cd", "pushd", "popd", "pwd", "ls", "echo", "printf", "true", "find", "fd", "tree", "stat", "file", "wc", "which",
    "date", "test", "[",
];

/// What makes a word another one than it is, or several: variables, substitutions, patterns of files, homes.
const EXPANDED: [char; 9] = ['$', '`', '*', '?', '{', '}', '~', '<', '>'];

/// A program that reads or searches, and which of its options take a value.
struct Program {
    name: &'static str,
    does: Does,
    /// Letters of the short ones.
    valued: &'static str,
    /// The long ones, where the value may be a word of its own.
    valued_long: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Show,
    /// Shows what its script says.
    Edit,
    /// Searches its input unless it is told where.
    Search,
    /// Searches the directory unless it is told where.
    SearchHere,
}

const GREP_LONG: &[&str] =
    &["after-context", "before-context", "context", "exclude", "exclude-dir", "file", "include", "max-count", "regexp"];

const RG_LONG: &[&str] = &[
    "after-context",
    "before-context",
    "color",
    "colors",
    "context",
    "encoding",
    "file",
    "glob",
    "iglob",
    "ignore-file",
    "max-columns",
    "max-count",
    "max-depth",
    "max-filesize",
    "regexp",
    "replace",
    "sort",
    "sortr",
    "threads",
    "type",
    "type-not",
];

const PROGRAMS: &[Program] = &[
    Program { name: "cat", does: Does::Show, valued: "", valued_long: &[] },
    Program { name: "head", does: Does::Show, valued: "nc", valued_long: &["lines", "bytes"] },
    Program { name: "tail", does: Does::Show, valued: "ncs", valued_long: &["lines", "bytes"] },
    Program { name: "nl", does: Does::Show, valued: "bdfhilnsvw", valued_long: &[] },
    Program { name: "sed", does: Does::Edit, valued: "efl", valued_long: &["expression", "file"] },
    Program { name: "rg", does: Does::SearchHere, valued: "ABCEMTdefgjmrt", valued_long: RG_LONG },
    Program { name: "grep", does: Does::Search, valued: "ABCDdefm", valued_long: GREP_LONG },
    Program { name: "egrep", does: Does::Search, valued: "ABCDdefm", valued_long: GREP_LONG },
];

/// What a line reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The file, or what is searched for.
    pub what: Read,
    /// Where the line goes before; `None` when it stays.
    pub directory: Option<String>,
}

/// A file or a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// A file, the first of several.
    File(String),
    /// A search for an expression, in one place if it names one.
    Search {
        /// As an extended expression.
        pattern: String,
        /// The file or the directory.
        path: Option<String>,
    },
}

/// Finds what a line reads first.
#[must_use]
pub fn reading(line: &str) -> Option<Reading> {
    // Almost no line is one, and reading one takes longer than looking.
    let may_be = line.len() <= LINE_MAX_BYTES && PROGRAMS.iter().any(|program| line.contains(program.name));
    let found = if may_be { reading_within(line, 0) } else { None };
    found.filter(|_| rewritten(line) == Changes::default())
}

/// Whether a command only reads and shows: a line in which another one runs does more.
fn is_idle(words: &[String]) -> bool {
    words.first().is_none_or(|program| {
        let name = basename(program);
        let is_reader = PROGRAMS.iter().any(|program| program.name == name);
        is_reader || FILTERS.contains(&name.as_ref()) || IDLE.contains(&name.as_ref()) || script(words).is_some()
    })
}

fn reading_within(text: &str, depth: usize) -> Option<Reading> {
    let line = read(text);
    let mut directory: Option<String> = None;
    if !line.commands.iter().all(|command| is_idle(&without_starters(&command.words))) {
        return None;
    }
    for (at, command) in line.commands.iter().enumerate() {
        let words = without_starters(&command.words);
        if let [cd, to] = words.as_slice()
            && (cd == "cd" || cd == "pushd")
        {
            if to.starts_with('-') || to.contains(EXPANDED) {
                return None;
            }
            directory = Some(joined(directory.as_deref(), to));
        } else if let Some(script) = script(&words).filter(|_| depth < DEPTH_MAX) {
            let found = reading_within(script, depth + 1)?;
            let inner = found.directory.map(|inner| joined(directory.as_deref(), &inner));
            return Some(Reading { directory: inner.or(directory), ..found });
        } else if is_shown(&line, at)
            && let Some(what) = read_by(&words)
        {
            return Some(Reading { what, directory });
        }
    }
    None
}

/// Whether the command at a place surely ran, on files and not on what another one wrote, and its output is seen.
fn is_shown(line: &Line, at: usize) -> bool {
    let is_filter =
        |filter: &Simple| filter.words.first().is_some_and(|word| FILTERS.contains(&basename(word).as_ref()));
    let goes_elsewhere = |command: &Simple| !command.outputs.is_empty();
    let is_seen = !line.commands.get(at).is_some_and(goes_elsewhere) && !line.filters(at).iter().any(goes_elsewhere);
    line.runs_in_any_case(at) && !line.is_piped_to(at) && is_seen && line.filters(at).iter().all(is_filter)
}

fn read_by(words: &[String]) -> Option<Read> {
    let (program, arguments) = words.split_first()?;
    let program = PROGRAMS.iter().find(|known| known.name == basename(program))?;
    let given = Given::of(program, arguments);
    let mut operands = given.operands.iter().copied();
    match program.does {
        Does::Show => file(operands.next()?),
        Does::Edit => {
            let script = given.value("e", "expression").or_else(|| operands.next())?;
            let prints = given.has("n", &["quiet", "silent"]) && script.ends_with(['p', 'q']);
            let writes = given.has("i", &["in-place"]) || given.has("f", &["file"]);
            if prints && !writes { file(operands.next()?) } else { None }
        }
        Does::Search | Does::SearchHere => searched(program, &given),
    }
}

fn file(word: &str) -> Option<Read> {
    (!word.contains(EXPANDED) && word != "-").then(|| Read::File(word.to_owned()))
}

/// A search for what is there: not for lines or files without it, and not for what stands in a file.
fn searched(program: &Program, given: &Given<'_>) -> Option<Read> {
    // One letter means another thing to each.
    let letters = if program.does == Does::SearchHere { "vf" } else { "vfL" };
    let is_other = given.has(letters, &["invert-match", "files-without-match", "file", "files", "type-list"]);
    let mut operands = given.operands.iter().copied();
    let pattern = given.value("e", "regexp").or_else(|| operands.next()).filter(|_| !is_other)?;
    let is_here = program.does == Does::SearchHere || given.has("rR", &["recursive", "dereference-recursive"]);
    let paths: Vec<&str> = operands.collect();
    let is_certain = !expands(pattern) && (is_here || !paths.is_empty());
    let path = match paths.as_slice() {
        [path] if !path.contains(EXPANDED) && *path != "-" => Some((*path).to_owned()),
        _ => None,
    };
    let is_basic = program.name == "grep" && !given.has("EPF", &["extended-regexp", "perl-regexp", "fixed-strings"]);
    let pattern = if is_basic { extended(pattern) } else { pattern.to_owned() };
    (is_certain && !pattern.is_empty()).then_some(Read::Search { pattern, path })
}

/// Whether a pattern holds what a shell may replace. A dollar sign in front of no name is an anchor.
fn expands(pattern: &str) -> bool {
    let mut behind = pattern.split('$').skip(1);
    let is_named = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '{' | '('));
    pattern.contains('`') || behind.any(is_named)
}

/// A basic expression as an extended one: what is escaped in one is not in the other.
fn extended(basic: &str) -> String {
    let mut extended = String::with_capacity(basic.len());
    let mut rest = basic.chars().peekable();
    while let Some(next) = rest.next() {
        let swaps = |c: &char| matches!(c, '|' | '(' | ')' | '{' | '}' | '+' | '?');
        if next == '\\' {
            match rest.next_if(swaps) {
                Some(operator) => extended.push(operator),
                None => extended.extend([Some('\\'), rest.next()].into_iter().flatten()),
            }
        } else {
            extended.extend(swaps(&next).then_some('\\'));
            extended.push(next);
        }
    }
    extended
}

/// The arguments of a program, told apart.
struct Given<'a> {
    /// Short options by their letter, long ones by their name, each with its value if it takes one.
    options: Vec<(&'a str, Option<&'a str>)>,
    operands: Vec<&'a str>,
}

impl<'a> Given<'a> {
    fn of(program: &Program, arguments: &'a [String]) -> Self {
        let mut given = Self { options: Vec::new(), operands: Vec::new() };
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if word == "--" {
                given.operands.extend(rest);
                break;
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let is_behind = value.is_none() && program.valued_long.contains(&name);
                given.options.push((name, if is_behind { rest.next() } else { value }));
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                given.take_letters(program, letters, &mut rest);
            } else {
                given.operands.push(word);
            }
        }
        given
    }

    /// Takes options of one letter each. The first that takes a value has what is behind it, or the next word.
    fn take_letters(&mut self, program: &Program, letters: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        for (at, letter) in letters.char_indices() {
            let (name, behind) = letters.get(at..).unwrap_or_default().split_at(letter.len_utf8());
            if program.valued.contains(letter) {
                let value = if behind.is_empty() { rest.next() } else { Some(behind) };
                self.options.push((name, value));
                return;
            }
            self.options.push((name, None));
        }
    }

    fn has(&self, letters: &str, names: &[&str]) -> bool {
        let is_it = |name: &str| if name.len() == 1 { letters.contains(name) } else { names.contains(&name) };
        self.options.iter().any(|(name, _)| is_it(name))
    }

    /// The value of an option that is given once.
    fn value(&self, letter: &str, name: &str) -> Option<&'a str> {
        let mut values = self.options.iter().filter(|(given, _)| *given == letter || *given == name);
        values.next().and_then(|(_, value)| *value).filter(|_| values.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> String {
        let Some(Reading { what, directory }) = reading(line) else { return String::new() };
        let directory = directory.map(|directory| format!("in {directory}: ")).unwrap_or_default();
        match what {
            Read::File(file) => format!("{directory}{file}"),
            Read::Search { pattern, path: Some(path) } => format!("{directory}/{pattern}/ {path}"),
            Read::Search { pattern, path: None } => format!("{directory}/{pattern}/"),
        }
    }

    #[test]
    fn files_are_read_by_several_programs() {
        for (line, expected) in [
            ("cat src/a.rs", "src/a.rs"),
            ("cat -n src/a.rs src/b.rs", "src/a.rs"),
            ("sed -n '1,80p' src/a.rs", "src/a.rs"),
            ("sed -n -e '10,$p' src/a.rs", "src/a.rs"),
            ("head -n 20 a.py", "a.py"),
            ("head -20 a.py", "a.py"),
            ("tail -n20 'my file.txt'", "my file.txt"),
            ("nl -ba src/a.rs | sed -n '1,80p'", "src/a.rs"),
            ("cat src/a.rs | head -50", "src/a.rs"),
            ("cat app/[id]/page.tsx 2>/dev/null", "app/[id]/page.tsx"),
            ("cd crates/a && cat src/lib.rs", "in crates/a: src/lib.rs"),
            ("pwd; sed -n 1,5p a.rs && sed -n 1,5p b.rs", "a.rs"),
            ("bash -lc \"cd x && cat a.rs\"", "in x: a.rs"),
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
    }

    #[test]
    fn searches_have_a_pattern_and_may_have_a_place() {
        for (line, expected) in [
            ("rg parse_header", "/parse_header/"),
            ("rg -n 'fn\\s+parse_header' src", "/fn\\s+parse_header/ src"),
            ("rg -n -trust -g '*.rs' -C 3 parse_header src/a.rs | head -5", "/parse_header/ src/a.rs"),
            ("rg --type rust --glob=!target foo_bar a b", "/foo_bar/"),
            ("grep -rn parse_header src/", "/parse_header/ src/"),
            ("grep -rnA3 -- '-> Header' .", "/-> Header/ ."),
            ("grep -n 'parse_header(' src/a.rs", "/parse_header\\(/ src/a.rs"),
            ("grep -rn --include='*.rs' 'parse_header\\|read_rows' src", "/parse_header|read_rows/ src"),
            ("grep -rnE 'parse_header|read_rows'", "/parse_header|read_rows/"),
            ("grep -rne foo_bar$ src", "/foo_bar$/ src"),
            ("rg foo_bar src/*.rs", "/foo_bar/"),
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_not_certain_or_does_more_is_no_reading() {
        for line in [
            "",
            "cargo build",
            "ls src",
            "cat",
            "cat src/a.rs > b.rs",
            "cat a.rs b.rs | sort > c",
            "cat a.rs; rm -rf build",
            "cat a.rs && git push",
            "./run.sh; cat a.rs",
            "cat a.rs && sed -i s/a/b/ a.rs",
            "grep -rn foo_bar . >/dev/null",
            "cat - ",
            "cat $FILE",
            "cat src/*.rs",
            "cat ~/notes.md",
            "cat `which x`",
            "cat > a.rs <<'EOF'\nfn a() {}\nEOF",
            "cat a.rs | wc -l",
            "cat a.rs | xargs rm",
            "git log | grep foo_bar",
            "git show HEAD:a.rs | sed -n 1,5p",
            "test -f a.rs || cat a.rs",
            "if true; then cat a.rs; fi",
            "for f in a b; do cat \"$f\"; done",
            "cd \"$DIR\" && cat a.rs",
            "sed -i 's/a/b/' a.rs",
            "sed 's/a/b/' a.rs",
            "sed -n -i '1p' a.rs",
            "grep foo_bar",
            "grep -v foo_bar a.rs",
            "grep -rf patterns src",
            "rg --files src",
            "rg \"$WHAT\" src",
            "echo cat a.rs",
            "locate foo",
        ] {
            assert_eq!(found(line), "", "{line}");
        }
        assert_eq!(found(&format!("cat {}a.rs", "x/".repeat(LINE_MAX_BYTES))), "");
    }
}
