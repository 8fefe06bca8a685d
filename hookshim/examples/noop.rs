//! A program that ends at once: the floor under the shim's time, built as the shim is.
//!
//! ```text
//! rustc --edition 2024 -C opt-level=z -C panic=abort -C strip=symbols --cfg helix_freestanding -C link-arg=-nostartfiles \
//!   -C link-arg=-nostdlib -C link-arg=-static -C relocation-model=static -C link-arg=-no-pie hookshim/examples/noop.rs
//! ```
#![cfg_attr(helix_freestanding, no_std, no_main)]
#![allow(
    unsafe_code,
    reason = "the entry and the one system call of a program without std"
)]

#[cfg(helix_freestanding)]
mod freestanding {
    #[cfg(target_arch = "x86_64")]
    core::arch::global_asm!(
        ".globl _start",
        "_start:",
        "mov eax, 231",
        "xor edi, edi",
        "syscall"
    );
    #[cfg(target_arch = "aarch64")]
    core::arch::global_asm!(
        ".globl _start",
        "_start:",
        "mov x8, #94",
        "mov x0, #0",
        "svc 0"
    );

    #[panic_handler]
    fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
        loop {}
    }
}

#[cfg(not(helix_freestanding))]
fn main() {}
