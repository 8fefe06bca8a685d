//! `helixctl capture import`: shows what it would read and keep, asks, and distils.
//!
//! The daemon reads and remembers how far it came, so that ending this program ends nothing but
//! this run.

use std::env;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::{Client, Start, v1};
use helix_proto::exit;

use crate::ask::{confirmed, is_there_somebody};
use crate::context::{Context, wait};
use crate::document::CaptureImportDocument;
use crate::failure::{Failure, Outcome};
use crate::interrupt::unless_interrupted;
use crate::progress::Course;
use crate::text::one_line;
use crate::time::from;
use crate::{render, screen};

/// How long an import may go on: a hundred gigabytes, with room to spare.
const IMPORT_DEADLINE: Duration = Duration::from_hours(6);

/// Arguments of `capture import`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags")]
pub(crate) struct Import {
    /// Reads the transcripts of this client alone: claude-code, codex, opencode, gemini-cli or
    /// cursor; may be repeated
    #[arg(long, value_name = "A")]
    agent: Vec<String>,
    /// Reads what changed at or after this day alone
    #[arg(long, value_parser = from, value_name = "D")]
    since: Option<i64>,
    /// Reads the sessions of one project alone: its name, or its directory
    #[arg(long, value_name = "P")]
    project: Option<String>,
    /// Reads the history of this repository in place of transcripts
    #[arg(long, conflicts_with_all = ["agent", "since", "project"])]
    git: bool,
    /// Reads the sessions again that had more than five facts, and takes all of them
    #[arg(long, conflicts_with = "git")]
    more: bool,
    /// Asks no language model, where `[provider]` is configured
    #[arg(long)]
    without_models: bool,
    /// Does not ask
    #[arg(long, short)]
    yes: bool,
    /// Says what would be kept, and shows what would be sent to language models; keeps and sends nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Import {
    /// Imports, after consent.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = self.request(context)?;
        if !self.yes {
            if !self.dry_run && !is_there_somebody() {
                return Err(Failure::Usage(
                    "nobody is there to agree; nothing was read; say --yes or --dry-run".to_owned(),
                ));
            }
            let plan = v1::CaptureImportRequest {
                dry_run: true,
                ..request.clone()
            };
            let foreseen = stream(context, plan, "looking")?;
            self.show(context, &foreseen, true)?;
            if self.dry_run || is_nothing(&foreseen.summary) {
                return Ok(exit::OK);
            }
            if !confirmed(&question(&foreseen.summary), "--yes")? {
                screen::remark("helixctl: nothing was kept");
                return Ok(exit::OK);
            }
        }
        let summary = stream(context, request, "distilling")?;
        self.show(context, &summary, false)?;
        if !summary.summary.whole {
            return Err(Failure::Unavailable(
                "the daemon stopped before all was read; the same again goes on there".to_owned(),
            ));
        }
        Ok(exit::OK)
    }

    fn request(&self, context: &Context) -> Result<v1::CaptureImportRequest, Failure> {
        let home = env::home_dir().ok_or_else(|| {
            Failure::Usage("there is no home directory; set HOME to the one to read".to_owned())
        })?;
        let variable = |name| env::var(name).unwrap_or_default();
        let project = self.project.clone().unwrap_or_default();
        Ok(v1::CaptureImportRequest {
            caller: Some(context.caller()),
            home: home.to_string_lossy().into_owned(),
            claude_config_dir: variable("CLAUDE_CONFIG_DIR"),
            codex_home: variable("CODEX_HOME"),
            xdg_data_home: variable("XDG_DATA_HOME"),
            xdg_config_home: variable("XDG_CONFIG_HOME"),
            agents: self.agent.clone(),
            since_us: self.since.unwrap_or_default(),
            project: directory_or_name(&context.cwd, project),
            dry_run: self.dry_run,
            git: self.git,
            without_models: self.without_models,
            show_sent: self.dry_run,
            all_facts: self.more,
        })
    }

    fn show(&self, context: &Context, told: &Told, is_dry: bool) -> Result<(), Failure> {
        if self.json {
            let document = CaptureImportDocument::new(&told.summary, &told.would_send, is_dry);
            return screen::json(&document);
        }
        let look = context.screen.look;
        let of = if self.git {
            render::Source::Git
        } else {
            render::Source::Transcripts
        };
        let mut text = render::captured(look, of, &told.summary, is_dry);
        text.push_str(&render::would_send(&told.would_send));
        screen::print(&text)
    }
}

/// What the daemon told of an import.
#[derive(Default)]
struct Told {
    summary: v1::CaptureSummary,
    /// What would be sent to language models.
    would_send: Vec<v1::ModelSent>,
}

fn stream(
    context: &Context,
    request: v1::CaptureImportRequest,
    message: &'static str,
) -> Result<Told, Failure> {
    let course = Course::new(context.screen, message);
    let told = wait(unless_interrupted(async {
        let mut client = context.connect(Start::IfAbsent).await?;
        told(&mut client, request, &course).await
    }));
    course.finish();
    if matches!(told, Err(Failure::Interrupted)) {
        screen::remark("helixctl: stopped; the same again goes on where this one ended");
    }
    told
}

/// What is asked before anything is kept or sent.
fn question(foreseen: &v1::CaptureSummary) -> String {
    let facts = count_of(kept(foreseen), "fact", "facts");
    match &foreseen.asked {
        None => format!("put {facts} into the review?"),
        Some(asked) => {
            let turns = count_of(asked.turns, "turn", "turns");
            let by = one_line(&asked.by);
            format!("put {facts} into the review, and ask {by} about {turns}?")
        }
    }
}

fn is_nothing(foreseen: &v1::CaptureSummary) -> bool {
    kept(foreseen) == 0 && foreseen.asked.is_none()
}

fn kept(summary: &v1::CaptureSummary) -> u64 {
    let total = summary.total.iter();
    total.flat_map(|total| total.kept.values()).sum()
}

/// A project's directory as an absolute path; what is no directory is its name.
fn directory_or_name(cwd: &Path, project: String) -> String {
    let path = cwd.join(&project);
    let root = path.canonicalize().ok().filter(|path| path.is_dir());
    match root {
        Some(root) if !project.is_empty() => root.to_string_lossy().into_owned(),
        Some(_) | None => project,
    }
}

async fn told(
    client: &mut Client,
    request: v1::CaptureImportRequest,
    course: &Course,
) -> Result<Told, Failure> {
    let mut reports = client
        .call_once(IMPORT_DEADLINE, async |rpc| {
            rpc.capture_import(request).await
        })
        .await?;
    let mut told = Told::default();
    while let Some(progress) = reports.message().await? {
        if !progress.would_send.is_empty() {
            told.would_send.extend(progress.would_send);
            continue;
        }
        if let Some(summary) = progress.summary {
            told.summary = summary;
            return Ok(told);
        }
        course.reached(&progress);
    }
    Err(Failure::Unavailable(
        "the daemon ended the import early; the same again goes on where this one ended".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_project_is_named_by_its_directory_or_its_name() {
        let cwd = tempfile::tempdir().unwrap();
        let root = cwd.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("iris")).unwrap();
        let named = |project: &str| directory_or_name(&root, project.to_owned());
        assert_eq!(named("iris"), root.join("iris").to_string_lossy());
        assert_eq!(named("."), root.to_string_lossy());
        assert_eq!(named("heron"), "heron");
        assert_eq!(named(""), "");
    }
}
