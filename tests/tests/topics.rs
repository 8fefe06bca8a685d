//! Topics, listings, counts, pages and references over the socket, as a client sees them.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use helix_client::caller;
use helix_client::v1;
use helix_client::v1::edit_request::Action;
use helix_client::v1::{
    Caller, CrossReferencesRequest, Draft, EditRequest, ForgetRequest, GraphRequest,
    ListTopicsRequest, Memory, Program, PruneRequest, ReadRequest, RecentRequest, ReindexRequest,
    RestoreMemory, SearchReply, SearchRequest, StatsRequest, StoreBatchRequest, TextShown,
};
use helix_proto::limits::BATCH_MAX;
use helix_tests::rpc::draft;
use helix_tests::{Project, Served};
use tonic::{Code, Request, Status};

struct World {
    served: Served,
    cwd: PathBuf,
}

impl World {
    fn new() -> Self {
        let served = Served::new().unwrap();
        let cwd = Project::new(&served.home, "billing").unwrap().root;
        Self { served, cwd }
    }

    fn store(&mut self, topic: &str, text: &str) -> Memory {
        self.store_draft(draft(topic, text, ""))
    }

    fn store_draft(&mut self, draft: Draft) -> Memory {
        self.served
            .rpc
            .store(Program::Mcp, &self.cwd, draft)
            .unwrap()
    }

    fn me(&self) -> Caller {
        caller(Program::Mcp, &self.cwd, "tests", "")
    }

    fn search(&mut self, request: SearchRequest) -> Result<SearchReply, Status> {
        let request = SearchRequest {
            caller: Some(self.me()),
            passive: true,
            ..request
        };
        self.served
            .rpc
            .call(async |rpc| rpc.search(request.clone()).await)
    }

    fn topics(&mut self, scopes: &[&str], pattern: &str) -> Vec<(String, u32)> {
        let scopes = scopes.iter().map(ToString::to_string).collect();
        let request = ListTopicsRequest {
            caller: Some(self.me()),
            scopes,
            pattern: pattern.to_owned(),
        };
        let reply = self
            .served
            .rpc
            .call(async |rpc| rpc.list_topics(request.clone()).await)
            .unwrap();
        reply
            .topics
            .into_iter()
            .map(|topic| (topic.name, topic.memories))
            .collect()
    }
}

fn handles(memories: &[Memory]) -> Vec<String> {
    memories
        .iter()
        .map(|memory| memory.handle.clone())
        .collect()
}

fn found(reply: &SearchReply) -> Vec<String> {
    reply
        .hits
        .iter()
        .filter_map(|hit| Some(hit.memory.as_ref()?.handle.clone()))
        .collect()
}

#[test]
fn topics_belong_to_the_callers_scopes() {
    let mut world = World::new();
    world.store("build-gotchas", "link with arch arm64");
    world.store("build-gotchas", "clear the cache twice");
    world.store_draft(Draft {
        scope: "global".to_owned(),
        ..draft("iris-engine", "frames are kept", "")
    });
    let pair = |name: &str, count| (name.to_owned(), count);
    assert_eq!(
        world.topics(&[], ""),
        [pair("build-gotchas", 2), pair("iris-engine", 1)]
    );
    assert_eq!(world.topics(&["global"], ""), [pair("iris-engine", 1)]);
    assert_eq!(world.topics(&["project"], ""), [pair("build-gotchas", 2)]);
    assert_eq!(world.topics(&["all"], "Iris*"), [pair("iris-engine", 1)]);

    let stats = StatsRequest {
        caller: Some(world.me()),
        scopes: vec!["project".to_owned()],
    };
    let stats = world
        .served
        .rpc
        .call(async |rpc| rpc.stats(stats.clone()).await)
        .unwrap();
    assert_eq!((stats.memories, stats.topics, stats.sequence), (2, 1, 3));
    assert_eq!(stats.indexes.len(), 2);
    assert!(stats.store_bytes > 0 && stats.first_recorded_at_us <= stats.last_recorded_at_us);

    let prune = PruneRequest {
        caller: Some(world.me()),
        ..PruneRequest::default()
    };
    let prune = world
        .served
        .rpc
        .call(async |rpc| rpc.prune(prune.clone()).await)
        .unwrap();
    assert_eq!((prune.days, prune.topics.len()), (30, 0));
}

#[test]
fn memories_know_their_place_in_their_topic() {
    let mut world = World::new();
    let stored: Vec<Memory> = (0..5)
        .map(|n| world.store("alpha", &format!("Memory number {n} of ARM{}", n % 2)))
        .collect();
    let recent = RecentRequest {
        caller: Some(world.me()),
        limit: 3,
        ..RecentRequest::default()
    };
    let recent = world
        .served
        .rpc
        .call(async |rpc| rpc.recent(recent.clone()).await)
        .unwrap();
    assert_eq!(recent.total, 5);
    let newest: Vec<Memory> = stored.iter().rev().take(3).cloned().collect();
    assert_eq!(handles(&recent.memories), handles(&newest));
    assert_eq!(
        recent
            .memories
            .iter()
            .filter_map(|memory| memory.index)
            .collect::<Vec<_>>(),
        [4, 3, 2]
    );

    let hits = world
        .search(SearchRequest {
            query: "memory number".to_owned(),
            ..SearchRequest::default()
        })
        .unwrap()
        .hits;
    assert!(hits.len() >= 3, "{hits:?}");
    for memory in hits.into_iter().filter_map(|hit| hit.memory) {
        let place = stored.iter().position(|stored| stored.id == memory.id);
        assert_eq!(
            memory.index.map(|index| index as usize),
            place,
            "{memory:?}"
        );
    }

    let read = ReadRequest {
        caller: Some(world.me()),
        reference: "alpha".to_owned(),
        match_text: "arm1".to_owned(),
        ..ReadRequest::default()
    };
    let part = world
        .served
        .rpc
        .call(async |rpc| rpc.read(read.clone()).await)
        .unwrap();
    assert_eq!((part.topic.as_str(), part.total), ("alpha", 5));
    assert_eq!(
        part.memories
            .iter()
            .filter_map(|memory| memory.index)
            .collect::<Vec<_>>(),
        [1, 3]
    );
    let one = ReadRequest {
        reference: "alpha:3".to_owned(),
        match_text: String::new(),
        ..read.clone()
    };
    let one = world
        .served
        .rpc
        .call(async |rpc| rpc.read(one.clone()).await)
        .unwrap();
    assert_eq!(
        one.memories.first().and_then(|memory| memory.index),
        Some(3)
    );
    let both = ReadRequest {
        index: Some(1),
        ..read
    };
    let refused = world
        .served
        .rpc
        .call(async |rpc| rpc.read(both.clone()).await)
        .unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
}

#[test]
fn a_search_continues_and_counts() {
    let mut world = World::new();
    for n in 0..9 {
        world.store(
            &format!("topic-{}", n % 2),
            &format!("walrus {}", "word ".repeat(n + 1)),
        );
    }
    let listing = SearchRequest {
        limit: 4,
        ..SearchRequest::default()
    };
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world
            .search(SearchRequest {
                cursor,
                ..listing.clone()
            })
            .unwrap();
        all.extend(found(&page));
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    let whole = world
        .search(SearchRequest {
            limit: 200,
            ..listing.clone()
        })
        .unwrap();
    assert_eq!((all.len(), &all), (9, &found(&whole)));

    let words = SearchRequest {
        query: "walrus".to_owned(),
        limit: 4,
        ..SearchRequest::default()
    };
    let first = world.search(words.clone()).unwrap();
    let second = world
        .search(SearchRequest {
            cursor: first.next_cursor.clone(),
            ..words.clone()
        })
        .unwrap();
    let third = world
        .search(SearchRequest {
            cursor: second.next_cursor.clone(),
            ..words.clone()
        })
        .unwrap();
    assert_eq!(
        (first.hits.len(), second.hits.len(), third.hits.len()),
        (4, 4, 1),
        "every hit is reached, however many are of one topic"
    );
    assert_eq!(third.next_cursor, "");
    let other = SearchRequest {
        query: "word".to_owned(),
        cursor: first.next_cursor,
        ..words.clone()
    };
    let refused = world.search(other).unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(
        refused.message().contains("another query"),
        "{}",
        refused.message()
    );
    let damaged = SearchRequest {
        cursor: "zz".to_owned(),
        ..words.clone()
    };
    assert_eq!(
        world.search(damaged).unwrap_err().code(),
        Code::InvalidArgument
    );

    let count = |query: &str| SearchRequest {
        query: query.to_owned(),
        count_only: true,
        ..SearchRequest::default()
    };
    let counted = world.search(count("walrus topic:topic-1")).unwrap();
    assert_eq!(
        (counted.total, counted.hits.len(), counted.fell_back_to_any),
        (4, 0, false)
    );
    let counted = world.search(count("walrus zebra")).unwrap();
    assert_eq!((counted.total, counted.fell_back_to_any), (9, true));
    let topics: Vec<(&str, u64)> = counted
        .topic_counts
        .iter()
        .map(|topic| (topic.name.as_str(), topic.count))
        .collect();
    assert_eq!(topics, [("topic-0", 5), ("topic-1", 4)]);
    assert_eq!(
        world
            .search(count("after:today days:1 before:today"))
            .unwrap()
            .total,
        9
    );
    assert_eq!(world.search(count("before:yesterday")).unwrap().total, 0);
}

#[test]
fn several_memories_are_read_at_once() {
    let mut world = World::new();
    let walrus = world.store("cache", "the walrus cache warms slowly").handle;
    let kestrel = world.store("disk", "the kestrel disk is cold").handle;
    let mut read = |references: &[&str], index| {
        let references = references.iter().map(ToString::to_string).collect();
        let request = ReadRequest {
            caller: Some(world.me()),
            references,
            index,
            ..ReadRequest::default()
        };
        world
            .served
            .rpc
            .call(async |rpc| rpc.read(request.clone()).await)
    };
    let reply = read(&["disk:0", &walrus, "no/such", &kestrel, "cache"], None).unwrap();
    assert_eq!(
        (handles(&reply.memories), reply.total),
        (vec![kestrel, walrus], 2)
    );
    let [unknown, topic] = reply.notes.as_slice() else {
        unreachable!("{reply:?}")
    };
    assert!(
        unknown.contains("no/such") && topic.contains("is a topic"),
        "{reply:?}"
    );
    assert_eq!(
        read(&["no/such", "nor/this"], None).unwrap_err().code(),
        Code::NotFound
    );
    assert_eq!(
        read(&["disk:0", "cache:0"], Some(0)).unwrap_err().code(),
        Code::InvalidArgument
    );
    assert_eq!(
        read(&["disk:0"; 101], None).unwrap_err().code(),
        Code::ResourceExhausted
    );
}

#[test]
fn pages_go_on_when_a_pattern_fits_more_topics() {
    let mut world = World::new();
    for n in 0..6 {
        world.store(
            &format!("topic-{}", n % 2),
            &format!("walrus {}", "word ".repeat(n + 1)),
        );
    }
    let request = SearchRequest {
        query: "walrus topic:topic-*".to_owned(),
        limit: 4,
        ..SearchRequest::default()
    };
    let whole = found(
        &world
            .search(SearchRequest {
                limit: 6,
                ..request.clone()
            })
            .unwrap(),
    );
    let first = world.search(request.clone()).unwrap();
    world.store("topic-new", "a walrus that came between two pages");
    let second = world
        .search(SearchRequest {
            cursor: first.next_cursor,
            ..request
        })
        .unwrap();
    assert_eq!(found(&second), whole[4..]);
}

#[test]
fn pages_go_on_in_a_strand_that_changes() {
    let mut world = World::new();
    for n in 0..8 {
        world.store(
            &format!("topic-{n}"),
            &format!("walrus {}", "word ".repeat(n + 1)),
        );
    }
    for query in ["walrus", ""] {
        let request = SearchRequest {
            query: query.to_owned(),
            limit: 4,
            ..SearchRequest::default()
        };
        let whole = found(
            &world
                .search(SearchRequest {
                    limit: 8,
                    ..request.clone()
                })
                .unwrap(),
        );
        let first = world.search(request.clone()).unwrap();
        let second = |world: &mut World| {
            world
                .search(SearchRequest {
                    cursor: first.next_cursor.clone(),
                    ..request.clone()
                })
                .unwrap()
        };
        // The best hit there is, and the newest.
        world.store(&format!("late-{}", query.len()), &format!("walrus {query}"));
        let page = second(&mut world);
        assert_eq!(
            (found(&first), found(&page)),
            (whole[..4].to_vec(), whole[4..].to_vec()),
            "{query}"
        );
        assert!(
            page.notes.is_empty() && page.next_cursor.is_empty(),
            "{page:?}"
        );
        // What is gone from the first page takes nothing from the second, which says that it cannot
        // be sure.
        let forget = ForgetRequest {
            caller: Some(world.me()),
            reference: whole[1].clone(),
        };
        world
            .served
            .rpc
            .call(async |rpc| rpc.forget(forget.clone()).await)
            .unwrap();
        let page = second(&mut world);
        assert_eq!(found(&page), whole[4..], "{query}");
        assert!(
            page.notes
                .iter()
                .any(|note| note.contains("changed since the page before")),
            "{page:?}"
        );
        let restore = RestoreMemory {
            reference: whole[1].clone(),
            ..RestoreMemory::default()
        };
        let action = Some(Action::Restore(restore));
        let edit = EditRequest {
            caller: Some(world.me()),
            action,
            expected_sequence: None,
        };
        world
            .served
            .rpc
            .call(async |rpc| rpc.edit(edit.clone()).await)
            .unwrap();
        assert!(second(&mut world).notes.is_empty());
        let late = ForgetRequest {
            caller: Some(world.me()),
            reference: format!("late-{}:0", query.len()),
        };
        world
            .served
            .rpc
            .call(async |rpc| rpc.forget(late.clone()).await)
            .unwrap();
    }
}

#[test]
fn topics_refer_to_each_other() {
    let mut world = World::new();
    let target = world.store("build-gotchas", "link with arch arm64");
    world.store("ci", "see Build Gotchas for the cache");
    world.store_draft(Draft {
        links: vec![target.handle],
        ..draft("iris", "the engine is linked statically", "")
    });
    let request = |topic: &str, me| CrossReferencesRequest {
        caller: me,
        topic: topic.to_owned(),
        scopes: Vec::new(),
    };
    let of = request("build-gotchas", Some(world.me()));
    let reply = world
        .served
        .rpc
        .call(async |rpc| rpc.cross_references(of.clone()).await)
        .unwrap();
    let how: Vec<(String, bool, bool)> = reply
        .references
        .into_iter()
        .map(|reference| {
            (
                reference.memory.unwrap().topic,
                reference.mentions,
                reference.links,
            )
        })
        .collect();
    assert_eq!(
        how,
        [
            ("iris".to_owned(), false, true),
            ("ci".to_owned(), true, false)
        ]
    );
    let unknown = request("no-such", Some(world.me()));
    let refused = world
        .served
        .rpc
        .call(async |rpc| rpc.cross_references(unknown.clone()).await)
        .unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);

    let graph = GraphRequest {
        caller: Some(world.me()),
        focus: "ci".to_owned(),
        scopes: Vec::new(),
    };
    let graph = world
        .served
        .rpc
        .call(async |rpc| rpc.graph(graph.clone()).await)
        .unwrap();
    let edges: Vec<(&str, &str, u32, u32)> = graph
        .edges
        .iter()
        .map(|edge| {
            (
                edge.from.as_str(),
                edge.to.as_str(),
                edge.mentions,
                edge.links,
            )
        })
        .collect();
    assert_eq!(edges, [("ci", "build-gotchas", 1, 0)]);
    assert_eq!(graph.topics.len(), 2);
}

#[test]
fn an_index_made_anew_finds_the_same() {
    let mut world = World::new();
    for n in 0..20 {
        world.store("alpha", &format!("walrus number {n}"));
    }
    let reply = world
        .served
        .rpc
        .call(async |rpc| rpc.reindex(ReindexRequest {}).await)
        .unwrap();
    assert_eq!(reply.memories, 20);
    let words = reply
        .indexes
        .iter()
        .find(|index| index.name == "lexical")
        .unwrap();
    assert_eq!((words.entries, words.watermark), (20, 20));
    let query = SearchRequest {
        query: "walrus topic:alpha".to_owned(),
        limit: 50,
        ..SearchRequest::default()
    };
    assert_eq!(world.search(query).unwrap().hits.len(), 20);
}

/// Memories whose index takes a while to be made anew.
const INDEXED: usize = 3_000;

/// Times at which that is cut off, each a little later than the one before.
const CUTS: u32 = 8;

#[test]
fn making_an_index_anew_leaves_the_old_one_where_it_is_cut_off() {
    let mut world = World::new();
    let drafts: Vec<Draft> = (0..INDEXED)
        .map(|n| draft("alpha", &format!("walrus number {n}"), ""))
        .collect();
    for part in drafts.chunks(BATCH_MAX) {
        let request = StoreBatchRequest {
            caller: Some(world.me()),
            drafts: part.to_vec(),
            force: true,
        };
        let rpc = &mut world.served.rpc;
        rpc.call(async |rpc| rpc.store_batch(request.clone()).await)
            .unwrap();
    }
    let mut reindex_within = |time: Duration| {
        let made = world.served.rpc.call(async |rpc| {
            let mut request = Request::new(ReindexRequest {});
            request.set_timeout(time);
            rpc.reindex(request).await
        });
        let query = SearchRequest {
            query: "walrus".to_owned(),
            count_only: true,
            ..SearchRequest::default()
        };
        let counted = world.search(query).unwrap().total;
        assert_eq!(counted, INDEXED as u64, "after {time:?}: {made:?}");
        made
    };
    let began = Instant::now();
    let whole = reindex_within(Duration::from_mins(2)).unwrap();
    let takes = began.elapsed();
    assert_eq!(whole.memories, INDEXED as u64);
    let cut_off = (0..CUTS).filter(|cut| {
        let made = reindex_within(takes * *cut / CUTS);
        made.is_err_and(|status| [Code::DeadlineExceeded, Code::Cancelled].contains(&status.code()))
    });
    assert!(cut_off.count() > 0, "nothing was cut off");
    // What was cut off comes to its end behind the answer, and only so many go on at once.
    let deadline = Instant::now() + Duration::from_mins(2);
    let whole = loop {
        match reindex_within(Duration::from_mins(2)) {
            Err(status) if status.code() == Code::Unavailable && Instant::now() < deadline => {}
            ended => break ended.unwrap(),
        }
    };
    assert_eq!(whole.memories, INDEXED as u64);
}

#[test]
fn pages_reach_everything_or_say_that_more_fits() {
    let mut world = World::new();
    for n in 0..300 {
        let topic = format!("topic-{}", n % 3);
        world.store(
            &topic,
            &format!("walrus number {n} lives on rock {}", n * 7 + 1),
        );
    }
    let of_topics = v1::Filter {
        topics: (0..3).map(|n| format!("topic-{n}")).collect(),
        ..v1::Filter::default()
    };
    for (filter, limit) in [
        (None, 50),
        (Some(of_topics.clone()), 50),
        (Some(of_topics.clone()), 100),
        (None, 200),
        (Some(of_topics), 200),
    ] {
        let what = format!("{filter:?}, {limit}");
        let (mut shown, mut cursor) = (0, String::new());
        let last = loop {
            let page = world
                .search(SearchRequest {
                    query: "walrus".to_owned(),
                    filter: filter.clone(),
                    limit,
                    cursor: cursor.clone(),
                    ..SearchRequest::default()
                })
                .unwrap();
            shown += page.hits.len();
            cursor.clone_from(&page.next_cursor);
            if cursor.is_empty() {
                break page;
            }
        };
        assert_eq!(shown, 200, "{what}: pages go so deep");
        let says_so = last.notes.iter().any(|note| note.contains("more"));
        assert!(says_so, "{what}: {:?}", last.notes);
    }
}

#[test]
fn a_hit_tells_the_passage_with_the_words_where_its_opening_has_none() {
    let mut world = World::new();
    let filler = "The loader of the warehouse ships orders by the hour. ".repeat(20);
    let key = "The quetzal key is under the mat.";
    world.store("long", &format!("{filler}{key} {filler}"));
    let passage = |world: &mut World, query: &str, shown: TextShown| {
        let reply = world.search(SearchRequest {
            query: query.to_owned(),
            shown: shown.into(),
            ..SearchRequest::default()
        });
        reply.unwrap().hits.remove(0).passage
    };
    for shown in [TextShown::Line, TextShown::Opening] {
        let told = passage(&mut world, "quetzal", shown);
        assert!(told.contains(key), "{told}");
        assert!(told.len() < filler.len(), "{told}");
        assert_eq!(passage(&mut world, "warehouse", shown), "");
    }
    assert_eq!(passage(&mut world, "quetzal", TextShown::Body), "");
    // What fits a budget has the words already.
    let packed = world.search(SearchRequest {
        query: "quetzal".to_owned(),
        shown: TextShown::Line.into(),
        budget_tokens: 100,
        ..SearchRequest::default()
    });
    let hit = packed.unwrap().hits.remove(0);
    assert_eq!(hit.passage, "");
    assert!(hit.memory.unwrap().text.contains(key));
}
