//! `helixctl graph`: which topics speak of which.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use super::Scopes;
use crate::context::{Context, wait};
use crate::document::GraphDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `graph`.
#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// Shows only what comes from or goes to topics that fit, e.g. 'iris-*'
    #[arg(value_name = "GLOB", conflicts_with = "focus")]
    topics: Option<String>,
    /// The same
    #[arg(long, value_name = "GLOB")]
    focus: Option<String>,
    /// Prints the graph in the DOT language of Graphviz
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Graph {
    /// Prints the graph.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::GraphRequest {
            caller: Some(context.caller()),
            scopes: self.scopes.scope,
            focus: self.topics.or(self.focus).unwrap_or_default(),
        };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client
                .call(async |rpc| rpc.graph(request.clone()).await)
                .await?;
            if self.json {
                screen::json(&GraphDocument::from(&reply))?;
            } else if self.dot {
                screen::print(&render::graph_dot(&reply))?;
            } else {
                screen::print(&render::graph(context.screen.look, &reply.edges))?;
                screen::remark_if(reply.edges.is_empty(), "no topic mentions another");
            }
            Ok(exit::OK)
        })
    }
}
