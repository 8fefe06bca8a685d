//! Breaking running text between words, for a terminal that would break it within them.

use dialoguer::console::measure_text_width;

/// Begins a row of a list, or a line that is marked.
const MARKS: [&str; 2] = ["- ", "> "];

/// How far what follows the first part of a line is indented, in columns: as far as the text behind a mark.
const HANGING_COLUMNS: usize = 2;

/// Breaks every line that is wider than so many columns. What follows stands below the line's own text: a row of a list and a
/// heading hang, an indented line stays where it is. A word that is wider alone stays whole.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| broken(line, width)).collect();
    lines.join("\n")
}

fn broken(line: &str, width: usize) -> String {
    if measure_text_width(line) <= width {
        return line.to_owned();
    }
    let content = line.trim_start_matches(' ');
    let own = line.len() - content.len();
    let mark = MARKS.into_iter().find(|mark| content.starts_with(mark)).unwrap_or_default();
    let hangs = own == 0 || !mark.is_empty();
    let indent = " ".repeat(own + if hangs { HANGING_COLUMNS } else { 0 });
    let (mut lines, mut last, mut has_word) = (Vec::new(), " ".repeat(own) + mark, false);
    for word in content.strip_prefix(mark).unwrap_or(content).split(' ') {
        if has_word && measure_text_width(&last) + 1 + measure_text_width(word) > width {
            lines.push(std::mem::replace(&mut last, indent.clone()).trim_end().to_owned());
            has_word = false;
        }
        if has_word {
            last.push(' ');
        }
        last.push_str(word);
        // Blanks that part two columns of a heading end where it is broken.
        has_word |= !word.is_empty();
    }
    lines.push(last);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "TOPICS: build (12), cache (3), hook-shim (7)\n- [build/arch] the linker needs arm64 or fails\n\
                    build/arch  2026-11-21  gotcha, project\n    indented text stays indented here\n> a marked line is told from others\nshort";
        insta::assert_snapshot!(wrapped(text, 24), @r"
        TOPICS: build (12),
          cache (3), hook-shim
          (7)
        - [build/arch] the
          linker needs arm64 or
          fails
        build/arch  2026-11-21
          gotcha, project
            indented text stays
            indented here
        > a marked line is told
          from others
        short
        ");
    }

    #[test]
    fn what_fits_and_what_cannot_be_broken_stays() {
        let handle = "- [build-gotchas/pass-arch-arm64-without-xcodebuild]";
        assert_eq!(wrapped(handle, 24), handle);
        assert_eq!(wrapped("a  b\n\n  c\n", 24), "a  b\n\n  c\n");
        assert_eq!(
            wrapped(&format!("see {handle}"), 24),
            "see -\n  [build-gotchas/pass-arch-arm64-without-xcodebuild]"
        );
        assert_eq!(wrapped("", 40), "");
    }
}
