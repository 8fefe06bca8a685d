//! The model's files against what is pinned.

use std::path::Path;

use tokio::task::spawn_blocking;

use crate::finding::Finding;
use crate::model::{VerifyError, verify};

/// How the finding is called.
const NAME: &str = "model files";

/// Verifies the files. Without them Helix works, on words alone; damaged ones must not stay.
pub(super) async fn examine(models: &Path) -> Finding {
    let models = models.to_owned();
    match spawn_blocking(move || verify(&models)).await {
        Ok(Ok(installed)) => {
            let (name, version) = (installed.model_name, installed.library_version);
            Finding::ok(NAME, format!("{name}, ONNX Runtime {version}"))
        }
        Ok(Err(error @ (VerifyError::Platform(_) | VerifyError::Missing { .. }))) => {
            Finding::warning(
                NAME,
                format!("{error}; until then memories are found by their words alone"),
            )
        }
        Ok(Err(error)) => Finding::failure(NAME, error.to_string()),
        Err(_) => Finding::failure(NAME, "the verification itself failed; report this"),
    }
}
