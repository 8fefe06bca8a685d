//! Key words: one pass over a text says which rules may find something in it.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::RuleError;

/// Key words, and the rule that each belongs to.
pub(super) struct Keys {
    automaton: AhoCorasick,
    rules: Vec<usize>,
}

impl Keys {
    /// Compiles the key words of rules, which are numbered as they come.
    pub(super) fn of<'r>(
        rules: impl Iterator<Item = (&'r String, &'r Vec<String>)>,
        ignores_case: bool,
    ) -> Result<Self, RuleError> {
        let mut keys = Vec::new();
        let mut owners = Vec::new();
        for (at, (name, words)) in rules.enumerate() {
            if words.is_empty() || words.iter().any(String::is_empty) {
                return Err(RuleError::Useless {
                    rule: name.clone(),
                    lacks: "key",
                });
            }
            keys.extend(words);
            owners.extend(words.iter().map(|_| at));
        }
        Ok(Self {
            automaton: automaton(&keys, MatchKind::Standard, ignores_case)?,
            rules: owners,
        })
    }

    /// The rules that have a key in a text, in their order.
    pub(super) fn rules_in(&self, text: &str) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for key in self.automaton.find_overlapping_iter(text) {
            if let Some(&rule) = self.rules.get(key.pattern().as_usize())
                && !found.contains(&rule)
            {
                found.push(rule);
            }
        }
        found.sort_unstable();
        found
    }
}

/// An automaton over words. As a table of all states it takes some hundred kilobytes and reads a
/// byte in a nanosecond.
pub(crate) fn automaton<W: AsRef<[u8]>>(
    words: &[W],
    kind: MatchKind,
    ignores_case: bool,
) -> Result<AhoCorasick, RuleError> {
    let mut builder = AhoCorasick::builder();
    builder
        .match_kind(kind)
        .ascii_case_insensitive(ignores_case)
        .kind(Some(AhoCorasickKind::DFA));
    Ok(builder.build(words)?)
}
