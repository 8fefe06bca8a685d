//! The scopes that a request names.

use std::collections::HashMap;

use helix_engine::{Catalog, ParsedQuery};
use helix_memory::{ErrorKind, Memory, Scope};

use crate::{App, Asker, Refusal};

/// The scopes named, by default those that the asker sees. As in a filter, none of them means
/// everywhere.
///
/// # Errors
/// When one of them cannot be read.
pub fn filtered(asker: &Asker, names: &[String]) -> Result<Vec<Scope>, Refusal> {
    let scopes = ParsedQuery::scopes_named(names, Some(&asker.project.scope), &asker.scopes());
    Ok(scopes
        .map_err(|error| Refusal::of(ErrorKind::Invalid, &error))?
        .unwrap_or_default())
}

/// Every scope that any memory ever had, by its text.
#[must_use]
pub fn by_name(catalog: &Catalog) -> HashMap<&str, Scope> {
    catalog
        .scope_names()
        .filter_map(|name| Some((name, Scope::parse(name).ok()?)))
        .collect()
}

/// The scopes named, by default those that the asker sees, each one listed.
///
/// # Errors
/// When one of them cannot be read.
pub fn listed(app: &App, asker: &Asker, names: &[String]) -> Result<Vec<Scope>, Refusal> {
    let scopes = filtered(asker, names)?;
    Ok(if scopes.is_empty() {
        app.memory.strand.catalog().all_scopes()
    } else {
        scopes
    })
}

/// Refuses what belongs to another project than the asker's.
pub(crate) fn check_seen(memory: &Memory, asker: &Asker) -> Result<(), Refusal> {
    // Examinations use the memory of an earlier one, wherever they run.
    let is_scratch = memory.scope.to_string() == Scope::SCRATCH;
    if is_scratch || asker.scopes().contains(&memory.scope) {
        return Ok(());
    }
    Err(Refusal::denied(format!(
        "{} belongs to {}, which is not seen from here; change it from inside of that project",
        memory.handle, memory.scope
    )))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::PathBuf;
    use std::sync::Arc;

    use helix_memory::{Actor, Origin};

    use super::*;
    use crate::project::Project;

    fn asker() -> Asker {
        let scope = Scope::Project("host/a/b".to_owned());
        Asker {
            actor: Actor {
                origin: Origin::Agent,
                agent: String::new(),
                session: String::new(),
                ..Actor::default()
            },
            project: Arc::new(Project {
                scope,
                root: PathBuf::from("/b"),
                name: "b".to_owned(),
                aliases: Vec::new(),
            }),
            cwd: PathBuf::from("/b"),
            zone: jiff::tz::TimeZone::UTC,
        }
    }

    #[test]
    fn scopes_are_the_askers_unless_named() {
        let named = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            filtered(&asker(), &names)
        };
        let own = Scope::Project("host/a/b".to_owned());
        assert_eq!(named(&[]).unwrap(), [own.clone(), Scope::Global]);
        assert_eq!(named(&["project"]).unwrap(), [own]);
        assert_eq!(named(&["global"]).unwrap(), [Scope::Global]);
        assert_eq!(named(&["project", "all"]).unwrap(), []);
        assert_eq!(named(&["planet"]).unwrap_err().kind(), ErrorKind::Invalid);
    }
}
