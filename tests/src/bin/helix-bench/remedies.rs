//! `remedies`: whether what mended a failure before is told when the same failure comes back, and
//! nothing when another failure of the same tool does. Labelled pairs of failures, each in a
//! project of its own, half of which were used to fit the rules.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use helix_tests::hook::Session;
use helix_tests::{Daemon, Home, Project};
use serde::Deserialize;

use crate::report::{Report, Table, Target};
use crate::silence::read;

/// Share of the cases that nothing helps in which a remedy may be told.
const WRONG_MAX: f64 = 0.01;

/// How a remedy is told.
const REMEDY: &str = "fixed before by";

/// Sets of cases, of which the rules were fitted to the first.
const SETS: [&str; 4] = ["fit", "check", "third", "fourth"];

/// Two failures of a tool, and what was done between them.
#[derive(Debug, Deserialize)]
struct Pair {
    id: String,
    set: String,
    tool: String,
    first: Ran,
    mend: Vec<Step>,
    passes: Ran,
    then: Ran,
    expect: Expected,
    /// A part of the remedy to tell.
    remedy_contains: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Ran {
    command: String,
    output: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Step {
    Edit { edit: Edit },
    Ran(Ran),
}

#[derive(Debug, Deserialize)]
struct Edit {
    file: String,
    old: String,
    new: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expected {
    Remedy,
    Silence,
}

/// Counts of the pairs of one set.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    same: usize,
    /// Pairs of the same failure that were told its remedy.
    covered: usize,
    others: usize,
    /// Pairs of other failures that were told anything.
    wrong: usize,
    /// Outputs that were told more than one remedy.
    repeated: usize,
}

/// Measures, and appends what the pairs were told to the file `kept`.
pub(crate) fn measure(kept: Option<&Path>, report: &mut Report) -> Result<()> {
    let mut lines = String::new();
    let tallies = tally(None, &mut lines)?;
    let head = [
        "pairs",
        "told in another failure",
        "",
        "told in the same",
        "more than one told",
    ];
    let mut table = Table::new("remedies: what mended a failure before", &head);
    for (set, tally) in SETS.iter().zip(&tallies) {
        tally.write(set, &mut table);
    }
    table.note("the other failure is one of the same tool, whose remedy would be wrong");
    report.add(table);
    let Some(file) = kept else { return Ok(()) };
    let mut opened = OpenOptions::new().create(true).append(true).open(file)?;
    opened
        .write_all(lines.as_bytes())
        .with_context(|| format!("writing {}", file.display()))
}

/// Plays all pairs, without a part of what hooks decide where one is named, and adds a line for
/// each.
fn tally(part: Option<&str>, lines: &mut String) -> Result<[Tally; SETS.len()]> {
    let mut home = Home::new()?;
    home.ablate(part);
    let _daemon = Daemon::start(&home)?;
    let pairs: Vec<Pair> = read("remedy-pairs.json")?;
    let mut tallies = [Tally::default(); SETS.len()];
    for pair in &pairs {
        let told = pair
            .play(&home)
            .with_context(|| format!("playing {}", pair.id))?;
        let set = SETS
            .iter()
            .zip(&mut tallies)
            .find(|(set, _)| **set == pair.set);
        let verdict = set
            .with_context(|| format!("{} is of no known set", pair.id))?
            .1
            .count(pair, &told);
        let told = told.replace('\n', " ");
        writeln!(
            lines,
            "remedies\t{}\t{}\t{}\t{verdict}\t{told}",
            pair.set, pair.tool, pair.id
        )?;
    }
    Ok(tallies)
}

/// Shares of the pairs that are right, set by set, without a part of what hooks decide where one is
/// named.
pub(crate) fn shares(part: Option<&str>) -> Result<Vec<(String, f64)>> {
    let tallies = tally(part, &mut String::new())?;
    let mut shares = Vec::new();
    for (set, tally) in SETS.iter().zip(tallies) {
        let silent = tally.others - tally.wrong;
        shares.push((
            format!("remedies {set}, told in the same"),
            share(tally.covered, tally.same),
        ));
        shares.push((
            format!("remedies {set}, silent in another"),
            share(silent, tally.others),
        ));
    }
    Ok(shares)
}

impl Pair {
    /// Plays it in a project of its own. Returns all that the second failure was told.
    fn play(&self, home: &Home) -> Result<String> {
        let project = Project::new(home, &self.id)?;
        let (first, later) = (format!("{} first", self.id), format!("{} later", self.id));
        let session = Session::new(home, &project, &first);
        session.failed(&self.first.command, &self.first.output)?;
        for step in &self.mend {
            match step {
                Step::Edit { edit } => edit.play(&project, &session)?,
                Step::Ran(ran) => drop(session.ran(&ran.command, &ran.output)?),
            }
        }
        session.ran(&self.passes.command, &self.passes.output)?;
        let told =
            Session::new(home, &project, &later).failed(&self.then.command, &self.then.output)?;
        Ok(told.unwrap_or_default())
    }
}

impl Edit {
    fn play(&self, project: &Project, session: &Session<'_>) -> Result<()> {
        project.write(&self.file, &self.old)?;
        session.edit(&self.file, &self.old, &self.new)?;
        let file = project.write(&self.file, &self.new)?;
        session.hook("post-build", "PostToolUse-Edit", |input| {
            input["tool_input"] =
                serde_json::json!({"file_path": file, "old_string": self.old, "new_string": self.new});
        })?;
        Ok(())
    }
}

impl Tally {
    /// Counts a pair. Returns how it went.
    fn count(&mut self, pair: &Pair, told: &str) -> &'static str {
        let remedies = told.matches(REMEDY).count();
        self.repeated += usize::from(remedies > 1);
        let is_right = pair
            .remedy_contains
            .as_ref()
            .is_some_and(|part| told.contains(part.as_str()));
        match pair.expect {
            Expected::Silence => {
                self.others += 1;
                self.wrong += usize::from(remedies > 0);
                if remedies > 0 { "disturbs" } else { "silent" }
            }
            Expected::Remedy => {
                self.same += 1;
                self.covered += usize::from(remedies > 0 && is_right);
                match remedies {
                    0 => "missed",
                    _ if is_right => "helps",
                    _ => "misleads",
                }
            }
        }
    }

    fn write(&self, set: &str, table: &mut Table) {
        let cell =
            |part: usize, whole: usize| format!("{:.2} ({part} of {whole})", share(part, whole));
        let wrong = share(self.wrong, self.others);
        let verdict = table.judge(
            &format!("{set}: told in another failure"),
            wrong,
            "share",
            Target::AtMost(WRONG_MAX),
        );
        table.figure(
            &format!("{set}: told in the same"),
            share(self.covered, self.same),
            "share",
        );
        table.figure(
            &format!("{set}: more than one told"),
            share(self.repeated, self.same + self.others),
            "share",
        );
        table.row([
            set.to_owned(),
            cell(self.wrong, self.others),
            verdict,
            cell(self.covered, self.same),
            self.repeated.to_string(),
        ]);
    }
}

#[expect(clippy::cast_precision_loss, reason = "some hundred pairs")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
