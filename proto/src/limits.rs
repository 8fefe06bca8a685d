//! Limits that both ends of the socket keep.

use std::time::Duration;

/// Largest gRPC message in either direction, in bytes: a batch of 1,000 ordinary memories with room
/// to spare.
pub const MESSAGE_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Largest memory text, in bytes.
pub const MEMORY_TEXT_MAX_BYTES: usize = 64 * 1024;

/// Most memories in one batch.
pub const BATCH_MAX: usize = 1_000;

/// Most hits that one search returns.
pub const SEARCH_LIMIT_MAX: u32 = 200;

/// Hits of a search that names no limit.
pub const SEARCH_LIMIT_DEFAULT: u32 = 10;

/// Lines of a memory that its opening shows, and the most characters of each.
pub const OPENING_MAX_LINES: usize = 2;
/// See [`OPENING_MAX_LINES`].
pub const LINE_SHOWN_MAX_CHARS: usize = 240;

/// Characters of a memory's text that are shown among several: a screen of it; `read` shows all.
pub const BODY_SHOWN_MAX_CHARS: usize = 4_000;

/// Characters of one answer to an agent: clients move longer ones to a file.
pub const ANSWER_MAX_CHARS: usize = 20_000;

/// Characters that count as one token where a budget is given in tokens.
pub const CHARS_PER_TOKEN: usize = 4;

/// Tokens of a packed context for which no budget is named: what one injection may take.
pub const CONTEXT_BUDGET_DEFAULT_TOKENS: u32 = 1_500;

/// Room that a packed context keeps for the line that says how much was left out, in characters.
pub const CONTEXT_REST_MAX_CHARS: usize = 120;

/// Longest query, in bytes; the rest of a longer one would not change the ranking.
pub const QUERY_MAX_BYTES: usize = 8 * 1024;

/// How long a client waits for the daemon to accept and greet it.
pub const CONNECT_DEADLINE: Duration = Duration::from_secs(2);

/// How long a client waits for a daemon that says why it does not greet yet: it opens a strand that
/// a crash left to repair, or finishes its writes and hands over.
pub const NOTICE_DEADLINE: Duration = Duration::from_mins(1);

/// How long an ordinary call may take, and how long a client waits for its answer.
pub const CALL_DEADLINE: Duration = Duration::from_secs(30);

/// How long a call may take that looks at everything or rewrites it.
pub const MAINTENANCE_DEADLINE: Duration = Duration::from_hours(1);
