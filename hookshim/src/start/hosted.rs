//! The entry of the std form.

use core::ffi::{CStr, c_char};
use std::ffi::CString;
use std::os::unix::ffi::OsStringExt as _;

use super::{Buffers, Strings};
use crate::hook;
use crate::invocation::Invocation;

/// Runs the hook with what std knows of the process.
pub(crate) fn begin() {
    let arguments: Vec<CString> = std::env::args_os()
        .filter_map(|argument| CString::new(argument.into_vec()).ok())
        .collect();
    let variables: Vec<CString> = std::env::vars_os()
        .filter_map(|(name, value)| {
            CString::new([name.into_vec(), value.into_vec()].join(&b'=')).ok()
        })
        .collect();
    let (argument_pointers, variable_pointers) = (pointers(&arguments), pointers(&variables));
    // SAFETY: Both lists end with null, and they and the strings they point at live to the end of
    // this function.
    let invocation = unsafe {
        Invocation {
            arguments: Strings::from_ptr(argument_pointers.as_ptr()),
            variables: Strings::from_ptr(variable_pointers.as_ptr()),
        }
    };
    if let Some(buffers) = Buffers::take() {
        hook::run(&invocation, buffers);
    }
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings
        .iter()
        .map(CString::as_c_str)
        .map(CStr::as_ptr)
        .chain([core::ptr::null()])
        .collect()
}
