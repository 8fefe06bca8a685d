//! `event`: what happened, for agents whose client has no hooks.

use helix_client::v1::{Caller, EventRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{Call, Description, Nature};
use crate::arguments::{Choice, Text};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render;

/// An event.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Event {
    #[serde(rename = "type")]
    sort: Choice<Sort>,
    /// the error's output, the decision, the pattern, or the user's words
    #[serde(default)]
    text: Text,
    /// that was opened, or that it is about
    #[serde(default)]
    file: Text,
    /// that was run, or that failed
    #[serde(default)]
    command: Text,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    FileOpened,
    CommandExecuted,
    ErrorOccurred,
    DecisionMade,
    PatternDetected,
    UserFeedback,
    SessionStart,
    SessionEnd,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Self::FileOpened => "file_opened",
            Self::CommandExecuted => "command_executed",
            Self::ErrorOccurred => "error_occurred",
            Self::DecisionMade => "decision_made",
            Self::PatternDetected => "pattern_detected",
            Self::UserFeedback => "user_feedback",
            Self::SessionStart => "session_start",
            Self::SessionEnd => "session_end",
        }
    }
}

impl Call for Event {
    const DESCRIPTION: Description = Description {
        name: "event",
        title: "Report an event",
        about: "Report what happened. An error is answered with what fixed it before, else it is \
                remembered; decisions, patterns and lasting feedback become memories; opened files \
                and commands belong to this session only.",
        nature: Nature::Adds,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let reply = daemon
            .call(async move |rpc| rpc.event(request.clone()).await)
            .await?;
        Ok(render::taken(&reply))
    }
}

impl Event {
    fn request(self, caller: Caller) -> EventRequest {
        EventRequest {
            caller: Some(caller),
            r#type: self.sort.0.name().to_owned(),
            text: self.text.0,
            file: self.file.trimmed(),
            command: self.command.0,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::super::samples::read;
    use super::*;

    #[test]
    fn every_type_is_named_as_its_choice() {
        let form = crate::arguments::Form::of::<Event>("event", None);
        let schema = form.input_schema();
        let listed = schema["properties"]["type"]["enum"].as_array().unwrap();
        assert_eq!(listed.len(), 8);
        for name in listed {
            let call: Event = read(&json!({"type": name})).unwrap();
            assert_eq!(
                call.request(Caller::default()).r#type,
                name.as_str().unwrap()
            );
        }
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let given = json!({
            "type": "error_occurred", "text": "linking fails", "file": " a.rs ", "command": "make",
        });
        let call: Event = read(&given).unwrap();
        let request = call.request(Caller::default());
        assert_eq!(request.text, "linking fails");
        assert_eq!(request.file, "a.rs");
        assert_eq!(request.command, "make");
    }

    #[test]
    fn an_event_that_is_not_known_says_which_are() {
        let refused = read::<Event>(&json!({"type": "file_closed"})).unwrap_err();
        assert!(refused.to_string().contains("file_opened"), "{refused}");
        assert!(read::<Event>(&json!({"text": "a"})).is_err());
    }
}
