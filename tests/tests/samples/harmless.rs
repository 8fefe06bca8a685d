//! The recordings as they are, in a place that is not there, where nothing is remembered.

use helix_tests::fixtures::hook_samples;
use helix_tests::hook::EVENTS;
use helix_tests::{Daemon, Home, HookClient, HookRun};

#[test]
fn every_sample_of_every_client_is_answered_without_harm() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    for sample in hook_samples().unwrap() {
        let client: HookClient = sample.client().unwrap();
        for event in EVENTS {
            let checked = HookRun::by(&home, client, event, &sample.stdin)
                .and_then(|run| run.check_taken_by(client, sample.event()));
            assert!(checked.is_ok(), "{event} with {}: {checked:?}", sample.name);
        }
    }
}
