//! Characters that nobody sees, and letters that look like others.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

/// The letters.
const LOOKALIKES: &str = include_str!("lookalikes.toml");

/// Fewest characters without width between letters that are no accident, fewest selectors of
/// variants in a row, and fewest words that mix alphabets.
const ZERO_WIDTH_MIN: usize = 3;
const SELECTORS_MIN: usize = 4;
const MIXED_WORDS_MIN: usize = 2;

/// The flag that tags may follow, and what ends them there.
const FLAG: char = '\u{1f3f4}';
const TAG_END: char = '\u{e007f}';

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LookalikesTable {
    letters: BTreeMap<char, String>,
}

static FOLDED: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let table: LookalikesTable = toml::from_str(LOOKALIKES).unwrap_or(LookalikesTable {
        letters: BTreeMap::new(),
    });
    let mut folded = HashMap::new();
    for (letter, others) in table.letters {
        folded.extend(others.chars().map(|other| (other, letter)));
    }
    folded
});

/// A text with everything in it to be seen.
pub(super) struct Revealed {
    /// The text without characters that nobody sees, and with what tags and selectors of variants
    /// spell behind it.
    pub(super) visible: String,
    /// The same in lowercase, with the letters of ASCII for those that look like them; `None` where
    /// none does.
    pub(super) folded: Option<String>,
    /// Where the first hidden characters are, if they are no accident.
    pub(super) hidden: Option<Range<usize>>,
    /// True if words mix alphabets.
    pub(super) has_lookalikes: bool,
}

impl Revealed {
    pub(super) fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self {
                visible: text.to_owned(),
                folded: None,
                hidden: None,
                has_lookalikes: false,
            };
        }
        let mut reader = Reader::default();
        let mut before = ' ';
        for (at, next) in text.char_indices() {
            reader.read(at, next, before);
            before = next;
        }
        let hidden = reader.hidden();
        let visible = if reader.spelled.is_empty() {
            reader.visible
        } else {
            format!("{}\n{}", reader.visible, reader.spelled)
        };
        let has_lookalikes = visible.to_lowercase().contains(is_lookalike);
        Self {
            folded: has_lookalikes.then(|| folded(&visible)),
            has_lookalikes: has_lookalikes && mixed_words(&visible) >= MIXED_WORDS_MIN,
            visible,
            hidden,
        }
    }
}

/// A part of a text with everything in it to be seen.
pub(super) fn visible(part: &str) -> Cow<'_, str> {
    if part.is_ascii() || !part.contains(is_hidden) {
        return Cow::Borrowed(part);
    }
    Cow::Owned(Revealed::of(part).visible)
}

/// Whether nobody sees a character, or it only changes how others look.
fn is_hidden(next: char) -> bool {
    matches!(next, '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2069}'
        | '\u{202a}'..='\u{202e}'
        | '\u{feff}'
        | '\u{ad}'
        | '\u{180e}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0000}'..='\u{e01ef}')
}

fn is_lookalike(next: char) -> bool {
    !next.is_ascii() && FOLDED.contains_key(&next)
}

/// The part of a text read so far.
#[derive(Default)]
struct Reader {
    visible: String,
    spelled: String,
    zero_width: usize,
    first_zero_width: Option<usize>,
    /// Selectors of variants in a row.
    selectors: usize,
    selected: String,
    is_flag: bool,
    first_hidden: Option<Range<usize>>,
}

impl Reader {
    fn read(&mut self, at: usize, next: char, before: char) {
        let code = u32::from(next);
        if let Some(byte) = selector(code) {
            self.selectors += 1;
            self.selected.push(char::from(byte));
            if self.selectors >= SELECTORS_MIN {
                self.note(at, next);
            }
            return;
        }
        self.end_selectors();
        match next {
            TAG_END => self.is_flag = false,
            '\u{e0000}'..='\u{e007e}' if self.is_flag => {}
            '\u{e0000}'..='\u{e007e}' => {
                self.note(at, next);
                self.spelled.extend(char::from_u32(code - 0xe_0000));
            }
            '\u{202a}' | '\u{202b}' | '\u{202d}' | '\u{202e}' => self.note(at, next),
            '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{2064}'
            | '\u{feff}'
            | '\u{ad}'
            | '\u{180e}' => {
                // A soft hyphen says where a long word may be broken.
                let is_hyphen = next == '\u{ad}';
                let is_between = before.is_ascii_graphic() || before == ' ';
                self.zero_width += usize::from(is_between && !is_hyphen);
                self.first_zero_width.get_or_insert(at);
            }
            '\u{202c}' | '\u{2066}'..='\u{2069}' => {}
            _ => {
                self.is_flag = next == FLAG;
                self.visible.push(next);
            }
        }
    }

    fn note(&mut self, at: usize, next: char) {
        self.first_hidden.get_or_insert(at..at + next.len_utf8());
    }

    /// Selectors that follow a character alone choose its look; many in a row spell something.
    fn end_selectors(&mut self) {
        if self.selectors >= SELECTORS_MIN {
            self.spelled.push_str(&self.selected);
        }
        self.selectors = 0;
        self.selected.clear();
    }

    fn hidden(&mut self) -> Option<Range<usize>> {
        self.end_selectors();
        let zero_width = self
            .first_zero_width
            .filter(|_| self.zero_width >= ZERO_WIDTH_MIN)
            .map(|at| at..at);
        self.first_hidden.clone().or(zero_width)
    }
}

/// The byte that a selector of variants stands for.
fn selector(code: u32) -> Option<u8> {
    let byte = match code {
        0xfe00..=0xfe0f => code - 0xfe00,
        0xe_0100..=0xe_01ef => code - 0xe_0100 + 16,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

fn folded(text: &str) -> String {
    let fold = |next: char| FOLDED.get(&next).copied().unwrap_or(next);
    text.to_lowercase().chars().map(fold).collect()
}

/// Words that have letters of ASCII and others that look like such.
fn mixed_words(text: &str) -> usize {
    let lower = text.to_lowercase();
    let words = lower.split(|next: char| !next.is_alphanumeric());
    let is_mixed = |word: &&str| {
        word.chars().any(|next| next.is_ascii_alphabetic()) && word.chars().any(is_lookalike)
    };
    words.filter(is_mixed).count()
}
