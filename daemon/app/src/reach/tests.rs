#![allow(clippy::unwrap_used)]
use std::os::unix::fs::symlink;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

const SOON: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_mins(1);

/// A place that answers when the sender is dropped.
fn hang(reach: &Reach, path: &str) -> Sender<()> {
    let (go, wait): (Sender<()>, Receiver<()>) = channel();
    let (starts, started) = channel();
    reach.later(Path::new(path), LONG, move || {
        starts.send(()).unwrap();
        wait.recv().ok();
    });
    started.recv().unwrap();
    go
}

/// Has a place answer, so that it counts as one that does.
fn prove(reach: &Reach, path: &str) {
    assert_eq!(reach.ask(Path::new(path), LONG, || 1), Some(1));
    while reach.shared.lock().by_path.contains_key(Path::new(path)) {
        std::thread::yield_now();
    }
}

#[test]
fn a_place_that_hangs_costs_its_own_callers_once_and_nobody_else() {
    let reach = Reach::default();
    let (hung, wait) = channel::<()>();
    assert_eq!(
        reach.ask(Path::new("/hung"), SOON, move || wait.recv().is_ok()),
        None
    );
    let began = Instant::now();
    for _ in 0..100 {
        assert_eq!(reach.ask(Path::new("/hung"), SOON, || ()), None);
        assert_eq!(reach.ask(Path::new("/well"), LONG, || 7), Some(7));
    }
    assert!(began.elapsed() < LONG);
    assert_eq!(
        reach.shared.lock().by_path["/hung".as_ref() as &Path]
            .asked
            .len(),
        1,
        "it never answered"
    );
    drop(hung);
    assert_eq!(
        reach.ask(Path::new("/hung"), LONG, || 8),
        Some(8),
        "it answers again"
    );
}

#[test]
fn a_place_has_few_threads_and_the_rest_wait_their_turn() {
    let reach = Reach::default();
    prove(&reach, "/slow");
    let all: Vec<_> = (0..PLACE_THREADS_MAX)
        .map(|_| hang(&reach, "/slow"))
        .collect();
    let (done, did) = channel();
    reach.later(Path::new("/slow"), LONG, move || {
        done.send("asked in its turn").unwrap();
    });
    assert_eq!(
        reach.ask(Path::new("/slow"), Duration::ZERO, || ()),
        None,
        "and is given up"
    );
    assert!(did.try_recv().is_err());
    drop(all);
    assert_eq!(did.recv().unwrap(), "asked in its turn");
    assert_eq!(reach.ask(Path::new("/slow"), LONG, || 1), Some(1));
}

#[test]
fn new_places_that_hang_leave_the_threads_to_those_that_answer() {
    let reach = Reach::default();
    prove(&reach, "/well");
    let all: Vec<_> = (0..UNPROVEN_THREADS_MAX)
        .map(|number| hang(&reach, &format!("/{number}")))
        .collect();
    for number in 0..THREADS_MAX * 2 {
        assert_eq!(
            reach.ask(Path::new(&format!("/new{number}")), SOON, || ()),
            None
        );
    }
    assert_eq!(reach.ask(Path::new("/well"), LONG, || 1), Some(1));
    assert_eq!(
        reach.shared.lock().asked(|path| path != Path::new("/well")),
        UNPROVEN_THREADS_MAX
    );
    let (done, did) = channel();
    reach.later(Path::new("/late"), LONG, move || {
        done.send("asked once one answers").unwrap();
    });
    drop(all);
    assert_eq!(did.recv().unwrap(), "asked once one answers");
}

#[test]
fn all_threads_may_hang_and_everybody_is_told_at_once() {
    let reach = Reach::default();
    let places: Vec<_> = (0..=THREADS_MAX)
        .map(|number| format!("/{number}"))
        .collect();
    for place in &places {
        prove(&reach, place);
    }
    let all: Vec<_> = places
        .iter()
        .take(THREADS_MAX)
        .map(|place| hang(&reach, place))
        .collect();
    let last = Path::new(places.last().unwrap());
    assert_eq!(reach.ask(last, SOON, || ()), None);
    assert_eq!(reach.ask(last, Duration::ZERO, || ()), None);
    drop(all);
    assert_eq!(reach.ask(last, LONG, || 1), Some(1));
    assert!(reach.shared.lock().by_path.len() <= THREADS_MAX + 1);
}

#[test]
fn a_link_to_what_hangs_is_asked_there() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let (far, link) = (root.join("far"), root.join("link.rs"));
    symlink(far.join("a.rs"), &link).unwrap();
    let list = format!("36 22 0:98 / {} rw - fuse.hang hang rw\n", far.display());
    let reach = Reach::with(Mounts::planted(&list, None));
    let hung = hang(&reach, link.to_str().unwrap());
    while reach.shared.lock().by_path.len() > 1 {
        std::thread::yield_now();
    }
    assert!(reach.shared.lock().by_path.contains_key(&far));
    assert_eq!(
        reach.ask_of(&root, vec![link], SOON, || ()),
        None,
        "the link is not followed"
    );
    assert_eq!(
        reach.ask_of(&root, vec![root.join("b.rs")], LONG, || 1),
        Some(1),
        "the project goes on"
    );
    drop(hung);
}

#[test]
fn what_lies_beside_helix_is_looked_at_by_who_asks() {
    let directory = tempfile::tempdir().unwrap();
    let reach = Reach::beside(directory.path());
    let thread = || std::thread::current().id();
    let own = Some(thread());
    let near = directory.path().join("a.rs");
    let is_listed = cfg!(target_os = "linux");
    assert_eq!(reach.look(&near, LONG, thread) == own, is_listed);
    assert_ne!(reach.ask(&near, LONG, thread), own, "may run a program");
    assert_ne!(Reach::default().look(&near, LONG, thread), own);
    assert_ne!(reach.look(Path::new("/proc/self"), LONG, thread), own);
}

#[test]
fn what_hangs_is_named() {
    let reach = Reach::default();
    let hung = hang(&reach, "/hung");
    assert_eq!(reach.hanging(), [], "it may yet answer in time");
    let ago = Instant::now().checked_sub(OVERDUE).unwrap();
    for (_, asked_at) in &mut reach
        .shared
        .lock()
        .by_path
        .get_mut(Path::new("/hung"))
        .unwrap()
        .asked
    {
        *asked_at = ago;
    }
    assert_eq!(
        reach.hanging().first().map(|hanging| hanging.place.clone()),
        Some(PathBuf::from("/hung"))
    );
    assert!(
        !reach
            .shared
            .lock()
            .may_begin(Path::new("/hung"), Instant::now())
    );
    drop(hung);
}
