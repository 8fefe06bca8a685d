//! Watches over the hooks themselves: which of a project's fire, which fail, and what of it the next session is told.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use helix_engine::model::{Scope, Timestamp};
use helix_engine::policy::work::watch::{Late, Watch};
use helix_engine::strand::Request;
use helix_proto::remedy;
use prost::Message;
use serde_json::Value;

use crate::writer::WriterHandle;

/// What the keys of the persisted states begin with.
const KEY: &str = "hooks ";

/// The name of the program that hooks run.
const HOOK_PROGRAM: &str = "helix-hook";

/// Where clients keep their hooks.
const SETTINGS: [Settings; 5] = [
    Settings { is_own: false, file: ".claude/settings.json", client: "claude", flag: None },
    Settings { is_own: false, file: ".claude/settings.local.json", client: "claude", flag: Some("local") },
    Settings { is_own: false, file: ".codex/hooks.json", client: "codex", flag: None },
    Settings { is_own: true, file: ".claude/settings.json", client: "claude", flag: Some("user") },
    Settings { is_own: true, file: ".codex/hooks.json", client: "codex", flag: Some("user") },
];

/// Largest file of settings that is read.
const SETTINGS_MAX_BYTES: u64 = 1024 * 1024;

/// A file in which a client keeps hooks.
#[derive(Clone, Copy, Debug)]
struct Settings {
    /// Whether it lies below the user's home directory and not below the project.
    is_own: bool,
    file: &'static str,
    /// The client's name on the command line, and the flag that means this file.
    client: &'static str,
    flag: Option<&'static str>,
}

/// A hook as a client's settings have it.
#[derive(Debug, PartialEq, Eq)]
struct Wired {
    program: PathBuf,
    event: String,
}

/// What is known of every project's hooks.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    watches: Mutex<HashMap<String, Watch>>,
}

impl Watches {
    /// Restores what was persisted, out of all that hooks noticed.
    pub(crate) fn restore(observations: &[(String, Vec<u8>)]) -> Self {
        let read = |(key, state): &(String, Vec<u8>)| Some((key.strip_prefix(KEY)?.to_owned(), Watch::read(state)));
        Self { watches: Mutex::new(observations.iter().filter_map(read).collect()) }
    }

    /// Notes that an event's hook fired.
    pub(super) fn fired(&self, writer: &WriterHandle, scope: &Scope, event: &str, now: Timestamp) {
        self.change(writer, scope, |watch| (watch.fired(event, now), ()));
    }

    /// Notes that an event was answered with nothing because something failed.
    pub(super) fn failed(&self, writer: &WriterHandle, scope: &Scope) {
        self.change(writer, scope, |watch| {
            watch.failed();
            (true, ())
        });
    }

    /// Notes that an event's answer came too late.
    pub(super) fn was_late(
        &self,
        writer: &WriterHandle,
        scope: &Scope,
        event: &str,
        started_at: Timestamp,
        now: Timestamp,
    ) {
        self.change(writer, scope, |watch| {
            watch.was_late(event, started_at, now);
            (true, ())
        });
    }

    /// The events of all projects whose answers came too late in the last week, the latest first.
    pub(crate) fn late(&self, now: Timestamp) -> Vec<Late> {
        let watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Late> = Vec::new();
        for late in watches.values().flat_map(|watch| watch.late(now)) {
            match all.iter_mut().find(|known| known.event == late.event) {
                Some(known) => {
                    known.times = known.times.saturating_add(late.times);
                    known.after_start = known.after_start.saturating_add(late.after_start);
                    known.last_at_us = known.last_at_us.max(late.last_at_us);
                }
                None => all.push(late.clone()),
            }
        }
        all.sort_by(|a, b| b.last_at_us.cmp(&a.last_at_us).then_with(|| a.event.cmp(&b.event)));
        all
    }

    /// Notes that a session starts in a project. Returns what is worth telling it.
    pub(super) fn started(&self, writer: &WriterHandle, scope: &Scope, root: &Path, now: Timestamp) -> Vec<String> {
        let wired = wired(root);
        let is_gone = |hook: &Wired| hook.program.is_absolute() && !hook.program.exists();
        let gone = wired.iter().filter(|(_, hook)| is_gone(hook));
        let mut missing: Vec<String> = gone.map(|(settings, hook)| missing(settings, hook)).collect();
        missing.dedup();
        let events: Vec<String> = wired.into_iter().map(|(_, hook)| hook.event).collect();
        let told = self.change(writer, scope, |watch| (true, watch.started(&events, now)));
        missing.into_iter().chain(told).collect()
    }

    /// Changes a project's watch, and persists it when the change says so.
    fn change<T>(&self, writer: &WriterHandle, scope: &Scope, change: impl FnOnce(&mut Watch) -> (bool, T)) -> T {
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = watches.entry(scope.to_string()).or_default();
        let (is_due, result) = change(watch);
        if is_due {
            // Under the lock, so that the store sees the changes in their order.
            writer.write_later(Request::Observations(vec![(format!("{KEY}{scope}"), watch.encode_to_vec())]));
        }
        result
    }
}

fn missing(settings: &Settings, hook: &Wired) -> String {
    let (gone, advice) = (remedy::gone(&hook.program), remedy::connect(settings.client, settings.flag));
    format!("Helix: its hooks do not run, because {gone}; tell the user to {advice}.")
}

/// The hooks of Helix that the clients of a project are told to run, each with where. Settings that cannot be read have none.
fn wired(root: &Path) -> Vec<(Settings, Wired)> {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    let of = |settings: Settings| {
        let directory = if settings.is_own { home.as_deref() } else { Some(root) };
        let read = directory.and_then(|directory| read(&directory.join(settings.file)));
        read.map(|read| hooks(&read)).unwrap_or_default().into_iter().map(move |hook| (settings, hook))
    };
    SETTINGS.into_iter().flat_map(of).collect()
}

fn read(file: &Path) -> Option<Value> {
    let metadata = fs::metadata(file).ok()?;
    let is_fit = metadata.is_file() && metadata.len() <= SETTINGS_MAX_BYTES;
    is_fit.then(|| fs::read(file).ok()).flatten().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

/// `{"hooks": {"<event>": [{"hooks": [{"command": "/abs/helix-hook", "args": ["ambient"]}]}]}}`
fn hooks(settings: &Value) -> Vec<Wired> {
    let groups = settings.get("hooks").and_then(Value::as_object).into_iter().flat_map(serde_json::Map::values);
    let groups = groups.filter_map(Value::as_array).flatten();
    let commands = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
    commands.filter_map(wired_by).collect()
}

fn wired_by(hook: &Value) -> Option<Wired> {
    let command = hook.get("command")?.as_str()?;
    let mut words: Vec<String> = match hook.get("args").and_then(Value::as_array) {
        Some(args) => {
            std::iter::once(command).chain(args.iter().filter_map(Value::as_str)).map(str::to_owned).collect()
        }
        None => shlex::split(command)?,
    };
    let program = PathBuf::from(words.first()?);
    if program.file_name()? != HOOK_PROGRAM || words.len() < 2 {
        return None;
    }
    Some(Wired { program, event: words.swap_remove(1) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hooks_are_found_in_settings() {
        let ours = |event: &str| Wired { program: "/opt/helix-hook".into(), event: event.to_owned() };
        let settings = json!({"model": "x", "hooks": {
            "PreToolUse": [
                {"matcher": "Read", "hooks": [{"type": "command", "command": "/opt/helix-hook", "args": ["ambient", "claude"]}]},
                {"hooks": [{"type": "command", "command": "lint --all"}, {"type": "prompt"}]},
            ],
            "Stop": [{"hooks": [{"command": "/opt/helix-hook stop codex"}, {"command": "/opt/helix-hook"}]}],
            "SessionStart": "none",
        }});
        assert_eq!(hooks(&settings), [ours("ambient"), ours("stop")]);
        assert!(hooks(&json!([])).is_empty() && hooks(&json!({"hooks": 3})).is_empty());
    }
}
