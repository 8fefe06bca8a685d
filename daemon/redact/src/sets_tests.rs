#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::string_slice)]
//! How much of two sets of lines is taken out: natural spellings of secrets, and lines that have
//! none.

use std::collections::BTreeSet;
use std::time::Instant;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::rules::{By, Specimen, rules, specimens};
use super::tests::unnamed;
use super::{Entropy, REDACTED, redact_prose, redacted};

/// Most innocent lines that may change, in parts of a hundred.
const CHANGED_MAX_PERCENT: usize = 1;

/// Made-up secrets, as people choose them and as machines do.
const SECRETS: [&str; 4] = ["hunter2", "Winter2024!", "s3cr3t-p4ss", "a1B2c3D4e5F6g7H8"];

/// Phrases, which stand in quotation marks where they have blanks.
const PHRASES: [&str; 4] = [
    "correct horse battery staple",
    "Blue 42 Monkeys dance",
    "purple monkey dishwasher lamp",
    "gravel pond tulip anchor meadow",
];

fn lines(set: &'static str) -> impl Iterator<Item = String> {
    let lines = set
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(|line| line.replace("\\n", "\n").replace("\\t", "\t"))
}

fn prose(text: &str) -> String {
    let mut prose = text.to_owned();
    redact_prose(&mut prose);
    prose
}

#[test]
fn natural_spellings_are_taken_out() {
    let spellings: Vec<String> = lines(include_str!("spellings.txt")).collect();
    let stays = |secret: &str, spelling: &str| {
        // One that only some spellings can give stands in its spelling.
        let own = spelling
            .split_once('«')
            .and_then(|(_, rest)| rest.split_once('»'));
        let secret = own.map_or(secret, |(secret, _)| secret);
        let text = spelling.replace("{}", secret).replace(['«', '»'], "");
        let once = prose(&text);
        assert_eq!(prose(&once), once, "{spelling}");
        // What is plain in people's texts need not be in programs'.
        let said = own.is_none().then(|| redacted(&text).into_owned());
        [Some(once), said]
            .iter()
            .flatten()
            .any(|text| text.contains(secret))
    };
    let missed: Vec<&String> = spellings
        .iter()
        .filter(|spelling| SECRETS.iter().any(|secret| stays(secret, spelling)))
        .collect();
    let taken = spellings.len() - missed.len();
    println!("{taken} of {} spellings taken out", spellings.len());
    assert!(spellings.len() >= 150, "{}", spellings.len());
    assert!(missed.is_empty(), "{missed:#?}");
    for spelling in [
        "the passphrase is {}",
        "The passphrase is now {}.",
        "the passphrase for the backup is {}, do not lose it",
        "my password was {}\n",
        "the password of the vault is {} (since May)",
        "Das Passwort lautet {}",
        "password: \"{}\"",
        "password = '{}'",
        "\"passphrase\": \"{}\"",
        "DB_PASSWORD=\"{}\"",
        "passphrase: {}\n",
    ] {
        let missed: Vec<&&str> = PHRASES
            .iter()
            .filter(|phrase| {
                let is_bare = !spelling.contains('"') && !spelling.contains('\'');
                !(is_bare && phrase.contains('4')) && stays(phrase, spelling)
            })
            .collect();
        assert!(missed.is_empty(), "{spelling}: {missed:?}");
    }
}

#[test]
fn innocent_lines_stay() {
    let mut made = Made(7);
    let lines: Vec<String> = lines(include_str!("innocents.txt"))
        .map(|line| made.filled(&line))
        .collect();
    let changed: Vec<String> = lines
        .iter()
        .map(|line| prose(line))
        .zip(&lines)
        .filter(|(prose, line)| prose != *line)
        .map(|(prose, _)| prose)
        .collect();
    let said: Vec<String> = lines
        .iter()
        .filter(|line| redacted(line) != line.as_str())
        .map(|line| redacted(line).into_owned())
        .collect();
    println!(
        "{} of {} innocent lines changed; {} as what programs say",
        changed.len(),
        lines.len(),
        said.len()
    );
    assert!(lines.len() >= 500, "{}", lines.len());
    assert!(
        changed.len() * 100 <= lines.len() * CHANGED_MAX_PERCENT,
        "{changed:#?}"
    );
    println!("{changed:#?} {said:#?}");
}

/// Texts that a specimen's generator makes, each with the secret in it.
fn canaries(specimen: &Specimen, count: usize) -> Vec<(String, String)> {
    let mut runner = TestRunner::deterministic();
    let samples = proptest::string::string_regex(&specimen.canary).unwrap();
    let mut made = Vec::new();
    for _ in 0..count {
        let text = samples.new_tree(&mut runner).unwrap().current();
        let marked = text
            .split_once('«')
            .and_then(|(_, rest)| rest.split_once('»'));
        let secret = marked
            .map_or(text.as_str(), |(secret, _)| secret)
            .to_owned();
        made.push((text.replace(['«', '»'], ""), secret));
    }
    made
}

#[test]
fn every_rule_finds_its_canaries_and_nothing_in_what_is_innocent() {
    let specimens = specimens().unwrap();
    let mut wrong = Vec::new();
    for specimen in &specimens {
        let name = &specimen.rule;
        let placeholder = format!("[redacted:{name}]");
        for (text, secret) in canaries(specimen, 20) {
            let texts = [
                text.clone(),
                format!("see {text} there"),
                format!("- {text}\n"),
            ];
            for text in texts {
                for kept in [prose(&text), redacted(&text).into_owned()] {
                    if kept.contains(secret.trim()) {
                        wrong.push(format!("{name} misses {text}: {kept}"));
                    } else if !kept.contains(&placeholder) {
                        wrong.push(format!("{name} is not named for {text}: {kept}"));
                    }
                }
            }
        }
        assert!(!specimen.innocent.is_empty(), "{name}");
        for text in &specimen.innocent {
            if prose(text) != *text {
                wrong.push(format!("{name} changes {text}: {}", prose(text)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    let names: BTreeSet<&String> = specimens.iter().map(|specimen| &specimen.rule).collect();
    assert_eq!(names.len(), specimens.len(), "rules share a name");
}

/// Lines without a secret that were collected from many projects.
const COLLECTED: &str = include_str!("../../../tests/fixtures/innocent-lines.txt");

#[test]
fn collected_innocent_lines_stay() {
    let lines: Vec<&str> = COLLECTED.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.len() >= 2_000, "{}", lines.len());
    let changed: Vec<String> = lines
        .iter()
        .filter(|line| prose(line) != **line)
        .map(|line| prose(line))
        .collect();
    let strict = lines
        .iter()
        .filter(|line| changes(line, Entropy::Strict))
        .count();
    let off = lines
        .iter()
        .filter(|line| changes(line, Entropy::Off))
        .count();
    println!(
        "{} of {} collected lines changed; {off} without entropy, {strict} where it is strict",
        changed.len(),
        lines.len()
    );
    println!("{changed:#?}");
    assert!(changed.len() * 100 <= lines.len() * CHANGED_MAX_PERCENT);
}

fn changes(text: &str, entropy: Entropy) -> bool {
    !rules()
        .unwrap()
        .secrets(text, By::Author, entropy)
        .is_empty()
}

#[test]
fn a_random_token_is_a_secret_beside_a_name_or_where_the_tier_is_strict() {
    let mut made = Made(11);
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut found = [0; 3];
    for _ in 0..200 {
        let token = made.of(letters, 40);
        let beside = format!("the token of the bot, made in May, {token} is it");
        let alone = format!("and then {token} came");
        let is_found = [
            changes(&beside, Entropy::Careful),
            changes(&alone, Entropy::Strict),
            changes(&alone, Entropy::Careful) || changes(&beside, Entropy::Off),
        ];
        for (count, is_found) in found.iter_mut().zip(is_found) {
            *count += usize::from(is_found);
        }
    }
    println!("{found:?} of 200 random tokens found");
    let [beside, alone, wrongly] = found;
    assert!(beside >= 196, "{beside}");
    assert!(alone >= 196, "{alone}");
    // By chance a token has a telling word in it.
    assert!(wrongly <= 4, "{wrongly}");
}

#[test]
fn an_innocent_text_costs_little() {
    let mut made = Made(9);
    let lines: Vec<String> = lines(include_str!("innocents.txt"))
        .map(|line| made.filled(&line))
        .collect();
    let code = "    let place = self.places.get(at).ok_or_else(|| Failure::new(\"reading the place\"))?;\n// It is read again at the start, where 12 of 40 are kept.\n";
    let text = &code.repeat(40)[..4_096];
    let mixed = lines.join("\n");
    for (name, text) in [("code", text), ("innocent lines", &mixed[..4_096])] {
        let times = 200_u32;
        prose(text);
        let started = Instant::now();
        (0..times).for_each(|_| assert!(!prose(text).is_empty()));
        println!(
            "4 KiB of {name}: {} µs",
            (started.elapsed() / times).as_micros()
        );
    }
}

/// Makes up text that looks as if a machine had made it.
struct Made(u64);

impl Made {
    fn next(&mut self) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 40).unwrap()
    }

    fn of(&mut self, letters: &[u8], chars: usize) -> String {
        (0..chars)
            .map(|_| char::from(letters[self.next() % letters.len()]))
            .collect()
    }

    /// A line with made-up text in the place of what stands for it.
    fn filled(&mut self, line: &str) -> String {
        let hex = b"0123456789abcdef";
        let base64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut line = line.to_owned();
        for (name, chars) in [("{hex32}", 32), ("{hex40}", 40), ("{hex64}", 64)] {
            line = line.replace(name, &self.of(hex, chars));
        }
        let uuid = [8, 4, 4, 4, 12].map(|chars| self.of(hex, chars)).join("-");
        line = line.replace("{uuid}", &uuid);
        while let Some((before, rest)) = line.split_once("{b64:") {
            let (chars, behind) = rest.split_once('}').unwrap();
            line = format!(
                "{before}{}{behind}",
                self.of(base64, chars.parse().unwrap())
            );
        }
        line
    }
}

#[test]
fn what_was_taken_out_is_marked() {
    assert_eq!(
        unnamed(&prose("Tr0ub4dor&3 is the password")),
        format!("{REDACTED} is the password")
    );
    assert_eq!(
        unnamed(&prose("password: Tr0ub4dor&3")),
        format!("password: {REDACTED}")
    );
    assert_eq!(
        unnamed(&prose("?password=Tr0ub4dor&page=2")),
        format!("?password={REDACTED}&page=2")
    );
    for (text, expected) in [
        ("PGPASSWORD=kalt&warm77 psql", "PGPASSWORD=[redacted] psql"),
        (
            "PGPASSWORD=kaltwarm&&psql -l",
            "PGPASSWORD=[redacted]&&psql -l",
        ),
        ("PASSWORD=hunter22;ls -l", "PASSWORD=[redacted];ls -l"),
        ("Pwd=mond;Licht19!;Timeout=30", "Pwd=[redacted];Timeout=30"),
        (
            "?password=Tr0ub4dor&amp;page=2",
            "?password=[redacted]&amp;page=2",
        ),
    ] {
        assert_eq!(unnamed(&prose(text)), expected);
    }
}
