//! The entries of one file are decided against each other.

use std::fs;

use helix_tests::Binary;

use super::{Side, imported};

fn told(side: &Side, arguments: &[&str]) -> String {
    let mut command = side.served.home.command(Binary::Ctl);
    let output = command
        .args(arguments)
        .current_dir(side.served.home.scratch())
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

#[test]
fn two_values_of_one_file_wait_until_somebody_settles_them() {
    let side = Side::new();
    let path = side.served.home.scratch().join("notes.json");
    let entries = [
        "billing listens on port 8081",
        "search listens on port 9200",
        "billing listens on port 8082",
    ];
    let entries = entries.map(|text| format!(r#"{{"topic": "services", "text": "{text}"}}"#));
    fs::write(&path, format!("[{}]", entries.join(", "))).unwrap();
    imported(&side, &path);
    let conflicts = told(&side, &["conflicts"]);
    assert!(conflicts.contains("8081"), "{conflicts}");
    assert!(conflicts.contains("8082"), "{conflicts}");
    assert!(!conflicts.contains("9200"), "{conflicts}");
    // What Helix exported was decided before, and is taken as it is.
    let export = told(&side, &["export"]);
    let exported = side.served.home.scratch().join("exported.json");
    fs::write(&exported, export).unwrap();
    imported(&side, &exported);
    assert_eq!(told(&side, &["conflicts"]), conflicts);
}

#[test]
fn a_later_entry_replaces_an_earlier_one() {
    let side = Side::new();
    let path = side.served.home.scratch().join("notes.json");
    let entries = [
        "The billing web app is built with npm.",
        "We switched the billing web app from npm to pnpm.",
    ];
    let entries = entries.map(|text| format!(r#"{{"topic": "web", "text": "{text}"}}"#));
    fs::write(&path, format!("[{}]", entries.join(", "))).unwrap();
    imported(&side, &path);
    let read = told(&side, &["read", "web"]);
    assert!(read.contains("from npm to pnpm"), "{read}");
    assert!(!read.contains("built with npm"), "{read}");
}
