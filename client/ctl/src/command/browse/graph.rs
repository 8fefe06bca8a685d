//! `helixctl graph`: which topics speak of which, or how memories are related.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::Scopes;
use crate::command::relations::walked;
use crate::context::Context;
use crate::document::{GraphDocument, WalkDocument};
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `graph`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct Graph {
    /// Shows only what comes from or goes to topics that fit, e.g. 'iris-*'
    #[arg(value_name = "GLOB", conflicts_with = "focus")]
    topics: Option<String>,
    /// The same
    #[arg(long, value_name = "GLOB")]
    focus: Option<String>,
    /// Prints the graph in the DOT language of Graphviz
    #[arg(long, conflicts_with_all = ["json", "mermaid"])]
    dot: bool,
    /// Prints the graph in the language of Mermaid
    #[arg(long, conflicts_with = "json")]
    mermaid: bool,
    /// Shows memories and their relations instead of topics
    #[arg(long, conflicts_with = "focus")]
    memories: bool,
    /// With --memories, shows only those of topics that fit
    #[arg(
        long,
        value_name = "GLOB",
        requires = "memories",
        conflicts_with = "topics"
    )]
    topic: Option<String>,
    /// With --memories, shows suggested relations, too
    #[arg(long, requires = "memories")]
    suggested: bool,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Graph {
    /// Prints the graph.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        if self.memories {
            return self.of_memories(context);
        }
        let request = v1::GraphRequest {
            caller: Some(context.caller()),
            scopes: self.scopes.scope,
            focus: self.topics.or(self.focus).unwrap_or_default(),
        };
        let reply = context.ask(async |rpc| rpc.graph(request.clone()).await)?;
        if self.json {
            screen::json(&GraphDocument::from(&reply))?;
        } else if self.dot {
            screen::print(&render::graph_dot(&reply))?;
        } else if self.mermaid {
            screen::print(&render::graph_mermaid(&reply))?;
        } else {
            screen::print(&render::graph(context.screen.look, &reply.edges))?;
            screen::remark_if(reply.edges.is_empty(), "no topic mentions another");
        }
        Ok(exit::OK)
    }

    /// Prints the relations of memories.
    fn of_memories(self, context: &Context) -> Outcome {
        let request = v1::TraverseRequest {
            caller: Some(context.caller()),
            topics: self.topic.or(self.topics).unwrap_or_default(),
            depth: Some(0),
            edges: Some(v1::EdgeFilter {
                suggested: self.suggested,
                ..v1::EdgeFilter::default()
            }),
            scopes: self.scopes.scope,
            ..v1::TraverseRequest::default()
        };
        let reply = walked(context, &request)?;
        if self.json {
            screen::json(&WalkDocument::from(&reply))?;
        } else if self.dot {
            screen::print(&render::edges_dot(&reply))?;
        } else if self.mermaid {
            screen::print(&render::edges_mermaid(&reply))?;
        } else {
            screen::print(&render::edges(context.screen.look, &reply.edges))?;
            let nothing = if self.suggested {
                "no memories are related"
            } else {
                "no memories are related; --suggested also shows what Helix thinks is"
            };
            screen::remark_if(reply.edges.is_empty(), nothing);
        }
        screen::remark_if(reply.cut, "there are more; narrow it with --topic");
        Ok(exit::OK)
    }
}
