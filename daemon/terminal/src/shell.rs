//! A shell line as the commands that it runs and what joins them.
//!
//! Enough of a shell's grammar to tell whose exit status a line's is. What is not understood is
//! taken for words, and a line in which groups and alternatives mix vouches for nothing.

use std::iter::Peekable;
use std::ops::Range;
use std::str::Chars;

/// Words with which a command may begin that belong to a compound one.
const KEYWORDS: &[&str] = &[
    "{", "if", "then", "elif", "else", "while", "until", "do", "!",
];

/// What stands between a command and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
    /// `;` or the end of a line.
    Then,
    /// `&`
    Beside,
}

/// One command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    /// Its words, unquoted, without redirections.
    pub(crate) words: Vec<String>,
    /// What joins it to the next one; `None` at the end of the line.
    pub(crate) joint: Option<Joint>,
    /// The files that its output goes to.
    pub(crate) outputs: Vec<String>,
    /// The file that it reads as its input.
    pub(crate) input: Option<String>,
    /// The place of the document that it reads as its input, among those of the line.
    pub(crate) document: Option<usize>,
    /// Whether it is the condition or the body of a compound command, or negated.
    is_inner: bool,
}

/// What the exit status of a whole line says of one of its commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vouched {
    /// A line that succeeded ran it, and it succeeded.
    pub success: bool,
    /// A line that failed failed by it.
    pub failure: bool,
}

impl Vouched {
    /// Returns what both say.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            success: self.success && other.success,
            failure: self.failure && other.failure,
        }
    }
}

/// A line of several commands.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Its commands, in order; none is empty.
    pub(crate) commands: Vec<Simple>,
    /// The documents that stand in it.
    pub(crate) documents: Vec<String>,
    has_groups: bool,
}

impl Line {
    /// Reads a line.
    pub(crate) fn read(text: &str) -> Self {
        let mut reader = Reader::of(text);
        reader.read();
        let mut line = reader.line;
        if let Some(last) = line.commands.last_mut()
            && last.joint == Some(Joint::Then)
        {
            last.joint = None;
        }
        line
    }

    /// Returns what the line's exit status says of its command at a place.
    pub(crate) fn vouched(&self, at: usize) -> Vouched {
        let is_inner = self.commands.get(at).is_none_or(|command| command.is_inner);
        let mut after = self.joints(at..self.commands.len());
        Vouched {
            success: !is_inner
                && !self.is_alternative(at)
                && after.clone().all(|joint| joint == Joint::And),
            failure: !is_inner && after.next().is_none(),
        }
    }

    /// Returns whether the command at a place succeeded if the later one ran at all.
    pub(crate) fn leads(&self, at: usize, later: usize) -> bool {
        let is_inner = self.commands.get(at).is_none_or(|command| command.is_inner);
        at < later
            && !is_inner
            && !self.is_alternative(at)
            && self.joints(at..later).all(|joint| joint == Joint::And)
    }

    /// Returns whether the command at a place may be passed over by a line that goes on behind it.
    fn is_alternative(&self, at: usize) -> bool {
        let mut before = self.joints(0..at).rev();
        if self.has_groups {
            return before.any(|joint| joint == Joint::Or);
        }
        before
            .take_while(|joint| !matches!(joint, Joint::Then | Joint::Beside))
            .any(|joint| joint == Joint::Or)
    }

    /// Returns whether the command at a place runs whatever others before it did, unless one of
    /// them ended the line.
    pub(crate) fn runs_in_any_case(&self, at: usize) -> bool {
        self.commands
            .get(at)
            .is_some_and(|command| !command.is_inner)
            && !self.is_alternative(at)
    }

    /// Returns whether the output of another command is piped into the one at a place.
    pub(crate) fn is_piped_to(&self, at: usize) -> bool {
        at.checked_sub(1)
            .and_then(|before| self.commands.get(before)?.joint)
            == Some(Joint::Pipe)
    }

    /// Returns what stands behind each command of a range.
    fn joints(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = Joint> + Clone {
        self.commands
            .get(range)
            .unwrap_or_default()
            .iter()
            .filter_map(|command| command.joint)
    }

    /// The commands that the output of the one at a place is piped through.
    pub(crate) fn filters(&self, at: usize) -> &[Simple] {
        let piped = self
            .commands
            .iter()
            .skip(at)
            .take_while(|command| command.joint == Some(Joint::Pipe))
            .count();
        self.commands.get(at + 1..=at + piped).unwrap_or_default()
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: Line,
    command: Simple,
    word: Option<String>,
    is_quoted: bool,
    /// What ends the documents that begin after this line of the text.
    documents: Vec<String>,
}

impl<'a> Reader<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            rest: text.chars().peekable(),
            line: Line::default(),
            command: Simple::default(),
            word: None,
            is_quoted: false,
            documents: Vec::new(),
        }
    }

    fn read(&mut self) {
        while let Some(next) = self.rest.next() {
            match next {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => {
                    self.end_command(Joint::Then);
                    self.skip_documents();
                }
                '#' if self.word.is_none() => {
                    while self.rest.next_if(|next| *next != '\n').is_some() {}
                }
                '\\' => self.escaped(),
                '\'' => self.quoted_singly(),
                '"' => self.quoted_doubly(),
                '`' => self.substituted('`'),
                '$' | '<' | '>' if self.rest.peek() == Some(&'(') => self.nested(next),
                '<' | '>' => self.redirected(next),
                '&' if self.rest.peek() == Some(&'>') => {
                    self.end_word();
                    self.rest.next();
                    self.redirected('>');
                }
                '(' | ')' => {
                    self.line.has_groups = true;
                    self.end_word();
                }
                ';' => self.end_command(Joint::Then),
                '&' if self.rest.next_if_eq(&'&').is_some() => self.end_command(Joint::And),
                '&' => self.end_command(Joint::Beside),
                '|' if self.rest.next_if_eq(&'|').is_some() => self.end_command(Joint::Or),
                '|' => {
                    self.rest.next_if_eq(&'&');
                    self.end_command(Joint::Pipe);
                }
                other => self.push(other),
            }
        }
        self.end_command(Joint::Then);
    }

    fn push(&mut self, next: char) {
        self.word.get_or_insert_default().push(next);
    }

    fn escaped(&mut self) {
        match self.rest.next() {
            Some('\n') | None => {}
            Some(next) => self.push(next),
        }
    }

    fn quoted_singly(&mut self) {
        self.begin_quoted();
        while let Some(next) = self.rest.next_if(|next| *next != '\'') {
            self.push(next);
        }
        self.rest.next();
    }

    fn quoted_doubly(&mut self) {
        self.begin_quoted();
        while let Some(next) = self.rest.next() {
            match next {
                '"' => return,
                '\\' => {
                    let escaped = self
                        .rest
                        .next_if(|next| matches!(next, '"' | '\\' | '$' | '`' | '\n'));
                    match escaped {
                        Some('\n') => {}
                        escaped => self.push(escaped.unwrap_or('\\')),
                    }
                }
                other => self.push(other),
            }
        }
    }

    fn begin_quoted(&mut self) {
        self.is_quoted = true;
        self.word.get_or_insert_default();
    }

    fn substituted(&mut self, end: char) {
        self.push(end);
        while let Some(next) = self.rest.next() {
            self.push(next);
            if next == end {
                return;
            }
        }
    }

    /// A substitution is a part of the word that it stands in.
    fn nested(&mut self, start: char) {
        self.push(start);
        let mut depth = 0_usize;
        while let Some(next) = self.rest.next() {
            self.push(next);
            match next {
                '(' => depth += 1,
                ')' if depth <= 1 => return,
                ')' => depth -= 1,
                _ => {}
            }
        }
    }

    /// Where the output goes is not what the command does.
    fn redirected(&mut self, kind: char) {
        let is_descriptor = self
            .word
            .as_ref()
            .is_some_and(|word| word.chars().all(|next| next.is_ascii_digit()));
        let descriptor = if is_descriptor {
            self.word.take()
        } else {
            None
        };
        self.end_word();
        let (mut arrows, mut is_copy) = (1, false);
        while let Some(next) = self
            .rest
            .next_if(|next| matches!(next, '<' | '>' | '&' | '|'))
        {
            arrows += usize::from(next == kind);
            is_copy |= next == '&';
        }
        let is_document = kind == '<' && arrows == 2;
        if is_document {
            self.rest.next_if_eq(&'-');
        }
        while self
            .rest
            .next_if(|next| matches!(next, ' ' | '\t'))
            .is_some()
        {}
        let mut target = String::new();
        let ends =
            |next: &char| next.is_whitespace() || matches!(next, ';' | '&' | '|' | ')' | '(');
        while let Some(next) = self.rest.next_if(|next| !ends(next)) {
            target.push(next);
        }
        let target = target.replace(['\'', '"', '\\'], "");
        if is_document {
            self.command.document = Some(self.line.documents.len() + self.documents.len());
            self.documents.push(target);
        } else if kind == '<' && arrows == 1 && !is_copy {
            self.command.input = Some(target);
        } else if kind == '>' && !is_copy && descriptor.is_none_or(|descriptor| descriptor == "1") {
            self.command.outputs.push(target);
        }
    }

    fn skip_documents(&mut self) {
        for end in std::mem::take(&mut self.documents) {
            let mut document = String::new();
            while self.rest.peek().is_some() {
                let mut text = String::new();
                while let Some(next) = self.rest.next_if(|next| *next != '\n') {
                    text.push(next);
                }
                self.rest.next();
                if text.trim() == end {
                    break;
                }
                document.push_str(&text);
                document.push('\n');
            }
            self.line.documents.push(document);
        }
    }

    fn end_word(&mut self) {
        let is_quoted = std::mem::take(&mut self.is_quoted);
        let Some(word) = self.word.take() else { return };
        if !is_quoted && self.command.words.is_empty() && KEYWORDS.contains(&word.as_str()) {
            self.command.is_inner = true;
        } else {
            self.command.words.push(word);
        }
    }

    fn end_command(&mut self, joint: Joint) {
        self.end_word();
        let mut command = std::mem::take(&mut self.command);
        if !command.words.is_empty() {
            command.joint = Some(joint);
            self.line.commands.push(command);
        }
    }
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod tests;
