//! Embedding models as people read them.

use helix_client::v1::{BenchModelsReply, EmbeddingModel, ModelFigures, ModelState, ModelsReply};
use insta::assert_snapshot;

use super::{PIPE, TERMINAL, json};
use crate::document::{ModelFiguresDocument, ModelsDocument};
use crate::render;

fn installed() -> ModelsReply {
    let model = |name: &str, state: ModelState| EmbeddingModel {
        name: name.to_owned(),
        folder: name.to_owned(),
        state: state.into(),
        dimensions: 384,
        tokens_max: 256,
        pooling: "mean".to_owned(),
        licence: "MIT".to_owned(),
        bytes: 24 * 1024 * 1024,
        ..EmbeddingModel::default()
    };
    let models = vec![
        EmbeddingModel {
            vectors: 900,
            ..model("all-minilm-l6-v2-int8", ModelState::Answering)
        },
        EmbeddingModel {
            vectors: 300,
            pending: 600,
            ..model("bge-small", ModelState::Making)
        },
        EmbeddingModel {
            problem: "it has no\u{1b}[31m tokenizer".to_owned(),
            ..model("mine", ModelState::Broken)
        },
        model("other", ModelState::Installed),
    ];
    ModelsReply { models }
}

#[test]
fn models_are_readable() {
    let reply = installed();
    assert_snapshot!("models_pipe", render::models(PIPE, &reply.models));
    assert_snapshot!("models_terminal", render::models(TERMINAL, &reply.models));
    assert_snapshot!("models_json", json(&ModelsDocument::from(&reply)));
}

#[test]
fn figures_are_readable() {
    let reply = BenchModelsReply {
        questions: 120,
        memories: 400,
        models: vec![
            ModelFigures {
                name: "all-minilm-l6-v2-int8".to_owned(),
                recall_5: 0.915,
                ndcg_10: 0.84,
                query_us: 7_420,
                memories_a_second: 61.4,
                ..ModelFigures::default()
            },
            ModelFigures {
                name: "mine".to_owned(),
                problem: "the model does not run".to_owned(),
                ..ModelFigures::default()
            },
        ],
    };
    assert_snapshot!("figures_pipe", render::model_figures(PIPE, &reply));
    assert_snapshot!("figures_terminal", render::model_figures(TERMINAL, &reply));
    assert_snapshot!("figures_json", json(&ModelFiguresDocument::from(&reply)));
}
