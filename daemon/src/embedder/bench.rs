//! A model under measurement, apart from the one that answers.

use helix_app::model_bench::Encoder;

use super::load::Loader;
use super::load::embed_passage;
use super::model::Model;

/// A model that was loaded to be measured.
pub(crate) struct Bench {
    model: Model,
}

impl Bench {
    /// Loads the model of a folder.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(crate) fn load(loader: &Loader, folder: &str) -> Result<Self, String> {
        let model = loader.open(folder)?;
        Ok(Self { model })
    }
}

impl Encoder for Bench {
    fn passage(&mut self, text: &str) -> Result<Vec<f32>, String> {
        let vectors = embed_passage(&mut self.model, text);
        vectors.map_err(|error| error.to_string())
    }

    fn query(&mut self, text: &str) -> Result<Vec<f32>, String> {
        let vectors = self.model.embed_query(text);
        Ok(vectors.map_err(|error| error.to_string())?.whole)
    }
}
