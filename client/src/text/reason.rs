//! Says in words what made a hit's score.

use helix_proto::ordinal::ordinal;
use helix_proto::v1::Explanation;

use super::clean;

/// How far a factor is from 1 before it is worth a word: less does not show in three decimals.
const FACTOR_MIN: f32 = 0.0005;

/// Writes a score as what it is the product of, and what the first of these comes from: `score 0.750
/// = relevance 0.703 × age 0.970 × importance 1.100; 2nd by words (redb)`. Factors of 1 are left
/// out.
#[must_use]
pub fn reason(score: f32, why: &Explanation) -> String {
    let mut parts = vec![product(score, why)];
    parts.extend(by_words(why));
    parts.extend(by_meaning(why));
    parts.extend(by_tokens(why));
    parts.extend(by_relation(why));
    parts.join("; ")
}

fn product(score: f32, why: &Explanation) -> String {
    let factors = [
        ("confidence", why.confidence_factor),
        (by_time(why), why.recency_factor),
        ("importance", why.importance_factor),
        (by_scope(why), why.scope_factor),
        ("own branch", why.branch_factor),
        ("likeness to a better hit", why.diversity_factor),
        ("its topic has better hits", why.topic_factor),
    ];
    let mut text = format!("score {score:.3} = relevance {:.3}", why.fused);
    for (name, factor) in factors {
        // A daemon that does not know a factor says 0.
        if factor > 0.0 && (factor - 1.0).abs() >= FACTOR_MIN {
            text += &format!(" × {name} {factor:.3}");
        }
    }
    text
}

/// Age only lowers a score.
fn by_time(why: &Explanation) -> &'static str {
    if why.recency_factor > 1.0 {
        "said at the time asked for"
    } else {
        "age"
    }
}

fn by_scope(why: &Explanation) -> &'static str {
    if why.scope_factor > 1.0 {
        "own project"
    } else {
        "other project"
    }
}

fn by_words(why: &Explanation) -> Option<String> {
    let terms = clean::line(&why.matched_terms.join(", "));
    match (why.lexical_rank, terms.is_empty()) {
        (0, true) => None,
        (0, false) => Some(format!("has {terms}")),
        (rank, true) => Some(format!("{} by words", ordinal(rank.into()))),
        (rank, false) => Some(format!("{} by words ({terms})", ordinal(rank.into()))),
    }
}

fn by_meaning(why: &Explanation) -> Option<String> {
    let alike = why.semantic_score;
    let place = |rank: u32| format!("{} by meaning ({alike:.2} alike)", ordinal(rank.into()));
    (why.semantic_rank > 0).then(|| place(why.semantic_rank))
}

fn by_tokens(why: &Explanation) -> Option<String> {
    let alike = why.token_score;
    (alike > 0.0).then(|| format!("{alike:.2} alike token by token"))
}

fn by_relation(why: &Explanation) -> Option<String> {
    let (from, relation) = (clean::line(&why.related_from), clean::line(&why.relation));
    (!from.is_empty()).then(|| format!("related: {from} {relation} this"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explanation() -> Explanation {
        Explanation {
            lexical_rank: 2,
            lexical_score: 7.25,
            semantic_rank: 11,
            semantic_score: 0.614,
            fused: 0.8,
            confidence_factor: 1.0,
            recency_factor: 0.97,
            importance_factor: 1.1,
            scope_factor: 1.0,
            branch_factor: 1.0,
            diversity_factor: 0.95,
            topic_factor: 1.0,
            matched_terms: vec!["redb".to_owned(), "fsync".to_owned()],
            ..Explanation::default()
        }
    }

    #[test]
    fn a_score_is_told_as_a_product_and_where_it_comes_from() {
        let why = explanation();
        let score = why.fused * why.recency_factor * why.importance_factor * why.diversity_factor;
        let expected = "score 0.811 = relevance 0.800 × age 0.970 × importance 1.100 \
                        × likeness to a better hit 0.950; \
                        2nd by words (redb, fsync); 11th by meaning (0.61 alike)";
        assert_eq!(reason(score, &why), expected);
    }

    #[test]
    fn each_factor_says_what_it_is_for() {
        let why = Explanation {
            recency_factor: 1.2,
            scope_factor: 0.97,
            importance_factor: 1.0,
            diversity_factor: 1.0,
            topic_factor: 0.95,
            ..explanation()
        };
        let expected = "score 0.885 = relevance 0.800 × said at the time asked for 1.200 \
                        × other project 0.970 \
                        × its topic has better hits 0.950; ";
        let told = reason(0.885, &why);
        assert!(told.starts_with(expected), "{told}");
    }

    #[test]
    fn what_came_along_says_with_what() {
        let why = Explanation {
            lexical_rank: 0,
            semantic_rank: 0,
            matched_terms: Vec::new(),
            related_from: "projects/shop".to_owned(),
            relation: "has_decision".to_owned(),
            recency_factor: 1.0,
            importance_factor: 1.0,
            diversity_factor: 1.0,
            ..explanation()
        };
        let expected = "score 0.800 = relevance 0.800; related: projects/shop has_decision this";
        assert_eq!(reason(0.8, &why), expected);
    }
}
