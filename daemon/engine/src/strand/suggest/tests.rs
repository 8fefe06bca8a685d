#![allow(clippy::unwrap_used)]
use std::sync::Arc;

use helix_memory::{Actor, Admitted, Draft, Kinds, SourceRef};

use super::*;
use crate::store::MemoryStorage;
use crate::strand::{Request, StrandWriter};

fn actor(origin: Origin) -> Actor {
    Actor {
        origin,
        agent: String::new(),
        session: String::new(),
        ..Actor::default()
    }
}

fn store(place: u8, draft: Draft) -> Request {
    let admitted = Box::new(Admitted::of(draft, &Scope::Global, &Kinds::default()).unwrap());
    Request::Store {
        words: Box::new(Strand::read_words(&admitted)),
        admitted,
        links: Vec::new(),
        stamps: None,
        force: true,
        corrects: Vec::new(),
        entropy: [place; 10],
        actor: actor(Origin::Agent),
        at: Timestamp::default(),
    }
}

fn draft(topic: &str, text: &str) -> Draft {
    Draft {
        topic: topic.into(),
        text: text.into(),
        ..Draft::default()
    }
}

fn strand_of(drafts: Vec<Draft>) -> (Arc<Strand>, StrandWriter) {
    let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
    let requests = (1..).zip(drafts).map(|(place, draft)| store(place, draft));
    let outcomes = writer.commit(requests.collect::<Vec<_>>()).unwrap();
    assert!(outcomes.iter().all(Result::is_ok));
    (strand, writer)
}

/// The edges that are suggested for a memory: where they lead, by what, and their status.
fn suggested(strand: &Strand, number: u32) -> Vec<(u32, String, EdgeStatus)> {
    let steps = strand
        .suggestions(&[MemoryNumber(number)], Timestamp::from_micros(7))
        .unwrap();
    let mut edges = Vec::new();
    for step in steps {
        let StepChange::Relate(edge) = step.change else {
            unreachable!("only relations are suggested");
        };
        edges.push((
            edge.key.to.0,
            edge.provenance.extractor.clone(),
            edge.status,
        ));
    }
    edges
}

#[test]
fn alike_memories_are_related_by_the_bands() {
    let (strand, _) = strand_of(vec![
        draft(
            "one",
            "the walrus parser reads every chunk before the index is flushed to disk",
        ),
        draft(
            "two",
            "the walrus parser reads every chunk before the cache is cleared again",
        ),
        draft(
            "three",
            "walrus notes: chunk sizes, flush intervals and other numbers nobody knows",
        ),
        draft(
            "four",
            "bananas ripen faster beside apples in closed paper bags",
        ),
    ]);
    let similarity = |number: u32, status| (number, SIMILARITY.to_owned(), status);
    assert_eq!(
        suggested(&strand, 1)[0],
        similarity(0, EdgeStatus::Active),
        "{:?}",
        suggested(&strand, 1)
    );
    assert!(suggested(&strand, 3).is_empty());
    let weak = suggested(&strand, 2);
    assert!(
        weak.iter()
            .all(|(_, _, status)| *status == EdgeStatus::Suggested),
        "{weak:?}"
    );
}

#[test]
fn named_entities_people_and_files_are_suggested() {
    let mut priya = Draft {
        kind: Some("entity".into()),
        ..draft("people", "Priya leads the payments team")
    };
    priya
        .attributes
        .insert("name".into(), "Priya Sharma".into());
    let mut parser = draft("parser", "Errors carry the byte offset");
    parser.source = Some(SourceRef::parse("src/parser.rs:4"));
    let (strand, _) = strand_of(vec![
        priya,
        parser,
        draft("review", "Ask @priya before merging"),
        draft("todo", "Split src/parser.rs:90 in two."),
    ]);
    assert_eq!(
        suggested(&strand, 2),
        [(0, "names".to_owned(), EdgeStatus::Suggested)]
    );
    assert_eq!(
        suggested(&strand, 3),
        [(1, "files".to_owned(), EdgeStatus::Suggested)]
    );
}

#[test]
fn what_was_rejected_or_is_related_is_not_suggested_again() {
    let text = "the walrus parser reads every chunk before the index is flushed to disk";
    let (strand, mut writer) = strand_of(vec![
        draft("one", text),
        draft("two", &format!("{text} twice")),
    ]);
    let mut steps = strand
        .suggestions(&[MemoryNumber(1)], Timestamp::default())
        .unwrap();
    for step in &mut steps {
        if let StepChange::Relate(edge) = &mut step.change {
            edge.status = EdgeStatus::Rejected;
        }
    }
    assert_eq!(steps.len(), 1);
    let request = Request::Together {
        steps,
        actor: actor(Origin::User),
        at: Timestamp::default(),
    };
    assert!(writer.commit(vec![request]).unwrap()[0].is_ok());
    assert!(suggested(&strand, 1).is_empty());
    assert!(suggested(&strand, 0).is_empty());
}

#[test]
fn no_memory_has_more_suggestions_than_it_may_have_from_the_other_ends_either() {
    let mut priya = Draft {
        kind: Some("entity".into()),
        ..draft("people", "Priya leads the payments team")
    };
    priya
        .attributes
        .insert("name".into(), "Priya Sharma".into());
    let asks = |place| draft(&format!("review-{place}"), "Ask @priya before merging");
    let drafts = std::iter::once(priya).chain((0..20).map(asks));
    let (strand, mut writer) = strand_of(drafts.collect());
    let at = Timestamp::from_micros(7);
    for number in 1..=20 {
        let steps = strand.suggestions(&[MemoryNumber(number)], at).unwrap();
        writer
            .commit(vec![Request::suggestions(steps, at)])
            .unwrap();
    }
    assert_eq!(strand.suggested_of(MemoryNumber(0)), SUGGESTED_MAX);
    for number in 0..=20 {
        assert!(strand.suggested_of(MemoryNumber(number)) <= SUGGESTED_MAX);
    }
}
