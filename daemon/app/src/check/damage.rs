//! Records that are damaged, and what was lost.

use helix_engine::{Damage, Request, Store, StoreError};

use super::{Finding, Level, SHOWN_MAX, count_of, result};
use crate::App;
use crate::threads::wait;

/// How findings about damaged records are called.
const DAMAGE: &str = "damage";

/// Records that do not match their hashes, after the attempt to take them from the history, and
/// what was lost for good.
pub(super) fn damage(app: &App) -> Vec<Finding> {
    let (damage, mended) = match mended(app) {
        Ok(found) => found,
        Err(error) => return vec![result(DAMAGE, Level::Failure, error.to_string())],
    };
    let mut results = Vec::new();
    if mended > 0 {
        let detail = format!(
            "{} taken from the history",
            count_of(mended, "damaged record was", "damaged records were")
        );
        results.push(result(DAMAGE, Level::Warning, detail));
    }
    results.extend(damaged_memories(&damage));
    if !damage.operations.is_empty() {
        let count = count_of(damage.operations.len(), "operation", "operations");
        let detail = format!(
            "{count} of the history cannot be read; run `helixctl down`, and the next start mends what it can"
        );
        results.push(result(DAMAGE, Level::Failure, detail));
    }
    results.extend(lost(app, &damage));
    results
}

/// Takes what is damaged from the history. Returns what is left, and how many records were mended.
fn mended(app: &App) -> Result<(Damage, usize), StoreError> {
    let read = || app.memory.strand.snapshot()?.damage();
    let found = read()?;
    if found.memories.is_empty() {
        return Ok((found, 0));
    }
    let mends = found.memories.iter().copied().map(Request::Mend).collect();
    // Where it was not done, they are still in the list.
    if let Ok(answer) = app.writer.submit(mends) {
        drop(wait(answer));
    }
    let left = read()?;
    let mended = found.memories.len().saturating_sub(left.memories.len());
    Ok((left, mended))
}

fn damaged_memories(damage: &Damage) -> Option<Finding> {
    if damage.memories.is_empty() {
        return None;
    }
    let numbers: Vec<String> = damage
        .memories
        .iter()
        .take(SHOWN_MAX)
        .map(|number| number.0.to_string())
        .collect();
    let count = count_of(
        damage.memories.len(),
        "memory is damaged and is",
        "memories are damaged and are",
    );
    let detail = format!(
        "{count} not shown: number {}; put a copy of the store back",
        numbers.join(", ")
    );
    Some(result(DAMAGE, Level::Failure, detail))
}

/// Lists the losses of a damaged store that was made anew, for as long as a copy of it is kept.
fn lost(app: &App, damage: &Damage) -> Option<Finding> {
    let directory = app.layout.directory();
    let copy = (1..=u32::MAX)
        .map(Damage::copy_name)
        .take_while(|name| directory.join(name).exists())
        .last()?;
    let names = damage
        .lost_memories
        .iter()
        .take(SHOWN_MAX)
        .map(|(number, handle)| {
            if handle.is_empty() {
                format!("number {number}")
            } else {
                handle.clone()
            }
        });
    let names: Vec<String> = names.collect();
    let lost = match damage.lost_memories.len() {
        0 => "no memory was lost".to_owned(),
        count => format!(
            "{} lost ({})",
            count_of(count, "memory was", "memories were"),
            names.join(", ")
        ),
    };
    let operations = match damage.lost_operations {
        0 => String::new(),
        count => format!(
            ", {} of the history",
            count_of(count, "operation", "operations")
        ),
    };
    let detail = format!(
        "{file} was damaged and was made anew: {lost}{operations}; the damaged file is kept as {}, delete it when it is \
         not needed",
        directory.join(copy).display(),
        file = Store::FILE
    );
    let level = if damage.lost_memories.is_empty() {
        Level::Warning
    } else {
        Level::Failure
    };
    Some(result(DAMAGE, level, detail))
}
