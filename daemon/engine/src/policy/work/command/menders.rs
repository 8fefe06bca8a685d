//! Commands that change what a build stands on: they mend failures without changing a file by an editor.

use super::shown::shown;
use super::tools::{MADE, MENDERS};
use super::{after_options, as_called, basename, is_listed, read, without_starters};

/// Commands that change what a build stands on by the word behind their subcommand.
const MENDERS_BY_NEXT: &[(&str, &str, &[&str])] = &[
    ("cargo", "sqlx", &["prepare", "migrate", "database"]),
    ("sqlx", "migrate", &["run", "revert"]),
    ("sqlx", "database", &["create", "reset", "setup"]),
    ("diesel", "migration", &["redo", "revert", "run"]),
    ("diesel", "database", &["reset", "setup"]),
    ("python", "manage.py", &["collectstatic", "compilemessages", "makemigrations", "migrate"]),
    ("python3", "manage.py", &["collectstatic", "compilemessages", "makemigrations", "migrate"]),
    ("php", "artisan", &["cache:clear", "config:clear", "key:generate", "migrate", "optimize:clear"]),
    ("flask", "db", &["upgrade"]),
    ("brew", "services", &["restart", "start"]),
];

/// Options by which those change nothing.
const MENDERS_IDLE: &[&str] = &["--check", "--dry-run", "--help", "-h", "--plan", "--sql", "--pretend"];

/// Finds the commands of a shell line that change what a build stands on, as somebody would run them again.
#[must_use]
pub fn menders(line: &str) -> Vec<String> {
    read(line).commands.iter().filter_map(|command| mender(&command.words)).collect()
}

/// How a command changes what a build stands on; `None` when it does not.
pub(super) fn mender(words: &[String]) -> Option<String> {
    let words = without_starters(words);
    let first = words.first()?;
    let program = basename(first);
    let is_argument = |word: &&String| !word.starts_with('-');
    let mends = match program.as_ref() {
        "rm" => {
            let mut paths = words.iter().skip(1).filter(is_argument);
            paths.any(|path| MADE.contains(&basename(path.trim_end_matches('/')).as_ref()))
        }
        name => {
            let at = after_options(&words, 1);
            let subcommand = words.get(at).map(String::as_str)?;
            is_listed(MENDERS, name, subcommand) || mends_by_next(name, subcommand, words.get(at + 1..)?)
        }
    };
    mends.then(|| shown(&as_called(first), words.get(1..).unwrap_or_default()))
}

/// Whether the words behind a subcommand say that it changes what a build stands on.
fn mends_by_next(program: &str, subcommand: &str, rest: &[String]) -> bool {
    let is_next = |known: &[&str]| rest.first().is_some_and(|next| known.contains(&next.as_str()));
    let is_it = |(name, first, next): &(&str, &str, &[&str])| (*name, *first) == (program, subcommand) && is_next(next);
    MENDERS_BY_NEXT.iter().any(is_it) && !rest.iter().any(|word| MENDERS_IDLE.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_and_migrations_change_what_a_build_stands_on() {
        for (line, expected) in [
            ("cargo sqlx prepare --workspace", "cargo sqlx prepare --workspace"),
            ("sqlx migrate run", "sqlx migrate run"),
            ("python manage.py migrate && alembic upgrade head", "python manage.py migrate, alembic upgrade head"),
            ("sudo systemctl start postgresql", "systemctl start postgresql"),
            ("./gradlew clean", "./gradlew clean"),
            ("./backend/mvnw -q clean", "./backend/mvnw -q clean"),
            ("cargo sqlx prepare --check; sqlx migrate info; python manage.py shell; systemctl status x", ""),
        ] {
            assert_eq!(menders(line).join(", "), expected, "{line}");
        }
    }
}
