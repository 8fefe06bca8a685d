//! Where the real binaries are.

use std::env;
use std::path::PathBuf;

/// Names the directory with the binaries under test; default: where cargo put them.
pub const BIN_DIR_VARIABLE: &str = "HELIX_TEST_BIN_DIR";

/// A program under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// The daemon.
    Daemon,
    /// The command line.
    Ctl,
    /// The MCP bridge.
    Mcp,
    /// The hook shim.
    Hook,
}

impl Binary {
    /// The program's file name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Daemon => "helixd",
            Self::Ctl => "helixctl",
            Self::Mcp => "helix-mcp",
            Self::Hook => "helix-hook",
        }
    }

    /// Where it is: in `$HELIX_TEST_BIN_DIR`, else in the target directory that this test was built
    /// into.
    ///
    /// # Panics
    /// When it was not built, because a suite without its subject proves nothing.
    #[must_use]
    pub fn path(self) -> PathBuf {
        let built = || {
            let own = env::current_exe().unwrap_or_default();
            // <target>/<profile>/deps/<test> or <target>/<profile>/<benchmark>
            let directory = own.parent().map(PathBuf::from).unwrap_or_default();
            if directory.ends_with("deps") {
                directory.parent().map(PathBuf::from).unwrap_or_default()
            } else {
                directory
            }
        };
        let directory = env::var_os(BIN_DIR_VARIABLE).map_or_else(built, PathBuf::from);
        let path = directory.join(self.name());
        assert!(
            path.is_file(),
            "{} is missing; build it with `cargo build --release --workspace`",
            path.display()
        );
        path
    }
}
