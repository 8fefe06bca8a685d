#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;

use super::{FIELD_TOKENS_MAX, Scanner, TOKEN_MAX_BYTES, Token, TokenKind, normalize, tokenize};

/// Writes the tokens of a text: parts plain, whole identifiers in angle brackets, grams in square
/// ones.
fn render(text: &str) -> String {
    let show = |kind, token: String| match kind {
        TokenKind::Part => token,
        TokenKind::Whole => format!("<{token}>"),
        TokenKind::Gram => format!("[{token}]"),
    };
    tokenize(text)
        .into_iter()
        .map(|token| show(token.kind, token.text))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn splits_and_stems() {
    let table = [
        ("", ""),
        ("  ,.-!  ", ""),
        ("Running the builds", "run the build"),
        ("FxHashSet", "fx hash set <fxhashset>"),
        ("HTTPServer", "http server <httpserver>"),
        ("parseHTTPResponse", "pars http respons <parsehttprespons>"),
        (
            "CachedEntries cachedentries",
            "cach entri <cachedentri> cachedentri",
        ),
        ("my_var", "my var <my_var>"),
        ("__init__", "init"),
        ("_MY_CONST_2", "my const 2 <my_const_2>"),
        ("arm64", "arm 64 <arm64>"),
        ("utf8", "utf 8 <utf8>"),
        ("UTF-8", "utf 8"),
        (
            "i32 x86_64 S3 v2API",
            "i32 x86 64 <x86_64> s3 v2 api <v2api>",
        ),
        ("IDs and URLs", "id and url"),
        ("OAuth iOS", "auth <oauth> os <ios>"),
        ("build-gotchas", "build gotcha"),
        (
            "std::collections::HashMap",
            "std collect hash map <hashmap>",
        ),
        ("daemon/engine/src/index.rs", "daemon engin src index rs"),
        ("don't it's the server's", "dont it the server"),
        ("we\u{2019}ll b'x' f'some", "well some"),
        ("a I x 7", "7"),
        ("3.14 8080", "3 14 8080"),
        ("\u{fb01}le \u{ff21}\u{ff22}\u{ff23} x\u{b2}", "file abc x2"),
        ("Größe naïve", "größe naïve"),
        ("東京都", "[東京] [京都]"),
        ("水", "[水]"),
        (
            "Rustで検索する2回",
            "rust [で検] [検索] [索す] [する] 2 [回]",
        ),
        (
            "カタカナ・ひらがな",
            "[カタ] [タカ] [カナ] [ひら] [らが] [がな]",
        ),
        ("한국어 검색", "[한국] [국어] [검색]"),
        ("поисковая Система", "поисковая система"),
    ];
    for (text, expected) in table {
        assert_eq!(render(text), expected, "{text}");
    }
}

#[test]
fn cuts_long_tokens_at_a_boundary() {
    let token = tokenize(&"ä".repeat(100)).pop().unwrap();
    assert_eq!(token.text.len(), TOKEN_MAX_BYTES);
}

#[test]
fn bounds_the_tokens_of_a_field() {
    assert_eq!(
        tokenize(&"1 ".repeat(FIELD_TOKENS_MAX + 5)).len(),
        FIELD_TOKENS_MAX
    );
}

/// Reads a whole text character by character, as it is defined.
fn by_characters(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut scanner = Scanner::new(|token| {
        tokens.push(Token {
            text: token.text.to_owned(),
            word: token.word.to_owned(),
            kind: token.kind,
        });
    });
    for character in normalize(text).chars() {
        scanner.read(character);
    }
    scanner.end_run();
    tokens
}

proptest! {
    #[test]
    fn pieces_and_bytes_give_what_characters_give(
        text in "([A-Za-z0-9_'.-]{1,12}|\\PC|[ \t\n\u{300}\u{b4}\u{1100}\u{1161}\u{3000}ﬁ²éßΣ東'’s]){0,40}",
    ) {
        prop_assert_eq!(tokenize(&text), by_characters(&text));
    }

    #[test]
    fn any_text_gives_bounded_lowercase_tokens(text in "\\PC{0,200}") {
        for token in tokenize(&text) {
            prop_assert!(!token.text.is_empty());
            prop_assert!(token.text.len() <= TOKEN_MAX_BYTES);
            prop_assert!(!token.text.contains(char::is_whitespace));
        }
    }

    #[test]
    fn case_of_a_plain_word_does_not_matter(word in "[a-z]{2,20}") {
        let upper = word.to_uppercase();
        prop_assert_eq!(render(&word), render(&upper));
    }
}
