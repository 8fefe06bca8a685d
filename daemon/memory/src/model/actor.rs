//! Who did something.

/// Where a memory came from. Stamped by the daemon from the connection, never by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A person said it.
    User,
    /// An agent said it through MCP.
    Agent,
    /// A tool's output.
    #[default]
    Tool,
    /// An imported file.
    Import,
}

impl Origin {
    /// All origins.
    pub const ALL: [Self; 4] = [Self::User, Self::Agent, Self::Tool, Self::Import];

    /// Returns the name used on the wire and on disk.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::Import => "import",
        }
    }

    /// Returns whether memories of this origin may be put in front of an agent that did not ask.
    /// What tools or imports brought may not.
    #[must_use]
    pub const fn is_shown_unasked(self) -> bool {
        match self {
            Self::User | Self::Agent => true,
            Self::Tool | Self::Import => false,
        }
    }

    /// The origin of what was of this one when somebody of another says the very same: what may be
    /// shown unasked once somebody whose word is has said it stays so.
    #[must_use]
    pub const fn confirmed_by(self, other: Self) -> Self {
        if other.is_shown_unasked() && !self.is_shown_unasked() {
            other
        } else {
            self
        }
    }

    /// How much its word weighs against another's, most first: user, agent, tool, import.
    #[must_use]
    pub const fn authority(self) -> u8 {
        match self {
            Self::User => 3,
            Self::Agent => 2,
            Self::Tool => 1,
            Self::Import => 0,
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.name() == name)
    }
}

/// Where a project's work tree stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitContext {
    /// The branch that was checked out; empty when none was, or outside of git.
    pub branch: String,
    /// The commit that it stood at, in hexadecimal; empty when unknown.
    pub commit: String,
}

/// The author of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actor {
    /// The author's kind.
    pub origin: Origin,
    /// The agent client's own name, e.g. `claude-code`; empty when unknown.
    pub agent: String,
    /// The session it acted in; empty when unknown.
    pub session: String,
    /// The scope of the project that it acted from, as text; empty outside of any.
    pub project: String,
    /// Where that project's work tree stood.
    pub git: GitContext,
}

impl Actor {
    /// The daemon, where it does something by itself; `agent` says which part of it.
    #[must_use]
    pub fn of_daemon(agent: &str) -> Self {
        Self {
            origin: Origin::Tool,
            agent: agent.to_owned(),
            ..Self::default()
        }
    }

    /// Returns whether the daemon did it by itself: it names neither a session nor a project.
    #[must_use]
    pub fn is_of_daemon(&self) -> bool {
        self.origin == Origin::Tool && self.session.is_empty() && self.project.is_empty()
    }
}
