//! A command as somebody would write it, to run it again.

/// How much of a mending command is shown, in words behind the program and in bytes; a mark stands
/// for the rest.
const SHOWN_WORDS_MAX: usize = 16;
const SHOWN_MAX_BYTES: usize = 160;

/// What a shell does not take for a part of a word unless it is quoted. Patterns and variables are
/// left to it.
const QUOTED: &[char] = &[
    ' ', '\t', '\n', '\'', '"', ';', '&', '|', '<', '>', '(', ')',
];

/// A command with as much of its arguments as is shown: without its options it would be another
/// one.
#[must_use]
pub fn shown(program: &str, arguments: &[String]) -> String {
    let mut shown = program.to_owned();
    for (at, word) in arguments.iter().enumerate() {
        if at == SHOWN_WORDS_MAX || shown.len() + word.len() > SHOWN_MAX_BYTES {
            shown.push_str(" …");
            break;
        }
        shown.push(' ');
        if word.is_empty() || word.contains(QUOTED) {
            shown.push('\'');
            shown.push_str(&word.replace('\'', r"'\''"));
            shown.push('\'');
        } else {
            shown.push_str(word);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> String {
        shown(
            "npm",
            &arguments
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn words_are_quoted_where_they_must_be() {
        assert_eq!(
            of(&["i", "a b", "it's", "", "x<2", "dist/*"]),
            r"npm i 'a b' 'it'\''s' '' 'x<2' dist/*"
        );
    }

    #[test]
    fn a_long_command_is_marked_as_cut() {
        assert_eq!(
            of(&["x"; SHOWN_WORDS_MAX]),
            format!("npm{}", " x".repeat(SHOWN_WORDS_MAX))
        );
        assert_eq!(
            of(&["x"; SHOWN_WORDS_MAX + 1]),
            format!("npm{} …", " x".repeat(SHOWN_WORDS_MAX))
        );
        assert_eq!(of(&["i", &"x".repeat(SHOWN_MAX_BYTES)]), "npm i …");
    }
}
