//! Plain words that are passwords: where they stand tells it, and nothing of the value does.

use super::{Named, Says, Values, WORD_MIN_CHARS, Way};

impl Named<'_> {
    /// Returns whether a plain word stands where nothing but a password does: `DB_PASS=winter`,
    /// `password: winter` as all of a line, "das Passwort lautet winter."
    pub(super) fn gives_word(&self, value: &str, values: &Values) -> bool {
        let is_password = self.says == Says::Password;
        let is_of_name = || self.name.to_lowercase().contains(&value.to_lowercase());
        if !self.is_apart || values.stands_in(value) || is_of_name() {
            return false;
        }
        let is_label = self.is_key && value.starts_with(char::is_uppercase);
        let is_alone = self.is_whole && !is_title(value) && !is_label;
        match self.way {
            _ if is_password && values.is_word_phrase(value) => self.is_whole,
            Way::Assigned | Way::Typed => match self.operator.trim() {
                "=" if self.is_variable() => self.is_long_name() && self.is_of_login(),
                "=" => {
                    is_password && self.is_long_name() && (self.operator == "=" || self.is_quoted)
                }
                ":" | "：" | "=>" => is_password && self.is_long_name() && is_alone,
                _ => false,
            },
            Way::Said => is_password && is_alone && (self.is_quoted || values.gives(self.operator)),
            Way::Beside | Way::Below | Way::Adjacent => false,
        }
    }

    /// Returns whether a bare value ends here, and neither a program nor a sentence goes on: at a
    /// blank, or before another parameter or command. `opened` stands before the name.
    pub(super) fn is_apart_from(&self, behind: &str, opened: Option<char>) -> bool {
        let mut next = behind.chars();
        match next.next() {
            None | Some('"' | '\'' | '`' | '&') => true,
            Some(first) if first.is_whitespace() => {
                !behind.trim_start().starts_with([')', ']', '}'])
            }
            Some(';') => {
                let is_parameter = next.next().is_some_and(char::is_alphanumeric);
                self.is_variable() || opened == Some(';') || is_parameter
            }
            Some(_) => false,
        }
    }

    /// Returns whether the name is more than a short word, which stands for other things as well.
    fn is_long_name(&self) -> bool {
        self.name.len() > WORD_MIN_CHARS
    }

    /// Returns whether the name's last word is that of a password, a secret or a token, and not of
    /// a key.
    fn is_of_login(&self) -> bool {
        let lower = self.name.to_lowercase();
        self.says == Says::Password || lower.ends_with("secret") || lower.ends_with("token")
    }
}

/// Returns whether this is written as a heading, a type or a constant is: `Optional`, `ApiToken`.
fn is_title(value: &str) -> bool {
    let upper = value.chars().filter(|next| next.is_uppercase()).count();
    upper > 1 && !value.contains(['-', '_'])
}
