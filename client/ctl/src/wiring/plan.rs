//! Pure planning: a file's text in, its next text out. Nothing here touches a disk.

use super::document::{Document, value_of};
use super::error::WiringError;
use super::spec::Spec;
use super::target::Level;
use super::{hooks, server, verify};

/// Which of our entries a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Hook handlers, in a settings file.
    Hooks,
    /// The MCP server entry.
    Server,
}

/// A file's next text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    /// The whole text.
    pub(crate) text: String,
    /// Whether it differs from the present one.
    pub(crate) changed: bool,
    /// Whether an empty object, and no comment, is all that it says.
    pub(crate) bare: bool,
}

impl Spec {
    /// Tells which part this describes.
    pub(crate) fn part(&self) -> Part {
        match self {
            Self::Hooks { .. } => Part::Hooks,
            Self::Server { .. } => Part::Server,
        }
    }
}

/// Merges our entries into a file; `None` stands for a missing one.
///
/// # Errors
/// When the text is not JSON with comments, has an unexpected shape where our entries go, or holds a foreign
/// server of our name.
pub(crate) fn plan_install(existing: Option<&str>, spec: &Spec, level: &Level) -> Result<Planned, WiringError> {
    let document = Document::parse(existing)?;
    match spec {
        Spec::Hooks { command, rows } => hooks::install(&document, command, rows)?,
        Spec::Server { command, environment } => server::install(&document, command, environment, level)?,
    }
    finish(&document, existing, spec.part(), level)
}

/// Takes our entries out of a file. The `original` text tells which empty containers were there before us;
/// without it they all go.
///
/// # Errors
/// When the text is not JSON with comments or has an unexpected shape on the way to our entries.
pub(crate) fn plan_uninstall(
    existing: &str,
    original: Option<&str>,
    part: Part,
    level: &Level,
) -> Result<Planned, WiringError> {
    let document = Document::parse(Some(existing))?;
    // An original that cannot be read says nothing about its containers.
    let original = original.and_then(|text| value_of(text).ok().flatten());
    match part {
        Part::Hooks => hooks::uninstall(&document, original.as_ref())?,
        Part::Server => server::uninstall(&document, original.as_ref(), level)?,
    }
    let planned = finish(&document, Some(existing), part, level)?;
    verify::none_left(&planned.text, part, level)?;
    Ok(planned)
}

fn finish(document: &Document, existing: Option<&str>, part: Part, level: &Level) -> Result<Planned, WiringError> {
    let planned = Planned {
        text: document.text(),
        changed: existing != Some(document.text().as_str()),
        bare: document.is_bare(),
    };
    if planned.changed {
        verify::rest_is_kept(existing.unwrap_or_default(), &planned.text, part, level)?;
    }
    Ok(planned)
}
