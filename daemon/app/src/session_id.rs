//! Which session is meant by an id or by the beginning of one.

use std::collections::BTreeSet;
use std::time::Duration;

use helix_engine::StoreError;
use helix_neutral::quoted;
use helix_redact::redacted;

use crate::{App, Refusal};

/// Characters of a beginning that names a session.
const PREFIX_MIN_CHARS: usize = 4;

/// Operations looked at, from the newest: reading so many takes some hundredths of a second. What a
/// session did before them is not known.
pub(crate) const LOOKED_AT_MAX: usize = 20_000;

/// How long a session may be idle before it counts as over.
pub(crate) const SESSION_MAX: Duration = Duration::from_hours(4);

pub(crate) const SECONDS_OF_HOUR: u64 = 3_600;

/// Characters of an unknown session's id that an error repeats.
const SHOWN_MAX_CHARS: usize = 80;

/// Sessions that an error lists.
const CANDIDATES_MAX: usize = 5;

/// Finds the session that is meant, among those that hooks told of, those that changed something
/// lately, and `others`.
pub(crate) fn resolve(
    app: &App,
    given: &str,
    others: impl IntoIterator<Item = String>,
) -> Result<String, Refusal> {
    // As it is kept.
    let given = redacted(given);
    let given = given.as_ref();
    let now = app.memory.now();
    if app.hooks.sessions.is_known(given, now) {
        return Ok(given.to_owned());
    }
    let mut known = changed(app)?;
    known.extend(
        app.hooks
            .sessions
            .known(now)
            .into_iter()
            .map(|session| session.key),
    );
    known.extend(others);
    meant(given, &known)?.ok_or_else(|| unknown(given))
}

fn unknown(given: &str) -> Refusal {
    let hours = SESSION_MAX.as_secs() / SECONDS_OF_HOUR;
    let shown = quoted(&given.chars().take(SHOWN_MAX_CHARS).collect::<String>());
    Refusal::not_found(format!(
        "no session {shown} is known: no hook told of it in the last {hours} hours, and none of the last \
         {LOOKED_AT_MAX} changes is its own; list the sessions for their ids, and give {PREFIX_MIN_CHARS} characters or more"
    ))
}

/// The sessions in the newest history.
fn changed(app: &App) -> Result<BTreeSet<String>, StoreError> {
    let snapshot = app.memory.strand.snapshot()?;
    let operations = snapshot.operations_backwards()?.take(LOOKED_AT_MAX);
    operations
        .map(|operation| Ok(operation?.actor.session))
        .collect()
}

/// The one session that is meant, if there is any.
fn meant(given: &str, known: &BTreeSet<String>) -> Result<Option<String>, Refusal> {
    if known.contains(given) {
        return Ok(Some(given.to_owned()));
    }
    if given.chars().count() < PREFIX_MIN_CHARS {
        return Ok(None);
    }
    // A subagent is named by its session's id and its own.
    let is_meant =
        |id: &&String| id.starts_with(given) && (given.contains('/') || !id.contains('/'));
    let mut fitting = known
        .range(given.to_owned()..)
        .take_while(|id| id.starts_with(given))
        .filter(is_meant);
    match (fitting.next(), fitting.next()) {
        (None, _) => Ok(None),
        (Some(one), None) => Ok(Some(one.clone())),
        (Some(one), Some(other)) => {
            let more = fitting.clone().count().saturating_sub(CANDIDATES_MAX - 2);
            let named: Vec<&str> = [one, other]
                .into_iter()
                .chain(fitting.take(CANDIDATES_MAX - 2))
                .map(String::as_str)
                .collect();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            Err(Refusal::invalid(format!(
                "{} begins the ids of several sessions: {}{more}; give more of the one that is meant",
                quoted(given),
                named.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_memory::ErrorKind;

    use super::*;

    #[test]
    fn the_beginning_of_one_id_is_enough() {
        let known: BTreeSet<String> = ["", "abcd", "abcdef", "abcdef/agent", "abcxyz", "ffff-1"]
            .into_iter()
            .map(str::to_owned)
            .collect();
        for (given, expected) in [
            ("abcd", Some("abcd")),
            ("abcde", Some("abcdef")),
            ("abcx", Some("abcxyz")),
            ("ffff", Some("ffff-1")),
            ("abcdef/", Some("abcdef/agent")),
            ("fff", None),
            ("gggg", None),
        ] {
            assert_eq!(
                meant(given, &known).unwrap().as_deref(),
                expected,
                "{given}"
            );
        }
    }

    #[test]
    fn several_are_listed() {
        let known: BTreeSet<String> = (0..8).map(|n| format!("abcd-{n}")).collect();
        let error = meant("abcd", &known).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.message(),
            "\"abcd\" begins the ids of several sessions: abcd-0, abcd-1, abcd-2, abcd-3, abcd-4 and 3 more; give more of \
             the one that is meant"
        );
    }
}
