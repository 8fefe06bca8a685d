//! A checkpoint as readers see it: whole when a task is resumed, in short when a session starts.

use helix_memory::{Checkpoint, Timestamp};
use helix_neutral::one_line;

/// Characters of the task in the short form.
const SHORT_TASK_MAX_CHARS: usize = 200;

/// Next steps in the short form.
const SHORT_STEPS_MAX: usize = 3;

/// Characters of one next step in the short form.
const SHORT_STEP_MAX_CHARS: usize = 120;

/// Characters of what blocks the task in the short form.
const SHORT_BLOCKED_MAX_CHARS: usize = 160;

/// Characters of the whole form inside an injection: with a full surface it stays within one
/// event's 1,500 tokens.
pub const WHOLE_MAX_CHARS: usize = 3_600;

/// Placeholder in an injection for what did not fit.
const CUT: &str = "… resume the checkpoint to read the rest";

/// Renders the whole checkpoint as Markdown; sections without entries are left out.
#[must_use]
pub fn render(checkpoint: &Checkpoint, now: Timestamp) -> String {
    let mut sections = vec![format!(
        "## Checkpoint: {}\n_saved {} ago_",
        line(&checkpoint.task),
        age(checkpoint.saved_at, now)
    )];
    let lists = [
        ("Done", "[x]", &checkpoint.done),
        ("Next", "[ ]", &checkpoint.next),
        ("Hypotheses", "?", &checkpoint.hypotheses),
    ];
    for (title, bullet, items) in lists {
        if !items.is_empty() {
            let lines: Vec<String> = items
                .iter()
                .map(|item| format!("  {bullet} {}", line(item)))
                .collect();
            sections.push(format!("{title}:\n{}", lines.join("\n")));
        }
    }
    if !checkpoint.blocked.is_empty() {
        sections.push(format!("Blocked: {}", line(&checkpoint.blocked)));
    }
    if !checkpoint.files.is_empty() {
        let files: Vec<String> = checkpoint.files.iter().map(|file| line(file)).collect();
        sections.push(format!("Files: {}", files.join(", ")));
    }
    sections.join("\n\n")
}

/// Renders the task, the first next steps and what blocks it, each on a line.
#[must_use]
pub fn short(checkpoint: &Checkpoint, now: Timestamp) -> String {
    let task = one_line(&checkpoint.task, SHORT_TASK_MAX_CHARS);
    let mut text = format!(
        "Checkpoint, saved {} ago: {task}",
        age(checkpoint.saved_at, now)
    );
    let shown = checkpoint.next.iter().take(SHORT_STEPS_MAX);
    let mut steps: Vec<String> = shown
        .map(|step| one_line(step, SHORT_STEP_MAX_CHARS))
        .collect();
    let left_out = checkpoint.next.len().saturating_sub(SHORT_STEPS_MAX);
    if left_out > 0 {
        steps.push(format!("and {left_out} more"));
    }
    if !steps.is_empty() {
        text.push_str("\nNext: ");
        text.push_str(&steps.join("; "));
    }
    if !checkpoint.blocked.is_empty() {
        text.push_str("\nBlocked: ");
        text.push_str(&one_line(&checkpoint.blocked, SHORT_BLOCKED_MAX_CHARS));
    }
    text
}

/// Renders the whole checkpoint, cut after the last line that fits into [`WHOLE_MAX_CHARS`].
#[must_use]
pub fn whole(checkpoint: &Checkpoint, now: Timestamp) -> String {
    let text = render(checkpoint, now);
    if text.chars().count() <= WHOLE_MAX_CHARS {
        return text;
    }
    let mut room = WHOLE_MAX_CHARS.saturating_sub(CUT.chars().count());
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        let Some(left) = room.checked_sub(line.chars().count()) else {
            break;
        };
        room = left;
        kept.push_str(line);
    }
    kept + CUT
}

/// How long ago something was: seconds, minutes, hours and minutes, or days and hours.
#[must_use]
pub fn age(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_micros().saturating_sub(then.as_micros()).max(0) / 1_000_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (minutes, hours, days) {
        (0, _, _) => format!("{seconds}s"),
        (_, 0, _) => format!("{minutes}m"),
        (_, _, 0) => format!("{hours}h {}m", minutes % 60),
        _ => format!("{days}d {}h", hours % 24),
    }
}

/// A stored text on one line, whole.
fn line(text: &str) -> String {
    one_line(text, usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
        texts.map(str::to_owned).to_vec()
    }

    fn later(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn example() -> Checkpoint {
        Checkpoint {
            task: "Implement Metal attention kernel".to_owned(),
            done: texts(["Verified embedding correctness", "Built Q4K matvec"]),
            next: texts(["Debug RMSNorm output", "Compare against llama.cpp"]),
            hypotheses: texts([
                "RoPE frequency base may be wrong",
                "Attention mask not applied",
            ]),
            blocked: "Need reference output from correct implementation".to_owned(),
            files: texts(["infer.rs", "kernels.rs", "main.rs"]),
            ..Checkpoint::default()
        }
    }

    #[test]
    fn a_checkpoint_is_resumed_from_markdown() {
        assert_eq!(
            render(&example(), later(2 * 3_600 + 15 * 60 + 59)),
            "## Checkpoint: Implement Metal attention kernel\n\
             _saved 2h 15m ago_\n\
             \n\
             Done:\n  \
               [x] Verified embedding correctness\n  \
               [x] Built Q4K matvec\n\
             \n\
             Next:\n  \
               [ ] Debug RMSNorm output\n  \
               [ ] Compare against llama.cpp\n\
             \n\
             Hypotheses:\n  \
               ? RoPE frequency base may be wrong\n  \
               ? Attention mask not applied\n\
             \n\
             Blocked: Need reference output from correct implementation\n\
             \n\
             Files: infer.rs, kernels.rs, main.rs"
        );
    }

    #[test]
    fn empty_sections_are_left_out_and_texts_are_neutral() {
        let checkpoint = Checkpoint {
            task: "port\x1b[31m it\n## Done".to_owned(),
            next: texts(["a\u{202E}b"]),
            ..Checkpoint::default()
        };
        assert_eq!(
            render(&checkpoint, later(1)),
            "## Checkpoint: port[31m it ## Done\n_saved 1s ago_\n\nNext:\n  [ ] ab"
        );
    }

    #[test]
    fn ages_have_two_units() {
        for (seconds, text) in [
            (-5, "0s"),
            (59, "59s"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h 0m"),
            (90_000, "1d 1h"),
            (864_000, "10d 0h"),
        ] {
            assert_eq!(age(Timestamp::default(), later(seconds)), text);
        }
    }

    #[test]
    fn the_short_form_has_the_next_steps_and_what_blocks() {
        let mut checkpoint = example();
        assert_eq!(
            short(&checkpoint, later(60)),
            "Checkpoint, saved 1m ago: Implement Metal attention kernel\n\
             Next: Debug RMSNorm output; Compare against llama.cpp\n\
             Blocked: Need reference output from correct implementation"
        );
        checkpoint.next = texts(["a", "b", "c", "d", "e"]);
        checkpoint.blocked.clear();
        assert!(short(&checkpoint, later(60)).ends_with("Next: a; b; c; and 2 more"));
    }

    #[test]
    fn the_whole_form_is_cut_at_a_line() {
        assert_eq!(whole(&example(), later(60)), render(&example(), later(60)));
        let large = Checkpoint {
            done: vec!["step by step ".repeat(10); 90],
            ..example()
        };
        let text = whole(&large, later(60));
        assert!(text.chars().count() <= WHOLE_MAX_CHARS);
        assert!(text.ends_with(&format!("by step\n{CUT}")), "{text}");
    }
}
