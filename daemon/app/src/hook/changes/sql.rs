//! The names in SQL, where nothing but their place tells them from ordinary words.

/// Words after which a table or a view is named.
const BEFORE_TABLES: &[&str] = &[
    "TABLE",
    "INTO",
    "UPDATE",
    "JOIN",
    "FROM",
    "REFERENCES",
    "TRUNCATE",
    "VIEW",
];

/// Words between these and the name.
const BETWEEN: &[&str] = &["IF", "NOT", "EXISTS", "ONLY"];

/// Words of which every script is made, sorted.
const COMMON: &[&str] = &[
    "ALTER",
    "BEGIN",
    "BIGINT",
    "BOOLEAN",
    "COMMIT",
    "CREATE",
    "DATE",
    "DEFAULT",
    "DELETE",
    "DROP",
    "EXISTS",
    "FROM",
    "GROUP",
    "HAVING",
    "INDEX",
    "INSERT",
    "INTEGER",
    "INTO",
    "JOIN",
    "LEFT",
    "LIMIT",
    "NULL",
    "ORDER",
    "PRIMARY",
    "SELECT",
    "SMALLINT",
    "TABLE",
    "TEXT",
    "TIMESTAMP",
    "TRUE",
    "UNIQUE",
    "UPDATE",
    "USING",
    "VALUES",
    "VARCHAR",
    "VIEW",
    "WHERE",
    "WITH",
];

/// The tables and views that a text names. Outside of a script only words in capitals are SQL.
pub(super) fn tables(text: &str, is_sql: bool) -> impl Iterator<Item = &str> {
    let is_one_of = move |word: &str, words: &[&str]| {
        words.iter().any(|known| {
            if is_sql {
                known.eq_ignore_ascii_case(word)
            } else {
                *known == word
            }
        })
    };
    let mut is_next = false;
    text.split_whitespace().filter_map(move |piece| {
        let piece = piece.split(['(', ';', ',']).next().unwrap_or_default();
        // Of a schema and a table the table; of a quote and a word the word.
        let word = helix_code::words(piece)
            .filter(|word| !word.is_empty())
            .last()?;
        let is_named = is_next && !is_one_of(word, BETWEEN);
        is_next = is_one_of(word, BEFORE_TABLES) || (is_next && !is_named);
        (is_named && !is_next).then_some(word)
    })
}

/// Returns whether a word in capitals is more than what every script is made of.
pub(super) fn is_telling(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_uppercase()) && COMMON.binary_search(&word).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_known_by_their_place() {
        let of = |text| tables(text, true).collect::<Vec<_>>();
        assert_eq!(
            of("create table if not exists \"ledger\".\"postings\" (id int);"),
            ["postings"]
        );
        assert_eq!(
            of("SELECT a FROM x JOIN y ON x.id = y.id; UPDATE z SET a = 1"),
            ["x", "y", "z"]
        );
        assert_eq!(of("TRUNCATE TABLE logs"), ["logs"]);
        assert!(
            tables("from decimal import Decimal", false)
                .next()
                .is_none()
        );
        assert!(
            COMMON.is_sorted()
                && is_telling("CONCURRENTLY")
                && !is_telling("SELECT")
                && !is_telling("Rename")
        );
    }
}
