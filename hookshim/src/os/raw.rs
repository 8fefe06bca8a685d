//! The system calls that rustix keeps behind an unstable door or behind the vDSO, made directly.
//!
//! Numbers and layouts are Linux's stable ABI; the comment behind each names its source in the
//! kernel.

use core::arch::asm;
use core::ffi::{CStr, c_char};

/// Numbers from `arch/x86/entry/syscalls/syscall_64.tbl`.
#[cfg(target_arch = "x86_64")]
mod number {
    pub(super) const RT_SIGACTION: usize = 13;
    pub(super) const CLONE: usize = 56;
    pub(super) const EXECVE: usize = 59;
    pub(super) const CLOCK_GETTIME: usize = 228;
    pub(super) const EXIT_GROUP: usize = 231;
    pub(super) const CLOSE_RANGE: usize = 436;
}

/// Numbers from `include/uapi/asm-generic/unistd.h`.
#[cfg(target_arch = "aarch64")]
mod number {
    pub(super) const EXIT_GROUP: usize = 94;
    pub(super) const CLOCK_GETTIME: usize = 113;
    pub(super) const RT_SIGACTION: usize = 134;
    pub(super) const CLONE: usize = 220;
    pub(super) const EXECVE: usize = 221;
    pub(super) const CLOSE_RANGE: usize = 436;
}

const CLOCK_REALTIME: usize = 0;
const CLOCK_MONOTONIC: usize = 1;
const SIGPIPE: usize = 13;
const SIGCHLD: usize = 17;
/// Bytes in the kernel's signal set.
const SIGNAL_SET_BYTES: usize = 8;

/// The disposition of a signal: the two values of `sa_handler` that are no address.
#[derive(Clone, Copy)]
#[repr(usize)]
pub(super) enum Disposition {
    Default = 0,
    Ignore = 1,
}

/// `struct sigaction` of both architectures, which define `SA_RESTORER`.
#[repr(C)]
struct SignalAction {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

/// `struct __kernel_timespec`.
#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

/// Makes a system call; the result is negative for an error.
///
/// # Safety
/// The call must be valid for these arguments: every pointer lives as long as the call and what it
/// points at may be read or written as the call does.
unsafe fn call(number: usize, arguments: [usize; 4]) -> isize {
    let [first, second, third, fourth] = arguments;
    let result;
    // SAFETY: This is the architecture's calling convention: the kernel changes the result register
    // and, on x86-64, rcx and r11, and no other register. Memory is changed as the caller of
    // this function has vouched for.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number.cast_signed() => result,
            in("rdi") first, in("rsi") second, in("rdx") third, in("r10") fourth, in("r8") 0_usize,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    // SAFETY: As above; the kernel changes x0 and no other register.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") first.cast_signed() => result,
            in("x1") second, in("x2") third, in("x3") fourth, in("x4") 0_usize,
            options(nostack),
        );
    }
    result
}

/// Nanoseconds on the monotonic clock. The vDSO would be faster and take more time to find than one
/// call costs.
pub(super) fn monotonic_ns() -> u64 {
    let time = clock(CLOCK_MONOTONIC);
    time.seconds.cast_unsigned() * 1_000_000_000 + time.nanoseconds.cast_unsigned()
}

/// Seconds since the epoch.
pub(super) fn wall_clock_s() -> u64 {
    clock(CLOCK_REALTIME).seconds.cast_unsigned()
}

fn clock(which: usize) -> Timespec {
    let mut time = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: `time` is a timespec that the call may write; a failure leaves it zero.
    unsafe { call(number::CLOCK_GETTIME, [which, (&raw mut time).addr(), 0, 0]) };
    time
}

/// Sets what a broken pipe does to this process.
pub(super) fn on_broken_pipe(disposition: Disposition) {
    let action = SignalAction {
        handler: disposition as usize,
        flags: 0,
        restorer: 0,
        mask: 0,
    };
    // SAFETY: `action` names no handler, so no code of ours runs in a signal; the old action is not
    // asked for.
    unsafe {
        call(
            number::RT_SIGACTION,
            [SIGPIPE, (&raw const action).addr(), 0, SIGNAL_SET_BYTES],
        )
    };
}

/// Splits the process in two; 0 in the new one, its number in the old one.
///
/// # Safety
/// The process must have one thread, for only the calling one exists in the new process.
pub(super) unsafe fn fork() -> Option<u32> {
    // SAFETY: Without further flags or a stack of its own, clone is fork; the caller vouches for
    // the threads.
    let result = unsafe { call(number::CLONE, [SIGCHLD, 0, 0, 0]) };
    u32::try_from(result).ok()
}

/// Closes every descriptor from `first` on; false where the kernel (before 5.9) cannot.
///
/// # Safety
/// Nothing may use one of these descriptors afterwards.
pub(super) unsafe fn close_from(first: usize) -> bool {
    // SAFETY: The caller vouches for the descriptors; no pointer is passed.
    unsafe { call(number::CLOSE_RANGE, [first, u32::MAX as usize, 0, 0]) == 0 }
}

/// Becomes another program; returns only on failure.
///
/// # Safety
/// `environment` must be a list of pointers to C strings that ends with null.
pub(super) unsafe fn execute(program: &CStr, environment: *const *const c_char) {
    let arguments = [program.as_ptr(), core::ptr::null()];
    // SAFETY: `program` is a C string and `arguments` a list that ends with null; the caller
    // vouches for the environment.
    unsafe {
        call(
            number::EXECVE,
            [
                program.as_ptr().addr(),
                arguments.as_ptr().addr(),
                environment.addr(),
                0,
            ],
        )
    };
}

/// Ends the process at once with status 0.
pub(crate) fn exit() -> ! {
    loop {
        // SAFETY: The call does not return and takes no pointer.
        unsafe { call(number::EXIT_GROUP, [0; 4]) };
    }
}
