//! What pytest writes around an exception: where it was raised, in which test, and what a failed
//! assertion called.

use std::sync::LazyLock;

use regex::Regex;

use super::around::{found_in, group};
use super::forms::compile;
use super::marks::{is_telling_code, is_telling_name};
use super::patterns::FRAME;
use super::{Fault, QUOTES, bare, quoted, telling_lines};

/// Lines of a message of several, behind which the place stands, and lines between a message and
/// the summary.
const BELOW_MAX_LINES: usize = 200;

/// Lines above an exception in which the test's name is looked for: the source of the functions
/// that it came through.
const ABOVE_MAX_LINES: usize = 400;

/// Functions that a failed assertion is known by.
const ASSERTED_MAX: usize = 4;

/// How assertions begin, and unittest's methods for them.
const ASSERT: &str = "assert";

/// Exceptions that an output is known by.
const RAISED_MAX: usize = 3;

/// Exceptions that say by themselves what is missing, whoever asks for it.
const PLACELESS: &[&str] = &["ImportError", "ModuleNotFoundError"];

/// Behind a message: `labels/zpl.py:9: IndexError`.
static PLACE: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^(?P<file>(?:[A-Za-z]:)?[^\s:]+):\d+: [A-Z][\w.]*$"));
/// Above a short one: `labels/zpl.py:9: in render`.
static STEP: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^(?P<file>(?:[A-Za-z]:)?[^\s:]+):\d+: in \S+$"));
/// What stands above all that is told of one test.
static TITLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^_+ (?:ERROR at \w+ of )?(?P<symbol>[A-Za-z].*) _+$"));
/// A line of the summary at the end.
static SUMMARY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r"^(?:FAILED|ERROR) (?P<file>[^:\s]+\.py)(?:::(?P<symbol>\S+))?(?: - (?P<message>.+))?$",
    )
});
/// A failed assertion, as it is written and as pytest explains it: `>  assert total(1) == 3`, `E  +
/// where 2 = total(1)`.
static ASSERTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^(?:>\s+assert\b|E\s+\+\s+(?:where|and)\s)"));
/// The exception of a test, where its place or the summary names it: `labels/zpl.py:9:
/// CopyWarning`.
static RAISED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r"^(?:\S+\.py:\d+: |(?:FAILED|ERROR) \S+ - )(?:[A-Za-z_]\w*\.)*(?P<name>[A-Z]\w*)(?::.*)?$",
    )
});
static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| compile(r"(?P<symbol>[A-Za-z_]\w*)\("));

const PATTERNS: [&LazyLock<Option<Regex>>; 7] =
    [&PLACE, &STEP, &TITLE, &SUMMARY, &ASSERTION, &RAISED, &CALL];

/// Compiles everything.
pub(super) fn warm_up() {
    for pattern in PATTERNS {
        LazyLock::force(pattern);
    }
}

/// Whether a line is of what pytest says of an exception.
pub(super) fn is_said(line: &str) -> bool {
    line == "E" || line.starts_with("E ")
}

/// Takes the place and the test of an exception: the same words elsewhere are another mistake.
pub(super) fn look_around(fault: &mut Fault, lines: &[&str], at: usize) {
    if helix_ablation::is_off("fault/pytest") {
        return;
    }
    if PLACELESS.contains(&fault.code.as_str()) && fault.message.contains(QUOTES) {
        return;
    }
    let (above, below) = (
        lines.get(..at).unwrap_or_default(),
        lines.get(at + 1..).unwrap_or_default(),
    );
    fault.file = raised_in(above, below).unwrap_or_default();
    let mut test = test_above(above);
    if fault.file.is_empty()
        && let Some((file, symbol)) = summary_of(fault, below)
    {
        fault.file = file;
        test = test.or(Some(symbol));
    }
    // What an assertion quotes are values, and what a test does itself is that test's.
    if matches!(fault.code.as_str(), "AssertionError" | "Failed")
        || quoted(&fault.message).is_none() && is_of_tests(&fault.file)
    {
        fault.symbol = test.unwrap_or_default();
    }
}

/// The file that an exception was raised in: one that it names itself, or of the place behind it or
/// above it.
fn raised_in(above: &[&str], below: &[&str]) -> Option<String> {
    let mut own = above
        .iter()
        .rev()
        .take_while(|line| is_said(line))
        .map(|line| line.trim_start_matches('E'));
    let named = own
        .find_map(|line| FRAME.as_ref()?.captures(line))
        .map(|found| group(&found, "file"));
    let behind = below
        .iter()
        .take(BELOW_MAX_LINES)
        .find(|line| !line.is_empty() && !is_said(line));
    let untitled = above
        .iter()
        .rev()
        .take(ABOVE_MAX_LINES)
        .take_while(|line| !is_title(line));
    named
        .or_else(|| found_in(behind.into_iter(), PLACE.as_ref(), "file"))
        .or_else(|| found_in(untitled, STEP.as_ref(), "file"))
}

fn is_title(line: &str) -> bool {
    TITLE.as_ref().is_some_and(|title| title.is_match(line))
}

/// The test under whose title an exception stands.
fn test_above(above: &[&str]) -> Option<String> {
    let title = found_in(
        above.iter().rev().take(ABOVE_MAX_LINES),
        TITLE.as_ref(),
        "symbol",
    )?;
    // What is read before any test runs has a title of several words.
    let name = title.split('[').next().unwrap_or_default();
    (!name.contains(' ')).then_some(title)
}

/// The file and the test of the line of the summary that tells an exception again, or of the only
/// one.
fn summary_of(fault: &Fault, below: &[&str]) -> Option<(String, String)> {
    if helix_ablation::is_off("fault/pytest-summary") {
        return None;
    }
    let lines = below
        .iter()
        .take(BELOW_MAX_LINES)
        .filter_map(|line| SUMMARY.as_ref()?.captures(line));
    let lines: Vec<_> = lines.collect();
    let is_retold = |message: &str| fault.is_retold_in(message);
    let found = lines
        .iter()
        .find(|line| is_retold(&group(line, "message")))
        .or(match lines.as_slice() {
            [only] => Some(only),
            _ => None,
        })?;
    Some((group(found, "file"), group(found, "symbol")))
}

fn is_of_tests(file: &str) -> bool {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    name.starts_with("test_") || name.ends_with("_test.py")
}

/// The functions whose results the failed assertions of an output are about, each once.
///
/// As with the marks of a [`Fault`], only names that are told apart from words.
#[must_use]
pub fn asserted(output: &str) -> Vec<String> {
    if helix_ablation::is_off("fault/asserted") {
        return Vec::new();
    }
    let plain = bare(output);
    let lines = telling_lines(&plain);
    let is_framed = |at: usize| {
        at.checked_sub(1)
            .and_then(|at| lines.get(at))
            .is_some_and(|line| is_frame(line))
    };
    let is_assertion = |line: &str| {
        ASSERTION
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(line))
    };
    let told = lines
        .iter()
        .enumerate()
        .filter(|(at, line)| is_assertion(line) || is_framed(*at) && asserts(line));
    let told = told.map(|(_, line)| *line);
    let mut names: Vec<String> = Vec::new();
    for call in told.flat_map(|line| {
        CALL.as_ref()
            .map(|call| call.captures_iter(line))
            .into_iter()
            .flatten()
    }) {
        let name = group(&call, "symbol");
        if names.len() < ASSERTED_MAX
            && !name.starts_with(ASSERT)
            && is_telling_name(&name)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

fn is_frame(line: &str) -> bool {
    FRAME.as_ref().is_some_and(|frame| frame.is_match(line))
}

/// Whether the source of a frame is an assertion: `self.assertEqual(total(1), 3)`.
fn asserts(line: &str) -> bool {
    let source = line.trim_start();
    source
        .strip_prefix("self.")
        .unwrap_or(source)
        .starts_with(ASSERT)
}

/// The exceptions and warnings by whose names an output says why tests failed, each once, where its
/// message is cut off.
///
/// As with the marks of a [`Fault`], only names that are told apart from words.
#[must_use]
pub fn raised(output: &str) -> Vec<String> {
    if helix_ablation::is_off("fault/raised") {
        return Vec::new();
    }
    let plain = bare(output);
    let mut names: Vec<String> = Vec::new();
    for line in telling_lines(&plain) {
        let Some(captures) = RAISED.as_ref().and_then(|raised| raised.captures(line)) else {
            continue;
        };
        let name = group(&captures, "name");
        if names.len() < RAISED_MAX
            && is_telling_code(&name)
            && is_telling_name(&name)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::faults;
    use super::*;

    /// What pytest writes of a test that fails in another file by default.
    fn told(test: &str, of: &str, file: &str, error: &str) -> String {
        let class = error.split(':').next().unwrap();
        format!(
            "=================================== FAILURES ===================================\n\
             ____________________________________ {test} ____________________________________\n\n    \
             def {test}():\n>       assert run([]) == 1\n\n{of}:5: \n\
             _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n\n\
             rows = []\n\n    def run(rows):\n>       return rows[0]\nE       {error}\n\n{file}:9: {class}\n\
             =========================== short test summary info ============================\n\
             FAILED {of}::{test} - {error}\n1 failed in 0.02s\n"
        )
    }

    fn first(output: &str) -> Fault {
        faults(output).into_iter().next().unwrap()
    }

    #[test]
    fn every_pattern_is_valid() {
        assert!(PATTERNS.iter().all(|pattern| pattern.is_some()));
    }

    #[test]
    fn the_same_exception_elsewhere_is_another_mistake() {
        for error in [
            "IndexError: list index out of range",
            "KeyError: 'city'",
            "TypeError: 'NoneType' object is not subscriptable",
            "ZeroDivisionError: division by zero",
            "AssertionError: assert False",
        ] {
            let one = told(
                "test_q1",
                "tests/test_zpl.py",
                "labels/zpl_renderer.py",
                error,
            );
            let other = told(
                "test_q2",
                "tests/test_carrier_sync.py",
                "labels/carrier_sync.py",
                error,
            );
            let prints = |output: &str| {
                faults(output)
                    .iter()
                    .map(Fault::fingerprint)
                    .collect::<Vec<_>>()
            };
            assert_eq!(first(&one).file, "labels/zpl_renderer.py", "{error}");
            assert!(
                prints(&one)
                    .iter()
                    .all(|print| !prints(&other).contains(print)),
                "{error}"
            );
            assert_eq!(prints(&one), prints(&one.replace(":9:", ":12:")), "{error}");
        }
    }

    #[test]
    fn an_assertion_is_that_of_its_test() {
        let of = |test: &str, values: &str| {
            first(&format!(
                "_____ {test} _____\n\n>       assert f() == 1\nE       AssertionError: assert {values}\nE        +  where\n\n\
                 tests/test_a.py:5: AssertionError\n"
            ))
        };
        assert_eq!(
            (
                of("TestA.test_x[3.5-a b]", "3 == 4").symbol.as_str(),
                of("test_y", "'a' == 'b'").file.as_str()
            ),
            ("TestA.test_x[3.5-a b]", "tests/test_a.py")
        );
        assert_ne!(
            of("test_x", "3 == 4").fingerprint(),
            of("test_y", "5 == 6").fingerprint()
        );
        assert_eq!(
            of("test_x", "3 == 4").fingerprint(),
            of("test_x", "5 == 6").fingerprint()
        );
    }

    #[test]
    fn places_stand_above_short_tracebacks_and_in_syntax_errors() {
        let short = "____ test_a ____\ntests/test_a.py:5: in test_a\n    run()\nlabels/zpl.py:9: in run\n    raise\nE   ValueError: no\n";
        assert_eq!(first(short).file, "labels/zpl.py");
        let syntax = "____ ERROR collecting tests/test_a.py ____\n/usr/lib/python3/ast.py:5: in parse\nE     File \"/x/tests/test_a.py\", line 3\n\
                      E       def (\nE           ^\nE   SyntaxError: invalid syntax\n";
        assert_eq!(first(syntax).file, "/x/tests/test_a.py");
    }

    #[test]
    fn a_cut_output_has_the_place_of_its_summary() {
        let cut = "E   ValueError: no\nFAILED tests/test_b.py::test_b - KeyError: 'a'\nFAILED tests/test_a.py::test_a - ValueEr...\n\
                   FAILED tests/test_c.py::test_c - ValueError: ...\n";
        let found = first(cut);
        assert_eq!(
            (found.file.as_str(), found.symbol.as_str()),
            ("tests/test_c.py", "test_c")
        );
        assert_eq!(
            first("E   ValueError: no\nFAILED tests/test_b.py::test_b\n").symbol,
            "test_b"
        );
        assert_eq!(first("E   ValueError: no\n").file, "");
    }

    #[test]
    fn what_cannot_be_imported_is_the_same_everywhere() {
        let of = |file: &str| {
            first(&format!(
                "__ ERROR collecting {file} __\n{file}:1: in <module>\nE   ModuleNotFoundError: No module named 'httpx'\n"
            ))
        };
        assert_eq!(of("tests/test_a.py"), of("tests/test_b.py"));
        assert_eq!(of("tests/test_a.py").symbol, "httpx");
    }

    #[test]
    fn an_assertion_names_what_it_calls() {
        let output = ">       assert gs1_check_digit(\"376\") == 9\nE       AssertionError: assert 3 == 9\n\
                      E        +  where 3 = gs1_check_digit('376')\nE        +    and   4 = len(readBack(1))\n    other_call()\n";
        assert_eq!(asserted(output), ["gs1_check_digit", "readBack"]);
        assert!(asserted(">       other_call()\nassert some_call()\n").is_empty());
        let unittest = "  File \"/x/test_a.py\", line 9, in test_a\n    self.assertEqual(moon_phase(3), self.toDays(1))\n\
                        AssertionError: 1 != 3\n";
        assert_eq!(asserted(unittest), ["moon_phase", "toDays"]);
        assert_eq!(
            asserted("  File \"a.py\", line 9, in <module>\n    assert moon_phase(3) == 1\n"),
            ["moon_phase"]
        );
    }

    #[test]
    fn exceptions_are_known_whatever_they_are_called() {
        let of = |output: &str| {
            let found = first(output);
            (found.code, found.file, found.message)
        };
        let is = |output: &str, code: &str, file: &str, message: &str| {
            assert_eq!(
                of(output),
                (code.to_owned(), file.to_owned(), message.to_owned()),
                "{output}"
            );
        };
        let warning = "E   pandas.errors.SettingWithCopyWarning:\nE   A value is trying to be set on a copy\nE   Try .loc\n\
                       labels/quality.py:31: SettingWithCopyWarning\nFAILED tests/test_quality.py::test_spikes\n";
        is(
            warning,
            "SettingWithCopyWarning",
            "labels/quality.py",
            "A value is trying to be set on a copy",
        );
        let dotted = "E       sqlalchemy.exc.NoResultFound: No row was found\n\napp/db.py:9: NoResultFound\n";
        is(dotted, "NoResultFound", "app/db.py", "No row was found");
        is(
            "E       fixture 'pg_db' not found\n>       available fixtures: capfd\n",
            "",
            "",
            "fixture 'pg_db' not found",
        );
        let traceback = "  File \"/app/run.py\", line 3, in main\n    check()\n    ^^^^^^^\n";
        is(
            &format!("{traceback}django.core.exceptions.ImproperlyConfigured: no\n"),
            "ImproperlyConfigured",
            "/app/run.py",
            "no",
        );
        is(
            &format!("{traceback}Exception: no rows\n"),
            "Exception",
            "/app/run.py",
            "no rows",
        );
        assert!(faults("Starting: all\napp.main.Server: listening\n").is_empty());
    }

    #[test]
    fn what_a_test_says_itself_is_that_tests() {
        let of = |test: &str| {
            let said = "E       Failed: DID NOT RAISE <class 'ValueError'>";
            first(&format!(
                "____ {test} ____\n\n>       with pytest.raises(ValueError):\n{said}\n\ntests/test_a.py:5: Failed\n"
            ))
        };
        assert_eq!(
            (of("test_x").code.as_str(), of("test_x").symbol.as_str()),
            ("Failed", "test_x")
        );
        assert_ne!(of("test_x").fingerprint(), of("test_y").fingerprint());
    }

    #[test]
    fn a_summary_without_a_message_has_none() {
        let found = faults(
            "FAILED tests/test_a.py::test_one\nFAILED tests/test_a.py::test_two\n2 failed, 10 passed in 0.50s\n",
        );
        let told: Vec<_> = found
            .iter()
            .map(|fault| (fault.symbol.as_str(), fault.message.as_str()))
            .collect();
        assert_eq!(told, [("test_one", ""), ("test_two", "")]);
    }

    #[test]
    fn an_exception_is_named_where_its_message_is_cut_off() {
        let output = "labels/quality.py:31: SettingWithCopyWarning\nlabels/zpl.py:3: KeyError\n\
                      FAILED tests/test_db.py::test_get - sqlalchemy.exc.NoResultFound: No row was ...\n\
                      FAILED tests/test_a.py::test_b - AssertionError: assert 3 == 4\n\
                      FAILED tests/test_a.py::test_c - Failed: no\n";
        assert_eq!(raised(output), ["SettingWithCopyWarning", "NoResultFound"]);
        assert!(
            raised("E501 Line too long\nlabels/a.py:3:1: F401 `os`\nlabels/a.py:3: Note: x\n")
                .is_empty()
        );
    }
}
