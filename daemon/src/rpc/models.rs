//! `Models` and `BenchModels`: which embedding models there are, which one answers, and how they do
//! on this strand.

use std::path::Path;

use helix_app::model_bench::{self, Measured, Sample};
use helix_app::{Refusal, indexes};
use helix_engine::{MeaningStatus, SpaceRole};
use helix_proto::v1;

use crate::embedder::{self, Bench, Found};
use crate::runtime::Runtime;

/// Lists the models; has one take over before, where that is asked for.
pub(super) fn models(
    runtime: &Runtime,
    request: &v1::ModelsRequest,
) -> Result<v1::ModelsReply, Refusal> {
    if !request.choose.is_empty() {
        choose(runtime, &request.choose)?;
    }
    let newest = indexes::newest(&runtime.app)?;
    let strand = &runtime.app.memory.strand;
    let answering = strand.meaning_status(SpaceRole::Answering, newest);
    let next = strand.meaning_status(SpaceRole::Next, newest);
    let found = embedder::list(&runtime.config.paths.models);
    let models = found.into_iter().map(|one| shown(one, &answering, &next));
    Ok(v1::ModelsReply {
        models: models.collect(),
    })
}

fn choose(runtime: &Runtime, wanted: &str) -> Result<(), Refusal> {
    let models = &runtime.config.paths.models;
    if !Path::new(wanted).is_absolute() {
        let folder = named(&embedder::list(models), wanted)?;
        return take_over(runtime, &folder);
    }
    let copied = embedder::copy(Path::new(wanted), models);
    let copied = copied.map_err(|error| Refusal::invalid(error.to_string()))?;
    let taken = take_over(runtime, &copied.folder);
    if taken.is_err() {
        embedder::remove(models, &copied);
    }
    taken
}

fn take_over(runtime: &Runtime, folder: &str) -> Result<(), Refusal> {
    let chosen = runtime.embedder.choose(folder);
    chosen.map_err(|why| Refusal::invalid(format!("{folder} was not chosen: {why}")))
}

/// The folder of the model with this name.
fn named(all: &[Found], wanted: &str) -> Result<String, Refusal> {
    let is_wanted = |one: &&Found| one.folder == wanted || name(one) == wanted;
    if let Some(found) = all.iter().find(is_wanted) {
        return Ok(found.folder.clone());
    }
    let names: Vec<&str> = all.iter().map(name).collect();
    let known = if names.is_empty() {
        "none is installed".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    Err(Refusal::not_found(format!(
        "no model has this name; {known}; or give the path of a directory with a model.toml"
    )))
}

fn name(found: &Found) -> &str {
    let named = found.slot.as_ref().map(|slot| slot.name.as_str());
    named.unwrap_or(&found.folder)
}

fn shown(found: Found, answering: &MeaningStatus, next: &MeaningStatus) -> v1::EmbeddingModel {
    let of = |status: &MeaningStatus| !found.space.is_empty() && status.model == found.space;
    let (state, status) = if !found.problem.is_empty() {
        (v1::ModelState::Broken, None)
    } else if of(answering) {
        (v1::ModelState::Answering, Some(answering))
    } else if of(next) {
        (v1::ModelState::Making, Some(next))
    } else {
        (v1::ModelState::Installed, None)
    };
    let name = name(&found).to_owned();
    let slot = found.slot.as_ref();
    let number = |of: Option<usize>| u32::try_from(of.unwrap_or_default()).unwrap_or(u32::MAX);
    v1::EmbeddingModel {
        name,
        state: state.into(),
        dimensions: number(slot.map(|slot| slot.dimensions)),
        tokens_max: number(slot.map(|slot| slot.tokens_max)),
        pooling: slot.map_or("", |slot| slot.pooling.name()).to_owned(),
        licence: slot.map_or_else(String::new, |slot| slot.licence.clone()),
        source: slot.map_or_else(String::new, |slot| slot.source.clone()),
        bytes: found.bytes,
        vectors: status.map_or(0, |status| status.vectors as u64),
        pending: status.map_or(0, |status| status.pending as u64),
        folder: found.folder,
        problem: found.problem,
    }
}

/// Measures every installed model, one after the other, on the same questions.
pub(super) fn bench(runtime: &Runtime) -> Result<v1::BenchModelsReply, Refusal> {
    let sample = model_bench::sample(&runtime.app)?;
    let mut models = Vec::new();
    for found in embedder::list(&runtime.config.paths.models) {
        let measured = measured(runtime, &found, &sample);
        models.push(figures(&found, measured));
    }
    Ok(v1::BenchModelsReply {
        questions: sample.questions.len() as u64,
        memories: sample.passages.len() as u64,
        models,
    })
}

fn measured(runtime: &Runtime, found: &Found, sample: &Sample) -> Result<Measured, String> {
    if !found.problem.is_empty() {
        return Err(found.problem.clone());
    }
    let mut model = Bench::load(&runtime.config.loader(), &found.folder)?;
    let life = &runtime.app.life;
    let measured = model_bench::measure(sample, &mut model, &|| !life.is_ending());
    measured.map_err(|refusal| refusal.message().to_owned())
}

fn figures(found: &Found, measured: Result<Measured, String>) -> v1::ModelFigures {
    let name = name(found).to_owned();
    match measured {
        Err(problem) => v1::ModelFigures {
            name,
            problem,
            ..v1::ModelFigures::default()
        },
        Ok(measured) => v1::ModelFigures {
            name,
            problem: String::new(),
            recall_5: measured.recall_5,
            ndcg_10: measured.ndcg_10,
            query_us: u64::try_from(measured.query.as_micros()).unwrap_or(u64::MAX),
            memories_a_second: measured.passages_a_second,
        },
    }
}
