//! Knowledge of what an agent searches for, and of where it searches.

use serde_json::{Value, json};

use crate::world::{World, mentions};

fn world() -> World {
    World::of("billing", "notes")
}

fn tool_told(world: &World, session: &str, tool: &str, input: &Value) -> Option<String> {
    world.session(session).tool(tool, input).unwrap()
}

#[test]
fn a_directory_beside_a_pattern_is_one_in_it() {
    let world = world();
    let handle = world.remember(
        "Segments are merged while nobody reads.",
        "src/indexer/merge.rs",
    );
    let other = world.remember(
        "Segments are named by their last sequence.",
        "src/indexer/names.sql",
    );
    world
        .project
        .write("src/indexer/merge.rs", "// nothing\n")
        .unwrap();
    let place = world.project.root.join("src/indexer");
    for (at, input) in [
        json!({"pattern": "src/indexer/*.rs"}),
        json!({"pattern": "*.rs", "path": place}),
        json!({"pattern": "*.rs", "path": "src/indexer"}),
        json!({"pattern": "indexer/*.rs", "path": "src"}),
    ]
    .into_iter()
    .enumerate()
    {
        let told = tool_told(&world, &format!("s{at}"), "Glob", &input);
        assert!(
            mentions(told.as_ref(), &handle) && !mentions(told.as_ref(), &other),
            "{input}: {told:?}"
        );
    }
}

#[test]
fn the_beginning_of_a_files_name_finds_what_is_known_of_it() {
    let world = world();
    let handle = world.remember("Segments are merged while nobody reads.", "src/row_set.rs");
    world.remember("Arrows point to the left.", "src/arrow.rs");
    for (at, pattern) in ["src/row*.rs", "**/row_*.rs", "src/row*"]
        .into_iter()
        .enumerate()
    {
        let told = tool_told(
            &world,
            &format!("s{at}"),
            "Glob",
            &json!({ "pattern": pattern }),
        );
        assert!(mentions(told.as_ref(), &handle), "{pattern}: {told:?}");
        assert_eq!(told.unwrap().matches("[notes/").count(), 1, "{pattern}");
    }
}

#[test]
fn an_expression_in_a_directory_finds_what_is_known_of_its_files() {
    let world = world();
    let handle = world.remember(
        "Segments are merged while nobody reads.",
        "src/indexer/merge.rs",
    );
    let named = world.remember(
        "Golden files live in src/indexer/golden/*.bin; rewrite them with --update.",
        "",
    );
    world
        .project
        .write("src/indexer/merge.rs", "fn segments() {}\n")
        .unwrap();
    let place = world.project.root.join("src/indexer");
    for (at, pattern) in [r"fn\s+segments\(", "segments|offsets", "Segments"]
        .into_iter()
        .enumerate()
    {
        let told = tool_told(
            &world,
            &format!("s{at}"),
            "Grep",
            &json!({"pattern": pattern, "path": place}),
        );
        assert!(
            mentions(told.as_ref(), &handle) && !mentions(told.as_ref(), &named),
            "{pattern}: {told:?}"
        );
    }
    let told = tool_told(
        &world,
        "other",
        "Grep",
        &json!({"pattern": r"fn\s+offsets\(", "path": place}),
    );
    assert_eq!(told, None, "it is about something else");
    let told = tool_told(
        &world,
        "glob",
        "Glob",
        &json!({"pattern": "src/indexer/golden/*.bin"}),
    );
    assert!(
        mentions(told.as_ref(), &named) && !mentions(told.as_ref(), &handle),
        "{told:?}"
    );
}

#[test]
fn the_beginning_of_a_path_finds_sources_that_are_no_files_yet() {
    let world = world();
    let handle = world.remember("Segments are merged while nobody reads.", "src/row_set.rs");
    world.remember("Arrows point to the left.", "src/arrow.rs");
    let place = world.project.root.join("src/row");
    for (at, path) in [json!(place), json!("src/row"), json!("src/row_set.rs")]
        .into_iter()
        .enumerate()
    {
        let input = json!({"pattern": "merge", "path": path});
        let told = tool_told(&world, &format!("s{at}"), "Grep", &input);
        assert!(mentions(told.as_ref(), &handle), "{input}: {told:?}");
        assert_eq!(told.unwrap().matches("[notes/").count(), 1, "{input}");
    }
}
