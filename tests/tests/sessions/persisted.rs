//! What a session does outlives a daemon that is killed.

use std::time::Duration;
use std::{fs, io};

use helix_engine::{DirectoryStorage, States, Store};
use helix_tests::process::within;
use nix::sys::signal::Signal;

use crate::world::World;

/// Returns whether the file of the store holds a text in a session's state.
fn is_durable(world: &World, session: &str, text: &str) -> anyhow::Result<bool> {
    let copy = tempfile::tempdir()?;
    let store = world.home.paths.strand("default").join(Store::FILE);
    fs::copy(store, copy.path().join(Store::FILE))?;
    let directory = DirectoryStorage::new(copy.path().to_owned());
    // A copy that was made in the middle of a commit may be of no use.
    let Ok((store, _writer)) = Store::open(&directory) else {
        return Ok(false);
    };
    let states = store
        .snapshot()
        .and_then(|snapshot| snapshot.states(States::Sessions))
        .map_err(io::Error::other)?;
    let holds = |state: &[u8]| String::from_utf8_lossy(state).contains(text);
    Ok(states
        .iter()
        .any(|(key, state)| key == session && holds(state)))
}

#[test]
fn every_edit_is_known_after_a_kill() {
    let mut world = World::new();
    let session = world.session("one");
    for file in ["src/first.rs", "src/second.rs", "src/third.rs"] {
        world.project.write(file, "a\n").unwrap();
        session.edit(file, "a", "b").unwrap();
    }
    let written = within(Duration::from_secs(20), || {
        let is_durable = is_durable(&world, "one", "src/third.rs")?;
        Ok(is_durable.then_some(()))
    });
    assert!(written.is_ok(), "the last edit is not in the store");
    world.signal(Signal::SIGKILL);
    world.start_again();
    let activity = world.activity("one").join("\n");
    assert!(activity.contains("3 edited"), "{activity}");
}
