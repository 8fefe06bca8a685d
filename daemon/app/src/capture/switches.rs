//! Where something is captured, such as sessions when they end: nowhere, until somebody switches it
//! on.
//!
//! The narrowest switch decides: a paused session, a path, a project, everything, and the setting in
//! the configuration. Where that is `false` no switch counts.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

use helix_engine::{Request, States};
use helix_memory::Timestamp;
use helix_redact::{Redact, Secrets, State};
use prost::Message;

use super::transcript::write;
use crate::project::Project;
use crate::{App, Refusal};

/// The row that keeps the switches of sessions, and their setting in the configuration.
const KEY: &str = "capture-switches";
const SETTING: &str = "transcripts";

/// Most switches: those of paths and projects are set by hand. Of sessions the latest stay.
const SWITCHES_MAX: usize = 1_000;
const PAUSES_MAX: usize = 100;

/// What a switch is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Every project.
    Everything,
    /// A project.
    Project {
        /// Its scope as text.
        scope: String,
        /// Its name, for people; empty where it was not kept.
        name: String,
    },
    /// What lies at or below a path.
    Path(PathBuf),
    /// One session, by its id. It can only be paused.
    Session(String),
}

impl Which {
    /// Says it in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Everything => "every project".to_owned(),
            Self::Project { scope, name } if name.is_empty() => scope.clone(),
            Self::Project { name, .. } => format!("project {name}"),
            Self::Path(path) => format!("path {}", path.display()),
            Self::Session(session) => format!("session {session}"),
        }
    }

    /// Whether it is for the same as another one, whatever that is called.
    fn is_for_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Project { scope, .. }, Self::Project { scope: others, .. }) => scope == others,
            (Self::Project { .. } | Self::Everything | Self::Path(_) | Self::Session(_), _) => {
                self == other
            }
        }
    }
}

/// A switch that somebody set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// What it is for.
    pub which: Which,
    /// What it says.
    pub is_on: bool,
    /// When it was set.
    pub at: Timestamp,
}

/// Whether something is captured, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether it is.
    pub is_on: bool,
    /// Which setting says so.
    pub why: String,
}

/// Every switch, in RAM and in one row of the store.
#[derive(Debug)]
pub struct Switches {
    /// The row's name.
    key: &'static str,
    /// The setting's name in the configuration.
    setting: &'static str,
    all: RwLock<Vec<Switch>>,
    /// Held while one is set, so that two that are set at once are both kept. Hooks never wait
    /// for it.
    changing: Mutex<()>,
}

impl Default for Switches {
    fn default() -> Self {
        Self::named(KEY, SETTING)
    }
}

#[derive(Clone, PartialEq, Message)]
struct SwitchesV1 {
    #[prost(message, repeated, tag = "1")]
    switches: Vec<SwitchV1>,
}

#[derive(Clone, PartialEq, Message)]
struct SwitchV1 {
    /// 0 everything, 1 a project, 2 a path, 3 a session.
    #[prost(uint32, tag = "1")]
    sort: u32,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(bool, tag = "3")]
    is_on: bool,
    #[prost(sint64, tag = "4")]
    at_us: i64,
    /// What people call the project.
    #[prost(string, tag = "5")]
    called: String,
}

impl Redact for SwitchesV1 {
    fn redact(&mut self, secrets: &mut Secrets) {
        for switch in &mut self.switches {
            let SwitchV1 {
                sort: _,
                name,
                is_on: _,
                at_us: _,
                called,
            } = switch;
            secrets.said(name);
            secrets.said(called);
        }
    }
}

impl Switches {
    /// None yet, of a setting in the configuration, kept in a row of its own.
    pub(super) fn named(key: &'static str, setting: &'static str) -> Self {
        Self {
            key,
            setting,
            all: RwLock::default(),
            changing: Mutex::default(),
        }
    }

    /// Returns those that the store keeps among its observations.
    #[must_use]
    pub fn restore(observations: &[(String, Vec<u8>)]) -> Self {
        let switches = Self::default();
        switches.take(observations);
        switches
    }

    /// Takes those that the store keeps among its observations.
    pub(super) fn take(&self, observations: &[(String, Vec<u8>)]) {
        let row = observations.iter().find(|(key, _)| key == self.key);
        let row = row.and_then(|(_, row)| SwitchesV1::decode(row.as_slice()).ok());
        let switches = row.unwrap_or_default().switches;
        self.put(switches.into_iter().filter_map(read).collect());
    }

    fn put(&self, switches: Vec<Switch>) {
        *self.all.write().unwrap_or_else(PoisonError::into_inner) = switches;
    }

    /// Every switch.
    #[must_use]
    pub fn all(&self) -> Vec<Switch> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }

    /// Returns whether something in a directory of a project is captured. `configured` is what the
    /// configuration says.
    #[must_use]
    pub fn standing(
        &self,
        configured: Option<bool>,
        project: &Project,
        directory: &Path,
        session: &str,
    ) -> Standing {
        let standing = |is_on, why: &str| Standing {
            is_on,
            why: why.to_owned(),
        };
        let set = |value| format!("`{} = {value}` in config.toml", self.setting);
        if configured == Some(false) {
            return standing(false, &set(false));
        }
        let switches = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let fits = |switch: &&Switch| match &switch.which {
            Which::Everything => true,
            Which::Project { scope, .. } => project.names().any(|name| name.to_string() == *scope),
            Which::Path(path) => directory.starts_with(path),
            Which::Session(named) => !session.is_empty() && named == session,
        };
        let narrowest = switches
            .iter()
            .filter(fits)
            .max_by_key(|switch| narrow(switch));
        match (narrowest, configured) {
            (Some(switch), _) => {
                let verb = if switch.is_on { "on" } else { "off" };
                let which = match &switch.which {
                    Which::Project { .. } => format!("project {}", project.name),
                    other => other.words(),
                };
                standing(switch.is_on, &format!("switched {verb} for {which}"))
            }
            (None, Some(true)) => standing(true, &set(true)),
            (None, Some(false) | None) => standing(false, "nobody switched it on"),
        }
    }
}

/// How narrow a switch is: of paths the longest.
fn narrow(switch: &Switch) -> (u8, usize) {
    match &switch.which {
        Which::Everything => (0, 0),
        Which::Project { .. } => (1, 0),
        Which::Path(path) => (2, path.components().count()),
        Which::Session(_) => (3, 0),
    }
}

/// Sets a switch, durably.
///
/// # Errors
/// When there are too many, a session is switched on, or the disk fails.
pub fn set(app: &App, switches: &Switches, which: Which, is_on: bool) -> Result<(), Refusal> {
    let changing = switches.changing.lock();
    let _changing = changing.unwrap_or_else(PoisonError::into_inner);
    let mut next = switches.all();
    next.retain(|switch| !switch.which.is_for_same(&which));
    let is_session = matches!(which, Which::Session(_));
    // A session that is no longer paused goes by what holds for its project.
    if !(is_session && is_on) {
        let at = app.memory.now();
        next.push(Switch { which, is_on, at });
    }
    drop_oldest_pauses(&mut next);
    if next.len() > SWITCHES_MAX {
        return Err(Refusal::exhausted(format!(
            "there are {SWITCHES_MAX} switches already; switch capture for a directory above"
        )));
    }
    write(app, vec![request(switches.key, &next)])?;
    switches.put(next);
    Ok(())
}

fn drop_oldest_pauses(switches: &mut Vec<Switch>) {
    let is_pause = |switch: &Switch| matches!(switch.which, Which::Session(_));
    let mut surplus = switches.iter().filter(|switch| is_pause(switch)).count();
    surplus = surplus.saturating_sub(PAUSES_MAX);
    switches.retain(|switch| {
        let goes = surplus > 0 && is_pause(switch);
        surplus -= usize::from(goes);
        !goes
    });
}

fn request(key: &str, switches: &[Switch]) -> Request {
    let switches = switches.iter().map(written).collect();
    let row = State::of_message(SwitchesV1 { switches });
    Request::States(States::Observations, vec![(key.to_owned(), row)])
}

fn written(switch: &Switch) -> SwitchV1 {
    let (sort, name, called) = match &switch.which {
        Which::Everything => (0, String::new(), String::new()),
        Which::Project { scope, name } => (1, scope.clone(), name.clone()),
        Which::Path(path) => (2, path.to_string_lossy().into_owned(), String::new()),
        Which::Session(session) => (3, session.clone(), String::new()),
    };
    SwitchV1 {
        sort,
        name,
        called,
        is_on: switch.is_on,
        at_us: switch.at.as_micros(),
    }
}

/// Reads a switch; `None` for one of a later version.
fn read(row: SwitchV1) -> Option<Switch> {
    let which = match row.sort {
        0 => Which::Everything,
        1 => Which::Project {
            scope: row.name,
            name: row.called,
        },
        2 => Which::Path(PathBuf::from(row.name)),
        3 => Which::Session(row.name),
        _ => return None,
    };
    Some(Switch {
        which,
        is_on: row.is_on,
        at: Timestamp::from_micros(row.at_us),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_memory::Scope;

    use super::*;

    fn project() -> Project {
        Project {
            scope: Scope::Project("a".to_owned()),
            root: PathBuf::from("/work/a"),
            name: "a".to_owned(),
            aliases: Vec::new(),
        }
    }

    fn project_switch() -> Which {
        Which::Project {
            scope: "project:a".to_owned(),
            name: "a".to_owned(),
        }
    }

    fn switches(all: &[(Which, bool)]) -> Switches {
        let at = Timestamp::from_micros(0);
        let switch = |(which, is_on): &(Which, bool)| Switch {
            which: which.clone(),
            is_on: *is_on,
            at,
        };
        let switches = Switches::default();
        switches.put(all.iter().map(switch).collect());
        switches
    }

    #[test]
    fn the_narrowest_switch_decides() {
        let all = switches(&[
            (Which::Session("s".to_owned()), false),
            (Which::Path("/work/a/private".into()), false),
            (Which::Path("/work/a/private/open".into()), true),
            (project_switch(), true),
            (Which::Everything, false),
        ]);
        let is_on = |directory: &str, session: &str| {
            let directory = Path::new(directory);
            all.standing(None, &project(), directory, session).is_on
        };
        assert!(is_on("/work/a", "t"));
        assert!(!is_on("/work/a", "s"));
        assert!(!is_on("/work/a/private/x", "t"));
        assert!(is_on("/work/a/private/open", "t"));
        assert!(is_on("/work/a/private-not", "t"));
        let other = Project::outside(Path::new("/tmp"));
        let elsewhere = all.standing(None, &other, Path::new("/tmp"), "t");
        assert_eq!(elsewhere.why, "switched off for every project");
    }

    #[test]
    fn nothing_is_on_by_itself_and_the_configuration_may_forbid_it() {
        let none = switches(&[]);
        let standing = |all: &Switches, transcripts| {
            all.standing(transcripts, &project(), Path::new("/work/a"), "s")
        };
        assert_eq!(standing(&none, None).why, "nobody switched it on");
        assert!(standing(&none, Some(true)).is_on);
        let on = switches(&[(Which::Everything, true)]);
        assert!(standing(&on, None).is_on);
        assert!(!standing(&on, Some(false)).is_on);
    }

    #[test]
    fn switches_round_trip() {
        let all = switches(&[
            (Which::Everything, true),
            (project_switch(), false),
            (Which::Path("/work/a".into()), true),
            (Which::Session("s".to_owned()), false),
        ]);
        let Request::States(_, rows) = request(KEY, &all.all()) else {
            unreachable!("it is one row of states");
        };
        let (key, state) = rows.first().unwrap();
        let again = Switches::restore(&[(key.clone(), state.to_vec())]);
        assert_eq!(again.all(), all.all());
    }

    #[test]
    fn of_many_pauses_the_latest_stay() {
        let mut many: Vec<Switch> = switches(&[(Which::Everything, true)]).all();
        for n in 0..PAUSES_MAX + 2 {
            many.extend(switches(&[(Which::Session(n.to_string()), false)]).all());
        }
        drop_oldest_pauses(&mut many);
        assert_eq!(many.len(), PAUSES_MAX + 1);
        assert!(many.iter().any(|switch| switch.which == Which::Everything));
        assert!(
            !many
                .iter()
                .any(|switch| switch.which == Which::Session("1".to_owned()))
        );
    }
}
