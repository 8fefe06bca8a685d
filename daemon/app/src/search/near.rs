//! Names that may have been meant instead of one that is not there.

/// Names that are proposed in place of one that is not there.
const NEAR_MAX: usize = 3;

/// Likeness (Jaro and Winkler) from which a name may be a slip of another one: "biuld" is .95 like
/// "build".
const NEAR_FROM: f64 = 0.82;

/// The names most like one: those with a part of it first, then those that it may be a slip of.
pub(super) fn near<N: AsRef<str>>(name: &str, names: &[N]) -> Vec<String> {
    let bare: String = name.chars().filter(|c| !matches!(c, '*' | '?')).collect();
    let bare = bare.trim_matches('-');
    let likeness = |other: &str| {
        let shares_part = bare
            .split('-')
            .any(|part| !part.is_empty() && other.split('-').any(|own| own == part));
        let slip = strsim::jaro_winkler(bare, other);
        if shares_part { 1.0 + slip } else { slip }
    };
    let mut near: Vec<(f64, &str)> = names
        .iter()
        .map(AsRef::as_ref)
        .map(|other| (likeness(other), other))
        .collect();
    near.retain(|(likeness, _)| *likeness >= NEAR_FROM);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter()
        .take(NEAR_MAX)
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_like_the_one_meant_are_proposed() {
        let names = [
            "build",
            "build-gotchas",
            "hook-shim",
            "iris-notes",
            "packaging",
        ];
        assert_eq!(near("biuld", &names), ["build"]);
        assert_eq!(near("gotchas", &names), ["build-gotchas"]);
        assert_eq!(near("build-*", &names), ["build", "build-gotchas"]);
        assert_eq!(near("iris-x*", &names), ["iris-notes"]);
        assert!(near("zebra", &names).is_empty());
    }
}
