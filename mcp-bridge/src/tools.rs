//! The tools, in the order in which they are listed.

mod read;
mod search;
mod store;

use helix_client::v1::Caller;
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};

use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::schema::{Parameter, input_schema};

/// Makes Claude show a tool to the model at once instead of hiding it behind a search.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// What a tool is, apart from what it does.
struct Description {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    parameters: &'static [Parameter],
    reads_only: bool,
}

/// A tool that a model may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HelixTool {
    /// Stores a memory.
    Store,
    /// Finds memories.
    Search,
    /// Shows memories in full.
    Read,
}

impl HelixTool {
    /// All of them; clients cache prompts by this order.
    pub(crate) const ALL: [Self; 3] = [Self::Store, Self::Search, Self::Read];

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
        let hints = ToolAnnotations::with_title(description.title).read_only(description.reads_only).open_world(false);
        let hints = if description.reads_only { hints } else { hints.destructive(false).idempotent(true) };
        let mut meta = MetaObject::new();
        meta.insert(ALWAYS_LOAD.to_owned(), true.into());
        Tool::new(description.name, description.about, input_schema(description.parameters))
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
            Self::Search => search::run(daemon, caller, &arguments).await,
            Self::Read => read::run(daemon, caller, &arguments).await,
        }
    }

    /// Reads a call's arguments, each in the shape that is advertised for it, and makes no call.
    pub(crate) fn understand(self, given: Option<JsonObject>) -> Result<(), ArgumentError> {
        let description = self.description();
        let arguments = Arguments::new(description.name, description.parameters, given)?;
        description.parameters.iter().try_for_each(|parameter| arguments.understand(parameter))
    }

    fn description(self) -> &'static Description {
        match self {
            Self::Store => &store::DESCRIPTION,
            Self::Search => &search::DESCRIPTION,
            Self::Read => &read::DESCRIPTION,
        }
    }
}

/// Separates tags, topics and kinds in one string.
fn at_commas(character: char) -> bool {
    character == ','
}

/// Separates handles in one string.
fn at_commas_and_spaces(character: char) -> bool {
    character == ',' || character.is_whitespace()
}
