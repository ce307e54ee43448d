//! Walks through a message: prose, blocks, and text that must not be mistaken for a block.

use alloc::{string::ToString, vec::Vec};

use super::{
    BODY_LIMIT, COMMAND_LIMIT, ParseOptions, body, build,
    fault::{Fault, Reason},
    inbox::Inbox,
    note::Note,
    prose::debris,
    prose::drafts,
    prose::invented,
    rejected::Rejected,
    tags::closings::Closings,
    tags::{self, Name, Opening, Spelling, Tag},
    text::{Cursor, Line},
};
use crate::agent::command::{Command, Kind};

/// Reads one message from its first line to its last.
pub(super) struct Parser<'a> {
    pub(super) options: ParseOptions,
    pub(super) cursor: Cursor<'a>,
    pub(super) closings: Closings<'a>,
    pub(super) inbox: Inbox,
    mentions: [Option<usize>; Kind::COUNT],
    /// Number of commands, errors and hints so far, including dropped ones.
    pub(super) found: usize,
    /// True if `=== HEADER ===` was seen outside of a block.
    pub(super) outbox_header: bool,
    may_have_drafts: bool,
    /// True if a draft was opened earlier, so that its marks are not mere mentions.
    pub(super) has_drafts: bool,
    /// Number of commands dropped because a draft ended after them.
    pub(super) drafted: usize,
    /// Start of the open Markdown fence, if any.
    pub(super) fence: Option<usize>,
    /// Start of the first code block.
    pub(super) code_block: Option<usize>,
    /// Column at which the text of the last list item begins.
    pub(super) list: Option<usize>,
    /// The last line of prose, if no command followed it.
    pub(super) lead: Option<Line<'a>>,
    /// True if nothing but blanks and fences followed the last command.
    pub(super) just_found: bool,
    /// The first line whose words mark a command as an example.
    pub(super) example: Option<usize>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(message: &'a str, options: ParseOptions) -> Self {
        Self {
            options,
            cursor: Cursor::new(message),
            closings: Closings::of(message),
            inbox: Inbox::default(),
            mentions: [None; Kind::COUNT],
            found: 0,
            outbox_header: false,
            may_have_drafts: drafts::may_be_in(message),
            has_drafts: false,
            drafted: 0,
            fence: None,
            code_block: None,
            list: None,
            lead: None,
            just_found: false,
            example: None,
        }
    }

    pub(super) fn read(mut self) -> Result<Inbox, Rejected> {
        let mut next = self.after_unmarked_draft().or_else(|| self.cursor.next());
        while let Some(line) = next {
            let before = self.found;
            self.line(line)?;
            if self.found == before {
                self.prose(line);
            }
            if self.found > COMMAND_LIMIT {
                return Err(Rejected::TooManyCommands);
            }
            next = self.cursor.next();
        }
        self.blame_code_block();
        self.refuse_examples();
        Ok(self.inbox)
    }

    /// Handles a line outside of any block.
    fn line(&mut self, line: Line<'a>) -> Result<(), Rejected> {
        let line = match self.may_have_drafts {
            true => self.after_drafts(line)?,
            false => Some(line),
        };
        let Some(line) = line else { return Ok(()) };
        match line.text.as_bytes().first() {
            Some(b'[') => self.bracket(line)?,
            Some(b'=' | b'(') => {
                self.section(line);
            }
            Some(b'S') => self.echo(line.text),
            Some(b'`' | b'~') => {
                self.fence(line);
                self.marked(line)?;
            }
            Some(b'<' | b'd' | b'@') => self.foreign(line),
            Some(b'-' | b'*') => {
                self.echo(line.text);
                let before = self.found;
                self.foreign(line);
                if self.found == before {
                    self.marked(line)?;
                }
            }
            Some(b'+' | b'>' | b'#' | b'_' | b'\\' | b'|' | b'"' | b'\'' | b'0'..=b'9' | 0xe2) => {
                self.marked(line)?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn bracket(&mut self, line: Line<'a>) -> Result<(), Rejected> {
        match tags::read(line.text) {
            Some(Tag::Open(mut opening)) => {
                self.refuse_leniency(&mut opening);
                if !self.options.strict {
                    invented::rename(&mut opening, line.text);
                }
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
                self.quoted(line);
                Ok(())
            }
        }
    }

    /// Refuses values that are not in plain double quotes, in strict mode (CodingAgent protocol v1.0, "Command Block
    /// Structure").
    fn refuse_leniency(&self, opening: &mut Opening<'_>) {
        if self.options.strict && !opening.notes.is_empty() && opening.fault.is_none() {
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

    /// Accepts another spelling of a name if it is unambiguous.
    fn is_accepted(&self, line: Line<'_>, opening: &Opening<'_>) -> bool {
        let name = opening.name;
        match name.spelling {
            Spelling::Exact => true,
            _ if self.options.strict => false,
            Spelling::Escaped => true,
            Spelling::OtherCase => {
                !opening.attributes.is_empty() || self.closings.follows(&name, line.start)
            }
        }
    }

    pub(super) fn block(
        &mut self,
        line: Line<'a>,
        kind: Kind,
        opening: Opening<'a>,
    ) -> Result<(), Rejected> {
        if let Some((key, text)) =
            invented::body_in_tag(kind, &opening).filter(|_| !self.options.strict)
        {
            self.in_tag(line, kind, opening, (key, text));
            return Ok(());
        }
        if let Some(text) = body::on_one_line(line.text, &opening, kind) {
            self.one_line(line, kind, opening, text);
            return Ok(());
        }
        let token = build::token(&opening);
        let mut start = self.cursor.clone();
        let strict = self.options.strict;
        let body = body::read_body(&mut self.cursor, opening.name, kind, token, strict);
        refuse_too_long(body.text, line)?;
        let swallowed = if body.closed {
            0
        } else {
            self.swallow(&mut start, Some(kind))
        };
        let outcome = match body.fault(kind, &opening, swallowed) {
            Some(reason) => Err(reason),
            None => self.indented(line, kind, &opening, &Self::unix_lines(body.text)),
        };
        self.push(line, Some(kind), opening, outcome);
        Ok(())
    }

    /// Handles a body whose lines are all indented as far as its tags. Below a list item, that is the list's
    /// indentation; a whole file begins in the first column. Lines of a file and lines to append may be indented.
    fn indented(
        &self,
        line: Line<'a>,
        kind: Kind,
        opening: &Opening<'a>,
        text: &str,
    ) -> Result<(Command, Vec<Note>), Reason> {
        let message = self.cursor.message;
        let indent = body::indent(&message[line.start..]);
        let is_exact = self.options.strict || build::is_exact(opening);
        let inner = match indent == 0 || is_exact {
            true => None,
            false => body::without_indent(text, indent),
        };
        let Some(inner) = inner else {
            return build::from_body(kind, opening, text, self.options);
        };
        let in_list = self.list.is_some_and(|column| column <= indent);
        let is_part = matches!(kind, Kind::EditFile | Kind::AppendFile);
        let is_clear = in_list || !is_part || inner.trim_start().starts_with("<<<<<<<");
        if !is_clear {
            return Err(Reason::Indented);
        }
        let (command, mut notes) = build::from_body(kind, opening, &inner, self.options)?;
        notes.push(Note::IndentRemoved);
        Ok((command, notes))
    }

    /// Handles a command whose body is an attribute.
    fn in_tag(
        &mut self,
        line: Line<'a>,
        kind: Kind,
        opening: Opening<'a>,
        in_tag: (&'static str, &str),
    ) {
        let own_closing = tags::is_own_closing(opening.rest, kind);
        let has_body = !own_closing && self.skip_needless_closing(kind, line.start, opening.name);
        self.push_in_tag(line, kind, opening, in_tag, has_body);
    }

    /// Adds the command of an attribute, unless a body follows its tag as well.
    pub(super) fn push_in_tag(
        &mut self,
        line: Line<'a>,
        kind: Kind,
        mut opening: Opening<'a>,
        (key, text): (&'static str, &str),
        has_body: bool,
    ) {
        let own_closing = tags::is_own_closing(opening.rest, kind);
        let is_alone = own_closing || debris::trim(opening.rest).is_empty();
        let outcome = match opening.fault.clone() {
            Some(reason) => Err(reason),
            None if !is_alone => Err(Reason::TextAfterTag),
            None if has_body => Err(Reason::TwoBodies { key: key.into() }),
            None => build::from_line(kind, &opening, text, self.options),
        };
        opening.notes.push(Note::BodyInTag { key });
        self.push(line, Some(kind), opening, outcome);
    }

    pub(super) fn one_line(
        &mut self,
        line: Line<'a>,
        kind: Kind,
        opening: Opening<'a>,
        text: &str,
    ) {
        let short = matches!(kind, Kind::RunCommand | Kind::Message | Kind::Done);
        let outcome = match opening.fault.clone() {
            Some(reason) => Err(reason),
            None if !short || self.options.strict || tags::mentions(text, kind) => {
                Err(Reason::OneLine)
            }
            None => build::from_line(kind, &opening, text.trim_end_matches('\r'), self.options),
        };
        self.push(line, Some(kind), opening, outcome);
    }

    /// Handles a command without a body. LLMs often close it nevertheless.
    pub(super) fn single(&mut self, line: Line<'a>, kind: Kind, opening: Opening<'a>) {
        let own_closing = tags::is_own_closing(opening.rest, kind);
        let outcome = match &opening.fault {
            Some(reason) => Err(reason.clone()),
            None if !debris::trim(opening.rest).is_empty() && !own_closing => {
                Err(Reason::TextAfterTag)
            }
            None => build::from_line(kind, &opening, "", self.options),
        };
        let ignored = !own_closing
            && !opening.slash
            && self.skip_needless_closing(kind, line.start, opening.name);
        let outcome = outcome.map(|(command, mut notes)| {
            notes.extend(ignored.then_some(Note::BodyIgnored));
            (command, notes)
        });
        match outcome {
            Ok((Command::ReadFile(request), notes)) if !self.options.strict => {
                self.push_reads(line, opening, (request, notes));
            }
            outcome => self.push(line, Some(kind), opening, outcome),
        }
    }

    /// Skips `[/READ_FILE]` if only text without any tag precedes it. Returns true if there was text.
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

    /// Handles an unknown name: a command that does not exist, or prose in brackets.
    fn unknown(&mut self, line: Line<'a>, opening: &Opening<'a>) {
        let whole = opening.fault.is_none() && debris::trim(opening.rest).is_empty();
        let closed = self.closings.follows(&opening.name, line.start);
        if !closed && (!whole || opening.attributes.is_empty()) {
            return;
        }
        let mut start = self.cursor.clone();
        let ended = match closed {
            true => body::skip_unknown(&mut self.cursor, opening.name.text),
            false => opening.slash || invented::has_no_body(opening.name.text),
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

    /// Counts the commands in the rest of the message. Even there, a surplus closing tag reveals that an earlier body
    /// ended too early.
    fn swallow(&mut self, rest: &mut Cursor<'a>, open: Option<Kind>) -> usize {
        let swallowed = body::swallow(rest, open);
        for &(kind, line) in &swallowed.strays {
            self.hold_back(kind, line);
        }
        if let Some(line) = swallowed.ends_draft {
            self.forget_draft(line);
        }
        self.inbox.outbox_copy = self.inbox.outbox_copy.max(swallowed.outbox_copy);
        swallowed.commands
    }

    /// Handles a closing tag without an opening tag: the block before it may have ended too early, or its opening tag
    /// was missed. Everything that could belong to its body is held back.
    pub(super) fn stray(&mut self, line: Line<'_>, kind: Kind) {
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

    /// Returns the first line that mentions the command's tag after other text: perhaps the intended opening tag.
    fn first_mention(&mut self, kind: Kind) -> usize {
        let message = self.cursor.message;
        *self.mentions[kind as usize].get_or_insert_with(|| body::first_mention(message, kind))
    }
}

pub(super) fn refuse_too_long(body: &str, line: Line<'_>) -> Result<(), Rejected> {
    match body.len() > BODY_LIMIT {
        true => Err(Rejected::BodyTooLong { line: line.number }),
        false => Ok(()),
    }
}
