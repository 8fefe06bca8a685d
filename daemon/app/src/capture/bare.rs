//! Facts of which nothing is left once their secrets are taken out: "the key is [redacted:…]".

use helix_redact::placeholders;

/// Words behind a placeholder from which something is said of the secret.
const WORDS_BEHIND_MIN: usize = 3;

/// Words behind which stands the value of something.
const EQUALS: [&str; 10] = [
    "is", "are", "was", "equals", "to", "ist", "lautet", "heißt", "是", "为",
];

/// Whether a fact without its secrets gives a secret and says nothing of it.
pub(super) fn is_bare(text: &str) -> bool {
    placeholders(text).into_iter().any(|found| {
        let before = text.get(..found.start).unwrap_or_default();
        let behind = text.get(found.end..).unwrap_or_default();
        is_value(before) || words(sentence(behind)) < WORDS_BEHIND_MIN
    })
}

/// Whether what follows is the value of what is named before. In code a colon names a header.
fn is_value(before: &str) -> bool {
    let is_open = before.matches('`').count() % 2 == 1;
    if is_open && !before.ends_with('`') {
        return false;
    }
    let before = before
        .trim_end_matches([' ', '`', '"', '\''])
        .to_lowercase();
    before.ends_with([':', '：']) || EQUALS.iter().any(|word| ends_with_word(&before, word))
}

/// Whether a text ends with a word. Chinese words have no blanks around them.
fn ends_with_word(text: &str, word: &str) -> bool {
    let Some(rest) = text.strip_suffix(word) else {
        return false;
    };
    !word.is_ascii() || !rest.ends_with(char::is_alphanumeric)
}

/// The rest of a sentence.
fn sentence(behind: &str) -> &str {
    let ends = [". ", "! ", "? ", "\n", "。", "！", "？"];
    let end = ends.iter().filter_map(|end| behind.find(end)).min();
    behind
        .get(..end.unwrap_or(behind.len()))
        .unwrap_or_default()
}

/// Words of a text: runs of letters, and every second character of a run that is not ASCII, because
/// Chinese has no blanks.
fn words(text: &str) -> usize {
    let runs = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|run| !run.is_empty());
    runs.map(|run| {
        if run.is_ascii() {
            1
        } else {
            run.chars().count() / 2 + 1
        }
    })
    .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_alone_is_bare() {
        for text in [
            "[redacted:github-token]",
            "Always use [redacted:github-token].",
            "The staging api key is [redacted:anthropic-key]",
            "The key is `[redacted:api-key]`, because the other one expired in May.",
            "Password: [redacted:password] for the shop's database, not for the ledger.",
            "生产环境的密钥是 [redacted:api-key]。",
            "Use `export TOKEN=[redacted:api-key]` here. It is rotated every week by ops.",
        ] {
            assert!(is_bare(text), "{text}");
        }
    }

    #[test]
    fn what_is_said_of_a_secret_is_not() {
        for text in [
            "Use pnpm here, not npm.",
            "Never log [redacted:github-token] anywhere in the CI output.",
            "The webhook secret [redacted:api-key] must be rotated every 90 days.",
            "To deploy, use `TOKEN=[redacted:api-key] make deploy REGION=eu`; `make deploy` fails.",
        ] {
            assert!(!is_bare(text), "{text}");
        }
    }
}
