//! Who did something.

/// Where a memory came from. Stamped by the daemon from the connection, never by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A person said it.
    User,
    /// An agent said it through MCP.
    Agent,
    /// A tool's output.
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

    /// Whether memories of this origin may be put in front of an agent that did not ask. What tools
    /// or imports brought may not.
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

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.name() == name)
    }
}

/// The author of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// What kind of author it is.
    pub origin: Origin,
    /// The agent client's own name, e.g. `claude-code`; empty when unknown.
    pub agent: String,
    /// The session it acted in; empty when unknown.
    pub session: String,
}
