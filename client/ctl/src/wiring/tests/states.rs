//! Answers of `status`.

use super::*;
use crate::wiring::WiringStatus;

fn status_of(text: Option<&str>, target: &Target, exists: bool) -> WiringStatus {
    plan_status(text, target, &programs(), &|_| exists).unwrap()
}

/// Lists the labels of the rows that are wanted.
fn labels(wanted: impl Fn(&HookRow) -> bool) -> Vec<String> {
    rows::CLAUDE
        .iter()
        .filter(|row| wanted(row))
        .map(HookRow::label)
        .collect()
}

#[test]
fn what_install_leaves_is_complete() {
    for target in [hooks_target(), server_target()] {
        let text = plan_install(None, &target, &programs()).unwrap().text;
        let status = status_of(Some(&text), &target, true);
        assert!(status.is_complete(), "{status:?}");
        assert!(!status.installed.is_empty());
    }
}

#[test]
fn nothing_is_installed_in_a_missing_file() {
    let status = status_of(None, &hooks_target(), true);
    assert_eq!(status.missing, labels(|_| true));
    assert_eq!(status_of(None, &server_target(), true).missing, ["helix"]);
}

#[test]
fn a_program_that_is_gone_is_named_once() {
    let text = plan_install(None, &hooks_target(), &programs())
        .unwrap()
        .text;
    let status = status_of(Some(&text), &hooks_target(), false);
    assert_eq!(status.stale, [PathBuf::from(SHIM)]);
}

#[test]
fn whatever_differs_is_noted() {
    let text = json!({"disableAllHooks": true, "hooks": {
        "PreToolUse": [{"matcher": "Read", "hooks": [{"command": "/b/helix-hook", "args": ["ambient"]}]}],
        "Stop": [{"hooks": [{"command": "/b/helix-hook", "args": ["stop"]}]}],
        "Notification": [{"hooks": [{"command": "/b/helix-hook", "args": ["notification"]}]}],
    }});
    let status = status_of(Some(&text.to_string()), &hooks_target(), true);
    assert_eq!(
        status.missing,
        labels(|row| row.verb != "ambient" && row.verb != "stop")
    );
    insta::assert_snapshot!(status.notes.join("\n"));
}

#[test]
fn a_foreign_server_is_noted() {
    let status = status_of(
        Some(r#"{"mcpServers": {"helix": {"url": "x"}}}"#),
        &server_target(),
        true,
    );
    assert_eq!((status.missing.len(), status.notes.len()), (1, 1));
}

#[test]
fn status_reads_the_real_file() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    world.install(&target);
    let status = crate::wiring::status(&target, &programs()).unwrap();
    assert_eq!(status.installed, labels(|_| true));
    assert_eq!(status.stale, [PathBuf::from(SHIM)]);
}
