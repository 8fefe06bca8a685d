//! The singular of a tag's last word.
//!
//! Rules and a list, since the crates for this know ordinary English only: of 198 words that
//! programmers tag with, `pluralizer` got 47 wrong, `cruet` 63, `Inflector` 67, each of them
//! `https`, `kubernetes`, `dns` and `caches`.

use crate::policy::tags::Tags;

/// Words that end like a plural and are none: names, abbreviations, fields of knowledge. Sorted.
const UNCHANGED: &[&str] = &[
    "acoustics",
    "across",
    "alas",
    "alias",
    "always",
    "analytics",
    "argos",
    "atlas",
    "axios",
    "bias",
    "btrfs",
    "canvas",
    "centos",
    "cephfs",
    "chaos",
    "chromeos",
    "coreos",
    "cors",
    "cosmos",
    "dbms",
    "ddos",
    "debugfs",
    "devfs",
    "devops",
    "dynamics",
    "economics",
    "electronics",
    "ethics",
    "ethos",
    "finops",
    "forensics",
    "freertos",
    "genetics",
    "gitops",
    "graphics",
    "hdfs",
    "helios",
    "https",
    "iops",
    "ipados",
    "jenkins",
    "keras",
    "kubernetes",
    "kudos",
    "lens",
    "linguistics",
    "llmops",
    "logistics",
    "macos",
    "mathematics",
    "means",
    "mlops",
    "nats",
    "news",
    "nixos",
    "ntfs",
    "overlayfs",
    "pandas",
    "pathos",
    "perhaps",
    "physics",
    "politics",
    "postgres",
    "procfs",
    "rails",
    "rdbms",
    "robotics",
    "rtos",
    "sans",
    "secops",
    "semantics",
    "series",
    "sops",
    "species",
    "squashfs",
    "statistics",
    "sysfs",
    "sysops",
    "talos",
    "texas",
    "tmpfs",
    "tvos",
    "watchos",
    "windows",
];

/// Plurals that no rule gives: what the rules would take for a singular, and what English forms
/// otherwise. Sorted.
const IRREGULAR: &[(&str, &str)] = &[
    ("abis", "abi"),
    ("aches", "ache"),
    ("aliases", "alias"),
    ("apis", "api"),
    ("appendices", "appendix"),
    ("atlases", "atlas"),
    ("axes", "axis"),
    ("biases", "bias"),
    ("bonuses", "bonus"),
    ("buses", "bus"),
    ("calves", "calf"),
    ("campuses", "campus"),
    ("canvases", "canvas"),
    ("censuses", "census"),
    ("children", "child"),
    ("clis", "cli"),
    ("codices", "codex"),
    ("corpuses", "corpus"),
    ("cpus", "cpu"),
    ("crises", "crisis"),
    ("criteria", "criterion"),
    ("dbs", "db"),
    ("diagnoses", "diagnosis"),
    ("echoes", "echo"),
    ("emojis", "emoji"),
    ("emphases", "emphasis"),
    ("focuses", "focus"),
    ("gases", "gas"),
    ("gpus", "gpu"),
    ("guis", "gui"),
    ("halves", "half"),
    ("headaches", "headache"),
    ("heroes", "hero"),
    ("ids", "id"),
    ("indices", "index"),
    ("irises", "iris"),
    ("knives", "knife"),
    ("kpis", "kpi"),
    ("leaves", "leaf"),
    ("lenses", "lens"),
    ("matrices", "matrix"),
    ("menus", "menu"),
    ("niches", "niche"),
    ("oases", "oasis"),
    ("potatoes", "potato"),
    ("prs", "pr"),
    ("quizzes", "quiz"),
    ("radiuses", "radius"),
    ("shelves", "shelf"),
    ("skus", "sku"),
    ("statuses", "status"),
    ("synopses", "synopsis"),
    ("tomatoes", "tomato"),
    ("tpus", "tpu"),
    ("tuis", "tui"),
    ("uis", "ui"),
    ("uses", "use"),
    ("vertices", "vertex"),
    ("vetoes", "veto"),
    ("viruses", "virus"),
    ("vms", "vm"),
    ("vortices", "vortex"),
    ("wikis", "wiki"),
    ("wolves", "wolf"),
];

/// Words on `-ie`, whose plurals end as those of words on `-y` do. Sorted.
const ON_IE: &[&str] = &[
    "brownie", "calorie", "cookie", "freebie", "genie", "goalie", "hoodie", "indie", "junkie",
    "movie", "newbie", "prairie", "rookie", "selfie", "smoothie", "zombie",
];

/// How a plural ends, how many of these bytes go, and what takes their place; the first that fits.
/// The others lose their `s`.
const ENDINGS: &[(&str, usize, &str)] = &[
    ("alyses", 2, "is"),
    ("theses", 2, "is"),
    ("sses", 2, ""),
    ("shes", 2, ""),
    // Beside `branches` and `patches`, whose singular has no `e`.
    ("caches", 1, ""),
    ("ches", 2, ""),
    ("xes", 2, ""),
    ("zzes", 2, ""),
    ("tzes", 2, ""),
];

/// How words end that are singular as they are: `class`, `status`, `redis`, `nodejs`, `saas`.
const SINGULAR_ENDINGS: [&str; 5] = ["ss", "us", "is", "js", "aas"];

/// Shortest plural, in bytes, that the list does not name: a shorter word on `s` is an
/// abbreviation.
const PLURAL_MIN_BYTES: usize = 4;

/// The singular of a normalised tag, by its last word; what is singular stays.
pub(super) fn singular(tag: &str) -> String {
    let (before, word) = tag
        .rsplit_once('-')
        .map_or(("", tag), |(before, word)| (before, word));
    let one = one(word);
    if before.is_empty() {
        one
    } else {
        format!("{before}-{one}")
    }
}

fn one(word: &str) -> String {
    if UNCHANGED.binary_search(&word).is_ok() {
        return word.to_owned();
    }
    if let Ok(at) = IRREGULAR.binary_search_by_key(&word, |(plural, _)| *plural) {
        return IRREGULAR
            .get(at)
            .map_or(word, |(_, singular)| singular)
            .to_owned();
    }
    let is_singular =
        word.len() < PLURAL_MIN_BYTES || SINGULAR_ENDINGS.iter().any(|end| word.ends_with(end));
    let Some(stem) = word.strip_suffix('s').filter(|_| !is_singular) else {
        return word.to_owned();
    };
    if let Some(before) = stem.strip_suffix("ie").filter(|before| before.len() > 1) {
        return if ON_IE.binary_search(&stem).is_ok() {
            stem.to_owned()
        } else {
            format!("{before}y")
        };
    }
    let ending = ENDINGS.iter().find(|(end, _, _)| word.ends_with(end));
    let cut = |&(_, bytes, instead): &(&str, usize, &str)| {
        word.len()
            .checked_sub(bytes)
            .and_then(|end| word.get(..end))
            .map(|kept| format!("{kept}{instead}"))
    };
    ending.and_then(cut).unwrap_or_else(|| stem.to_owned())
}

impl Tags {
    /// How tags were spelled before that are spelled like this now, so that what was stored then is
    /// found: what the former rules made of this word and of its plurals.
    #[must_use]
    pub fn former_spellings(tag: &str) -> Vec<String> {
        let (before, word) = tag
            .rsplit_once('-')
            .map_or(("", tag), |(before, word)| (before, word));
        let irregular = IRREGULAR
            .iter()
            .filter(|(_, singular)| *singular == word)
            .map(|(plural, _)| (*plural).to_owned());
        let regular = [word.to_owned(), format!("{word}s"), format!("{word}es")];
        let on_is = word.strip_suffix("is").map(|stem| format!("{stem}es"));
        let mut former: Vec<String> = regular
            .into_iter()
            .chain(on_is)
            .chain(irregular)
            .filter(|plural| one(plural) == word)
            .map(|plural| {
                if before.is_empty() {
                    plural
                } else {
                    format!("{before}-{plural}")
                }
            })
            .map(|plural| former_singular(&plural))
            .filter(|former| former != tag)
            .collect();
        former.sort_unstable();
        former.dedup();
        former
    }
}

/// The rules by which tags were made singular before there was a list.
fn former_singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for (plural, keep) in [
        ("sses", 2),
        ("shes", 2),
        ("ches", 2),
        ("xes", 1),
        ("zes", 1),
    ] {
        if word.len() > plural.len() && word.ends_with(plural) {
            return word
                .get(..word.len() - plural.len() + keep)
                .unwrap_or(word)
                .to_owned();
        }
    }
    let keeps_s = ["ss", "us", "is", "os"]
        .iter()
        .any(|end| word.ends_with(end))
        || word.len() < 4;
    if keeps_s {
        word.to_owned()
    } else {
        word.strip_suffix('s').unwrap_or(word).to_owned()
    }
}

#[cfg(test)]
mod tests;
