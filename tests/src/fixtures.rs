//! Recorded inputs of real clients' hooks and MCP servers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::HookClient;

/// One client's input to one hook.
#[derive(Clone, Debug)]
pub struct HookSample {
    /// Client and event, e.g. `claude-2.1.330/PreToolUse-Read`.
    pub name: String,
    /// The bytes on stdin.
    pub stdin: Vec<u8>,
    /// The same, read.
    pub input: Value,
}

impl HookSample {
    /// The client's name of the event.
    #[must_use]
    pub fn event(&self) -> &str {
        self.input["hook_event_name"].as_str().unwrap_or_default()
    }

    /// Who wrote it; `None` for a client that is not known.
    #[must_use]
    pub fn client(&self) -> Option<HookClient> {
        HookClient::ALL
            .into_iter()
            .find(|client| self.name.starts_with(client.name()))
    }
}

/// Reads every hook sample, in a fixed order.
///
/// # Errors
/// When the samples cannot be read, or there are none.
pub fn hook_samples() -> Result<Vec<HookSample>> {
    let mut samples = Vec::new();
    for client in sorted(&place("hooks"))? {
        for path in sorted(&client)? {
            let stdin = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            let input = serde_json::from_slice(&stdin)
                .with_context(|| format!("parsing {}", path.display()))?;
            let named = |path: &Path| {
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            };
            let name = format!(
                "{}/{}",
                named(&client),
                named(&path).trim_end_matches(".json")
            );
            samples.push(HookSample { name, stdin, input });
        }
    }
    ensure!(!samples.is_empty(), "there are no hook samples");
    Ok(samples)
}

/// Finds one hook sample of Claude Code by its event, e.g. `PreToolUse-Read`.
///
/// # Errors
/// When there is none.
pub fn claude_hook(name: &str) -> Result<HookSample> {
    let is_it = |sample: &HookSample| {
        sample.name.starts_with("claude-") && sample.name.ends_with(&format!("/{name}"))
    };
    hook_samples()?
        .into_iter()
        .find(is_it)
        .with_context(|| format!("there is no sample of {name}"))
}

/// Lists one MCP client's messages, without the answers that its server gave.
///
/// # Errors
/// When the transcript cannot be read.
pub fn client_messages(transcript: &str) -> Result<Vec<Value>> {
    let path = place("mcp-wire").join(format!("{transcript}.jsonl"));
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let lines = text
        .lines()
        .map(serde_json::from_str::<Value>)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(lines
        .into_iter()
        .filter(|line| line["dir"] == "c2s")
        .map(|mut line| line["msg"].take())
        .collect())
}

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

fn sorted(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("listing {}", directory.display()))?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
