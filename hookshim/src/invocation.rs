//! The shim's invocation: its event, its client, and the variables it knows, read in one pass.

use core::ffi::CStr;

use crate::frame::{CLIENT_MAX_BYTES, EVENT_MAX_BYTES};
use crate::start::Strings;

/// Arguments and variables as the system handed them over.
pub(crate) struct Invocation<'a> {
    pub(crate) arguments: Strings<'a>,
    /// Each `NAME=value`; a daemon is started with the same ones.
    pub(crate) variables: Strings<'a>,
}

impl<'a> Invocation<'a> {
    /// The event's name: the first argument, where it can be one.
    pub(crate) fn event(&self) -> Option<&'a [u8]> {
        let event = self.arguments.clone().nth(1)?.to_bytes();
        let usable = !event.is_empty() && event.len() <= EVENT_MAX_BYTES && event.is_ascii();
        usable.then_some(event)
    }

    /// The client whose words the input is in: the second argument; empty where none is named.
    pub(crate) fn client(&self) -> &'a [u8] {
        let client = self
            .arguments
            .clone()
            .nth(2)
            .map(CStr::to_bytes)
            .unwrap_or_default();
        if client.len() <= CLIENT_MAX_BYTES && client.is_ascii() {
            client
        } else {
            &[]
        }
    }
}

/// The variables that matter to the shim. An empty one counts as unset.
#[derive(Default)]
pub(crate) struct Variables<'a> {
    pub(crate) helix_socket: Option<&'a [u8]>,
    pub(crate) helix_home: Option<&'a [u8]>,
    pub(crate) helix_daemon: Option<&'a [u8]>,
    pub(crate) helix_hook_debug: Option<&'a [u8]>,
    pub(crate) helix_hooks: Option<&'a [u8]>,
    pub(crate) xdg_runtime_dir: Option<&'a [u8]>,
    pub(crate) xdg_data_home: Option<&'a [u8]>,
    pub(crate) home: Option<&'a [u8]>,
    pub(crate) path: Option<&'a [u8]>,
    pub(crate) cursor_version: Option<&'a [u8]>,
    pub(crate) claude_project_dir: Option<&'a [u8]>,
}

impl<'a> Variables<'a> {
    /// Picks the known ones.
    pub(crate) fn read(invocation: &Invocation<'a>) -> Self {
        let mut known = Self::default();
        for variable in invocation.variables.clone() {
            known.note(variable.to_bytes());
        }
        known
    }

    fn note(&mut self, variable: &'a [u8]) {
        let Some(equals) = variable.iter().position(|&byte| byte == b'=') else {
            return;
        };
        let (name, rest) = variable.split_at(equals);
        let slot = match name {
            b"HELIX_SOCKET" => &mut self.helix_socket,
            b"HELIX_HOME" => &mut self.helix_home,
            b"HELIX_DAEMON" => &mut self.helix_daemon,
            b"HELIX_HOOK_DEBUG" => &mut self.helix_hook_debug,
            b"HELIX_HOOKS" => &mut self.helix_hooks,
            b"XDG_RUNTIME_DIR" => &mut self.xdg_runtime_dir,
            b"XDG_DATA_HOME" => &mut self.xdg_data_home,
            b"HOME" => &mut self.home,
            b"PATH" => &mut self.path,
            b"CURSOR_VERSION" => &mut self.cursor_version,
            b"CLAUDE_PROJECT_DIR" => &mut self.claude_project_dir,
            _ => return,
        };
        *slot = rest.get(1..).filter(|value| !value.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_values_and_treats_empty_ones_as_unset() {
        let mut known = Variables::default();
        for variable in [
            &b"HELIX_HOME=/a=b"[..],
            b"HOME=",
            b"HELIX",
            b"=",
            b"XHOME=/x",
            b"PATH=/bin:/usr/bin",
        ] {
            known.note(variable);
        }
        assert_eq!(known.helix_home, Some(&b"/a=b"[..]));
        assert_eq!(known.home, None);
        assert_eq!(known.path, Some(&b"/bin:/usr/bin"[..]));
        assert_eq!(known.helix_socket, None);
    }
}
