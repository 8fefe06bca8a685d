//! Embedding models.

use helix_client::v1::{BenchModelsReply, EmbeddingModel, ModelFigures, ModelState};

use super::status::size;
use super::table::{Field, rows};
use crate::document::model_state;
use crate::screen::{Look, Paint};
use crate::text::one_line;

/// Writes the installed models.
pub(crate) fn models(look: Look, models: &[EmbeddingModel]) -> String {
    let header: &[&str] = &["model", "state", "vectors", "size", "licence"];
    let header = if look.table_width.is_some() {
        header
    } else {
        &[]
    };
    rows(look, header, models.iter().map(row).collect())
}

fn row(model: &EmbeddingModel) -> Vec<Field> {
    let shape = format!(
        "{} dimensions, {} tokens, {}",
        model.dimensions,
        model.tokens_max,
        one_line(&model.pooling)
    );
    vec![
        Field::painted(Paint::Name, one_line(&model.name)),
        state(model),
        shape.into(),
        size(model.bytes).into(),
        one_line(&model.licence).into(),
    ]
}

fn state(model: &EmbeddingModel) -> Field {
    let name = model_state(model.state());
    match model.state() {
        ModelState::Answering if model.pending == 0 => Field::painted(Paint::Good, name),
        ModelState::Answering => {
            Field::painted(Paint::Good, format!("{name}, {} waiting", model.pending))
        }
        ModelState::Making => {
            let all = model.vectors + model.pending;
            format!("{name}, {} of {all}", model.vectors).into()
        }
        ModelState::Broken => {
            Field::painted(Paint::Bad, format!("{name}: {}", one_line(&model.problem)))
        }
        ModelState::Installed | ModelState::Unspecified => name.into(),
    }
}

/// Writes how the models did, each figure with its name: in the header of a table, else before it.
pub(crate) fn model_figures(look: Look, reply: &BenchModelsReply) -> String {
    let header: &[&str] = &["model", "R@5", "nDCG@10", "a question", "embeds"];
    let is_table = look.table_width.is_some();
    let header = if is_table { header } else { &[] };
    let figures = |model: &ModelFigures| figures(model, !is_table);
    rows(look, header, reply.models.iter().map(figures).collect())
}

fn figures(model: &ModelFigures, is_named: bool) -> Vec<Field> {
    let name = Field::painted(Paint::Name, one_line(&model.name));
    if !model.problem.is_empty() {
        return vec![name, Field::painted(Paint::Bad, one_line(&model.problem))];
    }
    let named = |figure: &'static str| if is_named { figure } else { "" };
    vec![
        name,
        format!("{}{:.3}", named("R@5 "), model.recall_5).into(),
        format!("{}{:.3}", named("nDCG@10 "), model.ndcg_10).into(),
        format!(
            "{}{}.{} ms",
            named("a question "),
            model.query_us / 1_000,
            model.query_us / 100 % 10
        )
        .into(),
        format!(
            "{}{:.0} a second",
            named("embeds "),
            model.memories_a_second
        )
        .into(),
    ]
}
