//! Many memories stored.

use crate::fake::State;
use crate::world::{DATA, World, assert_code, stderr, stdout};

fn lines(count: usize) -> String {
    let lines = (0..count).map(|at| format!("{{\"topic\":\"t\",\"text\":\"text {at}\"}}"));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn chunks_hold_at_most_a_thousand_in_order() {
    let world = World::new(State::default());
    let output = world.run_with_input(&["batch", "--json"], lines(2_500).as_bytes());
    assert_code(&output, 0);
    let sizes = world.fake.look(|state| {
        state
            .batches
            .iter()
            .map(|batch| batch.drafts.len())
            .collect::<Vec<_>>()
    });
    assert_eq!(sizes, [1_000, 1_000, 500]);
    let said = stdout(&output);
    let last: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(
        (said.lines().count(), &last["index"], &last["handle"]),
        (2_500, &2_499.into(), &"t/text 2499".into())
    );
}

#[test]
fn what_is_refused_is_named_and_counts() {
    let world = World::new(State {
        refuse_text: "text 1".to_owned(),
        ..State::default()
    });
    world.write("in.jsonl", lines(3));
    let output = world.run(&["batch", "in.jsonl", "--force"]);
    assert_code(&output, DATA);
    assert_eq!(
        stdout(&output),
        "1\tstored\tt/text 0\n2\trefused\tit is refused\n3\tstored\tt/text 2\n"
    );
    assert!(
        stderr(&output)
            .contains("2 stored, 0 known before, 0 near duplicates not stored, 1 refused")
    );
    assert!(world.fake.look(|state| state.batches[0].force));
}

#[test]
fn an_entry_that_cannot_be_read_costs_only_itself() {
    let world = World::new(State::default());
    world.write(
        "in.json",
        "[{\"topic\":\"t\",\"text\":\"a\"},{\"topic\":\"t\"}]",
    );
    let output = world.run(&["batch", "in.json"]);
    assert_code(&output, DATA);
    assert!(
        stdout(&output).contains("missing field `text`"),
        "{}",
        stdout(&output)
    );
    assert!(stdout(&output).contains("stored"), "{}", stdout(&output));
    assert!(world.fake.look(|state| !state.calls.is_empty()));
}
