//! One request and its reply over the daemon's socket, under absolute deadlines.

use crate::clock::{Deadline, ms};
use crate::frame::{self, HEADER_BYTES, PARTS, Request};
use crate::os::{self, Fault, Readiness, Socket};
use crate::place::SocketPath;
use crate::silence::Silence;

/// Longest time to get a connection. A full queue answers at once, so this is only spent on
/// retries.
pub(crate) const CONNECT_NS: u64 = ms(20);

/// Longest time from the first byte sent to the last byte received.
pub(crate) const REPLY_NS: u64 = ms(140);

/// Pause between two attempts at a full queue.
const RETRY_PAUSE_NS: u64 = ms(1);

/// Connects to a daemon of the same user.
pub(crate) fn connect(path: &SocketPath) -> Result<Socket, Silence> {
    let deadline = Deadline::after(CONNECT_NS);
    loop {
        match connect_once(path) {
            Err(Silence::Busy) if deadline.left_ns().is_some() => os::pause(RETRY_PAUSE_NS),
            outcome => return outcome,
        }
    }
}

/// One attempt at connecting.
pub(crate) fn connect_once(path: &SocketPath) -> Result<Socket, Silence> {
    let socket = Socket::connect(path.as_c_str()).map_err(|fault| match fault {
        Fault::Again => Silence::Busy,
        Fault::Absent => Silence::Absent,
        Fault::LowDescriptor => Silence::StreamClosed,
        Fault::Interrupted | Fault::Reset | Fault::Other => Silence::NoConnection,
    })?;
    if socket.peer_is_same_user() {
        Ok(socket)
    } else {
        Err(Silence::Stranger)
    }
}

/// Sends the request and returns the whole reply, which may be empty.
///
/// `Untaken` where it is certain that the daemon did not read the whole request, as when it ends
/// before it accepts the connection: the system resets a connection only when something in it was
/// not read.
pub(crate) fn ask<'b>(
    socket: &Socket,
    request: &Request<'_>,
    buffer: &'b mut [u8],
    deadline: Deadline,
) -> Result<&'b [u8], Silence> {
    let seams = request.seams().map_err(|_| Silence::NoEvent)?;
    send(socket, request.parts(&seams), deadline)?;
    receive(socket, buffer, deadline)
}

fn send(socket: &Socket, mut parts: [&[u8]; PARTS], deadline: Deadline) -> Result<(), Silence> {
    while parts.iter().any(|part| !part.is_empty()) {
        match socket.write(&parts) {
            Ok(count) => advance(&mut parts, count),
            Err(Fault::Interrupted) => {}
            Err(Fault::Again) => wait(socket, Readiness::Write, deadline)?,
            Err(Fault::Reset) => return Err(Silence::Untaken),
            Err(_) => return Err(Silence::NotSent),
        }
    }
    Ok(())
}

/// Drops the first `count` bytes of all the parts together.
fn advance(parts: &mut [&[u8]; PARTS], mut count: usize) {
    for part in parts {
        let gone = count.min(part.len());
        *part = part.get(gone..).unwrap_or_default();
        count -= gone;
    }
}

fn receive<'b>(
    socket: &Socket,
    buffer: &'b mut [u8],
    deadline: Deadline,
) -> Result<&'b [u8], Silence> {
    let mut filled = 0;
    let mut end = HEADER_BYTES;
    let mut header_read = false;
    while filled < end {
        wait(socket, Readiness::Read, deadline)?;
        match socket.read(buffer.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => return Err(Silence::CutOff),
            Ok(count) => filled += count,
            Err(Fault::Again | Fault::Interrupted) => {}
            Err(Fault::Reset) if filled == 0 => return Err(Silence::Untaken),
            Err(_) => return Err(Silence::CutOff),
        }
        if filled >= HEADER_BYTES && !header_read {
            let header = buffer.first_chunk().ok_or(Silence::Garbled)?;
            end = HEADER_BYTES + frame::reply_length(*header).ok_or(Silence::Garbled)?;
            header_read = true;
        }
    }
    buffer.get(HEADER_BYTES..end).ok_or(Silence::Garbled)
}

fn wait(socket: &Socket, readiness: Readiness, deadline: Deadline) -> Result<(), Silence> {
    let ready = deadline
        .left_ns()
        .is_some_and(|left_ns| socket.ready(readiness, left_ns));
    if ready { Ok(()) } else { Err(Silence::Late) }
}
