//! Knowledge of programs: `tools.toml`, read once.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Purpose;
use super::reads::Reads;
use crate::pattern::Pattern;

/// The data. Additions belong there.
const DATA: &str = include_str!("tools.toml");

/// Read once. A test reads the same text, so that it is valid here.
static TOOLS: LazyLock<Tools> = LazyLock::new(|| Tools::read(DATA).unwrap_or_default());

/// A program that nothing is known of.
static UNKNOWN: LazyLock<Tool> = LazyLock::new(Tool::default);

/// Knowledge of one program. The file says what each field means.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the file")]
pub(crate) struct Tool {
    pub(super) is: Option<Purpose>,
    pub(super) needs: Vec<String>,
    pub(super) bare: Option<Purpose>,
    pub(super) build: Vec<String>,
    pub(super) test: Vec<String>,
    pub(super) check: Vec<String>,
    pub(super) run: Vec<String>,
    pub(super) install: Vec<String>,
    pub(super) next: Vec<String>,
    pub(super) valued: Vec<String>,
    pub(super) reads: Option<Reads>,
    pub(super) runs_scripts: bool,
    pub(super) names_commands: bool,
    pub(super) starts: bool,
    pub(super) starts_by: Vec<String>,
    pub(super) is_dispensable: bool,
    pub(super) switches: Vec<String>,
    pub(super) directory: Vec<String>,
    pub(super) file: Vec<String>,
    pub(super) mends: Vec<String>,
    pub(super) mends_by: HashMap<String, Vec<String>>,
    pub(super) tells: Vec<String>,
    pub(super) part: Vec<String>,
    pub(super) idle: Vec<String>,
}

/// Options with which a run does as much as without. The file says what each field means.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    pub(crate) report: Vec<String>,
    pub(crate) report_value: Vec<String>,
    pub(crate) pace: Vec<String>,
    pub(crate) way: Vec<String>,
    pub(crate) way_value: Vec<String>,
}

/// Words by what they say a command is for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Purposes {
    test: Vec<String>,
    build: Vec<String>,
    check: Vec<String>,
    run: Vec<String>,
}

/// Programs and options in lines that merely read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reading {
    pub(super) filters: Vec<String>,
    pub(super) idle: Vec<String>,
    pub(super) other_searches: Vec<String>,
}

/// What mends, whatever the program is. The file says what each field means.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mending {
    pub(super) idle: Vec<String>,
    pub(super) made: Vec<String>,
    pub(super) authors: Vec<String>,
}

/// All of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tools {
    pub(super) missing: Pattern,
    options: Options,
    tool: HashMap<String, Tool>,
    pub(super) script_names: Purposes,
    pub(super) script_files: Purposes,
    pub(super) gradle_tasks: Purposes,
    pub(super) reading: Reading,
    pub(super) mending: Mending,
    /// Names of `tool`, one by one.
    #[serde(skip)]
    names: HashMap<String, String>,
}

impl Tools {
    fn read(data: &str) -> Result<Self, toml::de::Error> {
        let mut tools: Self = toml::from_str(data)?;
        for (names, tool) in &mut tools.tool {
            tool.ablate();
            for name in names.split(' ') {
                tools.names.insert(name.to_owned(), names.clone());
            }
        }
        Ok(tools)
    }
}

impl Tool {
    /// Returns what the word behind the program says that it is for.
    pub(super) fn purpose_of(&self, subcommand: &str) -> Option<Purpose> {
        let lists = [
            (&self.build, Purpose::Build),
            (&self.test, Purpose::Test),
            (&self.check, Purpose::Check),
            (&self.run, Purpose::Run),
        ];
        let found = lists.iter().find(|(words, _)| has(words, subcommand))?;
        Some(found.1)
    }

    fn ablate(&mut self) {
        for (field, clear) in FIELDS {
            if helix_ablation::is_off(&format!("tools/{field}")) {
                clear(self);
            }
        }
    }
}

impl Purposes {
    /// The purpose of the first word that is so.
    pub(super) fn find(&self, is: impl Fn(&str) -> bool) -> Option<Purpose> {
        let lists = [
            (&self.test, Purpose::Test),
            (&self.build, Purpose::Build),
            (&self.check, Purpose::Check),
            (&self.run, Purpose::Run),
        ];
        let found = lists
            .iter()
            .find(|(words, _)| words.iter().any(|word| is(word)))?;
        Some(found.1)
    }
}

/// Empties a field of the table.
type Clear = fn(&mut Tool);

/// Fields of the table that a measurement can switch off.
const FIELDS: [(&str, Clear); 15] = [
    ("directory", |tool| tool.directory.clear()),
    ("file", |tool| tool.file.clear()),
    ("idle", |tool| tool.idle.clear()),
    ("install", |tool| tool.install.clear()),
    ("mends", |tool| tool.mends.clear()),
    ("mends_by", |tool| tool.mends_by.clear()),
    ("names_commands", |tool| tool.names_commands = false),
    ("next", |tool| tool.next.clear()),
    ("part", |tool| tool.part.clear()),
    ("runs_scripts", |tool| tool.runs_scripts = false),
    ("starts", |tool| tool.starts = false),
    ("starts_by", |tool| tool.starts_by.clear()),
    ("switches", |tool| tool.switches.clear()),
    ("tells", |tool| tool.tells.clear()),
    ("valued", |tool| tool.valued.clear()),
];

/// Names what a measurement can switch off.
pub(crate) fn parts() -> Vec<String> {
    let fields = FIELDS.iter();
    fields.map(|(field, _)| format!("tools/{field}")).collect()
}

/// All that is known.
pub(super) fn known() -> &'static Tools {
    &TOOLS
}

/// Returns what is known of a program.
pub(crate) fn tool(program: &str) -> &'static Tool {
    let found = TOOLS
        .names
        .get(program)
        .and_then(|names| TOOLS.tool.get(names));
    found.unwrap_or(&UNKNOWN)
}

/// The options with which a run does as much as without.
pub(crate) fn options() -> &'static Options {
    &TOOLS.options
}

/// Returns whether a word is one of these.
pub(crate) fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_table_is_valid() {
        let tools = Tools::read(DATA).unwrap();
        let names: usize = tools
            .tool
            .keys()
            .map(|names| names.split(' ').count())
            .sum();
        assert_eq!(names, tools.names.len(), "a program has two tables");
        assert_eq!(tool("cargo").purpose_of("nextest"), Some(Purpose::Test));
    }
}
