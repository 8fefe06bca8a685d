//! Whether a memory is about this failure: it quotes what the failure says, or is about another
//! case of the same error. Pure.

use helix_terminal::fault::Fault;

use crate::hook::exact::has_word;

/// Digits of the shortest code whose family is known by its letters.
const CODE_MIN_DIGITS: usize = 3;

/// Words and characters of the shortest message that nobody quotes by chance.
const QUOTED_MIN_WORDS: usize = 3;
const QUOTED_MIN_CHARS: usize = 16;

/// What Python says before the name of a module that it does not find.
const NO_MODULE: &str = "No module named";

/// Words before a module in a sentence about one that is not found, where it is quoted or told
/// apart from a word.
const BEFORE_MODULES: &[&str] = &["for", "from", "module", "of", "package", "without"];

/// What brings a package.
const INSTALLERS: &[(&str, &str)] = &[
    ("pip", "install"),
    ("pip3", "install"),
    ("conda", "install"),
    ("uv", "add"),
    ("poetry", "add"),
    ("pdm", "add"),
];

/// Characters of the shortest name of a module that is known within a package's.
const PART_MIN_CHARS: usize = 4;

/// What messages and names are quoted with.
pub(super) const QUOTES: [char; 7] = ['`', '\'', '"', '‘', '’', '“', '”'];

/// Words before the name of what an error is about; before that of a remedy stands what to do.
const KINDS: &[&str] = &[
    "argument",
    "attribute",
    "class",
    "crate",
    "field",
    "for",
    "function",
    "import",
    "key",
    "member",
    "method",
    "module",
    "name",
    "named",
    "package",
    "property",
    "struct",
    "symbol",
    "trait",
    "type",
    "value",
    "variable",
];

/// Those of them behind which a name stands also without quotes.
const NOUNS: &[&str] = &["class", "crate", "module", "package", "struct", "trait"];

/// A failure as memories may name it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    pub(super) faults: &'a [Fault],
    /// The exact names that it is known by, its codes among them.
    pub(super) marks: &'a [String],
}

impl Failure<'_> {
    /// Whether a text is about another mistake, however alike the messages are.
    pub(super) fn is_another(self, text: &str) -> bool {
        let codes: Vec<&str> = self
            .faults
            .iter()
            .map(|fault| fault.code.as_str())
            .collect();
        is_of_another(text, &codes) || self.is_another_case(text)
    }

    /// Whether all that a text says of errors is about other things: TS2307 for one module is not
    /// TS2307 for another, and what helped against that does not help here. What it says of a
    /// code alone is said for all things.
    pub(super) fn is_another_case(self, text: &str) -> bool {
        if helix_ablation::is_off("failure/another-case") {
            return false;
        }
        let faults = self.faults;
        let has_thing = |fault: &Fault| !fault.symbol.is_empty() || fault.message.contains(QUOTES);
        if !faults.iter().any(has_thing) || self.is_named_in(text) {
            return false;
        }
        if let Some(missing) = self.missing_module() {
            let named = modules_in(text);
            let is_it = |name: &&str| is_of_module(name, missing);
            if !named.is_empty() {
                return !named.iter().any(is_it);
            }
        }
        let mut others = Vec::new();
        for sentence in text.split(['\n', ';']).flat_map(|part| part.split(". ")) {
            let words: Vec<&str> = sentence.split_whitespace().collect();
            for (code, said) in errors_in(&words, faults) {
                let known = others.len();
                others.extend(things_in(said));
                if others.len() == known && faults.iter().any(|fault| fault.code == code) {
                    return false;
                }
            }
        }
        let is_here = |thing: &&str| {
            faults
                .iter()
                .any(|fault| has_word(&fault.words(), thing) || has_word(&fault.file, thing))
        };
        !others.is_empty() && !others.iter().any(is_here)
    }

    /// The module that Python does not find.
    fn missing_module(&self) -> Option<&str> {
        let mut said = self
            .faults
            .iter()
            .filter_map(|fault| fault.message.split_once(NO_MODULE));
        said.find_map(|(_, name)| {
            name.trim_start()
                .split(QUOTES)
                .find(|part| !part.is_empty())
        })
    }

    /// Whether a text quotes what the failure says, which is in lower case here.
    pub(super) fn is_quoted_in(self, text: &str, said: &str) -> bool {
        if helix_ablation::is_off("failure/quoted") {
            return false;
        }
        let is_whole = |message: &str| is_telling(message) && has_word(text, message);
        let mut quoted = quoted_in(text).map(|quoted| quoted.trim().to_lowercase());
        self.faults.iter().any(|fault| is_whole(&fault.message))
            || quoted.any(|quoted| is_telling(&quoted) && has_word(said, &quoted))
    }

    /// Whether a text has one of the failure's names, which its codes are not.
    fn is_named_in(self, text: &str) -> bool {
        let is_code = |mark: &str| self.faults.iter().any(|fault| fault.code == mark);
        let mut marks = self.marks.iter().filter(|mark| !is_code(mark));
        let mut symbols = self
            .faults
            .iter()
            .map(|fault| base(&fault.symbol))
            .filter(|symbol| !symbol.is_empty());
        marks.any(|mark| has_word(text, mark)) || symbols.any(|symbol| has_word(text, symbol))
    }
}

/// The modules that a text says are not found, or are to be installed then; none where it does not
/// speak of that.
fn modules_in(text: &str) -> Vec<&str> {
    if helix_ablation::is_off("failure/modules") {
        return Vec::new();
    }
    if !text.contains("ModuleNotFoundError") && !text.contains(NO_MODULE) {
        return Vec::new();
    }
    // What stands first has nothing before it.
    let words: Vec<&str> = std::iter::once("").chain(text.split_whitespace()).collect();
    let named = words.windows(3).filter_map(|three| {
        let [first, before, word] = three else {
            return None;
        };
        let plain = |word: &&str| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        };
        let name = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let is_quoted = word.starts_with(QUOTES);
        let is_imported = before.starts_with(QUOTES) && plain(before) == "import";
        let is_installed = INSTALLERS.contains(&(plain(first).as_str(), plain(before).as_str()));
        let is_missing = plain(first) == "module" && plain(before) == "named";
        let is_object =
            BEFORE_MODULES.contains(&plain(before).as_str()) && (is_quoted || is_name(name));
        let is_module = name.chars().next().is_some_and(char::is_alphabetic)
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_.-".contains(c));
        (is_module && (is_imported || is_installed || is_missing || is_object)).then_some(name)
    });
    named.collect()
}

/// Whether a module or a package of a text is the one that is missing, or has its name in its own:
/// `pyyaml` brings `yaml`.
fn is_of_module(name: &str, missing: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace('_', "-");
    let (name, missing) = (plain(name), plain(missing));
    let top = missing.split('.').next().unwrap_or_default();
    name == missing
        || name.split(['.', '-']).any(|part| part == top)
        || top.len() >= PART_MIN_CHARS && name.contains(top)
}

/// Whether a text quotes a message that a failure has, but of another thing: `relation "depots"
/// does not exist` is not about `relation "hubs" does not exist`. What the failure says is in lower
/// case here.
pub(super) fn quotes_another(text: &str, said: &str) -> bool {
    if helix_ablation::is_off("failure/quotes-another") {
        return false;
    }
    let mut is_of_another = false;
    for quoted in quoted_in(text)
        .map(str::to_lowercase)
        .filter(|quoted| is_telling(quoted))
    {
        if said.contains(&quoted) {
            return false;
        }
        let around: Vec<&str> = quoted
            .split(QUOTES)
            .step_by(2)
            .filter(|part| !part.is_empty())
            .collect();
        let mut names = quoted.split(QUOTES).skip(1).step_by(2).peekable();
        // `Rc<...>` stands for any, and a number is another one each time.
        let is_any = |name: &str| {
            name.contains(['<', '…']) || name.contains("...") || name.contains(char::is_numeric)
        };
        let has_name = names.peek().is_some() && !names.any(is_any);
        let words = around
            .iter()
            .flat_map(|part| part.split_whitespace())
            .count();
        is_of_another |= has_name
            && words >= QUOTED_MIN_WORDS
            && said.lines().any(|line| has_in_order(line, &around));
    }
    is_of_another
}

/// Whether a line has these parts one after the other.
fn has_in_order(line: &str, parts: &[&str]) -> bool {
    let mut rest = line;
    parts.iter().all(|part| match rest.split_once(part) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// Whether a text names a code of the same family as one of these, and none of them: TS2307 is not
/// TS2304, however alike the two messages are.
fn is_of_another(text: &str, codes: &[&str]) -> bool {
    if helix_ablation::is_off("failure/code-family") {
        return false;
    }
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

/// The errors that a sentence names, each with the words behind it: exceptions, and codes of this
/// failure. A lint is no error of a thing.
fn errors_in<'s, 't>(
    sentence: &'s [&'t str],
    faults: &[Fault],
) -> impl Iterator<Item = (&'t str, &'s [&'t str])> {
    sentence.iter().enumerate().filter_map(move |(at, word)| {
        let name = word
            .trim_matches(|c: char| !c.is_alphanumeric())
            .rsplit(['.', '['])
            .next()
            .unwrap_or_default();
        let is_class = name.ends_with("Error") || name.ends_with("Exception");
        let is_error =
            is_class || family(name).is_some() && faults.iter().any(|fault| fault.code == name);
        is_error.then_some((name, sentence.get(at..)?))
    })
}

/// The quoted names of what an error is about, in its words, of which the first is its own.
fn things_in<'t>(words: &[&'t str]) -> impl Iterator<Item = &'t str> {
    words.windows(2).enumerate().filter_map(|(at, pair)| {
        let [before, word] = pair else { return None };
        let bare = word
            .trim_end_matches([',', '.', ':', ';', ')'])
            .trim_start_matches('(');
        let is_quoted = bare.len() > 1 && bare.starts_with(QUOTES) && bare.ends_with(QUOTES);
        let is_bare = !bare.contains(QUOTES)
            && ((at == 0 && bare.contains(['<', ':']))
                || (NOUNS.contains(before) && is_name(bare)));
        if is_bare {
            return Some(base(bare)).filter(|name| !name.is_empty());
        }
        // Behind a colon stands a message, which Python has as a bare name: `KeyError: 'city'`.
        // Rust's begins with what it is about.
        let is_of_error =
            at == 0 && (!before.ends_with(':') || bare.starts_with('\'') || before.contains('['));
        let name = base(bare.trim_matches(QUOTES));
        (is_quoted && (is_of_error || KINDS.contains(before)) && !name.is_empty()).then_some(name)
    })
}

/// Whether a word that nobody quoted is a name all the same: it has parts that words have not.
pub(super) fn is_name(word: &str) -> bool {
    let inner = word.char_indices().skip(1);
    word.contains(['-', '_', '/', '@', '.', ':', '<'])
        || inner.into_iter().any(|(_, c)| c.is_uppercase())
}

/// What a text quotes; what is quoted inside of that belongs to it: `"fixture 'pg_db' not found"`.
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

/// What closes what a mark opens.
fn closing(quote: char) -> char {
    match quote {
        '‘' => '’',
        '“' => '”',
        quote => quote,
    }
}

/// A name without what it is applied to: `Rc` of `Rc<Depot>`.
fn base(name: &str) -> &str {
    name.split(['<', '(', '[']).next().unwrap_or_default()
}

/// Whether nobody says so much by chance.
fn is_telling(message: &str) -> bool {
    message.chars().count() >= QUOTED_MIN_CHARS
        && message.split_whitespace().count() >= QUOTED_MIN_WORDS
}

#[cfg(test)]
mod tests {
    use helix_terminal::fault::faults;

    use super::*;

    const RC: &str = "gotcha: E0277 \"`Rc<...>` cannot be sent between threads safely\" in spawn_relay: it must be Arc.";
    const MAP: &str = "gotcha: tsc reports TS2307 Cannot find module 'maplibre-gl' until `npm run gen:types` was run.";
    const IMGHDR: &str = "how-to: with 3.13 the import fails with ModuleNotFoundError: No module named 'imghdr'. Pin `zebra`.";
    const BARCODE: &str = "pytest runs in labels/, else ModuleNotFoundError for `labels.barcode`.";

    fn is_another(text: &str, output: &str) -> bool {
        let faults = faults(output);
        let marks: Vec<String> = faults.iter().flat_map(Fault::marks).collect();
        Failure {
            faults: &faults,
            marks: &marks,
        }
        .is_another(text)
    }

    #[test]
    fn a_message_is_quoted_of_one_thing() {
        let text = "'relation \"depots\" does not exist' in tests: run `make db-schema`";
        assert!(quotes_another(
            text,
            "error: relation \"hubs\" does not exist (sqlstate 42p01)"
        ));
        assert!(!quotes_another(
            text,
            "error: relation \"depots\" does not exist (sqlstate 42p01)"
        ));
        assert!(!quotes_another(
            text,
            "relation \"hubs\" exists\nit does not exist"
        ));
        let numbered = "'prepared statement \"s_1\" does not exist' behind the pool";
        assert!(!quotes_another(
            numbered,
            "error: prepared statement \"s_14\" does not exist"
        ));
        assert!(!quotes_another(
            RC,
            "error[e0277]: `rc<depot>` cannot be sent between threads safely"
        ));
        assert!(!quotes_another(
            "see 'deadline has elapsed' first",
            "the deadline is over"
        ));
    }

    #[test]
    fn the_same_error_of_another_thing_is_another_case() {
        let sent =
            "error[E0277]: `Rc<Depot>` cannot be sent between threads safely\n --> src/a.rs:1:1";
        let added = "error[E0277]: cannot add `f64` to `i32`\n --> src/a.rs:1:1";
        let bound =
            "error[E0277]: the trait bound `Foo: Serialize` is not satisfied\n --> src/a.rs:1:1";
        let module = |name: &str| {
            format!("src/a.ts(2,4): error TS2307: Cannot find module '{name}' or its types.")
        };
        let python = |name: &str| format!("E   ModuleNotFoundError: No module named '{name}'");
        let import =
            "E   ImportError: cannot import name 'foo' from 'labels.util' (/x/labels/util.py)";
        for (text, output) in [
            (RC, added),
            (RC, bound),
            (MAP, &module("react")),
            (IMGHDR, &python("httpx")),
            (BARCODE, &python("httpx")),
            (IMGHDR, import),
            (BARCODE, import),
            (
                "KeyError: 'city' means an old manifest",
                "E   KeyError: 'zip'",
            ),
            (
                "gotcha: error[E0277] Rc<Session> cannot be sent between threads: it must be Arc.",
                added,
            ),
            (
                "error[E0277]: `Rc<Session>` cannot be sent between threads",
                bound,
            ),
            (
                "TS2307: Cannot find module maplibre-gl, until the types are made",
                &module("react"),
            ),
        ] {
            assert!(is_another(text, output), "{text} on {output}");
        }
        for (text, output) in [
            (RC, sent),
            (MAP, &module("maplibre-gl")),
            (
                "TS2307: Cannot find module maplibre-gl, until the types are made",
                &module("maplibre-gl"),
            ),
            ("TS2307: the module is not built yet", &module("react")),
            (IMGHDR, &python("imghdr")),
            (BARCODE, &python("labels.barcode")),
            ("TS2307 means: run `pnpm gen`", &module("react")),
            (
                "ModuleNotFoundError: activate `.venv` first",
                &python("httpx"),
            ),
            (
                "ModuleNotFoundError: `.venv` is not active",
                &python("httpx"),
            ),
            (
                "E0277 \"`Rc<T>` cannot be sent\" in a; E0277 elsewhere: derive it",
                added,
            ),
            ("E0277: `Arc` instead of `Rc`", sent),
            (
                "E0277 '`Rc<T>` cannot be sent': see a.rs of Depot, or f64",
                added,
            ),
            ("convention: nobody adds numbers of two types", added),
        ] {
            assert!(!is_another(text, output), "{text} on {output}");
        }
    }

    #[test]
    fn a_note_about_a_module_is_not_anothers() {
        let python = |name: &str| format!("E   ModuleNotFoundError: No module named '{name}'");
        for (text, missing, is_other) in [
            (
                "gotcha: No module named yaml means: pip install pyyaml",
                "httpx",
                true,
            ),
            (
                "gotcha: No module named yaml means: pip install pyyaml",
                "yaml",
                false,
            ),
            (
                "ModuleNotFoundError in CI: run `pip install pyyaml`",
                "yaml",
                false,
            ),
            (
                "ModuleNotFoundError in CI: run `pip install pyyaml`",
                "requests",
                true,
            ),
            (
                "`import zebra_driver` ends in ModuleNotFoundError until `make vendor` ran",
                "httpx",
                true,
            ),
            (
                "`import zebra_driver` ends in ModuleNotFoundError until `make vendor` ran",
                "zebra_driver",
                false,
            ),
            (
                "ModuleNotFoundError for labels.barcode: run it in labels/",
                "labels.zpl",
                false,
            ),
            (
                "ModuleNotFoundError for labels.barcode: run it in labels/",
                "billing.rows",
                true,
            ),
            (
                "ModuleNotFoundError: the venv is not active",
                "httpx",
                false,
            ),
            (
                "run the tests from the root, else No module named app",
                "httpx",
                true,
            ),
        ] {
            assert_eq!(
                is_another(text, &python(missing)),
                is_other,
                "{text}, {missing}"
            );
        }
    }

    #[test]
    fn a_quoted_message_is_the_failures_own() {
        let text = "selectors must be stable or React loops with \"Maximum update depth exceeded\"; don't wrap them";
        let failure = Failure {
            faults: &[],
            marks: &[],
        };
        assert!(failure.is_quoted_in(
            text,
            "error: maximum update depth exceeded. this can happen"
        ));
        assert!(!failure.is_quoted_in(text, "error: update depth exceeded"));
        let nested =
            "pytest's error \"fixture 'pg_db' not found\" means that conftest.py isn't there";
        assert!(failure.is_quoted_in(nested, "e  fixture 'pg_db' not found"));
        assert!(!failure.is_quoted_in(nested, "e  fixture 'other_db' not found"));
        assert!(!failure.is_quoted_in(
            "it's what isn't there, or what's to be done",
            "it's what isn't there"
        ));
        let own = faults("Error: could not resize shared memory segment");
        let failure = Failure {
            faults: &own,
            marks: &[],
        };
        assert!(failure.is_quoted_in(
            "else it says: could not resize shared memory segment, twice",
            ""
        ));
        assert!(!failure.is_quoted_in("the memory segment is shared", "error: could not resize"));
    }

    #[test]
    fn another_code_of_the_family_is_another_mistake() {
        assert!(is_of_another(
            "TS2307 Cannot find module means: run pnpm gen",
            &["TS2304"]
        ));
        assert!(is_of_another(
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
            assert!(!is_of_another(text, &codes), "{text}");
        }
    }
}
