//! `helixctl session`: what one session, or everybody in the project, changed; or which sessions
//! there are.

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::{Start, v1};
use helix_proto::exit;
use tonic::{Code, Status};

use crate::context::{Context, wait};
use crate::document::{SessionDocument, SessionsDocument};
use crate::failure::{Failure, Outcome};
use crate::text::one_line;
use crate::{render, screen};

/// The command that lists sessions.
const LIST: &str = "helixctl session --list";

/// Arguments of `session`.
#[derive(Debug, Args)]
pub(crate) struct Session {
    /// The session's id, or its beginning of four characters and more. Unless given, that of the
    /// agent whose shell this is; in a shell of nobody's, the changes of this project in the
    /// last hours are shown
    #[arg(value_name = "ID", conflicts_with = "list")]
    session: Option<String>,
    /// Lists the sessions that are known, of every project, the last active first
    #[arg(long, short)]
    list: bool,
    /// Prints at most so many operations, or sessions
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Session {
    /// Prints the session's operations, oldest first; or sessions.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let caller = context.caller();
        let session = self.session.unwrap_or_default();
        let limit = self.limit.unwrap_or_default();
        let request = v1::SessionLogRequest {
            caller: Some(caller),
            session,
            limit,
            list: self.list,
        };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client
                .call(async |rpc| rpc.session_log(request.clone()).await)
                .await
                .map_err(unknown)?;
            match (self.list, self.json) {
                (true, true) => screen::json(&SessionsDocument::from(&reply))?,
                (true, false) => tell_all(context, &reply)?,
                (false, true) => screen::json(&SessionDocument::from(&reply))?,
                (false, false) => tell(context, &reply)?,
            }
            Ok(exit::OK)
        })
    }
}

/// Says how to list sessions where the one that was named is not known.
pub(super) fn unknown(status: Status) -> Failure {
    let is_unknown = status.code() == Code::NotFound;
    let failure = Failure::from(status);
    if is_unknown {
        Failure::Within {
            what: format!("see {LIST}"),
            failure: Box::new(failure),
        }
    } else {
        failure
    }
}

fn tell(context: &Context, reply: &v1::SessionLogReply) -> Result<(), Failure> {
    let hours = count_of(reply.recent_hours, "hour", "hours");
    screen::remark_if(
        reply.recent_hours > 0,
        &format!(
            "this shell belongs to no agent's session: all changes seen from here in the last {hours}; see also {LIST}"
        ),
    );
    for line in reply.activity.iter().flat_map(|activity| &activity.lines) {
        screen::print(&format!("{}\n", one_line(line)))?;
    }
    screen::print(&render::session(context.screen.look, &reply.operations))?;
    let shown = reply.operations.len();
    let nothing = if reply.session.is_empty() {
        "nobody changed anything".to_owned()
    } else {
        format!("session {} changed nothing", one_line(&reply.session))
    };
    screen::remark_if(shown == 0, &nothing);
    remark_more(shown, reply.total);
    Ok(())
}

fn tell_all(context: &Context, reply: &v1::SessionLogReply) -> Result<(), Failure> {
    screen::print(&render::sessions(context.screen.look, &reply.sessions))?;
    let shown = reply.sessions.len();
    screen::remark_if(shown == 0, "no session was heard of in the last hours");
    remark_more(shown, reply.total);
    Ok(())
}

fn remark_more(shown: usize, total: u32) {
    let more = usize::try_from(total).is_ok_and(|total| total > shown);
    screen::remark_if(more, &format!("{shown} of {total}; see more with --limit"));
}
