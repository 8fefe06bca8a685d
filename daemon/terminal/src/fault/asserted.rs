//! The functions that a failed assertion calls, where the tool shows its source.

use super::around::group;
use super::marks::is_telling_name;
use super::patterns::PATTERNS;
use super::{bare, telling_lines};

/// Functions that a failed assertion is known by.
const ASSERTED_MAX: usize = 4;

/// What stands before a call on the result of another one, which belongs to the assertion:
/// `expect(a).toBe(b)`.
const ON_RESULT: &str = ").";

/// The functions whose results the failed assertions of an output are about, each once; only names
/// that are told apart from words, as with the marks of a [`super::Fault`].
#[must_use]
pub fn asserted(output: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if helix_ablation::is_off("fault/asserted") {
        return names;
    }
    let plain = bare(output);
    for line in telling_lines(&plain) {
        if !PATTERNS.assertion.is_match(line) {
            continue;
        }
        for captures in PATTERNS.call.all(line) {
            let name = group(&captures, "symbol");
            let before = captures.get(0).and_then(|call| line.get(..call.start()));
            let is_on_result = before.is_some_and(|before| before.ends_with(ON_RESULT));
            let is_own = is_on_result || name.starts_with("assert") || name.starts_with("expect");
            if !is_own && is_telling_name(&name) && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names.truncate(ASSERTED_MAX);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_names_what_it_calls() {
        let pytest = ">       assert gs1_check_digit(\"376\") == 9\nE       AssertionError: assert 3 == 9\n\
                      E        +  where 3 = gs1_check_digit('376')\nE        +    and   4 = len(readBack(1))\n    other_call()\n";
        assert_eq!(asserted(pytest), ["gs1_check_digit", "readBack"]);
        let unittest = "FAIL: test_tenth (test_cart.TestCart.test_tenth)\n\
                        Traceback (most recent call last):\n  File \"/p/test_cart.py\", line 8, in test_tenth\n    \
                        self.assertEqual(apply_discount(100, 10), 90)\nAssertionError: 110 != 90\n";
        assert_eq!(asserted(unittest), ["apply_discount"]);
        let jest = "    > 5 |   expect(cart.applyDiscount(100, 10)).toBeCloseTo(90);\n        |           ^\n";
        assert_eq!(asserted(jest), ["applyDiscount"]);
        let rust =
            "thread 'a' panicked at src/a.rs:3:5:\nassertion failed: apply_discount(1) == 2\n";
        assert_eq!(asserted(rust), ["apply_discount"]);
    }

    #[test]
    fn what_is_no_assertion_and_no_telling_name_is_left_out() {
        assert!(asserted(">       other_call()\nassert some_call()\n").is_empty());
        assert!(asserted(">       assert total(1) == 2\n").is_empty());
    }
}
