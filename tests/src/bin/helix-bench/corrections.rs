//! `corrections`: what the daemon says of a text that is stored beside a known one. Labelled pairs,
//! each in a project of its own, half of which were used to fit the rules.

use anyhow::{Context, Result};
use helix_client::caller;
use helix_client::v1::{Program, StoreOutcome, StoreReply, StoreRequest};
use helix_tests::rpc::draft;
use helix_tests::{Home, Project, Rpc, Served};
use serde::Deserialize;

use crate::report::{Report, Table, Target};
use crate::silence::read;

/// Share of the supersessions that must be right: each takes a memory out of use.
const SUPERSEDES_PRECISION_MIN: f64 = 0.97;

/// The pairs, those that nobody who fits rules has seen, and those of changes and restatements.
const FILES: [&str; 10] = [
    "memory-pairs.json",
    "memory-pairs-held.json",
    "memory-pairs-changes.json",
    "memory-pairs-amended.json",
    "memory-pairs-favoured.json",
    "memory-pairs-parts.json",
    "memory-pairs-objects.json",
    "memory-pairs-moods.json",
    "memory-pairs-former.json",
    "memory-pairs-whole.json",
];

/// Two statements, the one that was known first.
#[derive(Debug, Deserialize)]
struct Pair {
    id: String,
    set: String,
    old: String,
    new: String,
    label: Label,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Label {
    Same,
    Refines,
    Supersedes,
    Contradicts,
    Related,
    Different,
}

/// What the daemon said of the later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It is known, or nearly.
    Known,
    /// It says the known one with more.
    Extends,
    /// It takes the place of the known one.
    Supersedes,
    /// It cannot stand beside it; somebody has to settle that.
    Contradicts,
    /// It has nothing to do with it.
    Apart,
}

impl Verdict {
    /// Those that say something of the known memory, with their names.
    const TELLING: [(Self, &'static str); 4] = [
        (Self::Known, "known"),
        (Self::Extends, "extends"),
        (Self::Supersedes, "supersedes"),
        (Self::Contradicts, "contradicts"),
    ];

    fn of(reply: &StoreReply) -> Self {
        match reply.outcome() {
            StoreOutcome::Reinforced | StoreOutcome::Duplicate => return Self::Known,
            StoreOutcome::Extended => return Self::Extends,
            StoreOutcome::Stored | StoreOutcome::Unspecified => {}
        }
        match reply.corrections.as_slice() {
            [] => Self::Apart,
            corrections if corrections.iter().any(|one| one.is_replaced) => Self::Supersedes,
            _ => Self::Contradicts,
        }
    }

    /// Returns whether it is right of a pair. What supersedes contradicts, too, and then somebody
    /// decides.
    fn is_right(self, label: Label) -> bool {
        match self {
            Self::Known => label == Label::Same,
            Self::Extends => label == Label::Refines,
            Self::Supersedes => label == Label::Supersedes,
            Self::Contradicts => matches!(label, Label::Contradicts | Label::Supersedes),
            Self::Apart => matches!(label, Label::Related | Label::Different),
        }
    }

    /// Returns whether it is the one to be found.
    fn is_due(self, label: Label) -> bool {
        match self {
            Self::Contradicts => label == Label::Contradicts,
            Self::Known | Self::Extends | Self::Supersedes | Self::Apart => self.is_right(label),
        }
    }
}

/// Measures the pairs of every set.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let mut served = Served::new()?;
    let head = ["pairs, verdict", "precision", "", "recall"];
    let mut table = Table::new("corrections: a text beside a known one", &head);
    for file in FILES {
        let mut told: Vec<(String, Label, Verdict)> = Vec::new();
        for pair in read::<Vec<Pair>>(file)? {
            let verdict = play(&served.home, &mut served.rpc, &pair)
                .with_context(|| format!("playing {}", pair.id))?;
            told.push((pair.set, pair.label, verdict));
        }
        let mut sets: Vec<&str> = told.iter().map(|(set, ..)| set.as_str()).collect();
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            let of_set = told.iter().filter(|(one, ..)| one == set);
            let of_set: Vec<(Label, Verdict)> = of_set
                .map(|(_, label, verdict)| (*label, *verdict))
                .collect();
            write(set, &of_set, &mut table);
        }
    }
    table.note(
        "a contradiction that is a supersession is right: both are kept until somebody settles it",
    );
    report.add(table);
    Ok(())
}

/// Stores both in a project of their own.
fn play(home: &Home, rpc: &mut Rpc, pair: &Pair) -> Result<Verdict> {
    let project = Project::new(home, &pair.id)?;
    let mut store = |text: &str| {
        let request = StoreRequest {
            caller: Some(caller(Program::Mcp, &project.root, "bench", "")),
            draft: Some(draft("facts", text, "")),
            force: false,
        };
        rpc.call(async |rpc| rpc.store(request.clone()).await)
    };
    store(&pair.old)?;
    Ok(Verdict::of(&store(&pair.new)?))
}

fn write(set: &str, told: &[(Label, Verdict)], table: &mut Table) {
    let count = |is: &dyn Fn(Label, Verdict) -> bool| {
        let found = told.iter().filter(|(label, verdict)| is(*label, *verdict));
        found.count()
    };
    for (verdict, name) in Verdict::TELLING {
        let said = count(&|_, said| said == verdict);
        let right = count(&|label, said| said == verdict && verdict.is_right(label));
        let due = count(&|label, _| verdict.is_due(label));
        let found = count(&|label, said| said == verdict && verdict.is_due(label));
        let precision = share(right, said);
        let name = format!("{set}, {name}");
        let figure = format!("{name}: precision");
        let judged = if verdict == Verdict::Supersedes {
            let target = Target::AtLeast(SUPERSEDES_PRECISION_MIN);
            table.judge(&figure, precision, "share", target)
        } else {
            table.figure(&figure, precision, "share");
            String::new()
        };
        table.figure(&format!("{name}: recall"), share(found, due), "share");
        table.row([name, cell(right, said), judged, cell(found, due)]);
    }
}

#[expect(clippy::cast_precision_loss, reason = "some hundred pairs")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    part as f64 / whole as f64
}

fn cell(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "none".to_owned();
    }
    format!("{:.2} ({part} of {whole})", share(part, whole))
}
