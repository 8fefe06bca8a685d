//! Splits an identifier at case changes, digits and underscores.

/// The parts of one identifier, in order. Underscores belong to none.
pub(super) struct Parts<'a> {
    rest: &'a [char],
}

/// What a character means for splitting. Letters without case, and marks, count as lowercase: they never start a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Underscore,
}

impl<'a> Parts<'a> {
    pub(super) fn of(identifier: &'a [char]) -> Self {
        Self { rest: identifier }
    }

    /// Cuts `taken` characters as a part and drops `dropped` after it.
    fn cut(&mut self, taken: usize, dropped: usize) -> Option<&'a [char]> {
        let part = self.rest.get(..taken)?;
        self.rest = self.rest.get(taken + dropped..).unwrap_or_default();
        Some(part)
    }

    /// How many characters of a class follow each other.
    fn span(&self, from: usize, class: Class) -> usize {
        self.rest.iter().skip(from).take_while(|&&character| classify(character) == class).count()
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a [char];

    fn next(&mut self) -> Option<&'a [char]> {
        let underscores = self.span(0, Class::Underscore);
        self.rest = self.rest.get(underscores..).unwrap_or_default();
        match classify(*self.rest.first()?) {
            Class::Digit => self.cut(self.span(0, Class::Digit), 0),
            Class::Lower | Class::Underscore => self.cut(self.span(0, Class::Lower), 0),
            Class::Upper => {
                let upper = self.span(0, Class::Upper);
                let lower = self.span(upper, Class::Lower);
                match (upper, lower) {
                    (1, _) => self.cut(1 + lower, 0),
                    // `IDs` is the plural of an acronym, not an `I` and a `Ds`.
                    (_, 1) if self.rest.get(upper) == Some(&'s') => self.cut(upper, 1),
                    (_, 0) => self.cut(upper, 0),
                    // The last capital starts the next word: `HTTPServer`.
                    _ => self.cut(upper - 1, 0),
                }
            }
        }
    }
}

fn classify(character: char) -> Class {
    if character == '_' {
        Class::Underscore
    } else if character.is_numeric() {
        Class::Digit
    } else if character.is_uppercase() {
        Class::Upper
    } else {
        Class::Lower
    }
}
