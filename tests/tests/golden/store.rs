//! `store`: what is stored, what is known, what is only like something known.

use serde_json::json;

use super::world::World;

const SHIM: &str = "The shim links nothing but rustix: libc start-up alone costs 300 µs.";

#[test]
fn a_memory_is_stored() {
    let mut world = World::with_corpus();
    world
        .project
        .write(
            "build.rs",
            "fn main() {\n    println!(\"cargo:rerun-if-changed=build.rs\");\n}\n",
        )
        .unwrap();
    world.say("store", json!({"topic": "build-gotchas", "text": SHIM}));
    world.say(
        "store",
        json!({
            "topic": "Build Gotchas!", "text": "gotcha: the release needs arm64.\nx86 fails at link time, silently.",
            "tags": "Builds, arm64", "source": "build.rs:2", "confidence": "0.85", "links": "hook-shim:0, proto-contract:1",
            "kind": "gotcha", "scope": "project", "importance": "0.9", "pinned": "true",
        }),
    );
    world.say(
        "read",
        json!({"topic": "build-gotchas", "match_str": "arm64"}),
    );
    world.say(
        "store",
        json!({"topic": "team", "text": "Prefers small commits.", "kind": "preference"}),
    );
    world.say(
        "store",
        json!({"topic": "team", "text": "Everybody reviews on Fridays.", "scope": "global"}),
    );
    world.say(
        "store",
        json!({"topic": "team", "text": "decision: ships on Mondays only.", "terse": "true"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn what_is_known_is_not_stored_again() {
    let mut world = World::empty();
    world.say("store", json!({"topic": "build-gotchas", "text": SHIM}));
    world.say("store", json!({"topic": "build-gotchas", "text": SHIM}));
    world.say("store", json!({"topic": "elsewhere", "text": SHIM}));
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": SHIM, "terse": true}),
    );
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": SHIM, "tags": "newtag", "source": "a.rs:1", "terse": true}),
    );
    let like = SHIM.replace("nothing but", "nothing except");
    world.say("store", json!({"topic": "build-gotchas", "text": like}));
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": like, "terse": true}),
    );
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": like, "force": "true"}),
    );
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": "short text", "tags": ""}),
    );
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": "short texts"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn a_text_may_say_what_it_is() {
    let mut world = World::empty();
    world
        .project
        .write("src/kernels.rs", "fn main() {}\n")
        .unwrap();
    let text = "[tags: linker, arm64]\n**Gotcha:** the loader wants 64-byte alignment.\n\n[source: src/kernels.rs:1]\n[confidence: 0.85]";
    world.say("store", json!({"topic": "kernels", "text": text}));
    world.say(
        "store",
        json!({"topic": "kernels", "text": "- decision: Metal before CUDA.\n[links: kernels:0]"}),
    );
    world.say(
        "store",
        json!({"topic": "kernels", "text": "# How to: build the kernels\n[note: needs Xcode]\n[source: see the wiki]"}),
    );
    world.say("store", json!({"topic": "kernels", "text": "--fix: is an option of the linter.\n[tags: caches, APIs]", "tags": "devops"}));
    world.say("read", json!({"topic": "kernels"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn what_is_odd_is_noted() {
    let mut world = World::with_corpus();
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": "Needs a linker.", "links": "no-such-topic:3 hook-shim:99 hook-shim hook-shim:0"}),
    );
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": "About a file that is not there.", "source": "src/gone.rs:7"}),
    );
    world.say(
        "store",
        json!({"topic": "build-gotchas", "text": "Hidden\u{202e} and \u{1b}[31mcoloured\u{7}."}),
    );
    world.say("store", json!({"topic": 42, "text": true}));
    insta::assert_snapshot!(world.told());
}
