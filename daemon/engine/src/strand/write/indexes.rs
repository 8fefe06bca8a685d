//! Telling the indexes what a commit changed. The words of a large group are linked among
//! themselves on another core while the group is committed, and shown to nobody before it is.

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::index::catalog::{Catalog, Differs};
use crate::index::lexical::{Linked, Prepared};
use crate::model::Memory;
use crate::store::{Change, WriteError};
use crate::strand::Strand;

/// Changes that the catalog takes under one lock, so that readers wait for at most these.
const INDEX_CHUNK: usize = 64;

/// Fewest new memories of a group whose words are linked on another core: a thread costs as much as
/// linking some twenty.
pub(super) const LINKED_MIN: usize = 128;

/// New memories that the word index takes in under one lock: some 0.3 ms. The more, the more of
/// their tokens are the same.
const LINKED_CHUNK: usize = 256;

/// Changes beyond which a group flushes the word index's tail itself when that is full. Groups of
/// ordinary requests are smaller and leave it to the indexer, so that a burst of stores does not
/// wait for it.
const LARGE_GROUP: usize = 8_192;

/// Facts about a new memory before it is written.
pub(super) struct New {
    /// The place of its write in the group.
    pub(super) place: usize,
    /// Hash of its text.
    pub(super) text_hash: u64,
    pub(super) words: Box<Prepared>,
}

/// New memories whose words are linked, each with the place of its write and the hash of its text.
pub(super) struct LinkedNew {
    places: Vec<(usize, u64)>,
    linked: Linked,
}

/// Links the words of new memories.
fn link(news: Vec<New>) -> Vec<LinkedNew> {
    let mut chunks = Vec::with_capacity(news.len().div_ceil(LINKED_CHUNK));
    let mut rest = news.into_iter().peekable();
    while rest.peek().is_some() {
        let mut places = Vec::with_capacity(LINKED_CHUNK);
        let note = |New {
                        place,
                        text_hash,
                        words,
                    }: New| {
            places.push((place, text_hash));
            *words
        };
        let linked = Linked::new(rest.by_ref().take(LINKED_CHUNK).map(note));
        chunks.push(LinkedNew { places, linked });
    }
    chunks
}

/// Commits while another thread links the words of what is new; one after the other when there is
/// no thread to be had.
pub(super) fn link_beside<T>(commit: impl FnOnce() -> T, news: Vec<New>) -> (T, Vec<LinkedNew>) {
    let waiting = Mutex::new(Some(news));
    let link_waiting = || {
        waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .map(link)
            .unwrap_or_default()
    };
    thread::scope(|scope| {
        let helper = thread::Builder::new()
            .name("linker".to_owned())
            .spawn_scoped(scope, link_waiting);
        let committed = commit();
        let linked = match helper {
            // A panic there is a panic here, as if the work had not been shared.
            Ok(helper) => helper
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => link_waiting(),
        };
        (committed, linked)
    })
}

impl Strand {
    /// Tells the indexes of a small group.
    pub(super) fn tell_indexes(&self, changes: &[Result<Change, WriteError>], news: Vec<New>) {
        let mut news = news.into_iter().peekable();
        for (first, chunk) in (0..).step_by(INDEX_CHUNK).zip(changes.chunks(INDEX_CHUNK)) {
            let mut differing = Vec::new();
            let mut catalog = self.catalog_mut();
            for (place, change) in (first..).zip(chunk) {
                let new = news.next_if(|new| new.place == place);
                follow_rest(&mut catalog, change);
                if let Ok(Change::Memory(memory)) = change {
                    let differs =
                        apply(&mut catalog, memory, new.as_ref().map(|new| new.text_hash));
                    differing.push((memory, differs, new.map(|new| new.words)));
                }
            }
            drop(catalog);
            self.follow_tombstones(chunk);
            self.drop_purged(chunk);
            for (memory, differs, words) in differing {
                match words {
                    Some(words) if differs.words => {
                        self.lexical
                            .upsert_prepared(memory.sequence.0, memory.number.0, *words);
                    }
                    None if differs.words => self.index_words(memory.sequence, memory),
                    _ => {}
                }
                if differs.meaning {
                    self.note_meaning(memory);
                }
            }
            self.keep_tail_small(changes.len());
        }
    }

    /// Tells the indexes of a group whose words are linked.
    pub(super) fn tell_indexes_of_linked(
        &self,
        changes: &[Result<Change, WriteError>],
        linked: Vec<LinkedNew>,
    ) {
        let mut rest = (0..).zip(changes).peekable();
        for LinkedNew { places, linked } in linked {
            let last = places.last().map_or(0, |(place, _)| *place);
            let mut places = places.into_iter().peekable();
            let mut found = Vec::with_capacity(LINKED_CHUNK);
            let mut others = Vec::new();
            while rest.peek().is_some_and(|(place, _)| *place <= last) {
                let mut catalog = self.catalog_mut();
                let chunk = std::iter::from_fn(|| rest.next_if(|(place, _)| *place <= last));
                for (place, change) in chunk.take(INDEX_CHUNK) {
                    let new = places.next_if(|(new, _)| *new == place);
                    follow_rest(&mut catalog, change);
                    let memory = if let Ok(Change::Memory(memory)) = change {
                        Some(memory)
                    } else {
                        None
                    };
                    let differs = memory.map(|memory| {
                        apply(&mut catalog, memory, new.map(|(_, text_hash)| text_hash))
                    });
                    let stored = memory.zip(differs);
                    if new.is_some() {
                        let is_found = stored.filter(|(_, differs)| differs.words);
                        found
                            .push(is_found.map(|(memory, _)| (memory.sequence.0, memory.number.0)));
                    }
                    others.extend(stored.map(|(memory, differs)| (memory, differs, new.is_some())));
                }
            }
            self.lexical.upsert_linked(linked, &found);
            for (memory, differs, has_words) in others {
                if differs.words && !has_words {
                    self.index_words(memory.sequence, memory);
                }
                if differs.meaning {
                    self.note_meaning(memory);
                }
            }
            self.keep_tail_small(changes.len());
        }
        let behind = rest.peek().map_or(changes.len(), |(place, _)| *place);
        self.follow_tombstones(changes.get(..behind).unwrap_or_default());
        self.tell_indexes(changes.get(behind..).unwrap_or_default(), Vec::new());
    }

    /// Takes what was purged out of the word index, the vectors and what was read of texts.
    fn drop_purged(&self, changes: &[Result<Change, WriteError>]) {
        for change in changes {
            if let Ok(Change::Purged {
                number, sequence, ..
            }) = change
            {
                self.lexical.remove(sequence.0, number.0);
                self.forget_meaning(*number);
                self.forget_statements();
            }
        }
    }

    /// A topic may be larger than what the tail should hold, and the indexer learns of it only
    /// after the whole group.
    fn keep_tail_small(&self, group: usize) {
        if group > LARGE_GROUP
            && self.lexical.must_flush()
            && let Err(error) = self.lexical.flush()
        {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "flushing the word index inside a large group failed"
            );
        }
    }
}

/// Tells the catalog of a change that is not of a memory's record.
fn follow_rest(catalog: &mut Catalog, change: &Result<Change, WriteError>) {
    match change {
        Ok(Change::Edge(edge)) => catalog.apply_edge(edge),
        Ok(Change::EdgeGone(edge)) => catalog.remove_edge(&edge.key),
        Ok(Change::Purged { number, .. }) => catalog.remove(*number),
        Ok(Change::Memory(_) | Change::Same(_) | Change::Tombstone(..) | Change::None) | Err(_) => {
        }
    }
}

fn apply(catalog: &mut Catalog, memory: &Memory, text_hash: Option<u64>) -> Differs {
    match text_hash {
        Some(text_hash) => catalog.apply_hashed(memory, text_hash),
        None => catalog.apply(memory),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::index::filter::Filter;
    use crate::model::{Actor, Draft, Kinds, MemoryNumber, Origin, Scope, Timestamp};
    use crate::policy::admit::Admitted;
    use crate::policy::edit::Edit;
    use crate::recall::{Mode, Retriever, Search, Vantage};
    use crate::store::MemoryStorage;
    use crate::strand::{Request, Strand};

    fn actor() -> Actor {
        Actor {
            origin: Origin::Agent,
            agent: String::new(),
            session: String::new(),
            ..Actor::default()
        }
    }

    fn store(text: &str, entropy: u16) -> Request {
        let draft = Draft {
            topic: "groups".into(),
            text: text.into(),
            ..Draft::default()
        };
        let admitted = Admitted::of(draft, &Scope::Global, &Kinds::default()).unwrap();
        let [low, high] = entropy.to_le_bytes();
        Request::Store {
            words: Box::new(Strand::read_words(&admitted)),
            admitted: Box::new(admitted),
            links: Vec::new(),
            stamps: None,
            force: false,
            corrects: Vec::new(),
            entropy: [low, high, 0, 0, 0, 0, 0, 0, 0, 0],
            actor: actor(),
            at: Timestamp::default(),
        }
    }

    /// A word of its own for each number: digits would be words by themselves.
    fn word(start: &str, number: u32) -> String {
        let letter = |digit: u8| char::from(b"bcdfghjkmn"[usize::from(digit - b'0')]);
        format!(
            "{start}{}",
            number.to_string().bytes().map(letter).collect::<String>()
        )
    }

    fn forget(number: u32) -> Request {
        let (number, at) = (MemoryNumber(number), Timestamp::default());
        Request::Edit {
            number,
            edit: Edit::Forget,
            expected: None,
            actor: actor(),
            at,
        }
    }

    fn found(strand: &Strand, words: &str) -> Vec<u32> {
        let search = Search {
            words: words.to_owned(),
            vector: None,
            filter: Filter::default(),
            limit: 10,
            mode: Mode::All,
            retriever: Retriever::Words,
            now: Timestamp::default(),
            vantage: Vantage::default(),
        };
        strand
            .search(&search)
            .unwrap()
            .hits
            .iter()
            .map(|hit| hit.memory.number.0)
            .collect()
    }

    #[test]
    fn a_large_group_of_stores_and_edits_is_found_as_it_is() {
        let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
        let known: Vec<Request> = (0..10)
            .map(|number| store(&format!("known {}", word("kn", number.into())), number))
            .collect();
        writer.commit(known).unwrap();
        // Stored, stored again, edited, and what cannot be: a hundred of each kind of place in a
        // chunk, and edits at the end.
        let mut group: Vec<Request> = Vec::new();
        for number in 0..600 {
            group.push(store(
                &format!("fresh {}", word("fr", number.into())),
                100 + number,
            ));
            match number % 100 {
                7 => group.push(forget(u32::from(number / 100))),
                50 => group.push(store(&format!("known {}", word("kn", 9)), 1_000 + number)),
                80 => group.push(forget(1_000_000)),
                _ => {}
            }
        }
        group.push(forget(6));
        let outcomes = writer.commit(group).unwrap();
        assert_eq!(
            outcomes.iter().filter(|outcome| outcome.is_err()).count(),
            6
        );
        for number in 0..600_u32 {
            assert_eq!(found(&strand, &word("fr", number)), [10 + number]);
        }
        for number in 0..10 {
            let expected: &[u32] = if number < 7 { &[] } else { &[number] };
            assert_eq!(found(&strand, &word("kn", number)), expected, "{number}");
        }
    }
}
