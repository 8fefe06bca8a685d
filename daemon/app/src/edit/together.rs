//! Edits of one memory that concern another: two memories made one, and a memory brought back beside
//! the one that took its place.

use helix_engine::{Request, Step, StepChange, Strand};
use helix_memory::{Edit, Memory, Status, VerdictReason as Why, conflict};

use super::Target;
use super::plan::{Plan, Planned};
use super::target::Bare;
use crate::conflicts::{self, Settlement};
use crate::{Refusal, review, scopes, veil};

impl Plan<'_> {
    /// Lets the second memory say what the first does as well and take its place. It stays in its
    /// topic.
    pub(super) fn merge_memories(&self, merged: &str, into: &str) -> Result<Planned, Refusal> {
        let (merged, into) = (self.meant(merged)?, self.meant(into)?);
        if merged.number == into.number {
            return Err(Refusal::invalid(format!(
                "both names mean {}; name two memories, or a topic to move it to",
                into.handle
            )));
        }
        for end in [&merged, &into] {
            scopes::check_seen(end, self.asker)?;
            veil::refuse_waiting(self.asker, end)?;
        }
        let mut steps = conflicts::merge(self.asker, &into, &merged);
        let settled = Settlement::Merge;
        steps.extend(conflicts::close(
            self.app, self.asker, &into, &merged, settled,
        ));
        let note = format!("{} took over what {} said", into.handle, merged.handle);
        Ok(self.all(steps, vec![note]))
    }

    /// Brings a memory back. Where another has taken its place both hold then, which is a conflict
    /// that somebody settles.
    pub(super) fn restore(&self, target: &Target) -> Result<Planned, Refusal> {
        let planned = self.one(target, Bare::Deleted, |_, _| Ok(Edit::Restore))?;
        let Planned::Write {
            requests,
            mut warnings,
            is_shared,
        } = planned
        else {
            return Ok(planned);
        };
        let Some((memory, successor)) = self.replaced(&requests)? else {
            return Ok(Planned::Write {
                requests,
                warnings,
                is_shared,
            });
        };
        warnings.push(format!(
            "{} took its place and is in use as well: both hold until somebody settles it, see the conflicts",
            successor.handle
        ));
        let (actor, at) = (&self.asker.actor, self.app.memory.now());
        let edge = conflict(successor.number, memory.number, Why::Value, actor, at);
        let restore = StepChange::Edit {
            number: memory.number,
            edit: Edit::Restore,
            expected: self.expected,
        };
        let relate = StepChange::Relate(Box::new(edge));
        let steps = vec![Step::new(restore, ""), Step::new(relate, "")];
        Ok(self.all(steps, warnings))
    }

    /// The one memory that is to come back and the one that is in use in its place; `None` where
    /// there is none.
    fn replaced(&self, requests: &[Request]) -> Result<Option<(Memory, Memory)>, Refusal> {
        let [Request::Edit { number, .. }] = requests else {
            return Ok(None);
        };
        let strand = &self.app.memory.strand;
        let memory = strand.memories(&[*number])?.pop();
        let Some(memory) = memory.filter(|memory| memory.status == Status::Superseded) else {
            return Ok(None);
        };
        let snapshot = strand.snapshot()?;
        let living = Strand::living(&snapshot, &memory.id)?;
        let living = living
            .filter(|living| living.number != memory.number && living.status == Status::Active);
        Ok(living.map(|living| (memory, living)))
    }

    fn meant(&self, reference: &str) -> Result<Memory, Refusal> {
        let number = review::meant(self.app, self.asker, reference)?;
        let memory = self.app.memory.strand.memories(&[number])?.pop();
        memory.ok_or_else(|| Refusal::not_found("the memory is gone; search for it again"))
    }

    fn all(&self, steps: Vec<Step>, warnings: Vec<String>) -> Planned {
        let request = Request::Together {
            steps,
            actor: self.asker.actor.clone(),
            at: self.app.memory.now(),
        };
        Planned::Write {
            requests: vec![request],
            warnings,
            is_shared: false,
        }
    }
}
