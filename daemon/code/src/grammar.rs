//! The languages whose grammar is linked, and what of a file counts as a declaration in each
//! (`queries/`).

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

use tree_sitter::{ParseOptions, Parser, Query, QueryCursor, StreamingIterator, Tree};

/// How often a parser reports before it is stopped. It does so every hundred steps; 500 lines of
/// source text take some hundred, and what takes more is no source text of that language: its steps
/// become slower and slower.
const REPORTS_MAX: usize = 400;

/// Longest line of a text that people wrote, in bytes: longer ones are minified or data, which
/// parsers are slow to recover from.
const LINE_MAX_BYTES: usize = 1_000;

/// How deep brackets may be nested. Where they are much deeper, parsers take seconds to recover
/// from what is missing.
const DEPTH_MAX: usize = 256;

/// A language whose grammar is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
    /// C++, and headers, which C's grammar would misread when they are C++.
    Cpp,
}

/// A grammar with the query that finds its declarations.
struct Grammar {
    language: tree_sitter::Language,
    query: Query,
}

/// The meaning of a capture of the queries, in the order in which names are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Declares {
    Type,
    Function,
    Constant,
}

impl Language {
    pub(super) const ALL: [Self; 9] = [
        Self::Rust,
        Self::Python,
        Self::TypeScript,
        Self::JavaScript,
        Self::Go,
        Self::Java,
        Self::Tsx,
        Self::C,
        Self::Cpp,
    ];
    const COUNT: usize = Self::ALL.len();

    /// Makes the grammar ready.
    pub(super) fn warm_up(self) {
        self.grammar();
    }

    /// The language of a file by its name's extension; `None` when no grammar is linked.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" => Self::C,
            "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" => Self::Cpp,
            _ => return None,
        })
    }

    /// The names that a text declares, types first; `None` when the parser gave up.
    pub(super) fn declared(self, text: &str) -> Option<Vec<String>> {
        if text.lines().any(|line| line.len() > LINE_MAX_BYTES) || depth(text) > DEPTH_MAX {
            return None;
        }
        let grammar = self.grammar()?;
        let tree = grammar.parse(text)?;
        let mut found = grammar.names(&tree, text);
        found.sort_by_key(|(declares, _)| *declares);
        Some(found.into_iter().map(|(_, name)| name.to_owned()).collect())
    }

    /// Grammar and query, made at first use: a query takes up to some milliseconds.
    fn grammar(self) -> Option<&'static Grammar> {
        static GRAMMARS: [OnceLock<Option<Grammar>>; Language::COUNT] =
            [const { OnceLock::new() }; Language::COUNT];
        GRAMMARS
            .get(self as usize)?
            .get_or_init(|| self.load().ok())
            .as_ref()
    }

    fn load(self) -> Result<Grammar, tree_sitter::QueryError> {
        const SCRIPT: &str = include_str!("queries/javascript.scm");
        let (language, query): (tree_sitter::Language, String) = match self {
            Self::Rust => (
                tree_sitter_rust::LANGUAGE.into(),
                include_str!("queries/rust.scm").into(),
            ),
            Self::Python => (
                tree_sitter_python::LANGUAGE.into(),
                include_str!("queries/python.scm").into(),
            ),
            Self::JavaScript => (
                tree_sitter_javascript::LANGUAGE.into(),
                format!("{SCRIPT}(class_declaration name: (identifier) @type)"),
            ),
            Self::TypeScript => (
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
                format!("{SCRIPT}{}", include_str!("queries/typescript.scm")),
            ),
            Self::Tsx => (
                tree_sitter_typescript::LANGUAGE_TSX.into(),
                format!("{SCRIPT}{}", include_str!("queries/typescript.scm")),
            ),
            Self::Go => (
                tree_sitter_go::LANGUAGE.into(),
                include_str!("queries/go.scm").into(),
            ),
            Self::Java => (
                tree_sitter_java::LANGUAGE.into(),
                include_str!("queries/java.scm").into(),
            ),
            Self::C => (
                tree_sitter_c::LANGUAGE.into(),
                include_str!("queries/c.scm").into(),
            ),
            Self::Cpp => (
                tree_sitter_cpp::LANGUAGE.into(),
                format!(
                    "{}{}",
                    include_str!("queries/c.scm"),
                    include_str!("queries/cpp.scm")
                ),
            ),
        };
        let query = Query::new(&language, &query)?;
        Ok(Grammar { language, query })
    }
}

/// How deep the brackets of a text are nested at most; those in its strings count as well.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

impl Grammar {
    fn parse(&self, text: &str) -> Option<Tree> {
        let mut parser = Parser::new();
        parser.set_language(&self.language).ok()?;
        let mut reports = 0;
        let mut give_up = |_: &tree_sitter::ParseState| {
            reports += 1;
            if reports > REPORTS_MAX {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let bytes = text.as_bytes();
        let options = ParseOptions::new().progress_callback(&mut give_up);
        parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            None,
            Some(options),
        )
    }

    /// The declared names in the order of the text.
    fn names<'t>(&self, tree: &Tree, text: &'t str) -> Vec<(Declares, &'t str)> {
        let kinds: Vec<Declares> = self
            .query
            .capture_names()
            .iter()
            .map(|name| match *name {
                "type" => Declares::Type,
                "function" => Declares::Function,
                _ => Declares::Constant,
            })
            .collect();
        let mut cursor = QueryCursor::new();
        let mut captures = cursor.captures(&self.query, tree.root_node(), text.as_bytes());
        let mut found = Vec::new();
        while let Some((matched, index)) = captures.next() {
            let Some(capture) = matched.captures().get(*index) else {
                continue;
            };
            let declares = kinds.get(capture.index as usize).copied();
            if let (Some(declares), Some(name)) = (declares, text.get(capture.node.byte_range())) {
                found.push((declares, name));
            }
        }
        found
    }
}
