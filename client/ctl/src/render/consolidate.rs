//! Lasting memories in place of repeated episodes.

use helix_client::v1::{Distilled, Memory};

use crate::screen::{Look, Paint};
use crate::text::{neutral, one_line};
use crate::time::day;

/// Writes each with the episodes that it cites.
pub(crate) fn distilled(look: Look, all: &[Distilled]) -> String {
    let shown: Vec<String> = all.iter().map(|one| block(look, one)).collect();
    shown.join("\n")
}

fn block(look: Look, distilled: &Distilled) -> String {
    let name = match distilled.handle.as_str() {
        "" => "not in the review yet".to_owned(),
        handle => look.paint(Paint::Name, &one_line(handle)),
    };
    let kept = format!(
        "{}, told {} times",
        one_line(&distilled.kind),
        distilled.occasions
    );
    let text = neutral(distilled.text.trim_end()).replace('\n', "\n  ");
    let mut block = format!("{name}  {}\n  {text}\n", look.paint(Paint::Faint, &kept));
    for episode in &distilled.episodes {
        block += &cited(look, episode);
    }
    block
}

fn cited(look: Look, episode: &Memory) -> String {
    let name = look.paint(Paint::Name, &one_line(&episode.handle));
    let told = look.paint(Paint::Faint, &day(episode.recorded_at_us));
    format!("  from {name}  {told}\n")
}
