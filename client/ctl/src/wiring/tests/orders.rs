//! Scopes, projects and clients that come and go in any order: each is there or not, and nothing is
//! left of the last.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::clients::{texts, tree};
use super::random::cases;
use super::*;
use crate::wiring::Change;
use crate::wiring::undo::hash;

/// The directories of two projects.
const PROJECTS: [&str; 2] = ["project", "other"];

/// One that comes and goes: a client, in a scope of a project.
type Seat = (Client, Scope, &'static str);

impl World {
    fn with_two_projects() -> Self {
        let world = Self::new();
        fs::create_dir(world.path("other")).unwrap();
        world
    }

    fn targets(&self, (client, scope, project): Seat) -> Vec<Target> {
        client.targets(
            scope,
            &Place {
                project: self.path(project),
                ..self.place()
            },
        )
    }

    fn local(&self, project: &'static str) -> Target {
        self.targets((Client::Claude, Scope::Local, project))
            .remove(1)
    }

    /// Everything that may be wired, which is all but what Helix keeps for itself.
    fn wired(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        ["home", "project", "other"]
            .iter()
            .flat_map(|directory| tree(&self.path(directory)))
            .collect()
    }

    fn change(&self, comes: bool, seat: Seat) -> Vec<Report> {
        let (targets, helix) = (self.targets(seat), self.path("helix"));
        let plan = if comes {
            Plan::install(&targets, &programs(), &helix)
        } else {
            Plan::uninstall(&targets, &helix)
        };
        let plan = plan.unwrap();
        plan.write().unwrap();
        plan.reports()
    }

    fn is_wired(&self, seat: Seat) -> bool {
        let statuses = self
            .targets(seat)
            .into_iter()
            .map(|target| crate::wiring::status(&target, &programs()).unwrap());
        let (whole, none): (Vec<bool>, Vec<bool>) = statuses
            .map(|status| (status.missing.is_empty(), status.installed.is_empty()))
            .unzip();
        assert!(
            whole.iter().all(|is| *is) || none.iter().all(|is| *is),
            "{seat:?} is wired in part"
        );
        whole.iter().all(|is| *is)
    }
}

/// The seats of one client, or of all.
fn seats(only: Option<Client>) -> Vec<Seat> {
    let clients = Client::ALL
        .into_iter()
        .filter(|client| only.is_none_or(|only| only == *client));
    let scopes =
        clients.flat_map(|client| client.scopes().iter().map(move |scope| (client, *scope)));
    let seats = scopes.flat_map(|(client, scope)| {
        let projects = if scope == Scope::User {
            1
        } else {
            PROJECTS.len()
        };
        PROJECTS
            .into_iter()
            .take(projects)
            .map(move |project| (client, scope, project))
    });
    seats.collect()
}

proptest! {
    // Each case syncs many files.
    #![proptest_config(cases(24))]

    #[test]
    fn whoever_comes_and_goes_leaves_the_others_and_at_last_nothing(
        only in prop_oneof![
            3 => Just(Some(Client::Claude)),
            2 => select(Client::ALL.to_vec()).prop_map(Some),
            1 => Just(None),
        ],
        present in prop::collection::vec(any::<Index>(), 8),
        steps in prop::collection::vec((any::<bool>(), any::<Index>()), 1..12),
        last in any::<Index>(),
    ) {
        let world = World::with_two_projects();
        let seats = seats(only);
        let files = seats.iter().flat_map(|seat| world.targets(*seat));
        for (target, which) in files.zip(present.iter().cycle()) {
            let forms = texts(&target);
            if let Some(text) = forms.get(which.index(forms.len() + 1)) {
                put(&target, text.as_bytes());
            }
        }
        let before = world.wired();
        let mut wired = BTreeSet::new();
        for (comes, which) in steps {
            let at = which.index(seats.len());
            let reports = world.change(comes, seats[at]);
            prop_assert!(reports.iter().flat_map(|report| &report.notes).all(|note| !note.contains("edited")));
            if comes { wired.insert(at); } else { wired.remove(&at); }
            for (at, seat) in seats.iter().enumerate() {
                prop_assert_eq!(world.is_wired(*seat), wired.contains(&at), "{:?}", seat);
            }
            prop_assert!(!wired.is_empty() || world.wired() == before);
        }
        let mut rest: Vec<usize> = wired.into_iter().collect();
        let count = rest.len();
        rest.rotate_left(last.index(count + 1));
        for at in rest {
            world.change(false, seats[at]);
        }
        prop_assert_eq!(world.wired(), before);
        let kept = fs::read_dir(world.path("helix/wiring")).map_or(0, Iterator::count);
        prop_assert_eq!(kept, 0);
    }
}

#[test]
fn a_file_that_several_scopes_made_goes_with_the_last() {
    let [first, second] = PROJECTS;
    for orders in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let world = World::with_two_projects();
        let targets = [
            world.server(Scope::User),
            world.local(first),
            world.local(second),
        ];
        for target in &targets {
            world.install(target);
        }
        let changes: Vec<Change> = orders
            .iter()
            .map(|at| world.uninstall(&targets[*at]).change)
            .collect();
        assert_eq!(changes[2], Change::Deleted, "{orders:?}: {changes:?}");
        assert!(!targets[0].path.exists(), "{orders:?}");
    }
}

#[test]
fn what_somebody_edits_while_several_are_connected_stays() {
    for last_goes_first in [true, false] {
        let world = World::with_two_projects();
        let mut targets = [world.server(Scope::User), world.local("other")];
        put(
            &targets[0],
            b"{\n  \"numStartups\": 3,\n  \"projects\": { }\n}\n",
        );
        for target in &targets {
            world.install(target);
        }
        let text = fs::read_to_string(&targets[0].path).unwrap();
        fs::write(
            &targets[0].path,
            text.replace("\"numStartups\": 3", "\"numStartups\": 4"),
        )
        .unwrap();
        if last_goes_first {
            targets.reverse();
        }
        for target in &targets {
            let report = world.uninstall(target);
            assert_eq!(
                (report.change, report.notes.len()),
                (Change::Cleaned, 1),
                "{report:?}"
            );
        }
        let left = fs::read_to_string(&targets[0].path).unwrap();
        assert_eq!(left, "{\n  \"numStartups\": 4,\n  \"projects\": { }\n}\n");
    }
}

#[test]
fn what_the_client_made_before_a_later_scope_came_stays() {
    let world = World::with_two_projects();
    let (user, local) = (world.server(Scope::User), world.local("other"));
    put(&user, b"{\n  \"a\": 1\n}\n");
    world.install(&user);
    let kept =
        json!({world.path("other").to_str().unwrap(): {"allowedTools": [], "mcpServers": {}}});
    let text = fs::read_to_string(&user.path)
        .unwrap()
        .replace("\"a\": 1", &format!("\"projects\": {kept}"));
    fs::write(&user.path, &text).unwrap();
    world.install(&local);
    assert_eq!(world.uninstall(&local).change, Change::Cleaned);
    assert_eq!(fs::read_to_string(&user.path).unwrap(), text);
    assert_eq!(world.uninstall(&user).change, Change::Cleaned);
    assert_eq!(
        fs::read_to_string(&user.path).unwrap(),
        format!("{{\n  \"projects\": {kept}\n}}\n")
    );
}

#[test]
fn an_edit_that_is_taken_back_was_none() {
    let world = World::with_two_projects();
    let targets = [world.server(Scope::User), world.local("other")];
    put(&targets[0], b"{ }");
    for target in &targets {
        world.install(target);
    }
    let both = fs::read(&targets[0].path).unwrap();
    fs::write(&targets[0].path, "{}").unwrap();
    fs::write(&targets[0].path, both).unwrap();
    for target in &targets {
        world.uninstall(target);
    }
    assert_eq!(fs::read(&targets[0].path).unwrap(), b"{ }");
}

#[test]
fn an_original_with_entries_of_another_scope_is_told_of() {
    let world = World::with_two_projects();
    let (user, local) = (world.server(Scope::User), world.local("other"));
    let by_hand = plan_install(None, &local, &programs())
        .unwrap()
        .text
        .replace(BRIDGE, "/old/helix-mcp");
    put(&user, by_hand.as_bytes());
    world.install(&user);
    world.install(&local);
    world.uninstall(&local);
    let report = world.uninstall(&user);
    assert_eq!(
        (report.change, report.notes.len()),
        (Change::Restored, 1),
        "{report:?}"
    );
    assert!(report.notes[0].contains("other settings"), "{report:?}");
    assert_eq!(fs::read_to_string(&user.path).unwrap(), by_hand);
}

/// A record as it was written when there was one for each level of a file.
const FIRST_FORMAT: &str = include_str!("golden/record-1.json");

#[test]
fn a_record_of_the_first_format_is_understood() {
    let world = World::new();
    let target = world.server(Scope::Project);
    let wired = plan_install(Some("{ }"), &target, &programs())
        .unwrap()
        .text;
    put(&target, wired.as_bytes());
    let real = target.path.canonicalize().unwrap();
    let record = FIRST_FORMAT
        .replace("HASH", &hash(wired.as_bytes()))
        .replace("PATH", real.to_str().unwrap());
    fs::create_dir_all(world.path("helix/wiring")).unwrap();
    let name = hash(real.to_str().unwrap().as_bytes()) + ".json";
    fs::write(world.path("helix/wiring").join(name), record).unwrap();
    assert_eq!(world.uninstall(&target).change, Change::Restored);
    assert_eq!(fs::read(&target.path).unwrap(), b"{ }");
}
