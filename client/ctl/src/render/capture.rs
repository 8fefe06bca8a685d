//! What is captured, and what an import kept.

use helix_client::text::memory::count_of;
use helix_client::text::memory::size;
use helix_client::v1::{
    CaptureAsked, CaptureFile, CaptureFiles, CaptureLine, CaptureReply, CaptureSetting,
    CaptureSummary,
};

use super::provider::dollars;
use super::table::{Field, TEXT, rows};
use crate::screen::{Look, Paint};
use crate::text::one_line;
use crate::time::day;

/// Where to look at what was kept.
const REVIEW: &str = "look at them: helixctl review (--all for every project)";

/// How to have what was found beyond the limit of a session.
const MORE: &str = "have them for review: helixctl capture import --more";

/// Says in one line whether sessions are captured here.
pub(crate) fn capture_standing(reply: &CaptureReply) -> String {
    let standing = if reply.on { "on" } else { "off" };
    format!("capture is {standing} here: {}\n", one_line(&reply.why))
}

/// Says what was switched, and whether sessions are captured here by now: another session, path or
/// project may be meant.
pub(crate) fn capture_switched(reply: &CaptureReply, pause: Option<&Paused>) -> String {
    let here = capture_standing(reply);
    let switched = match pause {
        Some(paused) => paused.said(),
        None => match reply.switches.iter().max_by_key(|switch| switch.at_us) {
            Some(newest) => switched(newest),
            None => String::new(),
        },
    };
    if switched.is_empty() || reply.why == switched.trim_end() {
        return here;
    }
    switched + &here
}

/// A session that was paused or goes on, where it is not the shell's own.
#[derive(Debug)]
pub(crate) struct Paused {
    /// Its id.
    pub(crate) session: String,
    /// Whether its pause ended.
    pub(crate) goes_on: bool,
}

impl Paused {
    fn said(&self) -> String {
        let session = one_line(&self.session);
        if self.goes_on {
            format!("session {session} is paused no longer; what holds for its project holds\n")
        } else {
            format!("session {session} is paused: nothing of it is captured; other sessions:\n")
        }
    }
}

fn switched(switch: &CaptureSetting) -> String {
    let verb = if switch.on { "on" } else { "off" };
    format!("switched {verb} for {}\n", one_line(&switch.which))
}

/// Writes what is captured, why, and what was kept.
pub(crate) fn capture(look: Look, reply: &CaptureReply) -> String {
    let mut text = capture_standing(reply);
    if reply.waiting > 0 {
        let waiting = count_of(u64::from(reply.waiting), "session waits", "sessions wait");
        text.push_str(&format!("{waiting} to be distilled\n"));
    }
    for switch in &reply.switches {
        let switched = switched(switch);
        let at = day(switch.at_us);
        text.push_str(&format!("{} on {at}\n", switched.trim_end()));
    }
    text.push('\n');
    let recorded = reply.recordings.iter().map(|recording| {
        let standing = if recording.on { "on" } else { "off" };
        vec![
            Field::from(one_line(&recording.name)),
            standing.to_owned().into(),
            format!("{} kept", recording.kept).into(),
            one_line(&recording.what).into(),
            one_line(&recording.why).into(),
        ]
    });
    text.push_str(&rows(look, &[], recorded.collect()));
    if !reply.kept.is_empty() {
        text.push('\n');
        text.push_str(&lines(look, &[], &reply.kept, Source::Transcripts, false));
        let (judged, dropped) = judged(&reply.kept);
        if judged > 0 {
            let slices = count_of(judged, "slice", "slices");
            let share = percent(dropped, judged);
            text.push_str(&format!("the gate dropped {share} of {slices}\n"));
        }
        text.push_str(&left_out(reply.kept.iter().map(|line| line.left_out).sum()));
    }
    if let Some(files) = &reply.memories {
        text.push('\n');
        text.push_str(&files_standing(files));
        let count = count_of(files.files.len() as u64, "file is read", "files are read");
        text.push_str(&format!("{count}: helixctl capture memories\n"));
    }
    text
}

/// Says in a line or two whether agents' own files are read here.
fn files_standing(files: &CaptureFiles) -> String {
    let said = |is_on| if is_on { "on" } else { "off" };
    let (here, user) = (said(files.on), said(files.user_on));
    format!(
        "reading agents' own files is {here} here: {}\nand {user} for those of your home directory\n",
        one_line(&files.why)
    )
}

/// Writes which files of agents' own are read, and why.
pub(crate) fn capture_files(look: Look, files: &CaptureFiles) -> String {
    let mut text = files_standing(files);
    if !files.report.is_empty() {
        text.push_str(&format!("read: {}\n", one_line(&files.report)));
    }
    if !files.files.is_empty() {
        text.push('\n');
        let read = files.files.iter().map(file_row);
        text.push_str(&rows(look, &[], read.collect()));
    }
    for note in &files.notes {
        text.push_str(&format!("note: {}\n", one_line(note)));
    }
    text
}

fn file_row(file: &CaptureFile) -> Vec<Field> {
    let memories = count_of(u64::from(file.memories), "memory", "memories");
    vec![
        Field::painted(Paint::Name, one_line(&file.path)),
        one_line(&file.client).into(),
        memories.into(),
        day(file.at_us).into(),
    ]
}

/// Slices that were judged, and those of them that the gate dropped.
fn judged(lines: &[CaptureLine]) -> (u64, u64) {
    let slices = lines.iter().map(|line| line.slices).sum();
    let dropped = lines.iter().map(|line| line.dropped).sum();
    (slices, dropped)
}

/// A share in percent, for people.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let tenths = (part * 1_000 + whole / 2)
        .checked_div(whole)
        .unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// What an import reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Transcripts of sessions.
    Transcripts,
    /// The history of a repository.
    Git,
}

impl Source {
    /// The words for one of what it reads, and for several.
    const fn unit(self) -> (&'static str, &'static str) {
        match self {
            Self::Transcripts => ("session", "sessions"),
            Self::Git => ("commit", "commits"),
        }
    }
}

/// Writes what an import kept, or would.
pub(crate) fn captured(look: Look, of: Source, summary: &CaptureSummary, is_dry: bool) -> String {
    let mut text = String::new();
    let read: Vec<CaptureLine> = summary
        .projects
        .iter()
        .filter(|line| line.bytes > 0)
        .cloned()
        .collect();
    let (_, units) = of.unit();
    let header = if is_dry {
        ["project", units, "would read", TEXT]
    } else {
        ["project", units, "read", TEXT]
    };
    text.push_str(&lines(look, &header, &read, of, is_dry));
    for note in &summary.notes {
        text.push_str(&format!("note: {}\n", one_line(note)));
    }
    if let Some(asked) = &summary.asked {
        text.push_str(&asking(asked, is_dry));
    }
    let total = summary.total.clone().unwrap_or_default();
    text.push_str(&sum(&total, of, is_dry));
    text.push_str(&left_out(total.left_out));
    text
}

/// Says how many facts are beyond the limit of a session, and how to have them; nothing where there
/// are none.
fn left_out(facts: u64) -> String {
    match facts {
        0 => String::new(),
        1 => format!("1 more was found, beyond five of a session; {MORE}\n"),
        facts => format!("{facts} more were found, beyond five of a session; {MORE}\n"),
    }
}

/// Says what language models were asked, or would be, and what it costs.
fn asking(asked: &CaptureAsked, is_dry: bool) -> String {
    let by = one_line(&asked.by);
    let turns = count_of(asked.turns, "turn", "turns");
    let questions = count_of(asked.questions, "question", "questions");
    let tokens = count_of(asked.tokens, "token", "tokens");
    let (verb, most) = if is_dry {
        ("would be asked", " at most")
    } else {
        ("was asked", "")
    };
    let mut text = format!("{by} {verb} about {turns} in {questions}: {tokens}{most}");
    if asked.cost_micro_usd > 0 {
        text.push_str(&format!(", ${}", dollars(asked.cost_micro_usd)));
    }
    if asked.paid {
        text.push_str(&format!("; {} are left this month", asked.tokens_left));
    }
    text.push('\n');
    text
}

/// A row for each project; `is_dry` says that nothing of it was kept yet.
fn lines(look: Look, header: &[&str], lines: &[CaptureLine], of: Source, is_dry: bool) -> String {
    let (unit, units) = of.unit();
    let row = |line: &CaptureLine| {
        let name = if line.name.is_empty() {
            one_line(&line.scope)
        } else {
            one_line(&line.name)
        };
        let words = match (line.words.is_empty(), is_dry) {
            (true, true) => "would keep nothing".to_owned(),
            (true, false) => "nothing".to_owned(),
            (false, true) => format!("would keep {}", one_line(&line.words)),
            (false, false) => one_line(&line.words),
        };
        let words = words + &passed_over(line);
        let read = if line.at_us == 0 {
            size(line.bytes)
        } else {
            day(line.at_us)
        };
        vec![
            Field::painted(Paint::Name, name),
            count_of(line.sessions, unit, units).into(),
            read.into(),
            words.into(),
        ]
    };
    rows(look, header, lines.iter().map(row).collect())
}

/// Facts that were found and not kept, in brackets; nothing where there are none.
fn passed_over(line: &CaptureLine) -> String {
    let mut passed_over = Vec::new();
    if line.known > 0 {
        passed_over.push(format!("{} known already", line.known));
    }
    if line.forgotten > 0 {
        passed_over.push(format!("{} forgotten before", line.forgotten));
    }
    if line.unreadable > 0 {
        passed_over.push(format!("{} unreadable", line.unreadable));
    }
    match passed_over.join(", ") {
        none if none.is_empty() => String::new(),
        some => format!(" ({some})"),
    }
}

/// The last line: what a person wants to know.
fn sum(total: &CaptureLine, of: Source, is_dry: bool) -> String {
    let (unit, units) = of.unit();
    let sessions = count_of(total.sessions, unit, units);
    let passed_over = passed_over(total);
    let words = one_line(&total.words);
    match (words.is_empty(), is_dry) {
        (true, _) => format!("{sessions}, nothing new worth keeping{passed_over}\n"),
        (false, true) => format!("{sessions}, {words} would be kept for review{passed_over}\n"),
        (false, false) => format!("{sessions}, {words}{passed_over}; {REVIEW}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look {
        table_width: None,
        color: false,
    };

    fn line(name: &str, words: &str) -> CaptureLine {
        CaptureLine {
            name: name.to_owned(),
            scope: format!("project:{name}"),
            bytes: 1_400_000,
            sessions: 38,
            words: words.to_owned(),
            ..CaptureLine::default()
        }
    }

    #[test]
    fn an_import_ends_with_what_a_person_wants_to_know() {
        let words = "12 decisions, 9 fixes, 4 preferences";
        let mut total = line("", words);
        total.known = 3;
        let summary = CaptureSummary {
            projects: vec![line("iris", words), line("heron", "")],
            total: Some(total),
            notes: vec!["codex: record turbo is not known and was left out".to_owned()],
            whole: true,
            asked: Some(CaptureAsked {
                by: "openai/gpt-4o-mini".to_owned(),
                questions: 12,
                turns: 80,
                tokens: 21_400,
                paid: true,
                cost_micro_usd: 4_200,
                tokens_left: 986_000,
            }),
        };
        let nothing = CaptureSummary {
            total: Some(CaptureLine::default()),
            ..CaptureSummary::default()
        };
        let texts = [
            captured(PLAIN, Source::Transcripts, &summary, true),
            captured(PLAIN, Source::Transcripts, &summary, false),
            captured(PLAIN, Source::Transcripts, &nothing, false),
            captured(PLAIN, Source::Git, &summary, false),
        ];
        insta::assert_snapshot!(texts.join("---\n"));
    }

    #[test]
    fn a_switch_says_what_it_is_for_and_what_holds_here() {
        let setting = CaptureSetting {
            which: "path /work/iris/private".to_owned(),
            on: false,
            at_us: 2,
        };
        let reply = CaptureReply {
            on: true,
            why: "switched on for project:iris".to_owned(),
            switches: vec![setting],
            ..CaptureReply::default()
        };
        let own = CaptureReply {
            why: "switched off for path /work/iris/private".to_owned(),
            on: false,
            ..reply.clone()
        };
        let paused = |goes_on| Paused {
            session: "s-1".to_owned(),
            goes_on,
        };
        let texts = [
            capture_switched(&reply, None),
            capture_switched(&own, None),
            capture_switched(&reply, Some(&paused(false))),
            capture_switched(&reply, Some(&paused(true))),
        ];
        insta::assert_snapshot!(texts.join("---\n"));
    }

    fn files() -> CaptureFiles {
        CaptureFiles {
            on: true,
            why: "switched on for project:iris".to_owned(),
            files: vec![CaptureFile {
                path: "/work/iris/CLAUDE.md".to_owned(),
                client: "claude-code".to_owned(),
                scope: "project:iris".to_owned(),
                memories: 3,
                at_us: 1_793_000_000_000_000,
            }],
            notes: vec![
                "\"/work/iris/AGENTS.md\" was not read: it is larger than 256 KB".to_owned(),
            ],
            report: "3 new".to_owned(),
            ..CaptureFiles::default()
        }
    }

    #[test]
    fn files_that_are_read_are_named() {
        insta::assert_snapshot!(capture_files(PLAIN, &files()));
    }

    #[test]
    fn a_status_says_what_is_on_and_why() {
        use helix_client::v1::{CaptureRecording, CaptureSetting};
        let reply = CaptureReply {
            on: true,
            why: "switched on for project:iris".to_owned(),
            switches: vec![CaptureSetting {
                which: "project:iris".to_owned(),
                on: true,
                at_us: 1_793_000_000_000_000,
            }],
            recordings: vec![CaptureRecording {
                name: "receipts".to_owned(),
                on: false,
                what: "what hooks told".to_owned(),
                why: "`receipts = false` in config.toml".to_owned(),
                kept: 3,
            }],
            kept: vec![CaptureLine {
                at_us: 1_793_000_000_000_000,
                slices: 1_200,
                dropped: 1_153,
                ..line("", "1 fix")
            }],
            waiting: 1,
            memories: Some(files()),
        };
        insta::assert_snapshot!(capture(PLAIN, &reply));
    }
}
