#![allow(clippy::unwrap_used)]
use super::*;

const DAY_US: i64 = 86_400_000_000;

#[test]
fn a_remedy_is_proven_by_two_sessions_and_not_by_one_that_it_came_back_to() {
    for (sessions, is_proven) in [(&[1, 2][..], true), (&[1, 1], false), (&[1, 1, 2], true)] {
        let mut incident = None;
        for (hour, session) in (0..).zip(sessions) {
            let mut known = came(incident.take(), &[1], *session, hour);
            mended(&mut known, &["src/a.rs"], &[], *session, hour);
            incident = Some(known);
        }
        let proven = incident.unwrap().proven(2, "/");
        assert_eq!(proven.is_some(), is_proven, "{sessions:?}");
    }
}

#[test]
fn a_remedy_that_held_twice_is_proven() {
    let files = ["src/a.rs".to_owned()];
    let remedy = Remedy {
        session: 1,
        files: &files,
        commands: &[],
    };
    let mut incident: Option<Incident> = None;
    for day in 0..4 {
        let visit = Visit {
            tool: "cargo build",
            files: &[],
            session: 1,
            at: at(day * 24),
            is_back: day > 0,
        };
        let mut known = Incident::occurred(incident.take(), &seen(&[1]), visit);
        assert_eq!(known.proven(2, "/").is_some(), day > 1, "day {day}");
        known.mended(remedy, at(day * 24 + 1));
        incident = Some(known);
    }
    let proven = incident.unwrap().proven(2, "/").unwrap();
    assert_eq!(
        proven,
        "`cargo build` fails with \u{201c}E0382 moved\u{201d}: fixed by changing src/a.rs."
    );
}

fn at(hours: i64) -> Timestamp {
    Timestamp::from_micros(1_793_000_000_000_000 + hours * DAY_US / 24)
}

/// A mistake of which this is said.
fn seen(said: &[u64]) -> Sighting {
    let fault = Fault {
        code: "E0382".into(),
        message: "moved".into(),
        ..Fault::default()
    };
    Sighting {
        fault,
        said: said.to_vec(),
    }
}

fn came(known: Option<Incident>, said: &[u64], session: u64, hours: i64) -> Incident {
    let visit = Visit {
        tool: "cargo build",
        files: &[],
        session,
        at: at(hours),
        is_back: true,
    };
    Incident::occurred(known, &seen(said), visit)
}

fn mended(incident: &mut Incident, files: &[&str], commands: &[&str], session: u64, hours: i64) {
    let own = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    incident.mended(
        Remedy {
            session,
            files: &own(files),
            commands: &own(commands),
        },
        at(hours),
    );
}

fn told(incident: &Incident, lines: &[u64]) -> Option<String> {
    let lines: HashSet<u64> = lines.iter().copied().collect();
    let failure = Failure {
        lines: &lines,
        output: "cannot find left-pad",
        tool: "cargo build",
        files: &[],
    };
    incident
        .remedy(failure)
        .map(|told| told.shown(&TimeZone::UTC))
}

#[test]
fn a_remedy_is_told_while_it_may_hold() {
    let mut incident = came(None, &[1], 1, 0);
    assert_eq!(told(&incident, &[1]), None);
    mended(&mut incident, &["src/a.rs"], &[], 1, 0);
    let same = came(Some(incident.clone()), &[1], 1, 1);
    assert_eq!(
        told(&same, &[1]),
        None,
        "it came back to the session that did it"
    );
    let mut other = came(Some(incident.clone()), &[1], 2, 1);
    assert_eq!(
        told(&other, &[1, 9]).as_deref(),
        Some("fixed before by changing src/a.rs (2026-10-26)")
    );
    mended(&mut other, &["src/a.rs"], &[], 2, 2);
    assert_eq!(
        told(&came(Some(other.clone()), &[1], 3, 3), &[1]),
        None,
        "twice on one day"
    );
    let later = came(
        Some(Incident::read(&other.encode_to_vec()).unwrap()),
        &[1],
        3,
        30,
    );
    assert_eq!(
        told(&later, &[1]).as_deref(),
        Some("fixed before by changing src/a.rs (2026-10-26), held 1 of 2")
    );
    assert_eq!((later.occurrences(), later.fault()), (3, seen(&[]).fault));
}

#[test]
fn a_remedy_is_for_the_failure_that_says_the_same() {
    let mut incident = came(None, &[1, 2], 1, 0);
    let visit = Visit {
        tool: "cargo build",
        files: &[],
        session: 1,
        at: at(1),
        is_back: false,
    };
    incident = Incident::occurred(Some(incident), &seen(&[1, 3]), visit);
    mended(&mut incident, &["src/a.rs"], &[], 1, 2);
    let back = came(Some(incident), &[1], 2, 30);
    for (lines, is_told) in [
        (&[1, 2, 7][..], true),
        (&[1, 3], true),
        (&[1], false),
        (&[1, 4], false),
    ] {
        assert_eq!(told(&back, lines).is_some(), is_told, "{lines:?}");
    }
}

#[test]
fn commands_that_are_not_about_the_failure_are_left_out() {
    let mut incident = came(None, &[1], 1, 0);
    mended(
        &mut incident,
        &[],
        &["npm install left-pad", "git reset --hard HEAD~1"],
        1,
        0,
    );
    let back = came(Some(incident.clone()), &[1], 2, 30);
    let fix = "fixed before by running `npm install left-pad` (2026-10-26), held 1 of 1";
    assert_eq!(told(&back, &[1]).as_deref(), Some(fix));
    let mut other = came(None, &[1], 1, 0);
    mended(&mut other, &[], &["git reset --hard HEAD~1"], 1, 0);
    assert_eq!(told(&came(Some(other), &[1], 2, 30), &[1]), None);
}

#[test]
fn files_that_no_build_reads_are_left_out() {
    let mut incident = came(None, &[1], 1, 0);
    mended(&mut incident, &["README.md", "src/a.rs"], &[], 1, 0);
    let fix = "fixed before by changing src/a.rs (2026-10-26)";
    assert_eq!(
        told(&came(Some(incident), &[1], 2, 1), &[1]).as_deref(),
        Some(fix)
    );
    let mut prose = came(None, &[1], 1, 0);
    mended(&mut prose, &["README.md"], &[], 1, 0);
    assert_eq!(told(&came(Some(prose), &[1], 2, 1), &[1]), None);
}

#[test]
fn files_that_are_not_kept_are_counted() {
    let mut incident = came(None, &[1], 1, 0);
    let files: Vec<String> = (0..12).map(|n| format!("src/{n}.rs")).collect();
    incident.mended(
        Remedy {
            session: 1,
            files: &files,
            commands: &[],
        },
        at(0),
    );
    let incident = Incident::read(&incident.encode_to_vec()).unwrap();
    let told = told(&came(Some(incident), &[1], 2, 30), &[1]).unwrap();
    assert!(
        told.contains("changing src/0.rs, src/1.rs, src/2.rs and 9 more ("),
        "{told}"
    );
}

#[test]
fn damaged_and_newer_forms_are_none() {
    assert!(Incident::read(b"\xff\xff").is_none());
    assert!(
        Incident::read(
            &Incident {
                version: 2,
                ..Incident::default()
            }
            .encode_to_vec()
        )
        .is_none()
    );
}

#[test]
fn a_remedy_for_a_file_is_none_for_another_of_its_name() {
    let at_place = |file: &str| [file.to_owned()];
    let first = at_place("core/src/codec.rs");
    let came_in = |known, files: &[String], session, hours| {
        let visit = Visit {
            tool: "cargo test",
            files,
            session,
            at: at(hours),
            is_back: true,
        };
        Incident::occurred(known, &seen(&[1]), visit)
    };
    let mut incident = came_in(None, &first, 1, 0);
    mended(&mut incident, &["core/src/varint.rs"], &[], 1, 1);
    for (file, is_told) in [
        ("core/src/codec.rs", true),
        ("src/codec.rs", true),
        ("/home/b/worktree/core/src/codec.rs", true),
        ("core/src/frame.rs", true),
        ("wire/src/codec.rs", false),
    ] {
        let files = at_place(file);
        let back = came_in(Some(incident.clone()), &files, 2, 30);
        let failure = Failure {
            lines: &HashSet::from([1]),
            output: "",
            tool: "cargo test",
            files: &files,
        };
        assert_eq!(back.remedy(failure).is_some(), is_told, "{file}");
    }
}
