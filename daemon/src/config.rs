//! Configuration: flags, then environment, then `config.toml`, then defaults.

mod provider;

use std::env;
use std::io;

use helix_app::lifecycle::Mode;
use helix_app::{Settings, capture, plain_file};
use helix_memory::{KindSpec, Shape, Texts};
use helix_proto::paths::Paths;
use helix_redact::Entropy;
use serde::Deserialize;

use crate::args::Args;
use crate::embedder::Loader;
use crate::failure::{Failure, io_failure};

pub(crate) use self::provider::Provider;

/// What is logged unless something else is asked for.
const LOG_DEFAULT: &str = "info";

/// Strand that is served unless another is named.
const STRAND_DEFAULT: &str = "default";

/// Characters of a wrong line that are shown.
const SHOWN_MAX_CHARS: usize = 80;

/// Longest `config.toml` that is read, in bytes.
const CONFIG_MAX_BYTES: u64 = 1024 * 1024;

/// Longest name of a strand or kind, in bytes.
const NAME_MAX_BYTES: usize = 64;

/// Everything the daemon was told.
#[derive(Debug)]
pub(crate) struct Config {
    /// Where everything is.
    pub(crate) paths: Paths,
    /// The strand to serve.
    pub(crate) strand: String,
    /// Log filter.
    pub(crate) log: String,
    /// True if to load the embedder.
    pub(crate) embedder: bool,
    /// Threads of one inference.
    pub(crate) embedder_threads: usize,
    /// True if a session that found something out the hard way and stored nothing is reminded once
    /// when it stops.
    pub(crate) stop_reminder: bool,
    /// True if memories may be put behind the prompt of a subagent.
    pub(crate) subagent_prompts: bool,
    /// Work of one search for duplicates.
    pub(crate) compact_work: usize,
    /// The upkeep that the daemon does by itself.
    pub(crate) settings: Settings,
    /// How far random tokens are taken for secrets.
    pub(crate) entropy: Entropy,
    /// Kinds beside the built-in ones.
    pub(crate) kinds: Vec<KindSpec>,
    /// Language models; `None` for none.
    pub(crate) provider: Option<Provider>,
}

/// `config.toml` as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    log: Option<String>,
    strand: Option<String>,
    #[serde(default)]
    embedder: EmbedderSection,
    #[serde(default)]
    hooks: HooksSection,
    #[serde(default)]
    compact: CompactSection,
    #[serde(default)]
    lifecycle: LifecycleSection,
    #[serde(default)]
    backup: BackupSection,
    #[serde(default)]
    capture: CaptureSection,
    #[serde(default)]
    redact: RedactSection,
    provider: Option<provider::Section>,
    #[serde(default)]
    kind: Vec<KindSection>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct HooksSection {
    stop_reminder: Option<bool>,
    subagent_prompts: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CompactSection {
    work: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LifecycleSection {
    mode: Option<LifecycleMode>,
}

/// What becomes of memories that faded, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LifecycleMode {
    Auto,
    Propose,
    Off,
}

impl From<LifecycleMode> for Mode {
    fn from(mode: LifecycleMode) -> Self {
        match mode {
            LifecycleMode::Auto => Self::Auto,
            LifecycleMode::Propose => Self::Propose,
            LifecycleMode::Off => Self::Off,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackupSection {
    daily: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaptureSection {
    transcripts: Option<bool>,
    cutoff: Option<f64>,
    incidents: Option<bool>,
    sessions: Option<bool>,
    receipts: Option<bool>,
    events: Option<bool>,
    agents_memories: Option<bool>,
}

impl From<CaptureSection> for capture::Settings {
    fn from(section: CaptureSection) -> Self {
        Self {
            transcripts: section.transcripts,
            cutoff: section.cutoff,
            incidents: section.incidents.unwrap_or(true),
            sessions: section.sessions.unwrap_or(true),
            receipts: section.receipts.unwrap_or(true),
            events: section.events.unwrap_or(true),
            agents_memories: section.agents_memories,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RedactSection {
    entropy: Option<Entropy>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbedderSection {
    enabled: Option<bool>,
    threads: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindSection {
    name: String,
    #[serde(default)]
    shape: ShapeName,
    half_life_days: Option<f64>,
    #[serde(default)]
    surface_lines: u32,
    #[serde(default)]
    about_user: bool,
}

/// A kind's shape by its name.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ShapeName {
    #[default]
    Semantic,
    Procedural,
    Entity,
    Episodic,
}

impl From<ShapeName> for Shape {
    fn from(name: ShapeName) -> Self {
        match name {
            ShapeName::Semantic => Self::Semantic,
            ShapeName::Procedural => Self::Procedural,
            ShapeName::Entity => Self::Entity,
            ShapeName::Episodic => Self::Episodic,
        }
    }
}

/// Decides where everything is.
pub(crate) fn places(args: &Args) -> Result<Paths, Failure> {
    let mut paths = Paths::from_environment()?;
    if let Some(home) = &args.home {
        paths = Paths::inside(&absolute(home)?);
    }
    if let Some(socket) = &args.socket {
        paths.socket = absolute(socket)?;
    }
    if let Some(models) = &args.models {
        paths.models = absolute(models)?;
    }
    Ok(paths.checked()?)
}

/// Gathers the configuration.
pub(crate) fn load(args: &Args, paths: Paths) -> Result<Config, Failure> {
    let file = read_file(&paths)?;
    let config = Config {
        strand: file.strand.unwrap_or_else(|| STRAND_DEFAULT.to_owned()),
        log: args
            .log
            .clone()
            .or_else(|| variable("HELIX_LOG"))
            .or(file.log)
            .unwrap_or_else(|| LOG_DEFAULT.to_owned()),
        embedder: !args.no_embedder && embedder_wanted(file.embedder.enabled)?,
        embedder_threads: file.embedder.threads.unwrap_or(1),
        stop_reminder: file.hooks.stop_reminder.unwrap_or(true),
        subagent_prompts: file.hooks.subagent_prompts.unwrap_or(true),
        compact_work: file.compact.work.unwrap_or(Texts::WORK_MAX),
        settings: Settings {
            lifecycle: file.lifecycle.mode.map(Mode::from),
            daily_backup: file.backup.daily.unwrap_or(true),
            capture: file.capture.into(),
        },
        entropy: file.redact.entropy.unwrap_or_default(),
        kinds: file.kind.into_iter().map(kind_spec).collect(),
        provider: provider_of(file.provider, &paths)?,
        paths,
    };
    config.checked()
}

impl Config {
    /// Loads models from where they are installed.
    pub(crate) fn loader(&self) -> Loader {
        Loader {
            models: self.paths.models.clone(),
            threads: self.embedder_threads,
        }
    }

    fn checked(self) -> Result<Self, Failure> {
        let wrong = |detail: String| {
            Err(Failure::Config {
                path: self.paths.config().display().to_string(),
                detail,
            })
        };
        let is_name = |name: &str| {
            !name.is_empty()
                && name.len() <= NAME_MAX_BYTES
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
        };
        if !is_name(&self.strand) {
            return wrong(format!(
                "strand {:?} may have lowercase letters, digits, - and _ only",
                self.strand
            ));
        }
        if !(1..=64).contains(&self.embedder_threads) {
            return wrong(format!(
                "embedder.threads is {}, use 1 to 64",
                self.embedder_threads
            ));
        }
        if self.compact_work == 0 {
            return wrong("compact.work is 0; use 1 or more".to_owned());
        }
        let cutoff = self.settings.capture.cutoff;
        if let Some(cutoff) = cutoff.filter(|cutoff| !(0.0..=1.0).contains(cutoff)) {
            return wrong(format!("capture.cutoff is {cutoff}, use 0 to 1"));
        }
        for kind in &self.kinds {
            if !is_name(&kind.name)
                || kind
                    .half_life_days
                    .is_some_and(|days| !days.is_finite() || days <= 0.0)
            {
                return wrong(format!(
                    "kind {:?} needs a plain lowercase name and a half-life above 0",
                    kind.name
                ));
            }
        }
        Ok(self)
    }
}

fn read_file(paths: &Paths) -> Result<File, Failure> {
    let path = paths.config();
    // It may be a link, to where somebody keeps all settings: it is only read.
    let read = plain_file::read(&path, CONFIG_MAX_BYTES);
    let text = match read.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(File::default()),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            let detail =
                "what stands there is no regular file; move it away and try again".to_owned();
            return Err(Failure::Config {
                path: path.display().to_string(),
                detail,
            });
        }
        Err(error) => return Err(io_failure("reading", path)(error)),
    };
    toml::from_str(&text).map_err(|error| {
        let line = error
            .span()
            .and_then(|span| text.get(..span.start))
            .map_or(1, |before| before.matches('\n').count() + 1);
        // The name alone: a key may stand behind one that is misspelled.
        let whole = text.lines().nth(line - 1).unwrap_or_default();
        let written: String = whole
            .split('=')
            .next()
            .unwrap_or_default()
            .trim()
            .chars()
            .take(SHOWN_MAX_CHARS)
            .collect();
        // One line: whoever started the daemon is shown the last one.
        let detail = format!("{} in `{written}`", error.message().replace('\n', " "));
        Failure::Config {
            path: format!("{}:{line}", path.display()),
            detail,
        }
    })
}

fn provider_of(
    section: Option<provider::Section>,
    paths: &Paths,
) -> Result<Option<Provider>, Failure> {
    let provider = section.map(Provider::of).transpose();
    provider.map_err(|(place, detail)| {
        let path = if place == provider::BUDGET_VARIABLE {
            place
        } else {
            paths.config().display().to_string()
        };
        Failure::Config { path, detail }
    })
}

fn embedder_wanted(in_file: Option<bool>) -> Result<bool, Failure> {
    match variable("HELIX_EMBEDDER").as_deref() {
        Some("off" | "0" | "false") => Ok(false),
        Some("on" | "1" | "true") => Ok(true),
        Some(other) => Err(Failure::Config {
            path: "HELIX_EMBEDDER".to_owned(),
            detail: format!("{other:?} is neither `on` nor `off`"),
        }),
        None => Ok(in_file.unwrap_or(true)),
    }
}

fn kind_spec(section: KindSection) -> KindSpec {
    KindSpec {
        name: section.name,
        shape: section.shape.into(),
        half_life_days: section.half_life_days,
        surface_lines: section.surface_lines,
        about_user: section.about_user,
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn absolute(path: &std::path::Path) -> Result<std::path::PathBuf, Failure> {
    std::path::absolute(path).map_err(io_failure("resolving", path))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_are_strict_and_complete() {
        let file: File = toml::from_str(
            "log = 'debug'\n[embedder]\nthreads = 2\n[hooks]\nstop_reminder = false\n[[kind]]\nname = 'recipe'\nshape = 'procedural'\nhalf_life_days = 3\nsurface_lines = 5\n[redact]\nentropy = 'strict'\n",
        )
        .unwrap();
        assert_eq!(file.embedder.threads, Some(2));
        assert_eq!(
            (file.hooks.stop_reminder, file.hooks.subagent_prompts),
            (Some(false), None)
        );
        assert_eq!(file.redact.entropy, Some(Entropy::Strict));
        assert_eq!(file.kind.first().unwrap().name, "recipe");
        let upkeep: File =
            toml::from_str("[lifecycle]\nmode = 'propose'\n[backup]\ndaily = false\n").unwrap();
        assert_eq!(upkeep.lifecycle.mode, Some(LifecycleMode::Propose));
        assert_eq!(upkeep.backup.daily, Some(false));
        let section: File =
            toml::from_str("[capture]\ntranscripts = true\ncutoff = 0.6\nreceipts = false\n")
                .unwrap();
        let settings = capture::Settings::from(section.capture);
        assert_eq!(settings.transcripts, Some(true));
        assert_eq!(settings.cutoff, Some(0.6));
        assert!(!settings.receipts);
        assert!(settings.events);
        for wrong in [
            "[lifecycle]\nmode = 'sometimes'",
            "[lifecycle]\nmodes = 'auto'",
            "[capture]\ntranscript = true",
            "[capture]\nevents = 'no'",
        ] {
            assert!(toml::from_str::<File>(wrong).is_err(), "{wrong}");
        }
        let shape = file.kind.first().unwrap().shape;
        assert_eq!(Shape::from(shape), Shape::Procedural);
        let error = toml::from_str::<File>("colour = 1\n")
            .unwrap_err()
            .to_string();
        assert!(error.contains("colour"), "{error}");
    }
}
