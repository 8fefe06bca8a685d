//! The order of things: read everything, ask the daemon, print its reply.

use crate::approve;
use crate::clock::{Deadline, ms};
use crate::daemon;
use crate::exchange::{self, CONNECT_NS, REPLY_NS};
use crate::frame::Request;
use crate::input::{self, Input};
use crate::invocation::{Invocation, Variables};
use crate::os::{self, Fault};
use crate::place;
use crate::silence::Silence;
use crate::start::Buffers;
use crate::text::Text;

/// The one event that waits for a daemon that it starts.
const SESSION_EVENT: &[u8] = b"session";

/// The one event that needs no daemon.
const APPROVE_EVENT: &[u8] = b"approve-mcp";

/// Longest wait for a reader whose end of stdout does not block and is full.
const PRINT_NS: u64 = ms(1000);

/// Pause between two attempts at such a reader.
const PRINT_PAUSE_NS: u64 = ms(1);

/// What `HELIX_HOOKS` says in an agent that Helix itself asks something.
const HOOKS_OFF: &[u8] = b"off";

/// Longest debug line, in bytes.
const DEBUG_LINE_MAX_BYTES: usize = 160;

/// Handles one hook event from beginning to end.
pub(crate) fn run(invocation: &Invocation<'_>, buffers: &mut Buffers) {
    os::ignore_broken_pipes();
    let variables = Variables::read(invocation);
    let mut input = input::read(buffers);
    let outcome = answer(invocation, &variables, &mut input);
    if !input.ended {
        input::drop_rest(input.scratch);
    }
    if let (Err(silence), Some(_)) = (outcome, variables.helix_hook_debug) {
        explain(silence);
    }
}

fn answer(
    invocation: &Invocation<'_>,
    variables: &Variables<'_>,
    input: &mut Input<'_>,
) -> Result<(), Silence> {
    let event = invocation.event().ok_or(Silence::NoEvent)?;
    if variables.helix_hooks == Some(HOOKS_OFF) {
        return Err(Silence::SwitchedOff);
    }
    if event == APPROVE_EVENT {
        let may_be = matches!(invocation.client(), b"" | b"claude" | b"codex") && !input.truncated;
        let is_harmless =
            may_be && approve::is_harmless(input.bytes, variables.cursor_version.is_some());
        return if is_harmless {
            print(approve::ALLOWED)
        } else {
            Err(Silence::NotHarmless)
        };
    }
    let path = place::socket(variables)?;
    let whole = Deadline::after(CONNECT_NS + REPLY_NS);
    let socket = match exchange::connect(&path) {
        Err(silence) => daemon::reach(
            invocation,
            variables,
            &path,
            silence,
            event == SESSION_EVENT,
        ),
        outcome => outcome,
    };
    let socket = match socket {
        Err(Silence::Complains) => {
            let said = daemon::complaint(invocation.client(), variables, input.scratch)?;
            return print(said.ok_or(Silence::Complains)?);
        }
        outcome => outcome?,
    };
    let request = Request {
        event,
        stdin: input.bytes,
        truncated: input.truncated,
        cursor_version: variables.cursor_version.unwrap_or_default(),
        project_dir: variables.claude_project_dir.unwrap_or_default(),
        client: invocation.client(),
    };
    let request = request.sanitised();
    let deadline = Deadline::after(REPLY_NS).or_sooner(whole);
    let reply = match exchange::ask(&socket, &request, input.scratch, deadline) {
        // A daemon that ended just now. The next one may be there already; where none is, the first
        // reason counts.
        Err(Silence::Untaken) => {
            let next = exchange::connect(&path).or_else(|_| daemon::elsewhere(variables, &path));
            let next = next.map_err(|_| Silence::Untaken)?;
            exchange::ask(&next, &request, input.scratch, deadline)?
        }
        outcome => outcome?,
    };
    print(reply)
}

fn print(mut reply: &[u8]) -> Result<(), Silence> {
    let deadline = Deadline::after(PRINT_NS);
    while !reply.is_empty() {
        match os::write_stdout(reply) {
            Ok(count @ 1..) => reply = reply.get(count..).unwrap_or_default(),
            Err(Fault::Interrupted) => {}
            Err(Fault::Again) if deadline.left_ns().is_some() => os::pause(PRINT_PAUSE_NS),
            _ => return Err(Silence::NotPrinted),
        }
    }
    Ok(())
}

fn explain(silence: Silence) {
    let mut line = Text::<DEBUG_LINE_MAX_BYTES>::new();
    for part in ["helix-hook: ", silence.message(), "\n"] {
        if line.push(part.as_bytes()).is_err() {
            return;
        }
    }
    os::write_stderr(line.as_bytes());
}
