//! Breaking running text between words, for a terminal that would break it within them.

use dialoguer::console::measure_text_width;
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// Begins a row of a list, or a line that is marked.
const MARKS: [&str; 2] = ["- ", "> "];

/// The same in Markdown.
const MARKDOWN_MARKS: [&str; 4] = ["- ", "* ", "+ ", "> "];

/// End the number of a row, with the blank behind it.
const NUMBER_ENDS: [&str; 2] = [". ", ") "];

/// Begin and end a block of code in Markdown.
const FENCES: [&str; 2] = ["```", "~~~"];

/// Begins a row of a table in Markdown.
const TABLE_ROW: char = '|';

/// Characters that no line begins with.
const CLOSING: &str = "、。，．：；！？）」』】〉》〕”’…ー,.:;!?)]}\"'";

/// Columns of indentation that make a line code in Markdown, unless it is a row of a list.
const CODE_COLUMNS: usize = 4;

/// How far what follows the first part of a line is indented, in columns: as far as the text behind
/// a mark.
const HANGING_COLUMNS: usize = 2;

/// Breaks every line that is wider than so many columns. What follows stands below the line's own
/// text: a row of a list and a heading hang, an indented line stays where it is. A word that is
/// wider alone stays whole.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    each_line(text, |line| {
        let (own, content) = parted(line);
        let mark = MARKS
            .into_iter()
            .find(|mark| content.starts_with(mark))
            .unwrap_or_default();
        let hangs = own == 0 || !mark.is_empty();
        broken(
            line,
            own,
            mark,
            if hangs { HANGING_COLUMNS } else { 0 },
            width,
        )
    })
}

/// Breaks the lines of a text that somebody wrote, which may be Markdown. Rows of lists hang,
/// running text does not; code and the rows of tables stay as they are.
pub(crate) fn wrapped_prose(text: &str, width: usize) -> String {
    let mut open: Option<&str> = None;
    // The column at which the text of the list's last row begins: a line that begins there goes on
    // with it.
    let mut row_text: Option<usize> = None;
    each_line(text, |line| {
        let (own, content) = parted(line);
        let fence = FENCES.into_iter().find(|fence| content.starts_with(fence));
        let is_code = open.is_some() || fence.is_some();
        match (open, fence) {
            (None, _) => open = fence,
            (Some(opened), Some(fence)) if opened == fence => open = None,
            (Some(_), _) => {}
        }
        let mark = markdown_mark(content);
        if !mark.is_empty() && !is_code {
            row_text = Some(own + mark.len());
        } else if !content.is_empty() {
            row_text = row_text.filter(|column| own >= *column);
        }
        let is_indented = own >= CODE_COLUMNS && row_text != Some(own);
        let is_indented_code = mark.is_empty() && (is_indented || content.starts_with('\t'));
        if is_code || is_indented_code || content.starts_with(TABLE_ROW) {
            return line.to_owned();
        }
        broken(line, own, mark, mark.len(), width)
    })
}

fn each_line(text: &str, change: impl FnMut(&str) -> String) -> String {
    text.split('\n').map(change).collect::<Vec<_>>().join("\n")
}

/// The columns that a line is indented by, and the rest of it.
fn parted(line: &str) -> (usize, &str) {
    let content = line.trim_start_matches(' ');
    (line.len() - content.len(), content)
}

/// Returns the mark that makes a line a row of a list, or a quotation.
fn markdown_mark(content: &str) -> &str {
    let digits = content.len()
        - content
            .trim_start_matches(|character: char| character.is_ascii_digit())
            .len();
    let number = NUMBER_ENDS.into_iter().find(|end| {
        digits > 0
            && content
                .get(digits..)
                .is_some_and(|rest| rest.starts_with(end))
    });
    match number {
        Some(end) => content.get(..digits + end.len()).unwrap_or_default(),
        None => MARKDOWN_MARKS
            .into_iter()
            .find(|mark| content.starts_with(mark))
            .unwrap_or_default(),
    }
}

/// Breaks a line that is indented by `own` columns before its mark. What follows its first part is
/// indented by so many more.
fn broken(line: &str, own: usize, mark: &str, hanging: usize, width: usize) -> String {
    if measure_text_width(line) <= width {
        return line.to_owned();
    }
    let first = " ".repeat(own) + mark;
    let rest = " ".repeat(own + hanging);
    let options = Options::new(width)
        .initial_indent(&first)
        .subsequent_indent(&rest)
        .word_separator(WordSeparator::Custom(words))
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .break_words(false);
    textwrap::wrap(line.get(first.len()..).unwrap_or_default(), options).join("\n")
}

/// The words of a line, and the parts of those that may be broken.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let words = WordSeparator::AsciiSpace.find_words(line);
    Box::new(words.flat_map(|word| {
        let mut parts: Vec<Word<'_>> = pieces(word.word).into_iter().map(Word::from).collect();
        if let Some(last) = parts.last_mut() {
            last.whitespace = word.whitespace;
        }
        parts
    }))
}

/// The parts of a word between which it may be broken: Chinese and Japanese are written without
/// blanks, so before and behind each of their characters, but not before what closes something.
fn pieces(word: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut was_wide = false;
    for (at, character) in word.char_indices() {
        let is_wide =
            !character.is_ascii() && measure_text_width(character.encode_utf8(&mut [0; 4])) > 1;
        if at > 0 && (is_wide || was_wide) && !CLOSING.contains(character) {
            starts.push(at);
        }
        was_wide = is_wide;
    }
    let ends = starts.iter().skip(1).copied().chain([word.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| word.get(*start..end))
        .collect()
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

    #[test]
    fn what_somebody_wrote_is_broken_where_it_runs_on() {
        let text = "The linker needs arm64 on this machine.\n\n12. pass it by hand to each of them\n  * or set it once for all";
        insta::assert_snapshot!(wrapped_prose(text, 24), @r"
        The linker needs arm64
        on this machine.

        12. pass it by hand to
            each of them
          * or set it once for
            all
        ");
    }

    #[test]
    fn a_row_goes_on_where_its_text_begins() {
        let text = "  - pass it by hand\n    to each of them that is called\n\n    and to the others as well\n      \
                    cargo test --workspace --all-targets\nend\n    cargo test --workspace --all-targets";
        insta::assert_snapshot!(wrapped_prose(text, 24), @r"
          - pass it by hand
            to each of them that
            is called

            and to the others as
            well
              cargo test --workspace --all-targets
        end
            cargo test --workspace --all-targets
        ");
    }

    #[test]
    fn wide_characters_are_broken_between() {
        let text = "- 链接器在这台机器上需要架构。否则失败 (arm64)";
        insta::assert_snapshot!(wrapped_prose(text, 16), @r"
        - 链接器在这台机
          器上需要架构。
          否则失败
          (arm64)
        ");
        for line in wrapped(&text.repeat(3), 16).lines() {
            assert!(measure_text_width(line) <= 16, "{line}");
        }
    }

    #[test]
    fn code_and_tables_stay_as_they_are() {
        let text = "~~~sh\ncargo build --target aarch64-apple-darwin\n```\n- a row that is code is never broken\n~~~\n\
                    | a column of a table | and another one |\n    cargo test --workspace --all-targets\n\
                    \tcargo test --workspace --all-targets";
        assert_eq!(wrapped_prose(text, 24), text);
        let open = "```\nwhat nobody ends is code to its very end";
        assert_eq!(wrapped_prose(open, 24), open);
        assert_eq!(
            wrapped_prose("```\na\n```\nand then the text goes on here", 24),
            "```\na\n```\nand then the text goes\non here"
        );
    }
}
