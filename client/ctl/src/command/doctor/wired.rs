//! Checks that the clients that work in this directory know of Helix.

use helix_proto::remedy;

use crate::command::agent::{place, programs};
use crate::context::Context;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::wiring::{Client, Place, Programs, Scope, Target, WiringStatus, status};

/// Looks for hooks and server in each of the files that the clients read here. Where none of them
/// knows of Helix, Claude Code is said not to.
pub(super) fn examine(context: &Context) -> Vec<Finding> {
    let found = place(&context.cwd).and_then(|place| Ok((place, programs(context)?)));
    match found {
        Ok((place, programs)) => {
            let wired = Client::ALL
                .iter()
                .filter(|client| is_wired(**client, &place, &programs));
            let mut clients: Vec<Client> = wired.copied().collect();
            if clients.is_empty() {
                clients.push(Client::Claude);
            }
            clients
                .into_iter()
                .flat_map(|client| examine_client(client, &place, &programs))
                .collect()
        }
        Err(failure) => vec![Finding::failure("clients", failure.to_string())],
    }
}

/// Says of each client that reads our hooks in more than one of its files that it runs them as
/// often, and how to undo one. What cannot be read is told of by [`examine`].
pub(crate) fn wired_twice(context: &Context) -> Vec<Finding> {
    let found = place(&context.cwd).and_then(|place| Ok((place, programs(context)?)));
    let Ok((place, programs)) = found else {
        return Vec::new();
    };
    Client::ALL
        .iter()
        .filter_map(|client| twice(*client, &place, &programs))
        .collect()
}

fn twice(client: Client, place: &Place, programs: &Programs) -> Option<Finding> {
    let has_hooks = |target: &Target| {
        target.holds_hooks() && status(target, programs).is_ok_and(|found| found.has_hooks())
    };
    let of = |scope: &Scope| {
        let targets = client.targets(*scope, place).into_iter();
        targets
            .filter(has_hooks)
            .map(|target| (*scope, target))
            .collect::<Vec<_>>()
    };
    let wired: Vec<(Scope, Target)> = client.scopes().iter().flat_map(of).collect();
    if wired.len() < 2 {
        return None;
    }
    let files: Vec<String> = wired
        .iter()
        .map(|(_, target)| target.path.display().to_string())
        .collect();
    let undo: Vec<String> = wired
        .iter()
        .map(|(scope, _)| {
            format!(
                "`helixctl disconnect {} --{}`",
                client.command(),
                scope.name()
            )
        })
        .collect();
    let detail = format!(
        "wired in {}, so that they may run more than once for each event, of which Helix answers the first; run {} to undo one",
        files.join(" and in "),
        undo.join(" or ")
    );
    Some(Finding::warning(
        &format!("hooks of {}", client.name()),
        detail,
    ))
}

/// A file that cannot be understood counts as one without us; connecting to its client would say
/// so.
fn is_wired(client: Client, place: &Place, programs: &Programs) -> bool {
    let targets = client
        .scopes()
        .iter()
        .flat_map(|scope| client.targets(*scope, place));
    targets
        .into_iter()
        .any(|target| status(&target, programs).is_ok_and(|found| !found.installed.is_empty()))
}

/// One finding for each kind of file that the client has.
fn examine_client(client: Client, place: &Place, programs: &Programs) -> Vec<Finding> {
    let of = |scope: &Scope| (*scope, client.targets(*scope, place));
    let scopes: Vec<(Scope, Vec<Target>)> = client.scopes().iter().map(of).collect();
    let kinds = scopes.first().map_or(0, |(_, targets)| targets.len());
    let kind = |at: usize| {
        let targets = scopes
            .iter()
            .filter_map(|(scope, targets)| Some((*scope, targets.get(at)?)));
        let targets: Vec<(Scope, &Target)> = targets.collect();
        let name = targets
            .first()
            .map(|(_, target)| name(client, target))
            .unwrap_or_default();
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

/// Our entries in one file.
struct Found<'a> {
    scope: Scope,
    target: &'a Target,
    state: WiringStatus,
}

fn look<'a>(
    targets: &[(Scope, &'a Target)],
    programs: &Programs,
) -> Result<Vec<Found<'a>>, Failure> {
    let mut found = Vec::new();
    for &(scope, target) in targets {
        let state = status(target, programs)?;
        if !state.installed.is_empty() || !state.notes.is_empty() {
            found.push(Found {
                scope,
                target,
                state,
            });
        }
    }
    Ok(found)
}

fn judge(client: Client, name: &str, found: &[Found<'_>]) -> Finding {
    let sound = found.iter().find(|one| one.state.is_complete());
    match (sound, found.first()) {
        (Some(one), _) => Finding::ok(name, one.target.path.display().to_string()),
        (
            None,
            Some(Found {
                scope,
                target,
                state,
            }),
        ) => {
            let missing = (!state.missing.is_empty())
                .then(|| format!("{} missing", state.missing.join(", ")));
            let gone = state.stale.iter().map(|program| remedy::gone(program));
            let problems: Vec<String> = missing
                .into_iter()
                .chain(gone)
                .chain(state.notes.iter().cloned())
                .collect();
            // Whose settings `connect` takes anyway need no flag.
            let flag = (client.scopes().first() != Some(scope)).then(|| scope.name());
            let (place, advice) = (
                target.path.display(),
                remedy::connect(client.command(), flag),
            );
            Finding::warning(name, format!("{place}: {}; {advice}", problems.join("; ")))
        }
        (None, None) => {
            let advice = remedy::connect(client.command(), None);
            Finding::warning(name, format!("not installed for this project; {advice}"))
        }
    }
}
