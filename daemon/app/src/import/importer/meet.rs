//! What becomes of an entry that is a memory of the strand already.

use std::collections::BTreeMap;

use helix_engine::{
    ATTRIBUTE_WITHHELD, Edit, EditedFields as Fields, Memory, Origin, Resolution, Sourced,
    Status as Life,
};
use helix_exchange::Portable;

use super::super::incoming::{Claim, Incoming};
use super::super::links::index;
use super::super::merge::{Merge, merge};
use super::super::rest::{self, Taken};
use super::super::seen::Sighting;
use super::super::words::Waiting;
use super::{Importer, Named};
use crate::review::REVISES;

/// Forgotten memories that are named.
pub(super) const FORGOTTEN_MAX: usize = 5;

impl Importer<'_> {
    /// Merges an entry with the memory that it is.
    pub(super) fn meet(&mut self, known: &Memory, incoming: Incoming, place: usize) {
        let (claim, memory) = (Claim::of(&incoming), &incoming.memory);
        let taken = match claim {
            Claim::Edited(base) => rest::taken(known, memory, base),
            Claim::None | Claim::Untouched | Claim::Exported => Taken::default(),
        };
        let mut edits = match merge(known, memory, claim, self.app.memory.strand.kinds()) {
            Ok(Merge::Revise(edits)) => edits,
            Ok(Merge::Known) => Vec::new(),
            Ok(Merge::Conflict) => return self.leave(known, memory, claim),
            Err(error) => return self.refuse(memory, &error),
        };
        if !taken.untaken.is_empty() {
            self.problems.add(|| untaken(known, &taken.untaken));
        }
        let takes_links = taken.takes_links && !self.has_links(known, &memory.links);
        let is_edited = takes_links || !(edits.is_empty() && taken.edits.is_empty());
        if is_edited && !self.takes_edits {
            edits.extend(taken.edits);
            return self.propose(known, &edits, takes_links, incoming.memory, place);
        }
        edits.extend(taken.edits);
        edits.extend(self.vouched(known, memory));
        edits.sort_by_key(turn);
        let memory = incoming.memory;
        if !edits.is_empty() {
            return self.revise(known, edits, memory, place, takes_links);
        }
        self.links.note(place, memory.handle, known.id);
        if takes_links {
            self.progress.revised += 1;
            self.links
                .want(known.number, self.began, place, memory.links);
            return;
        }
        self.progress.known += 1;
        let has_ended_early =
            known.origin == Origin::Import && known.links.len() < memory.links.len();
        if known.status == Life::Forgotten {
            self.progress.forgotten += 1;
            if self.progress.forgotten_handles.len() < FORGOTTEN_MAX {
                self.progress
                    .forgotten_handles
                    .push(known.handle.as_str().to_owned());
            }
        } else if has_ended_early && matches!(known.status, Life::Active | Life::Quarantined) {
            // The import that stored it ended before it saw what this links to.
            let now = self.began;
            self.links
                .complete(known.number, now, place, &known.links, memory.links);
        }
    }

    /// What makes a memory the person's who vouches for the file, where it came from outside
    /// before.
    fn vouched(&self, known: &Memory, memory: &Portable) -> Option<Edit> {
        let origin = known
            .origin
            .confirmed_by(memory.origin.unwrap_or(Origin::User));
        // A file's word does not bring back what was forgotten.
        if known.attributes.contains_key(ATTRIBUTE_WITHHELD) {
            return None;
        }
        if self.trust && known.status == Life::Quarantined {
            return Some(Edit::Approve { by: origin });
        }
        let is_vouched = self.trust && origin != known.origin && known.status == Life::Active;
        is_vouched.then(|| {
            Edit::Set(Box::new(Fields {
                origin: Some(origin),
                ..Fields::default()
            }))
        })
    }

    /// Whether a memory links to what these names mean, and to nothing else.
    fn has_links(&self, known: &Memory, links: &[String]) -> bool {
        let (strand, scopes) = (&self.app.memory.strand, self.asker.scopes());
        if links.iter().any(|link| index(link).is_some()) {
            return false;
        }
        let id = |link: &String| match strand.resolve(link, &scopes) {
            Ok(Resolution::One(number)) => Some(strand.memories(&[number]).ok()?.pop()?.id),
            Ok(Resolution::Several(_) | Resolution::None) | Err(_) => None,
        };
        links
            .iter()
            .map(id)
            .collect::<Option<Vec<_>>>()
            .is_some_and(|ids| ids == known.links)
    }

    /// Puts the text that an edited file has for a memory into the review, because nobody agreed to
    /// it, and says what else was edited.
    fn propose(
        &mut self,
        known: &Memory,
        edits: &[Edit],
        takes_links: bool,
        mut memory: Portable,
        place: usize,
    ) {
        self.links.note(place, memory.handle.take(), known.id);
        let rewords = edits.iter().any(|edit| matches!(edit, Edit::Revise { .. }));
        let links = takes_links.then_some("links");
        let left: Vec<&str> = edits.iter().filter_map(beside_text).chain(links).collect();
        if !left.is_empty() {
            let (handle, left) = (known.handle.as_str(), left.join(", "));
            self.problems.add(|| {
                format!(
                    "{handle}: the file was edited ({left}), and that is not taken, because nobody agreed to it; \
                     a person takes it with helixctl import --yes"
                )
            });
        }
        self.progress.known += u64::from(!rewords);
        if rewords {
            let handle = known.handle.as_str().to_owned();
            self.problems.notice(|| {
                format!(
                    "{handle}: the text that the file has for it waits in the review, because nobody agreed to it; \
                     a person takes it with helixctl import --yes"
                )
            });
            memory
                .attributes
                .insert(REVISES.to_owned(), known.id.to_string());
            let proposed = Portable {
                id: None,
                status: None,
                links: Vec::new(),
                ..memory
            };
            let place = self.links.place(&proposed.topic, None);
            self.store(proposed, place, false);
        }
    }

    fn revise(
        &mut self,
        known: &Memory,
        edits: Vec<Edit>,
        memory: Portable,
        place: usize,
        takes_links: bool,
    ) {
        if self.dry_run {
            let (mut revised, now) = (known.clone(), self.began);
            match edits
                .iter()
                .try_for_each(|edit| edit.apply(&mut revised, now).map(drop))
            {
                Ok(()) => self.progress.revised += 1,
                Err(error) => return self.refuse(&memory, &error),
            }
            let rewords = edits.iter().any(|edit| matches!(edit, Edit::Revise { .. }));
            let (text, links) = (rewords.then_some("text"), takes_links.then_some("links"));
            let beside = edits.iter().filter_map(beside_text);
            let changed: Vec<&str> = text.into_iter().chain(beside).chain(links).collect();
            self.problems.notice(|| {
                let (handle, changed) = (known.handle.as_str(), changed.join(", "));
                format!("{handle} would be changed: {changed}")
            });
            self.links.note(place, memory.handle, known.id);
            if takes_links {
                self.links.want(known.number, now, place, memory.links);
            }
            return;
        }
        let Portable {
            topic,
            handle,
            links,
            ..
        } = memory;
        let (links, at) = (takes_links.then_some(links), self.began);
        for (nth, mut edit) in edits.into_iter().enumerate() {
            if let Edit::Set(fields) = &mut edit
                && let Some(Some(sourced)) = &mut fields.source
            {
                self.look_at(sourced, known);
            }
            let rewords = matches!(edit, Edit::Revise { .. });
            self.waiting
                .push(Waiting::Ready(self.edit(known.number, edit, at)));
            let (topic, handle) = (topic.clone(), handle.clone());
            let links = links.clone().filter(|_| nth == 0);
            // Several edits revise one memory.
            self.names.push(Named {
                topic,
                place,
                handle,
                at,
                links,
                is_revision: nth == 0,
                rewords,
                is_decided: true,
            });
        }
    }

    /// Records what the source holds that somebody has just named.
    fn look_at(&mut self, sourced: &mut Sourced, known: &Memory) {
        let (mut attributes, at) = (BTreeMap::new(), self.app.memory.now());
        let (source, scope) = (&mut sourced.reference, &known.scope);
        self.seen.record(Sighting {
            source,
            attributes: &mut attributes,
            scope,
            is_homeless: true,
            at,
        });
        sourced.line = attributes.remove(Memory::ATTRIBUTE_LINE);
        sourced.project = attributes.remove(Memory::ATTRIBUTE_SOURCE_PROJECT);
    }

    /// Leaves a memory as it is here, and says so.
    fn leave(&mut self, known: &Memory, memory: &Portable, claim: Claim<'_>) {
        self.progress.conflicts += 1;
        self.problems.add(|| {
            let ours = &known.handle;
            let theirs = memory.handle.as_deref().map_or_else(|| format!("topic {}", memory.topic), str::to_owned);
            let why = match claim {
                Claim::Edited(_) => "it was changed here since that was exported",
                Claim::Exported | Claim::Untouched => "the file's was written later, elsewhere",
                Claim::None => "the file does not say what it was when it was exported",
            };
            format!(
                "{ours} was left as it is: the file has another text for it (as {theirs}), and {why}; to take the file's, \
                 revise {ours} with it; to keep both, take id and handle out of the file's and import again"
            )
        });
    }
}

/// What an edit changes, if that is not the text.
fn beside_text(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Revise { .. } => None,
        Edit::Forget => Some("it is forgotten"),
        Edit::Restore => Some("it is restored"),
        Edit::Move { .. } => Some("topic"),
        Edit::Tag { .. } => Some("tags"),
        Edit::Repair { .. } => Some("since when it holds"),
        Edit::Approve { .. } => Some("it is vouched for"),
        _ => Some("fields"),
    }
}

/// Nothing can be done to what is forgotten but to restore it.
fn turn(edit: &Edit) -> u8 {
    match edit {
        Edit::Restore => 0,
        Edit::Forget => 2,
        _ => 1,
    }
}

fn untaken(known: &Memory, fields: &[&str]) -> String {
    let (handle, fields) = (&known.handle, fields.join("`, `"));
    format!(
        "{handle}: `{fields}` was changed in the file and is not taken: no import changes it, or it was changed here too"
    )
}
