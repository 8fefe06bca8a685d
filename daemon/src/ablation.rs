//! Which parts of what hooks decide a benchmark has switched off: `cargo xtask bench hooks
//! --ablate` sets the variable, and nobody else should.

/// Names of parts, separated by commas.
const VARIABLE: &str = "HELIX_ABLATE";

/// Switches off what the variable names, before anything is decided.
pub(crate) fn read() {
    if let Ok(parts) = std::env::var(VARIABLE) {
        tracing::warn!(parts, "hooks decide without parts that are switched off");
        helix_ablation::switch_off(parts.split(',').map(str::to_owned).collect());
    }
}
