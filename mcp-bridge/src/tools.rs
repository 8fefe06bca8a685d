//! What a tool is: a type that its calls are read into, with what clients are told about it.
//!
//! A new tool is a file with such a type and a line in its [set](sets).

mod batch;
mod brief;
mod context;
mod edit;
mod memory;
mod moment;
mod read;
mod search;
mod sets;
mod store;
mod topics;

use std::pin::Pin;

use helix_client::v1::Caller;
use rmcp::model::{JsonObject, MetaObject, ToolAnnotations};

use crate::arguments::{ArgumentError, Form, Parameters};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::turn::Effect;

pub use sets::ToolSet;

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
        /// True if the same again changes nothing more.
        idempotent: bool,
    },
}

/// What clients are told of a tool beside its parameters.
struct Description {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    nature: Nature,
    /// What a call means that names no action.
    default_action: Option<&'static str>,
}

/// A call of a tool: its arguments, and how it is made.
trait Call: Parameters + Send + 'static {
    const DESCRIPTION: Description;

    /// Returns what a call does to what later calls see; a write unless it surely is none.
    fn effect(_form: &Form, _given: Option<&JsonObject>) -> Effect {
        match Self::DESCRIPTION.nature {
            Nature::Reads => Effect::Reads,
            Nature::Adds | Nature::Changes { .. } => Effect::Writes,
        }
    }

    /// Makes the call; the answer is text for the model.
    ///
    /// # Errors
    /// [`Failure`] says what to do next.
    fn run(
        self,
        daemon: &Daemon,
        caller: Caller,
    ) -> impl Future<Output = Result<String, Failure>> + Send;
}

/// A tool that a model may call.
pub(crate) struct Tool {
    description: Description,
    form: Form,
    understand: fn(&Form, Option<JsonObject>) -> Result<(), ArgumentError>,
    effect: fn(&Form, Option<&JsonObject>) -> Effect,
    run: for<'a> fn(&'a Form, Option<JsonObject>, &'a Daemon, Caller) -> Running<'a>,
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<String, Failure>> + Send + 'a>>;

impl Tool {
    /// The tool whose calls are `T`.
    fn of<T: Call>() -> Self {
        let description = T::DESCRIPTION;
        Self {
            form: Form::of::<T>(description.name, description.default_action),
            description,
            understand: |form, given| form.read::<T>(given).map(drop),
            effect: T::effect,
            run: |form, given, daemon, caller| {
                Box::pin(async move { form.read::<T>(given)?.run(daemon, caller).await })
            },
        }
    }

    /// The name by which it is called.
    pub(crate) fn name(&self) -> &'static str {
        self.description.name
    }

    /// The tool as it is listed.
    pub(crate) fn listed(&self) -> rmcp::model::Tool {
        let description = &self.description;
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
        let schema = self.form.input_schema();
        rmcp::model::Tool::new(description.name, description.about, schema)
            .with_annotations(hints)
            .with_meta(meta)
    }

    /// Makes a call; the answer is text for the model.
    ///
    /// # Errors
    /// [`Failure`] says what to do next.
    pub(crate) async fn run(
        &self,
        daemon: &Daemon,
        caller: Caller,
        given: Option<JsonObject>,
    ) -> Result<String, Failure> {
        (self.run)(&self.form, given, daemon, caller).await
    }

    /// Reads a call's arguments and makes no call.
    ///
    /// # Errors
    /// [`ArgumentError`] says what is wrong with them.
    pub(crate) fn understand(&self, given: Option<JsonObject>) -> Result<(), ArgumentError> {
        (self.understand)(&self.form, given)
    }

    /// Returns what a call does to what later calls see.
    pub(crate) fn effect(&self, given: Option<&JsonObject>) -> Effect {
        (self.effect)(&self.form, given)
    }
}

#[cfg(test)]
mod samples;
