//! The engine's ports to the outside world.

/// Device and inode of a file, which no other has while it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// The device that it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

/// Opens the byte storage below the store. Tests inject one that loses unsynced writes.
pub trait Storage: Send + Sync {
    /// Opens, and creates when absent, the named database file.
    ///
    /// # Errors
    /// Any I/O error of the medium.
    fn open(&self, name: &str) -> std::io::Result<Box<dyn redb::StorageBackend>>;

    /// As [`Storage::open`], of a file that can be made anew: what is a link, or no file of its
    /// own, is an error.
    ///
    /// # Errors
    /// Any I/O error of the medium.
    fn open_derived(&self, name: &str) -> std::io::Result<Box<dyn redb::StorageBackend>> {
        self.open(name)
    }

    /// Opens the named file for reading, and never makes one.
    ///
    /// # Errors
    /// `NotFound` when there is none; any I/O error of the medium.
    fn read(&self, name: &str) -> std::io::Result<Box<dyn redb::StorageBackend>> {
        self.open(name)
    }

    /// Says which file has this name, so that one is known that was moved away or replaced; `None`
    /// where files have no names.
    ///
    /// # Errors
    /// `NotFound` when there is none; any I/O error of the medium.
    fn identity(&self, _name: &str) -> std::io::Result<Option<FileIdentity>> {
        Ok(None)
    }

    /// Removes the named file, so that a damaged derived one is made anew. Absent is fine; of a
    /// link only the link goes, and a directory is moved aside.
    ///
    /// # Errors
    /// Any I/O error of the medium.
    fn remove(&self, name: &str) -> std::io::Result<()>;

    /// Puts a file in the place of another, both of which exist; whoever has the other one open
    /// keeps it. Durable when it returns. After an error it is not known which of the two a
    /// crash would leave.
    ///
    /// # Errors
    /// Any I/O error of the medium, and always where files have no names.
    fn replace(&self, name: &str, by: &str) -> std::io::Result<()> {
        Err(std::io::Error::new(
            std::io::ErrorKind::Unsupported,
            format!("{name} cannot be replaced by {by} here"),
        ))
    }
}
