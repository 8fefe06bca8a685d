//! Messages that reach the protocol: a screen between the lines of stdin and `rmcp`.
//!
//! Before the handshake `rmcp` ends the connection over a stray notification or response, and
//! answers an unknown method with a complaint about metadata. A client that probes must neither
//! lose its server nor wait, so the screen drops the former and answers the latter. It makes an
//! unknown method of every one that the server does not declare, for `rmcp` answers some of
//! them with an empty list. It also turns a stop into the end of the input, which makes `rmcp`
//! finish the calls in flight.
//!
//! Each call of a tool gets its place in line here, where messages are still in their order.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, CustomRequest, ErrorCode, ErrorData, GetExtensions,
    GetMeta, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;

use crate::serve::Stop;
use crate::tools::ToolSet;
use crate::turn::{Line, Room};

/// Methods that exist with every set of tools, which are those that the server's capabilities
/// declare; a request for one of them that cannot be parsed has wrong parameters.
const KNOWN_METHODS: [&str; 7] = [
    "initialize",
    "server/discover",
    "tools/call",
    "tools/list",
    "prompts/get",
    "prompts/list",
    "ping",
];

/// Methods that exist beside those with a set of tools that has resources.
const RESOURCE_METHODS: [&str; 3] = [
    "resources/list",
    "resources/read",
    "resources/templates/list",
];

/// A transport that screens what comes in.
pub(crate) struct Screened<T> {
    inner: T,
    stop: Stop,
    opened: bool,
    line: Line,
    tools: ToolSet,
}

/// Treatment of a message that arrives before the handshake.
enum Verdict {
    Pass,
    Drop,
    Refuse(RequestId, ErrorData),
}

impl<T> Screened<T> {
    /// Screens `inner` until `stop`, and puts its calls of `tools` into `line`.
    pub(crate) fn new(inner: T, stop: Stop, line: Line, tools: ToolSet) -> Self {
        Self {
            inner,
            stop,
            opened: false,
            line,
            tools,
        }
    }

    /// Gives a call of a tool its place in line.
    fn line_up(&self, message: &mut ClientJsonRpcMessage, room: Room) {
        let ClientJsonRpcMessage::Request(request) = message else {
            return;
        };
        if let ClientRequest::CallToolRequest(call) = &mut request.request {
            let given = call.params.arguments.as_ref();
            let effect = self.tools.effect_of(&call.params.name, given);
            let ticket = self.line.enter(effect, room);
            call.extensions_mut().insert(ticket);
        }
    }

    fn judge(&mut self, message: &ClientJsonRpcMessage) -> Verdict {
        let ClientJsonRpcMessage::Request(request) = message else {
            return Verdict::Drop;
        };
        match &request.request {
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => Verdict::Pass,
            ClientRequest::InitializeRequest(_) => {
                self.opened = true;
                Verdict::Pass
            }
            other if is_self_contained(other) => {
                self.opened = true;
                Verdict::Pass
            }
            ClientRequest::CustomRequest(custom) => {
                let error = unknown_method(&custom.method, self.tools);
                Verdict::Refuse(request.id.clone(), error)
            }
            _ => Verdict::Pass,
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Screened<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    /// Takes nothing from a client whose line is full, so that it waits. May be cancelled: nothing is
    /// awaited between taking a message and returning it, except before the handshake, where `rmcp`
    /// awaits nothing else.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let (line, inner) = (&self.line, &mut self.inner);
            let next = async { Some((line.room().await?, inner.receive().await?)) };
            let received = tokio::select! {
                received = next => received,
                () = self.stop.stopped() => None,
            };
            let Some((room, mut message)) = received else {
                self.stop.stop();
                return None;
            };
            forget_undeclared(&mut message, self.tools);
            self.line_up(&mut message, room);
            if self.opened {
                return Some(message);
            }
            match self.judge(&message) {
                Verdict::Pass => return Some(message),
                Verdict::Drop => {}
                Verdict::Refuse(id, error) => {
                    self.inner
                        .send(ServerJsonRpcMessage::error(error, Some(id)))
                        .await
                        .ok()?;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Makes a request for what is not declared one for a method that nobody knows, with its metadata.
fn forget_undeclared(message: &mut ClientJsonRpcMessage, tools: ToolSet) {
    let ClientJsonRpcMessage::Request(request) = message else {
        return;
    };
    let method = request.request.method();
    if !is_known(method, tools) {
        let mut unknown = CustomRequest::new(method, None);
        unknown
            .get_meta_mut()
            .clone_from(request.request.get_meta());
        request.request = unknown.into();
    }
}

/// The error for a request that parsed as no known one.
pub(crate) fn unknown_method(method: &str, tools: ToolSet) -> ErrorData {
    if is_known(method, tools) {
        ErrorData::invalid_params(format!("the parameters of {method} are malformed"), None)
    } else {
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None)
    }
}

fn is_known(method: &str, tools: ToolSet) -> bool {
    KNOWN_METHODS.contains(&method) || (tools.has_resources() && RESOURCE_METHODS.contains(&method))
}

/// Returns whether a request carries the metadata that stands for a handshake since revision
/// 2026-07-28.
fn is_self_contained(request: &ClientRequest) -> bool {
    request
        .get_meta()
        .missing_required_keys(&ProtocolVersion::V_2026_07_28)
        .is_empty()
}
