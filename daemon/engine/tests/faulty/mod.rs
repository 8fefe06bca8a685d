//! Byte storage that loses what was not synced: a power cut keeps a random part of it, torn at
//! sectors.
//!
//! A [`Medium`] outlives the strands that are opened on it. Without a planned fault it is a plain
//! disk in memory.

pub(crate) mod dice;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use dice::Dice;
use helix_engine::{Storage, Store};
use redb::StorageBackend;

/// Bytes that a disk writes whole or not at all.
const SECTOR_BYTES: usize = 512;

/// The fault at the operation that a plan names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The power is cut: this operation and all later ones fail, and unsynced writes are at stake.
    Cut,
    /// This one operation fails, and the disk goes on as if nothing had been.
    Hiccup,
}

/// An operation of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Write,
    Sync,
    SetLength,
}

impl Operation {
    pub(crate) const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Sync, Self::SetLength];
}

/// Operations of one kind that the disk refuses, though it goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    pub(crate) operation: Operation,
    /// Operations of the kind that are still done.
    pub(crate) after: u64,
    /// True if all later ones of the kind are refused too, as on a full disk.
    pub(crate) lasts: bool,
    /// True if the disk says that it did what it refused: a broken disk, which nothing can make up
    /// for.
    pub(crate) is_hidden: bool,
}

/// One store file on a disk of its own.
#[derive(Clone, Debug)]
pub(crate) struct Medium {
    disk: Arc<Mutex<Disk>>,
}

#[derive(Debug)]
struct Disk {
    /// Bytes that survive whatever happens.
    durable: Vec<u8>,
    /// Bytes that reads see.
    current: Vec<u8>,
    /// Operations since the last honest sync, in order.
    unsynced: Vec<Unsynced>,
    /// Operations until the fault.
    plan: Option<(u64, Fault)>,
    refusal: Option<Refusal>,
    has_failed: bool,
    is_off: bool,
    /// `None`: all syncs are honest.
    lies_one_in: Option<u64>,
    dice: Dice,
}

#[derive(Debug)]
enum Unsynced {
    Write { offset: usize, bytes: Vec<u8> },
    Length(usize),
}

impl Medium {
    pub(crate) fn new(seed: u64) -> Self {
        let disk = Disk {
            durable: Vec::new(),
            current: Vec::new(),
            unsynced: Vec::new(),
            plan: None,
            refusal: None,
            has_failed: false,
            is_off: false,
            lies_one_in: None,
            dice: Dice::new(seed),
        };
        Self {
            disk: Arc::new(Mutex::new(disk)),
        }
    }

    /// A sync out of this many does nothing from now on and says that it did.
    pub(crate) fn lie_about_one_sync_in(&self, times: u64) {
        self.disk().lies_one_in = Some(times);
    }

    /// Plans a fault for after this many operations. Reads are operations too.
    pub(crate) fn plan(&self, after: u64, fault: Fault) {
        self.disk().plan = Some((after, fault));
    }

    /// Plans a refusal.
    pub(crate) fn refuse(&self, refusal: Refusal) {
        self.disk().refusal = Some(refusal);
    }

    /// Returns whether a fault has happened.
    pub(crate) fn has_failed(&self) -> bool {
        self.disk().has_failed
    }

    /// Ends the process that uses the disk, which does what it is asked from then on. The system
    /// still writes what it was given.
    pub(crate) fn restart(&self) {
        let mut disk = self.disk();
        disk.unsynced.clear();
        let Disk {
            durable, current, ..
        } = &mut *disk;
        durable.clone_from(current);
        (disk.plan, disk.refusal, disk.has_failed, disk.is_off) = (None, None, false, false);
    }

    /// Drops the plan. Returns whether its fault had happened.
    pub(crate) fn unplan(&self) -> bool {
        let mut disk = self.disk();
        disk.plan = None;
        disk.has_failed
    }

    /// Cuts the power, if it is not off yet, and switches it on again: of the unsynced writes a
    /// random part is left.
    pub(crate) fn power_cycle(&self) {
        let mut disk = self.disk();
        let unsynced = std::mem::take(&mut disk.unsynced);
        // Some caches lose everything, some nothing, most something.
        let survival = disk.dice.below(5);
        for change in unsynced {
            disk.settle(&change, survival);
        }
        let durable = disk.durable.clone();
        disk.current = durable;
        disk.plan = None;
        disk.refusal = None;
        disk.has_failed = false;
        disk.is_off = false;
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap()
    }
}

impl Disk {
    /// Counts an operation and lets the planned fault happen. A cut operation may still have
    /// reached the disk's cache.
    fn step(&mut self) -> io::Result<()> {
        if self.is_off {
            return Err(io::Error::other("the power is off"));
        }
        match self.plan.take() {
            None => Ok(()),
            Some((0, fault)) => {
                self.has_failed = true;
                self.is_off = fault == Fault::Cut;
                Err(io::Error::other("the planned fault"))
            }
            Some((left, fault)) => {
                self.plan = Some((left - 1, fault));
                Ok(())
            }
        }
    }

    /// As [`Self::step`], for an operation that may be refused. Returns whether it is to be done.
    fn step_of(&mut self, operation: Operation) -> io::Result<bool> {
        self.step()?;
        let Some(refusal) = self
            .refusal
            .as_mut()
            .filter(|refusal| refusal.operation == operation)
        else {
            return Ok(true);
        };
        if refusal.after > 0 {
            refusal.after -= 1;
            return Ok(true);
        }
        let is_hidden = refusal.is_hidden;
        if !refusal.lasts {
            self.refusal = None;
        }
        self.has_failed = true;
        if is_hidden {
            Ok(false)
        } else {
            Err(io::Error::other("the planned refusal"))
        }
    }

    /// Does what changes the disk. Returns whether it arrived, and what the disk says: one that
    /// failed may have arrived, those after a cut never do.
    fn arrives(&mut self, operation: Operation) -> (bool, io::Result<()>) {
        let was_off = self.is_off;
        match self.step_of(operation) {
            Ok(arrives) => (arrives, Ok(())),
            Err(error) => (!was_off && self.dice.one_in(2), Err(error)),
        }
    }

    /// Keeps a random part of one unsynced change: `survival` of four sectors on average.
    fn settle(&mut self, change: &Unsynced, survival: u64) {
        match change {
            Unsynced::Length(length) => {
                if self.dice.below(4) < survival {
                    self.durable.resize(*length, 0);
                }
            }
            Unsynced::Write { offset, bytes } => {
                let mut done = 0;
                while done < bytes.len() {
                    let start = offset + done;
                    let sector_end = (start / SECTOR_BYTES + 1) * SECTOR_BYTES;
                    let end = sector_end.min(offset + bytes.len());
                    if self.dice.below(4) < survival {
                        overwrite(&mut self.durable, start, &bytes[done..end - offset]);
                    }
                    done = end - offset;
                }
            }
        }
    }

    fn sync(&mut self) {
        if self
            .lies_one_in
            .is_some_and(|times| self.dice.one_in(times))
        {
            return;
        }
        for change in std::mem::take(&mut self.unsynced) {
            match change {
                Unsynced::Length(length) => self.durable.resize(length, 0),
                Unsynced::Write { offset, bytes } => overwrite(&mut self.durable, offset, &bytes),
            }
        }
    }
}

fn overwrite(file: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if file.len() < offset + bytes.len() {
        file.resize(offset + bytes.len(), 0);
    }
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
}

impl Storage for Medium {
    fn open(&self, name: &str) -> io::Result<Box<dyn StorageBackend>> {
        let is_store = name == Store::FILE;
        if is_store {
            Ok(Box::new(self.clone()))
        } else {
            Err(io::Error::other("nothing but the store is kept here"))
        }
    }

    fn remove(&self, _name: &str) -> io::Result<()> {
        Err(io::Error::other("nothing but the store is kept here"))
    }
}

impl StorageBackend for Medium {
    fn len(&self) -> io::Result<u64> {
        let mut disk = self.disk();
        disk.step()?;
        Ok(disk.current.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut disk = self.disk();
        if !disk.step_of(Operation::Read)? {
            out.fill(0);
            return Ok(());
        }
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let found = disk
            .current
            .get(start..start + out.len())
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let length = usize::try_from(len).map_err(io::Error::other)?;
        let mut disk = self.disk();
        let (arrives, done) = disk.arrives(Operation::SetLength);
        if arrives {
            disk.unsynced.push(Unsynced::Length(length));
            disk.current.resize(length, 0);
        }
        done
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut disk = self.disk();
        if disk.step_of(Operation::Sync)? {
            disk.sync();
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let mut disk = self.disk();
        let (arrives, done) = disk.arrives(Operation::Write);
        if arrives {
            disk.unsynced.push(Unsynced::Write {
                offset,
                bytes: data.to_vec(),
            });
            overwrite(&mut disk.current, offset, data);
        }
        done
    }
}
