//! A command's success: which failures before it are mended, and which stay open.

use helix_tests::Project;
use helix_tests::hook::Session;

use crate::MISTAKE;
use crate::world::World;

#[test]
fn what_may_have_failed_mends_nothing() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo build", MISTAKE).unwrap();
    one.edit("src/rows.rs", "a", "b").unwrap();
    one.ran("cargo build 2>&1 | grep ^error", "").unwrap();
    one.ran(
        "cargo build 2>&1 | tail -1",
        "error: could not compile `billing` (lib)",
    )
    .unwrap();
    one.ran("cargo build; git status", "nothing to commit")
        .unwrap();
    one.ran("cargo build || true", "").unwrap();
    assert!(world.is_failing("one", "`cargo build`"));
    assert_eq!(
        world.told("two", "cargo build", MISTAKE),
        None,
        "no remedy is known"
    );
    one.ran("cargo build && git status", "nothing to commit")
        .unwrap();
    assert!(world.failing("one").is_empty());
    let told = world.told("three", "cargo build", MISTAKE).unwrap();
    assert!(
        told.contains("fixed before by changing src/rows.rs"),
        "{told}"
    );
}

#[test]
fn what_is_not_about_the_failure_is_no_fix() {
    let world = World::new();
    for (at, (line, build)) in [
        ("git reset --hard HEAD~1", "make -j8"),
        ("UPDATE_GOLDEN=1 just golden", "make -j8"),
        ("npm install left-pad", "make -j8"),
        ("npm run gen:types", "make -j8"),
        ("git status --short", "make -j8"),
        ("ls", "make -j1"),
        ("ls", "UPDATE_GOLDEN=1 make -j8"),
    ]
    .into_iter()
    .enumerate()
    {
        let mistake = MISTAKE.replace("E0", &format!("E{at}"));
        let (one, two) = (format!("one {at}"), format!("two {at}"));
        let one = world.session(&one);
        one.failed("make -j8", &mistake).unwrap();
        one.ran(line, "").unwrap();
        one.ran(build, "").unwrap();
        assert_eq!(
            world.told(&two, "make -j8", &mistake),
            None,
            "{line}, {build}"
        );
    }
}

#[test]
fn what_changes_what_a_failure_names_is_a_fix() {
    let world = World::new();
    for (at, (line, run, output)) in [
        (
            "npm ci",
            "npx jest",
            "  ● Test suite failed to run\n\n    Cannot find module 'left-pad' from 'src/a.js'\n",
        ),
        (
            "npx pnpm add left-pad",
            "npx tsc",
            "src/a.ts(3,7): error TS2307: Cannot find module 'left-pad'.\n",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let (one, two) = (format!("one {at}"), format!("two {at}"));
        let one = world.session(&one);
        one.failed(run, output).unwrap();
        one.ran(line, "").unwrap();
        one.ran(run, "").unwrap();
        let context = world.told(&two, run, output);
        let told = format!("fixed before by running `{line}`");
        assert!(
            context
                .as_ref()
                .is_some_and(|context| context.contains(&told)),
            "{line}: {context:?}"
        );
    }
}

#[test]
fn a_closing_line_is_no_failure_of_its_own() {
    let world = World::new();
    let failures = [
        ("rows::adds", "src/rows.rs", "the sum is off"),
        ("load::reads", "src/load.rs", "no such column"),
        ("wire::frames", "src/wire.rs", "short frame"),
        ("clock::ticks", "src/clock.rs", "went backwards"),
        ("cache::evicts", "src/cache.rs", "still there"),
    ];
    let closing = [
        ("cargo nextest run", "error: test run failed\n"),
        (
            "just test",
            "error: recipe `test` failed on line 11 with exit code 100\n",
        ),
        ("npm test", " ERROR  run failed: command  exited (1)\n"),
        ("make test", "make: *** [Makefile:13: test] Error 1\n"),
        ("./run-tests.sh", "suite: 1 of 5 cases failed\n"),
    ];
    for (at, (run, closing)) in closing.into_iter().enumerate() {
        let project = Project::new(&world.home, &format!("p{at}")).unwrap();
        for (test, file, message) in failures {
            let id = format!("{at} {test}");
            let session = Session::new(&world.home, &project, &id);
            let output =
                format!("thread '{test}' (77) panicked at {file}:8:9:\n{message}\n\n{closing}");
            assert_eq!(session.failed(run, &output).unwrap(), None, "{run}: {test}");
            session.edit(file, "a", "b").unwrap();
            session.ran(run, "").unwrap();
        }
        let id = format!("{at} again");
        let (test, file, message) = failures[1];
        let output = format!(
            "test {test} ... FAILED\nthread '{test}' (91) panicked at {file}:9:9:\n{message}\n\n{closing}"
        );
        let told = Session::new(&world.home, &project, &id)
            .failed(run, &output)
            .unwrap()
            .unwrap();
        assert_eq!(told.matches("fixed before by").count(), 1, "{told}");
        assert!(
            told.contains("fixed before by changing src/load.rs"),
            "{told}"
        );
    }
}

#[test]
fn the_same_test_with_another_value_is_another_failure() {
    let world = World::new();
    let output = |left: u32| {
        format!(
            "test rows::adds ... FAILED\n\nthread 'rows::adds' (7) panicked at src/rows.rs:8:9:\n\
             assertion `left == right` failed\n  left: {left}\n right: 40\n\nerror: test failed, to rerun pass `--lib`\n"
        )
    };
    let one = world.session("one");
    one.failed("cargo test", &output(39)).unwrap();
    one.edit("src/rows.rs", "a", "b").unwrap();
    one.ran("cargo test", "").unwrap();
    assert_eq!(world.told("two", "cargo test", &output(0)), None);
    let told = world.told("three", "cargo test --lib", &output(39));
    assert!(told.is_some_and(|told| told.contains("fixed before by changing src/rows.rs")));
}

#[test]
fn what_came_back_the_same_day_is_not_told() {
    let world = World::new();
    let one = world.session("one");
    let mends = |session: &Session<'_>| {
        session.edit("src/rows.rs", "a", "b").unwrap();
        session.ran("cargo build", "").unwrap();
    };
    one.failed("cargo build", MISTAKE).unwrap();
    mends(&one);
    assert_eq!(
        one.failed("cargo build", MISTAKE).unwrap(),
        None,
        "the session did it itself"
    );
    mends(&one);
    assert_eq!(
        world.told("two", "cargo build", MISTAKE),
        None,
        "it never held"
    );
}

#[test]
fn scripts_of_an_interpreter_are_tests() {
    let world = World::new();
    let output = |name: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/w/test_rows.py\", line 11, in <module>\n    check({name})\n  \
             File \"/w/test_rows.py\", line 6, in check\n    assert got == want\nAssertionError: {name}: got 3, want 4\n"
        )
    };
    let one = world.session("one");
    one.failed("python3 test_rows.py", &output("window"))
        .unwrap();
    one.edit("rows.py", "a", "b").unwrap();
    one.ran("python3 test_rows.py", "ok").unwrap();
    assert_eq!(
        world.told("two", "python3 test_rows.py", &output("depth")),
        None
    );
    let told = world
        .told("three", "python3 test_rows.py", &output("window"))
        .unwrap();
    assert!(told.contains("fixed before by changing rows.py"), "{told}");
}

#[test]
fn what_only_looks_is_no_fix() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo test -p router", MISTAKE).unwrap();
    for line in [
        "docker compose ps",
        "make -n proto",
        "npm run migrate:status",
        "pip install --dry-run x",
    ] {
        one.ran(line, "").unwrap();
    }
    one.ran("RUST_BACKTRACE=1 cargo test -p router", "")
        .unwrap();
    assert!(world.failing("one").is_empty());
    assert_eq!(
        world.told("two", "cargo test -p router", MISTAKE),
        None,
        "no remedy is known"
    );
}

#[test]
fn an_installation_in_a_package_does_not_mend_itself() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cd web && npm ci", MISTAKE).unwrap();
    one.ran("cd web && npm ci", "").unwrap();
    assert!(world.failing("one").is_empty());
    assert_eq!(
        world.told("two", "cd web && npm ci", MISTAKE),
        None,
        "no remedy is known"
    );
}

#[test]
fn a_fix_by_the_shell_is_one() {
    let world = World::new();
    world
        .project
        .write("src/rows.rs", "fn rows() {}\n")
        .unwrap();
    let one = world.session("one");
    one.failed("cargo build", MISTAKE).unwrap();
    one.ran("sed -i 's/a/b/' src/rows.rs src/none.rs", "")
        .unwrap();
    one.ran("cargo build", "Finished").unwrap();
    let told = world.told("two", "cargo build", MISTAKE).unwrap();
    assert!(
        told.contains("src/rows.rs") && !told.contains("none.rs"),
        "{told}"
    );
}

#[test]
fn a_line_that_succeeded_mends_what_had_to_succeed_in_it() {
    let world = World::new();
    let one = world.session("one");
    let fails = |session: &Session<'_>| {
        session.failed("npm ci", "npm error code ERESOLVE").unwrap();
        session
            .failed("npm run build", "error during build: no entry")
            .unwrap();
        session
            .failed("npm test", "Tests: 1 failed, 2 passed")
            .unwrap();
    };
    let failing = |session: &str| world.failing(session);
    fails(&one);
    assert_eq!(failing("one").len(), 3, "{:?}", failing("one"));
    for line in [
        "npm ci; npm run build; npm test",
        "npm ci | npm run build | npm test",
        "npm ci || npm run build & npm test",
    ] {
        fails(&one);
        one.ran(line, "").unwrap();
        let left = failing("one");
        assert!(
            left.len() == 2 && !left.iter().any(|line| line.contains("npm test")),
            "{line}: {left:?}"
        );
    }
    one.ran("npm ci && npm run build && npm test", "").unwrap();
    assert_eq!(failing("one"), Vec::<String>::new());
    let two = world.session("two");
    fails(&two);
    two.ran("npm ci && npm run build 2>&1 | tail -1", "✓ built in 3.10s")
        .unwrap();
    let left = failing("two");
    assert!(
        left.len() == 1 && left.iter().all(|line| line.contains("npm test")),
        "{left:?}"
    );
}

#[test]
fn a_package_is_not_mended_by_another() {
    let world = World::new();
    let one = world.session("one");
    one.failed(
        "cd web && npm run build",
        "npm error code 1\nerror during build: no entry",
    )
    .unwrap();
    one.ran("cd api && npm run build", "").unwrap();
    assert!(
        world
            .activity("one")
            .iter()
            .any(|line| line.contains("`npm run build` in web")),
        "{:?}",
        world.activity("one")
    );
    one.ran("(cd ./web && npm run build)", "").unwrap();
    assert!(world.failing("one").is_empty());
}

#[test]
fn another_projects_mistakes_are_its_own() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo build", MISTAKE).unwrap();
    one.edit("src/load.rs", "a", "b").unwrap();
    one.ran("cargo build", "Finished").unwrap();
    let other = Project::new(&world.home, "other").unwrap();
    assert_eq!(
        Session::new(&world.home, &other, "two")
            .failed("cargo build", MISTAKE)
            .unwrap(),
        None
    );
}

#[test]
fn a_run_that_only_tells_more_is_the_same() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo test -p rows", MISTAKE).unwrap();
    one.edit("src/rows.rs", "a", "b").unwrap();
    for line in [
        "cargo test -p rows --no-run",
        "cargo test --help",
        "cargo --version",
        "cargo test -p rows --lib",
    ] {
        one.ran(line, "").unwrap();
        assert!(world.is_failing("one", "`cargo test -p rows`"), "{line}");
    }
    one.ran("cargo test -p rows -- --nocapture", "").unwrap();
    assert!(world.failing("one").is_empty());
    let told = world.told("two", "cargo test -p rows", MISTAKE).unwrap();
    assert!(
        told.contains("fixed before by changing src/rows.rs ("),
        "{told}"
    );
}

#[test]
fn another_toolchain_is_no_fix() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo +nightly fmt --all -- --check", MISTAKE)
        .unwrap();
    one.ran("cargo fmt --all", "").unwrap();
    assert!(world.is_failing("one", "`cargo +nightly fmt"));
    let context = world.told("two", "cargo +nightly fmt --all -- --check", MISTAKE);
    assert_eq!(context, None, "no remedy is known");
}
