//! Setting the links of what is written, when all of it is.

use helix_engine::{Resolution, Strand};
use helix_memory::{Edit, EditedFields as Fields};
use helix_proto::limits::BATCH_MAX;

use super::super::links::Owner;
use super::{Importer, settle_refusal};
use crate::Refusal;
use crate::threads::wait;

impl Importer<'_> {
    /// Writes the links and names those that lead nowhere; a dry run only names them.
    pub(super) fn write_links(&mut self) -> Result<(), Refusal> {
        let (strand, scopes) = (&self.app.memory.strand, self.asker.scopes());
        let resolved = self
            .links
            .resolve(|link| match strand.resolve(link, &scopes) {
                Ok(Resolution::One(number)) => {
                    let named = strand.memories(&[number]).ok()?.pop()?;
                    Some(
                        Strand::living(&strand.snapshot().ok()?, &named.id)
                            .ok()??
                            .id,
                    )
                }
                Ok(Resolution::Several(_) | Resolution::None) | Err(_) => None,
            });
        for (owner, link) in &resolved.unknown {
            self.problems.add(|| unknown_link(strand, owner, link));
        }
        self.progress.known -= resolved.completed.min(self.progress.known);
        self.progress.revised += resolved.completed;
        if self.dry_run {
            return Ok(());
        }
        let wanted = resolved.known;
        for links in wanted.chunks(BATCH_MAX) {
            let requests = links.iter().map(|linked| {
                let fields = Fields {
                    links: Some(linked.ids.clone()),
                    ..Fields::default()
                };
                self.edit(linked.number, Edit::Set(Box::new(fields)), linked.at)
            });
            let requests = requests.collect();
            let answer = self.app.writer.submit(requests)?;
            wait(answer).map_err(settle_refusal)?;
        }
        Ok(())
    }
}

fn unknown_link(strand: &Strand, owner: &Owner, link: &str) -> String {
    let handle = match owner {
        Owner::Stored(number) => {
            let memory = strand
                .memories(&[*number])
                .ok()
                .and_then(|mut found| found.pop());
            memory.map_or_else(String::new, |memory| memory.handle.as_str().to_owned())
        }
        Owner::Foreseen(handle) => handle.clone(),
    };
    format!("{handle}: {}", Resolution::leads_nowhere(link))
}
