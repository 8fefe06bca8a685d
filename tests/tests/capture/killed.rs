//! Kills without warning while an import goes on: the next one goes on there, with nothing twice and
//! nothing lost.

use super::world::World;
use helix_tests::Served;

/// Sessions: enough for a kill to fall between the first and the last.
const SESSIONS: usize = 30;

/// Words that make each decision another one.
const TOOLS: [&str; 10] = [
    "Bazel",
    "Terraform",
    "Grafana",
    "Kafka",
    "Redis",
    "Vault",
    "Nomad",
    "Consul",
    "Istio",
    "Argo",
];
const REASONS: [&str; 3] = [
    "the nightly audits need reproducible archives",
    "our on-call engineers already know its dashboards",
    "the security review rejected everything else",
];

/// Lines of chatter in each session, so that reading one takes a while.
const CHATTER: usize = 150;

fn write_sessions(world: &World) {
    for at in 0..SESSIONS {
        let (tool, reason) = (TOOLS[at % TOOLS.len()], REASONS[at / TOOLS.len()]);
        let other = TOOLS[(at + 3) % TOOLS.len()];
        let decision =
            format!("we decided to use {tool}{at} instead of {other}{at} because {reason}");
        let chatter: Vec<String> = (0..CHATTER)
            .map(|line| {
                format!(
                    "ok, here is part {line} of the listing: {}",
                    "lorem ipsum ".repeat(60)
                )
            })
            .collect();
        let mut said: Vec<(&str, &str)> = chatter
            .iter()
            .map(|text| ("assistant", text.as_str()))
            .collect();
        said.insert(CHATTER / 2, ("user", decision.as_str()));
        world.write(&format!("s-{at:02}"), &said);
    }
}

/// Returns what waits where nothing was killed: each decision once.
fn undisturbed() -> Vec<String> {
    let world = World::new();
    write_sessions(&world);
    world.import();
    let waiting = world.waiting();
    assert_eq!(waiting.len(), SESSIONS, "{waiting:#?}");
    for at in 0..SESSIONS {
        let tool = format!("use {}{at} ", TOOLS[at % TOOLS.len()]);
        let saying = waiting.iter().filter(|text| text.contains(&tool));
        assert_eq!(saying.count(), 1, "{tool}: {waiting:#?}");
    }
    waiting
}

#[test]
fn an_import_that_is_killed_goes_on_where_it_was() {
    let mut world = World::new();
    write_sessions(&world);
    let mut kills = 0;
    for wanted in [1, 8, 16] {
        let mut import = world.start(&["capture", "import", "--yes"]);
        world.await_waiting(wanted);
        let World { served, project } = world;
        let Served { home, daemon, rpc } = served;
        drop(rpc);
        daemon.kill().unwrap();
        kills += usize::from(!import.wait().unwrap().success());
        world = World {
            served: Served::on(home).unwrap(),
            project,
        };
    }
    assert!(kills > 0, "every import had ended before it was killed");
    world.import();
    assert_eq!(world.waiting(), undisturbed());
    assert_eq!(world.import()["total"]["sessions"], 0);
    // It fails where a record or the chain of the history is damaged.
    world.done(&["doctor", "--deep"]);
}
