//! The fate of a container that held only what was taken out.

use jsonc_parser::cst::{CstInputValue, CstNode, CstObjectProp};

use super::document::Document;
use super::error::WiringError;
use super::record::Entry;
use super::target::Target;

/// A file as it was before us, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Original<'a> {
    /// Nothing: no record is here.
    Unknown,
    /// A record's account.
    Recorded {
        /// Its text; `None` when it was not there.
        text: Option<&'a str>,
        /// The containers that were made in it for our entries since.
        made: &'a [Entry],
    },
}

/// The same, read.
pub(super) enum Past<'a> {
    /// Nothing is known.
    Unknown,
    /// Its former content, and the entries made in it since.
    Known(Document, &'a [Entry]),
}

/// The content of a place in the original file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Nobody knows.
    Unknown,
    /// Nothing: the container is ours and goes.
    Absent,
    /// Null, which comes back.
    Null,
    /// A container, which stays, empty as it was.
    Present,
}

impl<'a> Past<'a> {
    pub(super) fn read(original: Original<'a>) -> Self {
        match original {
            Original::Unknown => Self::Unknown,
            // It was read when it was wired.
            Original::Recorded { text, made } => {
                Document::parse(text).map_or(Self::Unknown, |document| Self::Known(document, made))
            }
        }
    }

    /// Returns the former content where the keys lead to a container, when that was not made for
    /// our entries. What others have made there since counts as what was there.
    pub(super) fn container(&self, keys: &[&str]) -> Before {
        match (self, self.at(keys)) {
            (Self::Known(_, made), before) if made.iter().any(|path| path == keys) => {
                match before {
                    Before::Null => Before::Null,
                    Before::Unknown | Before::Absent | Before::Present => Before::Absent,
                }
            }
            (Self::Known(..), Before::Absent) => Before::Present,
            (_, before) => before,
        }
    }

    /// Returns the former content where the keys lead.
    pub(super) fn at(&self, keys: &[&str]) -> Before {
        match self {
            Self::Unknown => Before::Unknown,
            Self::Known(document, _) => match document.at(keys) {
                None => Before::Absent,
                Some(value) if value.as_null_keyword().is_some() => Before::Null,
                Some(_) => Before::Present,
            },
        }
    }

    /// Takes out what is left of the containers that were made for our entries, once those were
    /// taken out by somebody else, such as from another home. Returns whether there were any.
    pub(super) fn prune_made(
        &self,
        document: &mut Document,
        target: &Target,
    ) -> Result<bool, WiringError> {
        let mut is_pruned = false;
        for keys in target
            .containers()
            .into_iter()
            .rev()
            .filter(|keys| !keys.is_empty())
        {
            let Some(emptied) = document
                .member_at(&keys)?
                .filter(|member| member.value().is_some_and(|at| holds_nothing(&at)))
            else {
                continue;
            };
            if self.container(&keys) == Before::Absent {
                prune(document, emptied, Before::Absent)?;
                is_pruned = true;
            }
        }
        Ok(is_pruned)
    }

    /// Gives a container that holds nothing the blanks back that it had when it held nothing.
    pub(super) fn refit(&self, document: &mut Document, keys: &[&str]) -> Result<(), WiringError> {
        let Self::Known(past, _) = self else {
            return Ok(());
        };
        let (Some(was), Some(is)) = (past.at(keys), document.at(keys)) else {
            return Ok(());
        };
        let text = was.to_string();
        let says_the_same = || text.split_whitespace().collect::<String>() == squeezed(&is);
        if holds_nothing(&was) && holds_nothing(&is) && says_the_same() && text != is.to_string() {
            document.replace(&is, &text)?;
        }
        Ok(())
    }
}

fn squeezed(node: &CstNode) -> String {
    node.to_string().split_whitespace().collect()
}

/// Returns whether a node is a container without parts.
fn holds_nothing(node: &CstNode) -> bool {
    let is_container = node.as_object().is_some() || node.as_array().is_some();
    is_container
        && node
            .children()
            .iter()
            .all(|child| child.is_trivia() || child.is_token())
}

/// Brings an emptied container back to what it was. One that somebody has written a comment into
/// meanwhile stays with it.
pub(super) fn prune(
    document: &mut Document,
    emptied: CstObjectProp,
    before: Before,
) -> Result<(), WiringError> {
    if emptied
        .value()
        .is_some_and(|container| is_commented(&container))
    {
        return Ok(());
    }
    restore(document, emptied, before)
}

/// Returns whether a comment stands in a container, and not within one of its parts.
pub(super) fn is_commented(container: &CstNode) -> bool {
    container.children().iter().any(CstNode::is_comment)
}

/// Brings a member back to what it was. A container that may have been there stays.
pub(super) fn restore(
    document: &mut Document,
    member: CstObjectProp,
    before: Before,
) -> Result<(), WiringError> {
    match before {
        Before::Absent => document.remove(&member.into())?,
        Before::Null => member.set_value(CstInputValue::Null),
        Before::Present | Before::Unknown => {}
    }
    Ok(())
}
