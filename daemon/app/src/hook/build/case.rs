//! Whether a memory is about this failure: it quotes what the failure says, or another code, or the
//! same message about another thing.
//! Pure.

use std::sync::LazyLock;

use helix_terminal::fault::Fault;
use regex::Regex;

use crate::hook::exact::has_word;

/// Digits of the shortest code whose family is known by its letters.
const CODE_MIN_DIGITS: usize = 3;

/// Words and characters of the shortest message that nobody quotes by chance.
const QUOTED_MIN_WORDS: usize = 3;
const QUOTED_MIN_CHARS: usize = 16;

/// Words of the shortest message whose form is told by the words around a name.
const FORM_MIN_WORDS: usize = 4;

/// Quotation marks of messages and names.
const QUOTES: [char; 7] = ['`', '\'', '"', '‘', '’', '“', '”'];

/// Returns whether a text quotes what a failure says, which is in lower case here.
pub(super) fn is_quoted_in(faults: &[Fault], text: &str, said: &str) -> bool {
    if helix_ablation::is_off("failure/quoted") {
        return false;
    }
    let is_whole = |message: &str| is_telling(message) && has_word(text, message);
    let mut quoted = quoted_in(text).map(|quoted| quoted.trim().to_lowercase());
    faults.iter().any(|fault| is_whole(&fault.message))
        || quoted.any(|quoted| is_telling(&quoted) && has_word(said, &quoted))
}

/// Returns whether a text quotes a message that the failure, which is in lower case here, has about
/// another thing: `relation "depots" does not exist` and `relation "mail_tags" does not exist`.
pub(super) fn is_about_another(text: &str, said: &str) -> bool {
    if helix_ablation::is_off("failure/another-thing") {
        return false;
    }
    let lines: Vec<Vec<&str>> = said.lines().map(words_of).collect();
    quoted_in(text).any(|quoted| {
        let quoted = quoted.to_lowercase();
        let message = words_of(&quoted);
        message.len() >= FORM_MIN_WORDS
            && lines
                .iter()
                .flat_map(|line| line.windows(message.len()))
                .any(|window| differ_in_one_name(&message, window))
    })
}

/// The name of a test: `test_round_trip`, `round_trip_test`, `TestRoundTrip`, `RoundTripTest`.
static TEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"\b(?:test_\w+|\w+_test|Test[A-Z]\w*|[A-Z]\w*Test)\b";
    Regex::new(pattern).ok()
});

/// Returns whether a text is about tests that it names, and the failure, which is one of a test and
/// in lower case here, names none of them.
pub(super) fn names_another_test(faults: &[Fault], text: &str, said: &str) -> bool {
    let mut failed = faults.iter().filter_map(Fault::test).peekable();
    if failed.peek().is_none() || helix_ablation::is_off("failure/another-test") {
        return false;
    }
    let mut tests = TEST
        .iter()
        .flat_map(|pattern| pattern.find_iter(text))
        .map(|test| test.as_str().to_lowercase())
        .peekable();
    tests.peek().is_some()
        && !tests.any(|test| has_word(said, &test))
        && !failed.any(|test| has_word(text, test))
}

/// The words of a line, without the marks around them.
fn words_of(line: &str) -> Vec<&str> {
    let is_mark = |c: char| QUOTES.contains(&c) || "()[],.:;\\".contains(c);
    line.split_whitespace()
        .map(|word| word.trim_matches(is_mark))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns whether a message and what was said differ in one word, and that word is a name. Names
/// that differ only by their numbers are of one kind: `stmtcache_1`, `stmtcache_9`.
fn differ_in_one_name(message: &[&str], said: &[&str]) -> bool {
    let mut different = message.iter().zip(said).filter(|(own, other)| own != other);
    let (Some((own, other)), None) = (different.next(), different.next()) else {
        return false;
    };
    let letters = |word: &str| word.replace(|c: char| c.is_ascii_digit(), "");
    let is_name = own.chars().any(|c| !c.is_alphabetic());
    is_name && letters(own) != letters(other)
}

/// Returns whether a text names a code of the same family as one of these faults, and none of
/// theirs: TS2307 is not TS2304, however alike the two messages are.
pub(super) fn is_of_another(faults: &[Fault], text: &str) -> bool {
    if helix_ablation::is_off("failure/code-family") {
        return false;
    }
    let codes: Vec<&str> = faults.iter().map(|fault| fault.code.as_str()).collect();
    names_another(text, &codes)
}

fn names_another(text: &str, codes: &[&str]) -> bool {
    let words = || text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_akin = |word: &str, code: &str| {
        family(word) == family(code)
            && family(code).is_some_and(|letters| {
                word.get(..letters) == code.get(..letters) && word.len() == code.len()
            })
    };
    words().any(|word| codes.iter().any(|code| is_akin(word, code)))
        && !words().any(|word| codes.contains(&word))
}

/// The letters of a code of letters and digits, by their number.
fn family(code: &str) -> Option<usize> {
    let digits = code.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_code = digits.len() >= CODE_MIN_DIGITS && digits.len() < code.len();
    (is_code && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| code.len() - digits.len())
}

/// Returns what a text quotes; what is quoted inside of that belongs to it: `"fixture 'pg_db' not
/// found"`.
fn quoted_in(text: &str) -> impl Iterator<Item = &str> {
    let is_inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let opening = text.char_indices().filter(move |(at, quote)| {
        QUOTES.contains(quote)
            && !is_inner(
                text.get(..*at)
                    .and_then(|before| before.chars().next_back()),
            )
    });
    opening.filter_map(move |(at, quote)| {
        let rest = text.get(at + quote.len_utf8()..)?;
        let end = rest.char_indices().find(|(end, c)| {
            *c == closing(quote)
                && !is_inner(
                    rest.get(end + c.len_utf8()..)
                        .and_then(|after| after.chars().next()),
                )
        });
        rest.get(..end?.0)
    })
}

/// Returns what closes what a mark opens.
fn closing(quote: char) -> char {
    match quote {
        '‘' => '’',
        '“' => '”',
        quote => quote,
    }
}

/// Returns whether nobody says so much by chance.
fn is_telling(message: &str) -> bool {
    message.chars().count() >= QUOTED_MIN_CHARS
        && message.split_whitespace().count() >= QUOTED_MIN_WORDS
}

#[cfg(test)]
mod tests {
    use helix_terminal::fault::faults;

    use super::*;

    #[test]
    fn a_quoted_message_is_the_failures_own() {
        let text = "selectors must be stable or React loops with \"Maximum update depth exceeded\"; don't wrap them";
        let is_quoted = |text: &str, said: &str| is_quoted_in(&[], text, said);
        assert!(is_quoted(
            text,
            "error: maximum update depth exceeded. this can happen"
        ));
        assert!(!is_quoted(text, "error: update depth exceeded"));
        let nested =
            "pytest's error \"fixture 'pg_db' not found\" means that conftest.py isn't there";
        assert!(is_quoted(nested, "e  fixture 'pg_db' not found"));
        assert!(!is_quoted(nested, "e  fixture 'other_db' not found"));
        assert!(!is_quoted(
            "it's what isn't there, or what's to be done",
            "it's what isn't there"
        ));
        let own = faults("Error: could not resize shared memory segment");
        let is_quoted = |text: &str, said: &str| is_quoted_in(&own, text, said);
        assert!(is_quoted(
            "else it says: could not resize shared memory segment, twice",
            ""
        ));
        assert!(!is_quoted(
            "the memory segment is shared",
            "error: could not resize"
        ));
    }

    #[test]
    fn the_same_message_about_another_thing_is_another_failure() {
        let text =
            "gotcha: 'relation \"depot_calendars\" does not exist' in tests: load the schema";
        assert!(is_about_another(
            text,
            "--- fail\n  list: error: relation \"mail_templates\" does not exist (sqlstate 42p01)"
        ));
        assert!(!is_about_another(
            text,
            "error: relation \"depot_calendars\" does not exist"
        ));
        assert!(!is_about_another(text, "error: the relation is gone"));
        let numbered = "`prepared statement \"stmtcache_1\" does not exist` comes from the pooler";
        assert!(!is_about_another(
            numbered,
            "error: prepared statement \"stmtcache_9\" does not exist"
        ));
        let worded = "`import ... is not allowed from list` means a wrong boundary";
        assert!(!is_about_another(worded, "a/b/c is not allowed from list"));
    }

    #[test]
    fn a_note_on_another_test_is_about_another_failure() {
        let failed = faults("test money::tests::rounds_up_cents ... FAILED");
        let is_another = |text: &str| names_another_test(&failed, text, "rounds_up_cents failed");
        assert!(is_another("test_roundtrip_is_stable fails on ARM"));
        assert!(is_another("RoundTripTest is slow"));
        assert!(!is_another("rounding differs on ARM"));
        assert!(!is_another("rounds_up_cents fails as test_zone does"));
        assert!(!names_another_test(
            &[],
            "test_roundtrip_is_stable fails",
            "error: x"
        ));
    }

    #[test]
    fn another_code_of_the_family_is_another_mistake() {
        assert!(names_another(
            "TS2307 Cannot find module means: run pnpm gen",
            &["TS2304"]
        ));
        assert!(names_another(
            "bug fix: E0382 in the loop",
            &["E0499", "TS2304"]
        ));
        for (text, codes) in [
            ("TS2304 and TS2307 both mean: run pnpm gen", ["TS2304"]),
            ("E0382 in the loop", ["TS2304"]),
            ("Cannot find name", ["TS2304"]),
            ("exit 101 and 102", ["101"]),
            ("utf8 is not utf16", ["utf8"]),
            ("", [""]),
        ] {
            assert!(!names_another(text, &codes), "{text}");
        }
    }
}
