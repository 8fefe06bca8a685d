#![allow(clippy::unwrap_used)]
use super::*;

fn one(output: &str) -> (String, String, String, String) {
    let found = faults(output);
    assert_eq!(found.len(), 1, "{found:?}");
    let Fault {
        code,
        symbol,
        file,
        message,
    } = found.into_iter().next().unwrap();
    (code, symbol, file, message)
}

fn is(output: &str, code: &str, symbol: &str, file: &str, message: &str) {
    let wanted = (
        code.to_owned(),
        symbol.to_owned(),
        file.to_owned(),
        message.to_owned(),
    );
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
    is(
        "app/x.py:10:80: E501 Line too long (92 > 79)",
        "E501",
        "",
        "app/x.py",
        "Line too long (92 > 79)",
    );
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
    is(
        "./main.go:5:2: undefined: Foo",
        "",
        "Foo",
        "./main.go",
        "undefined: Foo",
    );
    is(
        "a.c:7:10: fatal error: zlib.h: No such file or directory\ncompilation terminated.",
        "",
        "",
        "a.c",
        "zlib.h: No such file or directory",
    );
    is(
        "src/Main.java:12: error: cannot find symbol",
        "",
        "",
        "src/Main.java",
        "cannot find symbol",
    );
    is(
        "bash: line 1: protoc: command not found",
        "",
        "protoc",
        "",
        "command not found",
    );
    assert!(faults("Compiling\nFinished in 2 s\n0 errors\n").is_empty());
}

#[test]
fn a_fingerprint_survives_lines_paths_and_numbers() {
    let print = |output: &str| faults(output).first().unwrap().fingerprint();
    let one =
        print("error[E0499]: cannot borrow `a` twice, limit 3\n --> /home/ann/x/src/b.rs:10:3");
    assert_eq!(
        one,
        print("error[E0499]: cannot borrow `a` twice, limit 14\n --> src/b.rs:99:1")
    );
    assert_ne!(
        one,
        print("error[E0499]: cannot borrow `b` twice, limit 3\n --> src/b.rs:10:3")
    );
    assert_eq!(one.len(), 16);
}

#[test]
fn mistakes_of_different_names_and_types_are_different() {
    let print = |output: &str| faults(output).first().unwrap().fingerprint();
    let java = |symbol: &str| {
        format!(
            "src/X.java:12: error: cannot find symbol\n    int a = b();\n            ^\n  symbol:   {symbol}\n  location: class X"
        )
    };
    assert_ne!(
        print(&java("method alphaSum()")),
        print(&java("method betaSum()"))
    );
    assert_ne!(
        print(&java("method sum(int)")),
        print(&java("method sum(String)"))
    );
    let rust = |types: &str| {
        format!(
            "error[E0308]: mismatched types\n --> src/a.rs:3:5\n  |\n3 |  let x: y = z;\n  |         -   ^ {types}\n  |         |\n  |  due to this\n"
        )
    };
    let texts = rust("expected `i64`, found `&str`");
    assert_ne!(
        print(&texts),
        print(&rust("expected `Vec<u8>`, found `String`"))
    );
    assert_ne!(print(&texts), print(&rust("expected `i32`, found `&str`")));
    let module = |path: &str| format!("src/a.ts(3,7): error TS2307: Cannot find module '{path}'.");
    assert_ne!(print(&module("./gen/types")), print(&module("./gen/api")));
    assert_eq!(
        print(&module("/home/ann/x/api")),
        print(&module("/home/bob/y/api2")),
        "of another checkout"
    );
}

#[test]
fn java_and_dotnet() {
    let told = "src/X.java:12: error: cannot find symbol\n    int a = alphaSum();\n            ^\n  symbol:   method alphaSum()\n  location: class X";
    is(
        told,
        "",
        "alphaSum",
        "src/X.java",
        "cannot find symbol: method alphaSum()",
    );
    is(
        "[ERROR] COMPILATION ERROR : \n[ERROR] /x/Main.java:[3,5] cannot find symbol\n  symbol:   variable total\n  location: class Main\n\
         [INFO] 1 error\n[ERROR] Failed to execute goal compile: Compilation failure\n[ERROR] /x/Main.java:[3,5] cannot find symbol\n\
         [ERROR]   symbol:   variable total\n[ERROR]   location: class Main",
        "",
        "total",
        "/x/Main.java",
        "cannot find symbol: variable total",
    );
    is(
        "[ERROR] com.x.CalcTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\n\
         org.opentest4j.AssertionFailedError: expected: <3> but was: <4>\n\n[ERROR] Failures: \n\
         [ERROR]   CalcTest.adds:12 expected: <3> but was: <4>",
        "FAILED",
        "com.x.CalcTest.adds",
        "",
        "org.opentest4j.AssertionFailedError: expected: <3> but was: <4>",
    );
    is(
        "Program.cs(3,5): error CS0103: The name 'x' does not exist in the current context [/p/p.csproj]\n\nBuild FAILED.\n\n\
         Program.cs(3,5): error CS0103: The name 'x' does not exist in the current context [/p/p.csproj]",
        "CS0103",
        "x",
        "Program.cs",
        "The name 'x' does not exist in the current context",
    );
    is(
        "/p/p.csproj : error NU1101: Unable to find package Lib.X. [/p/p.sln]",
        "NU1101",
        "",
        "/p/p.csproj",
        "Unable to find package Lib.X.",
    );
    is(
        "  Failed Shop.CalcTests.Adds [5 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\n",
        "FAILED",
        "Shop.CalcTests.Adds",
        "",
        "Assert.Equal() Failure: Values differ",
    );
}

#[test]
fn failed_tests_say_what_they_found() {
    is(
        " FAIL  src/a.test.ts > Calc > adds\nAssertionError: expected 3 to be 4 // Object.is equality\n ❯ src/a.test.ts:5:15\n",
        "FAILED",
        "Calc > adds",
        "src/a.test.ts",
        "AssertionError: expected 3 to be 4 // Object.is equality",
    );
    is(
        "FAIL src/a.test.ts\n  ● Console\n\n    a line\n\n  ● Calc › adds\n\n    TypeError: b is not a function\n\n      3 | b()\n",
        "FAILED",
        "Calc › adds",
        "src/a.test.ts",
        "TypeError: b is not a function",
    );
    is(
        "--- FAIL: TestX (0.00s)\n    x_test.go:12: got 3, want 4",
        "FAILED",
        "TestX",
        "",
        "x_test.go:12: got 3, want 4",
    );
}

#[test]
fn a_target_that_failed_gives_way_to_what_made_it_fail() {
    is(
        "[1/2] CC a.o\nFAILED: a.o \ncc -c a.c -o a.o\na.c:3:5: error: 'total' undeclared\nninja: build stopped: subcommand failed.",
        "",
        "total",
        "a.c",
        "'total' undeclared",
    );
    let linked = "a.c:(.text+0x5): undefined reference to `total'\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: a] Error 1";
    is(
        linked,
        "undefined reference",
        "total",
        "",
        "undefined reference to `total'",
    );
    for (line, message) in [
        (
            "ld.lld: error: undefined symbol: rows::total(int)",
            "undefined symbol: rows::total(int)",
        ),
        (
            "  = note: rust-lld: error: undefined symbol: rows::total(int)",
            "undefined symbol: rows::total(int)",
        ),
        (
            "ld: duplicate symbol 'rows::total(int)' in:",
            "duplicate symbol 'rows::total(int)'",
        ),
        (
            "a.c: undefined reference to ‘rows::total(int)’",
            "undefined reference to ‘rows::total(int)’",
        ),
    ] {
        is(line, "undefined reference", "rows::total(int)", "", message);
    }
}

#[test]
fn few_faults_of_a_flood() {
    let mistake = |n: u32| format!("error: mistake number {n} of `thing{n}`");
    let flood = (0..10_000).map(mistake).collect::<Vec<_>>().join("\n");
    assert_eq!(faults(&flood).len(), FAULTS_MAX);
    assert!(faults(&"x".repeat(1_000_000)).is_empty());
}

#[test]
fn tests_that_failed_are_named() {
    let output = "running 2 tests\ntest store::test_concurrent_posting ... FAILED\ntest store::reopens ... ok\n\nfailures:\n\n\
                  ---- store::test_concurrent_posting stdout ----\n\
                  thread 'store::test_concurrent_posting' (77) panicked at src/store.rs:8:9:\nbalance is off\n";
    is(
        output,
        "panic",
        "store::test_concurrent_posting",
        "src/store.rs",
        "balance is off",
    );
    let list = (0..9)
        .map(|n| format!("test t{n} ... FAILED\n"))
        .collect::<Vec<_>>()
        .concat();
    let panics = (0..9)
        .map(|n| format!("thread 't{n}' panicked at src/a.rs:1:1:\nno {n}\n"))
        .collect::<Vec<_>>()
        .concat();
    let found = faults(&format!("{list}{panics}"));
    assert_eq!(
        found
            .iter()
            .map(|fault| fault.message.as_str())
            .collect::<Vec<_>>(),
        ["no 0", "no 1", "no 2", "no 3", "no 4"]
    );
    is(
        "        FAIL [   0.005s] (1/2) app::bin store::test_drain",
        "FAILED",
        "store::test_drain",
        "",
        "app::bin",
    );
    is(
        "--- FAIL: TestRenew (0.00s)\n    queue_test.go:12: got 3",
        "FAILED",
        "TestRenew",
        "",
        "queue_test.go:12: got 3",
    );
    is(
        "FAIL: test_total (test_a.Totals.test_total)",
        "FAILED",
        "test_total",
        "",
        "(test_a.Totals.test_total)",
    );
    is(
        "ERROR tests/test_a.py - ModuleNotFoundError: No module named 'yaml'",
        "FAILED",
        "yaml",
        "tests/test_a.py",
        "ModuleNotFoundError: No module named 'yaml'",
    );
}

#[test]
fn systems_give_names() {
    is(
        "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error\n\
         npm error Could not resolve dependency:\nnpm error peer react@\"^18\" from react-x@1.0.0",
        "ERESOLVE",
        "react-x",
        "",
        "ERESOLVE unable to resolve dependency tree",
    );
    is(
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chalk' imported from /app/dist/index.js",
        "ERR_MODULE_NOT_FOUND",
        "chalk",
        "",
        "Cannot find package 'chalk' imported from /app/dist/index.js",
    );
    is(
        "Error: listen EADDRINUSE: address already in use :::5173",
        "EADDRINUSE",
        "",
        "",
        "listen EADDRINUSE: address already in use :::5173",
    );
    is(
        "ERROR: could not serialize access due to concurrent update (SQLSTATE 40001)",
        "40001",
        "",
        "",
        "could not serialize access due to concurrent update (SQLSTATE 40001)",
    );
    is(
        "botocore.exceptions.ClientError: An error occurred (ExpiredToken) when calling the GetObject operation: The token has expired.",
        "ExpiredToken",
        "GetObject",
        "",
        "The token has expired.",
    );
    is(
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not compile settings file.\n\
         > BUG! exception in phase 'semantic analysis' Unsupported class file major version 65\n\n* Try:",
        "class file major version 65",
        "",
        "",
        "Could not compile settings file. BUG! exception in phase 'semantic analysis' Unsupported class file major version 65",
    );
}

#[test]
fn lints_are_codes() {
    let told = "error: used `unwrap()` on a `Result` value\n  --> src/a.rs:1:2\n   |\n   = note: `-D clippy::unwrap-used` implied by `-D warnings`\n";
    is(
        told,
        "clippy::unwrap_used",
        "Result",
        "src/a.rs",
        "used `unwrap()` on a `Result` value",
    );
    let linked = "error: this is odd\n --> src/a.rs:1:2\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.90.0/index.html#needless_pass_by_value\n";
    assert_eq!(faults(linked)[0].code, "clippy::needless_pass_by_value");
    let rustc = "error: unused variable: `x`\n --> src/a.rs:1:2\n  |\n  = note: `-D unused-variables` implied by `-D warnings`\n";
    assert_eq!(faults(rustc)[0].code, "unused_variables");
    is(
        "pkg/__init__.py:1:20: F401 [*] `os` imported but unused",
        "F401",
        "os",
        "pkg/__init__.py",
        "`os` imported but unused",
    );
    is(
        "pkg/a.py:3:1: error: Function is missing a type annotation  [no-untyped-def]",
        "no-untyped-def",
        "",
        "pkg/a.py",
        "Function is missing a type annotation",
    );
}

fn marks(output: &str) -> Vec<String> {
    faults(output).iter().flat_map(Fault::marks).collect()
}

#[test]
fn marks_are_exact_names() {
    for (output, expected) in [
        (
            "error[E0382]: borrow of moved value: `rows`\n --> a.rs:1:2",
            vec!["E0382"],
        ),
        (
            "a.ts(3,7): error TS2304: Cannot find name 'fetchAll'.",
            vec!["TS2304", "fetchAll"],
        ),
        (
            "TypeError: Cannot read properties of undefined (reading 'map')",
            vec![],
        ),
        ("a.py:1: error: x  [no-untyped-def]", vec!["no-untyped-def"]),
        ("a.py:1: error: x  [misc]", vec![]),
        (
            "test store::tests::test_drain ... FAILED",
            vec!["store::tests::test_drain", "test_drain"],
        ),
        (
            "FAILED tests/test_a.py::TestA::test_total[3-4] - assert 3 == 4",
            vec!["TestA::test_total", "test_total"],
        ),
        (
            "--- FAIL: TestRenew/empty_queue (0.00s)\n x",
            vec!["TestRenew/empty_queue", "empty_queue", "TestRenew"],
        ),
        ("thread 'main' panicked at src/main.rs:1:1:\nno", vec![]),
        ("bash: line 1: protoc: command not found", vec!["protoc"]),
        (
            "Error: listen EADDRINUSE: address already in use :::5173",
            vec!["EADDRINUSE"],
        ),
        (
            "error: x\n --> a.rs:1:2\n = note: `-D clippy::unwrap-used` implied by `-D warnings`",
            vec!["clippy::unwrap_used", "unwrap_used"],
        ),
        (
            "x (ExpiredToken) when calling the GetObject operation: no",
            vec!["ExpiredToken", "GetObject"],
        ),
    ] {
        assert_eq!(marks(output), expected, "{output}");
    }
}

#[test]
fn a_line_for_readers_holds_no_place_of_another_checkout() {
    let line = |output: &str| faults(output)[0].line("/home/ann/x");
    assert_eq!(
        line("error[E0499]: no `a`\n --> /home/ann/x/src/b.rs:10:3"),
        "E0499 no `a` (src/b.rs)"
    );
    assert_eq!(
        line("error[E0499]: no `a`\n --> /home/bob/y/src/b.rs:10:3"),
        "E0499 no `a` (b.rs)"
    );
    assert_eq!(
        line("Error: cannot read /home/bob/y/conf/a.toml:3:4 for GET /api/v1 of https://a.b/c/d"),
        "cannot read a.toml for GET /api/v1 of https://a.b/c/d"
    );
}
