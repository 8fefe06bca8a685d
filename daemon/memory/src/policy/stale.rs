//! Judges whether a memory's source is still what it was: by content, never by time.

use std::fmt;

use crate::model::{Memory, Scope};

impl Memory {
    /// Attribute that holds the scope of the project to whose root a global memory's source is
    /// relative. Callers cannot set it.
    pub const ATTRIBUTE_SOURCE_PROJECT: &str = "helix.source-project";

    /// Attribute that holds the [`LineHash`] of a source's line. Callers cannot set it: its prefix is
    /// reserved.
    pub const ATTRIBUTE_LINE: &str = "helix.line";
}

/// The present state of a memory's source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceState {
    /// Not looked at, or there is nothing to compare with.
    #[default]
    Unknown,
    /// The file or the line is as it was.
    Fresh,
    /// The file differs, and the line stands at this number by now.
    Moved(u32),
    /// The file differs, and the line is not in it any more.
    Changed,
    /// The file is gone.
    Deleted,
}

impl SourceState {
    /// Most confidence that a memory has whose source changed or is gone.
    pub const CONFIDENCE_MAX: f32 = 0.7;

    /// Returns whether the memory may be wrong by now.
    #[must_use]
    pub const fn is_stale(self) -> bool {
        match self {
            Self::Changed | Self::Deleted => true,
            Self::Unknown | Self::Fresh | Self::Moved(_) => false,
        }
    }

    /// Where the line is by now, if that is another number than it had.
    #[must_use]
    pub const fn moved_to(self) -> Option<u32> {
        match self {
            Self::Moved(number) => Some(number),
            Self::Unknown | Self::Fresh | Self::Changed | Self::Deleted => None,
        }
    }

    /// Returns the mark behind the memory in a text for readers; `None` when there is nothing to
    /// say.
    #[must_use]
    pub const fn mark(self) -> Option<&'static str> {
        match self {
            Self::Changed => Some("(source changed)"),
            Self::Deleted => Some("(source deleted)"),
            Self::Unknown | Self::Fresh | Self::Moved(_) => None,
        }
    }

    /// The confidence that is left of `confidence`.
    #[must_use]
    pub const fn cap(self, confidence: f32) -> f32 {
        if self.is_stale() {
            confidence.min(SourceState::CONFIDENCE_MAX)
        } else {
            confidence
        }
    }
}

/// Looks at the files that memories are about.
pub trait Sources {
    /// Says what has become of a memory's source.
    fn state(&self, memory: &Memory) -> SourceState;

    /// Says which memories are asked about next, so that their files can be looked at together.
    fn prepare(&self, _: &mut dyn Iterator<Item = &Memory>) {}
}

/// Looks at no file: every source is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl Sources for NoSources {
    fn state(&self, _: &Memory) -> SourceState {
        SourceState::Unknown
    }
}

/// Hash of a line's text without the white space around it: the first eight bytes of its BLAKE3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineHash(u64);

impl LineHash {
    /// Hashes a line. A blank one says nothing about a place, so it has none.
    #[must_use]
    pub fn of(line: &[u8]) -> Option<Self> {
        let text = line.trim_ascii();
        if text.is_empty() {
            return None;
        }
        let hash = blake3::hash(text);
        let first = hash.as_bytes().first_chunk().copied().unwrap_or_default();
        Some(Self(u64::from_be_bytes(first)))
    }

    /// Hashes the line with this 1-based number; `None` when it is blank or the file is shorter.
    #[must_use]
    pub fn of_number(bytes: &[u8], number: u32) -> Option<Self> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        Self::of(LineHash::lines(bytes).nth(index)?)
    }

    /// Reads the hexadecimal digits that [`fmt::Display`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().map(Self)
    }

    /// The lines of a file, without what ends them.
    pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        // What follows the last line's end is not a line.
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        text.split(|&byte| byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The hashes and numbers of a file's lines, sorted, for `File::lines`.
    #[must_use]
    pub fn places(bytes: &[u8]) -> Vec<(LineHash, u32)> {
        let places = LineHash::lines(bytes)
            .zip(1_u32..)
            .filter_map(|(line, number)| Some((LineHash::of(line)?, number)));
        let mut places: Vec<LinePlace> = places.collect();
        places.sort_unstable();
        places
    }

    /// Where a line with this hash is now, 1-based: the one nearest to where it was.
    #[must_use]
    pub fn nearest(bytes: &[u8], hash: LineHash, was: u32) -> Option<u32> {
        let places = LineHash::lines(bytes)
            .zip(1_u32..)
            .filter(|(line, _)| LineHash::of(line) == Some(hash));
        nearest(places.map(|(_, number)| number), was)
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A line's hash, and its 1-based number.
type LinePlace = (LineHash, u32);

fn nearest(numbers: impl Iterator<Item = u32>, was: u32) -> Option<u32> {
    numbers.min_by_key(|number| number.abs_diff(was))
}

impl Scope {
    /// The scope of the project to whose root a memory's source is relative: its own, or for a global
    /// memory the one that was `recorded` in [`Memory::ATTRIBUTE_SOURCE_PROJECT`]. Without a record it is
    /// global, and nobody knows where the source is.
    #[must_use]
    pub fn of_source(&self, recorded: Option<&str>) -> Scope {
        let recorded = recorded
            .filter(|_| *self == Scope::Global)
            .and_then(|text| Scope::parse(text).ok());
        recorded
            .filter(|project| matches!(project, Scope::Project(_)))
            .unwrap_or_else(|| self.clone())
    }
}

/// The record of a source, made when the memory was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// BLAKE3 of the file; `None` when it could not be read.
    pub content: Option<[u8; 32]>,
    /// The line that the memory is about.
    pub line: Option<LineHash>,
    /// The number that it had, 1-based.
    pub number: Option<u32>,
}

impl Recorded {
    /// Returns the record of a memory's source; `None` when it has none.
    #[must_use]
    pub fn of(memory: &Memory) -> Option<Self> {
        let source = memory.source.as_ref()?;
        let line = memory
            .attributes
            .get(Memory::ATTRIBUTE_LINE)
            .and_then(|text| LineHash::parse(text));
        Some(Self {
            content: source.content_hash,
            line,
            number: source.line,
        })
    }

    /// Returns whether the file's lines must be known besides its content hash.
    #[must_use]
    pub fn needs_lines(&self, content: &[u8; 32]) -> bool {
        self.line.is_some() && self.content.is_some_and(|recorded| recorded != *content)
    }

    /// Returns what has become of a source whose file is gone.
    #[must_use]
    pub fn without_file(&self) -> SourceState {
        self.decide(Found::Gone)
    }

    /// Returns what has become of a source whose file has this hash, and these lines from
    /// [`LineHash::places`]; they may be empty unless [`Recorded::needs_lines`].
    #[must_use]
    pub fn beside(&self, content: [u8; 32], lines: &[(LineHash, u32)]) -> SourceState {
        self.decide(Found::File(File { content, lines }))
    }

    /// Decides what has become of a source. A line that moved is as good as one that did not: its text
    /// is still there.
    fn decide(&self, found: Found<'_>) -> SourceState {
        let Some(content) = self.content else {
            return SourceState::Unknown;
        };
        match (found, self.line) {
            (Found::Gone, _) => SourceState::Deleted,
            (Found::File(file), _) if file.content == content => SourceState::Fresh,
            (Found::File(file), Some(line)) => match file.find(line, self.number.unwrap_or(1)) {
                Some(number) if self.number.is_some_and(|was| was != number) => {
                    SourceState::Moved(number)
                }
                Some(_) => SourceState::Fresh,
                None => SourceState::Changed,
            },
            (Found::File(_), None) => SourceState::Changed,
        }
    }
}

/// The text found where the source was.
#[derive(Clone, Copy, Debug)]
enum Found<'a> {
    /// No file.
    Gone,
    /// A file.
    File(File<'a>),
}

/// A file as it is now.
#[derive(Clone, Copy, Debug)]
struct File<'a> {
    /// BLAKE3 of its bytes.
    content: [u8; 32],
    /// From [`LineHash::places`]; may be empty unless [`Recorded::needs_lines`].
    lines: &'a [LinePlace],
}

impl File<'_> {
    /// Where a line is, nearest to where it was.
    fn find(&self, line: LineHash, was: u32) -> Option<u32> {
        let first = self.lines.partition_point(|(hash, _)| *hash < line);
        let same = self
            .lines
            .iter()
            .skip(first)
            .take_while(|(hash, _)| *hash == line);
        nearest(same.map(|(_, number)| *number), was)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = "fn main() {\n    let a = 1;\n\n    run(a);\n}\n";

    fn record(text: &str, line: Option<u32>) -> Recorded {
        Recorded {
            content: Some(*blake3::hash(text.as_bytes()).as_bytes()),
            line: line.and_then(|line| LineHash::of_number(text.as_bytes(), line)),
            number: line,
        }
    }

    fn check(recorded: &Recorded, now: &str) -> SourceState {
        let content = *blake3::hash(now.as_bytes()).as_bytes();
        Recorded::decide(
            recorded,
            Found::File(File {
                content,
                lines: &LineHash::places(now.as_bytes()),
            }),
        )
    }

    #[test]
    fn a_moved_line_is_found_and_an_edited_one_is_not() {
        let about_run = record(FILE, Some(4));
        assert_eq!(check(&about_run, FILE), SourceState::Fresh);
        let moved = "// new\n\nfn main() {\n    if true {\n        run(a);\n    }\n}";
        assert_eq!(check(&about_run, moved), SourceState::Moved(5));
        assert!(!SourceState::Moved(5).is_stale() && SourceState::Moved(5).mark().is_none());
        let unnumbered = Recorded {
            number: None,
            ..about_run
        };
        assert_eq!(check(&unnumbered, moved), SourceState::Fresh);
        let repeated = format!("// new\n{FILE}{FILE}");
        assert_eq!(
            check(&about_run, &repeated),
            SourceState::Moved(5),
            "the nearest"
        );
        assert_eq!(
            check(&about_run, &format!("{FILE}{FILE}")),
            SourceState::Fresh
        );
        assert_eq!(
            check(&about_run, &FILE.replace("run(a)", "run(b)")),
            SourceState::Changed
        );
    }

    #[test]
    fn without_a_line_any_change_counts() {
        assert_eq!(check(&record(FILE, None), FILE), SourceState::Fresh);
        assert_eq!(
            check(&record(FILE, None), &format!("{FILE} ")),
            SourceState::Changed
        );
        // A blank line and one behind the end are as good as none.
        for line in [3, 6, 99] {
            assert_eq!(
                check(&record(FILE, Some(line)), &format!("\n{FILE}")),
                SourceState::Changed,
                "{line}"
            );
        }
    }

    #[test]
    fn line_ends_are_not_part_of_a_line() {
        let about_run = record(FILE, Some(4));
        assert_eq!(
            check(&about_run, &FILE.replace('\n', "\r\n")),
            SourceState::Fresh
        );
        let last = record("a\nlast", Some(2));
        assert_eq!(last.line, LineHash::of(b"last\r"));
        assert_eq!(check(&last, "a\nlast\n"), SourceState::Fresh);
        assert_eq!(check(&last, "last\r\n"), SourceState::Moved(1));
    }

    #[test]
    fn gone_is_deleted_and_the_unseen_unknown() {
        let recorded = record(FILE, Some(4));
        assert_eq!(recorded.decide(Found::Gone), SourceState::Deleted);
        let unread = Recorded {
            content: None,
            ..recorded
        };
        assert_eq!(unread.decide(Found::Gone), SourceState::Unknown);
        assert_eq!(check(&unread, FILE), SourceState::Unknown);
    }

    #[test]
    fn a_global_source_belongs_to_the_project_that_was_recorded() {
        let (own, other) = (Scope::Project("a".into()), Scope::Project("b".into()));
        assert_eq!(Scope::of_source(&Scope::Global, Some("project:a")), own);
        assert_eq!(other.of_source(Some("project:a")), other);
        for recorded in [None, Some("global"), Some("session:a"), Some("nonsense")] {
            assert_eq!(Scope::of_source(&Scope::Global, recorded), Scope::Global);
        }
    }

    #[test]
    fn stale_memories_are_doubted() {
        for (state, confidence) in [
            (SourceState::Changed, 0.7),
            (SourceState::Deleted, 0.7),
            (SourceState::Fresh, 1.0),
            (SourceState::Moved(2), 1.0),
        ] {
            assert!((state.cap(1.0) - confidence).abs() < f32::EPSILON);
            assert!((state.cap(0.2) - 0.2).abs() < f32::EPSILON);
        }
    }

    #[test]
    fn the_nearest_of_several_lines_is_meant() {
        let text = b"}\na\n}\nb\n}\n";
        let brace = LineHash::of(b"}").unwrap();
        assert_eq!(LineHash::nearest(text, brace, 4), Some(3));
        assert_eq!(LineHash::nearest(text, brace, 99), Some(5));
        assert_eq!(
            LineHash::nearest(text, LineHash::of(b"c").unwrap(), 1),
            None
        );
    }

    proptest! {
        #[test]
        fn hashes_round_trip_and_ignore_indentation(line in "[a-z(){};]{1,20}", indent in "[ \t]{0,8}") {
            let hash = LineHash::of(line.as_bytes()).unwrap();
            prop_assert_eq!(LineHash::parse(&hash.to_string()), Some(hash));
            prop_assert_eq!(LineHash::of(format!("{indent}{line}\r").as_bytes()), Some(hash));
        }

        #[test]
        fn a_line_is_followed_exactly_while_it_is_there(
            before in prop::collection::vec("[a-d]{0,2}", 1..12),
            after in prop::collection::vec("[a-d]{0,2}", 0..12),
            at in any::<prop::sample::Index>(),
        ) {
            let number = at.index(before.len());
            let (text, now) = (before.join("\n"), after.join("\n"));
            let recorded = record(&text, u32::try_from(number + 1).ok());
            let line = before.get(number).unwrap();
            let is_there = text == now || (!line.is_empty() && after.contains(line));
            let state = check(&recorded, &now);
            prop_assert_eq!(matches!(state, SourceState::Fresh | SourceState::Moved(_)), is_there);
            if let Some(moved) = state.moved_to() {
                prop_assert_eq!(after.get(moved as usize - 1), Some(line));
            }
        }
    }
}
