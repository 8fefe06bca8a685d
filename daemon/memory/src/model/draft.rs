//! A memory as its author gives it, before any decision.

use std::collections::BTreeMap;

use super::{Scope, SourceRef, Timestamp};

/// A memory as its author wrote it. `policy::admit` turns it into a [`super::Memory`] or refuses
/// it.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Topic name, not yet sanitised.
    pub topic: String,
    /// The statement.
    pub text: String,
    /// Kind's name; `None` lets tags and prefix decide.
    pub kind: Option<String>,
    /// Tags as given.
    pub tags: Vec<String>,
    /// `None` takes the caller's project, or global for kinds about the user.
    pub scope: Option<Scope>,
    /// Where the statement is about.
    pub source: Option<SourceRef>,
    /// Handles, ids or `topic:index`.
    pub links: Vec<String>,
    /// 0 to 1.
    pub importance: Option<f32>,
    /// 0 to 1.
    pub confidence: Option<f32>,
    /// Exempt from decay.
    pub pinned: bool,
    /// Kind-specific fields.
    pub attributes: BTreeMap<String, String>,
    /// When the fact became true; the time of storing unless given.
    pub valid_from: Option<Timestamp>,
    /// One line for lists; empty for none.
    pub summary: String,
}
