//! Two hundred hooks at once: of five sessions and of every kind, or all of failures, on one
//! daemon.

use std::collections::HashMap;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use helix_proto::v1::{Draft, Program};
use helix_tests::hook::Session;
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, HookRun, Project, Rpc};
use serde_json::{Value, json};

/// Sessions, and hooks of each that start at the same time.
const SESSIONS: usize = 5;
const AT_ONCE: usize = 40;

/// Failures of one session that are told at the same time.
const FAILURES: usize = 200;

/// Edits that one of those goes on with, each after the one before has ended. Fewer than a
/// compacted session is told of.
const EDITS: usize = 8;

/// Files about which something is remembered.
const FILES: usize = 4;

/// Longest run: what the clients wait for a hook. The shim itself waits for a quarter of a second
/// at most; the rest is the turns that two hundred processes take on cores that others use as well.
const RUN_MAX: Duration = Duration::from_secs(5);

/// How long a session may ask what it did.
const TOLD_DEADLINE: Duration = Duration::from_secs(10);

/// A run that took this long may have been answered too late, and what it said may be lost.
const LATE: Duration = Duration::from_millis(100);

/// What the daemon may grow by: threads (it works on eight hooks at once, asks for the files that
/// they touch, and may write and index meanwhile) and resident memory, in KiB.
const THREADS_GROWTH_MAX: u64 = 28;
const RESIDENT_GROWTH_MAX_KIB: u64 = 64 * 1024;

const MISTAKE: &str = "error[E0382]: borrow of moved value: `rows`\n  --> src/load.rs:12:5\n\nerror: could not compile\n";

/// A hook to run: Helix's event, the recording that its input is made from, and the changes to
/// that.
struct Hook {
    event: &'static str,
    sample: &'static str,
    change: Box<dyn Fn(&mut Value) + Send + Sync>,
}

/// The result of it.
struct Outcome {
    session: usize,
    event: &'static str,
    context: Option<String>,
    elapsed: Duration,
    threads: u64,
}

struct World {
    daemon: Daemon,
    home: Home,
    project: Project,
    handles: Vec<String>,
}

impl World {
    fn new() -> Self {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        let project = Project::new(&home, "billing").unwrap();
        let mut rpc = Rpc::connect(&home).unwrap();
        let texts = (0..FILES).map(|at| {
            (
                format!("src/part{at}.rs"),
                format!("Rule number {at} about this file alone."),
            )
        });
        let loose = [
            (
                String::new(),
                "Invoices are exported as semicolon CSV: the tax office's reader splits at commas."
                    .to_owned(),
            ),
            (
                String::new(),
                "fuse_lists is stable only for sorted input.".to_owned(),
            ),
            (
                String::new(),
                "gotcha: `borrow of moved value: rows` in the loader: clone the rows first."
                    .to_owned(),
            ),
        ];
        let handles = texts.chain(loose).map(|(source, text)| {
            let note = Draft {
                kind: "snippet".to_owned(),
                ..draft("rules", &text, &source)
            };
            rpc.store(Program::Mcp, &project.root, note).unwrap().handle
        });
        let handles = handles.collect();
        Self {
            daemon,
            home,
            project,
            handles,
        }
    }

    /// Runs one hook of a session to its end, and checks that the client takes what it says.
    fn run(&self, session: usize, hook: &Hook) -> Outcome {
        let id = session.to_string();
        let input = Session::new(&self.home, &self.project, &id)
            .input(hook.sample, &hook.change)
            .unwrap();
        let run = HookRun::of(&self.home, hook.event, input.to_string().as_bytes()).unwrap();
        let context = run
            .check_accepted(input["hook_event_name"].as_str().unwrap())
            .unwrap();
        Outcome {
            session,
            event: hook.event,
            context,
            elapsed: run.elapsed,
            threads: self.figure("Threads"),
        }
    }

    /// A figure of the daemon's process that the system keeps.
    fn figure(&self, name: &str) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.daemon.pid())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Returns one of the mixed hooks of a session that start together.
    fn mixed(&self, number: usize) -> Hook {
        let hook = |event, sample, change: Box<dyn Fn(&mut Value) + Send + Sync>| Hook {
            event,
            sample,
            change,
        };
        let file = self
            .project
            .root
            .join(format!("src/part{}.rs", number / 8 % FILES));
        match number % 8 {
            0..3 => hook(
                "ambient",
                "PreToolUse-Read",
                Box::new(move |input| input["tool_input"]["file_path"] = json!(file)),
            ),
            3 => hook(
                "ambient",
                "PreToolUse-Read",
                Box::new(|input| {
                    input["tool_name"] = "Grep".into();
                    input["tool_input"] = json!({"pattern": "fuse_lists"});
                }),
            ),
            4 => hook(
                "prompt",
                "UserPromptSubmit",
                Box::new(|input| {
                    input["prompt"] = "why are invoices exported as semicolon CSV?".into();
                }),
            ),
            5 => hook(
                "error-context",
                "PostToolUseFailure-Bash",
                Box::new(|input| {
                    input["tool_input"]["command"] = "cargo build".into();
                    input["error"] = format!("Exit code 101\n{MISTAKE}").into();
                }),
            ),
            6 => hook(
                "approve-mcp",
                "PermissionRequest-mcp__toy__recall",
                Box::new(|input| input["tool_name"] = "mcp__helix__store".into()),
            ),
            _ => hook("post-build", "PostToolUse-Bash", Box::new(|_| ())),
        }
    }

    /// An edit of a file of its own.
    fn edit(&self, number: usize) -> Hook {
        let file = self.project.root.join(edited(number));
        let change = move |input: &mut Value| input["tool_input"]["file_path"] = json!(file);
        Hook {
            event: "ambient",
            sample: "PreToolUse-Edit",
            change: Box::new(change),
        }
    }

    /// Starts everything at the same time.
    fn storm(&self) -> (Vec<Outcome>, Vec<Vec<Outcome>>) {
        let start = &Barrier::new(SESSIONS * AT_ONCE);
        thread::scope(|scope| {
            let mut mixed = Vec::new();
            let mut editing = Vec::new();
            for session in 0..SESSIONS {
                for number in 1..AT_ONCE {
                    mixed.push(scope.spawn(move || {
                        start.wait();
                        self.run(session, &self.mixed(number))
                    }));
                }
                editing.push(scope.spawn(move || {
                    start.wait();
                    (0..EDITS)
                        .map(|number| self.run(session, &self.edit(number)))
                        .collect()
                }));
            }
            let mixed = mixed
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect();
            (
                mixed,
                editing
                    .into_iter()
                    .map(|thread| thread.join().unwrap())
                    .collect(),
            )
        })
    }
}

fn edited(number: usize) -> String {
    format!("src/lane{number}.rs")
}

/// How often each memory was given to each session.
fn times_given<'w>(world: &'w World, outcomes: &[&Outcome]) -> HashMap<(usize, &'w str), usize> {
    let mut given = HashMap::new();
    for outcome in outcomes {
        let context = outcome.context.as_deref().unwrap_or_default();
        for handle in world
            .handles
            .iter()
            .filter(|handle| context.contains(&format!("[{handle}]")))
        {
            *given.entry((outcome.session, handle.as_str())).or_default() += 1;
        }
    }
    given
}

/// The daemon knows a session's edits in the order in which they were made.
fn check_order(world: &World, session: usize, edits: &[Outcome]) {
    let id = session.to_string();
    let session = Session::new(&world.home, &world.project, &id);
    // A machine that is still busy may answer late.
    let told = within(TOLD_DEADLINE, || session.start("compact")).unwrap();
    let line = told
        .lines()
        .find_map(|line| line.strip_prefix("Changed in this session: "))
        .unwrap_or_default();
    let newest_first: Vec<&str> = line.split(", ").collect();
    let mut expected: Vec<String> = Vec::new();
    for (number, edit) in edits.iter().enumerate().rev() {
        let file = edited(number);
        // One that came late may not have been worked on.
        if edit.elapsed < LATE || newest_first.contains(&file.as_str()) {
            expected.push(file);
        }
    }
    assert_eq!(
        newest_first
            .iter()
            .filter(|file| !file.is_empty())
            .collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
}

#[test]
fn two_hundred_at_once_are_ordered_and_bounded() {
    let world = World::new();
    // The project is looked at once, before anything is compared.
    world.run(SESSIONS, &world.mixed(0));
    let (threads, resident) = (world.figure("Threads"), world.figure("VmRSS"));
    let (mixed, editing) = world.storm();
    let all: Vec<&Outcome> = mixed.iter().chain(editing.iter().flatten()).collect();
    assert_eq!(all.len(), SESSIONS * (AT_ONCE - 1 + EDITS));

    let longest = all.iter().max_by_key(|outcome| outcome.elapsed).unwrap();
    assert!(
        longest.elapsed <= RUN_MAX,
        "{} took {:?}",
        longest.event,
        longest.elapsed
    );

    let given = times_given(&world, &all);
    assert!(given.values().all(|&times| times == 1), "{given:?}");
    assert!(!given.is_empty(), "nothing was given at all");
    for (session, edits) in editing.iter().enumerate() {
        check_order(&world, session, edits);
    }

    let most_threads = all.iter().map(|outcome| outcome.threads).max().unwrap();
    assert!(
        most_threads <= threads + THREADS_GROWTH_MAX,
        "from {threads} to {most_threads} threads"
    );
    let peak = world.figure("VmHWM");
    assert!(
        peak <= resident + RESIDENT_GROWTH_MAX_KIB,
        "from {resident} to {peak} KiB"
    );
    let answered = Rpc::connect(&world.home)
        .unwrap()
        .status()
        .unwrap()
        .hooks_answered;
    assert!(
        answered <= u64::try_from(all.len() + 1 + SESSIONS).unwrap(),
        "{answered} answers"
    );
}

#[test]
fn two_hundred_failures_at_once_are_all_recorded() {
    let world = &World::new();
    let start = &Barrier::new(FAILURES);
    thread::scope(|scope| {
        for number in 0..FAILURES {
            scope.spawn(move || {
                start.wait();
                let outcome = world.run(0, &failure(number));
                assert!(
                    outcome.elapsed <= RUN_MAX,
                    "{number} took {:?}",
                    outcome.elapsed
                );
            });
        }
    });
    let session = Session::new(&world.home, &world.project, "0");
    let all = format!("Failing: `cargo build` ({FAILURES} times)");
    // What was not answered in time is recorded when it is its turn.
    within(TOLD_DEADLINE, || {
        let told = session.start("compact")?.unwrap_or_default();
        Ok(told.contains(&all).then_some(()))
    })
    .unwrap();
}

/// A build that fails in a way of its own.
fn failure(number: usize) -> Hook {
    let change = move |input: &mut Value| {
        input["tool_use_id"] = number.to_string().into();
        input["tool_input"]["command"] = "cargo build".into();
        input["error"] =
            format!("Exit code 101\nerror[E0425]: cannot find value `row{number}` in this scope")
                .into();
    };
    Hook {
        event: "error-context",
        sample: "PostToolUseFailure-Bash",
        change: Box::new(change),
    }
}
