//! Memories of the file that a failed test is of: the one that its own file is named after, where
//! that file has the function whose result was not as asserted.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use helix_engine::ReadError;
use helix_memory::{Memory, MemoryNumber};
use regex::Regex;

use crate::hook::Context;
use crate::hook::exact::{Exact, has_word};

/// Memories that are given so.
const MEMORIES_MAX: usize = 2;

/// Sources whose files are looked into.
const FILES_MAX: usize = 4;

/// The name of a file with tests: `test_cart.py`, `cart_test.go`, `cart.spec.ts`, `CartTest.java`.
static TEST_FILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"\b(?:test_(?<a>\w+)|(?<b>\w+?)_(?:test|spec)|(?<c>[\w-]+)\.(?:test|spec)|(?<d>[A-Z]\w*?)Tests?)\.[A-Za-z]{1,4}\b";
    Regex::new(pattern).ok()
});

/// Finds the newest memories whose source is such a file.
pub(super) fn of_tested(
    context: &Context<'_>,
    output: &str,
    asserted: &[String],
) -> Result<Vec<Memory>, ReadError> {
    if asserted.is_empty() || helix_ablation::is_off("failure/tested") {
        return Ok(Vec::new());
    }
    let subjects = subjects(output);
    let (strand, sessions) = (&context.app.memory.strand, &context.app.hooks.sessions);
    let exact = Exact::of(context);
    let mut numbers: Vec<MemoryNumber> = {
        let catalog = strand.catalog();
        let mut numbers = catalog.of_sources(|path| {
            let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str());
            stem.is_some_and(|stem| subjects.contains(stem))
        });
        numbers.retain(|&number| {
            exact.is_visible(&catalog, number) && !sessions.was_given(&context.key, number)
        });
        numbers
    };
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.dedup();
    let mut memories = strand.memories(&numbers)?;
    let sources = memories.iter().filter_map(|memory| memory.source.as_ref());
    let files: BTreeSet<String> = sources.map(|source| source.path.clone()).collect();
    let tested: BTreeSet<String> = files
        .into_iter()
        .take(FILES_MAX)
        .filter(|path| {
            let head = context.head(&context.project.root.join(path));
            asserted.iter().any(|name| has_word(&head, name))
        })
        .collect();
    memories.retain(|memory| {
        let source = memory.source.as_ref();
        source.is_some_and(|source| tested.contains(&source.path))
    });
    memories.truncate(MEMORIES_MAX);
    Ok(memories)
}

/// The stems of the files that the test files in an output are named after.
fn subjects(output: &str) -> BTreeSet<&str> {
    let Some(pattern) = TEST_FILE.as_ref() else {
        return BTreeSet::new();
    };
    let named = pattern.captures_iter(output).filter_map(|captures| {
        let mut groups = ["a", "b", "c", "d"].into_iter();
        groups.find_map(|group| captures.name(group))
    });
    named.map(|found| found.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_file_names_what_it_tests() {
        for (output, subject) in [
            (
                "  File \"/p/tests/test_cart.py\", line 8, in test_x",
                "cart",
            ),
            ("cart_test.go:12: got 3", "cart"),
            (" FAIL  src/cart.test.ts > adds", "cart"),
            ("rspec ./spec/cart_spec.rb:3", "cart"),
            ("at shop.CartTest.adds(CartTest.java:7)", "Cart"),
        ] {
            let found: Vec<&str> = subjects(output).into_iter().collect();
            assert_eq!(found, [subject], "{output}");
        }
        assert!(subjects("src/latest.rs and test.py and cart.py").is_empty());
    }
}
