//! `Export` and `Import` as the wire has them.

use helix_app::exchange::{Format, Piece, Progress, Repeat};
use helix_app::{Refusal, export, import};
use helix_proto::v1;

/// Reads what is to be exported.
pub(crate) fn export(wire: v1::ExportRequest) -> Result<export::Wanted, Refusal> {
    let format = format(wire.format(), "export")?;
    let v1::ExportRequest { scopes, topics, .. } = wire;
    Ok(export::Wanted {
        format,
        scopes,
        topics,
    })
}

/// Reads the first piece of an import, which says what comes.
pub(crate) fn import(wire: &v1::ImportPiece) -> Result<import::Wanted, Refusal> {
    Ok(import::Wanted {
        format: format(wire.format(), "import")?,
        scope: wire.scope.clone(),
        dry_run: wire.dry_run,
        trust: wire.trust,
        takes_edits: wire.takes_edits || wire.trust,
    })
}

fn format(wire: v1::ExchangeFormat, what: &str) -> Result<Format, Refusal> {
    match wire {
        v1::ExchangeFormat::Json => Ok(Format::Json),
        v1::ExchangeFormat::Markdown => Ok(Format::Markdown),
        v1::ExchangeFormat::Amrl => Ok(Format::Amrl),
        v1::ExchangeFormat::Unspecified => Err(Refusal::invalid(format!(
            "the {what} names no format; give json, markdown or amrl"
        ))),
    }
}

/// Writes a piece of an export.
pub(crate) fn piece(piece: Piece) -> v1::ExportPiece {
    let Piece {
        file,
        data,
        written,
        total,
        notes,
    } = piece;
    v1::ExportPiece {
        file,
        data,
        written,
        total,
        notes,
    }
}

/// Writes how far an import is; `done` with the last one.
pub(crate) fn progress(progress: Progress, done: bool) -> v1::ImportProgress {
    let Progress {
        read,
        stored,
        quarantined,
        known,
        revised,
        refused,
        conflicts,
        forgotten,
        forgotten_handles,
        bytes_read,
        bytes_whole,
        problems,
        problems_untold,
        problems_harmless,
        repeats,
        repeated,
        is_repeats_cut,
    } = progress;
    v1::ImportProgress {
        read,
        stored,
        known,
        revised,
        refused,
        problems,
        done,
        conflicts,
        bytes_read,
        bytes_whole,
        repeats,
        repeated: repeated.into_iter().map(repeat).collect(),
        is_repeats_cut,
        problems_untold,
        forgotten,
        forgotten_handles,
        problems_harmless,
        quarantined,
    }
}

fn repeat(repeat: Repeat) -> v1::Repeat {
    let Repeat {
        handle,
        of,
        similarity,
    } = repeat;
    v1::Repeat {
        handle,
        of,
        similarity,
    }
}
