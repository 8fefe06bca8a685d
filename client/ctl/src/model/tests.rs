//! Installs of a tiny catalog, from tiny wheels and with an interpreter that plays pip.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::catalog::{Bundle, Catalog, Member, Role, Source, Wheel};
use super::fetch::FetchError;
use super::pip::PipError;
use super::{
    InstallError, InstallOptions, Installed, Installer, Progress, UnpackError, VerifyError,
    verify_catalog,
};

/// A catalog, the wheels that it pins, and where to install them.
struct World {
    dir: TempDir,
    catalog: Catalog,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("wheels")).unwrap();
        let bundle = |role, folder: &str, files: &[(&str, &str)]| Bundle {
            role,
            folder: folder.to_owned(),
            sources: vec![make_wheel(&dir.path().join("wheels"), folder, files)],
        };
        let bundles = vec![
            bundle(
                Role::Model,
                "toy-model",
                &[
                    ("model.onnx", "weights"),
                    ("tokenizer.json", "{}"),
                    ("LICENSE", "mine"),
                ],
            ),
            bundle(
                Role::Runtime,
                "toy-runtime",
                &[("libonnxruntime.so", "machine code")],
            ),
        ];
        Self {
            dir,
            catalog: Catalog {
                pip_platform: "any".to_owned(),
                bundles,
            },
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn models(&self) -> PathBuf {
        self.path("models")
    }

    fn offline(&self) -> InstallOptions {
        InstallOptions {
            from: Some(self.path("wheels")),
            cache_dir: None,
        }
    }

    fn online(&self) -> InstallOptions {
        InstallOptions {
            from: None,
            cache_dir: Some(self.path("cache")),
        }
    }

    fn install(&self, options: &InstallOptions) -> Result<Installed, InstallError> {
        self.install_with(options, "/nonexistent/python3").0
    }

    fn install_with(
        &self,
        options: &InstallOptions,
        python: &str,
    ) -> (Result<Installed, InstallError>, Vec<Progress>) {
        let mut steps = Vec::new();
        let installer = Installer {
            catalog: &self.catalog,
            python: &[python],
        };
        let result = installer.run(&self.models(), options, &mut |step| steps.push(step));
        (result, steps)
    }

    /// Writes an interpreter that runs `body` with the download directory in `$d`.
    fn python(&self, body: &str) -> String {
        let path = self.path("python3");
        let script = format!("#!/bin/sh\nfor d; do :; done\n{body}\n");
        // A child writes it: a descriptor open for writing, inherited by another test's child,
        // would make it "busy".
        let status = Command::new("sh")
            .args(["-c", "printf %s \"$1\" > \"$2\" && chmod 700 \"$2\"", "sh"])
            .arg(script.replace("$WHEELS", self.path("wheels").to_str().unwrap()))
            .arg(&path)
            .status();
        assert!(status.unwrap().success());
        path.to_str().unwrap().to_owned()
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn make_wheel(dir: &Path, name: &str, files: &[(&str, &str)]) -> Source {
    let file = format!("{name}-1.0-py3-none-any.whl");
    let mut zip = zip::ZipWriter::new(fs::File::create(dir.join(&file)).unwrap());
    let mut members = Vec::new();
    for (path, text) in files {
        zip.start_file(
            format!("pkg/{path}"),
            zip::write::SimpleFileOptions::default(),
        )
        .unwrap();
        zip.write_all(text.as_bytes()).unwrap();
        members.push(Member {
            path: format!("pkg/{path}"),
            name: (*path).to_owned(),
            bytes: text.len() as u64,
            sha256: sha256(text.as_bytes()),
        });
    }
    zip.finish().unwrap();
    let bytes = fs::read(dir.join(&file)).unwrap();
    let wheel = Wheel {
        package: name.to_owned(),
        version: "1.0".to_owned(),
        file,
        bytes: bytes.len() as u64,
        sha256: sha256(&bytes),
    };
    Source { wheel, members }
}

/// Names in a directory that belong to no finished install.
fn leftovers(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with('.') && name != ".lock" && name != ".cache")
        .collect()
}

#[test]
fn installs_from_a_directory_and_verifies() {
    let world = World::new();
    let installed = world.install(&world.offline()).unwrap();
    assert!(installed.changed);
    assert_eq!(
        fs::read_to_string(world.models().join("toy-model/model.onnx")).unwrap(),
        "weights"
    );
    assert_eq!(
        fs::read_to_string(world.models().join("toy-model/LICENSE")).unwrap(),
        "mine"
    );
    assert_eq!(
        installed.library,
        world.models().join("toy-runtime/libonnxruntime.so")
    );
    assert_eq!(installed.model_sha256, sha256(b"weights"));
    assert_eq!(
        verify_catalog(&world.catalog, &world.models()).unwrap(),
        Installed {
            changed: false,
            ..installed
        }
    );
    assert_eq!(leftovers(&world.models()), Vec::<String>::new());
    for (path, mode) in [("toy-model", 0o700), ("toy-model/model.onnx", 0o600)] {
        assert_eq!(
            fs::metadata(world.models().join(path))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            mode,
            "{path}"
        );
    }
}

#[test]
fn a_second_install_changes_nothing_and_needs_no_wheels() {
    let world = World::new();
    world.install(&world.offline()).unwrap();
    fs::remove_dir_all(world.path("wheels")).unwrap();
    let (again, steps) = world.install_with(&world.online(), "/nonexistent/python3");
    assert!(!again.unwrap().changed);
    assert_eq!(steps, []);
}

#[test]
fn a_damaged_file_is_noticed_named_and_replaced() {
    let world = World::new();
    let library = world.install(&world.offline()).unwrap().library;
    for damage in ["machine", "machine cods"] {
        fs::write(&library, damage).unwrap();
        let error = verify_catalog(&world.catalog, &world.models()).unwrap_err();
        assert!(
            matches!(&error, VerifyError::Damaged { path, .. } if *path == library),
            "{error}"
        );
        assert!(
            error.to_string().contains("helixctl model install"),
            "{error}"
        );
        assert!(world.install(&world.offline()).unwrap().changed);
        assert_eq!(fs::read_to_string(&library).unwrap(), "machine code");
    }
}

#[test]
fn an_unchanged_stamp_spares_the_hash_and_a_changed_time_does_not() {
    let world = World::new();
    let model = world.install(&world.offline()).unwrap().model;
    let modified = fs::metadata(&model).unwrap().modified().unwrap();
    let set_modified = |time| {
        fs::File::options()
            .write(true)
            .open(&model)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    fs::write(&model, "WEIGHTS").unwrap();
    set_modified(modified);
    verify_catalog(&world.catalog, &world.models()).unwrap();
    set_modified(modified + std::time::Duration::from_micros(1));
    verify_catalog(&world.catalog, &world.models()).unwrap_err();
}

#[test]
fn another_manifest_is_replaced() {
    let world = World::new();
    world.install(&world.offline()).unwrap();
    let manifest = world.models().join("toy-model/manifest.json");
    for text in ["{}", "not json", ""] {
        fs::write(&manifest, text).unwrap();
        assert!(matches!(
            verify_catalog(&world.catalog, &world.models()),
            Err(VerifyError::Manifest { .. })
        ));
        world.install(&world.offline()).unwrap();
    }
    verify_catalog(&world.catalog, &world.models()).unwrap();
}

#[test]
fn what_is_no_file_holds_nobody_up() {
    let world = World::new();
    for name in ["manifest.json", ".verified.json", "model.onnx"] {
        world.install(&world.offline()).unwrap();
        verify_catalog(&world.catalog, &world.models()).unwrap();
        let path = world.models().join("toy-model").join(name);
        fs::remove_file(&path).unwrap();
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let is_well = verify_catalog(&world.catalog, &world.models()).is_ok();
        assert_eq!(
            is_well,
            name == ".verified.json",
            "{name}: a stamp only saves time"
        );
    }
}

#[test]
fn leftovers_of_a_killed_install_are_removed() {
    let world = World::new();
    for name in [
        ".staging-toy-model/x",
        ".replaced-toy-model/x",
        ".download-1/x",
    ] {
        fs::create_dir_all(world.models().join(name)).unwrap();
    }
    world.install(&world.offline()).unwrap();
    assert_eq!(leftovers(&world.models()), Vec::<String>::new());
}

#[test]
fn a_wrong_wheel_or_a_missing_one_installs_nothing() {
    let world = World::new();
    let wheel = world.path("wheels").join("toy-model-1.0-py3-none-any.whl");
    fs::write(&wheel, "other").unwrap();
    let error = world.install(&world.offline()).unwrap_err();
    assert!(
        matches!(error, InstallError::Fetch(FetchError::WrongWheel { .. })),
        "{error}"
    );
    fs::remove_file(&wheel).unwrap();
    let error = world.install(&world.offline()).unwrap_err();
    assert!(
        matches!(
            &error,
            InstallError::Fetch(FetchError::MissingWheels { .. })
        ),
        "{error}"
    );
    assert!(error.to_string().contains("toy-model==1.0"), "{error}");
    assert!(!world.models().join("toy-model").exists());
}

#[test]
fn a_member_that_differs_is_refused() {
    let mut world = World::new();
    let members = &mut world
        .catalog
        .bundles
        .first_mut()
        .unwrap()
        .sources
        .first_mut()
        .unwrap()
        .members;
    members.first_mut().unwrap().sha256 = sha256(b"other");
    let error = world.install(&world.offline()).unwrap_err();
    assert!(
        matches!(error, InstallError::Unpack(UnpackError::Mismatch { .. })),
        "{error}"
    );
    assert!(!world.models().join("toy-model").exists());
    assert_eq!(leftovers(&world.models()), Vec::<String>::new());
}

#[test]
fn an_archive_without_the_member_is_refused() {
    let mut world = World::new();
    let members = &mut world
        .catalog
        .bundles
        .first_mut()
        .unwrap()
        .sources
        .first_mut()
        .unwrap()
        .members;
    members.first_mut().unwrap().path = "pkg/absent".to_owned();
    let error = world.install(&world.offline()).unwrap_err();
    assert!(
        matches!(error, InstallError::Unpack(UnpackError::Archive { .. })),
        "{error}"
    );
}

#[test]
fn downloads_once_and_repairs_a_damaged_cache() {
    let world = World::new();
    let python = world.python("echo Saved; cp $WHEELS/*.whl \"$d\"");
    let (installed, steps) = world.install_with(&world.online(), &python);
    assert!(installed.unwrap().changed);
    assert!(
        steps.contains(&Progress::Downloader("Saved".to_owned())),
        "{steps:?}"
    );
    assert_eq!(leftovers(&world.path("cache")), Vec::<String>::new());

    fs::remove_dir_all(world.models()).unwrap();
    world.install(&world.online()).unwrap();

    fs::remove_dir_all(world.models()).unwrap();
    fs::write(
        world.path("cache").join("toy-model-1.0-py3-none-any.whl"),
        "half",
    )
    .unwrap();
    let (repaired, steps) = world.install_with(&world.online(), &python);
    repaired.unwrap();
    let downloads = steps
        .iter()
        .filter(|step| matches!(step, Progress::Downloading { .. }))
        .collect::<Vec<_>>();
    assert!(
        matches!(&*downloads, [Progress::Downloading { packages, .. }] if packages == &["toy-model==1.0"]),
        "{downloads:?}"
    );
}

#[test]
fn an_index_that_serves_something_else_is_refused() {
    let world = World::new();
    let python = world.python("for w in $WHEELS/*.whl; do echo other > \"$d/${w##*/}\"; done");
    let error = world.install_with(&world.online(), &python).0.unwrap_err();
    assert!(
        matches!(error, InstallError::Fetch(FetchError::WrongWheel { .. })),
        "{error}"
    );
    assert!(
        !world
            .path("cache")
            .join("toy-model-1.0-py3-none-any.whl")
            .exists()
    );
}

#[test]
fn a_killed_download_leaves_nothing_and_the_next_succeeds() {
    let world = World::new();
    let python = world.python("echo half > \"$d/toy-model-1.0-py3-none-any.whl\"; kill -9 $$");
    world.install_with(&world.online(), &python).0.unwrap_err();
    assert!(!world.models().join("toy-model").exists());
    assert!(
        !world
            .path("cache")
            .join("toy-model-1.0-py3-none-any.whl")
            .exists()
    );
    world
        .install_with(&world.online(), &world.python("cp $WHEELS/*.whl \"$d\""))
        .0
        .unwrap();
    assert_eq!(leftovers(&world.path("cache")), Vec::<String>::new());
}

#[test]
fn pips_complaints_become_advice() {
    type Check = fn(&PipError) -> bool;
    let cases: [(&str, Check); 6] = [
        ("/usr/bin/python3: No module named pip", |error| {
            matches!(error, PipError::NoPip)
        }),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM",
            |error| matches!(error, PipError::Mismatch),
        ),
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: No matching distribution found",
            |error| matches!(error, PipError::Unreachable(_)),
        ),
        ("ERROR: No matching distribution found for x", |error| {
            matches!(error, PipError::NoSuchWheel(_))
        }),
        (
            "ERROR: disk full",
            |error| matches!(error, PipError::Other(text) if text == "ERROR: disk full"),
        ),
        ("", |error| matches!(error, PipError::Other(_))),
    ];
    for (complaint, check) in cases {
        let world = World::new();
        let python = world.python(&format!("cat >&2 <<'END'\n{complaint}\nEND\nexit 1"));
        let error = world.install_with(&world.online(), &python).0.unwrap_err();
        assert!(
            matches!(&error, InstallError::Fetch(FetchError::Download(error)) if check(error)),
            "{complaint}: {error:?}"
        );
        assert!(error.to_string().contains("--from DIR"), "{error}");
    }
}

#[test]
fn without_python_the_error_says_what_to_install() {
    let world = World::new();
    let error = world.install(&world.online()).unwrap_err();
    assert!(
        matches!(
            error,
            InstallError::Fetch(FetchError::Download(PipError::NoPython))
        ),
        "{error}"
    );
}

#[test]
fn installs_at_the_same_time_leave_one_good_install() {
    let world = World::new();
    let python = world.python("cp $WHEELS/*.whl \"$d\"");
    let changed = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    world
                        .install_with(&world.online(), &python)
                        .0
                        .unwrap()
                        .changed
                })
            })
            .collect();
        threads
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .filter(|changed| *changed)
            .count()
    });
    assert_eq!(changed, 1);
    verify_catalog(&world.catalog, &world.models()).unwrap();
}

#[test]
fn the_lock_is_announced_while_it_is_waited_for() {
    let world = World::new();
    fs::create_dir(world.models()).unwrap();
    let lock = super::Lock::take(&world.models().join(".lock"), &mut || ()).unwrap();
    let mut held = Some(lock);
    let installer = Installer {
        catalog: &world.catalog,
        python: &[],
    };
    let mut waited = false;
    let result = installer.run(&world.models(), &world.offline(), &mut |step| {
        if step == Progress::Waiting {
            waited = true;
            held = None;
        }
    });
    assert!(result.unwrap().changed && waited);
}

#[test]
fn every_supported_platform_is_pinned_completely() {
    for (os, arch) in [
        ("linux", "x86_64"),
        ("linux", "aarch64"),
        ("macos", "aarch64"),
    ] {
        let catalog = Catalog::of(os, arch).unwrap();
        for source in catalog.bundles.iter().flat_map(|bundle| &bundle.sources) {
            assert!(
                source
                    .wheel
                    .file
                    .starts_with(&source.wheel.package.replace('-', "_"))
            );
            for hash in source
                .members
                .iter()
                .map(|member| &member.sha256)
                .chain([&source.wheel.sha256])
            {
                assert!(
                    hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()),
                    "{hash}"
                );
            }
        }
        let library = catalog
            .bundles
            .iter()
            .find_map(|bundle| bundle.manifest().library)
            .unwrap();
        assert!(library.starts_with("libonnxruntime."), "{library}");
    }
    assert!(Catalog::of("macos", "x86_64").is_none());
    assert!(Catalog::of("windows", "x86_64").is_none());
}
