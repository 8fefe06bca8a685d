//! Bringing the memories of a root's files up to what the files say now.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use helix_engine::{Request, Stamps, Step, StepChange, Strand};
use helix_memory::{
    Actor, Admitted, Edit, EditedFields as Fields, GitContext, Memory, Origin, Provenance, Scope,
    Sourced, Status, Timestamp,
};

use super::files::{self, File, Files};
use super::rows::{self, Row};
use super::sections::{self, Section};
use super::{FILE, HASH, Report, SECTION, SHOWN_BY, whose};
use crate::capture::known::{Known, Waiting};
use crate::project::plain;
use crate::threads::wait;
use crate::{App, Refusal};

/// What the provenance names as having found them.
const EXTRACTOR: &str = "files";

/// Requests that are handed to the writer at once.
const REQUESTS_MAX: usize = 128;

/// Reasons that stand in the history.
const WHY_GONE: &str = "its section is no longer in the file that it was read from";
const WHY_CHANGED: &str = "its section of the file that it was read from changed";
const WHY_BACK: &str = "its section is in the file again that it was read from";
const WHY_OFF: &str = "reading the file that it was read from was switched off";

/// A section as it would be stored.
struct Now<'f> {
    file: &'f File,
    source: &'f str,
    section: Section,
    admitted: Admitted,
}

/// Reads the files of a root and changes what changed.
///
/// # Errors
/// When the store fails.
pub(super) fn follow(app: &App, mut row: Row) -> Result<Report, Refusal> {
    let mut report = Report::default();
    let Some(is_there) = files::is_there(&app.memory.reach, &row.root) else {
        report.note(format!("{} does not answer", super::shown(&row.root)));
        return Ok(report);
    };
    let home = app.hooks.captures.memories.home();
    let whose = whose(app, &row);
    let mut found = files::read_all(app, &whose, &home);
    let watched = &app.hooks.captures.memories.watched;
    watched.put(&row, std::mem::take(&mut found.seen));
    let digest = digest(&found);
    if digest == row.digest {
        return Ok(report);
    }
    let sources: Vec<String> = found
        .files
        .iter()
        .map(|file| source(&row, &file.path))
        .collect();
    let kept = kept_unseen(app, &row, &found);
    let removed = of_gone_files(app, &row, &found, &kept)?;
    let departures = departures(app, &row.scope, &removed, WHY_GONE);
    report.removed += departures.memories;
    let mut requests = departures.requests;
    let mut arrivals = Vec::new();
    for (file, source) in found.files.iter().zip(&sources) {
        let now = sections_of(app, &row.scope, file, source);
        let compared = compare(app, &row, now, known(app, source, &file.path)?, &mut report);
        requests.extend(compared.requests);
        arrivals.extend(compared.arrivals);
    }
    let has_departures = report.removed > 0;
    // First, so that what takes the place of another finds it gone.
    submit(app, requests)?;
    store(app, &row.scope, arrivals, &mut report)?;
    let mut files: Vec<rows::File> = kept.into_iter().cloned().collect();
    files.extend(found.files.iter().zip(sources).map(kept_file));
    row.files = files;
    row.digest = digest;
    row.at = app.memory.now();
    row.notes.clone_from(&found.notes);
    found.notes.into_iter().for_each(|note| report.note(note));
    if row.files.is_empty() && !is_there {
        watched.remove(&row);
        row.remove(app)?;
    } else {
        row.keep(app)?;
    }
    if has_departures {
        compare_others_again(app, &row)?;
    }
    Ok(report)
}

fn kept_file((file, source): (&File, String)) -> rows::File {
    rows::File {
        path: file.path.clone(),
        source,
        client: file.place.client.clone(),
        is_import: file.is_import,
    }
}

/// The memories of files that were read before and are no longer found.
fn of_gone_files(
    app: &App,
    row: &Row,
    found: &Files,
    kept: &[&rows::File],
) -> Result<Vec<Memory>, Refusal> {
    let is_found = |file: &rows::File| found.files.iter().any(|now| now.path == file.path);
    let mut memories = Vec::new();
    for file in &row.files {
        if !is_found(file) && !kept.contains(&file) {
            memories.extend(known(app, &file.source, &file.path)?);
        }
    }
    Ok(memories)
}

/// Takes out of the indexes whatever was read from a root.
///
/// # Errors
/// When the store fails.
pub(super) fn drop_all(app: &App, row: &Row) -> Result<Report, Refusal> {
    let mut all = Vec::new();
    for file in &row.files {
        all.extend(known(app, &file.source, &file.path)?);
    }
    let departures = departures(app, &row.scope, &all, WHY_OFF);
    let report = Report {
        removed: departures.memories,
        ..Report::default()
    };
    submit(app, departures.requests)?;
    app.hooks.captures.memories.watched.remove(row);
    row.remove(app)?;
    compare_others_again(app, row)?;
    Ok(report)
}

/// The memories that were read from a file.
///
/// # Errors
/// When the disk fails.
pub(super) fn known(app: &App, source: &str, path: &Path) -> Result<Vec<Memory>, Refusal> {
    let strand = &app.memory.strand;
    let numbers = strand.catalog().of_source(source);
    let path = path.to_string_lossy();
    let mut memories = strand.memories(&numbers)?;
    memories.retain(|memory| {
        memory
            .attributes
            .get(FILE)
            .is_some_and(|file| *file == path)
    });
    Ok(memories)
}

/// Files that were read before and that nobody can say anything about now. One that is there and was
/// not found was not listed: then nobody knows what it imports, either.
fn kept_unseen<'r>(app: &App, row: &'r Row, found: &Files) -> Vec<&'r rows::File> {
    let reach = &app.memory.reach;
    let is_found = |file: &rows::File| {
        let path = &file.path;
        found.left_out.contains(path) || found.files.iter().any(|now| now.path == *path)
    };
    let missing = row.files.iter().filter(|file| !is_found(file));
    let may_be_there: Vec<&rows::File> = missing
        .filter(|file| files::is_there(reach, &file.path) != Some(false))
        .collect();
    let is_unsure = !found.unknown.is_empty() || may_be_there.iter().any(|file| !file.is_import);
    if is_unsure { may_be_there } else { Vec::new() }
}

/// A file's path as its memories name it.
fn source(row: &Row, path: &Path) -> String {
    let below = plain(path);
    let inside = below.strip_prefix(&row.root).ok();
    let named = inside.filter(|_| row.scope != Scope::Global);
    named.unwrap_or(&below).to_string_lossy().into_owned()
}

/// A hash of all that was found. It begins with the version of what is made of that.
fn digest(found: &Files) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    for file in &found.files {
        hasher.update(file.path.as_os_str().as_encoded_bytes());
        hasher.update(blake3::hash(&file.bytes).as_bytes());
    }
    for note in &found.notes {
        hasher.update(note.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The sections of a file that can be stored.
fn sections_of<'f>(app: &App, scope: &Scope, file: &'f File, source: &'f str) -> Vec<Now<'f>> {
    let kinds = app.memory.strand.kinds();
    let admitted = |mut section: Section| {
        let draft = std::mem::take(&mut section.draft);
        match Admitted::of(draft, scope, kinds) {
            Ok(admitted) => Some(Now {
                file,
                source,
                section,
                admitted,
            }),
            Err(error) => {
                tracing::debug!(%error, "a section of a file was not admitted");
                None
            }
        }
    };
    let sections = sections::split(file, source, scope).into_iter();
    sections.filter_map(admitted).collect()
}

/// What is to be done about a file.
#[derive(Default)]
struct Compared<'f> {
    requests: Vec<Request>,
    arrivals: Vec<Now<'f>>,
}

/// Compares the sections of a file with the memories that were read from it.
fn compare<'f>(
    app: &App,
    row: &Row,
    sections: Vec<Now<'f>>,
    known: Vec<Memory>,
    report: &mut Report,
) -> Compared<'f> {
    let section_of = |memory: &Memory| memory.attributes.get(SECTION).cloned().unwrap_or_default();
    let mut by_section: HashMap<String, Memory> = known
        .into_iter()
        .map(|memory| (section_of(&memory), memory))
        .collect();
    let mut compared = Compared::default();
    for now in sections {
        let Some(memory) = by_section.remove(&now.section.key) else {
            compared.arrivals.push(now);
            continue;
        };
        let changed = change(app, row, &memory, &now, report);
        compared.requests.extend(changed);
    }
    let left: Vec<Memory> = by_section.into_values().collect();
    let departures = departures(app, &row.scope, &left, WHY_GONE);
    report.removed += departures.memories;
    compared.requests.extend(departures.requests);
    compared
}

/// What is to be done about a memory whose section is there.
fn change(
    app: &App,
    row: &Row,
    memory: &Memory,
    now: &Now<'_>,
    report: &mut Report,
) -> Vec<Request> {
    if memory.status == Status::Forgotten {
        report.forgotten += 1;
        return Vec::new();
    }
    let is_same = memory.attributes.get(HASH) == Some(&hash(&now.admitted));
    let (edits, why) = match (memory.status, is_same) {
        (Status::Pruned, _) if is_forgotten(app, &now.admitted) => {
            report.forgotten += 1;
            return Vec::new();
        }
        (Status::Pruned, true) => (arrival(memory), WHY_BACK),
        (_, true) => return Vec::new(),
        _ if is_forgotten(app, &now.admitted) => {
            report.forgotten += 1;
            (departure(memory), WHY_GONE)
        }
        (_, false) => (revisions(memory, now, app.memory.now()), WHY_CHANGED),
    };
    match why {
        WHY_BACK => report.restored += 1,
        WHY_CHANGED => report.revised += 1,
        _ => report.removed += 1,
    }
    let actor = actor(&row.scope, &now.file.place.client);
    one_by_one(memory, edits, why, &actor, app.memory.now())
}

/// How a memory comes back that left the indexes: into the review where it was there.
fn arrival(memory: &Memory) -> Vec<Vec<Edit>> {
    if Origin::awaits_review(Origin::Import, &memory.suspicions) {
        vec![vec![turned(memory, Status::Quarantined)]]
    } else {
        vec![vec![Edit::Restore]]
    }
}

/// What makes a memory say what its section says now, and puts it where a new one of that text would
/// be: into use, or into the review.
fn revisions(memory: &Memory, now: &Now<'_>, at: Timestamp) -> Vec<Vec<Edit>> {
    let awaits_review = Origin::awaits_review(Origin::Import, &now.admitted.suspicions);
    match (memory.status, awaits_review) {
        (Status::Active, false) => vec![revision(now)],
        (Status::Quarantined, _) | (_, true) => {
            let mut revised = memory.clone();
            revised.status = Status::Quarantined;
            for edit in revision(now) {
                if let Err(error) = edit.apply(&mut revised, at) {
                    tracing::debug!(%error, "a section of a file was not followed");
                    return Vec::new();
                }
            }
            revised.valid_to = None;
            let status = if awaits_review {
                Status::Quarantined
            } else {
                Status::Active
            };
            vec![vec![turned(&revised, status)]]
        }
        (Status::Superseded | Status::Archived | Status::Pruned | Status::Forgotten, false) => {
            vec![vec![Edit::Restore], revision(now)]
        }
    }
}

/// Puts a memory into or out of the review, which no other edit does without a person's word.
fn turned(memory: &Memory, status: Status) -> Edit {
    let to = Memory {
        status,
        ..memory.clone()
    };
    Edit::Revert { to: Box::new(to) }
}

/// What makes a memory say what its section says now. Nobody vouches for that.
fn revision(now: &Now<'_>) -> Vec<Edit> {
    let admitted = &now.admitted;
    let seen = admitted.source.clone().map(|reference| Sourced {
        reference,
        line: now.section.line.map(|line| line.to_string()),
        project: None,
    });
    let revise = Edit::Revise {
        text: admitted.text.clone(),
        seen: seen.map(Box::new),
    };
    let fields = Fields {
        origin: Some(Origin::Import),
        attributes: attributes(now),
        ..Fields::default()
    };
    vec![revise, Edit::Set(Box::new(fields))]
}

/// Memories that leave the indexes.
struct Departures {
    memories: usize,
    requests: Vec<Request>,
}

/// What takes memories out of the indexes.
fn departures(app: &App, scope: &Scope, memories: &[Memory], why: &str) -> Departures {
    let mut departures = Departures {
        memories: 0,
        requests: Vec::new(),
    };
    for memory in memories {
        let client = memory.provenance.last();
        let client = client.map(|provenance| provenance.agent.as_str());
        let actor = actor(scope, client.unwrap_or_default());
        let edits = departure(memory);
        departures.memories += usize::from(!edits.is_empty());
        let requests = one_by_one(memory, edits, why, &actor, app.memory.now());
        departures.requests.extend(requests);
    }
    departures
}

/// How a memory leaves the indexes, or the review, without a tombstone, so that it may come back.
/// In one step: an archived one that somebody recalls before it is pruned would come into use again.
fn departure(memory: &Memory) -> Vec<Vec<Edit>> {
    match memory.status {
        Status::Active | Status::Archived | Status::Quarantined => {
            vec![vec![turned(memory, Status::Pruned)]]
        }
        Status::Superseded | Status::Forgotten | Status::Pruned => Vec::new(),
    }
}

/// A request for each group of edits: those of one group must not need each other, because all of
/// them are tried on what is stored before the first.
fn one_by_one(
    memory: &Memory,
    edits: Vec<Vec<Edit>>,
    why: &str,
    actor: &Actor,
    at: Timestamp,
) -> Vec<Request> {
    let step = |edit| {
        let change = StepChange::Edit {
            number: memory.number,
            edit,
            expected: None,
        };
        Step::new(change, why)
    };
    let request = |group: Vec<Edit>| Request::Together {
        steps: group.into_iter().map(step).collect(),
        actor: actor.clone(),
        at,
    };
    edits.into_iter().map(request).collect()
}

/// Stores the sections that are new.
fn store(
    app: &App,
    scope: &Scope,
    arrivals: Vec<Now<'_>>,
    report: &mut Report,
) -> Result<(), Refusal> {
    let mut requests = Vec::new();
    let mut waiting = Waiting::default();
    for now in arrivals {
        let admitted = &now.admitted;
        if is_forgotten(app, admitted) {
            report.forgotten += 1;
            continue;
        }
        let (text, hash) = (&admitted.text, admitted.text_hash);
        if waiting.has(app, text, hash, &admitted.scope)? || is_known(app, admitted)? {
            report.known += 1;
            continue;
        }
        waiting.note(text, hash, &admitted.scope);
        report.stored += 1;
        requests.push(request(app, scope, now));
    }
    submit(app, requests)
}

fn is_forgotten(app: &App, admitted: &Admitted) -> bool {
    let scope = admitted.scope.to_string();
    let stone = app.memory.strand.forgotten_section(&admitted.text, &scope);
    stone.is_some()
}

/// Returns whether a section says what is known. One that corrects a memory does not.
fn is_known(app: &App, admitted: &Admitted) -> Result<bool, Refusal> {
    let known = Known::of(app, admitted, Origin::Import)?;
    Ok(matches!(known, Known::Same))
}

fn request(app: &App, scope: &Scope, now: Now<'_>) -> Request {
    let at = app.memory.now();
    let client = &now.file.place.client;
    let provenance = Provenance {
        agent: client.clone(),
        reference: now.source.to_owned(),
        extractor: EXTRACTOR.to_owned(),
        origin: Origin::Import,
        at,
        git: GitContext::default(),
    };
    let status = if Origin::awaits_review(Origin::Import, &now.admitted.suspicions) {
        Status::Quarantined
    } else {
        Status::Active
    };
    let stamps = Stamps {
        origin: Some(Origin::Import),
        status: Some(status),
        provenance: vec![provenance],
        attributes: attributes(&now),
        ..Stamps::default()
    };
    Request::Store {
        words: Box::new(Strand::read_words(&now.admitted)),
        actor: actor(scope, client),
        admitted: Box::new(now.admitted),
        links: Vec::new(),
        stamps: Some(Box::new(stamps)),
        force: false,
        corrects: Vec::new(),
        entropy: app.memory.randomness.entropy(),
        at,
    }
}

/// What a memory keeps of its section.
fn attributes(now: &Now<'_>) -> BTreeMap<String, String> {
    let section = &now.section;
    let path = now.file.path.to_string_lossy().into_owned();
    let mut attributes = BTreeMap::from([
        (FILE.to_owned(), path),
        (SECTION.to_owned(), section.key.clone()),
        (HASH.to_owned(), hash(&now.admitted)),
        (SHOWN_BY.to_owned(), section.shown_by.clone()),
    ]);
    if let Some(line) = section.line {
        attributes.insert(Memory::ATTRIBUTE_LINE.to_owned(), line.to_string());
    }
    attributes
}

fn hash(admitted: &Admitted) -> String {
    format!("{:016x}", admitted.text_hash)
}

fn actor(scope: &Scope, client: &str) -> Actor {
    let project = match scope {
        Scope::Global => String::new(),
        own => own.to_string(),
    };
    Actor {
        origin: Origin::Import,
        agent: client.to_owned(),
        session: String::new(),
        project,
        git: GitContext::default(),
    }
}

/// Has requests written. One that is refused costs the others nothing: it is tried again when the
/// file changes.
fn submit(app: &App, mut requests: Vec<Request>) -> Result<(), Refusal> {
    while !requests.is_empty() {
        let rest = requests.split_off(requests.len().min(REQUESTS_MAX));
        for outcome in wait(app.writer.submit_when_free(requests)?)? {
            if let Err(error) = outcome {
                tracing::debug!(%error, "a section of a file was not followed");
            }
        }
        requests = rest;
    }
    Ok(())
}

/// Has the other roots of a scope compared again: what they had in common with what went may be
/// theirs alone now.
fn compare_others_again(app: &App, gone: &Row) -> Result<(), Refusal> {
    let mut seen: HashSet<PathBuf> = HashSet::from([gone.root.clone()]);
    for mut row in rows::all(app)? {
        let is_other = row.scope == gone.scope && seen.insert(row.root.clone());
        if is_other && !row.digest.is_empty() {
            row.digest.clear();
            row.keep(app)?;
        }
    }
    Ok(())
}
