//! One memory stored, found, read and forgotten, in the one scope that is nobody's and that nothing
//! shows.
//!
//! The history keeps every operation for good, so what an examination did cannot be taken out of
//! it. To leave as little as can be, an examination writes into the memory that an earlier one
//! forgot, and stores one only when there is none to be had.

use std::time::Instant;

use helix_client::v1::edit_request::Action;
use helix_client::{Client, v1};
use helix_proto::SCRATCH_SCOPE;

use crate::context::Context;
use crate::document::hyphenated;
use crate::failure::Failure;
use crate::finding::Finding;

/// How the finding is called.
const NAME: &str = "round trip";

/// Topic of the memory.
const TOPIC: &str = "helix-doctor";

/// Goes the whole way. Whatever fails between, the memory is forgotten in the end.
pub(super) async fn examine(context: &Context, client: &mut Client, label: &str) -> Finding {
    let started = Instant::now();
    // No session did this, also where an agent runs the examination.
    let caller = v1::Caller {
        session: String::new(),
        ..context.caller()
    };
    let trip = Trip {
        caller,
        word: label.replace('-', ""),
    };
    let stored = match trip.write(client).await {
        Ok(stored) => stored,
        Err(problem) => return Finding::failure(NAME, problem),
    };
    let reference = hyphenated(&stored.id);
    let seen = trip.see(client, &stored, &reference).await;
    let forgotten = trip.forget(client, &stored, &reference).await;
    match seen.and(forgotten) {
        Ok(()) => Finding::ok(
            NAME,
            format!(
                "stored, found, read and forgot a memory in {} ms",
                started.elapsed().as_millis()
            ),
        ),
        Err(problem) => Finding::failure(NAME, problem),
    }
}

struct Trip {
    caller: v1::Caller,
    /// A word that no other memory has, not even another examination's at the same time.
    word: String,
}

impl Trip {
    async fn write(&self, client: &mut Client) -> Result<v1::Memory, String> {
        match self.reuse(client).await {
            Some(memory) => Ok(memory),
            None => self.store(client).await,
        }
    }

    /// Takes the memory that an earlier examination forgot; `None` when there is none, or another
    /// one takes it just now.
    async fn reuse(&self, client: &mut Client) -> Option<v1::Memory> {
        let filter = v1::Filter {
            scopes: vec![SCRATCH_SCOPE.to_owned()],
            statuses: vec!["forgotten".to_owned()],
            ..v1::Filter::default()
        };
        let found = self.find(client, "", filter).await.ok()?.pop()?;
        let reference = hyphenated(&found.id);
        let restore = Action::Restore(v1::RestoreMemory {
            reference: reference.clone(),
            ..v1::RestoreMemory::default()
        });
        let restored = self.edit(client, restore, found.sequence).await?;
        let target = Some(v1::Target {
            reference,
            ..v1::Target::default()
        });
        self.edit(
            client,
            Action::Revise(v1::ReviseText {
                target,
                text: self.text(),
            }),
            restored.sequence,
        )
        .await
    }

    async fn edit(&self, client: &mut Client, action: Action, sequence: u64) -> Option<v1::Memory> {
        let expected_sequence = Some(sequence);
        let request = v1::EditRequest {
            caller: self.caller(),
            action: Some(action),
            expected_sequence,
        };
        let reply = client
            .call(async |rpc| rpc.edit(request.clone()).await)
            .await
            .ok()?;
        reply.memories.into_iter().next()
    }

    fn text(&self) -> String {
        format!(
            "{} was stored by an examination and may be forgotten",
            self.word
        )
    }

    async fn store(&self, client: &mut Client) -> Result<v1::Memory, String> {
        let draft = v1::Draft {
            topic: TOPIC.to_owned(),
            text: self.text(),
            scope: SCRATCH_SCOPE.to_owned(),
            ..v1::Draft::default()
        };
        let request = v1::StoreRequest {
            caller: self.caller(),
            draft: Some(draft),
            force: true,
        };
        let reply = client
            .call(async |rpc| rpc.store(request.clone()).await)
            .await;
        let reply = reply.map_err(failed("storing a memory"))?;
        reply.memory.ok_or_else(|| {
            "storing a memory: the daemon did not say what it stored; see its log".to_owned()
        })
    }

    async fn see(
        &self,
        client: &mut Client,
        stored: &v1::Memory,
        reference: &str,
    ) -> Result<(), String> {
        if !self.search(client).await?.contains(&stored.id) {
            return Err(
                "searching: a memory just stored was not found; run `helixctl doctor --deep`"
                    .to_owned(),
            );
        }
        let request = v1::ReadRequest {
            caller: self.caller(),
            reference: reference.to_owned(),
            ..v1::ReadRequest::default()
        };
        let reply = client
            .call(async |rpc| rpc.read(request.clone()).await)
            .await;
        let reply = reply.map_err(failed("reading a memory"))?;
        let same = reply
            .memories
            .iter()
            .any(|memory| memory.id == stored.id && memory.text == stored.text);
        if same {
            Ok(())
        } else {
            Err(
                "reading: the memory differs from what was stored; run `helixctl doctor --deep`"
                    .to_owned(),
            )
        }
    }

    async fn forget(
        &self,
        client: &mut Client,
        stored: &v1::Memory,
        reference: &str,
    ) -> Result<(), String> {
        let request = v1::ForgetRequest {
            caller: self.caller(),
            reference: reference.to_owned(),
        };
        let reply = client
            .call(async |rpc| rpc.forget(request.clone()).await)
            .await;
        let reply = reply.map_err(failed("forgetting a memory"))?;
        if reply.forgotten.is_none_or(|memory| memory.id != stored.id) {
            return Err(format!(
                "forgetting: {reference} was not forgotten; forget it yourself"
            ));
        }
        if self.search(client).await?.contains(&stored.id) {
            return Err(
                "searching: a forgotten memory is still found; run `helixctl doctor --deep`"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Finds by the word alone, so that the answer does not depend on the model.
    async fn search(&self, client: &mut Client) -> Result<Vec<Vec<u8>>, String> {
        let filter = v1::Filter {
            scopes: vec![SCRATCH_SCOPE.to_owned()],
            ..v1::Filter::default()
        };
        Ok(self
            .find(client, &self.word, filter)
            .await?
            .into_iter()
            .map(|memory| memory.id)
            .collect())
    }

    async fn find(
        &self,
        client: &mut Client,
        query: &str,
        filter: v1::Filter,
    ) -> Result<Vec<v1::Memory>, String> {
        let request = v1::SearchRequest {
            caller: self.caller(),
            query: query.to_owned(),
            filter: Some(filter),
            retriever: v1::Retriever::Words.into(),
            passive: true,
            ..v1::SearchRequest::default()
        };
        let reply = client
            .call(async |rpc| rpc.search(request.clone()).await)
            .await;
        let reply = reply.map_err(failed("searching"))?;
        Ok(reply
            .hits
            .into_iter()
            .filter_map(|hit| hit.memory)
            .collect())
    }

    #[expect(clippy::unnecessary_wraps, reason = "the wire's field is optional")]
    fn caller(&self) -> Option<v1::Caller> {
        Some(self.caller.clone())
    }
}

fn failed(step: &'static str) -> impl FnOnce(tonic::Status) -> String {
    move |status| format!("{step}: {}", Failure::from(status))
}
