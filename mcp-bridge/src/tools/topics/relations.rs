//! How memories are related: what is next to one, what is around several, how two are connected,
//! and which contradict each other.

use helix_client::v1::{
    Caller, ConflictsRequest, EdgeFilter, PathRequest, TraverseReply, TraverseRequest,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::arguments::{Choice, Flag, Fraction, Handles, Text, Whole, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, View};

/// Furthest that a walk goes, in relations.
const DEPTH_MAX: u32 = 10;

/// Relations between a memory and its neighbours.
const NEIGHBOUR_DEPTH: u32 = 1;

/// Most memories that one walk reaches.
const REACHED_MAX: u32 = 1_000;

type Depth = Whole<0, DEPTH_MAX>;

/// Which relations are followed.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Followed {
    /// only these, e.g. uses,owns
    #[serde(default)]
    relations: Words,
    direction: Option<Choice<Direction>>,
    /// 0-1
    min_strength: Option<Fraction>,
    /// suggested ones too
    #[serde(default)]
    suggested: Flag,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Outgoing,
    Incoming,
    Both,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Neighbours {
    topic: Text,
    #[serde(flatten)]
    followed: Followed,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Traverse {
    #[schemars(with = "Text")]
    topic: Handles,
    /// 0-10, default 2
    depth: Option<Depth>,
    limit: Option<Whole<1, REACHED_MAX>>,
    #[serde(flatten)]
    followed: Followed,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Path {
    /// handle
    from: Text,
    /// handle
    to: Text,
    /// default 10
    depth: Option<Depth>,
    #[serde(flatten)]
    followed: Followed,
}

impl Followed {
    fn filter(self) -> EdgeFilter {
        let direction = match self.direction {
            Some(Choice(Direction::Outgoing)) => "outgoing",
            Some(Choice(Direction::Incoming)) => "incoming",
            Some(Choice(Direction::Both)) | None => "both",
        };
        EdgeFilter {
            relations: self.relations.0,
            direction: direction.to_owned(),
            strength_min: self.min_strength.map_or(0.0, |strength| strength.0),
            suggested: self.suggested.0,
            ..EdgeFilter::default()
        }
    }
}

async fn walked(daemon: &Daemon, request: TraverseRequest) -> Result<TraverseReply, Failure> {
    let reply = daemon.call(async move |rpc| rpc.traverse(request.clone()).await);
    Ok(reply.await?)
}

impl Neighbours {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let with_suggested = self.followed.suggested.0;
        let reply = walked(daemon, self.request(caller)).await?;
        Ok(render::neighbours(&reply, with_suggested, &View::local()))
    }

    fn request(self, caller: Caller) -> TraverseRequest {
        TraverseRequest {
            caller: Some(caller),
            memories: vec![self.topic.trimmed()],
            depth: Some(NEIGHBOUR_DEPTH),
            edges: Some(self.followed.filter()),
            ..TraverseRequest::default()
        }
    }
}

impl Traverse {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let with_suggested = self.followed.suggested.0;
        let reply = walked(daemon, self.request(caller)).await?;
        Ok(render::traversed(&reply, with_suggested, &View::local()))
    }

    fn request(self, caller: Caller) -> TraverseRequest {
        TraverseRequest {
            caller: Some(caller),
            memories: self.topic.0,
            depth: self.depth.map(|depth| depth.0),
            edges: Some(self.followed.filter()),
            limit: self.limit.map_or(0, |limit| limit.0),
            ..TraverseRequest::default()
        }
    }
}

impl Path {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let with_suggested = self.followed.suggested.0;
        let request = self.request(caller);
        let ends = (request.from.clone(), request.to.clone());
        let reply = daemon
            .call(async move |rpc| rpc.path(request.clone()).await)
            .await?;
        let (from, to) = (ends.0.as_str(), ends.1.as_str());
        Ok(render::path(
            &reply,
            [from, to],
            with_suggested,
            &View::local(),
        ))
    }

    fn request(self, caller: Caller) -> PathRequest {
        PathRequest {
            caller: Some(caller),
            from: self.from.trimmed(),
            to: self.to.trimmed(),
            depth: self.depth.map(|depth| depth.0),
            edges: Some(self.followed.filter()),
            scopes: Vec::new(),
        }
    }
}

pub(super) async fn conflicts(daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
    let request = ConflictsRequest {
        caller: Some(caller),
    };
    let reply = daemon
        .call(async move |rpc| rpc.conflicts(request.clone()).await)
        .await?;
    Ok(render::conflicts(&reply, &View::local()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::super::samples::{read, shown};
    use super::super::Topics;
    use super::*;
    use crate::arguments::ArgumentError;

    /// The request that a call makes of the daemon.
    fn asked(given: &Value) -> Result<String, ArgumentError> {
        let caller = Caller::default();
        Ok(match read(given)? {
            Topics::Neighbours(neighbours) => shown(&neighbours.request(caller)),
            Topics::Traverse(traverse) => shown(&traverse.request(caller)),
            Topics::Path(path) => shown(&path.request(caller)),
            other => unreachable!("{other:?}"),
        })
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({"action": "neighbours", "topic": "a/b"}),
            json!({"action": "neighbours", "topic": "a/b", "relations": ["uses"], "suggested": "true"}),
            json!({
                "action": "traverse", "topic": "a/b, c:1", "depth": "3", "limit": 9,
                "relations": "uses, depends_on", "direction": "Outgoing", "min_strength": "0.5",
            }),
            json!({"action": "path", "from": "a/b", "to": " c/d ", "depth": 0, "direction": "both"}),
        ]
        .map(|given| asked(&given).unwrap());
        insta::assert_snapshot!(requests.join("\n"));
    }

    #[test]
    fn wrong_calls_say_what_to_do() {
        let errors = [
            json!({"action": "neighbours"}),
            json!({"action": "traverse", "topic": "a/b", "depth": 11}),
            json!({"action": "traverse", "topic": "a/b", "direction": "up"}),
            json!({"action": "traverse", "topic": "a/b", "min_strength": 2}),
            json!({"action": "path", "from": "a/b"}),
            json!({"action": "conflicts", "topic": "a/b"}),
        ]
        .map(|given| read::<Topics>(&given).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"));
    }
}
