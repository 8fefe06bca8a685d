//! Tidying what a caller wants to save as a checkpoint, or refusing it with a reason.

use crate::error::ErrorKind;
use crate::model::Checkpoint;
use crate::policy::suspect::grave_names_of;

/// Longest task, in bytes: it is a heading.
pub const TASK_MAX_BYTES: usize = 1_024;

/// Entries of one list: more than that is a plan, which belongs into a file.
pub const ITEMS_MAX: usize = 100;

/// Longest entry of a list, and longest reason for being blocked, in bytes.
pub const ITEM_MAX_BYTES: usize = 2_048;

/// All texts of a checkpoint together, in bytes: it is read whole when a task goes on.
pub const CHECKPOINT_MAX_BYTES: usize = 32 * 1024;

/// Why a checkpoint is refused.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// No task.
    #[error("the checkpoint has no task; give `task`")]
    NoTask,
    /// A part is larger than its limit.
    #[error("the checkpoint's {field} has {actual} {unit}, the limit is {limit}; {advice}")]
    Limit {
        /// Which part.
        field: &'static str,
        /// Its size.
        actual: usize,
        /// The unit of the count.
        unit: &'static str,
        /// The most it may have.
        limit: usize,
        /// The advice.
        advice: &'static str,
    },
}

impl CheckpointError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NoTask => ErrorKind::Invalid,
            Self::Limit { .. } => ErrorKind::Exhausted,
        }
    }
}

impl Checkpoint {
    /// Returns why it may be meant to be obeyed by whoever is shown it; empty for nearly every one.
    #[must_use]
    pub fn suspicions(&self) -> Vec<String> {
        let texts: Vec<&str> = self.texts().collect();
        grave_names_of(&texts.join("\n"))
    }

    /// Trims every text and drops entries that are empty.
    ///
    /// # Errors
    /// `CheckpointError` says which part is wrong and what to do.
    pub fn admitted(self) -> Result<Checkpoint, CheckpointError> {
        let checkpoint = Checkpoint {
            task: self.task.trim().to_owned(),
            done: tidy(self.done),
            next: tidy(self.next),
            hypotheses: tidy(self.hypotheses),
            blocked: self.blocked.trim().to_owned(),
            files: tidy(self.files),
            ..self
        };
        if checkpoint.task.is_empty() {
            return Err(CheckpointError::NoTask);
        }
        check_bytes("task", &checkpoint.task, TASK_MAX_BYTES)?;
        check_bytes("`blocked`", &checkpoint.blocked, ITEM_MAX_BYTES)?;
        let lists = [
            ("`done`", &checkpoint.done),
            ("`next`", &checkpoint.next),
            ("`hypotheses`", &checkpoint.hypotheses),
            ("`files`", &checkpoint.files),
        ];
        for (field, items) in lists {
            check_items(field, items)?;
        }
        let items = lists.iter().flat_map(|(_, items)| items.iter());
        let bytes = checkpoint.task.len()
            + checkpoint.blocked.len()
            + items.map(String::len).sum::<usize>();
        check(
            "text",
            bytes,
            "bytes",
            CHECKPOINT_MAX_BYTES,
            "store what is finished as memories",
        )?;
        Ok(checkpoint)
    }
}

fn tidy(items: Vec<String>) -> Vec<String> {
    items
        .into_iter()
        .map(|item| item.trim().to_owned())
        .filter(|item| !item.is_empty())
        .collect()
}

fn check_items(field: &'static str, items: &[String]) -> Result<(), CheckpointError> {
    check(
        field,
        items.len(),
        "entries",
        ITEMS_MAX,
        "keep those that matter for going on",
    )?;
    items
        .iter()
        .try_for_each(|item| check_bytes(field, item, ITEM_MAX_BYTES))
}

fn check_bytes(field: &'static str, text: &str, limit: usize) -> Result<(), CheckpointError> {
    check(field, text.len(), "bytes", limit, "shorten it")
}

fn check(
    field: &'static str,
    actual: usize,
    unit: &'static str,
    limit: usize,
    advice: &'static str,
) -> Result<(), CheckpointError> {
    if actual <= limit {
        Ok(())
    } else {
        Err(CheckpointError::Limit {
            field,
            actual,
            unit,
            limit,
            advice,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn task(task: &str) -> Checkpoint {
        Checkpoint {
            task: task.to_owned(),
            ..Checkpoint::default()
        }
    }

    #[test]
    fn texts_are_trimmed_and_empty_entries_dropped() {
        let next = vec![
            " a ".to_owned(),
            "  ".to_owned(),
            String::new(),
            "b".to_owned(),
        ];
        let admitted = Checkpoint::admitted(Checkpoint {
            next,
            blocked: "\n".into(),
            ..task(" port it ")
        })
        .unwrap();
        assert_eq!(
            (admitted.task.as_str(), admitted.blocked.as_str()),
            ("port it", "")
        );
        assert_eq!(admitted.next, ["a", "b"]);
    }

    #[test]
    fn refusals_name_the_part_and_its_limit() {
        assert!(matches!(
            Checkpoint::admitted(task(" ")),
            Err(CheckpointError::NoTask)
        ));
        let many = Checkpoint {
            done: vec!["x".to_owned(); ITEMS_MAX + 1],
            ..task("t")
        };
        let long = Checkpoint {
            files: vec!["x".repeat(ITEM_MAX_BYTES + 1)],
            ..task("t")
        };
        let large = Checkpoint {
            next: vec!["x".repeat(ITEM_MAX_BYTES); 17],
            ..task("t")
        };
        for (checkpoint, field, limit) in [
            (task(&"x".repeat(TASK_MAX_BYTES + 1)), "task", "1024"),
            (many, "`done`", "100"),
            (long, "`files`", "2048"),
            (large, "text", "32768"),
        ] {
            let error = checkpoint.admitted().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Exhausted);
            let message = error.to_string();
            assert!(
                message.contains(field) && message.contains(limit),
                "{message}"
            );
        }
    }
}
