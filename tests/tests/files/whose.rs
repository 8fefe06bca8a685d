//! Whose memories come for a file: those of that very file and of the repository that it lies in.

use helix_tests::Project;
use serde_json::json;

use crate::world::{World, mentions};

fn world() -> World {
    World::of("mono", "notes")
}

/// A repository inside of the project, with one file.
fn inner(world: &World) -> Project {
    let inner = Project::new(&world.home, "mono/vendor/lib").unwrap();
    inner.write("src/index.ts", "// nothing\n").unwrap();
    inner
}

/// What a session is told on a file, in one of the ways in which an agent touches it.
type Way<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

#[test]
fn a_source_is_the_file_of_that_path_and_no_other_that_ends_so() {
    let world = world();
    for path in [
        "package.json",
        "packages/web/package.json",
        "src/index.ts",
        "packages/web/src/index.ts",
    ] {
        world.project.write(path, "{}\n").unwrap();
    }
    world
        .project
        .write("examples/celery/pyproject.toml", "\n")
        .unwrap();
    let manifest = world.remember("Dependencies are pinned by hand.", "package.json");
    let entry = world.remember("Starts the whole application.", "src/index.ts");
    let tools = world.remember("Built with hatch.", "pyproject.toml");
    let cat = |session: &str, path: &str| {
        world
            .session(session)
            .ran(&format!("cat {path}"), "{}")
            .unwrap()
    };
    let patch = |session: &str, path: &str| {
        let patch =
            format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{{}}\n+[]\n*** End Patch");
        world
            .session(session)
            .tool("apply_patch", &json!({ "input": patch }))
            .unwrap()
    };
    let attached = |session: &str, path: &str| {
        world
            .session(session)
            .prompt(&format!("see @{path}"))
            .unwrap()
    };
    let read = |session: &str, path: &str| world.session(session).read(path).unwrap();
    let ways: [Way<'_>; 4] = [&read, &cat, &patch, &attached];
    for (way, told) in ways.into_iter().enumerate() {
        let own = told(&format!("own {way}"), "package.json");
        assert!(mentions(own.as_ref(), &manifest), "{way}: {own:?}");
        assert!(
            mentions(
                told(&format!("entry {way}"), "src/index.ts").as_ref(),
                &entry
            ),
            "{way}"
        );
        for path in [
            "packages/web/package.json",
            "packages/web/src/index.ts",
            "examples/celery/pyproject.toml",
        ] {
            let other = told(&format!("{path} {way}"), path);
            let is_told = [&manifest, &entry, &tools]
                .into_iter()
                .any(|it| mentions(other.as_ref(), it));
            assert!(!is_told, "{path}, {way}: {other:?}");
        }
    }
}

#[test]
fn a_repository_inside_of_another_has_its_own_memories() {
    let world = world();
    let inner = inner(&world);
    world.project.write("src/index.ts", "// nothing\n").unwrap();
    let own = world.remember_in(
        &inner,
        "Exports must stay sorted: parseRows is found by its place.",
        "src/index.ts",
    );
    let outer = world.remember("Starts the whole application.", "src/index.ts");
    let vendored = world.remember("The vendored copy is patched by hand.", "vendor/lib");
    let exact = world.remember(
        "Its exports are checked by our linter.",
        "vendor/lib/src/index.ts",
    );
    let file = inner.root.join("src/index.ts");
    let patch =
        "*** Begin Patch\n*** Update File: vendor/lib/src/index.ts\n@@\n-a\n+b\n*** End Patch";
    let tool =
        |session: &str, name: &str, input| world.session(session).tool(name, &input).unwrap();
    let told = [
        world
            .session("read")
            .read("vendor/lib/src/index.ts")
            .unwrap(),
        world
            .session("edit")
            .edit("vendor/lib/src/index.ts", "a", "b")
            .unwrap(),
        tool("patch", "apply_patch", json!({ "input": patch })),
        tool("grep", "Grep", json!({"pattern": "nothing", "path": file})),
        world
            .session("cat")
            .ran("cat vendor/lib/src/index.ts", "")
            .unwrap(),
        world
            .session("cd")
            .ran("cd vendor/lib && cat src/index.ts", "")
            .unwrap(),
        world
            .session("attached")
            .prompt("see @vendor/lib/src/index.ts")
            .unwrap(),
    ];
    for context in &told {
        let context = context.as_ref();
        assert!(
            [&own, &vendored, &exact]
                .into_iter()
                .all(|it| mentions(context, it)),
            "{context:?}"
        );
        assert!(!mentions(context, &outer), "{context:?}");
    }
    assert!(
        told[0]
            .as_ref()
            .is_some_and(|told| told.contains("About vendor/lib/src/index.ts:")),
        "{:?}",
        told[0]
    );
    let root = world.session("outer").read("src/index.ts").unwrap();
    assert!(
        mentions(root.as_ref(), &outer) && !mentions(root.as_ref(), &own),
        "{root:?}"
    );
}

#[test]
fn a_search_in_a_repository_inside_of_another_is_one_of_its_own() {
    let world = world();
    let inner = inner(&world);
    let named = world.remember_in(
        &inner,
        "parseRows trusts the length field of old peers.",
        "",
    );
    let placed = world.remember_in(&inner, "Never import from here.", "src/index.ts");
    let tool =
        |session: &str, name: &str, input| world.session(session).tool(name, &input).unwrap();
    let grep = json!({"pattern": "parseRows", "path": inner.root});
    assert!(mentions(tool("grep", "Grep", grep).as_ref(), &named));
    assert_eq!(
        tool("everywhere", "Grep", json!({"pattern": "parseRows"})),
        None,
        "the outer one knows nothing of it"
    );
    for (session, line) in [
        ("cd", "cd vendor/lib && rg parseRows"),
        ("in", "grep -rn parseRows vendor/lib"),
    ] {
        assert!(
            mentions(
                world.session(session).ran(line, "x").unwrap().as_ref(),
                &named
            ),
            "{line}"
        );
    }
    let own = world.remember_in(&inner, "The parser is generated.", "parser/rows.ts");
    inner.write("parser/rows.ts", "// nothing\n").unwrap();
    let glob = tool("glob", "Glob", json!({"pattern": "vendor/lib/parser/*.ts"}));
    assert!(
        mentions(glob.as_ref(), &own) && !mentions(glob.as_ref(), &placed),
        "{glob:?}"
    );
}
