use super::*;

fn found(line: &str) -> String {
    let shown = |Reading { what, directory }| {
        let directory = directory
            .map(|directory| format!("in {directory}: "))
            .unwrap_or_default();
        match what {
            Read::File(file) => format!("{directory}{file}"),
            Read::Search {
                pattern,
                path: Some(path),
            } => format!("{directory}/{pattern}/ {path}"),
            Read::Search {
                pattern,
                path: None,
            } => format!("{directory}/{pattern}/"),
        }
    };
    readings(line)
        .into_iter()
        .map(shown)
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn files_are_read_by_several_programs() {
    for (line, expected) in [
        ("cat src/a.rs", "src/a.rs"),
        ("cat -n src/a.rs src/b.rs", "src/a.rs, src/b.rs"),
        ("sed -n '1,80p' src/a.rs", "src/a.rs"),
        ("head -n 20 a.py", "a.py"),
        ("head -20 a.py", "a.py"),
        ("tail -n20 'my file.txt'", "my file.txt"),
        ("nl -ba src/a.rs | sed -n '1,80p'", "src/a.rs"),
        ("cat src/a.rs | head -50", "src/a.rs"),
        ("cat app/[id]/page.tsx 2>/dev/null", "app/[id]/page.tsx"),
        ("cd crates/a && cat src/lib.rs", "in crates/a: src/lib.rs"),
        ("pwd; sed -n 1,5p a.rs && sed -n 1,5p b.rs", "a.rs, b.rs"),
        ("cat a.rs; head -20 b.rs c.rs | nl", "a.rs, b.rs, c.rs"),
        ("cat a b c d e f", "a, b, c, d"),
        ("cat a.rs && cd \"$DIR\" && cat b.rs", "a.rs"),
        ("cat a.rs; cat b.rs > c.txt", ""),
        (
            "cd x && bash -c 'cat a.rs; cat b.rs' && rg foo_bar",
            "in x: a.rs, in x: b.rs, in x: /foo_bar/",
        ),
        ("cat src/*.rs a.rs", "a.rs"),
        ("bash -lc \"cd x && cat a.rs\"", "in x: a.rs"),
        ("bat -r 1:20 --paging never src/a.rs", "src/a.rs"),
    ] {
        assert_eq!(found(line), expected, "{line}");
    }
}

#[test]
fn searches_have_a_pattern_and_may_have_a_place() {
    for (line, expected) in [
        ("rg parse_header", "/parse_header/"),
        ("rg -n 'fn\\s+parse_header' src", "/fn\\s+parse_header/ src"),
        (
            "rg -n -trust -g '*.rs' -C 3 parse_header src/a.rs | head -5",
            "/parse_header/ src/a.rs",
        ),
        ("rg --type rust --glob=!target foo_bar a b", "/foo_bar/"),
        ("grep -rn parse_header src/", "/parse_header/ src/"),
        ("grep -rnA3 -- '-> Header' .", "/-> Header/ ."),
        (
            "grep -n 'parse_header(' src/a.rs",
            "/parse_header\\(/ src/a.rs",
        ),
        (
            "grep -rn --include='*.rs' 'parse_header\\|read_rows' src",
            "/parse_header|read_rows/ src",
        ),
        (
            "grep -rnE 'parse_header|read_rows'",
            "/parse_header|read_rows/",
        ),
        ("rg foo_bar src/*.rs", "/foo_bar/"),
    ] {
        assert_eq!(found(line), expected, "{line}");
    }
}

#[test]
fn what_is_not_certain_or_does_more_is_no_reading() {
    for line in [
        "",
        "cargo build",
        "ls src",
        "cat",
        "cat src/a.rs > b.rs",
        "cat a.rs b.rs | sort > c",
        "cat a.rs; rm -rf build",
        "cat a.rs && git push",
        "./run.sh; cat a.rs",
        "cat a.rs && sed -i s/a/b/ a.rs",
        "grep -rn foo_bar . >/dev/null",
        "cat - ",
        "cat $FILE",
        "cat src/*.rs",
        "cat ~/notes.md",
        "cat `which x`",
        "cat > a.rs <<'EOF'\nfn a() {}\nEOF",
        "cat a.rs | wc -l",
        "cat a.rs | xargs rm",
        "git log | grep foo_bar",
        "git show HEAD:a.rs | sed -n 1,5p",
        "test -f a.rs || cat a.rs",
        "if true; then cat a.rs; fi",
        "for f in a b; do cat \"$f\"; done",
        "cd \"$DIR\" && cat a.rs",
        "sed -i 's/a/b/' a.rs",
        "sed 's/a/b/' a.rs",
        "sed -n -i '1p' a.rs",
        "grep foo_bar",
        "grep -v foo_bar a.rs",
        "grep -rf patterns src",
        "rg --files src",
        "rg \"$WHAT\" src",
        "echo cat a.rs",
        "locate foo",
        "git grep -O foo_bar",
        "git grep -e foo_bar --and -e baz_qux",
        "git checkout a.rs && cat a.rs",
        "less -o log a.rs",
        "awk '{print > \"b.rs\"}' a.rs",
        "awk '{print | \"sh\"}' a.rs",
        "awk 'BEGIN{system(\"make\")}' a.rs",
        "awk -i inplace '{print}' a.rs",
        "awk -f all.awk a.rs",
        "cat a.rs; awk '{print > \"b.rs\"}' c",
        "{ cat a.rs; make; }",
        "{ cat a.rs; } > b.rs",
        "{ cat a.rs; } || { cat b.rs; }",
    ] {
        assert_eq!(found(line), "", "{line}");
    }
    assert_eq!(
        found(&format!("cat {}a.rs", "x/".repeat(LINE_MAX_BYTES))),
        ""
    );
}
