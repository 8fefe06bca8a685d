//! What a failed test is of: the component or the module that its suite and its file are named
//! after.

use super::marks::{COMMON_CODES, is_telling_name};
use super::{FAILED, Fault};

/// What is between a suite and its test: vitest's, and jest's.
const SEPARATORS: [&str; 2] = [" > ", " › "];

/// What the names of files with tests have before their ending.
const INFIXES: [&str; 2] = [".test.", ".spec."];

/// A failed test, by names that are told apart from words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// What it is of.
    pub names: Vec<String>,
    /// What its message names.
    pub said: Vec<String>,
}

impl Fault {
    /// What a failed test is of, and what its message names: a text that has a name of each is
    /// about this failure, while one with the former alone may say anything of it. `None` when
    /// there is nothing of one of them.
    #[must_use]
    pub fn suite(&self) -> Option<Suite> {
        if self.code != FAILED {
            return None;
        }
        let suite = SEPARATORS
            .iter()
            .find_map(|between| self.symbol.split_once(between))
            .map(|(suite, _)| suite);
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        let of_file = INFIXES
            .iter()
            .find_map(|infix| file.split_once(infix))
            .map(|(name, _)| name);
        let names = telling(suite.into_iter().chain(of_file));
        let words = self
            .message
            .split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let said = telling(words.filter(|word| !COMMON_CODES.contains(word)));
        (!names.is_empty() && !said.is_empty()).then_some(Suite { names, said })
    }
}

/// The telling names of these, each once.
fn telling<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names.filter(|name| is_telling_name(name)) {
        if !kept.iter().any(|known| known == name) {
            kept.push(name.to_owned());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::faults;
    use super::*;

    fn suite(output: &str) -> Option<(Vec<String>, Vec<String>)> {
        faults(output)
            .iter()
            .find_map(Fault::suite)
            .map(|suite| (suite.names, suite.said))
    }

    #[test]
    fn a_test_is_of_what_its_suite_and_its_file_are_named_after() {
        let found = Some((vec!["ParcelMap".to_owned()], vec!["WebGL".to_owned()]));
        let vitest = " FAIL  src/components/ParcelMap.test.tsx > ParcelMap > renders\nError: Failed to initialize WebGL\n";
        assert_eq!(suite(vitest), found);
        let file = " FAIL  src/components/ParcelMap.test.tsx > the map\nError: Failed to initialize WebGL\n";
        assert_eq!(suite(file), found);
        let jest = "  ● ParcelMap › renders\n\n    Failed to initialize WebGL\n";
        assert_eq!(suite(jest), found);
    }

    #[test]
    fn names_that_are_words_tell_nothing() {
        for output in [
            " FAIL  src/footer.test.tsx > Footer > shows the year\nAssertionError: expected '2025' to be '2026'\n",
            " FAIL  src/ParcelMap.test.tsx > ParcelMap > renders\nAssertionError: expected 3 to be 4\n",
            "test parcel_map::renders ... FAILED\n",
        ] {
            assert_eq!(suite(output), None, "{output}");
        }
    }
}
