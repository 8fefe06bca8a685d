//! The plugin for Claude Code says what the table says.

use super::*;

/// How Claude Code names the server's tools when the plugin brings it, instead of `mcp__helix__`.
const PLUGIN_TOOLS: &str = "mcp__plugin_helix_helix__";

fn file(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../packaging/claude-plugin")
        .join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the content of the files that `connect claude` writes, with the programs taken from the
/// search path.
fn connected() -> (Value, Value) {
    let [hooks, server] = [hooks_target(), server_target()].map(|target| {
        let text = plan_install(None, &target, &programs()).unwrap().text;
        let text = text
            .replace(SHIM, "helix-hook")
            .replace(BRIDGE, "helix-mcp")
            .replace("mcp__helix__", PLUGIN_TOOLS);
        serde_json::from_str(&text).unwrap()
    });
    (hooks, server)
}

#[test]
fn its_hooks_and_server_are_those_of_connect() {
    let (hooks, server) = connected();
    assert_eq!(file("hooks/hooks.json")["hooks"], hooks["hooks"]);
    assert_eq!(file(".mcp.json"), server);
}

#[test]
fn its_version_is_ours() {
    let manifest = file(".claude-plugin/plugin.json");
    assert_eq!(
        (&manifest["name"], &manifest["version"]),
        (&json!("helix"), &json!(env!("CARGO_PKG_VERSION")))
    );
}
