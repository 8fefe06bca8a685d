//! An edit of a whole topic: which topic it means.

use helix_engine::model::{Scope, Topic};
use helix_engine::neutral::quoted;
use helix_engine::strand::{Request, TopicEdit};
use helix_proto::v1;
use tonic::Status;

use super::{Plan, Planned, gone, target};
use crate::rpc::patterns;

impl Plan<'_> {
    /// Plans an edit of all of a topic that the asker sees; `other` is the second topic that it names.
    pub(super) fn topic(
        &self,
        topic: &str,
        other: Option<&str>,
        edit: impl FnOnce(Topic) -> TopicEdit,
    ) -> Result<Planned, Status> {
        self.refuse_expected()?;
        let mut warnings = Vec::new();
        let topic = self.named(topic, &mut warnings)?;
        let other = other.map_or_else(|| Ok(topic.clone()), |other| self.named(other, &mut warnings))?;
        let edit = edit(other.clone());
        if edit != TopicEdit::Restore {
            gone::refuse(self.runtime, self.asker, &topic)?;
        }
        let scopes = self.asker.scopes();
        let members = self.runtime.strand.topic_members(other.as_str(), &scopes).len();
        match &edit {
            TopicEdit::Rename(_) | TopicEdit::Merge(_) if other == topic => {
                return Err(Status::invalid_argument(format!("{topic} is that topic already; give another name")));
            }
            TopicEdit::Merge(_) if members == 0 => warnings.push(format!("topic {other} had no memory and is new")),
            TopicEdit::Merge(_) | TopicEdit::Rename(_) | TopicEdit::Forget | TopicEdit::Restore => {}
        }
        if matches!(edit, TopicEdit::Rename(_) | TopicEdit::Merge(_)) {
            warnings.push(format!("handles begin with {other}/ now; the old ones still lead to their memories"));
        }
        Ok(self.write(topic, scopes, edit, warnings))
    }

    /// Plans to forget a topic.
    pub(super) fn delete_all(&self, target: Option<v1::Target>) -> Result<Planned, Status> {
        let target = target.unwrap_or_default();
        let names_one = target.index.is_some() || !target.match_text.is_empty() || !target.tag.is_empty();
        if names_one || target.reference.contains(['/', ':']) {
            return Err(Status::invalid_argument(
                "deleting all takes the name of a topic alone; leave `all` out to delete one memory",
            ));
        }
        self.topic(&target.reference, None, |_| TopicEdit::Forget)
    }

    fn write(&self, topic: Topic, scopes: Vec<Scope>, edit: TopicEdit, warnings: Vec<String>) -> Planned {
        let (actor, at) = (self.asker.actor.clone(), self.runtime.now());
        Planned::Write { requests: vec![Request::EditTopic { topic, scopes, edit, actor, at }], warnings }
    }

    fn refuse_expected(&self) -> Result<(), Status> {
        if self.expected.is_none() {
            return Ok(());
        }
        Err(Status::invalid_argument(
            "an expected sequence is for a change of one memory; leave it out to change a whole topic",
        ))
    }

    /// Reads the name of one topic; what names a memory, or several topics, is none.
    fn named(&self, name: &str, warnings: &mut Vec<String>) -> Result<Topic, Status> {
        patterns::refuse(self.runtime, self.asker, name, "this edit")?;
        if target::names_memory(self.runtime, self.asker, name)? {
            return Err(Status::invalid_argument(format!(
                "{} names a memory, and this changes a whole topic; give a topic's name alone",
                quoted(name.trim())
            )));
        }
        parse(name, warnings)
    }
}

/// Reads a topic's name, and says how it was understood.
pub(super) fn parse(name: &str, warnings: &mut Vec<String>) -> Result<Topic, Status> {
    let topic = Topic::parse(name).map_err(|error| Status::invalid_argument(error.to_string()))?;
    if topic.as_str() != name.trim() {
        warnings.push(format!("topic {} became {}", quoted(name), quoted(topic.as_str())));
    }
    Ok(topic)
}
