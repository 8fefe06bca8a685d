//! Clients that write until the daemon is gone, and checks that what was acknowledged to them is
//! there afterwards.

use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

use helix_client::v1::{
    CheckLevel, CheckRequest, Draft, Program, ReadRequest, SearchRequest, StoreOutcome,
    StoreRequest,
};
use helix_client::{Client, Paths, Start, caller};
use helix_tests::Dice;

/// Clients that write or read at once.
pub(crate) const CLIENTS: u64 = 8;

/// Words of a text; enough that no two resemble each other.
const TEXT_WORDS: usize = 10;

/// The name that these clients introduce themselves with.
const PROGRAM: &str = "helix-tests";

/// A memory whose storing was acknowledged.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledged {
    pub(crate) handle: String,
    pub(crate) text: String,
}

pub(crate) async fn connect(paths: &Paths) -> Result<Client, String> {
    Client::connect(paths, Start::Never, PROGRAM)
        .await
        .map_err(|error| error.to_string())
}

pub(crate) fn me() -> helix_client::v1::Caller {
    caller(Program::Tool, std::path::Path::new(""), "", "")
}

/// Runs a client on the calling thread. Each client has a runtime of its own, as each program has.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// A client's thread.
type Writing = JoinHandle<Result<Vec<Acknowledged>, String>>;

/// Starts clients that store distinct texts until a store is not acknowledged. Each acknowledgement
/// is also reported at once, so that somebody can choose a moment.
pub(crate) fn start(paths: &Paths, dice: &mut Dice, report: &Sender<()>) -> Vec<Writing> {
    let start_one = |client| {
        let (paths, words, report) = (paths.clone(), Dice::new(dice.draw()), report.clone());
        thread::spawn(move || block_on(write(&paths, client, words, &report)))
    };
    (0..CLIENTS).map(start_one).collect()
}

async fn write(
    paths: &Paths,
    client: u64,
    mut words: Dice,
    report: &Sender<()>,
) -> Result<Vec<Acknowledged>, String> {
    let mut acknowledged = Vec::new();
    // A daemon that is gone before it greets has promised nothing.
    let Ok(mut connection) = connect(paths).await else {
        return Ok(acknowledged);
    };
    loop {
        let text = (0..TEXT_WORDS)
            .map(|_| words.word())
            .collect::<Vec<String>>()
            .join(" ");
        let draft = Draft {
            topic: format!("client-{client}"),
            text: text.clone(),
            ..Draft::default()
        };
        let request = StoreRequest {
            caller: Some(me()),
            draft: Some(draft),
            force: false,
        };
        let Ok(reply) = connection
            .call(async |client| client.store(request.clone()).await)
            .await
        else {
            return Ok(acknowledged);
        };
        // A repeated call finds what the first one stored.
        if !matches!(
            reply.outcome(),
            StoreOutcome::Stored | StoreOutcome::Reinforced
        ) {
            return Err(format!("{text:?} came out as {:?}", reply.outcome()));
        }
        let handle = reply.memory.ok_or("the reply has no memory")?.handle;
        acknowledged.push(Acknowledged { handle, text });
        // Nobody may be counting any more.
        report.send(()).ok();
    }
}

/// Waits until every client is done and adds what was acknowledged to it.
pub(crate) fn collect(clients: Vec<Writing>, all: &mut Vec<Acknowledged>) -> Result<(), String> {
    for client in clients {
        all.extend(client.join().map_err(|_| "a client panicked")??);
    }
    Ok(())
}

/// Reads every acknowledged memory by its handle.
pub(crate) fn all_are_there(paths: &Paths, all: &[Acknowledged]) -> Result<(), String> {
    let part = all.len() / usize::try_from(CLIENTS).unwrap() + 1;
    thread::scope(|scope| {
        let readers: Vec<_> = all
            .chunks(part)
            .map(|part| scope.spawn(move || block_on(read_all(paths, part))))
            .collect();
        readers
            .into_iter()
            .try_for_each(|reader| reader.join().map_err(|_| "a reader panicked")?)
    })
}

async fn read_all(paths: &Paths, part: &[Acknowledged]) -> Result<(), String> {
    let mut connection = connect(paths).await?;
    for memory in part {
        read(&mut connection, memory).await?;
    }
    Ok(())
}

async fn read(connection: &mut Client, expected: &Acknowledged) -> Result<(), String> {
    let request = ReadRequest {
        caller: Some(me()),
        reference: expected.handle.clone(),
        ..ReadRequest::default()
    };
    let reply = connection
        .call(async |client| client.read(request.clone()).await)
        .await;
    let reply = reply.map_err(|status| format!("{} is lost: {status}", expected.handle))?;
    match reply.memories.as_slice() {
        [one] if one.text == expected.text && one.status == "active" => Ok(()),
        others => Err(format!("{expected:?} is now {others:?}")),
    }
}

/// Searches for some acknowledged memories by a word that only they have.
pub(crate) async fn are_found(
    paths: &Paths,
    all: &[Acknowledged],
    sample: u64,
    dice: &mut Dice,
) -> Result<(), String> {
    let mut connection = connect(paths).await?;
    for _ in 0..sample.min(all.len() as u64) {
        let Some(expected) = all.get(usize::try_from(dice.below(all.len() as u64)).unwrap()) else {
            continue;
        };
        let word = expected
            .text
            .split(' ')
            .next_back()
            .unwrap_or_default()
            .to_owned();
        let request = SearchRequest {
            caller: Some(me()),
            query: word,
            passive: true,
            ..SearchRequest::default()
        };
        let reply = connection
            .call(async |client| client.search(request.clone()).await)
            .await;
        let reply =
            reply.map_err(|status| format!("searching for {}: {status}", expected.handle))?;
        if !reply
            .hits
            .iter()
            .filter_map(|hit| hit.memory.as_ref())
            .any(|memory| memory.handle == expected.handle)
        {
            return Err(format!("a search does not find {expected:?}"));
        }
    }
    Ok(())
}

/// Lets the daemon check itself: the history's chain, and the indexes against the store.
pub(crate) async fn is_sound(paths: &Paths) -> Result<(), String> {
    let mut connection = connect(paths).await?;
    let reply = connection
        .call(async |client| client.check(CheckRequest { deep: true }).await)
        .await;
    let reply = reply.map_err(|status| status.to_string())?;
    for name in ["store", "word index", "history", "indexes"] {
        let Some(result) = reply.results.iter().find(|result| result.name == name) else {
            return Err(format!("{name} was not checked"));
        };
        if result.level() != CheckLevel::Ok {
            return Err(format!("{name}: {}", result.detail));
        }
    }
    Ok(())
}
