//! The walk through a message: prose, blocks, and what must not be taken for a block.

use alloc::{borrow::Cow, collections::BTreeMap, string::ToString, vec::Vec};

use super::{
    block,
    command::{Command, Kind},
    copies,
    fault::{Fault, Note, Reason, Rejected},
    inbox::{BODY_LIMIT, COMMAND_LIMIT, Inbox, Item, LINE_LIMIT, Reading},
    made,
    tags::{self, Name, Opening, Spelling, Tag},
    text::{Cursor, Line},
};

/// Reads one message from its first line to its last.
pub(super) struct Parser<'a> {
    reading: Reading,
    cursor: Cursor<'a>,
    closings: block::Closings<'a>,
    inbox: Inbox,
    mentions: BTreeMap<Kind, usize>,
    /// `=== HEADER ===` was seen outside of a block.
    outbox_header: bool,
    may_think: bool,
    has_returns: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(message: &'a str, reading: Reading) -> Self {
        Self {
            reading,
            cursor: Cursor::new(message),
            closings: block::Closings::of(message),
            inbox: Inbox::default(),
            mentions: BTreeMap::new(),
            outbox_header: false,
            has_returns: memchr::memchr(b'\r', message.as_bytes()).is_some(),
            may_think: memchr::memmem::find(message.as_bytes(), b"think").is_some(),
        }
    }

    pub(super) fn read(mut self) -> Result<Inbox, Rejected> {
        while let Some(line) = self.cursor.next() {
            self.prose(line)?;
            if self.inbox.items.len() + self.inbox.hints.len() > COMMAND_LIMIT {
                return Err(Rejected::TooManyCommands);
            }
        }
        match self.cursor.line_over(LINE_LIMIT) {
            Some(line) => Err(Rejected::LineTooLong { line }),
            None => Ok(self.inbox),
        }
    }

    /// A line outside of any block.
    fn prose(&mut self, line: Line<'a>) -> Result<(), Rejected> {
        if self.may_think && line.text.contains("think") && self.thought(line)? {
            return Ok(());
        }
        match line.text.as_bytes().first() {
            Some(b'[') => self.bracket(line)?,
            Some(b'=' | b'(') => {
                self.section(line);
            }
            Some(b'S') => self.echo(line.text),
            Some(b'-' | b'*' | b'+' | b'>' | b'#' | b'`' | b'_' | b'\\' | b'0'..=b'9') => {
                self.decorated(line);
            }
            _ => {}
        }
        Ok(())
    }

    fn bracket(&mut self, line: Line<'a>) -> Result<(), Rejected> {
        match tags::read(line.text) {
            Some(Tag::Open(mut opening)) => {
                self.refuse_leniency(&mut opening);
                self.opening(line, opening)
            }
            Some(Tag::Close(closing)) => {
                if let Some(kind) = closing
                    .name
                    .kind
                    .filter(|_| closing.name.spelling != Spelling::OtherCase)
                {
                    self.stray(line, kind);
                }
                Ok(())
            }
            None => {
                self.decorated(line);
                Ok(())
            }
        }
    }

    /// To the letter of the document, values are in plain double quotes.
    fn refuse_leniency(&self, opening: &mut Opening<'_>) {
        if self.reading.strict && !opening.notes.is_empty() && opening.fault.is_none() {
            opening.fault = Some(Reason::OtherQuotes);
        }
    }

    fn opening(&mut self, line: Line<'a>, opening: Opening<'a>) -> Result<(), Rejected> {
        match opening
            .name
            .kind
            .filter(|_| self.is_accepted(line, &opening))
        {
            Some(kind) if kind.has_body() => self.block(line, kind, opening),
            Some(kind) => {
                self.single(line, kind, opening);
                Ok(())
            }
            None => {
                self.unknown(line, &opening);
                Ok(())
            }
        }
    }

    /// Another spelling of a name is that command when it can be nothing else.
    fn is_accepted(&self, line: Line<'_>, opening: &Opening<'_>) -> bool {
        let name = opening.name;
        match name.spelling {
            Spelling::Exact => true,
            _ if self.reading.strict => false,
            Spelling::Escaped => true,
            Spelling::OtherCase => {
                !opening.attributes.is_empty() || self.closings.follows(&name, line.start)
            }
        }
    }

    fn block(&mut self, line: Line<'a>, kind: Kind, opening: Opening<'a>) -> Result<(), Rejected> {
        if let Some(text) = block::on_one_line(line.text, &opening, kind) {
            self.one_line(line, kind, opening, text);
            return Ok(());
        }
        let token = made::token(&opening);
        let mut start = self.cursor.clone();
        let strict = self.reading.strict;
        let body = block::read_body(&mut self.cursor, opening.name, kind, token, strict);
        if body.text.len() > BODY_LIMIT {
            return Err(Rejected::BodyTooLong { line: line.number });
        }
        let swallowed = if body.closed {
            0
        } else {
            self.swallow(&mut start, Some(kind))
        };
        let outcome = match body.fault(kind, &opening, swallowed) {
            Some(reason) => Err(reason),
            None => self.finish_block(kind, &opening, body.text),
        };
        self.push(line, Some(kind), opening, outcome);
        Ok(())
    }

    fn one_line(&mut self, line: Line<'a>, kind: Kind, opening: Opening<'a>, text: &str) {
        let short = matches!(kind, Kind::RunCommand | Kind::Message | Kind::Done);
        let reason = match opening.fault.clone() {
            Some(reason) => Some(reason),
            None if !short || self.reading.strict || tags::mentions(text, kind) => {
                Some(Reason::OneLine)
            }
            None => None,
        };
        let outcome = match reason {
            Some(reason) => Err(reason),
            None => made::command(kind, &opening, text.trim_end_matches('\r')),
        };
        self.push(
            line,
            Some(kind),
            opening,
            outcome.map(|command| (command, Vec::new())),
        );
    }

    /// A command without a body. LLMs like to close it nevertheless.
    fn single(&mut self, line: Line<'a>, kind: Kind, opening: Opening<'a>) {
        let own_closing = tags::is_own_closing(opening.rest, kind);
        let outcome = match &opening.fault {
            Some(reason) => Err(reason.clone()),
            None if !tags::trim(opening.rest).is_empty() && !own_closing => {
                Err(Reason::TextAfterTag)
            }
            None => made::command(kind, &opening, ""),
        };
        let ignored = !own_closing
            && !opening.slash
            && self.skip_needless_closing(kind, line.start, opening.name);
        let notes = if ignored {
            Vec::from([Note::BodyIgnored])
        } else {
            Vec::new()
        };
        self.push(
            line,
            Some(kind),
            opening,
            outcome.map(|command| (command, notes)),
        );
    }

    /// Passes over `[/READ_FILE]` when only text without any tag is before it. True: there was text.
    fn skip_needless_closing(&mut self, kind: Kind, start: usize, name: Name<'_>) -> bool {
        if !self.closings.follows(&name, start) {
            return false;
        }
        let mut ahead = self.cursor.clone();
        let mut text = false;
        while let Some(line) = ahead.next() {
            if tags::is_own_closing(line.text, kind) {
                self.cursor = ahead;
                return text;
            }
            if line.text.contains(['[', '<']) || line.text.starts_with(['=', '(']) {
                return false;
            }
            text |= !line.text.is_empty();
        }
        false
    }

    /// A name of nobody: a command that does not exist, or prose in brackets.
    fn unknown(&mut self, line: Line<'a>, opening: &Opening<'a>) {
        let whole = opening.fault.is_none() && tags::trim(opening.rest).is_empty();
        let closed = self.closings.follows(&opening.name, line.start);
        if !closed && (!whole || opening.attributes.is_empty()) {
            return;
        }
        let mut start = self.cursor.clone();
        let ended = match closed {
            true => block::skip_unknown(&mut self.cursor, opening.name.text),
            false => opening.slash,
        };
        let swallowed = if ended {
            0
        } else {
            let swallowed = self.swallow(&mut start, None);
            self.cursor = start;
            swallowed
        };
        self.refuse(line, opening.name.text, Reason::Unknown { swallowed });
    }

    /// Counts the commands in the rest of the message. Even there, a closing tag too many betrays an earlier body.
    fn swallow(&mut self, rest: &mut Cursor<'a>, open: Option<Kind>) -> usize {
        let swallowed = block::swallow(rest, open);
        for &(kind, line) in swallowed.strays.iter().take(COMMAND_LIMIT) {
            self.hold_back(kind, line);
        }
        if swallowed.ends_thought {
            self.forget_draft();
        }
        self.inbox.outbox_copy = self.inbox.outbox_copy.max(swallowed.outbox_copy);
        swallowed.commands
    }

    /// A closing tag that closes nothing: the block before it may have ended too early, or its opening tag was not
    /// seen. All that could belong to its body is held back.
    fn stray(&mut self, line: Line<'_>, kind: Kind) {
        self.hold_back(kind, line.number);
        self.refuse(line, kind.name(), Reason::StrayClosing);
    }

    fn hold_back(&mut self, kind: Kind, closing: usize) {
        let mention = self.first_mention(kind);
        let items = &mut self.inbox.items;
        let block = items
            .iter()
            .rposition(|item| item.kind == Some(kind))
            .unwrap_or(0);
        let mentioned = items
            .iter()
            .position(|item| item.line > mention)
            .unwrap_or(usize::MAX);
        for item in items.iter_mut().skip(block.min(mentioned)) {
            if let Ok(command) = &item.outcome {
                let command = command.kind().name().to_string();
                item.outcome = Err(Fault {
                    command,
                    reason: Reason::HeldBack { closing },
                });
            }
        }
    }

    /// The first line that names the command's tag behind other text: perhaps the opening tag that was meant.
    fn first_mention(&mut self, kind: Kind) -> usize {
        let message = self.cursor.message;
        *self
            .mentions
            .entry(kind)
            .or_insert_with(|| block::first_mention(message, kind))
    }

    /// A tag behind marks is no command; what it encloses is no command either.
    fn decorated(&mut self, line: Line<'a>) {
        let Some(tag) = tags::read_decorated(line.text) else {
            return;
        };
        if tag.alone && tag.closing {
            self.stray(line, tag.kind);
        } else if tag.alone
            && tag.kind.has_body()
            && block::skip_decorated(&mut self.cursor, tag.kind)
        {
            self.refuse(line, tag.kind.name(), Reason::Decorated);
        } else if !tag.closing {
            self.inbox.hints.push(line.number);
        }
    }

    fn refuse(&mut self, line: Line<'_>, command: &str, reason: Reason) {
        let fault = Fault {
            command: command.to_string(),
            reason,
        };
        self.inbox.items.push(Item {
            line: line.number,
            outcome: Err(fault),
            notes: Vec::new(),
            kind: None,
        });
    }

    /// A pasted copy of an outbox shows commands that nobody gave. All of it goes, and all before it. True: it was one.
    fn section(&mut self, line: Line<'_>) -> bool {
        self.outbox_header |= line.text == copies::HEADER;
        let begins =
            copies::begins_part(line.text) || (self.outbox_header && line.text == copies::PROTOCOL);
        if !begins {
            return false;
        }
        let end = copies::end_of_last(self.cursor.message, self.cursor.at);
        self.cursor.jump(end);
        self.outbox_header = false;
        self.inbox = Inbox {
            outbox_copy: Some(self.cursor.number()),
            ..Inbox::default()
        };
        true
    }

    /// Thoughts are drafts. True: the line belongs to one.
    fn thought(&mut self, line: Line<'a>) -> Result<bool, Rejected> {
        match copies::thought(line.text) {
            Some(copies::Thought::Begins) => self.skip_thought(line),
            Some(copies::Thought::Ends) => {
                self.forget_draft();
                Ok(true)
            }
            Some(copies::Thought::Whole) => Ok(true),
            None => Ok(false),
        }
    }

    /// The opening tag of the thought was cut off: all before its end was a draft.
    fn forget_draft(&mut self) {
        let outbox_copy = self.inbox.outbox_copy;
        self.inbox = Inbox {
            outbox_copy,
            ..Inbox::default()
        };
    }

    fn skip_thought(&mut self, begin: Line<'a>) -> Result<bool, Rejected> {
        while let Some(line) = self.cursor.next() {
            if copies::ends_thought(line.text) {
                return Ok(true);
            }
            // In a whole chat the thought may be a mere mention, and its end be shown by an outbox further down.
            if self.section(line) {
                return Ok(true);
            }
        }
        Err(Rejected::UnclosedThought { line: begin.number })
    }

    fn echo(&mut self, text: &str) {
        if let Some(session) = text.strip_prefix("Session:") {
            self.inbox.echo.session = session.split_whitespace().next().map(ToString::to_string);
        }
        if let Some((_, sequence)) = text.split_once("Sequence:") {
            self.inbox.echo.sequence = sequence
                .split_whitespace()
                .next()
                .and_then(|number| number.parse().ok());
        }
    }

    fn push(
        &mut self,
        line: Line<'_>,
        kind: Option<Kind>,
        mut opening: Opening<'_>,
        outcome: Result<(Command, Vec<Note>), Reason>,
    ) {
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
                notes.extend(made::unknown_attributes(&opening));
                command
            });
        self.inbox.items.push(Item {
            line: line.number,
            outcome,
            notes,
            kind,
        });
    }

    /// Turns a tag and its body into a command.
    fn finish_block(
        &self,
        kind: Kind,
        opening: &Opening<'_>,
        body: &str,
    ) -> Result<(Command, Vec<Note>), Reason> {
        if let Some(reason) = &opening.fault {
            return Err(reason.clone());
        }
        if !tags::trim(opening.rest).is_empty() || opening.slash {
            return Err(Reason::TextAfterTag);
        }
        let text = self.unix_lines(body);
        let (text, note) = block::unfence(&text, opening, kind, self.reading.strip_fences);
        let command = made::command(kind, opening, text)?;
        Ok((command, note.into_iter().collect()))
    }

    /// Bodies have the line ends of the document, whatever the clipboard made of them.
    fn unix_lines<'b>(&self, text: &'b str) -> Cow<'b, str> {
        if !self.has_returns {
            return Cow::Borrowed(text);
        }
        let whole = |line: &'b str| match line.strip_suffix('\n') {
            Some(line) => [line.trim_end_matches('\r'), "\n"],
            None => [line, ""],
        };
        Cow::Owned(text.split_inclusive('\n').flat_map(whole).collect())
    }
}
