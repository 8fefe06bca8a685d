//! Days that the daemon writes are days of whoever asks.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::path::Path;

use helix_client::caller;
use helix_proto::v1::{self, Program};
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, Rpc};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Two zones that have a day in common for two hours a day only.
const ZONES: [&str; 2] = ["Pacific/Kiritimati", "Pacific/Pago_Pago"];

/// A caller in a zone.
fn asker(cwd: &Path, zone: &str) -> v1::Caller {
    v1::Caller {
        time_zone: zone.to_owned(),
        ..caller(Program::Mcp, cwd, "tests", "")
    }
}

#[test]
fn briefs_and_contexts_have_the_askers_days() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let cwd = home.scratch().to_path_buf();
    // A quarter past midnight in Greenwich.
    let at: Timestamp = "2026-11-10T00:15:00Z".parse().unwrap();
    let text = "decision: disks are moved at midnight, when nobody needs them.";
    let draft = v1::Draft {
        valid_from_us: Some(at.as_microsecond()),
        ..draft("disks", text, "")
    };
    rpc.store(Program::Mcp, &cwd, draft).unwrap();
    for zone in ZONES {
        let day = at.to_zoned(TimeZone::get(zone).unwrap()).date().to_string();
        let brief = |query: &str| v1::BriefRequest {
            caller: Some(asker(&cwd, zone)),
            query: query.to_owned(),
            detail: v1::BriefDetail::Full.into(),
            ..v1::BriefRequest::default()
        };
        let context = |query: &str| v1::ContextRequest {
            caller: Some(asker(&cwd, zone)),
            query: query.to_owned(),
            ..v1::ContextRequest::default()
        };
        let overview = v1::BriefRequest {
            caller: Some(asker(&cwd, zone)),
            ..v1::BriefRequest::default()
        };
        for request in [brief("disks"), brief(""), overview] {
            let text = rpc
                .call(async |rpc| rpc.brief(request.clone()).await)
                .unwrap()
                .text;
            assert!(text.contains(&day), "{zone}: {text}");
        }
        for request in [context("disks at midnight"), context("")] {
            let text = rpc
                .call(async |rpc| rpc.context(request.clone()).await)
                .unwrap()
                .text;
            assert!(text.contains(&day), "{zone}: {text}");
        }
    }
}
