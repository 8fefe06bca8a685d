use super::*;

fn words(line: &str) -> Vec<String> {
    Line::read(line)
        .commands
        .iter()
        .map(|command| command.words.join(" "))
        .collect()
}

fn vouched(line: &str) -> (bool, bool) {
    let line = Line::read(line);
    let at = line
        .commands
        .iter()
        .position(|command| command.words == ["b"]);
    let Vouched { success, failure } = line.vouched(at.unwrap_or(usize::MAX));
    (success, failure)
}

#[test]
fn lines_are_taken_apart() {
    for (line, expected) in [
        (
            "a 'b && c' \"d | e\" f\\ g;h",
            vec!["a b && c d | e f g", "h"],
        ),
        ("a&&b||c|d&e", vec!["a", "b", "c", "d", "e"]),
        (
            "a 2>&1 | tee log.txt > /dev/null &> x",
            vec!["a", "tee log.txt"],
        ),
        ("(cd x && a --y) # why\nb", vec!["cd x", "a --y", "b"]),
        ("cat > a.sh <<'END'\ncargo test\nEND\nb", vec!["cat", "b"]),
        (
            "cat <<< text && echo $(cargo test; ls) `b; c`",
            vec!["cat", "echo $(cargo test; ls) `b; c`"],
        ),
        ("a \\\n  b\n\n\nc 'open", vec!["a b", "c open"]),
        ("diff <(a) <(b | c)", vec!["diff <(a) <(b | c)"]),
        ("", vec![]),
    ] {
        assert_eq!(words(line), expected, "{line}");
    }
}

#[test]
fn redirections_and_documents_are_known() {
    let line = Line::read(
        "cat > 'a.rs' <<'END'\nfn a() {}\n\nEND\nb 2>err >>log 2>&1 <in; c &> all\nd <<< x <<-E\n\ty\nE\n",
    );
    let told: Vec<String> = line
        .commands
        .iter()
        .map(|command| {
            let (input, document) = (command.input.as_deref().unwrap_or("-"), command.document);
            let document = document
                .and_then(|at| line.documents.get(at))
                .map_or("-", |text| text.as_str());
            format!(
                "{} > {} < {input} << {document}",
                command.words.join(" "),
                command.outputs.join(" ")
            )
        })
        .collect();
    let expected = [
        "cat > a.rs < - << fn a() {}\n\n",
        "b > log < in << -",
        "c > all < - << -",
        "d >  < - << \ty\n",
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_status_is_vouched_for_by_the_lines_own() {
    for line in [
        "b",
        "b;",
        "cd x && b",
        "a; b",
        "a | b",
        "(cd x && b)",
        "b # | c",
        "b 2>&1 > log\n",
    ] {
        assert_eq!(vouched(line), (true, true), "{line}");
    }
    assert_eq!(vouched("b && c"), (true, false));
    assert_eq!(vouched("a || b"), (false, true));
    for line in [
        "b | c",
        "b || true",
        "b; c",
        "b\nc",
        "b &",
        "(b) | c",
        "! b",
        "if b; then c; fi",
        "b & wait",
        "x",
    ] {
        assert!(!vouched(line).0, "{line}");
    }
    assert!(!vouched("a || (c; b)").0);
}

#[test]
fn a_command_leads_to_what_runs_only_if_it_succeeded() {
    let leads = |line: &str| {
        let line = Line::read(line);
        let place = |name: &str| {
            line.commands
                .iter()
                .position(|command| command.words == [name])
        };
        line.leads(
            place("a").unwrap_or(usize::MAX),
            place("b").unwrap_or_default(),
        )
    };
    for line in [
        "a && b",
        "a && x && b",
        "x; a && b",
        "x | a && b",
        "a && b | x",
        "a && b || x; y",
        "a && b &",
        "(a && b)",
        "a &&\nb",
        "a && ! b",
        "a && if b; then x; fi",
        "a 2>&1 > log && b; x",
    ] {
        assert!(leads(line), "{line}");
    }
    for line in [
        "a; b",
        "a | b",
        "a || b",
        "a & b",
        "a\nb",
        "b && a",
        "a && x; b",
        "a && x || b",
        "a | x && b",
        "! a && b",
        "if a && b; then x; fi",
        "x || a && b",
        "x || (y; a && b)",
        "(a; x) && b",
        "a",
        "b",
    ] {
        assert!(!leads(line), "{line}");
    }
}

#[test]
fn filters_are_what_the_output_goes_through() {
    let line = Line::read("a && b | grep x | head -1; c");
    let names: Vec<&str> = line
        .filters(1)
        .iter()
        .filter_map(|filter| filter.words.first())
        .map(String::as_str)
        .collect();
    assert_eq!(names, ["grep", "head"]);
    assert!(line.filters(0).is_empty() && line.filters(3).is_empty());
}
