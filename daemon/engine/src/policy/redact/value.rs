//! Whether a value that stands where secrets stand is one.

/// Shortest secret behind a name that says so less clearly.
const MIXED_MIN_CHARS: usize = 6;

/// Shortest secret that nothing but its place tells.
const LONG_MIN_CHARS: usize = 16;

/// Shortest password that somebody would use, and shortest one that somebody assigns.
const WORD_MIN_CHARS: usize = 4;

/// What stands behind a name in place of a value.
const NO_VALUES: &[&str] = &[
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "null",
    "nil",
    "none",
    "undefined",
    "string",
    "str",
    "bytes",
    "any",
    "required",
    "optional",
    "missing",
    "invalid",
    "expected",
    "unset",
    "empty",
    "changeme",
    "redacted",
    "hidden",
    "secret",
    "token",
    "password",
    "example",
    "placeholder",
];

/// Passwords of databases and accounts that are made for trials, which everybody knows, and where people keep the others.
const KNOWN: &[&str] = &[
    "1password",
    "admin",
    "bitwarden",
    "dev",
    "guest",
    "keepass",
    "keychain",
    "lastpass",
    "local",
    "localhost",
    "minioadmin",
    "pass",
    "postgres",
    "root",
    "test",
    "testing",
    "user",
    "vault",
];

/// Whether this stands for a value that is put in later.
pub(super) fn is_placeholder(value: &str) -> bool {
    let first = value.chars().next();
    let is_one_letter = value.chars().all(|next| Some(next) == first);
    value.starts_with(['$', '<', '{', '%', '*', '@', '['])
        || value.contains("...")
        || value.contains('…')
        || is_one_letter
}

/// Whether this says that there is no value, or of what kind it is.
fn is_no_value(value: &str) -> bool {
    NO_VALUES.contains(&value.to_lowercase().as_str())
}

/// Whether this hides nothing: it says that there is no value, or is one that everybody knows.
pub(super) fn is_known(value: &str) -> bool {
    is_no_value(value) || KNOWN.contains(&value.to_lowercase().as_str())
}

/// Whether this may be a word of a sentence, the name of something in a program, or what stands for a value: `TOKEN`.
pub(super) fn is_word(value: &str) -> bool {
    let plain = value.trim_end_matches(['.', '!', '?', ':']);
    let is_joining = |next: char| matches!(next, '-' | '_' | '/' | '\'' | '’');
    // Machines mix the cases within a word.
    let is_mixed = plain.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_uppercase))
        && plain.bytes().any(|byte| byte.is_ascii_lowercase());
    !is_mixed && plain.chars().all(|next| next.is_alphabetic() || is_joining(next))
}

/// Whether this is a port, or two.
pub(super) fn is_port(value: &str) -> bool {
    value.split(':').all(|port| (2..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a value has letters and digits and is no short word.
pub(super) fn is_mixed(value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|next| is(&next));
    let is_told = value.chars().count() >= MIXED_MIN_CHARS && !is_placeholder(value) && !is_code(value);
    is_told && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
}

/// Whether a value is long enough that only a machine wrote it.
pub(super) fn is_long(value: &str) -> bool {
    value.chars().count() >= LONG_MIN_CHARS && is_mixed(value)
}

/// A name that ends in a telling word, and how a value follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named<'t> {
    pub(super) name: &'t str,
    /// Whether the name is quoted, as in JSON.
    pub(super) is_key: bool,
    /// With the blanks around it.
    pub(super) operator: &'t str,
    pub(super) is_quoted: bool,
}

impl Named<'_> {
    pub(super) fn is_secret(self, value: &str) -> bool {
        let is_short = value.chars().count() < WORD_MIN_CHARS;
        if is_short
            || is_placeholder(value)
            || is_no_value(value)
            || is_path(value)
            || value.eq_ignore_ascii_case(self.name)
        {
            return false;
        }
        // A sentence about it.
        if value.contains(char::is_whitespace) {
            return false;
        }
        let is_number = value.chars().all(|next| next.is_ascii_digit());
        if self.is_token() && is_number {
            return false;
        }
        if self.is_variable() {
            return !is_call(value);
        }
        let is_assigned = self.operator == "=" || self.is_quoted || self.is_key;
        if self.is_token() {
            is_mixed(value) && (is_assigned || !is_id(value)) && value.chars().count() >= 2 * WORD_MIN_CHARS
        } else {
            is_mixed(value) || (is_assigned && !is_code(value))
        }
    }

    /// Whether the name says no more than that it is a token, which parsers have as well.
    fn is_token(self) -> bool {
        let lower = self.name.to_lowercase();
        let says_more =
            ["auth", "access", "api", "refresh", "bearer", "session", "secret", "private", "csrf", "password"];
        lower.ends_with("token") && !says_more.iter().any(|word| lower.contains(word))
    }

    /// Whether it is written as a variable of the environment is.
    fn is_variable(self) -> bool {
        self.operator == "=" && !self.name.chars().any(|next| next.is_ascii_lowercase())
    }
}

/// Whether it names something in a program: `settings.DB_PASSWORD`, `std::env::var`.
fn is_code(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && part.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
    };
    let parts: Vec<&str> = value.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    is_call(value) || (parts.len() > 1 && parts.iter().all(|part| is_name(part)))
}

fn is_call(value: &str) -> bool {
    value.contains('(')
}

/// Whether it says where something is.
fn is_path(value: &str) -> bool {
    let is_absolute = value.strip_prefix('/').is_some_and(|rest| rest.contains('/'));
    let is_lower = |next: char| next.is_ascii_lowercase() || next.is_ascii_digit() || "/._:-".contains(next);
    let is_relative = value.contains('/') && value.chars().all(is_lower);
    let is_address = value.contains("://") && !value.contains('@');
    let starts = ["./", "../", "~/", "~", "C:\\", "arn:", "file:"];
    is_absolute || is_relative || is_address || starts.iter().any(|start| value.starts_with(start))
}

/// Whether it has the form of a hash or a UUID, by which things are told apart that are no secrets.
fn is_id(value: &str) -> bool {
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = value.split('-').collect();
    parts.iter().all(|part| is_hex(part)) && (parts.len() == 1 || parts.len() == 5)
}
