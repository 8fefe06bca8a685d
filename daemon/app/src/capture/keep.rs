//! What becomes of a fact that was found: it waits in the review, unless it is known, waits there
//! already, or was forgotten.

use std::collections::BTreeMap;

use helix_capture::{Candidate, Evidence};
use helix_engine::{Corrects, Request, Stamps, Strand};
use helix_memory::{
    Actor, Admitted, Draft, GitContext, Keys, MemoryId, Nearby, Origin, Provenance, Scope,
    SourceRef, Statement, Status, Timestamp, Verdict, relate,
};

use super::Tally;
use super::bare::is_bare;
use super::known::{Known, Waiting};
use super::refused::was_refused;
use super::relative;
use crate::project::Project;
use crate::{App, Refusal, note};

/// What the provenance names as having found the fact.
pub(super) const EXTRACTOR: &str = "rules";

/// Says in a memory's attributes why it was kept.
pub(crate) const BECAUSE: &str = "captured-because";

/// Says in them where it stands in its source.
const PLACE: &str = "captured-from";

/// Names the memory that the fact would replace or contradicts.
const AGAINST: &str = "captured-against";

/// Longest attribute of a fact, in characters.
const ATTRIBUTE_MAX_CHARS: usize = 400;

/// Most attributes of a fact beside those above.
const ATTRIBUTES_MAX: usize = 8;

/// Where facts were found.
pub(super) struct Found<'a> {
    pub(super) project: &'a Project,
    /// The client.
    pub(super) agent: &'a str,
    pub(super) session: &'a str,
    pub(super) branch: &'a str,
    /// What found them.
    pub(super) extractor: &'a str,
}

/// Makes the requests that put facts into the review, and counts what became of each.
///
/// # Errors
/// When the disk or an index fails.
pub(super) fn requests(
    app: &App,
    found: &Found<'_>,
    candidates: Vec<Candidate>,
    waiting: &mut Waiting,
    tally: &mut Tally,
) -> Result<Vec<Request>, Refusal> {
    let mut requests = Vec::new();
    let mut run = Run::default();
    for candidate in candidates {
        let Some(mut admitted) = admitted(app, found, &candidate)? else {
            continue;
        };
        if is_bare(&admitted.text) {
            continue;
        }
        if was_refused(app, found.project, &admitted.text) {
            tally.forgotten += 1;
            continue;
        }
        let is_waiting = waiting.has(app, &admitted.text, admitted.text_hash, &admitted.scope)?;
        if is_waiting || is_known(app, &mut admitted)? {
            tally.known += 1;
            continue;
        }
        waiting.note(&admitted.text, admitted.text_hash, &admitted.scope);
        tally.keep(admitted.kind.as_str());
        let request = request(app, found, &candidate, admitted);
        requests.push(run.decided(request));
    }
    Ok(requests)
}

/// Admits a fact, which takes its secrets out. One that cannot be admitted is dropped: nobody could
/// mend it.
fn admitted(
    app: &App,
    found: &Found<'_>,
    candidate: &Candidate,
) -> Result<Option<Admitted>, Refusal> {
    let text = relative::text(found.project, &candidate.text);
    let source = note::source_in(app, found.project, &text).unwrap_or_default();
    let topic = note::topic(app, found.project, &text, candidate.kind, &source)?;
    let draft = Draft {
        topic: topic.name,
        text,
        kind: Some(candidate.kind.to_owned()),
        source: Some(SourceRef::parse(&source)).filter(|source| !source.path.is_empty()),
        confidence: Some(confidence(candidate.confidence)),
        attributes: attributes(found.project, candidate),
        valid_from: last(candidate)
            .and_then(|evidence| evidence.at)
            .map(Timestamp::from_micros),
        ..Draft::default()
    };
    match Admitted::of(draft, &found.project.scope, app.memory.strand.kinds()) {
        Ok(admitted) => Ok(Some(admitted)),
        Err(error) => {
            tracing::debug!(%error, "a captured fact was not admitted");
            Ok(None)
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
fn confidence(of: f64) -> f32 {
    of.clamp(0.0, 1.0) as f32
}

/// The last of what it stands on, which is the latest.
fn last(candidate: &Candidate) -> Option<&Evidence> {
    candidate.evidence.last()
}

fn attributes(project: &Project, candidate: &Candidate) -> BTreeMap<String, String> {
    let cut = |text: &str| text.chars().take(ATTRIBUTE_MAX_CHARS).collect::<String>();
    let mut attributes = BTreeMap::new();
    for (name, value) in candidate.attributes.iter().take(ATTRIBUTES_MAX) {
        attributes.insert(cut(name), cut(&relative::text(project, value)));
    }
    if !candidate.reason.is_empty() {
        attributes.insert(BECAUSE.to_owned(), cut(&candidate.reason));
    }
    if let Some(evidence) = last(candidate) {
        let place = &evidence.place;
        let line = match place.line {
            0 => String::new(),
            line => format!(":{line}"),
        };
        attributes.insert(PLACE.to_owned(), cut(&format!("{}{line}", place.source)));
    }
    attributes
}

/// Returns whether a fact says what is known. One that would correct a memory does not: it gets
/// that one's handle.
fn is_known(app: &App, admitted: &mut Admitted) -> Result<bool, Refusal> {
    let known = Known::of(app, admitted, Origin::Agent)?;
    if let Known::Against(against) = &known {
        let handle = against.handle.as_str().to_owned();
        admitted.attributes.insert(AGAINST.to_owned(), handle);
    }
    Ok(matches!(known, Known::Same))
}

/// The facts of one run, each of which is compared with those before it.
#[derive(Default)]
struct Run {
    nearby: Nearby,
    facts: Vec<Fact>,
}

/// A fact that was found before in the same run.
struct Fact {
    id: MemoryId,
    text_hash: u64,
    scope: Scope,
    statement: Statement,
}

impl Run {
    /// Adds to the request of a fact which earlier ones it cannot stand beside. Each of them waits
    /// for a person, so that none takes another's place.
    fn decided(&mut self, mut request: Request) -> Request {
        let Request::Store {
            admitted,
            corrects,
            entropy,
            at,
            ..
        } = &mut request
        else {
            return request;
        };
        let keys = Keys::of(&admitted.text);
        let fact = Fact {
            id: MemoryId::new(*at, entropy),
            text_hash: admitted.text_hash,
            scope: admitted.scope.clone(),
            statement: Statement::of(&admitted.text),
        };
        let earlier = self.nearby.resembling(&keys);
        let earlier = earlier.iter().filter_map(|place| self.facts.get(*place));
        corrects.extend(earlier.filter_map(|earlier| fact.against(earlier)));
        self.nearby.add(self.facts.len(), keys);
        self.facts.push(fact);
        request
    }
}

impl Fact {
    fn against(&self, earlier: &Self) -> Option<Corrects> {
        if earlier.scope != self.scope {
            return None;
        }
        match relate(&earlier.statement, &self.statement) {
            Verdict::Supersedes(why) | Verdict::Contradicts(why) => Some(Corrects {
                known: earlier.id,
                text_hash: earlier.text_hash,
                sequence: None,
                is_replaced: false,
                why,
            }),
            Verdict::Apart | Verdict::Extends => None,
        }
    }
}

/// Puts a fact into the review. Its operation is a tool's, whose word alone vouches for nothing.
fn request(app: &App, found: &Found<'_>, candidate: &Candidate, admitted: Admitted) -> Request {
    let at = app.memory.now();
    let git = GitContext {
        branch: found.branch.to_owned(),
        ..GitContext::default()
    };
    let provenance = Provenance {
        agent: found.agent.to_owned(),
        reference: reference(found, candidate),
        extractor: found.extractor.to_owned(),
        origin: Origin::Agent,
        at,
        git: git.clone(),
    };
    let stamps = Stamps {
        origin: Some(Origin::Agent),
        status: Some(Status::Quarantined),
        provenance: vec![provenance],
        ..Stamps::default()
    };
    Request::Store {
        words: Box::new(Strand::read_words(&admitted)),
        admitted: Box::new(admitted),
        links: Vec::new(),
        stamps: Some(Box::new(stamps)),
        force: false,
        corrects: Vec::new(),
        entropy: app.memory.randomness.entropy(),
        actor: actor(found, git),
        at,
    }
}

/// The session, or the file or commit of what no session said.
fn reference(found: &Found<'_>, candidate: &Candidate) -> String {
    if !found.session.is_empty() {
        return found.session.to_owned();
    }
    let source = last(candidate).map(|evidence| evidence.place.source.clone());
    source.unwrap_or_default()
}

fn actor(found: &Found<'_>, git: GitContext) -> Actor {
    let project = match &found.project.scope {
        Scope::Global => String::new(),
        own => own.to_string(),
    };
    Actor {
        origin: Origin::Tool,
        agent: found.agent.to_owned(),
        session: found.session.to_owned(),
        project,
        git,
    }
}
