//! Plays recorded conversations against a machine: whole, by 7 bytes and by 1.
//!
//! The notation is [`flylead_core::trace`]'s; `tests/transcripts/README.md` says how to write one.

use std::{fmt, fs, path::Path, time::Duration};

use flylead_core::{
    Input, Instant, Machine, Pump,
    trace::{self, Record, escape, unescape},
};

/// Description of a protocol for the player.
pub trait Protocol {
    /// The machine that is played against.
    type Machine: Machine;

    /// Events of which a longer one may come as several shorter ones: `Stdout ab` as `Stdout a` and `Stdout b`.
    const STREAMS: &'static [&'static str] = &[];

    /// A new machine. `options` is what follows `$ new`, or empty when the transcript does not begin so.
    fn start(options: &str) -> Self::Machine;

    /// Gives the machine the command of a `$` line. A refusal becomes the event `Refused` with this text.
    fn command(machine: &mut Self::Machine, now: Instant, text: &str) -> Result<(), String>;

    /// Returns the text after `!` for this event. for this event.
    fn event(event: &<Self::Machine as Machine>::Event) -> String;
}

/// Plays every transcript of one protocol's folder below `tests/transcripts`.
///
/// # Panics
///
/// When a transcript does not play, naming the line and what happened instead; or when there are none.
pub fn play_folder<P: Protocol>(folder: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("transcripts")
        .join(folder);
    let mut files: Vec<_> = fs::read_dir(&path)
        .unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no transcripts in {}", path.display());
    let faults: Vec<_> = files
        .iter()
        .filter_map(|file| play_file::<P>(file).err())
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Plays one transcript in all three ways.
pub fn play<P: Protocol>(text: &str) -> Result<(), String> {
    let records = trace::parse(text).map_err(|fault| fault.to_string())?;
    let script = Script::read::<P>(&records);
    for (chunk, way) in [(usize::MAX, "whole"), (7, "by 7 bytes"), (1, "by 1 byte")] {
        script
            .play::<P>(chunk)
            .map_err(|fault| format!("{fault}\n  (played {way})"))?;
    }
    Ok(())
}

fn play_file<P: Protocol>(file: &Path) -> Result<(), String> {
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let text = fs::read_to_string(file).map_err(|fault| format!("{name}: {fault}"))?;
    play::<P>(&text).map_err(|fault| format!("{name}, {fault}"))
}

/// A transcript, cut into what happens and what must come of it.
struct Script {
    options: String,
    steps: Vec<Step>,
}

struct Step {
    line: usize,
    happening: Happening,
    expected: Reaction,
}

enum Happening {
    Start,
    Received(Vec<u8>),
    Command(String),
    Elapsed(Duration),
    Closed,
}

/// Everything a machine does before the next thing happens to it. In which order bytes and events alternate is not
/// said by the convention, so it is not compared.
#[derive(Default, PartialEq, Eq)]
struct Reaction {
    sent: Vec<u8>,
    events: Vec<Reported>,
}

#[derive(PartialEq, Eq)]
enum Reported {
    Stream(&'static str, Vec<u8>),
    Text(String),
}

impl Script {
    fn read<P: Protocol>(records: &[(usize, Record)]) -> Self {
        let mut script = Self {
            options: String::new(),
            steps: vec![Step::new(0, Happening::Start)],
        };
        for (line, record) in records {
            script.add::<P>(*line, record);
        }
        script
    }

    fn add<P: Protocol>(&mut self, line: usize, record: &Record) {
        let happening = match record {
            Record::Sent(bytes) => return self.expected().sent.extend_from_slice(bytes),
            Record::Event(text) => return self.expected().add(Reported::read::<P>(text)),
            Record::Comment(_) => return,
            Record::Command(text) if text == "new" || text.starts_with("new ") => {
                return self.options = text["new".len()..].trim().to_owned();
            }
            Record::Command(text) => Happening::Command(text.clone()),
            Record::Received(bytes) => Happening::Received(bytes.clone()),
            Record::Elapsed(time) => Happening::Elapsed(*time),
            Record::Closed => Happening::Closed,
        };
        self.steps.push(Step::new(line, happening));
    }

    fn expected(&mut self) -> &mut Reaction {
        &mut self
            .steps
            .last_mut()
            .expect("a script begins with a step")
            .expected
    }

    fn play<P: Protocol>(&self, chunk: usize) -> Result<(), String> {
        let mut player = Player::<P> {
            pump: Pump::new(P::start(&self.options)),
            now: Instant::START,
            refusals: Vec::new(),
        };
        self.steps.iter().try_for_each(|step| {
            player.step(&step.happening, chunk)?;
            let actual = player.reaction();
            if actual == step.expected {
                return Ok(());
            }
            let expected = &step.expected;
            let line = step.line;
            Err(format!(
                "after line {line}, expected:\n{expected}  but there was:\n{actual}"
            ))
        })
    }
}

impl Step {
    fn new(line: usize, happening: Happening) -> Self {
        Self {
            line,
            happening,
            expected: Reaction::default(),
        }
    }
}

struct Player<P: Protocol> {
    pump: Pump<P::Machine>,
    now: Instant,
    refusals: Vec<String>,
}

impl<P: Protocol> Player<P> {
    fn step(&mut self, happening: &Happening, chunk: usize) -> Result<(), String> {
        match happening {
            Happening::Start => {}
            Happening::Received(bytes) => {
                for piece in bytes.chunks(chunk) {
                    self.pump.handle_input(self.now, Input::Bytes(piece));
                }
            }
            Happening::Command(text) => {
                let now = self.now;
                let answer = self.pump.command(|machine| P::command(machine, now, text));
                self.refusals.extend(answer.err());
            }
            Happening::Elapsed(time) => return self.advance(*time),
            Happening::Closed => self.pump.handle_input(self.now, Input::Closed),
        }
        Ok(())
    }

    /// Lets time pass, waking the machine exactly when it asked to be.
    fn advance(&mut self, time: Duration) -> Result<(), String> {
        let end = self.now + time;
        for _ in 0..WAKE_LIMIT {
            match self.pump.deadline() {
                Some(deadline) if deadline <= end => {
                    self.now = self.now.max(deadline);
                    self.pump.handle_input(self.now, Input::Timeout);
                }
                _ => {
                    self.now = end;
                    return Ok(());
                }
            }
        }
        Err(format!("at {} it asks to be woken forever", self.now))
    }

    fn reaction(&mut self) -> Reaction {
        let mut reaction = Reaction {
            sent: self.pump.take_transmit(),
            events: Vec::new(),
        };
        while let Some(event) = self.pump.poll_event() {
            reaction.add(Reported::read::<P>(&P::event(&event)));
        }
        for refusal in self.refusals.drain(..) {
            reaction.add(Reported::Text(format!("Refused {refusal}")));
        }
        reaction
    }
}

impl Reaction {
    /// Adds an event; a piece of a stream is joined to the piece before it.
    fn add(&mut self, event: Reported) {
        match (self.events.last_mut(), event) {
            (Some(Reported::Stream(open, bytes)), Reported::Stream(name, more))
                if *open == name =>
            {
                bytes.extend(more);
            }
            (_, event) => self.events.push(event),
        }
    }
}

impl Reported {
    fn read<P: Protocol>(text: &str) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let stream = P::STREAMS.iter().find(|name| **name == word);
        match (stream, unescape(rest)) {
            (Some(name), Ok(bytes)) => Self::Stream(name, bytes),
            _ => Self::Text(text.to_owned()),
        }
    }
}

impl fmt::Display for Reaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.sent.is_empty() {
            writeln!(f, "    > {}", escape(&self.sent))?;
        }
        for event in &self.events {
            writeln!(f, "    ! {event}")?;
        }
        if self.sent.is_empty() && self.events.is_empty() {
            writeln!(f, "    nothing")?;
        }
        Ok(())
    }
}

impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(name, bytes) => write!(f, "{name} {}", escape(bytes)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// More wake-ups in one `@` line than any protocol has a use for.
const WAKE_LIMIT: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use flylead_core::Output;

    use super::*;

    /// Sends back what it gets, says so, and says when a second has passed without any.
    #[derive(Debug, Default)]
    struct Echo {
        output: VecDeque<Output<String>>,
        deadline: Option<Instant>,
    }

    impl Machine for Echo {
        type Event = String;

        fn handle_input(&mut self, now: Instant, input: Input<'_>) {
            match input {
                Input::Bytes(bytes) => {
                    self.deadline = Some(now + Duration::from_secs(1));
                    self.output.push_back(Output::Transmit(bytes.to_vec()));
                    let text = format!("Received {}", escape(bytes));
                    self.output.push_back(Output::Event(text));
                }
                Input::Timeout if self.deadline.is_some_and(|deadline| deadline <= now) => {
                    self.deadline = None;
                    self.output.push_back(Output::Event("Quiet".into()));
                }
                Input::Timeout => {}
                Input::Closed => self.output.push_back(Output::Event("Lost".into())),
            }
        }

        fn poll_output(&mut self) -> Output<String> {
            self.output
                .pop_front()
                .unwrap_or(Output::Idle(self.deadline))
        }
    }

    struct Echoes;

    impl Protocol for Echoes {
        type Machine = Echo;
        const STREAMS: &'static [&'static str] = &["Received"];

        fn start(_options: &str) -> Echo {
            Echo::default()
        }

        fn command(_machine: &mut Echo, _now: Instant, text: &str) -> Result<(), String> {
            Err(text.to_owned())
        }

        fn event(event: &String) -> String {
            event.clone()
        }
    }

    #[test]
    fn a_true_transcript_plays() {
        let text = "# why\n< hello\\x20there you\n> hello there you\n! Received hello there you\n@ 999\n@ 1\n! Quiet\n\
                    $ go\n! Refused go\nX\n! Lost\n";
        assert_eq!(play::<Echoes>(text), Ok(()));
    }

    #[test]
    fn a_false_transcript_names_its_line_and_shows_both_sides() {
        let fault = play::<Echoes>("< a\n> a\n! Received a\n@ 1000\n").unwrap_err();
        assert!(fault.contains("after line 4"), "{fault}");
        assert!(
            fault.contains("nothing") && fault.contains("! Quiet"),
            "{fault}"
        );
    }

    #[test]
    fn what_a_transcript_leaves_out_is_a_fault() {
        assert!(play::<Echoes>("< a\n! Received a\n").is_err());
        assert!(play::<Echoes>("< a\n> a\n").is_err());
    }
}
