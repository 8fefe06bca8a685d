//! The arguments of MCP calls: the tool's name on the first line, then JSON. Any object is understood or an error teaches.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|call: &str| {
    let (tool, arguments) = call.split_once('\n').unwrap_or(("store", call));
    if let Some(Err(error)) = helix_mcp::understand(tool, arguments) {
        assert!(!error.is_empty(), "an error says nothing");
    }
});
