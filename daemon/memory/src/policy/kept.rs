//! The texts of the model's values that go through the redaction.

use helix_redact::{Redact, Redacted, Secrets};

use crate::model::{
    Actor, Checkpoint, Draft, GitContext, InvalidTopic, Provenance, Scope, SourceRef, Topic,
};

impl Topic {
    /// Reads a topic's name without its secrets: sanitising would hide them and keep them.
    ///
    /// # Errors
    /// `InvalidTopic` when nothing is left of the name, or too much.
    pub fn kept(name: &str, secrets: &mut Secrets) -> Result<Redacted<Topic>, InvalidTopic> {
        Redacted::of(name.to_owned(), secrets).try_map(|name| Topic::parse(&name))
    }
}

impl Redact for Scope {
    fn redact(&mut self, secrets: &mut Secrets) {
        match self {
            Self::Global => {}
            Self::Project(name) | Self::Session(name) => secrets.said(name),
        }
    }
}

impl Redact for SourceRef {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            path,
            line: _,
            content_hash: _,
            git_blob: _,
        } = self;
        secrets.written(path);
    }
}

impl Redact for Provenance {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            agent,
            reference,
            extractor,
            origin: _,
            at: _,
            git,
        } = self;
        secrets.all_said([agent, reference, extractor]);
        git.redact(secrets);
    }
}

impl Redact for Actor {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            origin: _,
            agent,
            session,
            project,
            git,
        } = self;
        secrets.all_said([agent, session, project]);
        git.redact(secrets);
    }
}

impl Redact for GitContext {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self { branch, commit: _ } = self;
        secrets.said(branch);
    }
}

impl Redact for Checkpoint {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            task,
            done,
            next,
            hypotheses,
            blocked,
            files,
            saved_at: _,
            agent,
            session,
        } = self;
        secrets.all_written([task, blocked]);
        for list in [done, next, hypotheses, files] {
            secrets.all_written(list);
        }
        secrets.all_said([agent, session]);
    }
}

impl Redact for Draft {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            summary,
            topic,
            text,
            kind,
            tags,
            scope,
            source,
            links: _,
            importance: _,
            confidence: _,
            pinned: _,
            attributes,
            valid_from: _,
        } = self;
        secrets.all_written([topic, text, summary]);
        kind.redact(secrets);
        secrets.all_written(tags);
        scope.redact(secrets);
        source.redact(secrets);
        secrets.attributes(attributes);
    }
}
