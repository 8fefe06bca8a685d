//! A list of C strings as the system passes them: pointers, ended by null.

use core::ffi::{CStr, c_char};
use core::marker::PhantomData;

/// An iterator over such a list.
#[derive(Clone)]
pub(crate) struct Strings<'a> {
    next: *const *const c_char,
    owner: PhantomData<&'a CStr>,
}

impl Strings<'_> {
    /// Wraps the list at `first`.
    ///
    /// # Safety
    /// `first` must point at pointers to C strings, the last one null, all unchanged and alive for
    /// `'a`.
    pub(crate) unsafe fn from_ptr(first: *const *const c_char) -> Self {
        Self {
            next: first,
            owner: PhantomData,
        }
    }

    /// Returns the rest of the list, for the system.
    #[allow(
        dead_code,
        reason = "std passes the variables on by itself where `os::portable` is used"
    )]
    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        self.next
    }
}

impl<'a> Iterator for Strings<'a> {
    type Item = &'a CStr;

    fn next(&mut self) -> Option<&'a CStr> {
        // SAFETY: The list has at least its null here, for `next` never moves past that.
        let string = unsafe { *self.next };
        if string.is_null() {
            return None;
        }
        // SAFETY: This entry is not the null, so another one follows.
        self.next = unsafe { self.next.add(1) };
        // SAFETY: `from_ptr`'s caller vouches for a C string that lives for `'a`.
        Some(unsafe { CStr::from_ptr(string) })
    }
}
