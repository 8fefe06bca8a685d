//! What a command's success says of the failures before it, and what it leaves open.

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
    one.ran("cargo build 2>&1 | tail -1", "error: could not compile `billing` (lib)").unwrap();
    one.ran("cargo build; git status", "nothing to commit").unwrap();
    one.ran("cargo build || true", "").unwrap();
    assert!(world.activity("one").iter().any(|line| line.starts_with("Failing: `cargo build`")));
    assert_eq!(world.session("two").failed("cargo build", MISTAKE).unwrap(), None, "no remedy is known");
    one.ran("cargo build && git status", "nothing to commit").unwrap();
    assert!(!world.activity("one").iter().any(|line| line.starts_with("Failing")));
    let told = world.session("three").failed("cargo build", MISTAKE).unwrap().unwrap();
    assert!(told.contains("fixed before by changing src/rows.rs"), "{told}");
}

#[test]
fn what_git_takes_back_and_fewer_jobs_are_a_fix() {
    let world = World::new();
    for (at, (line, build, told)) in [
        ("git reset --hard HEAD~1", "make -j8", "`git reset --hard HEAD~1`"),
        ("git clean -fdx", "make -j8", "`git clean -fdx`"),
        ("ls", "make -j1", "`make -j1`"),
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
        let context = world.session(&two).failed("make -j8", &mistake).unwrap();
        assert!(context.as_ref().is_some_and(|context| context.contains(told)), "{line}: {context:?}");
    }
}

#[test]
fn a_projects_own_commands_are_a_fix() {
    let world = World::new();
    for (at, line) in [
        "npm run gen:types",
        "npm run lint:fix",
        "make proto",
        "just gen",
        "cargo sqlx prepare",
        "python manage.py migrate",
        "systemctl start postgresql",
        "chmod +x run.sh",
    ]
    .into_iter()
    .enumerate()
    {
        let mistake = MISTAKE.replace("E0", &format!("E{at}"));
        let (one, two) = (format!("one {at}"), format!("two {at}"));
        let one = world.session(&one);
        one.failed("cargo build", &mistake).unwrap();
        one.ran(line, "").unwrap();
        one.ran("cargo build", "").unwrap();
        let context = world.session(&two).failed("cargo build", &mistake).unwrap();
        let told = format!("fixed before by running `{line}`");
        assert!(context.as_ref().is_some_and(|context| context.contains(&told)), "{line}: {context:?}");
    }
}

#[test]
fn what_only_looks_is_no_fix() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo test -p router", MISTAKE).unwrap();
    for line in ["docker compose ps", "make -n proto", "npm run migrate:status", "pip install --dry-run x"] {
        one.ran(line, "").unwrap();
    }
    one.ran("RUST_BACKTRACE=1 cargo test -p router", "").unwrap();
    assert!(!world.activity("one").iter().any(|line| line.starts_with("Failing")));
    assert_eq!(world.session("two").failed("cargo test -p router", MISTAKE).unwrap(), None, "no remedy is known");
}

#[test]
fn a_fix_is_told_as_it_was_run() {
    let world = World::new();
    let one = world.session("one");
    one.failed("npx vitest run", MISTAKE).unwrap();
    one.ran("npx prisma migrate deploy", "").unwrap();
    one.ran("npx vitest run --pool=forks", "").unwrap();
    let told = world.session("two").failed("npx vitest run", MISTAKE).unwrap().unwrap();
    let fix = "fixed before by running `npx prisma migrate deploy`, `npx vitest run --pool=forks` (";
    assert!(told.contains(fix), "{told}");
}

#[test]
fn an_installation_in_a_package_does_not_mend_itself() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cd web && npm ci", MISTAKE).unwrap();
    one.ran("cd web && npm ci", "").unwrap();
    assert!(!world.activity("one").iter().any(|line| line.starts_with("Failing")));
    assert_eq!(world.session("two").failed("cd web && npm ci", MISTAKE).unwrap(), None, "no remedy is known");
}

#[test]
fn a_fix_by_the_shell_is_one() {
    let world = World::new();
    world.project.write("src/rows.rs", "fn rows() {}\n").unwrap();
    let one = world.session("one");
    one.failed("cargo build", MISTAKE).unwrap();
    one.ran("sed -i 's/a/b/' src/rows.rs src/none.rs", "").unwrap();
    one.ran("ROWS_FIXTURES=../rows cargo build", "Finished").unwrap();
    let told = world.session("two").failed("cargo build", MISTAKE).unwrap().unwrap();
    assert!(told.contains("src/rows.rs") && !told.contains("none.rs"), "{told}");
    assert!(told.contains("`ROWS_FIXTURES=… cargo build`") && !told.contains("../rows"), "{told}");
}

#[test]
fn a_line_that_succeeded_mends_what_had_to_succeed_in_it() {
    let world = World::new();
    let one = world.session("one");
    let fails = |session: &Session<'_>| {
        session.failed("npm ci", "npm error code ERESOLVE").unwrap();
        session.failed("npm run build", "error during build: no entry").unwrap();
        session.failed("npm test", "Tests: 1 failed, 2 passed").unwrap();
    };
    let failing = |session: &str| -> Vec<String> {
        let lines = world.activity(session);
        lines.into_iter().filter_map(|line| Some(line.strip_prefix("Failing: ")?.to_owned())).collect()
    };
    fails(&one);
    assert_eq!(failing("one").len(), 3, "{:?}", failing("one"));
    for line in
        ["npm ci; npm run build; npm test", "npm ci | npm run build | npm test", "npm ci || npm run build & npm test"]
    {
        fails(&one);
        one.ran(line, "").unwrap();
        let left = failing("one");
        assert!(left.len() == 2 && !left.iter().any(|line| line.contains("npm test")), "{line}: {left:?}");
    }
    one.ran("npm ci && npm run build && npm test", "").unwrap();
    assert_eq!(failing("one"), Vec::<String>::new());
    let two = world.session("two");
    fails(&two);
    two.ran("npm ci && npm run build 2>&1 | tail -1", "✓ built in 3.10s").unwrap();
    let left = failing("two");
    assert!(left.len() == 1 && left.iter().all(|line| line.contains("npm test")), "{left:?}");
}

#[test]
fn a_package_is_not_mended_by_another() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cd web && npm run build", "npm error code 1\nerror during build: no entry").unwrap();
    one.ran("cd api && npm run build", "").unwrap();
    assert!(
        world.activity("one").iter().any(|line| line.contains("`npm run build` in web")),
        "{:?}",
        world.activity("one")
    );
    one.ran("(cd ./web && npm run build)", "").unwrap();
    assert!(!world.activity("one").iter().any(|line| line.starts_with("Failing")));
}

#[test]
fn another_projects_mistakes_are_its_own() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo build", MISTAKE).unwrap();
    one.edit("src/load.rs", "a", "b").unwrap();
    one.ran("cargo build", "Finished").unwrap();
    let other = Project::new(&world.home, "other").unwrap();
    assert_eq!(Session::new(&world.home, &other, "two").failed("cargo build", MISTAKE).unwrap(), None);
}

#[test]
fn a_run_that_only_tells_more_is_the_same() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo test -p rows", MISTAKE).unwrap();
    one.edit("src/rows.rs", "a", "b").unwrap();
    for line in ["cargo test -p rows --no-run", "cargo test --help", "cargo --version", "cargo test -p rows --lib"] {
        one.ran(line, "").unwrap();
        assert!(world.activity("one").iter().any(|line| line.starts_with("Failing: `cargo test -p rows`")), "{line}");
    }
    one.ran("cargo test -p rows -- --nocapture", "").unwrap();
    assert!(!world.activity("one").iter().any(|line| line.starts_with("Failing")));
    let told = world.session("two").failed("cargo test -p rows", MISTAKE).unwrap().unwrap();
    assert!(told.contains("fixed before by changing src/rows.rs ("), "{told}");
}

#[test]
fn another_toolchain_is_no_fix() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo +nightly fmt --all -- --check", MISTAKE).unwrap();
    one.ran("cargo fmt --all", "").unwrap();
    assert!(world.activity("one").iter().any(|line| line.starts_with("Failing: `cargo +nightly fmt")));
    let context = world.session("two").failed("cargo +nightly fmt --all -- --check", MISTAKE).unwrap();
    assert_eq!(context, None, "no remedy is known");
}

#[test]
fn a_fix_says_what_a_variable_was_set_to() {
    let world = World::new();
    let one = world.session("one");
    one.failed("cargo test", MISTAKE).unwrap();
    one.ran("RUST_TEST_THREADS=1 PGPASSWORD=hunter22 cargo test", "").unwrap();
    let told = world.session("two").failed("cargo test", MISTAKE).unwrap().unwrap();
    assert!(told.contains("`RUST_TEST_THREADS=1 PGPASSWORD=… cargo test`"), "{told}");
}
