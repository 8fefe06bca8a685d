//! Repeated episodes become one lasting memory, once a person says so.

use serde_json::Value;

use super::world::{World, stderr};

const VENV: [&str; 3] = [
    "Had to activate the venv first, before pytest found the ledger package.",
    "Had to activate the venv first before pytest found the ledger package",
    "Again I had to activate the venv first, before pytest found the ledger package.",
];

const OTHERS: [&str; 3] = [
    "The gateway did not start because port 8081 was taken by another process.",
    "The gateway did not start because port 8082 was taken by another process.",
    "The gateway did not start because port 8083 was taken by another process.",
];

fn tell(world: &World, texts: &[&str]) -> Vec<String> {
    let tell = |text: &&str| {
        let arguments = ["add", text, "--topic", "incidents", "--kind", "episode"];
        let printed = world.done(&arguments);
        let handle = printed.lines().next().unwrap().strip_prefix("stored\t");
        handle.unwrap().to_owned()
    };
    texts.iter().map(tell).collect()
}

/// Returns what waits in the review as repeated episodes.
fn waiting(world: &World) -> Vec<Value> {
    let listed = world.json(&["review"]);
    let items = listed["items"].as_array().unwrap().iter();
    items
        .filter(|item| item["kind"] == "repeated")
        .cloned()
        .collect()
}

fn repeated(world: &World, more: &[&str]) -> Vec<Value> {
    let found = world.json(&[&["consolidate", "--episodes"], more].concat());
    found["repeated"].as_array().unwrap().clone()
}

fn proposed(world: &World) -> String {
    let found = repeated(world, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0]["handle"].as_str().unwrap().to_owned()
}

fn status(world: &World, handle: &str) -> Value {
    // Reading would bring an archived memory back.
    world.json(&["why", handle])["memory"]["status"].clone()
}

fn statuses(world: &World, handles: &[String]) -> Vec<Value> {
    handles.iter().map(|handle| status(world, handle)).collect()
}

/// The memories that one was made from.
fn cited(world: &World, handle: &str) -> Vec<String> {
    let why = world.json(&["why", handle]);
    let edges = why["edges"].as_array().unwrap().iter();
    let cited = |edge: &Value| {
        let cited = edge.as_str().unwrap().strip_prefix("derived_from ")?;
        Some(cited.strip_suffix(" (active)").unwrap().to_owned())
    };
    edges.filter_map(cited).collect()
}

#[test]
fn what_was_told_three_times_is_kept_once_it_is_approved() {
    let world = World::new();
    let mut episodes = tell(&world, &VENV);
    tell(&world, &OTHERS);

    let planned = repeated(&world, &["--dry-run"]);
    assert_eq!(planned.len(), 1, "{planned:?}");
    assert_eq!(planned[0]["handle"], Value::Null);
    assert_eq!(planned[0]["kind"], "fact");
    assert_eq!(planned[0]["occasions"], 3);
    let text = planned[0]["text"].as_str().unwrap();
    assert!(VENV.contains(&text), "{text}");
    assert!(waiting(&world).is_empty(), "a dry run writes nothing");

    let handle = proposed(&world);
    let items = waiting(&world);
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(items[0]["memory"]["handle"], *handle);
    let reason = items[0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("told 3 times: "), "{reason}");
    for episode in &episodes {
        assert!(reason.contains(episode), "{reason}");
    }
    let before = world.found(&["venv"]);
    assert!(!before.contains(&handle), "nobody vouched for it yet");
    assert!(repeated(&world, &[]).is_empty(), "it waits already");

    world.done(&["review", "approve", &handle]);
    assert_eq!(status(&world, &handle), "active");
    assert_eq!(statuses(&world, &episodes), ["archived"; 3]);
    assert_eq!(world.found(&["venv"]), [handle.as_str()]);
    let mut cited = cited(&world, &handle);
    cited.sort();
    episodes.sort();
    assert_eq!(cited, episodes);
    assert!(repeated(&world, &[]).is_empty(), "it is known");
    tell(
        &world,
        &["I had to activate the venv first before pytest found the ledger package"],
    );
    assert!(repeated(&world, &[]).is_empty());
}

#[test]
fn what_was_rejected_is_not_proposed_again() {
    let world = World::new();
    let episodes = tell(&world, &VENV);
    let handle = proposed(&world);
    world.done(&["review", "reject", &handle]);
    assert_eq!(statuses(&world, &episodes), ["active"; 3]);
    assert!(repeated(&world, &[]).is_empty());
    let more = [
        "I had to activate the venv first before pytest found the ledger package",
        "Had to activate the venv first, and only then pytest found the ledger package.",
        "We had to activate the venv first, before pytest found the ledger package.",
    ];
    tell(&world, &more);
    assert!(repeated(&world, &[]).is_empty(), "in other words neither");
}

#[test]
fn what_a_lasting_memory_says_already_is_not_proposed() {
    let world = World::new();
    tell(&world, &VENV);
    let fact = "You have to activate the venv first, before pytest found the ledger package.";
    world.add("build", fact, &["--kind", "procedure"]);
    assert!(repeated(&world, &[]).is_empty());
}

#[test]
fn approving_is_undone_as_a_whole() {
    let world = World::new();
    let episodes = tell(&world, &VENV);
    let handle = proposed(&world);
    world.done(&["review", "approve", &handle]);
    world.done(&["undo"]);
    assert_eq!(status(&world, &handle), "quarantined");
    assert_eq!(statuses(&world, &episodes), ["active"; 3]);
    assert_eq!(waiting(&world).len(), 1);

    world.done(&["undo"]);
    assert!(waiting(&world).is_empty());
    assert_eq!(statuses(&world, &episodes), ["active"; 3]);
    assert!(repeated(&world, &[]).is_empty(), "it was forgotten");
}

#[test]
fn the_very_same_text_counts_each_time_it_is_told() {
    let world = World::new();
    let told = |text: &str| {
        world.done(&["add", text, "--topic", "incidents", "--kind", "episode"]);
    };
    told(VENV[0]);
    told(VENV[0]);
    assert!(repeated(&world, &["--dry-run"]).is_empty());
    told(VENV[0]);
    let found = repeated(&world, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["occasions"], 3);
    assert_eq!(found[0]["episodes"].as_array().unwrap().len(), 1);
}

#[test]
fn pinned_episodes_stay_and_how_to_is_a_procedure() {
    let world = World::new();
    let mut episodes = Vec::new();
    for text in VENV {
        let tagged = ["--kind", "episode", "--tags", "how-to,python"];
        episodes.push(world.add("incidents", text, &tagged));
    }
    world.done(&["set", &episodes[1], "--pinned=true"]);
    let handle = proposed(&world);
    let memory = world.json(&["read", &handle])["memories"][0].clone();
    assert_eq!(memory["kind"], "procedure");
    assert!(memory["tags"].to_string().contains("python"), "{memory}");
    world.done(&["review", "approve", &handle]);
    assert_eq!(
        statuses(&world, &episodes),
        ["archived", "active", "archived"]
    );
}

#[test]
fn people_are_told_what_waits() {
    let world = World::new();
    tell(&world, &VENV);
    let planned = world.run(&["consolidate", "--dry-run"]);
    let said = stderr(&planned);
    assert!(said.contains("1 repeated episode;"), "{said}");
    assert!(said.contains("without --dry-run"), "{said}");
    let shown = String::from_utf8(planned.stdout).unwrap();
    assert!(shown.starts_with("not in the review yet"), "{shown}");
    assert_eq!(shown.matches("from incidents/").count(), 3, "{shown}");
    let done = world.run(&["consolidate"]);
    assert!(stderr(&done).contains("see `helixctl review`"), "{done:?}");
}
