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
            "ERROR: /home/dev/app/server/BUILD.bazel:12:11: Compiling server/main.cc failed: (Exit 1): gcc failed: \
             error executing command\n\nserver/main.cc:9:3: error: use of undeclared identifier 'Frobnicate'\n    9 |   \
             Frobnicate();\nTarget //server:main failed to build\nFAILED: Build did NOT complete successfully\n",
            &["|Frobnicate|server/main.cc|use of undeclared identifier 'Frobnicate'"],
        ),
        (
            "ERROR: /home/dev/app/server/BUILD.bazel:12:11: in cc_binary rule //server:main: target '//lib:secret' is \
             not visible from target '//server:main'\nERROR: Analysis of target '//server:main' failed; build aborted\
             \n",
            &[
                "||/home/dev/app/server/BUILD.bazel|in cc_binary rule //server:main: target '//lib:secret' is not \
               visible from target '//server:main'",
            ],
        ),
        (
            "//server:main_test                                                       FAILED in 0.3s\n  \
             /home/dev/.cache/bazel/testlogs/server/main_test/test.log\n\nExecuted 1 out of 1 test: 1 fails locally.\n",
            &["FAILED|//server:main_test||FAILED"],
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
fn tests_of_swift_and_of_browsers_are_named() {
    are(&[
        (
            "Test Case 'CalcTests.testAdds' started at 2025-01-01 10:00:00.000\n\
             /home/a/Tests/AppTests/CalcTests.swift:9: error: CalcTests.testAdds : XCTAssertEqual failed: (\"3\") is \
             not equal to (\"4\") - \nTest Case 'CalcTests.testAdds' failed (0.1 seconds)\nExecuted 1 test, with 1 \
             failure (0 unexpected) in 0.1 (0.1) seconds\n",
            &[
                "FAILED|CalcTests.testAdds|/home/a/Tests/AppTests/CalcTests.swift|XCTAssertEqual failed: (\"3\") is not \
               equal to (\"4\") -",
            ],
        ),
        (
            "  1) [chromium] › tests/login.spec.ts:3:1 › logs in ────────────────────────────────────────────────\n\n    \
             Error: Timed out 5000ms waiting for expect(locator).toBeVisible()\n\n        at \
             /home/a/web/tests/login.spec.ts:6:42\n\n  1 failed\n    [chromium] › tests/login.spec.ts:3:1 › logs in \
             ────────────────────────────────────────────────\n",
            &[
                "FAILED|logs in|tests/login.spec.ts|Error: Timed out 5000ms waiting for expect(locator).toBeVisible()",
            ],
        ),
        (
            " FAIL  src/a.test.ts > Calc > waits\nError: Test timed out in 5000ms.\nIf this is a long-running test, \
             pass a timeout value as the last argument or configure it globally with \"testTimeout\".\n",
            &["FAILED|Calc > waits|src/a.test.ts|Error: Test timed out in 5000ms."],
        ),
    ]);
}

#[test]
fn checkers_name_their_rules() {
    are(&[
        (
            "/home/a/app/x.py\n  /home/a/app/x.py:12:5 - error: Cannot access attribute \"foo\" for class \"Bar\"\n    \
             Attribute \"foo\" is unknown (reportAttributeAccessIssue)\n1 error, 0 warnings, 0 informations\n",
            &[
                "reportAttributeAccessIssue|foo|/home/a/app/x.py|Cannot access attribute \"foo\" for class \"Bar\"",
            ],
        ),
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
fn packages_and_machines() {
    are(&[
        (
            "➤ YN0000: ┌ Resolution step\n➤ YN0028: │ The lockfile would have been modified by this install, which is \
             explicitly forbidden.\n➤ YN0000: └ Completed in 0s 611ms\n➤ YN0000: · Failed with errors in 0s 702ms\n",
            &[
                "YN0028|||The lockfile would have been modified by this install, which is explicitly forbidden.",
            ],
        ),
        (
            "  × No solution found when resolving dependencies:\n  ╰─▶ Because numpy>=2 depends on python>=3.9 and \
             your project requires numpy>=2, we can conclude that your project's requirements are unsatisfiable.\n",
            &[
                "|||No solution found when resolving dependencies: Because numpy>=2 depends on python>=3.9 and your \
               project requires numpy>=2, we can conclude that your project's requirements are unsatisfiable.",
            ],
        ),
        (
            "Error from server (Forbidden): error when creating \"deploy.yaml\": deployments.apps is forbidden: User \
             \"dev\" cannot create resource \"deployments\" in API group \"apps\" in the namespace \"prod\"\n",
            &[
                "Forbidden|deploy.yaml||error when creating \"deploy.yaml\": deployments.apps is forbidden: User \"dev\" \
               cannot create resource \"deployments\" in API group \"apps\" in the namespace \"prod\"",
            ],
        ),
        (
            "The Deployment \"web\" is invalid: spec.selector: Invalid value: \
             v1.LabelSelector{MatchLabels:map[string]string{\"app\":\"web2\"}}: field is immutable\n",
            &[
                "|web||spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{\"app\":\"web2\"}}: \
               field is immutable",
            ],
        ),
        (
            "TASK [nginx : install nginx] ***************************************************\nfatal: [web1]: FAILED! \
             => {\"changed\": false, \"msg\": \"No package matching 'nginxx' is available\"}\n\n",
            &["|nginxx||No package matching 'nginxx' is available"],
        ),
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
fn languages_and_linters_say_it_in_a_line() {
    are(&[
        (
            "/a/lib/x.rb:5:in `load': undefined method `foo' for nil:NilClass (NoMethodError)\n\tfrom bin/x:3:in \
             `<main>'\n",
            &["NoMethodError|foo|/a/lib/x.rb|undefined method `foo' for nil:NilClass"],
        ),
        (
            "PHP Fatal error:  Uncaught Error: Call to undefined function foo() in /a/x.php:3\nStack trace:\n#0 {main}\
             \n  thrown in /a/x.php on line 3\n",
            &["||/a/x.php|Call to undefined function foo()"],
        ),
        (
            "PHP Parse error:  syntax error, unexpected token \";\" in /a/x.php on line 3\n",
            &["||/a/x.php|syntax error, unexpected token \";\""],
        ),
        (
            "== Compilation error in file lib/a.ex ==\n** (CompileError) lib/a.ex:3: undefined function foo/0 \
             (expected A to define such a function)\n",
            &[
                "CompileError|||lib/a.ex:3: undefined function foo/0 (expected A to define such a function)",
            ],
        ),
        (
            "[error] /a/src/main/scala/A.scala:3:7: not found: value foo\n[error]   foo\n[error]   ^\n[error] one \
             error found\n",
            &["||/a/src/main/scala/A.scala|not found: value foo"],
        ),
        (
            "Analyzing a...\n\n  error - lib/a.dart:3:7 - Undefined name 'foo'. Try correcting the name. - \
             undefined_identifier\n",
            &["undefined_identifier|foo|lib/a.dart|Undefined name 'foo'. Try correcting the name."],
        ),
        (
            "src/Lib.hs:7:9: error: [GHC-88464]\n    Variable not in scope: foo :: Int\n  |\n7 | bar = foo\n  |       \
             ^^^\n",
            &["GHC-88464||src/Lib.hs|Variable not in scope: foo :: Int"],
        ),
        (
            "proto/a.proto:7:3: \"Foo\" is not defined.\n",
            &["|Foo|proto/a.proto|\"Foo\" is not defined."],
        ),
        (
            "app/a.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings.\napp/a.rb:9:1: E: \
             Lint/Syntax: unexpected token kEND\n",
            &[
                "Style/StringLiterals||app/a.rb|Prefer single-quoted strings.",
                "Lint/Syntax||app/a.rb|unexpected token kEND",
            ],
        ),
        (
            "In a.sh line 3:\nrm -rf $x\n       ^-- SC2086 (info): Double quote to prevent globbing and word \
             splitting.\n",
            &["SC2086|||Double quote to prevent globbing and word splitting."],
        ),
        (
            "Dockerfile:3 DL3008 warning: Pin versions in apt get install.\n",
            &["DL3008||Dockerfile|Pin versions in apt get install."],
        ),
        (
            ".github/workflows/ci.yml:7:9: unexpected key \"runs-onn\" for \"job\" section [syntax-check]\n",
            &[
                "syntax-check|runs-onn|.github/workflows/ci.yml|unexpected key \"runs-onn\" for \"job\" section",
            ],
        ),
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
            "/w/src/ring.cpp:31:12: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in \
             type 'int'\n",
            &[
                "|int|/w/src/ring.cpp|signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'",
            ],
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
        (
            "docker: Error response from daemon: Conflict. The container name \"/db\" is already in use by container \
             \"abc\". You have to remove (or rename) that container to be able to reuse that name.\n",
            &[
                "|abc||Conflict. The container name \"/db\" is already in use by container \"abc\". You have to remove \
               (or rename) that container to be able to reuse that name.",
            ],
        ),
    ]);
}
