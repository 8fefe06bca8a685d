//! Connections that say nothing, or begin and never go on, beside a client that does.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use helix_client::{Client, Start, caller, v1};
use helix_proto::limits::BATCH_MAX;
use helix_tests::rpc::draft;
use helix_tests::{Binary, Project, Served};
use tonic::Code;

/// Connections that say nothing more.
const SILENT: usize = 1_000;

/// How long one of them may be held.
const HELD_MAX: Duration = Duration::from_secs(20);

/// Calls of the good client, and new clients, each of them a process that starts.
const CALLS: usize = 400;
const CLIENTS: usize = 20;

/// Longest time of 99 of 100 calls on a machine that has nothing else to do.
const P99_MAX: Duration = Duration::from_millis(20);

/// The same, and the time of half of all new clients, in times of what it takes alone: on a machine
/// that others use, each has to wait for its turn.
const P99_MAX_TIMES: u32 = 8;
const NEW_MAX_TIMES: u32 = 3;

/// Large requests at once, and the bytes of each.
const LARGE: usize = 16;
const LARGE_BYTES: usize = 12 * 1024 * 1024;

/// How long they may take.
const LARGE_DEADLINE: Duration = Duration::from_mins(1);

/// Growth that the daemon may have meanwhile: a few of them, as they come and as they are read.
const LARGE_GROWTH_MAX_KIB: u64 = 160 * 1024;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// An empty SETTINGS frame.
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

/// The beginning of a HEADERS frame whose rest never comes.
const HALF_HEADERS: &[u8] = &[0, 0, 90, 1, 4, 0, 0, 0, 1, 0x83];

fn silent(served: &Served, said: &[&[u8]]) -> Option<UnixStream> {
    let mut stream = UnixStream::connect(&served.home.paths.socket).ok()?;
    stream.set_read_timeout(Some(HELD_MAX)).unwrap();
    // One that is refused at once is closed before it is written to.
    said.iter()
        .try_for_each(|part| stream.write_all(part))
        .ok()?;
    Some(stream)
}

/// Returns whether the other end closed it before long.
fn is_closed(mut stream: UnixStream) -> bool {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => matches!(
            error.kind(),
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe
        ),
    }
}

/// The good client's times, sorted.
struct Times {
    calls: Vec<Duration>,
    new: Vec<Duration>,
}

impl Times {
    /// Measures, and does something before each call and each new client.
    fn measure(served: &mut Served, project: &Project, mut before: impl FnMut(&Served)) -> Self {
        let mut calls = Vec::with_capacity(CALLS);
        for _ in 0..CALLS {
            before(served);
            let began = Instant::now();
            served
                .rpc
                .search(&project.root, "tail quiet", v1::Retriever::Words)
                .unwrap();
            calls.push(began.elapsed());
        }
        let mut new = Vec::with_capacity(CLIENTS);
        for _ in 0..CLIENTS {
            before(served);
            let began = Instant::now();
            let status = served.home.command(Binary::Ctl).arg("status").output();
            let status = status.unwrap();
            new.push(began.elapsed());
            assert!(
                status.status.success(),
                "a new client is not let in: {}",
                String::from_utf8_lossy(&status.stderr)
            );
        }
        calls.sort_unstable();
        new.sort_unstable();
        Self { calls, new }
    }

    fn p50(&self) -> Duration {
        self.calls[CALLS / 2]
    }

    fn p99(&self) -> Duration {
        self.calls[CALLS * 99 / 100]
    }

    fn new_p50(&self) -> Duration {
        self.new[CLIENTS / 2]
    }

    fn print(&self, when: &str) {
        eprintln!(
            "{when}: calls p50 {:?}, p99 {:?}; new clients p50 {:?}, longest {:?}",
            self.p50(),
            self.p99(),
            self.new_p50(),
            self.new[CLIENTS - 1]
        );
    }
}

#[test]
fn who_never_asks_is_cut_off_and_costs_others_nothing() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    served
        .rpc
        .store(
            v1::Program::Ctl,
            &project.root,
            draft("build", "The tail is flushed when it is quiet.", ""),
        )
        .unwrap();
    let kinds: [&[&[u8]]; 4] = [
        &[PREFACE],
        &[PREFACE, SETTINGS],
        &[PREFACE, SETTINGS, HALF_HEADERS],
        &[b"HL"],
    ];
    let before = Times::measure(&mut served, &project, |_| ());
    let (mut held, mut asked) = (Vec::new(), 0);
    // They come in all the while.
    let beside = Times::measure(&mut served, &project, |served| {
        asked += 1;
        let so_far = SILENT * asked / (CALLS + CLIENTS) - SILENT * (asked - 1) / (CALLS + CLIENTS);
        let kind = |number: usize| kinds[(asked + number) % kinds.len()];
        held.extend((0..so_far).filter_map(|number| silent(served, kind(number))));
    });
    assert!(
        held.into_iter().all(is_closed),
        "some are held for more than {HELD_MAX:?}"
    );
    let open = served.rpc.status().unwrap().open_connections;
    assert!(open <= 2, "{open} are open");
    let after = Times::measure(&mut served, &project, |_| ());
    before.print("alone before");
    beside.print(&format!("beside {SILENT} silent connections"));
    after.print("alone after");
    let p99_max = P99_MAX.max(before.p99().max(after.p99()) * P99_MAX_TIMES);
    assert!(beside.p99() <= p99_max, "{:?}", beside.p99());
    let new_max = before.new_p50().max(after.new_p50()) * NEW_MAX_TIMES;
    assert!(beside.new_p50() <= new_max, "{:?}", beside.new_p50());
}

/// A figure of the daemon's process that the system keeps, in KiB.
fn figure_kib(served: &Served, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", served.daemon.pid())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn large_requests_at_once_take_little_memory() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    // One draft too many: it is read whole and refused.
    let text = "large ".repeat(LARGE_BYTES / 6 / (BATCH_MAX + 1));
    let drafts = vec![draft("build", &text, ""); BATCH_MAX + 1];
    let caller = Some(caller(v1::Program::Ctl, &project.root, "", ""));
    let request = v1::StoreBatchRequest {
        caller,
        drafts,
        force: true,
    };
    let before = figure_kib(&served, "VmRSS");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let answers = runtime.block_on(async {
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..LARGE {
            let mut client = Client::connect(&served.home.paths, Start::Never, "tests")
                .await
                .unwrap();
            let request = request.clone();
            calls.spawn(async move {
                client
                    .call_once(LARGE_DEADLINE, async |rpc| rpc.store_batch(request).await)
                    .await
                    .unwrap_err()
            });
        }
        calls.join_all().await
    });
    for status in answers {
        // Too many drafts, or too many requests at once.
        let is_refused = matches!(status.code(), Code::ResourceExhausted | Code::Unavailable);
        assert!(is_refused, "{status}");
    }
    let grown_kib = figure_kib(&served, "VmHWM").saturating_sub(before);
    eprintln!(
        "{LARGE} requests of {} MiB at once: {} MiB",
        LARGE_BYTES >> 20,
        grown_kib >> 10
    );
    assert!(grown_kib < LARGE_GROWTH_MAX_KIB, "{grown_kib} KiB");
    served.rpc.status().unwrap();
}
