//! A daemon with a language model that the test plays.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use helix_client::caller;
use helix_client::v1::{Program, StoreRequest};
use helix_tests::rpc::draft;
use helix_tests::{Binary, Project, Served};
use serde_json::{Value, json};

/// How long a request may take to come, on a busy machine.
const REQUEST_DEADLINE: Duration = Duration::from_mins(1);

/// What the model says of one pair.
pub(crate) const DIFFERENT: &str =
    r#"{"items":[{"pair":0,"verdict":"different","confidence":0.9}]}"#;

/// A server that speaks as `OpenAI` does.
pub(crate) struct Model {
    url: String,
    /// Shared by the threads of a test.
    requests: Mutex<Receiver<String>>,
    /// What it says; `None`: it says nothing and keeps the caller waiting.
    says: Arc<Mutex<Option<String>>>,
}

impl Model {
    pub(crate) fn new(says: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = channel();
        let says = Arc::new(Mutex::new(says.map(str::to_owned)));
        let answer = Arc::clone(&says);
        thread::spawn(move || serve(&listener, &sender, &answer));
        Self {
            url,
            requests: Mutex::new(requests),
            says,
        }
    }

    pub(crate) fn say(&self, says: &str) {
        *self.says.lock().unwrap() = Some(says.to_owned());
    }

    /// Waits for a request, and returns all of it.
    pub(crate) fn await_request(&self) -> String {
        let requests = self.requests.lock().unwrap();
        requests.recv_timeout(REQUEST_DEADLINE).unwrap()
    }

    /// Requests that came and were not looked at.
    pub(crate) fn waiting(&self) -> usize {
        self.requests.lock().unwrap().try_iter().count()
    }
}

fn serve(listener: &TcpListener, requests: &Sender<String>, says: &Mutex<Option<String>>) {
    let mut hanging = Vec::new();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let request = request(&mut stream);
        let said = says.lock().unwrap().clone();
        if requests.send(request).is_err() {
            return;
        }
        match said {
            None => hanging.push(stream),
            Some(said) => answer(&mut stream, &said),
        }
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

fn answer(stream: &mut TcpStream, said: &str) {
    let body = json!({
        "choices": [{ "message": { "content": said } }],
        "usage": { "prompt_tokens": 200, "completion_tokens": 30 },
    });
    let body = body.to_string();
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    // A caller that was killed hears nothing.
    drop(stream.write_all((head + &body).as_bytes()));
}

pub(crate) struct World {
    pub(crate) served: Served,
    pub(crate) project: Project,
    pub(crate) model: Model,
}

impl World {
    /// A daemon that asks this model, without a key.
    pub(crate) fn new(model: Model) -> Self {
        let served = Served::new().unwrap();
        let config = format!(
            "[provider]\ndeadline_s = 60\n[[provider.backend]]\napi = \"openai\"\nmodel = \"played\"\nbase_url = \"{}\"\nkey = \"\"\n",
            model.url
        );
        fs::write(served.home.paths.config(), config).unwrap();
        let served = served.restarted().unwrap();
        let project = Project::new(&served.home, "billing").unwrap();
        Self {
            served,
            project,
            model,
        }
    }

    /// Stores as an agent does.
    pub(crate) fn store(&mut self, text: &str) {
        let request = StoreRequest {
            caller: Some(caller(Program::Mcp, &self.project.root, "tests", "")),
            draft: Some(draft("services", text, "")),
            force: false,
        };
        let rpc = &mut self.served.rpc;
        rpc.call(async |rpc| rpc.store(request.clone()).await)
            .unwrap();
    }

    /// Two memories that cannot both hold, and nothing says which does.
    pub(crate) fn store_pair(&mut self) {
        self.store("billing listens on 8081");
        self.store("billing listens on 8082");
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.served.home.command(Binary::Ctl);
        command
            .args(arguments)
            .current_dir(&self.project.root)
            .output()
            .unwrap()
    }

    /// What a command prints, whatever its code.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{error}"))
    }

    /// The reasons of what waits in the review.
    pub(crate) fn reasons(&self) -> String {
        String::from_utf8(self.run(&["review"]).stdout).unwrap()
    }

    /// The program that the daemon started to ask, if any.
    pub(crate) fn provider_pid(&self) -> Option<u32> {
        provider_of(self.served.daemon.pid())
    }
}

/// The helix-provider that is a child of a process.
pub(crate) fn provider_of(parent: u32) -> Option<u32> {
    let processes = fs::read_dir("/proc").unwrap();
    processes.into_iter().find_map(|entry| {
        let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (name, rest) = status.rsplit_once(") ")?;
        let of: u32 = rest.split(' ').nth(1)?.parse().ok()?;
        (name.ends_with("(helix-provider") && of == parent).then_some(pid)
    })
}
