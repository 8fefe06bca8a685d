//! A server on the loopback that answers as it is told, and the program before it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use helix_proto::provider::{self, PROTOCOL, v1};
use v1::ask::Task;
use v1::order::What;

/// The key that the program finds in its environment.
pub(crate) const KEY: &str = "test-key-7f3a91";

/// The variable that holds it.
pub(crate) const KEY_VARIABLE: &str = "HELIX_TEST_PROVIDER_KEY";

/// How the server answers one request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// With a status and a body.
    Of(u16, String),
    /// Never.
    Hang,
    /// By closing the connection in the middle of a body.
    CutOff,
}

/// A server that plays one provider.
pub(crate) struct Server {
    pub(crate) url: String,
    /// Head and body of each request that came.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers one request after the other; the last reply is repeated.
    pub(crate) fn of(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&seen);
        thread::spawn(move || {
            let mut hanging = Vec::new();
            for (place, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                noted.lock().unwrap().push(request(&mut stream));
                let reply = replies.get(place).or(replies.last()).unwrap();
                if let Some(stream) = answer(stream, reply) {
                    hanging.push(stream);
                }
            }
        });
        Self { url, seen }
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

fn request(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).unwrap();
        read.extend_from_slice(piece.get(..count).unwrap());
        let text = String::from_utf8_lossy(&read);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_lowercase()
                        .strip_prefix("content-length: ")?
                        .parse()
                        .ok()
                })
                .unwrap_or(0);
            if body.len() >= length || count == 0 {
                return text.into_owned();
            }
        }
    }
}

fn answer(mut stream: TcpStream, reply: &Reply) -> Option<TcpStream> {
    match reply {
        Reply::Hang => return Some(stream),
        Reply::CutOff => {
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n{\"choices\":";
            stream.write_all(head.as_bytes()).unwrap();
        }
        Reply::Of(status, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
        }
    }
    None
}

/// The program, which ends with the value.
pub(crate) struct Program {
    pub(crate) child: Child,
    id: u64,
}

impl Program {
    pub(crate) fn start(backends: Vec<v1::Backend>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_helix-provider"));
        for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(proxy);
        }
        let child = command
            .env(KEY_VARIABLE, KEY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut program = Self { child, id: 0 };
        let setup = v1::Setup {
            protocol: PROTOCOL,
            backends,
        };
        let ready = program.order(What::Setup(setup)).ready.unwrap();
        assert_eq!(ready.protocol, PROTOCOL);
        program
    }

    pub(crate) fn send(&mut self, what: What) {
        self.id += 1;
        let order = v1::Order {
            id: self.id,
            what: Some(what),
        };
        provider::write(self.child.stdin.as_mut().unwrap(), &order).unwrap();
    }

    fn order(&mut self, what: What) -> v1::Answer {
        self.send(what);
        let answer: v1::Answer = provider::read(self.child.stdout.as_mut().unwrap()).unwrap();
        assert_eq!(answer.id, self.id);
        answer
    }

    pub(crate) fn ask(&mut self, ask: v1::Ask) -> v1::Answer {
        self.order(What::Ask(ask))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A backend at a server, with the key.
pub(crate) fn backend(api: &str, model: &str, server: &Server) -> v1::Backend {
    v1::Backend {
        api: api.to_owned(),
        model: model.to_owned(),
        base_url: server.url.clone(),
        key_variable: KEY_VARIABLE.to_owned(),
        command: Vec::new(),
    }
}

/// Asks how these pairs are related.
pub(crate) fn pairs(pairs: &[(&str, &str)]) -> v1::Ask {
    let pair = |(earlier, later): &(&str, &str)| v1::Pair {
        earlier: (*earlier).to_owned(),
        later: (*later).to_owned(),
    };
    v1::Ask {
        deadline_ms: 60_000,
        paid_tokens_left: 100_000,
        command_calls_left: 5,
        dry_run: false,
        task: Some(Task::Pairs(v1::Pairs {
            pairs: pairs.iter().map(pair).collect(),
        })),
    }
}

/// One pair.
pub(crate) fn one_pair() -> v1::Ask {
    pairs(&[("billing listens on 8081", "billing listens on 8082")])
}

/// What a model says of one pair.
pub(crate) const SAYS: &str = r#"{"items":[{"pair":0,"verdict":"replaces","confidence":0.9}]}"#;

/// The same in the protocol of `OpenAI`.
pub(crate) fn openai(said: &str) -> Reply {
    let body = serde_json::json!({
        "choices": [{ "message": { "role": "assistant", "content": said } }],
        "usage": { "prompt_tokens": 200, "completion_tokens": 30 },
    });
    Reply::Of(200, body.to_string())
}
