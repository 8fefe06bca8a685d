//! Socket activation by launchd: the sockets of the plist's `helixd` key.

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixListener;
use std::{ptr, slice};

/// Name of the socket in `packaging/launchd`.
const SOCKET_NAME: &str = "helixd";

#[expect(
    unsafe_code,
    reason = "launchd gives its sockets through this C function only"
)]
// SAFETY: declared as in <launch.h>, which every macOS since 10.10 has in libSystem.
unsafe extern "C" {
    fn launch_activate_socket(
        name: *const c_char,
        fds: *mut *mut c_int,
        count: *mut usize,
    ) -> c_int;
    fn free(pointer: *mut c_void);
}

/// Returns the sockets that launchd opened; none when it did not start us.
#[expect(unsafe_code, reason = "calls the functions above")]
pub(super) fn sockets() -> io::Result<Vec<UnixListener>> {
    let name = CString::new(SOCKET_NAME)?;
    let mut descriptors: *mut c_int = ptr::null_mut();
    let mut count = 0;
    // SAFETY: all three pointers are valid for the call; on success launchd allocates an array of
    // `count` descriptors.
    let error =
        unsafe { launch_activate_socket(name.as_ptr(), &raw mut descriptors, &raw mut count) };
    if error != 0 || descriptors.is_null() {
        return Ok(Vec::new());
    }
    // SAFETY: the array has `count` elements and is not changed by anybody else.
    let owned: Vec<RawFd> = unsafe { slice::from_raw_parts(descriptors, count) }.to_vec();
    // SAFETY: the array was allocated with malloc for us, and is not used after this.
    unsafe { free(descriptors.cast()) };
    // SAFETY: launchd hands each descriptor over to us once; nothing else owns it.
    Ok(owned
        .into_iter()
        .map(|fd| UnixListener::from(unsafe { OwnedFd::from_raw_fd(fd) }))
        .collect())
}
