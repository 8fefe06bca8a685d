//! Relations: made, walked and taken back. Texts are too short to resemble each other, so that
//! nothing is suggested meanwhile.

use serde_json::{Value, json};

use super::world::World;

/// Handles of memories about one project.
struct Handles {
    decision: String,
    project: String,
    convention: String,
    owner: String,
    alone: String,
}

fn stored(world: &mut World) -> Handles {
    Handles {
        decision: world.store("decisions", "Invoices live in Postgres."),
        project: world.store("projects", "The payments backend."),
        convention: world.store("conventions", "Migrations come in pairs."),
        owner: world.store("people", "Priya answers for money."),
        alone: world.store("zoo", "Walruses eat clams."),
    }
}

fn relate(from: &str, relation: &str, to: &str) -> Value {
    json!({"action": "relate", "topic": from, "relation": relation, "to": to})
}

fn related(world: &mut World) -> Handles {
    let handles = stored(world);
    let Handles {
        decision,
        project,
        convention,
        owner,
        ..
    } = &handles;
    world.say("edit", relate(project, "has_decision", decision));
    world.say("edit", relate(project, "has_convention", convention));
    world.say("edit", relate(owner, "owns", project));
    handles
}

#[test]
fn memories_are_related_and_unrelated() {
    let mut world = World::empty();
    let Handles {
        decision, project, ..
    } = stored(&mut world);
    world.say("edit", relate(&project, "has_decision", &decision));
    world.say("edit", relate(&project, "Has Decision", &decision));
    let why = json!({
        "action": "relate", "topic": project, "relation": "depends_on", "to": decision, "strength": "0.5",
        "reason": "the schema is read at start",
    });
    world.say("edit", why);
    world.say("topics", json!({"action": "neighbours", "topic": project}));
    world.say("topics", json!({"action": "neighbours", "topic": decision}));
    let unrelate =
        json!({"action": "unrelate", "topic": project, "relation": "has_decision", "to": decision});
    world.say("edit", unrelate.clone());
    world.refused("edit", unrelate);
    world.say("edit", json!({"action": "undo"}));
    world.say("topics", json!({"action": "neighbours", "topic": decision}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn relations_are_walked() {
    let mut world = World::empty();
    let Handles {
        decision,
        project,
        owner,
        alone,
        ..
    } = related(&mut world);
    world.say("topics", json!({"action": "traverse", "topic": decision}));
    world.say(
        "topics",
        json!({"action": "traverse", "topic": decision, "depth": "1"}),
    );
    world.say(
        "topics",
        json!({"action": "traverse", "topic": [decision, project], "depth": 0}),
    );
    world.say(
        "topics",
        json!({"action": "traverse", "topic": project, "relations": "has_decision,owns", "direction": "outgoing"}),
    );
    world.say(
        "topics",
        json!({"action": "traverse", "topic": project, "min_strength": 1, "direction": "incoming"}),
    );
    world.say("topics", json!({"action": "traverse", "topic": alone}));
    world.say("topics", json!({"action": "neighbours", "topic": alone}));
    world.say(
        "topics",
        json!({"action": "path", "from": decision, "to": owner}),
    );
    world.say(
        "topics",
        json!({"action": "path", "from": decision, "to": owner, "depth": 1}),
    );
    world.say(
        "topics",
        json!({"action": "path", "from": decision, "to": alone, "suggested": true}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn mistakes_in_relating() {
    let mut world = World::empty();
    let Handles {
        decision, project, ..
    } = stored(&mut world);
    for call in [
        relate(&project, "likes", &decision),
        relate(&project, "uses", "nobody/knows-it"),
        relate(&project, "uses", &project),
        relate(&project, "uses", "project*"),
        json!({"action": "relate", "topic": project, "to": decision}),
        json!({"action": "relate", "topic": project, "relation": "uses", "to": decision, "strength": 2}),
        json!({"action": "relate", "topic": project, "relation": "uses", "to": decision, "index": 0}),
        json!({"action": "unrelate", "topic": project, "relation": "uses", "to": decision}),
    ] {
        world.refused("edit", call);
    }
    for call in [
        json!({"action": "traverse", "topic": project, "depth": 11}),
        json!({"action": "traverse", "topic": project, "relations": "likes"}),
        json!({"action": "traverse", "topic": project, "direction": "sideways"}),
        json!({"action": "traverse", "topic": "nobody/knows-it"}),
        json!({"action": "traverse"}),
        json!({"action": "neighbours", "topic": "nobody/knows-it"}),
        json!({"action": "neighbours", "topic": project, "depth": 3}),
        json!({"action": "path", "from": project}),
        json!({"action": "path", "from": project, "to": "nobody/knows-it"}),
    ] {
        world.refused("topics", call);
    }
    insta::assert_snapshot!(world.told());
}

/// What the schema says is what the daemon knows.
#[test]
fn the_schema_names_every_relation() {
    let mut world = World::empty();
    let Handles {
        decision, project, ..
    } = stored(&mut world);
    let said = world.say("edit", relate(&project, "likes", &decision));
    let (_, known) = said.rsplit_once("one of: ").unwrap();
    let described = world.tool("edit")["inputSchema"]["properties"]["relation"].clone();
    let described = described["description"].as_str().unwrap();
    assert!(described.contains(known.trim()), "{known}: {described}");
}
