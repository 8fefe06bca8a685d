//! Agent programs, and the variables that they need themselves.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::backend::Backend;

#[derive(Debug, Default, Deserialize)]
struct Agents {
    agent: Vec<Agent>,
}

#[derive(Debug, Deserialize)]
struct Agent {
    program: String,
    variables: Vec<String>,
}

fn agents() -> &'static Agents {
    static AGENTS: OnceLock<Agents> = OnceLock::new();
    AGENTS.get_or_init(|| toml::from_str(include_str!("agents.toml")).unwrap_or_default())
}

/// The variables of configured keys that a program is not given: those that are neither named in its
/// own section nor known to be its own.
pub(crate) fn withheld(backend: &Backend, keys: &[String]) -> Vec<String> {
    let program = backend.program();
    let known = agents().agent.iter().find(|agent| agent.program == program);
    let own = known.map_or(&[][..], |agent| &agent.variables);
    keys.iter()
        .filter(|key| **key != backend.key_variable && !own.contains(key))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use helix_proto::provider::v1;

    use super::*;

    fn withheld_from(program: &str, key: &str) -> Vec<String> {
        let backend = Backend::of(v1::Backend {
            api: "command".to_owned(),
            key_variable: key.to_owned(),
            command: vec![program.to_owned(), "-p".to_owned()],
            ..v1::Backend::default()
        });
        let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TEAM_KEY"].map(str::to_owned);
        withheld(&backend, &keys)
    }

    #[test]
    fn a_program_keeps_its_own_key_alone() {
        assert!(agents().agent.len() >= 4);
        assert_eq!(
            withheld_from("/opt/bin/claude", ""),
            ["OPENAI_API_KEY", "TEAM_KEY"]
        );
        assert_eq!(withheld_from("codex", "TEAM_KEY"), ["ANTHROPIC_API_KEY"]);
        assert_eq!(withheld_from("my-agent", "").len(), 3);
    }
}
