//! Strings as small numbers.

use std::sync::Arc;

use hashbrown::HashMap;

/// Gives each distinct string a dense number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Interner {
    /// Returns the number of a string, giving it one when it has none.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = Arc::from(text);
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    /// Returns the number of a string that was seen before.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// Returns the string of a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }

    /// How many strings there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// All strings with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..).zip(self.texts.iter().map(|text| &**text))
    }
}
