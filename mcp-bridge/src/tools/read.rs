//! `read`: one memory, or all memories of a topic, in full.

use helix_client::v1::{Caller, ReadRequest};

use super::Description;
use crate::arguments::Arguments;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, View};
use crate::schema::{Parameter, Shape};

pub(super) const DESCRIPTION: Description = Description {
    name: "read",
    title: "Read memories",
    about: "Full text and metadata of one memory, or of all memories of a topic.",
    parameters: &PARAMETERS,
    reads_only: true,
};

const PARAMETERS: [Parameter; 2] = [
    Parameter::required("topic", Shape::Text, "topic, handle, id or topic:index"),
    Parameter::optional("index", Shape::Whole, "0-based, one memory of the topic"),
];

pub(super) async fn run(daemon: &Daemon, caller: Caller, arguments: &Arguments) -> Result<String, Failure> {
    let index = arguments.whole("index", 0..=u32::MAX)?;
    let request = ReadRequest {
        caller: Some(caller),
        reference: arguments.required_text("topic")?.trim().to_owned(),
        index,
        ..ReadRequest::default()
    };
    let reply = daemon.call(async move |rpc| rpc.read(request.clone()).await).await?;
    Ok(render::read(&reply, index, &View::local()))
}
