use super::*;
use crate::testing::{command as ran, edit};

const E0277: &str = "error[E0277]: cannot add `Cents` to `f64`\n  --> src/money.rs:41:20\n";
const PASSED: &str = "test result: ok. 24 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";

#[test]
fn a_failure_and_the_change_after_which_it_passed_is_a_fix() {
    let slices = [
        ran("cargo test -p ledger", E0277, 101),
        edit(
            "src/money.rs",
            "-    total + fee\n+    Cents::from(total) + fee",
        ),
        ran("cargo test -p ledger", PASSED, 0),
    ];
    let found = lessons(&slices);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, "bug_fix");
    assert_eq!(found[0].evidence, [0, 1, 2]);
    assert_eq!(
        found[0].text,
        "`cargo test -p ledger` failed with E0277 cannot add `Cents` to `f64` (src/money.rs); fixed by changing \
         `src/money.rs`: `total + fee` became `Cents::from(total) + fee`."
    );
}

#[test]
fn the_agents_own_mistake_is_none() {
    let slices = [
        edit("src/money.rs", "+    total + fee"),
        ran("cargo test -p ledger", E0277, 101),
        edit(
            "src/money.rs",
            "-    total + fee\n+    Cents::from(total) + fee",
        ),
        ran("cargo test -p ledger", PASSED, 0),
    ];
    assert_eq!(lessons(&slices), []);
}

#[test]
fn success_without_a_change_and_of_something_else_is_none() {
    let slices = [
        ran("cargo test -p ledger", E0277, 101),
        ran("cargo test -p other", PASSED, 0),
        ran("cargo test -p ledger", PASSED, 0),
    ];
    assert_eq!(lessons(&slices), []);
}

#[test]
fn what_worked_after_variants_is_a_procedure() {
    let slices = [
        ran("npm test", "npm ERR! Missing script: \"test\"", 1),
        ran("pnpm --filter web test", "Tests  212 passed (212)", 0),
    ];
    let found = lessons(&slices);
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].text,
        "To run the tests here, use `pnpm --filter web test`; `npm test` fails: npm ERR! Missing script: \"test\""
    );
}

#[test]
fn what_worked_after_variants_of_any_tool_is_a_procedure() {
    let slices = [
        ran("emu start Pixel_7", "no device named Pixel_7", 2),
        ran(
            "cd app && emu start -n pixel7",
            "the device does not answer",
            2,
        ),
        ran("emu start --device=pixel7 --headless", "booted in 9 s", 0),
    ];
    let found = lessons(&slices);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].kind, "procedure");
    assert_eq!(
        found[0].text,
        "`emu start --device=pixel7 --headless` works here; `emu start Pixel_7` and \
         `cd app && emu start -n pixel7` fail: the device does not answer"
    );
}

#[test]
fn one_variant_that_was_called_in_a_wrong_way_is_enough() {
    let slices = [
        ran("emu start --avd Pixel", "error: unknown option --avd", 2),
        ran("emu start --device=pixel7", "booted in 9 s", 0),
    ];
    assert_eq!(lessons(&slices).len(), 1);
}

#[test]
fn another_thing_done_with_the_same_tool_is_none() {
    for (failed, passed) in [
        ("emu start pixel7", "emu list"),
        ("ssh build-1 uptime", "ssh build-2 uptime -s"),
        ("emu start pixel7", "emu start pixel8"),
    ] {
        let slices = [
            ran(failed, "the device does not answer", 2),
            ran(passed, "done", 0),
        ];
        assert_eq!(lessons(&slices), [], "{passed}");
    }
}

#[test]
fn a_command_that_brings_what_was_missing_is_a_fix() {
    let refused = "E   sqlalchemy.exc.OperationalError: connection refused\ntests/conftest.py:9: OperationalError\n1 failed in 0.1s";
    let slices = [
        ran("pytest", refused, 1),
        ran("docker compose up -d db", "", 0),
        ran("pytest", "12 passed in 1.02s", 0),
    ];
    let found = lessons(&slices);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].text.contains("docker compose up -d db"),
        "{}",
        found[0].text
    );
}

#[test]
fn a_fix_says_what_was_put_in() {
    let unlinked = "error[E0432]: unresolved import `serde_json`\n --> src/main.rs:1:5\n";
    for (change, said) in [
        ("+serde_json = \"1\"", "added `serde_json = \"1\"`"),
        (
            "-serde = \"1\"\n+serde = \"1\"\n+serde_json = \"1\"",
            "added `serde_json = \"1\"`",
        ),
        (
            "+[dependencies]\n+anyhow = \"1\"\n+serde_json = \"1\"",
            "added `serde_json = \"1\"`",
        ),
        ("+# the reader needs it", "added `# the reader needs it`"),
        ("+\n+[[bin]]", "added `[[bin]]`"),
    ] {
        let slices = [
            ran("cargo test", unlinked, 101),
            edit("Cargo.toml", change),
            ran("cargo test", PASSED, 0),
        ];
        let found = lessons(&slices);
        assert_eq!(found.len(), 1, "{change}");
        let end = format!("fixed by changing `Cargo.toml`: {said}.");
        assert!(found[0].text.ends_with(&end), "{}", found[0].text);
    }
}

#[test]
fn a_script_that_says_in_its_own_words_why_it_failed_is_mended_too() {
    let slices = [
        ran("./check.sh", "check failed: port 5432 is in use", 1),
        edit("check.sh", "-PORT=5432\n+PORT=5433"),
        ran("./check.sh", "ok", 0),
    ];
    let found = lessons(&slices);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].text,
        "`./check.sh` failed with check failed: port 5432 is in use; fixed by changing `check.sh`: \
         `PORT=5432` became `PORT=5433`."
    );
}

#[test]
fn looking_for_something_is_no_failure() {
    let slices = [
        ran(
            "grep -r TODO src",
            "grep: src: No such file or directory",
            2,
        ),
        edit("src/a.rs", "+// TODO"),
        ran("grep -r TODO src", "src/a.rs:// TODO", 0),
    ];
    assert_eq!(lessons(&slices), []);
}
