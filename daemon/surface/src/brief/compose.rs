//! From selected memories to a brief: rank, merge, classify, focus, mark versions, chain, gather.

use std::collections::BTreeMap;

use helix_memory::{Handle, Memory, MemoryId, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::chains::{self, Member};
use super::classify::{beginning, category_of, is_stated, names_gap};
use super::standing::{QueryWords, Standing, consider};
use super::supersession::{self, Version};
use super::vocabulary::{COMPARED_MAX_BYTES, Vocabulary, Words};
use super::{
    Brief, Category, Chain, HOT_MAX, Input, Item, Linked, Mention, Section, Selected, TopicCount,
    duplicates, turns,
};

/// Fewest links of a chain after focus took some out.
const CHAIN_MIN: usize = 3;

/// Composes a brief.
#[must_use]
pub fn compose<'a>(input: &Input<'a>) -> Brief<'a> {
    let (weighed, left_out) = weigh(input);
    let mut entries = merge(&weighed, input.focus);
    let (vocabulary, words) = Vocabulary::read(
        entries
            .iter()
            .map(|entry| entry.mention.memory.text.as_str()),
    );
    let successors = mark_superseded(&mut entries, &words, vocabulary.len(), input.now);
    let threads = find_threads(&entries, &words, &vocabulary);
    let (is_compact, takes_turns) = (input.is_compact, input.query.is_empty());
    let mut brief = Brief {
        is_compact,
        takes_turns,
        focus: input.focus.to_vec(),
        ..Brief::default()
    };
    count(&mut brief, &entries, input, &left_out);
    let is_shown = |entry: &&Entry<'a>| is_in_focus(entry, input.focus);
    let living = entries
        .iter()
        .filter(is_shown)
        .map(|entry| entry.mention)
        .filter(|it| !it.is_superseded);
    let living: Vec<Mention<'a>> = living.collect();
    let hot = turns::places(&living, takes_turns, HOT_MAX).into_iter();
    brief.hot = hot.filter_map(|at| living.get(at).copied()).collect();
    let wants_gaps = input.focus.is_empty() || input.focus.contains(&Category::Gaps);
    brief.gaps = living
        .into_iter()
        .filter(|it| wants_gaps && names_gap(it.memory, it.category))
        .collect();
    brief.chains = chains_of(&entries, threads, input.focus);
    brief.linked = linked(input, &entries);
    brief.sections = sections(entries, &successors, input.focus);
    if input.is_compact {
        keep_hottest(&mut brief);
    }
    brief
}

/// Leaves the hottest alone.
fn keep_hottest(brief: &mut Brief<'_>) {
    let hot: FxHashSet<MemoryId> = brief.hot.iter().map(|mention| mention.memory.id).collect();
    for section in &mut brief.sections {
        let all = section.items.len();
        section
            .items
            .retain(|item| hot.contains(&item.mention.memory.id));
        brief.beyond += all - section.items.len();
    }
    brief.sections.retain(|section| !section.items.is_empty());
    brief.superseded = 0;
    brief.stale = brief.hot.iter().filter(|mention| mention.is_stale).count();
    brief.gaps.clear();
    brief.chains.clear();
    brief.linked.clear();
}

/// A selected memory and its heat.
struct Weighed<'a> {
    memory: &'a Memory,
    is_stale: bool,
    moved_to: Option<u32>,
    confidence: f32,
    is_disputed: bool,
    relevance: f32,
    heat: f32,
}

/// A memory to show, with its copies.
struct Entry<'a> {
    mention: Mention<'a>,
    copies: Vec<&'a Memory>,
}

/// The considered memories, hottest first, and those left out.
fn weigh<'a>(input: &Input<'a>) -> (Vec<Weighed<'a>>, Vec<Weighed<'a>>) {
    let query = QueryWords::of(input.query);
    // Of equals the newest comes first, whatever the order of the selection.
    let mut selected = input.selected.to_vec();
    selected.sort_by_key(|one| std::cmp::Reverse(one.memory.number));
    let standings = selected.into_iter().map(
        |Selected {
             memory,
             relevance,
             is_stale,
             moved_to,
             confidence,
             is_disputed,
         }| {
            let relevance = relevance.unwrap_or_else(|| query.relevance(memory));
            let standing = Standing::of(memory, relevance, is_stale);
            (
                Weighed {
                    memory,
                    is_stale,
                    moved_to,
                    confidence,
                    is_disputed,
                    relevance,
                    heat: standing.heat(input.now),
                },
                standing,
            )
        },
    );
    consider(standings, input.now)
}

/// Merges identical memories into the most relevant of them, the hottest of equals.
fn merge<'a>(weighed: &[Weighed<'a>], focus: &[Category]) -> Vec<Entry<'a>> {
    let groups = duplicates::groups(weighed.iter().map(|one| one.memory.text.as_str()));
    let mut entries: Vec<Entry<'a>> = groups
        .into_iter()
        .filter_map(|group| {
            let copies: Vec<&Weighed<'a>> =
                group.into_iter().filter_map(|at| weighed.get(at)).collect();
            let kept = copies
                .iter()
                .rev()
                .max_by(|a, b| a.relevance.total_cmp(&b.relevance))
                .copied()?;
            let category =
                category_of_group(kept.memory, copies.iter().map(|copy| copy.memory), focus);
            Some(Entry {
                mention: Mention {
                    memory: kept.memory,
                    category,
                    heat: kept.heat,
                    is_stale: kept.is_stale,
                    moved_to: kept.moved_to,
                    is_superseded: false,
                    faded: kept.confidence,
                    is_disputed: kept.is_disputed,
                },
                copies: copies
                    .iter()
                    .filter(|copy| !std::ptr::eq(**copy, kept))
                    .map(|copy| copy.memory)
                    .collect(),
            })
        })
        .collect();
    entries.sort_by(|a, b| b.mention.heat.total_cmp(&a.mention.heat));
    entries
}

/// The category to show a memory under: one that names a gap is not lost when the focus is on gaps.
fn category_in(memory: &Memory, focus: &[Category]) -> Category {
    let category = category_of(memory);
    let is_other = !focus.is_empty() && !focus.contains(&category);
    if is_other && names_gap(memory, category) {
        Category::Gaps
    } else {
        category
    }
}

/// The category of memories that say the same: one that is in focus, else what tags or kind of one
/// of them say, of the kept one first.
fn category_of_group<'a>(
    kept: &'a Memory,
    copies: impl Iterator<Item = &'a Memory>,
    focus: &[Category],
) -> Category {
    let own = category_in(kept, focus);
    let mut others = copies.filter(|copy| !std::ptr::eq(*copy, kept));
    if focus.contains(&own) || (focus.is_empty() && is_stated(kept)) {
        return own;
    }
    if focus.is_empty() {
        return others
            .find(|copy| is_stated(copy))
            .map_or(own, |copy| category_in(copy, focus));
    }
    // Out of focus it does not matter which it is.
    others
        .map(|copy| category_in(copy, focus))
        .find(|category| focus.contains(category))
        .unwrap_or(own)
}

/// Marks entries that a newer one superseded. Returns for each the position of its successor. What
/// is dated later than `now` is of now: it supersedes nothing that was stored yesterday.
fn mark_superseded(
    entries: &mut [Entry<'_>],
    words: &[Words],
    vocabulary_len: usize,
    now: Timestamp,
) -> Vec<Option<usize>> {
    let versions: Vec<Version<'_>> = entries
        .iter()
        .zip(words)
        .map(|(entry, words)| {
            let memory = entry.mention.memory;
            let text = beginning(&memory.text, COMPARED_MAX_BYTES);
            Version {
                words: &words.by_rarity,
                text,
                valid_from: memory.valid_from.min(now),
            }
        })
        .collect();
    let successors = supersession::successors(&versions, vocabulary_len);
    for (entry, successor) in entries.iter_mut().zip(&successors) {
        entry.mention.is_superseded = successor.is_some();
    }
    successors
}

fn find_threads(
    entries: &[Entry<'_>],
    words: &[Words],
    vocabulary: &Vocabulary,
) -> Vec<chains::Thread> {
    let members: Vec<Member<'_>> = entries
        .iter()
        .zip(words)
        .map(|(entry, words)| {
            let memory = entry.mention.memory;
            Member {
                topic: &memory.topic,
                words,
                valid_from: memory.valid_from,
            }
        })
        .collect();
    chains::threads(&members, vocabulary)
}

fn is_in_focus(entry: &Entry<'_>, focus: &[Category]) -> bool {
    focus.is_empty() || focus.contains(&entry.mention.category)
}

/// Counts everything that was selected, once.
fn count<'a>(
    brief: &mut Brief<'a>,
    entries: &[Entry<'a>],
    input: &Input<'a>,
    left_out: &[Weighed<'a>],
) {
    let mut topics: BTreeMap<&'a str, TopicCount<'a>> = BTreeMap::new();
    let mut topic = |name: &'a str, add: fn(&mut TopicCount<'a>, usize), count: usize| {
        add(
            topics.entry(name).or_insert(TopicCount {
                name,
                count: 0,
                left_out: 0,
                out_of_focus: 0,
            }),
            count,
        );
    };
    for entry in entries {
        let memories = || std::iter::once(entry.mention.memory).chain(entry.copies.iter().copied());
        if !is_in_focus(entry, input.focus) {
            brief.out_of_focus += 1 + entry.copies.len();
            memories().for_each(|memory| {
                topic(
                    memory.topic.as_str(),
                    |it, count| it.out_of_focus += count,
                    1,
                );
            });
            continue;
        }
        brief.merged += entry.copies.len();
        brief.superseded += usize::from(entry.mention.is_superseded);
        brief.stale += usize::from(entry.mention.is_stale);
        memories()
            .for_each(|memory| topic(memory.topic.as_str(), |it, count| it.count += count, 1));
    }
    for one in left_out {
        topic(
            one.memory.topic.as_str(),
            |it, count| it.left_out += count,
            1,
        );
    }
    for &(name, count) in input.left_out {
        topic(name, |it, count| it.left_out += count, count);
    }
    let by_caller: usize = input.left_out.iter().map(|(_, count)| count).sum();
    brief.left_out = left_out.len() + by_caller;
    brief.total = input.selected.len() + by_caller;
    brief.topics = topics.into_values().collect();
    // What is left out may not be in focus at all.
    brief
        .topics
        .retain(|topic| input.focus.is_empty() || topic.count > 0);
    brief
        .topics
        .sort_by_key(|topic| std::cmp::Reverse(topic.count + topic.left_out));
}

fn chains_of<'a>(
    entries: &[Entry<'a>],
    threads: Vec<chains::Thread>,
    focus: &[Category],
) -> Vec<Chain<'a>> {
    let mut found: Vec<Chain<'a>> = Vec::new();
    for thread in threads {
        let members = thread.members.into_iter().filter_map(|at| entries.get(at));
        let links: Vec<Mention<'a>> = members
            .filter(|it| is_in_focus(it, focus))
            .map(|it| it.mention)
            .collect();
        if let (CHAIN_MIN.., Some(first)) = (links.len(), links.first()) {
            found.push(Chain {
                topic: first.memory.topic.as_str(),
                keyword: thread.keyword,
                links,
            });
        }
    }
    found.sort_by_key(|chain| std::cmp::Reverse(chain.links.len()));
    found
}

/// Lists the links of the memories in focus, without those selected themselves: first those that
/// most of them link to, then in the order of the links.
fn linked<'a>(input: &Input<'a>, entries: &[Entry<'a>]) -> Vec<Linked<'a>> {
    if input.linked.is_empty() {
        return Vec::new();
    }
    let in_focus = entries
        .iter()
        .filter(|entry| is_in_focus(entry, input.focus));
    let links = in_focus.flat_map(|entry| {
        let copies = std::iter::once(entry.mention.memory).chain(entry.copies.iter().copied());
        copies
            .flat_map(|memory| &memory.links)
            .map(|target| (*target, &entry.mention.memory.handle))
    });
    let mut from: FxHashMap<MemoryId, (usize, Vec<&'a Handle>)> = FxHashMap::default();
    for (position, (target, handle)) in links.enumerate() {
        from.entry(target)
            .or_insert_with(|| (position, Vec::new()))
            .1
            .push(handle);
    }
    let mut seen: FxHashSet<MemoryId> = input
        .selected
        .iter()
        .map(|selected| selected.memory.id)
        .collect();
    let mut linked: Vec<(usize, Linked<'a>)> = Vec::new();
    for memory in input.linked {
        if let (true, Some((position, mut from))) =
            (seen.insert(memory.id), from.remove(&memory.id))
        {
            from.dedup();
            linked.push((position, Linked { memory, from }));
        }
    }
    linked.sort_by_key(|(position, linked)| (std::cmp::Reverse(linked.from.len()), *position));
    linked.into_iter().map(|(_, linked)| linked).collect()
}

fn sections<'a>(
    entries: Vec<Entry<'a>>,
    successors: &[Option<usize>],
    focus: &[Category],
) -> Vec<Section<'a>> {
    let handles: Vec<&'a Handle> = entries
        .iter()
        .map(|entry| &entry.mention.memory.handle)
        .collect();
    let earlier = earlier_versions(&entries, successors);
    let mut sections: BTreeMap<Category, Vec<Item<'a>>> = BTreeMap::new();
    for (at, entry) in entries.into_iter().enumerate() {
        if !is_in_focus(&entry, focus) {
            continue;
        }
        let superseded_by = successors
            .get(at)
            .copied()
            .flatten()
            .and_then(|newer| handles.get(newer).copied());
        let supersedes = earlier
            .get(&at)
            .into_iter()
            .flatten()
            .filter_map(|&older| handles.get(older).copied());
        let item = Item {
            mention: entry.mention,
            also_in: entry.copies,
            superseded_by,
            supersedes: supersedes.collect(),
        };
        sections
            .entry(item.mention.category)
            .or_default()
            .push(item);
    }
    let in_order = |(category, mut items): (Category, Vec<Item<'a>>)| {
        items.sort_by_key(|item| item.mention.is_superseded);
        Section { category, items }
    };
    sections.into_iter().map(in_order).collect()
}

/// For each entry that is the newest of its versions, the earlier ones, newest first.
fn earlier_versions(
    entries: &[Entry<'_>],
    successors: &[Option<usize>],
) -> BTreeMap<usize, Vec<usize>> {
    let mut earlier: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (older, successor) in successors.iter().enumerate() {
        let Some(mut newest) = *successor else {
            continue;
        };
        // Each step is two days newer, so this ends.
        while let Some(next) = successors.get(newest).copied().flatten() {
            newest = next;
        }
        earlier.entry(newest).or_default().push(older);
    }
    for versions in earlier.values_mut() {
        versions.sort_by_key(|&at| {
            std::cmp::Reverse(entries.get(at).map(|entry| entry.mention.memory.valid_from))
        });
    }
    earlier
}
