//! Whether the agent that works in this directory knows of Helix.

use crate::command::agent::{Agent, spec};
use crate::context::Context;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::wiring::{Part, Scope, Target, WiringStatus, status};

/// Where a part may stand.
const SCOPES: [Scope; 3] = [Scope::Project, Scope::Local, Scope::User];

/// Looks for hooks and server in each of the files that Claude Code reads here.
pub(super) fn examine(context: &Context) -> Vec<Finding> {
    [("hooks in Claude Code", Part::Hooks), ("server in Claude Code", Part::Server)]
        .into_iter()
        .map(|(name, part)| {
            examine_part(context, name, part).unwrap_or_else(|failure| Finding::failure(name, failure.to_string()))
        })
        .collect()
}

fn examine_part(context: &Context, name: &str, part: Part) -> Result<Finding, Failure> {
    let (agent, wanted) = (Agent::find(&context.cwd)?, spec(context, part)?);
    let mut found = Vec::new();
    for scope in SCOPES {
        let target = agent.target(part, scope);
        let found_there = status(&target, &wanted)?;
        if !found_there.installed.is_empty() || !found_there.notes.is_empty() {
            found.push((target, found_there));
        }
    }
    Ok(judge(name, &found))
}

fn judge(name: &str, found: &[(Target, WiringStatus)]) -> Finding {
    let sound = found.iter().find(|(_, one)| one.is_complete());
    match (sound, found.first()) {
        (Some((target, _)), _) => Finding::ok(name, target.path.display().to_string()),
        (None, Some((target, state))) => {
            let missing = (!state.missing.is_empty()).then(|| format!("{} missing", state.missing.join(", ")));
            let gone = state.stale.iter().map(|program| format!("{} does not exist", program.display()));
            let problems: Vec<String> = missing.into_iter().chain(gone).chain(state.notes.iter().cloned()).collect();
            let place = target.path.display();
            Finding::warning(name, format!("{place}: {}; run `helixctl connect claude`", problems.join("; ")))
        }
        (None, None) => Finding::warning(name, "not installed for this project; run `helixctl connect claude`"),
    }
}
