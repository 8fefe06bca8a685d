//! Samples of durations.

use std::time::Duration;

/// Durations of one thing, in the order measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    micros: Vec<f64>,
}

impl Samples {
    pub(crate) fn push(&mut self, elapsed: Duration) {
        self.micros.push(elapsed.as_secs_f64() * 1e6);
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "microseconds of one call are far below 2^52"
    )]
    pub(crate) fn push_micros(&mut self, micros: u64) {
        self.micros.push(micros as f64);
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        self.micros.extend_from_slice(&other.micros);
    }

    /// The median, in microseconds.
    pub(crate) fn p50(&self) -> f64 {
        self.percentile(50)
    }

    /// The 99th percentile, in microseconds.
    pub(crate) fn p99(&self) -> f64 {
        self.percentile(99)
    }

    /// The largest, in microseconds.
    pub(crate) fn max(&self) -> f64 {
        self.percentile(100)
    }

    /// How far the middle half of the samples lies apart, in microseconds.
    pub(crate) fn spread(&self) -> f64 {
        self.percentile(75) - self.percentile(25)
    }

    /// The smallest sample that at least `percent` in a hundred do not exceed; 0 without samples.
    fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.micros.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() * percent).div_ceil(100);
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut samples = Samples::default();
        assert!(samples.p50().abs() < f64::EPSILON);
        for micros in (1..=200).rev() {
            samples.push_micros(micros);
        }
        let measured = [samples.p50(), samples.p99(), samples.max()];
        assert!(
            measured
                .iter()
                .zip([100.0, 198.0, 200.0])
                .all(|(us, expected)| (us - expected).abs() < 1e-6)
        );
        assert!((samples.spread() - 100.0).abs() < 1e-6);
        samples.push(Duration::from_millis(1));
        assert!((samples.max() - 1000.0).abs() < 1e-6);
    }
}
