//! The memory functions that compiled code calls and that a libc would bring.
//!
//! Written with string instructions or plain assembly, because a compiler may turn a loop that
//! copies into a call of the very function it stands in.

use core::arch::asm;
use core::ffi::{c_char, c_int};

/// Copies `count` bytes between places that do not overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // SAFETY: The caller vouches for `count` bytes at both places; the direction flag is clear by
    // the ABI.
    unsafe { copy_upwards(to, from, count) };
    to
}

/// Copies `count` bytes between places that may overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // SAFETY: As in `memcpy`. Copying upwards never overwrites what is still to be read unless `to`
    // lies inside the source.
    unsafe {
        if to.addr().wrapping_sub(from.addr()) >= count {
            copy_upwards(to, from, count);
        } else {
            copy_downwards(to, from, count);
        }
    }
    to
}

/// Fills `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, value: c_int, count: usize) -> *mut u8 {
    // SAFETY: The caller vouches for `count` bytes at `to`.
    unsafe { fill(to, value, count) };
    to
}

/// Compares `count` bytes as unsigned numbers.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, count: usize) -> c_int {
    for at in 0..count {
        // SAFETY: The caller vouches for `count` bytes at both places. Volatile keeps this loop a
        // loop.
        let (a, b) = unsafe { (left.add(at).read_volatile(), right.add(at).read_volatile()) };
        if a != b {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

/// Tells whether `count` bytes differ.
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, count: usize) -> c_int {
    // SAFETY: The same contract.
    unsafe { memcmp(left, right, count) }
}

/// Counts the bytes before the zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(string: *const c_char) -> usize {
    let mut length = 0;
    // SAFETY: The caller vouches for a zero at the end. Volatile keeps this loop a loop.
    while unsafe { string.add(length).read_volatile() } != 0 {
        length += 1;
    }
    length
}

#[cfg(target_arch = "x86_64")]
unsafe fn copy_upwards(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: As in `memcpy`.
    unsafe {
        asm!("rep movsb", inout("rcx") count => _, inout("rdi") to => _, inout("rsi") from => _, options(nostack, preserves_flags));
    }
}

#[cfg(target_arch = "x86_64")]
unsafe fn copy_downwards(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: As in `memcpy`, from the last byte to the first; the direction flag is cleared again,
    // as the ABI wants it. `count` is not zero here, for `memmove` comes here only when the
    // distance is less than it.
    unsafe {
        let last = count - 1;
        asm!(
            "std", "rep movsb", "cld",
            inout("rcx") count => _, inout("rdi") to.add(last) => _, inout("rsi") from.add(last) => _,
            options(nostack),
        );
    }
}

#[cfg(target_arch = "x86_64")]
unsafe fn fill(to: *mut u8, value: c_int, count: usize) {
    // SAFETY: As in `memset`.
    unsafe {
        asm!("rep stosb", inout("rcx") count => _, inout("rdi") to => _, in("eax") value, options(nostack, preserves_flags));
    }
}

#[cfg(target_arch = "aarch64")]
unsafe fn copy_upwards(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: As in `memcpy`.
    unsafe {
        asm!(
            "cbz {left}, 3f", "2:", "ldrb {byte:w}, [{from}], #1", "strb {byte:w}, [{to}], #1", "subs {left}, {left}, #1", "b.ne 2b", "3:",
            left = inout(reg) count => _, to = inout(reg) to => _, from = inout(reg) from => _, byte = out(reg) _,
            options(nostack),
        );
    }
}

#[cfg(target_arch = "aarch64")]
unsafe fn copy_downwards(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: As in `memcpy`, from the last byte to the first.
    unsafe {
        asm!(
            "cbz {left}, 3f", "2:", "ldrb {byte:w}, [{from}, #-1]!", "strb {byte:w}, [{to}, #-1]!", "subs {left}, {left}, #1", "b.ne 2b", "3:",
            left = inout(reg) count => _, to = inout(reg) to.add(count) => _, from = inout(reg) from.add(count) => _, byte = out(reg) _,
            options(nostack),
        );
    }
}

#[cfg(target_arch = "aarch64")]
unsafe fn fill(to: *mut u8, value: c_int, count: usize) {
    // SAFETY: As in `memset`.
    unsafe {
        asm!(
            "cbz {left}, 3f", "2:", "strb {value:w}, [{to}], #1", "subs {left}, {left}, #1", "b.ne 2b", "3:",
            left = inout(reg) count => _, to = inout(reg) to => _, value = in(reg) value,
            options(nostack),
        );
    }
}
