//! The world of the transcripts: a project, its memories, and one client.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use helix_tests::text::{with_days, without_noise};
use helix_tests::{Binary, Bridge, Daemon, Home, Project};
use jiff::civil::{Date, date};
use jiff::{SignedDuration, Span, Timestamp, Unit};
use serde_json::{Value, json};

/// The day that every transcript shows as today; the corpus was written in the three months before.
const TODAY: Date = date(2026, 11, 20);

/// Days that stand in texts and always read the same, with what is before them.
const LITERAL_DAYS: [&str; 5] = [
    "day like 2026-11-21",
    "time like 2026-11-21",
    "`after:2026-11-21`",
    "`after:2026-11-21T14:30`",
    "and the 2026-07-28 revisions",
];

/// Stands for a year that is not to be moved.
const HIDDEN_YEAR: &str = "2026\0-";

/// Longest string of a call that is shown, in characters.
const ARGUMENT_MAX_CHARS: usize = 400;

/// Where the project says that it came from, so that its identity is the same everywhere.
const REMOTE: &str = "https://git.example.org/team/helix.git";

/// The session that the client says it is.
const SESSION: &str = "golden-session";

/// A project, and a client whose calls and answers are written down.
pub(crate) struct World {
    bridge: Bridge,
    _daemon: Daemon,
    pub(crate) home: Home,
    pub(crate) project: Project,
    now: Timestamp,
    said: String,
}

impl World {
    /// A project about which nothing is known.
    pub(crate) fn empty() -> Self {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        let project = Project::new(&home, "helix").unwrap();
        project.cloned_from(REMOTE).unwrap();
        let bridge = Bridge::of_session(&home, &project.root, SESSION).unwrap();
        Self {
            bridge,
            _daemon: daemon,
            home,
            project,
            now: Timestamp::now(),
            said: String::new(),
        }
    }

    /// A project whose memories are the corpus.
    pub(crate) fn with_corpus() -> Self {
        let world = Self::empty();
        let file = world.home.scratch().join("corpus.json");
        fs::write(&file, corpus(world.now)).unwrap();
        let mut command = world.home.command(Binary::Ctl);
        let imported = command
            .args(["import", "--trust"])
            .arg(&file)
            .current_dir(&world.project.root)
            .output()
            .unwrap();
        assert!(imported.status.success(), "{imported:?}");
        world
    }

    /// Calls a tool, writes both down and returns the answer as it was. Days in the arguments are
    /// days of the transcript.
    pub(crate) fn say(&mut self, tool: &str, arguments: Value) -> String {
        let sent = self.with_days_of_now(&arguments);
        self.say_so(tool, arguments, &sent)
    }

    /// Does what [`World::say`] does, with days of now in the arguments.
    pub(crate) fn say_back(&mut self, tool: &str, arguments: Value) -> String {
        let sent = arguments.clone();
        self.say_so(tool, arguments, &sent)
    }

    fn say_so(&mut self, tool: &str, arguments: Value, sent: &Value) -> String {
        let answer = self.bridge.call(tool, sent).unwrap();
        let text = self.readable(&answer.text);
        let mark = if answer.is_error { "ERROR " } else { "" };
        let call = without_noise(&shown(arguments));
        writeln!(self.said, "> {tool} {call}\n{mark}{text}\n").unwrap();
        answer.text
    }

    /// Makes a call that must fail and writes both down.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) {
        let before = self.said.len();
        self.say(tool, arguments);
        let added = self.said.get(before..).unwrap();
        assert!(added.contains("\nERROR "), "not refused: {added}");
    }

    /// A tool as it is listed.
    pub(crate) fn tool(&mut self, name: &str) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}});
        let answer = self.bridge.ask(&request).unwrap();
        let tools = answer["result"]["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name);
        tool.unwrap().clone()
    }

    /// Calls a tool without writing anything down; returns the answer as it was.
    pub(crate) fn do_silently(&mut self, tool: &str, arguments: &Value) -> String {
        self.bridge.text(tool, arguments).unwrap()
    }

    /// Stores a text and returns its handle.
    pub(crate) fn store(&mut self, topic: &str, text: &str) -> String {
        let answer = self.say("store", json!({"topic": topic, "text": text}));
        handle_of(&answer)
    }

    /// Writes a remark between two calls.
    pub(crate) fn remark(&mut self, remark: &str) {
        writeln!(self.said, "# {remark}\n").unwrap();
    }

    /// Ends the conversation and returns it.
    pub(crate) fn told(self) -> String {
        self.bridge.finish_cleanly().unwrap();
        self.said
    }

    /// A text as it would read on [`TODAY`].
    fn readable(&self, text: &str) -> String {
        let behind = days_between(TODAY, day_of(self.now));
        let text = text.replace(&self.home.scratch().display().to_string(), "[home]");
        // What is stored at midnight is of the day after, which would be another transcript.
        let moved = |day: Date| day.checked_sub(behind).unwrap().min(TODAY).to_string();
        let hidden = LITERAL_DAYS.iter().fold(text, |text, day| {
            text.replace(day, &day.replace("2026-", HIDDEN_YEAR))
        });
        with_days(&without_noise(&hidden), moved).replace(HIDDEN_YEAR, "2026-")
    }

    fn with_days_of_now(&self, arguments: &Value) -> Value {
        let ahead = days_between(TODAY, day_of(self.now));
        let moved = with_days(&arguments.to_string(), |day| {
            day.checked_add(ahead).unwrap().to_string()
        });
        serde_json::from_str(&moved).unwrap()
    }
}

/// The corpus, each memory so many whole days old as it was at [`TODAY`], so that ages do not
/// depend on the time of day. Those of one day keep their order.
fn corpus(now: Timestamp) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/helix.json");
    let mut memories: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let at = |memory: &Value| memory["at"].as_str().unwrap().parse::<Timestamp>().unwrap();
    memories.sort_by_key(at);
    let count = memories.len();
    for (position, memory) in memories.iter_mut().enumerate() {
        let age = days_between(day_of(at(memory)), TODAY).get_days();
        let earlier = SignedDuration::from_millis(i64::try_from(count - position).unwrap());
        let moved = now - SignedDuration::from_hours(24 * i64::from(age)) - earlier;
        memory["at"] = moved.to_string().into();
        // As what somebody else wrote and nobody vouched for by name.
        memory["origin"] = "import".into();
    }
    Value::from(memories).to_string()
}

fn day_of(at: Timestamp) -> Date {
    at.to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn days_between(from: Date, to: Date) -> Span {
    from.until((Unit::Day, to)).unwrap()
}

/// The handle that an answer of `store` begins with.
pub(crate) fn handle_of(answer: &str) -> String {
    answer.split_whitespace().nth(1).unwrap().to_owned()
}

/// A call of `edit` as an answer spells it, such as `edit action=undo sequence=4 takes that back`:
/// what is behind the last argument is not part of it.
pub(crate) fn spelled_call(answer: &str) -> Value {
    let (_, call) = answer.split_once("edit action=").unwrap();
    let words = format!("action={call}");
    let arguments = words.split_whitespace().map_while(|word| {
        let (name, value) = word.split_once('=')?;
        Some((
            name.to_owned(),
            value.trim_end_matches(['.', ',', ';']).into(),
        ))
    });
    Value::Object(arguments.collect())
}

/// Arguments as a reader wants them.
fn shown(arguments: Value) -> String {
    match arguments {
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .into_iter()
                .map(|(name, value)| format!("{name}={}", value_shown(&value)))
                .collect();
            fields.join(" ")
        }
        other => other.to_string(),
    }
}

fn value_shown(value: &Value) -> String {
    let text = value.to_string();
    let length = text.chars().count();
    if length <= ARGUMENT_MAX_CHARS {
        return text;
    }
    format!(
        "{}… ({length} characters)",
        text.chars().take(40).collect::<String>()
    )
}
