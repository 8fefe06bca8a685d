//! Names that a source file declares, found line by line without a grammar.

/// Lines of a file that are looked at.
pub const SYMBOL_LINES_MAX: usize = 500;

/// Names taken from a file.
pub const SYMBOLS_MAX: usize = 20;

/// Shortest name that says anything.
const SYMBOL_MIN_CHARS: usize = 3;

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

/// Names that every file of a language has.
const COMMONPLACE: &[&str] =
    &["main", "new", "test", "tests", "init", "setup", "run", "default", "from", "into", "fmt"];

/// Finds the declared names in the first lines of a file, in order, each once.
#[must_use]
pub fn symbols(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines().take(SYMBOL_LINES_MAX) {
        if found.len() == SYMBOLS_MAX {
            break;
        }
        if let Some(name) = declared_name(line)
            && !found.iter().any(|known| known == name)
        {
            found.push(name.to_owned());
        }
    }
    found
}

fn declared_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| MODIFIERS.contains(word));
    let keyword = words.next()?;
    let mut name = match keyword {
        word if DECLARES.contains(&word) => words.next()?,
        _ => return None,
    };
    // Go methods: `func (r *Receiver) Name(`; the receiver may hold a space.
    if keyword == "func" && name.starts_with('(') {
        name = words.find(|word| !word.ends_with(')') && !word.starts_with('(')).unwrap_or(words.next().unwrap_or(""));
    }
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    let name = name.get(..end)?;
    let is_telling = name.chars().count() >= SYMBOL_MIN_CHARS
        && !COMMONPLACE.contains(&name)
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    is_telling.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_many_languages() {
        for (line, name) in [
            ("pub(crate) async fn fuse_lists<'a>(x: u8) {", Some("fuse_lists")),
            ("    def handle_request(self):", Some("handle_request")),
            ("export default class CachedEntry extends Base {", Some("CachedEntry")),
            ("func (s *Server) ServeHTTP(w Writer) {", Some("ServeHTTP")),
            ("func NewServer() *Server {", Some("NewServer")),
            ("public static final class Builder<T> {", Some("Builder")),
            ("interface Props {", Some("Props")),
            ("let x = def;", None),
            ("fn main() {", None),
            ("// fn nothing", None),
        ] {
            assert_eq!(declared_name(line), name, "{line}");
        }
    }

    #[test]
    fn limits_hold() {
        let file = (0..600).map(|n| format!("fn name_{n}() {{}}")).collect::<Vec<_>>().join("\n");
        assert_eq!(symbols(&file).len(), SYMBOLS_MAX);
        let late = format!("{}fn too_late() {{}}\n", "\n".repeat(SYMBOL_LINES_MAX));
        assert!(symbols(&late).is_empty());
    }
}
