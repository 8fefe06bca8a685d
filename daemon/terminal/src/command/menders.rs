//! Commands that change what a build stands on: they mend failures without changing a file by an
//! editor.

use super::names::basename;
use super::started::as_run;
use super::tools::{has, known, tool};
use super::{after_options, read, without_starters};

/// Finds the commands of a shell line that change what a build stands on, as somebody would run
/// them again.
#[must_use]
pub fn menders(line: &str) -> Vec<String> {
    read(line)
        .commands
        .iter()
        .filter_map(|command| mender(&command.words))
        .collect()
}

/// How a command changes what a build stands on; `None` when it does not.
pub(super) fn mender(written: &[String]) -> Option<String> {
    if helix_ablation::is_off("command/menders") {
        return None;
    }
    let words = without_starters(written);
    let program = basename(words.first()?);
    let is_argument = |word: &&String| !word.starts_with('-');
    let mends = match program {
        "rm" => {
            let mut paths = words.iter().skip(1).filter(is_argument);
            paths.any(|path| has(&known().mending.made, basename(path.trim_end_matches('/'))))
        }
        name => {
            let at = after_options(&words, 1);
            let subcommand = words.get(at).map(String::as_str)?;
            let next = words
                .get(after_options(&words, at + 1))
                .map_or("", String::as_str);
            let tool = tool(name);
            let mends_by = tool.mends_by.get(subcommand);
            let is_known =
                has(&tool.mends, subcommand) || mends_by.is_some_and(|known| has(known, next));
            is_known && !is_idle(&words)
        }
    };
    mends.then(|| as_run(written))
}

/// Returns whether an option says that these words change nothing.
pub(super) fn is_idle(words: &[String]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    arguments
        .iter()
        .any(|word| is_idle_option(basename(program), word))
}

/// Returns whether a program changes nothing with an option.
pub(super) fn is_idle_option(program: &str, option: &str) -> bool {
    has(&known().mending.idle, option) || has(&tool(program).idle, option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_and_migrations_change_what_a_build_stands_on() {
        for (line, expected) in [
            (
                "cargo sqlx prepare --workspace",
                "cargo sqlx prepare --workspace",
            ),
            ("sqlx migrate run", "sqlx migrate run"),
            (
                "python manage.py migrate && alembic upgrade head",
                "python manage.py migrate, alembic upgrade head",
            ),
            (
                "sudo systemctl start postgresql",
                "systemctl start postgresql",
            ),
            ("./gradlew clean", "./gradlew clean"),
            ("./backend/mvnw -q clean", "./backend/mvnw -q clean"),
            (
                "cargo sqlx prepare --check; sqlx migrate info; python manage.py shell; systemctl status x",
                "",
            ),
            (
                "docker compose -f a.yml up -d db; docker-compose restart",
                "docker compose -f a.yml up -d db, docker-compose restart",
            ),
            (
                "npx prisma migrate deploy; go mod tidy",
                "npx prisma migrate deploy, go mod tidy",
            ),
            (
                "conda install -n dev numpy; rustup target add wasm32",
                "conda install -n dev numpy, rustup target add wasm32",
            ),
        ] {
            assert_eq!(menders(line).join(", "), expected, "{line}");
        }
    }

    #[test]
    fn what_only_looks_changes_nothing() {
        for line in [
            "docker compose ps; docker compose logs -f; docker compose config; docker compose version",
            "docker compose exec db psql; docker compose down; docker-compose ps; docker compose --dry-run up",
            "npx prisma migrate status; prisma migrate diff",
            "pip install --dry-run x; npm install --dry-run; brew install --dry-run x; brew install -n x",
            "alembic upgrade head --sql; uv lock --check; uv pip list; cargo update --dry-run; cargo clean -n",
            "rustup target list; go mod graph; git submodule status; git lfs ls-files; flutter pub outdated",
        ] {
            assert_eq!(menders(line).join(", "), "", "{line}");
        }
    }
}
