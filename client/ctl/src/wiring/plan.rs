//! Pure planning: a file's text in, its next text out. Nothing here touches a disk.

use super::document::{Document, strip_mark};
use super::error::WiringError;
use super::prune::{Original, Past};
use super::spec::Programs;
use super::target::{Part, Syntax, Target};
use super::{hooks, server, toml, verify};

/// A file's next text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    /// The whole text.
    pub(crate) text: String,
    /// True if it differs from the present one.
    pub(crate) changed: bool,
    /// True if an empty object or nothing, and no comment, is all that it says.
    pub(crate) bare: bool,
}

/// Merges our entries into a file; `None` stands for a missing one.
///
/// # Errors
/// When the text is not in the file's language, has an unexpected shape where our entries go, or
/// holds a foreign server of our name.
pub(crate) fn plan_install(
    existing: Option<&str>,
    target: &Target,
    programs: &Programs,
) -> Result<Planned, WiringError> {
    let text = match target.syntax {
        Syntax::Json => {
            let mut document = Document::parse(existing)?;
            for part in &target.parts {
                match part {
                    Part::Hooks(form) => {
                        hooks::install(&mut document, form, programs.shim(target))?;
                    }
                    Part::Server(form) => server::install(&mut document, target, form, programs)?,
                }
            }
            document.text()
        }
        Syntax::Toml => with_servers(existing, target, |text, form| {
            toml::install(text, form, programs.bridge(target), programs)
        })?,
    };
    finish(text, existing, target)
}

/// Takes our entries out of a file. The `original` tells which empty containers were there before
/// us; where it is not known, those stay that may have been.
///
/// # Errors
/// When the text is not in the file's language or has an unexpected shape on the way to our
/// entries.
pub(crate) fn plan_uninstall(
    existing: &str,
    original: Original<'_>,
    target: &Target,
) -> Result<Planned, WiringError> {
    let text = match target.syntax {
        Syntax::Json => without_entries(existing, &Past::read(original), target)?,
        Syntax::Toml => with_servers(Some(existing), target, |text, form| {
            toml::uninstall(text, form, original)
        })?,
    };
    let planned = finish(text, Some(existing), target)?;
    verify::none_left(&planned.text, target)?;
    Ok(planned)
}

fn without_entries(
    existing: &str,
    past: &Past<'_>,
    target: &Target,
) -> Result<String, WiringError> {
    let mut document = Document::parse(Some(existing))?;
    for part in &target.parts {
        match part {
            Part::Hooks(form) => hooks::uninstall(&mut document, form, past)?,
            Part::Server(form) => server::uninstall(&mut document, target, form, past)?,
        }
    }
    let text = document.text();
    if text == existing && !is_pruned(&mut document, past, target)? {
        return Ok(text);
    }
    for keys in target.containers() {
        past.refit(&mut document, &keys)?;
    }
    Ok(document.text())
}

/// Takes out what others left of ours. Returns whether there was anything.
fn is_pruned(
    document: &mut Document,
    past: &Past<'_>,
    target: &Target,
) -> Result<bool, WiringError> {
    let is_pruned = past.prune_made(document, target)?;
    for part in target.parts.iter().filter(|_| is_pruned) {
        if let Part::Hooks(form) = part {
            hooks::remove_own_version(document, form, past)?;
        }
    }
    Ok(is_pruned)
}

/// Edits a TOML text for each server that it is to hold; no client keeps hooks of ours in TOML.
fn with_servers(
    existing: Option<&str>,
    target: &Target,
    edit: impl Fn(&str, &super::client::ServerForm) -> Result<String, WiringError>,
) -> Result<String, WiringError> {
    let servers = target.parts.iter().filter_map(|part| match part {
        Part::Server(form) => Some(form),
        Part::Hooks(_) => None,
    });
    servers
        .into_iter()
        .try_fold(existing.unwrap_or_default().to_owned(), |text, form| {
            edit(&text, form)
        })
}

fn finish(text: String, existing: Option<&str>, target: &Target) -> Result<Planned, WiringError> {
    let squeezed = strip_mark(&text).1.split_whitespace().collect::<String>();
    let bare = match target.syntax {
        Syntax::Json => squeezed == "{}",
        Syntax::Toml => squeezed.is_empty(),
    };
    let changed = existing != Some(text.as_str());
    if changed {
        verify::rest_is_kept(existing.unwrap_or_default(), &text, target)?;
    }
    Ok(Planned {
        text,
        changed,
        bare,
    })
}
