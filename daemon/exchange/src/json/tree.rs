//! The layout of a document: one visitor for each level, so that only one entry is in memory at a
//! time.

use std::fmt;

use helix_memory::{Admitted, Topic};
use helix_neutral::quoted;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::read::{Run, Stop};
use super::{FORMAT, VERSION, WAITING_MAX_BYTES};
use crate::amrl::Body;
use crate::{Base, Place, Portable, Problem, entry};

/// Names of a list of memories.
const LIST_NAMES: [&str; 2] = ["entries", "memories"];

/// Names of a topic's name in its object.
const TOPIC_NAMES: [&str; 2] = ["topic", "name"];

/// Names of an entry's text; the last one may hold metadata lines.
const TEXT_NAMES: [&str; 3] = ["text", "content", BODY_NAME];

const BODY_NAME: &str = "body";

impl<F: FnMut(Portable, Base) -> Result<(), E>, E> Run<F, E> {
    /// Hands a memory over.
    fn hand_over<D: Error>(&mut self, found: Found) -> Result<(), D> {
        self.report.read += 1;
        (self.take)(found.memory, found.base).map_err(|error| self.stop(Stop::Taker(error)))
    }

    /// Hands a memory over that stands under a topic, and says when it names another itself.
    fn hand_over_in<D: Error>(&mut self, mut found: Found, topic: &str) -> Result<(), D> {
        let own = std::mem::replace(&mut found.memory.topic, topic.to_owned());
        // Hardly any names one.
        if !own.is_empty()
            && let (Ok(named), Ok(parsed)) = (Topic::parse(&own), Topic::parse(topic))
            && named != parsed
        {
            let problem = Problem::OtherTopic {
                named: quoted(&own),
                topic: quoted(topic),
            };
            self.report.note(found.at, problem);
        }
        self.hand_over(found)
    }

    fn stop<D: Error>(&mut self, stop: Stop<E>) -> D {
        self.stop = Some(stop);
        D::custom("stopped")
    }

    fn object(&mut self, mut object: Map<String, Value>, at: Place) -> Option<(Portable, Base)> {
        let Some((text, is_body)) = take_text(&mut object) else {
            self.report.note(at, Problem::NoText);
            return None;
        };
        let mut memory = entry::read(&object, at, &mut self.report);
        let is_known = |name: &str| {
            entry::is_known(name) || TEXT_NAMES.contains(&name) || TOPIC_NAMES.contains(&name)
        };
        for name in object.keys().filter(|name| !is_known(name)) {
            self.report.note_unknown_field(at, name);
        }
        if is_body {
            Body::parse(&text).apply(&mut memory);
        } else {
            memory.text = text;
        }
        memory.topic = topic_in(&object).unwrap_or_default();
        Some((memory, Base::of(&object)))
    }

    /// Makes a memory of a list's element, if it is one. Its topic may still be missing.
    fn memory(&mut self, value: Value) -> Option<Found> {
        let at = Place::Line(self.meter.line());
        let (memory, base) = match value {
            Value::String(text) => (
                Portable {
                    text,
                    ..Portable::default()
                },
                Base::default(),
            ),
            Value::Object(object) => self.object(object, at)?,
            _ => {
                self.report.note(at, Problem::NotAnEntry);
                return None;
            }
        };
        if self.meter.is_lossy(&memory.text) {
            self.report.note(at, Problem::NotUtf8);
        }
        if memory.text.len() > Admitted::TEXT_MAX_BYTES {
            self.report.note(
                at,
                Problem::Oversized {
                    bytes: memory.text.len() as u64,
                },
            );
            return None;
        }
        Some(Found { at, memory, base })
    }
}

/// A memory, and where it stands.
struct Found {
    at: Place,
    memory: Portable,
    base: Base,
}

fn take_text(object: &mut Map<String, Value>) -> Option<(String, bool)> {
    let name = TEXT_NAMES
        .into_iter()
        .find(|name| object.get(*name).is_some_and(Value::is_string))?;
    match object.remove(name) {
        Some(Value::String(text)) => Some((text, name == BODY_NAME)),
        _ => None,
    }
}

/// The topic that a memory names itself.
fn topic_in(object: &Map<String, Value>) -> Option<String> {
    object
        .get(TOPIC_NAMES[0])
        .and_then(Value::as_str)
        .filter(|name| !name.trim().is_empty())
        .map(str::to_owned)
}

/// The document.
pub(super) struct Root<'a, F, E> {
    pub(super) run: &'a mut Run<F, E>,
}

/// `topics`: a list of topics or of memories, or an object of lists.
struct Topics<'a, F, E> {
    run: &'a mut Run<F, E>,
}

/// One topic, or one memory that names its topic.
struct Item<'a, F, E> {
    run: &'a mut Run<F, E>,
    topic: Option<String>,
    /// Where it stands in a list of such.
    index: Option<usize>,
}

/// A list of memories. Those without a topic wait for its name.
struct Entries<'a, F, E> {
    run: &'a mut Run<F, E>,
    topic: Option<&'a str>,
    /// True if the list is flat: no topic has it.
    is_flat: bool,
    waiting: &'a mut Waiting,
}

/// Memories whose topic is not known yet.
#[derive(Default)]
struct Waiting {
    memories: Vec<Found>,
    bytes: usize,
}

impl Waiting {
    fn settle<D: Error, F, E>(self, run: &mut Run<F, E>, topic: Option<&str>) -> Result<(), D>
    where
        F: FnMut(Portable, Base) -> Result<(), E>,
    {
        for found in self.memories {
            match topic {
                Some(topic) => run.hand_over_in(found, topic)?,
                None => run.report.note(found.at, Problem::NoTopic),
            }
        }
        Ok(())
    }
}

/// Hands the work of a seed to its visitor, whatever the value is.
macro_rules! seed_of {
    ($seed:ident) => {
        impl<'de, F: FnMut(Portable, Base) -> Result<(), E>, E> DeserializeSeed<'de>
            for $seed<'_, F, E>
        {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_any(self)
            }
        }
    };
}

seed_of!(Root);
seed_of!(Topics);
seed_of!(Item);
seed_of!(Entries);

impl<'de, F: FnMut(Portable, Base) -> Result<(), E>, E> Visitor<'de> for Root<'_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an export")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut is_ours, mut has_list) = (false, false);
        while let Some(key) = map.next_key::<String>()? {
            self.run.meter.start_entry();
            match key.as_str() {
                "format" => is_ours = map.next_value::<Value>()? == FORMAT,
                "version" => match map.next_value::<Value>()?.as_u64() {
                    Some(version) if is_ours && version > VERSION => {
                        return Err(self.run.stop(Stop::Version(version)));
                    }
                    _ => {}
                },
                "topics" => {
                    map.next_value_seed(Topics {
                        run: &mut *self.run,
                    })?;
                    has_list = true;
                }
                list if LIST_NAMES.contains(&list) => {
                    let mut waiting = Waiting::default();
                    let run = &mut *self.run;
                    map.next_value_seed(Entries {
                        run,
                        topic: None,
                        is_flat: true,
                        waiting: &mut waiting,
                    })?;
                    waiting.settle(self.run, None)?;
                    has_list = true;
                }
                _ => {
                    self.run.meter.pause();
                    map.next_value::<IgnoredAny>()?;
                }
            }
            self.run.meter.start_entry();
        }
        if has_list {
            Ok(())
        } else {
            Err(A::Error::custom("no list of memories"))
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        Topics { run: self.run }.visit_seq(seq)
    }
}

impl<'de, F: FnMut(Portable, Base) -> Result<(), E>, E> Visitor<'de> for Topics<'_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("topics")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.run.meter.start_entry();
        let mut index = 0;
        while seq
            .next_element_seed(Item {
                run: &mut *self.run,
                topic: None,
                index: Some(index),
            })?
            .is_some()
        {
            self.run.meter.start_entry();
            index += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.run.meter.start_entry();
        while let Some(topic) = map.next_key::<String>()? {
            let topic = Some(topic).filter(|topic| !topic.trim().is_empty());
            map.next_value_seed(Item {
                run: &mut *self.run,
                topic,
                index: None,
            })?;
            self.run.meter.start_entry();
        }
        Ok(())
    }
}

impl<'de, F: FnMut(Portable, Base) -> Result<(), E>, E> Visitor<'de> for Item<'_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a topic or a memory")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        let mut waiting = Waiting::default();
        let topic = self.topic.as_deref();
        Entries {
            run: &mut *self.run,
            topic,
            is_flat: false,
            waiting: &mut waiting,
        }
        .visit_seq(seq)?;
        waiting.settle(self.run, self.topic.as_deref())
    }

    /// An object with a list is a topic, any other a memory.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut topic, mut object, mut waiting) = (self.topic, Map::new(), Waiting::default());
        let mut has_list = false;
        while let Some(key) = map.next_key::<String>()? {
            if LIST_NAMES.contains(&key.as_str()) {
                has_list = true;
                let (run, topic) = (&mut *self.run, topic.as_deref());
                map.next_value_seed(Entries {
                    run,
                    topic,
                    is_flat: false,
                    waiting: &mut waiting,
                })?;
                continue;
            }
            let value = map.next_value::<Value>()?;
            if TOPIC_NAMES.contains(&key.as_str()) && topic.is_none() {
                topic = value
                    .as_str()
                    .filter(|name| !name.trim().is_empty())
                    .map(str::to_owned);
            }
            object.insert(key, value);
        }
        if !has_list && let Some(mut found) = self.run.memory(Value::Object(object)) {
            found.memory.index = self.index;
            waiting.memories.push(found);
        }
        waiting.settle(self.run, topic.as_deref())
    }

    fn visit_str<D: Error>(self, text: &str) -> Result<(), D> {
        let found = self.run.memory(Value::String(text.to_owned()));
        Waiting {
            memories: found.into_iter().collect(),
            bytes: 0,
        }
        .settle(self.run, self.topic.as_deref())
    }
}

impl<F: FnMut(Portable, Base) -> Result<(), E>, E> Entries<'_, F, E> {
    /// Hands a memory over, or lets it wait for its topic's name.
    fn place<D: Error>(&mut self, found: Found) -> Result<(), D> {
        match self.topic {
            Some(topic) => self.run.hand_over_in(found, topic),
            None if found.memory.topic.is_empty() => {
                self.waiting.bytes += found.memory.text.len() + size_of::<Found>();
                self.waiting.memories.push(found);
                let too_many = self.waiting.bytes > WAITING_MAX_BYTES;
                if too_many {
                    Err(self.run.stop(Stop::Waiting))
                } else {
                    Ok(())
                }
            }
            None => self.run.hand_over(found),
        }
    }
}

impl<'de, F: FnMut(Portable, Base) -> Result<(), E>, E> Visitor<'de> for Entries<'_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of memories")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        self.run.meter.start_entry();
        let mut index = 0;
        while let Some(value) = seq.next_element::<Value>()? {
            if let Some(mut found) = self.run.memory(value) {
                found.memory.index = Some(index).filter(|_| self.is_flat);
                self.place(found)?;
            }
            self.run.meter.start_entry();
            index += 1;
        }
        Ok(())
    }
}
