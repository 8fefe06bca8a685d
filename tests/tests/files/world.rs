//! A project, a daemon, and the sessions in which files are touched.

use helix_proto::v1::{Draft, Program};
use helix_tests::hook::Session;
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, Project, Rpc};

/// A kind that a session does not start with.
const QUIET_KIND: &str = "snippet";

/// A daemon with one project.
pub(crate) struct World {
    _daemon: Daemon,
    pub(crate) home: Home,
    pub(crate) project: Project,
    topic: &'static str,
}

impl World {
    /// One with a project of this name, whose memories are of this topic unless another is named.
    pub(crate) fn of(name: &str, topic: &'static str) -> Self {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        let project = Project::new(&home, name).unwrap();
        Self {
            _daemon: daemon,
            home,
            project,
            topic,
        }
    }

    pub(crate) fn session<'a>(&'a self, id: &'a str) -> Session<'a> {
        Session::new(&self.home, &self.project, id)
    }

    pub(crate) fn remember(&self, text: &str, source: &str) -> String {
        self.remember_as(self.topic, text, source)
    }

    pub(crate) fn remember_as(&self, topic: &str, text: &str, source: &str) -> String {
        self.store(&self.project, topic, text, source)
    }

    pub(crate) fn remember_in(&self, project: &Project, text: &str, source: &str) -> String {
        self.store(project, self.topic, text, source)
    }

    fn store(&self, project: &Project, topic: &str, text: &str, source: &str) -> String {
        let draft = Draft {
            kind: QUIET_KIND.to_owned(),
            ..draft(topic, text, source)
        };
        Rpc::connect(&self.home)
            .unwrap()
            .store(Program::Mcp, &project.root, draft)
            .unwrap()
            .handle
    }
}

pub(crate) fn mentions(context: Option<&String>, handle: &str) -> bool {
    context.is_some_and(|context| context.contains(&format!("[{handle}]")))
}
