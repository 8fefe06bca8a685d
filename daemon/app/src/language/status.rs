//! What is configured, what was spent, and a question to try it out.

use std::sync::PoisonError;

use super::ledger::{Spent, spent};
use super::{Answer, Backend, Pair, Settings, Task, ask};
use crate::{App, Refusal};

/// Why a backend is not asked where the budget is 0.
const PAID_CALLS_OFF: &str = "paid calls are off: the monthly budget is 0 tokens";

/// Language models as they stand.
#[derive(Clone, Debug)]
pub struct Status {
    /// Whether any is configured.
    pub is_on: bool,
    /// What the user set.
    pub settings: Settings,
    /// Who can be asked, and who cannot.
    pub backends: Vec<Backend>,
    /// Why that is not known; empty when it is.
    pub error: String,
    /// What was spent this month.
    pub spent: Spent,
}

/// Says how language models stand. Starts the program that asks them.
///
/// # Errors
/// When the disk fails.
pub fn status(app: &App) -> Result<Status, Refusal> {
    let (backends, error) = match &app.language.model {
        None => (Vec::new(), String::new()),
        Some(model) => match model.backends() {
            Ok(mut backends) => {
                if app.language.settings.monthly_tokens == 0 {
                    leave_out_paid(&mut backends);
                }
                (backends, String::new())
            }
            Err(refusal) => (Vec::new(), refusal.message().to_owned()),
        },
    };
    Ok(Status {
        is_on: app.language.model.is_some(),
        settings: app.language.settings,
        backends,
        error,
        spent: spent(app)?,
    })
}

/// Says of backends whose tokens are paid for that they are not asked.
fn leave_out_paid(backends: &mut [Backend]) {
    let paid = backends.iter_mut().filter(|backend| backend.is_paid);
    for backend in paid.filter(|backend| backend.why_not.is_empty()) {
        PAID_CALLS_OFF.clone_into(&mut backend.why_not);
    }
}

/// Asks something whose answer is known.
///
/// # Errors
/// When no model is configured, or the disk fails.
pub fn test(app: &App, is_dry: bool) -> Result<Answer, Refusal> {
    let asking = app.language.asking.lock();
    let _asking = asking.unwrap_or_else(PoisonError::into_inner);
    let pair = Pair {
        earlier: "The staging database listens on port 5432.".to_owned(),
        later: "The staging database listens on port 6432 now, no longer on 5432.".to_owned(),
    };
    ask(app, Task::Pairs(vec![pair]), is_dry)
}
