//! Inputs of the clients that nobody has recorded yet, made up from their documentation.

use serde_json::{Value, json};

/// Cursor's.
pub(crate) fn cursor() -> Vec<(String, Value)> {
    let of = |event: &str, more: Value| {
        let base = json!({
            "conversation_id": "c0ffee00-0000-4000-8000-000000000001", "generation_id": "g1", "hook_event_name": event,
            "workspace_roots": ["/home/dev/project"],
        });
        (format!("cursor, made up/{event}"), joined(base, more))
    };
    vec![
        of("sessionStart", json!({"composer_mode": "agent"})),
        of("beforeSubmitPrompt", json!({"prompt": "Read hello.txt, edit it, run the failing command and ask toy."})),
        of("beforeReadFile", json!({"file_path": "/home/dev/project/hello.txt", "content": "line one"})),
        of("stop", json!({"status": "completed"})),
    ]
}

/// Gemini CLI's.
pub(crate) fn gemini() -> Vec<(String, Value)> {
    let of = |event: &str, what: &str, more: Value| {
        let base = json!({
            "session_id": "9e319100-0000-4000-8000-000000000001", "cwd": "/home/dev/project", "hook_event_name": event,
            "transcript_path": "/home/dev/.gemini/tmp/chat.json", "timestamp": "2026-11-21T20:27:44.000Z",
        });
        (format!("gemini, made up/{event}{what}"), joined(base, more))
    };
    let shell = |output: &str| {
        json!({
            "tool_name": "run_shell_command", "tool_input": {"command": "npx tsc --noEmit"},
            "tool_response": {"llmContent": output, "returnDisplay": ""},
        })
    };
    let read = json!({"tool_name": "read_file", "tool_input": {"file_path": "/home/dev/project/hello.txt"}});
    let did = |tool: &str, tool_input: Value, response: Value| json!({ "tool_name": tool, "tool_input": tool_input, "tool_response": response });
    let file = "/home/dev/project/src/load.ts";
    let written = "export function loadAll() {}\n";
    let fail = json!({"message": "File not found", "type": "file_not_found"});
    let failure = "src/load.ts(3,7): error TS2304: Cannot find name 'rowSet'.\n\nFound 1 error in src/load.ts:3\n";
    vec![
        of("SessionStart", "-startup", json!({"source": "startup"})),
        of("BeforeAgent", "", json!({"prompt": "Read hello.txt, edit it, run the failing command and ask toy."})),
        of("BeforeTool", "-read_file", read.clone()),
        of(
            "AfterTool",
            "-read_file",
            joined(read, json!({"tool_response": {"llmContent": "line one", "returnDisplay": ""}})),
        ),
        of(
            "AfterTool",
            "-replace",
            did(
                "replace",
                json!({"file_path": file, "old_string": "function loadRows", "new_string": "function loadAll"}),
                json!({"llmContent": "Successfully modified file", "returnDisplay": {"originalContent": "export function loadRows() {}\n"}}),
            ),
        ),
        of(
            "AfterTool",
            "-write_file",
            did(
                "write_file",
                json!({ "file_path": file, "content": written }),
                json!({"llmContent": "Successfully overwrote file", "returnDisplay": {"originalContent": "export function loadRows() {}\n"}}),
            ),
        ),
        of(
            "AfterTool",
            "-grep_search",
            did(
                "grep_search",
                json!({"pattern": "rowSet", "dir_path": "src"}),
                json!({"llmContent": "No matches found"}),
            ),
        ),
        of(
            "AfterTool",
            "-search_file_content",
            did("search_file_content", json!({"pattern": "loadRows"}), json!({"llmContent": "Found 1 match"})),
        ),
        of(
            "AfterTool",
            "-glob",
            did("glob", json!({"pattern": "*.ts", "dir_path": "src"}), json!({"llmContent": "Found 1 file(s)"})),
        ),
        of(
            "AfterTool",
            "-read_file-failing",
            did(
                "read_file",
                json!({"file_path": "/home/dev/project/new.txt"}),
                json!({"llmContent": "File not found", "error": fail}),
            ),
        ),
        of("AfterTool", "-failing", shell(failure)),
        of("AfterTool", "-succeeding", shell("")),
        of("PreCompress", "-auto", json!({"trigger": "auto"})),
        of("SessionEnd", "-exit", json!({"reason": "exit"})),
    ]
}

fn joined(mut base: Value, more: Value) -> Value {
    let Value::Object(more) = more else { return base };
    base.as_object_mut().unwrap().extend(more);
    base
}
