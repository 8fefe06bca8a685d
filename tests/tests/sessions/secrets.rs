//! Secrets in commands and their outputs are neither kept nor said.

use crate::world::World;

const PASSWORD: &str = "hunter2-of-the-tests";

#[test]
fn no_secret_is_kept_or_said() {
    let mut world = World::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let failing = format!("FETCH_TOKEN={token} npm test -- --password {PASSWORD}");
    let mistake = format!(
        "src/a.ts(3,7): error TS2307: Cannot find module 'https://me:{PASSWORD}@host/left-pad' or {token}.\n"
    );
    let one = world.session("one");
    one.failed(&failing, &mistake).unwrap();
    let lines = world.activity("one").join("\n");
    assert!(
        lines.contains("Failing: `npm test -- --password [redacted:option]`"),
        "{lines}"
    );
    one.ran(
        &format!("npm install https://me:{PASSWORD}@host/left-pad.tgz --token={token}"),
        "added 1 package",
    )
    .unwrap();
    one.edit("src/b.ts", "a", "b").unwrap();
    one.hook("pre-compact", "PreCompact-auto", |_| ()).unwrap();
    let resumed = one.start("compact").unwrap().unwrap();
    one.ran(&failing, "1 passed").unwrap();
    let told = world.told("two", &failing, &mistake).unwrap();
    assert!(
        told.contains("TS2307") && told.contains("[redacted:"),
        "{told}"
    );
    let log = serde_json::to_string(&format!("{:?}", world.log("one").unwrap())).unwrap();
    world.while_down(|_, _| ());
    for secret in [PASSWORD, token.as_str()] {
        for said in [&lines, &resumed, &told, &log] {
            assert!(!said.contains(secret), "{said}");
        }
        assert_eq!(world.home.holding(secret).unwrap(), None);
    }
}
