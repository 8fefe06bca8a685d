//! Problems of a client's wiring and their remedies, in the same words wherever people meet them.

use std::path::Path;

/// Says that a program which a client's settings name is not there.
#[must_use]
pub fn gone(program: &Path) -> String {
    format!("{} does not exist", program.display())
}

/// Says how to wire a client anew, by its name and the flag that means whose settings; none for
/// those that `connect` takes anyway.
#[must_use]
pub fn connect(client: &str, flag: Option<&str>) -> String {
    let flag = flag.map(|flag| format!(" --{flag}")).unwrap_or_default();
    format!("run `helixctl connect {client}{flag}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_named_where_they_are_not_the_usual_ones() {
        assert_eq!(connect("claude", None), "run `helixctl connect claude`");
        assert_eq!(
            connect("codex", Some("user")),
            "run `helixctl connect codex --user`"
        );
        assert_eq!(
            gone(Path::new("/x/helix-hook")),
            "/x/helix-hook does not exist"
        );
    }
}
