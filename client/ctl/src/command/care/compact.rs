//! `helixctl compact`: near duplicates, loose files and wrong times, reported or repaired.

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::v1;
use helix_proto::exit;

use super::EVERYTHING_DEADLINE;
use crate::command::browse::Scopes;
use crate::context::Context;
use crate::document::CompactDocument;
use crate::failure::Outcome;
use crate::text::one_line;
use crate::{render, screen};

/// Arguments of `compact`.
#[derive(Debug, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Compact {
    /// Does it instead of reporting what it would do
    #[arg(long)]
    apply: bool,
    /// Also compacts the files
    #[arg(long)]
    log: bool,
    /// Repairs times that lie in the future or are missing, instead of looking for duplicates
    #[arg(long)]
    migrate: bool,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Compact {
    /// Prints what was or would be done.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::CompactRequest {
            caller: Some(context.caller()),
            scopes: self.scopes.scope.clone(),
            apply: self.apply,
            log: self.log,
            migrate: self.migrate,
        };
        let reply = context.ask_slowly("compacting", EVERYTHING_DEADLINE, async |rpc| {
            rpc.compact(request).await
        })?;
        if self.json {
            screen::json(&CompactDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        screen::print(&render::duplicates(context.screen.look, &reply.pairs))?;
        screen::print(&render::similar(context.screen.look, &reply.similar))?;
        for line in self.told(&reply) {
            screen::remark(&format!("helixctl: {line}"));
        }
        Ok(exit::OK)
    }

    fn told(&self, reply: &v1::CompactReply) -> Vec<String> {
        let mut lines = Vec::new();
        let hint = if self.apply {
            ""
        } else {
            "; do it with --apply"
        };
        if self.migrate {
            let times = count_of(reply.repaired, "time", "times");
            lines.push(format!(
                "{times} {}{hint}",
                if self.apply { "repaired" } else { "to repair" }
            ));
        } else if self.apply {
            lines.push(format!(
                "{} merged",
                count_of(reply.merged, "duplicate", "duplicates")
            ));
        } else {
            let pairs = reply.pairs.len();
            let found = count_of(pairs, "duplicate", "duplicates");
            lines.push(format!(
                "{found} found{}",
                if pairs == 0 { "" } else { hint }
            ));
        }
        if !reply.similar.is_empty() {
            lines.push(format!("{} similar, not merged", reply.similar.len()));
        }
        if self.log {
            lines.push(self.told_of_files(reply));
        }
        lines.extend(reply.notes.iter().map(|note| one_line(note)));
        lines
    }

    /// Tells the gain of the files, which is known only once they are rewritten.
    fn told_of_files(&self, reply: &v1::CompactReply) -> String {
        let before = reply.bytes_before;
        if self.apply {
            format!("files: {before} bytes before, {} after", reply.bytes_after)
        } else {
            format!("files: {before} bytes, untouched; --apply rewrites them")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_gain_nothing_before_they_are_rewritten() {
        let reply = v1::CompactReply {
            bytes_before: 5_273_429,
            ..v1::CompactReply::default()
        };
        let told = |apply, migrate, reply: &v1::CompactReply| {
            Compact {
                log: true,
                apply,
                migrate,
                ..Compact::default()
            }
            .told(reply)
            .join("\n")
        };
        for migrate in [false, true] {
            let told = told(false, migrate, &reply);
            assert!(
                told.ends_with("files: 5273429 bytes, untouched; --apply rewrites them"),
                "{told}"
            );
            assert!(!told.contains("before"), "{told}");
        }
        let done = v1::CompactReply {
            bytes_after: 900,
            ..reply
        };
        assert!(told(true, false, &done).ends_with("files: 5273429 bytes before, 900 after"));
    }
}
