//! Lines of the daemon's log: each line about a request says which request it is.

#![allow(clippy::unwrap_used)]

use std::fs;

use helix_client::v1::Program;
use helix_tests::Served;
use helix_tests::rpc::draft;

#[test]
fn every_line_about_a_request_names_it() {
    let mut served = Served::new().unwrap();
    fs::write(served.home.paths.config(), "log = \"debug\"\n").unwrap();
    served = served.restarted().unwrap();
    let root = served.home.scratch().to_path_buf();
    let draft = draft("build", "The linker needs arm64 objects.", "");
    served.rpc.store(Program::Mcp, &root, draft).unwrap();
    served.daemon.stop().unwrap();
    let mut log = String::new();
    for entry in fs::read_dir(served.home.paths.logs()).unwrap() {
        log += &fs::read_to_string(entry.unwrap().path()).unwrap();
    }
    let of_store: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("call=\"Store\""))
        .collect();
    assert!(!of_store.is_empty(), "{log}");
    for line in of_store {
        assert!(line.contains("request{id="), "{line}");
    }
    assert!(!log.contains("arm64"), "a memory's text is in the log");
}
