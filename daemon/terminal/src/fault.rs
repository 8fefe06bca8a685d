//! What the output of a failed command says went wrong: a code, a symbol, a place and a message,
//! and a fingerprint that the same mistake has tomorrow, on another line and in another checkout.

mod around;
mod asserted;
mod closing;
mod forms;
mod frames;
mod marks;
mod patterns;
mod sighting;
mod titles;
mod words;

use std::sync::LazyLock;

use regex::Captures;

use helix_redact::redacted;

use self::around::{found_in, group};
pub use self::asserted::asserted;
pub(crate) use self::forms::parts;
use self::forms::{FAILED, FORMS, Form, Place};
use self::patterns::PATTERNS;
pub use self::sighting::{Sighting, lines_of, sightings};
use self::words::WORDS;

/// Faults taken from one output, the first ones: later ones most often follow from them.
pub const FAULTS_MAX: usize = 5;

/// Lines of an output that are looked at, from its start and from its end.
const LINES_MAX: usize = 2_000;

/// Bytes of a fingerprint: enough to tell the mistakes of one project apart.
const FINGERPRINT_BYTES: usize = 8;

/// Longest line that is looked at, in bytes; longer ones are data.
const LINE_MAX_BYTES: usize = 2_000;

/// Longest message, in characters.
const MESSAGE_MAX_CHARS: usize = 300;

/// Lines below a mistake in which its place, its lint and its stack are looked for.
const BELOW_MAX_LINES: usize = 30;

/// What names stand between.
const QUOTES: [char; 5] = ['`', '\'', '"', '‘', '“'];

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
    /// Returns the name of the test that failed, without where it is; `None` for what is no test.
    #[must_use]
    pub fn test(&self) -> Option<&str> {
        let name = self.symbol.rsplit([':', '.', '/', ' ']).next()?;
        (self.code == FAILED && !name.is_empty()).then_some(name)
    }

    /// Returns what is the same tomorrow: the first eight bytes of a BLAKE3, in hexadecimal.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        for part in [
            self.code.as_str(),
            &self.symbol,
            file,
            &normal(&self.message),
        ] {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        let hash = hasher.finalize();
        hex::encode(hash.as_bytes().get(..FINGERPRINT_BYTES).unwrap_or_default())
    }

    /// One line for a reader in a project: `E0382 borrow of moved value: x (src/a.rs)`. Paths are
    /// those of the project, or mere names when they are of somewhere else, and without the
    /// numbers of lines.
    #[must_use]
    pub fn line(&self, root: &str) -> String {
        let mut parts: Vec<String> = Vec::new();
        let says_code = self.code.is_empty() || self.message.contains(&self.code);
        parts.extend((!says_code).then(|| self.code.clone()));
        let says_symbol = self.symbol.is_empty() || self.message.contains(&self.symbol);
        parts.extend((!says_symbol).then(|| format!("{}:", self.symbol)));
        let placed_in = |path: &Captures<'_>| placed(&path[0], root);
        parts.push(PATTERNS.paths.replace_all(&self.message, placed_in));
        parts.extend((!self.file.is_empty()).then(|| format!("({})", placed(&self.file, root))));
        parts.join(" ")
    }

    /// The words to look for it with: the message, the code and the symbol.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} {} {}", self.code, self.symbol, self.message)
            .trim()
            .to_owned()
    }
}

/// A path as a reader in a project needs it.
fn placed(path: &str, root: &str) -> String {
    let mut name = path;
    while let Some((start, number)) = name.rsplit_once(':')
        && !number.is_empty()
        && number.chars().all(|next| next.is_ascii_digit())
    {
        name = start;
    }
    let inside = name
        .strip_prefix(root)
        .filter(|_| !root.is_empty())
        .and_then(|rest| rest.strip_prefix('/'));
    if let Some(inside) = inside {
        return inside.to_owned();
    }
    let is_drive = name
        .get(1..)
        .is_some_and(|rest| rest.starts_with([':']) && !rest.starts_with("://"));
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    // An address and a route begin with slashes as well.
    let is_file =
        is_drive || last.contains('.') || WORDS.homes.iter().any(|home| name.starts_with(home));
    let is_absolute =
        is_drive || name.starts_with('~') || name.starts_with('/') && !name.starts_with("//");
    if is_absolute && is_file {
        last.to_owned()
    } else {
        name.to_owned()
    }
}

/// Compiles everything, so that the first failure is not answered late.
pub fn warm_up() {
    LazyLock::force(&FORMS);
    LazyLock::force(&PATTERNS);
    LazyLock::force(&WORDS);
}

/// A mistake, and the place of the line that tells of it.
#[derive(Debug)]
struct Found {
    fault: Fault,
    at: usize,
}

/// Finds the mistakes that an output tells of, each once, in order, without the secrets in it.
#[must_use]
pub fn faults(output: &str) -> Vec<Fault> {
    let plain = bare(output);
    let plain = redacted(&plain);
    found_in_lines(&telling_lines(&plain), FAULTS_MAX)
        .into_iter()
        .map(|found| found.fault)
        .collect()
}

/// Finds the mistakes that lines tell of, the first `most`.
fn found_in_lines(lines: &[&str], most: usize) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for at in 0..lines.len() {
        // A list of failed tests comes before what they say.
        if found.len() == most && !found.iter().any(|found| is_bare(&found.fault)) {
            break;
        }
        if let Some(fault) = fault_at(lines, at) {
            take(&mut found, Found { fault, at }, most);
        }
    }
    found
}

/// Returns whether it says no more than that a test failed.
fn is_bare(fault: &Fault) -> bool {
    fault.code == FAILED && fault.file.is_empty()
}

/// Takes a mistake that is not known yet, or that says more of one that is.
fn take(found: &mut Vec<Found>, new: Found, most: usize) {
    let is_test = |code: &str| code == FAILED || code == "panic";
    let fault = &new.fault;
    let is_same = |known: &Fault| {
        let has_same_name = !fault.symbol.is_empty() && known.symbol == fault.symbol;
        // Maven names a failed test whole first, and then in short.
        let is_retold = fault.code == FAILED
            && known.code == FAILED
            && !fault.symbol.is_empty()
            && known
                .symbol
                .strip_suffix(&fault.symbol)
                .is_some_and(|rest| rest.ends_with('.'));
        let is_placeless = !fault.code.is_empty() && fault.file.is_empty() && known.file.is_empty();
        known == fault
            || is_retold
            || has_same_name && is_test(&known.code) && is_test(&fault.code)
            || is_placeless
                && known.code == fault.code
                && known.symbol == fault.symbol
                && !is_test(&fault.code)
    };
    let Some(at) = found.iter().position(|known| is_same(&known.fault)) else {
        if found.len() < most {
            found.push(new);
        }
        return;
    };
    if let Some(known) = found
        .get_mut(at)
        .filter(|known| is_bare(&known.fault) && !is_bare(fault))
    {
        *known = new;
    }
}

/// An output without colours, and with one kind of line ends.
pub(crate) fn plain(output: &str) -> String {
    PATTERNS.escapes.replace_all(output, "").replace('\r', "\n")
}

/// A plain output without frames.
fn bare(output: &str) -> String {
    frames::unframed(&plain(output))
}

fn telling_lines(output: &str) -> Vec<&str> {
    let lines: Vec<&str> = output
        .lines()
        .map(str::trim_end)
        .filter(|line| line.len() <= LINE_MAX_BYTES)
        .collect();
    let (start, end) = (LINES_MAX / 2, lines.len().saturating_sub(LINES_MAX / 2));
    if end <= start {
        return lines;
    }
    lines
        .iter()
        .take(start)
        .chain(lines.iter().skip(end))
        .copied()
        .collect()
}

fn fault_at(lines: &[&str], at: usize) -> Option<Fault> {
    let line = lines.get(at)?;
    let (form, captures) = FORMS
        .iter()
        .find_map(|form| Some((form, form.pattern.captures(line)?)))?;
    let mut fault = Fault {
        code: group(&captures, "code"),
        symbol: group(&captures, "symbol"),
        file: group(&captures, "file"),
        message: group(&captures, "message"),
    };
    complete(&mut fault, form, lines, at)?;
    let below = below(lines, at);
    if fault.message.is_empty() && form.place != Place::Summary {
        fault.message = around::next_line(below);
    }
    if fault.code.is_empty() {
        fault.code = named(&fault.message).unwrap_or_else(|| form.code.clone());
    }
    if fault.symbol.is_empty() && fault.code == "ERESOLVE" {
        fault.symbol = found_in(below.iter(), &PATTERNS.peer, "symbol").unwrap_or_default();
    }
    if fault.symbol.is_empty() {
        fault.symbol = quoted(&fault.message).unwrap_or_default();
    }
    if form.place == Place::Below && quoted(&fault.message).is_none() {
        around::add_label(&mut fault, below);
    }
    fault.message = fault.message.chars().take(MESSAGE_MAX_CHARS).collect();
    Some(fault)
}

/// Adds what stands around the line. `None` when it only says that something else went wrong.
fn complete(fault: &mut Fault, form: &Form, lines: &[&str], at: usize) -> Option<()> {
    let below = below(lines, at);
    match form.place {
        Place::Own | Place::Summary => {}
        // It is that test's.
        Place::Below | Place::Above | Place::Detail
            if form.code.is_empty() && titles::is_of_a_test(lines, at) =>
        {
            return None;
        }
        Place::Below => around::look_below(fault, below),
        Place::Above => around::look_above(fault, lines, at),
        Place::Block => fault.message = around::block(below),
        Place::Symbol => {
            around::name_flag(fault);
            around::take_symbol(fault, below);
        }
        Place::Heading => fault.message = around::of_heading(below)?,
        Place::Titles => titles::take_titles(fault, below)?,
        Place::Detail => around::take_detail(fault, below),
    }
    (!PATTERNS.echo.is_match(&fault.message)).then_some(())
}

fn below<'l, 't>(lines: &'l [&'t str], at: usize) -> &'l [&'t str] {
    let below = lines.get(at + 1..).unwrap_or_default();
    below.get(..BELOW_MAX_LINES).unwrap_or(below)
}

/// The name that a system gives to what went wrong, out of a message.
fn named(message: &str) -> Option<String> {
    if helix_ablation::is_off("fault/named-codes") {
        return None;
    }
    let captures = PATTERNS.named.captures(message)?;
    let name = captures
        .name("code")
        .or_else(|| captures.name("state"))?
        .as_str();
    // That of every assertion of Node's.
    (name != "ERR_ASSERTION").then(|| name.to_owned())
}

fn quoted(message: &str) -> Option<String> {
    if helix_ablation::is_off("fault/quoted-symbol") {
        return None;
    }
    let captures = PATTERNS.quoted.captures(message)?;
    let name = captures.name("symbol").or_else(|| captures.name("bare"))?;
    Some(name.as_str().to_owned())
}

/// A message without what differs from one time to the next: paths and numbers.
fn normal(message: &str) -> String {
    let shortened = |path: &Captures<'_>| normal_path(message, path);
    let pathless = PATTERNS.paths.replace_all(message, shortened);
    let plain = PATTERNS.numbers.replace_all(&pathless, "#");
    plain
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// Returns what is left of a path. A relative one in quotes is what the mistake is about, as a
/// module is, and its last part stays.
fn normal_path(message: &str, path: &Captures<'_>) -> String {
    let start = path.get(0).map_or(0, |path| path.start());
    let is_quoted = message
        .get(..start)
        .is_some_and(|before| before.ends_with(QUOTES));
    let is_named = is_quoted && !path[0].starts_with(['/', '~']);
    let name = path[0].rsplit(['/', '\\']).next().filter(|_| is_named);
    format!("<path>{}", name.unwrap_or_default())
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "fault_tools_tests.rs"]
mod tools_tests;
