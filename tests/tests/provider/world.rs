//! A daemon with a language model that the test plays.

use std::fs;
use std::process::Output;

use helix_client::caller;
use helix_client::v1::{Program, StoreRequest};
use helix_tests::played::{self, Reply};
use helix_tests::rpc::draft;
use helix_tests::{Played, Project, Served};
use serde_json::Value;

/// The model's answer about one pair.
pub(crate) const DIFFERENT: &str =
    r#"{"items":[{"pair":0,"verdict":"different","confidence":0.9}]}"#;

/// A server that speaks as `OpenAI` does.
pub(crate) struct Model(Played);

impl Model {
    /// Says this; with `None` nothing, and keeps the caller waiting.
    pub(crate) fn new(says: Option<&str>) -> Self {
        let reply = says.map_or(Reply::Hang, said);
        Self(Played::of(vec![reply]).unwrap())
    }

    pub(crate) fn say(&self, says: &str) {
        self.0.reply_with(said(says));
    }

    /// Waits for a request, and returns all of it.
    pub(crate) fn await_request(&self) -> String {
        self.0.await_request().unwrap()
    }

    /// Requests that came and were not looked at.
    pub(crate) fn waiting(&self) -> usize {
        self.0.waiting()
    }

    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }
}

fn said(says: &str) -> Reply {
    played::says("openai", says)
}

pub(crate) struct World {
    pub(crate) served: Served,
    pub(crate) project: Project,
    pub(crate) model: Model,
}

impl World {
    /// A daemon that asks this model, without a key.
    pub(crate) fn new(model: Model) -> Self {
        Self::with(Served::new().unwrap(), model, "")
    }

    /// A daemon that asks this model, with the key in this variable.
    pub(crate) fn with(served: Served, model: Model, key: &str) -> Self {
        let config = format!(
            "[provider]\ndeadline_s = 60\n[[provider.backend]]\napi = \"openai\"\nmodel = \"played\"\nbase_url = \"{}\"\nkey = \"{key}\"\n",
            model.url()
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
        self.served.home.run(&self.project.root, arguments)
    }

    /// Runs a command; returns its answer in JSON, whatever its exit code.
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
