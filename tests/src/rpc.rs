//! Calls of the daemon, one after the other.

use std::path::Path;

use anyhow::{Context, Result};
use helix_client::v1::{self, Program};
use helix_client::{Client, Start, caller};
use tokio::runtime::{Builder, Runtime};
use tonic::Status;

use crate::Home;

/// How the daemon knows the tests.
const PROGRAM: &str = "helix-tests";

/// A connection to a home's daemon.
#[derive(Debug)]
pub struct Rpc {
    runtime: Runtime,
    client: Client,
}

impl Rpc {
    /// Connects to a daemon that must be running.
    ///
    /// # Errors
    /// When there is none.
    pub fn connect(home: &Home) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(Client::connect(&home.paths, Start::Never, PROGRAM))?;
        Ok(Self { runtime, client })
    }

    /// The daemon's process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.client.greeting.pid
    }

    /// Stores a draft as a program of a project would, even when it resembles another.
    ///
    /// # Errors
    /// When the daemon refuses.
    pub fn store(&mut self, program: Program, cwd: &Path, draft: v1::Draft) -> Result<v1::Memory> {
        let caller = Some(caller(program, cwd, "tests", ""));
        let request = v1::StoreRequest {
            caller,
            draft: Some(draft),
            force: true,
        };
        let reply = self.call(async |rpc| rpc.store(request.clone()).await)?;
        reply.memory.context("the daemon stored nothing")
    }

    /// Searches from a project.
    ///
    /// # Errors
    /// When the daemon refuses.
    pub fn search(
        &mut self,
        cwd: &Path,
        query: &str,
        retriever: v1::Retriever,
    ) -> Result<v1::SearchReply, Status> {
        let request = v1::SearchRequest {
            caller: Some(caller(Program::Ctl, cwd, "tests", "")),
            query: query.to_owned(),
            retriever: retriever.into(),
            ..v1::SearchRequest::default()
        };
        self.call(async |rpc| rpc.search(request.clone()).await)
    }

    /// Reads one memory from a project.
    ///
    /// # Errors
    /// When the daemon refuses, or knows none of this name.
    pub fn read(&mut self, cwd: &Path, reference: &str) -> Result<v1::Memory, Status> {
        let request = v1::ReadRequest {
            caller: Some(caller(Program::Ctl, cwd, "tests", "")),
            reference: reference.to_owned(),
            ..v1::ReadRequest::default()
        };
        let reply = self.call(async |rpc| rpc.read(request.clone()).await)?;
        let first = reply.memories.into_iter().next();
        first.ok_or_else(|| Status::not_found(reference))
    }

    /// Asks what the daemon is and holds.
    ///
    /// # Errors
    /// When the daemon refuses.
    pub fn status(&mut self) -> Result<v1::StatusReply, Status> {
        self.call(async |rpc| rpc.status(v1::StatusRequest {}).await)
    }

    /// Makes any call.
    ///
    /// # Errors
    /// What the daemon says.
    pub fn call<T>(
        &mut self,
        make: impl AsyncFn(
            &mut v1::helix_client::HelixClient<tonic::transport::Channel>,
        ) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Status> {
        let Self { runtime, client } = self;
        runtime.block_on(client.call(make))
    }
}

/// A draft of a text about a source, e.g. `src/a.rs:3`; no source when that is empty.
#[must_use]
pub fn draft(topic: &str, text: &str, source: &str) -> v1::Draft {
    v1::Draft {
        topic: topic.to_owned(),
        text: text.to_owned(),
        source: source.to_owned(),
        ..v1::Draft::default()
    }
}
