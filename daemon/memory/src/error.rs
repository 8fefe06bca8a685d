//! Classes of errors, so that one match can map them to status codes.

/// The classes of errors that callers tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request makes no sense as it is.
    Invalid,
    /// The thing that it names does not exist.
    NotFound,
    /// It contradicts what is stored.
    Conflict,
    /// It was changed since the caller read it.
    Changed,
    /// The caller may not.
    Denied,
    /// A limit is reached.
    Exhausted,
    /// Not now; try again.
    Unavailable,
    /// Stored data is damaged.
    Corrupt,
    /// The store was written by a newer Helix.
    Newer,
    /// A fault of the engine or the disk.
    Internal,
}

/// An error that says of which class it is.
pub trait Fault: std::fmt::Display {
    /// Returns the class of the error.
    fn kind(&self) -> ErrorKind;
}

/// Has errors answer with the class that their own `kind` says.
#[macro_export]
macro_rules! faults {
    ($($error:ty),+ $(,)?) => {
        $(impl $crate::Fault for $error {
            fn kind(&self) -> $crate::ErrorKind {
                <$error>::kind(self)
            }
        })+
    };
}
