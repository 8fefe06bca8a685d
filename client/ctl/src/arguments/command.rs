//! Every command, and which of the program's parts does it.

use clap::Subcommand;

use crate::command::{
    Add, Append, Backup, Batch, Brief, Capture, Checkpoint, Compact, Completions, Conflicts,
    Connect, Consolidate, Diff, Disconnect, Doctor, Down, Edit, Entries, Event, Export, Forget,
    Graph, Hook, Hooks, Import, Lifecycle, Log, Man, Merge, Model, Neighbours, Note, Pack, Path,
    Provider, Prune, Purge, Read, Receipts, Recent, Reindex, Relate, Rename, Restore, Review,
    Revise, Rollback, Search, Session, Set, Settle, SplitUp, Stale, Stats, Status, Supersede, Tag,
    Topics, Traverse, Undo, Unrelate, Up, Upgrade, Why, Xref,
};
use crate::context::Context;
use crate::failure::Outcome;

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    #[command(flatten)]
    Memories(Memories),
    #[command(flatten)]
    Changes(Changes),
    #[command(flatten)]
    Relations(Relations),
    #[command(flatten)]
    History(History),
    #[command(flatten)]
    Browsing(Browsing),
    #[command(flatten)]
    Care(Care),
    #[command(flatten)]
    Daemon(Daemon),
    #[command(flatten)]
    Surroundings(Surroundings),
}

/// Memories in and out.
#[derive(Debug, Subcommand)]
pub(super) enum Memories {
    /// Stores a memory
    Add(Box<Add>),
    /// Remembers a sentence, and finds out where it belongs
    Note(Note),
    /// Stores many memories
    Batch(Batch),
    /// Finds memories by words and by meaning
    Search(Box<Search>),
    /// Prints one memory, or all memories of a topic
    Read(Read),
    /// Forgets a memory, or a whole topic
    Forget(Forget),
    /// Makes a forgotten, archived or superseded memory active again
    Restore(Restore),
    /// Says which of two memories holds, or that both do
    Settle(Settle),
    /// Lets one memory take the place of another
    Supersede(Supersede),
    /// Lists what waits for your word, and approves or rejects it
    Review(Review),
    /// Removes memories and every trace of their text
    Purge(Purge),
}

/// Memories and topics changed.
#[derive(Debug, Subcommand)]
pub(super) enum Changes {
    /// Opens a memory in your editor
    Edit(Edit),
    /// Adds lines to a memory
    Append(Append),
    /// Replaces a memory's text
    Revise(Revise),
    /// Adds and removes tags of a memory
    Tag(Tag),
    /// Replaces other fields of a memory
    Set(Box<Set>),
    /// Renames a topic
    Rename(Rename),
    /// Moves a topic's memories, or one memory, into another topic
    Merge(Merge),
    /// Makes several memories of one
    Split(SplitUp),
}

/// How memories are related.
#[derive(Debug, Subcommand)]
pub(super) enum Relations {
    /// Relates two memories
    Relate(Relate),
    /// Takes a relation back
    Unrelate(Unrelate),
    /// Lists what is related to a memory
    #[command(alias = "neighbors")]
    Neighbours(Neighbours),
    /// Lists what is around memories
    Traverse(Traverse),
    /// Shows how two memories are connected
    Path(Path),
}

/// What was done, and how to go back.
#[derive(Debug, Subcommand)]
pub(super) enum History {
    /// Lists what was done, newest first
    Log(Log),
    /// Shows what is different between two places in the history
    Diff(Diff),
    /// Takes back one change
    Undo(Undo),
    /// Puts everything back to what it was
    Rollback(Rollback),
    /// Says where a memory comes from, what became of it and who was told it
    Why(Why),
}

/// What the strand holds.
#[derive(Debug, Subcommand)]
pub(super) enum Browsing {
    /// Lists topics
    Topics(Topics),
    /// Lists a topic's memories by index
    Entries(Entries),
    /// Lists the newest memories
    Recent(Recent),
    /// Lists memories of other topics that mention a topic
    Xref(Xref),
    /// Shows which topics mention which, or how memories are related
    Graph(Graph),
    /// Compresses a topic, several or everything
    Brief(Box<Brief>),
    /// Packs what matters into a budget of tokens
    Context(Pack),
    /// Saves, prints or clears where a task stands
    #[command(subcommand)]
    Checkpoint(Checkpoint),
    /// Shows what a session is doing and what it changed
    Session(Session),
    /// Shows what hooks told agents, and whether it reached the model
    Receipts(Receipts),
    /// Counts what is stored
    Stats(Stats),
}

/// Keeping it in shape.
#[derive(Debug, Subcommand)]
pub(super) enum Care {
    /// Finds memories whose source changed
    Stale(Stale),
    /// Lists memories that contradict each other
    Conflicts(Conflicts),
    /// Puts what was told again and again into the review
    Consolidate(Consolidate),
    /// Finds topics that were quiet for long; removes nothing
    Prune(Prune),
    /// Finds near duplicates, and merges them
    Compact(Compact),
    /// Shows which memories faded; archives and prunes them
    Lifecycle(Lifecycle),
    /// Backs the store up; lists, verifies and restores backups
    Backup(Backup),
    /// Makes every index anew
    Reindex(Reindex),
    /// Writes memories as JSON, Markdown or AMRL
    Export(Export),
    /// Reads memories from JSON, Markdown or AMRL
    Import(Import),
}

/// The daemon and what it needs.
#[derive(Debug, Subcommand)]
pub(super) enum Daemon {
    /// Starts the daemon unless it runs
    Up(Up),
    /// Stops the daemon
    Down(Down),
    /// Describes the running daemon; never starts one
    Status(Status),
    /// Checks every part and says what to do
    Doctor(Doctor),
    /// Hands the running daemon over to a new program file
    Upgrade(Upgrade),
    /// Installs, chooses and measures embedding models
    #[command(subcommand)]
    Model(Model),
}

/// Agents, hooks and the shell.
#[derive(Debug, Subcommand)]
pub(super) enum Surroundings {
    /// Adds hooks to Claude Code's settings, or removes them
    #[command(subcommand)]
    Hooks(Hooks),
    /// Connects an agent to Helix: hooks and MCP server
    Connect(Connect),
    /// Takes Helix out of an agent's settings
    Disconnect(Disconnect),
    /// Distils what sessions said into the review: on, off, or of all that lies on this machine
    #[command(subcommand)]
    Capture(Capture),
    /// Reports what happened in a session
    Event(Event),
    /// Shows the language models that Helix may ask, and asks them
    #[command(subcommand)]
    Provider(Provider),
    /// Prints what the daemon would answer to a hook
    Hook(Hook),
    /// Prints the completions for a shell
    Completions(Completions),
    /// Writes the manual pages
    #[command(hide = true)]
    Man(Man),
}

impl Command {
    /// Does it.
    pub(super) fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Memories(command) => command.run(context),
            Self::Changes(command) => command.run(context),
            Self::Relations(command) => command.run(context),
            Self::History(command) => command.run(context),
            Self::Browsing(command) => command.run(context),
            Self::Care(command) => command.run(context),
            Self::Daemon(command) => command.run(context),
            Self::Surroundings(command) => command.run(context),
        }
    }
}

impl Memories {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Add(command) => command.run(context),
            Self::Note(command) => command.run(context),
            Self::Batch(command) => command.run(context),
            Self::Search(command) => command.run(context),
            Self::Read(command) => command.run(context),
            Self::Forget(command) => command.run(context),
            Self::Restore(command) => command.run(context),
            Self::Settle(command) => command.run(context),
            Self::Supersede(command) => command.run(context),
            Self::Review(command) => command.run(context),
            Self::Purge(command) => command.run(context),
        }
    }
}

impl Changes {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Edit(command) => command.run(context),
            Self::Append(command) => command.run(context),
            Self::Revise(command) => command.run(context),
            Self::Tag(command) => command.run(context),
            Self::Set(command) => command.run(context),
            Self::Rename(command) => command.run(context),
            Self::Merge(command) => command.run(context),
            Self::Split(command) => command.run(context),
        }
    }
}

impl Relations {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Relate(command) => command.run(context),
            Self::Unrelate(command) => command.run(context),
            Self::Neighbours(command) => command.run(context),
            Self::Traverse(command) => command.run(context),
            Self::Path(command) => command.run(context),
        }
    }
}

impl History {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Log(command) => command.run(context),
            Self::Diff(command) => command.run(context),
            Self::Undo(command) => command.run(context),
            Self::Rollback(command) => command.run(context),
            Self::Why(command) => command.run(context),
        }
    }
}

impl Browsing {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Topics(command) => command.run(context),
            Self::Entries(command) => command.run(context),
            Self::Recent(command) => command.run(context),
            Self::Xref(command) => command.run(context),
            Self::Graph(command) => command.run(context),
            Self::Brief(command) => command.run(context),
            Self::Context(command) => command.run(context),
            Self::Checkpoint(command) => command.run(context),
            Self::Session(command) => command.run(context),
            Self::Receipts(command) => command.run(context),
            Self::Stats(command) => command.run(context),
        }
    }
}

impl Care {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Stale(command) => command.run(context),
            Self::Conflicts(command) => command.run(context),
            Self::Consolidate(command) => command.run(context),
            Self::Prune(command) => command.run(context),
            Self::Compact(command) => command.run(context),
            Self::Lifecycle(command) => command.run(context),
            Self::Backup(command) => command.run(context),
            Self::Reindex(command) => command.run(context),
            Self::Export(command) => command.run(context),
            Self::Import(command) => command.run(context),
        }
    }
}

impl Daemon {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Up(command) => command.run(context),
            Self::Down(command) => command.run(context),
            Self::Status(command) => command.run(context),
            Self::Doctor(command) => command.run(context),
            Self::Upgrade(command) => command.run(context),
            Self::Model(command) => command.run(context),
        }
    }
}

impl Surroundings {
    fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Hooks(command) => command.run(context),
            Self::Connect(command) => command.run(context),
            Self::Disconnect(command) => command.run(context),
            Self::Capture(command) => command.run(context),
            Self::Event(command) => command.run(context),
            Self::Provider(command) => command.run(context),
            Self::Hook(command) => command.run(context),
            Self::Completions(command) => command.run(context),
            Self::Man(command) => command.run(context),
        }
    }
}
