//! The APIs over HTTP: what each is sent, and where its answer stands.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use crate::backend::{Api, Backend};
use crate::prompt::Prompt;
use crate::route::Failed;

/// Longest answer of a server that is read, in bytes.
const ANSWER_MAX_BYTES: u64 = 1024 * 1024;

/// How long a connection may take.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

/// How long a backend rests that has too much to do and does not say for how long.
const REST: Duration = Duration::from_mins(1);

/// The same at most, whatever it says.
const REST_MAX: Duration = Duration::from_hours(1);

/// A request over HTTP.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) url: String,
    /// Without the key.
    headers: &'static [(&'static str, &'static str)],
    /// The header of the key, and what stands before it.
    key_header: (&'static str, &'static str),
    pub(crate) body: Value,
}

/// What a backend said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// Tokens of question and answer, where it tells them.
    pub(crate) tokens: Option<(u64, u64)>,
}

/// The request that asks a backend.
pub(crate) fn request(backend: &Backend, api: Api, prompt: &Prompt) -> Request {
    match api {
        Api::Gemini => gemini::request(backend, prompt),
        Api::OpenAi => openai::request(backend, prompt),
        Api::Anthropic => anthropic::request(backend, prompt),
        Api::Ollama | Api::Command => ollama::request(backend, prompt),
    }
}

/// Asks a backend.
///
/// # Errors
/// [`Failed`], without a word of what the server said: it may repeat keys and questions.
pub(crate) fn ask(
    backend: &Backend,
    api: Api,
    prompt: &Prompt,
    deadline: Duration,
) -> Result<Said, Failed> {
    let answer = send(backend, &request(backend, api, prompt), deadline)?;
    let (text, tokens) = match api {
        Api::Gemini => (gemini::text(&answer), gemini::usage(&answer)),
        Api::OpenAi => (openai::text(&answer), openai::usage(&answer)),
        Api::Anthropic => (anthropic::text(&answer), anthropic::usage(&answer)),
        Api::Ollama | Api::Command => (ollama::text(&answer), ollama::usage(&answer)),
    };
    match text {
        Some(text) => Ok(Said { text, tokens }),
        // It may have thought, or refused in words, and tells what that took.
        None => Err(Failed::nonsense(tokens)),
    }
}

fn send(backend: &Backend, request: &Request, deadline: Duration) -> Result<Value, Failed> {
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(deadline))
        .timeout_connect(Some(CONNECT_DEADLINE.min(deadline)))
        .http_status_as_error(false)
        // A key belongs to one host.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(proxy(&request.url))
        .user_agent(concat!("helix-provider/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let mut sending = agent
        .post(&request.url)
        .header("content-type", "application/json");
    for (name, value) in request.headers {
        sending = sending.header(*name, *value);
    }
    if let Some(key) = &backend.key {
        let (name, before) = request.key_header;
        sending = sending.header(name, format!("{before}{}", key.reveal()));
    }
    let mut response = sending.send(request.body.to_string())?;
    let status = response.status().as_u16();
    if status == 429 || (500..600).contains(&status) {
        let rest = response.headers().get("retry-after");
        let rest = rest.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let rest = rest.map_or(REST, Duration::from_secs).min(REST_MAX);
        return Err(Failed::Busy { status, rest });
    }
    if status != 200 {
        return Err(Failed::Refused(status));
    }
    let body = response.body_mut().with_config().limit(ANSWER_MAX_BYTES);
    let body = body.read_to_vec()?;
    serde_json::from_slice(&body).map_err(|_| Failed::nonsense(None))
}

/// The proxy of the environment; none for what would go through it in clear text.
fn proxy(url: &str) -> Option<ureq::Proxy> {
    let is_encrypted = url.starts_with("https://");
    is_encrypted.then(ureq::Proxy::try_from_env).flatten()
}

impl From<ureq::Error> for Failed {
    fn from(error: ureq::Error) -> Self {
        match error {
            ureq::Error::Timeout(_) => Self::Late,
            ureq::Error::Http(_) | ureq::Error::BadUri(_) | ureq::Error::InvalidProxyUrl => {
                Self::Unusable
            }
            ureq::Error::BodyExceedsLimit(_) => Self::nonsense(None),
            _ => Self::Unreachable,
        }
    }
}

/// A number of tokens below a value.
fn tokens(usage: &Value, name: &str) -> u64 {
    usage.get(name).and_then(Value::as_u64).unwrap_or(0)
}
