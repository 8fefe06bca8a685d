//! `Edit`: one memory or a whole topic changed, never on a guess.
//!
//! The target is found on a snapshot; what becomes of it is decided by the writer, on the record as
//! it is then.

mod gone;
mod lines;
mod seen;
mod target;
mod topic;

use std::sync::Arc;

use helix_app::Refusal;
use helix_app::located::{located, range_note};
use helix_app::told::Told;
use helix_engine::model::{Memory, Origin, SCRATCH_SCOPE, Sequence, SourceRef};
use helix_engine::neutral::quoted;
use helix_engine::policy::edit::{Edit, Fields, Sourced};
use helix_engine::policy::resemble::text_hash;
use helix_engine::policy::tags;
use helix_engine::strand::{Edited, Outcome, Request, TopicEdit};
use helix_proto::v1;
use helix_proto::v1::edit_request::Action;
use helix_redact::{Redact, Secrets, redaction_note};

use super::{convert, off_thread};
use crate::runtime::{Asker, Runtime};
use lines::Stated;
use target::{Bare, Choice, Several};

/// What an edit comes down to.
enum Planned {
    /// To be written, one after the other.
    Write {
        requests: Vec<Request>,
        warnings: Vec<String>,
        /// Whether a topic is changed that others than its project may see.
        is_shared: bool,
    },
    /// Several memories could be meant, so nothing is done.
    Candidates {
        several: Several,
        warnings: Vec<String>,
    },
}

/// Changes what the request names.
pub(super) async fn edit(
    runtime: &Arc<Runtime>,
    request: v1::EditRequest,
) -> Result<v1::EditReply, Refusal> {
    match off_thread(runtime, move |runtime| plan(runtime, request)).await? {
        Planned::Candidates {
            several: Several { shown, total },
            warnings,
        } => {
            off_thread(runtime, move |runtime| {
                let candidates = Told::all(&runtime.app, &shown)?
                    .iter()
                    .map(convert::told)
                    .collect();
                let total = if total > shown.len() {
                    u32::try_from(total).unwrap_or(u32::MAX)
                } else {
                    0
                };
                Ok(v1::EditReply {
                    candidates,
                    candidates_total: total,
                    warnings,
                    ..v1::EditReply::default()
                })
            })
            .await
        }
        Planned::Write {
            requests,
            mut warnings,
            is_shared,
        } => {
            let edited = write_all(runtime, requests, &mut warnings).await?;
            warnings.extend(topic::global_note(&edited).filter(|_| is_shared));
            off_thread(runtime, move |runtime| {
                Ok(reply(runtime, &edited, warnings))
            })
            .await
        }
    }
}

/// Writes the requests of one edit, and returns what they changed. What the first does is
/// acknowledged, so that where a later one fails is told, and no error.
async fn write_all(
    runtime: &Runtime,
    requests: Vec<Request>,
    warnings: &mut Vec<String>,
) -> Result<Edited, Refusal> {
    let mut edited: Option<Edited> = None;
    for request in requests {
        edited = match (write(runtime, request).await, edited) {
            (Ok(first), None) => Some(first),
            (Ok(now), Some(before)) => Some(Edited {
                changed: now.changed.max(before.changed),
                ..now
            }),
            (Err(status), None) => return Err(status),
            (Err(status), before) => {
                warnings.push(format!(
                    "the text was changed, and not all that its lines say: {}",
                    status.message()
                ));
                before
            }
        };
    }
    edited.ok_or_else(|| Refusal::internal("the edit came to nothing"))
}

/// Writes one request that edits, and returns what it changed.
pub(super) async fn write(runtime: &Runtime, request: Request) -> Result<Edited, Refusal> {
    let reworded = match &request {
        Request::Edit {
            number,
            edit: Edit::Append { .. } | Edit::Revise { .. },
            actor,
            ..
        } => Some((*number, actor.session.clone())),
        _ => None,
    };
    let outcomes = runtime
        .writer
        .write(vec![request])
        .await
        .map_err(|error| Refusal::from(error))?;
    match outcomes.into_iter().next() {
        Some(Ok(Outcome::Edited(edited))) => {
            if let Some((number, session)) = reworded.filter(|_| edited.changed > 0) {
                runtime.app.hooks.sessions.reworded(number, &session);
            }
            Ok(edited)
        }
        Some(Err(error)) => Err(Refusal::of(error.kind(), &error)),
        Some(Ok(_)) | None => Err(Refusal::internal("the writer gave no answer")),
    }
}

fn reply(runtime: &Runtime, edited: &Edited, mut warnings: Vec<String>) -> v1::EditReply {
    if edited.changed == 0 {
        warnings.push("nothing changed: it is so already".to_owned());
    }
    v1::EditReply {
        topic: edited
            .memories
            .first()
            .map(|memory| memory.topic.as_str().to_owned())
            .unwrap_or_default(),
        memories: edited
            .memories
            .iter()
            .map(|memory| convert::told(&Told::of(&runtime.app, memory)))
            .collect(),
        changed: u32::try_from(edited.changed).unwrap_or(u32::MAX),
        warnings,
        ..v1::EditReply::default()
    }
}

fn plan(runtime: &Runtime, request: v1::EditRequest) -> Result<Planned, Refusal> {
    let asker = runtime.asker(request.caller.as_ref());
    let action = request.action.ok_or_else(|| {
        Refusal::invalid("the request names no action; give append, revise, delete, tag, rename, merge, set or restore")
    })?;
    let expected = request.expected_sequence.map(Sequence);
    let plan = Plan {
        runtime,
        asker: &asker,
        expected,
    };
    match action {
        Action::Append(v1::AppendText { target, text }) => {
            plan.several(target, Bare::Newest, |memory, warnings| {
                let mut stated = Stated::added(&text);
                let text = redacted(&mut stated, warnings);
                let mut edits = plan.stated(memory, stated, !text.is_empty(), warnings)?;
                if !text.is_empty() || edits.is_empty() {
                    edits.insert(0, Edit::Append { text });
                }
                Ok(edits)
            })
        }
        Action::Revise(v1::ReviseText { target, text }) => {
            plan.several(target, Bare::Only, |memory, warnings| {
                let mut stated = Stated::alone(&text);
                let text = redacted(&mut stated, warnings);
                plan.warn_of_twin(memory, &text, warnings);
                let (seen, note) = seen::again(runtime, &asker, memory);
                // A source that is named anew is looked at as it is named.
                warnings.extend(note.filter(|_| stated.source.is_none()));
                let mut edits = plan.stated(memory, stated, true, warnings)?;
                edits.insert(0, Edit::Revise { text, seen });
                Ok(edits)
            })
        }
        Action::Delete(v1::DeleteMemories {
            target,
            all: false,
            scopes,
        }) => {
            topic::refuse_scopes(&scopes)?;
            let by_place = target.as_ref().is_some_and(target::is_place);
            plan.one(target, Bare::Newest, |memory, warnings| {
                warnings.extend(by_place.then(|| plan.moved_by_forgetting(memory)).flatten());
                Ok(Edit::Forget)
            })
        }
        Action::Delete(v1::DeleteMemories {
            target,
            all: true,
            scopes,
        }) => plan.delete_all(target, &scopes),
        Action::Tag(v1::ChangeTags {
            target,
            mut add,
            remove,
        }) => plan.one(target, Bare::Newest, |memory, warnings| {
            take_secrets(&mut add, warnings);
            warn_of_tags(memory, &add, &remove, warnings)?;
            Ok(Edit::Tag { add, remove })
        }),
        Action::Set(mut fields) => {
            let target = fields.target.take();
            plan.one(target, Bare::Only, |memory, warnings| {
                plan.fields(memory, fields, warnings)
            })
        }
        Action::Rename(v1::RenameTopic { topic, new_name }) => {
            plan.topic(&topic, Some(&new_name), TopicEdit::Rename)
        }
        Action::Merge(v1::MergeTopic { topic, into }) => {
            plan.topic(&topic, Some(&into), TopicEdit::Merge)
        }
        Action::Restore(v1::RestoreMemory {
            reference,
            all: true,
            ..
        }) => plan.topic(&reference, None, |_| TopicEdit::Restore),
        Action::Restore(v1::RestoreMemory {
            reference,
            index,
            match_text,
            ..
        }) => {
            let target = v1::Target {
                reference,
                index,
                match_text,
                ..v1::Target::default()
            };
            plan.one(Some(target), Bare::Deleted, |_, _| Ok(Edit::Restore))
        }
    }
}

/// Takes the text that an edit gives, without the secrets in it.
fn redacted(stated: &mut Stated, warnings: &mut Vec<String>) -> String {
    let mut text = std::mem::take(&mut stated.text);
    take_secrets(&mut text, warnings);
    take_secrets(&mut stated.tags, warnings);
    text
}

/// Takes the secrets out of what an edit gives, and says so.
fn take_secrets(given: &mut impl Redact, warnings: &mut Vec<String>) {
    let mut secrets = Secrets::default();
    given.redact(&mut secrets);
    warnings.extend(redaction_note(secrets.count()));
}

/// What planning an edit needs to know.
#[derive(Clone, Copy)]
struct Plan<'a> {
    runtime: &'a Runtime,
    asker: &'a Asker,
    /// The operation that changed the one memory last, as the asker read it.
    expected: Option<Sequence>,
}

impl Plan<'_> {
    /// Plans an edit of one memory.
    fn one(
        &self,
        target: Option<v1::Target>,
        bare: Bare,
        edit: impl FnOnce(&Memory, &mut Vec<String>) -> Result<Edit, Refusal>,
    ) -> Result<Planned, Refusal> {
        self.several(target, bare, |memory, warnings| {
            Ok(vec![edit(memory, warnings)?])
        })
    }

    /// Plans several edits of one memory.
    fn several(
        &self,
        target: Option<v1::Target>,
        bare: Bare,
        edits: impl FnOnce(&Memory, &mut Vec<String>) -> Result<Vec<Edit>, Refusal>,
    ) -> Result<Planned, Refusal> {
        let (choice, mut warnings) =
            target::choose(self.runtime, self.asker, &target.unwrap_or_default(), bare)?;
        let number = match choice {
            Choice::One(number) => number,
            Choice::Several(several) => return Ok(Planned::Candidates { several, warnings }),
        };
        let memories = self.runtime.app.memory.strand.memories(&[number]);
        let memory = memories
            .map_err(|error| Refusal::of(error.kind(), &error))?
            .pop();
        let memory =
            memory.ok_or_else(|| Refusal::not_found("the memory is gone; search for it again"))?;
        check_seen(&memory, self.asker)?;
        let edits = edits(&memory, &mut warnings)?;
        // Those behind the first follow the change that it makes.
        let expected = std::iter::once(self.expected).chain(std::iter::repeat(None));
        let request = |(edit, expected)| {
            let (actor, at) = (self.asker.actor.clone(), self.runtime.now());
            Request::Edit {
                number,
                edit,
                expected,
                actor,
                at,
            }
        };
        let requests = edits.into_iter().zip(expected).map(request).collect();
        Ok(Planned::Write {
            requests,
            warnings,
            is_shared: false,
        })
    }

    /// The edits that lines of a text ask for. `has_text` says whether there is a text beside them.
    fn stated(
        &self,
        memory: &Memory,
        mut stated: Stated,
        has_text: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<Edit>, Refusal> {
        warnings.append(&mut stated.notes);
        let has_more = has_text || stated.has_more_than_links();
        let Stated {
            tags,
            source,
            confidence,
            mut links,
            ..
        } = stated;
        let resolved = self
            .runtime
            .app
            .memory
            .strand
            .resolve_links(&links, &self.asker.scopes());
        let targets = resolved.map_err(|error| Refusal::of(error.kind(), &error))?;
        if targets.ids.is_empty() && has_more {
            warnings.extend(targets.warnings());
            links.clear();
        }
        let mut edits = Vec::new();
        if !tags.is_empty() {
            edits.push(Edit::Tag {
                add: tags,
                remove: Vec::new(),
            });
        }
        if source.is_some() || confidence.is_some() || !links.is_empty() {
            let fields = v1::SetFields {
                source,
                confidence,
                links,
                ..v1::SetFields::default()
            };
            edits.push(self.fields(memory, fields, warnings)?);
        }
        Ok(edits)
    }

    fn fields(
        &self,
        memory: &Memory,
        wire: v1::SetFields,
        warnings: &mut Vec<String>,
    ) -> Result<Edit, Refusal> {
        let links = self.links(memory, &wire, warnings)?;
        let kind = wire
            .kind
            .map(|name| self.runtime.app.memory.strand.kinds().resolve(&name))
            .transpose();
        let located = wire.source.map(|text| {
            let source = SourceRef::parse(&text);
            let mut located = (!source.path.is_empty())
                .then(|| located(&self.runtime.app, &source, self.asker))?;
            take_secrets(&mut located.source, warnings);
            warnings.extend(located.unseen());
            warnings.extend(range_note(&text));
            Some(Sourced {
                reference: located.source,
                line: located.line.map(|line| line.to_string()),
                project: located.project.map(|project| project.to_string()),
            })
        });
        let fields = Fields {
            kind: kind.map_err(|error| Refusal::invalid(error.to_string()))?,
            source: located,
            importance: wire.importance,
            confidence: wire.confidence,
            pinned: wire.pinned,
            links,
            origin: wire.origin.map(|name| self.origin(&name)).transpose()?,
        };
        if fields == Fields::default() {
            return Err(Refusal::invalid(
                "there is nothing to set; give kind, source, importance, confidence, pinned, links or origin",
            ));
        }
        Ok(Edit::Set(Box::new(fields)))
    }

    /// Where a person says that a memory came from.
    fn origin(&self, name: &str) -> Result<Origin, Refusal> {
        if self.asker.actor.origin != Origin::User {
            return Err(Refusal::denied(
                "only a person can vouch for where a memory came from; use helixctl set",
            ));
        }
        Origin::parse(name).ok_or_else(|| {
            let known = Origin::ALL.map(Origin::name).join(", ");
            Refusal::invalid(format!(
                "origin {} is unknown; give one of {known}",
                quoted(name)
            ))
        })
    }

    fn links(
        &self,
        memory: &Memory,
        wire: &v1::SetFields,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Vec<helix_engine::model::MemoryId>>, Refusal> {
        if wire.links.is_empty() && !wire.replace_links {
            return Ok(None);
        }
        let resolved = self
            .runtime
            .app
            .memory
            .strand
            .resolve_links(&wire.links, &self.asker.scopes());
        let targets = resolved.map_err(|error| Refusal::of(error.kind(), &error))?;
        warnings.extend(targets.warnings());
        if targets.ids.is_empty() && !wire.links.is_empty() {
            let why = if targets.several.is_empty() {
                "none of the links names a memory".to_owned()
            } else {
                targets.warnings().join("; ")
            };
            let message =
                format!("{why}, so nothing was changed; give handles, ids or topic:index");
            return Err(Refusal::invalid(message));
        }
        let mut links = if wire.replace_links {
            Vec::new()
        } else {
            memory.links.clone()
        };
        links.extend(targets.ids);
        Ok(Some(links))
    }

    /// What somebody who counts in a topic should know when this memory of it is gone.
    fn moved_by_forgetting(&self, memory: &Memory) -> Option<String> {
        let members = self
            .runtime
            .app
            .memory
            .strand
            .topic_members(memory.topic.as_str(), &self.asker.scopes());
        let behind = members
            .iter()
            .rev()
            .take_while(|number| **number != memory.number)
            .count();
        let topic = &memory.topic;
        (behind > 0).then(|| {
            format!("{behind} behind it in topic {topic} moved up: their indexes are one lower now")
        })
    }

    fn warn_of_twin(&self, memory: &Memory, text: &str, warnings: &mut Vec<String>) {
        let twin = self
            .runtime
            .app
            .memory
            .strand
            .catalog()
            .same_text(text_hash(text), &memory.scope);
        let Some(twin) = twin.filter(|twin| *twin != memory.number) else {
            return;
        };
        let twin = self
            .runtime
            .app
            .memory
            .strand
            .memories(&[twin])
            .ok()
            .and_then(|mut found| found.pop());
        warnings.extend(
            twin.map(|twin| format!("{} says exactly the same; delete one of them", twin.handle)),
        );
    }
}

fn warn_of_tags(
    memory: &Memory,
    add: &[String],
    remove: &[String],
    warnings: &mut Vec<String>,
) -> Result<(), Refusal> {
    let normal = |tags: &[String]| -> Vec<String> {
        tags.iter()
            .flat_map(|tag| tag.split(','))
            .filter_map(tags::normalise_one)
            .collect()
    };
    let (add, remove) = (normal(add), normal(remove));
    if add.is_empty() && remove.is_empty() {
        return Err(Refusal::invalid(
            "no tag is given; name tags to add or to remove",
        ));
    }
    let both: Vec<&str> = remove
        .iter()
        .filter(|tag| add.contains(tag))
        .map(String::as_str)
        .collect();
    if !both.is_empty() {
        let tags = both.join(", ");
        return Err(Refusal::invalid(format!(
            "{tags} is to be added and removed at once; name it on one side"
        )));
    }
    let former = |tag: &String| {
        tags::former_spellings(tag)
            .iter()
            .any(|former| memory.tags.contains(former))
    };
    let absent = remove
        .iter()
        .filter(|tag| !memory.tags.contains(tag) && !former(tag));
    warnings.extend(absent.map(|tag| format!("{} had no tag {tag}", memory.handle)));
    Ok(())
}

/// Refuses what belongs to another project than the asker's.
pub(super) fn check_seen(memory: &Memory, asker: &Asker) -> Result<(), Refusal> {
    // Examinations use the memory of an earlier one, wherever they run.
    let is_scratch = memory.scope.to_string() == SCRATCH_SCOPE;
    if is_scratch || asker.scopes().contains(&memory.scope) {
        return Ok(());
    }
    Err(Refusal::denied(format!(
        "{} belongs to {}, which is not seen from here; change it from inside of that project",
        memory.handle, memory.scope
    )))
}
