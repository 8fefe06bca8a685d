//! Whether a captured fact says what somebody forgot or rejected, in whatever words.
//!
//! Nobody waits for a captured fact, so its meaning is compared before it is proposed: as a whole, and
//! sentence by sentence. Where there is no vector in time, the proposal is compared as everything is
//! that came by itself, and rejected where it says what was forgotten.

use std::time::Duration;

use helix_engine::Strand;

use crate::App;
use crate::forgotten::PARTS_MAX;
use crate::ports::EmbedderState;
use crate::project::Project;

/// How long the vector of a fact is waited for.
const EMBED_PATIENCE: Duration = Duration::from_secs(5);

/// Whether a text, or one of its sentences, says what was forgotten or rejected in one of the scopes
/// that its project sees.
pub(super) fn was_refused(app: &App, project: &Project, text: &str) -> bool {
    let scopes: Vec<String> = project.scopes().iter().map(ToString::to_string).collect();
    let strand = &app.memory.strand;
    let in_words = |scope: &String| strand.tells_forgotten(text, scope).is_some();
    scopes.iter().any(in_words) || scopes.iter().any(|scope| in_other_words(app, text, scope))
}

fn in_other_words(app: &App, text: &str, scope: &str) -> bool {
    Strand::said_in(text)
        .into_iter()
        .take(PARTS_MAX)
        .any(|said| says_it(app, said, scope))
}

/// Whether one text as a whole says in other words what was forgotten in a scope.
fn says_it(app: &App, said: &str, scope: &str) -> bool {
    let memory = &app.memory;
    let can_embed = matches!(memory.embedder.state(), EmbedderState::Ready(_));
    if !can_embed || !memory.strand.may_return(said, scope) {
        return false;
    }
    let vector = memory.embedder.embed_passage(said, EMBED_PATIENCE);
    vector.is_some_and(|vector| {
        let stone = memory.strand.forgotten_in_other_words(said, &vector, scope);
        stone.is_some()
    })
}
