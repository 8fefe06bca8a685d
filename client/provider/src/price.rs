//! What tokens cost.

use std::sync::OnceLock;

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
struct Prices {
    model: Vec<Price>,
}

/// Dollars for a million tokens, which is millionths of a dollar for one.
#[derive(Debug, Deserialize)]
struct Price {
    name: String,
    r#in: f64,
    out: f64,
}

fn prices() -> &'static Prices {
    static PRICES: OnceLock<Prices> = OnceLock::new();
    PRICES.get_or_init(|| toml::from_str(include_str!("prices.toml")).unwrap_or_default())
}

/// Millionths of a dollar; 0 where no price is known.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tokens of one call, and a price above 0"
)]
pub(crate) fn micro_usd(model: &str, tokens_in: u64, tokens_out: u64) -> u64 {
    let known = prices().model.iter();
    let known = known.filter(|price| model.starts_with(&price.name));
    let price = known.max_by_key(|price| price.name.len());
    price.map_or(0, |price| {
        (tokens_in as f64 * price.r#in + tokens_out as f64 * price.out).ceil() as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_counts() {
        assert!(prices().model.len() >= 8);
        assert_eq!(micro_usd("gpt-4o-mini-2024-07-18", 1_000_000, 0), 150_000);
        assert_eq!(micro_usd("gemini-2.5-flash-lite", 0, 1_000_000), 400_000);
        assert_eq!(micro_usd("unheard-of", 1_000_000, 1_000_000), 0);
    }
}
