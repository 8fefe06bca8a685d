//! Handing over to another program file: the process stays, and with it the socket, its waiting
//! callers and the lock.
//!
//! The old program drains its requests and closes the strand, then replaces itself by `exec`.
//! Callers that come meanwhile wait in the socket's backlog and are served by the new program, so
//! none is refused.

use std::env;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{self, Command};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};

use crate::failure::{Failure, io_failure};
use crate::home::Home;
use crate::listen::Listening;
use crate::successor::{MARK, Successor};

/// Everything that the new program takes from this one.
pub(crate) struct Handover {
    /// The program.
    pub(crate) successor: Successor,
    /// The socket, with the callers who wait in its backlog.
    pub(crate) listening: Listening,
    /// The lock.
    pub(crate) home: Home,
}

impl Handover {
    /// Becomes the new program. Returns only when that failed.
    pub(crate) fn exec(self) -> Failure {
        let Self {
            successor,
            listening,
            home,
        } = self;
        for descriptor in [listening.listener.as_fd(), home.lock()] {
            if let Err(error) = fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::empty())) {
                return io_failure("handing over to", &successor.program)(error.into());
            }
        }
        let pid = process::id().to_string();
        let error = Command::new(&successor.program)
            .args(env::args_os().skip(1))
            .envs(listening.handover_variables(&pid))
            .env(MARK, &pid)
            .exec();
        io_failure("handing over to", &successor.program)(error)
    }
}
