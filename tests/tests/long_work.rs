//! Imports and exports while the daemon is asked to hand over or to stop.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Output, Stdio};
use std::time::Duration;

use helix_client::{caller, v1};
use helix_proto::notice::Notice;
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Binary, Home, Project, Served};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tonic::Response;
use tonic::codegen::tokio_stream::iter;

/// How long anything here may take on a busy machine.
const DEADLINE: Duration = Duration::from_mins(2);

/// Memories of a log that take long enough to be caught at work.
const MEMORIES: u32 = 60_000;

/// Memories of an import that a hand-over waits for, which it does for a minute at most: a machine
/// that is busy with something else stores them within it.
const WAITED_FOR: u32 = 6_000;

/// An import whose input comes from the test.
struct Import {
    /// Until its end is waited for.
    child: Option<Child>,
    input: Option<ChildStdin>,
}

impl Import {
    fn start(home: &Home, project: &Project) -> Self {
        let mut command = home.command(Binary::Ctl);
        command
            .args(["import", "-", "--format", "json", "--trust"])
            .current_dir(&project.root);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        Self {
            child: Some(child),
            input,
        }
    }

    fn write(&mut self, text: &str) {
        self.input
            .as_mut()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }

    fn finish(mut self) -> Output {
        drop(self.input.take());
        self.child.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Import {
    fn drop(&mut self) {
        let Some(child) = &mut self.child else { return };
        // Gone already is what we want.
        child.kill().ok();
        child.wait().ok();
    }
}

fn entries(from: u32, to: u32) -> String {
    let one = |number: u32| {
        format!(
            "{{\"topic\":\"t\",\"text\":\"memory {number} of an import, unlike {}\"}}",
            number * 7
        )
    };
    (from..to).map(one).collect::<Vec<_>>().join(",\n")
}

fn active(served: &mut Served) -> u64 {
    let status = served.rpc.status().unwrap();
    status
        .memories_by_status
        .iter()
        .find(|one| one.name == "active")
        .map_or(0, |one| one.count)
}

fn store(served: &mut Served, project: &Project, text: &str) {
    served
        .rpc
        .store(v1::Program::Ctl, &project.root, draft("build", text, ""))
        .unwrap();
}

/// Asks for a hand-over, and says what it waits for.
fn ask_upgrade(served: &mut Served) -> Vec<String> {
    served
        .rpc
        .call(async |rpc| rpc.upgrade(v1::UpgradeRequest::default()).await)
        .unwrap()
        .waits_for
}

/// Waits until an import is under way, which keeps what comes in a file that has no name any more:
/// a hand-over before would end the program that the import is about to call.
fn await_import(served: &Served) {
    let open = PathBuf::from(format!("/proc/{}/fd", served.daemon.pid()));
    let is_spool = |path: PathBuf| path.to_string_lossy().contains("/run/import-");
    within(DEADLINE, || {
        // One that is closed meanwhile is none.
        let mut files =
            fs::read_dir(&open)?.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
        Ok(files.any(is_spool).then_some(()))
    })
    .unwrap();
}

#[test]
fn a_hand_over_waits_for_an_import_and_everybody_is_served_meanwhile() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let mut import = Import::start(&served.home, &project);
    import.write("[");
    import.write(&entries(0, WAITED_FOR - 1_000));
    await_import(&served);
    assert_eq!(ask_upgrade(&mut served), ["import"]);
    let before = served.rpc.status().unwrap().started_at_us;
    for number in 0..20 {
        store(
            &mut served,
            &project,
            &format!("stored while the hand-over waits, number {number}"),
        );
    }
    assert_eq!(
        served.rpc.status().unwrap().started_at_us,
        before,
        "the old program still serves"
    );
    import.write(",");
    import.write(&entries(WAITED_FOR - 1_000, WAITED_FOR));
    import.write("]");
    let output = import.finish();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains(&format!("{WAITED_FOR} memories read: {WAITED_FOR} stored")),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Calls made while it hands over are answered by the new program.
    let handed = within(DEADLINE, || {
        Ok((served.rpc.status()?.started_at_us > before).then_some(()))
    });
    handed.unwrap();
    store(&mut served, &project, "stored in the new program");
    assert_eq!(active(&mut served), u64::from(WAITED_FOR) + 21);
    assert_eq!(Notice::read(&served.home.paths), None);
}

#[test]
fn a_stop_ends_an_import_with_a_true_account() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let file: PathBuf = served.home.scratch().join("all.json");
    fs::write(&file, format!("[{}]", entries(0, MEMORIES))).unwrap();
    let mut command = served.home.command(Binary::Ctl);
    command
        .args(["import", file.to_str().unwrap(), "--trust"])
        .current_dir(&project.root);
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    within(DEADLINE, || Ok((active(&mut served) > 2_000).then_some(()))).unwrap();
    let down = served
        .home
        .command(Binary::Ctl)
        .arg("down")
        .output()
        .unwrap();
    assert!(
        down.status.success(),
        "{}",
        String::from_utf8_lossy(&down.stderr)
    );
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(69), "{said}");
    let Served { rpc, daemon, home } = served;
    drop((rpc, daemon));
    let mut served = Served::on(home).unwrap();
    let stored = active(&mut served);
    assert!(
        stored < u64::from(MEMORIES),
        "the import was over before the stop"
    );
    assert!(
        said.contains(&format!("{stored} memories were stored until then")),
        "{stored}: {said}"
    );
}

#[test]
fn an_import_says_how_far_it_is_read_whatever_comes_of_it() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let data = format!("[{}]", entries(0, 5_000)).into_bytes();
    let whole = data.len() as u64;
    for dry_run in [true, false, false] {
        let caller = Some(caller(v1::Program::Ctl, &project.root, "", ""));
        let format = v1::ExchangeFormat::Json.into();
        let piece = v1::ImportPiece {
            caller,
            format,
            dry_run,
            data: data.clone(),
            ..v1::ImportPiece::default()
        };
        let reports = served.rpc.call(async |rpc| {
            let mut reports = rpc.import(iter([piece.clone()])).await?.into_inner();
            let mut all = Vec::new();
            while let Some(report) = reports.message().await? {
                all.push(report);
            }
            Ok(Response::new(all))
        });
        let mut reports = reports.unwrap();
        assert!(reports.pop().unwrap().done);
        let read: Vec<u64> = reports.iter().map(|report| report.bytes_read).collect();
        assert!(
            reports.iter().all(|report| report.bytes_whole == whole),
            "{reports:?}"
        );
        assert_eq!(
            read.first(),
            Some(&0),
            "all of it is there and none is read"
        );
        assert!(
            read.is_sorted() && read.iter().any(|read| (1..whole).contains(read)),
            "{read:?} of {whole}"
        );
    }
}

#[test]
fn an_import_whose_sender_dies_stores_nothing() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let mut import = Import::start(&served.home, &project);
    import.write("[");
    import.write(&entries(0, 20_000));
    await_import(&served);
    assert_eq!(ask_upgrade(&mut served), ["import"]);
    drop(import);
    // The hand-over comes when the import has ended.
    within(DEADLINE, || {
        Ok(ask_upgrade(&mut served).is_empty().then_some(()))
    })
    .unwrap();
    assert_eq!(active(&mut served), 0);
}

#[test]
fn an_import_whose_caller_dies_ends_and_comes_again_without_repeats() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let file: PathBuf = served.home.scratch().join("all.json");
    fs::write(&file, format!("[{}]", entries(0, MEMORIES))).unwrap();
    let mut command = served.home.command(Binary::Ctl);
    command
        .args(["import", file.to_str().unwrap(), "--trust"])
        .current_dir(&project.root)
        .stdin(Stdio::null());
    let mut first = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    within(DEADLINE, || Ok((active(&mut served) > 2_000).then_some(()))).unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    let output = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && said.contains(&format!("{MEMORIES} memories read: ")),
        "{said}"
    );
    assert!(
        !said.contains(&format!("{MEMORIES} stored")) && !said.contains(" 0 stored"),
        "{said}"
    );
    assert_eq!(active(&mut served), u64::from(MEMORIES));
}

#[test]
fn an_interrupted_import_tells_no_more_than_was_stored() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let file: PathBuf = served.home.scratch().join("all.json");
    fs::write(&file, format!("[{}]", entries(0, MEMORIES))).unwrap();
    let mut command = served.home.command(Binary::Ctl);
    command
        .args(["import", file.to_str().unwrap(), "--trust"])
        .current_dir(&project.root)
        .stdin(Stdio::null());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    within(DEADLINE, || Ok((active(&mut served) > 2_000).then_some(()))).unwrap();
    kill(
        Pid::from_raw(i32::try_from(child.id()).unwrap()),
        Signal::SIGINT,
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("import the same again"), "{said}");
    let told = said
        .split("interrupted; ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .unwrap_or(0);
    let stored = active(&mut served);
    assert!(
        stored >= told && stored < u64::from(MEMORIES),
        "{stored}: {said}"
    );
}

#[test]
fn a_cut_json_export_is_counted_exactly() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let whole = format!("[{}]", entries(0, 5_500));
    let file = served.home.scratch().join("cut.json");
    fs::write(&file, whole.get(..whole.len() - 100).unwrap()).unwrap();
    let mut command = served.home.command(Binary::Ctl);
    let output = command
        .args(["import", file.to_str().unwrap(), "--trust"])
        .current_dir(&project.root)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(65), "{said}");
    let stored = active(&mut served);
    assert!(
        stored > 0 && said.contains(&format!("{stored} memories were stored until then")),
        "{stored}: {said}"
    );
}

#[test]
fn an_export_that_nobody_reads_does_not_hold_a_stop_up() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "p").unwrap();
    let text = "long ".repeat(8_000);
    for number in 0..400 {
        store(&mut served, &project, &format!("{number} {text}"));
    }
    let mut command = served.home.command(Binary::Ctl);
    command.args(["export", "-"]).current_dir(&project.root);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    let down = served
        .home
        .command(Binary::Ctl)
        .arg("down")
        .output()
        .unwrap();
    assert!(
        down.status.success(),
        "{}",
        String::from_utf8_lossy(&down.stderr)
    );
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "a cut export is no success");
}
