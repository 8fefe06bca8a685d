//! Where the knowledge base and what serves it lie on the disk.

use std::fs;
use std::path::PathBuf;

use helix_engine::Store;
use helix_proto::holder::Holder;
use helix_proto::paths::Paths;

/// The places of one home.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Its paths.
    pub paths: Paths,
    /// The name of the strand that is served.
    pub strand: String,
}

impl Layout {
    /// The strand's own directory.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        self.paths.strand(&self.strand)
    }

    /// Where clients connect.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        Holder::elsewhere(&self.paths).unwrap_or_else(|| self.paths.socket.clone())
    }

    /// Bytes of the store's file; 0 where it cannot be looked at.
    #[must_use]
    pub fn store_bytes(&self) -> u64 {
        fs::metadata(self.directory().join(Store::FILE)).map_or(0, |found| found.len())
    }
}
