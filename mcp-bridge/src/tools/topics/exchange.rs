//! Memories as JSON, out and in.

use helix_client::limits::CALL_DEADLINE;
use helix_client::v1::helix_client::HelixClient;
use helix_client::v1::{
    Caller, ExchangeFormat, ExportPiece, ExportRequest, ImportPiece, ImportProgress,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;
use tonic::transport::Channel;
use tonic::{Status, Streaming};

use crate::arguments::{Document, Text, Words};
use crate::daemon::{CallError, Daemon};
use crate::failure::Failure;
use crate::render::{self, EXPORT_READ_MAX_BYTES, Exported};

/// Most bytes of one piece of an import.
const PIECE_MAX_BYTES: usize = 256 * 1024;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Export {
    topic: Words,
    scope: Words,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Import {
    /// an export, at most 4 MiB
    json: Document,
    #[serde(default)]
    scope: Text,
}

impl Export {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let pieces = daemon
            .call(async move |rpc| rpc.export(request.clone()).await)
            .await?;
        let exported = in_time(collect(pieces)).await?;
        render::exported(&exported)
    }

    fn request(self, caller: Caller) -> ExportRequest {
        ExportRequest {
            caller: Some(caller),
            format: ExchangeFormat::Json.into(),
            scopes: self.scope.0,
            topics: self.topic.0,
        }
    }
}

impl Import {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let pieces = self.pieces(caller);
        let send = async move |rpc: &mut HelixClient<Channel>| {
            rpc.import(tokio_stream::iter(pieces.clone())).await
        };
        let progress = daemon.call(send).await?;
        let last = in_time(last(progress)).await?;
        Ok(render::imported(last.as_ref()))
    }

    /// The document in pieces; the first one says what it is.
    fn pieces(self, caller: Caller) -> Vec<ImportPiece> {
        let chunks = self.json.0.as_bytes().chunks(PIECE_MAX_BYTES);
        let mut pieces: Vec<ImportPiece> = chunks
            .map(|data| ImportPiece {
                data: data.to_vec(),
                ..ImportPiece::default()
            })
            .collect();
        if let Some(first) = pieces.first_mut() {
            first.caller = Some(caller);
            first.format = ExchangeFormat::Json.into();
            first.scope = self.scope.0;
        }
        pieces
    }
}

/// Reads an export until its end, or until it is too large to be shown.
async fn collect(mut pieces: Streaming<ExportPiece>) -> Result<Exported, Status> {
    let mut exported = Exported::default();
    while let Some(piece) = pieces.message().await? {
        exported.total = piece.total;
        exported.data.extend(piece.data);
        exported.notes.extend(piece.notes);
        if exported.data.len() > EXPORT_READ_MAX_BYTES {
            exported.is_too_large = true;
            break;
        }
    }
    Ok(exported)
}

async fn last(mut progress: Streaming<ImportProgress>) -> Result<Option<ImportProgress>, Status> {
    let mut last: Option<ImportProgress> = None;
    while let Some(message) = progress
        .message()
        .await
        .map_err(|status| account(status, last.as_ref()))?
    {
        last = Some(message);
    }
    Ok(last)
}

/// Why an import ended early, with what it stored until then.
fn account(status: Status, last: Option<&ImportProgress>) -> Status {
    match last {
        Some(last) if last.stored + last.revised > 0 => {
            let (message, stored, revised) = (status.message(), last.stored, last.revised);
            let told = format!(
                "{message}; {stored} memories were stored and {revised} changed until then, import again to go on"
            );
            Status::new(status.code(), told)
        }
        _ => status,
    }
}

async fn in_time<T>(reading: impl Future<Output = Result<T, Status>>) -> Result<T, CallError> {
    let late = || {
        Status::deadline_exceeded(
            "the daemon did not finish in time; use `helixctl` for large files",
        )
    };
    let result = timeout(CALL_DEADLINE, reading)
        .await
        .unwrap_or_else(|_| Err(late()));
    result.map_err(|status| CallError::Refused(Box::new(status)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::super::samples::{read, shown};
    use super::super::Topics;
    use super::*;

    fn pieces(given: &Value) -> Vec<ImportPiece> {
        match read(given).unwrap() {
            Topics::Import(import) => import.pieces(Caller::default()),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn an_export_is_restricted() {
        let given = json!({"action": "export", "topic": "iris-*, build", "scope": "all"});
        let Topics::Export(export) = read(&given).unwrap() else {
            unreachable!("an export is asked for");
        };
        insta::assert_snapshot!(
            shown(&export.request(Caller::default())),
            @r#"ExportRequest { format: Json, scopes: ["all"], topics: ["iris-*", "build"] }"#
        );
    }

    #[test]
    fn an_import_is_cut_into_pieces() {
        let text = "x".repeat(PIECE_MAX_BYTES + 1);
        let pieces = pieces(&json!({"action": "import", "json": text, "scope": "global"}));
        assert_eq!(
            pieces
                .iter()
                .map(|piece| piece.data.len())
                .collect::<Vec<_>>(),
            [PIECE_MAX_BYTES, 1]
        );
        let first = pieces.first().unwrap();
        assert_eq!(
            (first.format(), first.scope.as_str()),
            (ExchangeFormat::Json, "global")
        );
        assert!(first.caller.is_some());
        assert!(pieces.get(1).unwrap().caller.is_none());
    }

    #[test]
    fn a_document_may_be_given_as_json_or_as_text() {
        let document = json!({"memories": [{"topic": "a", "text": "b"}]});
        for given in [document.clone(), document.to_string().into()] {
            let data: Vec<u8> = pieces(&json!({"action": "import", "json": given}))
                .into_iter()
                .flat_map(|piece| piece.data)
                .collect();
            assert_eq!(serde_json::from_slice::<Value>(&data).unwrap(), document);
        }
    }
}
