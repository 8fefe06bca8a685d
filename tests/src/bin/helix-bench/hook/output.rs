//! Outputs of builds and tests, in a realistic length.

use std::fmt::Write;

/// Crates that a build compiles, and warnings that it gives.
const CRATES: usize = 60;
const WARNINGS: usize = 20;

/// Tests that are run.
const TESTS: usize = 200;

/// Returns a compiler's output for two mistakes, one of them about `name`; 8 KB.
pub(super) fn failing_build(code: &str, name: &str) -> String {
    let mut text = building();
    let faults = [
        (code, format!("cannot find function `{name}` in this scope")),
        ("E0382", moved(name)),
    ];
    for (at, (code, what)) in faults.iter().enumerate() {
        say(
            &mut text,
            format_args!(
                "error[{code}]: {what}\n  --> src/load_{at}.rs:{}:5\n   |",
                at * 7 + 12
            ),
        );
        say(
            &mut text,
            format_args!(
                "{}  |     {name}(row);\n   |     ^^^^ see above\n",
                at * 7 + 12
            ),
        );
    }
    say(
        &mut text,
        format_args!(
            "error: could not compile `billing` (lib) due to 2 previous errors; {WARNINGS} warnings emitted"
        ),
    );
    text
}

/// A build and tests that succeed; 14 KB.
pub(super) fn succeeding_tests() -> String {
    let mut text = building();
    say(
        &mut text,
        format_args!(
            "    Finished `test` profile [unoptimized + debuginfo] target(s) in 14.20s\n\nrunning {TESTS} tests"
        ),
    );
    for test in 0..TESTS {
        say(
            &mut text,
            format_args!("test ledger::part_{}::adds_up_{test} ... ok", test % 9),
        );
    }
    say(
        &mut text,
        format_args!(
            "\ntest result: ok. {TESTS} passed; 0 failed; 0 ignored; 0 measured; finished in 0.41s"
        ),
    );
    text
}

fn moved(name: &str) -> String {
    format!("borrow of moved value: `{name}`")
}

fn building() -> String {
    let mut text = String::new();
    for number in 0..CRATES {
        say(
            &mut text,
            format_args!("   Compiling part-{number} v0.{number}.0"),
        );
    }
    for number in 0..WARNINGS {
        say(
            &mut text,
            format_args!(
                "warning: unused variable: `row_{number}`\n  --> src/part_{number}.rs:{}:9\n   |",
                number + 3
            ),
        );
        say(
            &mut text,
            format_args!(
                "{}  |     let row_{number} = load();\n   |         ^^^^^ help: prefix it with an underscore\n",
                number + 3
            ),
        );
    }
    text
}

/// Writes a line.
fn say(text: &mut String, line: std::fmt::Arguments<'_>) {
    // A string takes everything.
    writeln!(text, "{line}").ok();
}
