//! The sentence embedder: tokenizer, ONNX graph, mean pooling, unit length.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use ort::environment::Environment;
use ort::ep::CPU;
use ort::logging::LogLevel;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{RunOptions, Session};
use ort::value::Tensor;
use tokenizers::{PaddingParams, PaddingStrategy, Tokenizer, TruncationParams};

use super::files::Installation;
use crate::environment::is_silenced;

/// Tokens of a text that are embedded; the model was trained on at most 256.
pub(crate) const TOKENS_MAX: usize = 256;

/// Embedded once after loading, to find a broken installation before a user does.
const SELF_TEST: &str = "The quick brown fox jumps over the lazy dog.";

/// Has a run give back the arena's memory at its end.
const SHRINK: (&str, &str) = ("memory.enable_memory_arena_shrinkage", "cpu:0");

/// Why the model cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    /// The runtime library does not load.
    #[error("loading the ONNX Runtime library: {0}")]
    Library(String),
    /// The graph does not load or run.
    #[error("the model does not run: {0}")]
    Graph(String),
    /// The tokenizer does not load or run.
    #[error("the tokenizer does not work: {0}")]
    Tokenizer(String),
}

/// A loaded model.
pub(crate) struct Model {
    session: Session,
    tokenizer: Tokenizer,
    dimensions: usize,
    options: RunOptions,
    bulk: Arc<Bulk>,
    takes_token_types: bool,
    // Dropped after the session that lives in it.
    _environment: Environment,
}

/// The runs that anybody may end early.
pub(crate) struct Bulk {
    options: RunOptions,
    /// Whether the run since the last [`Bulk::begin`] was told to end. Locked while the options
    /// change, so that a run never ends without this being set.
    is_interrupted: Mutex<bool>,
}

impl Bulk {
    fn new() -> ort::Result<Self> {
        let mut options = RunOptions::new()?;
        // A run that ends early is no event.
        options.set_log_level(LogLevel::Fatal)?;
        Ok(Self {
            options,
            is_interrupted: Mutex::new(false),
        })
    }

    /// Lets a run begin.
    fn begin(&self) -> ort::Result<()> {
        let mut is_interrupted = self
            .is_interrupted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *is_interrupted = false;
        self.options.unterminate()
    }

    /// Ends the run that is under way, or the next one, within a step of the graph.
    pub(crate) fn interrupt(&self) {
        let mut is_interrupted = self
            .is_interrupted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *is_interrupted = self.options.terminate().is_ok();
    }

    fn is_interrupted(&self) -> bool {
        *self
            .is_interrupted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model {
    /// Loads library, graph and tokenizer, and tests them on one sentence.
    pub(crate) fn load(installation: &Installation, threads: usize) -> Result<Self, ModelError> {
        let environment = environment(installation)?;
        let session = session(&environment, installation, threads)
            .map_err(|error| ModelError::Graph(error.to_string()))?;
        let takes_token_types = session
            .inputs()
            .iter()
            .any(|input| input.name() == "token_type_ids");
        let mut model = Self {
            session,
            options: RunOptions::new().map_err(|error| ModelError::Graph(error.to_string()))?,
            bulk: Arc::new(Bulk::new().map_err(|error| ModelError::Graph(error.to_string()))?),
            tokenizer: tokenizer(installation)?,
            dimensions: installation.dimensions,
            takes_token_types,
            _environment: environment,
        };
        model.self_test()?;
        Ok(model)
    }

    /// The runs of [`Model::embed_unless_interrupted`].
    pub(crate) fn bulk(&self) -> Arc<Bulk> {
        Arc::clone(&self.bulk)
    }

    /// Embeds texts into unit vectors, one for each, in order.
    pub(crate) fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.embed_in(texts, None)
    }

    /// Does what [`Model::embed`] does; `None` when it was interrupted.
    pub(crate) fn embed_unless_interrupted(
        &mut self,
        texts: &[&str],
    ) -> Result<Option<Vec<Vec<f32>>>, ModelError> {
        let bulk = self.bulk();
        bulk.begin()
            .map_err(|error| ModelError::Graph(error.to_string()))?;
        match self.embed_in(texts, Some(&bulk)) {
            Ok(vectors) => Ok(Some(vectors)),
            Err(_) if bulk.is_interrupted() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn embed_in(
        &mut self,
        texts: &[&str],
        bulk: Option<&Bulk>,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let encodings = self
            .tokenizer
            .encode_batch(texts.to_vec(), true)
            .map_err(|error| ModelError::Tokenizer(error.to_string()))?;
        let width = encodings
            .first()
            .map_or(0, |encoding| encoding.get_ids().len());
        let column = |of: fn(&tokenizers::Encoding) -> &[u32]| -> Vec<i64> {
            encodings
                .iter()
                .flat_map(of)
                .map(|&value| i64::from(value))
                .collect()
        };
        let ids = column(tokenizers::Encoding::get_ids);
        let mask = column(tokenizers::Encoding::get_attention_mask);
        let types = column(tokenizers::Encoding::get_type_ids);
        let shape = [texts.len(), width];
        let states = self.run(shape, [ids, mask.clone(), types], bulk);
        let states = states.map_err(|error| ModelError::Graph(error.to_string()))?;
        if states.len() != texts.len() * width * self.dimensions {
            return Err(ModelError::Graph(format!(
                "it gave {} numbers for {} texts",
                states.len(),
                texts.len()
            )));
        }
        let rows = states
            .chunks_exact(width * self.dimensions)
            .zip(mask.chunks_exact(width));
        Ok(rows
            .map(|(states, mask)| pool(states, mask, self.dimensions))
            .collect())
    }

    /// Gives back what the widest batch took. Costs as much as a short query.
    pub(crate) fn rest(&mut self) -> Result<(), ModelError> {
        let tell = |error: ort::Error| ModelError::Graph(error.to_string());
        self.options.set(SHRINK.0, SHRINK.1).map_err(tell)?;
        let result = self.self_test();
        self.options = RunOptions::new().map_err(tell)?;
        result
    }

    fn run(
        &mut self,
        shape: [usize; 2],
        [ids, mask, types]: [Vec<i64>; 3],
        bulk: Option<&Bulk>,
    ) -> ort::Result<Vec<f32>> {
        let mut inputs: Vec<(Cow<'_, str>, ort::session::SessionInputValue<'_>)> = vec![
            ("input_ids".into(), Tensor::from_array((shape, ids))?.into()),
            (
                "attention_mask".into(),
                Tensor::from_array((shape, mask))?.into(),
            ),
        ];
        if self.takes_token_types {
            inputs.push((
                "token_type_ids".into(),
                Tensor::from_array((shape, types))?.into(),
            ));
        }
        let options = bulk.map_or(&self.options, |bulk| &bulk.options);
        let outputs = self.session.run_with_options(inputs, options)?;
        let (_, states) = outputs[0].try_extract_tensor::<f32>()?;
        Ok(states.to_vec())
    }

    fn self_test(&mut self) -> Result<(), ModelError> {
        let vectors = self.embed(&[SELF_TEST])?;
        let is_sound = vectors.first().is_some_and(|vector| {
            vector.len() == self.dimensions
                && vector.iter().all(|x| x.is_finite())
                && vector.iter().any(|x| *x != 0.0)
        });
        if is_sound {
            Ok(())
        } else {
            Err(ModelError::Graph(
                "the self-test gave no sound vector".to_owned(),
            ))
        }
    }
}

fn environment(installation: &Installation) -> Result<Environment, ModelError> {
    if !is_silenced() {
        return Err(ModelError::Library(
            "it would report its use over the network, and could not be stopped".to_owned(),
        ));
    }
    let builder = ort::init_from(&installation.library)
        .map_err(|error| ModelError::Library(error.to_string()))?;
    builder
        .with_telemetry(false)
        .build()
        .map_err(|error| ModelError::Library(error.to_string()))
}

fn session(
    environment: &Environment,
    installation: &Installation,
    threads: usize,
) -> ort::Result<Session> {
    let builder = Session::builder(environment)?;
    // Spinning doubles the CPU, and the memory pattern costs resident size at changing widths.
    // Without the arena every tensor is mapped and cleared anew, which takes half of the time;
    // what it keeps is given back by `Model::rest`.
    let mut builder = builder
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?
        .with_memory_pattern(false)?
        .with_execution_providers([CPU::default().with_arena_allocator(true).build()])?;
    builder.commit_from_file(&installation.graph)
}

fn tokenizer(installation: &Installation) -> Result<Tokenizer, ModelError> {
    let wrong = |error: tokenizers::Error| ModelError::Tokenizer(error.to_string());
    let mut tokenizer = Tokenizer::from_file(&installation.tokenizer).map_err(wrong)?;
    // The shipped file pads and truncates to 128.
    let truncation = TruncationParams {
        max_length: TOKENS_MAX,
        ..TruncationParams::default()
    };
    tokenizer.with_truncation(Some(truncation)).map_err(wrong)?;
    let padding = tokenizer.get_padding().cloned().unwrap_or_default();
    tokenizer.with_padding(Some(PaddingParams {
        strategy: PaddingStrategy::BatchLongest,
        ..padding
    }));
    Ok(tokenizer)
}

/// Mean of the token states under the mask, scaled to unit length.
#[allow(clippy::cast_precision_loss)]
fn pool(states: &[f32], mask: &[i64], dimensions: usize) -> Vec<f32> {
    let mut mean = vec![0.0_f32; dimensions];
    for (state, _) in states
        .chunks_exact(dimensions)
        .zip(mask)
        .filter(|(_, mask)| **mask != 0)
    {
        for (sum, value) in mean.iter_mut().zip(state) {
            *sum += value;
        }
    }
    let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in &mut mean {
            *x /= length;
        }
    }
    mean
}
