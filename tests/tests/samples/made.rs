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
        of(
            "beforeSubmitPrompt",
            json!({"prompt": "Read hello.txt, edit it, run the failing command and ask toy."}),
        ),
        of(
            "beforeReadFile",
            json!({"file_path": "/home/dev/project/hello.txt", "content": "line one"}),
        ),
        of("stop", json!({"status": "completed"})),
    ]
}

/// Gemini CLI's.
pub(crate) fn gemini() -> Vec<(String, Value)> {
    let mut inputs = vec![
        of_gemini("SessionStart", "-startup", json!({"source": "startup"})),
        of_gemini(
            "BeforeAgent",
            "",
            json!({"prompt": "Read hello.txt, edit it, run the failing command and ask toy."}),
        ),
    ];
    inputs.extend(files_of_gemini());
    inputs.extend(shell_of_gemini());
    inputs.extend([
        of_gemini("PreCompress", "-auto", json!({"trigger": "auto"})),
        of_gemini("SessionEnd", "-exit", json!({"reason": "exit"})),
    ]);
    inputs
}

/// Its tools that touch files.
fn files_of_gemini() -> Vec<(String, Value)> {
    let did = |what: &str, tool: &str, tool_input: Value, response: Value| {
        let tool =
            json!({ "tool_name": tool, "tool_input": tool_input, "tool_response": response });
        of_gemini("AfterTool", what, tool)
    };
    let answer = |content: &str| json!({"llmContent": content, "returnDisplay": ""});
    let changed = |content: &str| json!({"llmContent": content, "returnDisplay": {"originalContent": "export function loadRows() {}\n"}});
    let (hello, load) = (
        "/home/dev/project/hello.txt",
        "/home/dev/project/src/load.ts",
    );
    let edit = json!({"file_path": load, "old_string": "function loadRows", "new_string": "function loadAll"});
    let write = json!({"file_path": load, "content": "export function loadAll() {}\n"});
    let failed = json!({"llmContent": "File not found", "error": {"message": "File not found", "type": "file_not_found"}});
    let before = json!({"tool_name": "read_file", "tool_input": {"file_path": hello}});
    vec![
        of_gemini("BeforeTool", "-read_file", before),
        did(
            "-read_file",
            "read_file",
            json!({"file_path": hello}),
            answer("line one"),
        ),
        did(
            "-replace",
            "replace",
            edit,
            changed("Successfully modified file"),
        ),
        did(
            "-write_file",
            "write_file",
            write,
            changed("Successfully overwrote file"),
        ),
        did(
            "-grep_search",
            "grep_search",
            json!({"pattern": "rowSet", "dir_path": "src"}),
            answer("No matches found"),
        ),
        did(
            "-search_file_content",
            "search_file_content",
            json!({"pattern": "loadRows"}),
            answer("Found 1 match"),
        ),
        did(
            "-glob",
            "glob",
            json!({"pattern": "*.ts", "dir_path": "src"}),
            answer("Found 1 file(s)"),
        ),
        did(
            "-read_file-failing",
            "read_file",
            json!({"file_path": "/home/dev/project/new.txt"}),
            failed,
        ),
    ]
}

/// Its shell.
fn shell_of_gemini() -> Vec<(String, Value)> {
    let shell = |what: &str, output: &str| {
        let tool = json!({
            "tool_name": "run_shell_command", "tool_input": {"command": "npx tsc --noEmit"},
            "tool_response": {"llmContent": output, "returnDisplay": ""},
        });
        of_gemini("AfterTool", what, tool)
    };
    let failure = "src/load.ts(3,7): error TS2304: Cannot find name 'rowSet'.\n\nFound 1 error in src/load.ts:3\n";
    vec![shell("-failing", failure), shell("-succeeding", "")]
}

fn of_gemini(event: &str, what: &str, more: Value) -> (String, Value) {
    let base = json!({
        "session_id": "9e319100-0000-4000-8000-000000000001", "cwd": "/home/dev/project", "hook_event_name": event,
        "transcript_path": "/home/dev/.gemini/tmp/chat.json", "timestamp": "2026-11-21T20:27:44.000Z",
    });
    (format!("gemini, made up/{event}{what}"), joined(base, more))
}

fn joined(mut base: Value, more: Value) -> Value {
    let Value::Object(more) = more else {
        return base;
    };
    base.as_object_mut().unwrap().extend(more);
    base
}
