//! Agent programs, and what of the environment each is given.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::backend::Backend;

#[derive(Debug, Default, Deserialize)]
struct Agents {
    common: Vec<String>,
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

/// Whether a program is given a variable: what any needs, what is its own, and the key that its
/// section names.
pub(crate) fn is_given(backend: &Backend, variable: &str) -> bool {
    let agents = agents();
    let known = agents
        .agent
        .iter()
        .find(|agent| agent.program == backend.program());
    let own = known.map_or(&[][..], |agent| &agent.variables);
    let is_named = |name: &String| match name.strip_suffix('*') {
        Some(start) => variable.starts_with(start),
        None => name == variable,
    };
    variable == backend.key_variable || agents.common.iter().chain(own).any(is_named)
}

#[cfg(test)]
mod tests {
    use helix_proto::provider::v1;

    use super::*;

    fn given(program: &str, key: &str) -> Vec<&'static str> {
        let backend = Backend::of(v1::Backend {
            api: "command".to_owned(),
            key_variable: key.to_owned(),
            command: vec![program.to_owned(), "-p".to_owned()],
            ..v1::Backend::default()
        });
        let mut variables = vec![
            "HOME",
            "LC_ALL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "TEAM_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
        ];
        variables.retain(|variable| is_given(&backend, variable));
        variables
    }

    #[test]
    fn a_program_is_given_its_login_and_the_key_that_is_named() {
        assert!(agents().agent.len() >= 4);
        assert_eq!(
            given("/opt/bin/claude", ""),
            ["HOME", "LC_ALL", "CLAUDE_CODE_OAUTH_TOKEN"]
        );
        assert_eq!(
            given("claude", "ANTHROPIC_API_KEY"),
            [
                "HOME",
                "LC_ALL",
                "CLAUDE_CODE_OAUTH_TOKEN",
                "ANTHROPIC_API_KEY"
            ]
        );
        assert_eq!(given("codex", "TEAM_KEY"), ["HOME", "LC_ALL", "TEAM_KEY"]);
        assert_eq!(given("my-agent", ""), ["HOME", "LC_ALL"]);
    }
}
