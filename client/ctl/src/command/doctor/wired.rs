//! Whether the clients that work in this directory know of Helix.

use crate::command::agent::{place, programs};
use crate::context::Context;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::wiring::{Client, Place, Programs, Target, WiringStatus, status};

/// Looks for hooks and server in each of the files that the clients read here. Where none of them knows of Helix, Claude
/// Code is said not to.
pub(super) fn examine(context: &Context) -> Vec<Finding> {
    let found = place(&context.cwd).and_then(|place| Ok((place, programs(context)?)));
    match found {
        Ok((place, programs)) => {
            let wired = Client::ALL.iter().filter(|client| is_wired(**client, &place, &programs));
            let mut clients: Vec<Client> = wired.copied().collect();
            if clients.is_empty() {
                clients.push(Client::Claude);
            }
            clients.into_iter().flat_map(|client| examine_client(client, &place, &programs)).collect()
        }
        Err(failure) => vec![Finding::failure("clients", failure.to_string())],
    }
}

/// A file that cannot be understood counts as one without us; connecting to its client would say so.
fn is_wired(client: Client, place: &Place, programs: &Programs) -> bool {
    let targets = client.scopes().iter().flat_map(|scope| client.targets(*scope, place));
    targets.into_iter().any(|target| status(&target, programs).is_ok_and(|found| !found.installed.is_empty()))
}

/// One finding for each kind of file that the client has.
fn examine_client(client: Client, place: &Place, programs: &Programs) -> Vec<Finding> {
    let scopes: Vec<Vec<Target>> = client.scopes().iter().map(|scope| client.targets(*scope, place)).collect();
    let kinds = scopes.first().map_or(0, Vec::len);
    let kind = |at: usize| {
        let targets: Vec<&Target> = scopes.iter().filter_map(|targets| targets.get(at)).collect();
        let name = targets.first().map(|target| name(client, target)).unwrap_or_default();
        let looked = look(&targets, programs).map(|found| judge(client, &name, &found));
        looked.unwrap_or_else(|failure| Finding::failure(&name, failure.to_string()))
    };
    (0..kinds).map(kind).collect()
}

fn name(client: Client, target: &Target) -> String {
    let what = match (target.holds_hooks(), target.holds_server()) {
        (true, true) => "hooks and server",
        (true, false) => "hooks",
        (false, _) => "server",
    };
    format!("{what} in {}", client.name())
}

fn look<'a>(targets: &[&'a Target], programs: &Programs) -> Result<Vec<(&'a Target, WiringStatus)>, Failure> {
    let mut found = Vec::new();
    for target in targets {
        let found_there = status(target, programs)?;
        if !found_there.installed.is_empty() || !found_there.notes.is_empty() {
            found.push((*target, found_there));
        }
    }
    Ok(found)
}

fn judge(client: Client, name: &str, found: &[(&Target, WiringStatus)]) -> Finding {
    let sound = found.iter().find(|(_, one)| one.is_complete());
    let command = client.command();
    match (sound, found.first()) {
        (Some((target, _)), _) => Finding::ok(name, target.path.display().to_string()),
        (None, Some((target, state))) => {
            let missing = (!state.missing.is_empty()).then(|| format!("{} missing", state.missing.join(", ")));
            let gone = state.stale.iter().map(|program| format!("{} does not exist", program.display()));
            let problems: Vec<String> = missing.into_iter().chain(gone).chain(state.notes.iter().cloned()).collect();
            let place = target.path.display();
            Finding::warning(name, format!("{place}: {}; run `helixctl connect {command}`", problems.join("; ")))
        }
        (None, None) => {
            Finding::warning(name, format!("not installed for this project; run `helixctl connect {command}`"))
        }
    }
}
