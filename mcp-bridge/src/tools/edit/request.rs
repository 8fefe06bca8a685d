//! Changes as they go to the daemon.

use helix_client::v1::edit_request::Action;
use helix_client::v1::{
    AppendText, ChangeTags, DeleteMemories, MergeTopic, RenameTopic, RestoreMemory, ReviseText,
    SetFields, SplitMemory, Target,
};

use super::{Append, Delete, Merge, Pointer, Rename, Restore, Revise, Set, Split, Tag};
use crate::arguments::ArgumentError;

/// What takes a source or the links away; a blank text counts as not given, since some models send
/// it with every call.
const NONE: &str = "none";

impl Append {
    pub(super) fn action(self) -> Result<Action, ArgumentError> {
        let mut target = self.memory.target(&[("tag", self.tag.is_some())])?;
        target.tag = self.tag.unwrap_or_default().0;
        Ok(Action::Append(AppendText {
            target: Some(target),
            text: self.text.0,
        }))
    }
}

impl Revise {
    pub(super) fn action(self) -> Result<Action, ArgumentError> {
        Ok(Action::Revise(ReviseText {
            target: Some(self.memory.target(&[])?),
            text: self.text.0,
        }))
    }
}

impl Delete {
    pub(super) fn action(self) -> Result<Action, ArgumentError> {
        let all = self.all.0;
        Ok(Action::Delete(DeleteMemories {
            target: Some(self.memory.target(&[("all", all)])?),
            all,
            scopes: self.scope.0,
        }))
    }
}

impl Tag {
    pub(super) fn action(self) -> Result<Action, ArgumentError> {
        let (add, remove) = (self.tags.0, self.remove.0);
        if add.is_empty() && remove.is_empty() {
            return Err(ArgumentError::missing_for("tag", "tags or remove"));
        }
        Ok(Action::Tag(ChangeTags {
            target: Some(self.memory.target(&[])?),
            add,
            remove,
        }))
    }
}

impl Set {
    pub(super) fn action(self) -> Result<Action, ArgumentError> {
        let mut links = self.links.0;
        let replace_links = !links.is_empty();
        links.retain(|link| link != NONE);
        let mut fields = SetFields {
            target: None,
            kind: self.kind.map(|kind| kind.0),
            source: self.source.map(|source| unless_none(source.0)),
            importance: self.importance.map(|importance| importance.0),
            confidence: self.confidence.map(|confidence| confidence.0),
            pinned: self.pinned.map(|pinned| pinned.0),
            replace_links,
            links,
            ..SetFields::default()
        };
        if fields == SetFields::default() {
            let any = "kind, source, confidence or another field";
            return Err(ArgumentError::missing_for("set", any));
        }
        fields.target = Some(self.memory.target(&[])?);
        Ok(Action::Set(fields))
    }
}

impl Rename {
    pub(super) fn action(self) -> Action {
        Action::Rename(RenameTopic {
            topic: self.topic.trimmed(),
            new_name: self.new_name.0,
        })
    }
}

impl Merge {
    pub(super) fn action(self) -> Action {
        Action::Merge(MergeTopic {
            topic: self.topic.trimmed(),
            into: self.into.0,
        })
    }
}

impl Restore {
    pub(super) fn action(self) -> Result<Action, ArgumentError> {
        let all = self.all.0;
        let target = self.memory.target(&[("all", all)])?;
        Ok(Action::Restore(RestoreMemory {
            reference: target.reference,
            index: target.index,
            match_text: target.match_text,
            all,
        }))
    }
}

impl Split {
    pub(super) fn action(self) -> Result<Action, ArgumentError> {
        Ok(Action::Split(SplitMemory {
            target: Some(self.memory.target(&[])?),
            into: self.parts.0,
            preview: false,
        }))
    }
}

impl Pointer {
    /// The memory that is meant. A call says it in one way: by `index`, by `match_str`, or by one of
    /// the `further` arguments, which are named with whether they are given.
    fn target(self, further: &[(&'static str, bool)]) -> Result<Target, ArgumentError> {
        let own = [
            ("index", self.index.is_some()),
            ("match_str", self.match_str.is_some()),
        ];
        let mut given = own.iter().chain(further).filter(|(_, is_given)| *is_given);
        if let (Some((one, _)), Some((other, _))) = (given.next(), given.next()) {
            return Err(ArgumentError::Together { one, other });
        }
        Ok(Target {
            reference: self.topic.trimmed(),
            index: self.index.map(|index| index.0),
            match_text: self.match_str.unwrap_or_default().0,
            tag: String::new(),
        })
    }
}

fn unless_none(text: String) -> String {
    if text.trim() == NONE {
        String::new()
    } else {
        text
    }
}
