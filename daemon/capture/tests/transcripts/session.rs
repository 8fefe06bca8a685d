//! Sessions as they are told in `tests/fixtures/sessions`, in no client's format: what was said and
//! done, the facts that must come out of it, and phrases that must not.

use std::path::Path;

use helix_capture::{Deed, Slice, SliceKind, Speaker};
use serde::Deserialize;

/// A session.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) directory: String,
    pub(crate) branch: String,
    /// Readings of files are put between the steps until the transcript is as long.
    #[serde(default)]
    pub(crate) padded_to_bytes: usize,
    pub(crate) steps: Vec<Told>,
    pub(crate) must: Vec<Fact>,
    pub(crate) must_not: Vec<String>,
}

/// A fact that has to come out of a session.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fact {
    pub(crate) kind: String,
    /// All of them stand in its text.
    pub(crate) phrases: Vec<String>,
}

/// Something said or done.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Told {
    User {
        user: String,
    },
    Assistant {
        assistant: String,
    },
    Run {
        run: String,
        output: String,
        exit: i32,
        /// How often the output is repeated.
        #[serde(default)]
        repeated: usize,
    },
    Refused {
        edit: String,
        old: String,
        new: String,
        said: String,
    },
    Edit {
        edit: String,
        old: String,
        new: String,
        #[serde(default)]
        fails: bool,
    },
    /// What Helix gave to the client.
    Injected {
        injected: String,
    },
    /// What the client reminds the assistant of.
    Reminder {
        reminder: String,
    },
    /// A compaction's summary.
    Summary {
        summary: String,
    },
    /// A subagent's prompt and answer.
    Subagent {
        subagent: [String; 2],
    },
}

impl Told {
    /// The output of a command, as often as it is printed.
    pub(crate) fn output(&self) -> String {
        match self {
            Self::Run {
                output, repeated, ..
            } => output.repeat((*repeated).max(1)),
            _ => String::new(),
        }
    }
}

/// What a reader has to say of a step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Turn(Speaker, String),
    Run {
        line: String,
        output: String,
        exit: Option<i32>,
        is_failed: bool,
    },
    Edit {
        files: Vec<String>,
        change: String,
        is_failed: bool,
    },
}

impl Said {
    pub(crate) fn of(slice: &Slice) -> Self {
        match slice.deed.clone() {
            Some(Deed::Command {
                line,
                output,
                exit,
                is_failed,
                ..
            }) => Self::Run {
                line,
                output,
                exit,
                is_failed,
            },
            Some(Deed::Edit {
                files,
                change,
                is_failed,
            }) => Self::Edit {
                files,
                change,
                is_failed,
            },
            None => {
                assert_eq!(slice.kind, SliceKind::Turn);
                Self::Turn(slice.speaker, slice.text.clone())
            }
        }
    }
}

impl Session {
    /// Every session of the fixtures.
    pub(crate) fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions");
        let mut files: Vec<_> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let sessions: Vec<Self> = files.iter().map(|file| Self::of(file)).collect();
        assert!(sessions.len() >= 12, "only {} sessions", sessions.len());
        sessions
    }

    fn of(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).unwrap();
        let session = serde_json::from_str::<Self>(&text);
        assert!(session.is_ok(), "{}: {session:?}", file.display());
        let session = session.unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        Self { name, ..session }
    }

    /// Returns what a reader has to say of it; `is_told` when the format tells how calls ended.
    pub(crate) fn expected(&self, is_told: bool) -> Vec<Said> {
        let said = self.steps.iter().filter_map(|step| match step {
            Told::User { user } => Some(Said::Turn(Speaker::User, user.clone())),
            Told::Assistant { assistant } => {
                Some(Said::Turn(Speaker::Assistant, assistant.clone()))
            }
            Told::Run { run, exit, .. } => Some(Said::Run {
                line: run.clone(),
                output: if is_told {
                    step.output().trim_end().to_owned()
                } else {
                    String::new()
                },
                exit: is_told.then_some(*exit),
                is_failed: is_told && *exit != 0,
            }),
            Told::Edit {
                edit,
                old,
                new,
                fails,
            } => Some(Said::Edit {
                files: vec![edit.clone()],
                change: change(old, new),
                is_failed: is_told && *fails,
            }),
            Told::Refused { said, .. } => Some(Said::Turn(Speaker::User, said.clone())),
            Told::Injected { .. }
            | Told::Reminder { .. }
            | Told::Summary { .. }
            | Told::Subagent { .. } => None,
        });
        said.collect()
    }
}

/// Removed and added lines.
pub(crate) fn change(old: &str, new: &str) -> String {
    let removed = old.lines().map(|line| format!("-{line}\n"));
    let added = new.lines().map(|line| format!("+{line}\n"));
    removed.chain(added).collect()
}
