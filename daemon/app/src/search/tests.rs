#![allow(clippy::unwrap_used)]
use helix_engine::Vantage;
use helix_memory::{Actor, Origin, Scope, Timestamp};

use super::*;
use crate::project::Project;

fn disk() -> Search {
    Search {
        words: "disk".to_owned(),
        vector: None,
        filter: Filter::default(),
        limit: 10,
        mode: Mode::Auto,
        retriever: Retriever::Hybrid,
        now: Timestamp::from_micros(1),
        vantage: Vantage::default(),
    }
}

fn prepared(cursor: Option<Cursor>) -> Prepared {
    let (name, root) = ("p".to_owned(), std::path::PathBuf::new());
    let asker = Asker {
        actor: Actor {
            origin: Origin::Agent,
            agent: String::new(),
            session: String::new(),
            ..Actor::default()
        },
        project: Arc::new(Project {
            scope: Scope::Global,
            root,
            name,
            aliases: Vec::new(),
        }),
        cwd: std::path::PathBuf::new(),
        zone: jiff::tz::TimeZone::UTC,
    };
    let (shown, notes) = (TextShown::Unspecified, Vec::new());
    Prepared {
        search: disk(),
        cursor,
        explain: false,
        passive: true,
        shown,
        budget_tokens: None,
        asker,
        notes,
    }
}

#[test]
fn a_page_says_where_to_go_on() {
    let found = |has_more, is_cut, next| Recalled {
        has_more,
        is_cut,
        next: Place::at(next),
        ..Recalled::default()
    };
    let (cursor, ends_early) = continuation(&disk(), &found(true, true, 20), false);
    assert_eq!(
        (Cursor::parse(&cursor).unwrap().place.offset, ends_early),
        (20, false)
    );
    let largest = Search {
        limit: SEARCH_LIMIT_MAX as usize,
        ..disk()
    };
    assert_eq!(
        continuation(&disk(), &found(false, false, 20), false),
        (String::new(), false)
    );
    assert_eq!(
        continuation(&largest, &found(false, false, 10), true),
        (String::new(), false)
    );
    // The first page is not told that more match than pages reach, unless it is the largest;
    // whoever turned pages is.
    assert_eq!(
        continuation(&disk(), &found(false, true, 10), true),
        (String::new(), false)
    );
    let ends = [
        (disk(), found(false, true, 20), false),
        (
            disk(),
            found(true, false, Search::depth_max(&disk())),
            false,
        ),
        (largest, found(false, true, 200), true),
    ];
    for (search, found, is_first) in ends {
        assert_eq!(
            continuation(&search, &found, is_first),
            (String::new(), true)
        );
    }
}

#[test]
fn a_count_says_that_meaning_finds_more() {
    let ready = EmbedderState::Ready("m".to_owned());
    assert!(finds_more_by_meaning(&disk(), &ready));
    assert!(!finds_more_by_meaning(&disk(), &EmbedderState::Off));
    for search in [
        Search {
            words: " ".to_owned(),
            ..disk()
        },
        Search {
            mode: Mode::All,
            ..disk()
        },
        Search {
            retriever: Retriever::Words,
            ..disk()
        },
    ] {
        assert!(!finds_more_by_meaning(&search, &ready), "{search:?}");
    }
}

#[test]
fn further_pages_search_as_the_first_did() {
    let by_meaning = Search {
        vector: Some(vec![1.0].into()),
        ..disk()
    };
    assert!(prepared(None).wants_meaning() && !prepared(None).needs_meaning());
    let after_words = prepared(Some(Cursor::new(&disk(), Place::at(10))));
    assert!(!after_words.wants_meaning() && !after_words.needs_meaning());
    let after_meaning = prepared(Some(Cursor::new(&by_meaning, Place::at(10))));
    assert!(after_meaning.wants_meaning() && after_meaning.needs_meaning());
}
