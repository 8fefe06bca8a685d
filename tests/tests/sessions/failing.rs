//! A failure brings up its own remedy, and memories about it rather than about another like it.

use crate::mentions;
use crate::world::World;

/// Returns pytest's output for a test that fails in another file.
fn pytest(test: &str, of: &str, file: &str) -> String {
    format!(
        "____________________ {test} ____________________\n\n    def {test}():\n>       assert run([]) == 1\n\n{of}:5: \n\
         _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n\n    def run(rows):\n>       return rows[0]\n\
         E       IndexError: list index out of range\n\n{file}:9: IndexError\n\
         =========================== short test summary info ============================\n\
         FAILED {of}::{test} - IndexError: list index out of range\n1 failed in 0.02s\n"
    )
}

#[test]
fn a_test_is_not_mended_by_what_mended_another() {
    let world = World::new();
    let first = pytest("test_q1", "tests/test_zpl.py", "labels/zpl.py");
    let one = world.session("one");
    one.failed("pytest -q", &first).unwrap();
    one.edit("labels/zpl.py", "a", "b").unwrap();
    one.ran("pytest -q", "2 passed in 0.02s").unwrap();
    let other = pytest("test_q2", "tests/test_sync.py", "labels/sync.py");
    assert_eq!(
        world.session("two").failed("pytest -q", &other).unwrap(),
        None
    );
    let told = world
        .session("three")
        .failed("pytest -q", &first)
        .unwrap()
        .unwrap();
    assert_eq!(
        told.matches("fixed before by changing labels/zpl.py")
            .count(),
        1,
        "{told}"
    );
}

#[test]
fn the_same_error_of_another_thing_brings_nothing_up() {
    let world = World::new();
    let rust = world.remember(
        "build",
        "gotcha: E0277 \"`Rc<...>` cannot be sent between threads safely\" in spawn_relay: the cache must be Arc.",
    );
    let python = world.remember(
        "labels",
        "how-to: with 3.13 the import fails with ModuleNotFoundError: No module named 'imghdr' from the old driver.",
    );
    let told =
        |id: &str, command: &str, output: &str| world.session(id).failed(command, output).unwrap();
    let compiler = |message: &str| format!("error[E0277]: {message}\n --> src/a.rs:1:1\n");
    let sent = told(
        "one",
        "cargo build",
        &compiler("`Rc<Depot>` cannot be sent between threads safely"),
    );
    assert!(mentions(sent.as_ref(), &rust), "{sent:?}");
    assert_eq!(
        told("two", "cargo build", &compiler("cannot add `f64` to `i32`")),
        None
    );
    let module = |name: &str| format!("E   ModuleNotFoundError: No module named '{name}'\n");
    let missing = told("three", "pytest", &module("imghdr"));
    assert!(mentions(missing.as_ref(), &python), "{missing:?}");
    assert_eq!(told("four", "pytest", &module("httpx")), None);
}

#[test]
fn what_helix_told_before_is_not_searched_back() {
    let world = World::new();
    let handle = world.remember(
        "ops",
        "gotcha: without shm_size it says \"could not resize shared memory segment\".",
    );
    let told = |id: &str, output: &str| world.session(id).failed("npm test", output).unwrap();
    let own = "<helix-memory note=\"x\">\nError: could not resize shared memory segment\n</helix-memory>\nexit 1\n";
    assert_eq!(told("one", own), None);
    let failed = told("two", "Error: could not resize shared memory segment\n");
    assert!(mentions(failed.as_ref(), &handle), "{failed:?}");
}

#[test]
fn a_failed_assertion_brings_up_what_it_calls() {
    let world = World::new();
    let handle = world.remember(
        "barcodes",
        "invariant: gs1_check_digit weights start with 3 at the rightmost digit.",
    );
    let output = ">       assert gs1_check_digit(\"376\") == 9\nE       assert 3 == 9\nE        +  where 3 = gs1_check_digit('376')\n\n\
                  tests/test_a.py:5: AssertionError\nFAILED tests/test_a.py::test_x - assert 3 == 9\n";
    let told = world.session("one").failed("pytest", output).unwrap();
    assert!(mentions(told.as_ref(), &handle), "{told:?}");
}

#[test]
fn a_failure_brings_up_what_names_its_test_its_warning_or_its_flag() {
    let world = World::new();
    let flaky = world.remember(
        "testing",
        "test_spool_reconnect is flaky on busy runners. Rerun once.",
    );
    let copied = world.remember(
        "levels",
        "gotcha: the SettingWithCopyWarning was no noise, the flags were lost.",
    );
    let narrow = world.remember(
        "vendored",
        "decision: -Wno-float-conversion is for third-party code alone.",
    );
    let ctest = "98% tests passed, 1 tests failed out of 61\n\nThe following tests FAILED:\n\t \
                 38 - test_spool_reconnect (Failed)\nErrors while running CTest\n";
    let pytest = "E   pandas.errors.SettingWithCopyWarning:\nE   A value is trying to be set on a copy of a slice\n\
                  pipeline/quality.py:31: SettingWithCopyWarning\nFAILED tests/test_quality.py::test_spikes_are_bad\n";
    let gcc = "src/bits.cpp:27:24: error: conversion from ‘double’ to ‘float’ may change value \
               [-Werror=float-conversion]\n\
               cc1plus: all warnings being treated as errors\n";
    for (command, output, handle) in [
        ("ctest", ctest, flaky),
        ("pytest", pytest, copied),
        ("ninja", gcc, narrow),
    ] {
        let told = world.session(command).failed(command, output).unwrap();
        assert!(mentions(told.as_ref(), &handle), "{told:?}");
    }
}

#[test]
fn a_message_in_a_box_is_told_as_without() {
    let world = World::new();
    let handle = world.remember(
        "infra",
        "'Error acquiring the state lock' mostly is a cancelled job: ask who holds it.",
    );
    let boxed = "╷\n│ Error: Error acquiring the state lock\n│ \n│ Lock Info:\n│   ID:        8d1f0c9e-77a1\n╵\n";
    let told = world
        .session("one")
        .failed("terraform plan", boxed)
        .unwrap();
    assert!(mentions(told.as_ref(), &handle), "{told:?}");
}
