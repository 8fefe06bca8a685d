//! Tags that an edit adds and removes.

use helix_memory::{Memory, Tags};

use crate::Refusal;

/// Says which of the tags that are to be removed a memory does not have.
///
/// # Errors
/// When there is no tag, or one is to be added and removed at once.
pub(super) fn warn_of_absent(
    memory: &Memory,
    add: &[String],
    remove: &[String],
    warnings: &mut Vec<String>,
) -> Result<(), Refusal> {
    let normal = |tags: &[String]| -> Vec<String> {
        tags.iter()
            .flat_map(|tag| tag.split(','))
            .filter_map(Tags::normalise_one)
            .collect()
    };
    let (add, remove) = (normal(add), normal(remove));
    if add.is_empty() && remove.is_empty() {
        return Err(Refusal::invalid(
            "no tag is given; name tags to add or to remove",
        ));
    }
    let both: Vec<&str> = remove
        .iter()
        .filter(|tag| add.contains(tag))
        .map(String::as_str)
        .collect();
    if !both.is_empty() {
        let tags = both.join(", ");
        return Err(Refusal::invalid(format!(
            "{tags} is to be added and removed at once; name it on one side"
        )));
    }
    let former = |tag: &String| {
        Tags::former_spellings(tag)
            .iter()
            .any(|former| memory.tags.contains(former))
    };
    let absent = remove
        .iter()
        .filter(|tag| !memory.tags.contains(tag) && !former(tag));
    warnings.extend(absent.map(|tag| format!("{} had no tag {tag}", memory.handle)));
    Ok(())
}
