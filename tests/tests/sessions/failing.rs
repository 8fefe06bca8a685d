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
    assert_eq!(world.told("two", "pytest -q", &other), None);
    let told = world.told("three", "pytest -q", &first).unwrap();
    assert_eq!(
        told.matches("fixed before by changing labels/zpl.py")
            .count(),
        1,
        "{told}"
    );
}

#[test]
fn what_helix_told_before_is_not_searched_back() {
    let world = World::new();
    let handle = world.remember(
        "ops",
        "gotcha: without shm_size it says \"could not resize shared memory segment\".",
    );
    let told = |id: &str, output: &str| world.told(id, "npm test", output);
    let own = "<helix-memory note=\"x\">\nError: could not resize shared memory segment\n</helix-memory>\nexit 1\n";
    assert_eq!(told("one", own), None);
    let failed = told("two", "Error: could not resize shared memory segment\n");
    assert!(mentions(failed.as_ref(), &handle), "{failed:?}");
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
        let told = world.told(command, command, output);
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
    let told = world.told("one", "terraform plan", boxed);
    assert!(mentions(told.as_ref(), &handle), "{told:?}");
}

#[test]
fn the_same_error_of_another_module_brings_nothing_up() {
    let world = World::new();
    let python = world.remember(
        "labels",
        "gotcha: ModuleNotFoundError: No module named 'yaml' means that PyYAML is missing, pip install pyyaml.",
    );
    let node = world.remember(
        "web",
        "gotcha: Error: Cannot find module 'lodash' comes back after each pull, npm install lodash.",
    );
    let told = |id: &str, command: &str, output: &str| world.told(id, command, output);
    let missing = |name: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/p/load.py\", line 1, in <module>\n    import {name}\n\
             ModuleNotFoundError: No module named '{name}'\n"
        )
    };
    let required = |name: &str| {
        format!(
            "node:internal/modules/cjs/loader:1145\n  throw err;\n  ^\n\nError: Cannot find module '{name}'\n\
             Require stack:\n- /p/app.js\n"
        )
    };
    let yaml = told("one", "python load.py", &missing("yaml"));
    assert!(mentions(yaml.as_ref(), &python), "{yaml:?}");
    for name in ["numpy", "scipy", "requests"] {
        assert_eq!(told(name, "python load.py", &missing(name)), None, "{name}");
    }
    let lodash = told("two", "node app.js", &required("lodash"));
    assert!(mentions(lodash.as_ref(), &node), "{lodash:?}");
    assert_eq!(told("three", "node app.js", &required("express")), None);
}

#[test]
fn a_failed_assertion_brings_up_what_it_calls_and_the_file_of_that() {
    let world = World::new();
    world
        .project
        .write(
            "cart.py",
            "def apply_discount(total, percent):\n    return total\n",
        )
        .unwrap();
    let named = world.remember(
        "prices",
        "invariant: apply_discount takes percents, not shares.",
    );
    let of_file = world.remember_of("prices", "Prices are whole cents everywhere.", "cart.py:1");
    let other = world.remember_of("prices", "Orders are sorted by day.", "orders.py:1");
    let output = "F\n======================================================================\n\
                  FAIL: test_tenth (test_cart.TestCart.test_tenth)\n\
                  ----------------------------------------------------------------------\n\
                  Traceback (most recent call last):\n  File \"/p/test_cart.py\", line 6, in test_tenth\n    \
                  self.assertEqual(apply_discount(100, 10), 90)\n    ~~~~~~~~~~~~~~~~^^^^\nAssertionError: 100 != 90\n\n\
                  ----------------------------------------------------------------------\nRan 1 test in 0.001s\n\n\
                  FAILED (failures=1)\n";
    let told = world.told("one", "python3 -m unittest", output);
    assert!(mentions(told.as_ref(), &named), "{told:?}");
    assert!(mentions(told.as_ref(), &of_file), "{told:?}");
    assert!(!mentions(told.as_ref(), &other), "{told:?}");
}
