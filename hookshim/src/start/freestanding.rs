//! The entry of the freestanding form: what C's start-up code does elsewhere, and no more than the
//! shim needs of it.

use core::arch::global_asm;
use core::ffi::c_char;

use super::{Buffers, Strings};
use crate::hook;
use crate::invocation::Invocation;
use crate::os;

// The kernel starts a program here with the stack pointer at the argument count; both ABIs want it
// aligned to 16 bytes at a call.
#[cfg(target_arch = "x86_64")]
global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {begin}",
    "ud2",
    begin = sym begin,
);
#[cfg(target_arch = "aarch64")]
global_asm!(
    ".globl _start",
    "_start:",
    "mov x29, #0",
    "mov x30, #0",
    "mov x0, sp",
    "bl {begin}",
    "brk #1",
    begin = sym begin,
);

/// Runs the hook; `stack` is where the kernel left the argument count, the arguments and the
/// variables.
unsafe extern "C" fn begin(stack: *const usize) -> ! {
    // SAFETY: The kernel puts the count first, then that many pointers and a null, then the
    // variables' pointers and a null. Strings and lists are writable only by this program,
    // which never does, and live as long as it.
    let invocation = unsafe {
        let count = *stack;
        let arguments = stack.add(1).cast::<*const c_char>();
        Invocation {
            arguments: Strings::from_ptr(arguments),
            variables: Strings::from_ptr(arguments.add(count + 1)),
        }
    };
    if let Some(buffers) = Buffers::take() {
        hook::run(&invocation, buffers);
    }
    os::exit()
}

/// A panic would be a bug; the agent must not feel it.
#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    os::exit()
}
