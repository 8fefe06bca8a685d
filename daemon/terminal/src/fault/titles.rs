//! What stands under the name of a failed test: the rest of the name, its place, and the exception
//! that is that test's.

use super::Fault;
use super::patterns::PATTERNS;

/// Lines that a test's name has at most, one for each suite that it is in.
const TITLES_MAX: usize = 5;

/// Returns whether an exception stands under the name of the test that it ended.
pub(super) fn is_of_a_test(lines: &[&str], at: usize) -> bool {
    if helix_ablation::is_off("fault/of-a-test") {
        return false;
    }
    let above = lines.get(..at).unwrap_or_default();
    let Some(last) = above.iter().rposition(|line| !line.is_empty()) else {
        return false;
    };
    let name = above
        .get(last.saturating_sub(TITLES_MAX)..=last)
        .unwrap_or_default();
    let ends_a_name = name.last().is_some_and(|line| line.ends_with(':'))
        && name.iter().any(|line| PATTERNS.numbered.is_match(line));
    ends_a_name || name.last().is_some_and(|line| PATTERNS.test.is_match(line))
}

/// Takes the rest of a name that ends with a colon, and the exception below: mocha writes the
/// suites and the test in lines of their own. `None` for what else is numbered.
pub(super) fn take_titles(fault: &mut Fault, below: &[&str]) -> Option<()> {
    if helix_ablation::is_off("fault/titles") {
        return None;
    }
    let rest = || {
        below
            .iter()
            .map(|line| line.trim())
            .take(TITLES_MAX)
            .take_while(|line| !line.is_empty())
    };
    let mut titles = vec![fault.symbol.clone()];
    if !fault.symbol.ends_with(':') {
        let end = rest().position(|line| line.ends_with(':'))?;
        titles.extend(rest().take(end + 1).map(str::to_owned));
    }
    let name = titles.join(" ");
    name.trim_end_matches(':').clone_into(&mut fault.symbol);
    let told = below
        .iter()
        .skip(titles.len() - 1)
        .map(|line| line.trim())
        .find(|line| !line.is_empty())?;
    told.clone_into(&mut fault.message);
    let is_kind = matches!(fault.symbol.as_str(), "Failure" | "Error")
        || fault.symbol.ends_with("Failure/Error");
    (!is_kind && fault.message.contains("Error")).then_some(())
}

#[cfg(test)]
mod tests {
    use super::super::faults;

    fn is(output: &str, symbol: &str, file: &str, message: &str) {
        let found: Vec<_> = faults(output)
            .into_iter()
            .map(|fault| (fault.symbol, fault.file, fault.message))
            .collect();
        assert_eq!(
            found,
            [(symbol.to_owned(), file.to_owned(), message.to_owned())],
            "{output}"
        );
    }

    #[test]
    fn an_assertion_is_that_of_its_test() {
        let thrown = "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:";
        is(
            &format!("  1 failing\n\n  1) Calc\n       adds:\n\n      {thrown}\n\n3 !== 4\n"),
            "Calc adds",
            "",
            thrown,
        );
        is(
            &format!("  1) adds:\n\n      {thrown}\n"),
            "adds",
            "",
            thrown,
        );
        is(
            &format!(
                "✖ adds (1.2ms)\n  {thrown}\n\n✖ failing tests:\n\n✖ adds (1.2ms)\n  {thrown}\n"
            ),
            "adds",
            "",
            thrown,
        );
        is(
            "adds => ./calc_test.ts:3:6\nerror: AssertionError: Values are not equal.\n\nerror: Test failed\n",
            "adds",
            "./calc_test.ts",
            "error: AssertionError: Values are not equal.",
        );
        is(
            "error: expect(received).toBe(expected)\n\nExpected: 4\n✗ Calc > adds [0.10ms]\n 1 fail\n",
            "Calc > adds",
            "",
            "",
        );
        is(
            "  1) Failure:\nCalcTest#test_adds [test/calc_test.rb:5]:\nExpected: 4\n  Actual: 3\n",
            "CalcTest#test_adds",
            "test/calc_test.rb",
            "Expected: 4",
        );
        is(
            "[info] - adds *** FAILED ***\n[info]   3 did not equal 4 (a.scala:7)\n",
            "adds",
            "",
            "[info]   3 did not equal 4 (a.scala:7)",
        );
        is(
            "00:01 +0 -1: Calc adds [E]\n  Expected: <4>\n    Actual: <3>\n",
            "Calc adds",
            "",
            "Expected: <4>",
        );
    }

    #[test]
    fn what_others_number_is_no_name() {
        for output in [
            "  1) first do this\n  2) then that\n",
            "  1) install all:\n     npm ci\n",
            "  1) Calc adds\n     Failure/Error:\n       expect(sum)\n",
        ] {
            assert!(faults(output).is_empty(), "{output}");
        }
    }
}
