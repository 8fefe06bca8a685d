#![allow(clippy::unwrap_used)]
use super::*;
use helix_terminal::command::run_of;

const NOW: Timestamp = Timestamp::from_micros(1);

/// A session in which a line failed with one mistake.
fn failing(line: &str) -> Activity {
    let mut activity = Activity::default();
    activity.failed(&run_of(line).unwrap(), vec!["x".into()], NOW);
    activity
}

/// Has a line succeed. Returns what that mended.
fn mended(activity: &mut Activity, line: &str) -> Vec<Failing> {
    activity.succeeded(&run_of(line).unwrap(), NOW)
}

#[test]
fn phases_follow_the_tools() {
    let mut activity = Activity::default();
    activity.read("a.rs");
    activity.command();
    assert_eq!(activity.current_phase(), Phase::Research);
    activity.edit("a.rs");
    activity.read("b.rs");
    assert_eq!(activity.current_phase(), Phase::Build);
    activity.command();
    assert_eq!(activity.current_phase(), Phase::Verify);
    let run = run_of("cargo test").unwrap();
    activity.failed(&run, vec!["x".into()], NOW);
    assert_eq!(activity.current_phase(), Phase::Debug);
    activity.succeeded(&run, NOW);
    assert_eq!(activity.current_phase(), Phase::Verify);
    assert_eq!(
        (
            activity.touched.len(),
            activity.edited.len(),
            activity.mended
        ),
        (2, 1, 1)
    );
}

#[test]
fn what_was_changed_between_failure_and_success_is_the_fix() {
    let mut activity = Activity::default();
    let (narrow, wide) = (
        run_of("cargo test -p a").unwrap(),
        run_of("cargo test").unwrap(),
    );
    activity.edit("before.rs");
    assert_eq!(
        activity.failed(&narrow, vec!["x".into(), "y".into()], NOW),
        ["x", "y"]
    );
    activity.edit("a.rs");
    assert_eq!(
        activity.failed(&narrow, vec!["y".into(), "z".into()], NOW),
        ["z"]
    );
    activity.edit("b.rs");
    activity.changed_by("cargo update");
    assert!(mended(&mut activity, "cargo build").is_empty());
    let mended = activity.succeeded(&wide, NOW);
    assert_eq!(mended.len(), 1);
    assert_eq!(
        (mended[0].changed.as_slice(), mended[0].times),
        (["a.rs".to_owned(), "b.rs".to_owned()].as_slice(), 2)
    );
    assert_eq!(mended[0].commands, ["cargo update"]);
    assert_eq!(mended[0].fingerprints, ["y", "z"]);
    assert!(activity.failing.is_empty());
}

#[test]
fn what_runs_elsewhere_mends_nothing_here() {
    for (failed, elsewhere) in [
        ("make -C web test", "make test"),
        ("make test", "make -C web test"),
        ("cargo clippy --manifest-path /x/Cargo.toml", "cargo clippy"),
        ("uv run --directory api pytest", "uv run pytest"),
        ("npm --prefix a run build", "npm --prefix b run build"),
    ] {
        let mut activity = failing(failed);
        assert!(
            mended(&mut activity, elsewhere).is_empty(),
            "{failed}: {elsewhere}"
        );
        assert_eq!(mended(&mut activity, failed).len(), 1, "{failed}");
    }
}

#[test]
fn another_way_to_run_it_is_no_fix() {
    for (failed, succeeded) in [
        ("cargo test", "RUST_TEST_THREADS=1 cargo test"),
        ("just test", "UPDATE_GOLDEN=1 just test"),
        ("cargo test -p a", "cargo test -p a -- --test-threads=1"),
        ("make -j8", "make -j1"),
        ("npm install", "npm install --legacy-peer-deps"),
    ] {
        let mut activity = failing(failed);
        let mended = mended(&mut activity, succeeded);
        assert!(mended[0].mended().is_empty(), "{succeeded}");
    }
}

#[test]
fn less_of_a_command_is_no_success_of_it() {
    for (failed, less) in [
        ("cargo test", "cargo test --lib"),
        ("cargo test", "cargo test --lib -- x"),
        ("cargo test", "cargo test -p a"),
        ("cargo test", "cargo test --features async one_test"),
        ("cargo test -p b", "cargo test -p a --features a"),
        ("pytest a.py b.py", "pytest a.py"),
        ("pytest tests", "pytest tests/test_a.py::test_b"),
        ("go test ./...", "go test -run X ./..."),
        ("go test ./a ./b", "go test ./a"),
        ("npx jest", "npx jest -t adds"),
        ("npx jest a.test.js b.test.js", "npx jest b.test.js"),
        ("make clean test", "make clean"),
    ] {
        let mut activity = failing(failed);
        assert!(mended(&mut activity, less).is_empty(), "{less}");
        assert!(!activity.last_run.as_ref().unwrap().has_succeeded, "{less}");
    }
    for (failed, more) in [
        ("cargo test -p a x", "cargo test -p a"),
        ("cargo test --test globs", "cargo test"),
        ("pytest tests -k a", "pytest tests"),
        ("npm run build -- --watch", "npm run build"),
    ] {
        let mut activity = failing(failed);
        assert_eq!(mended(&mut activity, more).len(), 1, "{more}");
    }
}

#[test]
fn what_fails_is_told_as_it_was_run() {
    for line in [
        "npx tsc --noEmit",
        "python -m pytest x",
        "poetry run pytest",
        "docker-compose build",
    ] {
        let activity = failing(line);
        assert_eq!(activity.failing[0].command(), line);
    }
}

#[test]
fn a_command_does_not_mend_itself() {
    let (build, proto) = (run_of("make").unwrap(), run_of("make proto").unwrap());
    let mut activity = Activity::default();
    activity.failed(&build, vec!["x".into()], NOW);
    activity.failed(&proto, vec!["y".into()], NOW);
    activity.changed_by("make proto");
    assert!(activity.succeeded(&proto, NOW)[0].commands.is_empty());
    assert_eq!(activity.succeeded(&build, NOW)[0].commands, ["make proto"]);
}

#[test]
fn what_was_gone_earlier_was_mended_by_nothing_later() {
    let mut activity = Activity::default();
    let run = run_of("cargo build").unwrap();
    activity.failed(&run, vec!["x".into(), "y".into(), "z".into()], NOW);
    activity.edit("a.rs");
    assert!(
        activity
            .failed(&run, vec!["y".into(), "z".into()], NOW)
            .is_empty()
    );
    activity.edit("b.rs");
    activity.failed(&run, vec!["y".into()], NOW);
    assert!(
        activity.failed(&run, vec!["z".into()], NOW).is_empty(),
        "it is back, and was seen"
    );
    activity.edit("c.rs");
    let mended = activity.succeeded(&run, NOW);
    let said: Vec<(String, String)> = mended[0]
        .mended()
        .into_iter()
        .map(|one| (one.fingerprints.join(" "), one.changed.join(" ")))
        .collect();
    let expected = [("z", "c.rs"), ("x", "a.rs"), ("y", "a.rs b.rs")];
    assert_eq!(
        said,
        expected.map(|(print, files)| (print.to_owned(), files.to_owned()))
    );
}

#[test]
fn focus_is_what_is_used_most() {
    let mut activity = Activity::default();
    for topic in ["a", "b", "b", "c", "c", "c"] {
        activity.use_topic(topic);
    }
    assert_eq!(activity.focus(), ["c", "b"]);
}

#[test]
fn lists_are_bounded() {
    let mut activity = Activity::default();
    for n in 0..FILES_MAX + 9 {
        activity.edit(&format!("f{n}"));
    }
    for n in 0..FAILING_MAX + 9 {
        activity.failed(
            &run_of(&format!("cargo test t{n}")).unwrap(),
            Vec::new(),
            NOW,
        );
    }
    assert_eq!(
        (
            activity.touched.len(),
            activity.edited.len(),
            activity.failing.len()
        ),
        (FILES_MAX, FILES_MAX, FAILING_MAX)
    );
    assert_eq!(
        activity.edited.last().unwrap(),
        &format!("f{}", FILES_MAX + 8)
    );
}

#[test]
fn a_part_of_a_run_is_no_success_of_it() {
    let mut activity = failing("pytest tests");
    assert!(mended(&mut activity, "pytest tests --collect-only").is_empty());
    assert!(
        !activity.last_run.as_ref().unwrap().has_succeeded,
        "the tests fail as before"
    );
    activity.failed(
        &run_of("cargo test --no-run").unwrap(),
        vec!["y".into()],
        NOW,
    );
    activity.edit("a.rs");
    assert_eq!(
        mended(&mut activity, "cargo test --no-run")[0].fingerprints,
        ["y"]
    );
}

#[test]
fn another_toolchain_interpreter_or_target_mends_nothing() {
    for (failed, succeeded) in [
        ("cargo +nightly fmt --all -- --check", "cargo fmt --all"),
        ("cargo +nightly test", "cargo test"),
        ("cargo +nightly test", "cargo +stable test"),
        ("cargo build --target wasm32-unknown-unknown", "cargo build"),
        ("GOOS=windows go build ./...", "go build ./..."),
        ("python3.12 -m pytest", "python3.11 -m pytest"),
        ("nvm use 18 && npm test", "nvm use 20 && npm test"),
    ] {
        let mut activity = failing(failed);
        activity.edit("a.rs");
        assert!(
            mended(&mut activity, succeeded).is_empty(),
            "{failed}, {succeeded}"
        );
        assert_eq!(
            mended(&mut activity, failed)[0].changed,
            ["a.rs"],
            "{failed}"
        );
    }
}

#[test]
fn options_that_only_change_what_is_told_make_no_other_command() {
    for (failed, succeeded) in [
        ("pytest tests/test_a.py", "pytest tests/test_a.py -v"),
        (
            "pytest tests/test_a.py",
            "python -m pytest -xvs --tb=short tests/test_a.py",
        ),
        ("pytest tests/test_a.py", "pytest --lf -q"),
        ("pytest -q --tb short tests", "pytest -vv --tb long tests"),
        ("pytest tests", "pytest -n 4 tests"),
        ("cargo test -p a", "cargo test -p a -- --nocapture"),
        (
            "cargo test -p a",
            "cargo test -p a --no-fail-fast --color always",
        ),
        ("go test ./...", "go test -v -count=1 ./..."),
        ("npm test", "npm test -- --verbose --coverage"),
        ("make", "make -j8"),
        ("./gradlew test", "./gradlew test --info"),
        ("npx tsc -p web", "npx tsc -p web --pretty false"),
    ] {
        let mut activity = failing(failed);
        activity.edit("a.py");
        let mended = mended(&mut activity, succeeded);
        assert_eq!(mended.len(), 1, "{failed}, {succeeded}");
        assert_eq!(
            (mended[0].changed.join(" "), mended[0].commands.join(" ")),
            ("a.py".into(), String::new())
        );
        assert!(activity.failing.is_empty(), "{failed}, {succeeded}");
    }
    for less in [
        "pytest tests -k a -v",
        "pytest tests/test_b.py -v",
        "pytest --collect-only -q tests",
    ] {
        let mut activity = failing("pytest tests");
        assert!(mended(&mut activity, less).is_empty(), "{less}");
    }
}

#[test]
fn a_command_that_fails_with_other_reports_fails_again() {
    let mut activity = Activity::default();
    activity.failed(
        &run_of("pytest tests").unwrap(),
        vec!["x".into(), "y".into()],
        NOW,
    );
    assert!(
        activity
            .failed(
                &run_of("pytest -x --tb=short tests").unwrap(),
                vec!["x".into()],
                NOW
            )
            .is_empty()
    );
    activity.edit("a.py");
    activity.failed(
        &run_of("python -m pytest tests -v").unwrap(),
        vec!["y".into()],
        NOW,
    );
    activity.failed(
        &run_of("pytest tests -p no:randomly").unwrap(),
        vec!["y".into()],
        NOW,
    );
    let failing: Vec<(String, u32)> = activity
        .failing
        .iter()
        .map(|one| (one.command(), one.times))
        .collect();
    let expected = [
        ("python -m pytest tests", 3),
        ("pytest tests -p no:randomly", 1),
    ];
    assert_eq!(
        failing,
        expected.map(|(command, times)| (command.to_owned(), times))
    );
    let mended = mended(&mut activity, "pytest tests");
    assert_eq!(
        mended[0].fingerprints,
        ["x", "y"],
        "nobody saw that one was gone"
    );
    assert!(activity.failing.is_empty());
}

#[test]
fn what_was_refused_was_not_changed() {
    let run = run_of("cargo test").unwrap();
    let mut activity = Activity::default();
    activity.failed(&run, vec!["a".to_owned()], Timestamp::default());
    activity.edit_by("src/kept.rs", "call-1");
    activity.edit_by("src/refused.rs", "call-2");
    activity.edit_by("src/again.rs", "call-3");
    activity.edit_by("src/again.rs", "call-4");
    assert!(activity.has_calls());
    activity.refuse(&["call-2", "call-3"].map(str::to_owned).into());
    assert_eq!(activity.edited, ["src/kept.rs", "src/again.rs"]);
    let mended = activity.succeeded(&run, Timestamp::default());
    assert_eq!(mended[0].changed, ["src/kept.rs", "src/again.rs"]);
}
