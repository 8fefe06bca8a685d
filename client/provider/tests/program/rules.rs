//! The last look at what leaves the machine.

use std::process::{Command, Stdio};

use helix_tests::broken_rule;

#[test]
fn a_program_with_a_rule_that_does_not_compile_takes_no_order() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("helix-provider");
    broken_rule::copy(env!("CARGO_BIN_EXE_helix-provider").as_ref(), &program).unwrap();
    let ended = Command::new(program).stdin(Stdio::null()).output().unwrap();
    assert!(!ended.status.success(), "{ended:?}");
    assert!(ended.stdout.is_empty(), "{ended:?}");
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(
        said.contains("the rules of the redaction cannot be read"),
        "{said}"
    );
}
