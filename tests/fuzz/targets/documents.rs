//! The JSON and Markdown readers: any bytes are read or refused without harm, and what was read comes back from what is
//! written.

#![no_main]

use std::convert::Infallible;

use helix_exchange::{Portable, json, markdown};
use helix_memory::Topic;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    check_json(bytes);
    check_markdown(bytes);
});

fn read_json(bytes: &[u8]) -> Vec<Portable> {
    let mut memories = Vec::new();
    let result = json::read(bytes, |memory| {
        // Where it stands in a list is of that document, and not of the memory.
        memories.push(Portable {
            index: None,
            ..memory
        });
        Ok::<(), Infallible>(())
    });
    if let Err(error) = result {
        assert!(!error.to_string().is_empty(), "an error says nothing");
    }
    memories
}

fn check_json(bytes: &[u8]) {
    let memories = read_json(bytes);
    let mut writer = json::Writer::new(Vec::new()).expect("memory can be written");
    for memory in &memories {
        writer.write(memory).expect("memory can be written");
    }
    let document = writer.finish().expect("memory can be written");
    assert_eq!(read_json(&document), memories);
}

fn read_markdown(bytes: &[u8]) -> Vec<Portable> {
    let reader = markdown::Reader::new(bytes, "topic");
    reader
        .map(|reader| {
            reader
                .map(|section| section.expect("memory can be read").memory)
                .collect()
        })
        .unwrap_or_default()
}

fn check_markdown(bytes: &[u8]) {
    let topic = Topic::parse("topic").expect("a topic");
    let memories: Vec<Portable> = read_markdown(bytes)
        .into_iter()
        .map(|memory| Portable {
            topic: topic.to_string(),
            ..memory
        })
        .collect();
    let mut writer = markdown::Writer::new(Vec::new(), &topic, memories.len() as u64)
        .expect("memory can be written");
    for memory in &memories {
        writer.write(memory).expect("memory can be written");
    }
    assert_eq!(
        read_markdown(&writer.finish().expect("memory can be written")),
        memories
    );
}
