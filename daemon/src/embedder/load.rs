//! Loading a model, and what the embedder's thread needs of one.

use std::path::PathBuf;
use std::sync::Arc;

use helix_app::ports::EmbedderState as State;
use helix_engine::TextVectors;

use super::files::{self, BUILT_IN_FOLDER, InstallationError, Installed};
use super::model::{Model, ModelError};
use super::passage::{SPACE_SUFFIX, joined, parts};
use super::work::Work;

/// Ends the run that is under way.
pub(super) type Interrupt = Arc<dyn Fn() + Send + Sync>;

/// Turns texts into vectors.
pub(super) trait Embed {
    /// Embeds a question, whatever else waits.
    fn embed_query(&mut self, text: &str) -> Result<TextVectors, ModelError>;
    /// Embeds a part of a memory's text, whatever else waits.
    fn embed(&mut self, text: &str) -> Result<TextVectors, ModelError>;
    /// Embeds a part of a memory's text; `None` when it was interrupted.
    fn embed_unless_interrupted(&mut self, text: &str) -> Result<Option<TextVectors>, ModelError>;
    /// Gives back what the work took.
    fn rest(&mut self) -> Result<(), ModelError>;
    /// Ends a run of [`Self::embed_unless_interrupted`].
    fn interrupt(&self) -> Interrupt;
}

impl Embed for Model {
    fn embed_query(&mut self, text: &str) -> Result<TextVectors, ModelError> {
        Self::embed_query(self, text)
    }

    fn embed(&mut self, text: &str) -> Result<TextVectors, ModelError> {
        Self::embed(self, text)
    }

    fn embed_unless_interrupted(&mut self, text: &str) -> Result<Option<TextVectors>, ModelError> {
        Self::embed_unless_interrupted(self, text)
    }

    fn rest(&mut self) -> Result<(), ModelError> {
        Self::rest(self)
    }

    fn interrupt(&self) -> Interrupt {
        let bulk = self.bulk();
        Arc::new(move || bulk.interrupt())
    }
}

/// Embeds a whole text, part by part.
pub(super) fn embed_passage(model: &mut impl Embed, text: &str) -> Result<Vec<f32>, ModelError> {
    let parts = parts(text).into_iter();
    let vectors: Result<Vec<TextVectors>, ModelError> =
        parts.map(|part| model.embed(&part)).collect();
    Ok(joined(vectors?.into_iter()).whole)
}

/// A model whose files were verified, before it is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Described {
    /// Its folder inside the models directory.
    pub(super) folder: String,
    /// Its name and hash.
    pub(super) id: String,
    /// Numbers in a vector.
    pub(super) dimensions: usize,
}

impl Described {
    /// The name of its vectors.
    pub(super) fn space(&self) -> String {
        space_of(&self.id)
    }
}

/// The name of a model's vectors.
pub(super) fn space_of(id: &str) -> String {
    format!("{id}{SPACE_SUFFIX}")
}

impl From<Installed> for Described {
    fn from(model: Installed) -> Self {
        Self {
            folder: model.folder,
            id: model.id,
            dimensions: model.slot.dimensions,
        }
    }
}

/// A loaded model with the work that waits for it.
pub(super) struct Loaded<M> {
    /// It.
    pub(super) model: M,
    /// Its name and hash.
    pub(super) id: String,
    /// Texts that it is at.
    pub(super) work: Work,
}

/// Finds and loads models.
pub(super) trait Load {
    /// A loaded model.
    type Model: Embed;
    /// The models that are installed and sound.
    fn all(&self) -> Vec<Described>;
    /// The model of a folder.
    fn describe(&self, folder: &str) -> Result<Described, State>;
    /// Loads and tests it.
    fn load(&self, described: &Described) -> Result<Self::Model, State>;
}

/// Loads the models of a directory.
#[derive(Clone, Debug)]
pub(crate) struct Loader {
    /// The models directory.
    pub(crate) models: PathBuf,
    /// Threads that a run may take.
    pub(crate) threads: usize,
}

impl Loader {
    /// Loads and tests the model of a folder.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(crate) fn open(&self, folder: &str) -> Result<Model, String> {
        let installation = files::find(&self.models, folder).map_err(|error| error.to_string())?;
        Model::load(&installation, self.threads).map_err(|error| error.to_string())
    }
}

impl Load for Loader {
    type Model = Model;

    fn all(&self) -> Vec<Described> {
        files::folders(&self.models)
            .iter()
            .filter_map(|folder| self.describe(folder).ok())
            .collect()
    }

    fn describe(&self, folder: &str) -> Result<Described, State> {
        let found = files::model(&self.models, folder).map_err(|error| failed(&error))?;
        Ok(found.into())
    }

    fn load(&self, described: &Described) -> Result<Model, State> {
        let found = files::find(&self.models, &described.folder);
        let installation = found.map_err(|error| failed(&error))?;
        let cannot = |error: ModelError| State::Failed(error.to_string());
        let mut model = Model::load(&installation, self.threads).map_err(cannot)?;
        if described.folder != BUILT_IN_FOLDER {
            // Its description is somebody's word.
            model.check_length().map_err(cannot)?;
        }
        Ok(model)
    }
}

fn failed(error: &InstallationError) -> State {
    match error {
        InstallationError::Missing(_) => State::Absent(error.to_string()),
        InstallationError::Damaged(_)
        | InstallationError::Unusable { .. }
        | InstallationError::Io { .. } => State::Failed(error.to_string()),
    }
}
