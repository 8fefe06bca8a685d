//! Reads stdin to its end whatever happens: a parent that writes to a closed pipe may crash.
//!
//! The end is the end of the stream, complete JSON at a moment when nothing more is there, or
//! silence. So only input that is cut off waits: a parent that keeps its pipe open behind complete
//! JSON is answered at once.

use crate::clock::{Deadline, ms};
use crate::json::Scanner;
use crate::os;
use crate::start::Buffers;

/// Silence after which stdin counts as ended. A parent whose event loop is busy writes late, and
/// one that meets a closed pipe may crash; a terminal would never end.
const SILENCE_NS: u64 = ms(2000);

/// Longest time for all of stdin, against a parent that drips: well within the time that agents
/// give a hook.
const TOTAL_NS: u64 = ms(3000);

/// Most reads of what came behind the end; a parent that goes on longer than that is not sending a
/// hook's input.
const REST_READS_MAX: u32 = 64;

/// The input.
pub(crate) struct Input<'a> {
    pub(crate) bytes: &'a [u8],
    /// More came than the buffer holds; the rest was dropped.
    pub(crate) truncated: bool,
    /// The stream itself ended, so nothing can follow.
    pub(crate) ended: bool,
    /// Room for what is read later.
    pub(crate) scratch: &'a mut [u8],
}

/// Reads stdin.
pub(crate) fn read(buffers: &mut Buffers) -> Input<'_> {
    let Buffers { scratch, input } = buffers;
    let mut filled = 0;
    let mut seen = 0;
    let mut truncated = false;
    let mut ended = false;
    let mut scanner = Scanner::default();
    let deadline = Deadline::after(TOTAL_NS);
    while deadline.left_ns().is_some() {
        if !os::stdin_ready(0) {
            let complete = input
                .get(seen..filled)
                .is_some_and(|news| scanner.completes(news));
            seen = filled;
            if (complete && !truncated) || !os::stdin_ready(SILENCE_NS) {
                break;
            }
        }
        let room = input.get_mut(filled..).filter(|room| !room.is_empty());
        let kept = room.is_some();
        let count = os::read_stdin(room.unwrap_or(scratch)).unwrap_or(0);
        if count == 0 {
            ended = true;
            break;
        }
        if kept {
            filled += count;
        } else {
            truncated = true;
        }
    }
    Input {
        bytes: input.get(..filled).unwrap_or_default(),
        truncated,
        ended,
        scratch,
    }
}

/// Reads and drops what came behind the input's end, without waiting: on a socket pair, unread
/// bytes would reset the parent's side.
pub(crate) fn drop_rest(scratch: &mut [u8]) {
    for _ in 0..REST_READS_MAX {
        if !os::stdin_ready(0) || !matches!(os::read_stdin(scratch), Ok(1..)) {
            return;
        }
    }
}
