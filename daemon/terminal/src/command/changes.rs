//! What a shell line changes beside what it installs: files that it names, and files that it does
//! not name.

use super::super::shell::{Line, Simple};
use super::names::{basename, file_name};
use super::scripts::makes;
use super::started::as_run;
use super::tools::tool;
use super::{joined, read, without_starters};

/// Letters of options that stand before the one by which a stream editor writes its files again.
const BEFORE_IN_PLACE: &str = "EnrpslwzuW0123456789";

/// Programs whose output is what a file is to hold. Another one's is a report, which mends nothing.
const AUTHORS: &[&str] = &[
    "cat", "echo", "printf", "sed", "awk", "jq", "yq", "tr", "sort", "envsubst", "tee",
];

/// Programs that run a script from their input, or behind an option.
const INTERPRETERS: &[&str] = &["python", "python3", "node", "perl", "ruby"];

/// What a script says that changes files.
const WRITING: &[&str] = &[
    "write", "rename", "unlink", "remove(", "shutil.", "replace(", "'w'", "\"w\"", "sub(",
];

/// Subcommands of git that change files which they do not name.
const GIT: &[&str] = &[
    "apply",
    "am",
    "revert",
    "cherry-pick",
    "merge",
    "rebase",
    "stash",
    "mv",
    "rm",
];

/// Words by which those change nothing.
const IDLE: &[&str] = &[
    "--check",
    "--stat",
    "--dry-run",
    "-n",
    "--abort",
    "list",
    "show",
    "drop",
    "clear",
];

/// Words by which `git reset` changes files, and by which `git clean` does.
const RESETTING: &[&str] = &["--hard", "--merge", "--keep"];
const CLEANING: &[&str] = &["--force", "f"];
const CLEANING_IDLE: &[&str] = &["--dry-run", "n"];

/// Words by which a copy is one of a whole directory.
const WHOLE: &[&str] = &["--recursive", "--archive", "r", "R", "a"];

/// Words by which a formatter only looks.
const LOOKING: &[&str] = &[
    "--check",
    "--diff",
    "--check-only",
    "-c",
    "-l",
    "--list-different",
    "--verify-no-changes",
];

/// Where files are that no build stands on.
const TEMPORARY: &[&str] = &["/tmp/", "/var/tmp/", "/dev/"];

/// Characters of a script's line that are shown.
const SHOWN_MAX_CHARS: usize = 80;

/// What a line changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Words that are files which it writes, if they are files at all.
    pub files: Vec<String>,
    /// Commands that change what they do not name, take it away, move it or format it, and scripts
    /// of the project whose names say so, as they are shown.
    pub commands: Vec<String>,
}

/// Finds what a line changes.
#[must_use]
pub fn rewritten(line: &str) -> Changes {
    if helix_ablation::is_off("command/rewritten") {
        return Changes::default();
    }
    let line = read(line);
    let mut directory: Option<String> = None;
    let mut changes = Changes::default();
    for command in &line.commands {
        let words = without_starters(&command.words);
        if let [cd, to] = words.as_slice()
            && cd == "cd"
        {
            directory = Some(joined(directory.as_deref(), to));
            continue;
        }
        let files = rewritten_by(&words)
            .into_iter()
            .chain(authored(command, &words));
        changes
            .files
            .extend(files.map(|file| joined(directory.as_deref(), &file)));
        let rewrites = formats(&words) || makes(&words);
        let changing =
            changing(&line, command, &words).or_else(|| rewrites.then(|| as_run(&command.words)));
        changes.commands.extend(changing);
    }
    changes
}

fn rewritten_by(words: &[String]) -> Vec<String> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let is_plain = |word: &&String| !word.starts_with('-');
    match basename(program) {
        "sed" | "gsed" | "perl" | "ruby" if arguments.iter().any(|word| is_in_place(word)) => {}
        "tee" => {}
        "cp" => {
            return copied(
                &arguments
                    .iter()
                    .filter(is_plain)
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        _ => return Vec::new(),
    }
    arguments.iter().filter(is_plain).cloned().collect()
}

/// What a copy may be: the place that is named, or of the same name in it.
fn copied(places: &[String]) -> Vec<String> {
    let Some((to, from)) = places.split_last() else {
        return Vec::new();
    };
    let inside = from
        .iter()
        .map(|from| format!("{}/{}", to.trim_end_matches('/'), file_name(from)));
    std::iter::once(to.clone()).chain(inside).collect()
}

/// The files that are to hold what a program writes.
fn authored<'a>(command: &'a Simple, words: &[String]) -> impl Iterator<Item = String> + 'a {
    let is_author = words
        .first()
        .is_none_or(|program| AUTHORS.contains(&basename(program)));
    command.outputs.iter().filter(move |_| is_author).cloned()
}

/// The command as it is shown, when it changes what it does not name.
fn changing(line: &Line, command: &Simple, words: &[String]) -> Option<String> {
    if helix_ablation::is_off("command/changing") {
        return None;
    }
    let (program, arguments) = words.split_first()?;
    let program = basename(program);
    let has = |known: &[&str]| arguments.iter().any(|word| known.contains(&word.as_str()));
    let is_lasting = |word: &String| {
        !word.starts_with('-') && !TEMPORARY.iter().any(|start| word.starts_with(start))
    };
    let has_option = |known: &[&str]| arguments.iter().any(|word| is_option(word, known));
    let does = match program {
        "git" => match arguments.first().map(String::as_str) {
            Some("reset") => has(RESETTING),
            Some("clean") => has_option(CLEANING) && !has_option(CLEANING_IDLE),
            Some(subcommand) => GIT.contains(&subcommand) && !has(IDLE),
            None => false,
        },
        "patch" => !has(IDLE),
        "mv" | "ln" | "chmod" => arguments.last().is_some_and(is_lasting),
        "cp" => has_option(WHOLE) && arguments.last().is_some_and(is_lasting),
        "rm" => arguments.iter().any(is_lasting),
        name if INTERPRETERS.contains(&name) => return scripted(line, command, name, arguments),
        name => tool(name).fixes.iter().any(|flag| arguments.contains(flag)),
    };
    let from = command
        .input
        .as_ref()
        .map(|file| format!(" < {file}"))
        .unwrap_or_default();
    does.then(|| format!("{}{from}", as_run(&command.words)))
}

/// A script that changes files, by the line that says so.
fn scripted(line: &Line, command: &Simple, program: &str, arguments: &[String]) -> Option<String> {
    if helix_ablation::is_off("command/scripted") {
        return None;
    }
    let document = command.document.and_then(|at| line.documents.get(at));
    let inline = || {
        let at = arguments
            .iter()
            .position(|word| word == "-c" || word == "-e")?;
        Some((arguments.get(at + 1)?, arguments.get(at)?.as_str()))
    };
    let (script, how) = document.map(|text| (text, "<<")).or_else(inline)?;
    let writes = |line: &&str| WRITING.iter().any(|word| line.contains(word));
    let telling = script.lines().map(str::trim).find(writes)?;
    Some(shortened(&format!("{program} {how} {telling}")))
}

/// Whether these words format files.
fn formats(words: &[String]) -> bool {
    if helix_ablation::is_off("command/formats") {
        return false;
    }
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    let program = basename(program);
    let has = |known: &[&str]| arguments.iter().any(|word| known.contains(&word.as_str()));
    let Some(flags) = &tool(program).formats else {
        return false;
    };
    let does = flags.is_empty() || flags.iter().any(|flag| arguments.contains(flag));
    does && !has(LOOKING)
}

fn shortened(command: &str) -> String {
    match command.char_indices().nth(SHOWN_MAX_CHARS) {
        Some((end, _)) => format!("{}…", command.get(..end).unwrap_or_default().trim_end()),
        None => command.to_owned(),
    }
}

/// Whether a word is one of these options: a long one, or a letter among others.
fn is_option(word: &str, known: &[&str]) -> bool {
    let letters = word
        .strip_prefix('-')
        .filter(|letters| !letters.starts_with('-'))
        .unwrap_or_default();
    known.iter().any(|option| {
        if option.starts_with('-') {
            word == *option
        } else {
            letters.contains(option)
        }
    })
}

fn is_in_place(word: &str) -> bool {
    let is_short = |letters: &str| {
        letters
            .trim_start_matches(|c| BEFORE_IN_PLACE.contains(c))
            .starts_with('i')
    };
    match word.strip_prefix("--") {
        Some(long) => long == "in-place" || long.starts_with("in-place="),
        None => word.strip_prefix('-').is_some_and(is_short),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_line_writes_are_found() {
        for (line, files) in [
            (
                "sed -i 's/a/b/' src/a.rs src/b.rs",
                "s/a/b/ src/a.rs src/b.rs",
            ),
            ("cd x && sed -Ei.bak -e s/a/b/ a.rs; ls", "x/s/a/b/ x/a.rs"),
            ("perl -pi -e 's/a/b/' a.py", "s/a/b/ a.py"),
            ("echo x | tee -a notes.md", "notes.md"),
            ("gsed --in-place=.bak s/a/b/ a.c", "s/a/b/ a.c"),
            ("cat > src/a.rs <<'EOF'\nfn a() {}\nEOF", "src/a.rs"),
            (
                "echo x >> \"a.md\"; printf y 2>/dev/null > b.md",
                "a.md b.md",
            ),
            ("cp -f /tmp/new.rs src", "src src/new.rs"),
            ("sed -n 5,9p a.rs", ""),
            ("perl -e 'print 1' a.py", ""),
            ("cargo build > log 2>&1", ""),
            ("cat a.rs 2> err", ""),
            ("", ""),
        ] {
            assert_eq!(rewritten(line).files.join(" "), files, "{line}");
        }
    }

    #[test]
    fn commands_that_change_what_they_do_not_name_are_found() {
        for (line, commands) in [
            (
                "python3 - <<'EOF'\nimport re\nopen('src/a.rs','w').write('x')\nEOF",
                "python3 << open('src/a.rs','w').write('x')",
            ),
            (
                "python3 -c \"import pathlib; pathlib.Path('a').write_text('')\"",
                "python3 -c import pathlib; pathlib.Path('a').write_text('')",
            ),
            (
                "git apply --3way fix.patch; git apply -R a.patch",
                "git apply --3way fix.patch git apply -R a.patch",
            ),
            ("patch -p1 < fix.diff", "patch -p1 < fix.diff"),
            ("git revert HEAD --no-edit", "git revert HEAD --no-edit"),
            ("git stash", "git stash"),
            (
                "git reset --hard HEAD~1; git clean -fdx",
                "git reset --hard HEAD~1 git clean -fdx",
            ),
            (
                "cp -r vendor/a src/a; cp -Rp x y",
                "cp -r vendor/a src/a cp -Rp x y",
            ),
            (
                "ln -sfn ../shared/config config",
                "ln -sfn ../shared/config config",
            ),
            ("mv src/a.rs src/b.rs", "mv src/a.rs src/b.rs"),
            ("rm -f src/old.rs", "rm -f src/old.rs"),
            (
                "node -e \"fs.writeFileSync('a', '')\"",
                "node -e fs.writeFileSync('a', '')",
            ),
            ("uv run ruff check --fix .", "uv run ruff check --fix ."),
            ("npx eslint --fix src", "npx eslint --fix src"),
            ("python3 - <<'EOF'\nprint(1)\nEOF", ""),
            ("git stash list; git apply --check a.patch; git log", ""),
            (
                "rm /tmp/a; mv a.log /tmp/; cp -r src /tmp/src; ln -s /w/a /tmp/a",
                "",
            ),
            (
                "git reset; git reset --soft HEAD~1; git clean -nd; git clean -fdn; cp a.rs b.rs",
                "",
            ),
            ("ruff check .", ""),
        ] {
            assert_eq!(rewritten(line).commands.join(" "), commands, "{line}");
        }
        let long = rewritten(&format!("rm {}", "a ".repeat(99)))
            .commands
            .concat();
        assert!(long.ends_with(" a …") && long.len() < 99, "{long}");
    }

    #[test]
    fn scripts_of_the_project_that_make_something_are_found_by_their_names() {
        for (line, commands) in [
            ("npm run gen:types", "npm run gen:types"),
            ("cd web && pnpm codegen", "pnpm codegen"),
            ("yarn run lint:fix", "yarn run lint:fix"),
            ("make -C api proto", "make -C api proto"),
            ("just gen", "just gen"),
            ("task db:migrate", "task db:migrate"),
            ("npm run generateTypes", "npm run generateTypes"),
            ("deno task setup", "deno task setup"),
            ("cargo xtask codegen", "cargo xtask codegen"),
            (
                "npm run build:proto; npm run format:check; make test-setup; make; make -j8",
                "",
            ),
            (
                "npm install; pnpm install; npm gen; npm run dev; cargo fix; yarn build; npm start",
                "",
            ),
            (
                "npm run migrate:status; npm run sync:status; make migrate-status; npm run generate-report",
                "",
            ),
            (
                "make -n proto; make --dry-run gen; just -l gen; just --list gen; npm run gen -- --dry-run",
                "",
            ),
            ("make -l 4 gen", "make -l 4 gen"),
        ] {
            assert_eq!(rewritten(line).commands.join(" "), commands, "{line}");
        }
        assert_eq!(
            rewritten("chmod +x run.sh; chmod 600 /tmp/key").commands,
            ["chmod +x run.sh"]
        );
    }

    #[test]
    fn formatters_are_found_where_they_write() {
        for (line, commands) in [
            ("cargo fmt", "cargo fmt"),
            ("npx prettier --write src", "npx prettier --write src"),
            ("black . && isort src", "black . isort src"),
            ("ruff format", "ruff format"),
            (
                "black --check .; cargo fmt --check; prettier src; gofmt -l .",
                "",
            ),
        ] {
            assert_eq!(rewritten(line).commands.join(" "), commands, "{line}");
        }
    }
}
