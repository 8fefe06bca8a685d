//! Judges whether a value in a secret's usual place is a secret.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::rules::set;

/// Shortest secret behind a name that says so less clearly.
const MIXED_MIN_CHARS: usize = 6;

/// Shortest secret that nothing but its place tells.
const LONG_MIN_CHARS: usize = 16;

/// Shortest password that somebody would use, and shortest one that somebody assigns.
pub(super) const WORD_MIN_CHARS: usize = 4;

/// Fewest words of a phrase to log in with, in quotation marks and without.
const PHRASE_MIN_WORDS: usize = 2;
const BARE_PHRASE_MIN_WORDS: usize = 4;

/// Fewest words of a phrase whose words are joined.
const JOINED_MIN_WORDS: usize = 3;

/// Longest phrase, in characters: what is longer is a text.
const PHRASE_MAX_CHARS: usize = 80;

/// Characters that passwords have and words have not.
const ODD: &[char] = &['@', '#', '!', '$', '%', '^', '&', '*', '+', '?', '~'];

/// Ends of sentences and of what people are asked for.
const SENTENCE_ENDS: &[char] = &['.', '?', ':', '…', '!'];

/// Ends of words that say how, or what is done.
const SUFFIXES: [&str; 4] = ["ed", "ing", "ly", "able"];

/// The same of a word that stands alone, where "butterfly" may stand as well.
const PARTICIPLES: [&str; 8] = [
    "ed", "ing", "able", "iert", "ändert", "ichert", "üsselt", "setzt",
];

/// The table of values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ValuesTable {
    /// Names whose value is no secret.
    pub(super) never_behind: Vec<String>,
    none: Vec<String>,
    known: Vec<String>,
    methods: Vec<String>,
    sentence_words: Vec<String>,
    prose_words: Vec<String>,
    stand_ins: Vec<String>,
    stand_in_parts: Vec<String>,
    giving: Vec<String>,
}

/// Values that are no secrets.
pub(super) struct Values {
    none: HashSet<String>,
    known: HashSet<String>,
    methods: HashSet<String>,
    sentence_words: HashSet<String>,
    prose_words: HashSet<String>,
    stand_ins: HashSet<String>,
    stand_in_parts: HashSet<String>,
    giving: HashSet<String>,
}

impl Values {
    pub(super) fn of(table: ValuesTable) -> Self {
        let ValuesTable {
            never_behind: _,
            none,
            known,
            methods,
            sentence_words,
            prose_words,
            stand_ins,
            stand_in_parts,
            giving,
        } = table;
        Self {
            none: set(none),
            known: set(known),
            methods: set(methods),
            sentence_words: set(sentence_words),
            prose_words: set(prose_words),
            stand_ins: set(stand_ins),
            stand_in_parts: set(stand_in_parts),
            giving: set(giving),
        }
    }

    /// Returns whether this says that there is no value, or of what kind it is.
    pub(super) fn is_no_value(&self, value: &str) -> bool {
        self.none.contains(&value.to_lowercase())
    }

    /// Returns whether this hides nothing: it says that there is no value, or is one that everybody
    /// knows.
    pub(super) fn is_known(&self, value: &str) -> bool {
        self.is_no_value(value) || self.known.contains(&value.to_lowercase())
    }

    /// Returns whether a word in a password's place says of what kind it is, how it is, or where it
    /// is kept, or names something in a program.
    pub(super) fn stands_in(&self, value: &str) -> bool {
        let plain = value.trim_end_matches(SENTENCE_ENDS);
        let lower = plain.to_lowercase();
        let has_lower = plain.contains(char::is_lowercase);
        let is_camel = plain.chars().skip(1).any(char::is_uppercase) && has_lower;
        let is_telling = |part: &str| {
            self.stand_in_parts.contains(part)
                || part.chars().count() > 2 && is_placeholder(part)
                || ["pass", "secret", "token", "kennwort"]
                    .iter()
                    .any(|word| part.contains(word))
        };
        let mut parts = lower.split(['-', '_', '/']);
        let is_one_word = !lower.contains(['-', '_', '/']);
        !has_lower
            || is_camel && is_one_word
            || self.is_known(&lower)
            || self.stand_ins.contains(&lower)
            || self.sentence_words.contains(&lower)
            || self.prose_words.contains(&lower)
            || PARTICIPLES.iter().any(|suffix| lower.ends_with(suffix))
            || parts.any(is_telling)
    }

    /// Returns whether these are several words, joined, that a sentence does not join:
    /// `correct-horse-battery-staple`.
    pub(super) fn is_word_phrase(&self, value: &str) -> bool {
        let words: Vec<&str> = value.trim_end_matches(SENTENCE_ENDS).split('-').collect();
        let is_plain = |word: &&str| word.len() > 2 && word.chars().all(char::is_lowercase);
        let is_of_sentence = |word: &&str| {
            self.sentence_words.contains(*word)
                || self.stand_ins.contains(*word)
                || self.is_method(word)
        };
        words.len() >= JOINED_MIN_WORDS
            && words.iter().all(is_plain)
            && !words.iter().any(is_of_sentence)
            && self.is_no_sentence(&words.join(" "))
    }

    /// Returns whether the words between a name and its value tell that this is one: "lautet".
    pub(super) fn gives(&self, operator: &str) -> bool {
        let plain = operator.trim().to_lowercase();
        let plain = plain.trim_end_matches(':').trim_end();
        let first = plain.split_whitespace().next().unwrap_or_default();
        self.giving.contains(first)
            || operator.trim_end().ends_with(':')
            || self
                .giving
                .iter()
                .any(|word| word.contains(' ') && plain.ends_with(word.as_str()))
    }

    /// Returns whether this is the name of a method or format, alone or as a part: `sha256-hashed`.
    pub(super) fn is_method(&self, value: &str) -> bool {
        let lower = value.trim_end_matches(SENTENCE_ENDS).to_lowercase();
        self.methods.contains(&lower)
            || lower
                .split(['-', '/', '_', '+', ':'])
                .any(|part| self.methods.contains(part))
    }

    /// Returns whether a value has letters and digits and is no short word.
    pub(super) fn is_mixed(value: &str) -> bool {
        let has = |is: fn(&char) -> bool| value.chars().any(|next| is(&next));
        let is_told =
            value.chars().count() >= MIXED_MIN_CHARS && !is_placeholder(value) && !is_code(value);
        is_told && has(char::is_ascii_digit) && has(|next| next.is_alphabetic())
    }

    /// Returns whether a value is long enough that only a machine wrote it.
    pub(super) fn is_long(value: &str) -> bool {
        value.chars().count() >= LONG_MIN_CHARS && Self::is_mixed(value)
    }

    /// Returns whether a value that nothing assigns is told in a sentence: letters and digits, and
    /// no method, version, time, or place.
    pub(super) fn is_said(&self, value: &str) -> bool {
        Self::is_mixed(value)
            && !self.is_method(value)
            && !is_path(value)
            && !is_version(value)
            && !is_sized(value)
            && !value.contains("://")
    }

    /// Returns whether words that a sentence gives do not go on as sentences do.
    pub(super) fn is_no_sentence(&self, value: &str) -> bool {
        let mut words = value.split_whitespace();
        !words.any(|word| {
            self.prose_words.contains(word) || SUFFIXES.iter().any(|suffix| word.ends_with(suffix))
        })
    }

    /// Returns whether this is a phrase to log in with and no sentence. `is_quoted` says that it
    /// ends where its quotation marks do.
    pub(super) fn is_phrase(&self, value: &str, is_quoted: bool) -> bool {
        let words: Vec<&str> = value.split_whitespace().collect();
        let min = if is_quoted {
            PHRASE_MIN_WORDS
        } else {
            BARE_PHRASE_MIN_WORDS
        };
        let is_sentence_word = |word: &&str| {
            let plain = word
                .trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase();
            self.sentence_words.contains(&plain)
                || self.is_no_value(&plain)
                || plain.contains("pass")
        };
        let is_plain = |word: &&str| word.chars().all(char::is_lowercase);
        words.len() >= min
            && value.chars().count() <= PHRASE_MAX_CHARS
            && (is_quoted || words.iter().all(is_plain))
            && !value.ends_with(SENTENCE_ENDS)
            && !value.contains(['(', '{', '<', '$', '%'])
            && !words.iter().any(is_sentence_word)
    }
}

/// Returns whether this stands for a value that is put in later.
pub(super) fn is_placeholder(value: &str) -> bool {
    let first = value.chars().next();
    let is_one_letter = value.chars().all(|next| Some(next) == first);
    value.starts_with(['$', '<', '{', '%', '*', '@', '['])
        || value.contains("...")
        || value.contains('…')
        || is_one_letter
}

/// Returns whether this may be a word of a sentence, the name of something in a program, or what
/// stands for a value: `TOKEN`.
pub(super) fn is_word(value: &str) -> bool {
    let plain = value.trim_end_matches(['.', '!', '?', ':']);
    let is_joining = |next: char| matches!(next, '-' | '_' | '/' | '\'' | '’');
    // Machines mix the cases within a word.
    let is_mixed = plain
        .as_bytes()
        .windows(2)
        .any(|pair| pair.iter().all(u8::is_ascii_uppercase))
        && plain.bytes().any(|byte| byte.is_ascii_lowercase());
    !is_mixed
        && plain
            .chars()
            .all(|next| next.is_alphabetic() || is_joining(next))
}

/// Returns whether this is a port, or two.
pub(super) fn is_port(value: &str) -> bool {
    value
        .split(':')
        .all(|port| (2..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether this is Base64 of `user:password`.
pub(super) fn is_pair(value: &str) -> bool {
    let decoded = STANDARD
        .decode(value)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let is_printed = |text: &str| text.chars().all(|next| !next.is_control());
    decoded.filter(|text| is_printed(text)).is_some_and(|text| {
        text.split_once(':')
            .is_some_and(|(user, password)| !user.is_empty() && !password.is_empty())
    })
}

/// Returns whether it has the form of a hash or a UUID, by which things are told apart that are no
/// secrets.
pub(super) fn is_id(value: &str) -> bool {
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = value.trim_end_matches(SENTENCE_ENDS).split('-').collect();
    parts.iter().all(|part| is_hex(part)) && (parts.len() == 1 || parts.len() == 5)
}

/// Returns whether this is the name of a file.
pub(super) fn is_file(value: &str) -> bool {
    let extension = value
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns whether it has a character that passwords have, and not only at its end, and is no
/// address of mail.
pub(super) fn is_odd(value: &str) -> bool {
    let inner = value.trim_end_matches(SENTENCE_ENDS);
    let is_mail = inner
        .split_once('@')
        .is_some_and(|(_, host)| host.contains('.'));
    let has_letter = inner.chars().any(char::is_alphabetic);
    has_letter
        && !is_mail
        && inner.chars().skip(1).any(|next| ODD.contains(&next))
        && !is_call(value)
}

/// Returns whether it names something in a program: `settings.DB_PASSWORD`, `std::env::var`.
pub(super) fn is_code(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && part
                .chars()
                .all(|next| next.is_ascii_alphanumeric() || next == '_')
    };
    let parts: Vec<&str> = value
        .split(['.', ':'])
        .filter(|part| !part.is_empty())
        .collect();
    is_call(value) || (parts.len() > 1 && parts.iter().all(|part| is_name(part)))
}

pub(super) fn is_call(value: &str) -> bool {
    value.contains('(')
}

/// Returns whether it says where something is.
pub(super) fn is_path(value: &str) -> bool {
    let is_absolute = value
        .strip_prefix('/')
        .is_some_and(|rest| rest.contains('/'));
    let is_lower =
        |next: char| next.is_ascii_lowercase() || next.is_ascii_digit() || "/._:-".contains(next);
    let is_relative = value.contains('/') && value.chars().all(is_lower);
    let is_address = value.contains("://") && !value.contains('@');
    let starts = ["./", "../", "~/", "~", "C:\\", "arn:", "file:"];
    is_absolute || is_relative || is_address || starts.iter().any(|start| value.starts_with(start))
}

/// Returns whether it is a version: `v1.2.3`, `1.2.3-rc1`, `2.0.x`.
fn is_version(value: &str) -> bool {
    let plain = value.trim_start_matches(['v', 'V', '^', '~', '=']);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    plain.split_once('.').is_some_and(|(major, rest)| {
        is_number(major) && rest.starts_with(|first: char| first.is_ascii_digit() || first == 'x')
    })
}

/// Returns whether it is a number with a unit or an ordinal, a date or a time: `128bits`, `2nd`,
/// `2024-05-01T00:00`.
fn is_sized(value: &str) -> bool {
    let rest =
        value.trim_start_matches(|next: char| next.is_ascii_digit() || "-:.,_".contains(next));
    let is_numeric =
        rest.len() < value.len() && value.starts_with(|first: char| first.is_ascii_digit());
    is_numeric
        && (rest.len() <= 2
            || rest
                .trim_start_matches('-')
                .bytes()
                .all(|byte| byte.is_ascii_lowercase()))
        || rest.starts_with('T') && value.len() - rest.len() >= "2024-05-01".len()
}
