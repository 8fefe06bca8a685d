#![allow(clippy::unwrap_used)]
use std::process::Command;

use super::*;

#[test]
fn remotes_of_one_repository_are_one() {
    for url in [
        "git@github.com:acme/billing.git",
        "ssh://git@github.com:22/acme/billing.git",
        "https://GitHub.com/Acme/Billing/",
        "https://user:secret@github.com/acme/billing.git",
    ] {
        assert_eq!(
            normalise_remote(url).as_deref(),
            Some("github.com/acme/billing"),
            "{url}"
        );
    }
    assert_eq!(
        normalise_remote("/srv/git/a.git").as_deref(),
        Some("path:/srv/git/a")
    );
    assert_eq!(
        normalise_remote("file:///srv/git/a.git").as_deref(),
        Some("path:/srv/git/a")
    );
    assert_eq!(normalise_remote("nonsense"), None);
}

#[test]
fn origin_comes_before_other_remotes() {
    let fork = "fork\tgit@host:me/billing.git (fetch)\nfork\tgit@host:me/billing.git (push)\n";
    let origin =
        "origin\thttps://host/acme/a b.git (fetch) [blob:none]\norigin\tgit@push:acme/x.git (push)";
    assert_eq!(remote_of(fork).as_deref(), Some("host/me/billing"));
    assert_eq!(
        remote_of(&format!("{fork}{origin}")).as_deref(),
        Some("host/acme/a b")
    );
    assert_eq!(
        (
            remote_of(""),
            remote_of("lonely\t"),
            remote_of("x\ty (push)")
        ),
        (None, None, None)
    );
}

fn run_git(cwd: &Path, arguments: &[&str]) {
    let identity = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "-c",
        "commit.gpgsign=false",
    ];
    let status = Command::new("git")
        .arg("-C")
        .arg(cwd)
        .args(identity)
        .args(arguments)
        .output()
        .unwrap()
        .status;
    assert!(status.success(), "git {arguments:?}");
}

fn of(directory: &Path) -> Arc<Project> {
    Projects::default().of(directory, || true)
}

#[test]
fn who_asks_at_once_gets_one_answer() {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let directory = tempfile::tempdir().unwrap();
    run_git(directory.path(), &["init", "-q"]);
    run_git(
        directory.path(),
        &["remote", "add", "origin", "git@host:acme/billing.git"],
    );
    let (projects, start, times) = (Projects::default(), Barrier::new(4), AtomicUsize::new(0));
    let ask = || {
        start.wait();
        projects.of(directory.path(), || {
            times.fetch_add(1, Ordering::Relaxed) > 9
        })
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        let all: Vec<Arc<Project>> = all.into_iter().map(|asked| asked.join().unwrap()).collect();
        assert!(all.iter().all(|project| project.name == "billing"));
    });
    assert_eq!(times.into_inner(), 1);
    assert!(projects.sought.into_inner().unwrap().is_empty());
}

#[test]
fn identity_falls_back_from_remote_to_commit_to_path() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("billing");
    fs::create_dir_all(root.join("src")).unwrap();
    let by_path = of(&root.join("src"));
    assert!(
        by_path.scope.to_string().starts_with("project:path:/"),
        "{by_path:?}"
    );

    run_git(&root, &["init", "-q"]);
    let without_commit = of(&root);
    run_git(&root, &["commit", "-q", "--allow-empty", "-m", "root"]);
    let by_commit = of(&root);
    assert!(
        by_commit.scope.to_string().starts_with("project:commit:"),
        "{by_commit:?}"
    );
    assert_eq!(by_commit.name, "billing");
    assert!(
        by_commit.scopes().contains(&without_commit.scope),
        "{by_commit:?}"
    );

    run_git(&root, &["worktree", "add", "-q", "../other"]);
    let other = of(&directory.path().join("other"));
    assert_eq!(
        (&other.scope, &other.name),
        (&by_commit.scope, &by_commit.name)
    );

    run_git(
        &root,
        &["remote", "add", "origin", "git@host:acme/billing.git"],
    );
    let by_remote = of(&root.join("src"));
    assert_eq!(by_remote.scope, Scope::Project("host/acme/billing".into()));
    assert_eq!(by_remote.name, "billing");
    let visible = [
        &by_remote.scope,
        &by_commit.scope,
        &without_commit.scope,
        &Scope::Global,
    ];
    assert_eq!(by_remote.scopes().iter().collect::<Vec<_>>(), visible);
}

#[test]
fn a_clone_of_a_local_repository_is_the_same_project() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("billing");
    fs::create_dir(&root).unwrap();
    run_git(&root, &["init", "-q"]);
    run_git(&root, &["commit", "-q", "--allow-empty", "-m", "root"]);
    run_git(directory.path(), &["clone", "-q", "billing", "clone"]);
    run_git(
        directory.path(),
        &["clone", "-q", "--bare", "billing", "bare.git"],
    );
    run_git(directory.path(), &["clone", "-q", "bare.git", "of-bare"]);
    for clone in ["clone", "of-bare"] {
        assert_eq!(
            of(&directory.path().join(clone)).scope,
            of(&root).scope,
            "{clone}"
        );
    }
    run_git(
        &root,
        &["remote", "add", "origin", "git@host:acme/billing.git"],
    );
    assert_eq!(of(&directory.path().join("clone")).scope, of(&root).scope);
}
