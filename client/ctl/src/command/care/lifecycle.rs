//! `helixctl lifecycle`: memories that faded, and what becomes of them.

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::v1;
use helix_proto::exit;

use super::EVERYTHING_DEADLINE;
use crate::context::Context;
use crate::document::LifecycleDocument;
use crate::failure::Outcome;
use crate::text::one_line;
use crate::time::day;
use crate::{render, screen};

/// Arguments of `lifecycle`.
#[derive(Debug, Args)]
pub(crate) struct Lifecycle {
    /// Only says what would be done, which is also what happens without this
    #[arg(long, conflicts_with = "apply")]
    dry_run: bool,
    /// Archives, expires and prunes what is due now
    #[arg(long)]
    apply: bool,
    /// Names at most so many memories [default: 100]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: Option<u32>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Lifecycle {
    /// Prints what is due, or was done.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::LifecycleRequest {
            caller: Some(context.caller()),
            apply: self.apply,
            limit: self.limit.unwrap_or_default(),
        };
        let reply = context.ask_slowly(
            "looking at every memory",
            EVERYTHING_DEADLINE,
            async |rpc| rpc.lifecycle(request).await,
        )?;
        if self.json {
            screen::json(&LifecycleDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        screen::print(&render::fates(context.screen.look, &reply.fates))?;
        for line in told(&reply, self.apply) {
            screen::remark(&format!("helixctl: {line}"));
        }
        Ok(exit::OK)
    }
}

fn told(reply: &v1::LifecycleReply, applied: bool) -> Vec<String> {
    let total = |counts: &[v1::NamedCount]| counts.iter().map(|count| count.count).sum::<u64>();
    let due = total(&reply.due);
    let mut lines = Vec::new();
    if applied {
        lines.push(format!("done: {}", listed(&reply.taken)));
        if reply.left > 0 {
            let left = count_of(reply.left, "memory was", "memories were");
            lines.push(format!("{left} changed meanwhile and stay"));
        }
    } else if due == 0 {
        lines.push("nothing is due".to_owned());
    } else {
        lines.push(format!(
            "due: {}; do it with --apply, keep one by reading or pinning it",
            listed(&reply.due)
        ));
    }
    lines.push(mode(reply));
    lines
}

fn listed(counts: &[v1::NamedCount]) -> String {
    let some = counts.iter().filter(|count| count.count > 0);
    let some: Vec<String> = some
        .map(|count| format!("{} {}", one_line(&count.name), count.count))
        .collect();
    if some.is_empty() {
        "nothing".to_owned()
    } else {
        some.join(", ")
    }
}

/// Tells the steps that happen without being asked for.
fn mode(reply: &v1::LifecycleReply) -> String {
    match reply.mode.as_str() {
        "auto" => "mode auto: this is done every hour".to_owned(),
        "propose" if reply.auto_from_us > 0 => format!(
            "mode propose: only scratch expires by itself; from {} on all of it happens every hour",
            day(reply.auto_from_us)
        ),
        "propose" => "mode propose: only scratch expires by itself".to_owned(),
        other => format!("mode {}: nothing happens by itself", one_line(other)),
    }
}
