#![allow(clippy::unwrap_used)]
mod ended;

use super::*;

fn verdict(known: &str, new: &str) -> Verdict {
    relate(&Statement::of(known), &Statement::of(new))
}

#[test]
fn every_pattern_compiles() {
    Rules::read().unwrap();
    claims::read().unwrap();
}

#[test]
fn what_ended_is_superseded() {
    for (known, new) in [
        (
            "the build uses npm",
            "we switched from npm to pnpm for the build",
        ),
        (
            "Use npm for the web app",
            "The web app uses pnpm instead of npm",
        ),
        (
            "Deploy the billing web app with Capistrano",
            "Capistrano is gone: the billing web app is deployed with Kamal",
        ),
    ] {
        assert_eq!(
            verdict(known, new),
            Verdict::Supersedes(Why::Ended),
            "{new}"
        );
    }
    assert_eq!(
        verdict("api runs on port 3000", "api now runs on port 4000"),
        Verdict::Supersedes(Why::Number)
    );
}

#[test]
fn two_values_without_a_word_of_change_contradict() {
    assert_eq!(
        verdict("billing listens on 8081", "billing listens on 8082"),
        Verdict::Contradicts(Why::Number)
    );
    assert_eq!(
        verdict("payments is owned by Priya", "payments is owned by Omar"),
        Verdict::Contradicts(Why::Value)
    );
}

#[test]
fn claims_about_one_thing_contradict_in_any_order_of_words() {
    for (known, new) in [
        (
            "Saoirse is the product owner of the seat map.",
            "The seat map's product owner is Emeka.",
        ),
        (
            "search is owned by team Falcon",
            "search is owned by team Heron",
        ),
        (
            "The ledger service is owned by @priya",
            "The ledger service is owned by @omar",
        ),
        (
            "The nightly backup runs at 02:00",
            "The nightly backup runs at 04:30",
        ),
        (
            "The cleanup cron is 0 2 * * *",
            "The cleanup cron is 30 4 * * *",
        ),
        (
            "The release train leaves on Tuesdays",
            "The release train leaves on Thursdays",
        ),
        (
            "Thicket stores its documents in MongoDB.",
            "Thicket's documents are stored in CouchDB.",
        ),
        ("门禁固件的负责人是孙磊。", "门禁固件由赵倩负责。"),
    ] {
        let found = verdict(known, new);
        assert!(matches!(found, Verdict::Contradicts(_)), "{found:?}: {new}");
    }
}

#[test]
fn what_ended_is_named_in_many_ways() {
    for (known, new) in [
        (
            "The web team uses npm",
            "The web team doesn't use npm, they use pnpm",
        ),
        (
            "The metrics stack runs on Graphite",
            "We migrated the metrics stack from Graphite to Prometheus",
        ),
        (
            "The gateway uses nginx",
            "nginx was deprecated in favour of Envoy in the gateway",
        ),
        (
            "Das Lager nutzt Redis als Cache",
            "Das Lager nutzt nicht mehr Redis, sondern Valkey als Cache",
        ),
        (
            "Die Buchhaltung läuft auf Java 11",
            "Die Buchhaltung läuft jetzt auf Java 21",
        ),
        (
            "Die Suche nutzt Solr",
            "Die Suche nutzt jetzt Elasticsearch statt Solr",
        ),
        (
            "Die Suche nutzt Solr",
            "In der Suche wurde Solr durch Elasticsearch ersetzt",
        ),
        (
            "支付服务使用 RabbitMQ 作为消息队列",
            "支付服务不再使用 RabbitMQ，而是使用 Kafka",
        ),
        ("前端使用 Webpack 打包", "前端打包从 Webpack 迁移到 Vite"),
        ("订单服务用 MySQL 存储", "订单服务改用 PostgreSQL 存储"),
    ] {
        let found = verdict(known, new);
        assert!(matches!(found, Verdict::Supersedes(_)), "{found:?}: {new}");
    }
}

#[test]
fn the_same_form_about_another_thing_stands_apart() {
    for (known, new) in [
        (
            "The web team uses npm",
            "The mobile team doesn't use npm, they use pnpm",
        ),
        (
            "billing runs on MySQL",
            "search runs on Postgres, not MySQL",
        ),
        (
            "The nightly backup runs at 02:00",
            "The weekly report runs at 04:30",
        ),
        (
            "search is owned by team Falcon",
            "billing is owned by team Heron",
        ),
        (
            "The staging gateway uses nginx",
            "nginx was deprecated in favour of Envoy in the production gateway",
        ),
        (
            "billing listens on port 8081",
            "billing exposes metrics on port 9090",
        ),
        (
            "Invoices in Larch are numbered per year.",
            "Credit notes in Larch are not numbered per year but continuously.",
        ),
    ] {
        assert_eq!(verdict(known, new), Verdict::Apart, "{new}");
    }
}

#[test]
fn other_subjects_stand_apart() {
    for (known, new) in [
        ("billing listens on 8081", "search listens on 8082"),
        (
            "The search web app is built with npm.",
            "We switched the billing web app from npm to pnpm.",
        ),
        (
            "The Tromsø rack's NTP source is 10.8.0.1.",
            "After the move of the Bergen rack the NTP source of the tide gauges is 10.9.0.1, not 10.8.0.1 anymore.",
        ),
        (
            "The invoice-renderer service listens on port 8301.",
            "The invoice-mailer service listens on port 8302.",
        ),
        (
            "We chose Flutter for the gym app.",
            "The gym app no longer collects the advertising id.",
        ),
    ] {
        assert_eq!(verdict(known, new), Verdict::Apart, "{new}");
    }
}

#[test]
fn a_text_with_more_extends() {
    assert_eq!(
        verdict(
            "Priya maintains the speech frontend",
            "Priya maintains the speech frontend since March, and Lorenzo is her stand-in"
        ),
        Verdict::Extends
    );
}

#[test]
fn another_number_or_place_of_the_subject_is_another_subject() {
    for (known, new) in [
        (
            "The v1 endpoint is deprecated",
            "The v2 endpoint is not deprecated",
        ),
        ("ABC-1 is fixed", "ABC-2 is not fixed"),
        (
            "404 means the tenant is unknown",
            "500 means the tenant is broken",
        ),
        ("Deploy 1 failed", "Deploy 2 failed"),
        (
            "In staging the gateway listens on 9001",
            "In production the gateway listens on 9002",
        ),
        (
            "A password has at least 12 characters",
            "A password has at most 128 characters",
        ),
        ("测试环境的端口是 8080", "生产环境的端口是 8081"),
    ] {
        assert_eq!(verdict(known, new), Verdict::Apart, "{new}");
    }
}

#[test]
fn a_number_that_is_named_as_gone_is_no_other_subject() {
    assert_eq!(
        verdict(
            "The Java 17 image is the base of the importer",
            "The base of the importer moved from the Java 17 image to the Java 21 image"
        ),
        Verdict::Supersedes(Why::Ended)
    );
}

#[test]
fn what_was_replaced_and_is_said_again_contradicts() {
    for (known, new) in [
        (
            "We switched the billing web app from npm to pnpm",
            "The billing web app is built with npm",
        ),
        (
            "The gateway uses Envoy instead of nginx",
            "The gateway uses nginx",
        ),
        ("Das Archiv nutzt Ceph statt NFS", "Das Archiv nutzt NFS"),
    ] {
        assert_eq!(
            verdict(known, new),
            Verdict::Contradicts(Why::Again),
            "{new}"
        );
    }
    assert_eq!(
        verdict(
            "The gateway uses Envoy instead of nginx",
            "The gateway now uses nginx"
        ),
        Verdict::Supersedes(Why::Again)
    );
    assert_eq!(
        verdict(
            "The gateway uses Envoy instead of nginx",
            "nginx was dropped in the gateway"
        ),
        Verdict::Apart
    );
}

#[test]
fn words_of_change_decide_between_two_values() {
    for (known, new) in [
        (
            "The gateway listens on 9001",
            "The gateway now listens on 9002",
        ),
        (
            "Sessions last 30 minutes",
            "Sessions last 60 minutes since today",
        ),
        ("We lint with flake8", "We switched from flake8 to ruff"),
        (
            "Wir testen mit Mocha",
            "Wir sind von Mocha auf Vitest umgestiegen",
        ),
        ("消息队列使用 RabbitMQ", "消息队列用 Kafka 代替 RabbitMQ"),
    ] {
        let found = verdict(known, new);
        assert!(matches!(found, Verdict::Supersedes(_)), "{found:?}: {new}");
    }
    assert_eq!(
        verdict(
            "The gateway listens on 9001",
            "The gateway now exposes its metrics on 9100"
        ),
        Verdict::Apart
    );
}

#[test]
fn a_text_that_departs_has_a_word_of_it() {
    let rules = rules::rules().unwrap();
    for text in [
        "We moved from npm to pnpm",
        "npm was replaced by pnpm",
        "Logs used to go to Splunk, now to Loki",
        "Die Suche nutzt Elasticsearch statt Solr",
        "缓存用 Redis 代替 Memcached",
        "We don't use npm, we use pnpm",
        "The pager rotation isn't weekly anymore",
        "Die Suche zog vom Keller nach oben um",
        "Das ist kein REST mehr",
    ] {
        let found = rules.departures(text, &text.to_lowercase());
        assert!(!found.is_empty(), "{text}");
    }
}

#[test]
fn that_another_value_no_longer_holds_contradicts_nothing() {
    for (known, new) in [
        (
            "The audit service listens on port 7002",
            "The audit service no longer listens on port 7001",
        ),
        (
            "The frontend uses React 18",
            "The frontend no longer uses React 16",
        ),
        (
            "The index uses version 2.4",
            "The index no longer uses version 1.9",
        ),
        (
            "The report job runs on host a1",
            "The report job no longer runs on host b2",
        ),
    ] {
        assert_eq!(verdict(known, new), Verdict::Apart, "{new}");
    }
    assert_eq!(
        verdict(
            "The audit service listens on port 7001",
            "The audit service no longer listens on port 7001, but on port 7002",
        ),
        Verdict::Supersedes(Why::Ended)
    );
}

/// The name of a verdict, whatever its reason.
fn said(known: &str, new: &str) -> &'static str {
    match verdict(known, new) {
        Verdict::Supersedes(_) => "supersedes",
        Verdict::Contradicts(_) => "contradicts",
        Verdict::Extends => "extends",
        Verdict::Apart => "apart",
    }
}

#[test]
fn a_version_that_is_needed_is_a_value() {
    for (known, new, expected) in [
        (
            "The site requires Node 18.",
            "The site requires Node 22.",
            "contradicts",
        ),
        ("Requires Node 18", "Requires Node 22", "contradicts"),
        (
            "Python 3.11 is required.",
            "Python 3.13 is required.",
            "contradicts",
        ),
        ("站点需要 Node 18。", "站点需要 Node 22。", "contradicts"),
        (
            "Node 3 holds the index.",
            "Node 4 holds the index.",
            "apart",
        ),
        ("Gadget 7 needs part 7.", "Gadget 8 needs part 8.", "apart"),
        (
            "Redis 6 drops idle clients.",
            "Redis 7 keeps idle clients.",
            "apart",
        ),
        (
            "Worker A uses 4 threads.",
            "Worker B uses 8 threads.",
            "apart",
        ),
    ] {
        assert_eq!(said(known, new), expected, "{known} | {new}");
    }
}

#[test]
fn a_sentence_that_is_only_turned_round_contradicts() {
    for (known, new, expected) in [
        (
            "We never ship on Fridays.",
            "We ship on Fridays, too.",
            "contradicts",
        ),
        (
            "Don't squash merges.",
            "Always squash merges.",
            "contradicts",
        ),
        ("Don't use Redis.", "Use Redis.", "contradicts"),
        (
            "Never push to main.",
            "Pushing to main is fine.",
            "contradicts",
        ),
        (
            "Niemals auf main pushen.",
            "Immer auf main pushen.",
            "contradicts",
        ),
        ("我们从不在周五上线。", "我们周五也上线。", "contradicts"),
        (
            "The parser accepts tabs.",
            "The parser rejects tabs.",
            "contradicts",
        ),
        ("Don't squash merges.", "Always squash fixups.", "apart"),
        (
            "We never ship on Fridays.",
            "We ship on Mondays, too.",
            "apart",
        ),
    ] {
        assert_eq!(said(known, new), expected, "{known} | {new}");
    }
}

#[test]
fn a_text_contradicts_nothing_that_says_the_same() {
    for text in [
        "Errors tell the model what to do next, in one sentence, and never quote a memory's text.",
        "Use pnpm, not npm.",
        "The exporter writes not CSV but Parquet files.",
        "The poller doesn't run on port 4000.",
        "Never deploy on Fridays.",
        "Die API ist kein REST mehr, sondern GraphQL.",
    ] {
        let found = verdict(text, text);
        assert!(
            !matches!(found, Verdict::Contradicts(_) | Verdict::Supersedes(_)),
            "{found:?}: {text}"
        );
    }
}

#[test]
fn a_value_that_names_the_known_one_as_wrong_takes_its_place() {
    for (known, new, expected) in [
        ("Use npm.", "Use pnpm, not npm.", "supersedes"),
        (
            "billing runs on MySQL",
            "billing runs on Postgres, not MySQL",
            "supersedes",
        ),
        (
            "The exporter writes CSV files",
            "The exporter writes not CSV but Parquet files",
            "supersedes",
        ),
        (
            "The API is REST.",
            "The API is GraphQL, not REST.",
            "supersedes",
        ),
        (
            "The host is Heroku.",
            "The host is not Heroku but Fly.",
            "supersedes",
        ),
        (
            "Die API ist REST.",
            "Die API ist kein REST mehr, sondern GraphQL.",
            "supersedes",
        ),
        // More than that value is another: somebody decides.
        (
            "Use npm.",
            "Use pnpm, not npm, in the docs folder.",
            "contradicts",
        ),
        (
            "The cache is Redis.",
            "The session cache is Memcached, not Redis.",
            "contradicts",
        ),
        (
            "The API is REST.",
            "The internal API is no longer REST but gRPC.",
            "contradicts",
        ),
        // It names what nobody said, or of another thing.
        ("Use npm.", "Use pnpm, not yarn.", "apart"),
        (
            "Reports go to S3.",
            "Thumbnails no longer go to S3.",
            "apart",
        ),
    ] {
        assert_eq!(said(known, new), expected, "{known} | {new}");
    }
}

#[test]
fn a_number_of_another_sort_or_that_is_denied_contradicts_nothing() {
    for (known, new) in [
        (
            "ledger API listens on 8081",
            "ledger admin API listens on 8082",
        ),
        (
            "users database is backed up at 02:00",
            "events database is backed up at 03:00",
        ),
        (
            "The mailer does not listen on 7001.",
            "The mailer listens on 7002.",
        ),
        ("前端构建需要 Node 18。", "后端构建需要 Node 22。"),
        (
            "The poller doesn't run on port 4000.",
            "The poller runs on Linux.",
        ),
    ] {
        assert_eq!(verdict(known, new), Verdict::Apart, "{known} | {new}");
        assert_eq!(verdict(new, known), Verdict::Apart, "{new} | {known}");
    }
}

#[test]
fn advice_for_a_thing_contradicts_advice_against_it() {
    let avoid = "Avoid anyhow for errors in libraries";
    let prefer = "Prefer anyhow for errors in libraries";
    for (known, new) in [(avoid, prefer), (prefer, avoid)] {
        assert_eq!(verdict(known, new), Verdict::Contradicts(Why::Negation));
    }
    let elsewhere = "Prefer anyhow for errors in binaries";
    assert_eq!(verdict(avoid, elsewhere), Verdict::Apart);
}

#[test]
fn a_version_that_is_supported_stands_beside_others() {
    let verdict =
        |one: &str, other: &str| verdict(&one.replace('N', "3.9"), &other.replace('N', "3.12"));
    let many = "The client supports Python N";
    assert_eq!(verdict(many, many), Verdict::Apart);
    let only = "The client supports only Python N";
    assert_eq!(verdict(only, only), Verdict::Contradicts(Why::Number));
}

#[test]
fn what_stands_before_a_claim_or_names_it_alone_hides_nothing() {
    for (known, new, expected) in [
        (
            "decision: sessions are kept in Redis",
            "decision: sessions are kept in Postgres instead of Redis since the Redis outage",
            "supersedes",
        ),
        (
            "Anna Berg is the owner of the search service",
            "Since October Omar Diallo is the owner of the search service",
            "contradicts",
        ),
        (
            "Deploys to production happen on Fridays",
            "Actually, deploys to production happen on Tuesdays now",
            "supersedes",
        ),
        (
            "The project is licensed under MIT",
            "The project is licensed under Apache-2.0",
            "contradicts",
        ),
        (
            "Package manager: npm",
            "Package manager: pnpm",
            "contradicts",
        ),
        (
            "Zoe is the security lead",
            "Zoe has left; Finn is the security lead",
            "contradicts",
        ),
    ] {
        assert_eq!(said(known, new), expected, "{known} | {new}");
    }
}
