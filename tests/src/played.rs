//! A server on the loopback that plays a provider of language models: its protocol, its errors, its
//! slowness and its nonsense.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a request may take to come, on a busy machine.
const REQUEST_DEADLINE: Duration = Duration::from_mins(1);

/// The protocols over HTTP, by their names in the configuration.
pub const APIS: [&str; 4] = ["gemini", "openai", "anthropic", "ollama"];

/// Tokens of question and answer, as every protocol tells them here.
pub const TOKENS: (u64, u64) = (200, 30);

/// How the server answers one request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// With a status and a body.
    Of(u16, String),
    /// Never.
    Hang,
    /// By closing the connection in the middle of a body.
    CutOff,
}

/// A model's answer, in the frame of a protocol.
#[must_use]
pub fn says(api: &str, said: &str) -> Reply {
    let (question, answer) = TOKENS;
    let body = match api {
        "gemini" => json!({
            "candidates": [{ "content": { "parts": [{ "text": said }] } }],
            "usageMetadata": { "promptTokenCount": question, "candidatesTokenCount": 20, "thoughtsTokenCount": 10 },
        }),
        "anthropic" => json!({
            "content": [
                { "type": "text", "text": "Well." },
                { "type": "tool_use", "name": "answer", "input": serde_json::from_str::<Value>(said).unwrap_or_default() },
            ],
            "usage": { "input_tokens": question, "output_tokens": answer },
        }),
        "ollama" => json!({
            "message": { "role": "assistant", "content": said },
            "prompt_eval_count": question,
            "eval_count": answer,
        }),
        _ => json!({
            "choices": [{ "message": { "role": "assistant", "content": said } }],
            "usage": { "prompt_tokens": question, "completion_tokens": answer },
        }),
    };
    Reply::Of(200, body.to_string())
}

/// A server that plays one provider.
#[derive(Debug)]
pub struct Played {
    /// Where it listens.
    pub url: String,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Head and body of each request that came.
    seen: Vec<String>,
    /// Those of them that somebody waited for.
    awaited: usize,
    /// Replies to the next requests; the last one is repeated.
    replies: Vec<Reply>,
}

impl Played {
    /// Answers one request after the other; the last reply is repeated.
    ///
    /// # Errors
    /// When the loopback cannot be listened on.
    pub fn of(replies: Vec<Reply>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::<Shared>::default();
        shared.lock().replies = replies;
        let serving = Arc::clone(&shared);
        thread::spawn(move || serve(&listener, &serving));
        Ok(Self { url, shared })
    }

    /// Answers so from now on.
    pub fn reply_with(&self, reply: Reply) {
        self.shared.lock().replies = vec![reply];
    }

    /// Every request that came.
    #[must_use]
    pub fn seen(&self) -> Vec<String> {
        self.shared.lock().seen.clone()
    }

    /// Waits for a request that nobody waited for yet, and returns all of it.
    ///
    /// # Errors
    /// When none comes in time.
    pub fn await_request(&self) -> io::Result<String> {
        let until = Instant::now() + REQUEST_DEADLINE;
        let mut state = self.shared.lock();
        loop {
            let next = state.awaited;
            if let Some(request) = state.seen.get(next).cloned() {
                state.awaited += 1;
                return Ok(request);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let waited = self.shared.came.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Requests that came and that nobody waited for.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let state = self.shared.lock();
        state.seen.len() - state.awaited
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request; returns how it is answered.
    fn note(&self, request: String) -> Reply {
        let mut state = self.lock();
        state.seen.push(request);
        self.came.notify_all();
        if state.replies.len() > 1 {
            return state.replies.remove(0);
        }
        state.replies.first().cloned().unwrap_or(Reply::Hang)
    }
}

fn serve(listener: &TcpListener, shared: &Shared) {
    let mut hanging = Vec::new();
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else { return };
        // A caller that was killed says and hears nothing.
        let Ok(request) = request(&mut stream) else {
            continue;
        };
        match shared.note(request) {
            Reply::Hang => hanging.push(stream),
            Reply::CutOff => {
                let head = "HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n{\"choices\":";
                stream.write_all(head.as_bytes()).ok();
            }
            Reply::Of(status, body) => {
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
                );
                stream.write_all((head + &body).as_bytes()).ok();
            }
        }
    }
}

/// Reads a request, head and body.
fn request(stream: &mut TcpStream) -> io::Result<String> {
    let mut read = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece)?;
        read.extend_from_slice(piece.get(..count).unwrap_or_default());
        let text = String::from_utf8_lossy(&read);
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && (count == 0 || body.len() >= length(head))
        {
            return Ok(text.into_owned());
        }
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Bytes of the body, as the head says.
fn length(head: &str) -> usize {
    let said = head.lines().find_map(|line| {
        let line = line.to_lowercase();
        line.strip_prefix("content-length: ")?.parse().ok()
    });
    said.unwrap_or(0)
}
