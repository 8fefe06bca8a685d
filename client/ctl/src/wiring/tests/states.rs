//! What `status` says.

use super::*;
use crate::wiring::{WiringStatus, plan_status};

fn status_of(text: Option<&str>, spec: &Spec, exists: bool) -> WiringStatus {
    plan_status(text, spec, &Level::Root, &|_| exists).unwrap()
}

#[test]
fn what_install_leaves_is_complete() {
    for spec in [hooks_spec(), server_spec()] {
        let text = crate::wiring::plan_install(None, &spec, &Level::Root).unwrap().text;
        let status = status_of(Some(&text), &spec, true);
        assert!(status.is_complete(), "{status:?}");
        assert!(!status.installed.is_empty());
    }
}

#[test]
fn nothing_is_installed_in_a_missing_file() {
    let status = status_of(None, &hooks_spec(), true);
    assert_eq!(status.missing, ["SessionStart", "PreToolUse"]);
    assert_eq!(status_of(None, &server_spec(), true).missing, ["helix"]);
}

#[test]
fn a_program_that_is_gone_is_named_once() {
    let text = crate::wiring::plan_install(None, &hooks_spec(), &Level::Root).unwrap().text;
    let status = status_of(Some(&text), &hooks_spec(), false);
    assert_eq!(status.stale, [PathBuf::from(SHIM)]);
}

#[test]
fn whatever_differs_is_noted() {
    let text = json!({"disableAllHooks": true, "hooks": {
        "PreToolUse": [{"matcher": "Read", "hooks": [{"command": "/b/helix-hook", "args": ["ambient"]}]}],
        "Stop": [{"hooks": [{"command": "/b/helix-hook", "args": ["stop"]}]}],
    }});
    let status = status_of(Some(&text.to_string()), &hooks_spec(), true);
    assert_eq!(status.missing, ["SessionStart"]);
    insta::assert_snapshot!(status.notes.join("\n"));
}

#[test]
fn a_foreign_server_is_noted() {
    let status = status_of(Some(r#"{"mcpServers": {"helix": {"url": "x"}}}"#), &server_spec(), true);
    assert_eq!((status.missing.len(), status.notes.len()), (1, 1));
}

#[test]
fn status_reads_the_real_file() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    world.install(&target, &hooks_spec());
    let status = crate::wiring::status(&target, &hooks_spec()).unwrap();
    assert_eq!(status.installed, ["SessionStart", "PreToolUse"]);
    assert_eq!(status.stale, [PathBuf::from(SHIM)]);
}
