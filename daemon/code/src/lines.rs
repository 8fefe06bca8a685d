//! Names that a source file declares, found line by line: for languages without a grammar, and for
//! parts of files.

/// Words that introduce a name, over the common languages.
const DECLARES: &[&str] = &[
    "fn",
    "struct",
    "enum",
    "trait",
    "type",
    "mod",
    "macro_rules!",
    "class",
    "def",
    "func",
    "function",
    "interface",
    "record",
    "object",
    "protocol",
    "module",
    "namespace",
    "union",
];

/// Words that may stand before a declaration.
const MODIFIERS: &[&str] = &[
    "pub",
    "pub(crate)",
    "pub(super)",
    "async",
    "unsafe",
    "const",
    "extern",
    "export",
    "default",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "sealed",
    "open",
    "override",
    "data",
    "inline",
    "virtual",
    "declare",
];

/// Finds the declared names in order.
pub(super) fn declared(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(declared_name)
        .map(str::to_owned)
        .collect()
}

fn declared_name(line: &str) -> Option<&str> {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| MODIFIERS.contains(word));
    let keyword = words.next()?;
    let mut name = match keyword {
        word if DECLARES.contains(&word) => words.next()?,
        _ => return None,
    };
    // Go methods: `func (r *Receiver) Name(`; the receiver may hold a space.
    if keyword == "func" && name.starts_with('(') {
        name = words
            .find(|word| !word.ends_with(')') && !word.starts_with('('))
            .unwrap_or(words.next().unwrap_or(""));
    }
    let end = name
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(name.len());
    let name = name.get(..end)?;
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_many_languages() {
        for (line, name) in [
            (
                "pub(crate) async fn fuse_lists<'a>(x: u8) {",
                Some("fuse_lists"),
            ),
            ("    def handle_request(self):", Some("handle_request")),
            (
                "export default class CachedEntry extends Base {",
                Some("CachedEntry"),
            ),
            ("func (s *Server) ServeHTTP(w Writer) {", Some("ServeHTTP")),
            ("func NewServer() *Server {", Some("NewServer")),
            ("public static final class Builder<T> {", Some("Builder")),
            ("interface Props {", Some("Props")),
            ("let x = def;", None),
            ("// fn nothing", None),
        ] {
            assert_eq!(declared_name(line), name, "{line}");
        }
    }
}
