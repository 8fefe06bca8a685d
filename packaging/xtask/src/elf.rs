//! Reads the headers of an ELF file: enough to prove that the shim is static.

/// Offsets and sizes of the 64-bit little-endian headers, in bytes.
const TYPE_AT: usize = 16;
const PROGRAM_HEADERS_AT: usize = 32;
const PROGRAM_HEADER_BYTES_AT: usize = 54;
const PROGRAM_HEADER_COUNT_AT: usize = 56;

/// A file type of the ELF header: an executable at a fixed address.
const TYPE_EXECUTABLE: u16 = 2;

/// Program headers that only a dynamically linked file has.
const SEGMENT_DYNAMIC: u32 = 2;
const SEGMENT_INTERPRETER: u32 = 3;

/// Says why the file is not a static 64-bit executable, or nothing when it is one.
pub(crate) fn problem(file: &[u8]) -> Option<&'static str> {
    if file.get(..6) != Some(b"\x7fELF\x02\x01") {
        return Some("it is not a 64-bit little-endian ELF file");
    }
    let Some(segments) = segments(file) else {
        return Some("its headers are cut short");
    };
    if segments.contains(&SEGMENT_INTERPRETER) {
        return Some("it asks for a dynamic loader (PT_INTERP)");
    }
    if segments.contains(&SEGMENT_DYNAMIC) {
        return Some("it has a dynamic section (PT_DYNAMIC)");
    }
    (read_u16(file, TYPE_AT) != Some(TYPE_EXECUTABLE))
        .then_some("it is position independent, which costs relocation at start")
}

/// Returns the type of each program header.
fn segments(file: &[u8]) -> Option<Vec<u32>> {
    let start = usize::try_from(u64::from_le_bytes(
        *file.get(PROGRAM_HEADERS_AT..)?.first_chunk()?,
    ))
    .ok()?;
    let bytes = usize::from(read_u16(file, PROGRAM_HEADER_BYTES_AT)?);
    let count = usize::from(read_u16(file, PROGRAM_HEADER_COUNT_AT)?);
    (0..count)
        .map(|index| {
            let at = start.checked_add(index.checked_mul(bytes)?)?;
            Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?))
        })
        .collect()
}

fn read_u16(file: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*file.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Builds a file with the given type and program headers.
    fn elf(kind: u16, segments: &[u32]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        file.resize(64, 0);
        file[TYPE_AT..TYPE_AT + 2].copy_from_slice(&kind.to_le_bytes());
        file[PROGRAM_HEADERS_AT] = 64;
        file[PROGRAM_HEADER_BYTES_AT] = 56;
        file[PROGRAM_HEADER_COUNT_AT] = u8::try_from(segments.len()).unwrap();
        for segment in segments {
            file.extend(segment.to_le_bytes());
            file.extend([0; 52]);
        }
        file
    }

    #[test]
    fn only_a_static_executable_has_no_problem() {
        assert_eq!(problem(&elf(2, &[1, 1, 4])), None);
        assert!(problem(&elf(2, &[1, 3])).unwrap().contains("PT_INTERP"));
        assert!(problem(&elf(2, &[1, 2])).unwrap().contains("PT_DYNAMIC"));
        assert!(
            problem(&elf(3, &[1]))
                .unwrap()
                .contains("position independent")
        );
        assert!(problem(b"#!/bin/sh").is_some());
        assert!(problem(&elf(2, &[1])[..60]).is_some());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_test_itself_is_not_static() {
        let file = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(problem(&file).is_some());
    }
}
