//! The programs that read, and what a line gives to one of them.

/// A program that reads or searches, and which of its options take a value.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) does: Does,
    /// Letters of the short ones.
    valued: &'static str,
    /// The long ones, where the value may be a word of its own.
    valued_long: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Show,
    /// Shows page by page, from where it is told to.
    Page,
    /// Shows what its script says.
    Edit,
    /// Shows what its script makes of it.
    Compute,
    /// Searches its input unless it is told where.
    Search,
    /// Searches the directory unless it is told where.
    SearchHere,
}

const GREP_LONG: &[&str] = &[
    "after-context",
    "before-context",
    "context",
    "exclude",
    "exclude-dir",
    "file",
    "include",
    "max-count",
    "regexp",
];

const RG_LONG: &[&str] = &[
    "after-context",
    "before-context",
    "color",
    "colors",
    "context",
    "encoding",
    "file",
    "glob",
    "iglob",
    "ignore-file",
    "max-columns",
    "max-count",
    "max-depth",
    "max-filesize",
    "regexp",
    "replace",
    "sort",
    "sortr",
    "threads",
    "type",
    "type-not",
];

const GIT_GREP_LONG: &[&str] = &[
    "after-context",
    "before-context",
    "context",
    "file",
    "max-count",
    "max-depth",
    "threads",
];

const AWK_LONG: &[&str] = &[
    "assign",
    "field-separator",
    "file",
    "include",
    "load",
    "source",
];

const BAT_LONG: &[&str] = &[
    "color",
    "decorations",
    "diff-context",
    "file-name",
    "highlight-line",
    "italic-text",
    "language",
    "line-range",
    "map-syntax",
    "pager",
    "paging",
    "style",
    "tabs",
    "terminal-width",
    "theme",
    "wrap",
];

/// Programs that show files or search in them.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        name: "cat",
        does: Does::Show,
        valued: "",
        valued_long: &[],
    },
    Program {
        name: "head",
        does: Does::Show,
        valued: "nc",
        valued_long: &["lines", "bytes"],
    },
    Program {
        name: "tail",
        does: Does::Show,
        valued: "ncs",
        valued_long: &["lines", "bytes"],
    },
    Program {
        name: "nl",
        does: Does::Show,
        valued: "bdfhilnsvw",
        valued_long: &[],
    },
    Program {
        name: "bat",
        does: Does::Show,
        valued: "Hlmr",
        valued_long: BAT_LONG,
    },
    Program {
        name: "batcat",
        does: Does::Show,
        valued: "Hlmr",
        valued_long: BAT_LONG,
    },
    Program {
        name: "less",
        does: Does::Page,
        valued: "bhjkoOpPtTxyz",
        valued_long: &[],
    },
    Program {
        name: "more",
        does: Does::Page,
        valued: "n",
        valued_long: &[],
    },
    Program {
        name: "awk",
        does: Does::Compute,
        valued: "Fefilv",
        valued_long: AWK_LONG,
    },
    Program {
        name: "gawk",
        does: Does::Compute,
        valued: "Fefilv",
        valued_long: AWK_LONG,
    },
    Program {
        name: "sed",
        does: Does::Edit,
        valued: "efl",
        valued_long: &["expression", "file"],
    },
    Program {
        name: "rg",
        does: Does::SearchHere,
        valued: "ABCEMTdefgjmrt",
        valued_long: RG_LONG,
    },
    Program {
        name: "git grep",
        does: Does::SearchHere,
        valued: "ABCefm",
        valued_long: GIT_GREP_LONG,
    },
    Program {
        name: "grep",
        does: Does::Search,
        valued: "ABCDdefm",
        valued_long: GREP_LONG,
    },
    Program {
        name: "egrep",
        does: Does::Search,
        valued: "ABCDdefm",
        valued_long: GREP_LONG,
    },
];

/// The arguments of a program, told apart.
pub(super) struct Given<'a> {
    /// Short options by their letter, long ones by their name, each with its value if it takes
    /// one.
    options: Vec<(&'a str, Option<&'a str>)>,
    pub(super) operands: Vec<&'a str>,
}

impl<'a> Given<'a> {
    pub(super) fn of(program: &Program, arguments: &'a [String]) -> Self {
        let mut given = Self {
            options: Vec::new(),
            operands: Vec::new(),
        };
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if word == "--" {
                given.operands.extend(rest);
                break;
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, value) = long
                    .split_once('=')
                    .map_or((long, None), |(name, value)| (name, Some(value)));
                let is_behind = value.is_none() && program.valued_long.contains(&name);
                given
                    .options
                    .push((name, if is_behind { rest.next() } else { value }));
            } else if let Some(letters) =
                word.strip_prefix('-').filter(|letters| !letters.is_empty())
            {
                given.take_letters(program, letters, &mut rest);
            } else {
                given.operands.push(word);
            }
        }
        given
    }

    /// Takes options of one letter each. The first that takes a value has what is behind it, or the
    /// next word.
    fn take_letters(
        &mut self,
        program: &Program,
        letters: &'a str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) {
        for (at, letter) in letters.char_indices() {
            let (name, behind) = letters
                .get(at..)
                .unwrap_or_default()
                .split_at(letter.len_utf8());
            if program.valued.contains(letter) {
                let value = if behind.is_empty() {
                    rest.next()
                } else {
                    Some(behind)
                };
                self.options.push((name, value));
                return;
            }
            self.options.push((name, None));
        }
    }

    pub(super) fn has(&self, letters: &str, names: &[&str]) -> bool {
        let is_it = |name: &str| {
            if name.len() == 1 {
                letters.contains(name)
            } else {
                names.contains(&name)
            }
        };
        self.options.iter().any(|(name, _)| is_it(name))
    }

    /// The value of an option that is given once.
    pub(super) fn value(&self, letter: &str, name: &str) -> Option<&'a str> {
        let mut values = self
            .options
            .iter()
            .filter(|(given, _)| *given == letter || *given == name);
        values
            .next()
            .and_then(|(_, value)| *value)
            .filter(|_| values.next().is_none())
    }

    /// The values of an option that may be given more than once.
    pub(super) fn values(&self, letter: &str, name: &str) -> impl Iterator<Item = &'a str> {
        self.options
            .iter()
            .filter(move |(given, _)| *given == letter || *given == name)
            .filter_map(|(_, value)| *value)
    }
}
