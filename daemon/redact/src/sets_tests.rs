#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::string_slice)]
//! How much of two sets of lines is taken out: natural spellings of secrets, and lines that have
//! none.

use std::time::Instant;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::rules::shapes;
use super::{REDACTED, redact_prose, redacted};

/// Most innocent lines that may change, in parts of a hundred.
const CHANGED_MAX_PERCENT: usize = 1;

/// Made-up secrets, as people choose them and as machines do.
const SECRETS: [&str; 4] = ["hunter2", "Winter2024!", "s3cr3t-p4ss", "a1B2c3D4e5F6g7H8"];

/// Phrases, which stand in quotation marks where they have blanks.
const PHRASES: [&str; 2] = ["correct horse battery staple", "Blue 42 Monkeys dance"];

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
        let text = spelling.replace("{}", secret);
        [prose(&text), redacted(&text).into_owned()]
            .iter()
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
        "password: \"{}\"",
        "password = '{}'",
        "\"passphrase\": \"{}\"",
        "DB_PASSWORD=\"{}\"",
        "passphrase: {}\n",
    ] {
        let missed: Vec<&&str> = PHRASES
            .iter()
            .filter(|phrase| {
                !(spelling.ends_with('\n') && phrase.contains('4')) && stays(phrase, spelling)
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
    println!("{said:#?}");
}

#[test]
fn every_shape_is_taken_out() {
    let mut runner = TestRunner::deterministic();
    for (kind, pattern) in shapes() {
        let samples = proptest::string::string_regex(&pattern).unwrap();
        let mut made = (0..200).map(|_| samples.new_tree(&mut runner).unwrap().current());
        let has = |text: &str, is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
        let sample = made
            .find(|text| has(text, u8::is_ascii_digit) && has(text, u8::is_ascii_alphabetic))
            .unwrap();
        for text in [
            format!("see {sample} there"),
            format!("deploy_{sample}"),
            format!("\"{sample}\","),
            sample.clone(),
        ] {
            assert!(!prose(&text).contains(&sample), "{kind}: {text}");
            assert!(!redacted(&text).contains(&sample), "{kind}: {text}");
        }
    }
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
        prose("Tr0ub4dor&3 is the password"),
        format!("{REDACTED} is the password")
    );
    assert_eq!(
        prose("password: Tr0ub4dor&3"),
        format!("password: {REDACTED}")
    );
    assert_eq!(
        prose("?password=Tr0ub4dor&page=2"),
        format!("?password={REDACTED}&page=2")
    );
}
