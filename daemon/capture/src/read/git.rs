//! The log of git: messages that explain why, reverts and fixes, as slices.
//!
//! [`ARGUMENTS`] make git print it. What stays behind the last commit that was read is asked for
//! with `<commit>..HEAD`, so that the hash of that commit is the cursor.

use std::sync::LazyLock;

use serde::Deserialize;

use super::bounds::{TEXT_END_BYTES, bounded};
use super::{clean, time};
use crate::{Place, Slice, SliceKind, Speaker};

/// Arguments of git that print a log which [`read`] reads, oldest commit first. Of each commit: its
/// hash, the author's time in seconds, the hashes of its parents, and its message, each closed by a
/// zero byte, which no message holds.
pub const ARGUMENTS: [&str; 4] = [
    "log",
    "--reverse",
    "--no-color",
    "--format=tformat:%H%x00%at%x00%P%x00%B%x00",
];

/// The log's name in [`Slice::agent`].
pub const AGENT: &str = "git";

/// Fields of a commit.
const FIELDS: usize = 4;

/// Characters of a body that explains something; shorter ones are references.
const BODY_MIN_CHARS: usize = 40;

/// The lists of `git.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    trailers: Vec<String>,
    agents: Vec<String>,
    machines: Vec<String>,
    reverts: Vec<String>,
    fixes: Vec<String>,
}

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("git.toml")).unwrap_or_default());

/// What was read of a log.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Oldest commit first.
    pub slices: Vec<Slice>,
    /// Bytes that were read; a commit that breaks off is left for later.
    pub bytes: usize,
    /// The hash of the last commit that was read.
    pub last: Option<String>,
    /// Commits that were read, with and without a slice.
    pub commits: u64,
    /// Commits that cannot be read.
    pub unreadable: u64,
}

/// Reads the commits that are complete in `log`, of a repository whose directory is `directory`.
#[must_use]
pub fn read(log: &[u8], directory: &str) -> Log {
    let mut read = Log::default();
    while let Some((fields, bytes)) = next_commit(log.get(read.bytes..).unwrap_or_default()) {
        read.bytes += bytes;
        read.commits += 1;
        let Some(commit) = Commit::of(fields) else {
            read.unreadable += 1;
            continue;
        };
        read.last = Some(commit.hash.to_owned());
        read.slices.extend(commit.slice(directory));
    }
    read
}

/// The fields of the first commit and the bytes that they take.
fn next_commit(log: &[u8]) -> Option<([&[u8]; FIELDS], usize)> {
    let mut fields = [&[] as &[u8]; FIELDS];
    let mut bytes = 0;
    for field in &mut fields {
        let rest = log.get(bytes..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        *field = rest.get(..end)?;
        bytes += end + 1;
    }
    Some((fields, bytes))
}

/// A commit of the log.
struct Commit<'a> {
    hash: &'a str,
    at: Option<i64>,
    is_merge: bool,
    message: String,
}

impl<'a> Commit<'a> {
    fn of([hash, at, parents, message]: [&'a [u8]; FIELDS]) -> Option<Self> {
        let hash = str::from_utf8(hash).ok()?.trim_start();
        let is_hash = hash.len() >= 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let message = String::from_utf8_lossy(message);
        is_hash.then(|| Self {
            hash,
            at: str::from_utf8(at).ok().and_then(time::of_seconds),
            is_merge: parents.contains(&b' '),
            message: message.replace("\r\n", "\n"),
        })
    }

    /// The commit as a slice, if its message says more than what changed.
    fn slice(self, directory: &str) -> Option<Slice> {
        let lists = &*LISTS;
        let (said, trailers) = without_trailers(&self.message, lists);
        let said = clean::output(&said).trim().to_owned();
        let is_of = |names: &[String]| {
            let mut named = names.iter().map(|name| name.to_lowercase());
            named.any(|name| trailers.contains(&name))
        };
        if self.is_merge || is_of(&lists.machines) || !tells_why(&said, lists) {
            return None;
        }
        Some(Slice {
            kind: SliceKind::Commit,
            speaker: if is_of(&lists.agents) {
                Speaker::Assistant
            } else {
                Speaker::User
            },
            text: bounded(&said, TEXT_END_BYTES),
            deed: None,
            agent: AGENT.to_owned(),
            session: String::new(),
            directory: Some(directory.to_owned()),
            branch: None,
            at: self.at,
            place: Place {
                source: self.hash.to_owned(),
                offset: 0,
                line: 0,
            },
        })
    }
}

/// The message without its trailers, and the trailers in lower case.
fn without_trailers(message: &str, lists: &Lists) -> (String, String) {
    let is_trailer = |line: &&str| lists.trailers.iter().any(|start| line.starts_with(start));
    let (trailers, said): (Vec<&str>, Vec<&str>) = message.lines().partition(is_trailer);
    (said.join("\n"), trailers.join("\n").to_lowercase())
}

/// Returns whether a message explains something, or tells of a revert or a fix.
fn tells_why(said: &str, lists: &Lists) -> bool {
    let (subject, body) = said.split_once('\n').unwrap_or((said, ""));
    let subject = subject.to_lowercase();
    let begins = |starts: &[String]| starts.iter().any(|start| subject.starts_with(start));
    let is_explained = body.trim().chars().count() >= BODY_MIN_CHARS;
    is_explained || begins(&lists.reverts) || begins(&lists.fixes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef01234567";

    fn commit(parents: &str, message: &str) -> String {
        format!("{HASH}\0{}\0{parents}\0{message}\0\n", 1_700_000_000)
    }

    fn check(parents: &str, message: &str, expected: Option<(Speaker, &str)>) {
        let log = read(commit(parents, message).as_bytes(), "/p");
        assert_eq!(log.commits, 1, "{message}");
        assert_eq!(log.last.as_deref(), Some(HASH), "{message}");
        let slices: Vec<(Speaker, &str)> = log
            .slices
            .iter()
            .map(|slice| (slice.speaker, slice.text.as_str()))
            .collect();
        assert_eq!(slices, Vec::from_iter(expected), "{message}");
    }

    #[test]
    fn lists_are_read() {
        assert_eq!(
            toml::from_str::<Lists>(include_str!("git.toml")).err(),
            None
        );
    }

    #[test]
    fn messages_that_say_why_are_kept() {
        let why = "Retry uploads\n\nThe gateway closes idle connections after 30 s, so that the first try fails.";
        check(HASH, why, Some((Speaker::User, why)));
        check(
            HASH,
            "fix: a lease was counted twice",
            Some((Speaker::User, "fix: a lease was counted twice")),
        );
        let revert = "Revert \"Use mmap\"\n\nThis reverts commit abc.";
        check(HASH, revert, Some((Speaker::User, revert)));
        let trailed = format!("{why}\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n");
        check(HASH, &trailed, Some((Speaker::Assistant, why)));
        check(HASH, "Retry uploads", None);
        check(HASH, "Retry uploads\n\nCloses #12", None);
        check(HASH, "Prefix the names", None);
        check(&format!("{HASH} {HASH}"), why, None);
        let private = format!("{why} <private>They pay 3 M.</private>");
        check(HASH, &private, Some((Speaker::User, why)));
    }

    #[test]
    fn commits_that_break_off_are_left() {
        let log = commit(HASH, "fix: one") + &commit(HASH, "fix: two");
        for end in 0..=log.len() {
            let (head, _) = log.as_bytes().split_at(end);
            let first = read(head, "/p");
            let behind = read(log.as_bytes().get(first.bytes..).unwrap_or_default(), "/p");
            assert_eq!(first.commits + behind.commits, 2, "cut at {end}");
            assert_eq!(first.unreadable + behind.unreadable, 0, "cut at {end}");
        }
    }
}
