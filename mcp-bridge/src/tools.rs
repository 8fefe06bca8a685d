//! The tools, in the order in which they are listed.

mod actions;
mod batch;
mod brief;
mod context;
mod edit;
mod read;
mod search;
mod store;
mod topics;

use helix_client::v1::Caller;
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};

use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::schema::{Parameter, input_schema};
use crate::turn::Effect;

/// Makes Claude show a tool to the model at once instead of hiding it behind a search.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// Longest look back, in days and in hours: a hundred years.
const DAYS_MAX: u32 = 36_500;
const HOURS_MAX: u32 = DAYS_MAX * 24;

/// What a tool does to what is stored, as clients are told.
#[derive(Clone, Copy)]
enum Nature {
    /// Nothing.
    Reads,
    /// Adds to it; the same again adds nothing.
    Adds,
    /// Changes it.
    Changes {
        /// Whether the same again changes nothing more.
        idempotent: bool,
    },
}

/// What a tool is, apart from what it does.
struct Description {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    parameters: &'static [Parameter],
    nature: Nature,
}

/// A tool that a model may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HelixTool {
    /// Stores a memory.
    Store,
    /// Stores several.
    Batch,
    /// Finds memories.
    Search,
    /// Gives an overview.
    Brief,
    /// Shows memories in full.
    Read,
    /// Changes memories.
    Edit,
    /// Browses and maintains.
    Topics,
    /// Packs what matters now.
    Context,
}

impl HelixTool {
    /// All of them; clients cache prompts by this order.
    pub(crate) const ALL: [Self; 8] = [
        Self::Store,
        Self::Batch,
        Self::Search,
        Self::Brief,
        Self::Read,
        Self::Edit,
        Self::Topics,
        Self::Context,
    ];

    /// Finds a tool by its name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The name by which it is called.
    pub(crate) fn name(self) -> &'static str {
        self.description().name
    }

    /// The tool as it is listed.
    pub(crate) fn listed(self) -> Tool {
        let description = self.description();
        let hints = ToolAnnotations::with_title(description.title).open_world(false);
        let hints = match description.nature {
            Nature::Reads => hints.read_only(true),
            Nature::Adds => hints.read_only(false).destructive(false).idempotent(true),
            Nature::Changes { idempotent } => hints
                .read_only(false)
                .destructive(true)
                .idempotent(idempotent),
        };
        let mut meta = MetaObject::new();
        meta.insert(ALWAYS_LOAD.to_owned(), true.into());
        Tool::new(
            description.name,
            description.about,
            input_schema(description.parameters),
        )
        .with_annotations(hints)
        .with_meta(meta)
    }

    /// Runs the tool; the answer is text for the model.
    ///
    /// # Errors
    /// [`Failure`] says what to do next.
    pub(crate) async fn run(
        self,
        daemon: &Daemon,
        caller: Caller,
        given: Option<JsonObject>,
    ) -> Result<String, Failure> {
        let description = self.description();
        let arguments = Arguments::new(description.name, description.parameters, given)?;
        match self {
            Self::Store => store::run(daemon, caller, &arguments).await,
            Self::Batch => batch::run(daemon, caller, &arguments).await,
            Self::Search => search::run(daemon, caller, &arguments).await,
            Self::Brief => brief::run(daemon, caller, &arguments).await,
            Self::Read => read::run(daemon, caller, &arguments).await,
            Self::Edit => edit::run(daemon, caller, &arguments).await,
            Self::Topics => topics::run(daemon, caller, &arguments).await,
            Self::Context => context::run(daemon, caller, &arguments).await,
        }
    }

    /// Reads a call's arguments, each in the shape that is advertised for it, and makes no call.
    pub(crate) fn understand(self, given: Option<JsonObject>) -> Result<(), ArgumentError> {
        let description = self.description();
        let arguments = Arguments::new(description.name, description.parameters, given)?;
        description
            .parameters
            .iter()
            .try_for_each(|parameter| arguments.understand(parameter))
    }

    /// What a call does to what later calls see; a write unless it surely is none.
    fn effect(self, given: Option<&JsonObject>) -> Effect {
        match (self, self.description().nature) {
            (Self::Topics, _) => topics::effect(given),
            (_, Nature::Reads) => Effect::Reads,
            (_, Nature::Adds | Nature::Changes { .. }) => Effect::Writes,
        }
    }

    fn description(self) -> &'static Description {
        match self {
            Self::Store => &store::DESCRIPTION,
            Self::Batch => &batch::DESCRIPTION,
            Self::Search => &search::DESCRIPTION,
            Self::Brief => &brief::DESCRIPTION,
            Self::Read => &read::DESCRIPTION,
            Self::Edit => &edit::DESCRIPTION,
            Self::Topics => &topics::DESCRIPTION,
            Self::Context => &context::DESCRIPTION,
        }
    }
}

/// What a call of a tool does to what later calls see. One of an unknown tool does nothing.
pub(crate) fn effect_of(tool: &str, given: Option<&JsonObject>) -> Effect {
    HelixTool::named(tool).map_or(Effect::Reads, |tool| tool.effect(given))
}

/// Separates tags, topics and kinds in one string.
fn at_commas(character: char) -> bool {
    character == ','
}

/// Separates steps in one string; they may hold commas.
fn at_semicolons(character: char) -> bool {
    character == ';'
}

/// Separates handles in one string.
fn at_commas_and_spaces(character: char) -> bool {
    character == ',' || character.is_whitespace()
}

#[cfg(test)]
mod samples;
