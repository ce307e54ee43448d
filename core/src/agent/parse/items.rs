//! Collects the findings of the walk, and drops those that turn out invalid.

use alloc::{borrow::Cow, string::ToString, vec::Vec};

use super::{
    build,
    fault::{Fault, Reason},
    inbox::{Inbox, Item},
    note::Note,
    prose::debris,
    prose::drafts::{self, Draft},
    prose::invented,
    prose::quoted,
    rejected::Rejected,
    tags::{Opening, Spelling},
    text::Line,
    walk::Parser,
};
use crate::agent::{
    command::{Command, Kind, ReadRequest},
    outbox::markers,
    path::{self, Names},
    session,
};

impl<'a> Parser<'a> {
    pub(super) fn push(
        &mut self,
        line: Line<'_>,
        kind: Option<Kind>,
        mut opening: Opening<'_>,
        outcome: Result<(Command, Vec<Note>), Reason>,
    ) {
        self.found += 1;
        if outcome.is_ok() {
            self.after_lead();
        }
        let mut notes = core::mem::take(&mut opening.notes);
        if opening.name.spelling == Spelling::OtherCase {
            notes.push(Note::OtherCase);
        }
        let command = kind
            .map_or(opening.name.text, |kind| kind.name())
            .to_string();
        let outcome = outcome
            .map_err(|reason| Fault { command, reason })
            .map(|(command, more)| {
                notes.extend(more);
                notes.extend(build::unknown_attributes(&opening));
                command
            });
        self.inbox.items.push(Item {
            line: line.number,
            outcome,
            notes,
            kind,
        });
    }

    /// Adds one command for each file that a tag names.
    pub(super) fn push_reads(
        &mut self,
        line: Line<'_>,
        opening: Opening<'_>,
        (request, mut notes): (ReadRequest, Vec<Note>),
    ) {
        let is_exact = build::is_exact(&opening);
        let several = request.path.clone();
        let parts = invented::list(&several);
        if parts.is_empty() || is_exact {
            let read = Ok((Command::ReadFile(request), notes));
            self.push(line, Some(Kind::ReadFile), opening, read);
            return;
        }
        notes.push(Note::Several);
        let read = |path: &str| match path::judge(path, Names::Unix) {
            Err(refusal) if refusal.holds_anywhere() => Err(Reason::Path(refusal)),
            _ => Ok(Command::ReadFile(ReadRequest {
                path: path.into(),
                ..request.clone()
            })),
        };
        let name = opening.name;
        let mut opening = Some(opening);
        for part in parts {
            let opening = opening.take().unwrap_or_else(|| Opening::plain(name));
            let outcome = read(part).map(|command| (command, core::mem::take(&mut notes)));
            self.push(line, Some(Kind::ReadFile), opening, outcome);
        }
    }

    pub(super) fn refuse(&mut self, line: Line<'_>, command: &str, reason: Reason) {
        self.refuse_line(line.number, command, reason);
    }

    fn refuse_line(&mut self, line: usize, command: &str, reason: Reason) {
        self.found += 1;
        let fault = Fault {
            command: command.to_string(),
            reason,
        };
        self.inbox.items.push(Item {
            line,
            outcome: Err(fault),
            notes: Vec::new(),
            kind: None,
        });
    }

    /// Drops a pasted copy of an outbox, whose commands nobody gave, and everything before it. Returns true if the line
    /// begins such a copy.
    pub(super) fn section(&mut self, line: Line<'_>) -> bool {
        self.outbox_header |= line.text == markers::HEADER;
        let begins = quoted::begins_part(line.text)
            || (self.outbox_header && line.text == markers::PROTOCOL);
        if !begins {
            return false;
        }
        let end = quoted::end_of_last(self.cursor.message, self.cursor.at);
        self.cursor.jump(end);
        self.outbox_header = false;
        self.drafted = 0;
        self.inbox = Inbox {
            outbox_copy: Some(self.cursor.number()),
            ..Inbox::default()
        };
        true
    }

    /// Skips the drafts that a line begins or ends. Returns the rest of the line after them.
    pub(super) fn after_drafts(
        &mut self,
        mut line: Line<'a>,
    ) -> Result<Option<Line<'a>>, Rejected> {
        if self.is_task(line) {
            return Ok(None);
        }
        loop {
            let rest = if let Some((draft, rest)) = drafts::opens(line.text) {
                self.has_drafts = true;
                match self.end_of_draft(line, draft, rest)? {
                    Some(end) => end,
                    None => return Ok(None),
                }
            } else if let Some(rest) = drafts::after_lone_end(line.text, self.has_drafts) {
                self.has_drafts = true;
                self.forget_draft(line.number);
                Line { text: rest, ..line }
            } else {
                return Ok(Some(line));
            };
            let text = debris::trim(rest.text);
            if text.is_empty() {
                return Ok(None);
            }
            line = Line { text, ..rest };
        }
    }

    /// Returns true if a line is the title of an outbox's task: any marks in it are only mentioned.
    fn is_task(&self, line: Line<'_>) -> bool {
        self.outbox_header && line.text.starts_with(markers::TASK)
    }

    /// Returns the rest of the line on which a draft ends, or `None` if an outbox ended it.
    fn end_of_draft(
        &mut self,
        begin: Line<'a>,
        draft: Draft,
        rest: &'a str,
    ) -> Result<Option<Line<'a>>, Rejected> {
        let mut line = Line {
            text: rest,
            ..begin
        };
        loop {
            if !self.is_task(line)
                && let Some(text) = drafts::after_end(line.text, draft)
            {
                return Ok(Some(Line { text, ..line }));
            }
            line = self
                .cursor
                .next()
                .ok_or(Rejected::UnclosedThought { line: begin.number })?;
            // In a whole chat, the thought may be only a mention, whose end an outbox further down reveals.
            if self.section(line) {
                return Ok(None);
            }
        }
    }

    /// Drops everything before the end of a draft whose beginning was cut off. If that contained commands, the LLM is
    /// told.
    pub(super) fn forget_draft(&mut self, line: usize) {
        self.drafted += self.inbox.commands().count();
        let outbox_copy = self.inbox.outbox_copy;
        self.inbox = Inbox {
            outbox_copy,
            ..Inbox::default()
        };
        let commands = self.drafted;
        if commands > 0 {
            self.refuse_line(line, "DRAFT", Reason::Draft { commands });
        }
    }

    /// Skips a draft that lost its marks, but not the names. Returns the rest of its last line.
    pub(super) fn after_unmarked_draft(&mut self) -> Option<Line<'a>> {
        let message = self.cursor.message;
        let end = drafts::end_of_unmarked(message)?;
        while let Some(line) = self.cursor.next() {
            if self.cursor.at >= end {
                let text = debris::trim(&message[end..self.cursor.at]);
                return Some(Line { text, ..line });
            }
        }
        None
    }

    /// Records `Session: a1b2c3d4` and `Sequence: 3`, each alone on its line or both on one. Prose about sessions is
    /// ignored.
    pub(super) fn echo(&mut self, line: &str) {
        if line.len() > ECHO_LIMIT || !self.inbox.items.is_empty() {
            return;
        }
        let mut words = line
            .split(|c: char| c.is_whitespace() || ":,*`|-".contains(c))
            .filter(|word| !word.is_empty());
        let words = [(); 5].map(|()| words.next());
        let session = |id: &str| session::is_session_id(id).then(|| id.to_string());
        let echo = &mut self.inbox.echo;
        match words {
            [Some("Session"), Some(id), None, ..] if session(id).is_some() => {
                echo.session = session(id);
            }
            [
                Some("Session"),
                Some(id),
                Some("Sequence"),
                Some(number),
                None,
            ] if session(id).is_some() && number.parse::<u32>().is_ok() => {
                (echo.session, echo.sequence) = (session(id), number.parse().ok());
            }
            [Some("Sequence"), Some(number), None, ..] if number.parse::<u32>().is_ok() => {
                echo.sequence = number.parse().ok();
            }
            _ => {}
        }
    }

    /// Converts line ends to `\n`, whatever the clipboard wrote.
    pub(super) fn unix_lines<'b>(text: &'b str) -> Cow<'b, str> {
        if memchr::memchr(b'\r', text.as_bytes()).is_none() {
            return Cow::Borrowed(text);
        }
        let whole = |line: &'b str| match line.strip_suffix('\n') {
            Some(line) => [line.trim_end_matches('\r'), "\n"],
            None => [line, ""],
        };
        Cow::Owned(text.split_inclusive('\n').flat_map(whole).collect())
    }
}

/// Length limit of the header's two lines, including marks.
const ECHO_LIMIT: usize = 80;
