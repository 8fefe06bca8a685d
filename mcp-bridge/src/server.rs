//! The MCP server: who we are, what we offer, and whose call it is. Listing never waits for the
//! daemon.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, process};

use helix_client::v1::{Caller, Program};
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    CustomRequest, CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, PromptsCapability, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ResourcesCapability, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::clean;
use crate::daemon::Daemon;
use crate::prompts;
use crate::resources;
use crate::tools::{Tool, ToolSet};
use crate::transport::unknown_method;
use crate::turn::{Ticket, Turn};

/// How long a client may keep what we list, in milliseconds. It changes only with the program.
const LIST_TTL_MS: u64 = 60_000;

/// Longest agent name that is passed on, in characters.
const AGENT_MAX_CHARS: usize = 64;

/// Where Codex puts its session's id in a request's metadata.
const SESSION_META_KEY: &str = "sessionId";

/// Where Claude Code puts its session's id.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// Begins the id that stands for the session of a client that names none.
pub(crate) const CONNECTION: &str = "mcp-connection-";

/// One client's server.
pub(crate) struct Server {
    tools: ToolSet,
    daemon: Daemon,
    project: PathBuf,
    /// Stands for the session of a client that names none, so that what it changes is not taken
    /// for another's.
    connection: String,
}

impl Server {
    /// Makes a server for the project that the process was started in.
    pub(crate) fn new(tools: ToolSet) -> Self {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let connection = format!("{CONNECTION}{}-{}", process::id(), since_epoch.as_millis());
        Self {
            tools,
            daemon: Daemon::new(),
            project: env::current_dir().unwrap_or_default(),
            connection,
        }
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let agent = context
            .client_info()
            .map(|client| client.name)
            .unwrap_or_default();
        let agent: String = clean::line(&agent).chars().take(AGENT_MAX_CHARS).collect();
        let named = context
            .meta
            .get(SESSION_META_KEY)
            .and_then(|id| id.as_str())
            .map(str::to_owned);
        let named = named
            .or_else(|| env::var(SESSION_VARIABLE).ok())
            .filter(|id| !id.trim().is_empty());
        let session = named.unwrap_or_else(|| self.connection.clone());
        helix_client::caller(Program::Mcp, &self.project, &agent, &session)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        capabilities.prompts = Some(PromptsCapability::default());
        if self.tools.has_resources() {
            capabilities.resources = Some(ResourcesCapability::default());
        }
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("helix", env!("CARGO_PKG_VERSION")).with_title("Helix"),
            )
            .with_instructions(self.tools.instructions())
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(LIST_TTL_MS))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = self.tools.tools().iter().map(Tool::listed);
        let list = ListToolsResult::with_all_items(listed.collect());
        if is_stateless(&context) {
            Ok(list
                .with_ttl_ms(LIST_TTL_MS)
                .with_cache_scope(CacheScope::Private))
        } else {
            Ok(list)
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.named(&request.name) else {
            let known = self.tools.names().join(", ");
            let name: String = request.name.chars().take(AGENT_MAX_CHARS).collect();
            return Err(ErrorData::invalid_params(
                format!("unknown tool {name}; the tools are {known}"),
                None,
            ));
        };
        let caller = self.caller(&context);
        let call = async {
            // Held until the answer is made.
            let _turn = turn(&context).await;
            tool.run(&self.daemon, caller, request.arguments).await
        };
        let result = tokio::select! {
            result = call => result,
            // `rmcp` sends nothing for a cancelled request; this only ends the work.
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
        };
        let answer = match result {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(clean::block(&text))]),
            Err(failure) => CallToolResult::error(vec![ContentBlock::text(clean::block(
                &format!("{}: {failure}", tool.name()),
            ))]),
        };
        Ok(answer.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let list = ListPromptsResult::with_all_items(prompts::listed());
        if is_stateless(&context) {
            Ok(list
                .with_ttl_ms(LIST_TTL_MS)
                .with_cache_scope(CacheScope::Private))
        } else {
            Ok(list)
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = prompts::get(&request.name, request.arguments, self.tools)?;
        Ok(prompt.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = ListResourcesResult::with_all_items(resources::listed());
        if is_stateless(&context) {
            Ok(list
                .with_ttl_ms(LIST_TTL_MS)
                .with_cache_scope(CacheScope::Private))
        } else {
            Ok(list)
        }
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let result = resources::read(&self.daemon, &request.uri).await?;
        let result = if is_stateless(&context) {
            result.with_ttl_ms(0).with_cache_scope(CacheScope::Private)
        } else {
            result
        };
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unknown_method(&request.method, self.tools))
    }
}

/// Returns whether the client speaks the revision without handshakes, in which answers say how long
/// they may be kept.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Waits for a call's turn; `None` for what is no call of a client's.
async fn turn(context: &RequestContext<RoleServer>) -> Option<Turn> {
    context.extensions.get::<Ticket>()?.turn().await
}
