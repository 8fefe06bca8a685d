//! Baselines: results of known kinds of retrieval on sets of the same nature.

/// Recall at 5 and gain at 10 of one kind of retrieval.
type Figures = (f64, f64);

/// One row of figures.
pub(super) struct Baseline {
    /// The set's nature, and the name of the public set of that nature.
    nature: &'static str,
    set: &'static str,
    /// BM25; `SQLite`'s FTS5 with Porter stemming; `MiniLM`'s vectors; the latter two fused with
    /// equal weights.
    bm25: Figures,
    fts5: Figures,
    minilm: Figures,
    fused: Figures,
}

pub(super) const BASELINES: [Baseline; 3] = [
    Baseline {
        nature: "issue → fix",
        set: "issues-to-fixes",
        bm25: (0.610, 0.548),
        fts5: (0.679, 0.602),
        minilm: (0.758, 0.679),
        fused: (0.760, 0.680),
    },
    Baseline {
        nature: "question → function",
        set: "questions-to-functions",
        bm25: (0.542, 0.455),
        fts5: (0.604, 0.510),
        minilm: (0.842, 0.737),
        fused: (0.748, 0.649),
    },
    Baseline {
        nature: "question → conversation turn",
        set: "questions-to-turns",
        bm25: (0.440, 0.392),
        fts5: (0.438, 0.388),
        minilm: (0.334, 0.286),
        fused: (0.446, 0.382),
    },
];

impl Baseline {
    pub(super) fn is_for(&self, set: &str) -> bool {
        self.set == set
    }

    /// The best of each figure, whichever kind reached it.
    pub(super) fn best(&self) -> Figures {
        let kinds = [self.bm25, self.fts5, self.minilm, self.fused];
        kinds.into_iter().fold((0.0, 0.0), |best, kind| {
            (f64::max(best.0, kind.0), f64::max(best.1, kind.1))
        })
    }

    /// The row as text.
    pub(super) fn line(&self) -> String {
        let show = |(recall, gain): Figures| format!("{recall:.3} / {gain:.3}");
        format!(
            "{:<28}  BM25 {}   FTS5 {}   MiniLM {}   RRF {}",
            self.nature,
            show(self.bm25),
            show(self.fts5),
            show(self.minilm),
            show(self.fused)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_taken_figure_by_figure() {
        let best: Vec<Figures> = BASELINES.iter().map(Baseline::best).collect();
        assert_eq!(best, [(0.760, 0.680), (0.842, 0.737), (0.446, 0.392)]);
    }
}
