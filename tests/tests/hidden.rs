//! The engine and every other program take the same characters for hidden.

use helix_engine::neutral;
use helix_proto::hidden::is_active;

#[test]
fn the_engine_and_the_programs_hide_the_same_characters() {
    for character in char::MIN..=char::MAX {
        let is_hidden = is_active(character) && !matches!(character, '\n' | '\t');
        assert_eq!(
            neutral(&character.to_string()).is_empty(),
            is_hidden,
            "U+{:04X}",
            u32::from(character)
        );
    }
}
