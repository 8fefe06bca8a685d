#![allow(clippy::unwrap_used)]
use super::*;

/// A text whose placeholders do not name their rules.
pub(super) fn unnamed(text: &str) -> String {
    let mut parts = text.split(PLACEHOLDER_START);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, behind) = part.split_once(']').unwrap();
        plain.push_str(REDACTED);
        plain.push_str(behind);
    }
    plain
}

/// A text, and what becomes of it. The secrets are put together here, so that nobody takes them for
/// somebody's.
fn secrets() -> Vec<(String, String)> {
    let of = |before: &str, secret: &str, after: &str| {
        (
            format!("{before}{secret}{after}"),
            format!("{before}{REDACTED}{after}"),
        )
    };
    let hex = "0123456789abcdef".repeat(4);
    let mixed = "a1B2c3D4e5F6g7H8i9J0".repeat(4);
    let some = |chars: usize| mixed.get(..chars).unwrap();
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE{}\n{}\nq8==\n-----END RSA PRIVATE KEY-----",
        some(60),
        some(64)
    );
    let escaped = key.replace('\n', "\\n");
    let truncated = format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n{}\n",
        some(64),
        some(64)
    );
    let jwt = format!("eyJ{}.eyJ{}.{}", some(20), some(40), some(43));
    vec![
        of(
            "error: key AKIA is wrong: ",
            "AKIAIOSFODNN7EXAMPLE",
            " (403)",
        ),
        of(
            "remote: ",
            &format!("ghp_{}", some(36)),
            " is no longer valid",
        ),
        of(
            "token is ",
            &format!("github_pat_{}_{}", some(22), some(59)),
            "",
        ),
        of(
            "git clone https://oauth2:",
            &format!("glpat-{}", some(20)),
            "@gitlab.com/a/b.git",
        ),
        of(
            "slack says invalid_auth for ",
            &format!("xoxb-123456789012-123456789012-{}", some(24)),
            "",
        ),
        of(
            "POST https://",
            &format!("hooks.slack.com/services/T00000000/B00000000/{}", some(24)),
            " 404",
        ),
        of(
            "Incorrect API key provided: ",
            &format!("sk-proj-{}", some(48)),
            ". You can find your key at …",
        ),
        of("key ", &format!("sk-ant-api03-{}", some(60)), ""),
        of(
            "OPENAI says no to ",
            &format!("sk-proj-Ab_cd-{}-e", "XyZ".repeat(15)),
            "",
        ),
        of("stripe: ", &format!("sk_live_{}", some(24)), ""),
        of("google said no to ", &format!("AIza{}", some(35)), ""),
        of("npm error 401 ", &format!("npm_{}", some(36)), ""),
        of("HF: ", &format!("hf_{}", some(34)), ""),
        of("jwt expired: ", &jwt, " at verify"),
        of("could not parse ", &key, "\n  at load"),
        of("value \"", &escaped, "\""),
        of("", truncated.trim_end(), ""),
        of(
            "curl -H 'Authorization: Bearer ",
            "opaque-value",
            "' https://api.example.com",
        ),
        of("> Authorization: Basic ", "dXNlcjpwYXNz", ""),
        of("{\"authorization\": \"token ", "abcdef", "\"}"),
        of("sent bearer ", some(24), " and got 401"),
        of(
            "postgres://app:",
            "hunter2",
            "@db.internal:5432/billing refused",
        ),
        of("redis://:", "s3cr3t", "@cache:6379"),
        of("https://", some(32), "@sentry.example.com/4"),
        of("npm publish --otp=", "123456", " --access public"),
        of("psql --host db --password ", "hunter2", " -c 'select 1'"),
        of("vault login --token=", "plain", ""),
        of("tool --api-key \"", "with words", "\" run"),
        of("curl -s -u admin:", "hunter2", " https://host/x"),
        of("mysql -u root -p", "hunter2", " billing < dump.sql"),
        of("sshpass -p ", "hunter2", " ssh host"),
        of("docker login -u me -p ", "hunter2", " registry.example.com"),
        of("redis-cli -a ", "hunter2", " ping"),
        of("openssl rsa -in k.pem -passin pass:", "hunter2", ""),
        of("FOO_TOKEN=", "abcd", " cargo test"),
        of("export AWS_SECRET_ACCESS_KEY=\"", some(40), "\""),
        of("PGPASSWORD='", "correct-horse", "' psql"),
        of("{\"db_password\": \"", "hunter", "\", \"host\": \"db\"}"),
        of("password: ", "hunter2", ""),
        of("client_secret=", "deadbeef", "&grant_type=x"),
        of("X-Api-Key: ", hex.get(..32).unwrap(), ""),
        of(
            "GET /v1/list?limit=3&access_token=",
            some(16),
            "&page=2 500",
        ),
        of(
            "Endpoint=sb://x/;AccountKey=",
            &format!("{}==", some(40)),
            ";EntityPath=y",
        ),
        of("//registry.example.com/:_authToken=", some(30), ""),
        of("Cookie: ", "sid=abcdef0123; theme=dark", ""),
        of("SECRET_KEY_BASE=", &hex, " rails s"),
    ]
}

/// Texts that look like a secret, stand beside one, or talk of one.
const INNOCENTS: &[&str] = &[
    "commit 4f2d1c0b9a8e7d6c5b4a39281706f5e4d3c2b1a0 is not on any branch",
    "HEAD is now at a0423c6 Say that a daemon is at work",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 does not match",
    "session 123e4567-e89b-12d3-a456-426614174000 is over",
    "error[E0382]: borrow of moved value: `token`",
    "error: expected one of `,` or `}`, found token `;`",
    "SyntaxError: Unexpected token: import (3:5)",
    "SyntaxError: Unexpected token '<', \"<!DOCTYPE\"... is not valid JSON",
    "  --> src/policy/secret.rs:12:5",
    "cannot open ~/.ssh/id_ed25519: No such file or directory",
    "SSH_KEY=/run/secrets/deploy/key ./deploy.sh",
    "cargo test login -p web",
    "pytest tests/login -p no:randomly",
    "mysql -h db -P3307 billing",
    "GITHUB_TOKEN=$GITHUB_TOKEN gh pr list",
    "docker run -e API_KEY -e DB_PASSWORD=\"${DB_PASSWORD}\" app",
    "curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com/v1",
    "password: String,",
    "let token: Token = lexer.next_token();",
    "let api_key = std::env::var(\"API_KEY\")?;",
    "connect(password=settings.DB_PASSWORD, host=host)",
    "TypeError: password must be at least 8 characters",
    "missing field `secret` at line 3 column 9",
    "max_tokens=4096 temperature=0.2",
    "MAX_TOKEN=4096 cargo test",
    "--token-file /etc/token --password-stdin",
    "git clone git@github.com:acme/billing.git",
    "https://github.com/acme/billing/blob/4f2d1c0b9a8e7d6c5b4a39281706f5e4d3c2b1a0/src/a.rs#L3",
    "http://localhost:8080/users/me@example.com",
    "npm ERR! integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "cargo test --package engine --test power_loss -- --nocapture",
    "docker run -u 1000:1000 -p 8080:80 app",
    "mkdir -p target/release && cp -p a b",
    "the bearer of bad news",
    "Bearer authentication is required",
    "task-runner risk-assessment-of-2026-for-everyone sk-learn",
    "expected -----BEGIN PRIVATE KEY----- at the start of the file",
    "postgres://localhost:5432/billing",
    "cookie: must be set",
    "key=value sort_key=name primary_key: id2",
    "USE_PASSWORD=true AUTH_TOKEN= SECRET=null",
    "test policy::redact::tests::a_secret_is_taken_out ... FAILED",
    "assertion `left == right` failed: tokens differ: left: 3, right: 4",
    "bypass: 3 compass=north",
    "integration-id 9b74c9897bac770ffc029102a200c5de",
    "Without `GEMINI_API_KEY`: extraction is skipped",
    "\"encryptionKey\": \"arn:aws:kms:us-west-2:123456789012:alias/aws/s3\"",
];

#[test]
fn secrets_are_taken_out_and_nothing_else() {
    for (text, expected) in secrets() {
        assert_eq!(unnamed(&redacted(&text)), expected, "of {text}");
    }
}

/// Secrets of [`secrets`] that may be words of a sentence.
const PLAIN_WORDS: &[&str] = &["opaque-value", "\"token abcdef", "=plain", "deadbeef"];

/// Secrets where programs say them, and perhaps words in what people write.
const WORDS_OF_PROSE: &[&str] = &[
    "pass --token and --url to the tool, never --password alone",
    "use --password instead of the variable",
    "curl -u user:name shows it",
    "send the header `Authorization: Bearer token`",
    "how-to: the database is postgres://postgres:postgres@localhost:5432/app",
    "DATABASE_URL=mysql://app:app@127.0.0.1/app and POSTGRES_PASSWORD=postgres in compose.yaml",
    "Cookie: session=name is set by the proxy",
    "fetch needs `credentials: 'include'` or \"same-origin\"",
    "GitHub answers \"Bad credentials\": rotate the token; 'invalid password': reset it",
    "existingSecret: \"pg-auth\" and Client(api_key=my_key)",
    "prod DB password: 1Password item billing",
    "DB_PASSWORD=op://Infra/db/password, the other password: vault/kv2/billing and token: ssm:/prod/db1/pw",
    "After login, run `docker run -p 8080:80 app`; then docker login and docker run -p 8080:80 app",
    "the password is wrong, and the token is valid",
    "api_key=YOUR_API_KEY, PASSWORD=changeit and login(username=\"bob\", password=\"wrong\")",
    "run `helixctl login --token TOKEN` with --password PASSWORD or Authorization: Bearer JWT_TOKEN",
];

#[test]
fn people_who_write_of_secrets_give_them_less_often() {
    for text in WORDS_OF_PROSE.iter().chain(INNOCENTS) {
        let mut prose = (*text).to_owned();
        assert_eq!((redact_prose(&mut prose), prose.as_str()), (0, *text));
    }
    // Of what programs say, all but plain words.
    for (text, expected) in secrets() {
        let mut prose = text.clone();
        let count = redact_prose(&mut prose);
        let is_plain_word = PLAIN_WORDS.iter().any(|word| text.contains(word));
        let expected = if is_plain_word {
            (0, text.as_str())
        } else {
            (1, expected.as_str())
        };
        assert_eq!((count, unnamed(&prose).as_str()), expected, "{text}");
    }
    for (text, expected) in [
        (
            "The admin password is Winter2024! on staging.",
            "The admin password is [redacted] on staging.",
        ),
        ("**Password:** hunter2", "**Password:** [redacted]"),
        ("- **api key**: `a1b2c3d4e5`", "- **api key**: `[redacted]`"),
        ("postgres://u:aaa@b1b@h/db", "postgres://u:[redacted]@h/db"),
        (
            "start it with `--password hunter2`",
            "start it with `--password [redacted]`",
        ),
        (
            "start it (--token a1b2c3d4)",
            "start it (--token [redacted])",
        ),
        (
            "`mysql -h db -P3307 -phunter2`",
            "`mysql -h db -P3307 -p[redacted]`",
        ),
    ] {
        let mut prose = text.to_owned();
        assert_eq!(redact_prose(&mut prose), 1, "{text}");
        assert_eq!(unnamed(&prose), expected);
    }
}

#[test]
fn attributes_tell_secrets_by_their_names() {
    let attributes = [
        ("db_password", "hunter2"),
        ("region", "eu-1"),
        ("auth_token", "$TOKEN"),
    ];
    let mut attributes = attributes
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    assert_eq!(redact_attributes(&mut attributes), 1);
    let values: Vec<&str> = attributes.values().map(String::as_str).collect();
    assert_eq!(values, ["$TOKEN", "[redacted:password]", "eu-1"]);
}

#[test]
fn what_is_no_secret_stays() {
    for text in INNOCENTS {
        assert_eq!(redacted(text), *text);
    }
}

#[test]
fn once_is_enough() {
    for (text, _) in secrets() {
        let once = redacted(&text).into_owned();
        assert_eq!(redacted(&once), once);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in ".{0,200}") {
        let once = redacted(&text).into_owned();
        proptest::prop_assert_eq!(redacted(&once), once.as_str());
    }
}

#[test]
fn placeholders_name_the_rule() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    for (text, expected) in [
        (
            format!("password: {token}"),
            "password: [redacted:github-token]",
        ),
        (
            "password: hunter2".to_owned(),
            "password: [redacted:password]",
        ),
        (
            "psql postgres://app:hunter2@db/x".to_owned(),
            "psql postgres://app:[redacted:address]@db/x",
        ),
        (
            "<private>my token</private> ok".to_owned(),
            "[redacted:private] ok",
        ),
    ] {
        assert_eq!(redacted(&text), expected);
    }
}

#[test]
fn a_placeholder_tells_of_no_secret_and_hides_none() {
    for text in [
        "[redacted:token] a1b2c3d4e5f6",
        "use [redacted:password] hunter2x here",
    ] {
        assert_eq!(redacted(text), text);
    }
    let text = "password: [redacted:hunter2] password: hunter3";
    let expected = "password: [redacted:hunter2] password: [redacted:password]";
    assert_eq!(redacted(text), expected);
}

#[test]
fn placeholders_are_found_again() {
    let text = "a [redacted:github-token], [redacted] and [redacted by hand]";
    let found: Vec<&str> = placeholders(text)
        .into_iter()
        .map(|range| text.get(range).unwrap())
        .collect();
    assert_eq!(found, ["[redacted:github-token]", "[redacted]"]);
}

#[test]
fn every_secret_of_a_list_is_taken_out() {
    for (text, secrets) in [
        (
            "recovery codes: 8f3a-9c1d, 77be-01fa, 19ce-5b7d",
            ["8f3a-9c1d", "77be-01fa", "19ce-5b7d"].as_slice(),
        ),
        (
            "credentials: alice:Mangoo6986, bob:Kiwi77zzX",
            &["Mangoo6986", "Kiwi77zzX"],
        ),
        (
            "logins: alice/Mangoo6986 and bob/Kiwi77zzX.",
            &["Mangoo6986", "Kiwi77zzX"],
        ),
    ] {
        let plain = redacted(text);
        for secret in secrets {
            assert!(!plain.contains(secret), "{text}: {plain}");
        }
    }
    let codes: Vec<String> = (10..26).map(|code| format!("a{code}f-9c{code}")).collect();
    let plain = redacted(&format!("recovery codes: {}", codes.join(", "))).into_owned();
    assert!(codes.iter().all(|code| !plain.contains(code)), "{plain}");
    let text = "credentials: alice:Mangoo6986, kept in vault2024 since March";
    assert!(redacted(text).ends_with(", kept in vault2024 since March"));
}

#[test]
fn what_nobody_sees_hides_no_secret() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (start, end) = token.split_at(12);
    for hider in ["\u{200b}", "\u{ad}", "\u{2060}\u{feff}"] {
        let text = format!("push with {start}{hider}{end}\u{200b}, größer");
        let expected = "push with [redacted:github-token]\u{200b}, größer";
        assert_eq!(redacted(&text), expected);
        let text = format!("pass{hider}word: hun{hider}ter2x");
        assert!(!redacted(&text).contains("ter2x"), "{}", redacted(&text));
    }
    let innocent = "a\u{200b}b \u{202e}größer";
    assert_eq!(redacted(innocent), innocent);
}
