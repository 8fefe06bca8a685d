#![allow(clippy::unwrap_used)]
use super::super::command::run_of;
use super::*;

fn all(expected: Verdict, table: &[(&str, &str)]) {
    for (line, output) in table {
        assert_eq!(
            Verdict::of(&run_of(line).unwrap(), output),
            expected,
            "{line}\n{output}"
        );
    }
}

#[test]
fn every_pattern_is_valid() {
    assert!(Words::read().is_some());
}

#[test]
fn compiled_languages_tell_failures() {
    all(
        Verdict::Failed,
        &[
            (
                "cargo build",
                "error[E0382]: borrow of moved value: `x`\n --> a.rs:1:2\n\nerror: could not compile `a` (lib)",
            ),
            (
                "cargo test",
                "test a ... ok\ntest result: ok. 1 passed; 0 failed\ntest result: FAILED. 1 passed; 2 failed; 0 ignored",
            ),
            (
                "cargo nextest run",
                "     Summary [   0.010s] 2 tests run: 1 passed, 1 failed, 0 skipped\nerror: test run failed",
            ),
            (
                "cargo fmt --check",
                "Diff in /w/src/main.rs:1:\n-fn  main() {}\n+fn main() {}",
            ),
            ("cargo fmt --check", "Diff in /w/src/main.rs at line 3:\n-a"),
            (
                "cargo run",
                "    Finished `dev` profile\n     Running `target/debug/a`\nSegmentation fault (core dumped)",
            ),
            (
                "go test ./...",
                "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.003s\nok  \texample.com/b\t0.002s\nFAIL",
            ),
            (
                "go build ./...",
                "# demo\n./queue.go:4:2: undefined: RenewLens",
            ),
            ("go vet ./...", "# demo\nvet: ./a.go:3:2: undefined: x"),
            ("gotestsum", "=== Failed\nDONE 3 tests, 1 failure in 0.3s"),
            (
                "make",
                "cc -c a.c\na.c:3:1: error: unknown type name 'x'\nmake[1]: *** [Makefile:3: a.o] Error 1",
            ),
            (
                "make",
                "bash: line 1: 4711 Segmentation fault      (core dumped) ./a",
            ),
            (
                "ninja",
                "FAILED: a.o\nninja: build stopped: subcommand failed.",
            ),
            (
                "cmake --build b",
                "CMake Error at CMakeLists.txt:3 (find_package):",
            ),
            ("ctest", "67% tests passed, 1 tests failed out of 3"),
            (
                "ctest",
                "\t 38 - test_spool_reconnect (Failed)\nErrors while running CTest",
            ),
            ("ctest -V", "39: [  FAILED  ] Golden.spring (12 ms)"),
            ("ctest", "2/3 Test #2: a ........***Timeout   5.01 sec"),
            (
                "./gradlew build",
                "> Task :app:compileKotlin FAILED\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 2s",
            ),
            (
                "mvn package",
                "[INFO] ------\n[INFO] BUILD FAILURE\n[INFO] ------",
            ),
            (
                "mvn test",
                "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0",
            ),
            (
                "dotnet build",
                "Build FAILED.\n    0 Warning(s)\n    1 Error(s)",
            ),
            (
                "dotnet build",
                "/w/a.cs(3,4): error CS0103: The name 'x' does not exist [/w/a.csproj]",
            ),
            (
                "dotnet test",
                "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3",
            ),
            ("gcc a.c", "1 error generated."),
        ],
    );
}

#[test]
fn scripting_languages_tell_failures() {
    all(
        Verdict::Failed,
        &[
            (
                "pytest",
                "!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!\n1 error in 0.10s",
            ),
            ("pytest -q", "1 passed, 2 errors in 0.30s"),
            ("pytest", "=== 2 failed, 3 passed in 1.2s ==="),
            ("pytest", "F.\n1 failed, 1 passed in 0.02s"),
            (
                "python -m unittest",
                "Ran 3 tests in 0.001s\n\nFAILED (failures=1)",
            ),
            (
                "tox",
                "  py312: FAIL code 1 (1.00 seconds)\n  evaluation failed :( (1.10 seconds)",
            ),
            (
                "npm run build",
                "npm error Lifecycle script `build` failed with error:\nnpm error code 1",
            ),
            (
                "npm install",
                "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree",
            ),
            (
                "pnpm build",
                "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
            ),
            (
                "pnpm build",
                "\u{2009}ELIFECYCLE\u{2009} Command failed with exit code 134.",
            ),
            (
                "pnpm install",
                " ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with \"frozen-lockfile\"",
            ),
            ("yarn build", "error Command failed with exit code 2."),
            (
                "npx vitest run",
                " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 3 passed (4)",
            ),
            (
                "npx vitest run",
                "\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[31m1 failed\x1b[39m\x1b[22m\x1b[2m | \x1b[22m3 passed (4)",
            ),
            ("npx jest", "Tests:       1 failed, 3 passed, 4 total"),
            ("npx jest", "FAIL src/a.test.js\n  ● a › b"),
            ("npx mocha", "  3 passing (5ms)\n  1 failing\n"),
            ("bun test", " 3 pass\n 1 fail\n"),
            ("deno test", "FAILED | 1 passed | 1 failed (10ms)"),
            ("node --test", "ℹ pass 1\nℹ fail 1"),
            (
                "npx vite build",
                "error during build:\n[vite]: Rollup failed to resolve import \"x\"",
            ),
            ("npx next build", "Failed to compile.\n\n./app/page.tsx:3:1"),
            (
                "turbo run build",
                "web:build: error during build:\nweb:build: x",
            ),
            (
                "tsc",
                "src/a.ts(3,4): error TS7006: Parameter 'x' implicitly has an 'any' type.",
            ),
            ("tsc", "Found 1 error in src/a.ts:3"),
            ("eslint .", "✖ 1 problem (1 error, 0 warnings)"),
            (
                "ruff check",
                "pkg/__init__.py:1:20: F401 [*] `os` imported but unused\nFound 1 error.",
            ),
            (
                "mypy .",
                "a.py:1: error: bad  [no-untyped-def]\nFound 1 error in 1 file (checked 3 source files)",
            ),
            (
                "prettier --check .",
                "[warn] a.ts\n[warn] Code style issues found in the above file.",
            ),
            ("bundle exec rspec", "3 examples, 1 failure"),
            (
                "vendor/bin/phpunit",
                "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.",
            ),
            (
                "mix test",
                "Finished in 0.1 seconds\n2 doctests, 5 tests, 1 failure",
            ),
            (
                "lein test",
                "Ran 3 tests containing 5 assertions.\n1 failures, 0 errors.",
            ),
            ("flutter test", "00:02 +3 -1: Some tests failed."),
            (
                "sbt test",
                "[error] Failed tests:\n[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful",
            ),
            (
                "pre-commit run",
                "Trim Trailing Whitespace.................................................Failed\n- hook id: x",
            ),
            ("make test; echo", "exit: 2"),
            ("cargo build; echo", "Exit code 2\nsomething else"),
        ],
    );
}

#[test]
fn successes_are_told_in_the_tools_words() {
    all(
        Verdict::Succeeded,
        &[
            (
                "cargo build",
                "warning: unused variable\n    Finished `dev` profile [unoptimized] target(s) in 0.5s",
            ),
            (
                "cargo clippy",
                "    Finished `release` profile [optimized] target(s) in 3s",
            ),
            (
                "ctest -V",
                "1: [  PASSED  ] 3 tests.\n100% tests passed, 0 tests failed out of 1",
            ),
            (
                "cargo test",
                "test result: ok. 3 passed; 0 failed\nprinted: FAILED ( not at the start",
            ),
            (
                "cargo nextest run",
                "     Summary [   0.010s] 2 tests run: 2 passed, 0 skipped",
            ),
            (
                "go test ./...",
                "ok  \texample.com/a\t0.003s\n?   \texample.com/b\t[no test files]",
            ),
            ("gotestsum", "DONE 3 tests in 0.3s"),
            ("make", "make: Nothing to be done for 'all'."),
            ("ninja", "ninja: no work to do."),
            ("ctest", "100% tests passed, 0 tests failed out of 3"),
            (
                "./gradlew build",
                "BUILD SUCCESSFUL in 2s\n3 actionable tasks: 3 executed",
            ),
            (
                "mvn test",
                "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
            ),
            (
                "dotnet build",
                "Build succeeded.\n    0 Warning(s)\n    0 Error(s)",
            ),
            (
                "dotnet test",
                "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3",
            ),
            (
                "pytest",
                "error: this is what the test prints\n3 passed in 0.1s",
            ),
            ("pytest", "=== 3 passed, 1 warning in 1.2s ==="),
            ("pytest", "=== 1 skipped, 3 passed in 1.2s ==="),
            ("python -m unittest", "Ran 3 tests in 0.001s\n\nOK"),
            ("tox", "  congratulations :) (1.10 seconds)"),
            (
                "npm install",
                "added 3 packages, and audited 4 packages in 1s\nfound 0 vulnerabilities",
            ),
            ("pnpm install", "Done in 1.2s using pnpm v10.1.0"),
            ("pip install x", "Successfully installed x-1.0"),
            (
                "npx vitest run",
                " Test Files  2 passed (2)\n      Tests  4 passed (4)",
            ),
            ("npx jest", "Tests:       1 skipped, 3 passed, 4 total"),
            ("npx mocha", "  3 passing (5ms)"),
            ("bun test", " 3 pass\n 0 fail\n"),
            ("deno test", "ok | 3 passed | 0 failed (5ms)"),
            ("node --test", "ℹ pass 3\nℹ fail 0"),
            (
                "npx vite build",
                "dist/index.html  0.46 kB\n✓ built in 1.2s",
            ),
            (
                "npx next build",
                "✓ Compiled successfully\n✓ Generating static pages (5/5)",
            ),
            ("tsc --watch", "Found 0 errors. Watching for file changes."),
            ("eslint .", "✖ 2 problems (0 errors, 2 warnings)"),
            ("ruff check --fix", "Found 2 errors (2 fixed, 0 remaining)."),
            ("ruff check", "All checks passed!"),
            ("mypy .", "Success: no issues found in 3 source files"),
            (
                "prettier --check .",
                "All matched files use Prettier code style!",
            ),
            ("bundle exec rspec", "3 examples, 0 failures"),
            ("vendor/bin/phpunit", "OK (3 tests, 3 assertions)"),
            ("mix test", "Finished in 0.1 seconds\n5 tests, 0 failures"),
            (
                "lein test",
                "Ran 3 tests containing 5 assertions.\n0 failures, 0 errors.",
            ),
            ("flutter test", "00:02 +3: All tests passed!"),
            ("zig build", "Build Summary: 3/3 steps succeeded"),
            ("sbt test", "[success] Total time: 3 s, completed"),
            (
                "pre-commit run",
                "Trim Trailing Whitespace.................................................Passed",
            ),
        ],
    );
}

#[test]
fn what_nobody_says_is_unknown() {
    all(
        Verdict::Unknown,
        &[
            ("cargo build | grep ^error", ""),
            ("tsc | head -5", ""),
            ("eslint . | tail", "\n"),
            // The compiler is done, the tests are not.
            (
                "cargo test | grep Finished",
                "    Finished `test` profile [unoptimized] target(s) in 0.5s",
            ),
            (
                "cargo test | head -9",
                "test result: ok. 3 passed; 0 failed",
            ),
            (
                "cargo test | grep -c ok",
                "test result: ok. 3 passed; 0 failed",
            ),
            ("cargo run | tail", "    Finished `dev` profile\nHello"),
            ("npm run build", "> web@1.0.0 build\n> vite build"),
            ("pytest | tail -1", "0 failed"),
            (
                "npm test; git status",
                "nothing to commit, working tree clean",
            ),
        ],
    );
}
