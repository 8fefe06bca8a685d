//! The memories of an export, written in its format.

use std::cell::Cell;
use std::rc::Rc;

use helix_engine::{Snapshot, Strand};
use helix_exchange::{Portable, Report, amrl, json, markdown};
use helix_memory::MemoryId;

use super::Cut;
use super::outlet::Outlet;
use super::selection::Selection;
use crate::Refusal;

fn handle_of(snapshot: &Snapshot, id: MemoryId) -> Option<String> {
    Some(
        Strand::living(snapshot, &id)
            .ok()??
            .handle
            .as_str()
            .to_owned(),
    )
}

pub(super) fn as_json(
    selection: &Selection,
    snapshot: &Snapshot,
    outlet: &mut Outlet<'_>,
) -> Result<Report, Cut> {
    let written = Rc::clone(&outlet.written);
    let mut writer = json::Writer::new(outlet)?;
    for &number in selection.topics.iter().flat_map(|(_, members)| members) {
        if let Some(memory) = snapshot.memory(number)? {
            let portable = Portable::from_memory(&memory, |id| handle_of(snapshot, id));
            writer.write(&portable)?;
            written.set(writer.written());
        }
    }
    writer.finish()?;
    Ok(Report::default())
}

pub(super) fn as_markdown(
    selection: &Selection,
    snapshot: &Snapshot,
    outlet: &mut Outlet<'_>,
) -> Result<Report, Cut> {
    for (topic, members) in &selection.topics {
        outlet.begin(markdown::file_name(topic))?;
        let mut writer = markdown::Writer::new(&mut *outlet, topic, members.len() as u64)?;
        for &number in members {
            if let Some(memory) = snapshot.memory(number)? {
                let portable = Portable::from_memory(&memory, |id| handle_of(snapshot, id));
                writer.write(&portable)?;
            }
        }
        let outlet = writer.finish()?;
        outlet
            .written
            .set(outlet.written.get() + members.len() as u64);
    }
    Ok(Report::default())
}

/// Adds the links that the log cannot name to `lost_links`.
pub(super) fn as_amrl(
    selection: &Selection,
    snapshot: &Snapshot,
    outlet: &mut Outlet<'_>,
    lost_links: &Cell<usize>,
) -> Result<Report, Cut> {
    let failed = |error: amrl::WriteError| Refusal::internal(error.to_string());
    let written = Rc::clone(&outlet.written);
    let mut writer = amrl::Writer::new(&mut *outlet).map_err(failed)?;
    for &number in selection.topics.iter().flat_map(|(_, members)| members) {
        if let Some(memory) = snapshot.memory(number)? {
            let portable =
                Portable::from_memory(&memory, |id| selection.position(snapshot, id, lost_links));
            writer.write(&portable).map_err(failed)?;
            written.set(writer.report().read);
        }
    }
    let (_, report) = writer.finish().map_err(failed)?;
    Ok(report)
}
