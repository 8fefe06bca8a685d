//! `helixctl batch`: many memories stored. One that is wrong costs only itself.

mod drafts;

use std::fs::File;
use std::io::{self, Read};

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::{Client, Rpc, Start, v1};
use helix_proto::exit;

use self::drafts::{Chunks, Drafts, parse};
use crate::context::{Context, wait};
use crate::document::BatchLine;
use crate::failure::{Failure, Outcome};
use crate::input::STREAM;
use crate::progress::Counter;
use crate::{render, screen};

/// Largest input, in bytes: it is read whole before anything is stored.
const INPUT_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Arguments of `batch`.
#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// A JSON array of memories, or one JSON object a line, each with "topic", "text" and what
    /// else `add` takes; `-` reads stdin
    #[arg(value_name = "FILE", default_value = STREAM)]
    file: String,
    /// Stores memories even when similar ones exist
    #[arg(long)]
    force: bool,
    /// Prints JSON, one line a memory
    #[arg(long)]
    json: bool,
}

/// What became of all.
#[derive(Debug, Default)]
struct Sum {
    stored: usize,
    reinforced: usize,
    duplicates: usize,
    refused: usize,
}

impl Batch {
    /// Stores the memories and says which were not.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let read = parse(&read(context, &self.file)?)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let Drafts { drafts, mut wrong } = read;
        let whole = drafts.len();
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let mut counter = Counter::new(context.screen, "storing");
            let (mut sum, mut done) = (Sum::default(), 0);
            for chunk in Chunks::of(drafts) {
                let stored = store(context, &mut client, chunk, self.force).await;
                let mut reply = stored.map_err(|failure| so_far(failure, &sum))?;
                for (at, item) in reply.items.iter_mut().enumerate() {
                    if let Some(why) = wrong.remove(&(done + at)) {
                        item.item = Some(v1::batch_item::Item::Refused(why));
                    }
                }
                counter.suspend(|| self.tell(context, &reply.items, done))?;
                reply.items.iter().for_each(|item| sum.add(item));
                done += reply.items.len();
                counter.set(count(done), Some(count(whole)));
            }
            counter.finish();
            self.conclude(&sum)
        })
    }

    fn tell(
        &self,
        context: &Context,
        items: &[v1::BatchItem],
        first: usize,
    ) -> Result<(), Failure> {
        if !self.json {
            return screen::print(&render::batch(context.screen.look, items, first));
        }
        items
            .iter()
            .enumerate()
            .try_for_each(|(at, item)| screen::json_line(&BatchLine::new(first + at, item)))
    }

    fn conclude(&self, sum: &Sum) -> Outcome {
        let told = sum.told();
        if sum.refused > 0 || sum.duplicates > 0 {
            let hint = if sum.duplicates > 0 {
                "; store duplicates as well with --force"
            } else {
                ""
            };
            return Err(Failure::Data(format!("{told}{hint}")));
        }
        screen::remark_if(!self.json, &told);
        Ok(exit::OK)
    }
}

impl Sum {
    fn add(&mut self, item: &v1::BatchItem) {
        let counted = match &item.item {
            Some(v1::batch_item::Item::Stored(reply)) => match reply.outcome() {
                v1::StoreOutcome::Stored => &mut self.stored,
                v1::StoreOutcome::Reinforced | v1::StoreOutcome::Extended => &mut self.reinforced,
                v1::StoreOutcome::Duplicate => &mut self.duplicates,
                v1::StoreOutcome::Unspecified => &mut self.refused,
            },
            Some(v1::batch_item::Item::Refused(_)) | None => &mut self.refused,
        };
        *counted += 1;
    }

    fn told(&self) -> String {
        let Self {
            stored,
            reinforced,
            duplicates,
            refused,
        } = self;
        let duplicates = count_of(count(*duplicates), "near duplicate", "near duplicates");
        format!(
            "{stored} stored, {reinforced} known before, {duplicates} not stored, {refused} refused"
        )
    }
}

async fn store(
    context: &Context,
    client: &mut Client,
    drafts: Vec<v1::Draft>,
    force: bool,
) -> Result<v1::StoreBatchReply, Failure> {
    let sent = drafts.len();
    let request = v1::StoreBatchRequest {
        caller: Some(context.caller()),
        drafts,
        force,
    };
    let call = async |rpc: &mut Rpc| rpc.store_batch(request.clone()).await;
    let reply = if force {
        client.call_at_most_once(call).await?
    } else {
        client.call(call).await?
    };
    if reply.items.len() == sent {
        return Ok(reply);
    }
    let (answered, sent) = (
        reply.items.len(),
        count_of(count(sent), "memory", "memories"),
    );
    Err(Failure::Unavailable(format!(
        "the daemon answered for {answered} of {sent}; run helixctl doctor"
    )))
}

/// Storing again what was stored changes nothing, so the whole input may be given again.
fn so_far(failure: Failure, sum: &Sum) -> Failure {
    Failure::Within {
        what: format!(
            "until then {}; the same input may be given again",
            sum.told()
        ),
        failure: Box::new(failure),
    }
}

fn read(context: &Context, file: &str) -> Result<String, Failure> {
    if file == STREAM {
        return read_whole(io::stdin().lock(), "stdin");
    }
    let path = context.cwd.join(file);
    let opened = File::open(&path).map_err(Failure::io(format!("opening {}", path.display())))?;
    read_whole(opened, &path.display().to_string())
}

fn read_whole(input: impl Read, name: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = INPUT_BYTES_MAX.saturating_add(1);
    let read = input
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(Failure::io(format!("reading {name}")))?;
    if u64::try_from(read).is_ok_and(|read| read > INPUT_BYTES_MAX) {
        return Err(Failure::Usage(format!(
            "{name} holds more than {INPUT_BYTES_MAX} bytes; give it in parts"
        )));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("{name} is not UTF-8; convert it first")))
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
