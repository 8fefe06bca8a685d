//! What tools of many languages write when they fail, as they write it.

use super::*;

/// Mistakes as `code|symbol|file|message`.
fn told(output: &str) -> Vec<String> {
    let told = |fault: Fault| {
        format!(
            "{}|{}|{}|{}",
            fault.code, fault.symbol, fault.file, fault.message
        )
    };
    faults(output).into_iter().map(told).collect()
}

fn are(table: &[(&str, &[&str])]) {
    for (output, expected) in table {
        assert_eq!(told(output), *expected, "{output}");
    }
}

#[test]
fn builds_say_what_is_missing() {
    are(&[
        (
            "CMake Error at CMakeLists.txt:14 (find_package):\n  By not providing \"FindOpenCV.cmake\" in \
             CMAKE_MODULE_PATH this project has\n  asked CMake to find a package configuration file provided by \
             \"OpenCV\", but\n  CMake did not find one.\n\n",
            &[
                "|FindOpenCV.cmake|CMakeLists.txt|By not providing \"FindOpenCV.cmake\" in CMAKE_MODULE_PATH this \
               project has asked CMake to find a package configuration file provided by \"OpenCV\", but CMake did not \
               find one.",
            ],
        ),
        (
            "make: *** No rule to make target 'src/foo.c', needed by 'foo.o'.  Stop.\n",
            &["|src/foo.c||No rule to make target 'src/foo.c', needed by 'foo.o'"],
        ),
        (
            "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal on project app: Could not resolve dependencies for \
             project com.x:app:jar:1.0: Could not find artifact com.y:lib:jar:2.0 in central \
             (https://repo.maven.apache.org/maven2) -> [Help 1]\n",
            &[
                "|||Could not resolve dependencies for project com.x:app:jar:1.0: Could not find artifact \
               com.y:lib:jar:2.0 in central (https://repo.maven.apache.org/maven2)",
            ],
        ),
        (
            "> Task :app:test FAILED\n\nCalcTest > adds() FAILED\n    org.opentest4j.AssertionFailedError at \
             CalcTest.java:12\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for \
             task ':app:test'.\n> There were failing tests. See the report at: \
             file:///home/a/build/reports/tests/test/index.html\n\n",
            &["FAILED|CalcTest > adds||org.opentest4j.AssertionFailedError at CalcTest.java:12"],
        ),
    ]);
}

#[test]
fn a_test_that_waited_is_named() {
    are(&[(
        " FAIL  src/a.test.ts > Calc > waits\nError: Test timed out in 5000ms.\nIf this is a long-running test, \
             pass a timeout value as the last argument or configure it globally with \"testTimeout\".\n",
        &["FAILED|Calc > waits|src/a.test.ts|Error: Test timed out in 5000ms."],
    )]);
}

#[test]
fn checkers_name_their_rules() {
    are(&[
        (
            "invalid-syntax: Expected ')', found newline\n --> app/x.py:1:8\n  |\n",
            &["invalid-syntax||app/x.py|Expected ')', found newline"],
        ),
        (
            "/home/a/web/src/App.tsx\n  3:10  error  Parsing error: Unexpected token\n\n✖ 1 problem (1 error, 0 \
             warnings)\n",
            &["||/home/a/web/src/App.tsx|Parsing error: Unexpected token"],
        ),
        (
            "Checking formatting...\n[error] src/App.tsx: SyntaxError: '}' expected. (12:3)\n[error]   10 | a\nError \
             occurred when checking code style in the above file.\n",
            &["SyntaxError||src/App.tsx|'}' expected. (12:3)"],
        ),
        (
            "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\nerror TS18003: No inputs \
             were found in config file '/home/a/tsconfig.json'. Specified 'include' paths were '[\"src\"]'.\n",
            &[
                "TS2322|string|src/a.ts|Type 'string' is not assignable to type 'number'.",
                "TS18003|include||No inputs were found in config file '/home/a/tsconfig.json'. Specified 'include' \
                 paths were '[\"src\"]'.",
            ],
        ),
    ]);
}

#[test]
fn bundlers_say_it_below_a_heading() {
    are(&[
        (
            "error during build:\n[vite]: Rollup failed to resolve import \"foo\" from \"/home/a/src/main.ts\".\nThis \
             is most likely unintended because it can break your application at runtime.\n",
            &[
                "|foo||[vite]: Rollup failed to resolve import \"foo\" from \"/home/a/src/main.ts\".",
            ],
        ),
        (
            "ERROR in ./src/index.js 3:0-24\nModule not found: Error: Can't resolve './foo' in '/home/a/src'\n\n\
             webpack 5.90.0 compiled with 1 error in 300 ms\n",
            &["||./src/index.js|Module not found: Error: Can't resolve './foo' in '/home/a/src'"],
        ),
        (
            "✘ [ERROR] Could not resolve \"foo\"\n\n    src/main.ts:1:18:\n      1 │ import {x} from \"foo\"\n        \
             ╵                 ~~~~~\n",
            &["|foo||Could not resolve \"foo\""],
        ),
    ]);
}

#[test]
fn boxes_and_steps_of_builds_are_looked_into() {
    are(&[
        (
            "╷\n│ Error: Reference to undeclared input variable\n│ \n│   on main.tf line 12, in resource \
             \"aws_instance\" \"web\":\n│   12:   instance_type = var.size\n│ \n│ An input variable with the name \
             \"size\" has not been declared. This variable\n│ can be declared with a variable \"size\" {} block.\n╵\n",
            &[
                "|size|main.tf|Reference to undeclared input variable: An input variable with the name \"size\" has not \
               been declared. This variable can be declared with a variable \"size\" {} block.",
            ],
        ),
        (
            "#9 [4/6] RUN npm ci\n#9 2.310 npm error code EUSAGE\n#9 2.311 npm error\n#9 2.311 npm error `npm ci` can \
             only install packages when your package.json and package-lock.json are in sync.\n#9 ERROR: process \
             \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n2.310 npm error code EUSAGE\n2.311 npm \
             error\n2.311 npm error `npm ci` can only install packages when your package.json and package-lock.json \
             are in sync.\nERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit \
             code: 1\n",
            &[
                "EUSAGE|||`npm ci` can only install packages when your package.json and package-lock.json are in sync.",
                "|||failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
            ],
        ),
    ]);
}

#[test]
fn a_log_has_no_codes() {
    assert!(
        faults(
            "E0611 10:11:12.1 123 memcache.go:265] couldn't get current server API group list\n"
        )
        .is_empty()
    );
    assert!(
        faults(
            "➤ YN0000: · Failed with errors in 0s 702ms\n➤ YN0002: │ app doesn't provide react\n"
        )
        .is_empty()
    );
}

#[test]
fn a_staticcheck_and_a_rule_of_a_plugin_are_marks() {
    let marks = |output: &str| {
        faults(output)
            .iter()
            .flat_map(Fault::marks)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        marks("cmd/x.go:3:2: SA4006: this value of err is never used (staticcheck)\n"),
        ["SA4006"]
    );
    let eslint = "/a/App.tsx\n  3:10  error  x is never used  @typescript-eslint/no-unused-vars\n";
    assert_eq!(
        marks(eslint),
        ["@typescript-eslint/no-unused-vars", "no-unused-vars"]
    );
}

#[test]
fn linters_say_it_in_a_line() {
    are(&[
        (
            "README.md:3:81 MD013/line-length Line length [Expected: 80; Actual: 120]\n",
            &["MD013||README.md|Line length [Expected: 80; Actual: 120]"],
        ),
        (
            "src/a.css\n  3:7  ✖  Unexpected unknown property \"colr\"  property-no-unknown\n",
            &["property-no-unknown|colr|src/a.css|Unexpected unknown property \"colr\""],
        ),
        (
            "ERROR 1062 (23000) at line 3: Duplicate entry 'a' for key 'users.email'\n",
            &["1062|a||Duplicate entry 'a' for key 'users.email'"],
        ),
        (
            "# example.com/a\n/usr/bin/ld: cannot find -lsqlite3: No such file or directory\ncollect2: error: ld \
             returned 1 exit status\n",
            &["|-lsqlite3||cannot find -lsqlite3"],
        ),
        (
            "Undefined symbols for architecture arm64:\n  \"_foo\", referenced from:\n      _main in main.o\nld: \
             symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1 (use -v \
             to see invocation)\n",
            &["undefined reference|_foo||referenced from"],
        ),
        (
            "  error: subprocess-exited-with-error\n\n  × Building wheel for foo (pyproject.toml) did not run \
             successfully.\n      error: command 'gcc' failed: No such file or directory\n",
            &["|gcc||command 'gcc' failed: No such file or directory"],
        ),
    ]);
}
