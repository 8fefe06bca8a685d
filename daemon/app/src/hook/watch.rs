//! Watches over the hooks themselves: which of a project's fire, which fail, and what of it the
//! next session is told.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use helix_memory::{Scope, Timestamp};
use helix_proto::remedy;
use helix_redact::State;
use serde_json::Value;

use super::dialect::Dialect;
use crate::outbox::{Outbox, Row};
use crate::plain_file;
use crate::work::watch::{Late, Watch};

/// Prefix of the persisted states' keys; whose hooks they are follows.
const KEY: &str = "hooks ";

/// The name of the program that hooks run.
const HOOK_PROGRAM: &str = "helix-hook";

/// Where clients keep their hooks.
const SETTINGS: [Settings; 9] = [
    Settings {
        is_own: false,
        file: ".claude/settings.json",
        client: "claude",
        flag: None,
    },
    Settings {
        is_own: false,
        file: ".claude/settings.local.json",
        client: "claude",
        flag: Some("local"),
    },
    Settings {
        is_own: false,
        file: ".codex/hooks.json",
        client: "codex",
        flag: None,
    },
    Settings {
        is_own: false,
        file: ".cursor/hooks.json",
        client: "cursor",
        flag: None,
    },
    Settings {
        is_own: false,
        file: ".gemini/settings.json",
        client: "gemini",
        flag: None,
    },
    Settings {
        is_own: true,
        file: ".claude/settings.json",
        client: "claude",
        flag: Some("user"),
    },
    Settings {
        is_own: true,
        file: ".codex/hooks.json",
        client: "codex",
        flag: Some("user"),
    },
    Settings {
        is_own: true,
        file: ".cursor/hooks.json",
        client: "cursor",
        flag: Some("user"),
    },
    Settings {
        is_own: true,
        file: ".gemini/settings.json",
        client: "gemini",
        flag: Some("user"),
    },
];

/// Projects whose hooks are watched, each client by itself: more than anybody works in within a few
/// months.
const WATCHED_MAX: usize = 1_024;

/// Largest file of settings that is read.
const SETTINGS_MAX_BYTES: u64 = 1024 * 1024;

/// A file in which a client keeps hooks.
#[derive(Clone, Copy, Debug)]
struct Settings {
    /// True if it lies below the user's home directory and not below the project.
    is_own: bool,
    file: &'static str,
    /// The client's name on the command line, and the flag that means this file.
    client: &'static str,
    flag: Option<&'static str>,
}

/// Whose hooks are watched: those of one project, and of the clients that speak alike. One client's
/// say nothing of another's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    dialect: Dialect,
    /// Names both. Claude Code's and Codex's are named by the project alone.
    key: String,
}

impl Watched {
    pub(super) fn of(dialect: Dialect, scope: &Scope) -> Self {
        let key = match dialect {
            Dialect::Claude | Dialect::Codex => scope.to_string(),
            Dialect::Cursor => format!("cursor {scope}"),
            Dialect::Gemini => format!("gemini {scope}"),
        };
        Self { dialect, key }
    }

    /// Returns whether these settings are one of those clients'.
    fn has(&self, settings: &Settings) -> bool {
        match self.dialect {
            Dialect::Claude | Dialect::Codex => matches!(settings.client, "claude" | "codex"),
            Dialect::Cursor => settings.client == "cursor",
            Dialect::Gemini => settings.client == "gemini",
        }
    }
}

/// A hook as a client's settings have it.
#[derive(Debug, PartialEq, Eq)]
struct Wired {
    program: PathBuf,
    event: String,
}

/// Knowledge of every project's hooks, by whose they are.
#[derive(Debug, Default)]
pub struct Watches {
    watches: Mutex<HashMap<String, Watch>>,
    /// Where the user's own settings are.
    home: Option<PathBuf>,
}

impl Watches {
    /// Restores what was persisted, out of all that hooks noticed. The user's own settings are
    /// below `home`.
    #[must_use]
    pub fn restore(observations: &[(String, Vec<u8>)], home: Option<PathBuf>) -> Self {
        let read = |(key, state): &(String, Vec<u8>)| {
            Some((key.strip_prefix(KEY)?.to_owned(), Watch::read(state)))
        };
        Self {
            watches: Mutex::new(observations.iter().filter_map(read).collect()),
            home,
        }
    }

    /// Notes that an event's hook fired.
    pub(super) fn fired(&self, outbox: &Outbox, watched: &Watched, event: &str, now: Timestamp) {
        self.change(outbox, watched, |watch| (watch.fired(event, now), ()));
    }

    /// Notes that an event was answered with nothing because something failed.
    pub(super) fn failed(&self, outbox: &Outbox, watched: &Watched) {
        self.change(outbox, watched, |watch| {
            watch.failed();
            (true, ())
        });
    }

    /// Notes that an event's answer came too late.
    pub(super) fn was_late(
        &self,
        outbox: &Outbox,
        watched: &Watched,
        event: &str,
        started_at: Timestamp,
        now: Timestamp,
    ) {
        self.change(outbox, watched, |watch| {
            watch.was_late(event, started_at, now);
            (true, ())
        });
    }

    /// The events of all projects whose answers came too late in the last week, the latest first.
    pub fn late(&self, now: Timestamp) -> Vec<Late> {
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
        all.sort_by(|a, b| {
            b.last_at_us
                .cmp(&a.last_at_us)
                .then_with(|| a.event.cmp(&b.event))
        });
        all
    }

    /// Returns what is to be asked about a project with this root: where its hooks are wired.
    pub(super) fn wiring(&self, root: &Path) -> impl FnOnce() -> Wiring + Send + 'static {
        let (root, home) = (root.to_owned(), self.home.clone());
        move || Wiring::of(&root, home.as_deref())
    }

    /// Notes that a session starts. Returns what is worth telling it, in words of Helix's own.
    pub(super) fn started(
        &self,
        outbox: &Outbox,
        watched: &Watched,
        wiring: Wiring,
        now: Timestamp,
    ) -> Vec<String> {
        let Wiring { wired, missing } = wiring;
        let own = wired
            .into_iter()
            .filter(|(settings, _)| watched.has(settings));
        let events: Vec<String> = own.map(|(_, hook)| hook.event).collect();
        let told = self.change(outbox, watched, |watch| (true, watch.started(&events, now)));
        missing.into_iter().chain(told).collect()
    }

    /// Changes a watch, and persists it when the change says so.
    fn change<T>(
        &self,
        outbox: &Outbox,
        whose: &Watched,
        change: impl FnOnce(&mut Watch) -> (bool, T),
    ) -> T {
        // Under the lock, so that the store sees the changes in their order.
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        let put =
            |key: &str, state: State| outbox.put(Row::Observation(format!("{KEY}{key}")), state);
        if watches.len() >= WATCHED_MAX && !watches.contains_key(&whose.key) {
            let idlest = watches
                .iter()
                .min_by_key(|(_, watch)| watch.fired_at_us())
                .map(|(key, _)| key.clone());
            if let Some(idlest) = idlest {
                watches.remove(&idlest);
                put(&idlest, State::default());
            }
        }
        let watch = watches.entry(whose.key.clone()).or_default();
        let (is_due, result) = change(watch);
        if is_due {
            put(&whose.key, State::of_message(watch.clone()));
        }
        result
    }
}

/// Where the hooks of a project are wired.
pub(super) struct Wiring {
    wired: Vec<(Settings, Wired)>,
    /// What is said of programs that do not exist.
    missing: Vec<String>,
}

impl Wiring {
    fn of(root: &Path, home: Option<&Path>) -> Self {
        let wired = wired(root, home);
        let is_gone = |hook: &Wired| hook.program.is_absolute() && !hook.program.exists();
        let gone = wired.iter().filter(|(_, hook)| is_gone(hook));
        let mut missing: Vec<String> = gone.map(|(settings, _)| missing(settings)).collect();
        missing.dedup();
        Self { wired, missing }
    }
}

/// Says where the hooks are wired, and not by which path: who wrote that may be anybody.
fn missing(settings: &Settings) -> String {
    let home = if settings.is_own { "~/" } else { "" };
    format!(
        "Helix: its hooks do not run, because the program that `{home}{}` names does not exist; tell the user to {}.",
        settings.file,
        remedy::connect(settings.client, settings.flag)
    )
}

/// The hooks of Helix that the clients of a project are told to run, each with where. Settings that
/// cannot be read have none.
fn wired(root: &Path, home: Option<&Path>) -> Vec<(Settings, Wired)> {
    let of = |settings: Settings| {
        let directory = if settings.is_own { home } else { Some(root) };
        let read = directory.and_then(|directory| read(&directory.join(settings.file)));
        read.map(|read| hooks(&read))
            .unwrap_or_default()
            .into_iter()
            .map(move |hook| (settings, hook))
    };
    SETTINGS.into_iter().flat_map(of).collect()
}

fn read(file: &Path) -> Option<Value> {
    let bytes = plain_file::read(file, SETTINGS_MAX_BYTES).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// `{"hooks": {"<event>": [{"hooks": [{"command": "/abs/helix-hook", "args": ["ambient"]}]}]}}`,
/// and without groups `{"hooks": {"<event>": [{"command": "/abs/helix-hook session cursor"}]}}`.
fn hooks(settings: &Value) -> Vec<Wired> {
    let events = settings
        .get("hooks")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(serde_json::Map::values);
    let elements = events.filter_map(Value::as_array).flatten();
    let handlers = elements.flat_map(|element| match element.get("hooks") {
        Some(group) => group.as_array().map(Vec::as_slice).unwrap_or_default(),
        None => std::slice::from_ref(element),
    });
    handlers.filter_map(wired_by).collect()
}

fn wired_by(hook: &Value) -> Option<Wired> {
    let command = hook.get("command")?.as_str()?;
    let mut words: Vec<String> = match hook.get("args").and_then(Value::as_array) {
        Some(args) => std::iter::once(command)
            .chain(args.iter().filter_map(Value::as_str))
            .map(str::to_owned)
            .collect(),
        None => shlex::split(command)?,
    };
    // In files that a project shares, a shell looks first whether the program is there.
    if words.first().is_some_and(|shell| shell == "sh")
        && words.get(3).is_some_and(|named| named == HOOK_PROGRAM)
    {
        words.drain(..3);
    }
    let program = PathBuf::from(words.first()?);
    if program.file_name()? != HOOK_PROGRAM || words.len() < 2 {
        return None;
    }
    Some(Wired {
        program,
        event: words.swap_remove(1),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hooks_are_found_in_settings() {
        let ours = |event: &str| Wired {
            program: "/opt/helix-hook".into(),
            event: event.to_owned(),
        };
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
        let lines = json!({"version": 1, "hooks": {"sessionStart": [{"command": "/opt/helix-hook session cursor"}, 3]}});
        assert_eq!(hooks(&lines), [ours("session")], "without groups");
        let guard = r#"command -v "$0" >/dev/null && exec "$0" "$@"; cat >/dev/null"#;
        let guarded = json!({"hooks": {"Stop": [{"hooks": [
            {"command": "sh", "args": ["-c", guard, "helix-hook", "stop"]},
            {"command": format!("sh -c '{guard}' helix-hook session cursor")},
            {"command": "sh", "args": ["-c", "lint", "all"]},
        ]}]}});
        let by_name = |event: &str| Wired {
            program: "helix-hook".into(),
            event: event.to_owned(),
        };
        assert_eq!(hooks(&guarded), [by_name("stop"), by_name("session")]);
    }

    #[test]
    fn every_client_is_watched_for_itself() {
        let scope = Scope::Project("p".to_owned());
        let of = |dialect| {
            let watched = Watched::of(dialect, &scope);
            let settings = SETTINGS
                .iter()
                .filter(|settings| watched.has(settings))
                .map(|settings| settings.client);
            let mut clients: Vec<&str> = settings.collect();
            clients.sort_unstable();
            clients.dedup();
            (watched.key.clone(), clients.join(" "))
        };
        let expected = |key: &str, clients: &str| (key.to_owned(), clients.to_owned());
        assert_eq!(of(Dialect::Claude), expected("project:p", "claude codex"));
        assert_eq!(of(Dialect::Cursor), expected("cursor project:p", "cursor"));
        assert_eq!(of(Dialect::Gemini), expected("gemini project:p", "gemini"));
    }

    #[test]
    fn a_missing_program_is_told_of_without_its_path() {
        let user = SETTINGS
            .iter()
            .find(|settings| settings.is_own && settings.client == "gemini");
        assert_eq!(
            user.map(missing).unwrap_or_default(),
            "Helix: its hooks do not run, because the program that `~/.gemini/settings.json` names does not exist; \
             tell the user to run `helixctl connect gemini --user`."
        );
    }
}
