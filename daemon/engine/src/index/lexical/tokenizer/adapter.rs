//! The tokenizer in the shape that tantivy calls.

use tantivy::tokenizer::{Token as TantivyToken, TokenStream, Tokenizer};

use super::{TokenKind, visit};

/// The tokenizer under which the index's text fields are registered.
#[derive(Debug, Clone, Default)]
pub(in crate::index::lexical) struct TantivyTokenizer {
    tokens: Tokens,
}

/// All tokens of one text behind each other, which is reused for the next text.
#[derive(Debug, Clone, Default)]
struct Tokens {
    joined: String,
    /// Where in `joined` each token ends, and its position.
    ends: Vec<(usize, usize)>,
}

impl Tokens {
    fn read(&mut self, text: &str) {
        self.joined.clear();
        self.ends.clear();
        let mut position = 0;
        visit(text, |token| {
            self.joined.push_str(token.text);
            // A whole identifier stands where its last part stands.
            let place = match token.kind {
                TokenKind::Whole => position.max(1) - 1,
                TokenKind::Part | TokenKind::Gram => {
                    position += 1;
                    position - 1
                }
            };
            self.ends.push((self.joined.len(), place));
        });
    }
}

impl Tokenizer for TantivyTokenizer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        self.tokens.read(text);
        Stream {
            tokens: &self.tokens,
            next: 0,
            start: 0,
            token: TantivyToken::default(),
        }
    }
}

/// Hands the tokens of one text to tantivy. Offsets are not used: positions are off and no text is
/// highlighted.
pub(in crate::index::lexical) struct Stream<'a> {
    tokens: &'a Tokens,
    next: usize,
    start: usize,
    token: TantivyToken,
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let Some(&(end, position)) = self.tokens.ends.get(self.next) else {
            return false;
        };
        self.token.reset();
        self.token.position = position;
        self.token
            .text
            .push_str(self.tokens.joined.get(self.start..end).unwrap_or_default());
        self.start = end;
        self.next += 1;
        true
    }

    fn token(&self) -> &TantivyToken {
        &self.token
    }

    fn token_mut(&mut self) -> &mut TantivyToken {
        &mut self.token
    }
}
