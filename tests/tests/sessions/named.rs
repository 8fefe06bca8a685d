//! Memories that a search by a file's name, and the test of a file, bring up.

use serde_json::json;

use crate::mentions;
use crate::world::World;

#[test]
fn a_name_that_is_searched_for_brings_up_what_is_known_of_the_file() {
    let world = World::new();
    let handle = world.remember_of(
        "shipping",
        "Weights are rounded up to grams.",
        "src/parcel/posting.rs",
    );
    let glob = |pattern: &str| ("Glob", json!({ "pattern": pattern }));
    let grep = |glob: &str| ("Grep", json!({"pattern": "fn total_of", "glob": glob}));
    for (tool, input) in [
        glob("**/posting.rs"),
        glob("**/posting.*"),
        glob("posting.rs"),
        glob("src/**/posting.rs"),
        glob("src/parcel/posting.rs"),
        grep("**/posting.rs"),
        grep("posting.{rs,py}"),
    ] {
        let name = format!("{tool} {input}");
        let session = world.session(&name);
        let context = session.tool(tool, &input).unwrap();
        assert!(mentions(context.as_ref(), &handle), "{name}: {context:?}");
        assert_eq!(session.tool(tool, &input).unwrap(), None, "once");
    }
    for (tool, input) in [
        glob("*.rs"),
        glob("**/*.rs"),
        glob("lib/**/posting.rs"),
        glob("**/postings.rs"),
        glob("**/*ing.rs"),
        grep("*.rs"),
        grep("**/*.{rs,py}"),
    ] {
        assert_eq!(
            world.session("silent").tool(tool, &input).unwrap(),
            None,
            "{tool} {input}"
        );
    }
}

#[test]
fn a_name_that_many_files_have_brings_nothing_up() {
    let world = World::new();
    for place in ["audit", "invoices", "orders", "parcel"] {
        world.remember_of(
            "clerks",
            &format!("Keys of {place} hang there."),
            &format!("{place}/src/main.rs"),
        );
        world.remember_of(
            "clerks",
            &format!("Ink for {place} is green."),
            &format!("{place}/src/ratebook.rs"),
        );
    }
    for pattern in ["**/main.rs", "src/**/main.rs", "**/ratebook.rs"] {
        assert_eq!(
            world
                .session("one")
                .tool("Glob", &json!({ "pattern": pattern }))
                .unwrap(),
            None,
            "{pattern}"
        );
    }
    let placed = world
        .session("one")
        .tool("Glob", &json!({"pattern": "audit/src/main.rs"}))
        .unwrap()
        .unwrap();
    assert!(
        placed.contains("Keys of audit") && !placed.contains("invoices"),
        "{placed}"
    );
}

#[test]
fn a_test_brings_up_what_is_known_of_what_it_tests() {
    let world = World::new();
    let topic = world.remember("order", "Sundays are sorted first.");
    let source = world.remember_of("order", "Totals are kept in cents.", "src/order.py");
    let elsewhere = world.remember_of("order", "Buttons are blue.", "web/cart.ts");
    let named = world.remember("clerks", "The gearbox is generated; edit the template.");
    for (at, path) in [
        "tests/test_order.py",
        "shop/order_test.go",
        "web/pages/order.test.ts",
        "web/pages/order.spec.ts",
        "src/test/java/shop/OrderTest.java",
        "tests/order.rs",
    ]
    .into_iter()
    .enumerate()
    {
        world.project.write(path, "nothing\n").unwrap();
        let context = world.session(&format!("s{at}")).read(path).unwrap();
        assert!(
            mentions(context.as_ref(), &topic) && mentions(context.as_ref(), &source),
            "{path}: {context:?}"
        );
        assert!(
            !mentions(context.as_ref(), &elsewhere),
            "{path}: it is about another file"
        );
    }
    for (at, path) in ["tests/test_gearbox.py", "src/GearboxTest.java"]
        .into_iter()
        .enumerate()
    {
        world.project.write(path, "nothing\n").unwrap();
        let context = world.session(&format!("g{at}")).read(path).unwrap();
        assert!(mentions(context.as_ref(), &named), "{path}: {context:?}");
    }
    world.remember("utils", "Helpers are named by verbs.");
    for path in [
        "tests/test_utils.py",
        "src/latest_order.py",
        "src/Contest.java",
    ] {
        world.project.write(path, "nothing\n").unwrap();
        assert_eq!(world.session("none").read(path).unwrap(), None, "{path}");
    }
}
