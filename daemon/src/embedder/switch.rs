//! One model takes over from another: which answers, which makes its vectors, and when the second
//! one becomes the first.

use helix_app::ports::EmbedderState as State;
use helix_engine::SpaceRole;
use helix_memory::Sequence;

use super::files::BUILT_IN_FOLDER;
use super::load::{Described, Load, Loaded};
use super::work::Work;
use super::worker::Worker;

/// The models that are loaded.
pub(super) struct Models<M> {
    /// Answers queries; absent without a usable one.
    pub(super) answering: Option<Loaded<M>>,
    /// Makes its vectors, to answer when it has them.
    pub(super) next: Option<Loaded<M>>,
}

impl<M> Models<M> {
    fn none() -> Self {
        Self {
            answering: None,
            next: None,
        }
    }
}

/// Loads the chosen model. Where the vectors are still those of another one, that one answers
/// meanwhile.
pub(super) fn start<L: Load>(worker: &Worker<L>) -> Models<L::Model> {
    let mut models = Models::none();
    let loaded = load_chosen(worker, &mut models);
    worker.announce(&models);
    if let Err(state) = loaded {
        tracing::warn!(?state, "the chosen model cannot be used");
        if models.answering.is_none() {
            worker.set_state(state);
        }
    }
    models
}

fn load_chosen<L: Load>(worker: &Worker<L>, models: &mut Models<L::Model>) -> Result<(), State> {
    let folder = worker.choice.read();
    let folder = folder.as_deref().unwrap_or(BUILT_IN_FOLDER);
    let before = before(worker)?;
    let chosen = match worker.loader.describe(folder) {
        Ok(chosen) => chosen,
        Err(state) => {
            answer_with_the_one_before(worker, models, before);
            return Err(state);
        }
    };
    let is_before = |before: &Described| before.space() == chosen.space();
    if before.as_ref().is_some_and(is_before) {
        worker.strand.drop_next_space(worker.storage.as_ref());
        models.answering = Some(open(worker, &chosen)?);
        return Ok(());
    }
    answer_with_the_one_before(worker, models, before);
    let model = worker.loader.load(&chosen)?;
    begin(worker, models, &chosen, model)
}

/// Opens a loaded model's space. It answers at once where nothing else does.
fn begin<L: Load>(
    worker: &Worker<L>,
    models: &mut Models<L::Model>,
    described: &Described,
    model: L::Model,
) -> Result<(), State> {
    open_space(worker, SpaceRole::Next, described)?;
    models.next = Some(loaded(model, described));
    if models.answering.is_none() {
        promote(worker, models);
    }
    Ok(())
}

/// The installed model whose vectors were searched last.
fn before<L: Load>(worker: &Worker<L>) -> Result<Option<Described>, State> {
    let found = worker.strand.model_of_vectors(worker.storage.as_ref());
    let Some(space) = found.map_err(|error| State::Failed(error.to_string()))? else {
        return Ok(None);
    };
    let mut all = worker.loader.all().into_iter();
    Ok(all.find(|described| described.space() == space))
}

fn answer_with_the_one_before<L: Load>(
    worker: &Worker<L>,
    models: &mut Models<L::Model>,
    before: Option<Described>,
) {
    let Some(before) = before else { return };
    match open(worker, &before) {
        Ok(loaded) => models.answering = Some(loaded),
        Err(state) => tracing::warn!(?state, "the model before cannot answer"),
    }
}

/// Opens a model's space, then loads it: vectors are searched as soon as the first query can be
/// embedded.
fn open<L: Load>(worker: &Worker<L>, described: &Described) -> Result<Loaded<L::Model>, State> {
    open_space(worker, SpaceRole::Answering, described)?;
    Ok(loaded(worker.loader.load(described)?, described))
}

fn open_space<L>(worker: &Worker<L>, role: SpaceRole, described: &Described) -> Result<(), State> {
    let (storage, space) = (worker.storage.as_ref(), described.space());
    let opened = worker
        .strand
        .open_space(storage, role, &space, described.dimensions);
    opened.map_err(|error| State::Failed(error.to_string()))
}

fn loaded<M>(model: M, described: &Described) -> Loaded<M> {
    Loaded {
        model,
        id: described.id.clone(),
        work: Work::default(),
    }
}

/// Has the model of a folder take over: loads and tests it, keeps the choice, and begins its space.
/// Choosing the model that answers ends what another one was making.
pub(super) fn choose<L: Load>(
    worker: &Worker<L>,
    models: &mut Models<L::Model>,
    folder: &str,
) -> Result<(), String> {
    let described = worker.loader.describe(folder).map_err(words)?;
    let is = |loaded: &Option<Loaded<L::Model>>| {
        let loaded = loaded.as_ref();
        loaded.is_some_and(|loaded| loaded.id == described.id)
    };
    if is(&models.next) {
        return keep_choice(worker, folder);
    }
    if is(&models.answering) {
        keep_choice(worker, folder)?;
        models.next = None;
        worker.strand.drop_next_space(worker.storage.as_ref());
        worker.announce(models);
        return Ok(());
    }
    let model = worker.loader.load(&described).map_err(words)?;
    keep_choice(worker, folder)?;
    models.next = None;
    worker.strand.drop_next_space(worker.storage.as_ref());
    let begun = begin(worker, models, &described, model);
    worker.announce(models);
    begun.map_err(words)
}

fn keep_choice<L: Load>(worker: &Worker<L>, folder: &str) -> Result<(), String> {
    worker.choice.write(folder).map_err(|error| {
        format!("keeping the choice failed: {error}; free some space and try again")
    })
}

/// Lets the next model answer once nothing waits for it. Returns whether it did.
pub(super) fn finish<L: Load>(worker: &Worker<L>, models: &mut Models<L::Model>) -> bool {
    let status = worker
        .strand
        .meaning_status(SpaceRole::Next, Sequence::default());
    if status.pending > 0 {
        return false;
    }
    promote(worker, models);
    worker.announce(models);
    true
}

/// Queries that come from here on are for the next model, and wait for it: a vector of the one before
/// would be compared with those of another.
fn promote<L: Load>(worker: &Worker<L>, models: &mut Models<L::Model>) {
    if let Some(next) = &models.next {
        worker.set_state(State::Ready(next.id.clone()));
    }
    match worker.strand.promote_next_space(worker.storage.as_ref()) {
        Ok(()) => models.answering = models.next.take(),
        Err(error) => tracing::error!(%error, "the next model cannot take over"),
    }
}

fn words(state: State) -> String {
    match state {
        State::Absent(why) | State::Failed(why) => why,
        State::Off | State::Loading | State::Ready(_) => "it cannot be loaded".to_owned(),
    }
}
