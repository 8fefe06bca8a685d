//! Starting an absent daemon, and finding one that listens elsewhere.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::harness::{
    Daemon, INPUT, Room, Run, await_readable, bare_hook, copied_hook, named_pipe, program, reply,
    run,
};

/// A home without a daemon, and a script in the daemon's place that reports what it finds and then
/// lives on.
struct Home {
    room: Room,
    /// Says that the report is written.
    reported: File,
    /// The script lives until this is closed.
    _hold: File,
}

impl Home {
    fn new() -> Self {
        let room = Room::new();
        let reported = named_pipe(&room.path().join("reported"));
        let hold = named_pipe(&room.path().join("hold"));
        Self {
            room,
            reported,
            _hold: hold,
        }
    }

    fn path(&self) -> PathBuf {
        self.room.path().join("home")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }

    /// Writes the script at `name` and returns its path.
    fn script(&self, name: &str) -> PathBuf {
        let room = self.room.path().display();
        let text = format!(
            "#!/bin/sh\ncat /proc/$$/stat > {room}/stat\n(ls -l /proc/$$/fd > {room}/descriptors)\n\
             pwd > {room}/directory\numask > {room}/umask\necho \"$0 $HELIX_HOME\" > {room}/started\n\
             echo > {room}/reported\nread line < {room}/hold\n"
        );
        self.script_of(name, &text)
    }

    /// Writes a script with this text and returns its path.
    fn script_of(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Writes a script that leaves a complaint in the daemon's place, and ends.
    fn complaining(&self) -> PathBuf {
        let text =
            "#!/bin/sh\ncd $HELIX_HOME/run\necho brief > draft.$$\nmv draft.$$ helixd.complaint\n";
        self.script_of("complaining", text)
    }

    fn prepare<'c>(&self, hook: &'c mut Command) -> &'c mut Command {
        hook.env("HELIX_HOME", self.path())
            .env("PATH", "/usr/bin:/bin")
    }

    /// Waits for the script's report and returns one part of it.
    fn report(&mut self, name: &str) -> String {
        await_readable(&self.reported);
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    fn check_started(&mut self, script: &Path) {
        let expected = format!("{} {}\n", script.display(), self.path().display());
        assert_eq!(self.report("started"), expected);
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(target_os = "linux")]
#[test]
fn the_daemon_keeps_nothing_of_the_hook() {
    let mut home = Home::new();
    let script = home.script("daemon");
    let mut hook = home.room.redirected_hook("session", "7</dev/zero");
    hook.env_remove("HELIX_SOCKET").env("HELIX_DAEMON", &script);
    // Returns when stdout and stderr have ended, while the script is held.
    run(home.prepare(&mut hook), INPUT).check_silent("started and does not listen yet");

    home.check_started(&script);
    let descriptors = home.report("descriptors");
    for standard in [" 0 -> /dev/null", " 1 -> /dev/null", " 2 -> /dev/null"] {
        assert!(descriptors.contains(standard), "{descriptors}");
    }
    for foreign in ["/dev/zero", "pipe:", "socket:", "helixd.lock"] {
        assert!(!descriptors.contains(foreign), "{descriptors}");
    }
    assert_eq!(home.report("directory"), "/\n");
    assert!(home.report("umask").ends_with("077\n"));

    let stat = home.report("stat");
    let numbers: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let (own, session) = (stat.split(' ').next().unwrap(), numbers[3]);
    assert_ne!(
        session,
        rustix::process::getsid(None).unwrap().to_string(),
        "in the session of the agent"
    );
    assert_ne!(session, own, "a session's leader could get a terminal");
}

#[test]
fn directories_and_lock_are_the_owner_s_and_the_lock_is_free() {
    let mut home = Home::new();
    let script = home.script("daemon");
    run(
        home.prepare(&mut bare_hook("session"))
            .env("HELIX_DAEMON", &script),
        INPUT,
    )
    .check(b"");
    home.check_started(&script);
    let lock = home.path().join("run/helixd.lock");
    assert_eq!(
        [
            mode(&home.path()),
            mode(&home.path().join("run")),
            mode(&lock)
        ],
        [0o700, 0o700, 0o600]
    );
    File::open(lock).unwrap().try_lock().unwrap();
}

#[test]
fn the_daemon_beside_the_shim_comes_first() {
    let mut home = Home::new();
    let beside = home.script("bin/helixd");
    let copy = home.file("bin/helix-hook");
    std::fs::copy(program(), &copy).unwrap();
    run(home.prepare(&mut copied_hook(&copy, "session")), INPUT).check(b"");
    home.check_started(&beside);
}

#[test]
fn the_daemon_is_looked_for_on_the_path() {
    let mut home = Home::new();
    let on_path = home.script("elsewhere/helixd");
    let copy = home.file("helix-hook");
    std::fs::copy(program(), &copy).unwrap();
    let search = format!(
        "relative::{}:/usr/bin:/bin",
        on_path.parent().unwrap().display()
    );
    run(
        home.prepare(&mut copied_hook(&copy, "session"))
            .env("PATH", search),
        INPUT,
    )
    .check(b"");
    home.check_started(&on_path);
}

#[test]
fn nothing_to_start_is_said_at_once() {
    let home = Home::new();
    for named in ["/nonexistent/helixd", "helixd", "/etc/passwd"] {
        run(
            home.prepare(&mut bare_hook("session"))
                .env("HELIX_DAEMON", named),
            INPUT,
        )
        .check_silent("none found");
    }
}

#[test]
fn a_relative_home_starts_nothing() {
    let home = Home::new();
    let mut hook = bare_hook("session");
    hook.current_dir(home.room.path()).env("HELIX_HOME", "home");
    run(&mut hook, INPUT).check_silent("relative path");
    assert!(!home.path().exists());
}

#[test]
fn a_held_lock_starts_nothing() {
    let home = Home::new();
    let script = home.script("daemon");
    std::fs::create_dir_all(home.path().join("run")).unwrap();
    let lock = File::create(home.path().join("run/helixd.lock")).unwrap();
    lock.try_lock().unwrap();
    run(
        home.prepare(&mut bare_hook("session"))
            .env("HELIX_DAEMON", &script),
        INPUT,
    )
    .check_silent("holds its lock");
    assert!(!home.file("started").exists());
}

/// Events other than a session's beginning.
const OTHER_EVENTS: [&str; 8] = [
    "prompt",
    "ambient",
    "post-build",
    "error-context",
    "pre-compact",
    "stop",
    "subagent",
    "session-end",
];

impl Home {
    /// Writes the lock as a daemon does that listens at `socket`.
    fn lock(&self, text: &str) -> File {
        let path = self.path().join("run/helixd.lock");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        File::open(path).unwrap()
    }

    /// Says that a daemon was started so long ago.
    fn started(&self, ago: Duration) {
        let file = File::create(self.path().join("run/helixd.started")).unwrap();
        file.set_modified(SystemTime::now() - ago).unwrap();
    }
}

#[test]
fn no_other_event_starts_a_daemon_where_none_died() {
    let home = Home::new();
    let script = home.script("daemon");
    for event in OTHER_EVENTS {
        run(
            home.prepare(&mut bare_hook(event))
                .env("HELIX_DAEMON", &script),
            INPUT,
        )
        .check_silent("nothing listens");
    }
    assert!(!home.path().exists());
    // As `helixctl down` leaves it.
    home.lock("");
    run(
        home.prepare(&mut bare_hook("prompt"))
            .env("HELIX_DAEMON", &script),
        INPUT,
    )
    .check_silent("nothing listens");
    assert!(!home.file("started").exists());
}

#[test]
fn any_event_starts_a_daemon_in_place_of_one_that_died() {
    for event in OTHER_EVENTS {
        let mut home = Home::new();
        let script = home.script("daemon");
        home.lock("4711\n/nowhere/helixd.sock\n");
        run(
            home.prepare(&mut bare_hook(event))
                .env("HELIX_DAEMON", &script),
            INPUT,
        )
        .check_silent("started");
        home.check_started(&script);
    }
}

#[test]
fn a_daemon_is_started_once_in_ten_seconds() {
    let home = Home::new();
    let script = home.script_of(
        "dying",
        &format!("#!/bin/sh\necho >> {}\n", home.file("starts").display()),
    );
    home.lock("4711\n");
    let mut hook = bare_hook("prompt");
    home.prepare(&mut hook).env("HELIX_DAEMON", &script);
    home.started(Duration::from_secs(8));
    run(&mut hook, INPUT).check_silent("a moment ago");
    home.started(Duration::from_secs(12));
    run(&mut hook, INPUT).check_silent("started");
    for _ in 0..3 {
        run(&mut hook, INPUT).check_silent("a moment ago");
    }
    // Written by a clock that was set back since.
    File::open(home.path().join("run/helixd.started"))
        .and_then(|file| file.set_modified(SystemTime::now() + Duration::from_hours(1)))
        .unwrap();
    run(&mut hook, INPUT).check_silent("started");
}

#[test]
fn a_daemon_that_listens_elsewhere_is_found_by_its_lock() {
    let home = Home::new();
    let place = home.file("elsewhere.sock");
    let lock = home.lock(&format!("4711\n{}\n", place.display()));
    lock.lock().unwrap();
    for event in ["prompt", "session"] {
        let daemon = Daemon::at(&place, |stream| stream.write_all(&reply(b"found")).unwrap());
        run(home.prepare(&mut bare_hook(event)), INPUT).check(b"found");
        daemon.request();
        std::fs::remove_file(&place).unwrap();
    }
}

#[test]
fn a_lock_that_others_could_have_written_leads_nowhere() {
    let home = Home::new();
    let place = home.file("elsewhere.sock");
    let _listener = std::os::unix::net::UnixListener::bind(&place).unwrap();
    let text = format!("4711\n{}\n", place.display());
    let lock = home.lock(&text);
    let mut hook = bare_hook("prompt");
    home.prepare(&mut hook)
        .env("HELIX_DAEMON", "/nonexistent/helixd");
    run(&mut hook, INPUT).check_silent("none found");
    lock.lock().unwrap();
    std::fs::set_permissions(
        home.path().join("run/helixd.lock"),
        std::fs::Permissions::from_mode(0o622),
    )
    .unwrap();
    run(&mut hook, INPUT).check_silent("nothing listens");
    for text in [
        text.trim_end(),
        &text.replace("4711", "x"),
        "4711\nelsewhere.sock\n",
        "",
    ] {
        let _held = home.lock(text);
        run(&mut hook, INPUT).check_silent("nothing listens");
    }
}

/// Starts of a daemon that ends at once, one of which will be in time on any machine.
const ATTEMPTS_MAX: usize = 100;

/// Runs a hook until the daemon that it starts has said in time why it cannot serve: on a busy
/// machine the hook gives up before.
fn await_complaint(mut hook: impl FnMut() -> Command) -> Run {
    let in_time = |finished: &Run| !finished.stderr.contains("does not listen yet");
    std::iter::repeat_with(|| run(&mut hook(), INPUT))
        .take(ATTEMPTS_MAX)
        .find(in_time)
        .unwrap()
}

#[test]
fn a_daemon_that_cannot_serve_is_told_of_once() {
    let home = Home::new();
    let script = home.complaining();
    let run_directory = home.path().join("run");
    std::fs::create_dir_all(&run_directory).unwrap();
    let hook = || {
        let mut hook = bare_hook("session");
        home.prepare(&mut hook).env("HELIX_DAEMON", &script);
        hook
    };
    await_complaint(hook).check(b"brief\n");
    let (left, told) = (
        run_directory.join("helixd.complaint"),
        run_directory.join("helixd.complaint-told"),
    );
    assert!(told.exists());
    // It is not in the words of these.
    let gemini = || {
        let mut hook = hook();
        hook.arg("gemini");
        hook
    };
    await_complaint(gemini).check_silent("cannot serve");
    let cursor = || {
        let mut hook = hook();
        hook.env("CURSOR_VERSION", "1.2");
        hook
    };
    await_complaint(cursor).check_silent("cannot serve");
    assert!(left.exists());
}

#[test]
fn what_was_left_to_nobody_is_not_told_when_the_daemon_says_nothing() {
    let home = Home::new();
    let script = home.script_of("silent", "#!/bin/sh\n");
    let left = home.path().join("run/helixd.complaint");
    std::fs::create_dir_all(left.parent().unwrap()).unwrap();
    std::fs::write(&left, "old").unwrap();
    let mut hook = bare_hook("session");
    run(home.prepare(&mut hook).env("HELIX_DAEMON", &script), INPUT)
        .check_silent("does not listen yet");
    assert!(!left.exists());
}
