//! Ends and changes: of the very thing that is known, of another one, and one after the other.

use super::said;

#[test]
fn what_ended_of_another_thing_says_nothing_of_this_one() {
    for (known, new) in [
        (
            "The geo module depends on the proj crate",
            "The geo module no longer depends on the chrono crate",
        ),
        (
            "The trout app asks for location permission",
            "The trout app no longer asks for contacts permission",
        ),
        (
            "The atlas job emits metrics to statsd",
            "The atlas job doesn't emit metrics to graphite anymore",
        ),
        (
            "Admins see the audit tab",
            "Guests no longer see the audit tab",
        ),
        (
            "The public API of Tarn limits by address",
            "The admin API of Tarn no longer limits by address",
        ),
        (
            "Larkspur supports Python 3.12.",
            "Larkspur dropped support for Python 3.8.",
        ),
        ("网关会记录请求路径。", "网关不再记录请求体。"),
    ] {
        assert_eq!(said(known, new), "apart", "{known} | {new}");
    }
    let (known, new) = (
        "Mullein depends on the chrono crate for date handling.",
        "Mullein no longer depends on chrono.",
    );
    assert_eq!(said(known, new), "supersedes");
}

#[test]
fn what_holds_for_another_occasion_takes_no_place() {
    for (known, new, expected) in [
        (
            "The toad cron runs at 03:00 on weekdays",
            "The toad cron now runs at 05:00 on weekends",
            "apart",
        ),
        (
            "The gecko squad uses Jira for bugs",
            "The gecko squad switched from Jira to Linear for roadmaps",
            "contradicts",
        ),
        (
            "On day 1 the deploy hung at the health check",
            "On day 2 the deploy hung at the health check",
            "apart",
        ),
        (
            "The orders table is sharded by customer",
            "If load doubles, the orders table will be sharded by region instead of customer",
            "apart",
        ),
        (
            "The crawler uses Playwright",
            "Tom suggested Selenium instead of Playwright for the crawler",
            "apart",
        ),
        (
            "The admin UI is written in Svelte",
            "The admin UI is deployed on Netlify",
            "apart",
        ),
        (
            "The timeout of reports towards its storage is 107 ms",
            "The timeout of returns towards its storage is 913 ms",
            "apart",
        ),
        (
            "Deploys are frozen from 20 December to 4 January",
            "Deployments are frozen between 20 December and 4 January",
            "apart",
        ),
    ] {
        assert_eq!(said(known, new), expected, "{known} | {new}");
    }
}

#[test]
fn a_change_takes_the_place_of_the_change_before_it() {
    let now = |port: u32| format!("The kestrel relay now listens on port {port}");
    assert_eq!(said(&now(4001), &now(4002)), "supersedes");
}

#[test]
fn two_changes_of_the_same_thing_contradict() {
    let to = |what: &str| format!("We switched the billing web app from npm to {what}.");
    assert_eq!(said(&to("pnpm"), &to("Bun")), "contradicts");
}

#[test]
fn the_value_that_held_before_is_named_at_the_end() {
    for (known, new) in [
        (
            "The tax API client retries 3 times.",
            "The tax API client retries 5 times, it used to be 3.",
        ),
        (
            "Uploads time out after 60 s.",
            "Uploads time out after 90 s, up from 60.",
        ),
        (
            "CI runs on Ubuntu 22.04.",
            "CI runs on Ubuntu 24.04; before that it was 22.04",
        ),
        (
            "Sessions last 8 hours.",
            "Sessions last 12 hours (previously 8).",
        ),
        (
            "Die Sitzung dauert 8 Stunden.",
            "Die Sitzung dauert 12 Stunden, früher 8.",
        ),
    ] {
        assert_eq!(said(known, new), "supersedes", "{known} | {new}");
    }
    assert_eq!(
        said(
            "Releases go through Marta.",
            "Releases go through Jonas, formerly Marta."
        ),
        "contradicts"
    );
    for (known, new) in [
        (
            "The exporter retries 3 times.",
            "The importer retries 5 times, it used to be 3.",
        ),
        (
            "Staging sessions last 8 hours.",
            "Production sessions last 12 hours (previously 8).",
        ),
        (
            "Sessions last 8 hours.",
            "Carts last 12 hours (previously 8).",
        ),
        (
            "The LDAP client's connect timeout is 10 seconds.",
            "LDAP read timeout: 25 seconds (earlier: 10).",
        ),
    ] {
        assert_eq!(said(known, new), "apart", "{known} | {new}");
    }
}
