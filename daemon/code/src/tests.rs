#![allow(clippy::unwrap_used)]

use super::*;

fn names(file: &str, text: &str) -> Vec<String> {
    declared(Path::new(file), text)
}

#[test]
fn each_grammar_reads_its_language() {
    for (file, text, expected) in [
        (
            "a.rs",
            "mod inner {\n  pub(crate) struct RowSet<T>(T);\n}\nimpl RowSet<u8> {\n  async fn load_rows(&self) {}\n}\n\
             pub trait Reads { fn read_one(&self); }\nenum Fate { Cut }\nconst ROWS_MAX: u8 = 3;\nmacro_rules! row { () => {} }\n\
             // fn nothing\nlet text = \"fn quoted() {}\";",
            vec![
                "RowSet",
                "Reads",
                "Fate",
                "load_rows",
                "read_one",
                "row",
                "inner",
                "ROWS_MAX",
            ],
        ),
        (
            "a.py",
            "ROWS_MAX = 3\nclass RowSet(Base):\n    def load_rows(self):\n        local = 1\nasync def read_one(): pass\n",
            vec!["RowSet", "load_rows", "read_one", "ROWS_MAX"],
        ),
        (
            "a.js",
            "const LIMIT = 3;\nexport default class RowSet { loadRows() {} }\nfunction* rows() {}\n\
             export const readOne = async () => 1;\nfunction pick() { const local = 1; }\n",
            vec!["RowSet", "loadRows", "rows", "readOne", "pick", "LIMIT"],
        ),
        (
            "a.ts",
            "export interface Props { readAll(): void }\ntype Rows = string[];\nenum Fate { Cut }\nabstract class Base<T> { abstract load(): T }\n\
             namespace Wire {}\nexport const wrap = (x: number): number => x;\n",
            vec![
                "Props", "Rows", "Fate", "Base", "Wire", "readAll", "load", "wrap",
            ],
        ),
        (
            "a.tsx",
            "export function Panel(p: Props) { return <div>{p.x}</div>; }\n",
            vec!["Panel"],
        ),
        (
            "a.go",
            "package a\ntype RowSet struct{}\ntype Reads interface{ Read() }\nfunc (r *RowSet) LoadRows(x int) error { return nil }\n\
             func NewRowSet() *RowSet { return nil }\nconst RowsMax = 3\n",
            vec!["RowSet", "Reads", "LoadRows", "NewRowSet", "RowsMax"],
        ),
        (
            "A.java",
            "public final class RowSet<T> {\n  static final int ROWS_MAX = 3;\n  record Row(int x) {}\n  public RowSet() {}\n\
             \n  public T loadRows(int from) { return null; }\n}\ninterface Reads {}\nenum Fate { DELIVERED }\n",
            vec![
                "RowSet",
                "Row",
                "Reads",
                "Fate",
                "loadRows",
                "ROWS_MAX",
                "DELIVERED",
            ],
        ),
        (
            "a.c",
            "#define ROWS_MAX 3\ntypedef struct row { int x; } row_t;\nstruct used *p;\nstatic int load_rows(struct row *r) { return 0; }\n\
             int *read_one(void);\n",
            vec!["row", "row_t", "load_rows", "read_one", "ROWS_MAX"],
        ),
        (
            "a.h",
            "namespace wire {\ntemplate <class T> class RowSet {\n public:\n  void load_rows(int from);\n};\n\
             using Rows = int;\n}\nvoid wire::RowSet<int>::read_one() {}\n",
            vec!["wire", "RowSet", "Rows", "load_rows", "read_one"],
        ),
        (
            "a.kt",
            "data class RowSet(val x: Int)\nfun loadRows() {}\nobject Wire\n",
            vec!["RowSet", "Wire"],
        ),
    ] {
        assert_eq!(names(file, text), expected, "{file}");
    }
}

#[test]
fn limits_hold() {
    let many = (0..600)
        .map(|n| format!("fn name_{n}() {{}}"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(names("a.rs", &many).len(), SYMBOLS_MAX);
    let late = format!("{}fn too_late() {{}}\n", "\n".repeat(SYMBOL_LINES_MAX));
    assert!(names("a.rs", &late).is_empty());
    assert!(names("a.rs", "fn main() {}\nfn ab() {}\n").is_empty());
}

#[test]
fn parts_are_read_by_grammar_and_by_line() {
    let part = "    }\n\n    pub fn load_rows(&self) -> Rows {\n        let x = 1;\n";
    assert_eq!(
        declared_in_part(Some(Path::new("a.rs")), part),
        ["load_rows"]
    );
    assert_eq!(declared_in_part(None, part), ["load_rows"]);
    // Only the grammar knows that an arrow function is one.
    let part = "const loadRows = (from) => from;\nthis is no script";
    assert_eq!(
        declared_in_part(Some(Path::new("a.js")), part),
        ["loadRows"]
    );
}

#[test]
fn no_text_is_too_strange() {
    let mut strange = vec![
        "\u{0}\u{1}\u{fffd}".repeat(500),
        "(".repeat(100_000),
        "a<b<c>".repeat(20_000),
    ];
    // In lines, as a parser is asked to read them.
    let lines = [
        "}", "\"", "if ", "x ", "fn x() ", "class A ", "/*", "(((]]]",
    ]
    .map(|part| format!("{part}\n").repeat(400));
    strange.extend(lines);
    strange.extend(["fn x(", "class \u{202e}Ä {", "\"\"\"", "/*"].map(str::to_owned));
    for text in strange {
        for file in [
            "a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.java", "a.c", "a.cpp", "a.txt",
        ] {
            assert!(names(file, &text).len() <= SYMBOLS_MAX, "{file}");
        }
    }
}
