use super::*;

fn tool(line: &str) -> Option<(String, Purpose)> {
    run_of(line).map(|run| (run.tool, run.purpose))
}

#[test]
fn builds_tests_and_checks_are_recognised() {
    for (line, name, purpose) in [
        ("cargo test", "cargo test", Purpose::Test),
        (
            "cd daemon && RUST_LOG=debug cargo +nightly test -p engine 2>&1 | tail -5",
            "cargo test",
            Purpose::Test,
        ),
        (
            "cargo nextest run --release",
            "cargo nextest",
            Purpose::Test,
        ),
        (
            "cargo clippy -- -D warnings",
            "cargo clippy",
            Purpose::Check,
        ),
        ("npm test", "npm test", Purpose::Test),
        ("npm run test", "npm test", Purpose::Test),
        (
            "npm run-script test:unit",
            "npm run test:unit",
            Purpose::Test,
        ),
        ("bun run build", "bun run build", Purpose::Build),
        ("npm run build:prod", "npm run build:prod", Purpose::Build),
        ("pnpm -r typecheck", "pnpm typecheck", Purpose::Check),
        ("yarn test --watch=false", "yarn test", Purpose::Test),
        ("npx tsc --noEmit", "tsc", Purpose::Check),
        (
            "python -m pytest -q tests/test_a.py",
            "pytest",
            Purpose::Test,
        ),
        ("uv run pytest", "pytest", Purpose::Test),
        ("go test ./...", "go test", Purpose::Test),
        ("make -j8", "make", Purpose::Build),
        ("make test", "make", Purpose::Test),
        ("./gradlew :app:test", "./gradlew :app:test", Purpose::Test),
        ("gradle build", "gradle build", Purpose::Build),
        ("../mvnw verify", "../mvnw verify", Purpose::Test),
        ("./test.sh", "./test.sh", Purpose::Test),
        ("sh scripts/test.sh -v", "sh scripts/test.sh", Purpose::Test),
        ("./build.sh --release", "./build.sh", Purpose::Build),
        (
            "bash -x ci/run-tests.sh",
            "bash ci/run-tests.sh",
            Purpose::Test,
        ),
        (
            "cd api && ./scripts/lint_all",
            "./scripts/lint_all",
            Purpose::Check,
        ),
        (
            "ng build --configuration production",
            "ng build",
            Purpose::Build,
        ),
        ("nix build .#app", "nix build", Purpose::Build),
        ("nix flake check", "nix flake check", Purpose::Check),
        ("prove -l t", "prove", Purpose::Test),
        (
            "wasm-pack build --target web",
            "wasm-pack build",
            Purpose::Build,
        ),
        ("trunk build", "trunk build", Purpose::Build),
        ("npx gulp styles", "gulp", Purpose::Build),
        ("grunt test", "grunt", Purpose::Test),
        ("rebar3 eunit", "rebar3 eunit", Purpose::Test),
        ("pants test ::", "pants test", Purpose::Test),
        ("hugo --minify -d public", "hugo", Purpose::Build),
        ("helm lint charts/app", "helm lint", Purpose::Check),
        ("ruff check .", "ruff", Purpose::Check),
        (
            "sudo timeout 60 ./node_modules/.bin/eslint src",
            "eslint",
            Purpose::Check,
        ),
        ("cmake --build build", "cmake --build", Purpose::Build),
        (
            "git commit -m 'cargo test' ; go build ./cmd",
            "go build",
            Purpose::Build,
        ),
        ("pnpm -C web build", "pnpm build", Purpose::Build),
        ("pnpm --dir web build", "pnpm build", Purpose::Build),
        ("pnpm --filter web run build", "pnpm build", Purpose::Build),
        ("pnpm --filter=web exec tsc -b", "tsc", Purpose::Check),
        (
            "npm --prefix web run build",
            "npm run build",
            Purpose::Build,
        ),
        ("npm run -s lint -- --fix", "npm run lint", Purpose::Check),
        ("npm install", "npm install", Purpose::Install),
        ("pnpm i --frozen-lockfile", "pnpm i", Purpose::Install),
        ("npm ci", "npm ci", Purpose::Install),
        ("npm ci && npm t", "npm test", Purpose::Test),
        ("yarn", "yarn install", Purpose::Install),
        ("yarn workspace web build", "yarn build", Purpose::Build),
        ("yarn jest", "jest", Purpose::Test),
        (
            "python3 -m pip install -e .",
            "pip install",
            Purpose::Install,
        ),
        (
            "./gradlew assembleDebug",
            "./gradlew assembleDebug",
            Purpose::Build,
        ),
        (
            "./gradlew :app:assembleRelease",
            "./gradlew :app:assembleRelease",
            Purpose::Build,
        ),
        (
            "./gradlew -x lint testDebugUnitTest",
            "./gradlew testDebugUnitTest",
            Purpose::Test,
        ),
        ("mvn -q -pl core clean verify", "mvn verify", Purpose::Test),
        ("(cd crates && cargo build)", "cargo build", Purpose::Build),
        ("bash -c \"cargo build\"", "cargo build", Purpose::Build),
        (
            "bash -lc 'cd web && npm test 2>&1 | tail -5'",
            "npm test",
            Purpose::Test,
        ),
        ("cargo run --bin app", "cargo run", Purpose::Run),
        ("go run ./cmd", "go run", Purpose::Run),
        ("cargo xtask test", "cargo xtask test", Purpose::Test),
        (
            "turbo run build --filter=web",
            "turbo build",
            Purpose::Build,
        ),
        ("npx -y tsc --noEmit", "tsc", Purpose::Check),
        ("npx -p typescript tsc", "tsc", Purpose::Check),
        ("hatch test", "hatch test", Purpose::Test),
        ("pdm run pytest", "pytest", Purpose::Test),
        ("poetry -C api run pytest", "pytest", Purpose::Test),
        (
            "uv run --with x python -W error -m pytest",
            "pytest",
            Purpose::Test,
        ),
        ("coverage run --source=x -m pytest", "pytest", Purpose::Test),
        ("gotestsum ./...", "gotestsum", Purpose::Test),
        ("prettier --check .", "prettier --check", Purpose::Check),
        ("make -C web -j 8 test", "make", Purpose::Test),
        (
            "timeout -k 5 60 env -u A B=1 cargo -C x check",
            "cargo check",
            Purpose::Check,
        ),
        (
            "docker compose -f a.yml build",
            "docker compose build",
            Purpose::Build,
        ),
        (
            "if cargo build; then echo ok; fi",
            "cargo build",
            Purpose::Build,
        ),
    ] {
        assert_eq!(tool(line), Some((name.to_owned(), purpose)), "{line}");
    }
}

#[test]
fn builds_and_tests_of_other_languages_are_recognised() {
    for (line, name, purpose) in [
        ("composer test", "composer test", Purpose::Test),
        (
            "composer run-script -d api test:unit",
            "composer test:unit",
            Purpose::Test,
        ),
        ("vendor/bin/phpunit --filter X", "phpunit", Purpose::Test),
        ("php artisan test", "php artisan test", Purpose::Test),
        ("flutter test", "flutter test", Purpose::Test),
        ("flutter build apk", "flutter build", Purpose::Build),
        ("dart test -r expanded", "dart test", Purpose::Test),
        (
            "pre-commit run --all-files",
            "pre-commit run",
            Purpose::Check,
        ),
        ("lein test", "lein test", Purpose::Test),
        ("rake", "rake", Purpose::Test),
        ("bundle exec rake test", "rake", Purpose::Test),
        ("bundle exec rspec spec/a_spec.rb", "rspec", Purpose::Test),
        ("ant", "ant", Purpose::Build),
        ("ant -f build.xml test", "ant", Purpose::Test),
        ("mage build", "mage", Purpose::Build),
        ("task -d web test", "task test", Purpose::Test),
        ("task build", "task build", Purpose::Build),
        ("just test", "just", Purpose::Test),
        ("just build", "just", Purpose::Build),
        (
            "python setup.py build",
            "python setup.py build",
            Purpose::Build,
        ),
        (
            "python3 setup.py test",
            "python3 setup.py test",
            Purpose::Test,
        ),
        ("swift test", "swift test", Purpose::Test),
        ("zig build", "zig build", Purpose::Build),
        ("mix test test/a_test.exs:3", "mix test", Purpose::Test),
        ("sbt compile", "sbt compile", Purpose::Build),
        ("deno task test", "deno task test", Purpose::Test),
        ("deno lint", "deno lint", Purpose::Check),
        ("bun test", "bun test", Purpose::Test),
        ("bunx vitest run", "vitest", Purpose::Test),
        ("uvx --python 3.12 ruff check", "ruff", Purpose::Check),
        ("tox -e py312", "tox", Purpose::Test),
        ("nox", "nox", Purpose::Test),
        ("ctest --test-dir b", "ctest", Purpose::Test),
        ("meson test -C b", "meson test", Purpose::Test),
        ("flutter pub get", "flutter pub", Purpose::Install),
    ] {
        assert_eq!(tool(line), Some((name.to_owned(), purpose)), "{line}");
    }
}

#[test]
fn other_commands_are_none() {
    for line in [
        "",
        "ls -la",
        "git log --grep 'cargo test'",
        "echo 'npm test",
        "cat > build.sh <<'END'\ncargo test\nEND",
        "prettier --write .",
        "npm run dev",
        "npm view webpack",
        "yarn --version",
        "cat make",
        "task add buy milk",
        "composer validate",
        "python app.py build",
    ] {
        assert_eq!(tool(line), None, "{line}");
    }
}

#[test]
fn what_a_build_stands_on_is_changed_by_commands() {
    for (line, expected) in [
        (
            "npm install left-pad --save-dev && npm test",
            vec!["npm install left-pad --save-dev"],
        ),
        (
            "rm -rf ./node_modules/ ; sudo npm ci",
            vec!["rm -rf ./node_modules/", "npm ci"],
        ),
        (
            "python3 -m pip install -r requirements.txt",
            vec!["python3 -m pip install -r requirements.txt"],
        ),
        (
            "pip install -e '.[dev]' \"numpy<2\"",
            vec!["pip install -e .[dev] 'numpy<2'"],
        ),
        (
            "pip install --index-url https://me:secret@host/simple a",
            vec!["pip install --index-url https://me:[redacted:address]@host/simple a"],
        ),
        ("cargo update -p serde", vec!["cargo update -p serde"]),
        ("docker compose up -d db", vec!["docker compose up -d db"]),
        (
            "git submodule update --init",
            vec!["git submodule update --init"],
        ),
        (
            "pnpm --filter web add zod",
            vec!["pnpm --filter web add zod"],
        ),
        (
            "npm run build; rm notes.txt; cargo build; git status",
            vec![],
        ),
    ] {
        assert_eq!(menders(line), expected, "{line}");
    }
}

#[test]
fn a_run_covers_a_narrower_failure() {
    let failed = run_of("cargo test -p engine codec")
        .map(|run| run.words)
        .unwrap_or_default();
    let covers = |line: &str| run_of(line).is_some_and(|run| run.covers(&failed));
    assert!(
        covers("cargo test -p engine codec") && covers("cargo test") && covers("cargo test > log")
    );
    assert!(!covers("cargo test -p client") && !covers("cargo build"));
}

#[test]
fn an_installation_with_an_option_more_covers() {
    let failed = run_of("npm install")
        .map(|run| run.words)
        .unwrap_or_default();
    assert!(run_of("npm install --legacy-peer-deps").is_some_and(|run| run.covers(&failed)));
    assert!(run_of("npm install --dry-run").is_some_and(|run| !run.covers(&failed)));
    assert!(run_of("npm install left-pad").is_some_and(|run| !run.covers(&failed)));
}

#[test]
fn it_is_known_what_a_lines_status_and_output_say() {
    let of = |line: &str| {
        run_of(line).map(|run| (run.vouched.success, run.vouched.failure, run.is_filtered))
    };
    assert_eq!(of("cd a && cargo test"), Some((true, true, false)));
    assert_eq!(of("cargo test | tail -3"), Some((false, false, false)));
    assert_eq!(of("cargo test | head"), Some((false, false, true)));
    assert_eq!(
        of("cargo test | grep -E 'ok|FAILED'"),
        Some((false, false, false))
    );
    assert_eq!(
        of("cargo test | grep 'test result: ok'"),
        Some((false, false, true))
    );
    assert_eq!(
        of("bash -c 'cargo test | tail -1' && ls"),
        Some((false, false, false))
    );
    assert_eq!(of("bash -c 'cargo test' && ls"), Some((true, false, false)));
    let directory = |line: &str| run_of(line).and_then(|run| run.directory);
    assert_eq!(
        directory("cd a && bash -c 'cd b; cargo test'").as_deref(),
        Some("a/b")
    );
    assert_eq!(directory("cargo test && cd a"), None);
}

#[test]
fn what_succeeded_before_a_run_is_known_where_it_leads_to_it() {
    let earlier = |line: &str| {
        let runs = run_of(line).map(|run| run.earlier).unwrap_or_default();
        runs.into_iter()
            .map(|run| (run.tool, run.directory))
            .collect::<Vec<_>>()
    };
    let of = |tool: &str, directory: Option<&str>| (tool.to_owned(), directory.map(str::to_owned));
    for line in [
        "cargo build && cargo test",
        "cargo build && cargo test 2>&1 | tail -5",
        "ls; cargo build && cargo test; git status",
        "bash -c 'cargo build' && cargo test",
        "bash -lc 'cargo build && cargo test | tail -1'; ls",
        "cargo build && bash -c 'ls; cargo test'",
    ] {
        assert_eq!(earlier(line), [of("cargo build", None)], "{line}");
    }
    for line in [
        "cargo build; cargo test",
        "cargo build | tail -1 && cargo test",
        "cargo build || cargo test",
        "cargo build & cargo test",
        "bash -c 'cargo build; ls' && cargo test",
        "bash -c 'cargo build | tail -1' && cargo test",
        "! cargo build && cargo test",
        "ls || cargo build && cargo test",
        "cargo test && cargo build --help; cargo test",
    ] {
        assert_eq!(earlier(line), [], "{line}");
    }
    let two = [
        of("npm run build", Some("web")),
        of("npm run lint", Some("web")),
    ];
    assert_eq!(
        earlier("cd web && bash -c 'npm run build && npm run lint' && npm test"),
        two
    );
}

#[test]
fn all_runs_of_a_line_are_known_and_one_counts() {
    let of = |line: &str| {
        let runs = runs_of(line);
        runs.map(|runs| {
            (
                runs.main.tool,
                runs.others
                    .into_iter()
                    .map(|run| run.tool)
                    .collect::<Vec<_>>(),
            )
        })
    };
    let all = |main: &str, others: &[&str]| {
        Some((
            main.to_owned(),
            others
                .iter()
                .map(|tool| (*tool).to_owned())
                .collect::<Vec<_>>(),
        ))
    };
    assert_eq!(
        of("npm ci && npm run lint && npm test"),
        all("npm test", &["npm ci", "npm run lint"])
    );
    assert_eq!(of("cargo test && npm ci"), all("cargo test", &["npm ci"]));
    assert_eq!(
        of("npm ci; pip install -e ."),
        all("pip install", &["npm ci"])
    );
    assert_eq!(of("ls"), None);
}
