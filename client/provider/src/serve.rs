//! The loop: one order after the other, until the input ends.
//!
//! A thread reads, so that the end of the input ends the program in the middle of a call.

use std::io::{self, BufReader};
use std::process::{self, ExitCode};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use helix_proto::provider::{self, PROTOCOL, v1};
use v1::order::What;

use crate::backend::Backend;
use crate::command;
use crate::route::Router;

/// Orders that wait. The daemon sends the next one when it has the answer.
const ORDERS_MAX: usize = 4;

/// Serves helixd until it closes the input.
pub(crate) fn serve() -> ExitCode {
    if helix_redact::check().is_err() {
        eprintln!("helix-provider: the rules of the redaction cannot be read");
        return ExitCode::FAILURE;
    }
    let (sender, orders) = sync_channel(ORDERS_MAX);
    let reading = thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || read(&sender));
    if let Err(error) = reading {
        eprintln!("helix-provider: starting a thread: {error}");
        return ExitCode::FAILURE;
    }
    let mut router = Router::default();
    let mut output = io::stdout().lock();
    while let Ok(order) = orders.recv() {
        let answer = answer(&mut router, order);
        if provider::write(&mut output, &answer).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// Hands orders on; the end of the input is the end of the program.
fn read(orders: &SyncSender<v1::Order>) {
    let mut input = BufReader::new(io::stdin().lock());
    while let Ok(order) = provider::read(&mut input) {
        if orders.send(order).is_err() {
            break;
        }
    }
    command::end();
    process::exit(0);
}

fn answer(router: &mut Router, order: v1::Order) -> v1::Answer {
    let answer = match order.what {
        Some(What::Setup(setup)) => ready(router, setup),
        Some(What::Ask(ask)) => router.ask(ask),
        None => v1::Answer {
            error: "the order says nothing that this version knows".to_owned(),
            ..v1::Answer::default()
        },
    };
    v1::Answer {
        id: order.id,
        ..answer
    }
}

fn ready(router: &mut Router, setup: v1::Setup) -> v1::Answer {
    let backends = Backend::all(setup.backends);
    let states = backends.iter().map(|backend| v1::BackendState {
        name: backend.name.clone(),
        why_not: backend.why_not().unwrap_or_default(),
        paid: backend.is_paid(),
    });
    let ready = v1::Ready {
        protocol: PROTOCOL,
        backends: states.collect(),
    };
    *router = Router::of(backends);
    v1::Answer {
        ready: Some(ready),
        ..v1::Answer::default()
    }
}
