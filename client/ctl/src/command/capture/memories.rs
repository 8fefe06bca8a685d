//! `helixctl capture memories`: the memories and rules that agents keep in files of their own.
//!
//! The daemon reads them; this says where the home directory is, which the daemon may not share.

use std::env;

use clap::{Args, ValueEnum};
use helix_client::v1;
use helix_proto::exit;

use super::{Of, Plain};
use crate::context::Context;
use crate::document::CaptureFilesDocument;
use crate::failure::{Failure, Outcome};
use crate::{render, screen};

/// Arguments of `capture memories`.
#[derive(Debug, Args)]
pub(crate) struct Memories {
    /// What to do; left out: says what is read
    #[arg(value_enum)]
    what: Option<What>,
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    plain: Plain,
}

/// What to do with the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Reads them from now on, those of this project unless told otherwise
    On,
    /// Reads them no more, and takes what was read out of searches
    Off,
    /// Reads them now, where that is on
    Read,
}

impl Memories {
    /// Does it.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::CaptureRequest {
            caller: Some(context.caller()),
            switch: None,
            memories: self.what.map(|what| self.wire(context, what)).transpose()?,
        };
        let files = context
            .ask(async |rpc| rpc.capture(request.clone()).await)?
            .memories
            .unwrap_or_default();
        if self.plain.json {
            screen::json(&CaptureFilesDocument::from(&files))?;
        } else {
            screen::print(&render::capture_files(context.screen.look, &files))?;
        }
        Ok(exit::OK)
    }

    fn wire(&self, context: &Context, what: What) -> Result<v1::CaptureMemories, Failure> {
        let home = env::home_dir().ok_or_else(|| {
            Failure::Usage("there is no home directory; set HOME to the one to read".to_owned())
        })?;
        let variable = |name| env::var(name).unwrap_or_default();
        let is_on = what == What::On;
        let switch = (what != What::Read).then(|| self.of.wire(context, is_on));
        Ok(v1::CaptureMemories {
            switch,
            read: what == What::Read,
            home: home.to_string_lossy().into_owned(),
            claude_config_dir: variable("CLAUDE_CONFIG_DIR"),
            codex_home: variable("CODEX_HOME"),
        })
    }
}
