//! The `post-build` and `error-context` events: what a command's failure reminds of, and what
//! mended it. What a command read is told of as a file is.

mod case;
mod module;
mod outcome;
mod place;
mod subject;
mod words;

use std::cell::LazyCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use helix_engine::{Occasion, ReadError};
use helix_memory::{Memory, WordSet};
use helix_neutral::one_line;
use helix_terminal::command::{Purpose, Run, menders, rewritten, runs_of, was_applied};
use helix_terminal::fault::{Fault, Sighting, asserted, faults, lines_of, sightings};
use helix_terminal::verdict::{self, Verdict};
use jiff::tz::TimeZone;

use self::outcome::Outcome;
use self::place::{directory_of, directory_of_line, files_of, placed};
use super::codes::codes_in;
use super::event::{ClientEvent, Input};
use super::relevant::{self, Reader};
use super::sessions::Said;
use super::trace::handles;
use super::{Context, Given, capture, exact, reading};
use crate::work::activity::Activity;
use crate::work::failing::{Failing, Mended};
use crate::work::incident::{self, Incident, Remedy, Visit};

/// Memories that one failure gets.
const MEMORIES_MAX: usize = 3;

/// Characters of a fault's line and of a command.
const LINE_MAX_CHARS: usize = 200;

/// Tools whose failures are between the client and the file system: no file of that name, no such
/// text in it, not read yet.
const FILE_TOOLS: &[&str] = &[
    "Read",
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "Glob",
    "Grep",
    "LS",
];

/// Marks of faults that are looked up.
const MARKS_MAX: usize = 6;

/// Compiles everything, so that the first failure is not answered late.
pub(super) fn warm_up() {
    helix_terminal::fault::warm_up();
    verdict::warm_up();
}

/// Gives what is known of the failure, or of what a command has read that merely reads, or has
/// patched; `None` when nothing is, and after every other success.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let input = context.input;
    if input.is_interrupt || is_clients_own(&input.tool_name, context.client) {
        let why =
            "an interrupt, or a failure between the client and its files: nothing is looked for";
        context.trace.note("command", || why.to_owned());
        return Ok(None);
    }
    let is_shell = input.tool_name == "Bash";
    let runs = if is_shell {
        input.tool_text("command").and_then(runs_of)
    } else {
        None
    };
    let Some(outcome) = Outcome::of(input, context.client) else {
        context
            .trace
            .note("command", || "nothing is said of how it went".to_owned());
        return Ok(None);
    };
    let run = runs.as_ref().map(|runs| placed(context, runs.main.clone()));
    let verdict = run
        .as_ref()
        .map_or(Verdict::Unknown, |run| outcome.verdict(run));
    let has_failed = verdict == Verdict::Failed || outcome.has_failed();
    if is_shell && !has_failed {
        context.use_command()?;
    }
    let found = if has_failed {
        faults(&outcome.output)
    } else {
        Vec::new()
    };
    context.trace.note("command", || {
        let what = run
            .as_ref()
            .map_or("no build, test or install that is known", |run| &run.tool);
        let went = if has_failed { Verdict::Failed } else { verdict };
        format!("{what}: {}", format!("{went:?}").to_lowercase())
    });
    for fault in &found {
        context.trace.note("fault", || {
            one_line(
                &fault.line(&context.project.root.to_string_lossy()),
                LINE_MAX_CHARS,
            )
        });
    }
    let beside = runs
        .map(|runs| outcome.succeeded_beside(runs, verdict))
        .unwrap_or_default();
    let beside = beside.into_iter().map(|run| placed(context, run));
    let (installed, beside): (Vec<Run>, Vec<Run>) =
        beside.partition(|run| run.purpose == Purpose::Install);
    // What was fetched mends what comes behind it, and not itself.
    installed
        .iter()
        .try_for_each(|run| succeeded(context, run))?;
    let Changed {
        own,
        patches,
        about_patches,
    } = note_changes(context, run.as_ref(), &outcome, has_failed)?;
    beside.iter().try_for_each(|run| succeeded(context, run))?;
    let notes = match (&run, verdict) {
        (Some(run), Verdict::Failed) => failed(context, run, &outcome.output, &found)?,
        (Some(run), Verdict::Succeeded) => {
            succeeded(context, run)?;
            Vec::new()
        }
        // Nobody knows how it went: what failed before still counts as failing.
        (_, Verdict::Unknown) | (None, _) => {
            // To patch is to edit, and runs nothing.
            if is_shell && (run.is_some() || patches.is_empty()) {
                context.work(Activity::command);
            }
            Vec::new()
        }
    };
    if !has_failed {
        note_menders(context, &own);
        let may_read = is_shell && run.is_none() && patches.is_empty();
        return if may_read {
            reading::give(context)
        } else {
            Ok(about_patches)
        };
    }
    if !is_shell {
        return of_tool(context, &outcome.output);
    }
    let context = &context.at(&run.as_ref().map_or_else(
        || directory_of_line(context),
        |run| directory_of(context, run),
    ));
    let memories = remembered(context, &found, &outcome)?;
    let what = run.map_or_else(
        || "this failure".to_owned(),
        |run| format!("the failure of `{}`", one_line(&run.tool, 80)),
    );
    let injection = context.frame(&format!("On {what}:"), &notes, &memories);
    Ok(Given::of(injection, &memories).if_any())
}

/// What a line changed beside what it builds and tests.
#[derive(Default)]
struct Changed {
    /// What the run itself changes, which counts once it is over.
    own: Vec<String>,
    /// The patches that it applied.
    patches: Vec<Input>,
    /// Memories about those.
    about_patches: Option<Given>,
}

/// Notes what a line changed, as far as it is certain that it did.
fn note_changes(
    context: &Context<'_>,
    run: Option<&Run>,
    outcome: &Outcome,
    has_failed: bool,
) -> Result<Changed, ReadError> {
    let mut changed = Changed::default();
    if context.input.tool_name != "Bash" {
        return Ok(changed);
    }
    if !has_failed {
        let (others, own) = menders_of(context, run);
        note_menders(context, &others);
        note_rewritten(context)?;
        changed.own = own;
    }
    let patches = reading::patched(context);
    if !patches.is_empty() && was_applied(&outcome.output, has_failed) {
        changed.about_patches = reading::give_patched(context, &patches, !has_failed)?;
        changed.patches = patches;
    }
    Ok(changed)
}

/// Returns what is known of the failure of a tool that is no shell, as one that fetches pages or is
/// another server's: only of mistakes that were made before, for its words are about anything.
fn of_tool(context: &Context<'_>, output: &str) -> Result<Option<Given>, ReadError> {
    let app = context.app;
    let mut known: Vec<(Sighting, Incident)> = Vec::new();
    for seen in sightings(output) {
        let incident =
            app.hooks
                .incidents
                .known(&app.memory.strand, &context.project.scope, &seen)?;
        if let Some(incident) = incident {
            let incident = Incident::occurred(Some(incident), &seen, visit(context, "", &[], true));
            known.push((seen, incident));
        }
    }
    let mut marks: Vec<String> = known
        .iter()
        .flat_map(|(seen, _)| seen.fault.marks())
        .collect();
    known.retain(|(seen, _)| {
        context.tells_first(Said::Warning(WordSet::text_hash(&seen.fault.fingerprint())))
    });
    let notes = helped(context, &known, output, &context.input.tool_name, &[]);
    marks.truncate(MARKS_MAX);
    let mut memories = context.awake(exact::named(context, &marks)?);
    memories.truncate(MEMORIES_MAX);
    Ok(Given::of(
        context.frame("On this failure:", &notes, &memories),
        &memories,
    )
    .if_any())
}

/// Returns whether what failed says nothing of the project.
fn is_clients_own(tool: &str, client: ClientEvent) -> bool {
    client == ClientEvent::PostToolUseFailure && FILE_TOOLS.contains(&tool)
}

/// Returns what is remembered of these faults: first the memories that name what failed, then those
/// that help with such a failure. One that names it, or quotes what it says, is given however often
/// it was of no use elsewhere.
fn remembered(
    context: &Context<'_>,
    faults: &[Fault],
    outcome: &Outcome,
) -> Result<Vec<Memory>, ReadError> {
    let ending = words::ending(&outcome.output);
    let asserted = asserted(&outcome.output);
    let marks = faults.iter().flat_map(Fault::marks);
    let marks = marks.chain(asserted.iter().cloned());
    let marks = marks.chain(codes_in(&ending));
    let marks: Vec<String> = marks.take(MARKS_MAX).collect();
    let mut memories = exact::named(context, &marks)?;
    context.trace.note("exact", || {
        format!("named {}: {}", marks.join(", "), handles(&memories))
    });
    // Most failures have no candidate that it would be compared with.
    let whole = LazyCell::new(|| words::whole(&outcome.output));
    let quotes = |memory: &Memory| case::is_quoted_in(faults, &memory.text, &whole);
    let mut found = subject::of_tested(context, &outcome.output, &asserted)?;
    found.extend(exact::having(context, &ending)?.into_iter().filter(quotes));
    found.extend(helpful(context, faults, outcome, &quotes)?);
    for memory in found {
        let is_known = memories.iter().any(|known| known.number == memory.number);
        let is_of_another = case::is_of_another(faults, &memory.text)
            || module::is_about_another(&memory.text, &whole)
            || case::names_another_test(faults, &memory.text, &whole)
            || (!quotes(&memory) && case::is_about_another(&memory.text, &whole));
        if !is_known && !is_of_another {
            memories.push(memory);
        }
    }
    memories.truncate(MEMORIES_MAX);
    Ok(memories)
}

/// The memories that help with such a failure, by what it says. Where no form fits that and nothing
/// is found, the words of the command count as well, for memories that name it: they tell what was
/// done, and not what went wrong.
fn helpful(
    context: &Context<'_>,
    faults: &[Fault],
    outcome: &Outcome,
    quotes: &dyn Fn(&Memory) -> bool,
) -> Result<Vec<Memory>, ReadError> {
    let said = words::said(faults, &outcome.output);
    let found = relevant_to(context, &said, quotes)?;
    let command = context
        .input
        .tool_text("command")
        .filter(|_| faults.is_empty() && found.is_empty());
    let Some(command) = command else {
        return Ok(found);
    };
    let mut found = relevant_to(context, &words::with_command(&said, command), quotes)?;
    found.retain(|memory| words::names_command(&memory.text, command));
    Ok(found)
}

/// The memories that are relevant to the words of a failure. One that quotes it does not rest.
fn relevant_to(
    context: &Context<'_>,
    words: &str,
    quotes: &dyn Fn(&Memory) -> bool,
) -> Result<Vec<Memory>, ReadError> {
    if words.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut found = relevant::all(context, words, Occasion::Failure, Reader::Session)?;
    found.retain(|memory| quotes(memory) || context.is_awake(memory));
    found.truncate(MEMORIES_MAX);
    Ok(found)
}

/// Records a failure. Returns what helped against its mistakes before, said once for as long as
/// they last.
fn failed(
    context: &Context<'_>,
    run: &Run,
    output: &str,
    faults: &[Fault],
) -> Result<Vec<String>, ReadError> {
    let seen = sightings(output);
    let prints: Vec<String> = seen.iter().map(|seen| seen.fault.fingerprint()).collect();
    let directory = directory_of(context, run);
    let files = files_of(context, &directory, faults.iter());
    let fresh = context.work_and_keep(true, |activity| {
        let fresh = activity.failed(run, prints, context.now);
        activity.failed_in(files);
        fresh
    });
    let places = files_of(context, &directory, seen.iter().map(|seen| &seen.fault));
    let context = &context.at(&directory);
    let app = context.app;
    let (strand, scope) = (&app.memory.strand, &context.project.scope);
    let is_fresh = |seen: &Sighting| fresh.contains(&seen.fault.fingerprint());
    let visits = || {
        seen.iter()
            .map(|seen| (seen, visit(context, &run.tool, &places, is_fresh(seen))))
    };
    let incidents: Vec<Option<Incident>> = if context.is_real() {
        let incidents =
            app.hooks
                .incidents
                .occurred(strand, &app.memory.outbox, scope, visits())?;
        incidents.into_iter().map(Some).collect()
    } else {
        let known = visits().map(|(seen, visit)| {
            let known = app.hooks.incidents.known(strand, scope, seen)?;
            Ok(known.map(|known| Incident::occurred(Some(known), seen, visit)))
        });
        known.collect::<Result<_, ReadError>>()?
    };
    let known = seen
        .iter()
        .zip(incidents)
        .filter(|(seen, _)| is_fresh(seen));
    let known: Vec<(Sighting, Incident)> = known
        .filter_map(|(seen, known)| Some((seen.clone(), known?)))
        .collect();
    Ok(helped(context, &known, output, &run.tool, &places))
}

/// A mistake's coming to this session.
fn visit<'t>(
    context: &Context<'_>,
    tool: &'t str,
    files: &'t [String],
    is_back: bool,
) -> Visit<'t> {
    Visit {
        tool,
        files,
        session: session_of(context),
        at: context.now,
        is_back,
    }
}

fn session_of(context: &Context<'_>) -> u64 {
    WordSet::text_hash(&context.input.session_id)
}

/// Returns what helped before against mistakes that came back, each deed once: several lines of an
/// output may tell of one mistake.
fn helped(
    context: &Context<'_>,
    known: &[(Sighting, Incident)],
    output: &str,
    tool: &str,
    files: &[String],
) -> Vec<String> {
    if !known.iter().any(|(_, incident)| incident.has_fixes()) {
        return Vec::new();
    }
    let mut lines: HashSet<u64> = lines_of(output);
    lines.extend(known.iter().flat_map(|(seen, _)| &seen.said));
    let failure = incident::Failure {
        lines: &lines,
        output,
        tool,
        files,
    };
    let mut deeds: Vec<String> = Vec::new();
    let mut notes = Vec::new();
    for (seen, incident) in known {
        let remedy = incident.remedy(failure);
        context.trace.note("incident", || {
            let fate = if remedy.is_some() {
                "a remedy held"
            } else {
                "no remedy held"
            };
            format!(
                "{}: seen {} times, {fate}",
                seen.fault.fingerprint(),
                incident.occurrences()
            )
        });
        let Some(remedy) = remedy else {
            continue;
        };
        if deeds.contains(&remedy.deeds()) {
            continue;
        }
        deeds.push(remedy.deeds());
        // In the words of now: the same mistake was made elsewhere, and in another checkout.
        let fault = one_line(
            &seen.fault.line(&context.project.root.to_string_lossy()),
            LINE_MAX_CHARS,
        );
        let times = match incident.occurrences() {
            1 => "once".to_owned(),
            times => format!("{times} times"),
        };
        let remedy = remedy.shown(&TimeZone::system());
        notes.push(format!(
            "{fault}: seen {times}, {}",
            one_line(&remedy, LINE_MAX_CHARS)
        ));
    }
    notes
}

/// The commands of a line that change what a build stands on: those of others, and what the run
/// itself changes, which mends what fails but not itself.
fn menders_of(context: &Context<'_>, run: Option<&Run>) -> (Vec<String>, Vec<String>) {
    let commands = context
        .input
        .tool_text("command")
        .map(menders)
        .unwrap_or_default();
    let own = run
        .filter(|run| run.purpose == Purpose::Install)
        .and_then(Run::mender);
    commands
        .into_iter()
        .partition(|command| Some(command) != own.as_ref())
}

fn note_menders(context: &Context<'_>, commands: &[String]) {
    if !commands.is_empty() {
        context.work(|activity| {
            for command in commands {
                activity.changed_by(&one_line(command, LINE_MAX_CHARS));
            }
        });
    }
}

/// Notes the files that a line wrote, as an edit of them.
fn note_rewritten(context: &Context<'_>) -> Result<(), ReadError> {
    let input = context.input;
    let words = input
        .tool_text("command")
        .map(rewritten)
        .unwrap_or_default();
    let is_temporary = |file: &PathBuf| {
        file.starts_with(std::env::temp_dir()) && !file.starts_with(&context.project.root)
    };
    let files = words.iter().map(|word| Path::new(&input.cwd).join(word));
    let is_file = |file: &PathBuf| {
        let asked = file.clone();
        context.ask_at(file, move || asked.is_file()) == Some(true)
    };
    let files = files.filter(|file| !is_temporary(file) && is_file(file));
    let files: Vec<PathBuf> = files.collect();
    if !files.is_empty() {
        context.follow_files(&files, true, &[])?;
        context.work(|activity| {
            for file in &files {
                activity.edit(&context.shown(file));
            }
        });
    }
    Ok(())
}

/// Records a success, and what was changed before it as the remedy of what had failed, in the
/// project that it is of and in the words of that.
fn succeeded(context: &Context<'_>, run: &Run) -> Result<(), ReadError> {
    let app = context.app;
    context.settle_edits(|activity| !activity.failing.is_empty());
    let mended = context.work_and_keep(true, |activity| activity.succeeded(run, context.now));
    if mended.is_empty() {
        return Ok(());
    }
    let context = &context.at(&directory_of(context, run));
    let mut gone: Vec<String> = Vec::new();
    for Mended {
        mut fingerprints,
        changed,
        commands,
    } in mended.iter().flat_map(Failing::mended)
    {
        let changed: Vec<String> = changed
            .iter()
            .map(|file| context.relative(&context.home.root.join(file)))
            .collect();
        let (scope, remedy) = (
            &context.project.scope,
            Remedy {
                session: session_of(context),
                files: &changed,
                commands: &commands,
            },
        );
        // It went away once, however many commands it was a mistake of.
        fingerprints.retain(|print| !gone.contains(print));
        gone.extend_from_slice(&fingerprints);
        if context.is_real() && !fingerprints.is_empty() {
            let mended = app.hooks.incidents.mended(
                &app.memory.strand,
                &app.memory.outbox,
                scope,
                &fingerprints,
                remedy,
                context.now,
            )?;
            capture::propose(context, &mended);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_tools_failure_is_the_clients_own() {
        let is_own = |tool: &str| is_clients_own(tool, ClientEvent::PostToolUseFailure);
        assert!(is_own("Read") && is_own("Edit") && is_own("Glob"));
        assert!(!is_own("Bash") && !is_own("mcp__db__query"));
        assert!(!is_clients_own("Read", ClientEvent::PostToolUse));
    }
}
