//! Splits an identifier at case changes, digits and underscores. A single letter keeps its digits:
//! `v2`, `x86`, `S3`.

/// The parts of one identifier, in order. Underscores belong to none.
pub(super) struct Parts<'a, C> {
    rest: &'a [C],
}

/// A character's class for splitting. Letters without case, and marks, count as lowercase: they
/// never start a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Upper,
    Lower,
    Digit,
    Underscore,
}

/// A character of an identifier: any, or one byte of an identifier that is ASCII.
pub(super) trait Character: Copy + PartialEq {
    /// Ending that makes a plural of an acronym.
    const PLURAL: Self;

    /// Returns its class for splitting.
    fn class(self) -> Class;
}

impl Character for char {
    const PLURAL: Self = 's';

    fn class(self) -> Class {
        if self == '_' {
            Class::Underscore
        } else if self.is_numeric() {
            Class::Digit
        } else if self.is_uppercase() {
            Class::Upper
        } else {
            Class::Lower
        }
    }
}

impl Character for u8 {
    const PLURAL: Self = b's';

    fn class(self) -> Class {
        match self {
            b'_' => Class::Underscore,
            b'0'..=b'9' => Class::Digit,
            b'A'..=b'Z' => Class::Upper,
            _ => Class::Lower,
        }
    }
}

impl<'a, C: Character> Parts<'a, C> {
    pub(super) fn of(identifier: &'a [C]) -> Self {
        Self { rest: identifier }
    }

    /// Cuts `taken` characters as a part and drops `dropped` after it.
    fn cut(&mut self, taken: usize, dropped: usize) -> Option<&'a [C]> {
        let part = self.rest.get(..taken)?;
        self.rest = self.rest.get(taken + dropped..).unwrap_or_default();
        Some(part)
    }

    /// Cuts so many letters; one alone with the digits after it, which mean nothing without it.
    fn cut_letters(&mut self, letters: usize) -> Option<&'a [C]> {
        let digits = if letters == 1 {
            self.span(1, Class::Digit)
        } else {
            0
        };
        self.cut(letters + digits, 0)
    }

    /// How many characters of a class follow each other.
    fn span(&self, from: usize, class: Class) -> usize {
        self.rest
            .iter()
            .skip(from)
            .take_while(|character| character.class() == class)
            .count()
    }
}

impl<'a, C: Character> Iterator for Parts<'a, C> {
    type Item = &'a [C];

    fn next(&mut self) -> Option<&'a [C]> {
        let underscores = self.span(0, Class::Underscore);
        self.rest = self.rest.get(underscores..).unwrap_or_default();
        match self.rest.first()?.class() {
            Class::Digit => self.cut(self.span(0, Class::Digit), 0),
            Class::Lower | Class::Underscore => self.cut_letters(self.span(0, Class::Lower)),
            Class::Upper => {
                let upper = self.span(0, Class::Upper);
                let lower = self.span(upper, Class::Lower);
                match (upper, lower) {
                    (1, _) => self.cut_letters(1 + lower),
                    // `IDs` is the plural of an acronym, not an `I` and a `Ds`.
                    (_, 1) if self.rest.get(upper) == Some(&C::PLURAL) => self.cut(upper, 1),
                    (_, 0) => self.cut(upper, 0),
                    // The last capital starts the next word: `HTTPServer`.
                    _ => self.cut(upper - 1, 0),
                }
            }
        }
    }
}
