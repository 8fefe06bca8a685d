//! JSON-RPC over lines: a message a line in, a message a line out.
//!
//! `rmcp`'s own transport says nothing to a line that is not JSON, and leaves the id out of what it
//! says to other strays. JSON-RPC wants both answered with the id null, so that a client that cut a
//! message in two learns of it instead of waiting.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Bytes at either end of a line that is too long in which its id is looked for.
const ID_LOOKED_FOR_BYTES: usize = 4096;

/// Some clients start with a byte order mark.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A connection over two streams.
pub(crate) struct Lines<R, W> {
    input: BufReader<R>,
    /// The part of the current line that was read.
    line: Vec<u8>,
    line_max_bytes: usize,
    /// The ends of the current line, when it is longer and dropped.
    too_long: Option<Ends>,
    output: Arc<Mutex<Option<Output<W>>>>,
    owed: Owed,
}

/// The writing end. A write that is cancelled leaves the rest of its line to the next one, so that
/// no line is torn.
struct Output<W> {
    stream: W,
    rest: Vec<u8>,
}

/// What is to be written before the next line is read.
enum Owed {
    Nothing,
    Refusal(Value),
    /// A refusal that may be written in part.
    Rest,
}

/// Contents of a line.
enum Line {
    Message(Box<ClientJsonRpcMessage>),
    /// Nothing, or a notification that nobody knows.
    Ignored,
    Refused(Value),
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    /// Connects two streams; longer lines are refused.
    pub(crate) fn new(input: R, output: W, line_max_bytes: usize) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            line_max_bytes,
            too_long: None,
            output: Arc::new(Mutex::new(Some(Output {
                stream: output,
                rest: Vec::new(),
            }))),
            owed: Owed::Nothing,
        }
    }

    /// Reads the next line; `None` at the end of the input, whose unfinished line is no message.
    /// May be cancelled: what was read stays.
    async fn next(&mut self) -> Option<Line> {
        loop {
            // Input that cannot be read has ended.
            let available = self
                .input
                .fill_buf()
                .await
                .ok()
                .filter(|available| !available.is_empty())?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let piece = available
                .get(..end.unwrap_or(available.len()))
                .unwrap_or_default();
            if let Some(ends) = &mut self.too_long {
                ends.go_on(piece);
            } else if self.line.len() + piece.len() > self.line_max_bytes {
                let mut ends = Ends::of(&std::mem::take(&mut self.line));
                ends.go_on(piece);
                self.too_long = Some(ends);
            } else {
                self.line.extend_from_slice(piece);
            }
            let taken = piece.len() + usize::from(end.is_some());
            self.input.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Some(match self.too_long.take() {
                    Some(ends) => too_long(&ends, self.line_max_bytes),
                    None => understood(&line),
                });
            }
        }
    }

    /// Writes what is owed. May be cancelled: the rest stays owed.
    async fn pay(&mut self) -> io::Result<()> {
        if matches!(self.owed, Owed::Nothing) {
            return Ok(());
        }
        let mut output = self.output.lock().await;
        let output = output.as_mut().ok_or_else(closed)?;
        if let Owed::Refusal(refusal) = std::mem::replace(&mut self.owed, Owed::Rest) {
            output.queue(refusal.to_string().as_bytes());
        }
        output.write().await?;
        self.owed = Owed::Nothing;
        Ok(())
    }
}

impl<W: AsyncWrite + Unpin> Output<W> {
    fn queue(&mut self, message: &[u8]) {
        self.rest.extend_from_slice(message);
        self.rest.push(b'\n');
    }

    async fn write(&mut self) -> io::Result<()> {
        while !self.rest.is_empty() {
            match self.stream.write(&self.rest).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => drop(self.rest.drain(..written)),
            }
        }
        self.stream.flush().await
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let message = serde_json::to_vec(&item)?;
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or_else(closed)?;
            output.queue(&message);
            output.write().await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.pay().await.ok()?;
            match self.next().await? {
                Line::Message(message) => return Some(*message),
                Line::Ignored => {}
                Line::Refused(refusal) => self.owed = Owed::Refusal(refusal),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

/// Both ends of a line that is too long.
struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Ends {
    fn of(line: &[u8]) -> Self {
        let mut ends = Self {
            head: Vec::new(),
            tail: Vec::new(),
        };
        ends.go_on(line);
        ends
    }

    fn go_on(&mut self, piece: &[u8]) {
        let room = ID_LOOKED_FOR_BYTES.saturating_sub(self.head.len());
        self.head
            .extend_from_slice(piece.get(..room).unwrap_or(piece));
        let last = piece.len().saturating_sub(ID_LOOKED_FOR_BYTES);
        self.tail
            .extend_from_slice(piece.get(last..).unwrap_or_default());
        let surplus = self.tail.len().saturating_sub(ID_LOOKED_FOR_BYTES);
        self.tail.drain(..surplus);
    }

    /// The id of the request that the line is, as far as its ends say.
    fn id(&self) -> Option<Value> {
        first_id(&self.head)
            .or_else(|| last_id(&self.tail))
            .filter(is_id)
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64()
}

/// The id among the first members of an object.
fn first_id(head: &[u8]) -> Option<Value> {
    let mut rest = head
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(head)
        .trim_ascii_start()
        .strip_prefix(b"{")?;
    loop {
        let (key, after) = value(rest)?;
        let after = after.trim_ascii_start().strip_prefix(b":")?;
        if key.as_str() == Some("id") {
            // What follows shows that it is whole.
            return value(after)
                .filter(|(_, after)| !after.is_empty())
                .map(|(id, _)| id);
        }
        rest = value(after)?.1.trim_ascii_start().strip_prefix(b",")?;
    }
}

/// The id that is an object's last member, or stands before the protocol's version there, as some
/// clients write it.
fn last_id(tail: &[u8]) -> Option<Value> {
    const KEY: &[u8] = br#""id":"#;
    let at = tail.windows(KEY.len()).rposition(|window| window == KEY)?;
    let is_member = at
        .checked_sub(1)
        .and_then(|before| tail.get(before))
        .is_some_and(|before| *before == b',');
    let (id, rest) = value(tail.get(at + KEY.len()..)?).filter(|_| is_member)?;
    let rest = rest.strip_prefix(br#","jsonrpc":"2.0""#).unwrap_or(rest);
    (rest.trim_ascii_end() == b"}").then_some(id)
}

/// Reads one JSON value, and returns what follows it.
fn value(bytes: &[u8]) -> Option<(Value, &[u8])> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter();
    let value = values.next()?.ok()?;
    let rest = bytes.get(values.byte_offset()..)?;
    Some((value, rest))
}

fn too_long(ends: &Ends, line_max_bytes: usize) -> Line {
    let message =
        format!("Invalid request: a line has at most {line_max_bytes} bytes; split the call");
    Line::Refused(refusal(
        &ends.id().unwrap_or(Value::Null),
        ErrorCode::INVALID_REQUEST,
        &message,
    ))
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the connection is closed")
}

fn understood(line: &[u8]) -> Line {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if line.is_empty() {
        return Line::Ignored;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Line::Message(Box::new(message));
    }
    match serde_json::from_slice::<Value>(line) {
        // It says where, not what: the line may hold a secret.
        Err(error) => {
            let message = format!("Parse error: {error}; send one JSON-RPC message a line");
            Line::Refused(refusal(&Value::Null, ErrorCode::PARSE_ERROR, &message))
        }
        Ok(stray) => judged(&stray),
    }
}

/// JSON that is no message: a request is refused by its id, a notification is never answered.
fn judged(stray: &Value) -> Line {
    let message = "Invalid request: not a JSON-RPC 2.0 message";
    let id = stray.get("id").filter(|id| is_id(id));
    match (stray.get("method").is_some_and(Value::is_string), id) {
        (true, None) => Line::Ignored,
        (true, Some(id)) => Line::Refused(refusal(id, ErrorCode::INVALID_REQUEST, message)),
        (false, _) => Line::Refused(refusal(&Value::Null, ErrorCode::INVALID_REQUEST, message)),
    }
}

fn refusal(id: &Value, code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}})
}

#[cfg(test)]
mod tests;
