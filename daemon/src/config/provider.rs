//! `[provider]`: which language models are asked, and what they may cost.

use std::time::Duration;

use helix_app::language::Settings;
use helix_proto::provider::v1;
use serde::Deserialize;

use super::variable;

/// Sets the tokens that may be paid for in a month; goes before the file.
pub(super) const BUDGET_VARIABLE: &str = "HELIX_MONTHLY_TOKEN_BUDGET";

/// Backends that are asked in turn, at most.
const BACKENDS_MAX: usize = 8;

/// Longest deadline, in seconds.
const DEADLINE_MAX_S: u64 = 300;

/// Backends where none is named: the first has a free tier.
const USUAL: [(Api, &str); 2] = [
    (Api::Gemini, "gemini-2.5-flash"),
    (Api::Openai, "gpt-4o-mini"),
];

/// `[provider]` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    monthly_tokens: Option<u64>,
    commands_per_day: Option<u32>,
    deadline_s: Option<u64>,
    corrections: Option<bool>,
    capture: Option<bool>,
    #[serde(default)]
    backend: Vec<BackendSection>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackendSection {
    api: Api,
    #[serde(default)]
    model: String,
    #[serde(default)]
    base_url: String,
    /// The name of a variable; empty for an API without a key.
    key: Option<String>,
    #[serde(default)]
    command: Vec<String>,
}

/// An API by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Api {
    Gemini,
    Openai,
    Anthropic,
    Ollama,
    Command,
}

impl Api {
    const fn name(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
            Self::Command => "command",
        }
    }

    /// The variable that usually holds its key.
    const fn usual_key(self) -> &'static str {
        match self {
            Self::Gemini => "GEMINI_API_KEY",
            Self::Openai => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Ollama | Self::Command => "",
        }
    }
}

/// Language models as they were configured.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    /// What they are asked, and what that may cost.
    pub(crate) settings: Settings,
    /// In the order in which they are asked.
    pub(crate) backends: Vec<v1::Backend>,
}

impl Provider {
    /// Reads the section. The error says what is wrong, and where.
    pub(super) fn of(section: Section) -> Result<Self, (String, String)> {
        let in_file = |detail: String| ("provider".to_owned(), detail);
        let usual = Settings::default();
        let deadline_s = section.deadline_s.unwrap_or(usual.deadline.as_secs());
        if !(1..=DEADLINE_MAX_S).contains(&deadline_s) {
            return Err(in_file(format!(
                "provider.deadline_s is {deadline_s}, use 1 to {DEADLINE_MAX_S}"
            )));
        }
        let settings = Settings {
            monthly_tokens: budget(section.monthly_tokens, usual.monthly_tokens)?,
            daily_commands: section.commands_per_day.unwrap_or(usual.daily_commands),
            deadline: Duration::from_secs(deadline_s),
            corrections: section.corrections.unwrap_or(usual.corrections),
            capture: section.capture.unwrap_or(usual.capture),
        };
        let named = if section.backend.is_empty() {
            USUAL.map(usual_backend).to_vec()
        } else {
            section.backend
        };
        if named.len() > BACKENDS_MAX {
            return Err(in_file(format!(
                "{} backends are named, use {BACKENDS_MAX} at most",
                named.len()
            )));
        }
        for backend in &named {
            backend.check().map_err(in_file)?;
        }
        Ok(Self {
            settings,
            backends: named.into_iter().map(BackendSection::wire).collect(),
        })
    }
}

fn usual_backend((api, model): (Api, &str)) -> BackendSection {
    BackendSection {
        api,
        model: model.to_owned(),
        base_url: String::new(),
        key: None,
        command: Vec::new(),
    }
}

fn budget(in_file: Option<u64>, usual: u64) -> Result<u64, (String, String)> {
    let Some(given) = variable(BUDGET_VARIABLE) else {
        return Ok(in_file.unwrap_or(usual));
    };
    given.trim().replace('_', "").parse().map_err(|_| {
        (
            BUDGET_VARIABLE.to_owned(),
            "it is no number of tokens; use digits, 0 for no paid calls".to_owned(),
        )
    })
}

impl BackendSection {
    fn check(&self) -> Result<(), String> {
        self.check_key()?;
        let name = self.api.name();
        if self.api == Api::Command {
            if self.command.is_empty() {
                return Err("a backend of api \"command\" needs `command = [\"claude\", \"-p\"]` or the like".to_owned());
            }
            return Ok(());
        }
        if !self.command.is_empty() {
            return Err(format!("a backend of api {name:?} takes no command"));
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/".contains(c);
        if self.model.is_empty() || !self.model.chars().all(is_plain) {
            return Err(format!(
                "a backend of api {name:?} needs the name of a model"
            ));
        }
        let is_web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
        if !self.base_url.is_empty() && !is_web(&self.base_url) {
            return Err(format!(
                "the base_url of a backend of api {name:?} begins with neither https:// nor http://"
            ));
        }
        Ok(())
    }

    fn check_key(&self) -> Result<(), String> {
        let name = self.api.name();
        let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        match &self.key {
            // What stands there instead may be the key itself, so it is not repeated.
            Some(key) if !key.chars().all(is_variable) => Err(format!(
                "the key of a backend of api {name:?} is the name of an environment variable, never the key itself"
            )),
            _ => Ok(()),
        }
    }

    fn wire(self) -> v1::Backend {
        let key = self.key;
        v1::Backend {
            api: self.api.name().to_owned(),
            model: self.model,
            base_url: self.base_url,
            key_variable: key.unwrap_or_else(|| self.api.usual_key().to_owned()),
            command: self.command,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> Result<Provider, String> {
        let section = toml::from_str(text).map_err(|error| error.to_string())?;
        Provider::of(section).map_err(|(_, detail)| detail)
    }

    #[test]
    fn an_empty_section_asks_the_free_one_first() {
        let provider = read("").unwrap();
        let first = provider.backends.first().unwrap();
        assert_eq!(first.model, "gemini-2.5-flash");
        assert_eq!(first.key_variable, "GEMINI_API_KEY");
        assert_eq!(provider.backends.len(), 2);
    }

    #[test]
    fn a_key_in_the_file_is_refused_and_not_repeated() {
        for backend in [
            "api = \"openai\"\nmodel = \"m\"",
            "api = \"command\"\ncommand = [\"claude\"]",
        ] {
            let error = read(&format!("[[backend]]\n{backend}\nkey = \"sk-abc\"")).unwrap_err();
            assert!(error.contains("environment variable"), "{error}");
            assert!(!error.contains("sk-abc"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        for wrong in [
            "deadline_s = 0",
            "[[backend]]\napi = \"openai\"",
            "[[backend]]\napi = \"command\"",
            "[[backend]]\napi = \"ollama\"\nmodel = \"m\"\nbase_url = \"ftp://a\"",
            "[[backend]]\napi = \"other\"\nmodel = \"m\"",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
