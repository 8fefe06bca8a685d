//! The program before servers that play providers.

use std::process::{Child, Command, Stdio};

use helix_proto::provider::{self, PROTOCOL, v1};
pub(crate) use helix_tests::Played;
pub(crate) use helix_tests::played::Reply;
use helix_tests::played::says;
use v1::ask::Task;
use v1::order::What;

/// The key that the program finds in its environment.
pub(crate) const KEY: &str = "test-key-7f3a91";

/// The variable that holds it.
pub(crate) const KEY_VARIABLE: &str = "HELIX_TEST_PROVIDER_KEY";

/// The program, which ends with the value.
pub(crate) struct Program {
    pub(crate) child: Child,
    id: u64,
}

impl Program {
    pub(crate) fn start(backends: Vec<v1::Backend>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_helix-provider"));
        for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(proxy);
        }
        let child = command
            .env(KEY_VARIABLE, KEY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut program = Self { child, id: 0 };
        let setup = v1::Setup {
            protocol: PROTOCOL,
            backends,
        };
        let ready = program.order(What::Setup(setup)).ready.unwrap();
        assert_eq!(ready.protocol, PROTOCOL);
        program
    }

    pub(crate) fn send(&mut self, what: What) {
        self.id += 1;
        let order = v1::Order {
            id: self.id,
            what: Some(what),
        };
        provider::write(self.child.stdin.as_mut().unwrap(), &order).unwrap();
    }

    fn order(&mut self, what: What) -> v1::Answer {
        self.send(what);
        let answer: v1::Answer = provider::read(self.child.stdout.as_mut().unwrap()).unwrap();
        assert_eq!(answer.id, self.id);
        answer
    }

    pub(crate) fn ask(&mut self, ask: v1::Ask) -> v1::Answer {
        self.order(What::Ask(ask))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A backend at a server, with the key.
pub(crate) fn backend(api: &str, model: &str, server: &Played) -> v1::Backend {
    v1::Backend {
        api: api.to_owned(),
        model: model.to_owned(),
        base_url: server.url.clone(),
        key_variable: KEY_VARIABLE.to_owned(),
        command: Vec::new(),
    }
}

/// Asks how these pairs are related.
pub(crate) fn pairs(pairs: &[(&str, &str)]) -> v1::Ask {
    let pair = |(earlier, later): &(&str, &str)| v1::Pair {
        earlier: (*earlier).to_owned(),
        later: (*later).to_owned(),
    };
    v1::Ask {
        deadline_ms: 60_000,
        paid_tokens_left: 100_000,
        command_calls_left: 5,
        paid_calls_off: false,
        dry_run: false,
        task: Some(Task::Pairs(v1::Pairs {
            pairs: pairs.iter().map(pair).collect(),
        })),
    }
}

/// One pair.
pub(crate) fn one_pair() -> v1::Ask {
    pairs(&[("billing listens on 8081", "billing listens on 8082")])
}

/// What a model says of one pair.
pub(crate) const SAYS: &str = r#"{"items":[{"pair":0,"verdict":"replaces","confidence":0.9}]}"#;

/// The same in the protocol of `OpenAI`.
pub(crate) fn openai(said: &str) -> Reply {
    says("openai", said)
}

/// A server that answers one request after the other.
pub(crate) fn server(replies: Vec<Reply>) -> Played {
    Played::of(replies).unwrap()
}
