//! Takes out of a text what is surely a secret, before it is kept or shown: keys and tokens by their shapes, private keys, and
//! what stands where passwords stand: behind a telling name, in an address, in a header, behind an option.
//!
//! What nobody named and has no known shape stays, as do hashes, ids and paths: they are what a mistake is known by. A text
//! that went through this once stays as it is. What people write down is read more carefully than what programs say: it talks of
//! passwords more often than it gives them.

mod plain;
mod value;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};

use crate::model::SourceRef;

pub use self::plain::is_plain;
use self::value::{Named, is_known, is_long, is_mixed, is_placeholder, is_port, is_word};

/// What stands for a secret.
pub const REDACTED: &str = "[redacted]";

/// Decides whether what a rule found is a secret.
type Judge = fn(&Captures<'_>) -> bool;

/// A place where secrets stand. The group `secret` is taken out.
struct Rule {
    pattern: Regex,
    /// In what programs take and say.
    is_secret: Judge,
    /// Also in what people write down: "pass --token and --url" is about an option, and `--token hunter2` gives one.
    is_secret_in_prose: Judge,
}

/// What may stand in a value that is not quoted, first and then. A bracket, which begins what stands for a secret, does not.
const BARE: &str = r#"[^\s'"`,;&|<>()\[\]{}$%*\\-][^\s'"`,;&|<>()\[\]{}\\]*"#;

/// Words that a name ends in whose value is a secret.
const NAMES: &str = r"passw(?:or)?d|passphrase|[_.-]pass|_pwd|secret|token|_auth|secret[_-]?key[_-]?base|credentials?|(?:api|access|secret|private|auth|account|signing|encryption|master|session)[ _-]?key|connection[_-]?string";

/// Options whose value is a secret, without the dashes; those that name a file or a stream end otherwise.
const OPTIONS: &str = r"(?:[a-z]+-)*(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|access-key|secret-key|auth-key|account-key|pat|otp)";

/// Programs whose `login` takes a password as `-p`.
const LOGINS: &str = r"(?:docker|podman|nerdctl|buildah|skopeo|crane|az|cf|oc|helm[ \t]+registry)";

/// Shapes that no word, path or hash has.
const SHAPES: &[&str] = &[
    // clouds
    r"A(?:KIA|SIA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"do[opr]_v1_[a-f0-9]{64}",
    r"dapi[a-f0-9]{32}",
    r"hvs\.[A-Za-z0-9_-]{20,}",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}",
    r"sbp_[a-f0-9]{40}",
    // forges and registries
    r"gh[opsur]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"gl(?:pat|ptt|dt|rt|cbt|ft|oas|soat|agent|imt)-[A-Za-z0-9_.-]{16,}",
    r"ATATT3[A-Za-z0-9_=-]{20,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[A-Za-z0-9_-]{40,}",
    r"cio[A-Za-z0-9]{32}",
    r"dckr_pat_[A-Za-z0-9_-]{20,}",
    r"rubygems_[a-f0-9]{40,}",
    // models
    r"sk-(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20,}",
    r"sk-(?:[A-Za-z]+-)*[A-Za-z0-9_]*[0-9][A-Za-z0-9_-]{16,}",
    r"gsk_[A-Za-z0-9]{30,}",
    r"xai-[A-Za-z0-9]{30,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"r8_[A-Za-z0-9]{30,}",
    r"pplx-[A-Za-z0-9]{30,}",
    // services
    r"xox[abceoprs]-[A-Za-z0-9-]{10,}",
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"hooks\.slack\.com/services/T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]+",
    r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}",
    r"whsec_[A-Za-z0-9]{24,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"SK[a-f0-9]{32}",
    r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
    r"lin_api_[A-Za-z0-9]{30,}",
    r"ntn_[A-Za-z0-9]{40,}",
    r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
    r"NRAK-[A-Z0-9]{27}",
    r"glsa_[A-Za-z0-9_]{30,}",
    r"sntry[su]_[A-Za-z0-9+/=_-]{20,}",
    r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    // signed claims
    r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
];

/// A block of a private key, as far as there is one: its lines, written out or with escaped ends.
const PRIVATE_KEY: &str = concat!(
    r"(?<secret>-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----",
    r"(?:\s|\\[nr]|(?:Proc-Type|DEK-Info|Version|Comment): [^\n]*)*[A-Za-z0-9+/=]{16,}(?:\s|\\[nr]|[A-Za-z0-9+/=]{16,})*",
    r"(?:(?:[A-Za-z0-9+/=]{1,64}(?:\s|\\[nr])*)?-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----)?)"
);

/// The rules, and all their patterns in one: hardly any text has a secret, and that is to be found out at once.
static RULES: LazyLock<(RegexSet, Vec<Rule>)> = LazyLock::new(|| {
    let rules: [(String, Judge, Judge); 9] = [
        (PRIVATE_KEY.to_owned(), |_| true, |_| true),
        (format!(r"(?-u:\b)(?<secret>{})", SHAPES.join("|")), |_| true, |_| true),
        // Authorization: Bearer …, and the scheme alone.
        (format!(r#"(?i)(?-u:\b)authorization\\?["']?\s*[:=]\s*\\?["']?(?:bearer|basic|token|apikey|digest|negotiate)\s+(?<secret>{BARE})"#), not_placeholder, told),
        (format!(r"(?i)(?-u:\b)bearer\s+(?<secret>{BARE})"), long, long),
        (r#"(?i)(?-u:\b)(?:set-)?cookie\\?["']?:\s*\\?["']?(?<secret>[A-Za-z0-9_.-]+=[^\n'"\\]+)"#.to_owned(), not_placeholder, mixed),
        // scheme://user:password@host, and a token in the place of the user.
        (r#"(?i)(?-u:\b)[a-z][a-z0-9+.-]*://(?:(?<user>[^\s/?#@:'"`]*):(?<secret>[^\s/?#'"`\[]+)@|(?<token>[^\s/?#@:'"`\[]{16,})@)"#.to_owned(), in_address, in_telling_address),
        (r"(?i)[?&](?:key|sig|signature|auth|code)=(?<secret>[^\s&#'\x22<>\[\]]{8,})".to_owned(), mixed, mixed),
        // --password x, curl -u user:x, mysql -px
        (
            format!(r#"(?i)(?:(?:^|[\s'"`(])--?{OPTIONS}(?:=|[ \t]+)|(?-u:\b)curl(?-u:\b)[^\n|;&]*?[ \t](?:-u|--user|-U|--proxy-user)[ =]?["']?[^\s:'"]+:|(?-u:\b)(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)(?-u:\b)[^\n|;&`]*?[ \t](?-i:-p)|(?-u:\b)(?:sshpass|{LOGINS}[ \t]+login)(?-u:\b)[^\n|;&`]*?[ \t](?-i:-p)[ \t]*|(?-u:\b)redis-cli(?-u:\b)[^\n|;&]*?[ \t]-a[ \t]+|[ \t]-pass(?:in|out)?[ \t]+pass:|[ \t]-[a-z]*(?:store|key)pass[ \t]+)(?:\\?["'](?<quoted>[^"'\n]+)|(?<secret>{BARE}))"#),
            not_placeholder,
            told,
        ),
        // NAME=…, "name": "…"
        (
            format!(
                r#"(?i)(?<opened>["'])?(?<name>[a-z0-9_.-]*(?:{NAMES})[0-9]*)(?<closed>\\?["'`])?\*{{0,2}}(?<operator>[ \t]*(?:=>|:=|=|:)[ \t]*|[ \t]+is[ \t]+)\*{{0,2}}[ \t]*(?:\\?["'`](?<quoted>[^"'`\\\n]+)|(?<secret>{BARE}))"#
            ),
            named,
            named_and_told,
        ),
    ];
    let compiled = rules.into_iter().filter_map(|(pattern, is_secret, is_secret_in_prose)| {
        Some(Rule { pattern: Regex::new(&pattern).ok()?, is_secret, is_secret_in_prose })
    });
    let compiled: Vec<Rule> = compiled.collect();
    let patterns = compiled.iter().map(|rule| rule.pattern.as_str());
    (RegexSet::new(patterns).unwrap_or_default(), compiled)
});

/// Compiles everything, so that the first failure is not answered late.
pub fn warm_up() {
    LazyLock::force(&RULES);
}

/// What programs take or say, with [`REDACTED`] in the place of everything that is surely a secret.
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    rules_for(text).fold(Cow::Borrowed(text), |text, rule| match applied(&rule.pattern, rule.is_secret, &text) {
        Some((changed, _)) => Cow::Owned(changed),
        None => text,
    })
}

/// Puts [`REDACTED`] in the place of everything in what somebody wrote down that is surely a secret; returns how many there were.
pub fn redact_prose(text: &mut String) -> usize {
    let mut count = 0;
    for rule in rules_for(text) {
        if let Some((changed, found)) = applied(&rule.pattern, rule.is_secret_in_prose, text) {
            *text = changed;
            count += found;
        }
    }
    count
}

/// As [`redact_prose`], of what stands under names, which tell secrets as well.
pub fn redact_attributes(attributes: &mut BTreeMap<String, String>) -> usize {
    let mut count = 0;
    for (name, value) in attributes {
        let start = format!("{name}=");
        let mut line = format!("{start}{value}");
        let found = redact_prose(&mut line);
        if found > 0 {
            *value = line.strip_prefix(&start).map_or_else(|| REDACTED.to_owned(), str::to_owned);
            count += found;
        }
    }
    count
}

/// As [`redact_prose`], of the tags and the source of a memory: an address may have a password.
pub fn redact_labels(tags: &mut [String], source: Option<&mut SourceRef>) -> usize {
    tags.iter_mut().chain(source.map(|source| &mut source.path)).map(redact_prose).sum()
}

/// The rules whose pattern is somewhere in a text.
fn rules_for(text: &str) -> impl Iterator<Item = &'static Rule> + use<> {
    let (patterns, rules) = &*RULES;
    patterns.matches(text).into_iter().filter_map(|at| rules.get(at))
}

/// Says that secrets were taken out of what somebody gave, and what to give instead; `None` when there were none.
#[must_use]
pub fn redaction_note(count: usize) -> Option<String> {
    let what = match count {
        0 => return None,
        1 => "a secret was".to_owned(),
        count => format!("{count} secrets were"),
    };
    Some(format!("{what} taken out: {REDACTED} stands there; write down where it is kept, not what it is"))
}

/// The text without what a pattern finds and a judge takes for secrets, and how many there were; `None` when there are none.
fn applied(pattern: &Regex, is_secret: Judge, text: &str) -> Option<(String, usize)> {
    let (mut kept, mut from, mut count) = (String::new(), 0, 0);
    for found in pattern.captures_iter(text).filter(is_secret) {
        let Some(secret) = secret(&found) else { continue };
        kept.push_str(text.get(from..secret.start())?);
        kept.push_str(REDACTED);
        from = secret.end();
        count += 1;
    }
    if count == 0 {
        return None;
    }
    kept.push_str(text.get(from..)?);
    Some((kept, count))
}

/// What is taken out, wherever the rule found it.
fn secret<'t>(found: &Captures<'t>) -> Option<regex::Match<'t>> {
    ["secret", "quoted", "token"].into_iter().find_map(|group| found.name(group))
}

fn not_placeholder(found: &Captures<'_>) -> bool {
    secret(found).is_some_and(|secret| !is_placeholder(secret.as_str()))
}

/// Whether it is given and not only talked of.
fn told(found: &Captures<'_>) -> bool {
    not_placeholder(found)
        && secret(found).is_some_and(|secret| {
            let secret = secret.as_str();
            !is_word(secret) && !is_known(secret) && !is_port(secret)
        })
}

fn mixed(found: &Captures<'_>) -> bool {
    secret(found).is_some_and(|secret| is_mixed(secret.as_str()))
}

fn long(found: &Captures<'_>) -> bool {
    secret(found).is_some_and(|secret| is_long(secret.as_str()))
}

fn in_address(found: &Captures<'_>) -> bool {
    match found.name("token") {
        Some(token) => is_long(token.as_str()),
        None => not_placeholder(found),
    }
}

/// Whether an address has a password, and not one that everybody knows.
fn in_telling_address(found: &Captures<'_>) -> bool {
    let user = found.name("user").map_or("", |user| user.as_str());
    in_address(found) && secret(found).is_some_and(|secret| secret.as_str() != user && !is_known(secret.as_str()))
}

fn named(found: &Captures<'_>) -> bool {
    let group = |name: &str| found.name(name).map_or("", |found| found.as_str());
    let named = Named {
        name: group("name"),
        // A quotation that ends in the name is no key, and in backquotes is what a sentence is about.
        is_key: !group("opened").is_empty() && group("closed").ends_with(group("opened")),
        operator: group("operator"),
        is_quoted: found.name("quoted").is_some(),
    };
    secret(found).is_some_and(|value| named.is_secret(value.as_str()))
}

fn named_and_told(found: &Captures<'_>) -> bool {
    named(found) && secret(found).is_some_and(|secret| !is_known(secret.as_str()) && !is_word(secret.as_str()))
}

#[cfg(test)]
mod tests;
