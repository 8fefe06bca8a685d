//! Secrets as they may stand in a file.

use std::fs;
use std::path::{Path, PathBuf};

use aho_corasick::{AhoCorasick, Match};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Secrets as they may stand in a file: whatever their case, in UTF-8, UTF-16 or Base64.
pub(crate) struct Needles(AhoCorasick);

/// Shortest secret that is looked for in Base64: of shorter ones too little does not depend on
/// their neighbours.
const BASE64_MIN_BYTES: usize = 12;

impl Needles {
    pub(crate) fn of<S: AsRef<str>>(secrets: &[S]) -> Self {
        let patterns: Vec<Vec<u8>> = secrets
            .iter()
            .flat_map(|secret| spellings(secret.as_ref()))
            .collect();
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true);
        Self(builder.build(patterns).unwrap())
    }

    /// Where one of them stands.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<Match> {
        self.0.find(bytes)
    }

    /// The files below a directory that hold one of them, and what stands around it.
    pub(crate) fn held_below(&self, directory: &Path) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                found.extend(self.held_below(&path));
            } else if kind.is_file() {
                let bytes = fs::read(&path).unwrap();
                if let Some(needle) = self.find(&bytes) {
                    let end = (needle.end() + 60).min(bytes.len());
                    let around = &bytes[needle.start().saturating_sub(60)..end];
                    found.push((path, String::from_utf8_lossy(around).into_owned()));
                }
            }
        }
        found
    }
}

fn spellings(secret: &str) -> Vec<Vec<u8>> {
    let wide = |order: fn(u16) -> [u8; 2]| secret.encode_utf16().flat_map(order).collect();
    let mut patterns: Vec<Vec<u8>> = vec![
        secret.as_bytes().to_vec(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
    ];
    if secret.len() >= BASE64_MIN_BYTES {
        // As it stands in Base64 behind any number of bytes, without what depends on its neighbours.
        for before in 0..3 {
            let text = [vec![b'x'; before].as_slice(), secret.as_bytes()].concat();
            let encoded = STANDARD.encode(text);
            patterns.push(encoded.as_bytes()[4..encoded.len() - 4].to_vec());
        }
    }
    patterns
}
