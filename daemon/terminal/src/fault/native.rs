//! What CTest, the frameworks of C++ whose tests it runs, and the sanitizers write of what failed.

use std::sync::LazyLock;

use regex::Regex;

use super::Fault;
use super::around::group;
use super::forms::compile;

/// Lines above the name of a failed test in which it says why.
const ABOVE_MAX_LINES: usize = 60;

/// Lines that the message of an assertion has at most.
const MESSAGE_MAX_LINES: usize = 3;

/// How the output of a test begins that says by itself what failed, or nothing.
const OPENINGS: &[&str] = &[
    "[",
    "~",
    "-",
    "=",
    "Running main()",
    "Note: ",
    "Randomness ",
    "Filters: ",
];

/// The place of an assertion of GoogleTest: `a_test.cpp:33: Failure`.
static ASSERTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^(?P<file>[^\s:]+):\d+: Failure$"));
/// CTest's line of the next test, and of the sum.
static NEXT: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"^\s*(?:Start +\d+: |\d+/\d+ Test +#\d+: |\d+% tests passed)"));

/// A function in a stack of a sanitizer's, where its source is known.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(r"^\s+#\d+ (?:0x[0-9a-f]+ in )?(?P<symbol>[\w:~]+).*? (?P<file>/[^\s:]+):\d+")
});

const PATTERNS: [&LazyLock<Option<Regex>>; 3] = [&ASSERTION, &NEXT, &FRAME];

/// Compiles everything.
pub(super) fn warm_up() {
    for pattern in PATTERNS {
        LazyLock::force(pattern);
    }
}

/// Takes the first line that a test of CTest's wrote, which stands below how it ended where it was
/// asked for.
pub(super) fn take_output(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/ctest-output") {
        return;
    }
    let first = below.first().map(|line| line.trim()).unwrap_or_default();
    let is_other = OPENINGS.iter().any(|opening| first.starts_with(opening))
        || NEXT.as_ref().is_some_and(|next| next.is_match(first));
    if !first.is_empty() && !is_other {
        fault.message = format!("{}: {first}", fault.message);
    }
}

/// Takes the first assertion that failed in a test of GoogleTest, which stands above its end.
pub(super) fn take_assertion(fault: &mut Fault, lines: &[&str], at: usize) {
    if helix_ablation::is_off("fault/gtest-assertion") {
        return;
    }
    let start = at.saturating_sub(ABOVE_MAX_LINES);
    let above = lines.get(start..at).unwrap_or_default();
    let is_start = |line: &&str| line.starts_with("[ RUN ") || line.starts_with("[  FAILED  ]");
    let own = above
        .get(above.iter().rposition(is_start).map_or(0, |run| run + 1)..)
        .unwrap_or_default();
    let found = own
        .iter()
        .enumerate()
        .find_map(|(at, line)| Some((at, ASSERTION.as_ref()?.captures(line)?)));
    let Some((place, captures)) = found else {
        return;
    };
    fault.file = group(&captures, "file");
    let said = own
        .iter()
        .skip(place + 1)
        .map(|line| line.trim())
        .filter(|line| !line.is_empty());
    let said = said.take(MESSAGE_MAX_LINES).collect::<Vec<_>>().join(" ");
    if !said.is_empty() {
        fault.message = said;
    }
}

/// Takes the first function of a stack whose source is known: what a sanitizer puts in is not the
/// program's.
pub(super) fn take_frame(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/sanitizer-frame") {
        return;
    }
    let Some(frame) = below.iter().find_map(|line| FRAME.as_ref()?.captures(line)) else {
        return;
    };
    (fault.symbol, fault.file) = (group(&frame, "symbol"), group(&frame, "file"));
}

/// Takes the name of a test of Catch2's, which stands between two rules above what failed.
pub(super) fn take_title(fault: &mut Fault, lines: &[&str], at: usize) {
    if helix_ablation::is_off("fault/catch2-title") {
        return;
    }
    let above = lines
        .get(at.saturating_sub(ABOVE_MAX_LINES)..at)
        .unwrap_or_default();
    let is_rule = |line: &&str| line.len() > 3 && line.chars().all(|drawn| drawn == '-');
    let below = above
        .iter()
        .rposition(is_rule)
        .and_then(|end| above.get(..end))
        .unwrap_or_default();
    let title = below
        .iter()
        .rposition(is_rule)
        .and_then(|start| below.get(start + 1));
    title
        .map_or("", |title| title.trim())
        .clone_into(&mut fault.symbol);
}

#[cfg(test)]
mod tests {
    use super::super::faults;
    use super::*;

    fn all(output: &str) -> Vec<(String, String, String)> {
        faults(output)
            .into_iter()
            .map(|fault| (fault.symbol, fault.file, fault.message))
            .collect()
    }

    fn is(output: &str, expected: &[(&str, &str, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|&(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()))
            .collect();
        assert_eq!(all(output), expected, "{output}");
    }

    const LIST: &str = "\nThe following tests FAILED:\n\t 38 - test_spool_reconnect (Failed)\n\t \
                        39 - test_slow (Timeout)\n\t 40 - test_crash (SEGFAULT)                    unit\n\
                        Errors while running CTest\n";

    #[test]
    fn every_pattern_is_valid() {
        assert!(PATTERNS.iter().all(|pattern| pattern.is_some()));
    }

    #[test]
    fn ctest_names_its_failed_tests() {
        is(
            LIST,
            &[
                ("test_spool_reconnect", "", "Failed"),
                ("test_slow", "", "Timeout"),
                ("test_crash", "", "SEGFAULT"),
            ],
        );
        let run = "37/40 Test #37: test_a ...........................   Passed    0.01 sec\n\
                   38/40 Test #38: test_spool_reconnect ...***Failed    0.12 sec\n      Start 40: test_crash\n\
                   39/40 Test #39: test_slow ........................***Timeout   5.01 sec\n\
                   40/40 Test #40: test_crash .......................***Exception: SegFault  0.02 sec\n\n\
                   92% tests passed, 3 tests failed out of 40\n";
        is(
            &format!("{run}{LIST}"),
            &[
                ("test_spool_reconnect", "", "Failed"),
                ("test_slow", "", "Timeout"),
                ("test_crash", "", "Exception: SegFault"),
            ],
        );
        is(
            " 1/1 Test  #1: test_x ....***Not Run   0.00 sec\n\n0% tests passed",
            &[("test_x", "", "Not Run")],
        );
        for fine in [
            " 1/1 Test  #1: test_x ....***Skipped   0.00 sec\n",
            " 1/1 Test  #1: test_x ....***Not Run (Disabled)   0.00 sec\n",
            "The following tests did not run:\n\t  3 - test_x (Skipped)\n\t  4 - test_y (Disabled)\n",
        ] {
            is(fine, &[]);
        }
    }

    #[test]
    fn a_failed_test_says_what_it_wrote() {
        let wrote = "1/1 Test #14: SampleLoop.Ticks ......Subprocess aborted***Exception:   0.03 sec\n\
                     tests: alloc in realtime section: 32 bytes\n\n0% tests passed, 1 tests failed out of 1\n";
        is(
            wrote,
            &[(
                "SampleLoop.Ticks",
                "",
                "Exception: tests: alloc in realtime section: 32 bytes",
            )],
        );
    }

    const GOLDEN: &str = "[ RUN      ] Golden.tide_filter_spring\n/w/golden_test.cpp:33: Failure\n\
                          Expected equality of these values:\n  a\n    Which is: 3\n  4\n\n\
                          /w/golden_test.cpp:40: Failure\nFailed\n\n\
                          [  FAILED  ] Golden.tide_filter_spring (12 ms)\n\
                          [----------] 1 test from Golden (12 ms total)\n\n[  PASSED  ] 0 tests.\n\
                          [  FAILED  ] 1 test, listed below:\n[  FAILED  ] Golden.tide_filter_spring\n\n 1 FAILED\n";

    #[test]
    fn googletest_says_where_and_why() {
        let expected = [(
            "Golden.tide_filter_spring",
            "/w/golden_test.cpp",
            "Expected equality of these values: a Which is: 3",
        )];
        is(GOLDEN, &expected);
        let under_ctest = format!(
            "1/1 Test #1: Golden.tide_filter_spring ...***Failed    0.01 sec\nRunning main() from main.cc\n{GOLDEN}"
        );
        is(&under_ctest, &expected);
        let verbose = GOLDEN
            .lines()
            .map(|line| format!("39: {line}\n"))
            .collect::<Vec<_>>()
            .concat();
        is(&verbose, &expected);
        is(
            "[  FAILED  ] Golden.tide_filter_spring (3 ms)\n",
            &[("Golden.tide_filter_spring", "", "FAILED")],
        );
        is(
            "[  FAILED  ] All/Rows.counts/3, where GetParam() = 5 (0 ms)\n",
            &[("All/Rows.counts", "", "FAILED")],
        );
        let marks: Vec<_> = faults(GOLDEN).iter().flat_map(Fault::marks).collect();
        assert_eq!(marks, ["Golden.tide_filter_spring", "tide_filter_spring"]);
    }

    #[test]
    fn catch2_names_its_test_above() {
        let output = "-------------------------------\nrows are counted\n  twice\n-------------------------------\n\
                      /w/rows_test.cpp:10\n...............................\n\n/w/rows_test.cpp:13: FAILED:\n  \
                      CHECK( count(rows) == 2 )\nwith expansion:\n  1 == 2\n";
        is(
            output,
            &[(
                "rows are counted",
                "/w/rows_test.cpp",
                "CHECK( count(rows) == 2 )",
            )],
        );
    }

    #[test]
    fn sanitizers_and_assertions_say_where() {
        let asan = "==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55 bp 0x7f\n\
                    READ of size 4 at 0x602000000010 thread T0\n    #0 0x55 in __asan_memcpy (/usr/libasan.so+0x1)\n    \
                    #1 0x55 in Ring::pop() /w/src/ring.cpp:31:12\n";
        is(
            asan,
            &[("Ring::pop", "/w/src/ring.cpp", "heap-use-after-free")],
        );
        assert_eq!(
            faults(asan).first().map(|fault| fault.code.as_str()),
            Some("heap-use-after-free")
        );
        let tsan = "WARNING: ThreadSanitizer: data race (pid=7)\n  Write of 4\n    #0 Ring::push(int) /w/src/ring.cpp:9\n";
        is(tsan, &[("Ring::push", "/w/src/ring.cpp", "data race")]);
        let assertion = "tests: /w/src/ring.cpp:31: int Ring::pop(): Assertion `size > 0' failed.\nAborted (core dumped)\n";
        is(
            assertion,
            &[(
                "Ring::pop",
                "/w/src/ring.cpp",
                "Assertion `size > 0' failed",
            )],
        );
        let c = "tests: ring.c:31: pop: Assertion `size > 0' failed.\n";
        is(c, &[("pop", "ring.c", "Assertion `size > 0' failed")]);
    }
}
