//! The sentence embedder: prefix, tokenizer, ONNX graph, pooling, unit length, as the model's slot
//! says.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use helix_app::plain_file;
use helix_engine::{LexicalQuery, TextVectors};
use ort::environment::Environment;
use ort::ep::CPU;
use ort::logging::LogLevel;
use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::session::{RunOptions, Session};
use ort::value::{Outlet, Tensor};
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use super::arithmetic;
use super::files::{Installation, Installed};
use super::pooling::{States, normalise};
use super::slot::{Arithmetic, Pooling, Slot};
use crate::environment::is_silenced;

/// The library's environment, of which a process may have one, and only once. It lives as long as
/// the process.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Inputs that a graph may have.
const IDS: &str = "input_ids";
const MASK: &str = "attention_mask";
const TYPES: &str = "token_type_ids";

/// Names of the output with the states of tokens, and of the one with a text's vector, as exporters
/// call them.
const STATE_OUTPUTS: [&str; 2] = ["last_hidden_state", "token_embeddings"];
const VECTOR_OUTPUTS: [&str; 2] = ["sentence_embedding", "text_embeds"];

/// Embedded once after loading, to find a broken installation before a user does.
const SELF_TEST: &str = "The quick brown fox jumps over the lazy dog.";

/// Largest graph that is rewritten, in bytes: its format ends there.
const GRAPH_MAX_BYTES: u64 = 1 << 31;

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
    slot: Slot,
    options: RunOptions,
    bulk: Arc<Bulk>,
    takes_token_types: bool,
    output: String,
}

/// The runs that anybody may end early.
pub(crate) struct Bulk {
    options: RunOptions,
    /// True if the run since the last [`Bulk::begin`] was told to end. Locked while the options
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
        let session = session(&environment, &installation.model, threads)?;
        let inputs: Vec<&str> = session.inputs().iter().map(Outlet::name).collect();
        check_inputs(&inputs)?;
        let outputs: Vec<&str> = session.outputs().iter().map(Outlet::name).collect();
        let slot = installation.model.slot.clone();
        let mut model = Self {
            takes_token_types: inputs.contains(&TYPES),
            output: output(&slot, &outputs)?.to_owned(),
            options: RunOptions::new().map_err(|error| ModelError::Graph(error.to_string()))?,
            bulk: Arc::new(Bulk::new().map_err(|error| ModelError::Graph(error.to_string()))?),
            tokenizer: tokenizer(installation)?,
            slot,
            session,
        };
        model.self_test()?;
        Ok(model)
    }

    /// The runs of [`Model::embed_unless_interrupted`].
    pub(crate) fn bulk(&self) -> Arc<Bulk> {
        Arc::clone(&self.bulk)
    }

    /// Embeds a part of a memory's text.
    pub(crate) fn embed(&mut self, text: &str) -> Result<TextVectors, ModelError> {
        self.embed_in(&self.slot.prefix.passage.clone(), text, None)
    }

    /// Embeds a question.
    pub(crate) fn embed_query(&mut self, text: &str) -> Result<TextVectors, ModelError> {
        let mut vectors = self.embed_in(&self.slot.prefix.query.clone(), text, None)?;
        // Nobody asks for the others, and queries are kept.
        vectors
            .tokens
            .retain(|token| LexicalQuery::is_telling(&token.word));
        Ok(vectors)
    }

    /// Does what [`Model::embed`] does; `None` when it was interrupted.
    pub(crate) fn embed_unless_interrupted(
        &mut self,
        text: &str,
    ) -> Result<Option<TextVectors>, ModelError> {
        let bulk = self.bulk();
        bulk.begin()
            .map_err(|error| ModelError::Graph(error.to_string()))?;
        match self.embed_in(&self.slot.prefix.passage.clone(), text, Some(&bulk)) {
            Ok(vectors) => Ok(Some(vectors)),
            Err(_) if bulk.is_interrupted() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Embeds one text by itself. In a batch it would be filled up to the longest, which takes
    /// longer on a processor, and what integers stand for would depend on the others.
    fn embed_in(
        &mut self,
        prefix: &str,
        text: &str,
        bulk: Option<&Bulk>,
    ) -> Result<TextVectors, ModelError> {
        let text = prefixed(prefix, text);
        let encoding = self
            .tokenizer
            .encode(text.as_ref(), true)
            .map_err(|error| ModelError::Tokenizer(error.to_string()))?;
        let numbers = self
            .run(&encoding, bulk)
            .map_err(|error| ModelError::Graph(error.to_string()))?;
        let states = States {
            numbers: &numbers,
            tokens: encoding.len(),
            dimensions: self.slot.dimensions,
        };
        let pooled = states.pooled(self.slot.pooling);
        let mut whole = pooled.ok_or_else(|| self.wrong_shape(states))?;
        if self.slot.normalise {
            normalise(&mut whole);
        }
        let tokens = states.tokens(prefix.len(), &text, &encoding);
        Ok(TextVectors { whole, tokens })
    }

    fn wrong_shape(&self, states: States<'_>) -> ModelError {
        ModelError::Graph(format!(
            "its output {} has {} numbers for {} tokens, which does not fit {} dimensions and pooling {}",
            self.output,
            states.numbers.len(),
            states.tokens,
            self.slot.dimensions,
            self.slot.pooling.name()
        ))
    }

    /// Gives back what the longest text took. Costs as much as a short query.
    pub(crate) fn rest(&mut self) -> Result<(), ModelError> {
        let tell = |error: ort::Error| ModelError::Graph(error.to_string());
        self.options.set(SHRINK.0, SHRINK.1).map_err(tell)?;
        let result = self.self_test();
        self.options = RunOptions::new().map_err(tell)?;
        result
    }

    fn run(&mut self, encoding: &Encoding, bulk: Option<&Bulk>) -> ort::Result<Vec<f32>> {
        let column = |numbers: &[u32]| {
            let numbers: Vec<i64> = numbers.iter().map(|&number| i64::from(number)).collect();
            Tensor::from_array(([1, numbers.len()], numbers))
        };
        let mut inputs: Vec<(Cow<'_, str>, ort::session::SessionInputValue<'_>)> = vec![
            (IDS.into(), column(encoding.get_ids())?.into()),
            (MASK.into(), column(encoding.get_attention_mask())?.into()),
        ];
        if self.takes_token_types {
            inputs.push((TYPES.into(), column(encoding.get_type_ids())?.into()));
        }
        let options = bulk.map_or(&self.options, |bulk| &bulk.options);
        let outputs = self.session.run_with_options(inputs, options)?;
        let states = outputs
            .get(&self.output)
            .ok_or_else(|| ort::Error::new(format!("it has no output {}", self.output)))?;
        let (_, states) = states.try_extract_tensor::<f32>()?;
        Ok(states.to_vec())
    }

    /// Embeds a text as long as the model is said to take.
    ///
    /// # Errors
    /// [`ModelError::Graph`]: it takes none as long.
    pub(crate) fn check_length(&mut self) -> Result<(), ModelError> {
        let tokens = self.slot.tokens_max;
        let embedded = self.embed(&"fox ".repeat(tokens));
        embedded.map(drop).map_err(|error| {
            ModelError::Graph(format!(
                "it takes no text of {tokens} tokens, the tokens_max of its model.toml: {error}"
            ))
        })
    }

    fn self_test(&mut self) -> Result<(), ModelError> {
        let vector = self.embed(SELF_TEST)?.whole;
        let is_sound = vector.len() == self.slot.dimensions
            && vector.iter().all(|x| x.is_finite())
            && vector.iter().any(|x| *x != 0.0);
        if is_sound {
            Ok(())
        } else {
            Err(ModelError::Graph(
                "the self-test gave no sound vector".to_owned(),
            ))
        }
    }
}

/// Puts a prefix before a text.
fn prefixed<'a>(prefix: &str, text: &'a str) -> Cow<'a, str> {
    if prefix.is_empty() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{prefix}{text}"))
    }
}

/// Refuses a graph that wants something else than tokens.
fn check_inputs(inputs: &[&str]) -> Result<(), ModelError> {
    let lacks = |name: &&str| !inputs.contains(name);
    if let Some(missing) = [IDS, MASK].iter().find(|name| lacks(name)) {
        return Err(ModelError::Graph(format!("it has no input {missing}")));
    }
    let is_known = |name: &&&str| [IDS, MASK, TYPES].contains(*name);
    match inputs.iter().find(|name| !is_known(name)) {
        Some(unknown) => Err(ModelError::Graph(format!(
            "it wants the input {unknown}, which is not known here"
        ))),
        None => Ok(()),
    }
}

/// The output that is read: the one that the slot names, else a usual one, else the first.
fn output<'a>(slot: &'a Slot, outputs: &[&'a str]) -> Result<&'a str, ModelError> {
    let all = || outputs.join(", ");
    if !slot.output.is_empty() {
        let is_there = outputs.contains(&slot.output.as_str());
        return is_there.then_some(slot.output.as_str()).ok_or_else(|| {
            ModelError::Graph(format!(
                "it has no output {}; it has {}",
                slot.output,
                all()
            ))
        });
    }
    let usual: &[&str] = match slot.pooling {
        Pooling::None => &VECTOR_OUTPUTS,
        Pooling::Mean | Pooling::Cls | Pooling::Last => &STATE_OUTPUTS,
    };
    let found = usual.iter().find_map(|usual| {
        let output = outputs.iter().find(|output| *output == usual);
        output.copied()
    });
    let found = found.or_else(|| outputs.first().copied());
    found.ok_or_else(|| ModelError::Graph("it has no output".to_owned()))
}

/// The library's environment, made with the first model.
fn environment(installation: &Installation) -> Result<Environment, ModelError> {
    let mut known = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = known.as_ref() {
        return Ok(environment.clone());
    }
    if !is_silenced() {
        return Err(ModelError::Library(
            "it would report its use over the network, and could not be stopped".to_owned(),
        ));
    }
    let builder = ort::init_from(&installation.library)
        .map_err(|error| ModelError::Library(error.to_string()))?;
    let environment = builder
        .with_telemetry(false)
        .build()
        .map_err(|error| ModelError::Library(error.to_string()))?;
    *known = Some(environment.clone());
    Ok(environment)
}

fn session(
    environment: &Environment,
    model: &Installed,
    threads: usize,
) -> Result<Session, ModelError> {
    let tell = |error: ort::Error| ModelError::Graph(error.to_string());
    let mut builder = options(environment, threads).map_err(tell)?;
    match model.slot.arithmetic {
        Arithmetic::Graph => builder.commit_from_file(&model.graph).map_err(tell),
        Arithmetic::Int8 => {
            let file = plain_file::read(&model.graph, GRAPH_MAX_BYTES);
            let file = file.map_err(|error| ModelError::Graph(error.to_string()))?;
            let graph = arithmetic::in_integers(&file).map_err(ModelError::Graph)?;
            drop(file);
            builder.commit_from_memory(&graph).map_err(tell)
        }
    }
}

fn options(environment: &Environment, threads: usize) -> ort::Result<SessionBuilder> {
    // Spinning doubles the CPU, and the memory pattern costs resident size at changing widths.
    // Without the arena every tensor is mapped and cleared anew, which takes half of the time;
    // what it keeps is given back by `Model::rest`.
    Ok(Session::builder(environment)?
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?
        .with_memory_pattern(false)?
        .with_execution_providers([CPU::default().with_arena_allocator(true).build()])?)
}

fn tokenizer(installation: &Installation) -> Result<Tokenizer, ModelError> {
    let wrong = |error: tokenizers::Error| ModelError::Tokenizer(error.to_string());
    let mut tokenizer = Tokenizer::from_file(&installation.model.tokenizer).map_err(wrong)?;
    // The shipped file pads and truncates to 128.
    let truncation = TruncationParams {
        max_length: installation.model.slot.tokens_max,
        ..TruncationParams::default()
    };
    tokenizer.with_truncation(Some(truncation)).map_err(wrong)?;
    tokenizer.with_padding(None);
    Ok(tokenizer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn slot(pooling: Pooling, output: &str) -> Slot {
        let mut slot = Slot::built_in().unwrap();
        slot.pooling = pooling;
        output.clone_into(&mut slot.output);
        slot
    }

    #[test]
    fn the_output_is_found_by_its_usual_name_or_the_slots() {
        let both = ["sentence_embedding", "token_embeddings"];
        let named = slot(Pooling::Cls, "hidden");
        let chosen = |slot: &Slot, outputs: &[&str]| output(slot, outputs).unwrap().to_owned();
        assert_eq!(
            chosen(&slot(Pooling::None, ""), &both),
            "sentence_embedding"
        );
        assert_eq!(chosen(&slot(Pooling::Mean, ""), &both), "token_embeddings");
        assert_eq!(chosen(&slot(Pooling::Mean, ""), &["output_0"]), "output_0");
        assert_eq!(chosen(&named, &["x", "hidden"]), "hidden");
        let refused = output(&named, &both).unwrap_err().to_string();
        assert!(
            refused.contains("no output hidden; it has sentence_embedding"),
            "{refused}"
        );
    }

    #[test]
    fn a_graph_with_unknown_inputs_is_refused() {
        check_inputs(&[IDS, MASK]).unwrap();
        check_inputs(&[IDS, MASK, TYPES]).unwrap();
        assert!(check_inputs(&[IDS]).unwrap_err().to_string().contains(MASK));
        let refused = check_inputs(&[IDS, MASK, "pixels"])
            .unwrap_err()
            .to_string();
        assert!(refused.contains("pixels"), "{refused}");
    }

    #[test]
    fn a_prefix_stands_before_the_text() {
        assert_eq!(prefixed("query: ", "a"), "query: a");
        assert_eq!(prefixed("", "a"), "a");
    }
}
