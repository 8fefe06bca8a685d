//! The order of one connection's calls: they take effect as they came.
//!
//! A call is put in line when its message is read, not when its task first runs. Reads overlap each
//! other; a write waits for every call before it, and no read overtakes a write. The line is a fair
//! lock: tokio's queues those that wait first come, first served, and one that is dropped leaves
//! the queue.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::{
    OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit, RwLock, Semaphore,
};
use tokio::task::coop::unconstrained;

/// Reads that are with the daemon at one time; further ones wait.
const READS_MAX: u32 = 64;

/// Calls of one connection that are in line, those under way among them. Agents send a handful at
/// once; of a script that pipes more, nothing more is read before one of them is answered.
const CALLS_MAX: usize = 1_024;

/// What a call does to what later calls see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// Changes it, or may.
    Writes,
}

/// The line of one connection.
#[derive(Clone)]
pub(crate) struct Line {
    order: Arc<RwLock<()>>,
    room: Arc<Semaphore>,
}

/// A call's place in the line; lets the next ones on when it is dropped.
pub(crate) struct Turn {
    _order: Held,
    _room: OwnedSemaphorePermit,
}

/// Kept for as long as a call is under way.
enum Held {
    Read(#[expect(dead_code, reason = "held, not read")] OwnedRwLockReadGuard<()>),
    Write(#[expect(dead_code, reason = "held, not read")] OwnedRwLockWriteGuard<()>),
}

type Waiting = Pin<Box<dyn Future<Output = Turn> + Send>>;

/// A call's claim to its turn, which travels with the message. Only one of its clones can take it.
#[derive(Clone)]
pub(crate) struct Ticket(Arc<Mutex<Option<Waiting>>>);

/// Room in the line for one more call.
pub(crate) struct Room(OwnedSemaphorePermit);

impl Line {
    /// Makes a line in which nobody waits.
    pub(crate) fn new() -> Self {
        Self {
            order: Arc::new(RwLock::with_max_readers((), READS_MAX)),
            room: Arc::new(Semaphore::new(CALLS_MAX)),
        }
    }

    /// How many calls are in line, those under way among them.
    pub(crate) fn len(&self) -> usize {
        CALLS_MAX.saturating_sub(self.room.available_permits())
    }

    /// Waits until the line has room for a call; `None` never, as nobody closes it. May be cancelled.
    pub(crate) async fn room(&self) -> Option<Room> {
        let room = Arc::clone(&self.room).acquire_owned().await;
        room.ok().map(Room)
    }

    /// Puts a call at the end of the line.
    pub(crate) fn enter(&self, effect: Effect, Room(room): Room) -> Ticket {
        let order = Arc::clone(&self.order);
        // Unconstrained, because a task that has used up its share of polls would not be queued.
        let mut waiting: Waiting = Box::pin(unconstrained(async move {
            let order = match effect {
                Effect::Reads => Held::Read(order.read_owned().await),
                Effect::Writes => Held::Write(order.write_owned().await),
            };
            Turn {
                _order: order,
                _room: room,
            }
        }));
        // The first poll queues it. Nobody has to be woken: the call's task polls it again.
        let mut context = Context::from_waker(Waker::noop());
        match waiting.as_mut().poll(&mut context) {
            Poll::Ready(turn) => Ticket::of(Box::pin(std::future::ready(turn))),
            Poll::Pending => Ticket::of(waiting),
        }
    }
}

impl Ticket {
    fn of(waiting: Waiting) -> Self {
        Self(Arc::new(Mutex::new(Some(waiting))))
    }

    /// Waits for the turn; `None` when it was taken before. Dropping the wait leaves the line.
    pub(crate) async fn turn(&self) -> Option<Turn> {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match waiting {
            Some(waiting) => Some(waiting.await),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tokio::task::yield_now;

    use super::*;

    /// Puts a call into a line that has room.
    fn enter(line: &Line, effect: Effect) -> Ticket {
        let room = Arc::clone(&line.room).try_acquire_owned().unwrap();
        line.enter(effect, Room(room))
    }

    /// Returns whether a ticket's turn has come.
    async fn comes(ticket: &Ticket) -> Option<Turn> {
        let mut waiting = ticket.0.lock().unwrap().take().unwrap();
        for _ in 0..4 {
            yield_now().await;
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(turn) = waiting.as_mut().poll(&mut context) {
                return Some(turn);
            }
        }
        *ticket.0.lock().unwrap() = Some(waiting);
        None
    }

    #[tokio::test]
    async fn calls_take_effect_in_the_order_in_which_they_came() {
        let line = Line::new();
        let enter = |effect| enter(&line, effect);
        let (first, second) = (enter(Effect::Reads), enter(Effect::Reads));
        let (write, late) = (enter(Effect::Writes), enter(Effect::Reads));
        let (one, other) = (comes(&first).await.unwrap(), comes(&second).await.unwrap());
        assert!(comes(&late).await.is_none(), "a read overtook a write");
        drop(one);
        assert!(comes(&write).await.is_none(), "a write overtook a read");
        drop(other);
        let write = comes(&write).await.unwrap();
        assert!(comes(&late).await.is_none(), "a read ran beside a write");
        drop(write);
        assert!(comes(&late).await.is_some());
    }

    #[tokio::test]
    async fn the_order_is_that_of_entering_and_not_of_waiting() {
        let line = Line::new();
        let (first, second) = (enter(&line, Effect::Writes), enter(&line, Effect::Writes));
        assert!(
            comes(&second).await.is_none(),
            "the second was asked for first"
        );
        drop(comes(&first).await.unwrap());
        assert!(comes(&second).await.is_some());
    }

    #[tokio::test]
    async fn who_gives_up_leaves_the_line() {
        let line = Line::new();
        let (first, second, third) = (
            enter(&line, Effect::Writes),
            enter(&line, Effect::Writes),
            enter(&line, Effect::Writes),
        );
        let under_way = first.turn().await.unwrap();
        drop(second);
        drop(under_way);
        assert!(comes(&third).await.is_some());
    }

    #[tokio::test]
    async fn a_full_line_has_no_room_until_one_leaves() {
        let line = Line::new();
        let mut tickets: Vec<Ticket> = (0..CALLS_MAX)
            .map(|_| enter(&line, Effect::Reads))
            .collect();
        let mut context = Context::from_waker(Waker::noop());
        let mut room = Box::pin(line.room());
        assert!(room.as_mut().poll(&mut context).is_pending());
        tickets.pop();
        assert!(room.as_mut().poll(&mut context).is_ready());
    }

    #[tokio::test]
    async fn only_so_many_reads_overlap() {
        let line = Line::new();
        let tickets: Vec<Ticket> = (0..=READS_MAX)
            .map(|_| enter(&line, Effect::Reads))
            .collect();
        let mut turns = Vec::new();
        for ticket in tickets.iter().take(READS_MAX as usize) {
            turns.push(comes(ticket).await.unwrap());
        }
        let last = tickets.last().unwrap();
        assert!(comes(last).await.is_none());
        turns.pop();
        assert!(comes(last).await.is_some());
    }
}
