//! The query language: any text is a query or an error that says what to write.

#![no_main]

use helix_engine::{Calendar, ParsedQuery};
use helix_memory::Timestamp;
use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|query: &str| {
    match ParsedQuery::parse(query, &Calendar::new(TimeZone::UTC, Timestamp::default())) {
        Ok(parsed) => assert!(
            parsed.words.len() <= query.len(),
            "words appear from nowhere"
        ),
        Err(error) => assert!(!error.to_string().is_empty(), "an error says nothing"),
    }
});
