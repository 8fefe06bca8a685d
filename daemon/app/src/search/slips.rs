//! Words that look like an inline filter and are none, as a note tells them.

use helix_engine::Slip;
use helix_neutral::quoted;

/// Says of the words of a search which look like a filter of another name. Any other word with a
/// colon may well be in a text.
pub(super) fn of_keys(words: &str) -> Option<String> {
    let meant: Vec<Slip<'_>> = Slip::all_in(words)
        .into_iter()
        .filter(|slip| slip.meant.is_some())
        .collect();
    told(&meant)
}

/// Says of the words of a brief, which is asked for by topics and filters, which look like any
/// filter.
pub(crate) fn of_all(words: &str) -> Option<String> {
    told(&Slip::all_in(words))
}

fn told(slips: &[Slip<'_>]) -> Option<String> {
    let one = |slip: &Slip<'_>| {
        let told = format!(
            "{} is no filter and was searched for as words",
            quoted(slip.word)
        );
        match slip.meant {
            Some(key) => format!("{told}; write {key}:{} to filter", slip.value),
            None => told,
        }
    };
    let told: Vec<String> = slips.iter().map(one).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_that_was_meant_is_offered() {
        let note = "\"tags:gotcha\" is no filter and was searched for as words; write tag:gotcha to filter";
        assert_eq!(of_keys("tags:gotcha nope:1").as_deref(), Some(note));
        let all = of_all("tags:gotcha nope:1");
        assert_eq!(
            all,
            Some(format!(
                "{note}; \"nope:1\" is no filter and was searched for as words"
            ))
        );
        assert_eq!(of_keys("nope:1 std::fmt"), None);
    }
}
