//! Language models: optional, never needed, and asked behind everything else.
//!
//! Two uses: pairs of memories that rules cannot decide ([`corrections`]), and turns of sessions
//! that the gate kept ([`facts`]). What comes of either waits in the review; nothing is decided.
//! Where nobody answers, all is as it is without a model. What may be spent and what was is
//! the [`ledger`]'s.
//!
//! The models themselves are reached by another program, through [`LanguageModel`].

pub mod corrections;
pub mod facts;
pub mod ledger;
pub mod status;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::{App, Refusal};

/// What the user set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Tokens that may be paid for in a month; 0 for none.
    pub monthly_tokens: u64,
    /// Runs of the user's own agent program in a day.
    pub daily_commands: u32,
    /// How long one question may take, with all that are asked in turn.
    pub deadline: Duration,
    /// Whether doubtful pairs are asked about.
    pub corrections: bool,
    /// Whether turns of captured sessions are.
    pub capture: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            monthly_tokens: 1_000_000,
            daily_commands: 20,
            deadline: Duration::from_mins(1),
            corrections: true,
            capture: true,
        }
    }
}

/// Language models as the use cases have them.
#[derive(Clone, Default)]
pub struct Language {
    /// `None` unless the user configured one.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// What the user set.
    pub settings: Settings,
    /// Held by who asks: a pair is asked about once, and a budget read is a budget kept.
    pub(crate) asking: Arc<Mutex<()>>,
}

impl Language {
    /// With a model.
    #[must_use]
    pub fn of(model: Option<Arc<dyn LanguageModel>>, settings: Settings) -> Self {
        Self {
            model,
            settings,
            asking: Arc::default(),
        }
    }
}

/// Asks language models.
pub trait LanguageModel: Send + Sync {
    /// Asks one after the other until one answers, for which it blocks up to the deadline.
    ///
    /// # Errors
    /// When whoever asks them cannot be reached.
    fn ask(&self, question: Question) -> Result<Answer, Refusal>;

    /// Who can be asked.
    ///
    /// # Errors
    /// As [`Self::ask`].
    fn backends(&self) -> Result<Vec<Backend>, Refusal>;
}

/// Something to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What.
    pub task: Task,
    /// How long it may take.
    pub deadline: Duration,
    /// What may be spent on it.
    pub allowance: Allowance,
    /// Asks nobody, and tells what would be sent.
    pub is_dry: bool,
}

/// What may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Tokens that are paid for.
    pub paid_tokens: u64,
    /// Runs of the user's own agent program.
    pub commands: u32,
    /// No tokens are paid for at all: the budget is 0.
    pub is_unpaid: bool,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// How the later statement of each pair is related to the earlier one.
    Pairs(Vec<Pair>),
    /// Which lasting facts are in these turns.
    Turns(Vec<Turn>),
}

/// Two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The one that was known.
    pub earlier: String,
    /// The one that came.
    pub later: String,
}

/// A turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// A person said it, rather than an agent.
    pub is_of_user: bool,
    /// What was said.
    pub text: String,
}

/// What came of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The backend that answered; empty when none did.
    pub by: String,
    /// Of [`Task::Pairs`].
    pub judged: Vec<Judged>,
    /// Of [`Task::Turns`].
    pub facts: Vec<Fact>,
    /// Items that were dropped because they are not what was asked for.
    pub malformed: u32,
    /// Nobody was asked, because the same was asked before.
    pub is_cached: bool,
    /// Everybody that was asked.
    pub attempts: Vec<Attempt>,
    /// What would be sent, of a dry run.
    pub would_send: Vec<Sent>,
    /// Why nobody answered.
    pub error: String,
}

/// How two statements are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They say the same.
    Same,
    /// The later one holds in place of the earlier one.
    Replaces,
    /// Both cannot hold.
    Contradicts,
    /// Both can hold.
    Different,
}

impl Relation {
    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "same" => Some(Self::Same),
            "replaces" => Some(Self::Replaces),
            "contradicts" => Some(Self::Contradicts),
            "different" => Some(Self::Different),
            _ => None,
        }
    }

    /// Says it of the later statement.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Same => "both say the same",
            Self::Replaces => "the first holds in place of the second",
            Self::Contradicts => "both cannot hold",
            Self::Different => "they are about different things, and both hold",
        }
    }
}

/// A verdict on a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Its place in the question.
    pub pair: usize,
    /// What the model says.
    pub relation: Relation,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
}

/// A fact that a model found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The place of the turn in the question.
    pub turn: usize,
    /// The name of a kind.
    pub kind: String,
    /// The statement.
    pub text: String,
    /// How sure the model is, 0 to 1.
    pub confidence: f64,
}

/// One backend that was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    /// Its name.
    pub backend: String,
    /// Tokens of the question.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
    /// Its tokens are paid for.
    pub is_paid: bool,
    /// It is the user's own agent program.
    pub is_command: bool,
    /// Millionths of a dollar, where a price is known.
    pub cost_micro_usd: u64,
    /// Why it did not answer; empty when it did.
    pub failure: String,
}

/// What would be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// To which backend.
    pub backend: String,
    /// Its address, or command line.
    pub to: String,
    /// All of it.
    pub body: String,
    /// Tokens of question and answer, at most about.
    pub tokens_max: u64,
    /// Whether they are paid for.
    pub is_paid: bool,
    /// What they cost, in millionths of a dollar; 0 where no price is known.
    pub cost_micro_usd: u64,
}

/// A backend that is configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// Its name.
    pub name: String,
    /// Why it cannot be asked; empty when it can.
    pub why_not: String,
    /// Its tokens are paid for.
    pub is_paid: bool,
}

/// Asks, and writes into the ledger what it cost. Whoever calls this holds `asking`.
///
/// # Errors
/// When no model is configured, or the disk fails. That nobody answers is an answer too.
pub(crate) fn ask(app: &App, task: Task, is_dry: bool) -> Result<Answer, Refusal> {
    let model = app.language.model.as_ref().ok_or_else(not_configured)?;
    let question = Question {
        task,
        deadline: app.language.settings.deadline,
        allowance: ledger::allowance(app)?,
        is_dry,
    };
    let answer = model.ask(question).unwrap_or_else(|refusal| Answer {
        error: refusal.message().to_owned(),
        ..Answer::default()
    });
    if !is_dry {
        ledger::note(app, &answer)?;
    }
    Ok(answer)
}

/// Says that there is no model, and how to have one.
pub(crate) fn not_configured() -> Refusal {
    Refusal::invalid(
        "no language model is configured; see `[provider]` in the README, and restart the daemon after changing config.toml",
    )
}
