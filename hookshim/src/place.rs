//! Where the daemon's socket and its home are.
//!
//! Socket: `HELIX_SOCKET`; else, with `HELIX_HOME` set, that home's own; else
//! `XDG_RUNTIME_DIR/helix/helixd.sock`; else the default home's own. The runtime directory belongs
//! to the default home alone, so that a home named for a trial never meets the user's daemon.

use crate::invocation::Variables;
use crate::silence::Silence;
use crate::text::Text;

/// Longest path that a Unix socket address holds, in bytes without the final zero.
pub(crate) const SOCKET_PATH_MAX_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The directory in a home that holds the socket and the lock.
pub(crate) const RUN_DIRECTORY: &[u8] = b"/run";

const SOCKET_NAME: &[u8] = b"/helixd.sock";
const RUNTIME_DIRECTORY: &[u8] = b"/helix";

/// A socket's path, short enough for its address.
pub(crate) type SocketPath = Text<{ SOCKET_PATH_MAX_BYTES + 1 }>;

/// The home in two parts: a variable's value and what follows it.
pub(crate) type Home<'a> = (&'a [u8], &'static [u8]);

/// Finds the home directory's path.
pub(crate) fn home<'a>(variables: &Variables<'a>) -> Result<Home<'a>, Silence> {
    if let Some(home) = variables.helix_home {
        return Ok((home, b""));
    }
    if cfg!(target_os = "macos") {
        return variables
            .home
            .map(|home| (home, &b"/Library/Application Support/helix"[..]))
            .ok_or(Silence::NoHome);
    }
    // A relative one counts as unset, as everywhere.
    let data = variables
        .xdg_data_home
        .filter(|data| data.first() == Some(&b'/'));
    let xdg = data.map(|data| (data, &b"/helix"[..]));
    xdg.or(variables
        .home
        .map(|home| (home, &b"/.local/share/helix"[..])))
        .ok_or(Silence::NoHome)
}

/// Finds the socket's path.
pub(crate) fn socket(variables: &Variables<'_>) -> Result<SocketPath, Silence> {
    if let Some(socket) = variables.helix_socket {
        return joined([socket, b"", b"", b""]);
    }
    if let (None, Some(runtime)) = (variables.helix_home, variables.xdg_runtime_dir) {
        return joined([runtime, RUNTIME_DIRECTORY, b"", SOCKET_NAME]);
    }
    let (base, rest) = home(variables)?;
    joined([base, rest, RUN_DIRECTORY, SOCKET_NAME])
}

/// Puts the parts of a path together.
pub(crate) fn joined<const CAPACITY: usize>(parts: [&[u8]; 4]) -> Result<Text<CAPACITY>, Silence> {
    let mut path = Text::new();
    for part in parts {
        path.push(part).map_err(|_| Silence::PathTooLong)?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &Variables<'_>, expected: &str) {
        let found =
            socket(variables).map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned());
        assert_eq!(found.map_err(Silence::message), Ok(expected.to_owned()));
    }

    #[test]
    fn the_most_explicit_variable_wins() {
        let mut variables = Variables {
            home: Some(b"/h"),
            ..Variables::default()
        };
        if cfg!(target_os = "linux") {
            check(&variables, "/h/.local/share/helix/run/helixd.sock");
            variables.xdg_data_home = Some(b"d");
            check(&variables, "/h/.local/share/helix/run/helixd.sock");
            variables.xdg_data_home = Some(b"/d");
            check(&variables, "/d/helix/run/helixd.sock");
        } else {
            check(
                &variables,
                "/h/Library/Application Support/helix/run/helixd.sock",
            );
        }
        variables.xdg_runtime_dir = Some(b"/r");
        check(&variables, "/r/helix/helixd.sock");
        variables.helix_home = Some(b"/home");
        check(&variables, "/home/run/helixd.sock");
        variables.helix_socket = Some(b"/s");
        check(&variables, "/s");
    }

    #[test]
    fn nothing_set_is_no_place() {
        assert!(socket(&Variables::default()).is_err_and(|why| why == Silence::NoHome));
    }

    #[test]
    fn a_path_as_long_as_the_address_fits_and_no_longer() {
        let longest = vec![b'x'; SOCKET_PATH_MAX_BYTES];
        let longer = vec![b'x'; SOCKET_PATH_MAX_BYTES + 1];
        assert!(
            socket(&Variables {
                helix_socket: Some(&longest),
                ..Variables::default()
            })
            .is_ok()
        );
        let refused = socket(&Variables {
            helix_socket: Some(&longer),
            ..Variables::default()
        });
        assert!(refused.is_err_and(|why| why == Silence::PathTooLong));
    }
}
