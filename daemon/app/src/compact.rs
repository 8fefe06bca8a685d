//! Compacting: near duplicates merged, impossible times put right, files made smaller; a dry run
//! unless told to apply.

mod duplicates;
mod files;
mod times;

use std::sync::Arc;

use crate::ports::Hold;
use crate::threads::off_thread;
use crate::told::Told;
use crate::{App, Asker, Refusal, scopes};

/// A compaction that somebody wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The scopes; empty for those that the asker sees.
    pub scopes: Vec<String>,
    /// True if it is done, and not only looked at.
    pub apply: bool,
    /// True if files are made smaller too.
    pub log: bool,
    /// True if impossible times are put right, in place of looking for duplicates.
    pub migrate: bool,
    /// Comparisons that looking for duplicates may take.
    pub work_max: usize,
}

/// Two memories of which one repeats the other; `None` for what is gone.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The one that stays.
    pub kept: Option<Told>,
    /// The one that repeats it.
    pub duplicate: Option<Told>,
    /// How similar they are.
    pub similarity: f32,
}

/// The result of compacting.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Duplicates, newest first; some of them when there are many.
    pub pairs: Vec<Pair>,
    /// Pairs that are only alike, which are never merged.
    pub similar: Vec<Pair>,
    /// Pairs that were merged.
    pub merged: usize,
    /// Memories whose times were put right, or would be.
    pub repaired: usize,
    /// Bytes of all files before; 0 where that was not asked for.
    pub bytes_before: u64,
    /// The same after; 0 where nothing was done.
    pub bytes_after: u64,
    /// Notes for whoever asked.
    pub notes: Vec<String>,
}

/// Compacts what is named. `who` says who asks, and may look at the disk for it; `going` tells who
/// ends the program that this goes on.
///
/// Dropped at any await, it leaves nothing half done: what is written is written in whole batches.
///
/// # Errors
/// When the scopes cannot be read, the disk fails, or something is not written.
pub async fn compact(
    app: &Arc<App>,
    going: &Hold,
    who: impl FnOnce() -> Asker + Send + 'static,
    wanted: Wanted,
) -> Result<Answer, Refusal> {
    let Wanted {
        scopes: names,
        apply,
        log,
        migrate,
        work_max,
    } = wanted;
    let read = off_thread(app, move |_| {
        let asker = who();
        let scopes = scopes::filtered(&asker, &names)?;
        Ok((asker, scopes))
    });
    let (asker, scopes) = read.await?;
    let mut answer = if migrate {
        times::repair(app, going, &asker, scopes, apply).await?
    } else {
        let search = duplicates::Search {
            scopes,
            work_max,
            apply,
        };
        duplicates::duplicates(app, going, &asker, search).await?
    };
    if log {
        files::files(app, going, apply, &mut answer).await?;
    }
    Ok(answer)
}
