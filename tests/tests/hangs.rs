//! Whatever never answers costs only its own callers: pipes in place of transcripts, a `git` that
//! hangs, readers that do not read. A file system that hangs is not at hand in a test; a pipe and a
//! program that hang hold a thread in the same way.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs::{self, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use helix_client::{Client, Start, caller, v1};
use helix_tests::hook::Session;
use helix_tests::process::{await_end, within};
use helix_tests::rpc::draft;
use helix_tests::{Binary, Daemon, Home, HookRun, Project, Rpc, Served};
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use tonic::{Code, Status};

/// How long anything that does not touch what hangs may take, on a busy machine.
const TIMELY: Duration = Duration::from_secs(5);

/// How long a call that touches it may take to be refused.
const REFUSED: Duration = Duration::from_secs(15);

/// How long anything here may take.
const DEADLINE: Duration = Duration::from_mins(2);

/// Searches at once, and hooks beside them.
const SEARCHES: usize = 120;
const HOOKS: usize = 30;

/// Threads that compute while hooks are counted that no search is in the way of: as many as the
/// searches keep busy on two cores, four that search, two that answer and the one that asks.
const BUSY_THREADS: usize = 7;

/// How many of those hooks there may be for one that is answered beside searches. Behind them, none
/// would be.
const BESIDE_NONE_MAX: usize = 4;

/// Threads that the daemon may have, whatever hangs: its own, and those of each class.
const THREADS_MAX: u64 = 100;

/// A pipe that nobody writes to. Whoever waits for it goes on when it is dropped.
struct Pipe(PathBuf);

impl Pipe {
    fn new(path: PathBuf) -> Self {
        mkfifo(&path, Mode::S_IRWXU).unwrap();
        Self(path)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // Both ends at once, which waits for nobody.
        drop(OpenOptions::new().read(true).write(true).open(&self.0));
    }
}

fn threads(daemon: &Daemon) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"))
        .unwrap();
    line.trim().parse().unwrap()
}

/// Puts a `git` first in the path that hangs where it is asked about a path with `hung` in it.
fn hanging_git(home: &mut Home) -> Pipe {
    let programs = home.scratch().join("programs");
    fs::create_dir(&programs).unwrap();
    let pipe = Pipe::new(programs.join("pipe"));
    let script = format!(
        "#!/bin/sh\ncase \"$PWD $*\" in *hung*) exec cat '{}';; esac\nPATH=\"${{PATH#*:}}\" exec git \"$@\"\n",
        pipe.0.display()
    );
    fs::write(programs.join("git"), script).unwrap();
    fs::set_permissions(programs.join("git"), Permissions::from_mode(0o755)).unwrap();
    home.put_first_in_path(&programs);
    pipe
}

/// Runs `doctor` from a project to its end.
fn doctor(home: &Home, project: &Path) -> Duration {
    let began = Instant::now();
    let output = home
        .command(Binary::Ctl)
        .arg("doctor")
        .current_dir(project)
        .output()
        .unwrap();
    assert!(
        !output.stdout.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    began.elapsed()
}

#[test]
fn transcripts_that_are_pipes_hold_nobody_up() {
    let mut served = Served::new().unwrap();
    let (home, project) = (&served.home, Project::new(&served.home, "p").unwrap());
    let file = project.write("src/a.rs", "fn a() {}\n").unwrap();
    let about = draft(
        "rules",
        "gotcha: a is called with the lock held, so it must not log.",
        "src/a.rs:1",
    );
    served
        .rpc
        .store(v1::Program::Ctl, &project.root, about)
        .unwrap();
    let pipe = Pipe::new(home.scratch().join("session.jsonl"));
    let session = Session::new(home, &project, "piped");
    assert!(
        session.read(file.to_str().unwrap()).unwrap().is_some(),
        "nothing was given, so nothing is confirmed"
    );
    for number in 0..17 {
        let input = session.input("UserPromptSubmit", |input| {
            input["transcript_path"] = pipe.0.to_str().unwrap().into();
            input["prompt"] = format!("go on with number {number}").into();
        });
        HookRun::of(home, "prompt", input.unwrap().to_string().as_bytes()).unwrap();
    }
    let began = Instant::now();
    served.rpc.status().unwrap();
    served
        .rpc
        .search(&project.root, "lock held", v1::Retriever::Words)
        .unwrap();
    assert!(began.elapsed() < TIMELY, "{:?}", began.elapsed());
    assert!(
        Session::new(home, &project, "another")
            .read(file.to_str().unwrap())
            .unwrap()
            .is_some()
    );
    assert!(threads(&served.daemon) < THREADS_MAX);
}

#[test]
fn a_git_that_hangs_costs_its_own_project_alone() {
    let mut home = Home::new().unwrap();
    let _pipe = hanging_git(&mut home);
    let hung: Vec<Project> = (0..4)
        .map(|at| Project::without_git(&home, &format!("hung{at}")).unwrap())
        .collect();
    let well = Project::new(&home, "well").unwrap();
    let file = well.write("src/a.rs", "fn a() {}\n").unwrap();
    let mut served = Served::on(home).unwrap();
    let about = draft(
        "rules",
        "gotcha: a is called with the lock held, so it must not log.",
        "src/a.rs:1",
    );
    served
        .rpc
        .store(v1::Program::Ctl, &well.root, about)
        .unwrap();
    let home = &served.home;
    thread::scope(|scope| {
        let (refused, refusals) = channel();
        for number in 0..16 {
            let (refused, place) = (refused.clone(), &hung[number % hung.len()].root);
            scope.spawn(move || {
                let began = Instant::now();
                // Whether it is refused or answered without the project is not what this is about.
                drop(
                    Rpc::connect(home)
                        .unwrap()
                        .search(place, "lock", v1::Retriever::Words),
                );
                refused.send(began.elapsed()).unwrap();
            });
            scope.spawn(move || {
                let input = Session::new(home, &hung_project(place), "hung")
                    .input("UserPromptSubmit", |_| ());
                HookRun::of(home, "prompt", input.unwrap().to_string().as_bytes()).unwrap();
            });
        }
        drop(refused);
        for number in 0..20 {
            let began = Instant::now();
            let found = served
                .rpc
                .search(&well.root, "lock held", v1::Retriever::Words)
                .unwrap();
            assert_eq!(found.hits.len(), 1);
            assert!(
                began.elapsed() < TIMELY,
                "search {number}: {:?}",
                began.elapsed()
            );
        }
        assert!(doctor(home, &well.root) < TIMELY * 2);
        let told = Session::new(home, &well, "well")
            .read(file.to_str().unwrap())
            .unwrap();
        assert!(told.is_some(), "a hook of another project says nothing");
        for took in refusals {
            assert!(took < REFUSED, "{took:?}");
        }
    });
    // Who comes later is told at once.
    let began = Instant::now();
    drop(
        served
            .rpc
            .search(&hung[0].root, "lock", v1::Retriever::Words),
    );
    assert!(began.elapsed() < TIMELY, "{:?}", began.elapsed());
    assert!(
        threads(&served.daemon) < THREADS_MAX,
        "{}",
        threads(&served.daemon)
    );
    assert_eq!(
        served.daemon.stop().unwrap().code(),
        Some(0),
        "and it can be stopped"
    );
}

/// Directories that hang at once: more than there are threads to ask them.
const HUNG_PLACES: usize = 48;

#[test]
fn many_places_that_hang_leave_the_others_their_hooks() {
    let mut home = Home::new().unwrap();
    let _pipe = hanging_git(&mut home);
    let well = Project::new(&home, "well").unwrap();
    let file = well.write("src/a.rs", "fn a() {}\n").unwrap();
    let hung = |at: usize| Project::without_git(&home, &format!("hung{at}")).unwrap();
    let hung: Vec<Project> = (0..HUNG_PLACES).map(hung).collect();
    let mut served = Served::on(home).unwrap();
    let about = draft(
        "rules",
        "gotcha: a is called with the lock held, so it must not log.",
        "src/a.rs:1",
    );
    served
        .rpc
        .store(v1::Program::Ctl, &well.root, about)
        .unwrap();
    let home = &served.home;
    assert!(
        Session::new(home, &well, "before")
            .read(file.to_str().unwrap())
            .unwrap()
            .is_some()
    );
    thread::scope(|scope| {
        for (at, place) in hung.iter().enumerate() {
            scope.spawn(move || {
                let input = Session::new(home, place, &format!("hung{at}"))
                    .input("UserPromptSubmit", |_| ());
                HookRun::of(home, "prompt", input.unwrap().to_string().as_bytes()).unwrap();
            });
        }
    });
    let told = Session::new(home, &well, "after")
        .read(file.to_str().unwrap())
        .unwrap();
    assert!(told.is_some(), "a hook of another project says nothing");
    // It is named once it has not answered for a second.
    let named = within(DEADLINE, || {
        let output = home
            .command(Binary::Ctl)
            .arg("doctor")
            .current_dir(&well.root)
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok((said.contains("do not answer") && said.contains("/hung")).then_some(()))
    });
    named.unwrap();
}

#[test]
fn a_git_that_hangs_ends_with_the_daemon() {
    let mut home = Home::new().unwrap();
    let started = home.scratch().join("started");
    let pipe = Pipe::new(home.scratch().join("pipe"));
    let programs = home.scratch().join("programs");
    fs::create_dir(&programs).unwrap();
    // Nobody writes to the second pipe; the first one tells the process's number.
    let told = Pipe::new(started.clone());
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *rev-list*) echo $$ > '{}'; exec cat '{}';; esac\nPATH=\"${{PATH#*:}}\" exec git \"$@\"\n",
        told.0.display(),
        pipe.0.display()
    );
    fs::write(programs.join("git"), script).unwrap();
    fs::set_permissions(programs.join("git"), Permissions::from_mode(0o755)).unwrap();
    home.put_first_in_path(&programs);
    let place = Project::new(&home, "p").unwrap();
    let served = Served::on(home).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            drop(Rpc::connect(&served.home).unwrap().search(
                &place.root,
                "lock",
                v1::Retriever::Words,
            ));
        });
        let mut line = String::new();
        BufReader::new(fs::File::open(&started).unwrap())
            .read_line(&mut line)
            .unwrap();
        let pid: u32 = line.trim().parse().unwrap();
        served.daemon.signal(Signal::SIGTERM).unwrap();
        let began = Instant::now();
        await_end(pid).unwrap();
        assert!(began.elapsed() < REFUSED, "{:?}", began.elapsed());
    });
}

#[test]
fn hooks_go_before_searches() {
    let mut served = Served::new().unwrap();
    let project = Project::new(&served.home, "p").unwrap();
    let words: Vec<String> = (0..200).map(|number| format!("word{number}")).collect();
    for batch in 0..8 {
        let note = |number: usize| {
            draft(
                "bulk",
                &format!("{batch} {number} {}", words[number % 150..].join(" ")),
                "",
            )
        };
        let drafts = (0..500).map(note).collect::<Vec<_>>();
        let caller = Some(caller(v1::Program::Ctl, &project.root, "", ""));
        let request = v1::StoreBatchRequest {
            caller,
            drafts,
            force: true,
        };
        served
            .rpc
            .call(async |rpc| rpc.store_batch(request.clone()).await)
            .unwrap();
    }
    let files: Vec<PathBuf> = (0..HOOKS * 2)
        .map(|at| {
            project
                .write(&format!("src/a{at}.rs"), "fn a() {}\n")
                .unwrap()
        })
        .collect();
    for at in 0..files.len() {
        let about = draft(
            "rules",
            &format!("gotcha: number {at} is called with its own lock held."),
            &format!("src/a{at}.rs:1"),
        );
        served
            .rpc
            .store(v1::Program::Ctl, &project.root, about)
            .unwrap();
    }
    let session = Session::new(&served.home, &project, "first");
    let answered = |files: &[PathBuf]| {
        let is_answered = |file: &&PathBuf| session.read(file.to_str().unwrap()).unwrap().is_some();
        files.iter().filter(is_answered).count()
    };
    let (first, others) = files.split_at(HOOKS);
    // A busy machine alone keeps hooks from their deadline, so that is counted first.
    let beside_none = beside_busy_threads(|| answered(first));
    let paths = served.home.paths.clone();
    let search = v1::SearchRequest {
        caller: Some(caller(v1::Program::Ctl, &project.root, "", "")),
        query: words.join(" "),
        limit: 200,
        mode: v1::MatchMode::Any.into(),
        ..v1::SearchRequest::default()
    };
    thread::scope(|scope| {
        let (begun, is_begun) = channel();
        let (over, is_over) = tokio::sync::oneshot::channel::<()>();
        scope.spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let mut searches = tokio::task::JoinSet::new();
                for _ in 0..SEARCHES {
                    let mut client = Client::connect(&paths, Start::Never, "tests")
                        .await
                        .unwrap();
                    let search = search.clone();
                    searches.spawn(async move {
                        loop {
                            drop(
                                client
                                    .call_once(DEADLINE, async |rpc| {
                                        rpc.search(search.clone()).await
                                    })
                                    .await,
                            );
                        }
                    });
                }
                begun.send(()).unwrap();
                is_over.await.ok();
            });
        });
        is_begun.recv().unwrap();
        let beside_searches = answered(others);
        drop(over);
        assert!(
            beside_none > 0 && beside_searches * BESIDE_NONE_MAX >= beside_none,
            "{beside_searches} of {HOOKS} hooks were answered beside searches, \
             {beside_none} beside threads as busy"
        );
    });
}

/// Does something while threads that have nothing to do with the daemon compute.
fn beside_busy_threads<T>(work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..BUSY_THREADS {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        done
    })
}

fn hung_project(root: &Path) -> Project {
    Project {
        root: root.to_owned(),
    }
}

#[test]
fn exports_that_nobody_reads_are_few_and_end() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let text = "long ".repeat(8_000);
    for number in 0..400 {
        served
            .rpc
            .store(
                v1::Program::Ctl,
                &project.root,
                draft("build", &format!("{number} {text}"), ""),
            )
            .unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let request = || v1::ExportRequest {
        caller: Some(caller(v1::Program::Ctl, &project.root, "", "")),
        format: v1::ExchangeFormat::Json.into(),
        ..v1::ExportRequest::default()
    };
    let paths = served.home.paths.clone();
    let (streams, refusal) = runtime.block_on(async {
        let mut streams = Vec::new();
        loop {
            let mut client = Client::connect(&paths, Start::Never, "tests")
                .await
                .unwrap();
            match client
                .call_once(TIMELY, async |rpc| rpc.export(request()).await)
                .await
            {
                Ok(stream) => streams.push((client, stream)),
                Err(status) => return (streams, status),
            }
            assert!(streams.len() < 32, "there is no limit");
        }
    });
    assert_eq!(refusal.code(), Code::Unavailable, "{refusal}");
    assert!(refusal.message().contains("export"), "{refusal}");
    // Everything else goes on, other long work as well.
    let began = Instant::now();
    assert!(doctor(&served.home, &project.root) < TIMELY * 2);
    served
        .rpc
        .call(async |rpc| rpc.check(v1::CheckRequest { deep: true }).await)
        .unwrap();
    assert!(began.elapsed() < TIMELY * 3, "{:?}", began.elapsed());
    // Each ends when nothing was read for a while, and says so to who reads on.
    let ended = within(DEADLINE, || {
        let mut client = runtime.block_on(Client::connect(&paths, Start::Never, "tests"))?;
        let another =
            runtime.block_on(client.call_once(TIMELY, async |rpc| rpc.export(request()).await));
        Ok(another.is_ok().then_some(()))
    });
    ended.unwrap();
    let ends = runtime.block_on(async {
        let mut ends = Vec::new();
        for (_client, mut stream) in streams {
            let end = loop {
                match stream.message().await {
                    Ok(Some(_)) => {}
                    Ok(None) => break None,
                    Err(status) => break Some(status),
                }
            };
            ends.extend(end);
        }
        ends
    });
    let is_late = |end: &Status| {
        end.code() == Code::DeadlineExceeded && end.message().contains("nothing of it was read")
    };
    assert!(!ends.is_empty() && ends.iter().all(is_late), "{ends:?}");
}

#[test]
fn signals_that_ask_for_nothing_are_survived() {
    let mut served = Served::new().unwrap();
    for signal in [
        Signal::SIGHUP,
        Signal::SIGXFSZ,
        Signal::SIGUSR1,
        Signal::SIGALRM,
    ] {
        served.daemon.signal(signal).unwrap();
        assert_eq!(
            served.rpc.status().unwrap().pid,
            served.daemon.pid(),
            "{signal}"
        );
    }
    assert_eq!(served.daemon.stop().unwrap().code(), Some(0));
}

#[test]
fn a_daemon_ends_whose_home_is_gone() {
    let Served { rpc, daemon, home } = Served::new().unwrap();
    drop(rpc);
    // The daemon may write a file while they are removed.
    let removed = within(TIMELY, || match fs::remove_dir_all(&home.paths.home) {
        Ok(()) => Ok(Some(())),
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(None),
        Err(error) => Err(error.into()),
    });
    removed.unwrap();
    // Who asks meanwhile gets a daemon and a home of its own, which the end of the old one leaves
    // alone.
    let second = Daemon::start(&home).unwrap();
    assert_eq!(daemon.wait().unwrap().code(), Some(74));
    assert_eq!(
        Rpc::connect(&home).unwrap().status().unwrap().pid,
        second.pid()
    );
}
