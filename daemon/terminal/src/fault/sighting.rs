//! Mistakes that are known again by all that is said of them. A tool's closing line, a test's bare
//! name and a message without a place identify nothing: another failure of the same tool has them
//! as well.

use std::collections::HashSet;

use regex::Captures;

use super::around::group;
use super::closing::is_closing;
use super::forms::{FAILED, FORMS};
use super::patterns::PATTERNS;
use super::words::WORDS;
use super::{Fault, Found, bare, found_in_lines, quoted, telling_lines};
use helix_redact::redacted;

/// Mistakes of one output that are remembered.
const SIGHTINGS_MAX: usize = 12;

/// Names of what failed that are compared.
const FAILED_MAX: usize = 12;

/// Lines below a mistake that are looked at, and those of them that belong to it at most.
const BELOW_MAX_LINES: usize = 40;
const SAID_MAX_LINES: usize = 10;

/// Places of one output in which something is said of one test.
const BLOCKS_MAX: usize = 4;

/// Characters of the shortest name of a test that is looked for in other lines.
const NAME_MIN_CHARS: usize = 6;

/// Lines of the longest output that is one mistake as a whole, because no form fits it.
const WHOLE_MAX_LINES: usize = 6;

/// Characters that a rule between parts of an output has at least.
const RULE_MIN_CHARS: usize = 3;

/// The code of what a test says when it breaks off.
const PANIC: &str = "panic";

/// End of a line that says nothing of a mistake beside it.
const ASIDE_END: &str = " ok";

/// A mistake as an output tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The mistake.
    pub fault: Fault,
    /// Hashes of what is said of it and of the others of its output, values included, without what
    /// differs each time.
    pub said: Vec<u64>,
}

/// Finds the mistakes of an output that something is said of, each once, in order, without the
/// secrets in it.
#[must_use]
pub fn sightings(output: &str) -> Vec<Sighting> {
    let plain = bare(output);
    let plain = redacted(&plain);
    let lines = telling_lines(&plain);
    let mut known = found_in_lines(&lines, SIGHTINGS_MAX);
    let is_told = |at: usize, known: &[Found]| known.iter().any(|found| found.at == at);
    for at in 0..lines.len() {
        if known.len() < SIGHTINGS_MAX
            && !is_told(at, &known)
            && let Some(fault) = plain_fault(&lines, at)
        {
            known.push(Found { fault, at });
        }
    }
    known.sort_by_key(|found| found.at);
    let failed = failed(&known, &lines);
    let mut seen: Vec<Sighting> = Vec::new();
    for found in known {
        if let Some(sighting) = sighting(&lines, found)
            && !seen.iter().any(|known| known.fault == sighting.fault)
        {
            seen.push(sighting);
        }
    }
    if seen.is_empty() {
        seen.extend(whole(&lines));
    }
    // What one line says again of several mistakes comes with any of them: all that was said has to
    // come back.
    let mut said: Vec<u64> = seen
        .iter()
        .flat_map(|one| one.said.iter().copied())
        .chain(failed)
        .collect();
    said.sort_unstable();
    said.dedup();
    for one in &mut seen {
        one.said.clone_from(&said);
    }
    seen
}

/// Hashes of the names of tests, and of parts of the project, that failed.
fn failed(known: &[Found], lines: &[&str]) -> Vec<u64> {
    if helix_ablation::is_off("sighting/names") {
        return Vec::new();
    }
    let faults = known.iter().map(|found| &found.fault);
    let tests = faults.filter(|fault| fault.code == FAILED && !fault.symbol.is_empty());
    let tests = tests.map(|fault| normal(&fault.symbol));
    let units = lines.iter().filter_map(|line| PATTERNS.unit.captures(line));
    let units = units.map(|captures| normal(&captures[0]));
    let named = tests.chain(units).take(FAILED_MAX);
    named
        .map(|name| text_hash(&format!("failed {name}")))
        .collect()
}

/// Hashes of all lines of an output, as they are in what is said of a mistake.
#[must_use]
pub fn lines_of(output: &str) -> HashSet<u64> {
    let plain = bare(output);
    let plain = redacted(&plain);
    telling_lines(&plain).into_iter().map(hashed).collect()
}

/// A mistake of a form that any tool may have, where the line is of no form of a tool's own.
fn plain_fault(lines: &[&str], at: usize) -> Option<Fault> {
    let line = lines.get(at)?;
    let fault = judged(line).or_else(|| placed(line))?;
    let is_known = is_aside(line.trim()) || FORMS.iter().any(|form| form.pattern.is_match(line));
    (!is_known).then_some(fault)
}

fn judged(line: &str) -> Option<Fault> {
    if helix_ablation::is_off("sighting/judged") {
        return None;
    }
    let captures = PATTERNS.judged.captures(line)?;
    let symbol = PATTERNS
        .volatile
        .replace_all(&group(&captures, "symbol"), "")
        .trim()
        .to_owned();
    let message = group(&captures, "message");
    Some(Fault {
        code: FAILED.to_owned(),
        symbol,
        message,
        ..Fault::default()
    })
}

fn placed(line: &str) -> Option<Fault> {
    if helix_ablation::is_off("sighting/placed") {
        return None;
    }
    let captures = PATTERNS.placed.captures(line)?;
    let (file, message) = (group(&captures, "file"), group(&captures, "message"));
    let symbol = quoted(&message).unwrap_or_default();
    (!is_aside(&message)).then_some(Fault {
        symbol,
        file,
        message,
        ..Fault::default()
    })
}

/// All that is said of a mistake; `None` when that is nothing of its own.
fn sighting(lines: &[&str], Found { fault, at }: Found) -> Option<Sighting> {
    let is_test = fault.code == FAILED || fault.code == PANIC;
    // Where the tool names a test by its title alone, that is what stands in the place of a
    // message.
    let name = if fault.symbol.is_empty() && is_test {
        &fault.message
    } else {
        &fault.symbol
    };
    // One word in the place of a test's message is a name, or how it ended.
    let is_word = is_test && !fault.message.contains(' ');
    let has_message = !fault.message.is_empty() && !is_word && fault.message != *name;
    let mut said: Vec<String> = Vec::new();
    if has_message && !is_cut(&fault.message) && !is_closing(&fault.message) {
        said.push(normal(&fault.message));
    }
    if is_test {
        for at in places_of(lines, at, name) {
            said.extend(block(lines, at, Some(name)));
        }
    } else {
        let is_specific =
            !(fault.code.is_empty() && fault.symbol.is_empty() && fault.file.is_empty());
        if !is_specific || said.is_empty() {
            return None;
        }
        said.extend(block(lines, at, None));
    }
    if said.is_empty() {
        return None;
    }
    // Many directories have a `mod.rs`.
    said.extend(place(&fault.file));
    Some(Sighting {
        fault,
        said: said.iter().map(|line| text_hash(line)).collect(),
    })
}

/// A file of a mistake, with its directory, in any checkout.
fn place(file: &str) -> Option<String> {
    let path = file.trim_start_matches("./");
    let mut parts = path.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    let (name, directory) = (parts.next()?, parts.next()?);
    Some(format!("in {directory}/{name}"))
}

/// The lines below which something may be said of a test: its own, and others with its name.
fn places_of(lines: &[&str], at: usize, name: &str) -> Vec<usize> {
    let mut places = vec![at];
    if name.chars().count() >= NAME_MIN_CHARS {
        let is_there = |line: &str| line.contains(name) && !is_aside(line.trim());
        let others = lines
            .iter()
            .enumerate()
            .filter(|(other, line)| *other != at && is_there(line));
        places.extend(others.map(|(other, _)| other));
    }
    places.truncate(BLOCKS_MAX);
    places
}

/// The lines that belong to a mistake, below it.
fn block(lines: &[&str], at: usize, test: Option<&str>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for line in lines.iter().skip(at + 1).take(BELOW_MAX_LINES) {
        let plain = line.trim();
        if is_rule(plain) && said.is_empty() {
            continue;
        }
        let ends = test.is_none()
            && (plain.is_empty()
                || FORMS.iter().any(|form| form.pattern.is_match(line))
                || PATTERNS.placed.is_match(line));
        if ends || is_rule(plain) || is_closing(plain) || said.len() >= SAID_MAX_LINES {
            break;
        }
        let is_name = test.is_some_and(|name| !name.is_empty() && plain.contains(name));
        if !plain.is_empty() && !is_name && !is_aside(plain) {
            said.push(normal(plain));
        }
    }
    said
}

/// A short output without any form as one mistake, where it names anything.
fn whole(lines: &[&str]) -> Option<Sighting> {
    if helix_ablation::is_off("sighting/whole") {
        return None;
    }
    let telling = lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| line.chars().any(char::is_alphabetic));
    let telling: Vec<String> = telling
        .filter(|line| !is_closing(line) && !is_aside(line))
        .map(normal)
        .take(WHOLE_MAX_LINES + 1)
        .collect();
    let is_named = telling
        .iter()
        .any(|line| line.split_whitespace().any(is_name));
    if telling.is_empty() || telling.len() > WHOLE_MAX_LINES || !is_named {
        return None;
    }
    let fault = Fault {
        message: telling.join(" "),
        ..Fault::default()
    };
    Some(Sighting {
        fault,
        said: telling.iter().map(|line| text_hash(line)).collect(),
    })
}

/// Returns whether a word is a name and none of the language's.
fn is_name(word: &str) -> bool {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    inner.len() > 2
        && inner.chars().any(char::is_alphabetic)
        && inner.contains(['_', '-', '.', '/', ':', '@'])
}

/// Returns whether a message is cut off.
fn is_cut(message: &str) -> bool {
    message.ends_with("...") || message.ends_with('…')
}

/// Returns whether a line only separates.
fn is_rule(line: &str) -> bool {
    if helix_ablation::is_off("sighting/rules") {
        return false;
    }
    let drawn = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let first = line.chars().next().filter(|first| drawn(*first));
    first.is_some_and(|first| {
        line.chars().take_while(|next| *next == first).count() >= RULE_MIN_CHARS
    })
}

/// Returns whether a line says nothing of what went wrong.
fn is_aside(line: &str) -> bool {
    if helix_ablation::is_off("sighting/asides") {
        return false;
    }
    let drawn = |c: char| "^~-|+ ".contains(c);
    let numbered = line
        .trim_start_matches('>')
        .trim_start()
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let is_source = numbered.trim_start().starts_with(['|', '│']);
    line.chars().all(drawn)
        || is_source
        || line.ends_with(ASIDE_END)
        || WORDS.asides.iter().any(|start| line.starts_with(start))
        || WORDS.asides_within.iter().any(|mark| line.contains(mark))
}

fn hashed(line: &str) -> u64 {
    text_hash(&normal(line.trim()))
}

/// A line without what differs from one time, and one checkout, to the next. Values stay.
fn normal(line: &str) -> String {
    let shortened = |path: &Captures<'_>| shortened(&path[0]);
    let pathless = PATTERNS.paths.replace_all(line, shortened);
    let timeless = PATTERNS.volatile.replace_all(&pathless, "#");
    let placeless = PATTERNS.line.replace_all(&timeless, "$ending");
    placeless.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A path without its line; of an absolute one, which is that of a checkout, only the name.
fn shortened(path: &str) -> String {
    let bare = path.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    let bare = if bare.len() < path.len()
        && path
            .get(bare.len()..)
            .is_some_and(|rest| rest.starts_with(':'))
    {
        bare
    } else {
        path
    };
    let is_absolute = bare.starts_with(['/', '~', '\\'])
        || bare.get(1..).is_some_and(|rest| rest.starts_with(":\\"));
    let name = bare
        .rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    if is_absolute {
        name.to_owned()
    } else {
        bare.to_owned()
    }
}

/// Hash of a line by which equal ones are found: BLAKE3 with its white space folded, cut to 64
/// bits.
fn text_hash(line: &str) -> u64 {
    let folded = line.split_whitespace().collect::<Vec<_>>().join(" ");
    blake3::hash(folded.as_bytes())
        .as_bytes()
        .first_chunk::<8>()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a second output says all that the first does of its mistakes.
    fn is_back(first: &str, then: &str) -> bool {
        let seen = sightings(then);
        let mut lines = lines_of(then);
        lines.extend(seen.iter().flat_map(|seen| seen.said.iter().copied()));
        let known = sightings(first);
        let is_known = |one: &Sighting| {
            seen.iter()
                .any(|other| other.fault.fingerprint() == one.fault.fingerprint())
        };
        known.iter().any(is_known)
            && known
                .iter()
                .flat_map(|seen| &seen.said)
                .all(|line| lines.contains(line))
    }

    #[test]
    fn closing_lines_and_bare_names_are_no_mistakes() {
        for output in [
            "error: test run failed\n",
            "error: recipe `test` failed on line 11 with exit code 101\n",
            "make: *** [Makefile:13: test] Error 1\n",
            " ERROR  run failed: command  exited (1)\n",
            "FAILED (failures=1)\n",
            "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\n",
            "test rows::adds ... FAILED\n\ntest result: FAILED. 3 passed; 1 failed; finished in 0.00s\n",
            "FAILED tests/test_rows.py::test_adds\n1 failed, 3 passed in 0.05s\n",
            "error: the sum is off\n",
        ] {
            assert!(
                sightings(output).is_empty(),
                "{output}: {:?}",
                sightings(output)
            );
        }
    }

    #[test]
    fn a_mistake_is_the_same_on_another_line_and_in_another_checkout() {
        let pytest = "E   AssertionError: assert 3 == 4\n/home/a/src/p/tests/test_a.py:11: AssertionError\n\
                      FAILED tests/test_a.py::test_x - AssertionError: assert 3...\n1 failed in 0.03s\n";
        let other = pytest
            .replace("/home/a/src/p", "/home/b/wt/p-2")
            .replace(":11:", ":14:")
            .replace("0.03s", "1.20s");
        assert!(is_back(pytest, &other));
        assert!(
            is_back(
                pytest,
                &format!("{other}ERROR tests/test_b.py - NameError: no `x`\n")
            ),
            "beside another"
        );
        let own =
            "check: cases/a.txt:3: no owner\ncheck finished: 1 problem(s), see docs/cases.md\n";
        assert!(is_back(
            own,
            "check: cases/b.txt:1: trailing space\ncheck: cases/a.txt:7: no owner\n2 problems\n"
        ));
        let runner = "[ FAIL ] conflict\n     want: locked A2\n     got:  clear A1 A2\nbox: 1 of 3 cases failed\n";
        assert!(is_back(runner, &format!("[ pass ] release\n{runner}")));
    }

    #[test]
    fn another_value_place_or_cause_is_another_mistake() {
        let go = "--- FAIL: TestString (0.00s)\n    fare_test.go:21: got \"zone 0 = 1.20\"\nFAIL\n";
        assert!(!is_back(go, &go.replace("1.20", "1.50")));
        let moved = "error[E0382]: borrow of moved value: `rows`\n --> src/a/mod.rs:1:2\n";
        assert!(is_back(moved, &moved.replace(":1:2", ":7:9")));
        assert!(!is_back(moved, &moved.replace("/a/", "/b/")));
        let compiled = |name: &str| {
            format!(
                "error: undefined variable \"{name}\"\n\n** (CompileError) lib/a.ex: cannot compile module A.B (see above)\n"
            )
        };
        assert!(
            !is_back(&compiled("limit"), &compiled("slug")),
            "both end alike"
        );
        let doctest = |name: &str| {
            format!(
                "test src/a.rs - a::{name} (line 57) ... FAILED\n\nthread 'main' panicked at src/a.rs:7:1:\n\
                 assertion `left == right` failed\n  left: 540\n right: 180\n"
            )
        };
        assert!(is_back(
            &doctest("mul"),
            &doctest("mul").replace("57", "74")
        ));
        assert!(!is_back(&doctest("mul"), &doctest("add")));
        let task = |name: &str| {
            format!(
                "> Task :{name}:test FAILED\n\nRetryTest > backs off() FAILED\n    \
                 org.opentest4j.AssertionFailedError: expected: <4> but was: <3>\n"
            )
        };
        assert!(is_back(&task("core"), &task("core")));
        assert!(!is_back(&task("core"), &task("agent")));
        let gradle = |missing: &str| {
            format!(
                "* What went wrong:\nExecution failed for task ':a:compile'.\n> Error while evaluating 'b'.\n   \
                 > Could not resolve all files.\n      > Could not find {missing}.\n        Searched in:\n\n"
            )
        };
        assert!(!is_back(
            &gradle("io.ktor:a:3.1.2"),
            &gradle("io.ktor:b:3.1.2")
        ));
        let runner =
            |got: &str| format!("[ FAIL ] conflict\n     got:  {got}\nbox: 1 of 3 cases failed\n");
        assert!(!is_back(&runner("clear A1"), &runner("ValueError: no")));
    }
}
