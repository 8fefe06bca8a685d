//! A backend: one language model, how it is reached, and its key.

use std::env;
use std::fmt;

use helix_proto::provider::v1;

/// How a backend is spoken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// Google's `generateContent`.
    Gemini,
    /// `chat/completions`, which many servers speak.
    OpenAi,
    /// `messages`.
    Anthropic,
    /// Ollama's `api/chat`.
    Ollama,
    /// A program of the user's.
    Command,
}

impl Api {
    /// Every one, by its name in the configuration.
    const NAMES: [(&'static str, Self); 5] = [
        ("gemini", Self::Gemini),
        ("openai", Self::OpenAi),
        ("anthropic", Self::Anthropic),
        ("ollama", Self::Ollama),
        ("command", Self::Command),
    ];

    fn parse(name: &str) -> Option<Self> {
        let found = Self::NAMES.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, api)| api)
    }

    /// What stands behind the base of an address: the beginning of each path, longest first. Where a
    /// configured address ends with it, it is not doubled.
    const fn ends(self) -> &'static [&'static str] {
        match self {
            Self::Gemini => &["/v1beta/models", "/v1beta", "/v1"],
            Self::OpenAi => &["/chat/completions"],
            Self::Anthropic => &["/v1/messages", "/v1"],
            Self::Ollama => &["/api/chat", "/api", "/v1"],
            Self::Command => &[],
        }
    }

    /// The base of an address, without a slash or the beginning of a path at its end.
    fn base(self, url: &str) -> &str {
        let url = url.trim_end_matches('/');
        let mut ends = self.ends().iter();
        let base = ends.find_map(|end| url.strip_suffix(end));
        base.unwrap_or(url).trim_end_matches('/')
    }

    const fn usual_url(self) -> &'static str {
        match self {
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Ollama => "http://localhost:11434",
            Self::Command => "",
        }
    }
}

/// A key. It prints nothing of itself.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// The key itself, for the one header that it belongs into.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// One language model.
#[derive(Clone, Debug)]
pub(crate) struct Backend {
    /// Its name in answers, such as `openai/gpt-4o-mini`.
    pub(crate) name: String,
    /// `None` for one that this version does not know.
    pub(crate) api: Option<Api>,
    pub(crate) model: String,
    /// As far as each path of its API begins.
    pub(crate) base_url: String,
    pub(crate) key_variable: String,
    pub(crate) key: Option<Key>,
    pub(crate) command: Vec<String>,
}

impl Backend {
    /// Reads what the daemon sent, and the key from the environment.
    pub(crate) fn of(wire: v1::Backend) -> Self {
        let api = Api::parse(&wire.api);
        let url = if wire.base_url.is_empty() {
            api.map_or("", Api::usual_url)
        } else {
            &wire.base_url
        };
        let own = if wire.model.is_empty() {
            program(&wire.command)
        } else {
            &wire.model
        };
        Self {
            name: format!("{}/{own}", wire.api),
            api,
            base_url: api.map_or(url, |api| api.base(url)).to_owned(),
            key: key(&wire.key_variable),
            model: wire.model,
            key_variable: wire.key_variable,
            command: wire.command,
        }
    }

    /// Reads all that the daemon sent. Of two with one name, such as one model at two addresses, the
    /// second is told apart by its place among them.
    pub(crate) fn all(wire: Vec<v1::Backend>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::with_capacity(wire.len());
        for mut backend in wire.into_iter().map(Self::of) {
            let name = backend.name.clone();
            let mut place = 2;
            while all.iter().any(|other| other.name == backend.name) {
                backend.name = format!("{name} ({place})");
                place += 1;
            }
            all.push(backend);
        }
        all
    }

    /// The name of its program, without folders; empty for an API.
    pub(crate) fn program(&self) -> &str {
        program(&self.command)
    }

    /// Whether its tokens are paid for.
    pub(crate) fn is_paid(&self) -> bool {
        !self.key_variable.is_empty() && self.api != Some(Api::Command)
    }

    /// Why it cannot be asked; `None` when it can.
    pub(crate) fn why_not(&self) -> Option<String> {
        let Some(api) = self.api else {
            return Some("this API is not known".to_owned());
        };
        if api == Api::Command {
            let is_missing = self.command.is_empty();
            return is_missing.then(|| "no command is given".to_owned());
        }
        if self.is_paid() && self.key.is_none() {
            return Some(format!(
                "${} is not set where the daemon was started",
                self.key_variable
            ));
        }
        if self.key.is_some() && !self.is_safe_for_keys() {
            return Some("its address is neither https nor this machine".to_owned());
        }
        None
    }

    /// A key leaves this machine only encrypted.
    fn is_safe_for_keys(&self) -> bool {
        let Some(rest) = self.base_url.strip_prefix("http://") else {
            return self.base_url.starts_with("https://");
        };
        let place = rest.split('/').next().unwrap_or_default();
        let host = place.rsplit_once(':').map_or(place, |(host, _)| host);
        !place.contains('@') && matches!(host, "localhost" | "127.0.0.1" | "[::1]")
    }
}

fn program(command: &[String]) -> &str {
    let program = command.first().map_or("", String::as_str);
    program.rsplit('/').next().unwrap_or_default()
}

fn key(variable: &str) -> Option<Key> {
    if variable.is_empty() {
        return None;
    }
    let value = env::var(variable).ok()?;
    let value = value.trim();
    (!value.is_empty()).then(|| Key(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base_url: &str) -> Backend {
        Backend {
            key: Some(Key("k".to_owned())),
            ..Backend::of(v1::Backend {
                api: "openai".to_owned(),
                model: "m".to_owned(),
                base_url: base_url.to_owned(),
                key_variable: "HELIX_TEST_NO_SUCH_KEY".to_owned(),
                command: Vec::new(),
            })
        }
    }

    #[test]
    fn a_key_goes_out_encrypted_or_stays_on_this_machine() {
        for safe in [
            "",
            "https://a.test/v1/",
            "http://127.0.0.1:80/v1",
            "http://localhost",
        ] {
            assert_eq!(at(safe).why_not(), None, "{safe}");
        }
        for unsafe_one in [
            "http://a.test",
            "http://localhost.a.test",
            "ftp://a",
            "http://localhost:80@a.test",
        ] {
            assert!(at(unsafe_one).why_not().is_some(), "{unsafe_one}");
        }
    }

    #[test]
    fn the_beginning_of_a_path_is_not_doubled() {
        for (api, url, base) in [
            ("anthropic", "https://a.test/v1/", "https://a.test"),
            ("anthropic", "https://a.test/v1/messages", "https://a.test"),
            ("anthropic", "https://a.test/proxy", "https://a.test/proxy"),
            ("gemini", "https://a.test/v1beta", "https://a.test"),
            (
                "ollama",
                "http://localhost:11434/api/",
                "http://localhost:11434",
            ),
            ("openai", "https://a.test/v1", "https://a.test/v1"),
            (
                "openai",
                "https://a.test/v1/chat/completions",
                "https://a.test/v1",
            ),
        ] {
            let backend = Backend::of(v1::Backend {
                api: api.to_owned(),
                base_url: url.to_owned(),
                ..v1::Backend::default()
            });
            assert_eq!(backend.base_url, base, "{api} at {url}");
        }
    }

    #[test]
    fn one_model_at_two_addresses_has_two_names() {
        let wire = || v1::Backend {
            api: "openai".to_owned(),
            model: "m".to_owned(),
            ..v1::Backend::default()
        };
        let all = Backend::all(vec![wire(), wire(), wire()]);
        let names: Vec<&str> = all.iter().map(|backend| backend.name.as_str()).collect();
        assert_eq!(names, ["openai/m", "openai/m (2)", "openai/m (3)"]);
    }

    #[test]
    fn a_key_prints_nothing_of_itself() {
        assert!(!format!("{:?}", at("")).contains("\"k\""));
    }

    #[test]
    fn a_missing_key_is_named() {
        let backend = Backend {
            key: None,
            ..at("")
        };
        let why = backend.why_not().unwrap_or_default();
        assert!(why.contains("$HELIX_TEST_NO_SUCH_KEY"), "{why}");
    }
}
