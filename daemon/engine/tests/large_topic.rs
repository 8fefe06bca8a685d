//! A topic larger than the word index's tail, changed as a whole: one commit, found at once under
//! its new name.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::Arc;

use common::{actor, at, edit, store};
use helix_engine::{
    Edited, MemoryStorage, Outcome, Request, Resolution, Strand, StrandWriter, TopicEdit,
};
use helix_memory::{Edit, Kinds, Scope, Topic};
use helix_redact::Secrets;

/// Memories of the topic.
const MEMBERS: usize = Strand::TAIL_MAX_MEMORIES + 1_000;

/// Stored in one commit.
const GROUP: usize = 1_000;

fn edit_topic(writer: &mut StrandWriter, topic: &str, edit: TopicEdit) -> Outcome {
    let topic = Topic::parse(topic).unwrap();
    let request = Request::EditTopic {
        topic,
        scopes: vec![Scope::Global],
        edit,
        actor: actor(),
        at: at(1),
    };
    writer.commit(vec![request]).unwrap().remove(0).unwrap()
}

fn filled() -> (Arc<Strand>, StrandWriter) {
    let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
    for group in 0..MEMBERS / GROUP {
        let member = |n: usize| {
            let n = group * GROUP + n;
            let mut entropy = [0; 10];
            entropy[..8].copy_from_slice(&n.to_le_bytes());
            store(
                "crowd",
                &format!("member n{n} of the crowd"),
                true,
                entropy,
                at(0),
            )
        };
        writer.commit((0..GROUP).map(member).collect()).unwrap();
    }
    (strand, writer)
}

#[test]
fn a_large_topic_is_renamed_and_forgotten_at_once() {
    let (strand, mut writer) = filled();
    writer
        .commit(vec![edit(0, Edit::Forget, at(1))])
        .unwrap()
        .remove(0)
        .unwrap();
    let before = writer.sequence();
    let Outcome::Edited(edited) = edit_topic(
        &mut writer,
        "crowd",
        TopicEdit::Rename(Topic::kept("mob", &mut Secrets::default()).unwrap()),
    ) else {
        panic!("a rename edits");
    };
    assert_eq!(
        (edited.changed, edited.memories.len()),
        (MEMBERS - 1, Edited::SHOWN_MAX)
    );
    assert_eq!(writer.sequence().0 - before.0, MEMBERS as u64);
    assert_eq!(
        strand.topic_members("mob", &[Scope::Global]).len(),
        MEMBERS - 1,
        "what was forgotten follows unseen"
    );
    assert!(strand.topic_members("crowd", &[Scope::Global]).is_empty());
    assert!(
        !strand.lexical().must_flush(),
        "the tail was flushed inside of the group"
    );
    let last = MEMBERS - 1;
    let renamed = strand
        .resolve(&format!("mob/member-n{last}-crowd"), &[])
        .unwrap();
    assert!(matches!(renamed, Resolution::One(_)), "{renamed:?}");
    assert_eq!(
        strand
            .resolve(&format!("crowd/member-n{last}-crowd"), &[])
            .unwrap(),
        renamed
    );

    let Outcome::Edited(edited) = edit_topic(&mut writer, "mob", TopicEdit::Forget) else {
        panic!("forgetting edits")
    };
    assert_eq!(edited.changed, MEMBERS - 1);
    assert_eq!(strand.lexical().document_count().unwrap(), 0);
}
