//! Embedding models.

use helix_client::v1::{self, ModelState};
use serde::Serialize;

/// The installed models.
#[derive(Debug, Serialize)]
pub(crate) struct ModelsDocument<'a> {
    models: Vec<ModelDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct ModelDocument<'a> {
    name: &'a str,
    folder: &'a str,
    state: &'static str,
    problem: Option<&'a str>,
    dimensions: u32,
    tokens_max: u32,
    pooling: &'a str,
    licence: Option<&'a str>,
    source: Option<&'a str>,
    bytes: u64,
    vectors: u64,
    pending: u64,
}

impl<'a> From<&'a v1::ModelsReply> for ModelsDocument<'a> {
    fn from(reply: &'a v1::ModelsReply) -> Self {
        Self {
            models: reply.models.iter().map(ModelDocument::from).collect(),
        }
    }
}

impl<'a> From<&'a v1::EmbeddingModel> for ModelDocument<'a> {
    fn from(model: &'a v1::EmbeddingModel) -> Self {
        Self {
            name: &model.name,
            folder: &model.folder,
            state: model_state(model.state()),
            problem: said(&model.problem),
            dimensions: model.dimensions,
            tokens_max: model.tokens_max,
            pooling: &model.pooling,
            licence: said(&model.licence),
            source: said(&model.source),
            bytes: model.bytes,
            vectors: model.vectors,
            pending: model.pending,
        }
    }
}

/// How the models did on the user's own memories.
#[derive(Debug, Serialize)]
pub(crate) struct ModelFiguresDocument<'a> {
    questions: u64,
    memories: u64,
    models: Vec<FiguresDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct FiguresDocument<'a> {
    name: &'a str,
    problem: Option<&'a str>,
    recall_5: f64,
    ndcg_10: f64,
    query_us: u64,
    memories_a_second: f64,
}

impl<'a> From<&'a v1::BenchModelsReply> for ModelFiguresDocument<'a> {
    fn from(reply: &'a v1::BenchModelsReply) -> Self {
        let figures = reply.models.iter().map(|model| FiguresDocument {
            name: &model.name,
            problem: said(&model.problem),
            recall_5: model.recall_5,
            ndcg_10: model.ndcg_10,
            query_us: model.query_us,
            memories_a_second: model.memories_a_second,
        });
        Self {
            questions: reply.questions,
            memories: reply.memories,
            models: figures.collect(),
        }
    }
}

/// Names a state of a model.
pub(crate) fn model_state(state: ModelState) -> &'static str {
    match state {
        ModelState::Unspecified => "unknown",
        ModelState::Installed => "installed",
        ModelState::Answering => "answering",
        ModelState::Making => "making",
        ModelState::Broken => "broken",
    }
}

fn said(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
