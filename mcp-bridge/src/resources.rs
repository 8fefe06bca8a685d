//! Resources: texts that a client reads without a tool.

use helix_client::v1::{EmbedderState, StatusReply, StatusRequest};
use rmcp::model::{ErrorCode, ErrorData, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};

use crate::daemon::Daemon;

/// Says what the strand is and holds.
const MANIFEST: &str = "helix://strand/manifest";

/// Longest address that an error repeats, in characters.
const URI_MAX_CHARS: usize = 200;

const JSON: &str = "application/json";

/// The resources, in the order in which they are listed.
pub(crate) fn listed() -> Vec<Resource> {
    let manifest = Resource::new(MANIFEST, "manifest")
        .with_title("Strand manifest")
        .with_description("What this memory is and holds: version, format, model, counts.")
        .with_mime_type(JSON);
    vec![manifest]
}

/// Reads a resource.
///
/// # Errors
/// Invalid parameters when there is none at this address, an internal error when the daemon does
/// not answer.
pub(crate) async fn read(daemon: &Daemon, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if uri != MANIFEST {
        return Err(unknown(uri));
    }
    let status = daemon
        .call(async |rpc| rpc.status(StatusRequest {}).await)
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let text = manifest(&status).to_string();
    let contents = ResourceContents::text(text, MANIFEST).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn unknown(uri: &str) -> ErrorData {
    let uri: String = uri.chars().take(URI_MAX_CHARS).collect();
    let message = format!("unknown resource {uri}; there is {MANIFEST}");
    ErrorData::new(ErrorCode::INVALID_PARAMS, message, None)
}

fn manifest(status: &StatusReply) -> Value {
    let memories = status.memories_by_status.iter();
    let memories: serde_json::Map<String, Value> = memories
        .map(|count| (count.name.clone(), count.count.into()))
        .collect();
    let embedder = status.embedder.clone().unwrap_or_default();
    json!({
        "strand": status.strand,
        "version": status.version,
        "schema_version": status.store_format,
        "sequence": status.sequence,
        "memories": memories,
        "topics": status.topics,
        "projects": status.projects,
        "embedding": {
            "model": embedder.model,
            "state": state(embedder.state()),
            "pending": embedder.pending,
        },
    })
}

fn state(state: EmbedderState) -> &'static str {
    match state {
        EmbedderState::Unspecified => "unknown",
        EmbedderState::Absent => "absent",
        EmbedderState::Loading => "loading",
        EmbedderState::Ready => "ready",
        EmbedderState::Failed => "failed",
        EmbedderState::Off => "off",
    }
}
