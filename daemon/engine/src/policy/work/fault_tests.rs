#![allow(clippy::unwrap_used)]
use super::*;

#[test]
fn every_form_is_valid() {
    assert_eq!(FORMS.len(), 18);
    let patterns = [&ECHO, &ARROW, &FRAME, &HEADING, &QUOTED, &ESCAPES, &PATHS, &NUMBERS];
    assert!(patterns.iter().all(|pattern| pattern.is_some()));
}

fn one(output: &str) -> (String, String, String, String) {
    let found = faults(output);
    assert_eq!(found.len(), 1, "{found:?}");
    let Fault { code, symbol, file, message } = found.into_iter().next().unwrap();
    (code, symbol, file, message)
}

fn is(output: &str, code: &str, symbol: &str, file: &str, message: &str) {
    let wanted = (code.to_owned(), symbol.to_owned(), file.to_owned(), message.to_owned());
    assert_eq!(one(output), wanted, "{output}");
}

#[test]
fn rust() {
    is(
        "   Compiling a v0.1.0\n\x1b[1m\x1b[91merror[E0382]\x1b[0m: borrow of moved value: `rows`\n  --> daemon/src/a.rs:12:5\n   |\n\
         error: could not compile `a` (lib) due to 1 previous error\n",
        "E0382",
        "rows",
        "daemon/src/a.rs",
        "borrow of moved value: `rows`",
    );
    is(
        "running 1 test\nthread 'store::reopens' (4711) panicked at src/store.rs:88:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n\
         error: test failed, to rerun pass `--lib`\n",
        "panic",
        "store::reopens",
        "src/store.rs",
        "assertion `left == right` failed",
    );
}

#[test]
fn typescript_and_javascript() {
    is(
        "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
        "TS2322",
        "string",
        "src/a.ts",
        "Type 'string' is not assignable to type 'number'.",
    );
    is(
        "src/a.ts:3:7 - error TS2304: Cannot find name 'fetchAll'.\n\n3 x",
        "TS2304",
        "fetchAll",
        "src/a.ts",
        "Cannot find name 'fetchAll'.",
    );
    is(
        "/home/a/src/App.jsx\n  12:5  error  'useState' is not defined  no-undef\n\n✖ 1 problem",
        "no-undef",
        "useState",
        "/home/a/src/App.jsx",
        "'useState' is not defined",
    );
    is(
        "    at x\nTypeError: Cannot read properties of undefined (reading 'map')",
        "TypeError",
        "map",
        "",
        "Cannot read properties of undefined (reading 'map')",
    );
}

#[test]
fn python() {
    is(
        "Traceback (most recent call last):\n  File \"/app/run.py\", line 3, in <module>\n    main()\n  File \"/app/db.py\", line 9, in connect\n    raise\nsqlalchemy.exc.OperationalError: database is locked",
        "OperationalError",
        "connect",
        "/app/db.py",
        "database is locked",
    );
    is("app/x.py:10:80: E501 Line too long (92 > 79)", "E501", "", "app/x.py", "Line too long (92 > 79)");
    is(
        "app/x.py:4: error: Name \"foo\" is not defined  [name-defined]",
        "name-defined",
        "foo",
        "app/x.py",
        "Name \"foo\" is not defined",
    );
    is(
        "FAILED tests/test_a.py::test_total - assert 3 == 4",
        "FAILED",
        "test_total",
        "tests/test_a.py",
        "assert 3 == 4",
    );
}

#[test]
fn others() {
    is("./main.go:5:2: undefined: Foo", "", "Foo", "./main.go", "undefined: Foo");
    is(
        "a.c:7:10: fatal error: zlib.h: No such file or directory\ncompilation terminated.",
        "",
        "",
        "a.c",
        "zlib.h: No such file or directory",
    );
    is("src/Main.java:12: error: cannot find symbol", "", "", "src/Main.java", "cannot find symbol");
    is("bash: line 1: protoc: command not found", "", "protoc", "", "command not found");
    assert!(faults("Compiling\nFinished in 2 s\n0 errors\n").is_empty());
}

#[test]
fn a_fingerprint_survives_lines_paths_and_numbers() {
    let print = |output: &str| faults(output).first().unwrap().fingerprint();
    let one = print("error[E0499]: cannot borrow `a` twice, limit 3\n --> /home/ann/x/src/b.rs:10:3");
    assert_eq!(one, print("error[E0499]: cannot borrow `a` twice, limit 14\n --> src/b.rs:99:1"));
    assert_ne!(one, print("error[E0499]: cannot borrow `b` twice, limit 3\n --> src/b.rs:10:3"));
    assert_eq!(one.len(), 16);
}

#[test]
fn few_faults_of_a_flood() {
    let mistake = |n: u32| format!("error: mistake number {n} of `thing{n}`");
    let flood = (0..10_000).map(mistake).collect::<Vec<_>>().join("\n");
    assert_eq!(faults(&flood).len(), FAULTS_MAX);
    assert!(faults(&"x".repeat(1_000_000)).is_empty());
}
