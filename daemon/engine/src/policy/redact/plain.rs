//! Whether what a variable is set to may be told: most values may, but nobody knows what an unknown one is.

/// Longest value that is told, and longest word and number in it, in characters: what is longer may be made by a
/// machine.
const VALUE_MAX_CHARS: usize = 40;
const WORD_MAX_CHARS: usize = 12;
const NUMBER_MAX_CHARS: usize = 8;

/// What a name has whose value may be a secret, or somebody's name.
const TELLING: &[&str] = &[
    "auth", "cert", "code", "cookie", "cred", "dsn", "email", "key", "licen", "login", "mnemonic", "pass", "private",
    "psk", "salt", "secret", "seed", "session", "sign", "token", "totp", "user",
];

/// The same, where it is a whole word of the name.
const TELLING_WORDS: &[&str] = &["mfa", "otp", "pat", "pin", "pw", "pwd"];

/// What stands between the words of a value.
const BETWEEN: &[char] = &['-', '_', '.', ',', '=', ' '];

/// Whether a variable is set to what is surely no secret: numbers and short plain words behind a name that tells of
/// none.
#[must_use]
pub fn is_plain(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_telling =
        TELLING.iter().any(|part| name.contains(part)) || name.split('_').any(|word| TELLING_WORDS.contains(&word));
    !is_telling && value.chars().count() <= VALUE_MAX_CHARS && value.split(BETWEEN).all(is_plain_word)
}

/// Whether these are digits, or letters in the case of a word. Keys mix them.
fn is_plain_word(word: &str) -> bool {
    let is_number = word.len() <= NUMBER_MAX_CHARS && word.bytes().all(|byte| byte.is_ascii_digit());
    let tail = word.get(1..).unwrap_or_default();
    let has_words_case =
        tail.bytes().all(|byte| byte.is_ascii_lowercase()) || word.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_word = word.len() <= WORD_MAX_CHARS && word.starts_with(|first: char| first.is_ascii_alphabetic());
    is_number || (is_word && has_words_case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_plain_words_are_told() {
        for (name, value) in [
            ("RUST_TEST_THREADS", "1"),
            ("CGO_ENABLED", "0"),
            ("SQLX_OFFLINE", "true"),
            ("NODE_ENV", "test"),
            ("PYTHONPATH", "src"),
            ("PYTHONPATH", "."),
            ("TZ", "UTC"),
            ("LC_ALL", "C.UTF-8"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("RUSTFLAGS", "-D warnings"),
            ("EMPTY", ""),
        ] {
            assert!(is_plain(name, value), "{name}={value}");
        }
    }

    #[test]
    fn what_may_be_a_secret_is_not_told() {
        for (name, value) in [
            ("PGPASSWORD", "test"),
            ("API_KEY", "1234"),
            ("GH_PAT", "abc"),
            ("DB_USER", "alice"),
            ("SECRET_MODE", "true"),
            ("A", "hunter2"),
            ("A", "AbCdEfGh"),
            ("A", "123456789012"),
            ("A", "averylongwordthatnobodywrites"),
            ("DATABASE_URL", "postgres://a:b@host/db"),
            ("FIXTURES", "/home/alice/rows"),
            ("A", "$(cat x)"),
            ("A", "[redacted]"),
            ("A", "größe"),
        ] {
            assert!(!is_plain(name, value), "{name}={value}");
        }
    }
}
