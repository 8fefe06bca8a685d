//! Fields that an edit sets: by name, or by lines of the text that it brings.

use helix_memory::{
    Edit, EditedFields as Fields, Memory, MemoryId, Origin, SourceRef, Sourced,
    StatedImportance as Importance, Status,
};
use helix_neutral::quoted;

use super::SetFields;
use super::lines::Stated;
use super::plan::{Plan, take_secrets};
use crate::Refusal;
use crate::located::{located, range_note};

impl Plan<'_> {
    /// The edits that lines of a text ask for. `has_text` says whether there is a text beside them.
    pub(super) fn stated(
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
            .app
            .memory
            .strand
            .resolve_links(&links, &self.asker.scopes());
        let targets = resolved?;
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
            let fields = SetFields {
                source,
                confidence,
                links,
                ..SetFields::default()
            };
            edits.push(self.fields(memory, fields, warnings)?);
        }
        Ok(edits)
    }

    /// The edits that set fields. Who says that a memory is a person's own approves it with that.
    pub(super) fn set(
        &self,
        memory: &Memory,
        set: SetFields,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<Edit>, Refusal> {
        let is_vouched = set.origin.as_deref() == Some(Origin::User.name());
        let mut edits = vec![self.fields(memory, set, warnings)?];
        if is_vouched && memory.status == Status::Quarantined {
            let by = self.asker.actor.origin;
            edits.push(Edit::Approve { by });
        }
        Ok(edits)
    }

    /// The edit that sets fields.
    fn fields(
        &self,
        memory: &Memory,
        set: SetFields,
        warnings: &mut Vec<String>,
    ) -> Result<Edit, Refusal> {
        let links = self.links(memory, &set, warnings)?;
        let kind = match set.kind {
            Some(name) => Some(self.app.memory.strand.kinds().resolve(&name)?),
            None => None,
        };
        let source = set.source.map(|text| self.source(&text, warnings));
        let stated = Importance {
            importance: set.importance,
            priority: set.priority,
            weight: set.weight,
        };
        let importance = stated.importance()?;
        let fields = Fields {
            summary: set.summary,
            valid_from: None,
            valid_to: None,
            kind,
            source,
            importance,
            confidence: set.confidence,
            pinned: set.pinned,
            links,
            origin: set.origin.map(|name| self.origin(&name)).transpose()?,
            ..Fields::default()
        };
        if fields == Fields::default() {
            return Err(Refusal::invalid(
                "there is nothing to set; give kind, source, importance, confidence, pinned, links, summary or origin",
            ));
        }
        Ok(Edit::Set(Box::new(fields)))
    }

    /// Looks at a source as it is named; `None` takes the memory's away.
    fn source(&self, text: &str, warnings: &mut Vec<String>) -> Option<Sourced> {
        let source = SourceRef::parse(text);
        if source.path.is_empty() {
            return None;
        }
        let mut located = located(self.app, &source, self.asker);
        take_secrets(&mut located.source, warnings);
        warnings.extend(located.unseen());
        warnings.extend(range_note(text));
        Some(Sourced {
            reference: located.source,
            line: located.line.map(|line| line.to_string()),
            project: located.project.map(|project| project.to_string()),
        })
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

    /// Returns the memory's new links; `None` leaves them as they are.
    fn links(
        &self,
        memory: &Memory,
        set: &SetFields,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Vec<MemoryId>>, Refusal> {
        if set.links.is_empty() && !set.replace_links {
            return Ok(None);
        }
        let resolved = self
            .app
            .memory
            .strand
            .resolve_links(&set.links, &self.asker.scopes());
        let targets = resolved?;
        warnings.extend(targets.warnings());
        if targets.ids.is_empty() && !set.links.is_empty() {
            let why = if targets.several.is_empty() {
                "none of the links names a memory".to_owned()
            } else {
                targets.warnings().join("; ")
            };
            let message =
                format!("{why}, so nothing was changed; give handles, ids or topic:index");
            return Err(Refusal::invalid(message));
        }
        let mut links = if set.replace_links {
            Vec::new()
        } else {
            memory.links.clone()
        };
        links.extend(targets.ids);
        Ok(Some(links))
    }
}
