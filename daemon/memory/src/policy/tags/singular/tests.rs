use super::*;

/// Words that programmers tag with, and how they are spelled.
const WORDS: &str = "\
    caches:cache https:https news:news kubernetes:kubernetes postgres:postgres series:series lens:lens \
    devops:devops movies:movie aliases:alias statuses:status buses:bus indices:index analyses:analysis axes:axis \
    apis:api gotchas:gotcha entries:entry classes:class boxes:box patches:patch macos:macos ios:ios css:css \
    nextjs:nextjs aws:aws dns:dns os:os sass:sass redis:redis docs:doc tests:test benchmarks:benchmark \
    queries:query dependencies:dependency policies:policy hooks:hook issues:issue releases:release \
    databases:database branches:branch processes:process addresses:address matrices:matrix vertices:vertex \
    hashes:hash crashes:crash indexes:index mutexes:mutex regexes:regex fixes:fix suffixes:suffix sizes:size \
    responses:response licenses:license services:service interfaces:interface namespaces:namespace \
    pipelines:pipeline types:type messages:message images:image languages:language batches:batch searches:search \
    switches:switch zombies:zombie cookies:cookie proxies:proxy retries:retry libraries:library binaries:binary \
    registries:registry keys:key arrays:array access:access status:status alias:alias canvas:canvas \
    analysis:analysis basis:basis bias:bias chaos:chaos corpus:corpus focus:focus kudos:kudos todos:todo \
    repos:repo macros:macro demos:demo heroes:hero metrics:metric analytics:analytics graphics:graphics \
    basics:basic ops:ops mlops:mlops tls:tls nfs:nfs always:always windows:windows args:arg structs:struct \
    traits:trait generics:generic leaves:leaf schemas:schema data:data children:child jenkins:jenkins \
    nodejs:nodejs rails:rails pandas:pandas gps:gps less:less cases:case bases:base uses:use causes:cause \
    biases:bias lenses:lens niches:niche quizzes:quiz crises:crisis hypotheses:hypothesis parentheses:parenthesis \
    bytes:byte ties:tie species:species jwts:jwt urls:url ids:id vms:vm prs:pr cpus:cpu gpus:gpu crates:crate \
    threads:thread locks:lock races:race traces:trace resources:resource features:feature phases:phase codes:code \
    nodes:node archives:archive waves:wave devices:device cors:cors refs:ref diffs:diff tmpfs:tmpfs saas:saas \
    replicas:replica stops:stop loops:loop prometheus:prometheus subcaches:subcache http-caches:http-cache \
    rest-apis:rest-api dns-series:dns-series error-boundaries:error-boundary";

fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    WORDS
        .split_whitespace()
        .filter_map(|pair| pair.split_once(':'))
}

#[test]
fn plurals_lose_their_ending_and_names_keep_theirs() {
    let wrong: Vec<String> = words()
        .filter(|(word, wanted)| singular(word) != *wanted)
        .map(|(word, wanted)| format!("{word}: {} and not {wanted}", singular(word)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn what_is_singular_stays_so() {
    let listed = UNCHANGED
        .iter()
        .copied()
        .chain(IRREGULAR.iter().map(|(_, one)| *one))
        .chain(ON_IE.iter().copied());
    for word in words().map(|(_, one)| one).chain(listed) {
        assert_eq!(singular(word), word);
    }
}

#[test]
fn every_word_is_found_under_its_former_spelling() {
    for (word, wanted) in words() {
        let former = former_singular(word);
        assert!(
            former == wanted || Tags::former_spellings(wanted).contains(&former),
            "{word}: {former}"
        );
    }
    assert_eq!(Tags::former_spellings("cache"), ["cach"]);
    assert_eq!(Tags::former_spellings("http-cache"), ["http-cach"]);
    assert_eq!(Tags::former_spellings("gotcha"), [] as [&str; 0]);
    assert_eq!(
        Tags::former_spellings("http"),
        [] as [&str; 0],
        "which is not https"
    );
}

#[test]
fn lists_are_sorted() {
    assert!(UNCHANGED.is_sorted() && ON_IE.is_sorted());
    assert!(IRREGULAR.is_sorted_by_key(|(plural, _)| *plural));
}
