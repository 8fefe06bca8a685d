//! Where commands work: where their line goes before, and from there the directory that an option
//! of theirs names.

use super::super::shell::Line;
use super::tools::{has, tool};
use super::{DEPTH_MAX, Run, basename, joined, read, script, without_starters};

impl Run {
    /// Where it works, from where its line starts; `None` when it stays there.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        let Some(named) = self.named_place() else {
            return self.directory.clone();
        };
        Some(joined(self.directory.as_deref(), &named))
    }

    /// The directory that an option names, of it or of what starts it.
    #[must_use]
    pub fn named_place(&self) -> Option<String> {
        named_place(&self.called, &self.words)
    }
}

/// Where the last command of a shell line works whose place is another one than the line's; `None`
/// when all stay.
#[must_use]
pub fn workplace(line: &str) -> Option<String> {
    place_within(&read(line), 0)
}

/// Where a shell stands behind a line, from where the line began: `web/app`. `None` where it stands
/// there again, or where that cannot be said from there.
#[must_use]
pub fn ends_in(line: &str) -> Option<String> {
    let mut stands: Vec<String> = Vec::new();
    for command in &read(line).commands {
        let words = without_starters(&command.words);
        let Some(to) = goes_to(&words) else { continue };
        for part in to.split('/').filter(|part| !matches!(*part, "" | ".")) {
            match part {
                ".." => drop(stands.pop()?),
                part => stands.push(part.to_owned()),
            }
        }
        if to.starts_with(['/', '~']) {
            return None;
        }
    }
    Some(stands.join("/")).filter(|stands| !stands.is_empty())
}

/// The directory that a command has its shell go to.
pub(super) fn goes_to(words: &[String]) -> Option<&str> {
    match words {
        [cd, to] if (cd == "cd" || cd == "pushd") && !to.starts_with('-') => Some(to),
        _ => None,
    }
}

/// The directory that an option names of the program that was called, or of what started it.
#[must_use]
pub fn named_place(called: &[String], words: &[String]) -> Option<String> {
    named_by(called).or_else(|| named_by(words))
}

fn place_within(line: &Line, depth: usize) -> Option<String> {
    if helix_ablation::is_off("command/workplace") {
        return None;
    }
    let mut directory: Option<String> = None;
    let mut place = None;
    for command in &line.commands {
        let words = without_starters(&command.words);
        if let Some(to) = goes_to(&words) {
            directory = Some(joined(directory.as_deref(), to));
            place.clone_from(&directory);
            continue;
        }
        let inner = script(&words).filter(|_| depth < DEPTH_MAX);
        let inner = inner.and_then(|script| place_within(&read(script), depth + 1));
        let named = inner.or_else(|| named_place(&command.words, &words));
        place = named
            .map(|named| joined(directory.as_deref(), &named))
            .or(place);
    }
    place
}

/// The directory that one of these words names for the program that stands first; `None` for where
/// it is anyway.
fn named_by(words: &[String]) -> Option<String> {
    if helix_ablation::is_off("command/named-place") {
        return None;
    }
    let program = basename(words.first()?);
    let known = tool(program);
    let mut rest = words
        .iter()
        .skip(1)
        .map(String::as_str)
        .take_while(|word| *word != "--");
    while let Some(word) = rest.next() {
        let (option, value) = split(word);
        let is_file = has(&known.file, option);
        if is_file || has(&known.directory, option) {
            let value = value.or_else(|| rest.next())?;
            let named = if is_file {
                above(value)
            } else {
                value.to_owned()
            };
            return Some(named).filter(|named| named != ".");
        }
    }
    None
}

/// An option and the value that stands in the same word: `--prefix=web`, `-Cweb`.
fn split(word: &str) -> (&str, Option<&str>) {
    match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (option, Some(value)),
        _ => match word.strip_prefix("-C") {
            Some(value) if !value.is_empty() => ("-C", Some(value)),
            _ => (word, None),
        },
    }
}

/// The directory that a file is in.
fn above(file: &str) -> String {
    match file.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None => ".".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::run_of;
    use super::*;

    #[test]
    fn a_line_leaves_its_shell_where_it_went() {
        for (line, ends) in [
            ("cd backend && pytest -q", Some("backend")),
            ("cd backend; pytest | tail -3", Some("backend")),
            ("cd web/app && npm test", Some("web/app")),
            ("cd web && cd ./app && npm test", Some("web/app")),
            ("cd web && npm test; cd ..", None),
            ("cd ../web && npm test", None),
            ("cd /w/p/web && npm test", None),
            ("npm --prefix web test", None),
        ] {
            assert_eq!(ends_in(line).as_deref(), ends, "{line}");
        }
    }

    #[test]
    fn a_run_works_where_it_goes_and_where_it_is_told_to() {
        for (line, place) in [
            ("cargo test", None),
            ("cd /x/tantivy && cargo clippy", Some("/x/tantivy")),
            (
                "cargo clippy --manifest-path /x/tantivy/Cargo.toml",
                Some("/x/tantivy"),
            ),
            ("cargo clippy --manifest-path=Cargo.toml", None),
            ("cargo clippy --manifest-path=web/Cargo.toml", Some("web")),
            ("cargo -C /x/tantivy check", Some("/x/tantivy")),
            ("make -C web test", Some("web")),
            ("make -Cweb", Some("web")),
            ("cd web && make --directory=app test", Some("web/app")),
            ("npm --prefix /x/web run build", Some("/x/web")),
            ("npm run build --prefix web", Some("web")),
            ("uv run --directory api pytest -q", Some("api")),
            ("bash -lc 'cd /x && npm --prefix web test'", Some("/x/web")),
            ("cargo test -- -C x", None),
            ("pytest -p no:cacheprovider", None),
        ] {
            assert_eq!(
                run_of(line).and_then(|run| run.place()).as_deref(),
                place,
                "{line}"
            );
        }
    }

    #[test]
    fn every_command_works_somewhere() {
        for (line, place) in [
            ("git -C /x/tantivy push", Some("/x/tantivy")),
            ("git -C /x/tantivy log | head -3", Some("/x/tantivy")),
            ("cd /x/tantivy && ./deploy.sh", Some("/x/tantivy")),
            ("bash -c 'cd api; ./deploy.sh'", Some("api")),
            ("cd a && git -C b pull", Some("a/b")),
            ("./deploy.sh -C x; ls", None),
            ("", None),
        ] {
            assert_eq!(workplace(line).as_deref(), place, "{line}");
        }
    }
}
