//! What a test is of: it is about what the file is about that it tests.

use std::path::{Path, PathBuf};

/// What the names of tests have before or behind that of what they test.
const BEFORE: [&str; 2] = ["test_", "test-"];
const BEHIND: [&str; 8] = [
    "_tests", "_test", "-test", ".test", "_spec", "-spec", ".spec", ".tests",
];

/// The same in names whose parts begin with a capital.
const CAPITAL_BEFORE: &str = "Test";
const CAPITAL_BEHIND: [&str; 5] = ["TestCase", "Tests", "Test", "Spec", "IT"];

/// Directories that hold tests whose names are those of what they test.
const DIRECTORIES: [&str; 5] = ["tests", "test", "__tests__", "spec", "specs"];

/// What the file is called that a test is of, as if it stood at the same place; `None` for what is
/// no test. The file is given below the project's root.
pub(super) fn tested(file: &Path) -> Option<PathBuf> {
    if helix_ablation::is_off("layer/tested") {
        return None;
    }
    let stem = file.file_stem()?.to_str()?;
    let mut above = file.parent()?.iter().filter_map(|part| part.to_str());
    match subject(stem) {
        Some(subject) => {
            let name = match file.extension().and_then(|extension| extension.to_str()) {
                Some(extension) => format!("{subject}.{extension}"),
                None => subject.to_owned(),
            };
            Some(file.with_file_name(name))
        }
        None => above
            .any(|part| DIRECTORIES.contains(&part))
            .then(|| file.to_owned()),
    }
}

/// Whether a file is called as another one, whatever their endings and however the parts of their
/// names are joined.
pub(super) fn is_called_as(file: &Path, other: &Path) -> bool {
    let plain = |file: &Path| {
        let stem = file.file_stem().and_then(|stem| stem.to_str())?;
        Some(
            stem.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect::<String>(),
        )
    };
    plain(file).is_some_and(|name| !name.is_empty() && plain(other) == Some(name))
}

/// What a name says that a test is of.
fn subject(stem: &str) -> Option<&str> {
    let is_small = |c: char| !c.is_uppercase();
    let before = BEFORE.iter().find_map(|mark| stem.strip_prefix(mark));
    let behind = || BEHIND.iter().find_map(|mark| stem.strip_suffix(mark));
    let capital_behind = || {
        let rest = CAPITAL_BEHIND
            .iter()
            .find_map(|mark| stem.strip_suffix(mark));
        rest.filter(|rest| rest.ends_with(is_small))
    };
    let capital_before = || {
        stem.strip_prefix(CAPITAL_BEFORE)
            .filter(|rest| rest.starts_with(char::is_uppercase))
    };
    let subject = before
        .or_else(behind)
        .or_else(capital_behind)
        .or_else(capital_before)?;
    subject.contains(char::is_alphanumeric).then_some(subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_of_the_file_that_it_is_called_after() {
        for (test, file) in [
            ("tests/test_order.py", "tests/order.py"),
            ("shop/order_test.go", "shop/order.go"),
            ("web/order.test.ts", "web/order.ts"),
            ("web/order.spec.tsx", "web/order.tsx"),
            ("spec/order_spec.rb", "spec/order.rb"),
            (
                "src/test/java/com/shop/OrderTest.java",
                "src/test/java/com/shop/Order.java",
            ),
            ("src/OrderTests.swift", "src/Order.swift"),
            ("src/TestOrder.java", "src/Order.java"),
            ("src/OrderIT.java", "src/Order.java"),
            ("tests/order.rs", "tests/order.rs"),
            ("web/__tests__/order.js", "web/__tests__/order.js"),
            ("tests/all/order.rs", "tests/all/order.rs"),
        ] {
            assert_eq!(
                tested(Path::new(test)).as_deref(),
                Some(Path::new(file)),
                "{test}"
            );
        }
        for file in [
            "src/order.py",
            "src/latest.rs",
            "src/Contest.java",
            "src/_test.go",
            "src/UNIT.md",
            "test_.py",
            "",
        ] {
            assert_eq!(tested(Path::new(file)), None, "{file}");
        }
    }

    #[test]
    fn names_are_the_same_however_their_parts_are_joined() {
        let is_called_as =
            |file: &str, other: &str| is_called_as(Path::new(file), Path::new(other));
        assert!(
            is_called_as("src/rate-limit.ts", "tests/rate_limit.py")
                && is_called_as("Order.java", "src/order.rs")
        );
        assert!(!is_called_as("orders.rs", "order.rs") && !is_called_as("_.rs", "-.rs"));
    }
}
